import { bind, bool, float16, float32, int32, int64, int8, ops, uint8 } from "../../lib/operators";
import type { ScalarValue } from "../../lib/types/scalar";
import { evaluate, naturalType } from "./helpers";

/* eslint-disable @typescript-eslint/no-explicit-any, @typescript-eslint/no-unsafe-return, @typescript-eslint/restrict-plus-operands, @typescript-eslint/prefer-nullish-coalescing, eqeqeq -- one function is tried on many element types, and each operator is a case */
type Case = readonly [what: string, op: unknown, signature: string, elements: ScalarValue[], expected: ScalarValue];

function specify(title: string, cases: readonly Case[]): void {
  describe(title, () => {
    test.each(cases)("%s", (_what, op, signature, elements, expected) => {
      expect(evaluate(op, signature, ...elements)).toBe(expected);
    });
  });
}

const add = (a: any, b: any): any => a + b;
const divide = (a: any, b: any): any => a / b;
const remainder = (a: any, b: any): any => a % b;
const max64 = (1n << 63n) - 1n;

describe("mixed types promote as NumPy's do", () => {
  test.each([
    ["int8, int8", "int32"],
    ["int8, uint8", "int32"],
    ["bool, bool", "int32"],
    ["int32, int32", "int32"],
    ["uint32, uint32", "uint32"],
    ["uint8, uint32", "uint32"],
    ["int8, uint32", "int64"],
    ["int32, uint32", "int64"],
    ["int32, int64", "int64"],
    ["uint32, uint64", "uint64"],
    ["int64, uint64", "float64"],
    ["int32, uint64", "float64"],
    ["int8, float16", "float32"],
    ["int16, float16", "float32"],
    ["int16, float32", "float32"],
    ["int32, float16", "float64"],
    ["int32, float32", "float64"],
    ["int64, float32", "float64"],
    ["float16, float16", "float32"],
    ["bfloat16, float16", "float32"],
    ["bfloat16, float32", "float32"],
    ["float32, float64", "float64"],
  ])("%s add as %s", (parameters, expected) => {
    expect(naturalType(add, parameters)).toBe(expected);
  });
});

describe("literals are weak", () => {
  test.each<[string, unknown, string, string]>([
    ["an integer beside a narrow integer", (x: any) => x + 1, "int8", "int32"],
    ["an integer beside int64", (x: any) => x + 1, "int64", "int64"],
    ["a BigInt beside uint64", (x: any) => x + 1n, "uint64", "uint64"],
    ["a fraction beside int32", (x: any) => x + 0.5, "int32", "float64"],
    ["a fraction beside float32", (x: any) => x * 0.1, "float32", "float32"],
    ["a fraction beside float16, which computes in float32", (x: any) => x * 0.1, "float16", "float32"],
    ["what float32 cannot hold", (x: any) => x * 1e300, "float32", "float64"],
    ["what int32 cannot hold", (x: any) => x + 3e9, "int32", "float64"],
    ["what uint32 can hold", (x: any) => x + 3e9, "uint32", "uint32"],
    ["a negative beside uint32", (x: any) => x + -1, "uint32", "float64"],
    ["an expression of literals", (x: any) => x * (2 * Math.PI), "float32", "float32"],
    ["Math of literals", (x: any) => x * Math.sqrt(2), "float32", "float32"],
    ["a choice of literals beside int64", (x: any) => x + (x > 3 ? 1 : 0), "int64", "int64"],
    ["a choice with a fraction beside int32", (x: any) => x + (x > 3 ? 1 : 0.5), "int32", "float64"],
    ["a local literal", (x: any) => { const k = 2; return x * k; }, "int64", "int64"], // prettier-ignore
    ["a variable of literals", (x: any) => { let k = 0; if (x > 3) k = 1; return x + k; }, "int64", "int64"], // prettier-ignore
    ["literals alone", (_x: any) => 1, "int8", "float64"],
    ["a literal in one branch", (x: any) => (x > 0 ? x : 0), "int8", "int8"],
  ])("%s", (_what, op, parameters, expected) => {
    expect(naturalType(op, parameters)).toBe(expected);
  });
});

