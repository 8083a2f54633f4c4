import {
  DeviceArray,
  type ScalarName,
  Stream,
  atomicAdd,
  caches,
  counting,
  makeThreeWayPartition,
  makeThreeWayPartitionAsync,
  ops,
  struct,
  threeWayPartition,
  transformed,
  transformedOutput,
} from "../../lib";
import { describeOnBackends, onGpu } from "../helpers/backends";
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

type Predicate = (x: number) => boolean;

interface Parts {
  first: unknown[];
  second: unknown[];
  unselected: unknown[];
}

/** The parts by plain code. */
function partsOf<T>(items: readonly T[], isFirst: (x: T) => boolean, isSecond: (x: T) => boolean): Parts {
  const rest = items.filter((item) => !isFirst(item));
  return {
    first: items.filter(isFirst),
    second: rest.filter(isSecond),
    unselected: rest.filter((item) => !isSecond(item)),
  };
}

/** Runs with outputs of types that only the run time checks; answers the parts as the counts delimit them. */
function partition(
  input: DeviceArray,
  selectFirst: unknown,
  selectSecond: unknown,
  types: [ScalarName, ScalarName, ScalarName],
): Parts {
  const size = input.length;
  const [first, second, unselected] = types.map((type) => DeviceArray.zeros(size, type)) as [
    DeviceArray<"float64">,
    DeviceArray<"float64">,
    DeviceArray<"float64">,
  ];
  const outputCounts = DeviceArray.full(3, -1, "int32");
  threeWayPartition({
    input: input as DeviceArray<"float64">,
    firstOutput: first,
    secondOutput: second,
    unselectedOutput: unselected,
    outputCounts,
    selectFirst: selectFirst as Predicate,
    selectSecond: selectSecond as Predicate,
  });
  const [firsts, seconds, behind] = download(outputCounts) as [number, number, number];
  expect(behind).toBe(-1);
  const rest = size - firsts - seconds;
  const isUntouched = (value: Value): boolean => !value;
  expect(download(first.subarray(firsts)).every(isUntouched)).toBe(true);
  expect(download(second.subarray(seconds)).every(isUntouched)).toBe(true);
  expect(download(unselected.subarray(rest)).every(isUntouched)).toBe(true);
  return {
    first: download(first.subarray(0, firsts)),
    second: download(second.subarray(0, seconds)),
    unselected: download(unselected.subarray(0, rest)),
  };
}

const ints = (...numbers: number[]): DeviceArray<"int32"> => DeviceArray.from(new Int32Array(numbers));
const same = (type: ScalarName): [ScalarName, ScalarName, ScalarName] => [type, type, type];

