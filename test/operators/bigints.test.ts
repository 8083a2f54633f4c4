/** BigInts: their cuts to a number of bits, and captured ones of 64 bits with a sign or without. JavaScript says what is right. */
import { CompileError } from "../../lib/errors";
import { bind, uint64 } from "../../lib/operators";
import { evaluate, functionFrom, naturalType, specialize, thrownBy } from "./helpers";

const most = (1n << 64n) - 1n;
const unsigned = [0n, 1n, 127n, 128n, 255n, 0x8000_0000n, 0xdead_beef_cafe_f00dn, 1n << 63n, most];
const values = {
  int64: unsigned.map((value) => BigInt.asIntN(64, value)),
  uint64: unsigned,
};
const allBits = Array.from({ length: 65 }, (_, bits) => bits);

describe.each(["asIntN", "asUintN"] as const)("BigInt.%s", (name) => {
  const result = name === "asIntN" ? "int64" : "uint64";

  test.each(["int64", "uint64"] as const)("of an %s is JavaScript's, with every number of bits", (type) => {
    for (const bits of allBits) {
      const op = functionFrom(`(x) => BigInt.${name}(${String(bits)}, x)`) as (x: bigint) => bigint;
      expect(naturalType(op, type)).toBe(result);
      const found = values[type].map((x) => evaluate(op, type, x));
      expect({ bits, found }).toEqual({ bits, found: values[type].map((x) => BigInt[name](bits, x)) });
    }
  });

  const declarations: readonly (readonly [string, (bits: number) => unknown])[] = [
    ["a constant of its own", (bits) => functionFrom(`(x) => { const n = ${String(bits)}; return BigInt.${name}(n, x); }`)],
    ["a captured constant", (bits) => functionFrom(`((n) => (x) => BigInt.${name}(n, x))(${String(bits)})`)],
    ["a bound number", (bits) => bind(functionFrom(`(x, { n }) => BigInt.${name}(n, x)`) as never, { n: bits })],
    ["an expression", (bits) => functionFrom(`((n) => (x) => BigInt.${name}(n / 2, x))(${String(bits * 2)})`)],
    ["a fraction", (bits) => functionFrom(`(x) => BigInt.${name}(${String(bits)}.5, x)`)],
    ["a helper's", (bits) => functionFrom(`((f) => (x) => f(${String(bits)}, x))((n, x) => BigInt.${name}(n, x))`)],
    ["a helper's own", (bits) => functionFrom(`((f) => (x) => f(x))((x) => BigInt.${name}(${String(bits)}, x))`)],
    ["given to it by another name", (bits) =>
      functionFrom(`(({ ${name}: cut }) => (x) => cut(${String(bits)}, x))(BigInt)`)],
  ]; // prettier-ignore
  test.each(declarations)("to a number of bits that is %s", (_what, make) => {
    for (const bits of [0, 1, 8, 33, 63, 64]) {
      for (const type of ["int64", "uint64"] as const) {
        const found = values[type].map((x) => evaluate(make(bits), type, x));
        expect({ bits, found }).toEqual({ bits, found: values[type].map((x) => BigInt[name](bits, x)) });
      }
    }
  });

  test("of other types of numbers is refused, of booleans it is JavaScript's", () => {
    const op = functionFrom(`(x) => BigInt.${name}(8, x)`);
    for (const type of ["int32", "uint8", "float32", "float64"]) {
      const error = thrownBy(() => specialize(op, type));
      expect(error).toBeInstanceOf(CompileError);
      expect(error.message).toContain(`BigInt.${name} of ${type}`);
      expect(error.message).toContain("BigInt(x)");
    }
    expect(evaluate(op, "bool", true)).toBe(BigInt[name](8, true as never));
    expect(thrownBy(() => specialize(functionFrom(`(x) => BigInt.${name}(8, 5)`), "int64")).message).toContain("BigInt(x)");
  }); // prettier-ignore

  test.each([
    ["65", "to 65 bits"],
    ["-1", "to -1 bits"],
    ["8n", "a BigInt's number of bits"],
    ["x", "a BigInt's number of bits"],
  ])("to %s bits is refused", (bits, problem) => {
    const error = thrownBy(() => specialize(functionFrom(`(x) => BigInt.${name}(${bits}, x)`), "int64"));
    expect(error.message).toContain(problem);
    expect(error.frame).toContain("^");
  });

  test("takes two arguments", () => {
    const error = thrownBy(() => specialize(functionFrom(`(x) => BigInt.${name}(x)`), "int64"));
    expect(error.message).toContain(`BigInt.${name} takes 2 argument(s)`);
  });
});

test("a member that BigInt has not, or that is not for operators, is refused by name", () => {
  for (const text of ["(x) => BigInt.prototype", "(x) => BigInt.prototype.toString(x)", "(x) => BigInt.asIntN"]) {
    expect(thrownBy(() => specialize(functionFrom(text), "int64")).message).toMatch(/^reduceInto\.op: BigInt\./);
  }
});

