import { histogramEven } from "../algorithms";
import { ArgumentRangeError, ArgumentTypeError } from "../errors";
import type { Input } from "../iterators";
import type { DeviceArray, StreamOption } from "../memory/device-array";
import { unknownOption } from "../option-names";
import { type ScalarName, scalarTypes } from "../types/scalar";
import { allocate, finiteScalars, streamOnly, within } from "./result";

/** What a histogram counts. */
export interface Bins {
  /** How many bins of equal width there are. */
  bins: number;
  /** Where the first bin begins. */
  lower: number | bigint;
  /** Where the last bin ends; not part of it. */
  upper: number | bigint;
}

/**
 * How many samples lie in each of some bins of equal width; samples outside of all are not counted.
 *
 * @param input - an array, or an iterator that has an end
 * @param bins - how many bins there are, where the first begins and where the last ends
 * @returns an array of a counter for each bin, whose values are there once the work that is queued on the stream is done
 * @throws TypeError or RangeError naming the argument at fault, OutOfDeviceMemoryError
 */
export function histogram<N extends Exclude<ScalarName, "bool" | "bfloat16">>(
  input: Input<N>,
  bins: Bins,
  options?: StreamOption,
): DeviceArray<"uint64"> {
  const from = finiteScalars(input, "histogram");
  const given: unknown = bins;
  if (typeof given !== "object" || given === null) {
    throw new ArgumentTypeError("histogram.bins", "an object such as { bins: 10, lower: 0, upper: 1 }", given);
  }
  const { bins: count, lower, upper } = bins;
  const unknown = unknownOption(given, ["bins", "lower", "upper"], "histogram");
  if (unknown !== undefined) throw unknown;
  if (!Number.isSafeInteger(count) || count < 1) {
    throw new ArgumentRangeError("histogram.bins", "a whole number of bins, one at least", count);
  }
  const stream = streamOnly("histogram", options);
  const output = allocate(from, count, scalarTypes.uint64, stream) as unknown as DeviceArray<"uint64">;
  within("histogram", "histogramEven", { samples: "input" }, () => {
    histogramEven({ samples: from.input, output, lower, upper, ...stream });
  });
  return output;
}
