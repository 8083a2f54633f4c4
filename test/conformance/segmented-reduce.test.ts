import {
  type ScalarName,
  DeviceArray,
  Stream,
  caches,
  constant,
  counting,
  makeSegmentedReduce,
  makeSegmentedReduceAsync,
  ops,
  segmentedReduce,
  struct,
  transformed,
  transformedOutput,
  zipped,
} from "../../lib";
import { describeOnBackends, onGpu, testBackends } from "../helpers/backends";
import { allTypes, download, elements, integers, numberTypes, sumOf, upload, wrapped } from "../helpers/elements";
import { onBoth } from "../helpers/structs";

type Ints = DeviceArray<"int32">;

/** Any types: what is wrong about them is for the library to say. */
const reduceAny = segmentedReduce as unknown as (options: object) => void;

const offsetTypes = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"] as const;

/** Offsets of segments of these sizes, one after the other. */
function bounds(sizes: readonly number[]): number[] {
  const offsets = [0];
  for (const size of sizes) offsets.push((offsets.at(-1) ?? 0) + size);
  return offsets;
}

function offsets(sizes: readonly number[], type: ScalarName = "int32"): { startOffsets: Ints; endOffsets: Ints } {
  const array = upload(type, elements(type, bounds(sizes))) as Ints;
  return { startOffsets: array.subarray(0, -1), endOffsets: array.subarray(1) };
}

function segments(numbers: readonly number[], sizes: readonly number[]): number[][] {
  const at = bounds(sizes);
  return sizes.map((size, index) => numbers.slice(at[index] ?? 0, (at[index] ?? 0) + size));
}

const failsWith = (code: string, argument: string): Error => expect.objectContaining({ code, argument }) as Error;

