/**
 * What is the same to the bit in every run over the same doubles on one GPU: the one table of what is claimed, from
 * which docs/matrix.md is written, and how it is measured. A further algorithm is one more entry.
 */
import * as library from "../../lib";
import { DeviceArray, atomicAdd, bind, counting, reduceInto, reversed, transformed, zipped } from "../../lib";
import { scalarTypes } from "../../lib/types/scalar";

/** An algorithm in one way of use, and what is claimed of it. */
export interface RepeatedCase {
  readonly algorithm: string;
  /** How it is used, in words. */
  readonly use: string;
  /** Whether the result is claimed to have the same bits in every run. */
  readonly isRepeatable: boolean;
  readonly because: string;
  /** New arrays for what it writes. */
  readonly outputs: (inputs: RepeatedInputs) => Readonly<Record<string, DeviceArray>>;
  readonly options: (inputs: RepeatedInputs, outputs: Readonly<Record<string, DeviceArray>>) => object;
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
const doubles = (length: number): DeviceArray => DeviceArray.zeros(length, "float64");
const int32s = (length: number): DeviceArray => DeviceArray.zeros(length, "int32");
const int64s = (length: number): DeviceArray => DeviceArray.zeros(length, "int64");

const documented = { isRepeatable: true, because: "CUB documents it" };
const stable = { isRepeatable: true, because: "stable, so the result is determined" };
const ordered = { isRepeatable: true, because: "items keep their order" };
const exact = { isRepeatable: true, because: "sums of integers are exact" };
const ownItem = { isRepeatable: true, because: "each result depends on its own item alone" };
const scansVary = { isRepeatable: false, because: "CUB: sums of floats may vary from run to run" };

/** Every algorithm, in the order of the page. */
export const repeatedCases: readonly RepeatedCase[] = [
  {
    algorithm: "reduceInto",
    use: '`determinism: "run-to-run"` (the default)',
    ...documented,
    outputs: () => ({ output: doubles(1) }),
    options: ({ items }, out) => ({ input: items, ...out, op: plus, init: 0 }),
  },
  {
    algorithm: "reduceInto",
    use: "the same, an operator of one's own over an iterator",
    ...documented,
    outputs: () => ({ output: doubles(1) }),
    options: ({ items }, out) => ({
      input: transformed(items, (x) => x * x, "float64"),
      ...out,
      op: damped,
      init: 0,
    }),
  },
  {
    algorithm: "reduceInto",
    use: '`determinism: "not-guaranteed"`',
    isRepeatable: false,
    because: "blocks add to the result in any order",
    outputs: () => ({ output: doubles(1) }),
    options: ({ items }, out) => ({ input: items, ...out, op: plus, init: 0, determinism: "not-guaranteed" }),
  },
  ...["inclusiveScan", "exclusiveScan"].flatMap((algorithm): RepeatedCase[] => [
    {
      algorithm,
      use: "plus of floats",
      ...scansVary,
      outputs: ({ count }) => ({ output: doubles(count) }),
      options: ({ items }, out) => ({ input: items, ...out, op: plus, init: 0 }),
    },
    {
      algorithm,
      use: "an operator of one's own over floats",
      ...scansVary,
      outputs: ({ count }) => ({ output: doubles(count) }),
      options: ({ items }, out) => ({ input: items, ...out, op: damped, init: 0 }),
    },
    {
      algorithm,
      use: "integers",
      ...exact,
      outputs: ({ count }) => ({ output: int32s(count) }),
      options: ({ keys }, out) => ({ input: keys, ...out, op: plus, init: 0 }),
    },
  ]),
  {
    algorithm: "unaryTransform",
    use: "any",
    ...ownItem,
    outputs: ({ count }) => ({ output: doubles(count) }),
    options: ({ items }, out) => ({ input: items, ...out, op: (x: number) => Math.sqrt(Math.abs(x)) }),
  },
  {
    algorithm: "binaryTransform",
    use: "any",
    ...ownItem,
    outputs: ({ count }) => ({ output: doubles(count) }),
    options: ({ items }, out) => ({
      input1: items,
      input2: reversed(items),
      ...out,
      op: (x: number, y: number) => x / y,
    }),
  },
  {
    algorithm: "segmentedReduce",
    use: "any",
    ...documented,
    outputs: ({ segments }) => ({ output: doubles(segments.startOffsets.length) }),
    options: ({ items, segments }, out) => ({ input: items, ...out, ...segments, op: plus, init: 0 }),
  },
  ...["mergeSort", "radixSort"].map((algorithm): RepeatedCase => ({
    algorithm,
    use: "any",
    ...stable,
    outputs: ({ count }) => ({ outputKeys: int32s(count), outputValues: doubles(count) }),
    options: ({ keys, items }, out) => ({ inputKeys: keys, inputValues: items, ...out }),
  })),
  {
    algorithm: "segmentedSort",
    use: "keys, and values of keys that differ",
    isRepeatable: true,
    because: "there is one order",
    outputs: ({ count }) => ({ outputKeys: doubles(count) }),
    options: ({ items, segments }, out) => ({ inputKeys: items, ...out, ...segments }),
  },
  {
    algorithm: "segmentedSort",
    use: "values of equal keys",
    isRepeatable: false,
    because: "not stable: they come in any order",
    outputs: ({ count }) => ({ outputKeys: int32s(count), outputValues: doubles(count) }),
    options: ({ keys, items, segments }, out) => ({ inputKeys: keys, inputValues: items, ...out, ...segments }),
  },
  {
    algorithm: "uniqueByKey",
    use: "any",
    ...ordered,
    outputs: ({ count }) => ({ outputKeys: int32s(count), outputValues: doubles(count), outputCount: int32s(1) }),
    options: ({ keys, items }, out) => ({ inputKeys: keys, inputValues: items, ...out }),
  },
  {
    algorithm: "select",
    use: "any",
    ...ordered,
    outputs: ({ count }) => ({ output: doubles(count), outputCount: int32s(1) }),
    options: ({ items }, out) => ({ input: items, ...out, op: (x: number) => x > 0 }),
  },
  {
    algorithm: "threeWayPartition",
    use: "any",
    ...ordered,
    outputs: ({ count }) => ({
      firstOutput: doubles(count),
      secondOutput: doubles(count),
      unselectedOutput: doubles(count),
      outputCounts: int32s(2),
    }),
    options: ({ items }, out) => ({
      input: items,
      ...out,
      selectFirst: (x: number) => x > 1,
      selectSecond: (x: number) => x < -1,
    }),
  },
  {
    algorithm: "histogramEven",
    use: "any",
    ...exact,
    outputs: () => ({ output: int32s(100) }),
    options: ({ items }, out) => ({ samples: items, ...out, lower: -1000, upper: 1000 }),
  },
  ...["lowerBound", "upperBound"].map((algorithm): RepeatedCase => ({
    algorithm,
    use: "any",
    ...ownItem,
    outputs: ({ count }) => ({ output: int64s(count) }),
    options: ({ items, sorted }, out) => ({ data: sorted, values: items, ...out }),
  })),
  {
    algorithm: "forEach",
    use: "`atomicAdd` of integers",
    ...exact,
    outputs: () => ({ counts: int32s(32) }),
    options: ({ keys }, out) => ({
      input: keys,
      op: bind(
        (key: number, { counts }: { counts: DeviceArray<"int32"> }) => {
          atomicAdd(counts, key + 16, 1);
        },
        out as { counts: DeviceArray<"int32"> },
      ),
    }),
  },
  {
    algorithm: "forEach",
    use: "`atomicAdd` of floats",
    isRepeatable: false,
    because: "threads add in any order",
    outputs: () => ({ sum: doubles(1) }),
    options: ({ items }, out) => ({
      input: items,
      op: bind(
        (x: number, { sum }: { sum: DeviceArray<"float64"> }) => {
          atomicAdd(sum, 0, x);
        },
        out as { sum: DeviceArray<"float64"> },
      ),
    }),
  },
];

/** A function of the library, with options that the types here know nothing of. */
function named(name: string): (options: object) => unknown {
  const functions = library as unknown as Readonly<Record<string, (options: object) => unknown>>;
  const found = functions[name];
  if (found === undefined) throw new Error(`the library has no ${name}`);
  return found;
}

/** Runs a case once, into new arrays. */
export function runCase({ algorithm, outputs, options }: RepeatedCase, inputs: RepeatedInputs): DeviceArray[] {
  const written = outputs(inputs);
  named(algorithm)(options(inputs, written));
  return Object.values(written);
}

/** Compiles every case, several at a time. */
export async function compileCases(inputs: RepeatedInputs): Promise<void> {
  const compiled = repeatedCases.map(({ algorithm, outputs, options }) => {
    const make = `make${algorithm.slice(0, 1).toUpperCase()}${algorithm.slice(1)}Async`;
    return named(make)(options(inputs, outputs(inputs)));
  });
  await Promise.all(compiled);
}

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
