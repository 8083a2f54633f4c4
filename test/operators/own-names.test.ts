/** A name means what it means in JavaScript: the function's own where its closure has one, else the library's. */
import { DeviceArray } from "../../lib";
import * as library from "../../lib/operators";
import { bind, float32, resolveOperator } from "../../lib/operators";
import type { ScalarValue } from "../../lib/types/scalar";
import { evaluate, functionFrom, specialize, thrownBy } from "./helpers";

/** A function made where these variables are declared. */
function within(declarations: string, text: string, given?: unknown): (x: number) => ScalarValue {
  return (functionFrom(`(given) => { ${declarations} return ${text}; }`) as (given: unknown) => never)(given);
}

describe("a name of the library's or of JavaScript's that the closure declares is the closure's", () => {
  test.each([
    ["a conversion", "const int32 = (x) => x * 100;", "(x) => int32(x) + 1", 2.5, 251],
    ["a conversion, with other parameters", "const int8 = (a, b) => a - b;", "(x) => int8(x, 1)", 2.5, 1.5],
    ["a conversion that is a number", "const float16 = 3;", "(x) => x * float16", 2.5, 7.5],
    ["a method", "const codec = { float16: (x) => x / 2 };", "(x) => codec.float16(x)", 2.5, 1.25],
    [
      "a method beside the library's",
      "const c = { int8: given.int8, bool: (x) => x + 1 };",
      "(x) => c.int8(x) + c.bool(x)",
      2.5,
      5.5,
    ],
    ["an atomic", "const atomicAdd = (a, b, c) => a + b + c;", "(x) => atomicAdd(x, 1, 2)", 2.5, 5.5],
    ["Math", "const Math = { sqrt: (x) => -x, PI: 3 };", "(x) => Math.sqrt(x) + Math.PI", 2.5, 0.5],
    ["a member that Math lacks", "const Math = { twice: (x) => 2 * x };", "(x) => Math.twice(x)", 2.5, 5],
    ["Number", "const Number = (x) => x + 10;", "(x) => Number(x)", 2.5, 12.5],
    ["a member of Number", "const Number = { isInteger: (x) => x + 1 };", "(x) => Number.isInteger(x)", 2.5, 3.5],
    ["isNaN", "const isNaN = (x) => x - 1;", "(x) => isNaN(x)", 2.5, 1.5],
    ["NaN", "const NaN = 4;", "(x) => x + NaN", 2.5, 6.5],
    ["Infinity", "const Infinity = 5;", "(x) => x + Infinity", 2.5, 7.5],
    ["undefined", "const undefined = 6;", "(x) => x + undefined", 2.5, 8.5],
  ])("%s", (_what, declarations, text, x, expected) => {
    const op = within(declarations, text, library);
    expect([evaluate(op, "float64", x), op(x)]).toEqual([expected, expected]);
  });

  test("its value is read at every call", () => {
    const setter: { set?: (value: number) => void } = {};
    const op = within("let Infinity = 1; given.set = (value) => { Infinity = value; };", "(x) => Infinity + x", setter);
    expect(evaluate(op, "float64", 1)).toBe(2);
    setter.set?.(5);
    expect(evaluate(op, "float64", 1)).toBe(6);
  });

  test("a function that a captured function captures", () => {
    const op = within("const int32 = (x) => x * 100; const f = (x) => int32(x) - 1;", "(x) => f(x)");
    expect(evaluate(op, "float64", 2)).toBe(199);
  });

  test("a function of its own that writes is not called before what stands before it", () => {
    const counts = DeviceArray.zeros(2, "int32");
    const text = "(i) => { let x; return counts[i] + (x = int32(i)) + x; }";
    const op = within(
      "const counts = given; const int32 = (i) => { counts[i] += 1; return counts[i]; };",
      text,
      counts,
    );
    expect(thrownBy(() => specialize(op, "int32")).message).toContain("an assignment inside an expression");
  });

  test("a function that calls itself", () => {
    const declared = within("function int32(x) { return x > 1 ? int32(x - 1) : x; }", "int32");
    expect(thrownBy(() => specialize(declared, "int32")).message).toContain("recursion");
    const expression = functionFrom("(function float32(x) { return x > 1 ? float32(x - 1) : x; })");
    expect(thrownBy(() => specialize(expression, "int32")).message).toContain("recursion");
  });
});

describe("a name is the library's", () => {
  const plain = specialize((x: number) => float32(x) / 3, "float64").fingerprint;
  const half = "(x) => x / 3";
  test.each([
    ["where nothing declares it", "", "(x) => float32(x) / 3"],
    ["as an import", "const { float32 } = given;", "(x) => { return float32(x) / 3; }"],
    ["as a member of the module", "const cuda_compute_1 = given;", "(x) => (0, cuda_compute_1.float32)(x) / 3"],
    ["as a member of a default export", "const m = { default: given };", "(x) => m.default.float32(x) / 3"],
    ["under another name", "const { float32: f } = given;", "(x) => f(x) / 3"],
    ["under the name of another", "const { float32: int8 } = given;", "(x) => int8(x) / 3"],
  ])("%s", (_what, declarations, text) => {
    const op = within(declarations, text, library);
    expect(specialize(op, "float64").fingerprint).toBe(plain);
    expect(specialize(functionFrom(half), "float64").fingerprint).not.toBe(plain);
  });

  test("when it comes from another copy of the library in the process", () => {
    let copy = library;
    jest.isolateModules(() => {
      copy = require("../../lib/operators") as typeof library;
    });
    expect(copy.float32).not.toBe(library.float32);
    const declared = within("const { float32 } = given;", "(x) =>  float32(x) / 3", copy);
    const renamed = within("const { float32: g } = given;", "(x) => g(x) / 3", copy);
    expect(specialize(declared, "float64").fingerprint).toBe(plain);
    expect(specialize(renamed, "float64").fingerprint).toBe(plain);
    const counts = DeviceArray.zeros(1, "int32");
    const atomic = within(
      "const { atomicAdd: add, counts } = given;",
      "(i) => { const n = add(counts, i, 1); return n; }",
      { ...copy, counts },
    );
    expect(specialize(atomic, "int32").resultType.name).toBe("int32");
  });

  test("and the function captures nothing, so that a call costs no reading", () => {
    const op = within("const { int16 } = given; const { Math } = globalThis;", "(x) => int16(Math.sqrt(x))", library);
    const use = resolveOperator(op, 1, "op");
    expect(use.operator).toBe(use);
    expect(use.operator.captureNames).toEqual([]);
    expect(resolveOperator(within("", "(x) => int16(Math.sqrt(x))"), 1, "op")).toBe(use);
  });
});

describe("bind", () => {
  test("takes a function by such a name from the captures object", () => {
    const op = bind(functionFrom("(x, { int32 }) => int32(x)") as never, { int32: (x: number) => x * 3 }); // prettier-ignore
    expect(evaluate(op, "float64", 2.5)).toBe(7.5);
    const whole = bind(functionFrom("(x, c) => c.Math.sqrt(x)") as never, { Math: { sqrt: (x: number) => x * 3 } });
    expect(evaluate(whole, "float64", 2.5)).toBe(7.5);
  });

  test("does not take what the closure has by such a name for the library's", () => {
    const op = within("const uint8 = (x) => x * 100;", "(x, { k }) => uint8(x) + k");
    const error = thrownBy(() => specialize(bind(op as never, { k: 1 }), "float64"));
    expect(error.message).toContain("the captured `uint8` has no value");
    expect(error.frame).toContain("^");
  });
});
