/**
 * Failures of the driver, the compilers and the C library reach JavaScript as typed errors, or are survived; nothing
 * leaks, and the next run works. Each function that a program calls fails at each of its calls. The layers below
 * JavaScript are held to the same, with every algorithm and under sanitizers, in native/testing/faults_test.cc and
 * builds_test.cc.
 */
import "../helpers/exact-collections";
import { CudaResult, collect, simulatedDevice } from "../helpers/simulated-backend";
import { everyAlgorithm } from "../helpers/every-algorithm";
import { runSimulated } from "../helpers/simulated-child";
import {
  DeviceArray,
  Event,
  OutOfDeviceMemoryError,
  Stream,
  bind,
  caches,
  clearAllCaches,
  complex128,
  counting,
  forEach,
  makeReduceIntoAsync,
  makeUnaryTransform,
  makeUnaryTransformAsync,
  map,
  memory,
} from "../../lib";

// ---- a program that uses everything ---------------------------------------------------------------------------------

/** Holds what a run makes until it ends: no collection comes in between, so each run makes the same calls. */
class Kept {
  readonly #values: unknown[] = [];
  keep<T>(value: T): T {
    this.#values.push(value);
    return value;
  }
}

/** Copies, fills and reads of all kinds. Answers what can be read: kernels are not executed, and copies are. */
async function useMemory(kept: Kept, stream: Stream): Promise<object> {
  const uploaded = kept.keep(DeviceArray.from(new Float32Array([1, 2, 3, 4])));
  const copied = kept.keep(DeviceArray.empty(4, "float32", { stream }));
  copied.copyFrom(uploaded, { stream });
  const bytes = kept.keep(DeviceArray.full(3, 7, "uint8"));
  const shorts = kept.keep(DeviceArray.full(3, -300, "int16"));
  const longs = kept.keep(DeviceArray.full(2, 2n ** 40n, "int64"));
  const wide = kept.keep(DeviceArray.full(3, { re: 1, im: -2 }, complex128));
  // More than a read takes in one piece, and an overlap that goes by way of scratch.
  const large = kept.keep(DeviceArray.full(1_200_000, 5, "float32"));
  large.subarray(1).copyFrom(large.subarray(0, -1));
  const unordered = kept.keep(new Stream({ ordered: false }));
  const elsewhere = kept.keep(DeviceArray.zeros(4, "float32", { stream: unordered }));
  elsewhere.copyFrom(new Float32Array([6, 7, 8, 9]), { stream: unordered });
  unordered.synchronize();
  elsewhere.subarray(2).copyFrom(uploaded.subarray(0, 2), { stream });
  const shared = uploaded.share();
  try {
    kept.keep(DeviceArray.fromShared(shared)).subarray(3).fill(10);
  } finally {
    shared.release();
  }
  const largeRead = await large.read();
  return {
    uploaded: [...(await uploaded.read({ stream }))],
    copied: copied.toArray(),
    bytes: bytes.toArray(),
    shorts: shorts.toArray(),
    longs: longs.toArray(),
    wide: wide.toArray(),
    large: [largeRead.length, largeRead.every((value) => value === 5)],
    elsewhere: elsewhere.toArray({ stream }),
  };
}

const effects = {
  uploaded: [1, 2, 3, 10],
  copied: [1, 2, 3, 4],
  bytes: [7, 7, 7],
  shorts: [-300, -300, -300],
  longs: [2n ** 40n, 2n ** 40n],
  wide: Array.from({ length: 3 }, () => ({ re: 1, im: -2 })),
  large: [1_200_000, true],
  elsewhere: [6, 7, 1, 2],
};

async function useStreamsAndEvents(kept: Kept, stream: Stream): Promise<void> {
  const start = stream.record(kept.keep(new Event({ timing: true })));
  const end = stream.record(kept.keep(new Event({ timing: true })));
  kept.keep(new Stream()).wait(end);
  end.synchronize();
  end.query();
  end.millisecondsSince(start);
  stream.query();
  stream.synchronize();
  await stream.finished();
}

/** One of each family, without those that take longest to compile and call nothing else. */
const algorithms = everyAlgorithm.filter(
  ({ name }) => !["exclusiveScan", "radixSort", "segmentedSort", "upperBound"].includes(name),
);

/** Operators and iterators with state and without, functions that were made, and results that the library makes. */
async function useAlgorithms(kept: Kept, stream: Stream): Promise<void> {
  for (const { run, options } of algorithms) run(kept.keep(options("float32")));
  const table = kept.keep(DeviceArray.from(new Float32Array([1, 2])));
  const op = (x: number): number => x * (table[0] as number);
  const call = { input: counting(5), output: kept.keep(DeviceArray.zeros(4, "float32")), op, stream };
  makeUnaryTransform(call)(call);
  (await makeUnaryTransformAsync(call))(call);
  kept.keep(map(kept.keep(DeviceArray.zeros(4, "float32")), (x) => x + 1));
}

