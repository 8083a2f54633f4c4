/** Least and greatest elements. */
import { reduceInto } from "../algorithms";
import { type Input, counting, transformed, zipped } from "../iterators";
import type { StreamOption } from "../memory/device-array";
import type { ScalarName, ScalarValueOf } from "../types/scalar";
import { struct } from "../types/struct";
import { allocate, finiteScalars, streamOnly, take, within } from "./result";

const least = (a: number, b: number): number => Math.min(a, b);
const greatest = (a: number, b: number): number => Math.max(a, b);

async function extreme<N extends ScalarName>(
  input: Input<N>,
  name: string,
  op: (a: number, b: number) => number,
  options: StreamOption | undefined,
): Promise<ScalarValueOf<N>> {
  const from = finiteScalars(input, name, 1);
  const stream = streamOnly(name, options);
  const output = allocate(from, 1, from.type, stream);
  within(name, "reduceInto", {}, () => {
    reduceInto({ input: from.input, output, op, ...stream });
  });
  return (await take(output, stream)) as ScalarValueOf<N>;
}

/**
 * The least element: NaN where one is NaN, and -0 before 0, as `Math.min` has it.
 *
 * @param input - an array, or an iterator that has an end
 * @returns the element, once the work that was queued on the stream is done
 * @throws RangeError (as a rejection) with code `ERR_EMPTY` where there is none; TypeError, OutOfDeviceMemoryError
 */
export function min<N extends ScalarName>(input: Input<N>, options?: StreamOption): Promise<ScalarValueOf<N>> {
  return extreme(input, "min", least, options);
}

/** The greatest element: NaN where one is NaN, and 0 after -0, as `Math.max` has it. Else as {@link min}. */
export function max<N extends ScalarName>(input: Input<N>, options?: StreamOption): Promise<ScalarValueOf<N>> {
  return extreme(input, "max", greatest, options);
}

interface Range {
  min: number;
  max: number;
}

const both = (x: number): Range => ({ min: x, max: x });
const widest = (a: Range, b: Range): Range => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) });

/** The least and the greatest element in one pass. Else as {@link min}. */
export async function minmax<N extends ScalarName>(
  input: Input<N>,
  options?: StreamOption,
): Promise<{ min: ScalarValueOf<N>; max: ScalarValueOf<N> }> {
  const from = finiteScalars(input, "minmax", 1);
  const range = struct({ min: from.type.name, max: from.type.name });
  const stream = streamOnly("minmax", options);
  const output = allocate(from, 1, range, stream);
  within("minmax", "reduceInto", {}, () => {
    reduceInto({
      input: transformed(from.input, both as unknown as (x: number) => number, range as unknown as "float64"),
      output,
      op: widest as unknown as (a: number, b: number) => number,
      ...stream,
    });
  });
  return (await take(output, stream)) as unknown as { min: ScalarValueOf<N>; max: ScalarValueOf<N> };
}

type Place = [value: number, index: bigint];

/** NaN comes before everything, and of equal values the first. */
const placeOfLeast = ([a, i]: Place, [b, j]: Place): Place =>
  a !== a ? (b !== b && j < i ? [b, j] : [a, i]) : b !== b || b < a || (b === a && j < i) ? [b, j] : [a, i];
const placeOfGreatest = ([a, i]: Place, [b, j]: Place): Place =>
  a !== a ? (b !== b && j < i ? [b, j] : [a, i]) : b !== b || b > a || (b === a && j < i) ? [b, j] : [a, i];

async function place(
  input: unknown,
  name: string,
  op: (a: Place, b: Place) => Place,
  options: StreamOption | undefined,
): Promise<number> {
  const from = finiteScalars(input, name, 1);
  const places = zipped(from.input, counting(0n));
  const stream = streamOnly(name, options);
  const output = allocate(from, 1, places.shape.elementType, stream);
  within(name, "reduceInto", {}, () => {
    reduceInto({
      input: places as unknown as Input<"float64">,
      output,
      op: op as unknown as (a: number, b: number) => number,
      numItems: from.argument.length,
      ...stream,
    });
  });
  const [, index] = (await take(output, stream)) as unknown as Place;
  return Number(index);
}

/**
 * The index of the least element: the first of equal ones, and of the first NaN where there is one, as NumPy's `argmin`
 * has it. Else as {@link min}.
 */
export function argmin(input: Input<ScalarName>, options?: StreamOption): Promise<number> {
  return place(input, "argmin", placeOfLeast, options);
}

/** The index of the greatest element; else as {@link argmin}. */
export function argmax(input: Input<ScalarName>, options?: StreamOption): Promise<number> {
  return place(input, "argmax", placeOfGreatest, options);
}
