/** Memory that is short: in which order room is made, and what the error tells. */
import { CudaResult, collect, simulatedDevice } from "../helpers/simulated-backend";
import {
  DeviceArray,
  OutOfDeviceMemoryError,
  Stream,
  inclusiveScan,
  memory,
  setBackend,
  unaryTransform,
} from "../../lib";

const MiB = 1 << 20;
const GiB = 1 << 30;

beforeEach(() => {
  collect();
  simulatedDevice.reset();
  simulatedDevice.setCapacity(GiB);
});

afterEach(() => {
  simulatedDevice.reset();
  simulatedDevice.releaseAll();
  memory.trace(false);
  memory.setLimit(0);
  collect();
  expect(memory.stats()).toMatchObject({ liveBytes: 0, liveArrays: 0 });
  expect(simulatedDevice.lastViolation()).toBe("");
});

/** Collections since a moment. */
function collectionsSince(before: { minor: number; full: number }): [minor: number, full: number] {
  const { minor, full } = memory.stats().collections;
  return [minor - before.minor, full - before.full];
}

/** In a function of its own: the engine keeps what a running function's registers hold. */
function thrownBy(fn: () => unknown): OutOfDeviceMemoryError {
  try {
    fn();
  } catch (error) {
    expect(error).toBeInstanceOf(OutOfDeviceMemoryError);
    return error as OutOfDeviceMemoryError;
  }
  throw new Error("nothing was thrown");
}

function failAllocations(count: number): void {
  for (let nth = 1; nth <= count; nth++) simulatedDevice.failNext("cuMemAllocAsync", nth, CudaResult.outOfMemory);
}

describe("the order in which room is made", () => {
  // An attempt asks the driver twice: as it is, and with the stream's own frees awaited and the pool trimmed.
  test.each<[string, number, [number, number]]>([
    ["nothing where the driver has room at once", 0, [0, 0]],
    ["nothing of JavaScript where the stream's own frees were enough", 1, [0, 0]],
    ["a minor collection", 2, [1, 0]],
    ["a minor collection, then a full one", 4, [1, 1]],
  ])("%s", (_, failures, expected) => {
    const before = memory.stats().collections;
    failAllocations(failures);
    expect(DeviceArray.empty(MiB, "uint8").length).toBe(MiB);
    expect(collectionsSince(before)).toEqual(expected);
  });

  test("then the error, and the next allocation works", () => {
    const before = memory.stats().collections;
    failAllocations(6);
    thrownBy(() => DeviceArray.empty(MiB, "uint8"));
    expect(collectionsSince(before)).toEqual([1, 1]);
    expect(DeviceArray.empty(MiB, "uint8").length).toBe(MiB);
  });

  test("a young array makes room by a minor collection alone", () => {
    const before = memory.stats().collections;
    memory.setLimit(100 * MiB);
    for (let i = 0; i < 20; i++) DeviceArray.empty(40 * MiB, "uint8");
    const [minor, full] = collectionsSince(before);
    expect([minor > 0, full]).toEqual([true, 0]);
  });

  test("no collection where arrays are disposed, however large each is", () => {
    const small = DeviceArray.empty(1, "uint8");
    DeviceArray.empty(900 * MiB, "uint8").dispose();
    const before = memory.stats().collections;
    for (let i = 0; i < 100; i++) DeviceArray.empty(900 * MiB, "uint8").dispose();
    expect(collectionsSince(before)).toEqual([0, 0]);
    expect(small.disposed).toBe(false);
  });

  test("frees that are queued behind another stream's work are awaited before the error", () => {
    const stream = new Stream();
    const before = simulatedDevice.calls("cuStreamSynchronize");
    failAllocations(4);
    DeviceArray.empty(MiB, "uint8");
    // Two attempts await the allocation's stream, and reclaiming awaits both.
    expect(simulatedDevice.calls("cuStreamSynchronize") - before).toBe(4);
    stream.dispose();
  });

  test("the same for a call's temporary storage", () => {
    const array = DeviceArray.zeros(MiB, "int32");
    const call = (): void => {
      inclusiveScan({ input: array, output: array, op: (a, b) => a + b });
    };
    call();
    const asked = simulatedDevice.calls("cuMemAllocAsync");
    call();
    const before = memory.stats().collections;
    // Nothing to test where the simulated algorithm needs no more than a stream's own scratch.
    if (simulatedDevice.calls("cuMemAllocAsync") === asked) return;
    failAllocations(2);
    call();
    expect(collectionsSince(before)).toEqual([1, 0]);
    failAllocations(6);
    const { requested } = thrownBy(call);
    expect(requested).toBeGreaterThan(0);
    expect(collectionsSince(before)).toEqual([2, 1]);
    call();
  });

  test("and for the copy of an array onto itself, which needs memory of its own", () => {
    const array = DeviceArray.zeros(MiB, "uint8");
    const copy = (): void => {
      array.subarray(1).copyFrom(array.subarray(0, -1));
    };
    const before = memory.stats().collections;
    failAllocations(4);
    copy();
    expect(collectionsSince(before)).toEqual([1, 1]);
    failAllocations(6);
    expect(thrownBy(copy)).toMatchObject({ requested: MiB - 1, liveBytes: MiB });
  });
});

