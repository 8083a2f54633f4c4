import { bind, cpp, type OperatorUse, resolveOperator } from "../../lib/operators";
import { CompileError } from "../../lib/errors";
import type { ScalarValue } from "../../lib/types/scalar";
import { evaluate, functionFrom, specialize, thrownBy } from "./helpers";

const resolve = (op: unknown): OperatorUse => resolveOperator(op, 1, "unaryTransform.op");
const limit = 60;

const noArrays = (): never => {
  throw new Error("no array is captured");
};

describe("a closure's variables are read when the call is made", () => {
  test("a number that changes between calls", () => {
    let k = 4;
    const op = (x: number): number => x * k;
    const first = resolve(op);
    k = 8;
    const second = resolve(op);
    expect([first.values, second.values]).toEqual([[4], [8]]);
    expect(second.operator).toBe(first.operator);
  });

  test("from module, function, block and loop scopes at once, the innermost first", () => {
    const outer = 2;
    const found: ScalarValue[] = [];
    for (const step of [10, 20]) {
      {
        const limit = 3;
        found.push(evaluate((x: number) => x + outer + step + limit, "float64", 0));
      }
    }
    expect(found).toEqual([15, 25]);
    expect(evaluate((x: number) => x + limit, "float64", 0)).toBe(60);
  });

  test("a parameter of the enclosing function", () => {
    const scaled =
      (factor: number) =>
      (x: number): number =>
        x * factor;
    expect([2, 3].map((factor) => evaluate(scaled(factor), "float64", 5))).toEqual([10, 15]);
  });

  test("a global variable", () => {
    const global = globalThis as { cudaComputeTestValue?: number };
    global.cudaComputeTestValue = 7;
    try {
      expect(resolve(functionFrom("(x) => x + cudaComputeTestValue")).values).toEqual([7]);
    } finally {
      delete global.cudaComputeTestValue;
    }
  });

  test("a property of a captured object, through getters too", () => {
    const settings = { inner: { scale: 3 }, get offset() { return 4; } }; // prettier-ignore
    expect(resolve((x: number) => x * settings.inner.scale + settings.offset).values).toEqual([3, 4]);
  });

  test.each<[string, ScalarValue]>([
    ["-0", -0],
    ["NaN", NaN],
    ["Infinity", Infinity],
    ["a fraction", 0.1],
    ["a BigInt", 2n ** 62n],
    ["a boolean", true],
  ])("%s arrives as it is", (_what, value) => {
    expect(resolve((x: number) => (x ? value : value)).values).toEqual([value]);
  });

  test("a value that changes its type makes another operator of the same text", () => {
    let k: number | bigint = 1;
    const op = (x: number): boolean => x > k;
    const number = resolve(op);
    k = 1n;
    const bigint = resolve(op);
    expect(bigint.operator).not.toBe(number.operator);
    k = 2;
    expect(resolve(op).operator).toBe(number.operator);
  });
});

describe("a variable that cannot be captured is named, with its place", () => {
  const text = "hello";
  const list = [1, 2];
  const huge = 2n ** 64n;
  const unset: number | undefined = undefined;
  test.each<[string, unknown, string]>([
    ["a string", (x: number) => x + (text as unknown as number), "`text` is a string"],
    ["an array", (x: number) => x + (list as unknown as number), "`list` is an object of Array"],
    ["a native function", (x: number) => x + parseFloat(x as never), "`parseFloat` is a native function"],
    ["a BigInt beyond uint64", (x: bigint) => x + huge, "`huge` is a BigInt of more than 64 bits"],
    ["undefined", (x: number) => x + (unset as unknown as number), "`unset` has no value"],
    ["an unknown name", functionFrom("(x) => x + nowhere"), "`nowhere` has no value"],
  ])("%s", (_what, op, problem) => {
    const error = thrownBy(() => resolve(op));
    expect(error).toBeInstanceOf(CompileError);
    expect(error.code).toBe("ERR_OPERATOR_CAPTURE");
    expect(error.message).toContain(problem);
    expect(error.message).toMatch(/line 1, column \d+ of the function/);
    expect(error.frame).toContain("^");
  });

  test("a bound operator's missing value", () => {
    const op = bind((x: number, { scale }: { scale: number }) => x * scale, {} as { scale: number });
    expect(thrownBy(() => resolve(op)).message).toContain("the captured `scale` has no value");
  });
});

describe("bind", () => {
  test("reads the captures object at every call", () => {
    const captures = { scale: 2 };
    const op = bind((x: number, { scale }: { scale: number }) => x * scale, captures);
    const before = resolve(op);
    captures.scale = 3;
    expect([before.values, resolve(op).values]).toEqual([[2], [3]]);
    expect(resolve(op).operator).toBe(before.operator);
  });

  test("a thousand fresh operators with equal captures are one", () => {
    const operators = new Set<unknown>();
    for (let i = 0; i < 1000; i++) {
      operators.add(resolve(bind((x: number, { scale }: { scale: number }) => x * scale, { scale: 2 })).operator);
    }
    expect(operators.size).toBe(1);
  });

  test("and a closure of the same meaning have one fingerprint", () => {
    const scale = 2;
    const bound = specialize(
      bind((x: number, c: { scale: number }) => x * c.scale, { scale }),
      "float32",
    );
    expect(bound.fingerprint).toBe(specialize((x: number) => x * scale, "float32").fingerprint);
  });
});

test("captured values lie in the state as a C struct does", () => {
  const op = bind(
    (x: number, c: { flag: boolean; scale: number; other: boolean; whole: bigint }) =>
      c.flag || c.other ? x * c.scale + Number(c.whole) : 0,
    { flag: true, scale: 1.5, other: false, whole: -2n },
  );
  const specialized = specialize(op, "float64");
  expect([specialized.stateSize, specialized.stateAlignment]).toEqual([24, 8]);
  const view = new DataView(new ArrayBuffer(48));
  specialized.writeState(specialized.use.values, { view, pointer: noArrays }, 16);
  // In the order of first use: flag, other, scale, whole.
  expect([view.getUint8(16), view.getUint8(17), view.getFloat64(24, true), view.getBigInt64(32, true)]).toEqual([1, 0, 1.5, -2n]); // prettier-ignore
  expect(specialized.cuda("f")).toContain("*reinterpret_cast<const double*>(static_cast<const char*>(state) + 8)");
});

test("an operator without captures is its own use and has no state", () => {
  const op = (x: number): number => x + 1;
  const use = resolve(op);
  expect(use.operator).toBe(use);
  expect(use.values).toHaveLength(0);
  expect(specialize(op, "int32").stateSize).toBe(0);
  const written = cpp("__device__ float op(float a) { return a; }");
  expect(resolve(written)).toBe(written);
});

test("bind infers an unannotated element as a number, and takes two elements", () => {
  expect(
    evaluate(
      bind((x, { scale }) => x * scale, { scale: 2 }),
      "float32",
      3,
    ),
  ).toBe(6);
  expect(
    evaluate(
      bind((x: number, y: number, c: { scale: number }) => (x + y) * c.scale, { scale: 2 }),
      "float32, float32",
      3,
      4,
    ),
  ).toBe(14);
});
