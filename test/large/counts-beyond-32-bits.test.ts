/**
 * More items than 32 bits count. Needs a GPU with 40 GB: runs where CUDA_COMPUTE_TEST_LARGE is set, on backend cuda.
 */
import {
  DeviceArray,
  constant,
  counting,
  discard,
  histogramEven,
  inclusiveScan,
  reduceInto,
  select,
  setBackend,
  transformed,
  unaryTransform,
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

  test("iterators count on beyond 2^32", () => {
    const output = DeviceArray.empty(1, "int64");
    const ones = transformed(constant(1n), (x) => x + 1n, "int64");
    reduceInto({ input: ones, numItems: items, output, op: (a, b) => a + b, init: 0n });
    expect(output.toArray()).toEqual([2n * BigInt(items)]);
  });
});