specify("integers wrap", [
  ["int32 as |0", add, "int32, int32", [2147483647, 1], -2147483648],
  ["uint32 as >>>0", (a: any, b: any) => a - b, "uint32, uint32", [0, 1], 4294967295],
  ["int32 products keep their low bits", (a: any, b: any) => a * b, "int32, int32", [123456789, 987654321], -67153019],
  ["uint32 products", (a: any, b: any) => a * b, "uint32, uint32", [4294967295, 4294967295], 1],
  ["int64 as asIntN", add, "int64, int64", [max64, 1n], -(1n << 63n)],
  ["uint64 as asUintN", (a: any) => a - 1n, "uint64", [0n], (1n << 64n) - 1n],
  ["int8 sums are int32", add, "int8, int8", [100, 100], 200],
  ["and wrap when stored to int8", add, "int8, int8 -> int8", [100, 100], -56],
  ["negation of the smallest int32", (a: any) => -a, "int32", [-2147483648], -2147483648],
  ["Math.abs of the smallest int32", (a: any) => Math.abs(a), "int32", [-2147483648], -2147483648],
  ["powers of int64", (a: any, b: any) => a ** b, "int64, int64", [3n, 41n], BigInt.asIntN(64, 3n ** 41n)],
  ["a power of BigInt literals is one", (a: any) => a / 2n ** 10n, "int64", [-5000n], -4n],
  ["a shift of BigInt literals is one", (a: any) => a + (1n << 70n) + (5n << 2n) + (5n >> 1n), "int64", [1n], 23n],
  ["a negative power of an integer truncates", (a: any, b: any) => a ** b, "int64, int64", [2n, -1n], 0n],
]);

specify("division", [
  ["1 / 2 of int32 is a fraction", divide, "int32, int32", [1, 2], 0.5],
  ["-5 / 2 of int32", divide, "int32, int32", [-5, 2], -2.5],
  ["2^31 / 3 of uint32", divide, "uint32, uint32", [2147483648, 3], 2147483648 / 3],
  ["int32 by zero", divide, "int32, int32", [1, 0], Infinity],
  ["int64 truncates", divide, "int64, int64", [-5n, 2n], -2n],
  ["int64 by zero is 0", divide, "int64, int64", [5n, 0n], 0n],
  ["the smallest int64 by -1 wraps", divide, "int64, int64", [-(1n << 63n), -1n], -(1n << 63n)],
  ["int64 by an integer literal truncates", (a: any) => a / 2, "int64", [7n], 3n],
  ["float32 rounds", divide, "float32, float32", [1, 3], Math.fround(1 / 3)],
  ["Math.trunc(a / b) of int32", (a: any, b: any) => Math.trunc(a / b), "int32, int32", [-7, 2], -3],
  ["(a / b) | 0 of int32", (a: any, b: any) => (a / b) | 0, "int32, int32", [-7, 2], -3],
  ["integer division by zero is 0", (a: any, b: any) => Math.trunc(a / b), "int32, int32", [7, 0], 0],
  ["Math.trunc(a / b) of uint32", (a: any, b: any) => Math.trunc(a / b), "uint32, uint32", [4294967295, 1], 4294967295],
]);

specify("remainder", [
  ["has the sign of the left operand", remainder, "int32, int32", [-7, 3], -1],
  ["91 % 7", remainder, "int32, int32", [91, 7], 0],
  ["of int32 by zero is 0", remainder, "int32, int32", [5, 0], 0],
  ["of int64", remainder, "int64, int64", [-7n, 3n], -1n],
  ["of int64 by zero is 0", remainder, "int64, int64", [7n, 0n], 0n],
  ["of float64", remainder, "float64, float64", [-5.5, 2], -1.5],
  ["of float64 by zero is NaN", remainder, "float64, float64", [5, 0], NaN],
  ["keeps -0", remainder, "float64, float64", [-4, 2], -0],
]);

specify("bit operations", [
  ["float64 | 0 cuts", (a: any) => a | 0, "float64", [4294967298.9], 2],
  ["& of uint32 is JavaScript's int32", (a: any, b: any) => a & b, "uint32, uint32", [4294967295, 4294967295], -1],
  [">>> 0 makes it unsigned", (a: any) => a >>> 0, "int32", [-1], 4294967295],
  ["shift counts are modulo 32", (a: any, n: any) => a << n, "int32, int32", [1, 33], 2],
  [">> keeps the sign", (a: any) => a >> 1, "int32", [-8], -4],
  ["~ of uint8", (a: any) => ~a, "uint8", [5], -6],
  ["^ of int64", (a: any, b: any) => a ^ b, "int64, int64", [5n, -1n], -6n],
  ["<< of int64 shifts out at 64", (a: any, n: any) => a << n, "int64, int64", [1n, 64n], 0n],
  ["<< of int64 by a negative count is >>", (a: any, n: any) => a << n, "int64, int64", [-8n, -1n], -4n],
  [">> of uint64 brings in zeros", (a: any) => a >> 63, "uint64", [(1n << 64n) - 1n], 1n],
  ["~ of uint64", (a: any) => ~a, "uint64", [0n], (1n << 64n) - 1n],
]);

