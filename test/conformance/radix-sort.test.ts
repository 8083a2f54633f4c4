import {
  DeviceArray,
  DoubleBuffer,
  type ScalarName,
  Stream,
  caches,
  complex64,
  counting,
  makeRadixSort,
  makeRadixSortAsync,
  radixSort,
  struct,
} from "../../lib";
import { describeOnBackends, onGpu, testBackends } from "../helpers/backends";
import { allTypes, download, elements, expectElements, integers, numberTypes, upload } from "../helpers/elements";
import {
  at,
  bitsOfFloats,
  floatTypes,
  floatsFromBits,
  floatsWithNaN,
  placesInOrder,
  sortKeys,
} from "../helpers/sorting";

type Any = DeviceArray<"float64">;
const any = (array: DeviceArray): Any => array as Any;

// Within one tile, over several, and over many.
const sizes = [0, 1, 2, 4, 1 << 10, ...(testBackends.includes("cuda") ? [1 << 20] : [5_000])];

const infinity = 0x7ff0_0000_0000_0000n;
const sign = 1n << 63n;

/** A float64's bits, turned so that they order as the numbers do: all of a negative one, the sign of others. */
function orderedBits(number: number): bigint {
  const bits = bitsOfFloats(new Float64Array([number]))[0] as bigint;
  return bits >= sign ? 2n * sign - 1n - bits : bits | sign;
}

