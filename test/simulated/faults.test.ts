/** Failures of the driver and of the C library reach JavaScript as typed errors; nothing leaks and the next call works. */
import { CudaResult, collect, simulatedDevice } from "../helpers/simulated-backend";
import {
  CompileError,
  CudaError,
  DeviceArray,
  Event,
  OutOfDeviceMemoryError,
  Stream,
  caches,
  clearAllCaches,
  inclusiveScan,
  makeReduceIntoAsync,
  memory,
  reduceInto,
} from "../../lib";

/** A bit of everything that needs no new build once it has run. */
async function program(): Promise<void> {
  const stream = new Stream();
  const array = DeviceArray.from(new Float32Array([1, 2, 3]));
  const other = DeviceArray.zeros(3, "float32", { stream }).copyFrom(array, { stream });
  DeviceArray.full(2, 1n, "int64").fill(2n ** 40n);
  DeviceArray.zeros(3, "uint8");
  DeviceArray.zeros(3, "int16");
  reduceInto({ input: other, output: array.subarray(0, 1), op: (a, b) => a + b, init: 0, stream });
  inclusiveScan({ input: array, output: other, op: (a, b) => a + b });
  const event = stream.record(new Event());
  stream.wait(event);
  event.synchronize();
  event.query();
  event.millisecondsSince(event);
  stream.query();
  stream.synchronize();
  await stream.finished();
  array.toTypedArray();
  await other.read();
  array.dispose();
  stream.dispose();
}

/** Live objects, once everything that was dropped is collected. */
function live(): Record<string, number> {
  collect();
  memory.stats();
  memory.trim();
  const { liveAllocations, liveStreams, liveEvents, livePinned, violations } = simulatedDevice.counters();
  return { liveAllocations, liveStreams, liveEvents, livePinned, violations };
}

const called = [
  "cuMemAllocAsync",
  "cuMemcpyHtoDAsync_v2",
  "cuMemcpyDtoHAsync_v2",
  "cuMemcpyDtoDAsync_v2",
  "cuMemsetD8Async",
  "cuMemsetD16Async",
  "cuMemsetD32Async",
  "cuMemsetD2D32Async",
  "cuStreamCreateWithPriority",
  "cuStreamSynchronize",
  "cuStreamQuery",
  "cuStreamWaitEvent",
  "cuEventCreate",
  "cuEventRecord",
  "cuEventQuery",
  "cuEventSynchronize",
  "cuEventElapsedTime",
];

describe("a failing driver", () => {
  let before: Record<string, number>;

  beforeAll(async () => {
    await program(); // compiles, and takes the scratch and pinned memory that stay
    await program();
    before = live();
  });

  test.each(called)("%s: a CudaError with the driver's name for it, and no leak", async (name) => {
    simulatedDevice.reset();
    await program();
    const calls = simulatedDevice.calls(name);
    expect(calls).toBeGreaterThan(0);
    for (const nth of new Set([1, Math.ceil(calls / 2), calls])) {
      simulatedDevice.reset();
      simulatedDevice.failNext(name, nth, CudaResult.unknown);
      await expect(program()).rejects.toMatchObject({
        name: "CudaError",
        code: "CUDA_ERROR_UNKNOWN",
        message: expect.stringContaining(name.replace(/_v2$/, "").replace("WithPriority", "")) as string,
      });
    }
    simulatedDevice.reset();
    await program();
    expect(live()).toEqual(before);
  });

  test("without memory for an array: a second try after a collection, and then an OutOfDeviceMemoryError", async () => {
    simulatedDevice.reset();
    simulatedDevice.failNext("cuMemAllocAsync", 1, CudaResult.outOfMemory);
    await program();
    simulatedDevice.setCapacity(1);
    await expect(program()).rejects.toBeInstanceOf(OutOfDeviceMemoryError);
    simulatedDevice.reset();
    await program();
    expect(live()).toEqual(before);
  });
});

describe("a failing C library", () => {
  const array = DeviceArray.zeros(10, "float32");
  const call = (): void => {
    reduceInto({ input: array, output: array.subarray(0, 1), op: (a, b) => (a > b ? a : b), init: 0 });
  };

  test.each([
    ["cccl_device_reduce_compile", CompileError, "ERR_COMPILE"],
    ["cccl_device_reduce_serialize", CompileError, "ERR_ARTIFACT"],
    ["cccl_device_reduce_deserialize", CompileError, "ERR_ARTIFACT"],
    ["cccl_device_reduce_link_ltoir", CompileError, "ERR_LINK"],
    ["cccl_device_reduce_load", CudaError, "CUDA_ERROR_UNKNOWN"],
    ["cccl_device_reduce", CudaError, "CUDA_ERROR_UNKNOWN"],
  ])("%s", (name, type, code) => {
    clearAllCaches();
    collect();
    simulatedDevice.reset();
    const { liveLibraries } = simulatedDevice.counters();
    simulatedDevice.failNext(name, 1, CudaResult.unknown);
    let error: unknown;
    try {
      call();
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ code });
    expect(simulatedDevice.calls(name)).toBeGreaterThan(0);
    clearAllCaches();
    collect();
    expect(simulatedDevice.counters().liveLibraries).toBe(liveLibraries);
    call();
    expect(simulatedDevice.lastViolation()).toBe("");
  });
});

describe("builds off the event loop", () => {
  const array = DeviceArray.zeros(10, "float64");

  test("the loop turns while one compiles", async () => {
    let turns = 0;
    const ticking = setInterval(() => turns++, 1);
    await makeReduceIntoAsync({ input: array, output: array, op: (a, b) => a * b - 1, init: 1 });
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(10);
  });

  test("equal ones asked for at once are compiled once", async () => {
    const before = caches.stats();
    const make = () => makeReduceIntoAsync({ input: array, output: array, op: (a, b) => a * b - 2, init: 1 });
    await Promise.all([make(), make(), make(), make()]);
    const after = caches.stats();
    expect([after.links - before.links, after.loads - before.loads, after.builds - before.builds]).toEqual([1, 1, 1]);
  });

  test("a failure rejects, and the next try works", async () => {
    simulatedDevice.failNext("cccl_device_reduce_link_ltoir", 1, CudaResult.unknown);
    const make = () => makeReduceIntoAsync({ input: array, output: array, op: (a, b) => a * b - 3, init: 1 });
    await expect(make()).rejects.toMatchObject({ name: "CompileError", code: "ERR_LINK" });
    expect(await make()).toBeInstanceOf(Function);
  });
});
