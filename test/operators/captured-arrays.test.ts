import { DeviceArray, unaryTransform, reduceInto, counting, binaryTransform, transformed } from "../../lib";
import { CompileError } from "../../lib/errors";
import {
  atomicAdd,
  atomicAnd,
  atomicCompareExchange,
  atomicExchange,
  atomicMax,
  atomicMin,
  atomicOr,
  atomicSub,
  atomicXor,
  bind,
  resolveOperator,
} from "../../lib/operators";
import { evaluate, functionFrom, specialize, thrownBy } from "./helpers";

type Elements = Record<number, number> & { length: number };
const table = DeviceArray.from(new Float32Array([10, 20, 30])) as unknown as Elements;
const whole = DeviceArray.from(new Int32Array([5, -6])) as unknown as Elements;
const wide = DeviceArray.from(new BigInt64Array([7n])) as unknown as Record<number, bigint>;
const flags = DeviceArray.from([true, false]) as unknown as Record<number, boolean>;

describe("reading a captured array", () => {
  test("an index gives the element, in the element's type", () => {
    expect(evaluate((i: number) => table[i]!, "int32", 1)).toBe(20);
    expect(specialize((i: number) => table[i]!, "int32").resultType.name).toBe("float32");
    expect(evaluate((i: bigint) => wide[Number(i)]!, "int64", 0n)).toBe(7n);
    expect(evaluate((i: number) => flags[i]!, "uint8", 0)).toBe(true);
    expect(evaluate((i: number) => table[i]! + whole[0]!, "float64", 2)).toBe(35);
  });

  test.each([
    ["float32", -1, NaN],
    ["float32", 3, NaN],
    ["float32", 0.5, NaN],
    ["float32", NaN, NaN],
    ["float32", Infinity, NaN],
    ["float32", 2 ** 40, NaN],
  ])("a %s index of %p is outside", (type, index, expected) => {
    expect(evaluate((i: number) => table[i]!, type, index)).toBe(expected);
    expect(evaluate((i: number) => whole[i]!, type, index)).toBe(0);
    expect(evaluate((i: number) => wide[i]!, type, index)).toBe(0n);
    expect(evaluate((i: number) => flags[i]!, type, index)).toBe(false);
  });

  test("`??` gives another value for what is outside", () => {
    const clamped = (i: number): number => table[i] ?? -1;
    expect([1, 3, -1, 0.5].map((i) => evaluate(clamped, "float64", i))).toEqual([20, -1, -1, -1]);
    expect(specialize(clamped, "float64").resultType.name).toBe("float32");
    expect(evaluate((i: number) => whole[i] ?? whole[0]!, "int32", 9)).toBe(5);
    expect(evaluate((i: number) => wide[i] ?? -1n, "int32", 9)).toBe(-1n);
    const wider = thrownBy(() => specialize((i: number) => whole[i] ?? 0.5, "int32"));
    expect(wider).toBeInstanceOf(CompileError);
    expect(wider.message).toContain("int32(x)");
  });

  test("its length is a number", () => {
    expect(evaluate((i: number) => i + table.length, "float32", 1)).toBe(4);
    const sum = (scale: number): number => {
      let total = 0;
      // eslint-disable-next-line @typescript-eslint/prefer-for-of -- operators count
      for (let i = 0; i < table.length; i++) total += table[i]! * scale;
      return total;
    };
    expect(evaluate(sum, "float32", 2)).toBe(120);
  });

  test("bind takes arrays too, taken apart or not", () => {
    expect(
      evaluate(
        bind((x: number, { t }: { t: Elements }) => x * t[0]!, { t: table }),
        "float32",
        2,
      ),
    ).toBe(20);
    expect(
      evaluate(
        bind((x: number, c: { t: Elements }) => x * c.t[1]! + c.t.length, { t: table }),
        "float32",
        2,
      ),
    ).toBe(43);
  });

  test("elements are read when the call runs, and another array of the type is no other operator", () => {
    const settings = { t: table };
    const op = bind((x: number, { t }: { t: Elements }) => x + t[0]!, settings);
    const first = resolveOperator(op, 1, "op");
    settings.t = DeviceArray.from(new Float32Array([1, 2, 3, 4, 5]));
    const second = resolveOperator(op, 1, "op");
    expect(second.operator).toBe(first.operator);
    expect(evaluate(op, "float32", 1)).toBe(2);
    settings.t = DeviceArray.from(new Float64Array([1]));
    expect(resolveOperator(op, 1, "op").operator).not.toBe(first.operator);
  });

  test("a disposed array is refused, named", () => {
    const gone = DeviceArray.from(new Float32Array(1));
    gone.dispose();
    const error = thrownBy(() => resolveOperator(bind((x: number, { gone }: { gone: Elements }) => x + gone[0]!, { gone: gone }), 1, "op")); // prettier-ignore
    expect(error.code).toBe("ERR_DISPOSED");
    expect(error.message).toContain("gone");
  });

  test.each([
    ["(i) => table", "table", "table[i]"],
    ["(i) => table + 1", "table", "table[i]"],
    ["(i) => table[i > 0]", "i > 0", "Number(x)"],
    ["(i) => table(i)", "table", "Call"],
    ["(i) => whole.x", "whole.x", "Operators capture"],
  ])("%s is refused", (text, construct, advice) => {
    const op = bind(functionFrom(`(${text.replace("(i)", "(i, { table, whole })")})`) as never, { table, whole });
    const error = thrownBy(() => specialize(op, "int32"));
    expect(error).toBeInstanceOf(CompileError);
    expect(error.message).toContain(advice);
    expect(error.frame).toContain(construct);
  });

  test("typed arrays and plain ones are refused with advice", () => {
    for (const value of [new Float32Array(2), [1, 2]]) {
      const error = thrownBy(() => specialize(bind((x: number, { t }: { t: Elements }) => x + t[0]!, { t: value as never }), "float32")); // prettier-ignore
      expect(error.code).toBe("ERR_OPERATOR_CAPTURE");
      expect(error.message).toContain("DeviceArray.from");
    }
  });
});

