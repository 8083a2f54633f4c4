import { inspect } from "node:util";
import { type Shape, type Writer, defineShape } from "../builds/shape";
import type { ElementSpec, ElementType, StructType } from "../types/element";
import type { ScalarType } from "../types/scalar";
import { cudaDefinitions, elementType } from "../types/struct";
import { MemorylessIterator } from "./memoryless";
import { isArgument } from "./readable";
import type { Directed, Direction } from "./types";

type Element = ScalarType | StructType;

const shapes = new Map<Element, Shape>();

/** State: none, but the C library wants a byte. */
function discardShape(type: Element): Shape {
  let shape = shapes.get(type);
  if (shape === undefined) {
    shape = defineShape({
      elementType: type,
      isPointer: false,
      hasUserCode: false,
      linked: [],
      stateSize: 1,
      stateAlignment: 1,
      cudaInput: undefined,
      cudaOutput: (prefix) =>
        cudaDefinitions([type]) +
        `static __device__ __forceinline__ void ${prefix}_advance(void*, unsigned long long) {}\n` +
        `static __device__ __forceinline__ void ${prefix}_store(const void*, const void*) {}\n`,
    });
    shapes.set(type, shape);
  }
  return shape;
}

/** Drops what is written to it. */
export class DiscardIterator<N extends ElementSpec = ElementSpec> extends MemorylessIterator<N, "output"> {
  /** @internal */
  constructor(type: Element) {
    super(discardShape(type));
  }

  /** @internal */
  writeState(): void {
    // There is nothing to write.
  }

  /** @internal */
  override hostWriter(): Writer {
    return () => undefined;
  }

  [inspect.custom](): string {
    return `discard(${this.shape.elementType.name})`;
  }
}

const iterators = new Map<ElementType, DiscardIterator>();

/** The one of a type: it has no state, so that all can share it, and algorithms need no new one for each call. */
export function discardOf(type: ElementType): DiscardIterator {
  let iterator = iterators.get(type);
  if (iterator === undefined) {
    iterator = new DiscardIterator(type as Element);
    iterators.set(type, iterator);
  }
  return iterator;
}

/**
 * An output without an end that drops what is written to it, for results that are not needed.
 *
 * @param type - the element type, or an array or iterator that has it; that is not kept
 * @throws TypeError for anything else
 */
export function discard<N extends ElementSpec>(type: N | Directed<N, Direction>): DiscardIterator<N> {
  const element = isArgument(type) ? type.shape.elementType : elementType(type, "discard.type");
  return discardOf(element) as DiscardIterator<N>;
}
