import { DeviceArray } from "../../lib";
import { CompileError } from "../../lib/errors";
import { bind } from "../../lib/operators";
import type { ElementType, ElementValue } from "../../lib/types/element";
import { scalarTypes } from "../../lib/types/scalar";
import { struct, tupleType } from "../../lib/types/struct";
import { functionFrom, specializeFor, thrownBy } from "./helpers";

const { int8, int32, int64, float32, float64 } = scalarTypes;
const Point = struct({ x: "float32", y: "float32" });
const Best = struct({ value: "float32", index: "int64" });
const Nested = struct({ at: Point, weight: "float64", history: ["int32", 3] });
const pair = tupleType([int32, float64]);

function run(
  op: unknown,
  parameters: readonly ElementType[],
  elements: ElementValue[],
  result?: ElementType,
): ElementValue {
  const specialized = specializeFor(op, parameters, result);
  return specialized.host(specialized.use.values)(...elements);
}
const natural = (op: unknown, ...parameters: ElementType[]): string => specializeFor(op, parameters).resultType.name;

interface P {
  x: number;
  y: number;
}
interface B {
  value: number;
  index: bigint;
}
interface N {
  at: P;
  weight: number;
  history: number[];
}

describe("fields", () => {
  test("are read by name, nested, and by string", () => {
    expect(run((p: P) => p.x * p.y, [Point], [{ x: 3, y: 4 }])).toBe(12);
    expect(natural((p: P) => p.x * p.y, Point)).toBe("float32");
    const nested: N = { at: { x: 1, y: 2 }, weight: 0.5, history: [7, 8, 9] };
    expect(run((n: N) => n.at.y + n.weight + n.history[2]!, [Nested], [nested as never])).toBe(11.5);
    expect(run(functionFrom("(p) => p['x']"), [Point], [{ x: 3, y: 4 }])).toBe(3);
  });

  test("items of an array are read by a computed index; outside of it is 0", () => {
    const nested = { at: { x: 1, y: 2 }, weight: 0, history: [7, 8, 9] };
    const at = (n: N, i: number): number => n.history[i]!;
    expect([0, 2, 3, -1].map((i) => run(at, [Nested, int32], [nested, i]))).toEqual([7, 9, 0, 0]);
    expect(run((n: N, i: number) => n.history[i / 2]!, [Nested, int32], [nested, 1])).toBe(0);
    expect(run((n: N) => n.history.length, [Nested], [nested])).toBe(3);
    expect(run(functionFrom("(n) => n.history[5]"), [Nested], [nested])).toBe(0);
    expect(specializeFor(functionFrom("(n) => n.history[5]"), [Nested]).cuda("f")).toContain("cuda_compute::item(");
    expect(run(functionFrom("(n, i) => n.history[i] ?? -1"), [Nested, int32], [nested, 3])).toBe(-1);
  });

  test("parts of a tuple are read by number", () => {
    expect(run(functionFrom("(t) => t[0] + t[1] * t.length"), [pair], [[1, 0.25]])).toBe(1.5);
  });
});

describe("taking apart", () => {
  test.each<[string, unknown, readonly ElementType[], ElementValue[], ElementValue]>([
    ["a struct parameter", functionFrom("({ x, y }) => x - y"), [Point], [{ x: 5, y: 3 }], 2],
    ["with other names", functionFrom("({ x: a, 'y': b }, { x }) => a * x + b"), [Point, Point], [{ x: 5, y: 3 }, { x: 2, y: 0 }], 13], // prettier-ignore
    ["nested", functionFrom("({ at: { y }, history: [, second] }) => y + second"), [Nested], [{ at: { x: 0, y: 1 }, weight: 0, history: [4, 5, 6] }], 6], // prettier-ignore
    ["a tuple parameter", functionFrom("([i, v]) => i + v"), [pair], [[2, 0.5]], 2.5],
    ["in a declaration", functionFrom("(p) => { const { x, y: z } = p; let [a, b] = [x, z]; a += b; return a; }"), [Point], [{ x: 1, y: 2 }], 3], // prettier-ignore
    ["var, in a block", functionFrom("(p) => { if (p.x > 0) { var { y } = p; return y; } return 0; }"), [Point], [{ x: 1, y: 2 }], 2], // prettier-ignore
    ["in an assignment: a swap", functionFrom("(a, b) => { [a, b] = [b, a]; return a * 10 + b; }"), [int32, int32], [1, 2], 21], // prettier-ignore
    ["a parameter that is assigned", functionFrom("({ x }) => { x += 1; return x; }"), [Point], [{ x: 1, y: 2 }], 2],
  ])("%s", (_what, op, parameters, elements, expected) => {
    expect(run(op, parameters, elements)).toEqual(expected);
  });
});

