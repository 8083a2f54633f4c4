/** No cache keeps an array: device memory is freed when JavaScript drops it, also where no turn of the loop comes. */
import { collect, simulatedDevice } from "../helpers/simulated-backend";
import {
  DeviceArray,
  OutOfDeviceMemoryError,
  bind,
  cacheModified,
  caches,
  counting,
  discard,
  exclusiveScan,
  inclusiveScan,
  binaryTransform,
  makeReduceInto,
  memory,
  permuted,
  reduceInto,
  reversed,
  shuffled,
  strided,
  transformed,
  transformedOutput,
  unaryTransform,
  zipped,
} from "../../lib";

const MiB = 1 << 20;
const GiB = 1 << 30;

beforeEach(() => {
  collect();
  simulatedDevice.reset();
  simulatedDevice.setCapacity(GiB);
});

afterEach(() => {
  collect();
  expect(memory.stats().liveBytes).toBe(0);
  expect(memory.stats().liveArrays).toBe(0);
  expect(simulatedDevice.lastViolation()).toBe("");
  memory.setLimit(0);
});

describe("a synchronous loop", () => {
  test("makes and drops 100,000 arrays of 1 MiB on a device of 1 GiB", () => {
    for (let i = 0; i < 100_000; i++) DeviceArray.empty(MiB, "uint8");
    expect(memory.stats().peakBytes).toBeLessThanOrEqual(GiB);
    collect();
    expect(memory.stats().liveBytes).toBe(0);
    expect(simulatedDevice.counters().liveBytes).toBe(memory.stats().workspaceBytes);
  });

  test("makes and drops arrays far larger than what is left for them", () => {
    for (let i = 0; i < 200; i++) DeviceArray.empty(600 * MiB, "uint8");
  });

  test("mixes arrays, views and reductions", () => {
    for (let i = 0; i < 2_000; i++) {
      const array = DeviceArray.zeros(MiB, "float32").subarray(5, 1_000);
      const output = DeviceArray.empty(1, "float32");
      reduceInto({ input: array, output, op: (a, b) => a + b, init: i });
    }
  });

  test("stays under a limit that the user set", () => {
    memory.setLimit(64 * MiB);
    for (let i = 0; i < 1_000; i++) DeviceArray.empty(10 * MiB, "uint8");
    expect(simulatedDevice.counters().peakBytes).toBeLessThanOrEqual(65 * MiB);
  });

  test("collects nothing while there is room", () => {
    const before = memory.stats().collections;
    for (let i = 0; i < 100; i++) DeviceArray.empty(MiB, "uint8");
    expect(memory.stats().collections).toEqual(before);
  });
});

describe("what was called with arrays does not keep them", () => {
  const array = (): DeviceArray<"float32"> => DeviceArray.zeros(1_000, "float32");
  const plus = (a: number, b: number): number => a + b;

  const calls: [string, () => unknown][] = [
    ["reduceInto", () => reduceInto({ input: array(), output: array(), op: plus, init: 0 })],
    ["inclusiveScan", () => inclusiveScan({ input: array(), output: array(), op: plus })],
    [
      "exclusiveScan with a device array as init",
      () => exclusiveScan({ input: array(), output: array(), op: plus, init: array() }),
    ],
    ["unaryTransform", () => unaryTransform({ input: array(), output: array(), op: (x) => x + 1 })],
    ["binaryTransform", () => binaryTransform({ input1: array(), input2: array(), output: array(), op: plus })],
    [
      "iterators of iterators",
      () => {
        const input = transformed(
          transformed(array(), (x) => x * 2, "float32"),
          (x) => x + 1,
          "float32",
        );
        reduceInto({ input, output: transformedOutput(array(), (x) => x / 2, "float32"), op: plus, init: 0 });
      },
    ],
    [
      "iterators of every kind",
      () => {
        const indices = transformed(cacheModified(array()), (x) => x, "int32");
        const input = zipped(permuted(array(), indices), reversed(strided(array(), 2)), shuffled(1_000, 1));
        unaryTransform({
          input: transformed(input, ([x, y, i]) => x + y + Number(i), "float32"),
          output: zipped(reversed(array()), permuted(array(), reversed(indices)), discard(array())),
          op: (x) => [x, x, x],
        });
      },
    ],
    [
      "an operator with captures",
      () => {
        const captured = { k: 2, arrays: [array()] };
        const k = captured.k;
        unaryTransform({ input: array(), output: array(), op: (x) => x * k });
        unaryTransform({ input: array(), output: array(), op: bind((x: number, c: { k: number }) => x * c.k, { k }) });
        return captured.arrays.length;
      },
    ],
    [
      "an error thrown half-way",
      () => {
        expect(() => {
          reduceInto({ input: array(), output: array(), op: (a, b) => (a > b ? a : b), init: 0, numItems: 2_000 });
        }).toThrow(RangeError);
      },
    ],
  ];

  test.each(calls)("%s", (_, call) => {
    call();
    collect();
    expect(memory.stats().liveArrays).toBe(0);
    // A second time: the build is there, so nothing is compiled again.
    const { kernelsCompiled, operatorsCompiled, links } = caches.stats();
    call();
    expect(caches.stats()).toMatchObject({ kernelsCompiled, operatorsCompiled, links });
  });

  test("a made function that was called keeps none of its arguments", () => {
    const sum = makeReduceInto({ input: array(), output: array(), op: plus, init: 0 });
    sum({ input: array(), output: array(), init: 1 });
    collect();
    expect(memory.stats().liveArrays).toBe(0);
    expect(sum).toBeInstanceOf(Function);
  });

  test("an error's object keeps none", () => {
    // In a function of its own: the engine keeps what a running function's registers hold.
    const fail = (): unknown => {
      try {
        reduceInto({ input: array(), output: array(), op: plus, init: 0, numItems: 5_000 });
      } catch (error) {
        return error;
      }
      return undefined;
    };
    const error = fail();
    collect();
    expect(memory.stats().liveArrays).toBe(0);
    expect(error).toBeInstanceOf(RangeError);
  });

  test.each<[string, (array: DeviceArray<"float32">) => unknown]>([
    ["of an argument", (array) => array.fill("1" as never)],
    [
      "of the driver",
      (array) => {
        simulatedDevice.failNext("cuMemcpyDtoHAsync_v2", 1, 999);
        return array.toTypedArray();
      },
    ],
    ["of the native layer", (array) => array.copyFrom(new Float32Array(1_000).subarray(0, 1))],
  ])("an error %s thrown by an array's own method keeps the array no longer", (_, mistake) => {
    const fail = (): unknown => {
      try {
        mistake(array());
      } catch (error) {
        return error;
      }
      return undefined;
    };
    const errors = [fail(), fail()];
    collect();
    expect(memory.stats().liveArrays).toBe(0);
    expect(errors[0]).toBeInstanceOf(Error);
  });

  test("what is still reachable is not freed", () => {
    const kept = array();
    const view = array().subarray(10);
    const iterator = transformed(array(), (x) => x, "float32");
    const nested = reversed(
      zipped(array(), permuted(cacheModified(array()), strided(DeviceArray.zeros(9, "int8"), 2))),
    );
    collect();
    expect(memory.stats().liveArrays).toBe(6);
    expect([kept.length, view.length, iterator.length, nested.length]).toEqual([1_000, 990, 1_000, 5]);
  });
});

