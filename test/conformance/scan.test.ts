import {
  DeviceArray,
  type ScalarName,
  Stream,
  constant,
  counting,
  exclusiveScan,
  inclusiveScan,
  makeExclusiveScanAsync,
  makeInclusiveScan,
  ops,
  reversed,
  transformed,
  transformedOutput,
} from "../../lib";
import { describeOnBackends } from "../helpers/backends";
import { allTypes, download, elements, integers, numberTypes, upload, wrapped } from "../helpers/elements";

type AnyArray = DeviceArray<"float64">;
type Scan = typeof inclusiveScan;

function scanAny(scan: Scan, input: DeviceArray, output: DeviceArray, op: unknown, init?: unknown): void {
  scan({
    input: input as AnyArray,
    output: output as AnyArray,
    op: op as (a: number, b: number) => number,
    ...(init === undefined ? {} : { init: init as number }),
  });
}

/** Running sums in exact integers. */
function runningSums(numbers: readonly number[], init: bigint): { inclusive: bigint[]; exclusive: bigint[] } {
  let sum = init;
  const exclusive: bigint[] = [];
  const inclusive = numbers.map((number) => {
    exclusive.push(sum);
    sum += BigInt(number);
    return sum;
  });
  return { inclusive, exclusive };
}

const firstTen = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

