import type { Storage } from "../backends/backend";
import type { CallFrame } from "../backends/cuda/call-frame";
import { Access } from "../backends/cuda/native";
import type { Argument, CudaFunctions, Reader, Shape, Writer } from "../builds/shape";
import { ArgumentRangeError, ArgumentTypeError } from "../errors";
import type { ElementSpec } from "../types/element";
import type { IntegerName } from "../types/scalar";
import { cudaDefinitions } from "../types/struct";
import { CompositeIterator, ShapesByParts, accessAt, compositeShape, partOffsets, stateAt } from "./composite";
import { accessible, readable } from "./readable";
import type { Directed, Direction, Input } from "./types";

const shapes = new ShapesByParts();

/** State: that of the values, which is never advanced, then that of the indices. */
function permutedShape(values: Shape, indices: Shape): Shape {
  const parts = [values, indices];
  return shapes.get(parts, () => {
    const functions = (access: "load" | "store", text: CudaFunctions | undefined): CudaFunctions | undefined =>
      text && ((prefix) => cudaText(prefix, values, indices, access, text));
    return compositeShape(values.elementType, 0, parts, {
      input: functions("load", values.cudaInput),
      output: functions("store", values.cudaOutput),
    });
  });
}

function cudaText(
  prefix: string,
  values: Shape,
  indices: Shape,
  access: "load" | "store",
  valuesText: CudaFunctions,
): string {
  const [valuesOffset = 0, indicesOffset = 0] = partOffsets(0, [values, indices]);
  const element = access === "load" ? "void* element" : "const void* element";
  return (
    cudaDefinitions([values.elementType]) +
    valuesText(`${prefix}_values`) +
    accessAt(`${prefix}_values`, values, access) +
    (indices.cudaInput?.(`${prefix}_indices`) ?? "") +
    `static __device__ __forceinline__ void ${prefix}_advance(void* state, unsigned long long count) {\n` +
    `  ${prefix}_indices_advance(static_cast<char*>(state) + ${String(indicesOffset)}, count);\n}\n` +
    `static __device__ __forceinline__ void ${prefix}_${access}(const void* state, ${element}) {\n` +
    `  ${indices.elementType.cudaStorage} index;\n` +
    `  ${prefix}_indices_load(${stateAt(indicesOffset)}, &index);\n` +
    `  ${prefix}_values_${access}_at(${stateAt(valuesOffset)}, ` +
    `static_cast<unsigned long long>(static_cast<long long>(index)), element);\n}\n`
  );
}

/** The values at the indices: a gather where it is read, a scatter where it is written. Owns both. */
export class PermutedIterator<
  N extends ElementSpec = ElementSpec,
  D extends Direction = Direction,
> extends CompositeIterator<N, D> {
  readonly #values: Argument;
  readonly #indices: Argument;
  readonly #indicesOffset: number;

  /** @internal */
  constructor(values: Argument, indices: Argument) {
    const parts = [
      { name: "values", argument: values },
      { name: "indices", argument: indices },
    ];
    super("permuted", permutedShape(values.shape, indices.shape), indices.length, parts);
    this.#values = values;
    this.#indices = indices;
    this.#indicesOffset = partOffsets(0, [values.shape, indices.shape])[1] as number;
  }

  /** Which values are touched is known to the device alone, so any of them count. @internal */
  overlaps(storage: Storage, begin: number, end: number, inPlace: boolean): boolean {
    return this.#values.overlaps(storage, begin, end, false) || this.#indices.overlaps(storage, begin, end, inPlace);
  }

  /** A scatter reads its own indices, too. @internal */
  writesOver(input: Argument): boolean {
    return this.#values.writesOver(input, false) || this.#values.writesOver(this.#indices, false);
  }

  /** @internal */
  writeState(frame: CallFrame, position: number, access: number): void {
    this.#values.writeState(frame, position, access);
    this.#indices.writeState(frame, position + this.#indicesOffset, Access.read);
  }

  /** Answers where the value of an element is. */
  #places(): (index: number) => number {
    const read = this.#indices.hostReader();
    const { length } = this.#values;
    return (index) => {
      const place = Number(read(index));
      if (length !== Infinity && (place < 0 || place >= length)) {
        throw new ArgumentRangeError(`permuted.indices[${String(index)}]`, `an index below ${String(length)}`, place);
      }
      return place;
    };
  }

  /** @internal */
  hostReader(): Reader {
    const [read, place] = [this.#values.hostReader(), this.#places()];
    return (index) => read(place(index));
  }

  /** @internal */
  hostWriter(): Writer {
    const [write, place] = [this.#values.hostWriter(), this.#places()];
    return (index, value) => {
      write(place(index), value);
    };
  }
}

/**
 * The values at the indices: element i is `values[indices[i]]`. Read, it gathers; written, it scatters. It is an input
 * if the values can be read, an output if they can be written; both for arrays.
 *
 * An index outside of the values is undefined behaviour on a GPU, as in CUB: it reads or writes memory out of bounds.
 * Backend `host` throws a RangeError when it comes to it. Where two indices of a scatter are equal, either value may
 * remain. Values without an end, as those of `counting`, have an element at every index. The length is that of the
 * indices; values and indices live as long as the iterator does.
 *
 * @param indices - an array or iterator of any integer type
 * @throws TypeError for values or indices that are none, were disposed, are of another type or of unlike backends
 */
export function permuted<N extends ElementSpec, D extends Direction>(
  values: Directed<N, D>,
  indices: Input<IntegerName>,
): PermutedIterator<N, D> {
  const ofValues = accessible(values, "permuted.values");
  const ofIndices = readable(indices, "permuted.indices");
  const { kind, name } = ofIndices.shape.elementType;
  if (kind !== "int" && kind !== "uint") {
    throw new ArgumentTypeError("permuted.indices", "elements of an integer type", name);
  }
  return new PermutedIterator<N, D>(ofValues, ofIndices);
}
