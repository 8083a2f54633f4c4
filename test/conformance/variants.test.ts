/** Calls of one algorithm that differ in one thing alternate, twice in other orders: none is taken for another. */
import {
  DeviceArray,
  type ScalarName,
  binaryTransform,
  counting,
  exclusiveScan,
  inclusiveScan,
  mergeSort,
  ops,
  radixSort,
  reduceInto,
  segmentedSort,
  transformed,
  transformedOutput,
  unaryTransform,
} from "../../lib";
import { describeOnBackends } from "../helpers/backends";
import { download, elements, integers, upload, wrapped } from "../helpers/elements";

type Any = DeviceArray<"float64">;
/** What a variant is, what it computes, and what comes out. */
type Variant = [title: string, run: () => unknown, expected: unknown];

const numbers = integers(300, 0, 30, 5);
const types = ["int8", "uint8", "int32", "uint32", "int64", "float32", "float64"] as const;
const of = (type: ScalarName): Any => upload(type, elements(type, numbers)) as unknown as Any;
const empty = (type: ScalarName, length = numbers.length): Any => DeviceArray.empty(length, type) as unknown as Any;

const operators: [string, (a: number, b: number) => number, (a: number, b: number) => number][] = [
  ["a sum", ops.plus as never, (a, b) => a + b],
  ["a maximum", (a, b) => (a > b ? a : b), Math.max],
  ["a minimum", (a, b) => (a < b ? a : b), Math.min],
  ["the last", (_a, b) => b, (_a, b) => b],
];

const values = (type: ScalarName, exact: readonly number[]): unknown[] =>
  exact.map((number) => wrapped(type, BigInt(number)));

const reductions = types.flatMap((type) =>
  operators.flatMap(([name, op, plain]): Variant[] => [
    [
      `${name} of ${type}`,
      () => {
        const output = empty(type, 1);
        reduceInto({ input: of(type), output, op });
        return download(output);
      },
      values(type, [numbers.reduce(plain)]),
    ],
    [
      `${name} of ${type} from an init, into int64`,
      () => {
        const output = DeviceArray.empty(1, "int64");
        reduceInto({ input: of(type), output: output as unknown as Any, op, init: 40n as never });
        return download(output);
      },
      [BigInt([40, ...numbers].reduce(plain))],
    ],
  ]),
);

const scans = types.flatMap((type) =>
  operators.flatMap(([name, op, plain]): Variant[] => {
    const running = numbers.map((_, i) => [20, ...numbers.slice(0, i + 1)].reduce(plain));
    const scanned = (scan: (options: never) => void, options: object = {}): unknown[] => {
      const output = empty(type);
      scan({ input: of(type), output, op, ...options } as never);
      return download(output);
    };
    const init = wrapped(type, 20n);
    return [
      [`${name} of ${type}, from an init`, () => scanned(inclusiveScan, { init }), values(type, running)],
      [`${name} of ${type}, exclusive`, () => scanned(exclusiveScan, { init }), values(type, [20, ...running.slice(0, -1)])],
      [
        `${name} of ${type}, without an init`,
        () => scanned(inclusiveScan),
        values(type, numbers.map((_, i) => numbers.slice(0, i + 1).reduce(plain))),
      ],
    ];
  }),
); // prettier-ignore

const transforms = types.flatMap((type): Variant[] => {
  const unary = (op: (x: number) => number, to: ScalarName = type): unknown[] => {
    const output = empty(to);
    // The operator takes what the library gives, numbers or BigInts; `number` stands for both here.
    unaryTransform({ input: of(type), output, op });
    return download(output);
  };
  const binary = (input1: object, output: (array: Any) => object): unknown[] => {
    const array = empty(type);
    binaryTransform({ input1, input2: of(type), output: output(array), op: (a: number, b: number) => a + b } as never);
    return download(array);
  };
  return [
    [`a sum of ${type} with itself`, () => unary((x) => x + x), values(type, numbers.map((x) => x + x))],
    [`a product of ${type} with itself`, () => unary((x) => x * x), values(type, numbers.map((x) => x * x))],
    [`a copy of ${type} to int16`, () => unary((x) => x, "int16"), values("int16", numbers)],
    [`a sum of two arrays of ${type}`, () => binary(of(type), (array) => array), values(type, numbers.map((x) => x + x))],
    [
      `a sum of counted and ${type}`,
      () => binary(counting(wrapped(type, 0n) as number, type as "float64"), (array) => array),
      values(type, numbers.map((x, i) => x + i)),
    ],
    [
      `a sum of computed and ${type}, out through an operator`,
      () => binary(transformed(of(type), (x) => x + x, type as "float64"), (array) => transformedOutput(array, (x) => x + x)),
      values(type, numbers.map((x) => 6 * x)),
    ],
  ];
}); // prettier-ignore

const sorts = types.flatMap((type): Variant[] => {
  const rising = numbers.toSorted((a, b) => a - b);
  const halves = [numbers.slice(0, 100), numbers.slice(100)].flatMap((part) => part.toSorted((a, b) => a - b));
  const outputs = (sort: (options: never) => void, options: object, withValues: boolean): unknown[] => {
    const [outputKeys, outputValues] = [empty(type), empty("int32")];
    const inputValues = of("int32");
    sort({ inputKeys: of(type), outputKeys, ...options, ...(withValues ? { inputValues, outputValues } : {}) } as never);
    return withValues ? [...download(outputKeys), ...download(outputValues)] : download(outputKeys);
  };
  const segments = {
    startOffsets: DeviceArray.from(new Int32Array([0, 100])),
    endOffsets: DeviceArray.from(new Int32Array([100, 300])),
  };
  const both = (keys: readonly number[]): unknown[] => [...values(type, keys), ...keys];
  const falling = rising.toReversed();
  return [
    [`merge sort of ${type}`, () => outputs(mergeSort, {}, false), values(type, rising)],
    [`merge sort of ${type} by greater`, () => outputs(mergeSort, { op: ops.greater }, false), values(type, falling)],
    [`merge sort of ${type} by a function`, () => outputs(mergeSort, { op: (a: number, b: number) => b < a }, true), both(falling)],
    [`merge sort of ${type} with values`, () => outputs(mergeSort, {}, true), both(rising)],
    [`radix sort of ${type}`, () => outputs(radixSort, {}, false), values(type, rising)],
    [`radix sort of ${type}, descending`, () => outputs(radixSort, { order: "descending" }, false), values(type, falling)],
    [`radix sort of ${type} with values`, () => outputs(radixSort, {}, true), both(rising)],
    [`radix sort of ${type} with values, descending`, () => outputs(radixSort, { order: "descending" }, true), both(falling)],
    [`segmented sort of ${type}`, () => outputs(segmentedSort, segments, false), values(type, halves)],
    [`segmented sort of ${type} with values`, () => outputs(segmentedSort, segments, true), both(halves)],
  ];
}); // prettier-ignore

describeOnBackends("variants alternate without being taken for one another", () => {
  test.each([
    ["reductions", reductions],
    ["scans", scans],
    ["transforms", transforms],
    ["sorts", sorts],
  ] as const)("%s", (_title, variants) => {
    const places = [...variants.keys()];
    // In order, backwards, and with steps that come to each once.
    const stepped = places.map((i) => (i * 31) % variants.length);
    expect(new Set(stepped).size).toBe(variants.length);
    for (const place of [...places, ...places.toReversed(), ...stepped]) {
      const [title, run, expected] = variants[place] as Variant;
      expect([title, run()]).toEqual([title, expected]);
    }
  });
});
