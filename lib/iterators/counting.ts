import { inspect } from "node:util";
import type { CallFrame } from "../backends/cuda/call-frame";
import { ArgumentTypeError } from "../errors";
import { cudaConvert, hostConvert } from "../types/convert";
import {
  type ScalarName,
  type ScalarType,
  type ScalarValue,
  type ScalarValueOf,
  isBigIntType,
  scalarTypes,
} from "../types/scalar";
import { elementValue, scalarType } from "../types/value";
import { type Reader, type Shape, defineShape } from "../builds/shape";
import { MemorylessIterator } from "./memoryless";

/** The types that can count. */
export type CountableName = Exclude<ScalarName, "bool">;

/** The type in which start and index are added: exact for integers, one rounding for floats. */
const sumType = (type: ScalarType): ScalarType => (type.kind === "float" ? scalarTypes.float64 : scalarTypes.int64);

const shapes = new Map<ScalarType, Shape>();

/** State: the index (which may be negative, in two's complement) as uint64, then the start as int64 or float64. */
function countingShape(type: ScalarType): Shape {
  let shape = shapes.get(type);
  if (shape === undefined) {
    const sum = sumType(type);
    const number = sum.cudaStorage;
    const added =
      sum === scalarTypes.int64
        ? "static_cast<long long>(static_cast<unsigned long long>(start) + index)"
        : "__dadd_rn(start, static_cast<double>(static_cast<long long>(index)))";
    shape = defineShape({
      elementType: type,
      isPointer: false,
      hasUserCode: false,
      linked: [],
      stateSize: 16,
      stateAlignment: 8,
      cudaInput: (prefix) =>
        `static __device__ __forceinline__ void ${prefix}_advance(void* state, unsigned long long count) {\n` +
        `  *static_cast<unsigned long long*>(state) += count;\n}\n` +
        `static __device__ __forceinline__ void ${prefix}_load(const void* state, void* element) {\n` +
        `  const unsigned long long index = *static_cast<const unsigned long long*>(state);\n` +
        `  const ${number} start = *reinterpret_cast<const ${number}*>(static_cast<const char*>(state) + 8);\n` +
        `  const ${number} value = ${added};\n` +
        `  *static_cast<${type.cudaStorage}*>(element) = ${cudaConvert(sum, type, "value")};\n}\n`,
      cudaOutput: undefined,
    });
    shapes.set(type, shape);
  }
  return shape;
}

/** Reads start, start + 1, start + 2, … without memory. Element i is start + i, converted to the type. */
export class CountingIterator<N extends CountableName = CountableName> extends MemorylessIterator<N, "input"> {
  readonly start: ScalarValueOf<N>;
  readonly #state = new Uint8Array(16);

  /** @internal */
  constructor(start: ScalarValueOf<N>, type: N) {
    const elementType = scalarTypes[type];
    super(countingShape(elementType));
    this.start = start;
    const view = new DataView(this.#state.buffer);
    if (elementType.kind === "float") view.setFloat64(8, start as number, true);
    else view.setBigInt64(8, BigInt.asIntN(64, BigInt(start)), true);
  }

  /** @internal */
  writeState(frame: CallFrame, position: number): void {
    frame.bytes(position, this.#state);
  }

  /** @internal */
  override hostReader(): Reader {
    const elementType = scalarTypes[this.type];
    const convert = hostConvert(sumType(elementType), elementType);
    const start: ScalarValue = this.start;
    if (isBigIntType(elementType)) {
      return (index) => convert(BigInt.asIntN(64, (start as bigint) + BigInt(index)));
    }
    if (elementType.kind === "float") return (index) => convert((start as number) + index);
    return (index) => convert(BigInt(start) + BigInt(index));
  }

  [inspect.custom](): string {
    return `counting(${String(this.start)}, ${this.type})`;
  }
}

/**
 * An input of start, start + 1, start + 2, … that needs no memory.
 *
 * @param start - the first element
 * @param type - the element type: `int32` for a number by default, `int64` for a bigint. Integers wrap at its end.
 * @throws TypeError or RangeError for a start that is not one of the type's
 */
export function counting(start: number): CountingIterator<"int32">;
export function counting(start: bigint): CountingIterator<"int64">;
export function counting<N extends CountableName>(start: ScalarValueOf<N> | number, type: N): CountingIterator<N>;
export function counting(start: unknown, type?: CountableName): CountingIterator {
  const elementType = scalarType(type ?? (typeof start === "bigint" ? "int64" : "int32"), "counting.type");
  if (elementType.kind === "bool") throw new ArgumentTypeError("counting.type", "a number type", elementType.name);
  const first = elementValue(start, elementType, "counting.start") as number | bigint;
  return new CountingIterator<CountableName>(first, elementType.name as CountableName);
}