describe("results", () => {
  test.each<[string, unknown, readonly ElementType[], ElementValue[], ElementType, ElementValue]>([
    ["an object literal", (v: number) => ({ value: v, index: 3n }), [float32], [1.5], Best, { value: 1.5, index: 3n }],
    ["its fields in any order, converted", (v: number) => ({ index: v, value: v }), [float64], [2.7], Best, { value: Math.fround(2.7), index: 2n }], // prettier-ignore
    ["a parameter", (a: B, b: B) => (a.value < b.value ? b : a), [Best, Best], [{ value: 1, index: 1n }, { value: 2, index: 2n }], Best, { value: 2, index: 2n }], // prettier-ignore
    ["a parameter or a literal", (a: B) => (a.value > 0 ? a : { value: 0, index: 0 }), [Best], [{ value: -1, index: 5n }], Best, { value: 0, index: 0n }], // prettier-ignore
    ["shorthand and nested", (x: number, y: number) => ({ at: { y, x }, history: [x, y, 1], weight: 2 }), [int8, int8], [1, 2], Nested, { at: { x: 1, y: 2 }, weight: 2, history: [1, 2, 1] }], // prettier-ignore
    ["a spread with changes", (a: B) => ({ ...a, index: a.index + 1n }), [Best], [{ value: 1, index: 5n }], Best, { value: 1, index: 6n }], // prettier-ignore
    ["a tuple", (x: number) => [x + 1, x / 2], [int32], [5], pair, [6, 2.5]],
    ["a struct of other types", (p: P) => p, [struct({ y: "int8", x: "int64" })], [{ y: -1, x: 2n }], Point, { x: 2, y: -1 }], // prettier-ignore
    ["an array that was named, as a tuple", functionFrom("(x) => { let a = [x, 2]; for (let i = 0; i < 2; i++) a = [a[1], a[0] + 1]; return a; }"), [int32], [5], pair, [6, 3]], // prettier-ignore
    ["a variable of a loop", functionFrom("(x) => { let p = { x: 0, y: 1 }; for (let i = 0; i < x; i++) p = { x: p.y, y: p.x + p.y }; return p; }"), [int32], [5], Point, { x: 5, y: 8 }], // prettier-ignore
  ])("%s", (_what, op, parameters, elements, result, expected) => {
    expect(run(op, parameters, elements, result)).toEqual(expected);
  });

  test("have by themselves the types of what is in them; numbers are weak", () => {
    expect(natural((p: P) => ({ a: p.x, b: 1 }), Point)).toBe("struct { a: float32, b: float64 }");
    expect(natural((a: number) => [a, a + 1], int32)).toBe("int32[2]");
    expect(natural((a: number) => [a, a / 2], int32)).toBe("(int32, float64)");
    expect(natural((p: P) => (p.x > 1 ? p : { x: 0, y: 1 }), Point)).toBe(Point.name);
    expect(natural((p: P) => ({ n: 0, p }).n + p.x, Point)).toBe("float32");
  });

  test("that do not fit the output are refused with both types", () => {
    for (const op of [(v: number) => ({ value: v }), (v: number) => v, (v: number) => [v, v]]) {
      const error = thrownBy(() => specializeFor(op, [float32], Best));
      expect(error).toBeInstanceOf(CompileError);
      expect(error.message).toContain(Best.name);
      expect(error.frame).toContain("^");
    }
    expect(thrownBy(() => specializeFor((b: B) => b, [Best], float32)).message).toContain("where there is float32");
  });
});

describe("structs and captures", () => {
  const points = DeviceArray.zeros(2, "float32") as never as P[];

  test("an object is captured as a whole, with weak numbers", () => {
    const origin = { x: 1, y: 2 };
    expect(run((p: P) => (p.x > 0 ? p : origin), [Point], [{ x: -1, y: 0 }])).toEqual({ x: 1, y: 2 });
    expect(natural((p: P) => (p.x > 0 ? p : origin), Point)).toBe(Point.name);
    const settings = { scale: { x: 2, y: 3 }, flip: true };
    const scaled = (p: P, by: P): P => ({ x: p.x * by.x, y: p.y * by.y });
    const op = bind((p: P, c: typeof settings) => (c.flip ? scaled(p, c.scale) : p), settings);
    expect(thrownBy(() => run(op, [Point], [{ x: 1, y: 1 }]))).toBeInstanceOf(CompileError);
    const bound = bind(
      (p: P, c: { settings: typeof settings; scaled: typeof scaled }) =>
        c.settings.flip ? c.scaled(p, c.settings.scale) : p,
      { settings, scaled },
    );
    expect(run(bound, [Point], [{ x: 1, y: 1 }])).toEqual({ x: 2, y: 3 });
  });

  test("functions take and give structs", () => {
    interface C {
      re: number;
      im: number;
    }
    const multiply = (a: C, b: C): C => ({ re: a.re * b.re - a.im * b.im, im: a.re * b.im + a.im * b.re });
    const Complex = struct({ re: "float64", im: "float64" });
    const cube = (a: C): C => multiply(multiply(a, a), a);
    expect(run(cube, [Complex], [{ re: 1, im: 2 }])).toEqual({ re: -11, im: -2 });
    expect(natural(cube, Complex)).toBe(Complex.name);
  });

  test("objects that hold what cannot be captured name the property", () => {
    const odd = { x: 1, y: "2" };
    const error = thrownBy(() => specializeFor((p: P) => (p.x > 0 ? p : odd), [Point]));
    expect(error.message).toContain("`odd.y` is a string");
    const round: Record<string, unknown> = { x: 1 };
    round["y"] = round;
    expect(thrownBy(() => specializeFor((p: P) => (p.x > 0 ? p : round), [Point])).message).toContain("round.y");
    expect(points).toHaveLength(2);
  });
});

test("a struct's fields by other names are the same meaning; other types or orders are not", () => {
  const fingerprint = (op: unknown, type: ElementType): string => specializeFor(op, [type]).fingerprint;
  const xs = fingerprint((p: P) => p.x, Point);
  expect(fingerprint(functionFrom("(q) => q.left"), struct({ left: "float32", right: "float32" }))).toBe(xs);
  expect(fingerprint((p: P) => p.y, Point)).not.toBe(xs);
  expect(fingerprint((p: P) => p.x, struct({ x: "float32", y: "float64" }))).not.toBe(xs);
  expect(fingerprint((p: P) => p.x, struct({ y: "float32", x: "float32" }))).not.toBe(xs);
  expect(int64.size).toBe(8);
});
