import fc from "fast-check";
import type { ScalarName } from "../../lib/types/scalar";
import { evaluate, functionFrom } from "./helpers";

/** Independent of the emitters: exact integers by BigInt, floats by the engine's own arithmetic. */
const exact: Record<string, (a: bigint, b: bigint) => bigint> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
};
const wrap: Partial<Record<ScalarName, (value: bigint) => bigint | number>> = {
  int32: (value) => Number(BigInt.asIntN(32, value)),
  uint32: (value) => Number(BigInt.asUintN(32, value)),
  int64: (value) => BigInt.asIntN(64, value),
  uint64: (value) => BigInt.asUintN(64, value),
};
const operator = (symbol: string): unknown => functionFrom(`((a, b) => a ${symbol} b)`);

describe.each(["int32", "uint32", "int64", "uint64"] as const)("%s", (name) => {
  const of = wrap[name] ?? ((): number => 0);
  const integers = fc.bigInt({ min: -(1n << 64n), max: 1n << 64n }).map(of);

  test.each(Object.keys(exact))("a %s b is the exact result, wrapped", (symbol) => {
    fc.assert(
      fc.property(integers, integers, (a, b) => {
        const result = exact[symbol]?.(BigInt(a), BigInt(b)) ?? 0n;
        expect(evaluate(operator(symbol), `${name}, ${name}`, a, b)).toBe(of(result));
      }),
    );
  });

  test("integer division truncates and the remainder makes up for it", () => {
    fc.assert(
      fc.property(integers, integers, (a, b) => {
        const [x, y] = [BigInt(a), BigInt(b)];
        const quotient = evaluate(functionFrom("((a, b) => Math.trunc(a / b))"), `${name}, ${name}`, a, b);
        expect(quotient).toBe(of(y === 0n ? 0n : x / y));
        expect(evaluate(operator("%"), `${name}, ${name}`, a, b)).toBe(of(y === 0n ? 0n : x % y));
      }),
    );
  });

  test("(a, b) and (b, a) give one product and one sum beside every other type", () => {
    for (const other of ["int8", "uint32", "int64", "uint64", "float16", "float32", "float64", "bool"] as const) {
      const value = other === "bool" ? true : other.endsWith("64") && !other.startsWith("f") ? 3n : 3;
      fc.assert(
        fc.property(integers, (a) => {
          for (const symbol of ["+", "*"]) {
            const swapped = evaluate(operator(symbol), `${other}, ${name}`, value, a);
            expect(evaluate(operator(symbol), `${name}, ${other}`, a, value)).toBe(swapped);
          }
        }),
        { numRuns: 20 },
      );
    }
  });
});

test.each(["+", "-", "*", "/", "%"])("float64 %s is JavaScript's, bit for bit", (symbol) => {
  const plain = operator(symbol) as (a: number, b: number) => number;
  fc.assert(
    fc.property(fc.double(), fc.double(), (a, b) => {
      expect(evaluate(operator(symbol), "float64, float64", a, b)).toBe(plain(a, b));
    }),
  );
});

test.each(["+", "-", "*", "/", "%"])("float32 %s is JavaScript's, rounded", (symbol) => {
  const plain = operator(symbol) as (a: number, b: number) => number;
  const floats = fc.float();
  fc.assert(
    fc.property(floats, floats, (a, b) => {
      expect(evaluate(operator(symbol), "float32, float32", a, b)).toBe(Math.fround(plain(a, b)));
    }),
  );
});

const functions = "abs floor ceil round trunc sign sqrt cbrt exp expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh fround clz32"; // prettier-ignore
test.each(functions.split(" "))("Math.%s of float64 is the engine's", (name) => {
  const plain = (Math as unknown as Record<string, (x: number) => number>)[name];
  const op = functionFrom(`((x) => Math.${name}(x))`);
  fc.assert(
    fc.property(fc.double(), (x) => {
      expect(evaluate(op, "float64", x)).toBe(plain?.(x));
    }),
  );
});
