import {
  DeviceArray,
  type ScalarName,
  Stream,
  bind,
  cacheModified,
  caches,
  complex128,
  counting,
  makeMergeSort,
  makeMergeSortAsync,
  mergeSort,
  ops,
  reversed,
  struct,
  transformed,
  zipped,
} from "../../lib";
import { describeOnBackends, onGpu, testBackends } from "../helpers/backends";
import { allTypes, download, elements, expectElements, integers, numberTypes, upload } from "../helpers/elements";
import { at, floatTypes, floatsWithNaN, placesInOrder, sortKeys } from "../helpers/sorting";

type Any = DeviceArray<"float64">;
const any = (array: DeviceArray): Any => array as Any;

const sizes = [0, 1, 2, 4, 16, 64, 256, 1 << 10, ...(testBackends.includes("cuda") ? [1 << 20] : [5_000])];

describeOnBackends("mergeSort", () => {
  describe("keys of each type, by the default order, by name and by a function", () => {
    test.each(allTypes)("%s", (type) => {
      for (const size of sizes) {
        const keys = sortKeys(type, size);
        const inputKeys = any(upload(type, keys));
        const outputKeys = any(DeviceArray.empty(size, type));
        mergeSort({ inputKeys, outputKeys });
        expect(download(outputKeys)).toEqual(at(keys, placesInOrder(keys)));
        mergeSort({ inputKeys, outputKeys, op: ops.greater });
        expect(download(outputKeys)).toEqual(at(keys, placesInOrder(keys, true)));
        mergeSort({ inputKeys, outputKeys, op: (a, b) => b < a });
        expect(download(outputKeys)).toEqual(at(keys, placesInOrder(keys, true)));
        expect(download(inputKeys)).toEqual(keys);
      }
    });
  });

  describe("values move with their keys, and equal keys keep their order", () => {
    test.each(allTypes)("keys of %s", (type) => {
      const keys = sortKeys(type, 3_000, 7);
      const outputValues = DeviceArray.empty(keys.length, "int64");
      const outputKeys = any(DeviceArray.empty(keys.length, type));
      mergeSort({ inputKeys: any(upload(type, keys)), outputKeys, inputValues: counting(0n), outputValues });
      const places = placesInOrder(keys);
      expect(download(outputValues)).toEqual(places.map(BigInt));
      expect(download(outputKeys)).toEqual(at(keys, places));
    });

    test.each(allTypes)("values of %s, in place", (type) => {
      const keys = integers(2_000, -50, 50, 3);
      const values = sortKeys(type, 2_000, 5);
      const sorted = DeviceArray.from(new Int16Array(keys));
      const moved = any(upload(type, values));
      mergeSort({ inputKeys: sorted, outputKeys: sorted, inputValues: moved, outputValues: moved });
      const places = placesInOrder(keys);
      expect([download(sorted), download(moved)]).toEqual([at(keys, places), at(values, places)]);
    });
  });

  test.each(numberTypes)("many keys of %s with values, in place and not, by name and by default", (type) => {
    for (const size of [
      1 << 4,
      1 << 6,
      1 << 8,
      1 << 10,
      type === "int32" ? 1 << 16 : 1 << 13,
      ...onGpu(1 << 16, 1 << 20),
    ]) {
      const numbers = integers(size, type.startsWith("u") ? 0 : -100, 100, size);
      const places = placesInOrder(numbers);
      const keys = any(upload(type, elements(type, numbers)));
      const [outputKeys, outputValues] = [any(DeviceArray.empty(size, type)), DeviceArray.empty(size, "int32")];
      const values = DeviceArray.from(Int32Array.from(numbers.keys()));
      const sorted = Float64Array.from(at(numbers, places));
      if (size <= 1 << 10 || onGpu(size).length > 0) {
        mergeSort({ inputKeys: keys, outputKeys, inputValues: values, outputValues, op: ops.less });
        expectElements(Float64Array.from(download(outputKeys), Number), sorted);
        expectElements(outputValues.toTypedArray(), places);
      }
      mergeSort({ inputKeys: keys, outputKeys: keys, inputValues: values, outputValues: values });
      expectElements(Float64Array.from(download(keys), Number), sorted);
      expectElements(values.toTypedArray(), places);
    }
  });

  test("keys and values from cacheModified", () => {
    const numbers = integers(1_000, -50, 50, 31);
    const places = placesInOrder(numbers);
    const outputKeys = DeviceArray.empty(1_000, "int16");
    const outputValues = DeviceArray.empty(1_000, "float64");
    mergeSort({
      inputKeys: cacheModified(DeviceArray.from(new Int16Array(numbers))),
      outputKeys,
      inputValues: cacheModified(DeviceArray.from(numbers.map((number) => number / 4))),
      outputValues,
    });
    expect(download(outputKeys)).toEqual(at(numbers, places));
    expect(download(outputValues)).toEqual(at(numbers, places).map((number) => number / 4));
  });

  test("on a stream the result is there after it is synchronized", () => {
    const stream = new Stream();
    const outputKeys = DeviceArray.empty(3, "int32", { stream });
    mergeSort({ inputKeys: DeviceArray.from(new Int32Array([3, 1, 2])), outputKeys, stream });
    stream.synchronize();
    expect(Array.from(outputKeys.toTypedArray({ stream }))).toEqual([1, 2, 3]);
  });

  describe("structs", () => {
    const Item = struct({ rank: "int32", name: "int8" });
    const items = integers(1_500, 0, 20, 9).map((rank, i) => ({ rank, name: i % 100 }));
    const places = placesInOrder(items.map(({ rank }) => rank));

    test("are keys, by an operator of one's own", () => {
      const array = DeviceArray.from(items, Item);
      mergeSort({ inputKeys: array, outputKeys: array, op: (a, b) => a.rank < b.rank });
      expect(array.toArray()).toEqual(at(items, places));
    });

    test("of other sizes are values of struct keys", () => {
      const Wide = struct({ a: "float64", b: "int8" });
      const values = items.map((_, i) => ({ a: i / 2, b: i % 3 }));
      const outputValues = DeviceArray.empty(items.length, Wide);
      mergeSort({
        inputKeys: DeviceArray.from(items, Item),
        outputKeys: DeviceArray.empty(items.length, Item),
        inputValues: DeviceArray.from(values, Wide),
        outputValues,
        op: (a, b) => a.rank < b.rank,
      });
      expect(outputValues.toArray()).toEqual(at(values, places));
    });

    test("sort by several fields, and complex numbers by their size", () => {
      const numbers = [{ re: 3, im: 4 }, { re: 0, im: 1 }, { re: -6, im: 8 }, { re: 4, im: -3 }]; // prettier-ignore
      const array = DeviceArray.from(numbers, complex128);
      mergeSort({
        inputKeys: array,
        outputKeys: array,
        op: (a, b) => {
          const [x, y] = [Math.hypot(a.re, a.im), Math.hypot(b.re, b.im)];
          return x < y || (x === y && a.re > b.re);
        },
      });
      expect(array.toArray()).toEqual(at(numbers, [1, 3, 0, 2]));
    });

    test("have no default order", () => {
      const array = DeviceArray.from(items, Item);
      expect(() => {
        mergeSort({ inputKeys: array, outputKeys: array });
      }).toThrow(expect.objectContaining({ name: "TypeError", argument: "mergeSort.op" }) as Error);
    });
  });

  describe("floats that are no ordinary numbers", () => {
    test.each([8, 200, 5_000])("NaN of either sign comes last among %d keys by the default order", (size) => {
      const nan = new Float32Array(new Uint32Array([0x7fc0_0000, 0xffc0_0000]).buffer);
      const keys = new Float32Array(size).fill(1);
      keys.set([nan[0] as number, nan[1] as number, Infinity, -Infinity, -0, 0, 1e-45, -1e-45]);
      new Uint32Array(keys.buffer).set([0x7fc0_0000, 0xffc0_0000]);
      const outputKeys = DeviceArray.empty(size, "float32");
      mergeSort({ inputKeys: DeviceArray.from(keys), outputKeys });
      const sorted = outputKeys.toArray();
      expect(sorted.slice(0, 5)).toEqual([-Infinity, Math.fround(-1e-45), -0, 0, Math.fround(1e-45)]);
      expect(sorted.slice(5, size - 3)).toEqual(Array.from({ length: size - 8 }, () => 1));
      expect(sorted.slice(size - 3)).toEqual([Infinity, NaN, NaN]);
    });

    test.each(floatTypes)("NaN of either sign comes last among any number of keys of %s", (type) => {
      for (const size of [8, 200, 5_000, ...onGpu(1_000_000)]) {
        const { array, nans } = floatsWithNaN(type, size);
        const outputKeys = any(DeviceArray.empty(size, type));
        mergeSort({ inputKeys: any(array), outputKeys });
        const sorted = Float64Array.from(download(outputKeys), Number);
        expect(sorted.subarray(size - nans).every(Number.isNaN)).toBe(true);
        const rest = sorted.subarray(0, size - nans);
        expectElements(rest, rest.toSorted());
      }
    });

    test.each(["float16", "bfloat16", "float64"] as const)("%s", (type) => {
      const outputKeys = any(DeviceArray.empty(5, type));
      mergeSort({ inputKeys: any(upload(type, [NaN, 2, Infinity, NaN, -Infinity])), outputKeys });
      expect(download(outputKeys)).toEqual([-Infinity, 2, Infinity, NaN, NaN]);
    });
  });

  test("keys that are all equal, sorted already, or sorted the other way", () => {
    const ascending = Array.from({ length: 3_000 }, (_, i) => i);
    const outputKeys = DeviceArray.empty(3_000, "int32");
    for (const keys of [ascending, ascending.toReversed(), ascending.map(() => 5)]) {
      mergeSort({ inputKeys: DeviceArray.from(new Int32Array(keys)), outputKeys });
      expect(download(outputKeys)).toEqual(keys.toSorted((a, b) => a - b));
    }
  });

  describe("inputs", () => {
    test("are iterators too, and convert to the outputs' types", () => {
      const keys = [300, -1, 2.75, 1e9];
      const outputKeys = DeviceArray.empty(4, "int16");
      mergeSort({ inputKeys: DeviceArray.from(keys), outputKeys });
      expect(download(outputKeys)).toEqual([-13_824, -1, 2, 300]); // 1e9 wraps
      mergeSort({ inputKeys: transformed(counting(0), (i) => (i * 5) % 7, "int32"), outputKeys, numItems: 4 });
      expect(download(outputKeys)).toEqual([0, 1, 3, 5]);
      mergeSort({ inputKeys: cacheModified(DeviceArray.from(new Int16Array([2, 1, 4, 3])), "stream"), outputKeys });
      expect(download(outputKeys)).toEqual([1, 2, 3, 4]);
    });

    test("zipped keys are tuples", () => {
      const inputKeys = zipped(DeviceArray.from([2, 1, 2]), DeviceArray.from(new Int32Array([1, 5, 0])));
      const outputKeys = DeviceArray.empty(3, inputKeys.type);
      mergeSort({ inputKeys, outputKeys, op: ([a, i], [b, j]) => a < b || (a === b && i < j) });
      expect(outputKeys.toArray()).toEqual([[1, 5], [2, 0], [2, 1]]); // prettier-ignore
    });

    test("end with the output where they have no end", () => {
      const outputKeys = DeviceArray.empty(3, "int32");
      mergeSort({ inputKeys: counting(5), outputKeys, op: (a, b) => a > b });
      expect(download(outputKeys)).toEqual([7, 6, 5]);
    });
  });

  test("an operator's captures are read at every call, without a build", () => {
    const keys = DeviceArray.from(new Int32Array([1, 5, 9, 14]));
    const outputKeys = DeviceArray.empty(4, "int32");
    const byDistance = (target: number): number[] => {
      const op = bind((a: number, b: number, { t }: { t: number }) => Math.abs(a - t) < Math.abs(b - t), { t: target });
      mergeSort({ inputKeys: keys, outputKeys, op });
      return outputKeys.toArray();
    };
    expect(byDistance(8)).toEqual([9, 5, 14, 1]);
    const { builds } = caches.stats();
    expect(byDistance(13)).toEqual([14, 9, 5, 1]);
    expect(caches.stats().builds).toBe(builds);
  });

  test("sizes cost no build; numItems and sub-ranges sort a part", () => {
    const inputKeys = DeviceArray.from(new Uint8Array([9, 5, 4, 3, 2, 1]));
    const outputKeys = DeviceArray.zeros(6, "uint8");
    mergeSort({ inputKeys, outputKeys, numItems: 3 });
    expect(download(outputKeys)).toEqual([4, 5, 9, 0, 0, 0]);
    const { builds } = caches.stats();
    mergeSort({ inputKeys: inputKeys.subarray(1), outputKeys: outputKeys.subarray(1) });
    expect(download(outputKeys)).toEqual([4, 1, 2, 3, 4, 5]);
    expect(caches.stats().builds).toBe(builds);
  });

  test("made functions sort other arrays of their types", async () => {
    const array = DeviceArray.from(new Int32Array([2, 1]));
    const options = { inputKeys: array, outputKeys: array, op: (a: number, b: number): boolean => a > b };
    for (const sort of [makeMergeSort(options), await makeMergeSortAsync(options)]) {
      const other = DeviceArray.from(new Int32Array([3, 1, 2]));
      sort({ inputKeys: other, outputKeys: other });
      expect(download(other)).toEqual([3, 2, 1]);
      expect(() => {
        sort({ inputKeys: counting(0), outputKeys: array });
      }).toThrow(expect.objectContaining({ code: "ERR_BUILD_MISMATCH", argument: "mergeSort.inputKeys" }) as Error);
    }
    expect(download(array)).toEqual([2, 1]);
  });

  describe("refuses", () => {
    const keys = (): DeviceArray<"int32"> => DeviceArray.from(new Int32Array([3, 1, 2]));
    const cases: [string, () => object, string, string][] = [
      ["iterators as outputs", () => ({ outputKeys: reversed(keys()) }), "TypeError", "mergeSort.outputKeys"],
      ["values in alone", () => ({ inputValues: keys() }), "TypeError", "mergeSort.outputValues"],
      ["values out alone", () => ({ outputValues: keys() }), "TypeError", "mergeSort.inputValues"],
      ["a short output", () => ({ outputKeys: DeviceArray.empty(2, "int32") }), "RangeError", "mergeSort.outputKeys"],
      ["too many items", () => ({ numItems: 4 }), "RangeError", "mergeSort.numItems (inputKeys)"],
      ["a number as operator", () => ({ op: 5 }), "TypeError", "mergeSort.op"],
      ["values too large for the kernel", () => {
        const Large = struct({ a: ["int32", 3] });
        return { inputValues: DeviceArray.zeros(3, Large), outputValues: DeviceArray.zeros(3, Large) };
      }, "TypeError", "mergeSort.outputValues"],
      ["keys too large for the kernel", () => {
        const Large = struct({ a: ["int32", 46] });
        return { inputKeys: DeviceArray.zeros(3, Large), outputKeys: DeviceArray.zeros(3, Large), op: (a: never, b: never) => a === b };
      }, "TypeError", "mergeSort.outputKeys"],
      ["structs into scalars", () => ({ inputKeys: DeviceArray.zeros(3, complex128) }), "TypeError", "mergeSort.outputKeys"],
    ]; // prettier-ignore
    test.each(cases)("%s", (_title, options, name, argument) => {
      const call = { inputKeys: keys(), outputKeys: DeviceArray.empty(3, "int32"), ...options() };
      expect(() => {
        mergeSort(call as never);
      }).toThrow(expect.objectContaining({ name, argument }) as Error);
    });

    test("an operator that writes, as it is called any number of times", () => {
      const count = DeviceArray.zeros(1, "int32");
      const op = bind(
        (a: number, b: number, { c }: { c: DeviceArray<"int32"> }) => {
          c[0] = 1;
          return a < b;
        },
        { c: count },
      );
      expect(() => {
        mergeSort({ inputKeys: keys(), outputKeys: keys(), op });
      }).toThrow(/mergeSort\.op/);
    });

    test("memory that overlaps in part, or serves as keys and values both", () => {
      const array = DeviceArray.from(new Int32Array([4, 3, 2, 1]));
      const overlap = expect.objectContaining({ code: "ERR_OVERLAP" }) as Error;
      expect(() => {
        mergeSort({ inputKeys: array.subarray(0, 3), outputKeys: array.subarray(1, 4) });
      }).toThrow(overlap);
      expect(() => {
        mergeSort({ inputKeys: array, outputKeys: array, inputValues: counting(0), outputValues: array });
      }).toThrow(overlap);
      expect(array.toArray()).toEqual([4, 3, 2, 1]);
    });
  });

  test.each(["int32", "float64"] satisfies ScalarName[])("one output of %s may be sorted again and again", (type) => {
    const keys = sortKeys(type, 500, 4);
    const array = any(upload(type, keys));
    mergeSort({ inputKeys: array, outputKeys: array });
    mergeSort({ inputKeys: array, outputKeys: array });
    expect(download(array)).toEqual(at(keys, placesInOrder(keys)));
  });
});
