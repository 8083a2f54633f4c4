/**
 * Inputs of benchmarks and sweeps: the same for the same arguments, on every machine, and quick to make.
 *
 * The distributions are those of CUB's benchmarks: keys with less entropy than they have bits, runs of equal keys, and
 * segments of uniform or of very unlike lengths.
 */
import type { ScalarName } from "../lib";
import { scalarTypes } from "../lib/types/scalar";
import { type TypedArrayOf, viewAs } from "../lib/types/typed-array";

/**
 * The entropy of each bit of a key, in bits: 1 for a random word, 0.811 for two that are ANDed, and so on to 0.201 for
 * five. 0 makes all keys the same.
 */
export type Entropy = 1 | 0.811 | 0.544 | 0.337 | 0.201 | 0;

/** How many further random words are ANDed into the first. */
const furtherWords: Record<Exclude<Entropy, 0>, number> = { 1: 0, 0.811: 1, 0.544: 2, 0.337: 3, 0.201: 4 };

const { imul } = Math;

const golden = 0x9e3779b9;

/** The finalizer of MurmurHash3: every bit of the word depends on every bit of x. */
function mixed(x: number): number {
  let word = x ^ (x >>> 16);
  word = imul(word, 0x85ebca6b);
  word ^= word >>> 13;
  word = imul(word, 0xc2b2ae35);
  return (word ^ (word >>> 16)) >>> 0;
}

/** The index-th of a sequence of random 32-bit words; the key, made by {@link keyOf}, says which sequence. */
const wordAt = (index: number, key: number): number => mixed((imul(index, golden) + key) | 0);

/** Sequences of one seed, told apart by a small number. */
const keyOf = (seed: number, sequence = 0): number => mixed(mixed(seed | 0) + imul(sequence + 1, golden));

const fractionAt = (index: number, key: number): number => wordAt(index, key) / 2 ** 32;

/** The words that are ANDed, one after the other. */
const keysFor = (entropy: Entropy, seed: number): number[] =>
  Array.from({ length: entropy === 0 ? 1 : furtherWords[entropy] + 1 }, (_, i) => keyOf(seed, i));

/** Where all of these bits are set in a word, a float in it is an infinity or NaN. */
const exponents: Partial<Record<ScalarName, readonly number[]>> = {
  float16: [0x7c00, 0x7c000000],
  bfloat16: [0x7f80, 0x7f800000],
  float32: [0x7f800000],
  float64: [0x7ff00000],
};

/**
 * Random keys over all of a type's values, with less entropy than they have bits: random bits, of which so many words
 * are ANDed. Floats are finite.
 */
export function entropyArray<N extends ScalarName>(
  type: N,
  length: number,
  entropy: Entropy,
  seed: number,
): TypedArrayOf<N> {
  const { size } = scalarTypes[type];
  const words = new Uint32Array(Math.ceil((length * size) / 4));
  if (entropy === 0) {
    const [low, high] = [keyOf(seed, 0), keyOf(seed, 1)];
    const repeated = { 1: imul(low & 0xff, 0x01010101), 2: imul(low & 0xffff, 0x00010001), 4: low, 8: low };
    words.fill(repeated[size as 1 | 2 | 4 | 8]);
    if (size === 8) for (let i = 1; i < words.length; i += 2) words[i] = high;
  } else {
    fillWords(words, keysFor(entropy, seed));
  }
  if (type === "bool") for (let i = 0; i < words.length; i++) words[i] = (words[i] as number) & 0x01010101;
  for (const exponent of exponents[type] ?? []) {
    const lowestBit = exponent & -exponent;
    for (let i = size === 8 ? 1 : 0; i < words.length; i += size === 8 ? 2 : 1) {
      const word = words[i] as number;
      if ((word & exponent) === exponent) words[i] = word ^ lowestBit;
    }
  }
  return viewAs(type, words.buffer, 0, length) as TypedArrayOf<N>;
}

/** A pass for each key, so that the inner loop is one that V8 keeps in registers. */
function fillWords(words: Uint32Array, keys: readonly number[]): void {
  words.fill(0xffffffff);
  for (const key of keys) {
    for (let i = 0; i < words.length; i++) words[i] = (words[i] as number) & wordAt(i, key);
  }
}