async function useEverything(kept: Kept): Promise<object> {
  const stream = kept.keep(new Stream({ priority: -1 }));
  const copied = await useMemory(kept, stream);
  await useStreamsAndEvents(kept, stream);
  await useAlgorithms(kept, stream);
  memory.stats();
  memory.trim();
  DeviceArray.zeros(4, "float32", { stream }).dispose();
  stream.dispose();
  return copied;
}

interface Outcome {
  effects?: object;
  error?: unknown;
  /** Calls of each function before the collection that ends the run. */
  calls: Record<string, number>;
}

async function outcome(): Promise<Omit<Outcome, "calls">> {
  try {
    return { effects: await useEverything(new Kept()) };
  } catch (error) {
    return { error };
  }
}

/** A run from its first call to the collection of all that it made. */
async function run(): Promise<Outcome> {
  const ended = await outcome();
  const calls = simulatedDevice.allCalls();
  collect();
  return { ...ended, calls };
}

/** What is alive, once the driver was offered again what it refused to take back. */
function live(): object {
  memory.trim();
  const { liveBytes, liveArrays } = memory.stats();
  const { liveAllocations, liveStreams, liveEvents, livePinned, liveLibraries } = simulatedDevice.counters();
  const violation = simulatedDevice.lastViolation();
  return { liveBytes, liveArrays, liveAllocations, liveStreams, liveEvents, livePinned, liveLibraries, violation };
}

/** What a failure is told as. */
function cudaError(what: string): object {
  const message: unknown = expect.stringContaining(`${what} failed: `);
  return expect.objectContaining({ name: "CudaError", code: "CUDA_ERROR_UNKNOWN", message }) as object;
}

// ---- its failures ---------------------------------------------------------------------------------------------------

/** Functions of the driver whose failures are told. */
const driver = [
  "cuEventCreate",
  "cuEventElapsedTime",
  "cuEventQuery",
  "cuEventRecord",
  "cuEventSynchronize",
  "cuLaunchHostFunc",
  "cuMemAllocAsync",
  "cuMemGetInfo_v2",
  "cuMemPoolGetAttribute",
  "cuMemPoolTrimTo",
  "cuMemcpyDtoDAsync_v2",
  "cuMemcpyDtoHAsync_v2",
  "cuMemcpyHtoDAsync_v2",
  "cuMemsetD16Async",
  "cuMemsetD2D32Async",
  "cuMemsetD32Async",
  "cuMemsetD8Async",
  "cuStreamCreateWithPriority",
  "cuStreamQuery",
  "cuStreamSynchronize",
  "cuStreamWaitEvent",
];

/** Functions of the driver that give something back, in finalizers too, where nobody can be told. */
const givingBack = ["cuEventDestroy_v2", "cuMemFreeAsync", "cuStreamDestroy_v2"];

/** Functions of the C library that run an algorithm. */
const launching = [
  "cccl_device_binary_search",
  "cccl_device_binary_transform",
  "cccl_device_for",
  "cccl_device_histogram_even",
  "cccl_device_inclusive_scan_no_init",
  "cccl_device_merge_sort",
  "cccl_device_reduce",
  "cccl_device_segmented_reduce",
  "cccl_device_three_way_partition",
  "cccl_device_unary_transform",
  "cccl_device_unique_by_key",
];

/** Called once on each thread that takes up work; native/testing/faults_test.cc has it. */
const ofThreads = "cuCtxSetCurrent";

