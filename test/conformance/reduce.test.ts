import {
  DeviceArray,
  type ScalarName,
  Stream,
  bind,
  cacheModified,
  caches,
  complex,
  complex128,
  constant,
  counting,
  makeReduceInto,
  makeReduceIntoAsync,
  ops,
  reduceInto,
  struct,
  transformed,
  transformedOutput,
  unaryTransform,
} from "../../lib";
import { describeOnBackends, onGpu } from "../helpers/backends";
import {
  allTypes,
  download,
  elements,
  integers,
  isBigInt,
  numberTypes,
  sumOf,
  upload,
  wrapped,
} from "../helpers/elements";

type AnyArray = DeviceArray<"float64">;

/** A reduction of arrays whose types only the test knows. */
function reduceAny(
  input: DeviceArray,
  output: DeviceArray,
  op: unknown,
  init?: unknown,
  more: { numItems?: number; determinism?: "run-to-run" | "not-guaranteed" } = {},
): void {
  reduceInto({
    input: input as AnyArray,
    output: output as AnyArray,
    op: op as (a: number, b: number) => number,
    ...(init === undefined ? {} : { init: init as number }),
    ...more,
  });
}

describeOnBackends("reduceInto", () => {
  describe("plus over each type, wrapping as the type does", () => {
    test.each(numberTypes)("%s", (type) => {
      // Small enough for every partial sum of the floats to be exact, long enough for several thread blocks.
      const isSmallFloat = type === "float16" || type === "bfloat16";
      const numbers = isSmallFloat ? integers(200, 0, 1) : integers(50_000, 0, 100);
      const input = upload(type, elements(type, numbers));
      const output = DeviceArray.empty(1, type);
      reduceAny(input, output, (a: number, b: number) => a + b, wrapped(type, 3n));
      expect(download(output)).toEqual([wrapped(type, sumOf(numbers) + 3n)]);
    });
  });

  describe("sums of many sizes", () => {
    const sizes: [ScalarName, readonly number[]][] = [
      ["uint8", [2 ** 2, 2 ** 4, 2 ** 5, 2 ** 6]],
      ["float16", [2 ** 4, 2 ** 8, 2 ** 10]],
      ["uint16", [2 ** 4, 2 ** 8, 2 ** 12, 2 ** 14]],
      ["uint32", [2 ** 16, 2 ** 20, ...onGpu(2 ** 24, 2 ** 26)]],
      ["uint64", [2 ** 16, ...onGpu(2 ** 20, 2 ** 24, 2 ** 25)]],
    ];
    test.each(sizes)("%s", (type, counts) => {
      for (const size of counts) {
        const output = DeviceArray.empty(1, type);
        // Remainders of 3: small enough for a float16 to hold the sum of 2^10 exactly.
        const remainders = transformed(counting(0, "uint32"), (i) => i % 3, type as "float64");
        const input = DeviceArray.empty(size, type) as AnyArray;
        unaryTransform({ input: remainders, output: input, op: (x) => x });
        reduceAny(input, output, ops.plus, wrapped(type, 0n));
        const whole = Math.floor(size / 3) * 3 + (size % 3 === 2 ? 1 : 0);
        expect(download(output)).toEqual([wrapped(type, BigInt(whole))]);
      }
    });

    test.each([42, 420_000])("%i complex numbers", (size) => {
      const re = Float64Array.from(integers(size, -100, 100, 3));
      const im = Float64Array.from(integers(size, -100, 100, 4));
      const output = DeviceArray.empty(1, complex128);
      const input = DeviceArray.fromColumns({ re, im }, complex128);
      reduceInto({ input, output, op: (a, b) => complex.add(a, b), init: { re: 0, im: 0 } });
      expect(output.toArray()).toEqual([{ re: Number(sumOf([...re])), im: Number(sumOf([...im])) }]);
    });
  });

  describe("an operator of the user's over each type", () => {
    test.each(allTypes)("%s", (type) => {
      const numbers = type === "bool" ? [0, 0, 1, 0] : integers(3_000, 0, 100, 7);
      const input = upload(type, elements(type, numbers));
      const output = DeviceArray.empty(1, type);
      reduceAny(input, output, (a: number, b: number) => (a > b ? a : b));
      expect(download(output)).toEqual([wrapped(type, BigInt(Math.max(...numbers)))]);
    });
  });

  describe("input, output and accumulator of different types", () => {
    const cases: [ScalarName, ScalarName, number[], number | bigint][] = [
      ["int8", "int32", integers(5_000, -100, 100), NaN],
      ["int16", "int64", integers(5_000, -30_000, 30_000), NaN],
      ["uint8", "float64", integers(5_000, 0, 255), NaN],
      ["uint32", "int64", integers(5_000, 0, 4_000_000), NaN],
      ["int64", "float64", integers(5_000, -1_000, 1_000), NaN],
      ["bool", "int32", integers(5_000, 0, 1), NaN],
      ["float16", "float32", integers(3_000, 0, 100), NaN],
      ["bfloat16", "float64", integers(3_000, 0, 100), NaN],
      ["float32", "int32", integers(3_000, 0, 100), NaN],
      ["int32", "float32", integers(3_000, 0, 100), NaN],
      ["int32", "uint8", integers(5_000, 0, 100), NaN],
    ];
    test.each(cases)("%s summed into %s", (from, to, numbers) => {
      const output = DeviceArray.empty(1, to);
      reduceAny(upload(from, elements(from, numbers)), output, (a: number, b: number) => a + b);
      expect(download(output)).toEqual([wrapped(to, sumOf(numbers))]);
    });

    test("a float64 init with an int32 output gives the converted number, not its bytes", () => {
      const output = DeviceArray.empty(1, "int32");
      const input = DeviceArray.from(new Float64Array([1.25, 2.5, 3]));
      reduceInto({ input, output, op: (a, b) => a + b, init: new Float64Array([0.5]) });
      expect(download(output)).toEqual([7]);
    });

    test("an int8 init wraps where an int32 output would not", () => {
      const output = DeviceArray.empty(1, "int32");
      const input = DeviceArray.from(new Int8Array([100, 100]));
      reduceInto({ input, output, op: (a, b) => a + b, init: new Int8Array([0]) });
      expect(download(output)).toEqual([-56]);
    });

    test("fractions add up before an integer output truncates them", () => {
      const output = DeviceArray.empty(1, "int32");
      reduceInto({ input: DeviceArray.from([0.5, 0.75, 0.5]), output, op: (a, b) => a + b, init: 0 });
      expect(download(output)).toEqual([1]);
    });

    test("NaN and infinities become 0 in an integer output", () => {
      const output = DeviceArray.empty(1, "int32");
      reduceInto({ input: DeviceArray.from([NaN, 1]), output, op: (a, b) => a + b, init: 0 });
      expect(download(output)).toEqual([0]);
      reduceInto({ input: DeviceArray.from([Infinity, 1]), output, op: (a, b) => a + b, init: 0 });
      expect(download(output)).toEqual([0]);
    });

    test("a value beyond the output's range wraps modulo its width", () => {
      const output = DeviceArray.empty(1, "uint8");
      reduceInto({ input: DeviceArray.from([200, 100.9]), output, op: (a, b) => a + b, init: 0 });
      expect(download(output)).toEqual([44]); // 300.9 truncates to 300, 300 - 256
    });
  });

  describe("the initial value", () => {
    test("is the result of no items", () => {
      const output = DeviceArray.full(1, 7, "int32");
      reduceInto({ input: DeviceArray.empty(0, "int32"), output, op: (a, b) => a + b, init: 42 });
      expect(download(output)).toEqual([42]);
    });

    test("may be absent: the items alone are reduced", () => {
      const output = DeviceArray.empty(1, "int32");
      reduceInto({ input: DeviceArray.from(new Int32Array([5, -3, 9])), output, op: (a, b) => (a < b ? a : b) });
      expect(download(output)).toEqual([-3]);
    });

    test("when absent, no items leave the output as it is", () => {
      const output = DeviceArray.full(1, 7, "int32");
      reduceInto({ input: DeviceArray.empty(0, "int32"), output, op: (a, b) => a + b });
      expect(download(output)).toEqual([7]);
    });

    test("changes without a rebuild", () => {
      const input = DeviceArray.from(new Int32Array([1, 2]));
      const output = DeviceArray.empty(1, "int32");
      const results = [10, 20, 30].map((init) => {
        reduceInto({ input, output, op: (a, b) => a + b, init });
        return download(output)[0];
      });
      expect(results).toEqual([13, 23, 33]);
    });

    test("2^53 + 1 comes through exactly for 64-bit integers", () => {
      const output = DeviceArray.empty(1, "int64");
      reduceInto({ input: DeviceArray.from([0n]), output, op: (a, b) => a + b, init: 2n ** 53n + 1n });
      expect(download(output)).toEqual([9007199254740993n]);
    });
  });

  describe("determinism", () => {
    test.each(["int32", "float32", "float64"] as const)("not-guaranteed sums %s", (type) => {
      const numbers = integers(50_000, 0, 10);
      const output = DeviceArray.empty(1, type);
      reduceAny(upload(type, numbers), output, ops.plus, 0, { determinism: "not-guaranteed" });
      expect(download(output)).toEqual([Number(sumOf(numbers))]);
    });

    test("not-guaranteed is refused for an operator other than plus, and without init", () => {
      const input = DeviceArray.from(new Float32Array([1]));
      const output = DeviceArray.empty(1, "float32");
      const determinism = "not-guaranteed";
      expect(() => {
        reduceInto({ input, output, op: (a, b) => a * b, init: 1, determinism });
      }).toThrow(expect.objectContaining({ code: "ERR_UNSUPPORTED", argument: "reduceInto.determinism" }));
      expect(() => {
        reduceInto({ input, output, op: (a, b) => a + b, determinism });
      }).toThrow(expect.objectContaining({ code: "ERR_UNSUPPORTED", argument: "reduceInto.determinism" }));
    });
  });

  describe("iterators", () => {
    test("counting: 0 + 1 + … + 999", () => {
      const output = DeviceArray.empty(1, "int32");
      reduceInto({ input: counting(0), output, op: (a, b) => a + b, init: 0, numItems: 1000 });
      expect(download(output)).toEqual([499500]);
    });

    test.each(numberTypes)("counting in %s", (type) => {
      const output = DeviceArray.empty(1, type);
      const items = counting(1, type as "float64");
      reduceInto({ input: items, output: output as AnyArray, op: (a, b) => a + b, numItems: 10 });
      expect(download(output)).toEqual([wrapped(type, 55n)]);
    });

    test.each(numberTypes)("constant in %s", (type) => {
      const output = DeviceArray.empty(1, type);
      const items = constant(wrapped(type, 7n) as number, type as "float64");
      reduceInto({ input: items, output: output as AnyArray, op: (a, b) => a + b, numItems: 3 });
      expect(download(output)).toEqual([wrapped(type, 21n)]);
    });

    test.each(numberTypes)("cacheModified of %s", (type) => {
      const output = DeviceArray.empty(1, type);
      const items = cacheModified(upload(type, elements(type, [1, 2, 4])) as AnyArray, "stream");
      reduceAny(items as unknown as DeviceArray, output, ops.plus, wrapped(type, 1n));
      expect(download(output)).toEqual([wrapped(type, 8n)]);
    });

    const steps: [ScalarName, ScalarName][] = [
      ["int16", "int16"],
      ["int32", "int32"],
      ["int64", "int64"],
      ["float32", "float32"],
      ["float64", "float64"],
      ["int16", "float32"],
      ["int32", "float32"],
      ["int32", "float64"],
      ["int64", "float64"],
      ["float32", "int64"],
    ];
    test.each(steps)("transformed, from counting in %s to %s", (from, to) => {
      const output = DeviceArray.empty(1, to);
      const double = isBigInt(from) ? (x: bigint) => x * 2n : (x: number) => x * 2;
      const items = transformed(
        counting(wrapped(from, 1n) as number, from as "float64"),
        double as never,
        to as "float64",
      );
      reduceAny(items as unknown as DeviceArray, output, ops.plus, wrapped(to, 0n), { numItems: 100 });
      expect(download(output)).toEqual([wrapped(to, 10_100n)]);
    });

    test.each([["int32", "int32"], ["int32", "int64"], ["int64", "int64"], ["int64", "int32"]] as const)(
      "transformed, of an array of %s to %s",
      (from, to) => {
        const output = DeviceArray.empty(1, to);
        const negate = isBigInt(from) ? (x: bigint) => -x : (x: number) => -x;
        const items = transformed(upload<ScalarName>(from, elements(from, [1, 2, 4])) as AnyArray, negate as never, to as "float64");
        reduceAny(items as unknown as DeviceArray, output, ops.plus, wrapped(to, 0n));
        expect(download(output)).toEqual([wrapped(to, -7n)]);
      },
    ); // prettier-ignore

    test("the smallest and the largest of computed items, in one struct", () => {
      const Range = struct({ least: "float64", most: "float64" });
      const numbers = integers(1_000, -500, 500, 8);
      const output = DeviceArray.empty(1, Range);
      const input = transformed(DeviceArray.from(numbers), (x) => ({ least: x, most: x }), Range);
      const op = (a: { least: number; most: number }, b: { least: number; most: number }): { least: number; most: number } => ({
        least: Math.min(a.least, b.least),
        most: Math.max(a.most, b.most),
      }); // prettier-ignore
      reduceInto({ input, output, op, init: { least: Infinity, most: -Infinity } });
      expect(output.toArray()).toEqual([{ least: Math.min(...numbers), most: Math.max(...numbers) }]);
    });

    test("a transformed output takes the root of a sum of squares", () => {
      const norm = DeviceArray.empty(1, "float32");
      const input = transformed(DeviceArray.from(new Float32Array([3, 4, 12])), (x) => x * x, "float32");
      reduceInto({ input, output: transformedOutput(norm, (sum) => Math.sqrt(sum)), op: ops.plus, init: 0 });
      expect(download(norm)).toEqual([13]);
    });

    test("constant: 3 a thousand times", () => {
      const output = DeviceArray.empty(1, "float64");
      reduceInto({ input: constant(3), output, op: (a, b) => a + b, init: 0, numItems: 1000 });
      expect(download(output)).toEqual([3000]);
    });

    test("transformed: a sum of squares", () => {
      const output = DeviceArray.empty(1, "int32");
      const squares = transformed(DeviceArray.from(new Int32Array([1, -2, 3])), (x) => x * x, "int32");
      reduceInto({ input: squares, output, op: (a, b) => a + b, init: 0 });
      expect(download(output)).toEqual([14]);
    });

    test("transformed three deep, with a type of its own at each step", () => {
      const output = DeviceArray.empty(1, "float64");
      const halves = transformed(counting(0), (x) => x / 2, "float64"); // 0, 0.5, 1, 1.5
      const whole = transformed(halves, (x) => x, "int16"); // 0, 0, 1, 1
      const shifted = transformed(whole, (x) => x + 0.25, "float32"); // 0.25, 0.25, 1.25, 1.25
      reduceInto({ input: shifted, output, op: (a, b) => a + b, init: 0, numItems: 4 });
      expect(download(output)).toEqual([3]);
    });

    test("items whose layout is not the accumulator's: int64 items, a float32 accumulator", () => {
      const output = DeviceArray.empty(1, "float32");
      const items = transformed(counting(1n), (x) => x * 2n, "int64");
      reduceInto({ input: items, output, op: (a, b) => a + b, init: new Float32Array([0]), numItems: 100 });
      expect(download(output)).toEqual([10100]);
    });

    test("a transformed output applies its operator to the result", () => {
      const mean = DeviceArray.empty(1, "float64");
      const output = transformedOutput(mean, (sum) => sum / 4);
      reduceInto({ input: DeviceArray.from([1, 2, 3, 10]), output, op: (a, b) => a + b, init: 0 });
      expect(download(mean)).toEqual([4]);
    });

    test("a captured number reaches the operator of a transformed output", () => {
      const mean = DeviceArray.empty(1, "float64");
      const count = 4;
      const output = transformedOutput(mean, (sum) => sum / count);
      reduceInto({ input: DeviceArray.from([1, 2, 3, 10]), output, op: (a, b) => a + b, init: 0 });
      expect(download(mean)).toEqual([4]);
    });

    test("what a transformed input captures is read at each call", () => {
      const input = DeviceArray.from([1, 2, 3]);
      const output = DeviceArray.empty(1, "float64");
      const captured = { scale: 1 };
      const scaled = transformed(
        input,
        bind((x: number, { scale }: { scale: number }) => x * scale, captured),
        "float64",
      );
      const results = [4, 8].map((scale) => {
        captured.scale = scale;
        reduceInto({ input: scaled, output, op: (a, b) => a + b, init: 0 });
        return download(output)[0];
      });
      expect(results).toEqual([24, 48]);
    });
  });

  describe("well-known operators over each type", () => {
    test.each(allTypes)("%s", (type) => {
      const numbers = type === "bool" ? [0, 1, 1, 0, 1] : integers(60, 1, 30, 6);
      const input = upload(type, elements(type, numbers));
      const reduced = (op: unknown, init: bigint): unknown => {
        const output = DeviceArray.empty(1, type);
        reduceAny(input, output, op, wrapped(type, init));
        return download(output)[0];
      };
      const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
      expect(reduced(ops.maximum, 0n)).toEqual(wrapped(type, BigInt(most)));
      expect(reduced(ops.minimum, 101n)).toEqual(wrapped(type, BigInt(least)));
      if (type === "bool") {
        expect([reduced(ops.logicalAnd, 1n), reduced(ops.logicalOr, 0n)]).toEqual([false, true]);
        return;
      }
      if (type !== "bfloat16") expect(reduced(ops.plus, 0n)).toEqual(wrapped(type, sumOf(numbers)));
      if (!type.includes("int")) return;
      const bits = numbers.map(BigInt);
      expect(reduced(ops.bitAnd, -1n)).toEqual(
        wrapped(
          type,
          bits.reduce((a, b) => a & b),
        ),
      );
      expect(reduced(ops.bitOr, 0n)).toEqual(
        wrapped(
          type,
          bits.reduce((a, b) => a | b),
        ),
      );
      expect(reduced(ops.bitXor, 0n)).toEqual(
        wrapped(
          type,
          bits.reduce((a, b) => a ^ b),
        ),
      );
      expect(reduced(ops.multiplies, 1n)).toEqual(
        wrapped(
          type,
          bits.reduce((a, b) => a * b),
        ),
      );
    });
  });

  test("builds are shared by equal types, and by nothing else", () => {
    const builds = (input: object, output: DeviceArray, numItems: number): number => {
      const before = caches.stats().builds;
      reduceAny(input as DeviceArray, output, (a: number, b: number) => a + b * 1, undefined, { numItems });
      return caches.stats().builds - before;
    };
    const ints = (size: number): DeviceArray<"int32"> => DeviceArray.zeros(size, "int32");
    const one = (type: ScalarName): DeviceArray => DeviceArray.empty(1, type);
    builds(ints(3), one("int32"), 3);
    expect(builds(ints(1_000), one("int32"), 1_000)).toBe(0);
    expect(builds(DeviceArray.zeros(3, "int16"), one("int32"), 3)).toBe(1);
    expect(builds(ints(3), one("int64"), 3)).toBe(1);
    expect(builds(counting(0), one("int32"), 3)).toBe(1);
    expect(builds(counting(77), one("int32"), 30)).toBe(0);
    expect(builds(counting(0, "int16"), one("int32"), 3)).toBe(1);
    const doubled = (child: AnyArray): object => transformed(child, (x) => x * 2, "int32");
    const tripled = (child: AnyArray): object => transformed(child, (x) => x * 3, "int32");
    expect(builds(doubled(ints(3) as unknown as AnyArray), one("int32"), 3)).toBe(1);
    expect(builds(doubled(ints(9) as unknown as AnyArray), one("int32"), 9)).toBe(0);
    expect(builds(tripled(ints(3) as unknown as AnyArray), one("int32"), 3)).toBe(1);
    expect(builds(doubled(counting(0) as unknown as AnyArray), one("int32"), 3)).toBe(1);
  });

  test.each([100_000, ...onGpu(10_000_000)])("%i items sum to the same bits at every call", (size) => {
    const numbers = Float64Array.from(integers(size, -1_000, 1_000, 12), (x) => x / 7);
    const input = DeviceArray.from(numbers);
    const sums = DeviceArray.empty(50, "float64");
    for (let i = 0; i < 50; i++) reduceInto({ input, output: sums.subarray(i, i + 1), op: (a, b) => a + b, init: 0 });
    const bits = new BigUint64Array(sums.toTypedArray().slice().buffer);
    expect(new Set(bits).size).toBe(1);
  });

  describe("captured numbers", () => {
    test("a closure's variable is read at each call", () => {
      const input = DeviceArray.from([1, 2, 3]);
      const output = DeviceArray.empty(1, "float64");
      const results: unknown[] = [];
      for (const limit of [4, 8]) {
        reduceInto({ input, output, op: (a, b) => Math.min(a + b, limit), init: 0 });
        results.push(download(output)[0]);
      }
      expect(results).toEqual([4, 6]);
    });
  });

  describe("items", () => {
    test("numItems takes the first of them", () => {
      const output = DeviceArray.empty(1, "int32");
      const input = DeviceArray.from(new Int32Array([1, 2, 3, 4]));
      reduceInto({ input, output, op: (a, b) => a + b, init: 0, numItems: 2 });
      expect(download(output)).toEqual([3]);
    });

    test("a view begins where it begins, aligned or not", () => {
      const output = DeviceArray.empty(1, "uint8");
      const input = DeviceArray.from(new Uint8Array([100, 1, 2, 3, 100]));
      reduceInto({ input: input.subarray(1, 4), output, op: (a, b) => a + b, init: 0 });
      expect(download(output)).toEqual([6]);
    });

    test("the output may be an element of the input", () => {
      const array = DeviceArray.from(new Int32Array([1, 2, 3, 4]));
      reduceInto({ input: array, output: array.subarray(0, 1), op: (a, b) => a + b, init: 0 });
      expect(download(array)).toEqual([10, 2, 3, 4]);
    });
  });

  describe("on a stream", () => {
    test("the result is there after the stream is synchronized", () => {
      const stream = new Stream();
      const output = DeviceArray.empty(1, "int32", { stream });
      reduceInto({ input: counting(0), output, op: (a, b) => a + b, init: 0, numItems: 100, stream });
      stream.synchronize();
      expect(Array.from(output.toTypedArray({ stream }))).toEqual([4950]);
    });
  });

  describe("made", () => {
    const op = (a: number, b: number): number => a * 3 + b * 3 - (a + b) * 2; // a + b, but not recognised as plus

    test("makeReduceInto builds for types, and takes other arrays, init and count at each call", () => {
      const output = DeviceArray.empty(1, "int32");
      const sum = makeReduceInto({ input: DeviceArray.empty(1, "int32"), output, op, init: 0 });
      sum({ input: DeviceArray.from(new Int32Array([1, 2, 3])), output, init: 10 });
      expect(download(output)).toEqual([16]);
      sum({ input: DeviceArray.from(new Int32Array([1, 2, 3])), output, init: 0, numItems: 2 });
      expect(download(output)).toEqual([3]);
    });

    test("makeReduceIntoAsync does the same off the event loop", async () => {
      const output = DeviceArray.empty(1, "int16");
      const sum = await makeReduceIntoAsync({ input: DeviceArray.empty(1, "int16"), output, op, init: 0 });
      sum({ input: DeviceArray.from(new Int16Array([4, 5])), output, init: 1 });
      expect(Array.from(await output.read())).toEqual([10]);
    });

    test("arrays of another type are refused, naming the option", () => {
      const output = DeviceArray.empty(1, "int32");
      const sum = makeReduceInto({ input: DeviceArray.empty(1, "int32"), output, op, init: 0 });
      expect(() => {
        sum({ input: DeviceArray.empty(1, "int8") as unknown as DeviceArray<"int32">, output, init: 0 });
      }).toThrow(expect.objectContaining({ code: "ERR_BUILD_MISMATCH", argument: "reduceInto.input" }));
    });
  });
});
