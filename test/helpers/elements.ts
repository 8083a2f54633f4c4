/** Test data, and the arithmetic of element types in plain JavaScript: independent of the library's own. */
import { DeviceArray, type ScalarName } from "../../lib";

export const allTypes = [
  "int8",
  "int16",
  "int32",
  "int64",
  "uint8",
  "uint16",
  "uint32",
  "uint64",
  "float16",
  "bfloat16",
  "float32",
  "float64",
  "bool",
] as const satisfies readonly ScalarName[];

export const integerTypes = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"] as const;

export const numberTypes = allTypes.filter((type) => type !== "bool");

export type Value = number | bigint | boolean;

export const isBigInt = (type: ScalarName): boolean => type === "int64" || type === "uint64";

/** Pseudo-random whole numbers from `least` to `most`, the same in every run. */
export function integers(count: number, least: number, most: number, seed = 1): number[] {
  let state = seed >>> 0;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return least + ((state >>> 8) % (most - least + 1));
  });
}

/** Those numbers as elements of a type. */
export function elements(type: ScalarName, numbers: readonly number[]): Value[] {
  if (type === "bool") return numbers.map((number) => number % 2 !== 0);
  return isBigInt(type) ? numbers.map(BigInt) : [...numbers];
}

/** A device array of the values. */
export function upload<N extends ScalarName>(type: N, values: readonly Value[]): DeviceArray<N> {
  return DeviceArray.from(values as readonly number[], type);
}

const reader = new DataView(new ArrayBuffer(8));

function float16FromBits(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

function bfloat16FromBits(bits: number): number {
  reader.setUint32(0, bits << 16);
  return reader.getFloat32(0);
}

/** The array's elements as plain values (numbers, bigints, booleans). */
export function download(array: DeviceArray): Value[] {
  const raw = Array.from(array.toTypedArray() as Iterable<number | bigint>);
  if (array.type === "bool") return raw.map((element) => element !== 0);
  if (array.type === "bfloat16") return raw.map((element) => bfloat16FromBits(Number(element)));
  if (array.type === "float16" && !("Float16Array" in globalThis)) {
    return raw.map((element) => float16FromBits(Number(element)));
  }
  return raw;
}

/** A whole number as a type holds it: integers wrap, `bool` is whether it is not 0. Exact for small whole numbers. */
export function wrapped(type: ScalarName, exact: bigint): Value {
  const width = /^u?int(\d+)$/.exec(type)?.[1];
  if (type === "bool") return exact !== 0n;
  if (width === undefined) return Number(exact);
  const bits = Number(width);
  const value = type.startsWith("u") ? BigInt.asUintN(bits, exact) : BigInt.asIntN(bits, exact);
  return bits === 64 ? value : Number(value);
}

export const sumOf = (numbers: readonly number[]): bigint => numbers.reduce((sum, number) => sum + BigInt(number), 0n);

/** Holds millions of elements against each other, for which `toEqual` takes seconds; names the first that differs. */
export function expectElements<T>(actual: ArrayLike<T>, expected: ArrayLike<T>): void {
  let place = 0;
  while (place < expected.length && Object.is(actual[place], expected[place])) place++;
  expect({ length: actual.length, place, element: actual[place] }).toEqual({
    length: expected.length,
    place: expected.length,
    element: undefined,
  });
}