describe("running out of memory", () => {
  test("is a typed error that says what is alive, and the next smaller allocation works", () => {
    const kept = DeviceArray.empty(900 * MiB, "uint8");
    let error: unknown;
    try {
      DeviceArray.empty(200 * MiB, "uint8");
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(OutOfDeviceMemoryError);
    expect(error).toMatchObject({
      code: "ERR_OUT_OF_DEVICE_MEMORY",
      requested: 200 * MiB,
      liveBytes: 900 * MiB,
      liveArrays: 1,
    });
    expect(DeviceArray.empty(50 * MiB, "uint8").length).toBe(50 * MiB);
    expect(kept.disposed).toBe(false);
  });

  test("in a call's temporary storage is the same error; the call can be made again", () => {
    const input = DeviceArray.zeros(100_000_000, "int8");
    const output = DeviceArray.empty(1, "int8");
    const filler = DeviceArray.empty(GiB - 100_000_000 - 4 * MiB, "uint8");
    const call = (): void => {
      inclusiveScan({ input, output: input, op: (a, b) => a + b });
    };
    simulatedDevice.failNext("cuMemAllocAsync", 1, 2);
    simulatedDevice.failNext("cuMemAllocAsync", 2, 2);
    simulatedDevice.failNext("cuMemAllocFromPoolAsync", 1, 2);
    simulatedDevice.failNext("cuMemAllocFromPoolAsync", 2, 2);
    let failed: unknown;
    try {
      call();
    } catch (error) {
      failed = error;
    }
    if (failed !== undefined) expect(failed).toBeInstanceOf(OutOfDeviceMemoryError);
    simulatedDevice.reset();
    call();
    expect([filler.disposed, output.length]).toEqual([false, 1]);
  });
});

describe("the cost of a call", () => {
  test("no allocation, event or synchronization of the driver's once a build is there", () => {
    const input = DeviceArray.zeros(1024, "float32");
    const output = DeviceArray.empty(1, "float32");
    const call = (): void => {
      reduceInto({ input, output, op: (a, b) => a + b, init: 0 });
    };
    call();
    simulatedDevice.reset();
    for (let i = 0; i < 100; i++) call();
    const counted = [
      "cuMemAllocAsync",
      "cuMemAllocFromPoolAsync",
      "cuMemFreeAsync",
      "cuEventCreate",
      "cuEventRecord",
      "cuStreamWaitEvent",
      "cuStreamSynchronize",
      "cuCtxSynchronize",
      "cuCtxSetCurrent",
    ];
    expect(counted.filter((name) => simulatedDevice.calls(name) > 0)).toEqual([]);
    expect(simulatedDevice.counters().launches).toBe(100);
  });

  test("ten thousand inline operators of one meaning are one build", () => {
    const output = DeviceArray.empty(1, "int32");
    const before = caches.stats();
    for (let i = 0; i < 10_000; i++) {
      reduceInto({ input: counting(0), output, op: (a, b) => Math.max(a, b - 1), init: 0, numItems: 10 });
    }
    const after = caches.stats();
    expect(after.links - before.links).toBe(1);
    expect(after.builds - before.builds).toBe(1);
  });

  test("a thousand equal captures are one build, and so are a thousand different ones", () => {
    const input = DeviceArray.zeros(10, "float32");
    const before = caches.stats();
    for (let i = 0; i < 1_000; i++) {
      unaryTransform({
        input,
        output: input,
        op: bind((x: number, c: { k: number }) => x + c.k * 3, { k: i % 2 ? i : 7 }),
      });
    }
    expect(caches.stats().links - before.links).toBe(1);
  });

  test("lengths, init values and counts never compile anything", () => {
    const output = DeviceArray.empty(1, "int32");
    const call = (length: number): void => {
      reduceInto({ input: DeviceArray.zeros(length, "int32"), output, op: (a, b) => a + b, init: length });
    };
    call(1);
    const before = caches.stats();
    for (const length of [0, 1, 2, 1_000, 1_000_000]) call(length);
    expect(caches.stats()).toMatchObject({ kernelsCompiled: before.kernelsCompiled, links: before.links });
  });
});
