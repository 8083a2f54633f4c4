/** select, threeWayPartition and uniqueByKey under the real compiler, and what their calls leave behind. */
import { collect, simulatedDevice } from "../helpers/simulated-backend";
import { leavingNothing, testCalls } from "../helpers/simulated-calls";
import {
  DeviceArray,
  type ScalarName,
  atomicAdd,
  caches,
  constant,
  counting,
  memory,
  select,
  struct,
  threeWayPartition,
  transformed,
  transformedOutput,
  uniqueByKey,
} from "../../lib";

const Small = struct({ a: "uint8", b: "uint8", c: "uint8" });
const Best = struct({ v: "float32", i: "int64" });
const Large = struct({ v: ["float64", 24] }); // the most that a partition has room for
const Key = struct({ v: ["float64", 47] }); // the largest key

const floats = (): DeviceArray<"float32"> => DeviceArray.zeros(1_000, "float32");
const count = (length = 1): DeviceArray<"int32"> => DeviceArray.zeros(length, "int32");

const sampled = (items = floats()): void => {
  select({ input: items, output: floats(), outputCount: count(), op: (x) => x > 0 });
};

const calls: [string, () => unknown][] = [
  ["select", sampled],
  [
    "select of float16 into int8, with a predicate that captures and writes",
    () => {
      const rejected = DeviceArray.zeros(1, "int32");
      const least = 3;
      select({
        input: DeviceArray.zeros(1_000, "float16"),
        output: DeviceArray.zeros(1_000, "int8"),
        outputCount: DeviceArray.zeros(1, "uint64"),
        op: (x) => {
          if (x > least) return true;
          atomicAdd(rejected, 0, 1);
          return false;
        },
      });
    },
  ],
  [
    "select from and to iterators of structs",
    () => {
      const input = transformed(counting(0), (i) => ({ v: i, i: 1n }), Best);
      const output = transformedOutput(DeviceArray.zeros(9, Best), (b) => ({ v: b.v * 2, i: b.i }));
      select({ input, output, outputCount: count(), op: (b) => b.v > 3 });
    },
  ],
  [
    "select of the largest structs",
    () => {
      const [input, output] = [DeviceArray.zeros(9, Large), DeviceArray.zeros(9, Large)];
      select({ input, output, outputCount: count(), op: (large) => large.v[0]! > 0 });
    },
  ],
  [
    "threeWayPartition into arrays of other types and an iterator",
    () =>
      threeWayPartition({
        input: floats(),
        firstOutput: DeviceArray.zeros(1_000, "int16"),
        secondOutput: floats(),
        unselectedOutput: transformedOutput(floats(), (x) => x * 2),
        outputCounts: DeviceArray.zeros(2, "uint8"),
        selectFirst: (x) => x > 1,
        selectSecond: (x) => x < -1,
      }),
  ],
  ["uniqueByKey of keys alone", () => uniqueByKey({ inputKeys: floats(), outputKeys: floats(), outputCount: count() })],
  ...(["float16", "bool"] as const).map((type: ScalarName): [string, () => unknown] => [
    `uniqueByKey of keys and values of type ${type}`,
    () => {
      const array = (): DeviceArray<"int8"> => DeviceArray.zeros(1_000, type) as DeviceArray as DeviceArray<"int8">;
      uniqueByKey({ inputKeys: array(), inputValues: array(), outputKeys: array(), outputValues: array(), outputCount: count() }); // prettier-ignore
    },
  ]),
  [
    "uniqueByKey of the largest keys, to other fields",
    () => {
      const Narrow = struct({ v: ["float32", 47] });
      const [inputKeys, outputKeys] = [DeviceArray.zeros(9, Key), DeviceArray.zeros(9, Narrow)];
      uniqueByKey({ inputKeys, outputKeys, outputCount: count(), op: (a, b) => a.v[0] === b.v[0] });
    },
  ],
  [
    "uniqueByKey of values that are structs",
    () => {
      const [inputValues, outputValues] = [DeviceArray.zeros(1_000, Small), DeviceArray.zeros(1_000, Small)];
      uniqueByKey({ inputKeys: floats(), inputValues, outputKeys: floats(), outputValues, outputCount: count() });
    },
  ],
  [
    "uniqueByKey of structs from and to iterators",
    () => {
      const scale = 3;
      const inputValues = transformed(constant({ v: 1, i: 2n }, Best), (b) => ({ v: b.v * scale, i: b.i }), Best);
      const outputValues = transformedOutput(DeviceArray.zeros(1_000, Best), (b) => ({ v: b.v / scale, i: b.i }));
      uniqueByKey({ inputKeys: floats(), inputValues, outputKeys: floats(), outputValues, outputCount: count() });
    },
  ],
];

leavingNothing();
testCalls(calls);

test("counts of all types, and other predicates, share a kernel", () => {
  sampled();
  const { kernelsCompiled } = caches.stats();
  for (const type of ["int8", "uint32", "int64"] as const) {
    const outputCount = DeviceArray.zeros(1, type);
    select({ input: floats(), output: floats(), outputCount, op: (x) => x < 5 });
  }
  expect(caches.stats().kernelsCompiled).toBe(kernelsCompiled);
});

test("a call after a failed one keeps none of that one's arrays", () => {
  const structs = (): DeviceArray<typeof Small> => DeviceArray.zeros(1_000, Small);
  const call = (): void =>
    uniqueByKey({
      inputKeys: floats(),
      inputValues: structs(),
      outputKeys: floats(),
      outputValues: structs(),
      outputCount: count(),
    });
  call();
  simulatedDevice.failNext("cuMemAllocAsync", 1, 1);
  simulatedDevice.failNext("cuMemAllocFromPoolAsync", 1, 1);
  expect(call).toThrow();
  collect();
  expect(memory.stats().liveArrays).toBe(0);
  simulatedDevice.reset();
  call();
});
