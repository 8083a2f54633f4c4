/**
 * More items than 32 bits count. Needs a GPU with 40 GB: runs where CUDA_COMPUTE_TEST_LARGE is set, on backend cuda.
 */
import {
  DeviceArray,
  atomicAdd,
  constant,
  counting,
  discard,
  forEach,
  histogramEven,
  inclusiveScan,
  lowerBound,
  mergeSort,
  radixSort,
  reduceInto,
  segmentedReduce,
  segmentedSort,
  select,
  setBackend,
  threeWayPartition,
  transformed,
  unaryTransform,
  uniqueByKey,
  upperBound,
} from "../../lib";

const large = process.env["CUDA_COMPUTE_TEST_LARGE"] === undefined ? describe.skip : describe;
const items = 2 ** 32 + 3;

large("beyond 2^32 items", () => {
  beforeAll(() => {
    setBackend("cuda");
  });

  test("a reduction sees each of them", () => {
    const input = DeviceArray.full(items, 1, "int8");
    input.subarray(items - 1).fill(5);
    const output = DeviceArray.empty(1, "int64");
    reduceInto({ input, output, op: (a, b) => a + b, init: 0n });
    expect(output.toArray()).toEqual([BigInt(items) + 4n]);
    input.dispose();
  });

  test("a scan runs to the last of them", () => {
    const input = DeviceArray.full(items, 1, "int8");
    const output = DeviceArray.empty(items, "uint8");
    inclusiveScan({ input, output, op: (a, b) => a + b });
    // The running count, modulo 256.
    expect(output.subarray(2 ** 31 - 2, 2 ** 31 + 2).toArray()).toEqual([255, 0, 1, 2]);
    expect(output.subarray(items - 4).toArray()).toEqual([0, 1, 2, 3]);
    input.dispose();
    output.dispose();
  });

  test("a transform writes the last of them", () => {
    const output = DeviceArray.empty(items, "uint8");
    unaryTransform({ input: counting(0n), output, op: (i) => Number(i / 2n ** 24n) });
    expect(output.subarray(2 ** 31 - 1, 2 ** 31 + 1).toArray()).toEqual([127, 128]);
    expect(output.subarray(2 ** 32 - 1).toArray()).toEqual([255, 0, 0, 0]);
    output.dispose();
  });

  test("a histogram counts 2^32 samples", () => {
    const samples = DeviceArray.full(2 ** 32, 7, "uint8");
    samples.subarray(2 ** 32 - 2).fill(250);
    const output = DeviceArray.empty(4, "uint64");
    histogramEven({ samples, output, lower: 0, upper: 256 });
    expect(output.toArray()).toEqual([2n ** 32n - 2n, 0n, 0n, 2n]);
    samples.dispose();
  });

  test("a selection counts beyond 2^32", () => {
    const outputCount = DeviceArray.empty(1, "int64");
    const last = BigInt(items) - 2n;
    select({ input: counting(0n), numItems: items, output: discard("int64"), outputCount, op: (i) => i >= last });
    expect(outputCount.toArray()).toEqual([2n]);
  });

  test("a partition counts beyond 2^32", () => {
    const [outputCounts, last] = [DeviceArray.empty(2, "int64"), BigInt(items)];
    threeWayPartition({
      input: counting(0n),
      numItems: items,
      firstOutput: discard("int64"),
      secondOutput: discard("int64"),
      unselectedOutput: discard("int64"),
      outputCounts,
      selectFirst: (i) => i >= last - 2n,
      selectSecond: (i) => i >= last - 7n,
    });
    expect(outputCounts.toArray()).toEqual([2n, 5n]);
  });

  test("unique keys are found beyond 2^32", () => {
    const outputKeys = DeviceArray.empty(items, "uint8");
    const outputCount = DeviceArray.empty(1, "int64");
    const inputKeys = transformed(counting(0n), (i) => Number(i / 2n ** 24n), "uint8");
    uniqueByKey({ inputKeys, numItems: items, outputKeys, outputCount });
    expect(outputCount.toArray()).toEqual([257n]);
    // 0 to 255, and 0 again from 2^32 on.
    expect(outputKeys.subarray(0, 257).toArray()).toEqual(Array.from({ length: 257 }, (_, i) => i % 256));
    outputKeys.dispose();
  });

  /** 255, 254, … 0, each 2^24 times, and three more of 255. */
  function fallingKeys(): DeviceArray<"uint8"> {
    const keys = DeviceArray.empty(items, "uint8");
    unaryTransform({ input: counting(0n), output: keys, op: (i) => 255 - Number(i / 2n ** 24n) });
    return keys;
  }

  function expectRising(keys: DeviceArray<"uint8">): void {
    for (let key = 1; key < 256; key++) {
      expect(keys.subarray(key * 2 ** 24 - 1, key * 2 ** 24 + 1).toArray()).toEqual([key - 1, key]);
    }
    expect(keys.subarray(items - 1).toArray()).toEqual([255]);
  }

  test("a radix sort orders more than 2^32 keys", () => {
    const inputKeys = fallingKeys();
    const outputKeys = DeviceArray.empty(items, "uint8");
    radixSort({ inputKeys, outputKeys });
    expectRising(outputKeys);
    inputKeys.dispose();
    outputKeys.dispose();
  });

  test("a merge sort orders more than 2^32 keys", () => {
    const keys = fallingKeys();
    mergeSort({ inputKeys: keys, outputKeys: keys });
    expectRising(keys);
    keys.dispose();
  });

  test("a search finds places beyond 2^32", () => {
    const data = DeviceArray.zeros(items, "uint8");
    data.subarray(items - 5).fill(1);
    const values = DeviceArray.from(new Uint8Array([0, 1]));
    const output = DeviceArray.empty(2, "int64");
    lowerBound({ data, values, output });
    expect(output.toArray()).toEqual([0n, BigInt(items) - 5n]);
    upperBound({ data, values, output });
    expect(output.toArray()).toEqual([BigInt(items) - 5n, BigInt(items)]);
    data.dispose();
  });

  test("a segment may be longer than 2^32 items, and begin beyond them", () => {
    const input = DeviceArray.full(items, 1, "int8");
    const bounds = DeviceArray.from([0n, BigInt(items) - 1n, BigInt(items)]);
    const output = DeviceArray.empty(2, "int64");
    const [startOffsets, endOffsets] = [bounds.subarray(0, 2), bounds.subarray(1)];
    segmentedReduce({ input, output, startOffsets, endOffsets, op: (a, b) => a + b, init: 0n });
    expect(output.toArray()).toEqual([BigInt(items) - 1n, 1n]);
    input.dispose();
  });

  test("segments are sorted where they begin beyond 2^31 and end beyond 2^32", () => {
    const inputKeys = DeviceArray.full(items, 9, "uint8");
    const outputKeys = DeviceArray.zeros(items, "uint8");
    const starts = [0, 2 ** 31 - 2, 2 ** 32 - 3];
    const [startOffsets, endOffsets] = [
      DeviceArray.from(starts.map(BigInt)),
      DeviceArray.from(starts.map((start) => BigInt(start) + 5n)),
    ];
    for (const start of starts)
      inputKeys.subarray(start, start + 5).copyFrom(DeviceArray.from([5, 3, 4, 1, 2], "uint8"));
    segmentedSort({ inputKeys, outputKeys, startOffsets, endOffsets });
    for (const start of starts)
      expect(
        outputKeys
          .subarray(start, start + 6)
          .toArray()
          .slice(0, 5),
      ).toEqual([1, 2, 3, 4, 5]);
    expect(outputKeys.subarray(5, 6).toArray()).toEqual([0]);
    inputKeys.dispose();
    outputKeys.dispose();
  });

  test("for-each comes to the last of them", () => {
    const seen = DeviceArray.zeros(1, "int32");
    const last = BigInt(items) - 3n;
    forEach({
      input: counting(0n),
      numItems: items,
      op: (i) => {
        if (i >= last) atomicAdd(seen, 0, 1);
      },
    });
    expect(seen.toArray()).toEqual([3]);
  });

  test("iterators count on beyond 2^32", () => {
    const output = DeviceArray.empty(1, "int64");
    const ones = transformed(constant(1n), (x) => x + 1n, "int64");
    reduceInto({ input: ones, numItems: items, output, op: (a, b) => a + b, init: 0n });
    expect(output.toArray()).toEqual([2n * BigInt(items)]);
  });
});

