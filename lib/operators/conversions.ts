/**
 * Conversion helpers. Inside an operator each fixes the type of a value; called as plain JavaScript each does the same
 * to a value: what a store into the typed array of that type would leave.
 */
import { convertTo } from "../types/convert";
import { scalarTypes, type ScalarName, type ScalarValue, type ScalarValueOf } from "../types/scalar";

function conversion<N extends ScalarName>(name: N): (value: ScalarValue) => ScalarValueOf<N> {
  return convertTo(scalarTypes[name]) as (value: ScalarValue) => ScalarValueOf<N>;
}

/** Truncates and wraps to int8. */
export const int8 = conversion("int8");
/** Truncates and wraps to int16. */
export const int16 = conversion("int16");
/** Truncates and wraps to int32. */
export const int32 = conversion("int32");
/** Truncates and wraps to int64, a BigInt. */
export const int64 = conversion("int64");
/** Truncates and wraps to uint8. */
export const uint8 = conversion("uint8");
/** Truncates and wraps to uint16. */
export const uint16 = conversion("uint16");
/** Truncates and wraps to uint32. */
export const uint32 = conversion("uint32");
/** Truncates and wraps to uint64, a BigInt. */
export const uint64 = conversion("uint64");
/** Rounds to the nearest float16. */
export const float16 = conversion("float16");
/** Rounds to the nearest bfloat16. */
export const bfloat16 = conversion("bfloat16");
/** Rounds to the nearest float32. */
export const float32 = conversion("float32");
/** A float64: the number itself, or the nearest to a BigInt. */
export const float64 = conversion("float64");
/** False for 0, -0, 0n and NaN, else true. */
export const bool = (value: ScalarValue): boolean => Boolean(value);
