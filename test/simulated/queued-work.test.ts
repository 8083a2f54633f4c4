/** Arrays dropped or disposed while work on them is queued are freed after it, on whatever streams it is. */
import { collect, simulatedDevice } from "../helpers/simulated-backend";
import { DeviceArray, Stream, memory, unaryTransform } from "../../lib";

const length = 1 << 16;

beforeEach(() => {
  collect();
  simulatedDevice.reset();
});

afterEach(() => {
  simulatedDevice.releaseAll();
  collect();
  expect(simulatedDevice.lastViolation()).toBe("");
  expect(memory.stats().liveArrays).toBe(0);
});

function work(array: DeviceArray<"float32">, stream?: Stream): void {
  unaryTransform({ input: array, output: array, op: (x) => x + 2, ...(stream && { stream }) });
}

const ends: [string, (array: DeviceArray<"float32">) => void][] = [
  [
    "disposed",
    (array) => {
      array.dispose();
    },
  ],
  ["dropped", () => undefined],
];

describe.each(ends)("an array that is %s with work queued", (_, end) => {
  test.each([
    ["the default stream", 0],
    ["another stream", 1],
    ["several streams", 3],
  ])("on %s is freed after it", (_name, count) => {
    const streams = Array.from({ length: count }, () => new Stream());
    work(DeviceArray.zeros(length, "float32"));
    collect();
    const before = simulatedDevice.counters().liveBytes;
    simulatedDevice.holdAll();
    (() => {
      const array = DeviceArray.zeros(length, "float32");
      if (count === 0) work(array);
      for (const stream of streams) work(array, stream);
      end(array);
    })();
    collect();
    expect(memory.stats().liveArrays).toBe(0);
    expect(simulatedDevice.counters().pendingWork).toBeGreaterThan(0);
    // Memory handed out now must not be what the queued work still uses.
    const next = DeviceArray.zeros(length, "float32");
    work(next);
    simulatedDevice.releaseAll();
    next.dispose();
    expect(simulatedDevice.counters()).toMatchObject({ pendingWork: 0, violations: 0, liveBytes: before });
    for (const stream of streams) stream.dispose();
  });
});

test("a program of one stream records no event and waits for none", () => {
  const array = DeviceArray.zeros(length, "float32");
  for (let i = 0; i < 10; i++) work(array);
  array.dispose();
  expect([simulatedDevice.calls("cuEventRecord"), simulatedDevice.calls("cuStreamWaitEvent")]).toEqual([0, 0]);
});

test("a read that is under way when its array is disposed gives the array's elements", async () => {
  const array = DeviceArray.from(new Int32Array([1, 2, 3]));
  simulatedDevice.holdAll();
  const read = array.read();
  array.dispose();
  array.dispose();
  simulatedDevice.releaseAll();
  expect(Array.from(await read)).toEqual([1, 2, 3]);
});

test("reading an array that is disposed is an error with code ERR_DISPOSED", async () => {
  const array = DeviceArray.from(new Int32Array([1]));
  array.dispose();
  expect(() => array.toTypedArray()).toThrow(expect.objectContaining({ code: "ERR_DISPOSED" }));
  await expect((async () => array.read())()).rejects.toMatchObject({ code: "ERR_DISPOSED" });
});
