/** Calls of one algorithm that differ in one thing alternate, twice in other orders: none is taken for another. */
import {
  DeviceArray,
  type ScalarName,
  binaryTransform,
  counting,
  exclusiveScan,
  inclusiveScan,
  lowerBound,
  mergeSort,
  ops,
  radixSort,
  reduceInto,
  segmentedReduce,
  segmentedSort,
  select,
  threeWayPartition,
  transformed,
  transformedOutput,
  unaryTransform,
  uniqueByKey,
  upperBound,
} from "../../lib";
import { describeOnBackends } from "../helpers/backends";
import { type Value, download, elements, integers, upload, wrapped } from "../helpers/elements";

/** Numbers or BigInts, as the type wants them: `number` stands for both in operators here. */
type Any = DeviceArray<"float64">;
/** What a variant is, what it computes, and what comes out. */
type Variant = [title: string, run: () => unknown, expected: unknown];

/** Of one size, and so that the same bits mean other values and another order in each. */
const types = ["int32", "uint32", "float32"] as const;
type Type = (typeof types)[number];
const least: Record<Type, number> = { int32: -30, uint32: 2 ** 31 - 5, float32: -20 };
const numbersOf = (type: Type): number[] => integers(300, 0, 30, 5).map((number) => number + least[type]);

const places = integers(300, 0, 1_000, 6);
const of = (type: ScalarName, numbers: readonly number[]): Any =>
  upload(type, elements(type, numbers)) as unknown as Any;
const empty = (type: ScalarName, length: number): Any => DeviceArray.empty(length, type) as unknown as Any;
const values = (type: ScalarName, exact: readonly number[]): Value[] =>
  exact.map((number) => wrapped(type, BigInt(number)));
const first = (array: Any, count: number): Value[] => download(array.subarray(0, count));
type Offsets = DeviceArray<"int32">;
const offsetsOf = (type: ScalarName, bounds: readonly number[]): Record<"startOffsets" | "endOffsets", Offsets> => ({
  startOffsets: of(type, bounds.slice(0, -1)) as unknown as Offsets,
  endOffsets: of(type, bounds.slice(1)) as unknown as Offsets,
});
const bounds = [0, 100, 100, 180, 300];
const parts = (numbers: readonly number[]): number[][] =>
  bounds.slice(1).map((end, i) => numbers.slice(bounds[i], end));
const rising = (numbers: readonly number[]): number[] => numbers.toSorted((a, b) => a - b);

/** 0, which operators capture: they have state, others none. */
const [none = 0] = integers(1, 0, 0);
type Plain = (a: number, b: number) => number;
type Operator = [name: string, op: Plain, plain: Plain];
const sum: Operator = ["a sum", ops.plus as never, (a, b) => a + b];
const maximum: Operator = ["a maximum", (a, b) => (a > b ? a : b), (a, b) => Math.max(a, b)];
const minimum: Operator = [
  "a minimum by a captured number",
  (a, b) => (a > b ? b : none > 0 ? b : a),
  (a, b) => Math.min(a, b),
];

const reductions = types.flatMap((type) => {
  const numbers = numbersOf(type);
  return [sum, maximum, minimum].flatMap(([name, op, plain]): Variant[] => [
    [
      `${name} of ${type}`,
      () => {
        const output = empty(type, 1);
        reduceInto({ input: of(type, numbers), output, op });
        return download(output);
      },
      values(type, [numbers.reduce((a, b) => plain(a, b))]),
    ],
    [
      `${name} of ${type} from an init, into float64`,
      () => {
        const output = empty("float64", 1);
        // The accumulator holds input and output both.
        reduceInto({ input: of(type, numbers), output, op, init: 40 });
        return download(output);
      },
      [[40, ...numbers].reduce((a, b) => plain(a, b))],
    ],
  ]);
});

const segmentedReductions = types.flatMap((type) => {
  const numbers = numbersOf(type);
  return [sum, minimum].flatMap(([name, op, plain]) =>
    (["int32", "int64"] as const).map((offsetType): Variant => {
      const init = wrapped(type, 20n) as number;
      return [
        `${name} of segments of ${type} with offsets of ${offsetType}`,
        () => {
          const output = empty(type, 4);
          const offsets = offsetsOf(offsetType, bounds);
          segmentedReduce({ input: of(type, numbers), output, ...offsets, op, init });
          return download(output);
        },
        values(
          type,
          parts(numbers).map((part) => [20, ...part].reduce((a, b) => plain(a, b))),
        ),
      ];
    }),
  );
});