describeOnBackends("segmentedReduce", () => {
  const sizes = integers(16, 0, 120, 5);
  const total = bounds(sizes).at(-1) ?? 0;

  test.each(numberTypes)("sums of 16 uneven segments of %s", (type) => {
    const most = type === "float16" || type === "bfloat16" ? 1 : 50;
    const numbers = integers(total, 0, most);
    const output = DeviceArray.empty(sizes.length, type);
    reduceAny({ input: upload(type, elements(type, numbers)), output, ...offsets(sizes), op: ops.plus, init: wrapped(type, 3n) }); // prettier-ignore
    expect(download(output)).toEqual(segments(numbers, sizes).map((part) => wrapped(type, sumOf(part) + 3n)));
  });

  test.each(allTypes)("a lambda over segments of %s: the largest item", (type) => {
    const numbers = integers(total, 0, type === "bool" ? 1 : 100, 9);
    const output = DeviceArray.empty(sizes.length, type);
    const op = (a: number, b: number): number => (a > b ? a : b);
    reduceAny({ input: upload(type, elements(type, numbers)), output, ...offsets(sizes), op, init: wrapped(type, 0n) });
    const expected = segments(numbers, sizes).map((part) => wrapped(type, BigInt(Math.max(0, ...part))));
    expect(download(output)).toEqual(expected);
  });

  describe.each(allTypes)("16 segments of a thousand items of %s", (type) => {
    test.each(["int32", "uint32", "int64", "uint64"] as const)("with offsets of %s", (offsetType) => {
      // Sizes as of a thousand throws of a die with 16 sides.
      const throws = integers(1_000, 0, 15, 21);
      const thrown = Array.from({ length: 16 }, (_, side) => throws.filter((each) => each === side).length);
      const most = type.startsWith("b") ? 1 : 9;
      const numbers = integers(1_000, 0, most, 22);
      const output = DeviceArray.empty(16, type);
      const op = type === "bool" ? ops.maximum : ops.plus;
      reduceAny({ input: upload(type, elements(type, numbers)), output, ...offsets(thrown, offsetType), op, init: wrapped(type, 0n) }); // prettier-ignore
      expect(download(output)).toEqual(segments(numbers, thrown).map((part) => wrapped(type, sumOf(part))));
    });
  });

  test.each(allTypes)("well-known minimum and maximum of %s", (type) => {
    const numbers = type === "bool" ? [1, 1, 0, 0, 1] : [7, 3, 9, 5, 4];
    for (const [op, init, expected] of [
      [ops.maximum, 0n, type === "bool" ? [1n, 0n, 1n] : [7n, 9n, 5n]],
      [ops.minimum, type === "bool" ? 1n : 100n, type === "bool" ? [1n, 0n, 0n] : [3n, 9n, 4n]],
    ] as const) {
      const output = DeviceArray.empty(3, type);
      reduceAny({ input: upload(type, elements(type, numbers)), output, ...offsets([2, 1, 2]), op, init: wrapped(type, init) }); // prettier-ignore
      expect(download(output)).toEqual(expected.map((value) => wrapped(type, value)));
    }
  });

  test("on a stream the results are there after it is synchronized", () => {
    const stream = new Stream();
    const output = DeviceArray.empty(2, "int32", { stream });
    segmentedReduce({ input: counting(1), output, ...offsets([2, 3]), op: (a, b) => a + b, init: 0, stream });
    stream.synchronize();
    expect(Array.from(output.toTypedArray({ stream }))).toEqual([3, 12]);
  });

  test.each(offsetTypes)("offsets of type %s", (type) => {
    const output = DeviceArray.empty(4, "int32");
    const input = DeviceArray.from(new Int32Array([1, 2, 3, 4, 5, 6]));
    segmentedReduce({ input, output, ...offsets([2, 0, 3, 1], type), op: (a, b) => a + b, init: 0 });
    expect(download(output)).toEqual([3, 0, 12, 6]);
  });

  test("start and end may have different types", () => {
    const output = DeviceArray.empty(2, "int32");
    segmentedReduce({
      input: DeviceArray.from(new Int32Array([1, 2, 3])),
      output,
      startOffsets: DeviceArray.from([0n, 1n]),
      endOffsets: DeviceArray.from(new Uint8Array([1, 3])),
      op: (a, b) => a + b,
      init: 0,
    });
    expect(download(output)).toEqual([1, 5]);
  });

  test("segments overlap, repeat, leave items out and come in any order; an empty one gives the init", () => {
    const output = DeviceArray.empty(5, "int32");
    segmentedReduce({
      input: DeviceArray.from(new Int32Array([1, 2, 4, 8, 16])),
      output,
      startOffsets: DeviceArray.from(new Int32Array([3, 0, 1, 1, 5])),
      endOffsets: DeviceArray.from(new Int32Array([5, 3, 3, 3, 5])),
      op: (a, b) => a + b,
      init: 100,
    });
    expect(download(output)).toEqual([124, 107, 106, 106, 100]);
  });

  test.each([0, 1, 2, 3])("%i segments, and nothing beyond them is written", (count) => {
    const output = DeviceArray.full(3, -1, "int32");
    const input = DeviceArray.from(new Int32Array([1, 2, 3]));
    segmentedReduce({ input, output, ...offsets([1, 1, 1]), op: (a, b) => a + b, init: 0, numSegments: count });
    expect(download(output)).toEqual([1, 2, 3].map((value) => (value <= count ? value : -1)));
  });

  test("an input without items", () => {
    const output = DeviceArray.empty(3, "float64");
    segmentedReduce({ input: DeviceArray.empty(0, "float64"), output, ...offsets([0, 0, 0]), op: ops.plus, init: 2.5 });
    expect(download(output)).toEqual([2.5, 2.5, 2.5]);
  });

  test.each([
    [4, "int32"],
    [64, "int32"],
    [512, "int32"],
    [4, "int64"],
    [64, "int64"],
    [512, "int64"],
  ] as const)(
    "1024 segments of at most %i items with offsets of %s, with and without saying so",
    (most, offsetType) => {
      const many = integers(1024, 1, most, most);
      const numbers = integers(bounds(many).at(-1) ?? 0, -1000, 1000);
      const input = DeviceArray.from(new Int32Array(numbers));
      const expected = segments(numbers, many).map((part) => Number(sumOf(part)));
      const run = (maxSegmentSize?: number): unknown[] => {
        const output = DeviceArray.empty(many.length, "int32");
        const hint = maxSegmentSize === undefined ? {} : { maxSegmentSize };
        segmentedReduce({ input, output, ...offsets(many, offsetType), op: (a, b) => a + b, init: 0, ...hint });
        return download(output);
      };
      const before = caches.stats();
      expect(run()).toEqual(expected);
      const compiled = caches.stats().kernelsCompiled;
      expect(run(most)).toEqual(expected);
      expect(run(most + 1000)).toEqual(expected);
      expect(caches.stats().kernelsCompiled).toBe(compiled);
      expect(compiled).toBeGreaterThanOrEqual(before.kernelsCompiled);
    },
  );

  describe("types that differ", () => {
    const input = (): DeviceArray<"float64"> => DeviceArray.from(new Float64Array([0.75, 0.75, -0.5, 200]));

    test("the output's conversion is that of its typed array", () => {
      const output = DeviceArray.empty(2, "uint8");
      segmentedReduce({ input: input(), output, ...offsets([3, 1]), op: (a, b) => a + b, init: 100 });
      expect(download(output)).toEqual([101, 300 & 255]);
    });

    test("a typed array as init sets the accumulator's type", () => {
      const output = DeviceArray.empty(2, "float64");
      segmentedReduce({ input: input(), output, ...offsets([3, 1]), op: (a, b) => a + b, init: new Int32Array([1]) });
      expect(download(output)).toEqual([1, 201]); // 0.75 and -0.5 truncate
    });

    test("a wide output cannot overflow", () => {
      const output = DeviceArray.empty(1, "int64");
      const bytes = DeviceArray.from(new Int8Array([127, 127, 127]));
      segmentedReduce({ input: bytes, output, ...offsets([3]), op: (a, b) => a + b, init: 0n });
      expect(download(output)).toEqual([381n]);
    });
  });

  test("NaN, -0, infinities and subnormals", () => {
    const values = [NaN, 1, -0, -0, Infinity, -Infinity, 2 ** -149, 2 ** -149];
    const input = DeviceArray.from(new Float32Array(values));
    const output = DeviceArray.empty(4, "float32");
    segmentedReduce({ input, output, ...offsets([2, 2, 2, 2]), op: (a, b) => a + b, init: -0 });
    expect(download(output)).toEqual([NaN, -0, NaN, 2 ** -148]);
  });

  test.each([100_000, ...onGpu(10_000_000)])("the sums of %i fractions have the same bits at every call", (size) => {
    const input = DeviceArray.from(Float64Array.from(integers(size, -1_000, 1_000, 12), (x) => x / 7));
    // From segments of one item to one of nearly all.
    const bounds = DeviceArray.from(new Int32Array([0, 1, 10, 500, 20_000, size]));
    const [startOffsets, endOffsets] = [bounds.subarray(0, 5), bounds.subarray(1)];
    const run = (): Buffer => {
      const output = DeviceArray.empty(5, "float64");
      segmentedReduce({ input, output, startOffsets, endOffsets, op: (a, b) => a + b, init: 0 });
      return Buffer.from(output.toTypedArray().slice().buffer);
    };
    const first = run();
    for (let i = 1; i < 50; i++) expect(run().equals(first)).toBe(true);
  });

  test("sub-ranges that are not aligned", () => {
    const input = DeviceArray.from(new Int16Array([99, 1, 2, 3, 4, 99])).subarray(1, 5);
    const output = DeviceArray.full(4, -1, "int16");
    segmentedReduce({ input, output: output.subarray(1, 3), ...offsets([3, 1]), op: (a, b) => a + b, init: 0 });
    expect(download(output)).toEqual([-1, 6, 4, -1]);
  });

  describe("iterators", () => {
    test("rows of a matrix: computed offsets, as many as the output has", () => {
      const output = DeviceArray.empty(3, "int32");
      segmentedReduce({
        input: counting(1),
        output,
        startOffsets: transformed(counting(0), (row) => row * 4, "int32"),
        endOffsets: transformed(counting(1), (row) => row * 4, "int32"),
        op: (a, b) => a + b,
        init: 0,
      });
      expect(download(output)).toEqual([10, 26, 42]);
    });

    test("the segments of an iterator are those of the end offsets", () => {
      const output = DeviceArray.full(4, -1, "int32");
      const endOffsets = DeviceArray.from(new Int32Array([1, 3]));
      segmentedReduce({ input: constant(2, "int32"), output, startOffsets: constant(0, "int32"), endOffsets, op: ops.plus, init: 0 }); // prettier-ignore
      expect(download(output)).toEqual([2, 6, -1, -1]);
    });

    test("a zipped output: the largest item of each segment to one array, and its place to another", () => {
      const numbers = integers(300, 0, 1_000_000);
      const bounds = [0, 100, 100, 300];
      const [largest, places] = [DeviceArray.empty(3, "float32"), DeviceArray.empty(3, "int32")];
      segmentedReduce({
        input: zipped(DeviceArray.from(Float32Array.from(numbers)), counting(0n)),
        output: zipped(largest, places),
        startOffsets: DeviceArray.from(new Int32Array(bounds.slice(0, 3))),
        endOffsets: DeviceArray.from(new Int32Array(bounds.slice(1))),
        op: ([v, i], [w, j]) => (v > w || (v === w && i < j) ? [v, i] : [w, j]),
        init: [-1, -1n],
      });
      const parts = bounds.slice(1).map((end, i) => numbers.slice(bounds[i], end));
      const expected = parts.map((part) => Math.max(-1, ...part));
      expect(download(largest)).toEqual(expected);
      expect(download(places)).toEqual(expected.map((value) => numbers.indexOf(value)));
    });

    test("a transformed output, with a captured number", () => {
      const sums = DeviceArray.empty(2, "float64");
      const offset = 0.5;
      const input = DeviceArray.from(new Float64Array([1, 2, 3]));
      const output = transformedOutput(sums, (sum) => sum + offset);
      segmentedReduce({ input, output, ...offsets([2, 1]), op: (a, b) => a + b, init: 0 });
      expect(download(sums)).toEqual([3.5, 3.5]);
    });
  });

  test("structs: the largest and its index", () => {
    const Best = struct({ v: "float32", i: "int32" });
    const input = DeviceArray.from([5, 9, 1, 7].map((v, i) => ({ v, i })), Best); // prettier-ignore
    const output = DeviceArray.empty(3, Best);
    const larger = onBoth(
      "__device__ Result op(Operand0 a, Operand1 b) { return a.v > b.v ? a : b; }",
      (a: { v: number }, b: { v: number }) => (a.v > b.v ? a : b),
    );
    segmentedReduce({ input, output, ...offsets([2, 2, 0]), op: larger, init: { v: -1, i: -1 } });
    expect(output.toArray()).toEqual([{ v: 9, i: 1 }, { v: 7, i: 3 }, { v: -1, i: -1 }]); // prettier-ignore
  });

  test("captured values change without another build", () => {
    const input = DeviceArray.from(new Int32Array([5, 20, 7]));
    const output = DeviceArray.empty(2, "int32");
    const run = (most: number): unknown[] => {
      segmentedReduce({ input, output, ...offsets([2, 1]), op: (a, b) => Math.min(a + b, most), init: 0 });
      return download(output);
    };
    expect(run(10)).toEqual([10, 7]);
    const before = caches.stats();
    expect(run(6)).toEqual([6, 6]);
    expect(caches.stats()).toEqual(before);
  });

  test("variants alternate without being taken for one another", () => {
    const results = [0, 1].map(() => {
      const ints = DeviceArray.empty(1, "int32");
      const floats = DeviceArray.empty(1, "float64");
      const input = DeviceArray.from(new Float64Array([0.5, 0.75]));
      segmentedReduce({ input, output: floats, ...offsets([2]), op: (a, b) => a + b, init: 0 });
      segmentedReduce({ input, output: ints, ...offsets([2]), op: (a, b) => a + b, init: new Int32Array([0]) });
      segmentedReduce({ input, output: ints, ...offsets([2], "int64"), op: (a, b) => a * b, init: 8 });
      return [...download(floats), ...download(ints)];
    });
    expect(results).toEqual([[1.25, 3], [1.25, 3]]); // prettier-ignore
  });

  describe("made", () => {
    test("takes other arrays, offsets, inits and hints at each call", async () => {
      const one = DeviceArray.from(new Int32Array([0]));
      const options = { input: one, output: DeviceArray.empty(1, "int32"), ...offsets([1]), init: 0 };
      const made = makeSegmentedReduce({ ...options, op: (a, b) => a + b });
      const asynchronous = await makeSegmentedReduceAsync({ ...options, op: (a, b) => a + b });
      for (const sum of [made, asynchronous]) {
        const output = DeviceArray.empty(2, "int32");
        sum({ input: DeviceArray.from(new Int32Array([1, 2, 3])), output, ...offsets([1, 2]), init: 10, maxSegmentSize: 2 }); // prettier-ignore
        expect(download(output)).toEqual([11, 15]);
      }
      expect(() => {
        made({ ...options, ...offsets([1], "uint64") });
      }).toThrow(failsWith("ERR_BUILD_MISMATCH", "segmentedReduce.startOffsets"));
    });
  });

  describe("wrong arguments", () => {
    const right = (): Record<string, unknown> => ({
      input: DeviceArray.zeros(4, "int32"),
      output: DeviceArray.zeros(2, "int32"),
      ...offsets([2, 2]),
      op: (a: number, b: number) => a + b,
      init: 0,
    });
    const floats = DeviceArray.from([0.5, 1]);
    const cases: [string, object, string, string][] = [
      ["no input", { input: [1] }, "ERR_INVALID_ARG_TYPE", "segmentedReduce.input"],
      ["an output that cannot be written", { output: counting(0) }, "ERR_INVALID_ARG_TYPE", "segmentedReduce.output"],
      ["offsets that are floats", { startOffsets: floats }, "ERR_INVALID_ARG_TYPE", "segmentedReduce.startOffsets"],
      ["offsets that are a typed array", { endOffsets: new Int32Array(2) }, "ERR_INVALID_ARG_TYPE", "segmentedReduce.endOffsets"], // prettier-ignore
      ["no init", { init: undefined }, "ERR_INVALID_ARG_TYPE", "segmentedReduce.init"],
      ["an init on the device", { init: DeviceArray.from(new Int32Array(1)) }, "ERR_INVALID_ARG_TYPE", "segmentedReduce.init"], // prettier-ignore
      ["fewer end offsets", { endOffsets: offsets([4]).endOffsets }, "ERR_OUT_OF_RANGE", "segmentedReduce.endOffsets"],
      ["fewer results", { output: DeviceArray.zeros(1, "int32") }, "ERR_OUT_OF_RANGE", "segmentedReduce.output"],
      ["more segments than offsets", { numSegments: 3 }, "ERR_OUT_OF_RANGE", "segmentedReduce.startOffsets"],
      ["too many segments", { startOffsets: constant(0, "int32"), endOffsets: constant(0, "int32"), output: transformedOutput(DeviceArray.zeros(1, "int32"), (x) => x), numSegments: 2 ** 31 }, "ERR_OUT_OF_RANGE", "segmentedReduce.numSegments"], // prettier-ignore
      ["a negative count", { numSegments: -1 }, "ERR_OUT_OF_RANGE", "segmentedReduce.numSegments"],
      ["a hint of 0", { maxSegmentSize: 0 }, "ERR_OUT_OF_RANGE", "segmentedReduce.maxSegmentSize"],
      ["a fractional hint", { maxSegmentSize: 1.5 }, "ERR_OUT_OF_RANGE", "segmentedReduce.maxSegmentSize"],
      ["a hint in words", { maxSegmentSize: "4" }, "ERR_INVALID_ARG_TYPE", "segmentedReduce.maxSegmentSize"],
      ["no operator", { op: 1 }, "ERR_INVALID_ARG_TYPE", "segmentedReduce.op"],
    ];
    test.each(cases)("%s", (_, wrong, code, argument) => {
      expect(() => {
        reduceAny({ ...right(), ...wrong });
      }).toThrow(failsWith(code, argument));
    });

    test("an output that shares memory with the input or the offsets", () => {
      const memory = DeviceArray.zeros(4, "int32");
      for (const name of ["input", "startOffsets", "endOffsets"]) {
        for (const [begin, end] of [
          [0, 4],
          [2, 4],
        ] as const) {
          // prettier-ignore
          const arrays = { [name]: memory.subarray(0, 4), output: memory.subarray(begin, end), numSegments: 2 };
          expect(() => {
            reduceAny({ ...right(), ...arrays });
          }).toThrow(failsWith("ERR_OVERLAP", "segmentedReduce.output"));
        }
      }
    });
  });

  if (testBackends.includes("cuda")) {
    test("a million segments, and one of 2^26 items", () => {
      const count = 1_000_000;
      const output = DeviceArray.empty(count, "int64");
      const two = transformed(counting(0n), (x) => x * 2n, "int64");
      const after = transformed(counting(1n), (x) => x * 2n, "int64");
      segmentedReduce({ input: counting(0n), output, startOffsets: two, endOffsets: after, op: ops.plus, init: 0n });
      const sums = output.toTypedArray();
      expect([sums[0], sums[count - 1]]).toEqual([1n, 4n * BigInt(count - 1) + 1n]);
      const items = 2 ** 26;
      segmentedReduce({ input: counting(0n), output, startOffsets: constant(0, "int32"), endOffsets: constant(items, "int32"), op: ops.plus, init: 0n, numSegments: 1 }); // prettier-ignore
      expect(output.subarray(0, 1).toTypedArray()[0]).toBe((BigInt(items) * BigInt(items - 1)) / 2n);
    });
  }
});
