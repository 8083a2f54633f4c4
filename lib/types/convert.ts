/** Conversion between element types, in JavaScript and in CUDA C++: what a store into the typed array would do. */
import {
  type ArrayType,
  type ElementObject,
  type ElementType,
  type ElementValue,
  type StructType,
  isScalarType,
} from "./element";
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

const roundToFloat16 = (value: number): number => fromFloat16Bits(toFloat16Bits(value));
const roundToBfloat16 = (value: number): number => fromBfloat16Bits(toBfloat16Bits(value));
const unrounded = (value: number): number => value;

/** The nearest value of a float type to a number. */
export function roundToFloat(type: ScalarType): (value: number) => number {
  switch (type.name) {
    case "float32":
      return Math.fround;
    case "float16":
      return roundToFloat16;
    case "bfloat16":
      return roundToBfloat16;
    default:
      return unrounded;
  }
}

/** The field of that name. */
function fieldNamed(type: StructType, name: string): StructType["fields"][number] | undefined {
  return type.fields.find((field) => field.name === name);
}

/**
 * Whether values of one type convert to another: scalars do, structs where they have the same field names and each
 * field converts, fixed-size arrays of one length where their elements do.
 */
export function converts(from: ElementType, to: ElementType): boolean {
  if (from === to) return true;
  if (from.kind === "array" && to.kind === "array") {
    return from.length === to.length && converts(from.element, to.element);
  }
  if (from.kind === "struct" && to.kind === "struct") {
    if (from.isTuple !== to.isTuple || from.fields.length !== to.fields.length) return false;
    return to.fields.every(({ name, type }) => {
      const field = fieldNamed(from, name);
      return field !== undefined && converts(field.type, type);
    });
  }
  return isScalarType(from) && isScalarType(to);
}

/** A value of any type that converts to it, as an element of `to`. */
export function convertTo(to: ScalarType): (value: ScalarValue) => ScalarValue;
export function convertTo(to: ElementType): (value: ElementValue) => ElementValue;
export function convertTo(to: ElementType): (value: never) => ElementValue {
  if (isScalarType(to)) return convertToScalar(to);
  if (to.kind === "array") {
    const convert = convertTo(to.element);
    return (value: readonly ElementValue[]) => value.map(convert);
  }
  const fields = to.fields.map(({ name, type }) => ({ name, convert: convertTo(type) }));
  if (to.isTuple) {
    return (value: readonly ElementValue[]) =>
      fields.map(({ convert }, index) => convert(value[index] as ElementValue));
  }
  return (value: ElementObject) => {
    const element: Record<string, ElementValue> = {};
    for (const { name, convert } of fields) element[name] = convert(value[name] as ElementValue);
    return element;
  };
}

function convertToScalar(to: ScalarType): (value: ScalarValue) => ScalarValue {
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

const unchanged = (value: ElementValue): ElementValue => value;

function refuse(from: ElementType, to: ElementType): never {
  throw new Error(`${from.name} does not convert to ${to.name}`);
}

/** The conversion of one element value to another type: truncation and wrapping for integers, rounding for floats. */
export function hostConvert(from: ScalarType, to: ScalarType): (value: ScalarValue) => ScalarValue;
export function hostConvert(from: ElementType, to: ElementType): (value: ElementValue) => ElementValue;
export function hostConvert(from: ElementType, to: ElementType): (value: never) => ElementValue {
  if (from === to) return unchanged;
  return converts(from, to) ? convertTo(to) : refuse(from, to);
}

const isHalf = (type: ScalarType): boolean => type.name === "float16" || type.name === "bfloat16";

/**
 * The same conversion as a C++ expression over `cudaPrelude` and the definitions of both types.
 *
 * @param expression has the type `from.cudaStorage`, and is evaluated once; the answer has `to.cudaStorage`.
 */
export function cudaConvert(from: ElementType, to: ElementType, expression: string): string {
  if (from === to) return expression;
  if (isScalarType(from) && isScalarType(to)) return cudaConvertScalar(from, to, expression);
  if (!converts(from, to)) refuse(from, to);
  const parts =
    to.kind === "array" ? convertItems(from as ArrayType, to) : convertFields(from as StructType, to as StructType);
  const [source, target] = [from.cudaStorage, to.cudaStorage];
  return `[](const ${source}& from) -> ${target} { ${target} to; ${parts}return to; }(${expression})`;
}

function convertItems(from: ArrayType, to: ArrayType): string {
  const item = cudaConvert(from.element, to.element, "from.items[i]");
  return `for (int i = 0; i < ${String(to.length)}; ++i) to.items[i] = ${item}; `;
}

function convertFields(from: StructType, to: StructType): string {
  return to.fields
    .map(({ name, type }, index) => {
      const position = from.fields.findIndex((field) => field.name === name);
      const field = from.fields[position]?.type as ElementType;
      return `to.f${String(index)} = ${cudaConvert(field, type, `from.f${String(position)}`)}; `;
    })
    .join("");
}

function cudaConvertScalar(from: ScalarType, to: ScalarType, expression: string): string {
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
