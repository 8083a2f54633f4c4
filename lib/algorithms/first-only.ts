/** An output array of which only the first element is written, whatever else an algorithm writes. */
import { type Shape, defineShape } from "../builds/shape";
import type { ScalarType } from "../types/scalar";

const shapes = new Map<ScalarType, Shape>();

/** The shape in which an array's first element alone is written. Its state is the array's own: the address. */
export function firstOnly(type: ScalarType): Shape {
  let shape = shapes.get(type);
  if (shape === undefined) {
    const element = type.cudaStorage;
    shape = defineShape({
      elementType: type,
      isPointer: false,
      hasUserCode: false,
      linked: [],
      stateSize: 8,
      stateAlignment: 8,
      cudaInput: undefined,
      cudaOutput: (prefix) =>
        `static __device__ __forceinline__ void ${prefix}_advance(void* state, unsigned long long count) {\n` +
        `  if (count != 0) *static_cast<${element}**>(state) = nullptr;\n}\n` +
        `static __device__ __forceinline__ void ${prefix}_store(const void* state, const void* element) {\n` +
        `  ${element}* const first = *static_cast<${element}* const*>(state);\n` +
        `  if (first != nullptr) *first = *static_cast<const ${element}*>(element);\n}\n`,
    });
    shapes.set(type, shape);
  }
  return shape;
}
