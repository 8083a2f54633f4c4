import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  DeviceArray,
  atomicAdd,
  atomicAnd,
  atomicCompareExchange,
  atomicExchange,
  atomicMax,
  atomicMin,
  atomicOr,
  atomicSub,
  atomicXor,
  bind,
  caches,
  counting,
  cpp,
  ltoir,
  reduceInto,
  transformed,
  unaryTransform,
} from "../../lib";
import { describeOnBackends } from "../helpers/backends";
import { cppCases } from "../helpers/cpp-operators";
import { download } from "../helpers/elements";

type Numbers = Record<number, number>;
type BigInts = Record<number, bigint>;

/** `op(0), op(1), …` as float64. */
function map(count: number, op: (i: number) => number | bigint | boolean): unknown[] {
  const output = DeviceArray.zeros(count, "float64");
  unaryTransform({ input: counting(0), output, numItems: count, op: op as (i: number) => number });
  return download(output);
}

const polynomial = (x: number): number => (x * x + 1) * 3;
const shifted = (x: number, by = 10): number => polynomial(x) - by;
function collatz(start: number): number {
  let n = start;
  let steps = 0;
  while (n > 1) {
    n = n % 2 === 0 ? n / 2 : 3 * n + 1;
    steps++;
    if (steps >= 1000) break;
  }
  return steps;
}

