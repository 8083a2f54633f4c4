/** Outputs that nothing is kept of: what an algorithm writes beside the results that a call asks for. */
import { type Argument, absent, defineShape } from "../builds/shape";
import type { ElementType } from "../types/element";

const discarding = new Map<ElementType, Argument>();

/** An output that takes elements of a type and drops them. */
export function discard(type: ElementType): Argument {
  let argument = discarding.get(type);
  if (argument === undefined) {
    const shape = defineShape({
      elementType: type,
      isPointer: false,
      hasUserCode: false,
      linked: [],
      stateSize: 1, // C++ has no iterator of no bytes; nobody reads it
      stateAlignment: 1,
      cudaInput: undefined,
      cudaOutput: (prefix) =>
        `static __device__ __forceinline__ void ${prefix}_advance(void*, unsigned long long) {}\n` +
        `static __device__ __forceinline__ void ${prefix}_store(const void*, const void*) {}\n`,
    });
    argument = { ...absent, shape };
    discarding.set(type, argument);
  }
  return argument;
}
