import {
  type ScalarName,
  DeviceArray,
  Stream,
  caches,
  constant,
  counting,
  lowerBound,
  makeLowerBound,
  makeLowerBoundAsync,
  makeUpperBound,
  makeUpperBoundAsync,
  ops,
  struct,
  transformed,
  transformedOutput,
  upperBound,
} from "../../lib";
import { describeOnBackends, testBackends } from "../helpers/backends";
import { type Value, allTypes, download, elements, integers, upload } from "../helpers/elements";
import { onBoth } from "../helpers/structs";

type Search = (options: object) => void;

/** Any types: what is wrong about them is for the library to say. */
const lower = lowerBound as unknown as Search;
const upper = upperBound as unknown as Search;

/** By counting: how many elements lie before the place. */
const lowerOf = <T>(data: readonly T[], value: T, before: (a: T, b: T) => boolean): number =>
  data.filter((element) => before(element, value)).length;
const upperOf = <T>(data: readonly T[], value: T, before: (a: T, b: T) => boolean): number =>
  data.filter((element) => !before(value, element)).length;
const less = (a: Value, b: Value): boolean => a < b;
const ascending = (a: number, b: number): number => a - b;

const failsWith = (code: string, argument: string): Error => expect.objectContaining({ code, argument }) as Error;

