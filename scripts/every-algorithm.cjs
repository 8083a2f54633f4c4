// One small case of every algorithm and iterator on backend cuda, checked against plain JavaScript: what memcheck runs.

const assert = require("node:assert/strict");
const cc = require("..");

cc.setBackend("cuda");
const { DeviceArray } = cc;

const n = 5000;
const numbers = Int32Array.from({ length: n }, (_, i) => (i * 7919) % 1009);
const input = DeviceArray.from(numbers);
const empty = (length = n, type = "int32") => DeviceArray.empty(length, type);
const sorted = numbers.toSorted();
const cases = {
  reduceInto() {
    const output = empty(1, "int64");
    cc.reduceInto({ input, output, op: (a, b) => a + b, init: 0n });
    return [output, [numbers.reduce((a, b) => a + BigInt(b), 0n)]];
  },
  inclusiveScan() {
    const output = empty();
    cc.inclusiveScan({ input, output, op: (a, b) => Math.max(a, b) });
    let most = -Infinity;
    return [output, numbers.map((x) => (most = Math.max(most, x)))];
  },
  exclusiveScan() {
    const output = empty();
    cc.exclusiveScan({ input, output, op: (a, b) => a + b, init: 5 });
    let sum = 5;
    return [output, numbers.map((x) => (sum += x) - x)];
  },
  unaryTransform() {
    const output = empty();
    cc.unaryTransform({ input, output, op: (x) => x * 2 });
    return [output, numbers.map((x) => x * 2)];
  },
  binaryTransform() {
    const output = empty();
    cc.binaryTransform({ input1: input, input2: cc.counting(0), output, op: (a, b) => a - b });
    return [output, numbers.map((x, i) => x - i)];
  },
  segmentedReduce() {
    const output = empty(50);
    const startOffsets = cc.transformed(cc.counting(0), (i) => i * 100, "int32");
    const endOffsets = cc.transformed(cc.counting(1), (i) => i * 100, "int32");
    cc.segmentedReduce({ input, output, startOffsets, endOffsets, numSegments: 50, op: (a, b) => a + b, init: 0 });
    return [
      output,
      Array.from({ length: 50 }, (_, s) => numbers.slice(s * 100, s * 100 + 100).reduce((a, b) => a + b)),
    ];
  },
  mergeSort() {
    const [keys, values] = [empty(), empty()];
    cc.mergeSort({ inputKeys: input, inputValues: cc.counting(0), outputKeys: keys, outputValues: values });
    assert.deepEqual(values.toArray().map((place) => numbers[place]), [...sorted]); // prettier-ignore
    return [keys, sorted];
  },
  radixSort() {
    const inputKeys = new cc.DoubleBuffer(DeviceArray.from(numbers), empty());
    cc.radixSort({ inputKeys, order: "descending" });
    return [inputKeys.current, sorted.toReversed()];
  },
  segmentedSort() {
    const bounds = DeviceArray.from(new Int32Array([0, 3, 700, n]));
    const outputKeys = empty();
    cc.segmentedSort({
      inputKeys: input,
      outputKeys,
      startOffsets: bounds.subarray(0, 3),
      endOffsets: bounds.subarray(1),
    });
    return [
      outputKeys,
      [
        [0, 3],
        [3, 700],
        [700, n],
      ].flatMap(([a, b]) => [...numbers.slice(a, b).sort()]),
    ];
  },
  uniqueByKey() {
    const [outputKeys, outputCount] = [empty(), empty(1)];
    cc.uniqueByKey({ inputKeys: DeviceArray.from(sorted), outputKeys, outputCount });
    const distinct = [...new Set(sorted)];
    assert.deepEqual(outputCount.toArray(), [distinct.length]);
    return [outputKeys.subarray(0, distinct.length), distinct];
  },
  select() {
    const [output, outputCount] = [empty(), empty(1)];
    cc.select({ input, output, outputCount, op: (x) => x % 3 === 0 });
    const kept = numbers.filter((x) => x % 3 === 0);
    assert.deepEqual(outputCount.toArray(), [kept.length]);
    return [output.subarray(0, kept.length), kept];
  },
  threeWayPartition() {
    const [firstOutput, secondOutput, unselectedOutput, outputCounts] = [empty(), empty(), empty(), empty(2)];
    cc.threeWayPartition({
      input,
      firstOutput,
      secondOutput,
      unselectedOutput,
      outputCounts,
      selectFirst: (x) => x < 300,
      selectSecond: (x) => x > 600,
    });
    const rest = numbers.filter((x) => x >= 300 && x <= 600);
    assert.deepEqual(outputCounts.toArray(), [
      numbers.filter((x) => x < 300).length,
      numbers.filter((x) => x > 600).length,
    ]);
    return [unselectedOutput.subarray(0, rest.length), rest];
  },
  histogramEven() {
    const output = empty(10);
    cc.histogramEven({ samples: input, output, lower: 0, upper: 1000 });
    return [
      output,
      Array.from({ length: 10 }, (_, b) => numbers.filter((x) => x >= b * 100 && x < b * 100 + 100).length),
    ];
  },
  lowerBound() {
    const output = empty(20, "uint64");
    cc.lowerBound({ data: DeviceArray.from(sorted), values: cc.counting(0), numValues: 20, output });
    return [output, Array.from({ length: 20 }, (_, x) => BigInt(sorted.filter((y) => y < x).length))];
  },
  upperBound() {
    const output = empty(20, "uint64");
    cc.upperBound({ data: DeviceArray.from(sorted), values: cc.counting(0), numValues: 20, output });
    return [output, Array.from({ length: 20 }, (_, x) => BigInt(sorted.filter((y) => y <= x).length))];
  },
  forEach() {
    const table = DeviceArray.zeros(1009, "int32");
    cc.forEach({ input, op: (x) => cc.atomicAdd(table, x, 1) });
    return [table, Array.from({ length: 1009 }, (_, x) => numbers.filter((y) => y === x).length)];
  },
  "iterators over iterators"() {
    const output = empty();
    const places = cc.shuffled(n, 3);
    const pairs = cc.zipped(cc.permuted(cc.reversed(input), places), cc.strided(cc.cacheModified(input, "stream"), 1));
    cc.unaryTransform({ input: pairs, output: cc.transformedOutput(output, (x) => x + 1), op: ([a, b]) => a * 2 - b });
    const order = empty(n, "int64");
    cc.unaryTransform({ input: places, output: order, op: (x) => x });
    return [output, order.toArray().map((place, i) => numbers[n - 1 - Number(place)] * 2 - numbers[i] + 1)];
  },
};

for (const [name, run] of Object.entries(cases)) {
  const [output, expected] = run();
  assert.deepEqual(output.toArray(), [...expected], name);
  console.log(`${name}: right`);
}
