import {
  DeviceArray,
  type ScalarName,
  Stream,
  atomicAdd,
  cacheModified,
  caches,
  complex64,
  constant,
  counting,
  discard,
  makeUniqueByKey,
  makeUniqueByKeyAsync,
  ops,
  struct,
  transformed,
  transformedOutput,
  uniqueByKey,
} from "../../lib";
import { describeOnBackends } from "../helpers/backends";
import {
  type Value,
  allTypes,
  download,
  elements,
  expectElements,
  integerTypes,
  integers,
  upload,
  wrapped,
} from "../helpers/elements";

type Floats = DeviceArray<"float64">;

interface Arrays {
  inputKeys: DeviceArray;
  inputValues?: DeviceArray;
  outputKeys: DeviceArray;
  outputValues?: DeviceArray;
  outputCount: DeviceArray;
}

/** With types that only the run time checks. */
function uniqueAny(arrays: Arrays, op?: unknown): void {
  uniqueByKey({ ...(arrays as unknown as { inputKeys: Floats; outputKeys: Floats; outputCount: DeviceArray<"int32"> }), ...(op === undefined ? {} : { op: op as () => boolean }) }); // prettier-ignore
}

/** The places at which runs of equal keys begin. */
function heads(keys: readonly unknown[], isEqual = (a: unknown, b: unknown): boolean => a === b): number[] {
  return keys.flatMap((key, i) => (i > 0 && isEqual(keys[i - 1], key) ? [] : [i]));
}

const ints = (...numbers: number[]): DeviceArray<"int32"> => DeviceArray.from(new Int32Array(numbers));
const count = (): DeviceArray<"int32"> => DeviceArray.full(1, -1, "int32");

