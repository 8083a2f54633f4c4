/** Operators that are no order are refused by sorts and searches, as far as it shows before they run. */
import { DeviceArray, type ScalarName, lowerBound, mergeSort, ops, sort, struct, upperBound } from "../../lib";
import { describeOnBackends } from "../helpers/backends";
import { allTypes, download, elements, upload } from "../helpers/elements";

/** Any operator: that it is none is for the library to say. */
type Use = (type: ScalarName, op: unknown) => DeviceArray;

const keys = (type: ScalarName): DeviceArray => upload(type, elements(type, [3, 1, 2, 2, 1]));
const search =
  (run: typeof lowerBound): Use =>
  (type, comp) => {
    const output = DeviceArray.zeros(5, "int32");
    run({ data: keys(type), values: keys(type), output, comp } as never);
    return output;
  };
const uses: [string, string, Use][] = [
  [
    "mergeSort",
    "mergeSort.op",
    (type, op) => {
      const outputKeys = DeviceArray.zeros(5, type);
      mergeSort({ inputKeys: keys(type), outputKeys, op } as never);
      return outputKeys;
    },
  ],
  ["lowerBound", "lowerBound.comp", search(lowerBound)],
  ["upperBound", "upperBound.comp", search(upperBound)],
];

const refused = (argument: string, message: RegExp): Error =>
  expect.objectContaining({
    name: "TypeError",
    code: "ERR_INVALID_ARG_TYPE",
    argument,
    message: expect.stringMatching(message) as string,
  }) as Error;

describeOnBackends("an operator that is no order", () => {
  describe.each(uses)("is refused by %s", (_name, argument, use) => {
    test.each(allTypes)("where it is true of equal elements: %s", (type) => {
      for (const op of [
        ops.lessEqual,
        (a: number, b: number) => a >= b,
        (_a: number, _b: number) => true,
        (a: number, b: number) => a === b,
      ]) {
        expect(() => use(type, op)).toThrow(refused(argument, /true of \((0|false), (0|false)\)/));
      }
    });

    test("where it is true of two elements both ways", () => {
      expect(() => use("int32", (a: number, b: number) => a !== b)).toThrow(refused(argument, /\(0, 1\) both ways/));
    });

    test.each(["int32", "float64", "int64"] as const)("where it answers a number, as differences of %s are", (type) => {
      const op = (a: number, b: number): number => a - b;
      expect(() => use(type, op)).toThrow(
        refused(argument, new RegExp(`\\(a, b\\) => a < b.*one that answers ${type}`)),
      );
    });
  });

  test("is refused where it answers differences of structs' fields, or captures a sign", () => {
    const array = DeviceArray.from([{ x: 1 }, { x: 0 }], struct({ x: "float32" }));
    const sign = -1;
    for (const op of [
      (a: { x: number }, b: { x: number }) => a.x - b.x,
      (a: { x: number }, b: { x: number }) => sign * (a.x - b.x),
    ]) {
      expect(() => {
        mergeSort({ inputKeys: array, outputKeys: array, op: op as never });
      }).toThrow(refused("mergeSort.op", /one that answers float/));
    }
    expect(array.toArray()).toEqual([{ x: 1 }, { x: 0 }]);
  });

  test("is refused by sort", () => {
    const array = DeviceArray.from([3, 1, 2]);
    expect(() => sort(array, ((a: number, b: number) => a - b) as never)).toThrow(
      refused("sort.order", /one that answers float64/),
    );
  });

  test("is none of those that only look odd", () => {
    const orders: [(a: number, b: number) => boolean, number[]][] = [
      [(a, b) => !(a >= b), [1, 1, 2, 2, 3]],
      [(a, b) => (a === b ? false : a > b), [3, 2, 2, 1, 1]],
      [(a, b) => a % 2 < b % 2 || (a % 2 === b % 2 && a < b), [2, 2, 1, 1, 3]],
      [(_a, _b) => false, [3, 1, 2, 2, 1]],
    ];
    for (const [op, expected] of orders) {
      const outputKeys = DeviceArray.empty(5, "int32");
      mergeSort({ inputKeys: keys("int32") as DeviceArray<"int32">, outputKeys, op });
      expect(download(outputKeys)).toEqual(expected);
    }
  });
});
