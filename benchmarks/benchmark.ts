/** What a benchmark is: an algorithm on arrays of many types, lengths and distributions. */
import { DeviceArray, type ScalarName, type Stream, type StreamOption, type StructType } from "../lib";
import { scalarTypes } from "../lib/types/scalar";
import type { AnyTypedArray } from "../lib/types/typed-array";

/** One value of each axis. */
export type State = Readonly<Record<string, string | number>>;

/** Queues an algorithm once. */
export type Run = () => void;

/** An algorithm on the arrays of one state. */
export interface Work {
  /** Bytes that the algorithm must at least read and write. */
  readonly read: number;
  readonly written: number;
  /** What queues it on a stream, or without one on the default stream. */
  calls(stream?: Stream): Run;
  /** As {@link calls}, with a function that was made for it (`makeReduceInto` and its like). */
  made(): Run;
}

/** An algorithm with an operator, and the states to measure it in: every combination of the axes' values. */
export interface Benchmark {
  /** Within its algorithm, such as `sum`. */
  readonly name: string;
  /** What each axis may be. The first values are those of the quick state; `elements` says how many items there are. */
  readonly axes: Readonly<Record<string, readonly (string | number)[]>>;
  /** Whether a state makes no sense, such as more bins than an int8 has values. */
  readonly skips: (state: State) => boolean;
  /** Makes the arrays of a state. */
  readonly prepare: (state: State) => Work;
}

/** The axes of a benchmark, each with its possible values. */
export type Axes = Readonly<Record<string, readonly (string | number)[]> & { elements: readonly number[] }>;
export type StateOf<A extends Benchmark["axes"]> = { readonly [K in keyof A]: A[K][number] };

export function benchmark<const A extends Axes>(
  name: string,
  axes: A,
  prepare: (state: StateOf<A>) => Work,
  skips: (state: StateOf<A>) => boolean = () => false,
): Benchmark {
  return { name, axes, prepare: prepare as Benchmark["prepare"], skips: skips as Benchmark["skips"] };
}

/** Every combination of the axes' values, the first axis slowest. */
export function combinations<A extends Benchmark["axes"]>(axes: A): StateOf<A>[] {
  return Object.entries(axes).reduce<State[]>(
    (states, [axis, values]) => states.flatMap((state) => values.map((value) => ({ ...state, [axis]: value }))),
    [{}],
  ) as StateOf<A>[];
}

/** Every combination that makes sense. */
export function allStates({ axes, skips }: Benchmark): State[] {
  return combinations(axes).filter((state) => !skips(state));
}

/** The two forms of an algorithm with its options: what {@link Work} runs. */
export function work<O extends object>(
  traffic: { read: number; written: number },
  run: (options: O) => void,
  make: (options: O) => (options: O) => void,
  options: O,
): Work {
  return {
    ...traffic,
    calls(stream) {
      const given = { ...options, stream };
      return () => {
        run(given);
      };
    },
    made() {
      const made = make(options);
      return () => {
        made(options);
      };
    },
  };
}

/** The types that most benchmarks run for: the first is the quick state's. */
export const numberTypes = ["float32", "int8", "int16", "int32", "int64", "float64"] as const;
export const integerTypes = ["int32", "int8", "int16", "int64"] as const;
export const wideTypes = ["float32", "int32", "int64", "float64"] as const;

/** How many elements most benchmarks run for. */
export const lengths = [2 ** 16, 2 ** 20, 2 ** 24, 2 ** 28] as const;
/** As {@link lengths}, for algorithms whose offsets may need more than 32 bits. */
export const longLengths = [...lengths, 2 ** 32] as const;

/**
 * An array of the type that a state names. Benchmarks run the same text for every type, so the compiler takes it for
 * the plainest.
 */
export type NumberArray = DeviceArray<"float32">;

export const sizeOf = (type: ScalarName): number => scalarTypes[type].size;

export function empty(length: number, type: ScalarName): NumberArray {
  return DeviceArray.empty(length, type) as NumberArray;
}

/** More bytes than this are copies of the first: they would take long to make, and exceed what a typed array may have. */
const mostGenerated = 2 ** 30;

/** Fills an array with copies of its first `count` elements. */
export function repeatFirst(array: DeviceArray, count: number, options?: StreamOption): void {
  for (let filled = count; filled < array.length; filled *= 2) {
    const more = Math.min(filled, array.length - filled);
    array.subarray(filled, filled + more).copyFrom(array.subarray(0, more), options);
  }
}

/** A device array of what `generate` makes; beyond 1 GiB, of copies of the first GiB. */
export function filled(length: number, type: ScalarName, generate: (length: number) => AnyTypedArray): NumberArray {
  const most = mostGenerated / sizeOf(type);
  if (length <= most) return DeviceArray.from(generate(length), type) as DeviceArray as NumberArray;
  const array = empty(length, type);
  array.subarray(0, most).copyFrom(generate(most) as Float32Array);
  repeatFirst(array, most);
  return array;
}

/** As {@link filled}, for structs of scalars of one type: `generate` makes these, as many as all structs hold. */
export function filledStructs<S extends StructType>(
  length: number,
  type: S,
  scalar: ScalarName,
  generate: (length: number) => AnyTypedArray,
): DeviceArray<S> {
  const structs = (count: number): Uint8Array =>
    new Uint8Array(generate((count * type.size) / sizeOf(scalar)).buffer as ArrayBuffer);
  const most = Math.floor(mostGenerated / type.size);
  const array = DeviceArray.empty(length, type) as DeviceArray;
  const generated = Math.min(length, most);
  array.subarray(0, generated).copyFrom(structs(generated));
  repeatFirst(array, generated);
  return array as unknown as DeviceArray<S>;
}