describe("writing to a captured array", () => {
  test("a transform's operator stores elements, converted as a store into the typed array is", () => {
    const out = DeviceArray.zeros(4, "uint8");
    const copy = DeviceArray.zeros(4, "float32");
    unaryTransform({ input: counting(0), output: copy, numItems: 4, op: (i) => { out[3 - i] = 300.7 * i; return i; } }); // prettier-ignore
    expect([...out.toTypedArray()]).toEqual([902 & 255, 601 & 255, 44, 0]);
    expect([...copy.toTypedArray()]).toEqual([0, 1, 2, 3]);
  });

  test("places outside are left alone", () => {
    const out = DeviceArray.zeros(2, "int32");
    const copy = DeviceArray.zeros(5, "int32");
    unaryTransform({ input: counting(-1), output: copy, numItems: 5, op: (i) => { out[i / 2] = 9; return i; } }); // prettier-ignore
    expect([...out.toTypedArray()]).toEqual([9, 9]);
  });

  test("compound assignments and ++ read and write", () => {
    const out = DeviceArray.from(new Int32Array([1, 2, 3]));
    const copy = DeviceArray.zeros(3, "int32");
    unaryTransform({ input: counting(0), output: copy, numItems: 3, op: (i) => { out[i]! *= 10; out[i]!++; return i; } }); // prettier-ignore
    expect([...out.toTypedArray()]).toEqual([11, 21, 31]);
  });

  test("element++ as a value is what the element was, and its index is computed once", () => {
    const out = DeviceArray.from(new Int8Array([5, 6, 127]));
    const before = DeviceArray.zeros(3, "int32");
    unaryTransform({ input: counting(0), output: before, numItems: 3, op: (i) => { let at = i; return out[at++]!++ * 10 + at; } }); // prettier-ignore
    expect([...before.toTypedArray()]).toEqual([51, 62, 1273]);
    expect([...out.toTypedArray()]).toEqual([6, 7, -128]);
  });

  test("index and value are computed in JavaScript's order", () => {
    const texts = [
      "(i) => { let n = i; out[n++] = n; return n; }",
      "(i) => { let n = i; out[n++] = n++ * 10; return n; }",
      "(i) => { let n = i; out[n--] += n-- * 10; return n; }",
      "(i) => { let n = i; out[--n]++; return n; }",
      "(i) => { let n = i; out[i] = out[i - 1]-- + n--; return n; }",
      "(i) => { return out[i]-- - out[i + 1] * 3; }",
    ];
    for (const text of texts) {
      const out = DeviceArray.from(new Float64Array([3, 5, 7, 9]));
      const answer = DeviceArray.zeros(1, "float64");
      const body = `(i, { out }) => ${text.slice("(i) => ".length)}`;
      unaryTransform({
        input: counting(2),
        output: answer,
        numItems: 1,
        op: bind(functionFrom(body) as never, { out }),
      });
      const plain = [3, 5, 7, 9];
      const expected = (functionFrom(body) as (i: number, captures: object) => number)(2, { out: plain });
      expect([text, answer.toArray(), out.toArray()]).toEqual([text, [expected], plain]);
    }
  });

  test.each([
    ["(i, { out }) => { return out[i] + out[i]++; }", "out[i]++"],
    ["(i, { out }) => { let n = i; return (n + out[i]) * n++; }", "n++"],
    ["(i, { out, f }) => { return f(i) + out[i]++; }", "out[i]++"],
  ])("%s is refused: its old value is read before", (text, construct) => {
    const f = functionFrom("(x) => x * 2");
    const error = thrownBy(() => bind(functionFrom(text) as never, { out: DeviceArray.zeros(2, "int32"), f }));
    expect(error).toBeInstanceOf(CompileError);
    expect(error.frame).toContain(construct);
  });

  test("reductions, scans and iterators refuse operators that write, underlined", () => {
    const out = DeviceArray.zeros(2, "float32");
    const input = DeviceArray.zeros(2, "float32");
    const op = (a: number, b: number): number => {
      out[0] = a;
      return a + b;
    };
    const error = thrownBy(() => reduceInto({ input, output: DeviceArray.zeros(1, "float32"), op }));
    expect(error).toBeInstanceOf(CompileError);
    expect(error.message).toContain("may not write");
    expect(error.frame).toMatch(/\^{7,}/);
    const reading = thrownBy(() => transformed(input, (x) => { atomicAdd(out, 0, 1); return x; })); // prettier-ignore
    expect(reading.message).toContain("may not write");
  });
});

