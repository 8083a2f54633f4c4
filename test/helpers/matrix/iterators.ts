/** Kinds of arguments that slots are filled with: arrays, and each iterator. What they hold comes from plain code. */
import {
  DeviceArray,
  type Input,
  type Output,
  cacheModified,
  constant,
  counting,
  discard,
  permuted,
  reversed,
  shuffled,
  strided,
  transformed,
  transformedOutput,
  unaryTransform,
  zipped,
} from "../../../lib";
import type { Elements, Value } from "./elements";

/** An argument that is read. */
export interface Source {
  readonly argument: unknown;
  readonly values: readonly Value[];
}

/** An argument that is written. */
export interface Sink {
  readonly argument: unknown;
  /** The arrays behind it, and what they hold once these values were written to it, from its first element on. */
  holds(written: readonly Value[]): (readonly [DeviceArray, readonly Value[]])[];
}

/** A kind of argument: what can be read has a source, what can be written a sink. */
export interface Kind {
  readonly name: string;
  /** The elements it has where no others are asked for. */
  readonly elements: string;
  /** An argument with elements for these numbers, as far as it can have them. */
  readonly source?: (elements: Elements, numbers: readonly number[]) => Source;
  readonly sink?: (elements: Elements, length: number) => Sink;
}

export const arrayOf = ({ type }: Elements, values: readonly Value[]): DeviceArray =>
  DeviceArray.from(values as readonly number[], type as "float64");

/** The number in elements that nothing has written. */
const blankNumber = 7;

export const blanks = (elements: Elements, length: number): Value[] =>
  Array.from({ length }, () => elements.of(blankNumber));

/** The first elements are those that were written, the others as they were. */
export const over = <T>(before: readonly T[], written: readonly T[]): T[] => [
  ...written,
  ...before.slice(written.length),
];

const asInput = (argument: unknown): Input<"int32"> => argument as Input<"int32">;
const asOutput = (argument: unknown): Output<"int32"> => argument as Output<"int32">;
const nextOf = (elements: Elements): ((a: number) => number) => elements.next as unknown as (a: number) => number;

/** An iterator over an array. */
interface Arrangement {
  /** How the array holds the iterator's elements. */
  readonly laidOut?: (values: readonly Value[], between: Value) => readonly Value[];
  readonly asSource?: (array: DeviceArray, elements: Elements) => unknown;
  readonly asSink?: (array: DeviceArray, elements: Elements) => unknown;
  /** Whether elements become the next ones on their way. */
  readonly isNext?: true;
}

function arranged(name: string, { laidOut = (v) => v, asSource, asSink, isNext }: Arrangement): Kind {
  const passed = (elements: Elements, values: readonly Value[]): readonly Value[] =>
    isNext ? values.map(elements.next) : values;
  return {
    name,
    elements: "int32",
    ...(asSource && {
      source(elements, numbers) {
        const values = numbers.map(elements.of);
        const array = arrayOf(elements, laidOut(values, elements.of(blankNumber)));
        return { argument: asSource(array, elements), values: passed(elements, values) };
      },
    }),
    ...(asSink && {
      sink(elements, length) {
        const before = blanks(elements, length);
        const between = elements.of(3);
        const array = arrayOf(elements, laidOut(before, between));
        return {
          argument: asSink(array, elements),
          holds: (written) => [[array, laidOut(over(before, passed(elements, written)), between)]],
        };
      },
    }),
  };
}

/** Element i is at place i + 1, and the last one at the first. */
const turned = <T>(values: readonly T[]): T[] => [...values.slice(-1), ...values.slice(0, -1)];
const turnedPlaces = (length: number): DeviceArray<"int32"> =>
  DeviceArray.from(Int32Array.from({ length }, (_, i) => (i + 1) % length));
const turnedArray = (array: DeviceArray): unknown => permuted(array, turnedPlaces(array.length));
/** Elements at every second place, with others between. */
const spread = (values: readonly Value[], between: Value): Value[] => values.flatMap((value) => [value, between]);
const inner = (array: DeviceArray): unknown => permuted(reversed(strided(array, 2)), counting(0));

export const array = arranged("array", { asSource: (a) => a, asSink: (a) => a });

type Pair = readonly [number, number];
const int32 = (numbers: readonly number[]): DeviceArray<"int32"> => DeviceArray.from(Int32Array.from(numbers));
const firstOf = ([a]: Pair): number => a;
const secondOf = ([, b]: Pair): number => b;