specify("comparisons are exact", [
  ["int64 with uint64", (a: any, b: any) => a < b, "int64, uint64", [-1n, 1n], true],
  ["int64 with float64", (a: any, b: any) => a > b, "int64, float64", [(1n << 53n) + 1n, 2 ** 53], true],
  ["uint64 with float64", (a: any, b: any) => a < b, "uint64, float64", [max64, 2 ** 63], true],
  ["int64 with a fraction", (a: any) => a < 0.5, "int64", [0n], true],
  ["int64 with NaN", (a: any, b: any) => a < b || a >= b, "int64, float64", [0n, NaN], false],
  ["int32 with uint32", (a: any, b: any) => a < b, "int32, uint32", [-1, 4294967295], true],
  ["uint32 with a negative literal", (a: any) => a > -1, "uint32", [0], true],
  ["bool with a number by ==", (a: any) => a == 1, "bool", [true], true],
]);

specify("truth and logic", [
  ["NaN is false", (a: any) => (a ? 1 : 0), "float64", [NaN], 0],
  ["-0 is false", (a: any) => !a, "float32", [-0], true],
  ["|| gives the first truthy operand", (a: any, b: any) => a || b, "int32, int32", [0, 7], 7],
  ["&& gives the first falsy operand", (a: any, b: any) => a && b, "float64, float64", [-0, 7], -0],
  ["a result of NaN is false as bool", (a: any) => a, "float32 -> bool", [NaN], false],
  ["0n is false", (a: any) => (a ? 1n : 2n), "uint64", [0n], 2n],
]);

specify("floats round after each operation", [
  ["float32", (a: any, b: any) => a * a + b, "float32, float32", [Math.fround(0.1), -0.01], Math.fround(Math.fround(Math.fround(0.1) * Math.fround(0.1)) + -0.01)], // prettier-ignore
  ["float16 computes in float32", (a: any, b: any) => a + b, "float16, float16", [2048, 1], 2049],
  ["and rounds when stored", (a: any, b: any) => a + b, "float16, float16 -> float16", [2048, 1], 2048],
  ["float16(x) rounds where it stands", (a: any) => float16(a) + 0, "float64", [2049], 2048],
  ["bfloat16 stores to nearest even", (a: any) => a, "float32 -> bfloat16", [1 + 2 ** -8], 1],
]);

specify("Math follows JavaScript", [
  ["min with NaN", (a: any, b: any) => Math.min(a, b), "float32, float32", [NaN, 1], NaN],
  ["max of zeros", (a: any, b: any) => Math.max(a, b), "float64, float64", [-0, 0], 0],
  ["min of zeros", (a: any, b: any) => Math.min(a, b), "float64, float64", [0, -0], -0],
  ["max of three", (a: any, b: any) => Math.max(a, b, 5), "int32, int32", [1, 2], 5],
  ["round of a half", (a: any) => Math.round(a), "float64", [-2.5], -2],
  ["round to -0", (a: any) => Math.round(a), "float64", [-0.2], -0],
  ["sign of -0", (a: any) => Math.sign(a), "float64", [-0], -0],
  ["pow of a negative base", (a: any, b: any) => Math.pow(a, b), "float64, float64", [-2, 3], -8],
  ["1 ** NaN", (a: any, b: any) => a ** b, "float64, float64", [1, NaN], NaN],
  ["x ** 2 is x * x", (a: any) => a ** 2, "float32", [Math.fround(1.1)], Math.fround(Math.fround(1.1) ** 2)],
  ["hypot of three", (a: any, b: any) => Math.hypot(a, b, 12), "float64, float64", [3, 4], 13],
  ["imul", (a: any, b: any) => Math.imul(a, b), "uint32, uint32", [4294967295, 5], -5],
  ["clz32", (a: any) => Math.clz32(a), "int32", [1], 31],
  ["fround", (a: any) => Math.fround(a), "float64", [0.1], Math.fround(0.1)],
  ["floor of an integer is itself", (a: any) => Math.floor(a), "int64", [5n], 5n],
  ["Number.isNaN", (a: any) => Number.isNaN(a), "float32", [NaN], true],
  ["Number.isInteger", (a: any) => Number.isInteger(a), "float32", [1.5], false],
  ["Number.isNaN of an integer", (a: any) => Number.isNaN(a), "int32", [1], false],
  ["Number.isFinite of an integer", (a: any) => Number.isFinite(a), "int32", [1], true],
]);

