/** The benchmarks of every algorithm. */
import type { Benchmark } from "../benchmark";
import { binaryTransformBenchmarks } from "./binary-transform";
import { exclusiveScanBenchmarks } from "./exclusive-scan";
import { forEachBenchmarks } from "./for-each";
import { histogramEvenBenchmarks } from "./histogram-even";
import { inclusiveScanBenchmarks } from "./inclusive-scan";
import { lowerBoundBenchmarks } from "./lower-bound";
import { mergeSortBenchmarks } from "./merge-sort";
import { radixSortBenchmarks } from "./radix-sort";
import { reduceIntoBenchmarks } from "./reduce-into";
import { segmentedReduceBenchmarks } from "./segmented-reduce";
import { segmentedSortBenchmarks } from "./segmented-sort";
import { selectBenchmarks } from "./select";
import { threeWayPartitionBenchmarks } from "./three-way-partition";
import { unaryTransformBenchmarks } from "./unary-transform";
import { uniqueByKeyBenchmarks } from "./unique-by-key";
import { upperBoundBenchmarks } from "./upper-bound";

export const algorithms: Readonly<Record<string, readonly Benchmark[]>> = {
  reduceInto: reduceIntoBenchmarks,
  inclusiveScan: inclusiveScanBenchmarks,
  exclusiveScan: exclusiveScanBenchmarks,
  segmentedReduce: segmentedReduceBenchmarks,
  unaryTransform: unaryTransformBenchmarks,
  binaryTransform: binaryTransformBenchmarks,
  mergeSort: mergeSortBenchmarks,
  radixSort: radixSortBenchmarks,
  segmentedSort: segmentedSortBenchmarks,
  uniqueByKey: uniqueByKeyBenchmarks,
  select: selectBenchmarks,
  threeWayPartition: threeWayPartitionBenchmarks,
  histogramEven: histogramEvenBenchmarks,
  lowerBound: lowerBoundBenchmarks,
  upperBound: upperBoundBenchmarks,
  forEach: forEachBenchmarks,
};
