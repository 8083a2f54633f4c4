import { CompileError } from "../../lib/errors";
import { bind, int32, resolveOperator } from "../../lib/operators";
import { DeviceArray } from "../../lib";
import { evaluate, functionFrom, specialize, thrownBy } from "./helpers";

const square = (x: number): number => x * x;
const scale = 3;
const scaled = (x: number): number => square(x) * scale;
function clamp(x: number, low = 0, high = 1): number {
  if (x < low) return low;
  return x > high ? high : x;
}
const { sqrt, max: larger } = Math;
const short = int32;

describe("a captured function", () => {
  test("is called, and may call others with what they capture themselves", () => {
    expect(evaluate((x: number) => square(x) + 1, "float32", 3)).toBe(10);
    expect(evaluate((x: number) => scaled(x) + scaled(1), "float64", 2)).toBe(15);
    expect(evaluate((x: number) => clamp(x) + clamp(x, 2) + clamp(x, -1, 5), "float64", 4)).toBe(1 + 1 + 4);
  });

  test("is typed by its operands, so that one function serves all types", () => {
    expect(specialize((x: number) => square(x), "int32").resultType.name).toBe("int32");
    expect(specialize((x: number) => square(x), "float32").resultType.name).toBe("float32");
    expect(evaluate((x: bigint) => square(x as never) as never, "int64", 3n)).toBe(9n);
    expect(specialize((x: number) => clamp(x, 0, 10), "float32").resultType.name).toBe("float32");
    expect(specialize((x: number) => x * square(2), "int8").resultType.name).toBe("float64");
  });

  test("may be one that the GPU has, under another name", () => {
    expect(evaluate((x: number) => sqrt(x) + larger(x, 20), "float64", 16)).toBe(24);
    expect(evaluate((x: number) => short(x), "float64", 2.9)).toBe(2);
    expect(specialize((x: number) => sqrt(x), "float64").fingerprint).toBe(
      specialize((x: number) => Math.sqrt(x), "float64").fingerprint,
    );
  });

  test("may be given to another, as may arrays", () => {
    const twice = (f: (x: number) => number, x: number): number => f(f(x));
    expect(evaluate((x: number) => twice(square, x), "float64", 3)).toBe(81);
    const at = (array: Record<number, number> & { length: number }, i: number): number => array[i % array.length]!;
    const table = DeviceArray.from(new Int32Array([4, 5, 6])) as never as Record<number, number> & { length: number };
    expect(evaluate((i: number) => at(table, i), "int32", 4)).toBe(5);
  });

  test("is bound like any other capture", () => {
    expect(
      evaluate(
        bind((x: number, { f }: { f: typeof square }) => f(x) + 1, { f: square }),
        "float64",
        3,
      ),
    ).toBe(10);
    expect(
      evaluate(
        bind((x: number, c: { f: typeof square }) => c.f(x) + 1, { f: square }),
        "float64",
        3,
      ),
    ).toBe(10);
  });

  test("has its body in the fingerprint", () => {
    const op = bind((x: number, { f }: { f: (x: number) => number }) => f(x), { f: square });
    const renamed = bind((y: number, { g }: { g: (x: number) => number }) => g(y), { g: (value: number) => value * value }); // prettier-ignore
    const other = bind((x: number, { f }: { f: (x: number) => number }) => f(x), { f: (x) => x + x });
    expect(specialize(renamed, "float32").fingerprint).toBe(specialize(op, "float32").fingerprint);
    expect(specialize(other, "float32").fingerprint).not.toBe(specialize(op, "float32").fingerprint);
  });

  test("gives one operator however often it is looked up", () => {
    const op = (x: number): number => scaled(x);
    expect(resolveOperator(op, 1, "op").operator).toBe(resolveOperator(op, 1, "op").operator);
    const inline = (): unknown => (x: number) => scaled(x);
    expect(resolveOperator(inline(), 1, "op").operator).toBe(resolveOperator(inline(), 1, "op").operator);
  });

  test("closures of one text with other captures inside are told apart", () => {
    const adding = (n: number) => (x: number) => x + n;
    const [one, two] = [adding(1), adding(2)];
    expect(evaluate((x: number) => one(x) * two(x), "float64", 3)).toBe(20);
    const around = (f: (x: number) => number) => (x: number) => f(x) + 1;
    const nested = around(around(around(square)));
    expect(evaluate((x: number) => nested(x), "float64", 2)).toBe(7);
  });

  test("may write, as a statement", () => {
    const counts = DeviceArray.zeros(2, "int32") as never as Record<number, number>;
    const count = (i: number): void => {
      counts[i] = counts[i]! + 1;
    };
    expect(evaluate((i: number) => { count(i); return counts[i]!; }, "int32", 1)).toBe(1); // prettier-ignore
  });
});

function factorial(n: number): number {
  return n <= 1 ? 1 : n * factorial(n - 1);
}
function isEven(n: number): boolean {
  return n === 0 || isOdd(n - 1);
}
function isOdd(n: number): boolean {
  return n !== 0 && isEven(n - 1);
}

test("a captured function that writes is not called before what stands before it", () => {
  const counts = DeviceArray.zeros(2, "int32") as never as Record<number, number>;
  const bump = (i: number): number => {
    counts[i] = counts[i]! + 1;
    return counts[i];
  };
  const text = "(i, { counts, bump }) => { let x; return counts[i] + (x = bump(i)) + x; }";
  const op = functionFrom(text) as (i: number, captures: object) => number;
  const error = thrownBy(() => specialize(bind(op, { counts, bump }), "int32"));
  expect(error.message).toContain("an assignment inside an expression");
});

describe("is refused:", () => {
  test.each([
    ["a function that calls itself", (x: number): number => factorial(x), "factorial(n - 1)"],
    ["functions that call each other", (x: number): boolean => isEven(x), "is"],
  ])("%s", (_name, op, construct) => {
    const error = thrownBy(() => specialize(op, "int32"));
    expect(error).toBeInstanceOf(CompileError);
    expect(error.message).toContain("recursion");
    expect(error.frame).toContain(construct);
  });

  test("a function that is given itself", () => {
    const op = bind(functionFrom("(x, { y }) => y(y, x)") as never, { y: functionFrom("(f, x) => f(f, x)") });
    expect(thrownBy(() => specialize(op, "int32")).message).toContain("recursion");
  });

  test("what its body cannot be, in its own text", () => {
    const odd = functionFrom("(x) => x + 'a'");
    const error = thrownBy(() => specialize(bind(functionFrom("(x, { f }) => f(x)") as never, { f: odd }), "int32"));
    expect(error.message).toContain("op (f)");
    expect(error.frame).toContain("x + 'a'");
  });

  test("too few and too many arguments", () => {
    for (const call of ["f()", "f(1, 2)"]) {
      const op = bind(functionFrom(`(x, { f }) => ${call}`) as never, { f: square });
      expect(thrownBy(() => specialize(op, "int32")).message).toContain("takes 1");
    }
  });

  test("a function without a result where one is needed", () => {
    const op = bind(functionFrom("(x, { f }) => 1 + f(x)") as never, { f: functionFrom("(x) => { let y = x; }") });
    expect(thrownBy(() => specialize(op, "int32")).message).toContain("answers nothing");
  });
});
