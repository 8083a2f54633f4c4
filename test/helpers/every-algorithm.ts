/** A call of each algorithm for any scalar type, on fresh arrays that nothing else holds. */
import {
  DeviceArray,
  type ScalarName,
  binaryTransform,
  counting,
  exclusiveScan,
  forEach,
  histogramEven,
  inclusiveScan,
  lowerBound,
  makeBinaryTransform,
  makeExclusiveScan,
  makeForEach,
  makeHistogramEven,
  makeInclusiveScan,
  makeLowerBound,
  makeMergeSort,
  makeRadixSort,
  makeReduceInto,
  makeSegmentedReduce,
  makeSegmentedSort,
  makeSelect,
  makeThreeWayPartition,
  makeUnaryTransform,
  makeUniqueByKey,
  makeUpperBound,
  mergeSort,
  radixSort,
  reduceInto,
  segmentedReduce,
  segmentedSort,
  select,
  threeWayPartition,
  unaryTransform,
  uniqueByKey,
  upperBound,
} from "../../lib";

/** An algorithm in both of its forms, and the options of a call of it. */
export interface AnyAlgorithm {
  readonly name: string;
  readonly run: (options: object) => void;
  readonly make: (options: object) => (options: object) => void;
  /** Made anew at each call, arrays and all. */
  readonly options: (type: ScalarName) => object;
}

const length = 1_000;
const array = (type: ScalarName, items = length): DeviceArray<ScalarName> => DeviceArray.zeros(items, type);
const counts = (items: number): DeviceArray<"int32"> => DeviceArray.zeros(items, "int32");
const zero = (type: ScalarName): number | bigint => (type === "int64" || type === "uint64" ? 0n : 0);
const add = <T extends number>(a: T, b: T): number => a + b;
const isZero = (x: number | bigint): boolean => Number(x) === 0;
const segments = (): object => ({
  startOffsets: DeviceArray.from(new Int32Array([0, 100, 400])),
  endOffsets: DeviceArray.from(new Int32Array([100, 400, length])),
});

function algorithm(
  run: (options: never) => void,
  make: (options: never) => unknown,
  options: AnyAlgorithm["options"],
): AnyAlgorithm {
  return { name: run.name, run: run as AnyAlgorithm["run"], make: make as AnyAlgorithm["make"], options };
}

/** Every algorithm. What it computes is tested elsewhere; here it is called. */
export const everyAlgorithm: readonly AnyAlgorithm[] = [
  algorithm(reduceInto, makeReduceInto, (type) => ({
    input: array(type),
    output: array(type, 1),
    op: add,
    init: zero(type),
  })),
  algorithm(inclusiveScan, makeInclusiveScan, (type) => ({ input: array(type), output: array(type), op: add })),
  algorithm(exclusiveScan, makeExclusiveScan, (type) => ({
    input: array(type),
    output: array(type),
    op: add,
    init: array(type, 1),
  })),
  algorithm(unaryTransform, makeUnaryTransform, (type) => ({
    input: array(type),
    output: array(type),
    op: (x: number) => x,
  })),
  algorithm(binaryTransform, makeBinaryTransform, (type) => ({
    input1: array(type),
    input2: array(type),
    output: array(type),
    op: add,
  })),
  algorithm(segmentedReduce, makeSegmentedReduce, (type) => ({
    input: array(type),
    output: array(type, 3),
    op: add,
    init: zero(type),
    ...segments(),
  })),
  algorithm(mergeSort, makeMergeSort, (type) => ({
    inputKeys: array(type),
    inputValues: counting(0),
    outputKeys: array(type),
    outputValues: counts(length),
  })),
  algorithm(radixSort, makeRadixSort, (type) => ({
    inputKeys: array(type),
    inputValues: counts(length),
    outputKeys: array(type),
    outputValues: counts(length),
  })),
  algorithm(segmentedSort, makeSegmentedSort, (type) => ({
    inputKeys: array(type),
    outputKeys: array(type),
    ...segments(),
  })),
  algorithm(uniqueByKey, makeUniqueByKey, (type) => ({
    inputKeys: array(type),
    inputValues: array("float64"),
    outputKeys: array(type),
    outputValues: array("float64"),
    outputCount: counts(1),
  })),
  algorithm(select, makeSelect, (type) => ({
    input: array(type),
    output: array(type),
    outputCount: counts(1),
    op: isZero,
  })),
  algorithm(threeWayPartition, makeThreeWayPartition, (type) => ({
    input: array(type),
    firstOutput: array(type),
    secondOutput: array(type),
    unselectedOutput: array(type),
    outputCounts: counts(2),
    selectFirst: isZero,
    selectSecond: (x: number) => x > 0,
  })),
  algorithm(histogramEven, makeHistogramEven, (type) => ({
    samples: array(type),
    output: counts(10),
    lower: zero(type),
    upper: typeof zero(type) === "bigint" ? 10n : 10,
  })),
  algorithm(lowerBound, makeLowerBound, (type) => ({
    data: array(type),
    values: array(type),
    output: array("uint64"),
  })),
  algorithm(upperBound, makeUpperBound, (type) => ({
    data: array(type),
    values: array(type),
    output: array("uint64"),
  })),
  algorithm(forEach, makeForEach, (type) => ({ input: array(type), op: isZero })),
];
