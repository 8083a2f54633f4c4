import {
  DeviceArray,
  DoubleBuffer,
  type ScalarName,
  Stream,
  caches,
  counting,
  makeSegmentedSort,
  makeSegmentedSortAsync,
  segmentedSort,
  struct,
} from "../../lib";
import { describeOnBackends, onGpu } from "../helpers/backends";
import { allTypes, download, elements, expectElements, integers, upload } from "../helpers/elements";
import { at, placesInOrder, sortKeys } from "../helpers/sorting";

type Any = DeviceArray<"float64">;
const any = (array: DeviceArray): Any => array as Any;

/** How many segments, and of what size: those of one item, small ones, and such as are sorted by radix. */
const shapes = [[1, 1], [1, 2048], [13, 12], [64, 128], [2048, 1], [2048, 13]] as const; // prettier-ignore

const largeTypes = ["uint8", "int16", "uint32", "int64", "float16", "float32", "float64"] as const;

interface Segments {
  start: number[];
  end: number[];
  items: number;
}

const even = (count: number, size: number): Segments => ({
  start: Array.from({ length: count }, (_, i) => i * size),
  end: Array.from({ length: count }, (_, i) => (i + 1) * size),
  items: count * size,
});

/** Segments of every size from 0 on, some of them empty. */
function uneven(count: number): Segments {
  const sizes = integers(count, 0, 90, 17);
  const end: number[] = [];
  let items = 0;
  for (const size of sizes) end.push((items += size));
  return { start: [0, ...end.slice(0, -1)], end, items };
}

const offsetsOf = ({ start, end }: Segments): { startOffsets: DeviceArray<"int32">; endOffsets: DeviceArray<"int32"> } => ({
  startOffsets: DeviceArray.from(new Int32Array(start)),
  endOffsets: DeviceArray.from(new Int32Array(end)),
}); // prettier-ignore

/** Places of all items once each segment is sorted by itself. */
function placesBySegment(keys: readonly (number | bigint | boolean)[], segments: Segments, descending = false): number[] {
  const places = [...keys.keys()];
  segments.start.forEach((first, segment) => {
    const own = keys.slice(first, segments.end[segment]);
    placesInOrder(own, descending).forEach((place, i) => {
      places[first + i] = first + place;
    });
  });
  return places;
} // prettier-ignore