describe("the error", () => {
  test("tells what is alive, the largest first", () => {
    const arrays = [
      DeviceArray.empty(400 * MiB, "uint8"),
      DeviceArray.empty(50 * MiB, "float32"),
      DeviceArray.empty(50 * MiB, "float32"),
      ...[1, 2, 3, 4].map((length) => DeviceArray.empty(length, "int16")),
    ];
    const error = thrownBy(() => DeviceArray.empty(900 * MiB, "int8"));
    expect(error).toMatchObject({
      name: "OutOfDeviceMemoryError",
      code: "ERR_OUT_OF_DEVICE_MEMORY",
      requested: 943_718_400,
      liveBytes: 838_860_820,
      liveArrays: 7,
      limit: undefined,
    });
    expect(error.live).toEqual(memory.live().arrays);
    expect(error.message).toBe(
      `Out of device memory: 943718400 bytes were asked for, and ${String(error.free)} are free.
7 live arrays hold 838860820 bytes; ${String(error.poolIdleBytes)} are idle in the pool.
  2 × float32[52428800], 419430400 bytes
  1 × uint8[419430400], 419430400 bytes
  1 × int16[4], 8 bytes
  1 × int16[3], 6 bytes
  1 × int16[2], 4 bytes
  and 1 more, 2 bytes
Drop or dispose() arrays that are no longer needed, or work in smaller pieces.
After memory.trace() this says where arrays are made.`,
    );
    expect(error.free).toBe(memory.stats().freeBytes);
    expect(error.free).toBeLessThan(943_718_400);
    expect(arrays.length).toBe(7);
  });

  test("tells the limit, and says nothing of arrays where there are none", () => {
    memory.setLimit(10 * MiB);
    const error = thrownBy(() => DeviceArray.empty(11 * MiB, "int8"));
    expect(error).toMatchObject({ free: 10 * MiB, liveBytes: 0, limit: 10 * MiB, live: [] });
    expect(error.message).toBe(
      `Out of device memory: 11534336 bytes were asked for, and 10485760 of the limit of 10485760 are free.
0 live arrays hold 0 bytes; ${String(error.poolIdleBytes)} are idle in the pool.
Drop or dispose() arrays that are no longer needed, or work in smaller pieces.`,
    );
  });

  test("tells where arrays were made while tracing was on", () => {
    memory.trace();
    const array = DeviceArray.empty(800 * MiB, "int8");
    const error = thrownBy(() => DeviceArray.empty(800 * MiB, "int8"));
    expect(error.live[0]?.stack).toMatch(/^at .*\/test\/simulated\/memory\.test\.ts:/);
    expect(error.message).toMatch(
      /\n {2}1 × int8\[838860800\], 838860800 bytes, made\n {4}at .*memory\.test\.ts:[^]*\nDrop or dispose\(\)/,
    );
    expect(error.message).not.toContain("After memory.trace()");
    expect(array.disposed).toBe(false);
  });

  test("keeps no array alive, nor does what tracing remembers", () => {
    memory.trace();
    const kept: unknown[] = [];
    (() => {
      const array = DeviceArray.empty(800 * MiB, "int8");
      kept.push(thrownBy(() => DeviceArray.empty(800 * MiB, "int8")));
      kept.push(memory.live());
      expect(array.disposed).toBe(false);
    })();
    collect();
    expect(memory.stats().liveArrays).toBe(0);
    expect(kept.length).toBe(2);
  });
});

