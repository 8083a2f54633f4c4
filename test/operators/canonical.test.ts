/** Ways to write one function are one program; functions that differ in a bit of a result are not. */
import fc from "fast-check";
import { CompileError } from "../../lib/errors";
import { canonical } from "../../lib/operators/canonical";
import { checkFunction } from "../../lib/operators/check";
import { compileForHost } from "../../lib/operators/emit-javascript";
import type { Program } from "../../lib/operators/ir";
import { parseFunction } from "../../lib/operators/parse";
import { resolveFunction } from "../../lib/operators/resolve";
import { hostConvert } from "../../lib/types/convert";
import { type ScalarType, type ScalarValue, scalarTypes } from "../../lib/types/scalar";
import { functionFrom, specialize } from "./helpers";
import { functions } from "./programs";

const fingerprint = (text: string, signature: string): string =>
  specialize(functionFrom(`(${text})`), signature).fingerprint;
const kindOf = (text: string, signature: string): number | undefined =>
  specialize(functionFrom(`(${text})`), signature).wellKnown;

const floats = "float32, float32";
const integers = "int32, int32";

describe("one program", () => {
  test.each([
    ["a local that is used once", floats, "(a, b) => (a - b) * 2", "(a, b) => { const d = a - b; return d * 2; }"],
    ["locals of locals", floats, "(a, b) => -(a * b) + 1", "(a, b) => { const m = a * b, n = -m; return n + 1; }"],
    ["a literal with a name", floats, "(a, b) => a * 0.1 + b * 0.1", "(a, b) => { const k = 0.1; return a * k + b * k; }"],
    ["a product of named literals", integers, "(a, b) => a * 6 + b", "(a, b) => { const k = 2, m = k * 3; return a * m + b; }"],
    ["a parameter with a second name", floats, "(a, b) => a * a + b", "(a, b) => { const x = a; return x * x + b; }"],
    ["a copy of a variable that rests meanwhile", floats,
      "(a, b) => { let s = a; for (let i = 0; i < 9; i++) s += b; return s * s; }",
      "(a, b) => { let s = a; for (let i = 0; i < 9; i++) s += b; const t = s; return t * t; }"],
    ["an unused local", floats, "(a, b) => a + b", "(a, b) => { const unused = a * b; let n = 0; n++; return a + b; }"],
    ["var, hoisted", floats,
      "(a, b) => { let s = 0; for (let i = 0; i < 5; i++) { const t = a * i; s += t * t; } return s + b; }",
      "(a, b) => { var s, i, t; for (s = 0, i = 0; i < 5; i++) { t = a * i; s += t * t; } return s + b; }"],
    ["a declaration before its value", floats,
      "(a, b) => { if (a > b) { const d = a - b; return d * d; } return b; }",
      "(a, b) => { let d; if (a > b) { d = a - b; return d * d; } return b; }"],
    ["steps of one variable", floats, "(a, b) => (a + 1) * 2 - b", "(a, b) => { let x = a; x += 1; x *= 2; return x - b; }"],
    ["return after if", floats, "(a, b) => a > 0 ? a : b", "(a, b) => { if (a > 0) return a; return b; }"],
    ["return in both branches", floats, "(a, b) => a > 0 ? a : b", "(a, b) => { if (a > 0) { return a; } else { return b; } }"],
    ["a chain of ifs", floats, "(a, b) => a > 1 ? 1 : a > b ? b : a < 0 ? 0 : a",
      "(a, b) => { if (a > 1) return 1; else if (a > b) return b; if (a < 0) { return 0; } return a; }"],
    ["both branches assign", floats, "(a, b) => { let m = a > 0 ? a : b; return m * m; }",
      "(a, b) => { let m; if (a > 0) m = a; else m = b; return m * m; }"],
    ["if with not", floats, "(a, b) => a > b ? a : b", "(a, b) => { if (!(a > b)) return b; return a; }"],
    ["branches of statements, swapped", integers,
      "(a, b) => { let s = a, t = b; if (a > 0 && b > 0) s += b; else { s -= b; t += s; } return s * s + t * t; }",
      "(a, b) => { let s = a, t = b; if (a <= 0 || b <= 0) { s -= b; t += s; } else { s += b; } return s * s + t * t; }"],
    ["nested ifs", floats, "(a, b) => { let s = a; if (a > 0 && b > 0) s += b; return s * s; }",
      "(a, b) => { let s = a; if (a > 0) { if (b > 0) s += b; } return s * s; }"],
    ["nested choices of one value", floats, "(a, b) => a > 0 && b > 0 ? a : b", "(a, b) => a > 0 ? (b > 0 ? a : b) : b"],
    ["either of two tests", floats, "(a, b) => a > 0 || b > 0 ? a : b", "(a, b) => { if (a > 0) return a; if (b > 0) return a; return b; }"],
    ["De Morgan", floats, "(a, b) => !(a > 0 && b > 0)", "(a, b) => !(a > 0) || !(b > 0)"],
    ["chains of && in other parentheses", floats, "(a, b) => a > 0 && b > 0 && a > b", "(a, b) => a > 0 && (b > 0 && a > b)"],
    ["not of a comparison of integers", integers, "(a, b) => !(a < b)", "(a, b) => a >= b"],
    ["branches of integers, swapped", integers, "(a, b) => a >= b ? a : -b", "(a, b) => a < b ? -b : a"],
    ["not of an equality", floats, "(a, b) => !(a === b)", "(a, b) => a !== b"],
    ["not of not", floats, "(a, b) => !!(a < b)", "(a, b) => a < b"],
    ["true and false as a minifier writes them", floats, "(a, b) => a > b ? true : false", "(a, b) => a > b ? !0 : !1"],
    ["a choice between true and false", floats, "(a, b) => a > b", "(a, b) => { if (a > b) return true; return false; }"],
    ["a bool or a test", floats, "(a, b) => a > b || b > 1", "(a, b) => a > b ? true : b > 1"],
    ["a value or another", integers, "(a, b) => a || b", "(a, b) => a ? a : b"],
    ["a value and another", integers, "(a, b) => a && b", "(a, b) => a ? b : a"],
    ["a literal on the left of a comparison", floats, "(a, b) => a > 0 ? 1 : b", "(a, b) => 0 < a ? 1 : b"],
    ["a literal on the left of a product", floats, "(a, b) => a * 2 + b", "(a, b) => 2 * a + b"],
    ["a literal on the left of a bit operation", integers, "(a, b) => (a & 255) ^ b", "(a, b) => (255 & a) ^ b"],
    ["what cuts an integer to itself", integers, "(a, b) => a + b", "(a, b) => (a + b) | 0"],
    ["what cuts an unsigned integer to itself", "uint32, uint32", "(a, b) => a + b", "(a, b) => (a + b) >>> 0"],
    ["statements after a jump", floats, "(a, b) => a + b", "(a, b) => { return a + b; a = b; return a; }"],
    ["an if without effect", floats, "(a, b) => a + b", "(a, b) => { if (a > b) { } else { } return a + b; }"],
    ["an if that is never taken", floats, "(a, b) => a + b", "(a, b) => { if (false) return b; return a + b; }"],
    ["a test between literals", floats, "(a, b) => a + b", "(a, b) => { const debug = 0; if (debug === 1) return b; return a + b; }"],
    ["continue and its opposite", integers,
      "(a, b) => { let s = 0; for (let i = 0; i < a; i++) { if (i % 3 === 1) continue; s += b; } return s; }",
      "(a, b) => { let s = 0; for (let i = 0; i < a; i++) if (i % 3 !== 1) s += b; return s; }"],
    ["break as a test", integers,
      "(a, b) => { let s = 0; for (let i = 0; i < a; i++) { if (s > b) break; s += i; } return s; }",
      "(a, b) => { let s = 0; for (let i = 0; i < a && !(s > b); i++) s += i; return s; }"],
    ["while and for", integers,
      "(a, b) => { let i = 0; while (i < a) { i += b; } return i; }",
      "(a, b) => { let i = 0; for (; i < a; i += b); return i; }"],
    ["switch that returns", integers,
      "(a, b) => { if (a === 1) return b; if (a === 2 || a === 3) return -b; return 0; }",
      "(a, b) => { switch (a) { case 1: return b; case 2: case 3: return -b; default: return 0; } }"],
    ["switch with breaks", integers,
      "(a, b) => { let s = 0; if (a === 1) s = b; else if (a === 2) s = b * b; else s = a * b; return s + 1; }",
      "(a, b) => { let s = 0; switch (a) { case 1: s = b; break; default: s = a * b; break; case 2: s = b * b; } return s + 1; }"],
    ["switch with a break under a condition", integers,
      "(a, b) => { let s = a; if (a === 1) { if (b <= 0) { s += 2; s *= b; } } return s; }",
      "(a, b) => { let s = a; switch (a) { case 1: if (b > 0) break; s += 2; s *= b; } return s; }"],
    ["a loop of one turn", integers,
      "(a, b) => { let s = a; if (b > 0) { s += b; s *= a; } return s; }",
      "(a, b) => { let s = a; do { if (!(b > 0)) break; s += b; s *= a; } while (false); return s; }"],
    ["while (true)", integers,
      "(a, b) => { let i = 0; while (true) { i += 3; if (i > a) return i * b; } }",
      "(a, b) => { let i = 0; for (;;) { i += 3; if (i > a) return i * b; } }"],
    ["a conversion that keeps every value", "int32, int32 -> float32", "(a, b) => a > b ? a : b",
      "(a, b) => { if (a > b) return Number(a); return b; }"],
    ["a test of && of numbers", integers, "(a, b) => { if (a && b) return 1; return 2; }",
      "(a, b) => { if (a) { if (b) return 1; } return 2; }"],
  ])("%s", (_what, signature, one, other) => {
    expect(fingerprint(other, signature)).toBe(fingerprint(one, signature));
  }); // prettier-ignore
});