describeOnBackends("uniqueByKey", (backend) => {
  const sizes = [0, 1, 2, 4, 256, 4_097, 65_536, ...(backend === "cuda" ? [1 << 22] : [])];

  describe("the first of each run, with its value, for keys of each type", () => {
    test.each(allTypes)("%s", (type) => {
      for (const size of sizes) {
        const keys = elements(type, integers(size, 0, 1, size));
        const values = integers(size, 0, 1_000, 5);
        const outputKeys = DeviceArray.empty(size, type);
        const outputValues = DeviceArray.full(size, -1, "float32");
        const outputCount = count();
        uniqueAny({
          inputKeys: upload(type, keys),
          inputValues: upload("float32", values),
          outputKeys,
          outputValues,
          outputCount,
        });
        const places = heads(keys);
        expect(download(outputCount)).toEqual([places.length]);
        expectElements(
          download(outputKeys.subarray(0, places.length)),
          places.map((place) => keys[place]),
        );
        const untouched = Array<number>(size - places.length).fill(-1);
        expectElements(download(outputValues), places.map((place) => values[place]).concat(untouched));
      }
    });
  });

  describe("values of each type", () => {
    test.each(allTypes)("%s", (type) => {
      const keys = integers(3_000, 0, 2);
      const values = elements(type, integers(3_000, 0, 100, 9));
      const outputValues = DeviceArray.empty(3_000, type);
      const [outputKeys, outputCount] = [DeviceArray.empty(3_000, "int32"), count()];
      uniqueAny({
        inputKeys: upload("int32", keys),
        inputValues: upload(type, values),
        outputKeys,
        outputValues,
        outputCount,
      });
      const places = heads(keys);
      expect(download(outputValues.subarray(0, places.length))).toEqual(places.map((place) => values[place]));
    });
  });

  test.each([
    ["all equal", (_: number) => 7],
    ["sorted, no two equal", (i: number) => i],
    ["reversed", (i: number) => 5_000 - i],
    ["long runs", (i: number) => Math.floor(i / 700)],
  ])("keys alone: %s", (_, key) => {
    const keys = Array.from({ length: 5_000 }, (_, i) => key(i));
    const [outputKeys, outputCount] = [DeviceArray.empty(5_000, "int32"), count()];
    uniqueByKey({ inputKeys: ints(...keys), outputKeys, outputCount });
    const places = heads(keys);
    expect(download(outputCount)).toEqual([places.length]);
    expect(download(outputKeys.subarray(0, places.length))).toEqual(places.map((place) => keys[place]));
  });

  test("by default NaN is equal to nothing, and the zeros are equal", () => {
    const keys = [NaN, NaN, -0, 0, 0, Infinity, Infinity, -Infinity, 2 ** -1074, 0];
    const outputKeys = DeviceArray.empty(keys.length, "float64");
    const outputCount = count();
    const inputKeys = DeviceArray.from(new Float64Array(keys));
    uniqueByKey({ inputKeys, outputKeys, outputCount });
    const expected = [NaN, NaN, -0, Infinity, -Infinity, 2 ** -1074, 0];
    expect(download(outputCount)).toEqual([expected.length]);
    expect(download(outputKeys.subarray(0, expected.length))).toEqual(expected);
    uniqueByKey({ inputKeys, outputKeys, outputCount, op: (a, b) => a === b || (a !== a && b !== b) });
    expect(download(outputKeys.subarray(0, expected.length - 1))).toEqual(expected.slice(1));
  });

  test("the well-known equality, an operator, and one with a captured number that compiles once", () => {
    const inputKeys = ints(1, 2, 5, 6, 7, 20);
    const outputKeys = ints(0, 0, 0, 0, 0, 0);
    const outputCount = count();
    uniqueByKey({ inputKeys, outputKeys, outputCount, op: ops.equalTo });
    expect(download(outputCount)).toEqual([6]);
    uniqueByKey({ inputKeys, outputKeys, outputCount, op: (a, b) => a % 2 === b % 2 });
    expect(download(outputKeys.subarray(0, 5))).toEqual([1, 2, 5, 6, 7]);
    expect(download(outputCount)).toEqual([6]);
    let builds: unknown;
    for (const [width, runs] of [
      [10, [1, 20]],
      [2, [1, 2, 5, 6, 20]],
      [5, [1, 5, 20]],
    ] as const) {
      uniqueByKey({
        inputKeys,
        outputKeys,
        outputCount,
        op: (a, b) => Math.floor(a / width) === Math.floor(b / width),
      });
      expect(download(outputKeys.subarray(0, Number(download(outputCount)[0])))).toEqual(runs);
      builds ??= caches.stats();
    }
    expect(caches.stats()).toEqual(builds);
  });

  describe("converting to the outputs' types, as a store does", () => {
    const cases: [ScalarName, ScalarName][] = [
      ["int32", "int8"],
      ["float32", "int64"],
      ["uint8", "float16"],
      ["int64", "float64"],
    ];
    test.each(cases)("%s to %s", (from, to) => {
      const numbers = integers(2_000, 0, 200);
      const array = upload(from, elements(from, numbers));
      const [outputKeys, outputValues] = [DeviceArray.empty(2_000, to), DeviceArray.empty(2_000, to)];
      const outputCount = count();
      uniqueAny({ inputKeys: array, inputValues: array, outputKeys, outputValues, outputCount });
      const expected = heads(numbers).map((place) => wrapped(to, BigInt(numbers[place] as number)));
      for (const output of [outputKeys, outputValues]) {
        expect(download(output.subarray(0, expected.length))).toEqual(expected);
      }
    });
  });

  test.each(integerTypes)("a count of type %s wraps as the type does", (type) => {
    const outputCount = DeviceArray.zeros(1, type);
    uniqueByKey({ inputKeys: counting(0), outputKeys: DeviceArray.empty(300, "int32"), outputCount });
    expect(download(outputCount)).toEqual([wrapped(type, 300n)]);
  });

  test("no items: a count of 0, and nothing else is touched", () => {
    const empty = DeviceArray.empty(0, "float32");
    const output = DeviceArray.full(2, 7, "float32");
    const outputCount = count();
    uniqueByKey({ inputKeys: empty, inputValues: empty, outputKeys: output.subarray(0, 1), outputValues: output.subarray(1), outputCount }); // prettier-ignore
    expect([download(outputCount), download(output)]).toEqual([[0], [7, 7]]);
  });

  describe("structs", () => {
    const Id = struct({ a: "int32", b: "bool" });
    const Wide = struct({ b: "bool", a: "float64" });
    const Large = struct({ n: ["int32", 40], id: "int64" });
    const ids = Array.from({ length: 1_000 }, (_, i) => ({ a: Math.floor(i / 3), b: i % 2 === 0 }));
    const large = Array.from({ length: 1_000 }, (_, i) => ({ n: Array<number>(40).fill(i), id: BigInt(i) }));

    test("as keys, to the same and to other fields", () => {
      const inputKeys = DeviceArray.from(ids, Id);
      const [outputKeys, wide] = [DeviceArray.zeros(1_000, Id), DeviceArray.zeros(1_000, Wide)];
      const outputCount = count();
      const places = heads(ids, (a, b) => (a as { a: number }).a === (b as { a: number }).a);
      uniqueByKey({ inputKeys, outputKeys, outputCount, op: (x, y) => x.a === y.a });
      uniqueByKey({ inputKeys, outputKeys: wide, outputCount, op: (x, y) => x.a === y.a });
      expect(download(outputCount)).toEqual([places.length]);
      for (const output of [outputKeys, wide] as DeviceArray[]) {
        expect(output.subarray(0, places.length).toArray()).toEqual(places.map((place) => ids[place]));
      }
    });

    test.each(["int8", "int32", "float64"] as const)("as values, for keys of type %s", (type) => {
      const keys = integers(1_000, 0, 2);
      const outputKeys = DeviceArray.empty(1_000, type);
      const outputValues = DeviceArray.zeros(1_000, Large);
      const outputCount = count();
      uniqueByKey({
        inputKeys: upload(type, keys),
        inputValues: DeviceArray.from(large, Large),
        outputKeys,
        outputValues,
        outputCount,
      });
      const places = heads(keys);
      expect(download(outputCount)).toEqual([places.length]);
      expect(outputValues.subarray(0, places.length).toArray()).toEqual(places.map((place) => large[place]));
      expect(outputValues.subarray(places.length, places.length + 1).toArray()[0]?.id).toBe(0n);
    });

    test("as values from and to iterators, converting their fields", () => {
      const outputKeys = DeviceArray.empty(6, Id);
      const outputValues = DeviceArray.zeros(6, Wide);
      const outputCount = count();
      const least = 10;
      uniqueByKey({
        inputKeys: transformed(counting(0), (i) => ({ a: i >> 1, b: false }), Id),
        inputValues: transformed(counting(0), (i) => ({ a: i + least, b: true }), Id),
        outputKeys,
        outputValues: transformedOutput(outputValues, (v) => ({ a: v.a / 4, b: v.b })),
        outputCount,
        op: (x, y) => x.a === y.a,
      });
      expect(download(outputCount)).toEqual([3]);
      expect(outputValues.toArray()).toEqual(
        [2.5, 3, 3.5].map((a) => ({ a, b: true })).concat(Array(3).fill({ a: 0, b: false })),
      );
    });

    test("called again with other arrays, and mixed with scalars", () => {
      const run = (shift: number): void => {
        const values = ids.slice(0, 4).map(({ a }) => ({ a: a + shift, b: true }));
        const outputValues = DeviceArray.zeros(4, Id);
        const numbers = DeviceArray.zeros(4, "int32");
        const keys = { inputKeys: ints(1, 1, 2, 2), outputKeys: ints(0, 0, 0, 0), outputCount: count() };
        uniqueByKey({ ...keys, inputValues: DeviceArray.from(values, Id), outputValues });
        uniqueByKey({ ...keys, inputValues: ints(shift, 0, 9, 0), outputValues: numbers });
        expect(outputValues.subarray(0, 2).toArray()).toEqual([values[0], values[2]]);
        expect(download(numbers)).toEqual([shift, 9, 0, 0]);
      };
      run(0);
      const builds = caches.stats();
      run(50);
      expect(caches.stats()).toEqual(builds);
    });
  });

  test("iterators and unaligned ranges", () => {
    const memory = DeviceArray.full(8, -1, "int16");
    const output = DeviceArray.zeros(5, "float32");
    const outputCount = DeviceArray.full(3, -1, "int16");
    uniqueByKey({
      inputKeys: transformed(counting(1), (i) => i >> 1, "int32"),
      inputValues: counting(100),
      outputKeys: memory.subarray(1, 6),
      outputValues: transformedOutput(output, (x) => x / 2),
      outputCount: outputCount.subarray(1, 2),
    });
    expect(download(memory)).toEqual([-1, 0, 1, 2, -1, -1, -1, -1]);
    expect(download(output)).toEqual([50, 50.5, 51.5, 0, 0]);
    expect(download(outputCount)).toEqual([-1, 3, -1]);
    uniqueByKey({ inputKeys: constant(4, "int16"), outputKeys: memory, outputCount, numItems: 5 });
    expect([download(memory.subarray(0, 2)), download(outputCount)]).toEqual([[4, 0], [1, 3, -1]]); // prettier-ignore
  });

  test("keys and values from cacheModified, and values that are discarded", () => {
    const [outputKeys, outputValues, outputCount] = [ints(0, 0, 0, 0), ints(0, 0, 0, 0), count()];
    const inputKeys = cacheModified(ints(1, 1, 2, 2));
    const inputValues = cacheModified(ints(10, 11, 12, 13), "global");
    uniqueByKey({ inputKeys, inputValues, outputKeys, outputValues, outputCount });
    expect([download(outputKeys), download(outputValues)]).toEqual([[1, 2, 0, 0], [10, 12, 0, 0]]); // prettier-ignore
    outputKeys.fill(7);
    uniqueByKey({ inputKeys, inputValues, outputKeys, outputValues: discard("int32"), outputCount });
    expect([download(outputKeys), download(outputCount)]).toEqual([[1, 2, 7, 7], [2]]);
  });

  test("complex numbers as keys, equal in both parts", () => {
    const keys = [[1, 0], [1, 0], [1, -1], [0, -1], [0, -1], [1, 0]].map(([re, im]) => ({ re, im })) as { re: number; im: number }[]; // prettier-ignore
    const outputKeys = DeviceArray.zeros(6, complex64);
    const [outputValues, outputCount] = [ints(0, 0, 0, 0, 0, 0), count()];
    uniqueByKey({
      inputKeys: DeviceArray.from(keys, complex64),
      inputValues: counting(0),
      outputKeys,
      outputValues,
      outputCount,
      op: (a, b) => a.re === b.re && a.im === b.im,
    });
    expect(download(outputCount)).toEqual([4]);
    expect(download(outputValues)).toEqual([0, 2, 3, 5, 0, 0]);
    expect(outputKeys.subarray(0, 4).toArray()).toEqual([0, 2, 3, 5].map((place) => keys[place]));
  });

  test("keys and values in may be one array", () => {
    const array = ints(3, 3, 4);
    const [outputKeys, outputValues, outputCount] = [ints(0, 0, 0), ints(0, 0, 0), count()];
    uniqueByKey({ inputKeys: array, inputValues: array, outputKeys, outputValues, outputCount });
    expect([download(outputKeys), download(outputValues)]).toEqual([[3, 4, 0], [3, 4, 0]]); // prettier-ignore
  });

  test("on a stream", () => {
    const stream = new Stream();
    const [outputKeys, outputCount] = [ints(0, 0, 0), count()];
    uniqueByKey({ inputKeys: ints(1, 1, 2), outputKeys, outputCount, stream });
    stream.synchronize();
    expect([download(outputKeys), download(outputCount)]).toEqual([[1, 2, 0], [2]]);
  });

  test("sizes compile nothing", () => {
    const run = (size: number): void => {
      const keys = integers(size, 0, 3);
      const [outputKeys, outputCount] = [DeviceArray.empty(size, "uint8"), count()];
      uniqueByKey({ inputKeys: upload("uint8", keys), outputKeys, outputCount });
      expect(download(outputCount)).toEqual([heads(keys).length]);
    };
    run(10);
    const builds = caches.stats();
    for (const size of [1, 100, 10_000]) run(size);
    expect(caches.stats()).toEqual(builds);
  });

  describe("made", () => {
    const arrays = (keys: readonly Value[]) => ({
      inputKeys: upload("int32", keys),
      inputValues: upload("float64", keys),
      outputKeys: DeviceArray.zeros(keys.length, "int32"),
      outputValues: DeviceArray.zeros(keys.length, "float64"),
      outputCount: count(),
    });

    test("with the default equality and with an operator, it takes other arrays at each call", async () => {
      const equal = makeUniqueByKey(arrays([0]));
      const near = await makeUniqueByKeyAsync({ ...arrays([0]), op: (a, b) => b - a < 2 });
      const options = arrays([1, 1, 2, 3, 7]);
      equal(options);
      expect([download(options.outputCount), download(options.outputValues)]).toEqual([[4], [1, 2, 3, 7, 0]]);
      near(options);
      expect([download(options.outputCount), download(options.outputKeys)]).toEqual([[2], [1, 7, 3, 7, 0]]);
    });

    test("with values is not one without", () => {
      const made = makeUniqueByKey(arrays([0]));
      const { inputKeys, outputKeys, outputCount } = arrays([0]);
      expect(() => {
        made({ inputKeys, outputKeys, outputCount });
      }).toThrow(expect.objectContaining({ code: "ERR_BUILD_MISMATCH", argument: "uniqueByKey.inputValues" }));
    });
  });

  describe("refused, with nothing written", () => {
    const names = ["inputKeys", "inputValues", "outputKeys", "outputValues", "outputCount"] as const;
    const good = () => ({
      inputKeys: ints(1, 2),
      inputValues: ints(1, 2),
      outputKeys: ints(-1, -1),
      outputValues: ints(-1, -1),
      outputCount: ints(-1, -1),
    });
    const refused = (wrong: object, option: string, code: string): void => {
      const options = { ...good(), ...wrong };
      expect(() => {
        uniqueByKey(options as never);
      }).toThrow(expect.objectContaining({ argument: `uniqueByKey.${option}`, code }));
      if (options.outputCount instanceof DeviceArray) expect(download(options.outputCount)).not.toContain(2);
    };

    test.each(names)("a missing %s", (name) => {
      refused({ [name]: undefined }, name, "ERR_INVALID_ARG_TYPE");
    });

    test("arrays that are too short", () => {
      refused({ numItems: 3 }, "numItems (inputKeys)", "ERR_OUT_OF_RANGE");
      refused({ inputValues: ints(1) }, "inputValues", "ERR_OUT_OF_RANGE");
      refused({ outputKeys: ints(1) }, "outputKeys", "ERR_OUT_OF_RANGE");
      refused({ outputValues: ints(1) }, "outputValues", "ERR_OUT_OF_RANGE");
      refused({ outputCount: ints() }, "outputCount", "ERR_OUT_OF_RANGE");
    });

    test("types that do not fit", () => {
      const structs = DeviceArray.zeros(2, struct({ a: "int32" }));
      refused({ outputKeys: structs }, "outputKeys", "ERR_INVALID_ARG_TYPE");
      refused({ outputValues: structs }, "outputValues", "ERR_INVALID_ARG_TYPE");
      refused({ outputCount: DeviceArray.zeros(1, "float64") }, "outputCount", "ERR_INVALID_ARG_TYPE");
      const large = DeviceArray.zeros(2, struct({ a: ["uint8", 377] }));
      refused({ inputKeys: large, op: (_: unknown, __: unknown) => true }, "inputKeys", "ERR_UNSUPPORTED");
    });

    test("an operator that writes, as it is not called once for each pair", () => {
      const calls = DeviceArray.zeros(1, "int32");
      const op = (a: number, b: number): boolean => {
        atomicAdd(calls, 0, 1);
        return a === b;
      };
      expect(() => {
        uniqueByKey({ ...good(), op });
      }).toThrow(/^uniqueByKey\.op: this operator may not write/);
    });

    test("structs as keys without an operator", () => {
      const keys = (): DeviceArray => DeviceArray.zeros(2, struct({ a: "int32" }));
      expect(() => {
        uniqueAny({ inputKeys: keys(), outputKeys: keys(), outputCount: count() });
      }).toThrow(expect.objectContaining({ name: "CompileError" }));
    });

    test.each(names.flatMap((name, i) => names.slice(Math.max(2, i + 1)).map((later) => [later, name] as const)))(
      "a %s that is the memory of %s",
      (later, name) => {
        const memory = ints(-1, -1, -1);
        refused({ [name]: memory.subarray(0, 2), [later]: memory.subarray(0, 2) }, later, "ERR_OVERLAP");
        refused({ [name]: memory.subarray(1, 3), [later]: memory.subarray(0, 2) }, later, "ERR_OVERLAP");
      },
    );
  });
});
