/** What iterators over other arrays and iterators share: parts, whose states lie one after the other within theirs. */
import { inspect } from "node:util";
import type { Backend, Storage } from "../backends/backend";
import type { CallFrame } from "../backends/cuda/call-frame";
import {
  type Argument,
  type CudaFunctions,
  type Reader,
  type Shape,
  type Writer,
  alignUp,
  defineShape,
  OwnArgument,
} from "../builds/shape";
import { ArgumentTypeError } from "../errors";
import { type ElementSpec, type ElementType, type StructType, specOf } from "../types/element";
import type { ScalarType } from "../types/scalar";
import type { Directed, Direction, direction } from "./types";

/** Where the parts' states lie behind `own` bytes of the iterator itself. */
export function partOffsets(own: number, parts: readonly Shape[]): number[] {
  let end = own;
  return parts.map((part) => {
    const offset = alignUp(end, part.stateAlignment);
    end = offset + part.stateSize;
    return offset;
  });
}

/** Shapes by those of their parts. They live as long as their parts' shapes do, which may hold a user's operator. */
export class ShapesByParts {
  #shape: Shape | undefined;
  readonly #longer = new WeakMap<Shape, ShapesByParts>();

  get(parts: readonly Shape[], make: () => Shape): Shape {
    const [first, ...rest] = parts;
    if (first === undefined) return (this.#shape ??= make());
    let longer = this.#longer.get(first);
    if (longer === undefined) {
      longer = new ShapesByParts();
      this.#longer.set(first, longer);
    }
    return longer.get(rest, make);
  }
}

/** The shape of an iterator with `own` bytes of state before those of its parts. */
export function compositeShape(
  elementType: ElementType,
  own: number,
  parts: readonly Shape[],
  cuda: { input: CudaFunctions | undefined; output: CudaFunctions | undefined },
): Shape {
  const alignment = Math.max(own > 0 ? 8 : 1, ...parts.map((part) => part.stateAlignment));
  const last = parts[parts.length - 1] as Shape;
  const end = (partOffsets(own, parts).at(-1) as number) + last.stateSize;
  return defineShape({
    elementType,
    isPointer: false,
    hasUserCode: parts.some((part) => part.hasUserCode),
    linked: parts.flatMap((part) => part.linked),
    stateSize: alignUp(end, alignment),
    stateAlignment: alignment,
    cudaInput: cuda.input,
    cudaOutput: cuda.output,
  });
}

/**
 * CUDA C++ of `PREFIX_load_at` or `PREFIX_store_at`: accesses a part at an index that counts from where the part
 * stands. Only a copy of its state is advanced.
 */
export function accessAt(prefix: string, part: Shape, access: "load" | "store"): string {
  const element = access === "load" ? "void* element" : "const void* element";
  return (
    `struct alignas(${String(part.stateAlignment)}) ${prefix}_copy { char bytes[${String(part.stateSize)}]; };\n` +
    `static __device__ __forceinline__ void ${prefix}_${access}_at(` +
    `const void* state, unsigned long long index, ${element}) {\n` +
    `  ${prefix}_copy copy = *static_cast<const ${prefix}_copy*>(state);\n` +
    `  ${prefix}_advance(&copy, index);\n  ${prefix}_${access}(&copy, element);\n}\n`
  );
}

/** C++ of a part's state. */
export const stateAt = (offset: number): string => `static_cast<const char*>(state) + ${String(offset)}`;

/** An iterator's part. */
export interface Part {
  /** What errors call it; undefined where it is the only one. */
  readonly name: string | undefined;
  readonly argument: Argument;
}

function commonBackend(parts: readonly Part[], name: string): Backend | undefined {
  let backend: Backend | undefined;
  for (const { argument } of parts) {
    backend ??= argument.backend;
    if (argument.backend !== undefined && argument.backend !== backend) {
      const expected = "arrays of one backend";
      throw new ArgumentTypeError(name, expected, argument, "ERR_BACKEND_MISMATCH");
    }
  }
  return backend;
}

const nameWithin = (name: string | undefined, part: string | undefined): string | undefined =>
  name === undefined || part === undefined ? (name ?? part) : `${name} of ${part}`;

/** An iterator over parts, which live as long as it does. */
export abstract class CompositeIterator<N extends ElementSpec, D extends Direction>
  extends OwnArgument
  implements Argument, Directed<N, D>
{
  declare readonly [direction]: D;
  readonly type: N;
  readonly length: number;
  /** @internal */
  readonly shape: Shape;
  /** @internal */
  readonly backend: Backend | undefined;
  readonly #name: string;
  readonly #parts: readonly Part[];

  /** @internal */
  constructor(name: string, shape: Shape, length: number, parts: readonly Part[]) {
    super();
    this.type = specOf(shape.elementType as ScalarType | StructType) as N;
    this.length = length;
    this.shape = shape;
    this.backend = commonBackend(parts, name);
    this.#name = name;
    this.#parts = parts;
  }

  /** @internal */
  checkAlive(argument: string, part?: string): void {
    for (const own of this.#parts) own.argument.checkAlive(argument, nameWithin(own.name, part));
  }

  /** @internal */
  abstract overlaps(storage: Storage, begin: number, end: number, inPlace: boolean): boolean;
  /** @internal */
  abstract writesOver(input: Argument, inPlace: boolean): boolean;
  /** @internal */
  abstract writeState(frame: CallFrame, position: number, access: number): void;
  /** @internal */
  abstract hostReader(): Reader;
  /** @internal */
  abstract hostWriter(): Writer;

  [inspect.custom](): string {
    return `${this.#name}(${this.#parts.map(({ argument }) => inspect(argument)).join(", ")})`;
  }
}