/** Every iterator, in the order in which the page names them. */
export const iterators: readonly Kind[] = [
  {
    name: "constant",
    elements: "int32",
    source(elements, numbers) {
      const value = elements.of(numbers[0] as number);
      return { argument: constant(value as number, elements.type as "int32"), values: numbers.map(() => value) };
    },
  },
  {
    name: "counting",
    elements: "int32",
    source(elements, numbers) {
      const first = numbers[0] as number;
      const argument = counting(elements.of(first) as number, elements.type as "int32");
      return { argument, values: numbers.map((_, i) => elements.of(first + i)) };
    },
  },
  {
    name: "shuffled",
    elements: "int64",
    source(_elements, numbers) {
      const argument = shuffled(numbers.length, 7);
      // The order is the library's own; that it is one of all places is what can be said of it.
      const copy = DeviceArray.empty(numbers.length, "int64");
      unaryTransform({ input: argument, output: copy, op: (x) => x });
      const values = copy.toArray();
      const sorted = values.map(Number).sort((a, b) => a - b);
      if (sorted.some((place, i) => place !== i)) throw new Error("shuffled does not hold every place once");
      return { argument, values };
    },
  },
  arranged("cacheModified", { asSource: (a) => cacheModified(a) }),
  arranged("transformed", {
    asSource: (a, elements) => transformed(asInput(a), nextOf(elements), elements.type as "int32"),
    isNext: true,
  }),
  arranged("transformedOutput", {
    asSink: (a, elements) => transformedOutput(asOutput(a), nextOf(elements), elements.type as "int32"),
    isNext: true,
  }),
  {
    name: "discard",
    elements: "int32",
    sink: (elements) => ({ argument: discard(elements.type), holds: () => [] }),
  },
  arranged("permuted", { laidOut: turned, asSource: turnedArray, asSink: turnedArray }),
  arranged("reversed", { laidOut: (v) => v.toReversed(), asSource: (a) => reversed(a), asSink: (a) => reversed(a) }),
  arranged("strided", { laidOut: spread, asSource: (a) => strided(a, 2), asSink: (a) => strided(a, 2) }),
  arranged("nested", {
    laidOut: (values, between) => spread(values.toReversed(), between),
    asSource: (a, elements) => transformed(asInput(inner(a)), nextOf(elements), elements.type as "int32"),
    asSink: (a, elements) => transformedOutput(asOutput(inner(a)), nextOf(elements), elements.type as "int32"),
    isNext: true,
  }),
  {
    name: "zipped",
    elements: "tuple",
    source: (elements, numbers) => ({
      argument: zipped(int32(numbers), DeviceArray.from(numbers.map((n) => n / 2))),
      values: numbers.map(elements.of),
    }),
    sink(_elements, length) {
      const before = Array<number>(length).fill(blankNumber);
      const [first, second] = [int32(before), DeviceArray.from(before)];
      return {
        argument: zipped(first, second),
        holds: (written) => [
          [first, over(before, (written as Pair[]).map(firstOf))],
          [second, over(before, (written as Pair[]).map(secondOf))],
        ],
      };
    },
  },
  {
    name: "zipped, nested",
    elements: "tuple",
    source(elements, numbers) {
      const backwards = numbers.toReversed();
      const first = transformed(cacheModified(int32(backwards)), (x) => x - 1, "int32");
      const second = strided(DeviceArray.from(backwards.flatMap((n) => [(n - 1) / 2, 0])), 2);
      return { argument: reversed(zipped(first, second)), values: numbers.map((n) => elements.of(n - 1)) };
    },
    sink(_elements, length) {
      const before = Array<number>(length).fill(blankNumber);
      const [first, second] = [int32(before), DeviceArray.from(before)];
      return {
        argument: zipped(
          transformedOutput(reversed(first), (x) => x - 1),
          permuted(reversed(second), counting(0)),
        ),
        holds: (written) => [
          [
            first,
            over(
              before,
              (written as Pair[]).map(([a]) => a - 1),
            ).reverse(),
          ],
          [second, over(before, (written as Pair[]).map(secondOf)).reverse()],
        ],
      };
    },
  },
];

export function kindNamed(name: string): Kind {
  const kind = [array, ...iterators].find((each) => each.name === name);
  if (kind === undefined) throw new Error(`no kind of argument is named ${name}`);
  return kind;
}
