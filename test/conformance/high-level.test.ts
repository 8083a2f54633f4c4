/** The functions that allocate their outputs. */
import {
  DeviceArray,
  type ScalarName,
  argmax,
  argmin,
  argsort,
  constant,
  count,
  counting,
  filter,
  histogram,
  map,
  max,
  mean,
  min,
  minmax,
  permuted,
  reduce,
  scan,
  sort,
  struct,
  sum,
  transformed,
  unique,
} from "../../lib";
import { describeOnBackends } from "../helpers/backends";
import { at, placesInOrder } from "../helpers/sorting";
import { download, elements, integers, numberTypes, sumOf, upload, wrapped } from "../helpers/elements";

const isBigInt = (type: ScalarName): boolean => type.endsWith("64") && type !== "float64";

describeOnBackends("functions that allocate their outputs", () => {
  describe("sum, mean, min, max and minmax of each type", () => {
    test.each(numberTypes)("%s", async (type) => {
      const numbers = integers(3_000, 0, 100, 3);
      const input = upload(type, elements(type, numbers)) as DeviceArray<"float64">;
      const exact = sumOf(numbers);
      const own = (value: number): unknown => wrapped(type, BigInt(value));
      expect(await sum(input)).toBe(isBigInt(type) ? exact : Number(exact));
      expect(await mean(input)).toBe(Number(exact) / numbers.length);
      expect(await min(input)).toBe(own(Math.min(...numbers)));
      expect(await max(input)).toBe(own(Math.max(...numbers)));
      expect(await minmax(input)).toEqual({ min: own(Math.min(...numbers)), max: own(Math.max(...numbers)) });
    });
  });

  describe("sum", () => {
    test("does not wrap where the element type would", async () => {
      expect(await sum(DeviceArray.from(new Int8Array([100, 100, 100])))).toBe(300);
      expect(await sum(DeviceArray.from(new Uint32Array([4_000_000_000, 4_000_000_000])))).toBe(8_000_000_000);
    });

    test("of bigints wraps at 64 bits", async () => {
      expect(await sum(DeviceArray.from([2n ** 63n - 1n, 1n]))).toBe(-(2n ** 63n));
    });

    test("counts true as 1", async () => {
      expect(await sum(DeviceArray.from([true, false, true]))).toBe(2);
    });

    test("of float32 adds in float64", async () => {
      expect(await sum(DeviceArray.from(new Float32Array([2 ** 24, 1, 1])))).toBe(2 ** 24 + 2);
    });

    test("of nothing is 0, and its mean is NaN", async () => {
      expect(await sum(DeviceArray.empty(0, "int32"))).toBe(0);
      expect(await sum(DeviceArray.empty(0, "uint64"))).toBe(0n);
      expect(await mean(DeviceArray.empty(0, "int32"))).toBeNaN();
    });

    test("takes an iterator that has an end", async () => {
      expect(await sum(transformed(DeviceArray.from(new Int32Array([1, 2, 3])), (x) => x * x, "int32"))).toBe(14);
    });

    test("refuses an iterator without an end, and structs", async () => {
      await expect(sum(counting(0))).rejects.toMatchObject({ name: "RangeError", argument: "sum.input" });
      const points = DeviceArray.zeros(2, struct({ x: "float32" }));
      await expect(sum(points as never)).rejects.toMatchObject({ name: "TypeError", argument: "sum.input" });
    });
  });

  describe("min and max", () => {
    test("are NaN where one element is", async () => {
      const input = DeviceArray.from([3, NaN, -1]);
      expect([await min(input), await max(input)]).toEqual([NaN, NaN]);
      expect(await minmax(input)).toEqual({ min: NaN, max: NaN });
    });

    test("order -0 before 0", async () => {
      const input = DeviceArray.from([0, -0]);
      expect(await min(input)).toBe(-0);
      expect(await max(input)).toBe(0);
    });

    test("of nothing reject with ERR_EMPTY", async () => {
      const empty = DeviceArray.empty(0, "float32");
      for (const result of [min(empty), max(empty), minmax(empty)]) {
        await expect(result).rejects.toMatchObject({ name: "RangeError", code: "ERR_EMPTY" });
      }
    });
  });

  describe("argmin and argmax", () => {
    test.each(numberTypes)("%s", async (type) => {
      const numbers = integers(3_000, 0, 100, 9);
      const input = upload(type, elements(type, numbers)) as DeviceArray<"float64">;
      expect(await argmin(input)).toBe(numbers.indexOf(Math.min(...numbers)));
      expect(await argmax(input)).toBe(numbers.indexOf(Math.max(...numbers)));
    });

    test("are the place of the first NaN where there is one", async () => {
      const input = DeviceArray.from([1, NaN, -Infinity, NaN, Infinity]);
      expect([await argmin(input), await argmax(input)]).toEqual([1, 1]);
    });

    test("take 0 and -0 for equal, and bools", async () => {
      const zeros = DeviceArray.from([0, -0]);
      expect([await argmin(zeros), await argmax(zeros)]).toEqual([0, 0]);
      const bools = DeviceArray.from([true, false, false]);
      expect([await argmin(bools), await argmax(bools)]).toEqual([1, 0]);
    });

    test("of nothing reject with ERR_EMPTY", async () => {
      await expect(argmax(DeviceArray.empty(0, "float32"))).rejects.toMatchObject({ code: "ERR_EMPTY" });
    });
  });

  describe("count", () => {
    test("says how many elements a predicate holds for", async () => {
      const numbers = integers(5_000, -50, 50, 5);
      const input = DeviceArray.from(new Int16Array(numbers));
      expect(await count(input, (x) => x > 10)).toBe(numbers.filter((x) => x > 10).length);
      expect(await count(DeviceArray.empty(0, "int16"), (x) => x > 10)).toBe(0);
    });

    test("takes structs and captures", async () => {
      const points = DeviceArray.from([{ x: 1 }, { x: 2 }, { x: 3 }], struct({ x: "float32" }));
      const least = 1.5;
      expect(await count(points, ({ x }) => x > least)).toBe(2);
    });
  });

  describe("reduce", () => {
    test("computes as Array.prototype.reduce does", async () => {
      const bytes = new Int8Array([100, 100, 100]);
      const expected = bytes.reduce((a, b) => a + b, 0.5);
      expect(await reduce(DeviceArray.from(bytes), (a, b) => a + b, 0.5)).toBe(expected);
    });

    test("computes in the type that is asked for", async () => {
      const input = DeviceArray.from(new Int8Array([100, 100]));
      expect(await reduce(input, (a, b) => a + b, 0, { type: "int8" })).toBe(-56);
    });

    test("of structs answers an object", async () => {
      const type = struct({ n: "int32", s: "float64" });
      const input = DeviceArray.from([{ n: 1, s: 0.5 }, { n: 2, s: 0.25 }], type); // prettier-ignore
      expect(await reduce(input, (a, b) => ({ n: a.n + b.n, s: a.s + b.s }))).toEqual({ n: 3, s: 0.75 });
    });

    test("of nothing answers the initial value, and rejects without one", async () => {
      const empty = DeviceArray.empty(0, "int32");
      expect(await reduce(empty, (a, b) => a + b, 7)).toBe(7);
      await expect(reduce(empty, (a, b) => a + b)).rejects.toMatchObject({ code: "ERR_EMPTY" });
    });
  });

  describe("map", () => {
    test("gives an array of the input's type, as TypedArray.prototype.map does", () => {
      const bytes = new Uint8Array([1, 100, 200]);
      const mapped = map(DeviceArray.from(bytes), (x) => x * 2);
      expect(mapped.toTypedArray()).toEqual(bytes.map((x) => x * 2));
    });

    test("gives an array of the type that is asked for", () => {
      const mapped = map(DeviceArray.from(new Uint8Array([1, 2])), (x) => x / 2, { type: "float32" });
      expect(mapped.toTypedArray()).toEqual(new Float32Array([0.5, 1]));
    });

    test("leaves its input alone and takes none", () => {
      const input = DeviceArray.from([1, 2]);
      map(input, (x) => x + 1);
      expect(input.toArray()).toEqual([1, 2]);
      expect(map(DeviceArray.empty(0, "int32"), (x) => x + 1).length).toBe(0);
    });

    test("refuses an iterator without an end", () => {
      expect(() => map(constant(1), (x) => x)).toThrow(RangeError);
    });
  });

  describe("scan", () => {
    const input = (): DeviceArray<"int8"> => DeviceArray.from(new Int8Array([100, 20, -3]));

    test("runs up to and with each element", () => {
      expect(scan(input(), (a, b) => Math.max(a, b)).toArray()).toEqual([100, 100, 100]);
      expect(scan(input(), (a, b) => a + b, { type: "int32", init: 10 }).toArray()).toEqual([110, 130, 127]);
    });

    test("leaves each element out where it is exclusive", () => {
      expect(scan(input(), (a, b) => a + b, { type: "int32", init: 0, exclusive: true }).toArray()).toEqual([
        0, 100, 120,
      ]);
    });

    test("needs an initial value where it is exclusive", () => {
      expect(() => scan(input(), (a, b) => a + b, { exclusive: true })).toThrow(/scan\.init/);
    });
  });

  describe("sort and argsort", () => {
    test.each(numberTypes)("%s in either order, of which argsort gives the places", (type) => {
      const numbers = integers(2_000, 0, 100, 11);
      const input = upload(type, elements(type, numbers)) as DeviceArray<"float64">;
      const places = placesInOrder(numbers);
      expect(download(sort(input))).toEqual(elements(type, at(numbers, places)));
      expect(download(argsort(input))).toEqual(places);
      const backwards = placesInOrder(numbers, true);
      expect(download(sort(input, "descending"))).toEqual(elements(type, at(numbers, backwards)));
      expect(download(argsort(input, "descending"))).toEqual(backwards);
      expect(download(sort(permuted(input, argsort(input))))).toEqual(elements(type, at(numbers, places)));
    });

    test("put NaN last in either order, and keep -0 and 0 as they come", () => {
      const input = DeviceArray.from([0, NaN, 1, -0, -Infinity]);
      expect(sort(input).toArray()).toEqual([-Infinity, 0, -0, 1, NaN]);
      expect(sort(input, "descending").toArray()).toEqual([1, 0, -0, -Infinity, NaN]);
      expect(argsort(input, "descending").toArray()).toEqual([2, 0, 3, 4, 1]);
    });

    test("take an order of one's own, structs and iterators", () => {
      const words = DeviceArray.from([{ n: 3 }, { n: 1 }, { n: 2 }], struct({ n: "int8" }));
      expect(sort(words, (a, b) => a.n < b.n).toArray()).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
      expect(argsort(words, (a, b) => a.n > b.n).toArray()).toEqual([0, 2, 1]);
      expect(sort(transformed(DeviceArray.from(new Int32Array([1, -3, 2])), (x) => x * x, "int32")).toArray()).toEqual([
        1, 4, 9,
      ]);
      expect(sort(DeviceArray.empty(0, "int32")).length).toBe(0);
      expect(() => sort(words)).toThrow(/^sort\.order/);
    });
  });

  describe("filter", () => {
    test("keeps what the predicate holds for, in an array of that length", async () => {
      const numbers = integers(5_000, -50, 50, 5);
      const kept = await filter(DeviceArray.from(new Int16Array(numbers)), (x) => x % 3 === 0 && x > 0);
      expect(download(kept)).toEqual(numbers.filter((x) => x % 3 === 0 && x > 0));
    });

    test("keeps all, and nothing", async () => {
      const input = DeviceArray.from([1, 2, 3]);
      expect((await filter(input, (x) => x > 0)).toArray()).toEqual([1, 2, 3]);
      expect((await filter(input, (x) => x > 5)).length).toBe(0);
      expect((await filter(DeviceArray.empty(0, "int32"), (x) => x > 5)).length).toBe(0);
    });

    test("rejects what is no predicate", async () => {
      await expect(filter(DeviceArray.from([1]), 5 as never)).rejects.toMatchObject({ name: "TypeError" });
    });
  });

  describe("unique", () => {
    test.each(numberTypes)("%s", async (type) => {
      const numbers = integers(2_000, 0, 40, 3);
      const input = upload(type, elements(type, numbers)) as DeviceArray<"float64">;
      const distinct = [...new Set(numbers)].sort((a, b) => a - b);
      expect(download(await unique(input))).toEqual(elements(type, distinct));
    });

    test("has NaN once, and one zero", async () => {
      const input = DeviceArray.from([NaN, 0, 2, -0, NaN, 2]);
      expect((await unique(input)).toArray()).toEqual([0, 2, NaN]);
    });
  });

  describe("histogram", () => {
    test("counts the samples of each bin", () => {
      const samples = DeviceArray.from(new Float32Array([0, 0.5, 1, 2.9, 3, -1, NaN]));
      expect(histogram(samples, { bins: 3, lower: 0, upper: 3 }).toArray()).toEqual([2n, 1n, 1n]);
    });

    test("wants a bin at least", () => {
      for (const bins of [0, -1, 0.5, NaN]) {
        expect(() => histogram(DeviceArray.from([1]), { bins, lower: 0, upper: 1 })).toThrow(RangeError);
      }
    });
  });
});
