/** Which results are the same to the bit from run to run: every algorithm over doubles whose sum depends on its order. */
import { createHash } from "node:crypto";
import {
  DeviceArray,
  DoubleBuffer,
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
  permuted,
  radixSort,
  reduceInto,
  reversed,
  segmentedReduce,
  segmentedSort,
  select,
  shuffled,
  threeWayPartition,
  transformed,
  unaryTransform,
  uniqueByKey,
  upperBound,
  zipped,
} from "../../lib";

/** One algorithm in one way of use. */
export interface RepeatedCase {
  readonly algorithm: string;
  /** How it is used, in words. */
  readonly use: string;
  /** Runs it once, into new arrays. */
  run(): DeviceArray[];
}

/** What was measured of a case. */
export interface Repetition {
  readonly algorithm: string;
  readonly use: string;
  /** How many bit patterns came out of the runs. */
  readonly patterns: number;
}

/** The file of measurements, docs/repeatability.json. */
export interface Measurements {
  readonly device: string;
  readonly items: number;
  readonly runs: number;
  readonly measured: readonly Repetition[];
}

/** Doubles from -2^20 to 2^20 with all bits in use, the same in every run. */
function doubles(count: number): Float64Array {
  const values = new Float64Array(count);
  let state = 1;
  for (let i = 0; i < count; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    values[i] = (state / 2 ** 31) * 2 ** (20 * ((i % 7) / 6)) + 1 / (i + 3);
  }
  return values;
}

