import {
  DeviceArray,
  type ScalarName,
  Stream,
  atomicAdd,
  bind,
  cacheModified,
  caches,
  constant,
  counting,
  makeSelect,
  makeSelectAsync,
  ops,
  select,
  struct,
  transformed,
  transformedOutput,
  zipped,
} from "../../lib";
import { describeOnBackends, onGpu } from "../helpers/backends";
import {
  allTypes,
  download,
  elements,
  expectElements,
  integerTypes,
  integers,
  isBigInt,
  numberTypes,
  upload,
  wrapped,
} from "../helpers/elements";

type Floats = DeviceArray<"float64">;

/** With types that only the run time checks. */
function selectAny(input: DeviceArray, output: DeviceArray, outputCount: DeviceArray, op: unknown): void {
  select({
    input: input as Floats,
    output: output as Floats,
    outputCount: outputCount as DeviceArray<"int32">,
    op: op as (x: number) => boolean,
  });
}

const ints = (...numbers: number[]): DeviceArray<"int32"> => DeviceArray.from(new Int32Array(numbers));
const count = (): DeviceArray<"int32"> => DeviceArray.full(1, -1, "int32");

describeOnBackends("select", () => {
  const sizes = [0, 1, 2, 4, 16, 64, 255, 256, 1_024, 4_097, 65_536, ...onGpu(1 << 20)];

  describe("the items of each type that are not 0, in their order", () => {
    test.each(allTypes)("%s", (type) => {
      for (const size of sizes) {
        const numbers = integers(size, 0, type === "bool" ? 1 : 3, size);
        const kept = elements(type, numbers).filter(Boolean);
        const output = DeviceArray.zeros(size, type);
        const outputCount = count();
        selectAny(upload(type, elements(type, numbers)), output, outputCount, (x: number) => Boolean(x));
        expect(download(outputCount)).toEqual([kept.length]);
        expectElements(download(output.subarray(0, kept.length)), kept);
        expect(download(output.subarray(kept.length)).every((value) => !value)).toBe(true);
      }
    });
  });

  describe("even items of each type, and those above a bound", () => {
    test.each(numberTypes)("%s", (type) => {
      const isEven = isBigInt(type) ? (x: bigint) => x % 2n === 0n : (x: number) => x % 2 === 0;
      const isAbove = isBigInt(type) ? (x: bigint) => x > 42n : (x: number) => x > 42;
      for (const size of [4, 16, 64, 256, 1_024, ...onGpu(1 << 16, 1 << 20)]) {
        const numbers = integers(size, 0, 100, size + 1);
        const input = upload(type, elements(type, numbers));
        for (const [op, plain] of [
          [isEven, (x: number): boolean => x % 2 === 0],
          [isAbove, (x: number): boolean => x > 42],
        ] as const) {
          const output = DeviceArray.zeros(size, type);
          const outputCount = count();
          selectAny(input, output, outputCount, op);
          const kept = elements(type, numbers.filter(plain));
          expect(download(outputCount)).toEqual([kept.length]);
          expect(download(output.subarray(0, kept.length))).toEqual(kept);
        }
      }
    });
  });

  test("a million items", () => {
    const output = DeviceArray.empty(1 << 20, "int32");
    const outputCount = count();
    select({ input: counting(0), output, outputCount, op: (x) => x % 7 === 3 });
    const kept = output.toTypedArray().subarray(0, Number(download(outputCount)[0]));
    expectElements(
      kept,
      Int32Array.from({ length: Math.floor(((1 << 20) - 4) / 7) + 1 }, (_, i) => 7 * i + 3),
    );
  });

  describe("converting to the output's type, as a store does", () => {
    const cases: [ScalarName, ScalarName][] = [
      ["int32", "int8"],
      ["int8", "uint64"],
      ["float32", "int32"],
      ["int64", "float16"],
      ["uint8", "bool"],
      ["float64", "bfloat16"],
    ];
    test.each(cases)("%s to %s", (from, to) => {
      const numbers = integers(3_000, 0, 127);
      const output = DeviceArray.empty(3_000, to);
      const outputCount = count();
      selectAny(upload(from, elements(from, numbers)), output, outputCount, (x: number) => x >= 50);
      const kept = numbers.filter((number) => number >= 50).map((number) => wrapped(to, BigInt(number)));
      expect(download(outputCount)).toEqual([kept.length]);
      expect(download(output.subarray(0, kept.length))).toEqual(kept);
    });
  });

  test.each(integerTypes)("a count of type %s wraps as the type does", (type) => {
    const outputCount = DeviceArray.full(2, type.includes("64") ? 9n : 9, type);
    select({ input: counting(0), output: DeviceArray.empty(1_000, "int32"), outputCount, op: (x) => x < 300 });
    // One element is written; the one behind it, where the library's second count would lie, is not.
    expect(download(outputCount)).toEqual([wrapped(type, 300n), wrapped(type, 9n)]);
  });

  test("all, none, and what lies behind them", () => {
    const input = ints(5, 6, 7);
    const output = DeviceArray.full(5, -1, "int32");
    const outputCount = count();
    select({ input, output, outputCount, op: (_) => false });
    expect([download(outputCount), download(output)]).toEqual([[0], [-1, -1, -1, -1, -1]]);
    select({ input, output, outputCount, op: (_) => true });
    expect([download(outputCount), download(output)]).toEqual([[3], [5, 6, 7, -1, -1]]);
  });

  test("no items: a count of 0, and nothing else is touched", () => {
    const output = DeviceArray.full(2, 7, "float32");
    const outputCount = count();
    select({ input: DeviceArray.empty(0, "float32"), output, outputCount, op: (_) => true });
    expect([download(outputCount), download(output)]).toEqual([[0], [7, 7]]);
  });

  test("numbers that compare in no usual way: NaN, zeros, infinities, subnormals", () => {
    const values = [NaN, -0, 0, Infinity, -Infinity, 2 ** -1074, -(2 ** -1074), 1];
    const kept = (op: (x: number) => boolean): number[] => {
      const output = DeviceArray.empty(values.length, "float64");
      const outputCount = count();
      select({ input: DeviceArray.from(new Float64Array(values)), output, outputCount, op });
      return Array.from(output.toTypedArray().subarray(0, Number(download(outputCount)[0])));
    };
    expect(kept((x) => x >= 0)).toEqual([-0, 0, Infinity, 2 ** -1074, 1]);
    expect(kept((x) => !(x < 1))).toEqual([NaN, Infinity, 1]);
    expect(kept((x) => x !== x)).toEqual([NaN]);
    expect(kept((x) => (x === 0 && 1 / x < 0) || x === -Infinity)).toEqual([-0, -Infinity]);
  });

  test("sub-ranges that begin anywhere", () => {
    const numbers = integers(2_000, 0, 255);
    const memory = DeviceArray.full(2_010, 99, "uint8");
    const input = DeviceArray.from(Uint8Array.from(numbers)).subarray(3);
    const outputCount = DeviceArray.full(3, -1, "int16");
    select({ input, output: memory.subarray(5, 2_005), outputCount: outputCount.subarray(1, 2), op: (x) => x > 127 });
    const kept = numbers.slice(3).filter((number) => number > 127);
    expect(download(outputCount)).toEqual([-1, kept.length, -1]);
    expect(download(memory.subarray(0, 5 + kept.length + 1))).toEqual([99, 99, 99, 99, 99, ...kept, 99]);
  });

  test("structs, to the same and to wider fields", () => {
    const Best = struct({ v: "float32", i: "int32" });
    const Wide = struct({ i: "int64", v: "float64" });
    const items = Array.from({ length: 500 }, (_, i) => ({ v: i / 2, i: 7 - i }));
    const input = DeviceArray.from(items, Best);
    const [same, wide] = [DeviceArray.zeros(500, Best), DeviceArray.zeros(500, Wide)];
    const outputCount = count();
    select({ input, output: same, outputCount, op: (item) => item.i % 3 === 0 });
    select({ input, output: wide, outputCount, op: (item) => item.i % 3 === 0 });
    const kept = items.filter((item) => item.i % 3 === 0);
    expect(download(outputCount)).toEqual([kept.length]);
    expect(same.subarray(0, kept.length).toArray()).toEqual(kept);
    expect(wide.subarray(0, kept.length).toArray()).toEqual(kept.map(({ v, i }) => ({ v, i: BigInt(i) })));
    expect(wide.subarray(kept.length).toArray()).toContainEqual({ v: 0, i: 0n });
  });

  describe("iterators", () => {
    test("counting in, as many as the output has; transformed out", () => {
      const tens = DeviceArray.zeros(10, "float32");
      const outputCount = count();
      select({ input: counting(0), output: transformedOutput(tens, (x) => x * 10), outputCount, op: (x) => x % 4 === 1 }); // prettier-ignore
      expect([download(outputCount), download(tens)]).toEqual([[3], [10, 50, 90, 0, 0, 0, 0, 0, 0, 0]]);
    });

    test("cacheModified in", () => {
      const output = DeviceArray.empty(4, "int32");
      const outputCount = count();
      select({ input: cacheModified(ints(8, 3, 6, 1), "stream"), output, outputCount, op: (x) => x % 2 === 0 });
      expect([download(outputCount), download(output.subarray(0, 2))]).toEqual([[2], [8, 6]]);
    });

    test("zipped in and zipped out: rows of columns are kept or left together", () => {
      const values = integers(2_000, -9, 9, 3);
      const [a, b] = [DeviceArray.zeros(2_000, "float32"), DeviceArray.zeros(2_000, "int64")];
      const outputCount = count();
      const input = zipped(DeviceArray.from(Float32Array.from(values)), counting(0n));
      select({ input, output: zipped(a, b), outputCount, op: ([x, i]) => x > 0 && i % 2n === 0n });
      const kept = values.flatMap((x, i) => (x > 0 && i % 2 === 0 ? [i] : []));
      expect(download(outputCount)).toEqual([kept.length]);
      expect(download(a.subarray(0, kept.length))).toEqual(kept.map((i) => values[i]));
      expect(download(b.subarray(0, kept.length))).toEqual(kept.map(BigInt));
    });

    test("constant and transformed in", () => {
      const output = DeviceArray.empty(4, "int32");
      const outputCount = count();
      select({ input: constant(7, "int32"), output, outputCount, op: (x) => x === 7, numItems: 3 });
      expect([download(outputCount), download(output.subarray(0, 3))]).toEqual([[3], [7, 7, 7]]);
      const scale = 3;
      select({ input: transformed(ints(1, 2, 3, 4), (x) => x * scale, "int32"), output, outputCount, op: (x) => x > 5 }); // prettier-ignore
      expect([download(outputCount), download(output.subarray(0, 3))]).toEqual([[3], [6, 9, 12]]);
    });
  });

  describe("predicates", () => {
    test("well-known ones", () => {
      const output = DeviceArray.empty(3, "bool");
      const outputCount = count();
      select({ input: DeviceArray.from([true, false, false], "bool"), output, outputCount, op: ops.logicalNot });
      expect([download(outputCount), download(output.subarray(0, 2))]).toEqual([[2], [false, false]]);
    });

    test("with captured numbers, which are read at every call and compile nothing new", () => {
      const output = DeviceArray.empty(5, "int32");
      const outputCount = count();
      let builds: unknown;
      for (const least of [3, 1, 5]) {
        select({ input: ints(1, 2, 3, 4, 5), output, outputCount, op: (x) => x >= least });
        expect(download(outputCount)).toEqual([6 - least]);
        builds ??= caches.stats();
      }
      expect(caches.stats()).toEqual(builds);
    });

    test("made by one factory with other bounds, which keep what they captured, in any order of calls", () => {
      const above = (bound: number) => (x: number) => x > bound;
      const [above2, above4] = [above(2), above(4)];
      const output = DeviceArray.empty(5, "int32");
      const outputCount = count();
      for (const [op, expected] of [[above2, 3], [above4, 1], [above2, 3], [above(0), 5]] as const) {
        select({ input: ints(1, 2, 3, 4, 5), output, outputCount, op });
        expect(download(outputCount)).toEqual([expected]);
      } // prettier-ignore
    });

    test("with captured arrays of one type and other values", () => {
      const output = DeviceArray.empty(4, "int32");
      const outputCount = count();
      for (const [bounds, kept] of [[[3, 3, 3, 3], [9]], [[0, 9, 0, 9], [1, 2]], [[0, 0], [1, 9]]] as const) {
        const least = DeviceArray.from(Int32Array.from(bounds));
        const op = ([x, i]: [number, number]): boolean => i < least.length && x > least[i]!;
        const input = zipped(ints(1, 9, 2, 3), counting(0));
        select({ input, output: zipped(output, DeviceArray.empty(4, "int32")), outputCount, op });
        expect(download(output.subarray(0, Number(download(outputCount)[0])))).toEqual(kept);
      } // prettier-ignore
    });

    test("with captured arrays that they read, which may change from call to call", () => {
      const isWanted = DeviceArray.from(new Int32Array([0, 1, 0, 1]));
      const output = DeviceArray.empty(4, "int32");
      const outputCount = count();
      const op = bind((x: number, { isWanted }: { isWanted: DeviceArray<"int32"> }) => isWanted[x] === 1, { isWanted });
      select({ input: ints(0, 1, 2, 3), output, outputCount, op });
      expect(download(output.subarray(0, 2))).toEqual([1, 3]);
      isWanted.copyFrom(new Int32Array([1, 1, 1, 0]));
      select({ input: ints(0, 1, 2, 3), output, outputCount, op });
      expect([download(outputCount), download(output.subarray(0, 3))]).toEqual([[3], [0, 1, 2]]);
    });

    test("that write are called once for each item: a counter of the rejected, and a mark for each seen", () => {
      const size = 5_000;
      const rejected = DeviceArray.zeros(1, "int32");
      const seen = DeviceArray.zeros(size, "int32");
      const output = DeviceArray.empty(size, "int32");
      const outputCount = count();
      select({
        input: counting(0),
        output,
        outputCount,
        op: (x) => {
          atomicAdd(seen, x, 1);
          if (x % 3 === 0) return true;
          atomicAdd(rejected, 0, 1);
          return false;
        },
      });
      expect([download(outputCount), download(rejected)]).toEqual([[1_667], [3_333]]);
      expect(download(seen).every((times) => times === 1)).toBe(true);
    });
  });

  test("on a stream", () => {
    const stream = new Stream();
    const output = DeviceArray.empty(3, "int32");
    const outputCount = count();
    select({ input: ints(1, 2, 3), output, outputCount, op: (x) => x !== 2, stream });
    stream.synchronize();
    expect([download(outputCount), download(output.subarray(0, 2))]).toEqual([[2], [1, 3]]);
  });

  test("other sizes, arrays and outputs in turn give no wrong reuse, and sizes compile nothing", () => {
    const run = (size: number): void => {
      const input = upload("int32", integers(size, -9, 9));
      const [narrow, wide] = [DeviceArray.empty(size, "int8"), DeviceArray.empty(size, "int64")];
      const [small, large] = [DeviceArray.zeros(1, "uint16"), DeviceArray.zeros(1, "uint64")];
      select({ input, output: narrow, outputCount: small, op: (x) => x > 0 });
      select({ input, output: wide, outputCount: large, op: (x) => x < 0 });
      const [positive, negative] = [integers(size, -9, 9).filter((x) => x > 0), integers(size, -9, 9).filter((x) => x < 0)]; // prettier-ignore
      expect(download(narrow.subarray(0, positive.length))).toEqual(positive);
      expect(download(wide.subarray(0, negative.length))).toEqual(negative.map(BigInt));
      expect([download(small), download(large)]).toEqual([[positive.length], [BigInt(negative.length)]]);
    };
    run(100);
    const builds = caches.stats();
    for (const size of [1, 3, 1_000, 20_000]) run(size);
    expect(caches.stats()).toEqual(builds);
  });

  describe("made", () => {
    test("makeSelect takes other arrays at each call", () => {
      const small = { input: ints(1), output: ints(0), outputCount: count() };
      const evens = makeSelect({ ...small, op: (x) => x % 2 === 0 });
      for (const size of [4, 1_001]) {
        const output = DeviceArray.empty(size, "int32");
        const outputCount = count();
        evens({ input: upload("int32", integers(size, 0, 99)), output, outputCount });
        const kept = integers(size, 0, 99).filter((x) => x % 2 === 0);
        expect([download(outputCount), download(output.subarray(0, kept.length))]).toEqual([[kept.length], kept]);
      }
    });

    test("makeSelectAsync resolves to the same; captures are given again", async () => {
      const least = 2;
      const options = { input: ints(1, 2, 3), output: ints(0, 0, 0), outputCount: count() };
      const made = await makeSelectAsync({ ...options, op: (x) => x >= least });
      expect(() => {
        made(options);
      }).toThrow(expect.objectContaining({ argument: "select.op" }));
      const most = await makeSelectAsync({ ...options, op: bind((x: number, { k }: { k: number }) => x >= k, { k: 2 }) }); // prettier-ignore
      most({ ...options, op: bind((x: number, { k }: { k: number }) => x >= k, { k: 3 }) });
      expect([download(options.outputCount), download(options.output.subarray(0, 1))]).toEqual([[1], [3]]);
    });

    test("for other types is refused", () => {
      const made = makeSelect({ input: ints(1), output: ints(0), outputCount: count(), op: (x) => x > 0 });
      expect(() => {
        made({ input: DeviceArray.zeros(1, "int16"), output: ints(0), outputCount: count() } as never);
      }).toThrow(expect.objectContaining({ code: "ERR_BUILD_MISMATCH", argument: "select.input" }));
    });
  });

  describe("refused, with nothing written", () => {
    const op = (x: number): boolean => x > 0;
    const array = DeviceArray.zeros.bind(DeviceArray);
    const good = (): Record<string, unknown> => ({ input: ints(1, 2), output: ints(0, 0), outputCount: count(), op });
    const cases: [string, string, string, () => Record<string, unknown>][] = [
      ["no input", "select.input", "ERR_INVALID_ARG_TYPE", () => ({ input: undefined })],
      ["an output that cannot be written", "select.output", "ERR_INVALID_ARG_TYPE", () => ({ output: counting(0) })],
      ["an output that is too short", "select.output", "ERR_OUT_OF_RANGE", () => ({ output: ints(0) })],
      ["more items than there are", "select.numItems (input)", "ERR_OUT_OF_RANGE", () => ({ numItems: 3 })],
      ["half an item", "select.numItems", "ERR_OUT_OF_RANGE", () => ({ numItems: 0.5 })],
      ["a count of floats", "select.outputCount", "ERR_INVALID_ARG_TYPE", () => ({ outputCount: array(1, "float32") })],
      ["a count of bools", "select.outputCount", "ERR_INVALID_ARG_TYPE", () => ({ outputCount: array(1, "bool") })],
      ["no count", "select.outputCount", "ERR_INVALID_ARG_TYPE", () => ({ outputCount: undefined })],
      ["an empty count", "select.outputCount", "ERR_OUT_OF_RANGE", () => ({ outputCount: array(0, "int32") })],
      ["no predicate", "select.op", "ERR_INVALID_ARG_TYPE", () => ({ op: undefined })],
      [
        "an output of structs for scalars",
        "select.output",
        "ERR_INVALID_ARG_TYPE",
        () => ({ output: array(2, struct({ a: "int32" })) }),
      ],
      [
        "items that are too large for the library",
        "select.input",
        "ERR_UNSUPPORTED",
        () => {
          const Large = struct({ a: ["uint8", 193] });
          return { input: array(1, Large), output: array(1, Large), op: (_: unknown) => true };
        },
      ],
    ];
    test.each(cases)("%s", (_, argument, code, wrong) => {
      const options = { ...good(), ...wrong() };
      expect(() => {
        select(options as never);
      }).toThrow(expect.objectContaining({ argument, code }));
      if (options["outputCount"] instanceof DeviceArray && options["outputCount"].type === "int32") {
        expect(download(options["outputCount"]).every((value) => value === -1)).toBe(true);
      }
    });

    test("memory that two arguments share, in part or as a whole", () => {
      const memory = ints(1, 2, 3, 4, 5, 6);
      const overlap = (argument: string): Error => expect.objectContaining({ argument, code: "ERR_OVERLAP" }) as Error;
      const call = (input: [number, number], output: [number, number], counted: [number, number]) => () => {
        select({
          input: memory.subarray(...input),
          output: memory.subarray(...output),
          outputCount: memory.subarray(...counted),
          op,
        });
      };
      expect(call([0, 2], [0, 2], [5, 6])).toThrow(overlap("select.output"));
      expect(call([0, 2], [1, 3], [5, 6])).toThrow(overlap("select.output"));
      expect(call([0, 2], [2, 4], [1, 2])).toThrow(overlap("select.outputCount"));
      expect(call([0, 2], [2, 4], [3, 4])).toThrow(overlap("select.outputCount"));
      const output = transformedOutput(memory.subarray(1, 3), (x) => x);
      expect(() => {
        select({ input: memory.subarray(0, 2), output, outputCount: count(), op });
      }).toThrow(overlap("select.output"));
      expect(download(memory)).toEqual([1, 2, 3, 4, 5, 6]);
      call([0, 2], [2, 4], [5, 6])(); // side by side
      expect(download(memory)).toEqual([1, 2, 1, 2, 5, 2]);
    });
  });
});
