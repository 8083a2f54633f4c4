/** The inputs of benchmarks have the distributions that they are named for, and are the same for the same seed. */
import {
  type Entropy,
  entropyArray,
  entropyBelow,
  keysInRuns,
  powerLawSegments,
  uniformSegments,
} from "../../benchmarks/inputs";
import { type ScalarName, scalarTypes } from "../../lib/types/scalar";
import { type AnyTypedArray } from "../../lib/types/typed-array";

const types = Object.keys(scalarTypes) as ScalarName[];
const entropies: Entropy[] = [1, 0.811, 0.544, 0.337, 0.201, 0];

const bytes = (array: AnyTypedArray): Buffer => Buffer.from(array.buffer, array.byteOffset, array.byteLength);

/** Entropy in bits of a bit that is set with a probability. */
const bitEntropy = (p: number): number => -p * Math.log2(p) - (1 - p) * Math.log2(1 - p);

function setBits(array: Uint32Array): number {
  let set = 0;
  for (const word of array) for (let w = word; w !== 0; w &= w - 1) set++;
  return set / array.length / 32;
}

/** How long the runs of equal elements are. */
function runLengths(array: ArrayLike<unknown>): number[] {
  const lengths: number[] = [];
  for (let i = 0, begin = 0; i < array.length; i++) {
    if (array[i + 1] === array[i] && i + 1 < array.length) continue;
    lengths.push(i + 1 - begin);
    begin = i + 1;
  }
  return lengths;
}

const segmentLengths = (offsets: Int32Array): number[] =>
  Array.from({ length: offsets.length - 1 }, (_, i) => offsets[i + 1]! - offsets[i]!);

test.each(types)("keys of %s are as many as asked for, the same for a seed and others for another", (type) => {
  for (const make of [
    (seed: number) => entropyArray(type, 1001, 0.544, seed),
    (seed: number) => keysInRuns(type, 1001, 8, seed),
  ]) {
    expect(make(7)).toHaveLength(1001);
    expect(bytes(make(7)).equals(bytes(make(7)))).toBe(true);
    expect(bytes(make(7)).equals(bytes(make(8)))).toBe(false);
  }
});

test.each(entropies)("a bit of a key has an entropy of %p", (entropy) => {
  const keys = entropyArray("uint32", 2 ** 16, entropy, 1);
  if (entropy === 0) expect(new Set(keys).size).toBe(1);
  else expect(bitEntropy(setBits(keys))).toBeCloseTo(entropy, 2);
});

test.each(types)("keys of %s without entropy are all the same", (type) => {
  const keys = bytes(entropyArray(type, 1001, 0, 5));
  const { size } = scalarTypes[type];
  expect(keys.equals(Buffer.concat(Array<Buffer>(1001).fill(keys.subarray(0, size))))).toBe(true);
});

test("random keys of a type are spread over all of its values", () => {
  const counts = new Uint32Array(256);
  for (const key of entropyArray("uint8", 2 ** 20, 1, 3)) counts[key]!++;
  // 4096 expected, with a standard deviation of 64.
  expect(Math.min(...counts)).toBeGreaterThan(4096 - 6 * 64);
  expect(Math.max(...counts)).toBeLessThan(4096 + 6 * 64);
  expect(new Set(entropyArray("int64", 2 ** 16, 1, 3)).size).toBe(2 ** 16);
});

test.each(entropies)("float keys with an entropy of %p are finite", (entropy) => {
  expect(entropyArray("float32", 2 ** 16, entropy, 2).every(Number.isFinite)).toBe(true);
  expect(entropyArray("float64", 2 ** 16, entropy, 2).every(Number.isFinite)).toBe(true);
  const halves = new Uint16Array(entropyArray("float16", 2 ** 16, entropy, 2).buffer);
  expect(halves.every((half) => (half & 0x7c00) !== 0x7c00)).toBe(true);
  expect(entropyArray("bfloat16", 2 ** 16, entropy, 2).every((half) => (half & 0x7f80) !== 0x7f80)).toBe(true);
});

