import { DeviceArray, Event, type ScalarName, Stream, memory, reduceInto } from "../../lib";
import { describeOnBackends } from "../helpers/backends";
import { allTypes, download, elements, upload } from "../helpers/elements";

describeOnBackends("DeviceArray", () => {
  describe("typed arrays come back as they went", () => {
    const arrays: [ScalarName, ArrayBufferView & ArrayLike<number | bigint>][] = [
      ["int8", new Int8Array([-128, 0, 127])],
      ["int16", new Int16Array([-32768, 0, 32767])],
      ["int32", new Int32Array([-2147483648, 0, 2147483647])],
      ["int64", new BigInt64Array([-(2n ** 63n), 2n ** 53n + 1n, 2n ** 63n - 1n])],
      ["uint8", new Uint8Array([0, 255])],
      ["uint16", new Uint16Array([0, 65535])],
      ["uint32", new Uint32Array([0, 4294967295])],
      ["uint64", new BigUint64Array([0n, 2n ** 53n + 1n, 2n ** 64n - 1n])],
      ["float32", new Float32Array([-0, 1.5, NaN, Infinity, 1e-45])],
      ["float64", new Float64Array([-0, 0.1, NaN, -Infinity, 5e-324])],
    ];
    test.each(arrays)("%s", async (type, source) => {
      const array = DeviceArray.from(source as Float32Array);
      expect(array.type).toBe(type);
      expect(array.length).toBe(source.length);
      expect(array.byteLength).toBe(source.byteLength);
      expect(array.toTypedArray()).toEqual(source);
      expect(await array.read()).toEqual(source);
    });

    test("a Uint8ClampedArray is uint8", () => {
      const array = DeviceArray.from(new Uint8ClampedArray([300, 7]));
      expect(array.toTypedArray()).toEqual(new Uint8Array([255, 7]));
    });

    test("float16 and bfloat16 are the bits of a Uint16Array", () => {
      const bits = new Uint16Array([0x3c00, 0x8000, 0x7c00, 0x0001]);
      expect(DeviceArray.from(bits, "bfloat16").toTypedArray()).toEqual(bits);
      const half = DeviceArray.from(bits, "float16");
      expect(half.byteLength).toBe(8);
      expect(download(half)).toEqual([1, -0, Infinity, 2 ** -24]);
    });

    test("bool is a Uint8Array of 0 and 1, whatever went in", () => {
      expect(DeviceArray.from(new Uint8Array([0, 1, 2, 255]), "bool").toTypedArray()).toEqual(
        new Uint8Array([0, 1, 1, 1]),
      );
    });

    test("a part of a larger buffer is that part", () => {
      const source = new Int16Array(new Int16Array([1, 2, 3, 4, 5]).buffer, 2, 3);
      expect(DeviceArray.from(source).toTypedArray()).toEqual(new Int16Array([2, 3, 4]));
    });
  });

  describe("arrays of plain values", () => {
    test("numbers are float64, bigints int64, booleans bool", () => {
      expect(DeviceArray.from([0.5, 2]).toTypedArray()).toEqual(new Float64Array([0.5, 2]));
      expect(DeviceArray.from([2n ** 53n + 1n]).toTypedArray()).toEqual(new BigInt64Array([2n ** 53n + 1n]));
      expect(DeviceArray.from([true, false]).toTypedArray()).toEqual(new Uint8Array([1, 0]));
    });

    test("a named type takes values of its range, and safe integers as 64-bit ones", () => {
      expect(DeviceArray.from([1, 255], "uint8").toTypedArray()).toEqual(new Uint8Array([1, 255]));
      expect(DeviceArray.from([2 ** 53 - 1], "int64").toTypedArray()).toEqual(new BigInt64Array([2n ** 53n - 1n]));
    });

    test.each([
      ["uint8", [256]],
      ["int8", [-129]],
      ["int32", [0.5]],
      ["int64", [2 ** 53]],
      ["uint64", [-1]],
      ["int32", [NaN]],
    ] as [ScalarName, number[]][])("%s refuses %j, naming the element", (type, values) => {
      expect(() => DeviceArray.from(values, type)).toThrow(
        expect.objectContaining({
          name: "RangeError",
          code: "ERR_OUT_OF_RANGE",
          argument: "DeviceArray.from.source[0]",
        }),
      );
    });
  });

  test.each(allTypes)("zeros, full and fill of %s", (type) => {
    const [zero, value, other] = elements(type, [0, 5, 3]) as [never, never, never];
    const isBool = type === "bool";
    const zeros = DeviceArray.zeros(5, type);
    expect(download(zeros)).toEqual(Array(5).fill(zero));
    expect(download(DeviceArray.full(3, value, type))).toEqual(Array(3).fill(value));
    zeros.subarray(1, 3).fill(other);
    expect(download(zeros)).toEqual([zero, other, other, zero, zero]);
    expect(isBool ? typeof other : "number").toBe(isBool ? "boolean" : "number");
  });

  test("an upload is a snapshot: later changes of the source do not reach the device", () => {
    const source = new Float32Array(100_000).fill(1);
    const array = DeviceArray.from(source);
    source.fill(2);
    const sum = DeviceArray.empty(1, "float32");
    reduceInto({ input: array, output: sum, op: (a, b) => a + b, init: 0 });
    expect(download(sum)).toEqual([100_000]);
  });

  describe("views", () => {
    test("subarray counts as TypedArray.prototype.subarray does", () => {
      const source = new Int32Array([0, 1, 2, 3, 4, 5]);
      const array = DeviceArray.from(source);
      const ranges: [number?, number?][] = [[], [2], [1, 4], [-2], [0, -1], [4, 2], [-100, 100], [3, 3], [1.9, 3.9]];
      for (const range of ranges) {
        expect([range, array.subarray(...range).toTypedArray()]).toEqual([range, source.slice(...range)]);
      }
      expect(array.subarray(1, 5).subarray(1, 3).toTypedArray()).toEqual(new Int32Array([2, 3]));
    });

    test("a view shares the memory, and writes through it are seen", () => {
      const array = DeviceArray.zeros(4, "int16");
      array.subarray(1, 3).copyFrom(new Int16Array([7, 8]));
      expect(array.toTypedArray()).toEqual(new Int16Array([0, 7, 8, 0]));
    });

    test("a view keeps the memory after its array is dropped", () => {
      const view = (() => DeviceArray.from(new Int32Array([1, 2, 3])).subarray(1))();
      expect(view.toTypedArray()).toEqual(new Int32Array([2, 3]));
    });
  });

  describe("copyFrom", () => {
    test("copies from device arrays, views of the same one included", () => {
      const array = DeviceArray.from(new Int32Array([1, 2, 3, 4]));
      const other = DeviceArray.empty(2, "int32").copyFrom(array.subarray(2));
      expect(other.toTypedArray()).toEqual(new Int32Array([3, 4]));
      array.subarray(0, 2).copyFrom(array.subarray(2, 4));
      expect(array.toTypedArray()).toEqual(new Int32Array([3, 4, 3, 4]));
    });

    test("refuses another type and another length", () => {
      const array = DeviceArray.zeros(2, "int32");
      expect(() => array.copyFrom(new Float32Array(2) as never)).toThrow(TypeError);
      expect(() => array.copyFrom(DeviceArray.zeros(2, "float32") as never)).toThrow(TypeError);
      expect(() => array.copyFrom(new Int32Array(3))).toThrow(RangeError);
    });
  });

  describe("dispose", () => {
    const disposed = expect.objectContaining({ name: "TypeError", code: "ERR_DISPOSED" }) as Error;

    test("frees at once; later use is a TypeError and a second dispose does nothing", () => {
      const before = memory.stats().liveBytes;
      const array = DeviceArray.zeros(1000, "float64");
      expect(memory.stats().liveBytes - before).toBe(8000);
      array.dispose();
      array.dispose();
      expect(memory.stats().liveBytes).toBe(before);
      expect(array.disposed).toBe(true);
      expect(() => array.toTypedArray()).toThrow(disposed);
      expect(() => array.fill(1)).toThrow(disposed);
      expect(() => array.subarray(0)).toThrow(disposed);
      expect(() => array.copyFrom(new Float64Array(1000))).toThrow(disposed);
    });

    test("ends the array's views; disposing a view ends that view alone", () => {
      const array = DeviceArray.from(new Int32Array([1, 2, 3]));
      const view = array.subarray(1);
      view.dispose();
      expect(() => view.toTypedArray()).toThrow(disposed);
      expect(array.toTypedArray()).toEqual(new Int32Array([1, 2, 3]));
      const another = array.subarray(1);
      array.dispose();
      expect(() => another.toTypedArray()).toThrow(disposed);
    });

    test("Symbol.dispose does the same", () => {
      const array = DeviceArray.zeros(1, "int8");
      array[Symbol.dispose]();
      expect(array.disposed).toBe(true);
    });

    test("during a read that is under way the read still gets its bytes", async () => {
      const source = new Uint8Array(1 << 20).map((_, i) => i);
      const array = DeviceArray.from(source);
      const read = array.read();
      array.dispose();
      const reused = DeviceArray.full(1 << 20, 255, "uint8");
      expect(await read).toEqual(source);
      expect(reused.length).toBe(1 << 20);
    });
  });

  test("length 0 is an array like any other", async () => {
    const array = DeviceArray.from(new Float32Array(0));
    expect(array.length).toBe(0);
    expect(array.toTypedArray()).toEqual(new Float32Array(0));
    expect(await array.read()).toEqual(new Float32Array(0));
    array.fill(1).copyFrom(new Float32Array(0));
    expect(DeviceArray.zeros(0, "int64").subarray(0).length).toBe(0);
  });
});

