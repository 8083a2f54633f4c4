import type { Storage } from "../backends/backend";
import type { CallFrame } from "../backends/cuda/call-frame";
import type { Argument, CudaFunctions, Reader, Shape, Writer } from "../builds/shape";
import { ArgumentRangeError, ArgumentTypeError } from "../errors";
import type { ElementSpec, ElementType, ElementValue, Struct, StructType } from "../types/element";
import { cudaDefinitions, structType } from "../types/struct";
import { CompositeIterator, ShapesByParts, compositeShape, partOffsets, stateAt } from "./composite";
import { accessible, canRead, canWrite, notReadable, notWritable } from "./readable";
import type { Directed, Direction, Input, Output } from "./types";

const shapes = new ShapesByParts();

function zippedShape(children: readonly Shape[]): Shape {
  return shapes.get(children, () => {
    const types = children.map((child) => child.elementType);
    const tuple = structType(
      types.map((type, index) => [String(index), type]),
      "zipped.children",
      true,
    );
    return compositeShape(tuple, 0, children, {
      input: children.every(canRead) ? functions(tuple, children, "load") : undefined,
      output: children.every(canWrite) ? functions(tuple, children, "store") : undefined,
    });
  });
}

/** State: the children's states. Advancing advances each. */
function functions(tuple: ElementType, children: readonly Shape[], access: "load" | "store"): CudaFunctions {
  const offsets = partOffsets(0, children);
  const constant = access === "load" ? "" : "const ";
  return (prefix) => {
    const each = (line: (child: string, offset: number, index: number) => string): string =>
      offsets.map((offset, index) => `  ${line(`${prefix}_item${String(index)}`, offset, index)}\n`).join("");
    const texts = children.map((child, index) => {
      const text = access === "load" ? child.cudaInput : child.cudaOutput;
      return text?.(`${prefix}_item${String(index)}`);
    });
    return (
      cudaDefinitions([tuple]) +
      texts.join("") +
      `static __device__ __forceinline__ void ${prefix}_advance(void* state, unsigned long long count) {\n` +
      each((child, offset) => `${child}_advance(static_cast<char*>(state) + ${String(offset)}, count);`) +
      `}\nstatic __device__ __forceinline__ void ${prefix}_${access}(const void* state, ${constant}void* element) {\n` +
      `  ${constant}${tuple.cudaStorage}* tuple = static_cast<${constant}${tuple.cudaStorage}*>(element);\n` +
      each((child, offset, index) => `${child}_${access}(${stateAt(offset)}, &tuple->f${String(index)});`) +
      "}\n"
    );
  };
}

/** Several arrays or iterators beside each other, whose elements are tuples. Owns them. */
export class ZippedIterator<
  N extends StructType = StructType,
  D extends Direction = Direction,
> extends CompositeIterator<N, D> {
  readonly #children: readonly Argument[];
  readonly #offsets: readonly number[];

  /** @internal */
  constructor(children: readonly Argument[]) {
    const shapesOfChildren = children.map((child) => child.shape);
    const parts = children.map((argument, index) => ({ name: `item ${String(index)}`, argument }));
    super("zipped", zippedShape(shapesOfChildren), Math.min(...children.map((child) => child.length)), parts);
    this.#children = children;
    this.#offsets = partOffsets(0, shapesOfChildren);
  }

  /** @internal */
  overlaps(storage: Storage, begin: number, end: number, inPlace: boolean): boolean {
    return this.#children.some((child) => child.overlaps(storage, begin, end, inPlace));
  }

  /** @internal */
  writesOver(input: Argument, inPlace: boolean): boolean {
    return this.#children.some((child) => child.writesOver(input, inPlace));
  }

  /** @internal */
  writeState(frame: CallFrame, position: number, access: number): void {
    for (let i = 0; i < this.#children.length; i++) {
      (this.#children[i] as Argument).writeState(frame, position + (this.#offsets[i] as number), access);
    }
  }

  /** @internal */
  hostReader(): Reader {
    if (!canRead(this.shape)) return notReadable();
    const readers = this.#children.map((child) => child.hostReader());
    return (index) => readers.map((read) => read(index));
  }

  /** @internal */
  hostWriter(): Writer {
    if (!canWrite(this.shape)) return notWritable();
    const writers = this.#children.map((child) => child.hostWriter());
    return (index, tuple) => {
      writers.forEach((write, item) => {
        write(index, (tuple as readonly ElementValue[])[item] as ElementValue);
      });
    };
  }
}

type Inputs = readonly [Input, ...Input[]];
type Outputs = readonly [Output, ...Output[]];
type Both = Directed<ElementSpec, "both">;

/** The children's element types, one after the other. */
type TypesOf<C extends readonly Directed<ElementSpec, Direction>[]> = { readonly [K in keyof C]: C[K]["type"] };

/** The tuple of the children's elements. */
type TupleOf<C extends readonly Directed<ElementSpec, Direction>[]> = Struct<TypesOf<C>>;

/** What a zip of inputs is: an output too, if all children are. */
type InputOrBoth<C extends Inputs> = C extends readonly Both[] ? "both" : "input";

/**
 * Several arrays or iterators as one, whose elements are tuples of theirs: `[a[i], b[i], …]`. An input if all of them
 * can be read, an output if all can be written; both for arrays.
 *
 * Operators take tuples apart as JavaScript arrays: `([a, b]) => a * b` or `(pair) => pair[0]`, and make them by
 * `[a, b]`. In memory a tuple is the C++ struct of its items. The length is that of the shortest child, and the
 * children live as long as the iterator does.
 *
 * @param children - one or more arrays or iterators of any types, by themselves or as one array of them
 * @throws TypeError for a child that is none or was disposed, for children of unlike directions or backends; RangeError
 *   for none, and for tuples of more than 65,536 bytes
 */
export function zipped<const C extends Inputs>(...children: C): ZippedIterator<TupleOf<C>, InputOrBoth<C>>;
export function zipped<const C extends Outputs>(...children: C): ZippedIterator<TupleOf<C>, "output">;
export function zipped<const C extends Inputs>(children: C): ZippedIterator<TupleOf<C>, InputOrBoth<C>>;
export function zipped<const C extends Outputs>(children: C): ZippedIterator<TupleOf<C>, "output">;
export function zipped(...given: readonly unknown[]): ZippedIterator {
  const [first] = given;
  const listed: readonly unknown[] = given.length === 1 && Array.isArray(first) ? first : given;
  if (listed.length === 0) throw new ArgumentRangeError("zipped.children", "one child at least", listed);
  const name = (index: number): string => `zipped.children[${String(index)}]`;
  const children = Array.from(listed, (child, index) => accessible(child, name(index)));
  let directions = [canRead, canWrite];
  children.forEach((child, index) => {
    directions = directions.filter((can) => can(child.shape));
    if (directions.length === 0) {
      throw new ArgumentTypeError(name(index), "a child that can be read or written as those before it", child);
    }
  });
  return new ZippedIterator(children);
}
