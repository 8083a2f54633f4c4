/** Division, remainder, rounding and NaN: one rule for host and device, and JavaScript's where it has one. */
import {
  DeviceArray,
  type ScalarName,
  binaryTransform,
  inclusiveScan,
  ops,
  reduceInto,
  segmentedReduce,
} from "../../lib";
import { describeOnBackends } from "../helpers/backends";
import { type Value, download, elements, expectElements, upload } from "../helpers/elements";

/** Every pair of the numbers, through one operator; results as `to`. */
function over(from: ScalarName, to: ScalarName, numbers: readonly Value[], op: (a: number, b: number) => number) {
  const left = numbers.flatMap((a) => numbers.map(() => a));
  const right = numbers.flatMap(() => numbers);
  const output = DeviceArray.empty(left.length, to);
  binaryTransform({
    input1: upload(from, left) as DeviceArray<"float64">,
    input2: upload(from, right) as DeviceArray<"float64">,
    output: output as DeviceArray<"float64">,
    op,
  });
  const results = download(output);
  return left.map((a, index) => ({ a, b: right[index] as Value, result: results[index] as Value }));
}

const smallNumbers = Array.from({ length: 27 }, (_, index) => index - 13);
const ends: Partial<Record<ScalarName, readonly Value[]>> = {
  int32: [91, -91, 2147483647, -2147483648, 1234567891],
  uint32: [91, 4294967295, 2147483648, 3000000001],
  int64: [91n, -91n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n, -(2n ** 53n) - 1n],
  uint64: [91n, 2n ** 64n - 1n, 2n ** 63n, 2n ** 53n + 1n],
};

function gridOf(type: ScalarName): Value[] {
  const small = type.startsWith("u") ? smallNumbers.filter((number) => number >= 0) : smallNumbers;
  return [...elements(type, small), ...(ends[type] ?? [])];
}