describeOnBackends("segmentedSort", () => {
  describe("keys of each type in segments of every shape, in either order", () => {
    test.each(allTypes)("%s", (type) => {
      for (const segments of [...shapes.map(([count, size]) => even(count, size)), uneven(20), uneven(600)]) {
        const keys = sortKeys(type, segments.items, 3);
        const inputKeys = any(upload(type, keys));
        const outputKeys = any(DeviceArray.empty(keys.length, type));
        segmentedSort({ inputKeys, outputKeys, ...offsetsOf(segments) });
        expectElements(download(outputKeys), at(keys, placesBySegment(keys, segments)));
        segmentedSort({ inputKeys, outputKeys, ...offsetsOf(segments), order: "descending" });
        expectElements(download(outputKeys), at(keys, placesBySegment(keys, segments, true)));
        expectElements(download(inputKeys), keys);
      }
    });
  });

  test.each(["int32", ...onGpu(...largeTypes)] as const)("1024 segments of 1024 keys of %s", (type) => {
    const segments = even(1024, 1024);
    const numbers = integers(segments.items, 0, 100, 19);
    const outputKeys = any(DeviceArray.empty(segments.items, type));
    segmentedSort({ inputKeys: any(upload(type, elements(type, numbers))), outputKeys, ...offsetsOf(segments) });
    const expected = Float64Array.from(numbers);
    segments.start.forEach((first, i) => expected.subarray(first, segments.end[i]).sort());
    expectElements(download(outputKeys).map(Number), expected);
  }); // prettier-ignore

  test.each([20, 600])("keys of int32 with values of float32 in %i segments of any size", (count) => {
    const segments = uneven(count);
    // Distinct, as the order of equal ones is not given.
    const keys = integers(segments.items, 0, 1, 1).map((_, i) => (i * 7919) % 65_521);
    for (const order of ["ascending", "descending"] as const) {
      const outputKeys = DeviceArray.empty(keys.length, "int32");
      const outputValues = DeviceArray.empty(keys.length, "float32");
      const inputKeys = DeviceArray.from(new Int32Array(keys));
      const inputValues = DeviceArray.from(Float32Array.from(keys, (key) => key / 2));
      segmentedSort({ inputKeys, outputKeys, inputValues, outputValues, ...offsetsOf(segments), order });
      const sorted = at(keys, placesBySegment(keys, segments, order === "descending"));
      expect(download(outputKeys)).toEqual(sorted);
      expect(download(outputValues)).toEqual(sorted.map((key) => key / 2));
    }
  });

  describe("double buffers of keys, and of keys with values, in segments of every shape", () => {
    test.each(["uint8", "int16", "uint32", "int64", "float16", "float32", "float64"] as const)("%s", (type) => {
      for (const [count, size] of [[1, 1], [1, 2048], [13, 12], [300, 1], [100, 13]] as const) {
        const segments = even(count, size);
        const keys = sortKeys(type, segments.items, 23);
        const buffer = (): DoubleBuffer<"float64"> =>
          new DoubleBuffer(any(upload(type, keys)), any(DeviceArray.empty(keys.length, type)));
        const [alone, inputKeys] = [buffer(), buffer()];
        const places = Int32Array.from(keys.keys());
        const inputValues = new DoubleBuffer(DeviceArray.from(places), DeviceArray.empty(keys.length, "int32"));
        const sorted = at(keys, placesBySegment(keys, segments, true));
        segmentedSort({ inputKeys: alone, ...offsetsOf(segments), order: "descending" });
        segmentedSort({ inputKeys, inputValues, ...offsetsOf(segments), order: "descending" });
        expect([download(alone.current), download(inputKeys.current)]).toEqual([sorted, sorted]);
        // Equal keys come in any order: each value still names a key that is equal, and each segment has its own values.
        const moved = download(inputValues.current) as number[];
        expect(at(keys, moved)).toEqual(sorted);
        segments.start.forEach((first, i) => {
          const own = moved.slice(first, segments.end[i]).sort((a, b) => a - b);
          expect(own).toEqual(Array.from({ length: size }, (_, j) => first + j));
        });
      }
    }); // prettier-ignore
  });

  test("on a stream the result is there after it is synchronized", () => {
    const stream = new Stream();
    const outputKeys = DeviceArray.empty(4, "int32", { stream });
    const inputKeys = DeviceArray.from(new Int32Array([4, 3, 2, 1]));
    segmentedSort({ inputKeys, outputKeys, ...offsetsOf(even(2, 2)), stream });
    stream.synchronize();
    expect(Array.from(outputKeys.toTypedArray({ stream }))).toEqual([3, 4, 1, 2]);
  });

  describe("values move with their keys", () => {
    // Of distinct keys, as the order of equal ones is not given.
    const segments = uneven(40);
    const keys = integers(segments.items, 0, 1, 1).map((_, i) => (i * 7919) % 65_521);
    const places = placesBySegment(keys, segments);

    test.each(allTypes)("values of %s", (type) => {
      const values = sortKeys(type, segments.items, 5);
      const outputValues = any(DeviceArray.empty(values.length, type));
      const outputKeys = DeviceArray.empty(keys.length, "uint32");
      segmentedSort({
        inputKeys: DeviceArray.from(new Uint32Array(keys)),
        outputKeys,
        inputValues: any(upload(type, values)),
        outputValues,
        ...offsetsOf(segments),
      });
      expect(download(outputKeys)).toEqual(at(keys, places));
      expect(download(outputValues)).toEqual(at(values, places));
    });

    test("values of structs of any size", () => {
      const type = struct({ a: "int32", b: "int8", c: "float64" });
      const values = keys.map((_, i) => ({ a: i, b: i % 50, c: i / 4 }));
      const outputValues = DeviceArray.empty(values.length, type);
      segmentedSort({
        inputKeys: DeviceArray.from(new Uint32Array(keys)),
        outputKeys: DeviceArray.empty(keys.length, "uint32"),
        inputValues: DeviceArray.from(values, type),
        outputValues,
        ...offsetsOf(segments),
      });
      expect(outputValues.toArray()).toEqual(at(values, places));
    });

    test("in double buffers", () => {
      const inputKeys = new DoubleBuffer(
        DeviceArray.from(new Float32Array(keys)),
        DeviceArray.empty(keys.length, "float32"),
      );
      const inputValues = new DoubleBuffer(
        DeviceArray.from(BigInt64Array.from(keys.keys(), BigInt)),
        DeviceArray.empty(keys.length, "int64"),
      );
      segmentedSort({ inputKeys, inputValues, ...offsetsOf(segments) });
      expect(download(inputKeys.current)).toEqual(at(keys, places));
      expect(download(inputValues.current)).toEqual(places.map(BigInt));
    });
  });

  test.each(["int32", "uint32", "int64", "uint64"] as const)("offsets of %s", (type) => {
    const segments = uneven(15);
    const keys = sortKeys("int16", segments.items, 8);
    const outputKeys = DeviceArray.empty(keys.length, "int16");
    segmentedSort({
      inputKeys: upload("int16", keys),
      outputKeys,
      startOffsets: upload(type, type.endsWith("64") ? segments.start.map(BigInt) : segments.start) as DeviceArray<"int64">,
      endOffsets: upload(type, type.endsWith("64") ? segments.end.map(BigInt) : segments.end) as DeviceArray<"int64">,
    });
    expect(download(outputKeys)).toEqual(at(keys, placesBySegment(keys, segments)));
  }); // prettier-ignore

  test("one array of bounds serves as both offsets, by sub-ranges of it", () => {
    const bounds = DeviceArray.from(new Int32Array([0, 3, 3, 5]));
    const outputKeys = DeviceArray.empty(5, "int32");
    segmentedSort({
      inputKeys: DeviceArray.from(new Int32Array([3, 1, 2, 9, 8])),
      outputKeys,
      startOffsets: bounds.subarray(0, 3),
      endOffsets: bounds.subarray(1),
    });
    expect(download(outputKeys)).toEqual([1, 2, 3, 8, 9]);
  });

  test("-0, infinities and subnormals have their places in small segments and in large ones", () => {
    for (const size of [8, 600, 20_000]) {
      const keys = new Float64Array(size).fill(1);
      keys.set([5e-324, Infinity, -5e-324, -Infinity]);
      const outputKeys = DeviceArray.empty(size, "float64");
      segmentedSort({
        inputKeys: DeviceArray.from(keys),
        outputKeys,
        startOffsets: DeviceArray.from(new Int32Array([0])),
        endOffsets: DeviceArray.from(new Int32Array([size])),
      });
      expect(outputKeys.toTypedArray()).toEqual(keys.toSorted());
    }
  });

  test("no segments and no items", () => {
    const outputKeys = DeviceArray.full(2, 7, "int32");
    const nothing = DeviceArray.empty(0, "int32");
    segmentedSort({ inputKeys: nothing, outputKeys, startOffsets: nothing, endOffsets: nothing });
    expect(download(outputKeys)).toEqual([7, 7]);
  });

  test("sizes and segments cost no build, and made functions sort other arrays of their types", async () => {
    const call = (count: number): Parameters<typeof segmentedSort<"int32">>[0] => ({
      inputKeys: DeviceArray.from(new Int32Array(integers(count * 10, -9, 9, count))),
      outputKeys: DeviceArray.empty(count * 10, "int32"),
      ...offsetsOf(even(count, 10)),
    });
    const made = makeSegmentedSort(call(1));
    const { builds } = caches.stats();
    segmentedSort(call(30));
    const madeLater = await makeSegmentedSortAsync(call(5));
    expect(caches.stats().builds).toBe(builds);
    for (const sort of [made, madeLater]) {
      const options = call(3);
      sort(options);
      const keys = download(options.inputKeys as DeviceArray);
      expect(download(options.outputKeys as DeviceArray)).toEqual(at(keys, placesBySegment(keys, even(3, 10))));
    }
  });

  describe("refuses", () => {
    const array = (...items: number[]): DeviceArray<"int32"> => DeviceArray.from(new Int32Array(items));
    const cases: [string, () => object, string, string][] = [
      ["iterators as offsets", () => ({ startOffsets: counting(0) }), "TypeError", "segmentedSort.startOffsets"],
      ["floats as offsets", () => ({ endOffsets: DeviceArray.from([3]) }), "TypeError", "segmentedSort.endOffsets"],
      ["offsets of 16 bits", () => ({ endOffsets: DeviceArray.from(new Int16Array([3])) }), "TypeError", "segmentedSort.endOffsets"],
      ["more segments than offsets", () => ({ numSegments: 2 }), "RangeError", "segmentedSort.startOffsets"],
      ["more than 2^31-1 segments", () => ({ numSegments: 2 ** 31 }), "RangeError", "segmentedSort.numSegments"],
      ["half a segment", () => ({ numSegments: 0.5 }), "RangeError", "segmentedSort.numSegments"],
      ["an unknown order", () => ({ order: 1 }), "TypeError", "segmentedSort.order"],
      ["a short output", () => ({ outputKeys: array(0) }), "RangeError", "segmentedSort.outputKeys"],
    ]; // prettier-ignore
    test.each(cases)("%s", (_title, options, name, argument) => {
      const call = {
        inputKeys: array(3, 1, 2),
        outputKeys: array(0, 0, 0),
        startOffsets: array(0),
        endOffsets: array(3),
        ...options(),
      };
      expect(() => {
        segmentedSort(call as never);
      }).toThrow(expect.objectContaining({ name, argument }) as Error);
    });
  });

  describe("refuses offsets in memory that it writes", () => {
    const shared = (): DeviceArray<"int32"> => DeviceArray.from(new Int32Array([0, 2, 4, 4]));
    const apart = (): DeviceArray<"int32"> => DeviceArray.from(new Int32Array([3, 1, 2, 0]));
    /** Which arrays a sort writes, and how the one that is shared comes into the call. */
    const written: [string, (array: DeviceArray<"int32">) => object][] = [
      ["outputKeys", (array) => ({ outputKeys: array })],
      ["outputValues", (array) => ({ outputKeys: apart(), inputValues: apart(), outputValues: array })],
      ["inputKeys", (array) => ({ inputKeys: new DoubleBuffer(array, apart()), outputKeys: undefined })],
      ["inputKeys", (array) => ({ inputKeys: new DoubleBuffer(apart(), array), outputKeys: undefined })],
      ["inputValues", (array) => ({ inputKeys: new DoubleBuffer(apart(), apart()), inputValues: new DoubleBuffer(array, apart()) })],
      ["inputValues", (array) => ({ inputKeys: new DoubleBuffer(apart(), apart()), inputValues: new DoubleBuffer(apart(), array) })],
    ]; // prettier-ignore
    const offsets = ["startOffsets", "endOffsets"].flatMap((name) => written.map((each) => [name, ...each] as const));
    test.each(offsets)("%s over %s", (name, argument, options) => {
      const array = shared();
      const own = { startOffsets: shared().subarray(0, 2), endOffsets: shared().subarray(1, 3) };
      expect(() => {
        segmentedSort({ inputKeys: apart(), ...own, [name]: array.subarray(1, 3), ...options(array) });
      }).toThrow(expect.objectContaining({ code: "ERR_OVERLAP", argument: `segmentedSort.${argument}` }) as Error);
      expect(download(array)).toEqual([0, 2, 4, 4]);
    });
  });

  test.each(["uint8", "float32"] satisfies ScalarName[])("all keys of %s equal", (type) => {
    const segments = uneven(30);
    const keys = Array.from({ length: segments.items }, () => 1);
    const outputKeys = any(DeviceArray.empty(keys.length, type));
    segmentedSort({ inputKeys: any(upload(type, keys)), outputKeys, ...offsetsOf(segments) });
    expect(download(outputKeys)).toEqual(keys);
  });
});
