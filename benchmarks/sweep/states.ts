/**
 * The states of the sweep: every combination of the axes that the benchmarks of the same names have in Python's
 * cuda.compute, with arrays at least as large as theirs.
 */
import {
  type ElementSpec,
  type Stream,
  bind,
  complex64,
  histogramEven,
  mergeSort,
  radixSort,
  segmentedSort,
  select,
  uniqueByKey,
} from "../../lib";
import { type Axes, type State as Point, type StateOf, combinations } from "../benchmark";
import type { Entropy } from "../inputs";
import type { Inputs } from "./inputs";

/** One state of a benchmark. */
export interface State {
  readonly benchmark: string;
  readonly axes: Point;
  readonly elements: number;
  /** Allocates, and answers what is to be run. */
  prepare(inputs: Inputs, stream: Stream): () => void;
}

export interface Benchmark {
  readonly name: string;
  readonly states: readonly State[];
  /** How many combinations of the axes are no state, as their bins have no sample. */
  readonly skipped: number;
  /** Of its states, how many fail in cuda.compute's own sweep (1.2.1) on a device of 48 GB. */
  readonly failedInPython: number;
}

type Prepare<A extends Axes> = (point: StateOf<A>, inputs: Inputs, stream: Stream) => () => void;

const statesOf = <const A extends Axes>(benchmark: string, axes: A, prepare: Prepare<A>): State[] =>
  combinations(axes).map((point) => ({
    benchmark,
    axes: point,
    elements: point.elements,
    prepare: (inputs, stream) => prepare(point, inputs, stream),
  }));

const powersOfTwo = (from: number, to: number, step: number): number[] =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => 2 ** (from + i * step));

const integers = ["int8", "int16", "int32", "int64"] as const;
const numbers = [...integers, "float32", "float64"] as const;
type Numeric = (typeof numbers)[number];
const elements = powersOfTwo(16, 28, 4);

function uniqueByKeyStates(): Benchmark {
  const name = "select/unique_by_key";
  const axes = { keys: integers, values: [...numbers, "complex64"], elements, maxRun: [2, 2 ** 4, 2 ** 8] } as const;
  const states = statesOf(name, axes, ({ keys, values, elements, maxRun }, inputs, stream) => {
    const type: ElementSpec = values === "complex64" ? complex64 : values;
    const inputKeys = inputs.keysInRuns(keys, elements, maxRun);
    const inputValues = inputs.zeros(elements, type);
    const outputKeys = inputs.empty(elements, keys);
    const outputValues = inputs.empty(elements, type);
    const outputCount = inputs.empty(1, "int32");
    return () => {
      uniqueByKey<ElementSpec, ElementSpec, ElementSpec, ElementSpec>({
        inputKeys,
        inputValues,
        outputKeys,
        outputValues,
        outputCount,
        stream,
      });
    };
  });
  return { name, states, skipped: 0, failedInPython: 60 };
}

function segmentedSortStates(): Benchmark {
  const name = "segmented_sort/keys";
  const elements = powersOfTwo(22, 30, 4);
  const powerLaw = { type: numbers, elements, segments: powersOfTwo(12, 20, 4), entropy: [1, 0.201] } as const;
  const uniform = {
    type: numbers,
    elements,
    maxSegment: [...powersOfTwo(1, 8, 1), ...powersOfTwo(10, 18, 2)],
  } as const;
  const states = [
    ...statesOf(name, powerLaw, ({ type, elements, segments, entropy }, inputs, stream) => {
      const offsets = inputs.powerLawSegments(elements, segments);
      const inputKeys = inputs.keys(type, elements, entropy);
      const outputKeys = inputs.empty(elements, type);
      return () => {
        segmentedSort({ inputKeys, outputKeys, ...offsets, stream });
      };
    }),
    ...statesOf(name, uniform, ({ type, elements, maxSegment }, inputs, stream) => {
      const offsets = inputs.uniformSegments(elements, maxSegment);
      const inputKeys = inputs.keys(type, elements, 1);
      const outputKeys = inputs.empty(elements, type);
      return () => {
        segmentedSort({ inputKeys, outputKeys, ...offsets, stream });
      };
    }),
  ];
  return { name, states, skipped: 0, failedInPython: 65 };
}