describe("two programs", () => {
  test.each([
    ["a constant", floats, "(a, b) => a * 2 + b", "(a, b) => a * 3 + b"],
    ["a named constant", floats, "(a, b) => { const k = 2; return a * k + b; }", "(a, b) => { const k = 3; return a * k + b; }"],
    ["an operator", floats, "(a, b) => a + b * 2", "(a, b) => a - b * 2"],
    ["a comparison's operator", floats, "(a, b) => a < b", "(a, b) => a <= b"],
    ["the order of a difference", floats, "(a, b) => a - b", "(a, b) => b - a"],
    ["a literal on the left of a difference", floats, "(a, b) => a - 1 + b", "(a, b) => 1 - a + b"],
    ["a literal on the left of a shift", integers, "(a, b) => (a << 1) + b", "(a, b) => (1 << a) + b"],
    ["the grouping of a sum", floats, "(a, b) => a + b + 1", "(a, b) => a + (b + 1)"],
    ["the branches of a choice", floats, "(a, b) => a < b ? a : b", "(a, b) => a < b ? b : a"],
    ["NaN: not less is not greater or equal", floats, "(a, b) => !(a < b)", "(a, b) => a >= b"],
    ["NaN: branches of a comparison of floats", floats, "(a, b) => a < b ? a : b", "(a, b) => a >= b ? b : a"],
    ["NaN: a comparison of an integer with a float", "int64, float64", "(a, b) => !(a < b)", "(a, b) => a >= b"],
    ["NaN: the larger by Math.max", floats, "(a, b) => Math.max(a, b)", "(a, b) => a > b ? a : b"],
    ["NaN: a number that is equal to itself", floats, "(a, b) => a === a ? a : b", "(a, b) => a"],
    ["-0: the sign of a literal", floats, "(a, b) => a + b + 0", "(a, b) => a + b + -0"],
    ["-0: a sum with 0", floats, "(a, b) => a * b + 0", "(a, b) => a * b"],
    ["-0: negation", floats, "(a, b) => -(a + b)", "(a, b) => 0 - (a + b)"],
    ["rounding on the way", "float64, float64", "(a, b) => a + b", "(a, b) => { const s = Math.fround(a + b); return s; }"],
["rounding of a 64-bit integer", "int64, int64 -> int32", "(a, b) => a + b", "(a, b) => Number(a + b)"],
        ["what cuts a float to an integer", "float64, float64", "(a, b) => a + b", "(a, b) => (a + b) | 0"],
    ["what cuts an unsigned integer to a signed one", "uint32, uint32", "(a, b) => a + b", "(a, b) => (a + b) | 0"],
    ["wrapping on the way", integers, "(a, b) => a + b", "(a, b) => { const s = int8(a + b); return s; }"],
    ["a copy that outlives a change", floats,
      "(a, b) => { let s = a; const t = s; for (let i = 0; i < 3; i++) s += b; return s - t; }",
      "(a, b) => { let s = a; for (let i = 0; i < 3; i++) s += b; const t = s; return s - t; }"],
    ["a value that is computed before a loop", floats,
      "(a, b) => { let s = a; const d = s * 2; for (let i = 0; i < 3; i++) s += d; return s + b; }",
      "(a, b) => { let s = a; for (let i = 0; i < 3; i++) { const d = s * 2; s += d; } return s + b; }"],
    ["a variable that lives through the turns", floats,
      "(a, b) => { let t = 1, s = 0; for (let i = 0; i < 3; i++) { t *= a; s += t; } return s + b; }",
      "(a, b) => { let s = 0; for (let i = 0; i < 3; i++) { let t = 1; t *= a; s += t; } return s + b; }"],
    ["continue before the last statement", integers,
      "(a, b) => { let s = 0; for (let i = 0; i < a; i++) { if (i > b) continue; s += i; } return s; }",
      "(a, b) => { let s = 0; for (let i = 0; i < a; i++) { if (i > b) break; s += i; } return s; }"],
["continue past what follows a branch", integers,
      "(a, b) => { let s = 0; for (let i = 0; i < a; i++) { if (i > b) { if (i & 1) continue; s += 1; } s += i; } return s; }",
      "(a, b) => { let s = 0, i = 0; while (i < a) { if (i > b) { if (i & 1) continue; s += 1; } s += i; i++; } return s; }"],
        ["a test before and after the first turn", integers,
      "(a, b) => { let i = 0; while (i < a) i += b; return i; }",
      "(a, b) => { let i = 0; do i += b; while (i < a); return i; }"],
  ])("%s", (_what, signature, one, other) => {
    expect(fingerprint(other, signature)).not.toBe(fingerprint(one, signature));
  }); // prettier-ignore

  test("a parameter's type", () => {
    const text = "(a, b) => { const s = a + b; return s; }";
    expect(fingerprint(text, "float32, float32")).not.toBe(fingerprint(text, "float64, float64"));
  });
});

