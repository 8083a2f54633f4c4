/** An operator means within an iterator what it means by itself: whatever it captures, and however deep it stands. */
import { DeviceArray, bind, counting, exclusiveScan, reduceInto, transformed, transformedOutput, unaryTransform } from "../../lib"; // prettier-ignore
import type { TransformedIterator } from "../../lib/iterators";
import type { OperatorObject } from "../../lib/operators";
import { describeOnBackends } from "../helpers/backends";
import { download } from "../helpers/elements";

type Unary = ((x: number) => number) | OperatorObject;

const items = [1, 2, 3, 4];

function direct(op: Unary): unknown[] {
  const output = DeviceArray.empty(items.length, "float64");
  unaryTransform({ input: DeviceArray.from(items), output, op });
  return download(output);
}

/** The operator `depth` times over the items, each in an iterator of its own, summed up. */
function nested(op: Unary, depth: number): unknown {
  let input: DeviceArray<"float64"> | TransformedIterator<"float64"> = DeviceArray.from(items);
  for (let level = 0; level < depth; level++) input = transformed(input, op, "float64");
  const output = DeviceArray.empty(1, "float64");
  reduceInto({ input, output, op: (a, b) => a + b, init: 0 });
  return download(output)[0];
}

/** The same by plain JavaScript. */
const expected = (f: (x: number) => number, depth: number): number =>
  items.reduce((sum, item) => {
    let value = item;
    for (let level = 0; level < depth; level++) value = f(value);
    return sum + value;
  }, 0);

describeOnBackends("captures in iterators", () => {
  const scale = 3;
  const settings = { shift: 0.5, doubles: true };
  const shifted = (x: number): number => (settings.doubles ? x * 2 : x) + settings.shift;
  // Made for each backend.
  const table = (): Record<number, number> => DeviceArray.from(new Float32Array([10, 20, 30, 40, 50]));
  const half = (x: number): number => Math.floor(x / 2);

  const kinds: [what: string, make: () => Unary, plain: (x: number) => number][] = [
    ["nothing", () => (x) => x * x - 1, (x) => x * x - 1],
    ["a number", () => (x) => x * scale, (x) => x * 3],
    ["a bound number", () => bind((x: number, { k }: { k: number }) => x - k, { k: 7 }), (x) => x - 7],
    ["an object and a function", () => (x) => shifted(x) + settings.shift, (x) => x * 2 + 1],
    [
      "an array",
      () => {
        const numbers = table();
        return (x) => numbers[half(x) % 5]! / 10;
      },
      (x) => (half(x) % 5) + 1,
    ],
    [
      "a bound array and a number",
      () =>
        bind((x: number, { t, k }: { t: Record<number, number>; k: number }) => t[x % 5]! / 10 + k, {
          t: table(),
          k: 1,
        }),
      (x) => (x % 5) + 2,
    ],
  ];

  describe.each(kinds)("an operator that captures %s", (_what, make, plain) => {
    test("is the same by itself", () => {
      expect(direct(make())).toEqual(items.map(plain));
    });

    test("and one, two and three iterators deep", () => {
      const op = make();
      const found = [1, 2, 3].map((depth) => nested(op, depth));
      expect(found).toEqual([1, 2, 3].map((depth) => expected(plain, depth)));
    });
  });

  test("a sum becomes a mean on its way out, of as many items as there are at the call", () => {
    const mean = DeviceArray.empty(1, "float64");
    let count = 0;
    const output = transformedOutput(mean, (sum) => sum / count);
    const found = [4, 2].map((length) => {
      count = length;
      reduceInto({ input: DeviceArray.from(items).subarray(0, length), output, op: (a, b) => a + b, init: 0 });
      return download(mean)[0];
    });
    expect(found).toEqual([2.5, 1.5]);
  });

  test("an output looks its results up in an array", () => {
    const names = DeviceArray.from(new Float32Array([-1, 100, 101, 102])) as Record<number, number>;
    const sums = DeviceArray.empty(4, "float64");
    const output = transformedOutput(
      sums,
      bind((sum: number, { names }: { names: Record<number, number> }) => names[sum % 4]!, { names }),
    );
    exclusiveScan({ input: DeviceArray.from(items), output, op: (a, b) => a + b, init: 0 });
    // Sums are 0, 1, 3 and 6.
    expect(download(sums)).toEqual([-1, 100, 102, 101]);
  });

  test("each of two iterators and the algorithm's own operator reads its own values", () => {
    const [first, second, third] = [10, 200, 3000];
    const output = DeviceArray.empty(3, "float64");
    const input = transformed(
      transformed(counting(0), (i) => i + first, "float64"),
      (x) => x + second,
      "float64",
    );
    const results = transformedOutput(output, (x: number) => -x);
    unaryTransform({ input, output: results, numItems: 3, op: (x) => x + third });
    expect(download(output)).toEqual([-3210, -3211, -3212]);
  });

  test("an iterator keeps the array that its operator is bound to, and reads what it holds at the call", () => {
    const [input, weights] = (() => {
      const weights = DeviceArray.from(new Float64Array([1, 2, 3]));
      const op = bind((i: number, { weights }: { weights: Record<number, number> }) => weights[i]!, { weights });
      return [transformed(counting(0), op, "float64"), weights.subarray(0)] as const;
    })();
    const output = DeviceArray.empty(1, "float64");
    const total = (): unknown => {
      reduceInto({ input, output, op: (a, b) => a + b, init: 0, numItems: 3 });
      return download(output)[0];
    };
    const before = total();
    weights.fill(5);
    expect([before, total()]).toEqual([6, 15]);
  });

  test("a captured value that became another type after the iterator was made is refused, named", () => {
    const captured: { k: number | bigint } = { k: 2 };
    const op = bind((x: number, { k }: { k: number | bigint }) => (k ? x : 0), captured);
    const input = transformed(DeviceArray.from(items), op, "float64");
    captured.k = 2n;
    const output = DeviceArray.empty(1, "float64");
    expect(() => {
      reduceInto({ input, output, op: (a, b) => a + b, init: 0 });
    }).toThrow(/transformed\.op/);
  });

  test("a captured function that became another one after the iterator was made is refused, not ignored", () => {
    let step = (x: number): number => x + 1;
    const input = transformed(DeviceArray.from(items), (x) => step(x), "float64");
    const output = DeviceArray.empty(1, "float64");
    const sum = (): unknown => {
      reduceInto({ input, output, op: (a, b) => a + b, init: 0 });
      return download(output)[0];
    };
    expect(sum()).toBe(14);
    step = (x) => x * 100;
    expect(sum).toThrow(/transformed\.op/);
  });
});
