/** Conversion between element types, in JavaScript and in CUDA C++: what a store into the typed array would do. */
import { fromBfloat16Bits, fromFloat16Bits, toBfloat16Bits, toFloat16Bits } from "./float16";
import { type ScalarType, type ScalarValue, isBigIntType } from "./scalar";

/** Cuts a number as the integer typed arrays do: truncated, modulo 2^n, NaN and Infinity as 0. */
const toInteger: Readonly<Record<string, (value: number) => number>> = {
  int8: (value) => (value << 24) >> 24,
  int16: (value) => (value << 16) >> 16,
  int32: (value) => value | 0,
  uint8: (value) => value & 0xff,
  uint16: (value) => value & 0xffff,
  uint32: (value) => value >>> 0,
};

function toBigInt(value: ScalarValue): bigint {
  if (typeof value === "number") return Number.isFinite(value) ? BigInt(Math.trunc(value)) : 0n;
  return BigInt(value);
}

/** The nearest value of a float type to a number. */
export function roundToFloat(type: ScalarType): (value: number) => number {
  switch (type.name) {
    case "float32":
      return Math.fround;
    case "float16":
      return (value) => fromFloat16Bits(toFloat16Bits(value));
    case "bfloat16":
      return (value) => fromBfloat16Bits(toBfloat16Bits(value));
    default:
      return (value) => value;
  }
}

/** A value of any type as an element of `to`. */
export function convertTo(to: ScalarType): (value: ScalarValue) => ScalarValue {
  if (to.kind === "bool") return Boolean;
  if (to.kind === "float") {
    const round = roundToFloat(to);
    return (value) => round(Number(value));
  }
  if (isBigIntType(to)) {
    return to.kind === "int"
      ? (value) => BigInt.asIntN(64, toBigInt(value))
      : (value) => BigInt.asUintN(64, toBigInt(value));
  }
  const cut = toInteger[to.name];
  if (cut === undefined) throw new Error(`no conversion to ${to.name}`);
  return (value) => cut(typeof value === "bigint" ? Number(BigInt.asUintN(32, value)) : Number(value));
}

const unchanged = (value: ScalarValue): ScalarValue => value;

/** The conversion of one element value to another type: truncation and wrapping for integers, rounding for floats. */
export function hostConvert(from: ScalarType, to: ScalarType): (value: ScalarValue) => ScalarValue {
  return from === to ? unchanged : convertTo(to);
}

const isHalf = (type: ScalarType): boolean => type.name === "float16" || type.name === "bfloat16";

/**
 * The same conversion as a C++ expression over `cudaPrelude`.
 *
 * @param expression has the type `from.cudaStorage`; the answer has `to.cudaStorage`.
 */
export function cudaConvert(from: ScalarType, to: ScalarType, expression: string): string {
  if (from === to) return expression;
  const call = (name: string, operand: string): string => `cuda_compute::${name}(${operand})`;
  const cast = (type: string, operand: string): string => `static_cast<${type}>(${operand})`;
  const value = isHalf(from) ? call(`from_${from.name}`, expression) : expression;
  if (to.kind === "bool") return call("truthy", value);
  if (isHalf(to)) {
    const isFloat32 = isHalf(from) || from.name === "float32";
    return call(`to_${to.name}`, isFloat32 ? value : cast("double", value));
  }
  if (to.kind === "float") {
    // 64-bit integers go through double, as Math.fround(Number(value)) does.
    const wide = isBigIntType(from) && to.name === "float32" ? cast("double", value) : value;
    return isHalf(from) && to.name === "float32" ? value : cast(to.cudaStorage, wide);
  }
  if (from.kind !== "float") return cast(to.cudaStorage, value);
  const whole = call(to.size === 8 ? "to_int64" : "to_int32", value);
  return to.cudaStorage === (to.size === 8 ? "long long" : "int") ? whole : cast(to.cudaStorage, whole);
}