describe("a program in which one call fails", () => {
  let before: object;
  /** Calls of each function until the collection that ends a run, and with it. */
  let told: Record<string, number>;
  let all: Record<string, number>;

  beforeAll(async () => {
    await run(); // compiles, and takes the page-locked memory that stays
    before = live();
    simulatedDevice.reset();
    const clean = await run();
    expect(clean.effects).toEqual(effects);
    told = clean.calls;
    all = simulatedDevice.allCalls();
  });

  test("calls these functions", () => {
    const called = Object.keys(all).filter((name) => name !== ofThreads);
    expect(called.sort()).toEqual([...driver, ...givingBack, ...launching, "cuCtxGetCurrent"].sort());
  });

  /** Its errors with each call of a function failing; after each it runs as ever. */
  async function errorsOf(name: string, result: number): Promise<unknown[]> {
    const errors: unknown[] = [];
    for (let nth = 1; nth <= (all[name] ?? 0); nth++) {
      simulatedDevice.reset();
      simulatedDevice.failNext(name, nth, result);
      const failed = await run();
      expect(simulatedDevice.calls(name)).toBeGreaterThanOrEqual(nth);
      if (failed.error === undefined) expect(failed.effects).toEqual(effects);
      expect(live()).toEqual(before);
      errors.push(failed.error);
      simulatedDevice.reset();
      expect((await run()).effects).toEqual(effects);
    }
    return errors;
  }

  test.each(driver)("%s: a CudaError that names it, and none where a finalizer calls it", async (name) => {
    const error = cudaError(name.replace(/_v2$/, ""));
    const finalizers = (all[name] ?? 0) - (told[name] ?? 0);
    expect(await errorsOf(name, CudaResult.unknown)).toEqual([
      ...Array.from({ length: told[name] ?? 0 }, () => error),
      ...Array.from({ length: finalizers }, () => undefined),
    ]);
  });

  test.each(givingBack)("%s: no error, and it is called again later", async (name) => {
    const errors = await errorsOf(name, CudaResult.unknown);
    expect(errors.length).toBeGreaterThan(0);
    expect(errors.filter((error) => error !== undefined)).toEqual([]);
  });

  test.each([...launching, "cuCtxGetCurrent"])("%s: a CudaError", async (name) => {
    const error = cudaError(name.startsWith("cu") ? name : "The call of the algorithm");
    expect(await errorsOf(name, CudaResult.unknown)).toEqual(Array.from({ length: all[name] ?? 0 }, () => error));
  });

  test("no memory for one allocation: a second try after a collection, and no error", async () => {
    const errors = await errorsOf("cuMemAllocAsync", CudaResult.outOfMemory);
    expect(errors.length).toBeGreaterThan(40);
    expect(errors.filter((error) => error !== undefined)).toEqual([]);
  });

  test("no memory at all: an OutOfDeviceMemoryError", async () => {
    simulatedDevice.reset();
    simulatedDevice.setCapacity(1);
    expect((await run()).error).toBeInstanceOf(OutOfDeviceMemoryError);
    simulatedDevice.reset();
    expect(live()).toEqual(before);
    expect((await run()).effects).toEqual(effects);
  });
});

// ---- a device that is lost ------------------------------------------------------------------------------------------

describe.each([
  [700, "CUDA_ERROR_ILLEGAL_ADDRESS"],
  [702, "CUDA_ERROR_LAUNCH_TIMEOUT"],
  [715, "CUDA_ERROR_ILLEGAL_INSTRUCTION"],
  [716, "CUDA_ERROR_MISALIGNED_ADDRESS"],
  [719, "CUDA_ERROR_LAUNCH_FAILED"],
])("a kernel's failure %d", (status, code) => {
  const lost = expect.objectContaining({
    name: "CudaError",
    code,
    message: expect.stringMatching(
      /the device's context is lost: .* Start the process again; .*CUDA_LAUNCH_BLOCKING=1/,
    ),
  }) as object;

  test("is told by the read that waits for it, as what it is", async () => {
    const array = DeviceArray.zeros(4, "float32");
    simulatedDevice.failNext("cuStreamSynchronize", 1, status);
    expect(() => array.toTypedArray()).toThrow(lost as Error);
    simulatedDevice.failNext("cuMemcpyDtoHAsync_v2", 1, status);
    await expect(array.read()).rejects.toEqual(lost);
    array.dispose();
    simulatedDevice.reset();
    expect(memory.stats().liveArrays).toBe(0);
  });
});

test("other failures say nothing of a lost context", () => {
  const array = DeviceArray.zeros(4, "float32");
  simulatedDevice.failNext("cuStreamSynchronize", 1, CudaResult.invalidValue);
  expect(() => array.toTypedArray()).toThrow(
    /^cuStreamSynchronize failed: invalid argument \(CUDA_ERROR_INVALID_VALUE\)\.$/,
  );
  array.dispose();
});

// ---- builds ---------------------------------------------------------------------------------------------------------

/** What the failure of each function is told as that makes a build. */
const building: readonly (readonly [string, string, string])[] = [
  ["nvrtcCreateProgram", "CompileError", "ERR_COMPILE"],
  ["nvrtcCompileProgram", "CompileError", "ERR_COMPILE"],
  ["nvrtcGetLTOIRSize", "CompileError", "ERR_COMPILE"],
  ["nvrtcGetLTOIR", "CompileError", "ERR_COMPILE"],
  ["nvJitLinkCreate", "CompileError", "ERR_LINK"],
  ["nvJitLinkAddData", "CompileError", "ERR_LINK"],
  ["nvJitLinkComplete", "CompileError", "ERR_LINK"],
  ["nvJitLinkGetErrorLogSize", "CompileError", "ERR_LINK"],
  ["nvJitLinkGetLinkedCubinSize", "CompileError", "ERR_LINK"],
  ["nvJitLinkGetLinkedCubin", "CompileError", "ERR_LINK"],
  ["cccl_device_for_link_ltoir", "CompileError", "ERR_LINK"],
  ["cccl_device_for_serialize", "CompileError", "ERR_ARTIFACT"],
  ["cccl_device_for_deserialize", "CompileError", "ERR_ARTIFACT"],
  ["cccl_device_for_load", "CudaError", "CUDA_ERROR_UNKNOWN"],
  ["cuLibraryLoadData", "CudaError", "CUDA_ERROR_UNKNOWN"],
  ["cuLibraryGetKernel", "CudaError", "CUDA_ERROR_UNKNOWN"],
];

