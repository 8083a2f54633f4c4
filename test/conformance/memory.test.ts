import {
  DeviceArray,
  DoubleBuffer,
  bind,
  constant,
  counting,
  fused,
  memory,
  struct,
  sum,
  transformed,
  unaryTransform,
} from "../../lib";
import { DeviceMemoryLeakError, expectNoLeaks } from "../../lib/testing";
import { collectGarbage } from "../../lib/backends/collector";
import { describeOnBackends } from "../helpers/backends";
import { download } from "../helpers/elements";

/** What a promise was rejected with. */
async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return undefined;
}

const listed = (type: string, length: number): unknown =>
  memory.live().arrays.find((group) => group.type === type && group.length === length);

describeOnBackends("memory", () => {
  describe("stats", () => {
    test("counts arrays and bytes, to the byte, at once", () => {
      const before = memory.stats();
      const arrays = [DeviceArray.empty(3, "float64"), DeviceArray.empty(5, "int16"), DeviceArray.empty(0, "int8")];
      const during = memory.stats();
      expect(during.liveBytes - before.liveBytes).toBe(34);
      expect(during.liveArrays - before.liveArrays).toBe(3);
      expect(during.peakBytes).toBeGreaterThanOrEqual(during.liveBytes);
      for (const array of arrays) array.dispose();
      const after = memory.stats();
      expect([after.liveBytes, after.liveArrays]).toEqual([before.liveBytes, before.liveArrays]);
    });

    test("tells the limit", () => {
      expect(memory.stats().limitBytes).toBe(0);
      memory.setLimit(12_345_678);
      expect(memory.stats()).toMatchObject({ limitBytes: 12_345_678, totalBytes: 12_345_678 });
      memory.setLimit(0);
      expect(memory.stats().limitBytes).toBe(0);
    });
  });

  describe("live", () => {
    test("groups by type and length, the most bytes first", () => {
      const arrays = [
        DeviceArray.empty(1_001, "float32"),
        DeviceArray.empty(1_001, "float32"),
        DeviceArray.empty(1_001, "int8"),
        DeviceArray.empty(1_002, "float32"),
        DeviceArray.empty(77_777, "float64"),
      ];
      const view = (arrays[4] as DeviceArray).subarray(3, 9);
      expect(listed("float32", 1_001)).toEqual({
        type: "float32",
        length: 1_001,
        count: 2,
        bytes: 8_008,
        stack: undefined,
      });
      expect(listed("int8", 1_001)).toMatchObject({ count: 1, bytes: 1_001 });
      expect(listed("float64", 6)).toBeUndefined();
      const { arrays: groups, bytes, count } = memory.live();
      expect(groups.map((group) => group.bytes)).toEqual(groups.map((group) => group.bytes).sort((a, b) => b - a));
      expect(groups.reduce((total, group) => total + group.bytes, 0)).toBe(bytes);
      expect(groups.reduce((total, group) => total + group.count, 0)).toBe(count);
      expect(view.length).toBe(6);
      for (const array of arrays) array.dispose();
      expect(listed("float32", 1_001)).toBeUndefined();
    });

    test("names structs", () => {
      const type = struct({ x: "float32", id: "int32" });
      const array = DeviceArray.empty(1_003, type);
      expect(listed(type.name, 1_003)).toMatchObject({ bytes: 8_024 });
      array.dispose();
    });
  });

  describe("trace", () => {
    afterEach(() => {
      memory.trace(false);
    });

    test("remembers where arrays are made, from then on", () => {
      const untraced = DeviceArray.empty(2_001, "uint8");
      memory.trace();
      const arrays = [DeviceArray.zeros(2_001, "uint8"), DeviceArray.from(new Uint8Array(2_001))];
      memory.trace(false);
      const groups = memory.live().arrays.filter(({ length }) => length === 2_001);
      expect(groups.map(({ count }) => count)).toEqual([1, 1, 1]);
      const stacks = groups.map(({ stack }) => stack).filter((stack) => stack !== undefined);
      expect(stacks.length).toBe(2);
      // The user's own frame is the first.
      for (const stack of stacks) expect(stack.split("\n")[0]).toMatch(/^at .*\/test\/conformance\/memory\.test\.ts:/);
      for (const array of [untraced, ...arrays]) array.dispose();
    });

    test("leaves Error.stackTraceLimit as it was", () => {
      const limit = Error.stackTraceLimit;
      Error.stackTraceLimit = 3;
      memory.trace();
      DeviceArray.empty(1, "int8").dispose();
      expect(Error.stackTraceLimit).toBe(3);
      Error.stackTraceLimit = limit;
    });

    test("refuses what is no boolean", () => {
      expect(() => {
        memory.trace(1 as never);
      }).toThrow("memory.trace.on: expected a boolean, but received 1.");
    });
  });

  describe("scope", () => {
    test("disposes what was made inside and answers what was returned", () => {
      const outside = DeviceArray.from(new Int32Array([9]));
      const before = memory.stats().liveBytes;
      let inside: DeviceArray | undefined;
      const result = memory.scope(() => {
        inside = DeviceArray.from(new Int32Array([1, 2, 3]));
        expect(outside.disposed).toBe(false);
        return inside.toTypedArray().length;
      });
      expect(result).toBe(3);
      expect(inside?.disposed).toBe(true);
      expect(outside.disposed).toBe(false);
      expect(memory.stats().liveBytes).toBe(before);
      expect(() => inside?.toTypedArray()).toThrow(expect.objectContaining({ code: "ERR_DISPOSED" }));
      inside?.dispose();
      expect(memory.stats().liveBytes).toBe(before);
      outside.dispose();
    });

    const array = (): DeviceArray<"int32"> => DeviceArray.from(new Int32Array([4, 5, 6]));
    class Model {
      constructor(readonly weights: DeviceArray<"int32">) {}
    }
    const cyclic = (weights: DeviceArray): object => {
      const first: Record<string, unknown> = { weights };
      first["self"] = first;
      return first;
    };
    let list: object | undefined;
    const long = (weights: DeviceArray): object => {
      list = weights;
      for (let i = 0; i < 100_000; i++) list = { next: list };
      return list;
    };
    const holders: [string, (kept: DeviceArray<"int32">) => unknown][] = [
      ["itself", (kept) => kept],
      ["a view", (kept) => kept.subarray(1)],
      ["a view of a view", (kept) => kept.subarray(1).subarray(1)],
      ["an array", (kept) => [1, [kept]]],
      ["an object", (kept) => ({ a: { b: kept }, c: null })],
      ["an instance", (kept) => new Model(kept)],
      ["a map's value", (kept) => new Map([["a", kept]])],
      ["a map's key", (kept) => new Map([[kept, 1]])],
      ["a set", (kept) => new Set([kept])],
      ["an iterator", (kept) => transformed(kept, (x) => x + 1, "int32")],
      [
        "an iterator of an iterator",
        (kept) =>
          transformed(
            transformed(kept, (x) => x + 1, "int32"),
            (x) => x,
            "int32",
          ),
      ],
      [
        "an iterator whose operator captures it",
        (kept) =>
          transformed(
            counting(0),
            bind((i: number, { table }: { table: DeviceArray<"int32"> }) => table[i] as number, { table: kept }),
            "int32",
          ),
      ],
      [
        "a bound operator",
        (kept) => bind((x: number, c: { t: DeviceArray<"int32"> }) => c.t[x] as number, { t: kept }),
      ],
      [
        "a bound operator that was called, and may fuse",
        (kept) => {
          const op = fused(bind((x: number, c: { t: DeviceArray<"int32"> }) => (c.t[0] as number) + x, { t: kept }));
          unaryTransform({ input: array(), output: array(), op });
          return op;
        },
      ],
      ["a double buffer, as the array to sort", (kept) => new DoubleBuffer(kept, array())],
      ["a double buffer, as the other array", (kept) => [new DoubleBuffer(array(), kept)]],
      ["a cycle", cyclic],
      ["a long list", long],
    ];
    test.each(holders)("keeps what is returned: in %s", (_, holder) => {
      let kept: DeviceArray | undefined;
      let other: DeviceArray | undefined;
      const result = memory.scope(() => {
        other = array();
        const made = array();
        kept = made;
        return holder(made);
      });
      expect(result).toBeDefined();
      expect([kept?.disposed, other?.disposed]).toEqual([false, true]);
      expect(download(kept as DeviceArray<"int32">)).toEqual([4, 5, 6]);
      kept?.dispose();
      expect(kept?.disposed).toBe(true);
    });

    test("answers iterators without memory as they are", () => {
      expect(memory.scope(() => [constant(1), counting(2)]).length).toBe(2);
    });

    test("nests: what an inner scope returns belongs to the outer one", () => {
      const made: DeviceArray[] = [];
      const outer = memory.scope(() => {
        const [a, b] = memory.scope(() => {
          made.push(array(), array(), array());
          return [made[0], made[1]];
        });
        expect(made.map(({ disposed }) => disposed)).toEqual([false, false, true]);
        expect(b?.disposed).toBe(false);
        return a;
      });
      expect(made.map(({ disposed }) => disposed)).toEqual([false, true, true]);
      expect(outer).toBe(made[0]);
      outer?.dispose();
    });

    test("does not end a view's array from outside", () => {
      const outside = array();
      memory.scope(() => outside.subarray(1));
      memory.scope(() => void outside.subarray(1));
      expect(download(outside)).toEqual([4, 5, 6]);
      outside.dispose();
    });

    test("takes arrays that were disposed inside", () => {
      const before = memory.stats().liveArrays;
      memory.scope(() => {
        const one = array();
        one.dispose();
        return one;
      });
      expect(memory.stats().liveArrays).toBe(before);
    });

    test("disposes everything when the function throws", () => {
      const before = memory.stats().liveBytes;
      const made: DeviceArray[] = [];
      expect(() => {
        memory.scope(() => {
          made.push(array());
          memory.scope(() => {
            made.push(array());
            throw new Error("mine");
          });
        });
      }).toThrow("mine");
      expect(made.map(({ disposed }) => disposed)).toEqual([true, true]);
      expect(memory.stats().liveBytes).toBe(before);
    });

    test("lasts until an async function's promise settles, whatever else runs meanwhile", async () => {
      const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
      const made: DeviceArray[] = [];
      const scoped = memory.scope(async () => {
        made.push(array());
        await turn();
        made.push(array(), array());
        expect(made.map(({ disposed }) => disposed)).toEqual([false, false, false]);
        await turn();
        return { kept: made[2] };
      });
      const outside = array();
      const { kept } = await scoped;
      expect(kept).toBe(made[2]);
      expect(made.map(({ disposed }) => disposed)).toEqual([true, true, false]);
      expect(outside.disposed).toBe(false);
      outside.dispose();
      kept?.dispose();
    });

    test("two asynchronous scopes at once keep their arrays apart", async () => {
      const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
      const run = (turns: number): Promise<DeviceArray[]> =>
        memory.scope(async () => {
          const made: DeviceArray[] = [];
          for (let i = 0; i < turns; i++) {
            made.push(array());
            await turn();
          }
          expect(made.every(({ disposed }) => !disposed)).toBe(true);
          return made.slice(-1);
        });
      const before = memory.stats().liveArrays;
      const all = await Promise.all([run(2), run(5), run(3)]);
      expect(memory.stats().liveArrays - before).toBe(3);
      for (const [kept] of all) kept?.dispose();
    });

    test("disposes everything when a promise rejects", async () => {
      let made: DeviceArray | undefined;
      const scoped = memory.scope(async () => {
        made = array();
        await Promise.resolve();
        throw new Error("mine");
      });
      await expect(scoped).rejects.toThrow("mine");
      expect(made?.disposed).toBe(true);
    });

    test("awaits what the functions with results promise", async () => {
      const before = memory.stats().liveArrays;
      const total = memory.scope(() => {
        const squares = transformed(array(), (x) => x * x, "int32");
        return sum(squares);
      });
      expect(await total).toBe(77);
      expect(memory.stats().liveArrays).toBe(before);
    });

    test("work that outlives its scope belongs to the one around, or to none", async () => {
      let late: Promise<DeviceArray> | undefined;
      memory.scope(() => {
        late = Promise.resolve().then(array);
      });
      const made = await late;
      expect(made?.disposed).toBe(false);
      made?.dispose();
    });

    test("refuses what is no function", () => {
      expect(() => memory.scope(3 as never)).toThrow("memory.scope.fn: expected a function, but received 3.");
    });
  });

  describe("expectNoLeaks", () => {
    const kept: unknown[] = [];

    test("passes where all is disposed, dropped or returned", async () => {
      const outside = DeviceArray.empty(10, "int8");
      await expectNoLeaks(() => {
        DeviceArray.empty(3_001, "int8");
        DeviceArray.empty(3_001, "int8").dispose();
        return DeviceArray.empty(3_001, "int8");
      });
      await expectNoLeaks(async () => sum(DeviceArray.from([1, 2])));
      expect(outside.disposed).toBe(false);
    });

    test("rejects with what is alive and where it was made", async () => {
      function leaky(): void {
        kept.push(DeviceArray.empty(3_002, "int8"), DeviceArray.empty(3, "float64").subarray(1));
      }
      const error = (await rejection(expectNoLeaks(leaky))) as DeviceMemoryLeakError;
      expect(error).toBeInstanceOf(DeviceMemoryLeakError);
      expect(error).toMatchObject({ name: "DeviceMemoryLeakError", code: "ERR_DEVICE_MEMORY_LEAK" });
      expect(error.live.map(({ type, length, count, bytes }) => [type, length, count, bytes])).toEqual([
        ["int8", 3_002, 1, 3_002],
        ["float64", 3, 1, 24],
      ]);
      const lines = error.message.split("\n");
      expect(lines.slice(0, 2)).toEqual([
        "2 device arrays are still alive (3026 bytes):",
        "  1 × int8[3002], 3002 bytes, made",
      ]);
      expect(lines[2]).toMatch(/^ {4}at .*\/test\/conformance\/memory\.test\.ts:/);
      kept.length = 0;
    });

    test("finds what an asynchronous function keeps, and not what was there before", async () => {
      kept.push(DeviceArray.empty(3_003, "int8"));
      const check = expectNoLeaks(async () => {
        await Promise.resolve();
        kept.push(DeviceArray.empty(3_004, "int8"));
      });
      await expect(check).rejects.toThrow(/^1 device array is still alive \(3004 bytes\):\n {2}1 × int8\[3004\]/);
      kept.length = 0;
    });

    test("passes on what the function throws, and leaves tracing as it was", async () => {
      await expect(
        expectNoLeaks(() => {
          throw new Error("mine");
        }),
      ).rejects.toThrow("mine");
      const array = DeviceArray.empty(3_005, "int8");
      expect(listed("int8", 3_005)).toMatchObject({ stack: undefined });
      array.dispose();
    });

    test("refuses what is no function", async () => {
      await expect(expectNoLeaks(undefined as never)).rejects.toThrow("expectNoLeaks.fn: expected a function");
    });
  });

  test("neither the list, tracing nor a scope keeps an array alive", async () => {
    await expectNoLeaks(async () => {
      memory.trace();
      const lists: unknown[] = [];
      const make = (): void => {
        DeviceArray.zeros(4_001, "int16").subarray(1);
        lists.push(memory.live(), memory.stats());
      };
      make();
      memory.trace(false);
      await memory.scope(async () => {
        make();
        await new Promise((resolve) => setImmediate(resolve));
        collectGarbage("full");
        await new Promise((resolve) => setImmediate(resolve));
        // Dropped inside a scope, so freed inside it.
        expect(listed("int16", 4_001)).toBeUndefined();
      });
      expect(lists.length).toBe(4);
      Object.assign(globalThis, { lists });
    });
    Reflect.deleteProperty(globalThis, "lists");
  });
});