describeOnBackends("Stream and Event", () => {
  test("work on a stream is done after synchronize, and after finished resolves", async () => {
    const stream = new Stream();
    const array = DeviceArray.zeros(1000, "int32", { stream }).fill(3, { stream });
    stream.synchronize();
    expect(stream.query()).toBe(true);
    array.fill(4, { stream });
    await stream.finished();
    expect(array.toTypedArray({ stream }).every((element) => element === 4)).toBe(true);
  });

  test("an array used on another stream is seen in order without being asked", () => {
    const [first, second] = [new Stream(), new Stream()];
    const array = DeviceArray.zeros(1 << 20, "int32", { stream: first }).fill(5, { stream: first });
    expect(array.toTypedArray({ stream: second }).every((element) => element === 5)).toBe(true);
  });

  test("events order streams and measure time", () => {
    const stream = new Stream();
    const start = stream.record();
    DeviceArray.zeros(1 << 20, "int32", { stream });
    const end = stream.record(new Event());
    new Stream().wait(end);
    end.synchronize();
    expect(end.query()).toBe(true);
    expect(end.millisecondsSince(start)).toBeGreaterThanOrEqual(0);
  });

  test("a disposed stream refuses work; what it did stays", () => {
    const stream = new Stream();
    const array = DeviceArray.full(10, 1, "int32", { stream });
    stream.dispose();
    stream.dispose();
    expect(() => array.fill(2, { stream })).toThrow(expect.objectContaining({ code: "ERR_DISPOSED" }));
    expect(array.toTypedArray().every((element) => element === 1)).toBe(true);
  });

  test("an event that was not recorded has no time", () => {
    const [start, end] = [new Event(), new Event()];
    expect(() => end.millisecondsSince(start)).toThrow(TypeError);
  });

  test("upload() of the helpers round trips", () => {
    expect(download(upload("int64", [1n, -1n]))).toEqual([1n, -1n]);
  });
});
