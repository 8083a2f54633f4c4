import { ops } from "../../lib/operators";
import { functionFrom, specialize } from "./helpers";

/** The kinds of the C library. */
const kinds = {
  plus: 2, minus: 3, multiplies: 4, divides: 5, modulus: 6, equalTo: 7, notEqualTo: 8, greater: 9, less: 10,
  greaterEqual: 11, lessEqual: 12, logicalAnd: 13, logicalOr: 14, logicalNot: 15, bitAnd: 16, bitOr: 17, bitXor: 18,
  bitNot: 19, identity: 20, negate: 21, minimum: 22, maximum: 23,
}; // prettier-ignore
const kindOf = (text: string, signature: string): number | undefined =>
  specialize(functionFrom(`(${text})`), signature).wellKnown;

describe("a function that is one of CCCL's operators to the bit is recognised", () => {
  test.each([
    ["(a, b) => a + b", "float32, float32", kinds.plus],
    ["(a, b) => b + a", "float64, float64", kinds.plus],
    ["(a, b) => { return a + b; }", "int64, int64", kinds.plus],
    ["(a, b) => a + b", "int8, int8 -> int8", kinds.plus],
    ["(a, b) => a - b", "uint32, uint32", kinds.minus],
    ["(a, b) => a * b", "uint16, uint16 -> uint16", kinds.multiplies],
    ["(a, b) => a / b", "float32, float32", kinds.divides],
    ["(a, b) => a & b", "uint32, uint32 -> uint32", kinds.bitAnd],
    ["(a, b) => b | a", "int64, int64", kinds.bitOr],
    ["(a, b) => a ^ b", "uint8, uint8 -> uint8", kinds.bitXor],
    ["(a, b) => a < b", "float32, float32", kinds.less],
    ["(a, b) => b < a", "float32, float32", kinds.greater],
    ["(a, b) => a >= b", "int8, int8", kinds.greaterEqual],
    ["(a, b) => a === b", "uint64, uint64", kinds.equalTo],
    ["(a, b) => a != b", "float64, float64", kinds.notEqualTo],
    ["(a, b) => a && b", "bool, bool", kinds.logicalAnd],
    ["(a, b) => Math.min(a, b)", "int32, int32", kinds.minimum],
    ["(a, b) => Math.max(b, a)", "uint8, uint8 -> uint8", kinds.maximum],
    ["(a, b) => a < b ? a : b", "int64, int64", kinds.minimum],
    ["(a, b) => a < b ? b : a", "int16, int16", kinds.maximum],
    ["(a, b) => b >= a ? b : a", "uint32, uint32", kinds.maximum],
    ["(a) => a", "float16", kinds.identity],
    ["(a) => -a", "float32", kinds.negate],
    ["(a) => -a", "int8 -> int8", kinds.negate],
    ["(a) => ~a", "uint32 -> uint32", kinds.bitNot],
    ["(a) => !a", "int32", kinds.logicalNot],
  ])("%s on %s", (text, signature, kind) => {
    expect(kindOf(text, signature)).toBe(kind);
  });
});

describe("where a bit may differ, it is not", () => {
  test.each([
    ["minimum of floats: NaN and -0", "(a, b) => Math.min(a, b)", "float32, float32"],
    ["the smaller of floats: NaN", "(a, b) => a < b ? a : b", "float64, float64"],
    ["a wider result", "(a, b) => a + b", "int8, int8"],
    ["another result type", "(a, b) => a + b", "float32, float32 -> float64"],
    ["unequal types", "(a, b) => a + b", "float32, float64"],
    ["16-bit floats", "(a, b) => a + b", "float16, float16 -> float16"],
    ["bool", "(a, b) => a + b", "bool, bool -> bool"],
    ["a swapped difference", "(a, b) => b - a", "int32, int32"],
    ["the same operand twice", "(a, b) => a + a", "int32, int32"],
    ["integer division: zero", "(a, b) => a / b", "int64, int64"],
    ["integer remainder: zero", "(a, b) => a % b", "int32, int32"],
    ["truth of floats: NaN", "(a) => !a", "float32"],
    ["the order of uint32 taken as int32", "(a, b) => (a | 0) < (b | 0)", "uint32, uint32"],
    ["a cut of the result", "(a, b) => int32(a + b)", "float32, float32 -> float32"],
    ["a narrowed operand", "(a, b) => int8(a) + int8(b)", "int32, int32"],
    ["a constant beside it", "(a, b) => a + b + 0", "float32, float32"],
    ["a conversion", "(a) => a", "float32 -> int32"],
  ])("%s", (_why, text, signature) => {
    expect(kindOf(text, signature)).toBeUndefined();
  });
});

describe("a named operator is its kind", () => {
  const binary = ["plus", "minus", "multiplies", "bitAnd", "bitOr", "bitXor", "minimum", "maximum"] as const;
  const comparing = ["equalTo", "notEqualTo", "greater", "less", "greaterEqual", "lessEqual", "logicalAnd", "logicalOr"] as const; // prettier-ignore
  test.each(binary)("%s of int32", (name) => {
    expect(specialize(ops[name], "int32, int32 -> int32").wellKnown).toBe(kinds[name]);
  });
  test.each(comparing)("%s of int32", (name) => {
    expect(specialize(ops[name], "int32, int32 -> bool").wellKnown).toBe(kinds[name]);
  });
  test.each(["identity", "negate", "bitNot"] as const)("%s of int32", (name) => {
    expect(specialize(ops[name], "int32 -> int32").wellKnown).toBe(kinds[name]);
  });
  test.each(["minimum", "maximum", "divides"] as const)("%s of float32", (name) => {
    expect(specialize(ops[name], "float32, float32").wellKnown).toBe(kinds[name]);
  });
  test("modulus has no kind, since CCCL leaves a zero divisor open", () => {
    expect(specialize(ops.modulus, "int32, int32").wellKnown).toBeUndefined();
  });
});
