import { DeviceArray, type ThreeWayPartitionOptions, bind, makeThreeWayPartition, threeWayPartition } from "../../lib";
import { benchmark, empty, filled, lengths, numberTypes, sizeOf, work } from "../benchmark";
import { entropyBelow } from "../inputs";

type Options = ThreeWayPartitionOptions<"float32", "float32", "float32", "float32">;

export const threeWayPartitionBenchmarks = [
  // Thirds of the values' range; with less entropy, more of the items lie in the first.
  benchmark("thirds", { type: numberTypes, elements: lengths, entropy: [1, 0.544, 0] }, (state) => {
    const { type, elements, entropy } = state;
    const bytes = elements * sizeOf(type);
    return work<Options>({ read: bytes, written: bytes }, threeWayPartition, makeThreeWayPartition, {
      input: filled(elements, type, (length) => entropyBelow(type, length, 99, entropy, 1)),
      firstOutput: empty(elements, type),
      secondOutput: empty(elements, type),
      unselectedOutput: empty(elements, type),
      outputCounts: DeviceArray.empty(2, "int64"),
      selectFirst: bind((x: number, at: { border: number }) => x < at.border, { border: 33 }),
      selectSecond: bind((x: number, at: { border: number }) => x < at.border, { border: 66 }),
    });
  }),
];
