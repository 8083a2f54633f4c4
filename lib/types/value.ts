/** Single element values: checking them, and moving them in and out of bytes. */
import { ArgumentRangeError, ArgumentTypeError } from "../errors";
import { roundToFloat } from "./convert";
import { type AggregateType, type ElementObject, type ElementType, type ElementValue, isScalarType } from "./element";
import { fromBfloat16Bits, fromFloat16Bits, toBfloat16Bits, toFloat16Bits } from "./float16";
import { type ScalarName, type ScalarType, type ScalarValue, isBigIntType, scalarTypes } from "./scalar";

interface IntegerRange {
  readonly least: bigint;
  readonly most: bigint;
  /** The same as numbers: exact but for the most of 64 bits, which no safe integer reaches. */
  readonly leastNumber: number;
  readonly mostNumber: number;
}

function integerRange({ kind, size }: ScalarType): IntegerRange {
  const bits = BigInt(size * 8);
  const [least, most] = kind === "int" ? [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n] : [0n, (1n << bits) - 1n];
  return { least, most, leastNumber: Number(least), mostNumber: Number(most) };
}

/** Made once: calls check their initial values and levels with them. */
const integerRanges = new Map(
  Object.values(scalarTypes)
    .filter(({ kind }) => kind === "int" || kind === "uint")
    .map((type) => [type, integerRange(type)]),
);

/**
 * The named scalar type.
 *
 * @throws ArgumentTypeError for anything that is not the name of one.
 */
export function scalarType(name: unknown, argument: string): ScalarType {
  if (typeof name === "string" && Object.hasOwn(scalarTypes, name)) return scalarTypes[name as ScalarName];
  throw new ArgumentTypeError(argument, `an element type (${Object.keys(scalarTypes).join(", ")})`, name);
}

/**
 * A value that a user wrote, as an element of a type. Nothing is cut silently: integers must be whole and in range,
 * a number may stand for a 64-bit integer only while it is a safe integer; a struct's object has its fields and no
 * others.
 *
 * @throws ArgumentTypeError or ArgumentRangeError, naming `argument` and the way to the field at fault.
 */
export function elementValue(value: unknown, type: ScalarType, argument: string): ScalarValue;
export function elementValue(value: unknown, type: ElementType, argument: string): ElementValue;
export function elementValue(value: unknown, type: ElementType, argument: string): ElementValue {
  return isScalarType(type) ? scalarValue(value, type, argument) : aggregateValue(value, type, argument);
}

function aggregateValue(value: unknown, type: AggregateType, argument: string): ElementValue {
  if (type.kind === "array") {
    const items = checkArray(value, type.length, argument);
    return items.map((item, index) => elementValue(item, type.element, `${argument}[${String(index)}]`));
  }
  const { fields } = type;
  if (type.isTuple) {
    const items = checkArray(value, fields.length, argument);
    return fields.map((field, index) => elementValue(items[index], field.type, `${argument}[${String(index)}]`));
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ArgumentTypeError(argument, `an object with the fields ${fieldNames(type)}`, value);
  }
  const given = value as Record<string, unknown>;
  for (const name of Object.keys(given)) {
    if (fields.some((field) => field.name === name)) continue;
    throw new ArgumentTypeError(`${argument}.${name}`, `no field but ${fieldNames(type)}`, given[name]);
  }
  const element: Record<string, ElementValue> = {};
  for (const field of fields) {
    element[field.name] = elementValue(given[field.name], field.type, `${argument}.${field.name}`);
  }
  return element;
}

/** An array of exactly so many items; one with holes too, whose items are then refused. */
function checkArray(value: unknown, length: number, argument: string): unknown[] {
  if (!Array.isArray(value)) throw new ArgumentTypeError(argument, `an array of ${String(length)}`, value);
  if (value.length !== length) throw new ArgumentRangeError(argument, `an array of ${String(length)}`, value);
  return Array.from(value as unknown[]);
}

function fieldNames(type: { readonly fields: readonly { readonly name: string }[] }): string {
  return type.fields.map(({ name }) => name).join(", ");
}

