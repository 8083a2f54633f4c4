import { DeviceArray, type SegmentedSortOptions, makeSegmentedSort, segmentedSort } from "../../lib";
import { type Work, benchmark, empty, filled, numberTypes, sizeOf, work } from "../benchmark";
import { type Entropy, entropyArray, powerLawSegments, uniformSegments } from "../inputs";

type Type = (typeof numberTypes)[number];

function sort(type: Type, elements: number, entropy: Entropy, offsets: Int32Array): Work {
  const bytes = elements * sizeOf(type);
  const bounds = DeviceArray.from(offsets);
  const segments = bounds.length - 1;
  const traffic = { read: bytes + segments * 2 * sizeOf("int32"), written: bytes };
  return work<SegmentedSortOptions<"float32", "uint8">>(traffic, segmentedSort, makeSegmentedSort, {
    inputKeys: filled(elements, type, (length) => entropyArray(type, length, entropy, 1)),
    outputKeys: empty(elements, type),
    startOffsets: bounds.subarray(0, segments),
    endOffsets: bounds.subarray(1),
  });
}

const axes = { type: numberTypes, elements: [2 ** 22, 2 ** 26, 2 ** 30] } as const;

export const segmentedSortBenchmarks = [
  benchmark(
    "power-law",
    { ...axes, segments: [2 ** 12, 2 ** 16, 2 ** 20], entropy: [1, 0.201] },
    ({ type, elements, segments, entropy }) => sort(type, elements, entropy, powerLawSegments(elements, segments, 2)),
  ),
  benchmark(
    "uniform",
    { ...axes, maxSegment: [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18].map((power) => 2 ** power) },
    ({ type, elements, maxSegment }) => sort(type, elements, 1, uniformSegments(elements, maxSegment, 2)),
  ),
];
