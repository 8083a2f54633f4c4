/** What `reversed` and `strided` share: element i is another's element at first + i * step. */
import type { Storage } from "../backends/backend";
import type { CallFrame } from "../backends/cuda/call-frame";
import type { Argument, CudaFunctions, Reader, Shape, Writer } from "../builds/shape";
import type { ElementSpec } from "../types/element";
import { cudaDefinitions } from "../types/struct";
import { CompositeIterator, ShapesByParts, accessAt, compositeShape, partOffsets, stateAt } from "./composite";
import type { Direction } from "./types";

const shapes = new ShapesByParts();

/** Bytes of the index and the step. */
const ownState = 16;

const childOffset = (child: Shape): number => partOffsets(ownState, [child])[0] as number;

/** State: the index and the step, in two's complement, then the child's state, which is never advanced. */
function affineShape(child: Shape): Shape {
  return shapes.get([child], () => {
    const functions = (access: "load" | "store", text: CudaFunctions | undefined): CudaFunctions | undefined =>
      text && ((prefix) => cudaText(prefix, child, access, text));
    return compositeShape(child.elementType, ownState, [child], {
      input: functions("load", child.cudaInput),
      output: functions("store", child.cudaOutput),
    });
  });
}

function cudaText(prefix: string, child: Shape, access: "load" | "store", childText: CudaFunctions): string {
  const element = access === "load" ? "void* element" : "const void* element";
  return (
    cudaDefinitions([child.elementType]) +
    childText(`${prefix}_child`) +
    accessAt(`${prefix}_child`, child, access) +
    `static __device__ __forceinline__ void ${prefix}_advance(void* state, unsigned long long count) {\n` +
    `  unsigned long long* index = static_cast<unsigned long long*>(state);\n  index[0] += index[1] * count;\n}\n` +
    `static __device__ __forceinline__ void ${prefix}_${access}(const void* state, ${element}) {\n` +
    `  ${prefix}_child_${access}_at(${stateAt(childOffset(child))}, ` +
    `*static_cast<const unsigned long long*>(state), element);\n}\n`
  );
}

/** Every step-th element of an array or iterator from one on, in either direction. Owns it. */
export abstract class AffineIterator<N extends ElementSpec, D extends Direction> extends CompositeIterator<N, D> {
  readonly #child: Argument;
  readonly #first: number;
  readonly #step: number;
  readonly #state = new Uint8Array(ownState);
  readonly #childOffset: number;

  /** @internal */
  constructor(name: string, child: Argument, first: number, step: number, length: number) {
    super(name, affineShape(child.shape), length, [{ name: undefined, argument: child }]);
    this.#child = child;
    this.#first = first;
    this.#step = step;
    this.#childOffset = childOffset(child.shape);
    const view = new DataView(this.#state.buffer);
    view.setBigInt64(0, BigInt(first), true);
    view.setBigInt64(8, BigInt(step), true);
  }

  /** The elements are in other places than the child's, so nothing is in place. @internal */
  overlaps(storage: Storage, begin: number, end: number): boolean {
    return this.#child.overlaps(storage, begin, end, false);
  }

  /** @internal */
  writesOver(input: Argument): boolean {
    return this.#child.writesOver(input, false);
  }

  /** @internal */
  writeState(frame: CallFrame, position: number, access: number): void {
    frame.bytes(position, this.#state);
    this.#child.writeState(frame, position + this.#childOffset, access);
  }

  /** @internal */
  hostReader(): Reader {
    const read = this.#child.hostReader();
    const [first, step] = [this.#first, this.#step];
    return (index) => read(first + index * step);
  }

  /** @internal */
  hostWriter(): Writer {
    const write = this.#child.hostWriter();
    const [first, step] = [this.#first, this.#step];
    return (index, value) => {
      write(first + index * step, value);
    };
  }
}