test("BigInt of numbers truncates where JavaScript throws; Number of BigInts is the nearest float64", () => {
  const toBigInt = (x: number | bigint | boolean): bigint => BigInt(x);
  expect(evaluate(toBigInt, "int32", -5)).toBe(-5n);
  expect(evaluate(toBigInt, "uint32", 2 ** 32 - 1)).toBe(4294967295n);
  expect(evaluate(toBigInt, "float64", 2 ** 60)).toBe(1n << 60n);
  expect(evaluate(toBigInt, "float64", -2.9)).toBe(-2n);
  expect(evaluate(toBigInt, "float64", NaN)).toBe(0n);
  expect(evaluate(toBigInt, "bool", true)).toBe(1n);
  expect(evaluate(toBigInt, "uint64", most)).toBe(most);
  expect(naturalType(toBigInt, "uint64")).toBe("uint64");
  const toNumber = (x: bigint): number => Number(x);
  for (const value of values.uint64) expect(evaluate(toNumber, "uint64", value)).toBe(Number(value));
  for (const value of values.int64) expect(evaluate(toNumber, "int64", value)).toBe(Number(value));
  expect(naturalType(toNumber, "int64")).toBe("float64");
});

describe("a captured BigInt", () => {
  const seeds = [0n, 5n, (1n << 63n) - 1n, 1n << 63n, most];
  const withSeed = (text: string, k: bigint): unknown => bind(functionFrom(`(x, { k }) => ${text}`) as never, { k });
  const exact: readonly (readonly [string, (x: bigint, k: bigint) => bigint | boolean])[] = [
    ["x + k", (x, k) => BigInt.asUintN(64, x + k)],
    ["k - x", (x, k) => BigInt.asUintN(64, k - x)],
    ["x * k", (x, k) => BigInt.asUintN(64, x * k)],
    ["x / k", (x, k) => (k === 0n ? 0n : x / k)],
    ["k % x", (x, k) => (x === 0n ? 0n : k % x)],
    ["x ^ k", (x, k) => x ^ k],
    ["k & x", (x, k) => x & k],
    ["x < k", (x, k) => x < k],
    ["k <= x", (x, k) => k <= x],
    ["x === k", (x, k) => x === k],
    ["x > 7n ? x : k", (x, k) => (x > 7n ? x : k)],
    ["uint64(k)", (_, k) => k],
  ];

  test.each(exact)("that is not negative is a uint64 beside one, whatever its value: %s", (text, expected) => {
    for (const k of seeds) {
      const op = withSeed(text, k);
      expect(naturalType(op, "uint64")).toBe(typeof expected(1n, 1n) === "boolean" ? "bool" : "uint64");
      for (const x of values.uint64) {
        expect({ x, k, value: evaluate(op, "uint64", x) }).toEqual({ x, k, value: expected(x, k) });
      }
    }
  });

  test("is an int64 beside one, and where int64 cannot hold it the common type is float64", () => {
    for (const k of [-7n, 0n, 5n, (1n << 63n) - 1n]) {
      const op = withSeed("x + k", k);
      expect(naturalType(op, "int64")).toBe("int64");
      for (const x of values.int64) expect(evaluate(op, "int64", x)).toBe(BigInt.asIntN(64, x + k));
    }
    expect(naturalType(withSeed("x + k", most), "int64")).toBe("float64");
    expect(evaluate(withSeed("x < k", most), "int64", -1n)).toBe(true);
    expect(evaluate(withSeed("x + int64(k)", most), "int64", 5n)).toBe(4n);
  });

  test("that is negative is an int64", () => {
    expect(naturalType(withSeed("x + k", -1n), "uint64")).toBe("float64");
    expect(evaluate(withSeed("x > k", -1n), "uint64", 0n)).toBe(true);
    expect(evaluate(withSeed("x + uint64(k)", -1n), "uint64", 5n)).toBe(4n);
  });

  test("has the types that it had beside other numbers, on either side", () => {
    for (const k of [-3n, 3n]) {
      for (const [type, expected] of [["int32", "int64"], ["uint8", "int64"], ["float32", "float64"], ["float64", "float64"]] as const) {
        expect(naturalType(withSeed("x * k", k), type)).toBe(expected);
        expect(naturalType(withSeed("k * x", k), type)).toBe(expected);
      }
      for (const text of ["k * 2", "2 * k", "k + 1n", "-k", "~k"]) {
        expect([text, naturalType(withSeed(text, k), "int32")]).toEqual([text, "int64"]);
      }
      expect(evaluate(withSeed("2 * k", k), "int32", 0)).toBe(2n * k);
    }
  }); // prettier-ignore

  test("may be captured by a closure, a helper and an object", () => {
    const seed = 0x9e37_79b9_7f4a_7c15n;
    const mix = (x: bigint): bigint => (x ^ seed) * seed;
    expect(evaluate(mix, "uint64", 3n)).toBe(BigInt.asUintN(64, (3n ^ seed) * seed));
    const whole = (x: bigint): bigint => mix(x) >> 7n;
    expect(evaluate(whole, "uint64", 3n)).toBe(BigInt.asUintN(64, (3n ^ seed) * seed) >> 7n);
    const op = bind((x: bigint, { settings }: { settings: { seed: bigint } }) => x ^ settings.seed, { settings: { seed } });
    expect(evaluate(op, "uint64", 1n)).toBe(1n ^ seed);
    expect(naturalType((x: bigint) => x ^ uint64(seed), "uint64")).toBe("uint64");
  }); // prettier-ignore

  test("of either sign gives one build where the rules of types come to the same program", () => {
    const fingerprint = (text: string, k: bigint, type: string): string => specialize(withSeed(text, k), type).fingerprint;
    expect(fingerprint("x + k", -5n, "int64")).toBe(fingerprint("x + k", 5n, "int64"));
    expect(fingerprint("x + k", -5n, "int64")).not.toBe(fingerprint("x + k", most, "int64"));
    expect(fingerprint("x + k", 5n, "uint64")).not.toBe(fingerprint("x + k", -5n, "uint64"));
  }); // prettier-ignore
});