describeOnBackends("radixSort", () => {
  describe("keys of each type, in either order", () => {
    test.each(allTypes)("%s", (type) => {
      for (const size of sizes) {
        const keys = sortKeys(type, size);
        const inputKeys = any(upload(type, keys));
        const outputKeys = any(DeviceArray.empty(size, type));
        radixSort({ inputKeys, outputKeys });
        expect(download(outputKeys)).toEqual(at(keys, placesInOrder(keys)));
        radixSort({ inputKeys, outputKeys, order: "descending" });
        expect(download(outputKeys)).toEqual(at(keys, placesInOrder(keys, true)));
        expect(download(inputKeys)).toEqual(keys);
      }
    });
  });

  describe("values move with their keys, and equal keys keep their order", () => {
    test.each(allTypes)("keys of %s", (type) => {
      const keys = sortKeys(type, 3_000, 7);
      const inputValues = DeviceArray.from(Int32Array.from(keys.keys()));
      const outputValues = DeviceArray.empty(keys.length, "int32");
      const outputKeys = any(DeviceArray.empty(keys.length, type));
      for (const order of ["ascending", "descending"] as const) {
        radixSort({ inputKeys: any(upload(type, keys)), outputKeys, inputValues, outputValues, order });
        const places = placesInOrder(keys, order === "descending");
        expect(download(outputValues)).toEqual(places);
        expect(download(outputKeys)).toEqual(at(keys, places));
      }
    });

    test.each(allTypes)("values of %s", (type) => {
      const keys = integers(2_000, 0, 255, 3);
      const values = sortKeys(type, 2_000, 5);
      const outputValues = any(DeviceArray.empty(2_000, type));
      radixSort({
        inputKeys: DeviceArray.from(new Uint8Array(keys)),
        outputKeys: DeviceArray.empty(2_000, "uint8"),
        inputValues: any(upload(type, values)),
        outputValues,
      });
      expect(download(outputValues)).toEqual(at(values, placesInOrder(keys)));
    });

    test("structs of 1, 2, 4 and 8 bytes are values", () => {
      const types = [
        struct({ a: "int8" }),
        struct({ a: "int8", b: "uint8" }),
        struct({ a: "int16", b: "int8" }),
        complex64,
      ];
      for (const type of types) {
        const values = [1, 2, 3].map((x) => Object.fromEntries(type.fields.map(({ name }) => [name, x])));
        const outputValues = DeviceArray.empty(3, type as never) as DeviceArray;
        radixSort({
          inputKeys: DeviceArray.from(new Int32Array([3, 1, 2])),
          outputKeys: DeviceArray.empty(3, "int32"),
          inputValues: DeviceArray.from(values as never, type as never),
          outputValues: any(outputValues),
        });
        expect(outputValues.toArray()).toEqual(at(values, [1, 2, 0]));
      }
    });
  });

  describe("double buffers", () => {
    test.each(allTypes)("of %s: the current array holds the result", (type) => {
      for (const size of sizes) {
        const keys = sortKeys(type, size, 11);
        const first = any(upload(type, keys));
        const second = any(DeviceArray.empty(size, type));
        const inputKeys = new DoubleBuffer(first, second);
        radixSort({ inputKeys });
        expect(download(inputKeys.current)).toEqual(at(keys, placesInOrder(keys)));
        expect(new Set([inputKeys.current, inputKeys.alternate])).toEqual(new Set([first, second]));
      }
    });

    test("of keys and values stay in step, over one pass of bits or several", () => {
      const keys = integers(4_000, 0, 2 ** 24, 2);
      for (const endBit of [8, 16, 25, 32]) {
        const inputKeys = new DoubleBuffer(DeviceArray.from(new Uint32Array(keys)), DeviceArray.empty(4_000, "uint32"));
        const inputValues = new DoubleBuffer(
          DeviceArray.from(Int32Array.from(keys.keys())),
          DeviceArray.empty(4_000, "int32"),
        );
        radixSort({ inputKeys, inputValues, endBit, order: "descending" });
        const places = placesInOrder(keys.map((key) => key % 2 ** endBit), true); // prettier-ignore
        expect(download(inputValues.current)).toEqual(places);
        expect(download(inputKeys.current)).toEqual(at(keys, places));
      }
    });

    test("are made of two arrays of one type and length", () => {
      const array = DeviceArray.from([1, 2]);
      expect(() => new DoubleBuffer(array, DeviceArray.empty(3, "float64"))).toThrow(RangeError);
      expect(() => new DoubleBuffer(array, DeviceArray.empty(2, "int32") as never)).toThrow(/DoubleBuffer\.alternate/);
      expect(() => new DoubleBuffer(array, [1, 2] as never)).toThrow(TypeError);
      expect(() => radixSort({ inputKeys: new DoubleBuffer(array, array) })).toThrow(/overlaps/);
    });

    test("take no output beside them, and want values that are double buffers too", () => {
      const buffer = new DoubleBuffer(DeviceArray.from([1, 2]), DeviceArray.empty(2, "float64"));
      const array = DeviceArray.from([1, 2]);
      expect(() => radixSort({ inputKeys: buffer, outputKeys: array })).toThrow(/radixSort\.outputKeys/);
      expect(() => radixSort({ inputKeys: buffer, inputValues: array })).toThrow(/radixSort\.inputValues/);
      expect(() =>
        radixSort({ inputKeys: array, outputKeys: DeviceArray.empty(2, "float64"), inputValues: buffer }),
      ).toThrow(/radixSort\.inputValues/);
    });
  });

  test.each(numberTypes)("many keys of %s with values, in arrays and in double buffers", (type) => {
    for (const size of [1 << 2, 1 << 10, 1 << 14, ...onGpu(1 << 20)]) {
      const numbers = integers(size, type.startsWith("u") ? 0 : -100, 100, size);
      const keys = any(upload(type, elements(type, numbers)));
      const values = Int32Array.from(numbers.keys());
      const [outputKeys, outputValues] = [any(DeviceArray.empty(size, type)), DeviceArray.empty(size, "int32")];
      const inputValues = DeviceArray.from(values);
      radixSort({ inputKeys: keys, outputKeys, inputValues, outputValues, order: "descending" });
      const falling = placesInOrder(numbers, true);
      expectElements(Float64Array.from(download(outputKeys), Number), Float64Array.from(at(numbers, falling)));
      expectElements(outputValues.toTypedArray(), falling);
      const bufferedKeys = new DoubleBuffer(keys, outputKeys);
      const bufferedValues = new DoubleBuffer(inputValues, outputValues);
      radixSort({ inputKeys: bufferedKeys, inputValues: bufferedValues });
      const rising = placesInOrder(numbers);
      expectElements(Float64Array.from(download(bufferedKeys.current), Number), Float64Array.from(at(numbers, rising)));
      expectElements(bufferedValues.current.toTypedArray(), rising);
    }
  });

  describe("a window of bits", () => {
    test.each(["uint8", "int16", "uint32", "int64", "float64"] as const)(
      "of %s, with values, in arrays and in double buffers",
      (type) => {
        for (const size of [4, 2_000, ...onGpu(1 << 20)]) {
          const keys = sortKeys(type, size, 13);
          const width = type === "float64" ? 64 : Number(/\d+/.exec(type)?.[0]);
          const words = keys.map((key) => {
            if (type === "float64") return orderedBits(Number(key));
            return BigInt(key) + (type.startsWith("u") ? 0n : 1n << BigInt(width - 1));
          });
          for (const [beginBit, endBit] of [[0, 4], [3, width - 1], [width >> 1, width]] as const) {
            const window = words.map((word) => (word >> BigInt(beginBit)) & ((1n << BigInt(endBit - beginBit)) - 1n));
            const places = placesInOrder(window);
            const inputKeys = any(upload(type, keys));
            const inputValues = DeviceArray.from(Int32Array.from(keys.keys()));
            const [outputKeys, outputValues] = [any(DeviceArray.empty(size, type)), DeviceArray.empty(size, "int32")];
            radixSort({ inputKeys, outputKeys, inputValues, outputValues, beginBit, endBit });
            expect([download(outputKeys), download(outputValues)]).toEqual([at(keys, places), places]);
            const buffers = {
              inputKeys: new DoubleBuffer(inputKeys, any(DeviceArray.empty(size, type))),
              inputValues: new DoubleBuffer(inputValues, DeviceArray.empty(size, "int32")),
            };
            radixSort({ ...buffers, beginBit, endBit });
            expect(download(buffers.inputKeys.current)).toEqual(at(keys, places));
            expect(download(buffers.inputValues.current)).toEqual(places);
          }
        }
      },
    ); // prettier-ignore

    test.each(["uint8", "int16", "uint32", "int64"] as const)("of %s", (type) => {
      const keys = sortKeys(type, 1_500, 13);
      const width = Number(/\d+/.exec(type)?.[0]);
      for (const [beginBit, endBit] of [
        [0, 4],
        [2, 7],
        [4, width],
        [width - 1, width],
      ] as const) {
        // prettier-ignore
        const outputKeys = any(DeviceArray.empty(keys.length, type));
        radixSort({ inputKeys: any(upload(type, keys)), outputKeys, beginBit, endBit });
        // Signed keys compare as unsigned ones once their sign is turned.
        const turned = keys.map((key) => BigInt(key) + (type.startsWith("u") ? 0n : 1n << BigInt(width - 1)));
        const window = turned.map((key) => (key >> BigInt(beginBit)) & ((1n << BigInt(endBit - beginBit)) - 1n));
        expect(download(outputKeys)).toEqual(at(keys, placesInOrder(window)));
      }
    });

    test("is held against the width of the keys", () => {
      const inputKeys = DeviceArray.from(new Int16Array([1]));
      const outputKeys = DeviceArray.empty(1, "int16");
      for (const [beginBit, endBit] of [
        [-1, 3],
        [0, 17],
        [5, 4],
        [5, 5],
        [16, 16],
        [0.5, 3],
        [0, NaN],
      ] as const) {
        // prettier-ignore
        expect(() => radixSort({ inputKeys, outputKeys, beginBit, endBit })).toThrow(RangeError);
      }
      expect(() => radixSort({ inputKeys, outputKeys, beginBit: "1" as never })).toThrow(TypeError);
    });
  });

  describe("floats that are no ordinary numbers", () => {
    const bits = [infinity | 1n, 1n, 0n, sign, sign | 1n, infinity, sign | infinity, sign | infinity | (1n << 51n)];
    const ordered = [7, 6, 4, 2, 3, 1, 5, 0]; // -NaN, -Infinity, -5e-324, 0, -0, 5e-324, Infinity, NaN

    test.each([8, 200, 5_000])(
      "NaN by its sign, -0 beside 0 and subnormals have their places among %d keys",
      (size) => {
        const filler = Array.from({ length: size - 8 }, () => 0x3ff0_0000_0000_0000n); // 1
        const inputKeys = DeviceArray.from(floatsFromBits([...bits, ...filler]));
        const outputKeys = DeviceArray.empty(size, "float64");
        radixSort({ inputKeys, outputKeys });
        const expected = at(bits, ordered);
        expected.splice(6, 0, ...filler);
        expect(bitsOfFloats(outputKeys.toTypedArray())).toEqual(expected);
      },
    );

    test.each(floatTypes)("NaN of %s has its place by its sign, among few keys and many", (type) => {
      for (const size of [8, 200, 5_000, ...onGpu(1_000_000)]) {
        const { array, nans, negative } = floatsWithNaN(type, size);
        const outputKeys = any(DeviceArray.empty(size, type));
        radixSort({ inputKeys: any(array), outputKeys });
        const sorted = Float64Array.from(download(outputKeys), Number);
        expect(sorted.subarray(0, negative).every(Number.isNaN)).toBe(true);
        expect(sorted.subarray(size - nans + negative).every(Number.isNaN)).toBe(true);
        const rest = sorted.subarray(negative, size - nans + negative);
        expectElements(rest, rest.toSorted());
      }
    });

    test.each(["float16", "bfloat16", "float32"] as const)("%s orders infinities and -0", (type) => {
      const keys = [1, -0, Infinity, 0, -Infinity, -1];
      const outputKeys = any(DeviceArray.empty(6, type));
      radixSort({ inputKeys: any(upload(type, keys)), outputKeys });
      expect(download(outputKeys)).toEqual([-Infinity, -1, -0, 0, 1, Infinity]);
    });
  });

  test("keys that are all equal, sorted already, or sorted the other way", () => {
    const ascending = Array.from({ length: 3_000 }, (_, i) => i);
    const outputKeys = DeviceArray.empty(3_000, "int32");
    for (const keys of [ascending, ascending.toReversed(), ascending.map(() => 5)]) {
      radixSort({ inputKeys: DeviceArray.from(new Int32Array(keys)), outputKeys });
      expect(download(outputKeys)).toEqual(keys.toSorted((a, b) => a - b));
    }
  });

  test("numItems sorts the first of them, and sub-ranges are sorted where they lie", () => {
    const inputKeys = DeviceArray.from(new Uint8Array([9, 5, 4, 3, 2, 1]));
    const outputKeys = DeviceArray.zeros(6, "uint8");
    radixSort({ inputKeys, outputKeys, numItems: 3 });
    expect(download(outputKeys)).toEqual([4, 5, 9, 0, 0, 0]);
    radixSort({ inputKeys: inputKeys.subarray(1, 6), outputKeys: outputKeys.subarray(1, 6) });
    expect(download(outputKeys)).toEqual([4, 1, 2, 3, 4, 5]);
  });

  test("runs on a stream, and made functions sort other arrays of their types", async () => {
    const stream = new Stream();
    const options = {
      inputKeys: DeviceArray.from(new Int32Array([2, 1])),
      outputKeys: DeviceArray.empty(2, "int32"),
      stream,
    };
    for (const sort of [makeRadixSort(options), await makeRadixSortAsync(options)]) {
      const outputKeys = DeviceArray.empty(3, "int32");
      sort({ inputKeys: DeviceArray.from(new Int32Array([3, 1, 2])), outputKeys, stream });
      expect(Array.from(await outputKeys.read({ stream }))).toEqual([1, 2, 3]);
      expect(() => {
        sort({ ...options, order: "descending" });
      }).toThrow(expect.objectContaining({ code: "ERR_BUILD_MISMATCH", argument: "radixSort.order" }) as Error);
    }
  });

  test("sizes and bits cost no build, nor do values of another type of the same size", () => {
    const sort = (type: ScalarName, size: number, endBit: number): void => {
      radixSort({
        inputKeys: DeviceArray.zeros(size, "int16"),
        outputKeys: DeviceArray.empty(size, "int16"),
        inputValues: any(DeviceArray.zeros(size, type)),
        outputValues: any(DeviceArray.empty(size, type)),
        endBit,
      });
    };
    sort("int32", 10, 16);
    const { builds } = caches.stats();
    sort("float32", 3_000, 8);
    sort("uint32", 0, 1);
    expect(caches.stats().builds).toBe(builds);
  });

  describe("refuses", () => {
    const keys = (): DeviceArray<"int32"> => DeviceArray.from(new Int32Array([3, 1, 2]));
    const cases: [string, () => object, string, string][] = [
      ["iterators", () => ({ inputKeys: counting(0) }), "TypeError", "radixSort.inputKeys"],
      ["struct keys", () => ({ inputKeys: DeviceArray.zeros(3, complex64) }), "TypeError", "radixSort.outputKeys"],
      ["another output type", () => ({ outputKeys: DeviceArray.empty(3, "float32") }), "TypeError", "radixSort.outputKeys"],
      ["a short output", () => ({ outputKeys: DeviceArray.empty(2, "int32") }), "RangeError", "radixSort.outputKeys"],
      ["no output", () => ({ outputKeys: undefined }), "TypeError", "radixSort.outputKeys"],
      ["values in alone", () => ({ inputValues: keys() }), "TypeError", "radixSort.outputValues"],
      ["values out alone", () => ({ outputValues: keys() }), "TypeError", "radixSort.inputValues"],
      ["too many items", () => ({ numItems: 4 }), "RangeError", "radixSort.numItems (inputKeys)"],
      ["an unknown order", () => ({ order: "up" }), "TypeError", "radixSort.order"],
      ["structs of 12 bytes as values", () => {
        const values = DeviceArray.zeros(3, struct({ a: "int32", b: "int32", c: "int32" }));
        return { inputValues: values, outputValues: DeviceArray.zeros(3, struct({ a: "int32", b: "int32", c: "int32" })) };
      }, "TypeError", "radixSort.inputValues"],
    ]; // prettier-ignore
    test.each(cases)("%s", (_title, options, name, argument) => {
      const call = { inputKeys: keys(), outputKeys: DeviceArray.empty(3, "int32"), ...options() };
      expect(() => {
        radixSort(call as never);
      }).toThrow(expect.objectContaining({ name, argument }) as Error);
    });

    test("outputs over inputs", () => {
      const array = DeviceArray.from(new Int32Array([4, 3, 2, 1]));
      expect(() => {
        radixSort({ inputKeys: array, outputKeys: array });
      }).toThrow(expect.objectContaining({ code: "ERR_OVERLAP" }) as Error);
      expect(() => {
        radixSort({ inputKeys: array.subarray(0, 3), outputKeys: array.subarray(1, 4) });
      }).toThrow(expect.objectContaining({ code: "ERR_OVERLAP" }) as Error);
      expect(array.toArray()).toEqual([4, 3, 2, 1]);
    });
  });
});
