/**
 * What this library is for: no cache, made function, operator, iterator, error or promise keeps a device array, and no
 * compiled kernel is thrown away for it. What has to do with synchronous code is shown inside functions that never return
 * to the event loop.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout } from "node:timers/promises";
import { onGpu } from "../helpers/cuda-device";
import {
  DeviceArray,
  DoubleBuffer,
  type ScalarName,
  bind,
  caches,
  counting,
  exclusiveScan,
  makeReduceIntoAsync,
  makeUnaryTransform,
  memory,
  permuted,
  radixSort,
  reduceInto,
  reversed,
  segmentedSort,
  sum,
  transformed,
  transformedOutput,
  unaryTransform,
  zipped,
} from "../../lib";
import { collectGarbage } from "../../lib/backends/collector";
import { everyAlgorithm } from "../helpers/every-algorithm";

/** Of all widths and kinds; on the GPU all that every algorithm takes. */
const types: readonly ScalarName[] = onGpu
  ? ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"]
  : ["int64", "float32"];

interface Held {
  bytes: number;
  arrays: number;
}

/** What is alive after a collection. */
function held(): Held {
  collectGarbage("full");
  const { liveBytes, liveArrays } = memory.stats();
  return { bytes: liveBytes, arrays: liveArrays };
}

const nothing: Held = { bytes: 0, arrays: 0 };

/** How often anything was compiled or linked. */
function compilations(): object {
  const { kernelsCompiled, operatorsCompiled, links } = caches.stats();
  return { kernelsCompiled, operatorsCompiled, links };
}

/** What the device holds beside small areas that belong to streams, once all work is done. */
function deviceBytes(): number {
  memory.trim();
  const { poolReservedBytes, poolIdleBytes, workspaceBytes } = memory.stats();
  return poolReservedBytes - poolIdleBytes - workspaceBytes;
}

beforeEach(() => {
  expect(held()).toEqual(nothing);
});

afterEach(() => {
  expect(held()).toEqual(nothing);
  expect(deviceBytes()).toBe(0);
});

describe.each(everyAlgorithm)("$name", ({ run, make, options }) => {
  /** Functions of their own here and below: the engine keeps what the registers of a running function hold. */
  const call = (type: ScalarName): void => {
    run(options(type));
  };
  const made = (type: ScalarName): ((options: object) => void) => {
    const again = make(options(type));
    again(options(type));
    again(options(type));
    return again;
  };

  test("holds nothing after any type's call, and compiles nothing in a second pass over all types", () => {
    const pass = (): Held[] =>
      types.map((type) => {
        call(type);
        return held();
      });
    const clean = types.map(() => nothing);
    expect(pass()).toEqual(clean);
    const before = compilations();
    expect(pass()).toEqual(clean);
    expect(compilations()).toEqual(before);
  });

  test("as a made function that was called keeps none of its arguments, nor what it was made with", () => {
    const calls = types.map(made);
    expect(held()).toEqual(nothing);
    expect(deviceBytes()).toBe(0);
    const before = compilations();
    calls.forEach((again, index) => {
      again(options(types[index] as ScalarName));
    });
    expect(compilations()).toEqual(before);
  });
});

type Numbers = DeviceArray<"float32">;
const array = (): Numbers => DeviceArray.zeros(1_000, "float32");

describe("an operator whose closure holds an array", () => {
  type Operator = (x: number) => number;
  const addsFirst = (table: Numbers): Operator => {
    return (x) => x + (table[0] as number);
  };
  const boundAddsFirst = (table: Numbers): Operator =>
    bind((x: number, c: { table: Numbers }) => x + (c.table[0] as number), { table }) as unknown as Operator;

  describe.each([
    ["read from the closure", addsFirst],
    ["bound", boundAddsFirst],
  ])("%s", (_, operator) => {
    const call = (): void => {
      unaryTransform({ input: array(), output: array(), op: operator(array()) });
    };

    test("is collected with its array though its build stays, and the next such operator finds the build", () => {
      call();
      expect(held()).toEqual(nothing);
      const [before, { builds }] = [compilations(), caches.stats()];
      for (let i = 0; i < 10; i++) call();
      expect(held()).toEqual(nothing);
      expect(compilations()).toEqual(before);
      expect(caches.stats().builds).toBe(builds);
    });

    test("keeps its array as long as it lives itself, and no longer", () => {
      const keep = (): Operator => {
        const op = operator(array());
        unaryTransform({ input: array(), output: array(), op });
        return op;
      };
      const use = (): void => {
        const op = keep();
        expect(held()).toEqual({ bytes: 4_000, arrays: 1 });
        expect(typeof op).not.toBe("undefined");
      };
      use();
      expect(held()).toEqual(nothing);
    });

    test("given to a made function is kept by neither its making nor its calls", () => {
      const prepare = (): ReturnType<typeof makeUnaryTransform<"float32", "float32">> => {
        const made = makeUnaryTransform({ input: array(), output: array(), op: operator(array()) });
        made({ input: array(), output: array(), op: operator(array()) });
        return made;
      };
      const made = prepare();
      expect(held()).toEqual(nothing);
      const before = compilations();
      (() => {
        made({ input: array(), output: array(), op: operator(array()) });
      })();
      expect(compilations()).toEqual(before);
      expect(held()).toEqual(nothing);
    });
  });

  test("within an iterator within an iterator keeps its array no longer than the iterators live", () => {
    const call = (): object => {
      const inner = transformed(array(), addsFirst(array()), "float32");
      const input = transformed(zipped(inner, reversed(inner)), ([a, b]) => a + b, "float32");
      reduceInto({ input, output: array(), op: (a, b) => a + b, init: 0 });
      return input;
    };
    const use = (): void => {
      const iterator = call();
      expect(held()).toEqual({ bytes: 8_000, arrays: 2 });
      expect(typeof iterator).toBe("object");
    };
    use();
    expect(held()).toEqual(nothing);
  });
});

