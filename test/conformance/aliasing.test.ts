/** One memory for two arguments, for every algorithm: where it may be exactly the same the result is right, else it is refused. */
import {
  DeviceArray,
  binaryTransform,
  exclusiveScan,
  histogramEven,
  inclusiveScan,
  lowerBound,
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
import { describeOnBackends } from "../helpers/backends";
import { download } from "../helpers/elements";

type Ints = DeviceArray<"int32">;
const ints = (...numbers: number[]): Ints => DeviceArray.from(new Int32Array(numbers));
const numbers = [5, 3, 3, 8, 1, 1, 7, 2];

/** Calls an algorithm with two arrays of six items, one it reads and one it writes. */
type Use = (read: Ints, written: Ints) => void;

const offsets = (): Record<"startOffsets" | "endOffsets", Ints> => ({
  startOffsets: ints(0, 1, 2, 3, 4, 5),
  endOffsets: ints(1, 2, 3, 4, 5, 6),
});
const isOdd = (x: number): boolean => x % 2 === 1;
const isLarge = (x: number): boolean => x > 4;
const apart = (): Ints => ints(0, 0, 0, 0, 0, 0);

const exactly: [string, Use, (six: readonly number[]) => number[]][] = [
  [
    "inclusiveScan",
    (input, output) => { inclusiveScan({ input, output, op: (a, b) => a + b }); },
    (six) => six.map((_, i) => six.slice(0, i + 1).reduce((a, b) => a + b)),
  ],
  [
    "exclusiveScan",
    (input, output) => { exclusiveScan({ input, output, op: (a, b) => a + b, init: 1 }); },
    (six) => six.map((_, i) => six.slice(0, i).reduce((a, b) => a + b, 1)),
  ],
  [
    "unaryTransform",
    (input, output) => { unaryTransform({ input, output, op: (x) => x * 10 }); },
    (six) => six.map((x) => x * 10),
  ],
  [
    "binaryTransform, the first input",
    (input1, output) => { binaryTransform({ input1, input2: ints(1, 2, 3, 4, 5, 6), output, op: (a, b) => a - b }); },
    (six) => six.map((x, i) => x - (i + 1)),
  ],
  [
    "binaryTransform, the second input",
    (input2, output) => { binaryTransform({ input1: ints(1, 2, 3, 4, 5, 6), input2, output, op: (a, b) => a - b }); },
    (six) => six.map((x, i) => i + 1 - x),
  ],
  [
    "binaryTransform, both inputs",
    (input, output) => { binaryTransform({ input1: input, input2: input, output, op: (a, b) => a * b }); },
    (six) => six.map((x) => x * x),
  ],
  [
    "mergeSort, keys",
    (inputKeys, outputKeys) => { mergeSort({ inputKeys, outputKeys }); },
    (six) => six.toSorted((a, b) => a - b),
  ],
  [
    "mergeSort, values",
    (inputValues, outputValues) => {
      mergeSort({ inputKeys: ints(6, 5, 4, 3, 2, 1), outputKeys: apart(), inputValues, outputValues });
    },
    (six) => six.toReversed(),
  ],
  [
    "lowerBound, the values",
    (values, output) => { lowerBound({ data: ints(1, 3, 3, 8), values, output }); },
    (six) => six.map((x) => [1, 3, 3, 8].filter((y) => y < x).length),
  ],
  [
    "upperBound, the values",
    (values, output) => { upperBound({ data: ints(1, 3, 3, 8), values, output }); },
    (six) => six.map((x) => [1, 3, 3, 8].filter((y) => y <= x).length),
  ],
]; // prettier-ignore

const parts = (): object => ({
  firstOutput: apart(),
  secondOutput: apart(),
  unselectedOutput: apart(),
  outputCounts: ints(0, 0),
  selectFirst: isOdd,
  selectSecond: isLarge,
});

const never: [string, Use][] = [
  ["segmentedReduce, input", (input, output) => { segmentedReduce({ input, output, ...offsets(), op: (a, b) => a + b, init: 0 }); }],
  ["segmentedReduce, offsets", (startOffsets, output) => { segmentedReduce({ input: apart(), output, ...offsets(), startOffsets, op: (a, b) => a + b, init: 0 }); }],
  ["radixSort, keys", (inputKeys, outputKeys) => { radixSort({ inputKeys, outputKeys }); }],
  ["radixSort, values", (inputValues, outputValues) => { radixSort({ inputKeys: apart(), outputKeys: apart(), inputValues, outputValues }); }],
  ["segmentedSort, keys", (inputKeys, outputKeys) => { segmentedSort({ inputKeys, outputKeys, ...offsets() }); }],
  ["segmentedSort, values", (inputValues, outputValues) => { segmentedSort({ inputKeys: apart(), outputKeys: apart(), inputValues, outputValues, ...offsets() }); }],
  ["mergeSort, keys as values", (inputKeys, outputValues) => { mergeSort({ inputKeys, outputKeys: apart(), inputValues: apart(), outputValues }); }],
  ["mergeSort, both outputs", (outputKeys, outputValues) => { mergeSort({ inputKeys: apart(), outputKeys, inputValues: apart(), outputValues }); }],
  ["uniqueByKey, keys", (inputKeys, outputKeys) => { uniqueByKey({ inputKeys, outputKeys, outputCount: ints(0) }); }],
  ["uniqueByKey, values", (inputValues, outputValues) => { uniqueByKey({ inputKeys: apart(), outputKeys: apart(), inputValues, outputValues, outputCount: ints(0) }); }],
  ["select", (input, output) => { select({ input, output, outputCount: ints(0), op: isOdd }); }],
  ["select, the count", (input, outputCount) => { select({ input, output: apart(), outputCount: outputCount.subarray(2, 3), op: isOdd }); }],
  ["threeWayPartition, first", (input, firstOutput) => { threeWayPartition({ input, ...parts(), firstOutput } as never); }],
  ["threeWayPartition, second", (input, secondOutput) => { threeWayPartition({ input, ...parts(), secondOutput } as never); }],
  ["threeWayPartition, the rest", (input, unselectedOutput) => { threeWayPartition({ input, ...parts(), unselectedOutput } as never); }],
  ["threeWayPartition, two outputs", (firstOutput, secondOutput) => { threeWayPartition({ input: apart(), ...parts(), firstOutput, secondOutput } as never); }],
  ["histogramEven", (samples, output) => { histogramEven({ samples, output, lower: 0, upper: 12 }); }],
  ["lowerBound, the data", (data, output) => { lowerBound({ data, values: apart(), output }); }],
  ["upperBound, the data", (data, output) => { upperBound({ data, values: apart(), output }); }],
]; // prettier-ignore

describeOnBackends("one memory for two arguments", () => {
  const refused = expect.objectContaining({ name: "RangeError", code: "ERR_OVERLAP" }) as Error;

  describe("may be exactly the same", () => {
    test.each(exactly)("%s", (_title, use, expected) => {
      const memory = ints(...numbers);
      const six = memory.subarray(1, 7);
      use(six, six);
      expect(download(memory)).toEqual([5, ...expected(numbers.slice(1, 7)), 2]);
    });

    test("reduceInto, an item of the input", () => {
      const memory = ints(...numbers);
      reduceInto({ input: memory, output: memory.subarray(2, 3), op: (a, b) => a + b, init: 0 });
      expect(download(memory)).toEqual([5, 3, 30, 8, 1, 1, 7, 2]);
    });
  });

  describe("is refused where it overlaps in part, and nothing changes", () => {
    test.each([...exactly.map(([title, use]) => [title, use] as const), ...never])("%s", (_title, use) => {
      const memory = ints(...numbers);
      expect(() => {
        use(memory.subarray(0, 6), memory.subarray(1, 7));
      }).toThrow(refused);
      expect(() => {
        use(memory.subarray(2, 8), memory.subarray(0, 6));
      }).toThrow(refused);
      expect(download(memory)).toEqual(numbers);
    });
  });

  describe("is refused where it is exactly the same, and nothing changes", () => {
    test.each(never)("%s", (_title, use) => {
      const memory = ints(...numbers);
      const six = memory.subarray(1, 7);
      expect(() => {
        use(six, six);
      }).toThrow(refused);
      expect(download(memory)).toEqual(numbers);
    });
  });

  describe("is none where parts of one allocation only touch", () => {
    test.each(exactly)("%s", (_title, use, expected) => {
      const six = numbers.slice(0, 6);
      const memory = ints(...six, 0, 0, 0, 0, 0, 0);
      use(memory.subarray(0, 6), memory.subarray(6));
      expect(download(memory)).toEqual([...six, ...expected(six)]);
    });

    test.each(never)("%s", (_title, use) => {
      const memory = DeviceArray.zeros(12, "int32");
      use(memory.subarray(0, 6), memory.subarray(6));
      use(memory.subarray(6), memory.subarray(0, 6));
    });
  });
});
