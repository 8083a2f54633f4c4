import {
  DeviceArray,
  atomicAdd,
  atomicMax,
  bind,
  caches,
  constant,
  counting,
  forEach,
  makeForEach,
  makeForEachAsync,
  struct,
  transformed,
  unaryTransform,
} from "../../lib";
import { describeOnBackends, testBackends } from "../helpers/backends";
import { allTypes, download, elements, integers, sumOf, upload } from "../helpers/elements";

/** Any types: what is wrong about them is for the library to say. */
const forEachAny = forEach as unknown as (options: object) => void;

const failsWith = (code: string, argument: string): Error => expect.objectContaining({ code, argument }) as Error;

describeOnBackends("forEach", () => {
  test.each(allTypes)("items of %s, each once", (type) => {
    const numbers = integers(3_000, 0, type === "bool" ? 1 : 100, 3);
    const input = upload(type, elements(type, numbers));
    const sum = DeviceArray.zeros(1, "float64");
    forEachAny({
      input,
      op: (x: number | bigint) => {
        atomicAdd(sum, 0, Number(x));
      },
    });
    expect(download(sum)).toEqual([Number(sumOf(numbers))]);
  });

  describe("operators", () => {
    const items = (): DeviceArray<"int32"> => DeviceArray.from(new Int32Array([0, 3, 1, 3]));

    test("write elements of a captured array", () => {
      const seen = DeviceArray.zeros(4, "uint8");
      forEach({
        input: items(),
        op: (x) => {
          seen[x] = x + 10;
        },
      });
      expect(download(seen)).toEqual([10, 11, 0, 13]);
    });

    test("have several effects, branches, loops and early ends", () => {
      const counts = DeviceArray.zeros(4, "int32");
      const most = DeviceArray.zeros(1, "int32");
      forEach({
        input: items(),
        op: (x) => {
          if (x === 0) return;
          for (let i = 0; i < x; i++) atomicAdd(counts, i, 1);
          atomicMax(most, 0, x);
        },
      });
      expect([download(counts), download(most)]).toEqual([[3, 2, 2, 0], [3]]);
    });

    test("may answer something, which is dropped", () => {
      const counts = DeviceArray.zeros(2, "int32");
      forEach({ input: items(), op: (x) => atomicAdd(counts, 0, x) });
      forEach({
        input: items(),
        op: (x) => {
          atomicAdd(counts, 1, 1);
          return x * 2;
        },
      });
      expect(download(counts)).toEqual([7, 4]);
    });

    test("call captured functions that write", () => {
      const counts = DeviceArray.zeros(1, "int32");
      const add = (value: number): void => {
        atomicAdd(counts, 0, value * 2);
      };
      forEach({
        input: items(),
        op: (x) => {
          add(x);
        },
      });
      forEach({ input: items(), op: (x) => add(x) });
      expect(download(counts)).toEqual([28]);
    });

    test("take captured values by bind", () => {
      const counts = DeviceArray.zeros(1, "int32");
      const op = bind(
        (x: number, { sum, k }: { sum: DeviceArray<"int32">; k: number }) => {
          atomicAdd(sum, 0, x * k);
        },
        { sum: counts, k: 3 },
      );
      forEach({ input: items(), op });
      expect(download(counts)).toEqual([21]);
    });

    test("write to the input itself", () => {
      const array = DeviceArray.from(new Int32Array([2, 0, 1]));
      forEach({
        input: array,
        op: (x) => {
          array[x] = -1;
        },
        numItems: 1,
      });
      expect(download(array)).toEqual([2, 0, -1]);
    });

    test("of one text have both meanings, with a result and without", () => {
      const sums = DeviceArray.zeros(1, "int32");
      const output = DeviceArray.empty(4, "int32");
      for (let round = 0; round < 2; round++) {
        const op = (x: number): number => {
          atomicAdd(sums, 0, 1);
          return x + 1;
        };
        forEach({ input: items(), op });
        unaryTransform({ input: items(), output, op });
      }
      expect([download(sums), download(output)]).toEqual([[16], [1, 4, 2, 4]]);
    });
  });

  test.each([0, 1, 2, 513])("%i items", (count) => {
    const sum = DeviceArray.zeros(1, "int32");
    const input = DeviceArray.full(count, 2, "int8");
    forEach({ input, op: (x) => atomicAdd(sum, 0, x) });
    expect(download(sum)).toEqual([2 * count]);
  });

  test("structs", () => {
    const Edge = struct({ from: "int32", to: "int16", weight: "float32" });
    const degrees = DeviceArray.zeros(3, "float32");
    forEach({
      input: DeviceArray.from([{ from: 0, to: 1, weight: 0.5 }, { from: 1, to: 2, weight: 2 }], Edge), // prettier-ignore
      op: (edge) => {
        atomicAdd(degrees, edge.from, edge.weight);
        atomicAdd(degrees, edge.to, edge.weight);
      },
    });
    expect(download(degrees)).toEqual([0.5, 2.5, 2]);
  });

  describe("iterators and parts", () => {
    test("counted, constant and computed items", () => {
      const sums = DeviceArray.zeros(3, "int32");
      const scale = 10;
      forEach({ input: counting(1), op: (x) => atomicAdd(sums, 0, x), numItems: 100 });
      forEach({ input: constant(7, "int32"), op: (x) => atomicAdd(sums, 1, x), numItems: 3 });
      const input = transformed(DeviceArray.from(new Int32Array([1, 2])), (x) => x * scale, "int32");
      forEach({ input, op: (x) => atomicAdd(sums, 2, x) });
      expect(download(sums)).toEqual([5050, 21, 30]);
    });

    test("indices: every second element", () => {
      const array = DeviceArray.zeros(6, "int32");
      forEach({
        input: counting(0),
        op: (i) => {
          array[2 * i] = i;
        },
        numItems: 3,
      });
      expect(download(array)).toEqual([0, 0, 1, 0, 2, 0]);
    });

    test("a part that begins anywhere", () => {
      const sum = DeviceArray.zeros(1, "int32");
      forEach({
        input: DeviceArray.from(new Int16Array([9, 1, 2, 9])).subarray(1, 3),
        op: (x) => atomicAdd(sum, 0, x),
      });
      expect(download(sum)).toEqual([3]);
    });
  });

  test("captured values, captured arrays and sizes change without another build", () => {
    const run = (k: number, length: number): unknown[] => {
      const sum = DeviceArray.zeros(1, "int32");
      forEach({
        input: DeviceArray.full(length, 1, "int32"),
        op: (x) => {
          atomicAdd(sum, 0, x * k);
        },
      });
      return download(sum);
    };
    expect(run(1, 10)).toEqual([10]);
    const before = caches.stats();
    expect(run(5, 300)).toEqual([1500]);
    expect(caches.stats()).toEqual(before);
  });

  test("variants alternate without being taken for one another", () => {
    for (let round = 0; round < 2; round++) {
      const sums = DeviceArray.zeros(2, "float64");
      forEach({ input: DeviceArray.from(new Float32Array([0.5, 1])), op: (x) => atomicAdd(sums, 0, x) });
      forEach({ input: DeviceArray.from(new Int16Array([5, 1])), op: (x) => atomicAdd(sums, 0, x) });
      forEach({ input: DeviceArray.from(new Int16Array([5, 1])), op: (x) => atomicAdd(sums, 1, x) });
      forEach({ input: counting(1), op: (x) => atomicAdd(sums, 1, x), numItems: 2 });
      expect(download(sums)).toEqual([7.5, 9]);
    }
  });

  test("made functions take other arrays at each call", async () => {
    const sum = DeviceArray.zeros(1, "int32");
    const op = (x: number): void => {
      atomicAdd(sum, 0, x);
    };
    const one = DeviceArray.empty(1, "int32");
    const made = [makeForEach({ input: one, op }), await makeForEachAsync({ input: one, op })];
    for (const each of made) each({ input: DeviceArray.from(new Int32Array([1, 2])), op });
    expect(download(sum)).toEqual([6]);
    expect(() => {
      made[0]?.({ input: one });
    }).toThrow(failsWith("ERR_INVALID_ARG_TYPE", "forEach.op"));
    expect(() => {
      made[0]?.({ input: counting(0), op, numItems: 1 });
    }).toThrow(failsWith("ERR_BUILD_MISMATCH", "forEach.input"));
  });

  describe("wrong arguments", () => {
    const right = (): Record<string, unknown> => ({ input: DeviceArray.zeros(4, "int32"), op: () => undefined });
    const cases: [string, object, string, string][] = [
      ["an input that is a typed array", { input: new Int32Array(4) }, "ERR_INVALID_ARG_TYPE", "forEach.input"],
      ["an input without an end", { input: counting(0), op: (x: number) => x }, "ERR_INVALID_ARG_TYPE", "forEach.numItems"], // prettier-ignore
      ["more items than there are", { numItems: 5, op: (x: number) => x }, "ERR_OUT_OF_RANGE", "forEach.numItems (input)"], // prettier-ignore
      ["no operator", { op: undefined }, "ERR_INVALID_ARG_TYPE", "forEach.op"],
    ];
    test.each(cases)("%s", (_, wrong, code, argument) => {
      expect(() => {
        forEachAny({ ...right(), ...wrong });
      }).toThrow(failsWith(code, argument));
    });

    test("an operator of two items, or with a wrong answer, is a CompileError that shows the place", () => {
      for (const op of [(a: number, b: number) => a + b, (x: { y: number }) => x.y]) {
        expect(() => {
          forEachAny({ ...right(), op });
        }).toThrow(expect.objectContaining({ name: "CompileError", code: "ERR_OPERATOR" }));
      }
    });
  });

  if (testBackends.includes("cuda")) {
    test("a hundred million items", () => {
      const sum = DeviceArray.zeros(2, "uint64");
      const count = 100_000_000;
      forEach({ input: DeviceArray.full(count, 1, "uint8"), op: (x) => atomicAdd(sum, 0, BigInt(x)) });
      forEach({ input: counting(0), op: (x) => atomicAdd(sum, 1, BigInt(x)), numItems: count });
      expect(download(sum)).toEqual([BigInt(count), (BigInt(count) * BigInt(count - 1)) / 2n]);
    });
  }
});