describe("nothing is kept by", () => {
  const add = (a: number, b: number): number => a + b;
  const failure = (call: () => void): unknown => {
    try {
      call();
    } catch (error) {
      return error;
    }
    throw new Error("The call was expected to throw.");
  };

  test.each<[string, () => unknown]>([
    [
      "iterators of iterators, read and written",
      () => {
        const input = permuted(zipped(array(), reversed(array())), counting(0));
        unaryTransform({
          input: transformed(input, ([a, b]) => a + b, "float32"),
          output: transformedOutput(reversed(array()), (x) => x * 2, "float32"),
          op: (x) => x + 1,
          numItems: 10,
        });
      },
    ],
    [
      "double buffers of keys and values",
      () => {
        const keys = new DoubleBuffer(array(), array());
        radixSort({ inputKeys: keys, inputValues: new DoubleBuffer(array(), array()) });
        segmentedSort({
          inputKeys: keys,
          startOffsets: DeviceArray.from(new Int32Array([0, 10])),
          endOffsets: DeviceArray.from(new Int32Array([10, 1_000])),
        });
      },
    ],
    [
      "an initial value that is read on the device",
      () => {
        exclusiveScan({ input: array(), output: array(), op: add, init: DeviceArray.zeros(1, "float32") });
      },
    ],
  ])("%s", (_, call) => {
    call();
    expect(held()).toEqual(nothing);
  });

  test.each<[string, () => void]>([
    [
      "an argument",
      () => {
        reduceInto({ input: array(), output: array(), op: add, init: 0, numItems: 5_000 });
      },
    ],
    [
      "the operator",
      () => {
        const table = array();
        unaryTransform({ input: array(), output: array(), op: (x) => x + (table as unknown as Date).getTime() });
      },
    ],
    [
      "the compiler",
      () => {
        unaryTransform({
          input: array(),
          output: array(),
          op: bind((x: number, c: { f: Numbers }) => x + (c.f[0] as number), { f: array().subarray(0, 0) }),
          numItems: -1,
        });
      },
    ],
  ])("an error that %s is to blame for, while it lives itself", (_, call) => {
    const errors = [failure(call), failure(call)];
    expect(held()).toEqual(nothing);
    expect(errors[0]).toMatchObject({ code: expect.any(String) as string });
  });
});

describe("asynchronous work that nobody waits for lets go of its arrays:", () => {
  /** Turns of the loop until nothing is alive: a compilation takes many where the machine is shared. */
  async function settled(): Promise<Held> {
    for (let turn = 0; turn < 2_000 && held().arrays > 0; turn++) await setTimeout(50);
    return held();
  }

  test.each<[string, () => unknown]>([
    ["reads", () => array().read()],
    ["sums", () => sum(array())],
    [
      "compilations in the background",
      () => makeReduceIntoAsync({ input: array(), output: array(), op: (a, b) => a * b + 1, init: 0 }),
    ],
    [
      "compilations that fail",
      () =>
        Promise.resolve()
          .then(() => makeReduceIntoAsync({ input: array(), output: array(), op: (a) => a + Date.now(), init: 0 }))
          .catch(() => undefined),
    ],
  ])("%s", async (_, begin) => {
    begin();
    expect(await settled()).toEqual(nothing);
  });

  test("and so does work within an AsyncLocalStorage, whose store is an array", async () => {
    const storage = new AsyncLocalStorage<Numbers>();
    await storage.run(array(), async () => {
      const input = storage.getStore() as Numbers;
      await sum(input);
      await input.read();
      const made = await makeReduceIntoAsync({ input, output: array(), op: (a, b) => a * b + 2, init: 0 });
      made({ input, output: array(), init: 1 });
    });
    storage.disable();
    expect(await settled()).toEqual(nothing);
  });

  test("and so does a scope that awaits", async () => {
    const kept = memory.scope(async () => {
      const total = await sum(array());
      await setTimeout(1);
      return total;
    });
    expect(await kept).toEqual(onGpu ? 0 : expect.any(Number)); // the simulated device computes nothing
    expect(await settled()).toEqual(nothing);
  });
});
