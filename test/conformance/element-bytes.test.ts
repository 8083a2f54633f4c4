/** Every kind of typed array and every 64-bit integer arrives as it is, or is refused: nothing is read as another type. */
import { Buffer } from "node:buffer";
import { DeviceArray, type ScalarName, bind, constant, counting, reduceInto, unaryTransform } from "../../lib";
import { describeOnBackends } from "../helpers/backends";
import { download } from "../helpers/elements";

type TypedArray = Float32Array;
type Constructor = new (buffer: ArrayBufferLike, byteOffset: number, length: number) => TypedArray;

const kinds: Record<string, [name: ScalarName, size: number]> = {
  Int8Array: ["int8", 1],
  Int16Array: ["int16", 2],
  Int32Array: ["int32", 4],
  BigInt64Array: ["int64", 8],
  Uint8Array: ["uint8", 1],
  Uint8ClampedArray: ["uint8", 1],
  Uint16Array: ["uint16", 2],
  Uint32Array: ["uint32", 4],
  BigUint64Array: ["uint64", 8],
  Float32Array: ["float32", 4],
  Float64Array: ["float64", 8],
  // Where the runtime has it.
  ...("Float16Array" in globalThis ? { Float16Array: ["float16", 2] } : {}),
};

/** Every kind of typed array that the runtime has. */
const found = Object.getOwnPropertyNames(globalThis).filter((name) => /^(?!Typed)\w+\dArray$|^Uint8Clamped/.test(name));

const bytes = Uint8Array.from({ length: 264 }, (_, index) => (index * 37 + 11) & 255);
const bytesOf = (view: ArrayBufferView): Uint8Array => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);

/** An array of a kind over bytes of its own, 8 bytes behind the beginning of a buffer. */
function arrayOf(kind: string, Memory: new (length: number) => ArrayBufferLike): TypedArray {
  const memory = new Memory(bytes.length);
  new Uint8Array(memory).set(bytes);
  const size = kinds[kind]?.[1] ?? NaN;
  return new (globalThis as unknown as Record<string, Constructor>)[kind]!(memory, 8, 256 / size);
}

describeOnBackends("elements", () => {
  test("no kind of typed array is unknown", () => {
    expect(found.sort()).toEqual(Object.keys(kinds).sort());
  });

  describe.each(Object.keys(kinds))("%s", (kind) => {
    const [type, size] = kinds[kind]!;

    test.each([
      ["memory", ArrayBuffer],
      ["shared memory", SharedArrayBuffer],
    ])("of %s comes back byte for byte, NaN's bits too", (_memory, Memory) => {
      const source = arrayOf(kind, Memory);
      const array = DeviceArray.from(source);
      expect([array.type, array.length, array.byteLength]).toEqual([type, 256 / size, 256]);
      const back = array.toTypedArray();
      expect(bytesOf(back)).toEqual(bytes.subarray(8, 264));
      expect(back.BYTES_PER_ELEMENT).toBe(size);
    });

    test("taken as another type is refused, unless it is that type's bits", () => {
      const source = arrayOf(kind, ArrayBuffer);
      const bits: Record<string, ScalarName[]> = { Uint16Array: ["float16", "bfloat16"], Uint8Array: ["bool"] };
      for (const [other] of Object.values(kinds)) {
        if (other === type) continue;
        if (bits[kind]?.includes(other)) continue;
        expect(() => DeviceArray.from(source, other)).toThrow(TypeError);
      }
    });
  });

  test("a Buffer is uint8; a DataView, an ArrayBuffer and a string are refused", () => {
    expect(DeviceArray.from(Buffer.from([1, 2, 255])).toTypedArray()).toEqual(new Uint8Array([1, 2, 255]));
    for (const source of [new DataView(new ArrayBuffer(8)), new ArrayBuffer(8), "abc"]) {
      expect(() => DeviceArray.from(source as never)).toThrow(expect.objectContaining({ name: "TypeError" }));
    }
  });

  test("float16 is 2 bytes an element, whether the runtime has Float16Array or not", () => {
    const array = DeviceArray.from([1, 0.5, 65504], "float16");
    expect(array.byteLength).toBe(6);
    expect(bytesOf(array.toTypedArray())).toEqual(bytesOf(new Uint16Array([0x3c00, 0x3800, 0x7bff])));
  });

  describe("64-bit integers are exact wherever they are given", () => {
    const odd = 2n ** 53n + 1n;
    const output = (): DeviceArray<"int64"> => DeviceArray.zeros(1, "int64");
    const plus = (a: bigint, b: bigint): bigint => a + b;
    const one = (): DeviceArray<"int64"> => DeviceArray.from([odd]);
    const reduced = (init: unknown): unknown => {
      const result = output();
      reduceInto({ input: one(), output: result, op: plus, init: init as bigint });
      return download(result)[0];
    };

    test("as elements and by fill", () => {
      expect(download(one())).toEqual([odd]);
      expect(download(DeviceArray.full(2, -odd, "int64"))).toEqual([-odd, -odd]);
      expect(download(DeviceArray.full(1, 2n ** 64n - 1n, "uint64"))).toEqual([2n ** 64n - 1n]);
    });

    test("as an init: BigInts, and safe integers", () => {
      expect(reduced(odd)).toBe(2n * odd);
      expect(reduced(2 ** 53 - 1)).toBe(odd + 2n ** 53n - 1n);
    });

    test("as a captured BigInt, by closure and by bind", () => {
      const double = DeviceArray.zeros(1, "int64");
      unaryTransform({ input: one(), output: double, op: (x: bigint) => x + odd });
      expect(download(double)).toEqual([2n * odd]);
      unaryTransform({
        input: one(),
        output: double,
        op: bind((x: bigint, { k }: { k: bigint }) => x - k, { k: odd }),
      });
      expect(download(double)).toEqual([0n]);
    });

    test("from counting and constant", () => {
      const result = DeviceArray.zeros(2, "int64");
      unaryTransform({ input: counting(odd), output: result, op: (x) => x });
      expect(download(result)).toEqual([odd, odd + 1n]);
      unaryTransform({ input: constant(-odd), output: result, op: (x) => x });
      expect(download(result)).toEqual([-odd, -odd]);
    });

    test("and a number that is not safe is refused, naming where it was given", () => {
      const refused: [string, () => unknown][] = [
        ["reduceInto.init", () => reduced(2 ** 53)],
        ["reduceInto.init", () => reduced(0.5)],
        ["reduceInto.init", () => reduced(2n ** 63n)],
        ["DeviceArray.from.source[1]", () => DeviceArray.from([0, 2 ** 53], "int64")],
        ["DeviceArray.from.source[0]", () => DeviceArray.from([-1n], "uint64")],
        ["DeviceArray.fill.value", () => output().fill((2 ** 53) as never)],
        ["counting.start", () => counting(2 ** 53, "int64")],
        ["constant.value", () => constant(2 ** 53, "int64")],
      ];
      for (const [argument, action] of refused) {
        expect(action).toThrow(expect.objectContaining({ name: "RangeError", argument }));
      }
    });
  });
});
