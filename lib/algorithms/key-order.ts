/** The order of radix sorts, for the host: that of the keys' bits, turned so that they compare as unsigned integers. */
import type { ScalarType } from "../types/scalar";

export type SortOrder = "ascending" | "descending";

/** `cccl_sort_order_t`. */
export const sortOrders: Readonly<Record<string, number>> = { ascending: 0, descending: 1 };

/**
 * Turns the bits of a key so that they compare as the keys do: NaN with its sign set comes before -Infinity, other NaN
 * after Infinity, and -0 equals 0.
 */
export function orderedBits(type: ScalarType, bits: bigint): bigint {
  const width = type.size * 8;
  const sign = 1n << BigInt(width - 1);
  if (type.kind === "int") return bits ^ sign;
  if (type.kind !== "float") return bits;
  if (bits === sign) return sign; // -0 as 0
  return (bits & sign) === 0n ? bits | sign : BigInt.asUintN(width, ~bits);
}

/** Places in the order of their keys' bits; equal ones keep theirs. */
export function sortPlaces(places: number[], bits: readonly bigint[], order: number): number[] {
  const less = order === 0 ? -1 : 1;
  return places.sort((a, b) => {
    const [x, y] = [bits[a] as bigint, bits[b] as bigint];
    return x < y ? less : x > y ? -less : 0;
  });
}