const scans = types.flatMap((type) => {
  const numbers = numbersOf(type);
  return [sum, minimum].flatMap(([name, op, plain]): Variant[] => {
    const init = wrapped(type, 20n);
    const scanned = (scan: (options: never) => void, options: object = {}): Value[] => {
      const output = empty(type, 300);
      scan({ input: of(type, numbers), output, op, ...options } as never);
      return download(output);
    };
    const running = (items: readonly number[]): number[] => {
      let total: number | undefined;
      return items.map((item) => (total = total === undefined ? item : plain(total, item)));
    };
    const fromInit = running([20, ...numbers]);
    return [
      [`${name} of ${type}, from an init`, () => scanned(inclusiveScan, { init }), values(type, fromInit.slice(1))],
      [`${name} of ${type}, exclusive`, () => scanned(exclusiveScan, { init }), values(type, fromInit.slice(0, -1))],
      [`${name} of ${type}, without an init`, () => scanned(inclusiveScan), values(type, running(numbers))],
    ];
  });
});

const transforms = types.flatMap((type): Variant[] => {
  const numbers = numbersOf(type);
  const each = (op: (x: number, i: number) => number, to: ScalarName = type): Value[] => values(to, numbers.map(op));
  const unary = (op: (x: number) => number, to: ScalarName = type): Value[] => {
    const output = empty(to, 300);
    unaryTransform({ input: of(type, numbers), output, op });
    return download(output);
  };
  const binary = (input1: object, output: (array: Any) => object = (array) => array): Value[] => {
    const [array, input2] = [empty(type, 300), of(type, numbers)];
    binaryTransform({ input1, input2, output: output(array), op: (a: number, b: number) => a + b } as never);
    return download(array);
  };
  const counted = counting(wrapped(type, 0n) as number, type as "float64");
  const doubled = (x: number): number => x + x;
  return [
    [`${type} doubled`, () => unary(doubled), each(doubled)],
    [`${type} beside a captured number`, () => unary((x) => (none > 0 ? x : x + x)), each(doubled)],
    [`${type} to int16`, () => unary((x) => x, "int16"), each((x) => x, "int16")],
    [`${type} to float64`, () => unary((x) => x, "float64"), each((x) => x, "float64")],
    [`${type} and ${type}`, () => binary(of(type, numbers)), each(doubled)],
    [`counted and ${type}`, () => binary(counted), each((x, i) => x + i)],
    [
      `computed and ${type}, out through an operator`,
      () =>
        binary(transformed(of(type, numbers), doubled, type as "float64"), (array) =>
          transformedOutput(array, doubled),
        ),
      each((x) => 6 * x),
    ],
  ];
});

const sorts = types.flatMap((type): Variant[] => {
  const numbers = numbersOf(type);
  const sorted = (sort: (options: never) => void, options: object = {}): Value[] => {
    const outputKeys = empty(type, 300);
    sort({ inputKeys: of(type, numbers), outputKeys, ...options } as never);
    return download(outputKeys);
  };
  const withValues = (sort: (options: never) => void, options: object = {}): Value[] => {
    const outputValues = empty("int32", 300);
    const keys = sorted(sort, { ...options, inputValues: of("int32", places), outputValues });
    return [...keys, ...download(outputValues)];
  };
  const up = values(type, rising(numbers));
  const down = up.toReversed();
  const byKey = (from: number, to: number, sign: number): number[] => {
    const indices = [...numbers.keys()].slice(from, to);
    return indices.toSorted((a, b) => sign * ((numbers[a] as number) - (numbers[b] as number)));
  };
  const valuesAt = (indices: readonly number[]): number[] => indices.map((i) => places[i] as number);
  const [upValues, downValues] = [valuesAt(byKey(0, 300, 1)), valuesAt(byKey(0, 300, -1))];
  const segments = offsetsOf("int32", bounds);
  const inSegments = bounds.slice(1).flatMap((end, i) => byKey(bounds[i] as number, end, 1));
  const segmented = values(
    type,
    inSegments.map((i) => numbers[i] as number),
  );
  const descending = { order: "descending" };
  return [
    [`merge sort of ${type}`, () => sorted(mergeSort), up],
    [`merge sort of ${type} by greater`, () => sorted(mergeSort, { op: ops.greater }), down],
    [
      `merge sort of ${type} and values by a function`,
      () => withValues(mergeSort, { op: (a: number, b: number) => b < a }),
      [...down, ...downValues],
    ],
    [`radix sort of ${type}`, () => sorted(radixSort), up],
    [`radix sort of ${type}, descending`, () => sorted(radixSort, descending), down],
    [`radix sort of ${type} and values`, () => withValues(radixSort), [...up, ...upValues]],
    [`segmented sort of ${type}`, () => sorted(segmentedSort, segments), segmented],
  ];
});

