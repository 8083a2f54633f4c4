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
