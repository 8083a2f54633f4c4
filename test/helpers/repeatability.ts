/**
 * What is the same to the bit in every run over the same doubles on one GPU: the one table of what is claimed, from
 * which docs/matrix.md is written, and how it is measured. A further algorithm is one more entry.
 */
import {
  DeviceArray,
  atomicAdd,
  binaryTransform,
  bind,
  counting,
  exclusiveScan,
  forEach,
  histogramEven,
  inclusiveScan,
  lowerBound,
  mergeSort,
  radixSort,
  reduceInto,
  reversed,
  segmentedReduce,
  segmentedSort,
  select,
  threeWayPartition,
  transformed,
  unaryTransform,
  uniqueByKey,
  upperBound,
  zipped,
} from "../../lib";
import { scalarTypes } from "../../lib/types/scalar";

/** An algorithm in one way of use, and what is claimed of it. */
export interface RepeatedCase {
  readonly algorithm: string;
  /** How it is used, in words. */
  readonly use: string;
  /** Whether the result is claimed to have the same bits in every run. */
  readonly isRepeatable: boolean;
  readonly because: string;
  /** Runs it once, into new arrays. */
  readonly run: (inputs: RepeatedInputs) => DeviceArray[];
}

/** What all cases read: made once. */
export interface RepeatedInputs {
  readonly count: number;
  /** Doubles from -2^20 to 2^20, of which half are negative, with all bits in use: their sum depends on the order. */
  readonly items: DeviceArray<"float64">;
  readonly sorted: DeviceArray<"float64">;
  /** Whole numbers from -16 to 15, in runs of some length. */
  readonly keys: DeviceArray<"int32">;
  /** Segments from 0 to thousands of items. */
  readonly segments: { readonly startOffsets: DeviceArray<"int32">; readonly endOffsets: DeviceArray<"int32"> };
}

export function makeRepeatedInputs(count: number): RepeatedInputs {
  const items = new Float64Array(count);
  const sorted = new Float64Array(count);
  const keys = new Int32Array(count);
  let state = 1;
  for (let i = 0; i < count; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    items[i] = (state / 2 ** 31) * (1 << (i % 21)) + 1 / (i + 3);
    sorted[i] = ((2 * i) / count - 1) * 2 ** 20;
    keys[i] = i % 3 === 0 ? state >> 27 : (keys[i - 1] as number);
  }
  const segments = Math.ceil(Math.sqrt(count));
  const offsets = DeviceArray.from(Int32Array.from({ length: segments + 1 }, (_, i) => count * (i / segments) ** 2));
  return {
    count,
    items: DeviceArray.from(items),
    sorted: DeviceArray.from(sorted),
    keys: DeviceArray.from(keys),
    segments: { startOffsets: offsets.subarray(0, segments), endOffsets: offsets.subarray(1) },
  };
}

const plus = (a: number, b: number): number => a + b;
/** Not one of CUB's operators, and depends on the order as much as plus does. */
const damped = (a: number, b: number): number => (a + b) * 0.9999999;
const doubles = (length: number): DeviceArray<"float64"> => DeviceArray.zeros(length, "float64");
const int32s = (length: number): DeviceArray<"int32"> => DeviceArray.zeros(length, "int32");
const int64s = (length: number): DeviceArray<"int64"> => DeviceArray.zeros(length, "int64");
const any = (...arrays: unknown[]): DeviceArray[] => arrays as DeviceArray[];

const ownItem = "each result depends on its own item alone";
const exact = "sums of integers are exact";

type Scan = typeof exclusiveScan;

function scanned(scan: Scan, use: string, op: typeof plus): RepeatedCase {
  return {
    algorithm: scan.name,
    use,
    isRepeatable: false,
    because: "CUB: sums of floats may vary from run to run",
    run({ count, items }) {
      const output = doubles(count);
      scan({ input: items, output, op, init: 0 });
      return any(output);
    },
  };
}

function searched(search: typeof lowerBound): RepeatedCase {
  return {
    algorithm: search.name,
    use: "any",
    isRepeatable: true,
    because: ownItem,
    run({ count, items, sorted }) {
      const output = int64s(count);
      search({ data: sorted, values: items, output });
      return any(output);
    },
  };
}