const selections = types.flatMap((type): Variant[] => {
  const numbers = numbersOf(type);
  const middle = wrapped(type, BigInt(least[type] + 15)) as number;
  const [above, below] = [numbers.filter((x) => x > least[type] + 15), numbers.filter((x) => x <= least[type] + 15)];
  const input = (): Any => of(type, numbers);
  const selected = (op: (x: number) => boolean, countType: ScalarName): Value[] => {
    const [output, outputCount] = [empty(type, 300), empty(countType, 1)];
    select({ input: input(), output, outputCount, op } as never);
    const [count] = download(outputCount);
    return [...first(output, Number(count)), count as Value];
  };
  const partitioned = (selectFirst: (x: number) => boolean, selectSecond: (x: number) => boolean): Value[] => {
    const [firstOutput, secondOutput] = [empty(type, 300), empty(type, 300)];
    const [unselectedOutput, outputCounts] = [empty(type, 300), empty("int64", 2)];
    const outputs = { firstOutput, secondOutput, unselectedOutput, outputCounts };
    threeWayPartition({ input: input(), ...outputs, selectFirst, selectSecond } as never);
    const [a, b] = download(outputCounts).map(Number) as [number, number];
    return [...first(firstOutput, a), ...first(secondOutput, b), ...first(unselectedOutput, 300 - a - b)];
  };
  const unique = (withValues: boolean, op?: (a: number, b: number) => boolean): Value[] => {
    const [outputKeys, outputValues, outputCount] = [empty(type, 300), empty("int16", 300), empty("int32", 1)];
    const options = withValues ? { inputValues: of("int16", places), outputValues } : {};
    uniqueByKey({ inputKeys: input(), outputKeys, outputCount, ...options, ...(op ? { op } : {}) } as never);
    const count = Number(download(outputCount)[0]);
    return [...first(outputKeys, count), ...(withValues ? first(outputValues, count) : [])];
  };
  const starts = (equal: (a: number, b: number) => boolean): number[] =>
    [...numbers.keys()].filter((i) => i === 0 || !equal(numbers[i - 1] as number, numbers[i] as number));
  const keysAt = (indices: readonly number[]): Value[] =>
    values(
      type,
      indices.map((i) => numbers[i] as number),
    );
  const valuesAt = (indices: readonly number[]): number[] => indices.map((i) => places[i] as number);
  const same = starts((a, b) => a === b);
  const notRising = starts((a, b) => b <= a);
  return [
    [
      `${type} above a captured bound, counted in int32`,
      () => selected((x) => x > middle, "int32"),
      [...values(type, above), above.length],
    ],
    [
      `${type} up to a captured bound, counted in int64`,
      () => selected((x) => x <= middle, "int64"),
      [...values(type, below), BigInt(below.length)],
    ],
    [
      `${type} above 0`,
      () => selected((x) => x > 0, "int32"),
      [...values(type, numbers.filter((x) => x > 0)), numbers.filter((x) => x > 0).length],
    ],
    [`${type} above and below`, () => partitioned((x) => x > middle, (x) => x <= middle), values(type, [...above, ...below])],
    [`${type} below and not`, () => partitioned((x) => x <= middle, (x) => x < middle), values(type, [...below, ...above])],
    [`${type} below and above`, () => partitioned((x) => x <= middle, (x) => x > middle), values(type, [...below, ...above])],
    [`runs of ${type}`, () => unique(false), keysAt(same)],
    [`runs of ${type} and values`, () => unique(true), [...keysAt(same), ...valuesAt(same)]],
    [`${type} that do not fall, and values`, () => unique(true, (a, b) => b <= a), [...keysAt(notRising), ...valuesAt(notRising)]],
  ];
}); // prettier-ignore

const searches = types.flatMap((type): Variant[] => {
  const data = rising(numbersOf(type));
  const sought = numbersOf(type).slice(0, 40);
  const found = (search: (options: never) => void, options: object): Value[] => {
    const output = empty("int32", 40);
    search({ data: of(type, data), values: of(type, sought), output, ...options } as never);
    return download(output);
  };
  const falling = { data: of(type, data.toReversed()), comp: ops.greater };
  const below = sought.map((x) => data.filter((y) => y < x).length);
  const notAbove = sought.map((x) => data.filter((y) => y <= x).length);
  return [
    [`the first ${type}`, () => found(lowerBound, {}), below],
    [`behind the last ${type}`, () => found(upperBound, {}), notAbove],
    [`behind the last ${type} by a function`, () => found(upperBound, { comp: (a: number, b: number) => a < b }), notAbove],
    [`the first of falling ${type}`, () => found(lowerBound, falling), notAbove.map((n) => 300 - n)],
  ];
}); // prettier-ignore

describeOnBackends("variants alternate without being taken for one another", () => {
  test.each([
    ["reductions", reductions],
    ["segmented reductions", segmentedReductions],
    ["scans", scans],
    ["transforms", transforms],
    ["sorts", sorts],
    ["selections, partitions and runs", selections],
    ["searches", searches],
  ] as const)("%s", (_title, variants) => {
    const order = [...variants.keys()];
    // In order, backwards, and with steps that come to each once.
    const stepped = order.map((i) => (i * 31) % variants.length);
    expect(new Set(stepped).size).toBe(variants.length);
    for (const place of [...order, ...order.toReversed(), ...stepped]) {
      const [title, run, expected] = variants[place] as Variant;
      expect([title, run()]).toEqual([title, expected]);
    }
  });
});
