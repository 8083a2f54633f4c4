/** Sums, and what is made of sums. */
import { reduceInto } from "../algorithms";
import { type Input, transformed } from "../iterators";
import type { UnaryOperator } from "../iterators/types";
import type { StreamOption } from "../memory/device-array";
import { ops } from "../operators";
import type { ElementSpec, ValueOf } from "../types/element";
import { type ScalarName, isBigIntType, scalarTypes } from "../types/scalar";
import { type Untyped, allocate, finite, finiteScalars, streamOnly, take, within } from "./result";

/** What a sum is in JavaScript. */
export type Sum<N extends ScalarName> = N extends "int64" | "uint64" ? bigint : number;

function total(from: Untyped, type: ScalarName, options: StreamOption | undefined): Promise<unknown> {
  const stream = streamOnly(from.name, options);
  const output = allocate(from, 1, scalarTypes[type], stream);
  within(from.name, "reduceInto", {}, () => {
    reduceInto({ input: from.input, output, op: ops.plus, init: 0, ...stream });
  });
  return take(output, stream);
}

/**
 * The sum of all elements; 0 of none. Adds in float64, so that integers of up to 32 bits are exact up to 2^53 and `true`
 * counts as 1; 64-bit integers add as bigints that wrap.
 *
 * @param input - an array, or an iterator that has an end
 * @returns the sum, once the work that was queued on the stream is done
 * @throws TypeError or RangeError (as a rejection) naming the argument at fault, OutOfDeviceMemoryError
 */
export async function sum<N extends ScalarName>(input: Input<N>, options?: StreamOption): Promise<Sum<N>> {
  const from = finiteScalars(input, "sum");
  return (await total(from, isBigIntType(from.type) ? from.type.name : "float64", options)) as Sum<N>;
}

/**
 * The mean of all elements, in float64; NaN of none.
 *
 * @param input - an array, or an iterator that has an end
 * @throws as {@link sum} does
 */
export async function mean(input: Input<ScalarName>, options?: StreamOption): Promise<number> {
  const from = finiteScalars(input, "mean");
  return ((await total(from, "float64", options)) as number) / from.argument.length;
}

/**
 * How many elements `predicate` holds for.
 *
 * @param input - an array, or an iterator that has an end
 * @throws as {@link sum} does, and CompileError for the predicate
 */
export async function count<N extends ElementSpec>(
  input: Input<N>,
  predicate: UnaryOperator<ValueOf<N>, boolean>,
  options?: StreamOption,
): Promise<number> {
  const from = finite(input, "count");
  const hits = within("count", "transformed", { op: "predicate" }, () =>
    transformed(from.input, predicate as UnaryOperator<number, boolean>, "bool"),
  );
  return Number(await total({ ...from, input: hits as unknown as Input<"float64"> }, "int64", options));
}
