/** The device code of iterators under the real compiler: each alone, as both directions, and in others. */
import { simulatedDevice } from "../helpers/simulated-backend";
import {
  DeviceArray,
  type Input,
  type Output,
  cacheModified,
  caches,
  constant,
  counting,
  discard,
  inclusiveScan,
  permuted,
  reduceInto,
  reversed,
  shuffled,
  strided,
  struct,
  transformed,
  transformedOutput,
  unaryTransform,
  zipped,
} from "../../lib";

afterEach(() => {
  expect(simulatedDevice.lastViolation()).toBe("");
});

const Large = struct({ x: "float64", i: "int32" });
const zeros = (): DeviceArray<"float32"> => DeviceArray.zeros(100, "float32");
const indices = (): DeviceArray<"uint8"> => DeviceArray.zeros(100, "uint8");

/** Launches of an identity over an input and an output. */
function launches(input: Input, output: Output): number {
  const before = simulatedDevice.counters().launches;
  unaryTransform({ input: input as Input<"int32">, output: output as Output<"int32">, op: (x) => x, numItems: 3 });
  return simulatedDevice.counters().launches - before;
}

const pairs: [string, () => [Input, Output]][] = [
  ["reversed, in and out", () => [reversed(zeros()), reversed(zeros())]],
  ["permuted and strided", () => [permuted(zeros(), indices()), strided(zeros(), 2)]],
  ["strided shuffled, a scatter", () => [strided(shuffled(100, 1), 3), permuted(zeros(), reversed(indices()))]],
  ["zipped of each kind, in and out", () => [
    zipped(zeros(), zipped(cacheModified(zeros()), counting(0, "float32")), reversed(permuted(zeros(), shuffled(50)))),
    zipped(zeros(), zipped(reversed(zeros()), discard("float32")), strided(transformedOutput(zeros(), (x) => x + 1), 2)),
  ]],
  ["cacheModified of 1 and 2 bytes", () => [
    zipped(cacheModified(indices(), "global"), cacheModified(DeviceArray.zeros(9, "float16"), "volatile")),
    discard(zipped(indices(), DeviceArray.zeros(9, "float16"))),
  ]],
  ["cacheModified of 8 and 16 bytes", () => [
    zipped(cacheModified(DeviceArray.zeros(9, "int64")), cacheModified(DeviceArray.zeros(9, Large), "volatile"), cacheModified(DeviceArray.zeros(9, Large))),
    discard(zipped(DeviceArray.zeros(9, "int64"), DeviceArray.zeros(9, Large), DeviceArray.zeros(9, Large))),
  ]],
]; // prettier-ignore

test.each(pairs)("%s", (_, make) => {
  expect(launches(...make())).toBe(1);
});

test("a reduction of 16-byte items in an accumulator of 8 bytes", () => {
  const Best = struct({ v: "float32", i: "int32" });
  const input = transformed(zipped(zeros(), counting(0n)), ([v, i]) => ({ v, i: Number(i) }), Best);
  const output = DeviceArray.empty(1, Best);
  reduceInto({ input, output, op: (a, b) => (a.v > b.v ? a : b), init: { v: 0, i: -1 } });
});

test("starts, seeds, strides, lengths and arrays never compile anything", () => {
  const call = (n: number): void => {
    const array = DeviceArray.zeros(10 * n, "float32");
    const input = zipped(reversed(array), permuted(strided(array, n, n), shuffled(5, n)), constant(n));
    inclusiveScan({ input: transformed(input, ([x, y, z]) => x + y * z, "float32"), output: reversed(zeros()), op: (a, b) => a + b }); // prettier-ignore
  };
  call(1);
  const { builds, links, kernelsCompiled, operatorsCompiled } = caches.stats();
  for (const n of [2, 3, 17]) call(n);
  expect(caches.stats()).toMatchObject({ builds, links, kernelsCompiled, operatorsCompiled });
});

test("more device arrays than a call can carry are refused with the number of them", () => {
  const children = Array.from({ length: 65 }, indices);
  const call = (): void =>
    unaryTransform({ input: zipped(children as never), output: indices(), op: ([first]) => first });
  expect(call).toThrow(/at most 64 device arrays/);
});