describeOnBackends("lowerBound and upperBound", () => {
  function both(data: DeviceArray, values: unknown, options: object = {}, count?: number): [number[], number[]] {
    const length = count ?? (values as DeviceArray).length;
    return [lower, upper].map((search) => {
      const output = DeviceArray.full(length, 77n, "uint64");
      search({ data, values, output, ...options });
      return download(output).map(Number);
    }) as [number[], number[]];
  }

  test.each(allTypes)("%s, with duplicates and values beyond both ends", (type) => {
    const most = type === "bool" ? 1 : 100;
    const sorted = elements(type, integers(512, type === "bool" ? 0 : 10, most, 3).sort(ascending));
    sorted.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    const wanted = elements(type, integers(128, 0, most === 1 ? 1 : 120, 4));
    expect(both(upload(type, sorted), upload(type, wanted))).toEqual([
      wanted.map((value) => lowerOf(sorted, value, less)),
      wanted.map((value) => upperOf(sorted, value, less)),
    ]);
  });

  test.each([
    [0, 0],
    [0, 128],
    [128, 0],
    [1, 3],
    [2, 5],
    [8, 20],
    [9, 20],
    [1024, 128],
  ])("%i elements and %i values", (items, count) => {
    const sorted = integers(items, 0, items, 5).sort(ascending);
    const wanted = integers(count, -1, items + 1, 6);
    expect(both(DeviceArray.from(new Int32Array(sorted)), DeviceArray.from(new Int32Array(wanted)))).toEqual([
      wanted.map((value) => lowerOf(sorted, value, less)),
      wanted.map((value) => upperOf(sorted, value, less)),
    ]);
  });

  describe.each(["int32", "int64", "uint32", "uint64", "float32", "float64"] as const)("sizes of %s", (type) => {
    test.each([
      [0, 0],
      [0, 128],
      [128, 0],
      [512, 128],
      [1024, 128],
    ])("%i elements and %i values, by default, by name and by a function", (items, values) => {
      const sorted = integers(items, 0, 100, 5).sort(ascending);
      const wanted = integers(values, 0, 101, 6);
      const expected = [
        wanted.map((value) => lowerOf(sorted, value, less)),
        wanted.map((value) => upperOf(sorted, value, less)),
      ];
      const arrays = [upload(type, elements(type, sorted)), upload(type, elements(type, wanted))] as const;
      expect(both(...arrays)).toEqual(expected);
      expect(both(...arrays, { comp: ops.less })).toEqual(expected);
      expect(both(...arrays, { comp: (a: number, b: number) => a < b })).toEqual(expected);
    });
  });

  test("on a stream the indices are there after it is synchronized", () => {
    const stream = new Stream();
    const output = DeviceArray.empty(2, "int32", { stream });
    const data = DeviceArray.from(new Int32Array([1, 3, 5]));
    upperBound({ data, values: DeviceArray.from(new Int32Array([3, 9])), output, stream });
    stream.synchronize();
    expect(Array.from(output.toTypedArray({ stream }))).toEqual([2, 3]);
  });

  test("all equal", () => {
    const data = DeviceArray.full(100, 7, "int32");
    expect(both(data, DeviceArray.from(new Int32Array([6, 7, 8])))).toEqual([
      [0, 0, 100],
      [0, 100, 100],
    ]);
  });

  const indexTypes = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"] as const;
  test.each(indexTypes)("indices as %s", (type) => {
    const output = DeviceArray.empty(3, type);
    lowerBound({
      data: DeviceArray.from(new Float32Array([1, 2, 3])),
      values: DeviceArray.from(new Float32Array([2.5, -1, 9])),
      output,
    });
    expect(download(output).map(Number)).toEqual([2, 0, 3]);
  });

  test("NaN, zeros and infinities by the default comparator", () => {
    const data = DeviceArray.from(new Float64Array([-Infinity, -1, -0, 0, 5e-324, Infinity]));
    const values = DeviceArray.from(new Float64Array([NaN, 0, -0, Infinity, -Infinity, 5e-324]));
    expect(both(data, values)).toEqual([
      [0, 2, 2, 5, 0, 4],
      [6, 4, 4, 6, 1, 5],
    ]);
  });

  test("a comparator that orders NaN last", () => {
    const data = DeviceArray.from(new Float64Array([1, 2, NaN, NaN]));
    const values = DeviceArray.from(new Float64Array([NaN, 2, 3]));
    const comp = (a: number, b: number): boolean => a < b || (!Number.isNaN(a) && Number.isNaN(b));
    expect(both(data, values, { comp })).toEqual([
      [2, 1, 2],
      [4, 2, 2],
    ]);
  });

  describe("comparators", () => {
    const data = (): DeviceArray<"int32"> => DeviceArray.from(new Int32Array([9, 7, 7, 3]));
    const values = (): DeviceArray<"int32"> => DeviceArray.from(new Int32Array([10, 7, 3, 0]));
    const expected = [
      [0, 1, 3, 4],
      [0, 3, 4, 4],
    ];

    test("descending, as a lambda and by name", () => {
      expect(both(data(), values(), { comp: (a: number, b: number) => a > b })).toEqual(expected);
      expect(both(data(), values(), { comp: ops.greater })).toEqual(expected);
    });

    test("a captured value, which changes without another build", () => {
      const tens = DeviceArray.from(new Int32Array([1, 15, 21, 34]));
      const wanted = DeviceArray.from(new Int32Array([29, 40]));
      const run = (step: number): [number[], number[]] =>
        both(tens, wanted, { comp: (a: number, b: number) => Math.floor(a / step) < Math.floor(b / step) });
      expect(run(10)).toEqual([[2, 4], [3, 4]]); // prettier-ignore
      const before = caches.stats();
      expect(run(100)).toEqual([[0, 0], [4, 4]]); // prettier-ignore
      expect(caches.stats()).toEqual(before);
    });
  });

  describe("types that differ", () => {
    test("values convert to the data's type", () => {
      const data = DeviceArray.from(new Uint8Array([1, 2, 3]));
      expect(both(data, DeviceArray.from([2.9, 258, 3]))).toEqual([
        [1, 1, 2],
        [2, 2, 3],
      ]);
    });

    test("data that is narrower than an index, and wider than the values", () => {
      expect(both(DeviceArray.from([1n, 2n ** 40n]), DeviceArray.from(new Int8Array([2, -1])))[0]).toEqual([1, 0]);
      expect(both(DeviceArray.from(new Int8Array([-3, 5])), DeviceArray.from([5n, -3n]))[1]).toEqual([2, 1]);
    });
  });

  describe("structs", () => {
    const shapes: [string, ScalarName[]][] = [
      ["4 bytes", ["int16", "uint8"]],
      ["8 bytes", ["float32", "int32"]],
      ["12 bytes", ["float32", "int32", "uint8"]],
      ["16 bytes", ["float64", "uint8"]],
    ];
    test.each(shapes)("%s", (_, types) => {
      const Item = struct({ key: types[0] ?? "int32", ...Object.fromEntries(types.slice(1).map((type, i) => [`f${String(i)}`, type])) }); // prettier-ignore
      const item = (key: number): never => ({ key, ...Object.fromEntries(types.slice(1).map((_, i) => [`f${String(i)}`, Math.abs(key) % 7])) }) as never; // prettier-ignore
      const keys = integers(50, 0, 60, 8).sort(ascending);
      const wanted = integers(20, -2, 62, 9);
      const data = DeviceArray.from(keys.map(item), Item);
      const values = DeviceArray.from(wanted.map(item), Item);
      const comp = onBoth(
        "__device__ bool op(Operand0 a, Operand1 b) { return a.key < b.key; }",
        (a: { key: number }, b: { key: number }) => a.key < b.key,
      );
      expect(both(data, values, { comp })).toEqual([
        wanted.map((value) => lowerOf(keys, value, less)),
        wanted.map((value) => upperOf(keys, value, less)),
      ]);
      // A part of the data that begins elsewhere.
      const [found] = both(data.subarray(1), values, { comp });
      expect(found).toEqual(wanted.map((value) => lowerOf(keys.slice(1), value, less)));
    });

    test("a comparator in JavaScript", () => {
      const Item = struct({ key: "float32", id: "int32" });
      const data = DeviceArray.from([{ key: 1, id: 0 }, { key: 3, id: 1 }], Item); // prettier-ignore
      const output = DeviceArray.empty(1, "int32");
      lowerBound({ data, values: DeviceArray.from([{ key: 2, id: 9 }], Item), output, comp: (a, b) => a.key < b.key });
      expect(download(output)).toEqual([1]);
    });

    test("those that the C library would search with a wrong stride are refused", () => {
      const Odd = struct({ a: "uint8", b: "uint8", c: "uint8" });
      const data = DeviceArray.zeros(4, Odd);
      expect(() => {
        lower({ data, values: data, output: DeviceArray.zeros(4, "int32"), comp: ops.less });
      }).toThrow(failsWith("ERR_UNSUPPORTED", "lowerBound.data"));
    });

    test("without a comparator they are refused", () => {
      const Item = struct({ key: "float32", id: "int32" });
      const data = DeviceArray.zeros(4, Item);
      expect(() => {
        upper({ data, values: data, output: DeviceArray.zeros(4, "int32") });
      }).toThrow(failsWith("ERR_INVALID_ARG_TYPE", "upperBound.comp"));
    });
  });

  describe("iterators and parts", () => {
    const data = (): DeviceArray<"int32"> => DeviceArray.from(new Int32Array([0, 1, 1, 4]));

    test("values that are counted or computed, as many as the output has", () => {
      expect(both(data(), counting(0), {}, 5)[1]).toEqual([1, 3, 3, 3, 4]);
      expect(both(data(), constant(1, "int32"), {}, 2)).toEqual([[1, 1], [3, 3]]); // prettier-ignore
      const scale = 2;
      const values = transformed(counting(0), (x) => x * scale, "int32");
      expect(both(data(), values, {}, 3)[0]).toEqual([0, 3, 3]);
    });

    test("an output that computes", () => {
      const indices = DeviceArray.empty(2, "int32");
      const output = transformedOutput(indices, (index) => index * 10);
      lowerBound({ data: data(), values: DeviceArray.from(new Int32Array([4, 1])), output });
      expect(download(indices)).toEqual([30, 10]);
    });

    test("numItems and numValues leave out the rest", () => {
      const output = DeviceArray.full(3, 9, "int32");
      lowerBound({ data: data(), values: constant(100, "int32"), output, numItems: 2, numValues: 2 });
      expect(download(output)).toEqual([2, 2, 9]);
    });

    test("parts that begin anywhere", () => {
      const output = DeviceArray.full(4, 9, "int16");
      const values = DeviceArray.from(new Int32Array([0, 1, 4])).subarray(1);
      upperBound({ data: data().subarray(1), values, output: output.subarray(1, 3) });
      expect(download(output)).toEqual([9, 2, 3, 9]);
    });

    test("the output may be exactly the values", () => {
      const values = DeviceArray.from(new Int32Array([4, 0, 2]));
      upperBound({ data: data(), values, output: values });
      expect(download(values)).toEqual([4, 1, 3]);
    });
  });

  test("variants alternate without being taken for one another", () => {
    const data = DeviceArray.from(new Float32Array([1, 2, 2, 3]));
    const values = DeviceArray.from(new Float32Array([2]));
    const wide = DeviceArray.from(new Float64Array([1, 2, 2, 3]));
    const rounds = [0, 1].map(() => [
      ...both(data, values),
      ...both(wide, values),
      ...both(data, values, { comp: (a: number, b: number) => a <= b - 1 }),
    ]);
    expect(rounds[0]).toEqual([[1], [3], [1], [3], [1], [3]]);
    expect(rounds[1]).toEqual(rounds[0]);
  });

  test("made functions take other arrays, and other counts, without another build", async () => {
    const options = {
      data: DeviceArray.from([1]),
      values: DeviceArray.from([1]),
      output: DeviceArray.empty(1, "int32"),
    };
    const made = [
      makeLowerBound(options),
      await makeLowerBoundAsync({ ...options, comp: (a, b) => a < b }),
      makeUpperBound({ ...options, comp: (a, b) => a < b }),
      await makeUpperBoundAsync(options),
    ];
    const before = caches.stats();
    const results = made.map((search) => {
      const output = DeviceArray.empty(2, "int32");
      search({ data: DeviceArray.from([1, 2, 2, 5]), values: DeviceArray.from([2, 7]), output });
      return download(output);
    });
    expect(results).toEqual([[1, 4], [1, 4], [3, 4], [3, 4]]); // prettier-ignore
    expect(caches.stats()).toEqual(before);
    expect(() => {
      made[0]?.({ ...options, values: counting(0) } as never);
    }).toThrow(failsWith("ERR_BUILD_MISMATCH", "lowerBound.values"));
  });

  describe("wrong arguments", () => {
    const right = (): Record<string, unknown> => ({
      data: DeviceArray.zeros(4, "int32"),
      values: DeviceArray.zeros(4, "int32"),
      output: DeviceArray.zeros(4, "int32"),
    });
    const Item = struct({ key: "float32", id: "int32" });
    const cases: [string, object, string, string][] = [
      ["data that is an iterator", { data: counting(0) }, "ERR_INVALID_ARG_TYPE", "lowerBound.data"],
      ["values that are a typed array", { values: new Int32Array(4) }, "ERR_INVALID_ARG_TYPE", "lowerBound.values"],
      ["values that do not convert", { values: DeviceArray.zeros(4, Item) }, "ERR_INVALID_ARG_TYPE", "lowerBound.values"], // prettier-ignore
      ["indices that are floats", { output: DeviceArray.zeros(4, "float64") }, "ERR_INVALID_ARG_TYPE", "lowerBound.output"], // prettier-ignore
      ["too short an output", { output: DeviceArray.zeros(3, "int32") }, "ERR_OUT_OF_RANGE", "lowerBound.output"],
      ["more items than there are", { numItems: 5 }, "ERR_OUT_OF_RANGE", "lowerBound.numItems (data)"],
      ["more values than there are", { numValues: 5 }, "ERR_OUT_OF_RANGE", "lowerBound.numValues (values)"],
      ["a fractional count", { numValues: 0.5 }, "ERR_OUT_OF_RANGE", "lowerBound.numValues"],
      ["no comparator", { comp: "<" }, "ERR_INVALID_ARG_TYPE", "lowerBound.comp"],
    ];
    test.each(cases)("%s", (_, wrong, code, argument) => {
      expect(() => {
        lower({ ...right(), ...wrong });
      }).toThrow(failsWith(code, argument));
    });

    test("an output that shares memory with the data, or in part with the values", () => {
      const memory = DeviceArray.zeros(8, "int32");
      const output = memory.subarray(0, 4);
      for (const shared of [{ data: output }, { data: memory.subarray(2, 6) }, { values: memory.subarray(2, 6) }]) {
        expect(() => {
          lower({ ...right(), output, ...shared });
        }).toThrow(failsWith("ERR_OVERLAP", "lowerBound.output"));
      }
    });

    test("a disposed array", () => {
      const data = DeviceArray.zeros(4, "int32");
      data.dispose();
      expect(() => {
        lower({ ...right(), data });
      }).toThrow(failsWith("ERR_DISPOSED", "lowerBound.data"));
    });
  });

  if (testBackends.includes("cuda")) {
    test("millions of values in millions of elements", () => {
      const count = 2 ** 22;
      const data = DeviceArray.from(Int32Array.from({ length: count }, (_, i) => 2 * i));
      const output = DeviceArray.empty(count, "uint64");
      upperBound({ data, values: counting(0), output });
      const found = output.toTypedArray();
      expect(found.every((index, i) => index === BigInt(Math.floor(i / 2) + 1))).toBe(true);
    });
  }
});