describe("a boolean is no number, but the global functions make one of it", () => {
  test.each<[string, (a: any) => boolean]>([
    ["Number.isInteger", (a) => Number.isInteger(a > 1)],
    ["Number.isSafeInteger", (a) => Number.isSafeInteger(a > 1)],
    ["Number.isFinite", (a) => Number.isFinite(a > 1)],
    ["Number.isNaN", (a) => Number.isNaN(a > 1)],
    ["Number.isInteger of a literal", (a) => Number.isInteger(true) || a > 5],
    ["isFinite", (a) => isFinite((a > 1) as never)],
    ["isNaN", (a) => isNaN((a > 1) as never)],
  ])("%s", (_what, op) => {
    for (const a of [0, 2]) expect([a, evaluate(op, "float64", a)]).toEqual([a, op(a)]);
    expect(naturalType(op, "float64")).toBe("bool");
  });
});

specify("statements", [
  ["if and else", (x: any) => { if (x > 0) { return 1; } else return -1; }, "int32", [-5], -1], // prettier-ignore
  ["early return", (x: any) => { if (x > 9) return 9; return x; }, "int32", [12], 9], // prettier-ignore
  ["compound assignment", (x: any) => { let y = x; y += 2; y *= 3; return y; }, "int32", [1], 9], // prettier-ignore
  ["++ and --", (x: any) => { let y = x; y++; ++y; y--; return y; }, "int32", [1], 2], // prettier-ignore
  ["block scope", (x: any) => { const y = x; { const y = 100; if (y < x) return y; } return y; }, "int32", [7], 7], // prettier-ignore
  ["an assigned parameter", (x: any) => { x = x + 1; return x; }, "int32", [1], 2], // prettier-ignore
  ["a variable widens to what is assigned", (x: any) => { let y = x; y = y / 2; return y; }, "int32", [1], 0.5], // prettier-ignore
  ["a directive", (x: any) => { "use strict"; return x; }, "int32", [1], 1], // prettier-ignore
  ["a variable that both branches set", (x: any) => { let y; if (x) y = 1; else y = 2; return y; }, "int32", [0], 2], // prettier-ignore
]);

specify("conversion helpers", [
  ["int8", (x: any) => int8(x), "int32", [200], -56],
  ["int64", (x: any) => int64(x) * 2n, "int32", [200], 400n],
  ["float32", (x: any) => float32(x) / 3, "int32", [1], Math.fround(1 / 3)],
  ["bool", (x: any) => bool(x), "float32", [NaN], false],
  ["Number", (x: any) => Number(x) / 2, "int64", [3n], 1.5],
  ["BigInt", (x: any) => BigInt(x) / 2n, "int32", [3], 1n],
]);

test("conversion helpers mean the same as plain JavaScript", () => {
  expect([int8(200), uint8(-1), int32(2 ** 31), float16(2049), bool(NaN)]).toEqual([
    -56,
    255,
    -2147483648,
    2048,
    false,
  ]);
  expect([int64(3.7), int64(-1n), int64(NaN)]).toEqual([3n, -1n, 0n]);
});

describe("a captured number is weak", () => {
  const half = 0.5;
  const two = 2;
  test.each<[string, unknown, string, string]>([
    ["float32 beside float32", (x: any) => x * half, "float32", "float32"],
    ["float64 beside an integer, whatever its value", (x: any) => x * two, "int32", "float64"],
    ["of a type where a helper fixes it", (x: any) => x * int32(two), "int32", "int32"],
  ])("%s", (_what, op, parameters, expected) => {
    expect(naturalType(op, parameters)).toBe(expected);
  });
  test("both orders of the operands give the same", () => {
    expect(evaluate((x: any) => x * half, "int32", 3)).toBe(evaluate((x: any) => half * x, "int32", 3));
  });
});

describe("named operators", () => {
  test("minimum and maximum pass over NaN", () => {
    expect(evaluate(ops.minimum, "float32, float32", NaN, 2)).toBe(2);
    expect(evaluate(ops.maximum, "float64, float64", 3, NaN)).toBe(3);
  });
  test("logicalAnd of numbers is a bool", () => {
    expect(evaluate(ops.logicalAnd, "int32, int32", 5, 0)).toBe(false);
  });
  test("divides of integers truncates when stored", () => {
    expect(evaluate(ops.divides, "int32, int32 -> int32", -7, 2)).toBe(-3);
  });
});

test("a bound operator reads its captures by name", () => {
  const op = bind((x: number, { scale, shift: offset }: { scale: number; shift: number }) => x * scale + offset, { scale: 2, shift: 1 }); // prettier-ignore
  expect(evaluate(op, "float64", 5)).toBe(11);
  expect(
    evaluate(
      bind((x: number, c: { scale: number }) => x * c.scale, { scale: 3 }),
      "float64",
      5,
    ),
  ).toBe(15);
});