large("around 2^31 items", () => {
  beforeAll(() => {
    setBackend("cuda");
  });

  const sizes = [2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1];

  test.each(sizes)("%i: a reduction and a histogram see each", (size) => {
    const input = DeviceArray.full(size, 1, "int8");
    input.subarray(size - 1).fill(-1);
    const [output, bins] = [DeviceArray.empty(1, "int64"), DeviceArray.empty(2, "int64")];
    reduceInto({ input, output, op: (a, b) => a + b, init: 0n });
    histogramEven({ samples: input, output: bins, lower: -1, upper: 3 });
    expect([output.toArray(), bins.toArray()]).toEqual([[BigInt(size) - 2n], [1n, BigInt(size) - 1n]]);
    input.dispose();
  });

  test.each(sizes)("%i: a scan and a selection come to the last", (size) => {
    const input = DeviceArray.full(size, 1, "int8");
    const [output, outputCount] = [DeviceArray.empty(size, "uint8"), DeviceArray.empty(1, "int64")];
    inclusiveScan({ input, output, op: (a, b) => a + b });
    // The running count, modulo 256.
    expect(output.subarray(size - 2).toArray()).toEqual([(size - 1) % 256, size % 256]);
    input.subarray(size - 1).fill(5);
    select({ input, output, outputCount, op: (x) => x === 5 });
    expect([outputCount.toArray(), output.subarray(0, 1).toArray()]).toEqual([[1n], [5]]);
    input.dispose();
    output.dispose();
  });

  test.each(sizes)("%i: sorts place the last first", (size) => {
    const [inputKeys, outputKeys] = [DeviceArray.empty(size, "uint8"), DeviceArray.empty(size, "uint8")];
    const sorts: ((options: Record<"inputKeys" | "outputKeys", DeviceArray<"uint8">>) => void)[] = [
      radixSort,
      mergeSort,
    ];
    for (const sort of sorts) {
      inputKeys.fill(200);
      inputKeys.subarray(size - 1).fill(3);
      sort({ inputKeys, outputKeys });
      expect(outputKeys.subarray(0, 2).toArray()).toEqual([3, 200]);
      expect(outputKeys.subarray(size - 1).toArray()).toEqual([200]);
    }
    inputKeys.dispose();
    outputKeys.dispose();
  });
});
