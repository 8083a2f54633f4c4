import { DeviceArray, type HistogramEvenOptions, histogramEven, makeHistogramEven } from "../../lib";
import { scalarTypes } from "../../lib/types/scalar";
import { benchmark, filled, lengths, numberTypes, sizeOf, work } from "../benchmark";
import { entropyBelow } from "../inputs";

const axes = {
  type: numberTypes,
  elements: lengths,
  bins: [128, 32, 2048, 2 ** 21],
  entropy: [1, 0.201],
} as const;

/** How many values a type has that are not negative. */
function valuesOf(type: (typeof numberTypes)[number]): number {
  const { kind, size } = scalarTypes[type];
  return kind === "float" ? Infinity : 2 ** (8 * size - 1);
}

export const histogramEvenBenchmarks = [
  benchmark(
    "even",
    axes,
    ({ type, elements, bins, entropy }) => {
      const traffic = { read: elements * sizeOf(type), written: bins * sizeOf("int32") };
      return work<HistogramEvenOptions<(typeof numberTypes)[number]>>(traffic, histogramEven, makeHistogramEven, {
        samples: filled(elements, type, (length) => entropyBelow(type, length, bins, entropy, 1)),
        output: DeviceArray.empty(bins, "int32"),
        lower: 0,
        upper: bins,
      });
    },
    ({ type, bins }) => bins > valuesOf(type),
  ),
];
