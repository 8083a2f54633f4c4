/** Arrays that threads share: what a handle is, and what an array has that was made of one. Threads: test/process. */
import { inspect } from "node:util";
import { describeOnBackends } from "../helpers/backends";
import {
  DeviceArray,
  type ElementSpec,
  type SharedArray,
  complex64,
  memory,
  reduceInto,
  setBackend,
  struct,
  unaryTransform,
} from "../../lib";

const point = struct({ position: ["float32", 2], id: "int64", flags: struct({ visible: "bool" }) });

/** What a handle is in the thread that it was posted to. */
const posted = <T extends ElementSpec>(array: DeviceArray<T>): SharedArray<T> =>
  structuredClone<SharedArray<T>>(array.share());

/** As {@link posted}, with other properties than a handle has. */
const altered = (array: DeviceArray, changes: object): SharedArray => Object.assign(posted(array), changes);

const codeOf = (action: () => unknown): unknown => {
  try {
    action();
    return "no error";
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
};

describeOnBackends("shared arrays", (backend) => {
  test("a received array has the type, the length and the elements", () => {
    const array = DeviceArray.from(new Int16Array([1, -2, 3]));
    const received = DeviceArray.fromShared(posted(array));
    expect([received.type, received.length, Array.from(received.toTypedArray())]).toEqual(["int16", 3, [1, -2, 3]]);
  });

  test("both arrays are of the same memory, in both directions", () => {
    const array = DeviceArray.from(new Float64Array([1, 2, 3]));
    const received = DeviceArray.fromShared(posted(array));
    array.fill(7);
    expect(Array.from(received.toTypedArray())).toEqual([7, 7, 7]);
    unaryTransform({ input: received, output: received, op: (x) => x + 1 });
    expect(Array.from(array.toTypedArray())).toEqual([8, 8, 8]);
  });

  test("a view shares its part", () => {
    const array = DeviceArray.from(new Uint32Array([0, 1, 2, 3, 4, 5]));
    const received = DeviceArray.fromShared(posted(array.subarray(2, 5)));
    expect(Array.from(received.toTypedArray())).toEqual([2, 3, 4]);
    expect(Array.from(received.subarray(1).toTypedArray())).toEqual([3, 4]);
    received.fill(9);
    expect(Array.from(array.toTypedArray())).toEqual([0, 1, 9, 9, 9, 5]);
  });

  test("a received array can be shared again", () => {
    const array = DeviceArray.from(new Uint8Array([1, 2, 3, 4]));
    const received = DeviceArray.fromShared(posted(array.subarray(1)));
    const again = DeviceArray.fromShared(posted(received.subarray(1)));
    array.dispose();
    received.dispose();
    expect(Array.from(again.toTypedArray())).toEqual([3, 4]);
  });

  test("structs come as the type that the thread declares", () => {
    const values = [{ position: [1, 2], id: 3n, flags: { visible: true } }];
    const received = DeviceArray.fromShared(posted(DeviceArray.from(values, point)));
    expect(received.type).toBe(point);
    expect(received.toArray()).toEqual(values);
    expect(DeviceArray.fromShared(posted(DeviceArray.zeros(1, complex64))).type).toBe(complex64);
  });

  test("an empty array can be shared", () => {
    expect(DeviceArray.fromShared(posted(DeviceArray.empty(0, "float32"))).toArray()).toEqual([]);
  });

  test("the memory lives as long as one of the arrays", () => {
    const array = DeviceArray.from(new Float32Array([1, 2]));
    const received = DeviceArray.fromShared(posted(array));
    array.dispose();
    expect(Array.from(received.toTypedArray())).toEqual([1, 2]);
    const before = memory.stats().liveBytes;
    received.dispose();
    expect(memory.stats().liveBytes).toBe(before - 8);
    expect(codeOf(() => received.toTypedArray())).toBe("ERR_DISPOSED");
  });

  test("a handle holds the memory until it is received", () => {
    const array = DeviceArray.from(new Float32Array([1, 2]));
    const handle = posted(array);
    array.dispose();
    expect(Array.from(DeviceArray.fromShared(handle).toTypedArray())).toEqual([1, 2]);
  });

  test("a handle is received once", () => {
    const handle = DeviceArray.zeros(1, "int8").share();
    const received = DeviceArray.fromShared(handle);
    for (const again of [handle, structuredClone<typeof handle>(handle)]) {
      expect(codeOf(() => DeviceArray.fromShared(again))).toBe("ERR_SHARED_GONE");
    }
    expect(received.toArray()).toEqual([0]);
  });

  test("a released handle cannot be received; releasing one that was received does nothing", () => {
    const array = DeviceArray.from(new Int8Array([5]));
    const released = array.share();
    released.release();
    released.release();
    expect(codeOf(() => DeviceArray.fromShared(released))).toBe("ERR_SHARED_GONE");
    const handle = array.share({ outlive: true });
    const received = DeviceArray.fromShared(handle);
    handle[Symbol.dispose]();
    array.dispose();
    expect(received.toArray()).toEqual([5]);
  });

  test("two arrays of one allocation are known to overlap", () => {
    const array = DeviceArray.from(new Float32Array([1, 2, 3, 4]));
    const received = DeviceArray.fromShared(posted(array.subarray(1)));
    const overlap = (): unknown =>
      codeOf(() => unaryTransform({ input: array.subarray(0, 3), output: received, op: (x) => x }));
    expect(overlap()).toBe("ERR_OVERLAP");
    const other = DeviceArray.fromShared(posted(array.subarray(0, 3)));
    expect(codeOf(() => unaryTransform({ input: received, output: other, op: (x) => x }))).toBe("ERR_OVERLAP");
  });

  test("a scope ends the array that was received in it, and not the other one", () => {
    const array = DeviceArray.from(new Float32Array([1, 2]));
    const received = memory.scope(() => {
      const inside = DeviceArray.fromShared(posted(array));
      return { inside, isAlive: inside.length };
    }).inside;
    expect(received.disposed).toBe(false);
    let lost: DeviceArray | undefined;
    memory.scope(() => {
      lost = DeviceArray.fromShared(posted(array));
    });
    expect(lost?.disposed).toBe(true);
    expect(array.toArray()).toEqual([1, 2]);
  });

  test("algorithms run on received arrays", () => {
    const input = DeviceArray.fromShared(posted(DeviceArray.from(new Int32Array([1, 2, 3]))));
    const output = DeviceArray.zeros(1, "int32");
    reduceInto({ input, output: DeviceArray.fromShared(posted(output)), op: (a, b) => a + b, init: 0 });
    expect(output.toArray()).toEqual([6]);
  });

  test.each<[string, () => unknown]>([
    ["nothing", () => undefined],
    ["an array itself", () => DeviceArray.zeros(1, "int8")],
    ["another object", () => ({ backend, length: 1 })],
    ["a type that is none", () => altered(DeviceArray.zeros(1, "int8"), { type: "int7" })],
    ["more elements than there are", () => altered(DeviceArray.zeros(2, "int8"), { length: 3 })],
    ["an odd offset", () => altered(DeviceArray.zeros(2, "int16"), { length: 1, byteOffset: 1 })],
    ["other memory", () => altered(DeviceArray.zeros(1, "int8"), { memory: {} })],
    ["more memory than there is", () => grown(DeviceArray.zeros(1, "int8"))],
  ])("%s is refused, naming the argument", (_, value) => {
    const receive = (): unknown => DeviceArray.fromShared(value() as SharedArray);
    expect(receive).toThrow(TypeError);
    expect(receive).toThrow(/^DeviceArray\.fromShared\.shared/);
    expect(codeOf(receive)).toBe("ERR_INVALID_ARG_TYPE");
  });

  function grown(array: DeviceArray): unknown {
    return altered(array, { length: 2, memory: { ...posted(array).memory, byteLength: 2 } });
  }

  test("a handle of another backend is refused with code ERR_BACKEND_MISMATCH, and can be received afterwards", () => {
    const other = backend === "host" ? "cuda" : "host";
    const handle = DeviceArray.zeros(1, "int8").share();
    const foreign = Object.assign(structuredClone<SharedArray>(handle), { backend: other });
    expect(codeOf(() => DeviceArray.fromShared(foreign))).toBe("ERR_BACKEND_MISMATCH");
    expect(DeviceArray.fromShared(handle).length).toBe(1);
    setBackend(backend);
  });

  test("sharing an array that is disposed is an error with code ERR_DISPOSED", () => {
    const array = DeviceArray.zeros(1, "int8");
    array.dispose();
    expect(codeOf(() => array.share())).toBe("ERR_DISPOSED");
    expect(codeOf(() => DeviceArray.zeros(1, "int8").share({ outlive: 1 as unknown as boolean }))).toBe(
      "ERR_INVALID_ARG_TYPE",
    );
  });

  test("a handle shows what it is of", () => {
    expect(inspect(DeviceArray.zeros(3, "int8").share())).toBe(`SharedArray<int8>(3) [${backend}]`);
    expect(inspect(DeviceArray.zeros(3, point).share())).toBe(`SharedArray<struct>(3) [${backend}]`);
  });
});
