export { type ForEachCallOptions, type ForEachOptions, forEach, makeForEach, makeForEachAsync } from "./for-each";
export {
  type CounterName,
  type HistogramEvenOptions,
  type SampleName,
  histogramEven,
  makeHistogramEven,
  makeHistogramEvenAsync,
} from "./histogram-even";
export {
  type Determinism,
  type ReduceCallOptions,
  type ReduceOptions,
  makeReduceInto,
  makeReduceIntoAsync,
  reduceInto,
} from "./reduce-into";
export {
  type ExclusiveScanOptions,
  type InclusiveScanOptions,
  type ScanCallOptions,
  exclusiveScan,
  inclusiveScan,
  makeExclusiveScan,
  makeExclusiveScanAsync,
  makeInclusiveScan,
  makeInclusiveScanAsync,
} from "./scan";
export { type SelectCallOptions, type SelectOptions, makeSelect, makeSelectAsync, select } from "./select";
export {
  type ThreeWayPartitionCallOptions,
  type ThreeWayPartitionOptions,
  makeThreeWayPartition,
  makeThreeWayPartitionAsync,
  threeWayPartition,
} from "./three-way-partition";
export {
  type SearchOptions,
  lowerBound,
  makeLowerBound,
  makeLowerBoundAsync,
  makeUpperBound,
  makeUpperBoundAsync,
  upperBound,
} from "./search";
export {
  type SegmentedReduceCallOptions,
  type SegmentedReduceOptions,
  makeSegmentedReduce,
  makeSegmentedReduceAsync,
  segmentedReduce,
} from "./segmented-reduce";
export {
  type BinaryTransformOptions,
  type TransformCallOptions,
  type UnaryTransformOptions,
  binaryTransform,
  makeBinaryTransform,
  makeBinaryTransformAsync,
  makeUnaryTransform,
  makeUnaryTransformAsync,
  unaryTransform,
} from "./transform";
export { type UniqueByKeyOptions, makeUniqueByKey, makeUniqueByKeyAsync, uniqueByKey } from "./unique-by-key";
export type { CountArray } from "./types";
export type { SortOrder } from "./key-order";
export { type MergeSortOptions, makeMergeSort, makeMergeSortAsync, mergeSort } from "./merge-sort";
export { type RadixSortOptions, makeRadixSort, makeRadixSortAsync, radixSort } from "./radix-sort";
export {
  type OffsetArray,
  type SegmentedSortOptions,
  makeSegmentedSort,
  makeSegmentedSortAsync,
  segmentedSort,
} from "./segmented-sort";