describeOnBackends("scans", () => {
  describe("plus over each type, wrapping as the type does", () => {
    test.each(numberTypes)("%s", (type) => {
      const isSmallFloat = type === "float16" || type === "bfloat16";
      const numbers = isSmallFloat ? integers(200, 0, 1) : integers(20_000, 0, 100);
      const expected = runningSums(numbers, 3n);
      const input = upload(type, elements(type, numbers));
      const output = DeviceArray.empty(numbers.length, type);
      const add = (a: number, b: number): number => a + b;
      scanAny(inclusiveScan, input, output, add, wrapped(type, 3n));
      expect(download(output)).toEqual(expected.inclusive.map((sum) => wrapped(type, sum)));
      scanAny(exclusiveScan as Scan, input, output, add, wrapped(type, 3n));
      expect(download(output)).toEqual(expected.exclusive.map((sum) => wrapped(type, sum)));
    });
  });

  describe("an operator of the user's over each type: a running maximum", () => {
    test.each(allTypes)("%s", (type) => {
      const numbers = type === "bool" ? [0, 0, 1, 0] : integers(3_000, 0, 100, 7);
      let most = -1;
      const expected = numbers.map((number) => wrapped(type, BigInt((most = Math.max(most, number)))));
      const output = DeviceArray.empty(numbers.length, type);
      scanAny(inclusiveScan, upload(type, elements(type, numbers)), output, (a: number, b: number) => (a > b ? a : b));
      expect(download(output)).toEqual(expected);
    });
  });

  describe("input, output and accumulator of different types", () => {
    const cases: [ScalarName, ScalarName][] = [
      ["int8", "int32"],
      ["uint8", "float64"],
      ["bool", "int32"],
      ["float32", "int32"],
      ["int32", "uint8"],
      ["float16", "float32"],
    ];
    test.each(cases)("%s summed into %s", (from, to) => {
      const numbers = integers(2_000, 0, from === "bool" ? 1 : 50);
      const output = DeviceArray.empty(numbers.length, to);
      scanAny(inclusiveScan, upload(from, elements(from, numbers)), output, (a: number, b: number) => a + b);
      expect(download(output)).toEqual(runningSums(numbers, 0n).inclusive.map((sum) => wrapped(to, sum)));
    });
  });

  describe("the initial value", () => {
    test("from a device array is read when the work runs", () => {
      const input = DeviceArray.from(new Int32Array([1, 2, 3]));
      const output = DeviceArray.empty(3, "int32");
      const init = DeviceArray.from(new Int32Array([100]));
      inclusiveScan({ input, output, op: (a, b) => a + b, init });
      expect(download(output)).toEqual([101, 103, 106]);
      init.fill(200);
      exclusiveScan({ input, output, op: (a, b) => a + b, init });
      expect(download(output)).toEqual([200, 201, 203]);
    });

    test("from a device array of another type sets the accumulator's type", () => {
      const input = DeviceArray.from(new Int32Array([1, 2, 3]));
      const output = DeviceArray.empty(3, "int32");
      inclusiveScan({ input, output, op: (a, b) => a + b, init: DeviceArray.from(new Float64Array([0.75])) });
      expect(download(output)).toEqual([1, 3, 6]); // 1.75, 3.75, 6.75 truncate
    });

    test("may be absent in an inclusive scan: the first item is the first result", () => {
      const output = DeviceArray.empty(4, "int32");
      const input = DeviceArray.from(new Int32Array([3, -5, 2, 9]));
      inclusiveScan({ input, output, op: (a, b) => (a < b ? a : b) });
      expect(download(output)).toEqual([3, -5, -5, -5]);
    });

    test("an exclusive scan needs one", () => {
      const array = DeviceArray.from(new Int32Array([1]));
      expect(() => {
        exclusiveScan({ input: array, output: array, op: (a: number, b: number) => a + b } as never);
      }).toThrow(expect.objectContaining({ code: "ERR_INVALID_ARG_TYPE", argument: "exclusiveScan.init" }));
    });
  });

  test("no items leave the output as it is", () => {
    const output = DeviceArray.full(2, 7, "int32");
    inclusiveScan({ input: DeviceArray.empty(0, "int32"), output, op: (a, b) => a + b });
    exclusiveScan({ input: DeviceArray.empty(0, "int32"), output, op: (a, b) => a + b, init: 1 });
    expect(download(output)).toEqual([7, 7]);
  });

  test("in place: the output may be exactly the input", () => {
    const array = DeviceArray.from(new Int32Array([1, 2, 3, 4]));
    inclusiveScan({ input: array, output: array, op: (a, b) => a + b });
    expect(download(array)).toEqual([1, 3, 6, 10]);
    exclusiveScan({ input: array, output: array, op: ops.plus, init: 0 });
    expect(download(array)).toEqual([0, 1, 4, 10]);
  });

  const scans: [string, Scan][] = [
    ["inclusiveScan", inclusiveScan],
    ["exclusiveScan", exclusiveScan as Scan],
  ];
  test.each(scans)("%s refuses an output over its init", (name, scan) => {
    const array = DeviceArray.from(new Int32Array([1, 2, 3, 4]));
    const [input, output] = [DeviceArray.from(new Int32Array([5, 6, 7])), array.subarray(0, 3)];
    for (const init of [array, array.subarray(0, 1), array.subarray(2, 3)]) {
      expect(() => {
        scan({ input, output, init, op: (a, b) => a + b });
      }).toThrow(expect.objectContaining({ code: "ERR_OVERLAP", argument: `${name}.output` }));
    }
    expect(download(array)).toEqual([1, 2, 3, 4]);
    scan({ input, output, init: array.subarray(3), op: (a, b) => a + b });
    expect(download(array)).toEqual(name === "inclusiveScan" ? [9, 15, 22, 4] : [4, 9, 15, 4]);
  });

  test("an output that overlaps the input in part is refused", () => {
    const array = DeviceArray.zeros(10, "int32");
    expect(() => {
      inclusiveScan({ input: array.subarray(0, 5), output: array.subarray(1, 6), op: (a, b) => a + b });
    }).toThrow(expect.objectContaining({ code: "ERR_OVERLAP", argument: "inclusiveScan.output" }));
  });

  describe("iterators", () => {
    test("counting in: triangular numbers, as many as the output has", () => {
      const output = DeviceArray.empty(5, "int32");
      inclusiveScan({ input: counting(1), output, op: (a, b) => a + b });
      expect(download(output)).toEqual([1, 3, 6, 10, 15]);
    });

    test("constant in: powers of two", () => {
      const output = DeviceArray.empty(6, "float64");
      exclusiveScan({ input: constant(2), output, op: (a, b) => a * b, init: 1 });
      expect(download(output)).toEqual([1, 2, 4, 8, 16, 32]);
    });

    test.each(numberTypes)("counting in %s", (type) => {
      const output = DeviceArray.empty(10, type);
      inclusiveScan({ input: counting(0, type as "float64"), output: output as AnyArray, op: (a, b) => a + b });
      expect(download(output)).toEqual(runningSums(firstTen, 0n).inclusive.map((sum) => wrapped(type, sum)));
    });

    test("reversed counting in, and reversed out", () => {
      const output = DeviceArray.empty(4, "int64");
      inclusiveScan({ input: reversed(counting(10n)), output, op: (a, b) => a + b });
      expect(download(output)).toEqual([10n, 19n, 27n, 34n]);
      exclusiveScan({ input: reversed(counting(10n)), output: reversed(output), op: (a, b) => a + b, init: 0n });
      expect(download(output)).toEqual([27n, 19n, 10n, 0n]);
    });

    test("counting in integers to float64, without an initial value", () => {
      const output = DeviceArray.empty(10, "float64");
      inclusiveScan({ input: counting(0), output, op: (a, b) => a + b });
      expect(download(output)).toEqual(runningSums(firstTen, 0n).inclusive.map(Number));
    });

    test.each(["float32", "float64"] as const)("a transformed output of %s, inclusive and exclusive", (type) => {
      const roots = DeviceArray.empty(3, type);
      const output = transformedOutput(roots as AnyArray, (sum) => Math.sqrt(sum));
      inclusiveScan({ input: DeviceArray.from([1, 8, 16]), output, op: ops.plus });
      expect(download(roots)).toEqual([1, 3, 5]);
      exclusiveScan({ input: DeviceArray.from([1, 8, 16]), output, op: ops.plus, init: 0 });
      expect(download(roots)).toEqual([0, 1, 3]);
    });

    test("transformed in and out, with captured numbers", () => {
      const scale = 10;
      const offset = 0.5;
      const sums = DeviceArray.empty(4, "float64");
      const input = transformed(DeviceArray.from(new Int16Array([1, 2, 3, 4])), (x) => x * scale, "float64");
      const output = transformedOutput(sums, (sum) => sum + offset);
      inclusiveScan({ input, output, op: (a, b) => a + b });
      expect(download(sums)).toEqual([10.5, 30.5, 60.5, 100.5]);
    });
  });

  describe("well-known operators over each type, inclusive and exclusive", () => {
    test.each(allTypes)("%s", (type) => {
      const numbers = type === "bool" ? [0, 1, 0, 0, 1, 1] : [3, 1, 4, 1, 5, 2, 6, 5, 3, 5];
      const input = upload(type, elements(type, numbers));
      const cases: [string, unknown, bigint, (a: bigint, b: bigint) => bigint][] = [
        ["maximum", ops.maximum, 0n, (a, b) => (a > b ? a : b)],
        ["minimum", ops.minimum, type === "bool" ? 1n : 4n, (a, b) => (a < b ? a : b)],
      ];
      if (type === "bool") cases.push(["logicalOr", ops.logicalOr, 0n, (a, b) => a | b]);
      else cases.push(["plus", ops.plus, 2n, (a, b) => a + b]);
      if (type.includes("int")) {
        cases.push(["multiplies", ops.multiplies, 1n, (a, b) => a * b], ["bitXor", ops.bitXor, 9n, (a, b) => a ^ b]);
      }
      for (const [name, op, init, plain] of cases) {
        let result = init;
        const exclusive: unknown[] = [];
        const inclusive = numbers.map((number) => {
          exclusive.push(wrapped(type, result));
          return wrapped(type, (result = plain(result, BigInt(number))));
        });
        const output = DeviceArray.empty(numbers.length, type);
        scanAny(inclusiveScan, input, output, op, wrapped(type, init));
        expect([name, download(output)]).toEqual([name, inclusive]);
        scanAny(exclusiveScan as Scan, input, output, op, wrapped(type, init));
        expect([name, download(output)]).toEqual([name, exclusive]);
      }
    });
  });

  test("an exclusive running maximum by a function of one's own", () => {
    const output = DeviceArray.empty(6, "int32");
    const input = DeviceArray.from(new Int32Array([-5, 0, 2, -3, 4, 1]));
    exclusiveScan({ input, output, op: (a, b) => (a > b ? a : b), init: 1 });
    expect(download(output)).toEqual([1, 1, 1, 2, 2, 4]);
  });

  test("on a stream the result is there after it is synchronized", () => {
    const stream = new Stream();
    const output = DeviceArray.empty(4, "int32", { stream });
    inclusiveScan({ input: counting(1), output, op: (a, b) => a + b, stream });
    exclusiveScan({ input: output, output, op: (a, b) => a + b, init: 0, stream });
    stream.synchronize();
    expect(Array.from(output.toTypedArray({ stream }))).toEqual([0, 1, 4, 10]);
  });

  test("running sums of fractions are right but for the rounding of each addition, in whatever order", () => {
    const numbers = Float32Array.from(integers(100_000, -1_000, 1_000, 12), (x) => x / 7);
    const output = DeviceArray.empty(numbers.length, "float32");
    inclusiveScan({ input: DeviceArray.from(numbers), output, op: (a, b) => a + b });
    let [exact, size] = [0, 0];
    const wrong = Array.from(output.toTypedArray()).findIndex((sum, i) => {
      const number = numbers[i] as number;
      [exact, size] = [exact + number, size + Math.abs(number)];
      // Each of at most i additions rounds by half a unit in the last place of what is summed.
      return Math.abs(sum - exact) > i * 2 ** -24 * size;
    });
    expect(wrong).toBe(-1);
  });

  test("an operator that does not commute keeps the items' order", () => {
    // Composes x -> m * x + c, packed as m * 1000 + c: associative, not commutative.
    const numbers = integers(500, 0, 1, 3).map((bit) => (bit === 0 ? 1_000 : 2_001));
    const compose = (f: number, g: number): number => {
      const m = Math.floor(f / 1000) * Math.floor(g / 1000);
      const c = (f % 1000) * Math.floor(g / 1000) + (g % 1000);
      return (m % 1000) * 1000 + (c % 1000);
    };
    let sum = 1_000;
    const expected = numbers.map((number) => (sum = compose(sum, number)));
    const output = DeviceArray.empty(numbers.length, "float64");
    inclusiveScan({
      input: DeviceArray.from(numbers),
      output,
      op: (f, g) => {
        const m = Math.floor(f / 1000) * Math.floor(g / 1000);
        const c = (f % 1000) * Math.floor(g / 1000) + (g % 1000);
        return (m % 1000) * 1000 + (c % 1000);
      },
      init: 1_000,
    });
    expect(download(output)).toEqual(expected);
  });

  describe("made", () => {
    test("makeInclusiveScan takes other arrays at each call", () => {
      const small = DeviceArray.empty(1, "int32");
      const scan = makeInclusiveScan({ input: small, output: small, op: (a, b) => a + b });
      const array = DeviceArray.from(new Int32Array([1, 2, 3]));
      scan({ input: array, output: array });
      expect(download(array)).toEqual([1, 3, 6]);
    });

    test("makeExclusiveScanAsync resolves to the same", async () => {
      const small = DeviceArray.empty(1, "int32");
      const scan = await makeExclusiveScanAsync({ input: small, output: small, op: (a, b) => a + b, init: 0 });
      const array = DeviceArray.from(new Int32Array([1, 2, 3]));
      scan({ input: array, output: array, init: 5 });
      expect(download(array)).toEqual([5, 6, 8]);
    });
  });
});