describeOnBackends("number rules", () => {
  describe("the remainder is exact and has the sign of the left operand; by zero it is 0", () => {
    test.each(["int32", "uint32", "int64", "uint64"] as const)("%s", (type) => {
      for (const { a, b, result } of over(type, type, gridOf(type), (a, b) => a % b)) {
        const exact = BigInt(b) === 0n ? 0n : BigInt(a) % BigInt(b);
        expect({ a, b, result: BigInt(result) }).toEqual({ a, b, result: exact });
      }
    });
  });

  test("the remainder of float64 is JavaScript's, by zero NaN, and keeps -0", () => {
    const numbers = [...smallNumbers, 91, 0.5, -2.75, -0, 1e300, 5e-324, 2 ** 53, Infinity, -Infinity, NaN];
    for (const { a, b, result } of over("float64", "float64", numbers, (a, b) => a % b)) {
      expect({ a, b, result }).toEqual({ a, b, result: Number(a) % Number(b) });
    }
  });

  test("the remainder of float32 is exact", () => {
    const numbers = [...smallNumbers, 91, 0.5, -2.75, -0, 16777215, 3e38, -Infinity, NaN];
    const rounded = numbers.map(Math.fround);
    for (const { a, b, result } of over("float32", "float32", rounded, (a, b) => a % b)) {
      expect({ a, b, result }).toEqual({ a, b, result: Number(a) % Number(b) });
    }
  });

  describe("division", () => {
    test.each(["int32", "uint32"] as const)("of %s is a float64: 1 / 2, -5 / 2, 2^31 / 3, by zero", (type) => {
      const numbers = [...gridOf(type), ...(type === "uint32" ? [1, 2, 3, 2147483648] : [1, 2, -5])];
      for (const { a, b, result } of over(type, "float64", numbers, (a, b) => a / b)) {
        expect({ a, b, result }).toEqual({ a, b, result: Number(a) / Number(b) });
      }
    });

    test.each(["int32", "uint32"] as const)("of %s by Math.trunc is an integer's, by zero 0", (type) => {
      for (const { a, b, result } of over(type, type, gridOf(type), (a, b) => Math.trunc(a / b))) {
        const exact = b === 0 ? 0n : BigInt(a) / BigInt(b);
        // -2147483648 / -1 wraps.
        const stored = type === "int32" ? BigInt.asIntN(32, exact) : exact;
        expect({ a, b, result: BigInt(result) }).toEqual({ a, b, result: stored });
      }
    });

    test.each(["int64", "uint64"] as const)("of %s truncates, by zero 0", (type) => {
      for (const { a, b, result } of over(type, type, gridOf(type), (a, b) => a / b)) {
        const exact = b === 0n ? 0n : (a as bigint) / (b as bigint);
        const stored = type === "int64" ? BigInt.asIntN(64, exact) : exact;
        expect({ a, b, result }).toEqual({ a, b, result: stored });
      }
    });
  });

  test("sums, differences and products of float64 are JavaScript's to the bit, -0 and subnormals too", () => {
    const numbers = [0, -0, 1, -1, 0.1, 0.2, 1 / 3, 1e308, -1e308, 5e-324, 2 ** -1022, 2 ** 53 + 2, Infinity, NaN];
    const op = (a: number, b: number): number => (a + b) * (a - b) - a * b;
    for (const { a, b, result } of over("float64", "float64", numbers, op)) {
      expect({ a, b, result }).toEqual({ a, b, result: op(Number(a), Number(b)) });
    }
  });

  describe("the largest and the smallest", () => {
    const reduced = (type: "float32" | "float64", values: number[], op: unknown, init: number): Value | undefined => {
      const output = DeviceArray.empty(1, "float64");
      const input = DeviceArray.from(values, type) as DeviceArray<"float64">;
      reduceInto({ input, output, op: op as (a: number, b: number) => number, init });
      return download(output)[0];
    };
    const most = (a: number, b: number): number => Math.max(a, b);
    const least = (a: number, b: number): number => Math.min(a, b);
    const withNaN = Array.from({ length: 3000 }, (_, index) => (index === 1234 ? NaN : index % 1000));

    test.each(["float32", "float64"] as const)("Math.max and Math.min of %s: any NaN gives NaN", (type) => {
      expect(reduced(type, withNaN, most, -Infinity)).toBe(NaN);
      expect(reduced(type, withNaN, least, Infinity)).toBe(NaN);
      expect(reduced(type, [1, 2], most, NaN)).toBe(NaN);
    });

    test.each(["float32", "float64"] as const)("Math.max of %s takes 0 over -0, Math.min -0 over 0", (type) => {
      const zeros = Array.from({ length: 1000 }, (_, index) => (index === 500 ? 0 : -0));
      expect(reduced(type, zeros, most, -0)).toBe(0);
      expect(
        reduced(
          type,
          zeros.map((zero) => -zero),
          least,
          0,
        ),
      ).toBe(-0);
    });

    test.each(["float32", "float64"] as const)("ops.maximum and ops.minimum of %s pass over NaN", (type) => {
      expect(reduced(type, withNaN, ops.maximum, -Infinity)).toBe(999);
      expect(reduced(type, withNaN, ops.minimum, Infinity)).toBe(0);
    });

    test.each(["float32", "float64"] as const)("infinities and subnormals of %s count, by either", (type) => {
      const subnormal = type === "float32" ? 2 ** -149 : 2 ** -1074;
      const among = (value: number, rest: number): number[] =>
        Array.from({ length: 3000 }, (_, index) => (index === 1234 ? value : rest));
      for (const [largest, smallest] of [
        [most, least],
        [ops.maximum, ops.minimum],
      ]) {
        for (const [value, rest] of [
          [subnormal, 0],
          [2 * subnormal, subnormal],
          [Infinity, 1],
        ] as const) {
          expect(reduced(type, among(value, rest), largest, -Infinity)).toBe(value);
          expect(reduced(type, among(-value, -rest), smallest, Infinity)).toBe(-value);
          expect(reduced(type, among(-value, rest), largest, -Infinity)).toBe(rest);
        }
      }
    });

    test.each(["float32", "float64"] as const)(
      "a NaN of %s is in every running Math.max from it on, and in the Math.min of its segment",
      (type) => {
        const input = DeviceArray.from(withNaN, type) as DeviceArray<"float64">;
        const running = DeviceArray.empty(3000, "float64");
        inclusiveScan({ input, output: running, op: most });
        const expected = withNaN.map((_, index) => (index < 1234 ? Math.min(index, 999) : NaN));
        expectElements(running.toArray(), expected);
        const bounds = DeviceArray.from(new Int32Array([0, 1234, 1235, 3000]));
        const output = DeviceArray.empty(3, "float64");
        const [startOffsets, endOffsets] = [bounds.subarray(0, 3), bounds.subarray(1)];
        segmentedReduce({ input, output, startOffsets, endOffsets, op: least, init: Infinity });
        expect(output.toArray()).toEqual([0, NaN, 0]);
      },
    );
  });
});
