/** Sorting in plain JavaScript, for what sorts are held against. */
import { DeviceArray, type ScalarName } from "../../lib";
import { type Value, elements, integers } from "./elements";

/** Keys of a type with many equal ones, negative where the type has them. */
export function sortKeys(type: ScalarName, count: number, seed = 1): Value[] {
  const least = type === "bool" || type.startsWith("uint") ? 0 : -60;
  return elements(type, integers(count, least, 60, seed));
}

/** The places of keys in their order; equal ones keep theirs. */
export function placesInOrder(keys: readonly Value[], descending = false): number[] {
  const compare = (a: Value, b: Value): number => (a < b ? -1 : a > b ? 1 : 0);
  return [...keys.keys()].sort((a, b) => {
    const order = compare(keys[a] as Value, keys[b] as Value);
    return descending ? -order : order;
  });
}

/** Values at places. */
export function at<T>(values: readonly T[], places: readonly number[]): T[] {
  return places.map((place) => values[place] as T);
}

/** 64-bit floats from their bits, for NaN of either sign and with a payload. */
export function floatsFromBits(bits: readonly bigint[]): Float64Array {
  return new Float64Array(new BigUint64Array(bits).buffer);
}

export function bitsOfFloats(floats: Float64Array): bigint[] {
  return [...new BigUint64Array(floats.buffer, floats.byteOffset, floats.length)];
}

export const floatTypes = ["float16", "bfloat16", "float32", "float64"] as const;

/** The largest exponent with the highest bit of the fraction. */
const quietNaN = { float16: 0x7e00n, bfloat16: 0x7fc0n, float32: 0x7fc0_0000n, float64: 0x7ff8n << 48n } as const;

/** Small whole numbers with a NaN, of either sign in turn, at every seventh place; and how many NaN there are. */
export function floatsWithNaN(
  type: (typeof floatTypes)[number],
  size: number,
): { array: DeviceArray; nans: number; negative: number } {
  const array = DeviceArray.from(integers(size, -50, 50, 41), type);
  const bytes = { float16: Uint16Array, bfloat16: Uint16Array, float32: Uint32Array, float64: BigUint64Array }[type];
  const elements = array.toTypedArray();
  const bits = new bytes(elements.buffer as ArrayBuffer, elements.byteOffset, size);
  const sign = 1n << BigInt(bits.BYTES_PER_ELEMENT * 8 - 1);
  let nans = 0;
  for (let i = 0; i < size; i += 7) {
    const pattern = nans++ % 2 === 0 ? quietNaN[type] : quietNaN[type] | sign;
    bits[i] = bits instanceof BigUint64Array ? pattern : Number(pattern);
  }
  array.copyFrom(elements);
  return { array, nans, negative: Math.floor(nans / 2) };
}