describe("atomics", () => {
  const run = (
    type: "int32" | "uint32" | "float32" | "float64" | "int64" | "uint64",
    start: number | bigint,
    op: (array: never, i: number) => unknown,
  ): unknown => {
    // prettier-ignore
    const array = DeviceArray.full(1, start, type);
    const copy = DeviceArray.zeros(4, "int32");
    unaryTransform({ input: counting(0), output: copy, numItems: 4, op: bind(op as never, { array }) });
    return array.toTypedArray()[0];
  };
  type Numbers = Record<number, number>;
  type BigInts = Record<number, bigint>;

  test("each does what it says", () => {
    expect(run("int32", 5, ((i: number, { array }: { array: Numbers }) => { atomicAdd(array, 0, i); return i; }) as never)).toBe(11); // prettier-ignore
    expect(run("uint32", 5, ((i: number, { array }: { array: Numbers }) => { atomicSub(array, 0, i); return i; }) as never)).toBe(2 ** 32 - 1); // prettier-ignore
    expect(run("float32", 5, ((i: number, { array }: { array: Numbers }) => { atomicMin(array, 0, i); return i; }) as never)).toBe(0); // prettier-ignore
    expect(run("float64", 1, ((i: number, { array }: { array: Numbers }) => { atomicMax(array, 0, i === 2 ? NaN : i); return i; }) as never)).toBeNaN(); // prettier-ignore
    expect(run("uint64", 7n, ((i: number, { array }: { array: BigInts }) => { atomicAnd(array, 0, 5n); return i; }) as never)).toBe(5n); // prettier-ignore
    expect(run("int32", 8, ((i: number, { array }: { array: Numbers }) => { atomicOr(array, 0, i); return i; }) as never)).toBe(11); // prettier-ignore
    expect(run("int64", -1n, ((i: number, { array }: { array: BigInts }) => { atomicXor(array, 0, 1n); return i; }) as never)).toBe(-1n); // prettier-ignore
    expect(run("float32", -1, ((i: number, { array }: { array: Numbers }) => { atomicExchange(array, 0, 1.5); return i; }) as never)).toBe(1.5); // prettier-ignore
    expect(run("int32", 0, ((i: number, { array }: { array: Numbers }) => { atomicCompareExchange(array, 0, i, i + 1); return i; }) as never)).toBe(4); // prettier-ignore
  });

  test("they answer what was there before", () => {
    const array = DeviceArray.full(1, 100, "int32");
    const copy = DeviceArray.zeros(3, "float64");
    unaryTransform({ input: counting(0), output: copy, numItems: 3, op: (i) => { const old = atomicAdd(array as never as Numbers, 0, i + 1); return old * 2; } }); // prettier-ignore
    expect([...copy.toTypedArray()]).toEqual([200, 202, 206]);
    unaryTransform({ input: counting(0), output: copy, numItems: 3, op: (i) => atomicAdd(array as never as Numbers, i + 5, 1) }); // prettier-ignore
    expect([...copy.toTypedArray()]).toEqual([0, 0, 0]);
  });

  test("counting rejects with an atomic", () => {
    const rejects = DeviceArray.zeros(1, "int32");
    const input = DeviceArray.from(new Float32Array([1, -2, 3, -4, -5]));
    const output = DeviceArray.zeros(5, "float32");
    unaryTransform({ input, output, op: (x) => { if (x < 0) atomicAdd(rejects as never as Numbers, 0, 1); return x < 0 ? 0 : x; } }); // prettier-ignore
    expect([...rejects.toTypedArray()]).toEqual([3]);
    expect([...output.toTypedArray()]).toEqual([1, 0, 3, 0, 0]);
  });

  test.each([
    ["int8", "(i, { a }) => { atomicAdd(a, 0, 1); return i; }", "32 and 64 bits"],
    ["float32", "(i, { a }) => { atomicOr(a, 0, 1); return i; }", "integers"],
    ["int32", "(i, { a }) => 1 + atomicAdd(a, 0, 1)", "Assign its answer"],
    ["int32", "(i, { a }) => { if (atomicAdd(a, 0, 1) > 2) return 1; return 0; }", "Assign its answer"],
  ])("on %s, %s is refused", (type, text, advice) => {
    const a = DeviceArray.zeros(1, type as "int32");
    const error = thrownBy(() => specialize(bind(functionFrom(`(${text})`) as never, { a }), "int32"));
    expect(error).toBeInstanceOf(CompileError);
    expect(error.message).toContain(advice);
  });

  test("outside of an operator they say where they belong", () => {
    expect(thrownBy(() => atomicAdd({}, 0, 1)).code).toBe("ERR_OPERATOR_ONLY");
  });
});

test("two inputs and a captured table on the host", () => {
  const output = DeviceArray.zeros(3, "float32");
  binaryTransform({ input1: counting(0), input2: counting(1), output, numItems: 3, op: (i, j) => table[i]! * j });
  expect([...output.toTypedArray()]).toEqual([10, 40, 90]);
});
