import { DeviceArray, type SegmentedReduceOptions, makeSegmentedReduce, ops, segmentedReduce } from "../../lib";
import { benchmark, empty, filled, sizeOf, wideTypes, work } from "../benchmark";
import { entropyArray, uniformSegments } from "../inputs";

const powersOfTwo = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, i) => 2 ** (first + i));

export const segmentedReduceBenchmarks = [
  benchmark(
    "variable-sum",
    {
      type: wideTypes,
      elements: [2 ** 16, 2 ** 20, 2 ** 24],
      maxSegment: powersOfTwo(1, 16),
      // Whether the call says how long the longest segment is, by which the library chooses its kernel.
      hint: ["none", "exact"],
    },
    ({ type, elements, maxSegment, hint }) => {
      const offsets = DeviceArray.from(uniformSegments(elements, maxSegment, 2));
      const segments = offsets.length - 1;
      const size = sizeOf(type);
      const traffic = { read: elements * size + segments * 2 * sizeOf("int32"), written: segments * size };
      return work<SegmentedReduceOptions<"float32", "float32", number>>(traffic, segmentedReduce, makeSegmentedReduce, {
        input: filled(elements, type, (length) => entropyArray(type, length, 1, 1)),
        output: empty(segments, type),
        startOffsets: offsets.subarray(0, segments),
        endOffsets: offsets.subarray(1),
        op: ops.plus,
        init: 0,
        maxSegmentSize: hint === "exact" ? maxSegment : undefined,
      });
    },
  ),
];