describeOnBackends("threeWayPartition", () => {
  const sizes = [0, 1, 2, 4, 16, 64, 255, 256, 1_024, 4_097, 65_536, ...onGpu(1 << 20)];

  describe("three parts of each type, each in the items' order", () => {
    test.each(allTypes)("%s", (type) => {
      for (const size of sizes) {
        const numbers = integers(size, 0, type === "bool" ? 1 : 99, size);
        const items = elements(type, numbers);
        const isFirst = (x: Value): boolean => Number(x) > 60;
        const isSecond = (x: Value): boolean => Number(x) < 20;
        const parts = partition(
          upload(type, items),
          (x: number) => x > 60,
          (x: number) => x < 20,
          same(type),
        );
        const expected = partsOf(items, isFirst, isSecond);
        for (const name of ["first", "second", "unselected"] as const) expectElements(parts[name], expected[name]);
      }
    });
  });

  test.each([
    ["sorted", (i: number) => i],
    ["reversed", (i: number) => 5_000 - i],
    ["all equal", () => 7],
  ])("%s items", (_, value) => {
    const numbers = Array.from({ length: 5_000 }, (_, i) => value(i));
    const parts = partition(
      ints(...numbers),
      (x: number) => x % 3 === 0,
      (x: number) => x % 2 === 0,
      same("int32"),
    );
    expect(parts).toEqual(
      partsOf(
        numbers,
        (x) => x % 3 === 0,
        (x) => x % 2 === 0,
      ),
    );
  });

  test("an item that both predicates select goes to the first part, and the second is not asked about it", () => {
    const asked = DeviceArray.zeros(6, "int32");
    const parts = partition(
      ints(0, 1, 2, 3, 4, 5),
      (x: number) => x < 2,
      (x: number) => {
        atomicAdd(asked, x, 1);
        return x < 4;
      },
      same("int32"),
    );
    expect(parts).toEqual({ first: [0, 1], second: [2, 3], unselected: [4, 5] });
    expect(download(asked)).toEqual([0, 0, 1, 1, 1, 1]);
  });

  test("everything in one part", () => {
    const items = [1, 2, 3];
    const whole = (x: number): boolean => x > 0;
    const nothing = (x: number): boolean => x < 0;
    const parts = (isFirst: Predicate, isSecond: Predicate): Parts =>
      partition(ints(...items), isFirst, isSecond, same("int32"));
    expect(parts(whole, whole)).toEqual({ first: items, second: [], unselected: [] });
    expect(parts(nothing, whole)).toEqual({ first: [], second: items, unselected: [] });
    expect(parts(nothing, nothing)).toEqual({ first: [], second: [], unselected: items });
  });

  test("the same predicate twice, well-known ones, and one beside one with captures", () => {
    const bools = (): DeviceArray<"bool"> => DeviceArray.from([true, false, true, false], "bool");
    expect(partition(bools(), ops.logicalNot, ops.logicalNot, same("bool"))).toEqual({
      first: [false, false],
      second: [],
      unselected: [true, true],
    });
    for (const least of [2, 4]) {
      const parts = partition(ints(1, 2, 3, 4), (x: number) => x >= least, (x: number) => x === 1, same("int32")); // prettier-ignore
      expect(parts.first).toEqual([1, 2, 3, 4].filter((x) => x >= least));
      expect(parts.second).toEqual([1]);
    }
  });

  test("a million items", () => {
    const size = 1 << 20;
    const arrays = [0, 1, 2].map(() => DeviceArray.empty(size, "int32"));
    const outputCounts = DeviceArray.empty(2, "int64");
    threeWayPartition({
      input: counting(0),
      firstOutput: arrays[0]!,
      secondOutput: arrays[1]!,
      unselectedOutput: arrays[2]!,
      outputCounts,
      selectFirst: (x) => x % 3 === 0,
      selectSecond: (x) => x % 3 === 1,
    });
    const lengths = [0, 1, 2].map((rest) => Math.floor((size - 1 - rest) / 3) + 1);
    expect(download(outputCounts)).toEqual(lengths.slice(0, 2).map(BigInt));
    arrays.forEach((array, rest) => {
      const part = array.toTypedArray().subarray(0, lengths[rest]);
      expectElements(
        part,
        Int32Array.from({ length: lengths[rest] ?? NaN }, (_, i) => 3 * i + rest),
      );
    });
  });

  test("on a stream the parts are there after it is synchronized", () => {
    const stream = new Stream();
    const [firstOutput, secondOutput, unselectedOutput] = [ints(0, 0, 0), ints(0, 0, 0), ints(0, 0, 0)];
    const outputCounts = ints(0, 0);
    threeWayPartition({
      input: ints(5, 1, 3),
      firstOutput,
      secondOutput,
      unselectedOutput,
      outputCounts,
      selectFirst: (x) => x > 4,
      selectSecond: (x) => x > 2,
      stream,
    });
    stream.synchronize();
    expect([firstOutput, secondOutput, unselectedOutput].map((array) => download(array)[0])).toEqual([5, 3, 1]);
    expect(download(outputCounts)).toEqual([1, 1]);
  });

  test("each output has its own type", () => {
    const parts = partition(
      DeviceArray.from(new Float32Array([1.5, 300.25, -2.75, 8])),
      (x: number) => x > 100,
      (x: number) => x < 0,
      ["uint8", "int64", "float64"],
    );
    expect(parts).toEqual({ first: [300 & 255], second: [-2n], unselected: [1.5, 8] });
  });

  test("NaN, zeros and infinities go where the predicates say", () => {
    const parts = partition(
      DeviceArray.from(new Float64Array([NaN, -0, Infinity, 0, -Infinity, 2 ** -1074])),
      (x: number) => x !== x || x === Infinity,
      (x: number) => x === 0,
      same("float64"),
    );
    expect(parts).toEqual({ first: [NaN, Infinity], second: [-0, 0], unselected: [-Infinity, 2 ** -1074] });
  });

  test.each(integerTypes)("counts of type %s", (type) => {
    const output = (): DeviceArray<"int32"> => DeviceArray.empty(1_000, "int32");
    const outputCounts = DeviceArray.zeros(2, type);
    threeWayPartition({
      input: counting(0),
      firstOutput: output(),
      secondOutput: output(),
      unselectedOutput: output(),
      outputCounts,
      selectFirst: (x) => x < 300,
      selectSecond: (x) => x < 400,
    });
    expect(download(outputCounts)).toEqual([wrapped(type, 300n), wrapped(type, 100n)]);
  });

  test("structs, iterators in and out, and unaligned ranges", () => {
    const Point = struct({ x: "float32", y: "int64" });
    const points = Array.from({ length: 100 }, (_, i) => ({ x: i / 4, y: BigInt(i) }));
    const input = DeviceArray.from(points, Point);
    const outputs = [DeviceArray.zeros(100, Point), DeviceArray.zeros(100, Point)] as const;
    const doubled = DeviceArray.zeros(101, Point);
    const outputCounts = DeviceArray.zeros(3, "uint8").subarray(1);
    threeWayPartition({
      input: transformed(input, (p) => ({ x: p.x, y: p.y + 1n }), Point),
      firstOutput: outputs[0],
      secondOutput: transformedOutput(doubled.subarray(1), (p) => ({ x: p.x * 2, y: p.y })),
      unselectedOutput: outputs[1],
      outputCounts,
      selectFirst: (p) => p.y > 90n,
      selectSecond: (p) => p.x < 1,
    });
    expect(download(outputCounts)).toEqual([10, 4]);
    expect(outputs[0].subarray(0, 10).toArray()).toEqual(points.slice(90).map(({ x, y }) => ({ x, y: y + 1n })));
    expect(doubled.subarray(0, 6).toArray()).toEqual([
      { x: 0, y: 0n },
      ...points.slice(0, 4).map(({ x, y }) => ({ x: x * 2, y: y + 1n })),
      { x: 0, y: 0n },
    ]);
    expect(outputs[1].subarray(0, 2).toArray()).toEqual([
      { x: 1, y: 5n },
      { x: 1.25, y: 6n },
    ]);
  });

  test("pairs of predicates in turn give no wrong reuse; sizes and captured values compile nothing", () => {
    const run = (size: number, limit: number): void => {
      const numbers = integers(size, 0, 99);
      const low = (x: number): boolean => x < 50;
      const high = (x: number): boolean => x > 90;
      const input = upload("int32", numbers);
      expect(partition(input, low, high, same("int32"))).toEqual(partsOf(numbers, low, high));
      expect(partition(input, high, low, same("int32"))).toEqual(partsOf(numbers, high, low));
      const limited = partition(input, low, (x: number) => x > limit, same("int32"));
      expect(limited).toEqual(partsOf(numbers, low, (x) => x > limit));
    };
    run(100, 70);
    const builds = caches.stats();
    for (const size of [1, 5, 3_000]) run(size, 60 + size);
    expect(caches.stats()).toEqual(builds);
  });

  describe("made", () => {
    const arrays = (size: number) => ({
      input: upload("int32", integers(size, 0, 9)),
      firstOutput: DeviceArray.zeros(size, "int32"),
      secondOutput: DeviceArray.zeros(size, "int32"),
      unselectedOutput: DeviceArray.zeros(size, "int32"),
      outputCounts: DeviceArray.zeros(2, "int64"),
    });

    test("it takes other arrays at each call", async () => {
      const selectFirst = (x: number): boolean => x > 6;
      const selectSecond = (x: number): boolean => x > 3;
      const partitions = [
        makeThreeWayPartition({ ...arrays(1), selectFirst, selectSecond }),
        await makeThreeWayPartitionAsync({ ...arrays(1), selectFirst, selectSecond }),
      ];
      for (const made of partitions) {
        const options = arrays(777);
        made(options);
        const { first, second } = partsOf(integers(777, 0, 9), selectFirst, selectSecond);
        expect(download(options.outputCounts)).toEqual([BigInt(first.length), BigInt(second.length)]);
        expect(download(options.secondOutput.subarray(0, second.length))).toEqual(second);
      }
    });

    test("a predicate that captures is given again, one that does not is not", () => {
      let least = 3;
      const made = makeThreeWayPartition({
        ...arrays(1),
        selectFirst: (x) => x === 0,
        selectSecond: (x) => x >= least,
      });
      const options = arrays(100);
      expect(() => {
        made(options);
      }).toThrow(expect.objectContaining({ argument: "threeWayPartition.selectSecond" }));
      least = 8;
      made({ ...options, selectSecond: (x) => x >= least });
      const numbers = integers(100, 0, 9);
      const expected = [numbers.filter((x) => x === 0).length, numbers.filter((x) => x >= 8).length];
      expect(download(options.outputCounts)).toEqual(expected.map(BigInt));
    });

    test("for other predicates is refused", () => {
      const made = makeThreeWayPartition({ ...arrays(1), selectFirst: (x) => x > 1, selectSecond: (x) => x > 0 });
      expect(() => {
        made({ ...arrays(1), selectSecond: (x) => x < 0 });
      }).toThrow(expect.objectContaining({ code: "ERR_BUILD_MISMATCH" }));
    });
  });

  describe("refused, with nothing written", () => {
    const names = ["input", "firstOutput", "secondOutput", "unselectedOutput", "outputCounts"] as const;
    const good = () => ({
      input: ints(1, 2),
      firstOutput: ints(0, 0),
      secondOutput: ints(0, 0),
      unselectedOutput: ints(0, 0),
      outputCounts: ints(-1, -1),
      selectFirst: (x: number) => x > 0,
      selectSecond: (x: number) => x > 0,
    });
    const refused = (wrong: object, option: string, code: string): void => {
      const options = { ...good(), ...wrong };
      expect(() => {
        threeWayPartition(options as never);
      }).toThrow(expect.objectContaining({ argument: `threeWayPartition.${option}`, code }));
      expect(download(options.outputCounts)[0]).not.toBe(2);
    };

    test.each(names.slice(1))("a %s that is too short", (name) => {
      refused({ [name]: ints(-1) }, name, "ERR_OUT_OF_RANGE");
    });

    test.each(names)("a missing %s", (name) => {
      expect(() => {
        threeWayPartition({ ...good(), [name]: undefined } as never);
      }).toThrow(expect.objectContaining({ argument: `threeWayPartition.${name}`, code: "ERR_INVALID_ARG_TYPE" }));
    });

    test.each(["selectFirst", "selectSecond"])("a missing %s", (name) => {
      refused({ [name]: undefined }, name, "ERR_INVALID_ARG_TYPE");
    });

    test("outputs that no item converts to, items that are too large, a count of floats", () => {
      refused({ secondOutput: DeviceArray.zeros(2, struct({ a: "int32" })) }, "secondOutput", "ERR_INVALID_ARG_TYPE");
      refused({ outputCounts: DeviceArray.full(2, -1, "float32") }, "outputCounts", "ERR_INVALID_ARG_TYPE");
      const input = DeviceArray.zeros(2, struct({ a: ["float64", 25] }));
      refused({ input, firstOutput: input }, "firstOutput", "ERR_OVERLAP");
      refused({ input, selectFirst: (_: unknown) => true }, "input", "ERR_UNSUPPORTED");
    });

    test.each(names.flatMap((name, i) => names.slice(i + 1).map((later) => [later, name] as const)))(
      "a %s that is the memory of %s",
      (later, name) => {
        const memory = ints(-1, -1, -1);
        refused({ [name]: memory.subarray(0, 2), [later]: memory.subarray(0, 2) }, later, "ERR_OVERLAP");
        refused({ [name]: memory.subarray(1, 3), [later]: memory.subarray(0, 2) }, later, "ERR_OVERLAP");
      },
    );
  });
});
