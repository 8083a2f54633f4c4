/** Every iterator as input and as output, alone and within others. Expected values come from plain code. */
import {
  DeviceArray,
  type Input,
  type Output,
  binaryTransform,
  bind,
  cacheModified,
  caches,
  constant,
  counting,
  discard,
  exclusiveScan,
  inclusiveScan,
  permuted,
  reduceInto,
  reversed,
  shuffled,
  strided,
  struct,
  transformed,
  transformedOutput,
  unaryTransform,
  zipped,
} from "../../lib";
import type { ElementSpec } from "../../lib/types/element";
import { describeOnBackends } from "../helpers/backends";
import { download, integers } from "../helpers/elements";

const range = (length: number): number[] => Array.from({ length }, (_, i) => i);
const numbers = [3, 1, 4, 1, 5, 9, 2, 6];
const count = numbers.length;
const Pair = struct({ v: "float32", i: "int32" });

describeOnBackends("iterators", () => {
  const values = (): DeviceArray<"float64"> => DeviceArray.from(numbers);
  const int32 = (list: readonly number[]): DeviceArray<"int32"> => DeviceArray.from(Int32Array.from(list));

  /** What an input holds, by an algorithm that copies it. */
  function copyOf<N extends ElementSpec>(input: Input<N>, numItems = input.length): unknown[] {
    const output = DeviceArray.empty(numItems, input.type);
    unaryTransform({ input: input as Input<"float64">, output: output as Output<"float64">, op: (x) => x, numItems });
    return output.toArray();
  }

  /** What an array holds after numbers were written through an output made from it. */
  function written(
    make: (array: DeviceArray<"float64">) => Output<"float64">,
    items = numbers,
    length = count,
  ): unknown[] {
    // prettier-ignore
    const array = DeviceArray.full(length, -1, "float64");
    unaryTransform({ input: DeviceArray.from(items), output: make(array), op: (x) => x });
    return array.toArray();
  }

  const total = (input: Input<"float64">, numItems = input.length): unknown => {
    const output = DeviceArray.empty(1, "float64");
    reduceInto({ input, output, op: (a, b) => a + b, init: 0, numItems });
    return output.toArray()[0];
  };

  describe("reversed", () => {
    test("of an array starts at its end", () => {
      expect(copyOf(reversed(values()))).toEqual([...numbers].reverse());
      expect(reversed(values()).length).toBe(count);
    });

    test("of a view, of itself, and of nothing", () => {
      expect(copyOf(reversed(values().subarray(2, 5)))).toEqual([5, 1, 4]);
      expect(copyOf(reversed(reversed(values())))).toEqual(numbers);
      expect(copyOf(reversed(DeviceArray.empty(0, "float64")))).toEqual([]);
    });

    test("of an iterator without an end counts down from where that stands", () => {
      expect(copyOf(reversed(counting(2)), 5)).toEqual([2, 1, 0, -1, -2]);
      expect(copyOf(reversed(counting(0.5, "float64")), 3)).toEqual([0.5, -0.5, -1.5]);
      expect(copyOf(reversed(counting(1, "uint8")), 3)).toEqual([1, 0, 255]);
      expect(copyOf(reversed(counting(-(2n ** 63n))), 2)).toEqual([-(2n ** 63n), 2n ** 63n - 1n]);
    });

    test("as an output fills from the end", () => {
      expect(written(reversed)).toEqual([...numbers].reverse());
      expect(written((array) => reversed(array.subarray(1, 4)), [7, 8, 9])).toEqual([-1, 9, 8, 7, -1, -1, -1, -1]);
    });

    test("a scan from the end, and one that is written from the end", () => {
      let sum = 0;
      const sums = [...numbers].reverse().map((x) => (sum += x));
      const output = DeviceArray.empty(count, "float64");
      inclusiveScan({ input: reversed(values()), output, op: (a, b) => a + b });
      expect(download(output)).toEqual(sums);
      inclusiveScan({ input: reversed(values()), output: reversed(output), op: (a, b) => a + b });
      expect(download(output)).toEqual([...sums].reverse());
    });
  });

  describe("strided", () => {
    const cases: [stride: number, offset: number][] = [[1, 0], [2, 0], [3, 1], [7, 1], [100, 3], [-1, 7], [-3, 7], [-2, 0], [2, 8]]; // prettier-ignore
    test.each(cases)("stride %i from %i", (stride, offset) => {
      const expected: unknown[] = [];
      for (let i = offset; i >= 0 && i < count; i += stride) expected.push(numbers[i]);
      const input = strided(values(), stride, offset);
      expect([input.length, copyOf(input)]).toEqual([expected.length, expected]);
    });

    test("columns of a matrix are never taken for rows", () => {
      const matrix = DeviceArray.from(range(600));
      const column = (j: number): number => range(200).reduce((sum, i) => sum + 3 * i + j, 0);
      expect([0, 1, 2].map((j) => total(strided(matrix, 3, j)))).toEqual([0, 1, 2].map(column));
    });

    test("as an output leaves what lies between", () => {
      expect(written((array) => strided(array, 3, 1), [7, 8])).toEqual([-1, 7, -1, -1, 8, -1, -1, -1]);
      expect(written((array) => strided(array, -3, 7), [7, 8, 9])).toEqual([-1, 9, -1, -1, 8, -1, -1, 7]);
    });

    test("of an iterator without an end", () => {
      expect(copyOf(strided(counting(10), 5, -2), 3)).toEqual([8, 13, 18]);
    });
  });

  describe("permuted", () => {
    test.each(["int8", "int16", "int32", "uint8", "uint16", "uint32"] as const)("gathers by %s", (type) => {
      const indices = DeviceArray.from([7, 0, 0, 3], type);
      expect(copyOf(permuted(values(), indices))).toEqual([6, 3, 3, 1]);
    });

    test.each(["int64", "uint64"] as const)("gathers by %s", (type) => {
      expect(copyOf(permuted(values(), DeviceArray.from([7n, 2n], type)))).toEqual([6, 4]);
    });

    test("its length is that of the indices", () => {
      expect(permuted(values(), int32([1, 2])).length).toBe(2);
      expect(permuted(values(), counting(0)).length).toBe(Infinity);
    });

    test("scatters", () => {
      expect(written((array) => permuted(array, int32([6, 4, 2])), [7, 8, 9])).toEqual([-1, -1, 9, -1, 8, -1, 7, -1]);
    });

    test("by counting, reversed, shuffled and computed indices", () => {
      expect(copyOf(permuted(values(), counting(2)), 3)).toEqual([4, 1, 5]);
      expect(copyOf(permuted(values(), reversed(counting(7))), count)).toEqual([...numbers].reverse());
      expect(
        copyOf(
          permuted(
            values(),
            transformed(counting(0), (i) => (i * 3) % 8, "int32"),
          ),
          count,
        ),
      ).toEqual(range(count).map((i) => numbers[(i * 3) % 8]));
      expect([...copyOf(permuted(values(), shuffled(count, 5)))].sort()).toEqual([...numbers].sort());
    });

    test("values without an end have an element at every index", () => {
      expect(copyOf(permuted(counting(100), int32([-3, 0, 1_000])))).toEqual([97, 100, 1_100]);
    });
  });

  describe("zipped", () => {
    test("elements are tuples, taken apart as arrays or by index", () => {
      const input = zipped(values(), counting(0n), constant(true));
      const output = DeviceArray.empty(count, "float64");
      unaryTransform({ input, output, op: ([x, i, on]) => (on ? x * 10 + Number(i) : 0) });
      expect(download(output)).toEqual(numbers.map((x, i) => x * 10 + i));
      unaryTransform({ input, output, op: (triple) => triple[0] - Number(triple[1]) });
      expect(download(output)).toEqual(numbers.map((x, i) => x - i));
    });

    test("takes an array of children too, and one child", () => {
      expect(copyOf(zipped([values(), counting(0)]))).toEqual(numbers.map((x, i) => [x, i]));
      expect(copyOf(zipped(values()))).toEqual(numbers.map((x) => [x]));
    });

    test("is as long as its shortest child", () => {
      const input = zipped(values(), values().subarray(2), counting(0));
      expect([input.length, zipped(counting(0), constant(1)).length]).toEqual([count - 2, Infinity]);
      expect(copyOf(input)).toHaveLength(count - 2);
    });

    test("as an output writes an item to each child", () => {
      const [doubled, large] = [DeviceArray.empty(count, "int32"), DeviceArray.empty(count, "bool")];
      unaryTransform({ input: values(), output: zipped(doubled, large), op: (x) => [x * 2, x > 3] });
      expect([download(doubled), download(large)]).toEqual([numbers.map((x) => x * 2), numbers.map((x) => x > 3)]);
    });

    test("in place, element for element", () => {
      const [a, b] = [values(), int32(range(count))];
      unaryTransform({ input: zipped(a, b), output: zipped(a, b), op: ([x, i]) => [x + i, i + 1] });
      expect([download(a), download(b)]).toEqual([numbers.map((x, i) => x + i), range(count).map((i) => i + 1)]);
    });

    test("a reduction to the largest and where it is", () => {
      const [most, where] = [DeviceArray.empty(1, "float64"), DeviceArray.empty(1, "int64")];
      const input = zipped(values(), counting(0n));
      const output = zipped(most, where);
      reduceInto({ input, output, op: ([x, i], [y, j]) => (x > y ? [x, i] : [y, j]), init: [-Infinity, -1n] });
      expect([download(most), download(where)]).toEqual([[9], [5n]]);
    });

    test("items of 16 bytes reduced in an accumulator of 8", () => {
      const list = integers(10_000, 0, 1_000_000);
      const expected = Math.max(...list);
      const floats = DeviceArray.from(Float32Array.from(list));
      const input = transformed(zipped(floats, counting(0n)), ([v, i]) => ({ v, i: Number(i) }), Pair);
      const output = DeviceArray.empty(1, Pair);
      const op = (a: { v: number; i: number }, b: { v: number; i: number }): { v: number; i: number } =>
        a.v > b.v || (a.v === b.v && a.i < b.i) ? a : b;
      reduceInto({ input, output, op, init: { v: -1, i: -1 } });
      expect(output.toArray()).toEqual([{ v: expected, i: list.indexOf(expected) }]);
    });

    test("tuples convert item by item: the accumulator holds input and output both", () => {
      const narrow = zipped(DeviceArray.from(new Int8Array([100, 100, 100])), constant(0.5, "float32"));
      const [sums, halves] = [DeviceArray.empty(1, "int64"), DeviceArray.empty(1, "int32")];
      const output = zipped(sums, halves);
      reduceInto({ input: narrow, output, op: ([a, b], [c, d]) => [a + c, b + d], init: [0n, 0] });
      expect([download(sums), download(halves)]).toEqual([[300n], [1]]);
    });

    test.each([10, 1_000, 100_000])(
      "reductions of %i tuples: of arrays, counted, computed, of one and of three",
      (size) => {
        const list = integers(size, -1_000, 1_000, size);
        const [a, b] = [DeviceArray.from(Float64Array.from(list)), DeviceArray.from(Int32Array.from(list))];
        const sum = list.reduce((x, y) => x + y);
        const sums = (input: Input, init: number[]): unknown[] => {
          const outputs = init.map(() => DeviceArray.empty(1, "float64"));
          const ops = [
            ([p]: number[], [q]: number[]) => [p! + q!],
            ([p, r]: number[], [q, s]: number[]) => [p! + q!, r! + s!],
            ([p, r, t]: number[], [q, s, u]: number[]) => [p! + q!, r! + s!, t! + u!],
          ];
          const output = zipped(outputs as [DeviceArray<"float64">]);
          reduceInto({ input: input as typeof output & Input<never>, output, op: ops[init.length - 1] as never, init: init as never, numItems: size }); // prettier-ignore
          return outputs.map((each) => download(each)[0]);
        };
        const counted = (size * (size - 1)) / 2;
        expect(sums(zipped(a, b), [0, 0])).toEqual([sum, sum]);
        expect(sums(zipped(a, counting(0)), [1, 1])).toEqual([sum + 1, counted + 1]);
        const odd = transformed(counting(0), (i) => 2 * i + 1, "float64");
        expect(sums(zipped(counting(0), odd), [0, 0])).toEqual([counted, size * size]);
        expect(sums(zipped(a, b, constant(2)), [0, 0, 0])).toEqual([sum, sum, 2 * size]);
        expect(sums(zipped(b), [0])).toEqual([sum]);
      },
    );

    test("both inputs of a binary transform", () => {
      const output = DeviceArray.empty(count, "float64");
      binaryTransform({
        input1: zipped(values(), counting(0)),
        input2: zipped(counting(1), values()),
        output,
        op: ([x, i], [j, y]) => x * j - i * y,
      });
      expect(download(output)).toEqual(numbers.map((x, i) => x * (i + 1) - i * x));
    });

    test("from further on: each child from there, nested ones too", () => {
      const input = zipped(values(), zipped(counting(100), reversed(counting(50))));
      const expected = numbers.map((x, i) => [x, [100 + i, 50 - i]]);
      expect(copyOf(strided(input, 1, 3))).toEqual(expected.slice(3));
      expect(copyOf(strided(permuted(values(), int32([7, 6, 5, 4])), 1, 2))).toEqual([numbers[5], numbers[4]]);
    });

    test("children of equal types share a build, others do not", () => {
      const builds = (input: Input<never>): number => {
        const before = caches.stats().builds;
        const op = ([a, b]: [number, number]): number => a * 31 + b;
        unaryTransform({ input, output: DeviceArray.empty(3, "float64"), op: op as never, numItems: 3 });
        return caches.stats().builds - before;
      };
      builds(zipped(values(), int32([1, 2, 3])) as never);
      expect(builds(zipped(DeviceArray.from([1, 2, 3, 4, 5]), int32([9, 9, 9])) as never)).toBe(0);
      expect(builds(zipped(values(), counting(0)) as never)).toBe(1);
      expect(builds(zipped(int32([1, 2, 3]), values()) as never)).toBe(1);
      expect(builds(zipped(DeviceArray.from([7, 8, 9]), counting(4)) as never)).toBe(0);
      const squares = (): Input<"int32"> => transformed(counting(0), (i) => i * i, "int32");
      expect(builds(zipped(values(), squares()) as never)).toBe(1);
      expect(builds(zipped(values(), squares()) as never)).toBe(0);
    });

    test.each(["float32", "float64"] as const)(
      "nested tuples out to arrays of %s and arrays of pairs of them",
      (type) => {
        const XY = struct({ x: type, y: type });
        const [sums, pairs] = [DeviceArray.empty(count, type), DeviceArray.empty(count, XY)];
        const [left, right] = [DeviceArray.empty(count, type), DeviceArray.empty(count, type)];
        const output = zipped(sums, zipped(pairs, zipped(left, right))) as unknown as Output<never>;
        const op = (x: number): unknown => [x + 1, [{ x, y: -x }, [x * 2, x / 2]]];
        unaryTransform({ input: DeviceArray.from(numbers), output, op: op as never });
        expect(download(sums)).toEqual(numbers.map((x) => x + 1));
        expect(pairs.toArray()).toEqual(numbers.map((x) => ({ x, y: -x })));
        expect([download(left), download(right)]).toEqual([numbers.map((x) => x * 2), numbers.map((x) => x / 2)]);
      },
    );

    test("scans of tuples, from an init and without", () => {
      const [sums, products] = [DeviceArray.empty(4, "float64"), DeviceArray.empty(4, "float64")];
      const output = zipped(sums, products);
      const input = zipped(DeviceArray.from([1, 2, 3, 4]), DeviceArray.from([1, 2, 3, 4]));
      inclusiveScan({ input, output, op: ([a, b], [c, d]) => [a + c, b * d] });
      expect([download(sums), download(products)]).toEqual([[1, 3, 6, 10], [1, 2, 6, 24]]); // prettier-ignore
      exclusiveScan({ input, output, op: ([a, b], [c, d]) => [a + c, b * d], init: [0, 1] });
      expect([download(sums), download(products)]).toEqual([[0, 1, 3, 6], [1, 1, 2, 6]]); // prettier-ignore
    });

    test("its type makes arrays of tuples", () => {
      const pairs = zipped(values(), counting(0));
      const array = DeviceArray.empty(count, pairs.type);
      unaryTransform({ input: pairs, output: array, op: (pair) => pair });
      expect(array.toArray()).toEqual(numbers.map((x, i) => [x, i]));
    });
  });

  describe("cacheModified", () => {
    const Small = struct({ a: "uint8", b: "uint8" });
    const Large = struct({ x: "float64", i: "int32" });
    test.each(["stream", "global", "volatile"] as const)("%s reads what the array holds, of any size", (modifier) => {
      const small = [{ a: 1, b: 2 }, { a: 3, b: 4 }]; // prettier-ignore
      const large = [{ x: 0.5, i: -1 }, { x: -2, i: 7 }]; // prettier-ignore
      expect(copyOf(cacheModified(DeviceArray.from(new Int8Array([-1, 5])), modifier))).toEqual([-1, 5]);
      expect(copyOf(cacheModified(DeviceArray.from(small, Small), modifier))).toEqual(small);
      expect(copyOf(cacheModified(DeviceArray.from([0.5, 2], "float16"), modifier))).toEqual([0.5, 2]);
      expect(copyOf(cacheModified(DeviceArray.from([1.5, 2], "float32"), modifier))).toEqual([1.5, 2]);
      expect(copyOf(cacheModified(values().subarray(1), modifier))).toEqual(numbers.slice(1));
      expect(copyOf(cacheModified(DeviceArray.from(large, Large), modifier))).toEqual(large);
    });

    test("within others", () => {
      const input = transformed(zipped(cacheModified(values()), reversed(cacheModified(values(), "global"))), ([x, y]) => x * 10 + y, "float64"); // prettier-ignore
      expect(copyOf(input)).toEqual(numbers.map((x, i) => x * 10 + (numbers[count - 1 - i] as number)));
    });
  });

  describe("discard", () => {
    test("takes anything, without an end", () => {
      expect(discard("float64").length).toBe(Infinity);
      unaryTransform({ input: values(), output: discard("float64"), op: (x) => x });
      unaryTransform({ input: values(), output: discard(DeviceArray.empty(0, Pair)), op: (v) => ({ v, i: 0 }) });
      inclusiveScan({ input: counting(0), output: discard("int64"), op: (a, b) => a + b, numItems: 5 });
    });

    test("beside an output that is wanted", () => {
      const sums = DeviceArray.empty(count, "float64");
      const output = zipped(discard("int32"), sums);
      unaryTransform({ input: values(), output, op: (x) => [1, x + 1] });
      expect(download(sums)).toEqual(numbers.map((x) => x + 1));
    });
  });

  describe("shuffled", () => {
    const order = (numItems: number, seed?: number | bigint): number[] =>
      copyOf(shuffled(numItems, seed)).map((item) => Number(item));

    test.each([1, 2, 3, 7, 16, 17, 64, 65, 100, 1000, 1023, 1024, 1025])("%i numbers, each once", (numItems) => {
      for (const seed of [0, 1, -1, 2n ** 64n - 1n]) {
        expect(order(numItems, seed).sort((a, b) => a - b)).toEqual(range(numItems));
      }
    });

    test("the order depends on the seed and on nothing else", () => {
      expect(order(100, 42)).toEqual(order(100, 42n));
      expect(order(100, -1)).toEqual(order(100, 2n ** 64n - 1n));
      expect(order(100)).toEqual(order(100, 0));
      expect(order(100, 1)).not.toEqual(order(100, 2));
      expect(order(100, 2n ** 40n)).not.toEqual(order(100, 0));
    });

    test("the order is the same on every backend and in every version", () => {
      expect(order(10, 7)).toEqual([7, 1, 3, 0, 4, 2, 8, 5, 9, 6]);
      expect(copyOf(strided(shuffled(2 ** 53 - 1, 3n), 2 ** 51), 3)).toEqual([
        1458786701419959n,
        4192502169501455n,
        4302494948337044n,
      ]);
    });

    test("all orders of four items come up, about equally often", () => {
      const times = new Map<string, number>();
      for (let seed = 0; seed < 2_400; seed++) {
        const read = shuffled(4, seed).hostReader();
        const text = range(4)
          .map((i) => Number(read(i)))
          .join();
        times.set(text, (times.get(text) ?? 0) + 1);
      }
      expect(times.size).toBe(24);
      expect(Math.min(...times.values())).toBeGreaterThan(60);
      expect(Math.max(...times.values())).toBeLessThan(140);
    });
  });

  describe("nested", () => {
    test("zipped of zipped of zipped, in and out", () => {
      const input = zipped(counting(0), zipped(values(), zipped(values(), constant(2n))));
      const output = DeviceArray.empty(count, "float64");
      unaryTransform({ input, output, op: ([i, [x, [y, two]]]) => i * 1_000 + x * 10 + y * Number(two) });
      expect(download(output)).toEqual(numbers.map((x, i) => i * 1_000 + x * 12));
      const [a, b, c] = [values(), int32(numbers), int32(numbers)];
      unaryTransform({
        input: values(),
        output: zipped(a, zipped(b, zipped(c))),
        op: (x) => [x, [x + 1, [x + 2]]],
      });
      expect([a, b, c].map((each) => download(each))).toEqual([0, 1, 2].map((plus) => numbers.map((x) => x + plus)));
    });

    test("transformed of zipped, and its output with captured values", () => {
      const scale = 10;
      const input = transformed(zipped(values(), counting(0)), ([x, i]) => x * scale + i, "float64");
      expect(copyOf(input)).toEqual(numbers.map((x, i) => x * 10 + i));
      const [sums, differences] = [DeviceArray.empty(count, "float64"), DeviceArray.empty(count, "float64")];
      const shift = bind(([x, i]: [number, number], { k }: { k: number }): [number, number] => [x + i + k, x - i], { k: 100 }); // prettier-ignore
      const output = transformedOutput(zipped(sums, differences), shift);
      unaryTransform({ input: zipped(values(), counting(0, "float64")), output, op: (pair) => pair });
      expect(download(sums)).toEqual(numbers.map((x, i) => x + i + 100));
      expect(download(differences)).toEqual(numbers.map((x, i) => x - i));
    });

    test("permuted of zipped, zipped of permuted, and both reversed", () => {
      const backwards = int32(range(count).reverse());
      const pairs = range(count).map((i) => [numbers[count - 1 - i], count - 1 - i]);
      expect(copyOf(permuted(zipped(values(), counting(0)), backwards))).toEqual(pairs);
      expect(copyOf(zipped(permuted(values(), backwards), backwards))).toEqual(pairs);
      expect(copyOf(reversed(permuted(zipped(values(), counting(0)), backwards)))).toEqual([...pairs].reverse());
    });

    test("permuted of zipped scatters tuples", () => {
      const [a, b] = [values(), int32(range(count))];
      const output = permuted(zipped(a, b), int32([6, 0]));
      unaryTransform({ input: DeviceArray.from([70, 80]), output, op: (x) => [x, x + 1] });
      expect(download(a)).toEqual([80, 1, 4, 1, 5, 9, 70, 6]);
      expect(download(b)).toEqual([81, 1, 2, 3, 4, 5, 71, 7]);
    });

    test("reversed of transformed of strided, and strided of reversed", () => {
      const input = reversed(transformed(strided(values(), 2, 1), (x) => x * 2, "float64"));
      expect(copyOf(input)).toEqual([12, 18, 2, 2]);
      expect(copyOf(strided(reversed(values()), 3))).toEqual([6, 5, 1]);
      expect(written((array) => reversed(transformedOutput(strided(array, 2), (x) => x * 2)), [1, 2, 3, 4])).toEqual([
        8, -1, 6, -1, 4, -1, 2, -1,
      ]);
    });

    test("a reduction of a deep one", () => {
      const chosen = permuted(
        values(),
        transformed(shuffled(count, 9), (i) => Number(i), "int32"),
      );
      const input = transformed(zipped(chosen, constant(2)), ([x, two]) => x * two, "float64");
      expect(total(input)).toBe(2 * numbers.reduce((a, b) => a + b));
    });
  });

  test("starts, seeds, strides, lengths and arrays never build anything again", () => {
    const output = DeviceArray.empty(1, "float64");
    const call = (n: number): unknown => {
      const array = DeviceArray.from(range(10 * n + 20));
      const indices = permuted(shuffled(n + 5, n), reversed(strided(counting(n), -1, 0)));
      const input = zipped(reversed(array), strided(cacheModified(array), n, n), permuted(array, indices));
      const op = bind(([x, y]: [number, number, number], { k }: { k: number }) => x + y * k, { k: n });
      reduceInto({ input: transformed(input, op, "float64"), output, op: (a, b) => a + b, init: n, numItems: 2 });
      return output.toArray()[0];
    };
    const expected = (n: number): number => n + (20 * n + 37) + n * (3 * n);
    expect(call(1)).toBe(expected(1));
    const before = caches.stats();
    for (const n of [2, 3, 7]) expect(call(n)).toBe(expected(n));
    expect(caches.stats()).toMatchObject({ builds: before.builds, links: before.links });
  });

  describe("an output over the input's memory", () => {
    const array = (): DeviceArray<"float64"> => DeviceArray.zeros(6, "float64");
    const cases: [string, (a: DeviceArray<"float64">) => [Input<"float64">, Output<"float64">]][] = [
      ["backwards", (a) => [a, reversed(a)]],
      ["from backwards", (a) => [reversed(a), a]],
      ["scattered", (a) => [a, permuted(a, int32(range(6)))]],
      ["gathered", (a) => [permuted(a, int32(range(6))), a]],
      ["strided", (a) => [a.subarray(0, 3), strided(a, 2)]],
      ["deep within", (a) => [transformed(zipped(constant(1), reversed(a)), ([x]) => x, "float64"), transformedOutput(a, (x) => x)]], // prettier-ignore
      ["in part, of an iterator's", (a) => [a.subarray(0, 5), transformedOutput(a.subarray(1), (x: number) => x)]],
    ];
    test.each(cases)("is refused: %s", (_, make) => {
      const [input, output] = make(array());
      const overlap = expect.objectContaining({ code: "ERR_OVERLAP", argument: "unaryTransform.output" });
      expect(() => unaryTransform({ input, output, op: (x) => x })).toThrow(overlap);
      expect(() => inclusiveScan({ input, output, op: (a, b) => a + b })).toThrow(
        expect.objectContaining({ code: "ERR_OVERLAP", argument: "inclusiveScan.output" }),
      );
    });

    test("is refused for a zip of one beside the other", () => {
      const a = array();
      const output = zipped(a.subarray(0, 5), DeviceArray.empty(5, "float64"));
      expect(() => unaryTransform({ input: a.subarray(1), output, op: (x) => [x, x] })).toThrow(/overlaps/);
    });

    test("is refused for a scatter over its own indices", () => {
      const a = int32(range(4));
      expect(() => unaryTransform({ input: counting(0), output: permuted(a, a), op: (x) => x })).toThrow(/overlaps/);
    });

    test("is fine element for element, and apart", () => {
      const a = values();
      const scaled = transformedOutput(a, (x) => x * 2);
      unaryTransform({ input: transformed(a, (x) => x + 1, "float64"), output: scaled, op: (x) => x }); // prettier-ignore
      unaryTransform({ input: reversed(a.subarray(0, 4)), output: reversed(a.subarray(4)), op: (x) => x });
      const first = numbers.slice(0, 4).map((x) => (x + 1) * 2);
      expect(download(a)).toEqual([...first, ...first]);
      const indices = int32([3, 1, 2]);
      unaryTransform({ input: permuted(int32([5, 6, 7, 8]), indices), output: indices, op: (x) => x });
      expect(download(indices)).toEqual([8, 6, 7]);
    });
  });

  describe("what cannot be is refused by name", () => {
    const f64 = (): DeviceArray<"float64"> => DeviceArray.zeros(4, "float64");
    const huge = (): DeviceArray => DeviceArray.zeros(1, struct({ p: ["int8", 40_000] }));
    const cases: [string, () => unknown, string, string][] = [
      ["cacheModified of an iterator", () => cacheModified(counting(0) as never), "TypeError", "cacheModified.array"],
      ["cacheModified of 12 bytes", () => cacheModified(DeviceArray.zeros(1, struct({ p: ["float32", 3] }))), "TypeError", "cacheModified.array"], // prettier-ignore
      ["another modifier", () => cacheModified(f64(), "write-back" as never), "TypeError", "cacheModified.modifier"],
      ["a modifier of the prototype", () => cacheModified(f64(), "toString" as never), "TypeError", "cacheModified.modifier"], // prettier-ignore
      ["zipped of nothing", () => zipped([] as never), "RangeError", "zipped.children"],
      ["zipped without arguments", () => (zipped as () => unknown)(), "RangeError", "zipped.children"],
      ["zipped of a typed array", () => zipped(f64(), new Float32Array(3) as never), "TypeError", "zipped.children[1]"],
      ["zipped of a hole", () => zipped([f64(), undefined] as never), "TypeError", "zipped.children[1]"],
      ["zipped of unlike directions", () => zipped(f64(), counting(0), discard("int8") as never), "TypeError", "zipped.children[2]"], // prettier-ignore
      ["zipped of more than 64 KiB", () => zipped(huge(), huge()), "RangeError", "zipped.children"],
      ["permuted of no values", () => permuted(3 as never, counting(0)), "TypeError", "permuted.values"],
      ["permuted by floats", () => permuted(f64(), f64() as never), "TypeError", "permuted.indices"],
      ["permuted by booleans", () => permuted(f64(), constant(true) as never), "TypeError", "permuted.indices"],
      ["permuted by an output", () => permuted(f64(), discard("int32") as never), "TypeError", "permuted.indices"],
      ["reversed of a number", () => reversed(3 as never), "TypeError", "reversed.x"],
      ["discard of nothing", () => discard(undefined as never), "TypeError", "discard.type"],
      ["discard of no type", () => discard("float8" as never), "TypeError", "discard.type"],
      ["strided of nothing", () => strided(undefined as never, 1), "TypeError", "strided.x"],
      ["a stride of 0", () => strided(f64(), 0), "RangeError", "strided.stride"],
      ["a stride of a half", () => strided(f64(), 0.5), "RangeError", "strided.stride"],
      ["a stride that is none", () => strided(f64(), "1" as never), "TypeError", "strided.stride"],
      ["an offset before the beginning", () => strided(f64(), 1, -1), "RangeError", "strided.offset"],
      ["an offset behind the end", () => strided(f64(), 1, 5), "RangeError", "strided.offset"],
      ["an offset that is none", () => strided(f64(), 1, 1n as never), "TypeError", "strided.offset"],
      ["shuffled of none", () => shuffled(0), "RangeError", "shuffled.numItems"],
      ["shuffled of less", () => shuffled(-1), "RangeError", "shuffled.numItems"],
      ["shuffled of a fraction", () => shuffled(1.5), "RangeError", "shuffled.numItems"],
      ["shuffled of too many", () => shuffled(2 ** 53), "RangeError", "shuffled.numItems"],
      ["shuffled of a bigint", () => shuffled(5n as never), "TypeError", "shuffled.numItems"],
      ["a seed that is a fraction", () => shuffled(5, 0.5), "RangeError", "shuffled.seed"],
      ["a seed of 65 bits", () => shuffled(5, 2n ** 64n), "RangeError", "shuffled.seed"],
      ["a seed that is none", () => shuffled(5, "x" as never), "TypeError", "shuffled.seed"],
    ];
    test.each(cases)("%s", (_, make, name, argument) => {
      expect(make).toThrow(expect.objectContaining({ name, argument }));
    });

    test("reading an output, and writing an input", () => {
      const a = f64();
      expect(() => unaryTransform({ input: reversed(discard("float64")) as unknown as Input<"float64">, output: a, op: (x: number) => x })).toThrow(/unaryTransform\.input/); // prettier-ignore
      expect(() => unaryTransform({ input: a, output: zipped(a, counting(0)) as never, op: (x: number) => x })).toThrow(/unaryTransform\.output/); // prettier-ignore
    });

    test("a disposed part, by its name", () => {
      const a = f64();
      const indices = int32([0, 1]);
      const input = zipped(counting(0), reversed(permuted(a, indices)));
      const output = DeviceArray.empty(2, "float64");
      const call = (): void => unaryTransform({ input, output, op: ([, x]) => x });
      call();
      indices.dispose();
      expect(call).toThrow(expect.objectContaining({ code: "ERR_DISPOSED", argument: "unaryTransform.input (indices of item 1)" })); // prettier-ignore
      a.dispose();
      expect(() => reversed(a)).toThrow(expect.objectContaining({ code: "ERR_DISPOSED", argument: "reversed.x" }));
      expect(() => cacheModified(a)).toThrow(expect.objectContaining({ code: "ERR_DISPOSED" }));
    });
  });
});

test("on the host an index out of bounds is a RangeError", () => {
  const input = permuted(DeviceArray.zeros(3, "float64"), DeviceArray.from([0, 3], "int32"));
  if (input.backend?.name !== "host") return;
  const output = DeviceArray.zeros(2, "float64");
  const message = expect.objectContaining({ code: "ERR_OUT_OF_RANGE", argument: "permuted.indices[1]" });
  expect(() => unaryTransform({ input, output, op: (x) => x })).toThrow(message);
  expect(() => unaryTransform({ input: output, output: permuted(DeviceArray.zeros(3, "float64"), constant(-1, "int8")), op: (x) => x })).toThrow(RangeError); // prettier-ignore
});
