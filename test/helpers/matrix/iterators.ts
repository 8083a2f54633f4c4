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
import { type Elements, type Value, elementsNamed } from "./elements";

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

interface Kind {
  readonly name: string;
  /** The elements it has where nothing else is asked for. */
  readonly elements: string;
  /** Elements that it cannot have are never asked of it. */
  readonly only?: string;
}

export interface InputKind extends Kind {
  /** An argument with elements for these numbers, as far as it can have them. */
  make(elements: Elements, wanted: readonly number[]): Source;
}

export interface OutputKind extends Kind {
  make(elements: Elements, length: number): Sink;
}

export const arrayOf = ({ type }: Elements, values: readonly Value[]): DeviceArray =>
  DeviceArray.from(values as readonly number[], type as "float64");

/** The number in elements that nothing has written. */
const blankNumber = 7;

export const blanks = (elements: Elements, length: number): Value[] =>
  Array.from({ length }, () => elements.of(blankNumber));

/** The first elements are those that were written, the others as they were. */
export const over = (before: readonly Value[], written: readonly Value[]): Value[] => [
  ...written,
  ...before.slice(written.length),
];

const indicesOf = (places: readonly number[]): DeviceArray<"int32"> => DeviceArray.from(Int32Array.from(places));

/** Each place one further, and the last one first. */
const turned = (length: number): number[] => Array.from({ length }, (_, i) => (i + 1) % length);

/** Numbers at every second place, with others between. */
const spread = (values: readonly Value[], between: Value): Value[] => values.flatMap((value) => [value, between]);

const asInput = (argument: unknown): Input<"int32"> => argument as Input<"int32">;
const asOutput = (argument: unknown): Output<"int32"> => argument as Output<"int32">;
const nextOf = (elements: Elements): ((a: number) => number) => elements.next as unknown as (a: number) => number;

export const arrayInput: InputKind = {
  name: "array",
  elements: "int32",
  make(elements, wanted) {
    const values = wanted.map(elements.of);
    return { argument: arrayOf(elements, values), values };
  },
};

const halves = (wanted: readonly number[]): DeviceArray<"float64"> => DeviceArray.from(wanted.map((n) => n / 2));

export const inputKinds: readonly InputKind[] = [
  {
    name: "constant",
    elements: "int32",
    make(elements, wanted) {
      const value = elements.of(wanted[0] as number);
      return { argument: constant(value as number, elements.type as "int32"), values: wanted.map(() => value) };
    },
  },
  {
    name: "counting",
    elements: "int32",
    make(elements, wanted) {
      const first = wanted[0] as number;
      const start = elements.of(first) as number;
      return {
        argument: counting(start, elements.type as "int32"),
        values: wanted.map((_, i) => elements.of(first + i)),
      };
    },
  },
  {
    name: "shuffled",
    elements: "int64",
    only: "int64",
    make(_elements, wanted) {
      const argument = shuffled(wanted.length, 7);
      // The order is the library's own; that it is one of all places is what can be said of it.
      const copy = DeviceArray.empty(wanted.length, "int64");
      unaryTransform({ input: argument, output: copy, op: (x) => x });
      const values = copy.toArray();
      const sorted = values.map(Number).sort((a, b) => a - b);
      if (sorted.some((place, i) => place !== i)) throw new Error("shuffled does not hold every place once");
      return { argument, values };
    },
  },
  {
    name: "cacheModified",
    elements: "int32",
    make(elements, wanted) {
      const values = wanted.map(elements.of);
      return { argument: cacheModified(arrayOf(elements, values)), values };
    },
  },
  {
    name: "transformed",
    elements: "int32",
    make(elements, wanted) {
      const values = wanted.map(elements.of);
      return {
        argument: transformed(asInput(arrayOf(elements, values)), nextOf(elements), elements.type as "int32"),
        values: values.map(elements.next),
      };
    },
  },
  {
    name: "zipped",
    elements: "tuple",
    only: "tuple",
    make(elements, wanted) {
      return { argument: zipped(indicesOf(wanted), halves(wanted)), values: wanted.map(elements.of) };
    },
  },
  {
    name: "permuted",
    elements: "int32",
    make(elements, wanted) {
      const values = wanted.map(elements.of);
      const places = turned(values.length);
      const from: Value[] = [];
      places.forEach((place, i) => (from[place] = values[i] as Value));
      return { argument: permuted(arrayOf(elements, from), indicesOf(places)), values };
    },
  },
  {
    name: "reversed",
    elements: "int32",
    make(elements, wanted) {
      const values = wanted.map(elements.of);
      return { argument: reversed(arrayOf(elements, [...values].reverse())), values };
    },
  },
  {
    name: "strided",
    elements: "int32",
    make(elements, wanted) {
      const values = wanted.map(elements.of);
      return { argument: strided(arrayOf(elements, spread(values, elements.of(blankNumber))), 2), values };
    },
  },
  {
    name: "nested",
    elements: "int32",
    make(elements, wanted) {
      const values = wanted.map(elements.of);
      const array = arrayOf(elements, spread([...values].reverse(), elements.of(blankNumber)));
      const inner = permuted(reversed(strided(array, 2)), counting(0));
      return {
        argument: transformed(asInput(inner), nextOf(elements), elements.type as "int32"),
        values: values.map(elements.next),
      };
    },
  },
  {
    name: "zipped, of iterators",
    elements: "tuple",
    only: "tuple",
    make(elements, wanted) {
      const first = transformed(cacheModified(indicesOf(wanted.toReversed())), (x) => x - 1, "int32");
      const second = strided(DeviceArray.from(wanted.toReversed().flatMap((n) => [(n - 1) / 2, 0])), 2);
      // A zip's elements are from the end to the front, so that it is reversed once more.
      return { argument: reversed(zipped(first, second)), values: wanted.map((n) => elements.of(n - 1)) };
    },
  },
];