/** Those whose failure changes nothing: they give something back, or are not needed. */
const survived = ["nvrtcDestroyProgram", "nvJitLinkDestroy", "cccl_device_for_cleanup", "cuInit"];

describe("a build in which one call fails", () => {
  let calls: Record<string, number>;
  let operators = 0;

  /** With an operator by its text. */
  const call = (text: string): void => {
    const table = DeviceArray.zeros(1, "float32");
    const op = bind((0, eval)(text) as (x: number, captures: { table: typeof table }) => void, { table });
    forEach({ input: DeviceArray.zeros(10, "float32"), op });
  };
  /** One that was not there before; the kernel is. */
  const newOperator = (): string => `(x, { table }) => { table[0] = x + ${String(operators++)}; }`;

  beforeAll(() => {
    call(newOperator());
    simulatedDevice.reset();
    call(newOperator());
    calls = simulatedDevice.allCalls();
  });

  function errorOf(text: string): unknown {
    try {
      call(text);
    } catch (error) {
      return error;
    }
    return undefined;
  }

  /** The call's error where a function fails; the next call of that operator works. */
  function fail(name: string, nth: number, text = newOperator()): unknown {
    simulatedDevice.reset();
    const { liveLibraries } = simulatedDevice.counters();
    simulatedDevice.failNext(name, nth, CudaResult.unknown);
    const error = errorOf(text);
    expect(simulatedDevice.calls(name)).toBeGreaterThanOrEqual(nth);
    expect(simulatedDevice.counters().liveLibraries).toBe(liveLibraries + (error === undefined ? 1 : 0));
    call(text);
    expect(simulatedDevice.counters().liveLibraries).toBe(liveLibraries + 1);
    collect();
    expect(memory.stats().liveArrays).toBe(0);
    expect(simulatedDevice.lastViolation()).toBe("");
    return error;
  }

  test("calls these functions", () => {
    // The last answers no status.
    const others = ["cccl_device_for", "cuMemAllocAsync", "cuMemsetD32Async", "cccl_serialization_buffer_free"];
    expect(Object.keys(calls).sort()).toEqual([...building.map(([name]) => name), ...survived, ...others].sort());
  });

  test.each(building)("%s: a %s with code %s", (name, type, code) => {
    for (let nth = 1; nth <= (calls[name] ?? 0); nth++) {
      expect(fail(name, nth)).toMatchObject({ name: type, code });
    }
  });

  test.each(survived)("%s: no error", (name) => {
    for (let nth = 1; nth <= (calls[name] ?? 0); nth++) expect(fail(name, nth)).toBeUndefined();
  });

  test.each(["cccl_device_for_compile", "nvrtcAddNameExpression"])(
    "%s, of the kernel: a CompileError with code ERR_COMPILE",
    (name) => {
      clearAllCaches();
      collect();
      expect(fail(name, 1)).toMatchObject({ name: "CompileError", code: "ERR_COMPILE" });
    },
  );

  test("what was built is unloaded when the caches are cleared", async () => {
    // In a process of its own, where nothing else was built.
    const { code, stdout, stderr } = await runSimulated(`
      const call = (text) => {
        const input = cc.DeviceArray.zeros(10, "float32");
        const table = cc.DeviceArray.zeros(1, "float32");
        cc.forEach({ input, op: cc.bind((0, eval)(text), { table }) });
      };
      const newOperator = (k) => "(x, { table }) => { table[0] = x + " + k + "; }";
      for (let k = 0; k < 3; k++) call(newOperator(k));
      device.failNext("cccl_device_for_load", 1, ${String(CudaResult.unknown)});
      try { call(newOperator(3)); } catch (error) { console.log(error.code); }
      console.log(device.counters().liveLibraries);
      cc.clearAllCaches();
      collect();
      console.log(device.counters().liveLibraries, device.lastViolation());`);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "CUDA_ERROR_UNKNOWN\n3\n0 \n", stderr: "" });
  });
});

describe("builds off the event loop", () => {
  let array: DeviceArray<"float64">;

  beforeAll(() => {
    array = DeviceArray.zeros(10, "float64");
  });

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
