import {
  DeviceArray,
  type ScalarName,
  Stream,
  bind,
  constant,
  counting,
  makeReduceInto,
  makeReduceIntoAsync,
  ops,
  reduceInto,
  transformed,
  transformedOutput,
} from "../../lib";
import { describeOnBackends } from "../helpers/backends";
import { allTypes, download, elements, integers, numberTypes, sumOf, upload, wrapped } from "../helpers/elements";

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
