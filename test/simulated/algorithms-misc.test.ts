/** segmentedReduce, searches, histogramEven and forEach under the real compiler, and that they keep no array. */
import { collect, simulatedDevice } from "../helpers/simulated-backend";
import {
  DeviceArray,
  type ScalarName,
  atomicAdd,
  bind,
  caches,
  constant,
  counting,
  cpp,
  forEach,
  histogramEven,
  lowerBound,
  memory,
  ops,
  segmentedReduce,
  struct,
  transformed,
  upperBound,
} from "../../lib";

const Wide = struct({ v: "float32", i: "int32", tag: "uint8" });
const larger = cpp("__device__ Result op(Operand0 a, Operand1 b) { return a.v > b.v ? a : b; }");
const before = cpp("__device__ bool op(Operand0 a, Operand1 b) { return a.v < b.v; }");
const zeros = <N extends ScalarName>(type: N, length = 100): DeviceArray<N> => DeviceArray.zeros(length, type);
const offsets = (
  type: "int32" | "uint8" = "int32",
): { startOffsets: DeviceArray<"int32">; endOffsets: DeviceArray<"int32"> } => {
  const array = zeros(type, 5) as DeviceArray<"int32">;
  return { startOffsets: array.subarray(0, 4), endOffsets: array.subarray(1) };
};

/** Any types. */
const reduce = segmentedReduce as unknown as (options: object) => void;
const search = lowerBound as unknown as (options: object) => void;
const histogram = histogramEven as unknown as (options: object) => void;
const each = forEach as unknown as (options: object) => void;

const structs = (length = 100): DeviceArray<typeof Wide> => DeviceArray.zeros(length, Wide);
const plus = (a: number, b: number): number => a + b;
const count = (x: number | bigint, { sum }: { sum: DeviceArray<"float64"> }): void => {
  atomicAdd(sum, 0, Number(x));
};

const calls: [string, () => void][] = [
  ["segmentedReduce, CUB's plus", () => reduce({ input: zeros("float16"), output: zeros("float16", 4), ...offsets(), op: ops.plus, init: 0 })],
  ["segmentedReduce, a lambda and conversions", () => reduce({ input: zeros("int8"), output: zeros("float64", 4), ...offsets("uint8"), op: plus, init: 0 })],
  ["segmentedReduce of structs", () => reduce({ input: structs(), output: structs(4), ...offsets(), op: larger, init: { v: 0, i: 0, tag: 0 }, maxSegmentSize: 4 })],
  ["segmentedReduce of iterators", () => {
    const endOffsets = transformed(counting(1), (row) => row * 4, "int32");
    reduce({ input: counting(0), output: zeros("int32", 4), startOffsets: transformed(counting(0), (row) => row * 4, "int32"), endOffsets, op: plus, init: 0 });
  }],
  ["lowerBound", () => search({ data: zeros("float32"), values: zeros("float32"), output: zeros("uint64") })],
  ["lowerBound of float16, in iterators", () => search({ data: zeros("float16"), values: zeros("float32"), output: zeros("int16") })],
  ["lowerBound of structs of 12 bytes", () => search({ data: structs(), values: structs(), output: zeros("int32"), comp: before })],
  ["upperBound, a lambda and counted values", () => upperBound({ data: zeros("float64"), values: counting(0), output: zeros("uint64"), comp: (a, b) => a > b })],
  ["histogramEven of bytes", () => histogram({ samples: zeros("uint8"), output: zeros("int32", 10), lower: 0, upper: 256 })],
  ["histogramEven of int8 into int64, many bins", () => histogram({ samples: zeros("int8"), output: zeros("int64", 300), lower: -128, upper: 128 })],
  ["histogramEven of floats", () => histogram({ samples: zeros("float16"), output: zeros("uint32", 10), lower: 0, upper: 0.1 })],
  ["histogramEven with wide offsets", () => histogram({ samples: constant(1, "uint32"), output: zeros("uint64", 10), lower: 0, upper: 10, numItems: 2 ** 33 })],
  ["forEach of an array", () => each({ input: zeros("int32"), op: bind(count, { sum: zeros("float64", 1) }) })],
  ["forEach of 16-bit floats", () => each({ input: zeros("bfloat16"), op: bind(count, { sum: zeros("float64", 1) }) })],
  ["forEach of structs, in C++", () => each({ input: structs(), op: bind(cpp("__device__ void op(Operand0 a, const State& s) { atomicAdd(&s.sum[a.i], a.v); }"), { sum: zeros("float32", 1) }) })],
  ["forEach of an iterator", () => each({ input: counting(0), op: bind(count, { sum: zeros("float64", 1) }), numItems: 9 })],
]; // prettier-ignore

test.each(calls)("%s: builds, launches, and keeps no array", (_, call) => {
  const { launches } = simulatedDevice.counters();
  call();
  expect(simulatedDevice.counters().launches).toBeGreaterThan(launches);
  collect();
  expect(memory.stats().liveArrays).toBe(0);
  // A second time: the build is there, so nothing is compiled again.
  const { kernelsCompiled, operatorsCompiled, links } = caches.stats();
  call();
  expect(caches.stats()).toMatchObject({ kernelsCompiled, operatorsCompiled, links });
  expect(simulatedDevice.lastViolation()).toBe("");
});

test("operators of segmentedReduce and forEach share a kernel", () => {
  const input = zeros("int32");
  const { kernelsCompiled } = caches.stats();
  for (const op of [(a: number, b: number) => a + 2 * b, (a: number, b: number) => a ^ (b + 1)]) {
    segmentedReduce({ input, output: zeros("int32", 4), ...offsets(), op, init: 0 });
  }
  expect(caches.stats().kernelsCompiled).toBe(kernelsCompiled + 1);
  const sum = zeros("int32", 1);
  for (const op of [(x: number) => atomicAdd(sum, 0, x), (x: number) => atomicAdd(sum, 0, 2 * x)])
    forEach({ input, op });
  expect(caches.stats().kernelsCompiled).toBeLessThanOrEqual(kernelsCompiled + 2);
});
