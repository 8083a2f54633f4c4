/** What is freed is exactly what JavaScript dropped, however often and wherever collections run. */
import fc from "fast-check";
import { collect, simulatedDevice } from "../helpers/simulated-backend";
import { DeviceArray, bind, memory, reduceInto, transformed, unaryTransform } from "../../lib";
import { loadAddon } from "../../lib/backends/cuda/addon";

const MiB = 1 << 20;

beforeEach(() => {
  collect();
  simulatedDevice.reset();
});

afterEach(() => {
  collect();
  expect(memory.stats().liveBytes).toBe(0);
  expect(simulatedDevice.lastViolation()).toBe("");
});

test("collections between all steps of a program free only what was dropped", () => {
  const kept = DeviceArray.from(new Int32Array([1, 2, 3]));
  for (let i = 0; i < 30; i++) {
    const input = DeviceArray.zeros(100, "float32");
    collect();
    const view = input.subarray(1);
    const output = DeviceArray.zeros(1, "float32");
    collect();
    reduceInto({ input: transformed(view, (x) => x + 1, "float32"), output, op: (a, b) => a + b, init: i });
    collect();
  }
  expect(Array.from(kept.toTypedArray())).toEqual([1, 2, 3]);
});

test("memory that V8 was told of is taken back exactly once, by drop as by dispose", () => {
  const before = loadAddon().memoryStatistics().externalBytes;
  // In a function of its own: the engine keeps what a running function's registers hold.
  (() => {
    for (let i = 0; i < 100; i++) {
      const array = DeviceArray.empty(MiB, "uint8");
      if (i % 2 === 0) {
        array.dispose();
        array.dispose();
      }
    }
  })();
  collect();
  expect(loadAddon().memoryStatistics().externalBytes).toBe(before);
});

test("10,000 arrays of 64 MiB, each disposed, call for no collection of ours", () => {
  const before = memory.stats().collections;
  for (let i = 0; i < 10_000; i++) DeviceArray.empty(64 * MiB, "uint8").dispose();
  expect(memory.stats().collections).toEqual(before);
});

/** One thing that holds an allocation: what keeps it alive, and which allocation (by number). */
interface Holder {
  value: object;
  allocation: number;
}

test("live bytes are those of the allocations that something reachable holds", () => {
  const step = fc.record({
    kind: fc.constantFrom("array", "view", "iterator", "operator", "dispose", "drop", "call", "collect"),
    pick: fc.nat(),
    length: fc.integer({ min: 1, max: 5_000 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const holders: Holder[] = [];
      const bytes = new Map<number, number>();
      // In a function of its own, so that no register of this one keeps what a step made.
      const take = ({ kind, pick, length }: (typeof steps)[number]): void => {
        const index = holders.length > 0 ? pick % holders.length : 0;
        const holder = holders[index];
        const array = holder?.value instanceof DeviceArray ? (holder.value as DeviceArray<"float32">) : undefined;
        if (kind === "array") {
          const allocation = bytes.size;
          bytes.set(allocation, length * 4);
          holders.push({ value: DeviceArray.zeros(length, "float32"), allocation });
        } else if (holder !== undefined && kind === "drop") {
          holders.splice(index, 1);
        } else if (holder !== undefined && array !== undefined && !array.disposed) {
          const { allocation } = holder;
          if (kind === "view") holders.push({ value: array.subarray(pick % array.length), allocation });
          if (kind === "iterator") holders.push({ value: transformed(array, (x) => x * 2, "float32"), allocation });
          if (kind === "operator" || kind === "call") {
            const op = bind((x: number, c: { k: number }) => x + c.k, { k: length });
            if (array.length > 0) unaryTransform({ input: array, output: array, op });
          }
          if (kind === "dispose" && array.byteOffset === 0 && array.length * 4 === bytes.get(allocation)) {
            array.dispose();
            bytes.set(allocation, 0);
          }
        }
      };
      for (const one of steps) {
        take(one);
        if (one.kind === "collect") collect();
      }
      collect();
      const held = new Set(holders.map(({ allocation }) => allocation));
      expect(memory.stats().liveBytes).toBe([...held].reduce((sum, each) => sum + (bytes.get(each) ?? 0), 0));
    }),
    { numRuns: 60 },
  );
});