/** Every algorithm, in the order of the page. */
export const repeatedCases: readonly RepeatedCase[] = [
  {
    algorithm: "reduceInto",
    use: '`determinism: "run-to-run"` (the default)',
    isRepeatable: true,
    because: "CUB documents it",
    run({ items }) {
      const output = doubles(1);
      reduceInto({ input: items, output, op: plus, init: 0 });
      return any(output);
    },
  },
  {
    algorithm: "reduceInto",
    use: "the same, an operator of one's own over an iterator",
    isRepeatable: true,
    because: "CUB documents it",
    run({ items }) {
      const output = doubles(1);
      reduceInto({ input: transformed(items, (x) => x * x, "float64"), output, op: damped, init: 0 });
      return any(output);
    },
  },
  {
    algorithm: "reduceInto",
    use: '`determinism: "not-guaranteed"`',
    isRepeatable: false,
    because: "blocks add to the result in any order",
    run({ items }) {
      const output = doubles(1);
      reduceInto({ input: items, output, op: plus, init: 0, determinism: "not-guaranteed" });
      return any(output);
    },
  },
  scanned(inclusiveScan, "plus of floats", plus),
  scanned(inclusiveScan, "an operator of one's own over floats", damped),
  {
    algorithm: "inclusiveScan",
    use: "integers",
    isRepeatable: true,
    because: exact,
    run({ count, keys }) {
      const output = int32s(count);
      inclusiveScan({ input: keys, output, op: plus, init: 0 });
      return any(output);
    },
  },
  scanned(exclusiveScan, "plus of floats", plus),
  {
    algorithm: "exclusiveScan",
    use: "integers",
    isRepeatable: true,
    because: exact,
    run({ count, keys }) {
      const output = int32s(count);
      exclusiveScan({ input: keys, output, op: plus, init: 0 });
      return any(output);
    },
  },
  {
    algorithm: "unaryTransform",
    use: "any",
    isRepeatable: true,
    because: ownItem,
    run({ count, items }) {
      const output = doubles(count);
      unaryTransform({ input: items, output, op: (x) => Math.sqrt(Math.abs(x)) });
      return any(output);
    },
  },
  {
    algorithm: "binaryTransform",
    use: "any",
    isRepeatable: true,
    because: ownItem,
    run({ count, items }) {
      const output = doubles(count);
      binaryTransform({ input1: items, input2: reversed(items), output, op: (x, y) => x / y });
      return any(output);
    },
  },
  {
    algorithm: "segmentedReduce",
    use: "any",
    isRepeatable: true,
    because: "CUB documents it",
    run({ items, segments }) {
      const output = doubles(segments.startOffsets.length);
      segmentedReduce({ input: items, output, ...segments, op: plus, init: 0 });
      return any(output);
    },
  },
  {
    algorithm: "mergeSort",
    use: "any",
    isRepeatable: true,
    because: "stable, so the result is determined",
    run({ count, keys, items }) {
      const [outputKeys, outputValues] = [int32s(count), doubles(count)];
      mergeSort({ inputKeys: keys, inputValues: items, outputKeys, outputValues });
      return any(outputKeys, outputValues);
    },
  },
  {
    algorithm: "radixSort",
    use: "any",
    isRepeatable: true,
    because: "stable, so the result is determined",
    run({ count, keys, items }) {
      const [outputKeys, outputValues] = [int32s(count), doubles(count)];
      radixSort({ inputKeys: keys, inputValues: items, outputKeys, outputValues });
      return any(outputKeys, outputValues);
    },
  },
  {
    algorithm: "segmentedSort",
    use: "keys, and values of keys that differ",
    isRepeatable: true,
    because: "there is one order",
    run({ count, items, segments }) {
      const outputKeys = doubles(count);
      segmentedSort({ inputKeys: items, outputKeys, ...segments });
      return any(outputKeys);
    },
  },
  {
    algorithm: "segmentedSort",
    use: "values of equal keys",
    isRepeatable: false,
    because: "not stable: they come in any order",
    run({ count, keys, items, segments }) {
      const [outputKeys, outputValues] = [int32s(count), doubles(count)];
      segmentedSort({ inputKeys: keys, inputValues: items, outputKeys, outputValues, ...segments });
      return any(outputKeys, outputValues);
    },
  },
  {
    algorithm: "uniqueByKey",
    use: "any",
    isRepeatable: true,
    because: "items keep their order",
    run({ count, keys, items }) {
      const [outputKeys, outputValues, outputCount] = [int32s(count), doubles(count), int32s(1)];
      uniqueByKey({ inputKeys: keys, inputValues: items, outputKeys, outputValues, outputCount });
      return any(outputKeys, outputValues, outputCount);
    },
  },
  {
    algorithm: "select",
    use: "any",
    isRepeatable: true,
    because: "items keep their order",
    run({ count, items }) {
      const [output, outputCount] = [doubles(count), int32s(1)];
      select({ input: items, output, outputCount, op: (x) => x > 0 });
      return any(output, outputCount);
    },
  },
  {
    algorithm: "threeWayPartition",
    use: "any",
    isRepeatable: true,
    because: "items keep their order",
    run({ count, items }) {
      const [firstOutput, secondOutput, unselectedOutput] = [doubles(count), doubles(count), doubles(count)];
      const outputs = { firstOutput, secondOutput, unselectedOutput, outputCounts: int32s(2) };
      threeWayPartition({ input: items, ...outputs, selectFirst: (x) => x > 1, selectSecond: (x) => x < -1 });
      return any(...Object.values(outputs));
    },
  },
  {
    algorithm: "histogramEven",
    use: "any",
    isRepeatable: true,
    because: exact,
    run({ items }) {
      const output = int32s(100);
      histogramEven({ samples: items, output, lower: -1000, upper: 1000 });
      return any(output);
    },
  },
  searched(lowerBound),
  searched(upperBound),
  {
    algorithm: "forEach",
    use: "`atomicAdd` of integers",
    isRepeatable: true,
    because: exact,
    run({ keys }) {
      const counts = int32s(32);
      const op = bind(
        (key: number, captured: { counts: DeviceArray<"int32"> }) => {
          atomicAdd(captured.counts, key + 16, 1);
        },
        { counts },
      );
      forEach({ input: keys, op });
      return any(counts);
    },
  },
  {
    algorithm: "forEach",
    use: "`atomicAdd` of floats",
    isRepeatable: false,
    because: "threads add in any order",
    run({ items }) {
      const sum = doubles(1);
      const op = bind(
        (x: number, captured: { sum: DeviceArray<"float64"> }) => {
          atomicAdd(captured.sum, 0, x);
        },
        { sum },
      );
      forEach({ input: items, op });
      return any(sum);
    },
  },
];