describe("statistics", () => {
  test("idle bytes of the pool are those that trim gives back", () => {
    memory.trim();
    const { poolReservedBytes } = memory.stats();
    DeviceArray.empty(64 * MiB, "uint8").dispose();
    const before = memory.stats();
    expect(before.poolIdleBytes).toBeGreaterThanOrEqual(64 * MiB);
    expect(before.poolReservedBytes).toBeGreaterThanOrEqual(before.poolIdleBytes);
    memory.trim();
    const after = memory.stats();
    expect(after.poolReservedBytes).toBeLessThanOrEqual(
      Math.max(poolReservedBytes, before.poolReservedBytes - 64 * MiB),
    );
    expect(after.freeBytes - before.freeBytes).toBe(before.poolReservedBytes - after.poolReservedBytes);
  });

  test("the list of live arrays is exact after collections, and slots are used again", () => {
    const kept = Array.from({ length: 50 }, (_, i) => DeviceArray.empty(i + 1, "int8"));
    const keptBytes = 1_275;
    for (let round = 0; round < 5; round++) {
      for (let i = 0; i < 100; i++) DeviceArray.empty(1_000 + i, "float64");
      collect();
      expect(memory.live()).toMatchObject({ bytes: keptBytes, count: 50 });
      expect(memory.live().arrays.every(({ type }) => type === "int8")).toBe(true);
    }
    expect(kept.length).toBe(50);
  });
});

describe("scopes", () => {
  test("keep no dropped array: a loop in one makes far more than the device holds", () => {
    memory.scope(() => {
      for (let i = 0; i < 20_000; i++) DeviceArray.empty(MiB, "uint8");
    });
    expect(simulatedDevice.counters().peakBytes).toBeLessThanOrEqual(GiB);
  });

  test("free at their end, without a collection", () => {
    const before = memory.stats().collections;
    for (let i = 0; i < 100; i++) {
      memory.scope(() => {
        DeviceArray.empty(900 * MiB, "uint8").subarray(1);
      });
    }
    expect(memory.stats().liveBytes).toBe(0);
    expect(collectionsSince(before)).toEqual([0, 0]);
  });

  test("free after the work that is queued", () => {
    const stream = new Stream();
    memory.scope(() => {
      const array = DeviceArray.zeros(1_000, "float32", { stream });
      simulatedDevice.holdAll();
      unaryTransform({ input: array, output: array, op: (x) => x + 2, stream });
    });
    expect(memory.stats().liveArrays).toBe(0);
    expect(simulatedDevice.counters().pendingWork).toBeGreaterThan(0);
    simulatedDevice.releaseAll();
    expect(simulatedDevice.counters()).toMatchObject({ pendingWork: 0, violations: 0 });
    stream.dispose();
  });

  test("an ended scope's array never stands for another that has its place", () => {
    let stale: DeviceArray<"int8"> | undefined;
    memory.scope(() => {
      stale = DeviceArray.from(new Int8Array([1]));
    });
    const next = DeviceArray.from(new Int8Array([2]));
    expect(() => stale?.fill(7)).toThrow(expect.objectContaining({ code: "ERR_DISPOSED" }));
    stale?.dispose();
    expect(next.disposed).toBe(false);
    expect(memory.live()).toMatchObject({ bytes: 1, count: 1 });
  });

  test("end what they made on each backend", () => {
    const made: DeviceArray[] = [];
    const kept = memory.scope(() => {
      const arrays: DeviceArray[] = [];
      for (const name of ["host", "cuda", "host", "cuda"] as const) {
        setBackend(name);
        arrays.push(DeviceArray.empty(8, "int8"));
      }
      made.push(...arrays);
      return arrays.slice(2);
    });
    expect(made.map(({ disposed }) => disposed)).toEqual([true, true, false, false]);
    for (const array of kept) array.dispose();
  });
});
