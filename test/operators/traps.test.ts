/** Functions that are easy to compile into something else than JavaScript means. */
import { DeviceArray } from "../../lib";
import { CompileError } from "../../lib/errors";
import { atomicAdd, bind } from "../../lib/operators";
import { evaluate, functionFrom, specialize, thrownBy } from "./helpers";

type Numbers = Record<number, number>;
const array = (...values: number[]): Numbers => DeviceArray.from(values, "float64");
const bound = (text: string, captures: object): unknown => bind(functionFrom(`(${text})`) as never, captures);

test.each<[string, string, object, number]>([
  [
    "a variable that is called like a coverage counter",
    "(x, {}) => { let cov_x = 0; cov_x++; return cov_x + x; }",
    {},
    4,
  ],
  ["0 and -0 given to one function", "(x, { h }) => x + h(0) + h(-0)", { h: functionFrom("(y) => { const z = y; return 1 / z; }") }, NaN], // prettier-ignore
  ["paths that only look alike", "(x, { c }) => x * 10 * c['a.b'] + c.a.b", { c: { "a.b": 1, a: { b: 2 } } }, 32],
  ["a captured name that objects have", "(x, { toString }) => x * toString", { toString: 5 }, 15],
  ["an index beyond an array literal", "(x, {}) => { const a = [x, 1]; return a[5] ?? 7; }", {}, 7],
  ["a test of a 64-bit literal's negation", "(x, {}) => (uint64(x) > -18446744073709551615n ? 1 : 0)", {}, 1],
])("%s", (_what, text, captures, expected) => {
  expect(evaluate(bound(text, captures), "float64", 3)).toBe(expected);
});

test("a store to an array that is called like a coverage counter is one", () => {
  const cov_x = array(1);
  evaluate(bound("(x, { cov_x }) => { cov_x[0]++; return x; }", { cov_x }), "float64", 3);
  expect(evaluate(bound("(x, { cov_x }) => cov_x[0]", { cov_x }), "float64", 0)).toBe(2);
});

test("free names that objects have are captured names, not numbers", () => {
  expect(thrownBy(() => specialize(functionFrom("(x) => x * constructor"), "float64"))).toBeInstanceOf(CompileError);
  expect(thrownBy(() => specialize(functionFrom("(x) => x * Math.constructor"), "float64"))).toBeInstanceOf(
    CompileError,
  );
});

test("an atomic may take and give one variable", () => {
  const cells = array(10);
  const op = (x: number): number => {
    let y = x;
    y = atomicAdd(cells, 0, y);
    return 1;
  };
  expect(evaluate(op, "float64", 5)).toBe(1);
  expect(evaluate((x: number) => cells[0]! + x, "float64", 0)).toBe(15);
});

test("a function that writes may take and give one parameter", () => {
  const cells = array(0);
  const write = functionFrom("(v) => v") as (v: number) => number;
  expect(evaluate(bound("(x, { cells, f }) => { const w = f; x = f(x + 1); return 1; }".replace("const w = f; ", ""), { cells, f: write }), "float64", 5)).toBe(1); // prettier-ignore
  const op = bound("(x, { cells, set }) => { x = set(x + 1, cells); return 1; }", {
    cells,
    set: functionFrom("(v, to) => { to[0] = v; return v; }"),
  });
  expect(evaluate(op, "float64", 5)).toBe(1);
  expect(evaluate((x: number) => cells[0]! + x, "float64", 0)).toBe(6);
});

test.each([
  [
    "an assignment in what is stored, which JavaScript makes after it read the index",
    "(x, { a }) => { let i = 0; a[i] = i = i + 1; return i; }",
  ],
  [
    "an assignment of a call behind a call that may read what it writes",
    "(x, { a, g, h }) => { let q = 0; return g() + (q = h()); }",
  ],
  ["a field called __proto__", "(x, {}) => { const p = { '__proto__': x }; return 1; }"],
  ["a var of a captured value's name", "(x, { k }) => { var k = 3; return x * k; }"],
  ["a sum of thousands", `(x, {}) => ${Array<string>(6000).fill("x").join(" + ")}`],
])("%s is refused", (_what, text) => {
  const captures = {
    a: array(0, 0),
    k: 2,
    g: functionFrom("() => 1"),
    h: functionFrom("() => 2"),
  };
  expect(thrownBy(() => specialize(bound(text, captures), "float64"))).toBeInstanceOf(CompileError);
});

test("nested integer divisions take no longer than their text", () => {
  let text = "x";
  for (let depth = 0; depth < 40; depth++) text = `Math.trunc(${text} / 3)`;
  expect(evaluate(bound(`(x, {}) => ${text}`, {}), "int32", 12345)).toBe(0);
});

test("products of a counter stay exact: they are not integers of 64 bits", () => {
  const text = "(x, {}) => { let s = 0; for (let i = 8; i < 10; i++) if (i * 1024 * 1024 * 1024 * 1024 * 1024 * 1024 > 0) s += x; return s; }"; // prettier-ignore
  expect(specialize(bound(text, {}), "float64").cuda("f")).not.toContain("multiply(cuda_compute::multiply(v1");
  const equal = "(x, {}) => { let s = 0; for (let i = 0; i < 10; i++) if (i + 1 === x) s += 1; return s; }";
  expect(specialize(bound(equal, {}), "float64").cuda("f")).toContain("static_cast<double>(v1)");
});
