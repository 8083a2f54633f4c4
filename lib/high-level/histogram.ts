import { histogramEven } from "../algorithms";
import { ArgumentRangeError } from "../errors";
import type { Input } from "../iterators";
import type { DeviceArray, StreamOption } from "../memory/device-array";
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
 * @returns an array of a counter for each bin, whose values are there once the work that is queued on the stream is done
 * @throws TypeError or RangeError naming the argument at fault, OutOfDeviceMemoryError
 */
export function histogram<N extends Exclude<ScalarName, "bool" | "bfloat16">>(
  input: Input<N>,
  { bins, lower, upper }: Bins,
  options?: StreamOption,
): DeviceArray<"uint64"> {
  const from = finiteScalars(input, "histogram");
  if (!Number.isSafeInteger(bins) || bins < 1) {
    throw new ArgumentRangeError("histogram.bins", "a whole number of bins, one at least", bins);
  }
  const stream = streamOnly("histogram", options);
  const output = allocate(from, bins, scalarTypes.uint64, stream) as unknown as DeviceArray<"uint64">;
  within("histogram", "histogramEven", { samples: "input" }, () => {
    histogramEven({ samples: from.input, output, lower, upper, ...stream });
  });
  return output;
}