/** The arrays of a sort of pairs. */
const pairs = (
  inputs: Inputs,
  { keys, values, elements, entropy }: { keys: Numeric; values: Numeric; elements: number; entropy: Entropy },
) => ({
  inputKeys: inputs.keys(keys, elements, entropy),
  inputValues: inputs.keys(values, elements, entropy),
  outputKeys: inputs.empty(elements, keys),
  outputValues: inputs.empty(elements, values),
});

function mergeSortStates(): Benchmark {
  const name = "merge_sort/pairs";
  const axes = { keys: numbers, values: integers, elements, entropy: [1, 0.201] } as const;
  const states = statesOf(name, axes, (state, inputs, stream) => {
    const arrays = pairs(inputs, state);
    return () => {
      mergeSort<ElementSpec, ElementSpec, ElementSpec, ElementSpec>({ ...arrays, stream });
    };
  });
  return { name, states, skipped: 0, failedInPython: 30 };
}

function radixSortStates(): Benchmark {
  const name = "radix_sort/pairs";
  const axes = { keys: integers, values: integers, elements, entropy: [1, 0.201] } as const;
  const states = statesOf(name, axes, (state, inputs, stream) => {
    const arrays = pairs(inputs, state);
    return () => {
      radixSort({ ...arrays, stream });
    };
  });
  return { name, states, skipped: 0, failedInPython: 11 };
}

/** The least and the most that a type holds. */
const ranges = {
  int8: [-(2 ** 7), 2 ** 7 - 1],
  int16: [-(2 ** 15), 2 ** 15 - 1],
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int64: [-(2 ** 63), 2 ** 63],
  float32: [-(2 - 2 ** -23) * 2 ** 127, (2 - 2 ** -23) * 2 ** 127],
  float64: [-Number.MAX_VALUE, Number.MAX_VALUE],
} as const;

/** Numbers below it are such a share of what a type holds. */
function threshold(type: (typeof numbers)[number], share: number): number | bigint {
  const [least, most] = ranges[type];
  const number = least * (1 - share) + most * share;
  return type === "int64" ? BigInt.asIntN(64, BigInt(number) - (share === 1 ? 1n : 0n)) : number;
}

function selectStates(): Benchmark {
  const name = "select/if";
  // The share that is selected has the name and values of an entropy, of which one bit in so many is set.
  const axes = { type: numbers, elements, entropy: [1, 0.544, 0] } as const;
  const states = statesOf(name, axes, ({ type, elements, entropy }, inputs, stream) => {
    const input = inputs.keys(type, elements, 1);
    const output = inputs.empty(elements, type);
    const outputCount = inputs.empty(1, "int64");
    const limit = threshold(type, entropy);
    const op = bind((x: number | bigint, c: { limit: number | bigint }) => x < c.limit, { limit });
    return () => {
      select<ElementSpec, ElementSpec>({ input, output, outputCount, op, stream });
    };
  });
  return { name, states, skipped: 0, failedInPython: 6 };
}

function histogramStates(): Benchmark {
  const name = "histogram/even";
  const axes = { type: numbers, elements, bins: [32, 128, 2048, 2_097_152], entropy: [0.201, 1] } as const;
  const isInteger = (type: string): boolean => type.startsWith("int");
  const all = statesOf(name, axes, ({ type, elements, bins, entropy }, inputs, stream) => {
    const upper = isInteger(type) ? bins : elements;
    const samples = inputs.keysBelow(type, elements, upper, entropy);
    const output = inputs.empty(bins, "int32");
    return () => {
      histogramEven({ samples, output, lower: 0, upper, stream });
    };
  });
  // Of more bins than the type has numbers some have no sample.
  const states = all.filter(({ axes }) => {
    const type = axes["type"] as (typeof numbers)[number];
    return !isInteger(type) || (axes["bins"] as number) <= ranges[type][1];
  });
  return { name, states, skipped: all.length - states.length, failedInPython: 13 };
}

/** The six benchmarks whose states run out of memory in cuda.compute. */
export const benchmarks: readonly Benchmark[] = [
  uniqueByKeyStates(),
  segmentedSortStates(),
  mergeSortStates(),
  radixSortStates(),
  selectStates(),
  histogramStates(),
];