function scalarValue(value: unknown, type: ScalarType, argument: string): ScalarValue {
  if (type.kind === "bool") {
    if (typeof value === "boolean") return value;
    if (value === 0 || value === 1) return value === 1;
    throw new ArgumentTypeError(argument, "a boolean", value);
  }
  if (type.kind === "float") {
    if (typeof value === "number") return roundToFloat(type)(value);
    if (typeof value === "boolean") return Number(value);
    throw new ArgumentTypeError(argument, `a number, as ${type.name} elements are`, value);
  }
  if (typeof value !== "number" && typeof value !== "bigint" && typeof value !== "boolean") {
    const expected = isBigIntType(type) ? "a bigint or an integer" : "an integer";
    throw new ArgumentTypeError(argument, `${expected}, as ${type.name} elements are`, value);
  }
  if (typeof value === "number" && !Number.isSafeInteger(value)) {
    const advice = isBigIntType(type) ? "; write larger ones as bigints" : "";
    throw new ArgumentRangeError(argument, `a safe integer for ${type.name}${advice}`, value);
  }
  const { least, most, leastNumber, mostNumber } = integerRanges.get(type) as IntegerRange;
  // A safe integer is compared as it is, without a BigInt being made of it.
  const isOutside =
    typeof value === "bigint"
      ? value < least || value > most
      : Number(value) < leastNumber || Number(value) > mostNumber;
  if (isOutside) {
    throw new ArgumentRangeError(argument, `an integer from ${String(least)} to ${String(most)} (${type.name})`, value);
  }
  return isBigIntType(type) ? BigInt(value) : Number(value);
}

/** What operators read outside of an array: NaN, 0 or false. */
export function missingElement(type: ScalarType): ScalarValue {
  if (type.kind === "bool") return false;
  return type.kind === "float" ? NaN : isBigIntType(type) ? 0n : 0;
}

/**
 * Writes an element's bytes (little endian, as the device has them). The value must be one of the type's. Padding stays
 * as it is.
 */
export function writeElement(view: DataView, position: number, type: ElementType, value: ElementValue): void {
  if (isScalarType(type)) {
    writeScalar(view, position, type, value as ScalarValue);
  } else if (type.kind === "array") {
    const items = value as readonly ElementValue[];
    const { element, length } = type;
    for (let i = 0; i < length; i++) {
      writeElement(view, position + i * element.size, element, items[i] as ElementValue);
    }
  } else {
    // A tuple's fields are named as an array's items are.
    const fields = value as ElementObject;
    for (const { name, type: field, offset } of type.fields) {
      writeElement(view, position + offset, field, fields[name] as ElementValue);
    }
  }
}

function writeScalar(view: DataView, position: number, type: ScalarType, value: ScalarValue): void {
  switch (type.name) {
    case "int8":
    case "uint8":
    case "bool":
      view.setUint8(position, Number(value));
      return;
    case "int16":
    case "uint16":
      view.setUint16(position, value as number, true);
      return;
    case "int32":
    case "uint32":
      view.setUint32(position, value as number, true);
      return;
    case "int64":
    case "uint64":
      view.setBigUint64(position, BigInt.asUintN(64, value as bigint), true);
      return;
    case "float16":
      view.setUint16(position, toFloat16Bits(value as number), true);
      return;
    case "bfloat16":
      view.setUint16(position, toBfloat16Bits(value as number), true);
      return;
    case "float32":
      view.setFloat32(position, value as number, true);
      return;
    case "float64":
      view.setFloat64(position, value as number, true);
      return;
  }
}

/** Reads an element from its bytes; aggregates are new objects. */
export function readElement(view: DataView, position: number, type: ScalarType): ScalarValue;
export function readElement(view: DataView, position: number, type: ElementType): ElementValue;
export function readElement(view: DataView, position: number, type: ElementType): ElementValue {
  if (isScalarType(type)) return readScalar(view, position, type);
  if (type.kind === "array") {
    const { element, length } = type;
    return Array.from({ length }, (_, index) => readElement(view, position + index * element.size, element));
  }
  if (type.isTuple) return type.fields.map((field) => readElement(view, position + field.offset, field.type));
  const element: Record<string, ElementValue> = {};
  for (const field of type.fields) element[field.name] = readElement(view, position + field.offset, field.type);
  return element;
}

function readScalar(view: DataView, position: number, type: ScalarType): ScalarValue {
  switch (type.name) {
    case "int8":
      return view.getInt8(position);
    case "uint8":
      return view.getUint8(position);
    case "bool":
      return view.getUint8(position) !== 0;
    case "int16":
      return view.getInt16(position, true);
    case "uint16":
      return view.getUint16(position, true);
    case "int32":
      return view.getInt32(position, true);
    case "uint32":
      return view.getUint32(position, true);
    case "int64":
      return view.getBigInt64(position, true);
    case "uint64":
      return view.getBigUint64(position, true);
    case "float16":
      return fromFloat16Bits(view.getUint16(position, true));
    case "bfloat16":
      return fromBfloat16Bits(view.getUint16(position, true));
    case "float32":
      return view.getFloat32(position, true);
    case "float64":
      return view.getFloat64(position, true);
  }
}