describeOnBackends("operators", (backend) => {
  describe("captured arrays", () => {
    test.each([
      "int8",
      "int16",
      "int32",
      "uint8",
      "uint16",
      "uint32",
      "float16",
      "bfloat16",
      "float32",
      "float64",
    ] as const)("%s elements are read by index, NaN or 0 outside", (type) => {
      const table = DeviceArray.from([3, 1, 4, 1, 5], type);
      const outside = type.includes("float") ? NaN : 0;
      expect(map(7, (i) => table[i - 1]!)).toEqual([outside, 3, 1, 4, 1, 5, outside]);
      expect(map(3, (i) => table[i / 2]!)).toEqual([3, outside, 1]);
      expect(map(2, (i) => table[(i + 1) * 1e300 * 1e300]!)).toEqual([outside, outside]);
    });

    test("64-bit integers and booleans", () => {
      const wide = DeviceArray.from([2n ** 62n, -5n], "int64");
      const flags = DeviceArray.from([false, true, true]);
      expect(map(3, (i) => wide[i]! / 2n ** 10n)).toEqual([2 ** 52, 0, 0]);
      expect(map(4, (i) => flags[i]!)).toEqual([0, 1, 1, 0]);
    });

    test("a view is read from where it begins, to where it ends", () => {
      const view = DeviceArray.from(new Int32Array([9, 8, 7, 6])).subarray(1, 3);
      expect(map(3, (i) => view[i]! + view.length)).toEqual([10, 9, 2]);
    });

    test("other arrays and lengths are no new build", () => {
      const sumOf = (table: DeviceArray<"float32">): unknown[] =>
        map(1, (i) => {
          let sum = i;
          // eslint-disable-next-line @typescript-eslint/prefer-for-of -- operators count
          for (let k = 0; k < table.length; k++) sum += table[k]!;
          return sum;
        });
      expect(sumOf(DeviceArray.from(new Float32Array([1, 2])))).toEqual([3]);
      const before = caches.stats().builds;
      expect(sumOf(DeviceArray.from(new Float32Array([1, 2, 3, 4])))).toEqual([10]);
      expect(caches.stats().builds).toBe(before);
    });

    test("iterators and reductions read them too", () => {
      const weights = DeviceArray.from(new Float64Array([0.5, 0.25]));
      const input = transformed(counting(0), (i) => weights[i % 2]! * i, "float64");
      const output = DeviceArray.zeros(1, "float64");
      reduceInto({ input, output, numItems: 4, op: (a, b) => a + b, init: 0 });
      expect(download(output)).toEqual([0 + 0.25 + 1 + 0.75]);
    });

    test("elements are written, each by its own call", () => {
      const squares = DeviceArray.zeros(5, "uint8");
      const op = bind(
        (i: number, { squares }: { squares: Numbers }) => {
          squares[4 - i] = i * i * 20;
          squares[i + 5] = 1;
          return i;
        },
        { squares },
      );
      unaryTransform({ input: counting(0), output: DeviceArray.zeros(5, "int32"), op });
      expect(download(squares)).toEqual([320 & 255, 180, 80, 20, 0]);
    });
  });

  describe("atomics of many threads on one element", () => {
    const count = 100_000;
    const sum = (count * (count - 1)) / 2;
    const run = (op: (i: number) => number): void => {
      unaryTransform({ input: counting(0), output: DeviceArray.zeros(count, "int32"), op });
    };

    test.each(["int32", "uint32", "float64"] as const)("add, sub, min and max of %s", (type) => {
      const cells = DeviceArray.from([0, 1000, 50, 50], type) as unknown as DeviceArray<"float64">;
      run((i) => {
        atomicAdd(cells, 0, i % 10);
        atomicSub(cells, 1, 1);
        atomicMin(cells, 2, i + 5);
        atomicMax(cells, 3, i);
        return i;
      });
      const wrapped = type === "uint32" ? 2 ** 32 + 1000 - count : 1000 - count;
      expect(download(cells)).toEqual([count * 4.5, wrapped, 5, count - 1]);
    });

    test("float32 minimum and maximum keep NaN and tell the zeros apart", () => {
      const cells = DeviceArray.from(new Float32Array([1, 0, 7]));
      run((i) => {
        atomicMin(cells, 0, i === 77 ? NaN : i);
        atomicMin(cells, 1, i === 77 ? -0 : 0);
        atomicMax(cells, 2, -i);
        return i;
      });
      expect(download(cells)).toEqual([NaN, -0, 7]);
    });

    test.each(["int64", "uint64"] as const)("all of %s", (type) => {
      const cells = DeviceArray.from(
        [0n, 0n, 7n, -1n, 0n, 0n].map((n) => BigInt.asUintN(63, n)),
        type,
      );
      const bigints = cells as unknown as BigInts;
      run((i) => {
        atomicAdd(bigints, 0, BigInt(i));
        atomicMax(bigints, 1, BigInt(i));
        atomicMin(bigints, 2, BigInt(i + 3));
        atomicAnd(bigints, 3, BigInt(i % 2) + 4n);
        atomicOr(bigints, 4, BigInt(i));
        atomicXor(bigints, 5, 5n);
        return i;
      });
      expect(download(cells)).toEqual([BigInt(sum), BigInt(count - 1), 3n, 4n, 131071n, 0n]);
    });

    test("exchange and compareExchange answer what was there", () => {
      const cells = DeviceArray.from(new Int32Array([-1, 0, 0]));
      const first = DeviceArray.zeros(count, "int32");
      const op = (i: number): number => {
        atomicExchange(cells, 0, i);
        const before = atomicCompareExchange(cells, 1, 0, i + 1);
        if (before === 0) atomicAdd(cells, 2, 1);
        return before;
      };
      unaryTransform({ input: counting(0), output: first, op });
      const [last = -1, winner = -1, winners] = cells.toTypedArray();
      expect(last).toBeGreaterThanOrEqual(0);
      expect(winners).toBe(1);
      // All but the winner saw the winner's value.
      expect(first.toTypedArray().filter((before) => before === winner)).toHaveLength(count - 1);
    });

    test("counting rejects", () => {
      const rejects = DeviceArray.zeros(1, "uint32");
      run((i) => {
        if (i % 7 === 0) atomicAdd(rejects, 0, 1);
        return i;
      });
      expect(download(rejects)).toEqual([Math.ceil(count / 7)]);
    });
  });

  describe("captured functions and loops", () => {
    test("functions call functions, with default values", () => {
      expect(map(3, (x) => shifted(x) + shifted(x, 1))).toEqual([-5, 1, 19]);
    });

    test("a loop with a break, in a function", () => {
      expect(map(28, (i) => collatz(i)).slice(25)).toEqual([23, 10, 111]);
    });

    test("functions work on arrays that they are given", () => {
      const table = DeviceArray.from(new Float32Array([1, 3, 3, 8]));
      const upperBound = (sorted: DeviceArray<"float32">, x: number): number => {
        let low = 0;
        let high = sorted.length;
        while (low < high) {
          const middle = (low + high) >> 1;
          if (sorted[middle]! <= x) low = middle + 1;
          else high = middle;
        }
        return low;
      };
      expect(map(10, (x) => upperBound(table, x))).toEqual([0, 1, 1, 3, 3, 3, 3, 3, 4, 4]);
    });
  });

  if (backend === "cuda") {
    describe("operators in CUDA C++ and LTO-IR", () => {
      const output = (): DeviceArray<"float32"> => DeviceArray.zeros(3, "float32");

      test.each(cppCases)("%s", (_title, run, expected) => {
        expect(run()).toEqual(expected);
      });

      test("captured values are members of State", () => {
        const result = output();
        const table = DeviceArray.from(new Float32Array([10, 20, 30]));
        const op = cpp(
          "__device__ float op(int i, const State& state) {\n" +
            "  return state.negative ? -state.table[i] * state.scale + state.whole : state.table.length;\n}",
        );
        const captures = { scale: 0.5, negative: true, whole: 7n, table };
        unaryTransform({ input: counting(0), output: result, op: bind(op, captures) });
        expect(download(result)).toEqual([2, -3, -8]);
        captures.negative = false;
        unaryTransform({ input: counting(0), output: result, op: bind(op, captures) });
        expect(download(result)).toEqual([3, 3, 3]);
      });

      test("LTO-IR is linked in", () => {
        const code = readFileSync(join(__dirname, "../operators/fixtures/scaled-difference.ltoir"));
        const op = ltoir(code, { name: "scaled_difference", parameters: ["float32", "float32"], result: "float32" });
        const sum = DeviceArray.zeros(1, "float32");
        reduceInto({ input: DeviceArray.from(new Float32Array([1, 5])), output: sum, op });
        expect(download(sum)).toEqual([-12]);
      });
    });
  }
});