test("bools are 0 or 1", () => {
  expect([...new Set(entropyArray("bool", 1000, 1, 1))].sort()).toEqual([0, 1]);
});

test.each(["int8", "int32", "int64", "float32", "float64"] as const)("numbers of %s lie below the bound", (type) => {
  const numbers = [...entropyBelow(type, 2 ** 16, 100, 1, 4)].map(Number);
  expect(numbers.every((x) => x >= 0 && x < 100)).toBe(true);
  if (!type.startsWith("float")) expect([...new Set(numbers)].sort((a, b) => a - b)).toEqual([...Array(100).keys()]);
  const mean = numbers.reduce((a, b) => a + b) / numbers.length;
  expect(Math.abs(mean - (type.startsWith("float") ? 50 : 49.5))).toBeLessThan(0.7);
});

test("with less entropy more numbers are small, and without they are all the same", () => {
  const means = entropies.map((entropy) => {
    const numbers = entropyBelow("float64", 2 ** 16, 1, entropy, 4);
    return numbers.reduce((a, b) => a + b) / numbers.length;
  });
  // Each bit of n ANDed words is set with a probability of 2^-n.
  [0.5, 0.25, 0.125, 0.0625, 0.03125].forEach((mean, i) => {
    expect(Math.abs(means[i]! - mean)).toBeLessThan(0.006);
  });
  expect(new Set(entropyBelow("float64", 100, 1, 0, 4)).size).toBe(1);
});

test.each(types.filter((type) => type !== "bool" && !type.endsWith("float16")))(
  "equal keys of %s are together, in runs up to the longest and no longer",
  (type) => {
    const runs = runLengths(keysInRuns(type, 2 ** 16, 16, 9));
    expect(runs.reduce((a, b) => a + b)).toBe(2 ** 16);
    // All of one length but the last, which the end may cut off.
    expect([...new Set(runs.slice(0, -1))].sort((a, b) => a - b)).toEqual(Array.from({ length: 16 }, (_, i) => i + 1));
    expect(Math.abs(2 ** 16 / runs.length - 8.5)).toBeLessThan(0.5);
  },
);

test("runs of half-precision keys have keys of their own where these begin anew", () => {
  const { size } = new Set(runLengths(keysInRuns("float16", 2 ** 14, 4, 9)).slice(0, -1));
  expect(size).toBe(4);
  expect(Math.max(...runLengths(keysInRuns("bfloat16", 2 ** 14, 4, 9)))).toBe(4);
});

test("uniform segments cover all items, in lengths of 1 to the longest", () => {
  const offsets = uniformSegments(2 ** 16, 16, 3);
  expect([offsets[0], offsets.at(-1)]).toEqual([0, 2 ** 16]);
  const lengths = segmentLengths(offsets);
  expect([...new Set(lengths)].sort((a, b) => a - b)).toEqual(Array.from({ length: 16 }, (_, i) => i + 1));
  expect(Math.abs(2 ** 16 / lengths.length - 8.5)).toBeLessThan(0.5);
  expect([...uniformSegments(0, 16, 3)]).toEqual([0]);
  expect([...uniformSegments(3, 1, 3)]).toEqual([0, 1, 2, 3]);
});

test("segments by a power law cover all items, and few of them have the most", () => {
  const offsets = powerLawSegments(2 ** 20, 2 ** 12, 3);
  expect(offsets).toHaveLength(2 ** 12 + 1);
  expect([offsets[0], offsets.at(-1)]).toEqual([0, 2 ** 20]);
  const lengths = segmentLengths(offsets).sort((a, b) => b - a);
  expect(lengths.every((length) => length >= 0)).toBe(true);
  const fifth = lengths.slice(0, Math.round(lengths.length / 5)).reduce((a, b) => a + b) / 2 ** 20;
  expect(fifth).toBeGreaterThan(0.65);
  expect(fifth).toBeLessThan(0.9);
});
