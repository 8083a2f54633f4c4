/** An output may share no memory with an array that the operator captures: reading it would race with the writing. */
import {
  DeviceArray,
  type ScalarName,
  bind,
  binaryTransform,
  counting,
  forEach,
  inclusiveScan,
  lowerBound,
  mergeSort,
  reduceInto,
  segmentedReduce,
  select,
  threeWayPartition,
  unaryTransform,
  uniqueByKey,
} from "../../lib";
import { describeOnBackends } from "../helpers/backends";

const zeros = <N extends ScalarName>(length: number, type: N): DeviceArray<N> => DeviceArray.zeros(length, type);

describeOnBackends("an output that the operator captures", () => {
  const input = (): DeviceArray<"float32"> => DeviceArray.from(new Float32Array([1, 2, 3, 4]));

  type Table = DeviceArray<"float32">;
  type Counts = DeviceArray<"int32">;

  const calls: [string, (table: Table, counts: Counts) => void, string][] = [
    [
      "unaryTransform",
      (table) => {
        unaryTransform({ input: input(), output: table, op: (x) => x + table[0]! });
      },
      "unaryTransform.output",
    ],
    [
      "unaryTransform, bound",
      (table) => {
        const op = bind((x: number, { t }: { t: Table }) => x + t[0]!, { t: table });
        unaryTransform({ input: input(), output: table, op });
      },
      "unaryTransform.output",
    ],
    [
      "unaryTransform, in part",
      (table) => {
        const head = table.subarray(0, 2);
        unaryTransform({ input: input().subarray(0, 3), output: table.subarray(1), op: (x) => x + head[0]! });
      },
      "unaryTransform.output",
    ],
    [
      "binaryTransform",
      (table) => {
        binaryTransform({ input1: input(), input2: input(), output: table, op: (x, y) => x + y + table[0]! });
      },
      "binaryTransform.output",
    ],
    [
      "inclusiveScan",
      (table) => {
        inclusiveScan({ input: input(), output: table, op: (a, b) => a + b + table[0]! });
      },
      "inclusiveScan.output",
    ],
    [
      "reduceInto",
      (table) => {
        reduceInto({ input: input(), output: table, op: (a, b) => a + b + table[0]! });
      },
      "reduceInto.output",
    ],
    [
      "segmentedReduce",
      (table, counts) => {
        const offsets = { startOffsets: counts.subarray(0, 1), endOffsets: counts.subarray(1, 2) };
        segmentedReduce({ input: input(), output: table, ...offsets, op: (a, b) => a + b + table[0]!, init: 0 });
      },
      "segmentedReduce.output",
    ],
    [
      "mergeSort",
      (table) => {
        mergeSort({ inputKeys: input(), outputKeys: table, op: (a, b) => a * table[0]! < b * table[0]! });
      },
      "mergeSort.outputKeys",
    ],
    [
      "lowerBound",
      (_, counts) => {
        lowerBound({ data: input(), values: input(), output: counts, comp: (a, b) => a + counts[0]! < b });
      },
      "lowerBound.output",
    ],
    [
      "select",
      (table, counts) => {
        select({ input: input(), output: table, outputCount: counts, op: (x) => x > table[0]! });
      },
      "select.output",
    ],
    [
      "select, its count",
      (table, counts) => {
        select({ input: input(), output: table, outputCount: counts, op: (x) => x > counts[0]! });
      },
      "select.outputCount",
    ],
    [
      "uniqueByKey",
      (table, counts) => {
        uniqueByKey({
          inputKeys: input(),
          outputKeys: table,
          outputCount: counts,
          op: (a, b) => a === b - table[0]!,
        });
      },
      "uniqueByKey.outputKeys",
    ],
    [
      "threeWayPartition, in the second predicate",
      (table, counts) => {
        threeWayPartition({
          input: input(),
          firstOutput: zeros(4, "float32"),
          secondOutput: zeros(4, "float32"),
          unselectedOutput: table,
          outputCounts: counts,
          selectFirst: (x) => x > 2,
          selectSecond: (x) => x > table[0]!,
        });
      },
      "threeWayPartition.unselectedOutput",
    ],
  ];

  test.each(calls)("is refused by %s, and nothing changes", (_, call, argument) => {
    const table = DeviceArray.from(new Float32Array([5, 6, 7, 8]));
    const counts = DeviceArray.from(new Int32Array([0, 4, 0, 0]));
    expect(() => {
      call(table, counts);
    }).toThrow(expect.objectContaining({ name: "RangeError", code: "ERR_OVERLAP", argument }) as Error);
    expect(table.toArray()).toEqual([5, 6, 7, 8]);
    expect(counts.toArray()).toEqual([0, 4, 0, 0]);
  });

  test("that lies apart in the same allocation is none", () => {
    const table = DeviceArray.from(new Float32Array([10, 20, 0, 0]));
    const head = table.subarray(0, 2);
    unaryTransform({ input: counting(0), output: table.subarray(2), op: (i) => head[i]! * 2 });
    expect(table.toArray()).toEqual([10, 20, 20, 40]);
  });

  test("may be an input, whose elements are read at their own places", () => {
    const table = DeviceArray.from(new Float32Array([1, 2, 3]));
    binaryTransform({ input1: table, input2: counting(0), output: table, op: (x, i) => x * i });
    expect(table.toArray()).toEqual([0, 2, 6]);
  });

  test("of forEach is what the operator writes itself", () => {
    const table = zeros(3, "float32");
    // prettier-ignore
    forEach({ input: counting(0, "int32"), numItems: 3, op: (i) => { table[i] = table[i]! + i; } });
    expect(table.toArray()).toEqual([0, 1, 2]);
  });
});
