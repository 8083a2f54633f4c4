/** Sorting in plain JavaScript, for what sorts are held against. */
import type { ScalarName } from "../../lib";
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