/** Every algorithm, over so many doubles. Inputs are made once. */
export function repeatedCases(count: number): RepeatedCase[] {
  const values = doubles(count);
  const input = DeviceArray.from(values);
  const sorted = DeviceArray.from(values.toSorted());
  const few = DeviceArray.from(Int32Array.from(values, (x) => Math.trunc(x) & 15));
  const one = (): DeviceArray<"float64"> => DeviceArray.empty(1, "float64");
  const all = (): DeviceArray<"float64"> => DeviceArray.zeros(count, "float64");
  const counter = (length = 1): DeviceArray<"int64"> => DeviceArray.empty(length, "int64");
  const plus = (a: number, b: number): number => a + b;
  /** Not recognised as plus, and depends on the order as much. */
  const damped = (a: number, b: number): number => (a + b) * 0.9999999;
  const bounds = (segments: number): { startOffsets: DeviceArray<"int64">; endOffsets: DeviceArray<"int64"> } => {
    const at = (segment: number): bigint => BigInt(Math.floor((count * segment) / segments));
    const ends = Array.from({ length: segments + 1 }, (_, segment) => at(segment));
    const offsets = DeviceArray.from(BigInt64Array.from(ends));
    return { startOffsets: offsets.subarray(0, segments), endOffsets: offsets.subarray(1) };
  };
  const many = bounds(Math.ceil(count / 100));
  const large = bounds(7);

  const reduced = (use: string, options: object): RepeatedCase => ({
    algorithm: "reduceInto",
    use,
    run() {
      const output = one();
      reduceInto({ input, output, op: plus, init: 0, ...options } as Parameters<typeof reduceInto>[0]);
      return [output];
    },
  });
  const scanned = (algorithm: string, scan: typeof exclusiveScan, use: string, options: object = {}): RepeatedCase => ({
    algorithm,
    use,
    run() {
      const output = all();
      scan({ input, output, op: plus, init: 0, ...options });
      return [output];
    },
  });
  const bySegments = (use: string, offsets: ReturnType<typeof bounds>): RepeatedCase => ({
    algorithm: "segmentedReduce",
    use,
    run() {
      const output = DeviceArray.empty(offsets.startOffsets.length, "float64");
      segmentedReduce({ input, output, ...offsets, op: plus, init: 0 });
      return [output];
    },
  });
  const searched = (algorithm: string, search: typeof lowerBound): RepeatedCase => ({
    algorithm,
    use: "every item",
    run() {
      const output = counter(count);
      search({ data: sorted, values: input, output });
      return [output];
    },
  });

  return [
    reduced('plus, `determinism: "run-to-run"`', { determinism: "run-to-run" }),
    reduced('plus, `determinism: "not-guaranteed"`', { determinism: "not-guaranteed" }),
    reduced("an operator of one's own", { op: damped }),
    reduced("plus, of `transformed`", { input: transformed(input, (x) => x * x, "float64") }),
    reduced("plus, of `reversed`", { input: reversed(input) }),
    reduced("plus, of `permuted` by `shuffled`", { input: permuted(input, shuffled(count, 3)) }),
    {
      algorithm: "reduceInto",
      use: "the least item and its place, of `zipped`",
      run() {
        const [least, place] = [one(), counter()];
        reduceInto({
          input: zipped(input, counting(0n)),
          output: zipped(least, place),
          op: ([a, i], [b, j]) => (a < b || (a === b && i < j) ? [a, i] : [b, j]),
          init: [Infinity, -1n],
        });
        return [least, place] as DeviceArray[];
      },
    },
    scanned("inclusiveScan", inclusiveScan as typeof exclusiveScan, "plus"),
    scanned("inclusiveScan", inclusiveScan as typeof exclusiveScan, "an operator of one's own", { op: damped }),
    scanned("inclusiveScan", inclusiveScan as typeof exclusiveScan, "plus, of `transformed`", {
      input: transformed(input, (x) => x * x, "float64"),
    }),
    scanned("exclusiveScan", exclusiveScan, "plus"),
    {
      algorithm: "unaryTransform",
      use: "a square root",
      run() {
        const output = all();
        unaryTransform({ input, output, op: (x) => Math.sqrt(Math.abs(x)) });
        return [output];
      },
    },
    {
      algorithm: "binaryTransform",
      use: "a quotient",
      run() {
        const output = all();
        binaryTransform({ input1: input, input2: reversed(input), output, op: (x, y) => x / y });
        return [output];
      },
    },
    bySegments("plus, segments of 100 items", many),
    bySegments("plus, 7 large segments", large),
    {
      algorithm: "mergeSort",
      use: "few keys, with the items as values",
      run() {
        const [outputKeys, outputValues] = [DeviceArray.empty(count, "int32"), all()];
        mergeSort({ inputKeys: few, inputValues: input, outputKeys, outputValues });
        return [outputKeys, outputValues] as DeviceArray[];
      },
    },
    {
      algorithm: "radixSort",
      use: "few keys, with the items as values",
      run() {
        const [outputKeys, outputValues] = [DeviceArray.empty(count, "int32"), all()];
        radixSort({ inputKeys: few, inputValues: input, outputKeys, outputValues });
        return [outputKeys, outputValues] as DeviceArray[];
      },
    },
    {
      algorithm: "radixSort",
      use: "the items, in a `DoubleBuffer`",
      run() {
        const current = all();
        current.copyFrom(input);
        const inputKeys = new DoubleBuffer(current, all());
        radixSort({ inputKeys });
        return [inputKeys.current];
      },
    },
    {
      algorithm: "segmentedSort",
      use: "the items",
      run() {
        const outputKeys = all();
        segmentedSort({ inputKeys: input, outputKeys, ...many });
        return [outputKeys];
      },
    },
    {
      algorithm: "segmentedSort",
      use: "few keys, with the items as values",
      run() {
        const [outputKeys, outputValues] = [DeviceArray.empty(count, "int32"), all()];
        segmentedSort({ inputKeys: few, inputValues: input, outputKeys, outputValues, ...many });
        return [outputKeys, outputValues] as DeviceArray[];
      },
    },
    {
      algorithm: "uniqueByKey",
      use: "few keys, with the items as values",
      run() {
        const [outputKeys, outputValues, outputCount] = [DeviceArray.zeros(count, "int32"), all(), counter()];
        uniqueByKey({ inputKeys: few, inputValues: input, outputKeys, outputValues, outputCount });
        return [outputKeys, outputValues, outputCount] as DeviceArray[];
      },
    },
    {
      algorithm: "select",
      use: "half of the items",
      run() {
        const [output, outputCount] = [all(), counter()];
        select({ input, output, outputCount, op: (x) => x > 0 });
        return [output, outputCount] as DeviceArray[];
      },
    },
    {
      algorithm: "threeWayPartition",
      use: "three parts of the items",
      run() {
        const [firstOutput, secondOutput, unselectedOutput, outputCounts] = [all(), all(), all(), counter(2)];
        threeWayPartition({
          input,
          firstOutput,
          secondOutput,
          unselectedOutput,
          outputCounts,
          selectFirst: (x) => x > 1,
          selectSecond: (x) => x < -1,
        });
        return [firstOutput, secondOutput, unselectedOutput, outputCounts] as DeviceArray[];
      },
    },
    {
      algorithm: "histogramEven",
      use: "100 bins",
      run() {
        const output = counter(100);
        histogramEven({ samples: input, output, lower: -1000, upper: 1000 });
        return [output];
      },
    },
    searched("lowerBound", lowerBound),
    searched("upperBound", upperBound),
    {
      algorithm: "forEach",
      use: "`atomicAdd` of doubles",
      run() {
        const sum = DeviceArray.zeros(1, "float64");
        forEach({
          input,
          op: bind(
            (x: number, captured: { sum: DeviceArray<"float64"> }) => {
              atomicAdd(captured.sum, 0, x);
            },
            { sum },
          ),
        });
        return [sum];
      },
    },
    {
      algorithm: "forEach",
      use: "`atomicAdd` of integers",
      run() {
        const counts = DeviceArray.zeros(16, "int32");
        forEach({
          input: few,
          op: bind(
            (x: number, captured: { counts: DeviceArray<"int32"> }) => {
              atomicAdd(captured.counts, x, 1);
            },
            { counts },
          ),
        });
        return [counts];
      },
    },
  ];
}

/** How many bit patterns come out of so many runs. */
export function patternsOf({ run }: Pick<RepeatedCase, "run">, runs: number): number {
  const outputs = (): Buffer[] =>
    run().map((array) => {
      const elements = array.toTypedArray() as NodeJS.TypedArray;
      array.dispose();
      return Buffer.from(elements.buffer, elements.byteOffset, elements.byteLength);
    });
  const first = outputs();
  /** Of the patterns that are not the first. */
  const others = new Set<string>();
  for (let i = 1; i < runs; i++) {
    const next = outputs();
    if (next.every((bytes, output) => bytes.equals(first[output] as Buffer))) continue;
    const hash = createHash("sha256");
    for (const bytes of next) hash.update(bytes);
    others.add(hash.digest("hex"));
  }
  return 1 + others.size;
}

/** Runs every case so often. */
export function measureRepeatability(items: number, runs: number, device: string): Measurements {
  const measured = repeatedCases(items).map((repeated) => ({
    algorithm: repeated.algorithm,
    use: repeated.use,
    patterns: patternsOf(repeated, runs),
  }));
  return { device, items, runs, measured };
}
