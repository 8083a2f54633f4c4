/** mergeSort, radixSort and segmentedSort under the real compiler, and what their calls leave behind. */
import { collect, simulatedDevice } from "../helpers/simulated-backend";
import { leavingNothing, testCalls } from "../helpers/simulated-calls";
import {
  DeviceArray,
  DoubleBuffer,
  caches,
  counting,
  makeRadixSort,
  memory,
  mergeSort,
  radixSort,
  segmentedSort,
  struct,
} from "../../lib";

const Best = struct({ v: "float32", i: "int64" });
const Small = struct({ a: "uint8", b: "uint8", c: "uint8" });

const floats = (): DeviceArray<"float32"> => DeviceArray.zeros(1_000, "float32");
const halves = (): DeviceArray<"float16"> => DeviceArray.zeros(1_000, "float16");
const bounds = (...offsets: number[]): DeviceArray<"int32"> => DeviceArray.from(new Int32Array(offsets));
const buffer = (): DoubleBuffer<"float32"> => new DoubleBuffer(floats(), floats());

const calls: [string, () => unknown][] = [
  [
    "mergeSort of an iterator's keys with struct values",
    () => {
      const [inputValues, outputValues] = [DeviceArray.zeros(1_000, Small), DeviceArray.zeros(1_000, Small)];
      mergeSort({ inputKeys: counting(0), outputKeys: floats(), inputValues, outputValues });
    },
  ],
  [
    "mergeSort of structs in place, by an operator with a capture",
    () => {
      const array = DeviceArray.zeros(1_000, Best);
      const target = 3;
      mergeSort({ inputKeys: array, outputKeys: array, op: (a, b) => Math.abs(a.v - target) < Math.abs(b.v - target) });
    },
  ],
  ["radixSort of float16 keys", () => radixSort({ inputKeys: halves(), outputKeys: halves(), beginBit: 2 })],
  [
    "radixSort of double buffers, with structs of 2 bytes",
    () => {
      const Pair = struct({ a: "int8", b: "int8" });
      const pairs = new DoubleBuffer(DeviceArray.zeros(1_000, Pair), DeviceArray.zeros(1_000, Pair));
      radixSort({ inputKeys: buffer(), inputValues: pairs, order: "descending" });
    },
  ],
  [
    "segmentedSort of keys, with structs of 16 bytes",
    () =>
      segmentedSort({
        inputKeys: floats(),
        outputKeys: floats(),
        inputValues: DeviceArray.zeros(1_000, Best),
        outputValues: DeviceArray.zeros(1_000, Best),
        startOffsets: bounds(0, 500),
        endOffsets: bounds(500, 1_000),
      }),
  ],
];

leavingNothing();
testCalls(calls);

test("one kernel of mergeSort serves every operator", () => {
  const sort = (op?: (a: number, b: number) => boolean): void => {
    mergeSort({ inputKeys: floats(), outputKeys: floats(), op });
  };
  sort();
  const { kernelsCompiled } = caches.stats();
  sort((a, b) => a > b);
  sort((a, b) => a * 2 < b);
  expect(caches.stats().kernelsCompiled).toBe(kernelsCompiled);
});

test("a double buffer owns its arrays, and a made function none of those it was called with", () => {
  const inputKeys = buffer();
  const sort = makeRadixSort({ inputKeys });
  sort({ inputKeys: buffer() });
  collect();
  expect(memory.stats().liveArrays).toBe(2);
  sort({ inputKeys });
  // The simulated sort leaves its result in the second buffer.
  expect(inputKeys.current.length).toBe(1_000);
});

test("a failed launch leaves a double buffer as it was", () => {
  const inputKeys = buffer();
  const { current } = inputKeys;
  radixSort({ inputKeys });
  expect(inputKeys.current).not.toBe(current);
  simulatedDevice.failNext("cccl_device_radix_sort", 1, 719);
  expect(() => {
    radixSort({ inputKeys });
  }).toThrow(expect.objectContaining({ name: "CudaError" }) as Error);
  expect(inputKeys.current).not.toBe(current);
  radixSort({ inputKeys });
  expect(inputKeys.current).toBe(current);
});
