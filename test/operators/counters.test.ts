import { DeviceArray } from "../../lib";
import { bind } from "../../lib/operators";
import { functionFrom, specialize } from "./helpers";

const table = DeviceArray.from(new Float32Array(4));
const locals = (text: string, signature = "float32"): string[] => {
  const op = bind(functionFrom(`(${text})`) as (x: never, c: object) => unknown, { table, n: 5 });
  const { cuda } = { cuda: specialize(op, signature).cuda("f") };
  return [...cuda.matchAll(/^ +([a-z][a-z ]*) v\d+(?: = [^;]*)?;/gm)].map(([, type = ""]) => type);
};

describe("a loop's counter is an integer on the device", () => {
  test.each([
    [
      "to an array's length",
      "(x, { table }) => { let s = 0; for (let i = 0; i < table.length; i++) s += table[i] * x; return s; }",
    ],
    ["to a captured number", "(x, { n }) => { let s = 0; for (let i = 0; i < n; i++) s += x; return s; }"],
    ["to a literal, in steps", "(x, {}) => { let s = 0; for (let i = 1; i <= 100; i += 3) s += x / i; return s; }"],
    [
      "down from a length",
      "(x, { table }) => { let s = 0; for (let i = table.length - 1; i >= 0; i--) s += table[i] * x; return s; }",
    ],
    [
      "in a test of its remainder",
      "(x, {}) => { let s = 0; for (let i = 0; i < 9; i++) { if (i % 2 === 0) continue; s += x; } return s; }",
    ],
    [
      "in a computed index",
      "(x, { table }) => { let s = 0, i = 0; while (table[2 * i + 1] > x) { i++; s += x; } return s; }",
    ],
  ])("%s", (_what, text) => {
    expect(locals(text)).toEqual(expect.arrayContaining(["float", "long long"]));
    expect(locals(text)).toHaveLength(2);
  });
});

describe("a local stays a float64", () => {
  test.each([
    ["that takes steps of a half", "(x, {}) => { let s = 0; for (let i = 0; i < 9; i += 0.5) s += x; return s; }"],
    ["that begins at -0", "(x, {}) => { let s = 0; for (let i = -0; i < 9; i++) s += x / i; return s; }"],
    ["that is multiplied", "(x, {}) => { let s = 0; for (let i = 1; i < 9; i *= 2) s += x; return s; }"],
    ["that takes large steps", "(x, {}) => { let s = 0; for (let i = 1; i < 1e9; i += 1e8) s += x; return s; }"],
    [
      "that no test or index asks for",
      "(x, {}) => { let s = 0, c = 0; while (s < x) { s += x / 3; c++; } return s / c; }",
    ],
  ])("%s", (_what, text) => {
    expect(locals(text)).toContain("double");
    expect(locals(text)).not.toContain("long long");
  });

  test("one of 32 bits keeps its type", () => {
    expect(locals("(x, {}) => { let s = 0; for (let i = x; i > 0; i--) s += i; return s; }", "int32")).toEqual([
      "int",
      "int",
    ]);
  });

  test("a counter and a 64-bit integer compare exactly, as they are", () => {
    const text = "(x, {}) => { let s = 0; for (let i = 0; i < 9; i++) if (i < x) s += i; return s; }";
    const op = bind(functionFrom(`(${text})`) as never, {});
    expect(specialize(op, "uint64").cuda("f")).not.toContain("whole_");
    expect(specialize(op, "float64").cuda("f")).toContain("v1 < cuda_compute::whole_from(p0,");
  });

  test("a counter is a number again inside of what it becomes", () => {
    const text = "(x, {}) => { let i = 0; while (i < 50) { i = float64(int32(i * x)); i++; } return i; }";
    const cuda = specialize(bind(functionFrom(`(${text})`) as never, {}), "float64").cuda("f");
    expect(cuda).toContain("long long v0");
    expect(cuda).toContain("(static_cast<double>(v0), p0)");
  });
});
