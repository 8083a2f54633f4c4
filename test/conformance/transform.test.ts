import {
  DeviceArray,
  type ScalarName,
  Stream,
  atomicAdd,
  binaryTransform,
  bind,
  constant,
  counting,
  cpp,
  makeBinaryTransformAsync,
  makeUnaryTransform,
  ops,
  transformed,
  transformedOutput,
  unaryTransform,
} from "../../lib";
import { describeOnBackends } from "../helpers/backends";
import { allTypes, download, elements, integers, numberTypes, upload, wrapped } from "../helpers/elements";

type AnyArray = DeviceArray<"float64">;

function transformAny(input: DeviceArray, output: DeviceArray, op: unknown): void {
  unaryTransform({ input: input as AnyArray, output: output as AnyArray, op: op as (x: number) => number });
}

describeOnBackends("transforms", (backend) => {
  describe("each type", () => {
    test.each(numberTypes)("unary: x + x of %s", (type) => {
      const numbers = integers(1_000, 0, 60);
      const output = DeviceArray.empty(1_000, type);
      transformAny(upload(type, elements(type, numbers)), output, (x: number) => x + x);
      expect(download(output)).toEqual(numbers.map((number) => wrapped(type, BigInt(number) * 2n)));
    });

    test.each(numberTypes)("binary: a * b of %s", (type) => {
      const a = integers(1_000, 0, 15);
      const b = integers(1_000, 0, 15, 9);
      const output = DeviceArray.empty(1_000, type);
      binaryTransform({
        input1: upload(type, elements(type, a)) as AnyArray,
        input2: upload(type, elements(type, b)) as AnyArray,
        output: output as AnyArray,
        op: (x, y) => x * y,
      });
      expect(download(output)).toEqual(a.map((number, i) => wrapped(type, BigInt(number * (b[i] ?? NaN)))));
    });

    test("unary and binary of bool", () => {
      const input1 = DeviceArray.from([true, false, true, false]);
      const input2 = DeviceArray.from([true, true, false, false]);
      const output = DeviceArray.empty(4, "bool");
      unaryTransform({ input: input1, output, op: (x) => !x });
      expect(download(output)).toEqual([false, true, false, true]);
      binaryTransform({ input1, input2, output, op: (x, y) => x && y });
      expect(download(output)).toEqual([true, false, false, false]);
    });
  });

  describe("conversion to the output's type: as a store into its typed array", () => {
    // Values that truncate, wrap, round or vanish; what each typed array makes of them is JavaScript's own answer.
    const values = [
      0, -0, 1.5, -1.5, 127.9, 128, -129, 255, 256.5, 65535.5, 65536, 2147483648, -2147483649, 4294967296,
    ];
    const odd = [...values, 1e10, -1e10, 2 ** 53, NaN, Infinity, -Infinity, 0.1];
    const stores: [ScalarName, new (values: number[]) => ArrayLike<number>][] = [
      ["int8", Int8Array],
      ["int16", Int16Array],
      ["int32", Int32Array],
      ["uint8", Uint8Array],
      ["uint16", Uint16Array],
      ["uint32", Uint32Array],
      ["float32", Float32Array],
      ["float64", Float64Array],
    ];
    test.each(stores)("float64 to %s", (type, TypedArray) => {
      const output = DeviceArray.empty(odd.length, type);
      transformAny(DeviceArray.from(odd), output, (x: number) => x);
      expect(download(output)).toEqual(Array.from(new TypedArray(odd)));
    });

    test("float64 to int64 and uint64 truncates, wraps modulo 2^64, and makes 0 of NaN", () => {
      const input = DeviceArray.from([1.9, -1.9, 2 ** 53, -(2 ** 62), NaN, Infinity, 2 ** 64 + 4096]);
      const signed = DeviceArray.empty(7, "int64");
      transformAny(input, signed, (x: number) => x);
      expect(download(signed)).toEqual([1n, -1n, 2n ** 53n, -(2n ** 62n), 0n, 0n, 4096n]);
      const unsigned = DeviceArray.empty(7, "uint64");
      transformAny(input, unsigned, (x: number) => x);
      expect(download(unsigned)).toEqual([1n, 2n ** 64n - 1n, 2n ** 53n, 2n ** 64n - 2n ** 62n, 0n, 0n, 4096n]);
    });

    test("float64 to float16 rounds to nearest even, overflows to infinity and keeps subnormals", () => {
      const input = DeviceArray.from([1 + 2 ** -11, 1 + 3 * 2 ** -11, 65504, 65520, 2 ** -24, 2 ** -26, -0, NaN]);
      const output = DeviceArray.empty(8, "float16");
      transformAny(input, output, (x: number) => x);
      expect(download(output)).toEqual([1, 1 + 2 ** -9, 65504, Infinity, 2 ** -24, 0, -0, NaN]);
    });

    test("float64 to bool is whether it is true in JavaScript", () => {
      const output = DeviceArray.empty(5, "bool");
      transformAny(DeviceArray.from([0, -0, NaN, 0.1, -Infinity]), output, (x: number) => x);
      expect(download(output)).toEqual([false, false, false, true, true]);
    });

    test("int64 to int32 keeps the low bits; to float64 it rounds", () => {
      const input = DeviceArray.from([2n ** 32n + 5n, -1n, 2n ** 53n + 1n]);
      const low = DeviceArray.empty(3, "int32");
      transformAny(input, low, (x: bigint) => x);
      expect(download(low)).toEqual([5, -1, 1]);
      const rounded = DeviceArray.empty(3, "float64");
      transformAny(input, rounded, (x: bigint) => x);
      expect(download(rounded)).toEqual([2 ** 32 + 5, -1, 2 ** 53]);
    });
  });

  describe("the language means what it means in JavaScript", () => {
    const numbers = [-7.5, -1, -0.5, -0, 0, 0.5, 1, 2.5, 1e300, NaN, Infinity, -Infinity];
    const functions: [string, (x: number) => number | boolean][] = [
      ["arithmetic", (x) => x * 3 - 1 / (x + 2)],
      ["remainder", (x) => x % 3],
      ["comparison", (x) => x < 1],
      ["ternary", (x) => (x > 0 ? x : -x)],
      ["bit operations", (x) => (x | 0) ^ (x << 3) ^ (x >>> 1) ^ ~x],
      ["Math", (x) => Math.floor(x) + Math.ceil(x) + Math.round(x) + Math.trunc(x)],
      ["minimum and maximum with NaN and -0", (x) => Math.min(x, 0) + 2 * Math.max(x, -0)],
      ["sign and square root", (x) => Math.sign(x) * Math.sqrt(Math.abs(x))],
      [
        "block bodies",
        (x) => {
          const square = x * x;
          let result = square + 1;
          if (x < 0) {
            result = -result;
          }
          return result;
        },
      ],
      ["float32 rounding", (x) => Math.fround(x * 1.1)],
    ];
    test.each(functions)("%s", (_, op) => {
      const output = DeviceArray.empty(numbers.length, "float64");
      unaryTransform({ input: DeviceArray.from(numbers), output, op: op as (x: number) => number });
      expect(download(output)).toEqual(numbers.map((number) => Number(op(number))));
    });

    test("int32 wraps as |0 does, division of integers is a number", () => {
      const input = DeviceArray.from(new Int32Array([2147483647, -2147483648, 7, -7]));
      const sum = DeviceArray.empty(4, "int32");
      unaryTransform({ input, output: sum, op: (x) => x + 1 });
      expect(download(sum)).toEqual([-2147483648, -2147483647, 8, -6]);
      const half = DeviceArray.empty(4, "float64");
      unaryTransform({ input, output: half, op: (x) => x / 2 });
      expect(download(half)).toEqual([1073741823.5, -1073741824, 3.5, -3.5]);
      const integral = DeviceArray.empty(4, "int32");
      unaryTransform({ input, output: integral, op: (x) => Math.trunc(x / 2) });
      expect(download(integral)).toEqual([1073741823, -1073741824, 3, -3]);
      const rest = DeviceArray.empty(4, "int32");
      unaryTransform({ input, output: rest, op: (x) => x % 4 });
      expect(download(rest)).toEqual([3, 0, 3, -3]);
    });

    test("float32 rounds after each operation and is not fused", () => {
      const x = Math.fround(1 + 2 ** -12);
      const output = DeviceArray.empty(1, "float32");
      unaryTransform({ input: DeviceArray.from(new Float32Array([x])), output, op: (v) => v * v - 1 });
      expect(download(output)).toEqual([Math.fround(Math.fround(x * x) - 1)]);
    });

    test("an operand's order does not narrow a fraction: x * 0.5 and 0.5 * x of integers", () => {
      const input = DeviceArray.from(new Int32Array([3, -3]));
      const left = DeviceArray.empty(2, "float64");
      const right = DeviceArray.empty(2, "float64");
      unaryTransform({ input, output: left, op: (x) => x * 0.5 });
      unaryTransform({ input, output: right, op: (x) => 0.5 * x });
      expect([download(left), download(right)]).toEqual([
        [1.5, -1.5],
        [1.5, -1.5],
      ]);
    });
  });

  describe("captured numbers", () => {
    test("a closure's variable is read at each call: 4 then 8", () => {
      const input = DeviceArray.from([1]);
      const output = DeviceArray.empty(1, "float64");
      const results: unknown[] = [];
      for (const factor of [4, 8]) {
        unaryTransform({ input, output, op: (x) => x * factor });
        results.push(download(output)[0]);
      }
      expect(results).toEqual([4, 8]);
    });

    test("bind passes values by name, read at each call", () => {
      const input = DeviceArray.from(new Float32Array([1, 2]));
      const output = DeviceArray.empty(2, "float32");
      const captured = { scale: 2, offset: 0.5 };
      const op = bind(
        (x: number, { scale, offset }: { scale: number; offset: number }) => x * scale + offset,
        captured,
      );
      unaryTransform({ input, output, op });
      expect(download(output)).toEqual([2.5, 4.5]);
      captured.scale = 10;
      unaryTransform({ input, output, op });
      expect(download(output)).toEqual([10.5, 20.5]);
    });

    test("bigints and booleans are captured as int64 and bool", () => {
      const step = 2n ** 40n;
      const negate = step > 0n;
      const input = DeviceArray.from([1n, 2n]);
      const output = DeviceArray.empty(2, "int64");
      unaryTransform({ input, output, op: (x) => (negate ? -x - step : x) });
      expect(download(output)).toEqual([-1n - 2n ** 40n, -2n - 2n ** 40n]);
    });
  });

  describe("well-known operators", () => {
    test("unary", () => {
      const input = DeviceArray.from(new Int32Array([1, -2, 3]));
      const output = DeviceArray.empty(3, "int32");
      unaryTransform({ input, output, op: ops.negate });
      expect(download(output)).toEqual([-1, 2, -3]);
      unaryTransform({ input, output, op: ops.bitNot });
      expect(download(output)).toEqual([-2, 1, -4]);
      unaryTransform({ input, output, op: ops.identity });
      expect(download(output)).toEqual([1, -2, 3]);
    });

    test("binary", () => {
      const input1 = DeviceArray.from(new Int32Array([7, -7, 12]));
      const input2 = DeviceArray.from(new Int32Array([2, 2, 10]));
      const expected: [keyof typeof ops, number[]][] = [
        ["plus", [9, -5, 22]],
        ["minus", [5, -9, 2]],
        ["multiplies", [14, -14, 120]],
        ["bitAnd", [7 & 2, -7 & 2, 12 & 10]],
        ["bitOr", [7 | 2, -7 | 2, 12 | 10]],
        ["bitXor", [7 ^ 2, -7 ^ 2, 12 ^ 10]],
        ["minimum", [2, -7, 10]],
        ["maximum", [7, 2, 12]],
        ["less", [0, 1, 0]],
        ["greaterEqual", [1, 0, 1]],
        ["equalTo", [0, 0, 0]],
        ["notEqualTo", [1, 1, 1]],
      ];
      const output = DeviceArray.empty(3, "int32");
      for (const [name, values] of expected) {
        binaryTransform({ input1, input2, output, op: ops[name] });
        expect([name, download(output)]).toEqual([name, values]);
      }
    });
  });

  describe("well-known operators over each type", () => {
    test.each(numberTypes)("plus, minus, multiplies and comparisons of %s", (type) => {
      const [a, b] = [[9, 7, 12, 3], [2, 7, 1, 3]]; // prettier-ignore
      const transform = (op: unknown, to: ScalarName): unknown[] => {
        const output = DeviceArray.empty(4, to);
        binaryTransform({
          input1: upload(type, elements(type, a)) as AnyArray,
          input2: upload(type, elements(type, b)) as AnyArray,
          output: output as AnyArray,
          op: op as (x: number, y: number) => number,
        });
        return download(output);
      };
      expect(transform(ops.plus, type)).toEqual(elements(type, [11, 14, 13, 6]));
      expect(transform(ops.minus, type)).toEqual(elements(type, [7, 0, 11, 0]));
      expect(transform(ops.multiplies, type)).toEqual(elements(type, [18, 49, 12, 9]));
      expect(transform(ops.equalTo, "bool")).toEqual([false, true, false, true]);
      expect(transform(ops.greaterEqual, "bool")).toEqual([true, true, true, true]);
      expect(transform(ops.less, "bool")).toEqual([false, false, false, false]);
    });

    test.each(numberTypes)("negate and identity of %s", (type) => {
      const output = DeviceArray.empty(3, type);
      transformAny(upload(type, elements(type, [1, 0, 5])), output, ops.identity);
      expect(download(output)).toEqual(elements(type, [1, 0, 5]));
      transformAny(upload(type, elements(type, [1, 2, 5])), output, ops.negate);
      expect(download(output)).toEqual([1n, 2n, 5n].map((value) => wrapped(type, -value)));
    });

    test("logicalAnd, logicalOr, equalTo and notEqualTo of bool", () => {
      const input1 = DeviceArray.from([true, false, true, false]);
      const input2 = DeviceArray.from([true, true, false, false]);
      const output = DeviceArray.empty(4, "bool");
      for (const [op, expected] of [
        [ops.logicalAnd, [true, false, false, false]],
        [ops.logicalOr, [true, true, true, false]],
        [ops.equalTo, [true, false, false, true]],
        [ops.notEqualTo, [false, true, true, false]],
      ] as const) {
        binaryTransform({ input1, input2, output, op });
        expect(download(output)).toEqual(expected);
      }
    });
  });

  describe("what operators capture", () => {
    test("two arrays, read and counted into: the even items of both inputs", () => {
      const evens = DeviceArray.zeros(2, "int32");
      const weights = DeviceArray.from(new Int32Array([10, 20, 30, 40]));
      const output = DeviceArray.empty(4, "int32");
      binaryTransform({
        input1: counting(0),
        input2: DeviceArray.from(new Int32Array([2, 4, 5, 6])),
        output,
        op: (i, x) => {
          if (i % 2 === 0) atomicAdd(evens, 0, 1);
          if (x % 2 === 0) atomicAdd(evens, 1, 1);
          return x * weights[i]!;
        },
      });
      expect([download(evens), download(output)]).toEqual([[2, 3], [20, 80, 150, 240]]); // prettier-ignore
    });

    test("captured functions of one text with other helpers in them are told apart", () => {
      const output = DeviceArray.empty(2, "float64");
      const through =
        (helper: (x: number) => number): ((x: number) => number) =>
        (x) =>
          helper(x) + 1;
      const results = [(x: number) => Math.sin(x), (x: number) => Math.cos(x), (x: number) => Math.sin(x)].map((f) => {
        unaryTransform({ input: DeviceArray.from([0, 0.5]), output, op: through(f) });
        return download(output)[0];
      });
      expect(results).toEqual([1, 2, 1]);
    });

    test("one text beside arrays of other lengths and types", () => {
      const output = DeviceArray.empty(1, "float64");
      const lengthOf =
        (table: DeviceArray<"int32">): ((x: number) => number) =>
        (x) =>
          table[0]! * x + table.length;
      const results = [[5], [6, 0], [7, 0, 0]].map((list) => {
        unaryTransform({
          input: DeviceArray.from([10]),
          output,
          op: lengthOf(DeviceArray.from(Int32Array.from(list))),
        });
        return download(output)[0];
      });
      expect(results).toEqual([51, 62, 73]);
    });
  });

  test("on a stream the results are there after it is synchronized", () => {
    const stream = new Stream();
    const output = DeviceArray.empty(3, "int32", { stream });
    unaryTransform({ input: counting(0), output, op: (x) => x + 1, stream });
    binaryTransform({ input1: output, input2: output, output, op: (a, b) => a * b, stream });
    stream.synchronize();
    expect(Array.from(output.toTypedArray({ stream }))).toEqual([1, 4, 9]);
  });

  test("one iterator serves several calls, and both inputs of one", () => {
    const squares = transformed(counting(1), (x) => x * x, "int32");
    const output = DeviceArray.empty(3, "int32");
    for (let round = 0; round < 2; round++) {
      unaryTransform({ input: squares, output, op: (x) => x + round });
      expect(download(output)).toEqual([1 + round, 4 + round, 9 + round]);
    }
    binaryTransform({ input1: squares, input2: squares, output, op: (a, b) => a + b });
    expect(download(output)).toEqual([2, 8, 18]);
  });

  describe("operators in CUDA C++", () => {
    const source = "__device__ float op(float x) { return fmaf(x, 2.0f, 1.0f); }";
    if (backend === "cuda") {
      test("run", () => {
        const output = DeviceArray.empty(2, "float32");
        unaryTransform({ input: DeviceArray.from(new Float32Array([1, 2.5])), output, op: cpp(source) });
        expect(download(output)).toEqual([3, 6]);
      });
    } else {
      test("need the cuda backend, and say so", () => {
        const output = DeviceArray.empty(1, "float32");
        expect(() => {
          unaryTransform({ input: DeviceArray.from(new Float32Array([1])), output, op: cpp(source) });
        }).toThrow(expect.objectContaining({ code: "ERR_OPERATOR_NEEDS_CUDA" }));
      });
    }
  });

  describe("iterators", () => {
    test("counting and constant in, as many items as the output has", () => {
      const output = DeviceArray.empty(4, "int32");
      binaryTransform({ input1: counting(5), input2: constant(10, "int32"), output, op: (a, b) => a * b });
      expect(download(output)).toEqual([50, 60, 70, 80]);
    });

    test("transformed in and out", () => {
      const result = DeviceArray.empty(3, "float32");
      const input = transformed(counting(1), (x) => x * x, "int32");
      const output = transformedOutput(result, (x) => x / 8, "float64");
      unaryTransform({ input, output, op: (x) => x + 1, numItems: 3 });
      expect(download(result)).toEqual([0.25, 0.625, 1.25]);
    });

    test("counting beyond 2^32 in 64 bits", () => {
      const output = DeviceArray.empty(2, "int64");
      unaryTransform({ input: counting(2n ** 40n), output, op: (x) => x });
      expect(download(output)).toEqual([2n ** 40n, 2n ** 40n + 1n]);
    });
  });

  test("in place", () => {
    const array = DeviceArray.from(new Int32Array([1, 2, 3]));
    unaryTransform({ input: array, output: array, op: (x) => x * 2 });
    expect(download(array)).toEqual([2, 4, 6]);
  });

  test("no items leave the output as it is", () => {
    const output = DeviceArray.full(1, 7, "int32");
    unaryTransform({ input: DeviceArray.empty(0, "int32"), output, op: (x) => x + 1 });
    expect(download(output)).toEqual([7]);
  });

  test("an output that overlaps an input in part is refused", () => {
    const array = DeviceArray.zeros(10, "int32");
    const other = DeviceArray.zeros(5, "int32");
    expect(() => {
      binaryTransform({
        input1: other,
        input2: array.subarray(0, 5),
        output: array.subarray(2, 7),
        op: (a, b) => a + b,
      });
    }).toThrow(expect.objectContaining({ code: "ERR_OVERLAP", argument: "binaryTransform.output" }));
  });

  describe("made", () => {
    test("makeUnaryTransform takes other arrays, and other captured values, at each call", () => {
      const small = DeviceArray.empty(1, "float64");
      const captured = { k: 1 };
      const op = bind((x: number, { k }: { k: number }) => x + k, captured);
      const shift = makeUnaryTransform({ input: small, output: small, op });
      const array = DeviceArray.from([1, 2]);
      captured.k = 10;
      shift({ input: array, output: array, op });
      expect(download(array)).toEqual([11, 12]);
      expect(() => {
        shift({ input: array, output: array });
      }).toThrow(expect.objectContaining({ argument: "unaryTransform.op" }));
    });

    test("makeBinaryTransformAsync resolves to the same", async () => {
      const small = DeviceArray.empty(1, "int32");
      const add = await makeBinaryTransformAsync({ input1: small, input2: small, output: small, op: (a, b) => a + b });
      const array = DeviceArray.from(new Int32Array([1, 2]));
      add({ input1: array, input2: array, output: array });
      expect(download(array)).toEqual([2, 4]);
    });
  });

  test("all element types can be read and written", () => {
    for (const type of allTypes) {
      const numbers = type === "bool" ? [0, 1, 1] : [0, 1, 100];
      const output = DeviceArray.empty(3, type);
      transformAny(upload(type, elements(type, numbers)), output, (x: number) => x);
      expect(download(output)).toEqual(numbers.map((number) => wrapped(type, BigInt(number))));
    }
  });
});