export const arrayOutput: OutputKind = {
  name: "array",
  elements: "int32",
  make(elements, length) {
    const before = blanks(elements, length);
    const argument = arrayOf(elements, before);
    return { argument, holds: (written) => [[argument, over(before, written)]] };
  },
};

export const outputKinds: readonly OutputKind[] = [
  {
    name: "transformedOutput",
    elements: "int32",
    make(elements, length) {
      const before = blanks(elements, length);
      const array = arrayOf(elements, before);
      return {
        argument: transformedOutput(asOutput(array), nextOf(elements), elements.type as "int32"),
        holds: (written) => [[array, over(before, written.map(elements.next))]],
      };
    },
  },
  {
    name: "zipped",
    elements: "tuple",
    only: "tuple",
    make(_elements, length) {
      const [first, second] = [arrayOutput.make(elementsNamed("int32"), length), DeviceArray.zeros(length, "float64")];
      return {
        argument: zipped(asOutput(first.argument), second),
        holds: (written) => [
          ...first.holds((written as readonly [number, number][]).map(([a]) => a)),
          [
            second,
            over(
              Array<number>(length).fill(0),
              (written as readonly [number, number][]).map(([, b]) => b),
            ),
          ],
        ],
      };
    },
  },
  {
    name: "permuted",
    elements: "int32",
    make(elements, length) {
      const before = blanks(elements, length);
      const array = arrayOf(elements, before);
      const places = turned(length);
      return {
        argument: permuted(array, indicesOf(places)),
        holds(written) {
          const after = [...before];
          written.forEach((value, i) => (after[places[i] as number] = value));
          return [[array, after]];
        },
      };
    },
  },
  {
    name: "reversed",
    elements: "int32",
    make(elements, length) {
      const before = blanks(elements, length);
      const array = arrayOf(elements, before);
      return { argument: reversed(array), holds: (written) => [[array, over(before, written).reverse()]] };
    },
  },
  {
    name: "strided",
    elements: "int32",
    make(elements, length) {
      const between = elements.of(3);
      const before = blanks(elements, length);
      const array = arrayOf(elements, spread(before, between));
      return { argument: strided(array, 2), holds: (written) => [[array, spread(over(before, written), between)]] };
    },
  },
  {
    name: "discard",
    elements: "int32",
    make: (elements) => ({ argument: discard(elements.type), holds: () => [] }),
  },
  {
    name: "nested",
    elements: "int32",
    make(elements, length) {
      const between = elements.of(3);
      const before = blanks(elements, length);
      const array = arrayOf(elements, spread(before, between));
      const inner = permuted(reversed(strided(array, 2)), counting(0));
      return {
        argument: transformedOutput(asOutput(inner), nextOf(elements), elements.type as "int32"),
        holds: (written) => [[array, spread(over(before, written.map(elements.next)).reverse(), between)]],
      };
    },
  },
  {
    name: "zipped, of iterators",
    elements: "tuple",
    only: "tuple",
    make(_elements, length) {
      const before = Array<number>(length).fill(7);
      const [first, second] = [DeviceArray.from(Int32Array.from(before)), DeviceArray.from(before)];
      const items = zipped(
        transformedOutput(reversed(first), (x) => x - 1),
        permuted(reversed(second), counting(0)),
      );
      return {
        argument: items,
        holds: (written) => [
          [
            first,
            over(
              before,
              (written as readonly [number, number][]).map(([a]) => a - 1),
            ).reverse(),
          ],
          [
            second,
            over(
              before,
              (written as readonly [number, number][]).map(([, b]) => b),
            ).reverse(),
          ],
        ],
      };
    },
  },
];

export function inputKind(name: string): InputKind {
  const kind = [arrayInput, ...inputKinds].find((each) => each.name === name);
  if (kind === undefined) throw new Error(`no input is named ${name}`);
  return kind;
}

export function outputKind(name: string): OutputKind {
  const kind = [arrayOutput, ...outputKinds].find((each) => each.name === name);
  if (kind === undefined) throw new Error(`no output is named ${name}`);
  return kind;
}