describe("CCCL's own operators are found behind statements", () => {
  test.each([
    ["function (a, b) { const s = a + b; return s; }", floats, 2],
    ["function (a, b) { var s = a; s *= b; return s; }", floats, 4],
    ["function (a, b) { if (a < b) return a; return b; }", integers, 22],
    ["function (a, b) { let m; if (!(a < b)) m = a; else m = b; return m; }", integers, 23],
    ["function (a, b) { if (a < b) { return true; } else { return false; } }", floats, 10],
    ["(a, b) => (a + b) | 0", integers, 2],
    ["function (a, b) { return !(a !== b); }", floats, 7],
  ])("%s on %s", (text, signature, kind) => {
    expect(kindOf(text, signature)).toBe(kind);
  });

  test.each([
    ["the smaller of floats: NaN", "(a, b) => { if (a < b) return a; return b; }", floats],
    ["not of a comparison of floats: NaN", "(a, b) => !(a < b)", floats],
  ])("but not %s", (_why, text, signature) => {
    expect(kindOf(text, signature)).toBeUndefined();
  });
});

describe("the canonical program", () => {
  const programOf = (text: string, types: readonly ScalarType[], result: ScalarType | undefined): Program => {
    const source = { text };
    const syntax = resolveFunction(parseFunction(source, "op"), "op", false);
    return checkFunction(syntax, source, types, [], result, "op").program;
  };
  const { int32, float64 } = scalarTypes;

  test("has its locals in the order of their declarations, and no others", () => {
    const text = "(a, b) => { let unused = 1; let s = a, t = Number(b); while (s < b) { s += 2; t += s; } return t; }";
    expect(canonical(programOf(text, [int32, int32], undefined)).locals).toEqual([int32, float64]);
  });

  test("is its own canonical program", () => {
    fc.assert(
      fc.property(functions, ({ text, types, result }) => {
        const program = typed(() => programOf(text, types, result));
        if (program === undefined) return;
        const once = canonical(program);
        expect(canonical(once)).toEqual(once);
      }),
      { numRuns: 200 },
    );
  });

  test("computes what the program computes, to the bit", () => {
    let compared = 0;
    fc.assert(
      fc.property(functions, fc.infiniteStream(elements), ({ text, types, result }, stream) => {
        const program = typed(() => programOf(text, types, result));
        if (program === undefined) return;
        const before = compileForHost(program)([]);
        const after = compileForHost(canonical(program))([]);
        for (let round = 0; round < 20; round++) {
          const operands = types.map((type: ScalarType) => elementOf(type, stream.next().value));
          const [value, expected] = [after(...operands), before(...operands)];
          if (!Object.is(value, expected)) expect({ operands, value }).toEqual({ operands, value: expected });
          compared++;
        }
      }),
      { numRuns: Number(process.env["CUDA_COMPUTE_PROGRAMS"] ?? 250) },
    );
    expect(compared).toBeGreaterThan(1000);
  });
});

/** The program, where the function has a meaning for its types: some mix 64-bit integers with bit operations. */
function typed(action: () => Program): Program | undefined {
  try {
    return action();
  } catch (error) {
    if (error instanceof CompileError) return undefined;
    throw error;
  }
}

/** Of BigInts, also some that float64 cannot hold. */
const elements: fc.Arbitrary<number | bigint> = fc.oneof(
  fc.constantFrom((1n << 53n) + 1n, (1n << 62n) + 1n, -(1n << 53n) - 1n),
  fc.constantFrom(0, -0, 1, -1, 0.5, -0.5, 2, 3, 127, 128, 2 ** 31, -(2 ** 31), 2 ** 53, 1e300, 1e-40, NaN, Infinity),
  fc.double(),
  fc.integer({ min: -9, max: 9 }),
);

function elementOf(type: ScalarType, value: number | bigint): ScalarValue {
  if (typeof value === "number") return hostConvert(scalarTypes.float64, type)(value);
  return hostConvert(scalarTypes.int64, type)(value);
}
