/** What each algorithm promises of order: which items stay before which, and in what order an operator is applied. */
import {
  DeviceArray,
  type SortOrder,
  exclusiveScan,
  inclusiveScan,
  lowerBound,
  mergeSort,
  radixSort,
  select,
  struct,
  threeWayPartition,
  unaryTransform,
  binaryTransform,
  uniqueByKey,
  upperBound,
} from "../../../lib";
import { integers } from "../elements";
import { at, placesInOrder } from "../sorting";

export interface OrderPromise {
  readonly algorithm: string;
  readonly promise: string;
  /** What was computed, and what it is to be; undefined where nothing is promised. */
  readonly check?: () => [seen: unknown, expected: unknown];
}

const count = 20_000;
const keys = integers(count, 0, 9, 5);
const places = [...keys.keys()];

const int32 = (values: readonly number[]): DeviceArray<"int32"> => DeviceArray.from(Int32Array.from(values));
const empty = (length = count): DeviceArray<"int32"> => DeviceArray.empty(length, "int32");

/** Sorts many equal keys, with their places as values. */
function sortedPlaces(sort: typeof radixSort, options: object): number[] {
  const outputValues = empty();
  sort({ inputKeys: int32(keys), inputValues: int32(places), outputKeys: empty(), outputValues, ...options });
  return outputValues.toArray();
}

function inEitherOrder(sort: (order: SortOrder) => number[]): [unknown, unknown] {
  return [
    [sort("ascending"), sort("descending")],
    [placesInOrder(keys), placesInOrder(keys, true)],
  ];
}

const Range = struct({ first: "int32", last: "int32" });
interface Ends {
  first: number;
  last: number;
}

/** Scans ranges by an operator that joins two: associative, and wrong as soon as two change places. */
function joined(scan: typeof exclusiveScan): Ends[] {
  const input = DeviceArray.from(
    places.map((place) => ({ first: place, last: place })),
    Range,
  );
  const output = DeviceArray.empty(count, Range);
  const join = (a: Ends, b: Ends): Ends => ({ first: a.first, last: b.last });
  scan({ input, output, init: { first: -1, last: -1 }, op: join });
  return output.toArray();
}

const commutes = "none: `op` must be associative and commutative";

export const orderPromises: readonly OrderPromise[] = [
  { algorithm: "reduceInto", promise: commutes },
  {
    algorithm: "inclusiveScan",
    promise: "items are combined from the first to the last: `op` need not commute",
    check: () => [joined(inclusiveScan), places.map((place) => ({ first: -1, last: place }))],
  },
  {
    algorithm: "exclusiveScan",
    promise: "items are combined from the first to the last: `op` need not commute",
    check: () => [joined(exclusiveScan), places.map((place) => ({ first: -1, last: place - 1 }))],
  },
  {
    algorithm: "unaryTransform",
    promise: "result i is that of item i",
    check() {
      const output = empty();
      unaryTransform({ input: int32(places), output, op: (x) => x * 2 });
      return [output.toArray(), places.map((place) => place * 2)];
    },
  },
  {
    algorithm: "binaryTransform",
    promise: "result i is that of both items i",
    check() {
      const output = empty();
      binaryTransform({ input1: int32(places), input2: int32(keys), output, op: (x, y) => x * 10 + y });
      return [output.toArray(), places.map((place) => place * 10 + (keys[place] as number))];
    },
  },
  { algorithm: "segmentedReduce", promise: commutes },
  {
    algorithm: "mergeSort",
    promise: "stable: what comes neither before nor after another keeps its side of it",
    check: () =>
      inEitherOrder((order) => {
        const op =
          order === "ascending" ? (a: number, b: number): boolean => a < b : (a: number, b: number): boolean => a > b;
        return sortedPlaces(mergeSort as unknown as typeof radixSort, { op });
      }),
  },
  {
    algorithm: "radixSort",
    promise: "stable in either order: equal keys keep theirs",
    check: () => inEitherOrder((order) => sortedPlaces(radixSort, { order })),
  },
  { algorithm: "segmentedSort", promise: "not stable: values of equal keys come in any order" },
  {
    algorithm: "uniqueByKey",
    promise: "runs keep their order, and the first key and value of each stay",
    check() {
      const [outputKeys, outputValues, outputCount] = [empty(), empty(), empty(1)];
      const values = int32(places);
      uniqueByKey({ inputKeys: int32(keys), inputValues: values, outputKeys, outputValues, outputCount });
      const firsts = places.filter((place) => place === 0 || keys[place] !== keys[place - 1]);
      const [runs = 0] = outputCount.toArray();
      return [
        [runs, outputValues.subarray(0, runs).toArray(), outputKeys.subarray(0, runs).toArray()],
        [firsts.length, firsts, at(keys, firsts)],
      ];
    },
  },
  {
    algorithm: "select",
    promise: "selected items keep their order",
    check() {
      const [output, outputCount] = [empty(), empty(1)];
      select({ input: int32(places), output, outputCount, op: (x) => x % 3 === 0 });
      const selected = places.filter((place) => place % 3 === 0);
      const [found = 0] = outputCount.toArray();
      return [output.subarray(0, found).toArray(), selected];
    },
  },
  {
    algorithm: "threeWayPartition",
    promise: "items keep their order in each of the three outputs",
    check() {
      const outputs = [empty(), empty(), empty()] as const;
      const outputCounts = empty(2);
      threeWayPartition({
        input: int32(places),
        firstOutput: outputs[0],
        secondOutput: outputs[1],
        unselectedOutput: outputs[2],
        outputCounts,
        selectFirst: (x) => x % 3 === 0,
        selectSecond: (x) => x % 3 === 1,
      });
      const expected = [0, 1, 2].map((rest) => places.filter((place) => place % 3 === rest));
      const seen = outputs.map((output, part) => output.subarray(0, (expected[part] as number[]).length).toArray());
      return [[seen, outputCounts.toArray()], [expected, expected.slice(0, 2).map(({ length }) => length)]]; // prettier-ignore
    },
  },
  { algorithm: "histogramEven", promise: "counts have none" },
  { algorithm: "lowerBound", promise: "result i is that of value i", check: () => found(lowerBound, 0) },
  { algorithm: "upperBound", promise: "result i is that of value i", check: () => found(upperBound, 1) },
  { algorithm: "forEach", promise: "none: `op` is called in any order" },
];

/** Looks for keys among the even numbers. */
function found(search: typeof lowerBound, equalOnes: 0 | 1): [unknown, unknown] {
  const output = empty();
  search({ data: int32([0, 2, 4, 6, 8]), values: int32(keys), output });
  return [output.toArray(), keys.map((key) => (key % 2 === 0 ? key / 2 + equalOnes : (key + 1) / 2))];
}
