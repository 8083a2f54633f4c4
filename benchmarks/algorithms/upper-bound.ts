import { DeviceArray, type SearchOptions, upperBound, makeUpperBound } from "../../lib";
import { benchmark, filled, sizeOf, wideTypes, work } from "../benchmark";
import { entropyBelow, keysInRuns } from "../inputs";

const maxRun = 31;

export const upperBoundBenchmarks = [
  // As many values as keys. Keys that begin at 0 and have no gaps are sorted.
  benchmark("runs", { type: wideTypes, elements: [2 ** 16, 2 ** 20, 2 ** 24], entropy: [1, 0.201] }, (state) => {
    const { type, elements, entropy } = state;
    const size = sizeOf(type);
    const keys = elements / ((1 + maxRun) / 2);
    const traffic = { read: 2 * elements * size, written: elements * sizeOf("uint64") };
    return work<SearchOptions<"float32", "float32">>(traffic, upperBound, makeUpperBound, {
      data: filled(elements, type, (length) => keysInRuns(type, length, maxRun, 1)),
      values: filled(elements, type, (length) => entropyBelow(type, length, keys, entropy, 2)),
      output: DeviceArray.empty(elements, "uint64"),
    });
  }),
];
