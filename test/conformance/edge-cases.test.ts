/**
 * The edges of sizes, orders and places: every algorithm on none, one and two items, on items that are all equal, sorted
 * and reversed, in arrays and in parts of arrays that begin anywhere, beside which nothing is written.
 */
import {
  DeviceArray,
  type ScalarName,
  atomicAdd,
  binaryTransform,
  exclusiveScan,
  forEach,
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
import { type Value, download, elements, integers, upload, wrapped } from "../helpers/elements";
import { at, placesInOrder } from "../helpers/sorting";

type Any = DeviceArray<"float64">;
type Ints = DeviceArray<"int32">;
const any = (array: DeviceArray): Any => array as unknown as Any;

/** Parts of larger arrays, from an index on, among elements that must stay as they are. */
class Parts {
  readonly #around: DeviceArray[] = [];

  constructor(readonly begin: number) {}

  /** A part of a length, with 77 in it and around it. */
  empty(type: ScalarName, length: number): Any {
    const whole = DeviceArray.full(this.begin + length + 3, 77, type);
    this.#around.push(whole.subarray(0, this.begin), whole.subarray(this.begin + length));
    return any(whole.subarray(this.begin, this.begin + length));
  }

  of(type: ScalarName, numbers: readonly number[]): Any {
    const part = this.empty(type, numbers.length);
    part.copyFrom(any(upload(type, elements(type, numbers))));
    return part;
  }

  ints(length: number): Ints {
    return this.empty("int32", length) as unknown as Ints;
  }

  intsOf(numbers: readonly number[]): Ints {
    return this.of("int32", numbers) as unknown as Ints;
  }

  /** What is around all of them. */
  around(): number[] {
    return this.#around.flatMap((array) => download(array).map(Number));
  }
}

const values = (type: ScalarName, exact: readonly number[]): Value[] =>
  exact.map((number) => wrapped(type, BigInt(number)));
const sum = (numbers: readonly number[], from = 0): number => numbers.reduce((a, b) => a + b, from);
const running = (numbers: readonly number[], from: number): number[] =>
  numbers.map((_, i) => sum(numbers.slice(0, i + 1), from));

type Case = (numbers: number[], parts: Parts, type: ScalarName) => [actual: Value[][], expected: Value[][]];

const algorithms: [string, Case][] = [
  [
    "reduceInto",
    (numbers, parts, type) => {
      const output = parts.empty(type, 1);
      reduceInto({ input: parts.of(type, numbers), output, op: (a, b) => a + b, init: 1 });
      return [[download(output)], [values(type, [sum(numbers, 1)])]];
    },
  ],
  [
    "inclusiveScan",
    (numbers, parts, type) => {
      const output = parts.empty(type, numbers.length);
      inclusiveScan({ input: parts.of(type, numbers), output, op: (a, b) => a + b });
      return [[download(output)], [values(type, running(numbers, 0))]];
    },
  ],
  [
    "exclusiveScan",
    (numbers, parts, type) => {
      const output = parts.empty(type, numbers.length);
      exclusiveScan({ input: parts.of(type, numbers), output, op: (a, b) => a + b, init: 1 });
      return [[download(output)], [values(type, [1, ...running(numbers, 1)].slice(0, numbers.length))]];
    },
  ],
  [
    "segmentedReduce, with empty segments, with those of one item, and with those that overlap",
    (numbers, parts, type) => {
      const [half, end] = [numbers.length >> 1, numbers.length];
      const last = Math.max(end - 1, 0);
      const [starts, ends] = [[0, half, half, 0, last], [half, half, end, end, end]]; // prettier-ignore
      const output = parts.empty(type, 5);
      segmentedReduce({
        input: parts.of(type, numbers),
        output,
        startOffsets: parts.intsOf(starts),
        endOffsets: parts.intsOf(ends),
        op: (a, b) => a + b,
        init: 1,
      });
      const sums = starts.map((start, i) => sum(numbers.slice(start, ends[i]), 1));
      return [[download(output)], [values(type, sums)]];
    },
  ],
  [
    "unaryTransform",
    (numbers, parts, type) => {
      const output = parts.empty(type, numbers.length);
      unaryTransform({ input: parts.of(type, numbers), output, op: (x) => x * 2 + 1 });
      const results = numbers.map((x) => x * 2 + 1);
      return [[download(output)], [values(type, results)]];
    },
  ],
  [
    "binaryTransform",
    (numbers, parts, type) => {
      const output = parts.ints(numbers.length);
      const [input1, input2] = [parts.of(type, numbers), parts.intsOf([...numbers.keys()])];
      binaryTransform({ input1, input2, output, op: (x, i) => x - i });
      return [[download(output)], [numbers.map((x, i) => x - i)]];
    },
  ],
  [
    "mergeSort",
    (numbers, parts, type) => {
      const [outputKeys, outputValues] = [parts.empty(type, numbers.length), parts.ints(numbers.length)];
      const inputValues = parts.intsOf([...numbers.keys()]);
      mergeSort({ inputKeys: parts.of(type, numbers), outputKeys, inputValues, outputValues });
      const places = placesInOrder(numbers);
      return [
        [download(outputKeys), download(outputValues)],
        [values(type, at(numbers, places)), places],
      ];
    },
  ],
  [
    "radixSort",
    (numbers, parts, type) => {
      const [outputKeys, outputValues] = [parts.empty(type, numbers.length), parts.ints(numbers.length)];
      const inputValues = parts.intsOf([...numbers.keys()]);
      radixSort({ inputKeys: parts.of(type, numbers), outputKeys, inputValues, outputValues, order: "descending" });
      const places = placesInOrder(numbers, true);
      return [
        [download(outputKeys), download(outputValues)],
        [values(type, at(numbers, places)), places],
      ];
    },
  ],
  [
    "segmentedSort, with empty segments and with those of one item",
    (numbers, parts, type) => {
      const [last, end] = [Math.max(numbers.length - 1, 0), numbers.length];
      const bounds = [0, last >> 1, last >> 1, last, end];
      const [startOffsets, endOffsets] = [parts.intsOf(bounds.slice(0, -1)), parts.intsOf(bounds.slice(1))];
      const outputKeys = parts.empty(type, end);
      segmentedSort({
        inputKeys: parts.of(type, numbers),
        outputKeys,
        startOffsets,
        endOffsets,
      });
      const sorted = bounds.slice(1).flatMap((to, i) => numbers.slice(bounds[i], to).toSorted((a, b) => a - b));
      return [[download(outputKeys)], [values(type, sorted)]];
    },
  ],
  [
    "uniqueByKey",
    (numbers, parts, type) => {
      const [outputKeys, outputValues] = [parts.empty(type, numbers.length), parts.ints(numbers.length)];
      const [inputValues, outputCount] = [parts.intsOf([...numbers.keys()]), parts.ints(1)];
      uniqueByKey({ inputKeys: parts.of(type, numbers), outputKeys, inputValues, outputValues, outputCount });
      const firsts = [...numbers.keys()].filter((i) => i === 0 || numbers[i] !== numbers[i - 1]);
      const part = (array: DeviceArray): Value[] => download(array.subarray(0, firsts.length));
      return [
        [download(outputCount), part(outputKeys), part(outputValues)],
        [[firsts.length], values(type, at(numbers, firsts)), firsts],
      ];
    },
  ],
  [
    "select",
    (numbers, parts, type) => {
      const [output, outputCount] = [parts.empty(type, numbers.length), parts.ints(1)];
      select({ input: parts.of(type, numbers), output, outputCount, op: (x) => x % 3 === 1 });
      const selected = numbers.filter((x) => x % 3 === 1);
      return [
        [download(outputCount), download(output.subarray(0, selected.length))],
        [[selected.length], values(type, selected)],
      ];
    },
  ],
  [
    "threeWayPartition",
    (numbers, parts, type) => {
      const [firstOutput, secondOutput] = [parts.empty(type, numbers.length), parts.empty(type, numbers.length)];
      const [unselectedOutput, outputCounts] = [parts.empty(type, numbers.length), parts.ints(2)];
      const outputs = { firstOutput, secondOutput, unselectedOutput };
      const [selectFirst, selectSecond] = [(x: number) => x % 3 === 1, (x: number) => x % 2 === 1];
      threeWayPartition({ input: parts.of(type, numbers), ...outputs, outputCounts, selectFirst, selectSecond });
      const [first, rest] = [numbers.filter(selectFirst), numbers.filter((x) => !selectFirst(x))];
      const [second, third] = [rest.filter(selectSecond), rest.filter((x) => !selectSecond(x))];
      const expected = [first, second, third];
      const arrays = Object.values(outputs).map((array, i) => download(array.subarray(0, expected[i]?.length)));
      return [
        [download(outputCounts), ...arrays],
        [[first.length, second.length], ...expected.map((part) => values(type, part))],
      ];
    },
  ],
  [
    "histogramEven",
    (numbers, parts, type) => {
      const output = parts.ints(4);
      histogramEven({ samples: parts.of(type, numbers), output, lower: 0, upper: 64 });
      const counts = [0, 1, 2, 3].map((bin) => numbers.filter((x) => x >> 4 === bin).length);
      return [[download(output)], [counts]];
    },
  ],
  [
    "lowerBound and upperBound",
    (numbers, parts, type) => {
      const sorted = numbers.toSorted((a, b) => a - b);
      const [data, wanted] = [parts.of(type, sorted), parts.of(type, [...numbers, 25])];
      const [lower, upper] = [parts.ints(numbers.length + 1), parts.ints(numbers.length + 1)];
      lowerBound({ data, values: wanted, output: lower });
      upperBound({ data, values: wanted, output: upper });
      return [
        [download(lower), download(upper)],
        [
          [...numbers, 25].map((x) => sorted.filter((y) => y < x).length),
          [...numbers, 25].map((x) => sorted.filter((y) => y <= x).length),
        ],
      ];
    },
  ],
  [
    "forEach",
    (numbers, parts, type) => {
      const [total, count] = [DeviceArray.zeros(1, "int32"), DeviceArray.zeros(1, "int32")];
      forEach({
        input: parts.of(type, numbers),
        op: (x) => {
          atomicAdd(total, 0, x);
          atomicAdd(count, 0, 1);
        },
      });
      return [
        [download(total), download(count)],
        [[sum(numbers)], [numbers.length]],
      ];
    },
  ],
];

const some = (count: number): number[] => integers(count, 0, 50, count + 1);
const rising = some(300).toSorted((a, b) => a - b);
const inputs: [string, number[]][] = [
  ["no items", []],
  ["one item", some(1)],
  ["two items", [9, 4]],
  ["two equal items", [4, 4]],
  ["300 items", some(300)],
  ["one more than a power of two", some(1025)],
  ["all equal", rising.map(() => 7)],
  ["sorted", rising],
  ["reversed", rising.toReversed()],
];

describeOnBackends("edges", () => {
  describe.each(algorithms)("%s", (_title, run) => {
    test.each(["uint8", "float32"] as const)("%s", (type) => {
      for (const [input, numbers] of inputs) {
        for (const begin of [0, 1, 3]) {
          const parts = new Parts(begin);
          const [actual, expected] = run(numbers, parts, type);
          expect({ input, begin, results: actual }).toEqual({ input, begin, results: expected });
          const around = parts.around();
          expect({ input, begin, around }).toEqual({ input, begin, around: around.map(() => 77) });
        }
      }
    });
  });
});