/**
 * A number for the bits of an array, computed where the array is, so that 80 MB need not come home at each run. It is a
 * sum of integers, which no order changes, and in which each place has its own odd weight: arrays that differ in one
 * element have different sums, others but for one case in 2^64.
 */
function digest(array: DeviceArray): bigint {
  const sum = DeviceArray.empty(1, "uint64");
  const isWide = array.byteLength === 8 * array.length;
  const bits = array.reinterpret(isWide ? scalarTypes.uint64 : scalarTypes.uint32);
  const words = isWide ? (bits as DeviceArray<"uint64">) : transformed(bits as DeviceArray<"uint32">, (x) => BigInt(x), "uint64"); // prettier-ignore
  const weighed = transformed(
    zipped(words, counting(0n, "uint64")),
    ([word, i]) => (word + 1n) * (2n * i + 1n),
    "uint64",
  );
  reduceInto({ input: weighed, output: sum, op: (a, b) => a + b, init: 0n, numItems: array.length });
  return sum.toArray()[0] as bigint;
}

/** How many bit patterns come out of so many runs. */
export function patternsOf(run: () => DeviceArray[], runs: number): number {
  const patterns = new Set<string>();
  for (let i = 0; i < runs; i++) {
    const outputs = run();
    patterns.add(outputs.map(digest).join());
    for (const output of outputs) output.dispose();
  }
  return patterns.size;
}