function newArray<N extends ScalarName>(type: N, length: number): TypedArrayOf<N> {
  return viewAs(type, new ArrayBuffer(length * scalarTypes[type].size), 0, length) as TypedArrayOf<N>;
}

/**
 * Where to store whole numbers below 2^32 as elements of an array: every `stride`-th of these numbers. 64-bit integers
 * are stored by their low halves, so that no BigInt is made for each.
 */
function numbersOf(array: TypedArrayOf<ScalarName>): { numbers: Float64Array | Uint32Array; stride: number } {
  const isWide = array instanceof BigInt64Array || array instanceof BigUint64Array;
  return isWide ? { numbers: new Uint32Array(array.buffer), stride: 2 } : { numbers: array as Float64Array, stride: 1 };
}

/**
 * Random numbers from 0 to below a bound (at most 2^32), whole ones for integer types. The less entropy, the more of
 * them are small; 0 makes all of them the same.
 */
export function entropyBelow<N extends Exclude<ScalarName, "float16" | "bfloat16">>(
  type: N,
  length: number,
  bound: number,
  entropy: Entropy,
  seed: number,
): TypedArrayOf<N> {
  const array = newArray(type, length);
  const { numbers, stride } = numbersOf(array);
  const keys = keysFor(entropy, seed);
  const scale = bound / 2 ** 32;
  for (let i = 0; i < length; i++) {
    let word = 0xffffffff;
    for (const key of keys) word &= wordAt(entropy === 0 ? 0 : i, key);
    numbers[i * stride] = (word >>> 0) * scale;
  }
  return array;
}

/** The last key of runs before they begin anew, where that is not the last that a float32 tells from its neighbour. */
const lastRunKeys: Partial<Record<ScalarName, number>> = { bool: 1, float16: 0x3ff, bfloat16: 0x3ff };

/** Keys that are equal in runs of 1 to `maxRun` items, each length as likely; neighbouring runs have different keys. */
export function keysInRuns<N extends ScalarName>(
  type: N,
  length: number,
  maxRun: number,
  seed: number,
): TypedArrayOf<N> {
  const array = newArray(type, length);
  const { numbers, stride } = numbersOf(array);
  const lastKey = lastRunKeys[type] ?? 0xffffff;
  const key = keyOf(seed);
  for (let run = 0, i = 0; i < length; run++) {
    const end = Math.min(length, i + 1 + Math.floor(fractionAt(run, key) * maxRun));
    for (; i < end; i++) numbers[i * stride] = run & lastKey;
  }
  return array;
}

/**
 * Where segments of 1 to `maxSegment` items begin, each length as likely, and where the last ends: segment i is from
 * offset i to offset i + 1. Together they have `length` items.
 */
export function uniformSegments(length: number, maxSegment: number, seed: number): Int32Array {
  const key = keyOf(seed);
  const endAfter = (begin: number, segment: number): number =>
    Math.min(length, begin + 1 + Math.floor(fractionAt(segment, key) * maxSegment));
  let count = 0;
  for (let end = 0; end < length; count++) end = endAfter(end, count);
  const offsets = new Int32Array(count + 1);
  for (let i = 0; i < count; i++) offsets[i + 1] = endAfter(offsets[i] as number, i);
  return offsets;
}

/** With this exponent a fifth of the segments have four fifths of the items. */
const powerLawExponent = Math.log(5) / Math.log(4);

/**
 * As {@link uniformSegments}, but `count` segments whose lengths follow a power law (Pareto's distribution): most are
 * short, some empty, few very long.
 */
export function powerLawSegments(length: number, count: number, seed: number): Int32Array {
  const key = keyOf(seed);
  const ends = new Float64Array(count);
  let total = 0;
  for (let i = 0; i < count; i++) {
    total += (1 - fractionAt(i, key)) ** (-1 / powerLawExponent);
    ends[i] = total;
  }
  const offsets = new Int32Array(count + 1);
  for (let i = 0; i < count; i++) offsets[i + 1] = Math.floor(((ends[i] as number) / total) * length);
  return offsets;
}
