/** What thousands of calls of one build leave behind: nothing. */
import { collect, simulatedDevice } from "../helpers/simulated-backend";
import { DeviceArray, bind, caches, memory, reduceInto, transformed, unaryTransform } from "../../lib";
import { operatorStatistics } from "../../lib/operators";

type Numbers = Record<number, number>;

const MiB = 1 << 20;

beforeEach(() => {
  collect();
  simulatedDevice.reset();
});

afterEach(() => {
  jest.restoreAllMocks();
  collect();
  expect(memory.stats().liveArrays).toBe(0);
  expect(simulatedDevice.lastViolation()).toBe("");
});

test("a hundred thousand calls with outputs of other sizes, each dropped, hold no memory and no further build", () => {
  simulatedDevice.setCapacity(256 * MiB);
  const call = (i: number): void => {
    const output = DeviceArray.empty(1 + (i % 1000) * 50, "float32");
    unaryTransform({ input: output, output, op: (x) => x * 2 });
  };
  for (let i = 0; i < 1000; i++) call(i);
  collect();
  const { builds, links } = caches.stats();
  const { texts } = operatorStatistics();
  const { liveBytes, liveLibraries } = simulatedDevice.counters();
  for (let i = 0; i < 100_000; i++) call(i);
  collect();
  expect(caches.stats()).toMatchObject({ builds, links });
  expect(operatorStatistics().texts).toBe(texts);
  expect(memory.stats().liveBytes).toBe(0);
  expect(simulatedDevice.counters()).toMatchObject({ liveBytes, liveLibraries });
});

test("a call makes and reads no WeakRef, and watches no object, however its operator is written", () => {
  const input = DeviceArray.zeros(4, "float32");
  const output = DeviceArray.zeros(4, "float32");
  const table = DeviceArray.zeros(4, "float32");
  const named = (x: number): number => x + 1;
  const bound = bind((x: number, { t, k }: { t: Numbers; k: number }) => t[x]! * k, { t: table, k: 2 });
  const round = (i: number): void => {
    unaryTransform({ input, output, op: named });
    unaryTransform({ input, output, op: (x) => x + 2 });
    unaryTransform({ input, output, op: bound });
    unaryTransform({ input, output, op: bind((x: number, { k }: { k: number }) => x - k, { k: i }) });
    unaryTransform({ input, output, op: (x) => x * i });
  };
  round(0);
  const uses = [
    jest.spyOn(WeakRef.prototype, "deref"),
    jest.spyOn(globalThis, "WeakRef"),
    jest.spyOn(FinalizationRegistry.prototype, "register"),
  ];
  const counts = (): number[] => uses.map((use) => use.mock.calls.length);
  for (let i = 0; i < 50; i++) round(i);
  expect(counts()).toEqual([0, 0, 0]);
  // One function stands for each new text.
  unaryTransform({ input, output, op: (x) => x + 3 });
  expect(counts()).toEqual([0, 0, 1]);
  for (const array of [input, output, table]) array.dispose();
});

describe("an array that only an operator holds", () => {
  const length = 1000;
  const output = (): DeviceArray<"float64"> => DeviceArray.zeros(length, "float64");
  const indices = (): DeviceArray<"int32"> => DeviceArray.zeros(length, "int32");

  const owners: [what: string, make: () => (call: { input: DeviceArray<"int32">; output: DeviceArray<"float64"> }) => void][] = [
    ["that is bound", () => {
      const t = DeviceArray.zeros(length, "float32");
      const op = bind((i: number, { t }: { t: Numbers }) => t[i]! + 1, { t });
      return (call) => { unaryTransform({ ...call, op }); };
    }],
    ["that is a closure", () => {
      const t: Numbers = DeviceArray.zeros(length, "float32");
      const op = (i: number): number => t[i]! + 2;
      return (call) => { unaryTransform({ ...call, op }); };
    }],
    ["that calls a function that captures it", () => {
      const t: Numbers = DeviceArray.zeros(length, "float32");
      const at = (i: number): number => t[i]!;
      const op = (i: number): number => at(i) + 3;
      return (call) => { unaryTransform({ ...call, op }); };
    }],
    ["of an iterator", () => {
      const t: Numbers = DeviceArray.zeros(length, "float32");
      const input = transformed(indices(), (i) => t[i]!, "float64");
      return (call) => { reduceInto({ input, output: call.output, op: (a, b) => a + b, init: 0 }); };
    }],
  ]; // prettier-ignore

  test.each(owners)("%s lives through collections between the calls, and no longer than it", (_what, make) => {
    const call = { input: indices(), output: output() };
    const held = memory.stats().liveArrays;
    (() => {
      const run = make();
      for (let i = 0; i < 3; i++) {
        collect();
        expect(memory.stats().liveArrays).toBeGreaterThan(held);
        run(call);
      }
      expect(simulatedDevice.lastViolation()).toBe("");
    })();
    collect();
    expect(memory.stats().liveArrays).toBe(held);
    call.input.dispose();
    call.output.dispose();
  });
});
