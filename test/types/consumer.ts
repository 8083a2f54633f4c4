/** What a program of a user compiles to, and what it must not: held by types.test.ts. */
import {
  DeviceArray,
  reduceInto,
  inclusiveScan,
  exclusiveScan,
  unaryTransform,
  binaryTransform,
  transformed,
  counting,
  makeReduceInto,
  ops,
  bind,
  constant,
  struct,
  type ScalarName,
  type Struct,
  type ValueOf,
  atomicAdd,
  cpp,
  fused,
  ltoir,
  cacheModified,
  discard,
  permuted,
  reversed,
  shuffled,
  strided,
  transformedOutput,
  zipped,
  type Input,
  type InputIterator,
  type Output,
  type OutputIterator,
  makeSelect,
  select,
  threeWayPartition,
  makeUniqueByKey,
  uniqueByKey,
  forEach,
  histogramEven,
  lowerBound,
  makeForEach,
  makeHistogramEven,
  makeSegmentedReduce,
  makeUpperBound,
  segmentedReduce,
} from "cuda-compute";
const f = DeviceArray.from(new Float32Array(3));
const i64 = DeviceArray.from([1n]);
const b = DeviceArray.zeros(3, "bool");
const i16 = DeviceArray.zeros(3, "int16");
reduceInto({ input: f, output: f, op: (a, b) => a + b, init: 0 });
reduceInto({ input: i64, output: i64, op: (a, b) => a + b, init: 0n });
reduceInto({ input: i64, output: i64, op: (a, b) => a + b, init: 0 });
reduceInto({ input: i16, output: i64, op: (a, b) => a + b, init: 0n });
reduceInto({ input: i64, output: f, op: (a, b) => a + b, init: 0 });
reduceInto({ input: f, output: f, op: (a, b) => a + b, init: new Float64Array([0]) });
inclusiveScan({ input: i16, output: i64, op: (a, b) => a + b });
exclusiveScan({ input: f, output: f, op: (a, b) => a + b, init: DeviceArray.zeros(1, "float64") });
unaryTransform({ input: f, output: b, op: (x) => x > 1 });
binaryTransform({ input1: f, input2: i64, output: f, op: (x, y) => x + Number(y) });
const sq = transformed(counting(0), (x) => x * x, "float32");
reduceInto({ input: sq, output: f, op: (a, b) => a + b, init: 0, numItems: 3 });
const s = makeReduceInto({ input: f, output: f, op: (a, b) => a + b, init: 0 });
s({ input: f, output: f, init: 5 });
unaryTransform({ input: f, output: f, op: bind((x: number, { k }: { k: number }) => x * k, { k: 2 }) });
const r: Float32Array = f.toTypedArray();
const q: Promise<BigInt64Array> = i64.read();
// @ts-expect-error string result
unaryTransform({ input: f, output: f, op: (x) => "a" });
// @ts-expect-error bigint with number
reduceInto({ input: i64, output: i64, op: (a, b) => a + 1, init: 0n });
// @ts-expect-error bigint init for float
reduceInto({ input: f, output: f, op: (a, b) => a + b, init: 0n });
// @ts-expect-error number result for int64
unaryTransform({ input: f, output: i64, op: (x) => x });
// @ts-expect-error unknown type
DeviceArray.empty(1, "float8");
// @ts-expect-error exclusive needs init
exclusiveScan({ input: f, output: f, op: (a, b) => a + b });
// @ts-expect-error made for other types
s({ input: i16, output: f, init: 5 });
const i32 = DeviceArray.zeros(3, "int32");
select({ input: f, output: i64, outputCount: i32, op: (x) => x > 1 });
select({ input: counting(0n), output: i16, outputCount: i64, op: (x) => x > 1n });
const positive = makeSelect({ input: f, output: f, outputCount: i32, op: (x) => x > 0 });
positive({ input: f, output: f, outputCount: i32 });
threeWayPartition({
  input: f,
  firstOutput: f,
  secondOutput: i16,
  unselectedOutput: b,
  outputCounts: i64,
  selectFirst: (x) => x > 1,
  selectSecond: ops.logicalNot,
});
uniqueByKey({ inputKeys: f, outputKeys: i16, outputCount: i32 });
uniqueByKey({ inputKeys: i64, inputValues: f, outputKeys: i64, outputValues: b, outputCount: i32 });
const near = makeUniqueByKey({ inputKeys: i64, outputKeys: i64, outputCount: i32, op: (x, y) => y - x < 2n });
near({ inputKeys: i64, outputKeys: i64, outputCount: i32 });
// @ts-expect-error a predicate answers a boolean
select({ input: f, output: f, outputCount: i32, op: (x) => x + 1 });
// @ts-expect-error a predicate of BigInts
select({ input: i64, output: i64, outputCount: i32, op: (x) => x % 2 === 0 });
// @ts-expect-error counts are integers
select({ input: f, output: f, outputCount: f, op: (x) => x > 1 });
// @ts-expect-error made for other types
positive({ input: i64, output: f, outputCount: i32 });
// @ts-expect-error the second predicate is missing
threeWayPartition({
  input: f,
  firstOutput: f,
  secondOutput: f,
  unselectedOutput: f,
  outputCounts: i32,
  selectFirst: (x) => x > 1,
});
// @ts-expect-error keys that compare with numbers
uniqueByKey({ inputKeys: i64, outputKeys: i64, outputCount: i32, op: (x, y) => y - x === 2 });
// @ts-expect-error no input can be written
uniqueByKey({ inputKeys: f, outputKeys: counting(0), outputCount: i32 });
const Point = struct({ v: "float32", i: "int64", p: ["float32", 3], inner: struct({ on: "bool" }) });
const points = DeviceArray.from([{ v: 1, i: 2n, p: [1, 2, 3], inner: { on: true } }], Point);
const Best = struct({ v: "float32", i: "int64" });
const bests: DeviceArray<Struct<{ v: "float32"; i: "int64" }>> = DeviceArray.empty(1, Best);
reduceInto({ input: bests, output: bests, op: (a, b) => (a.v > b.v ? a : b), init: { v: 0, i: 0n } });
exclusiveScan({ input: bests, output: bests, op: (a, b) => ({ v: a.v + b.v, i: a.i + b.i }), init: { v: 0, i: 0n } });
exclusiveScan({ input: bests, output: bests, op: (a, b) => (a.v > b.v ? a : b), init: bests });
const Wide = struct({ i: "int64", v: "float64" });
reduceInto({
  input: bests,
  output: DeviceArray.empty(1, Wide),
  op: (a, b) => (a.v > b.v ? a : b),
  init: { v: 0, i: 0n },
});
unaryTransform({ input: points, output: f, op: (x) => x.v * (x.p[0] ?? 0) });
unaryTransform({ input: f, output: bests, op: (x) => ({ v: x, i: 1n }) });
binaryTransform({ input1: points, input2: f, output: b, op: (x, y) => x.inner.on && x.v > y });
select({ input: bests, output: bests, outputCount: i32, op: (x) => x.v > 0 });
select({ input: bests, output: DeviceArray.empty(1, Wide), outputCount: i32, op: (x) => x.i > 0n });
uniqueByKey({ inputKeys: f, inputValues: bests, outputKeys: f, outputValues: bests, outputCount: i32 });
// @ts-expect-error structs do not convert to scalars
select({ input: bests, output: f, outputCount: i32, op: (x) => x.v > 0 });
// @ts-expect-error scalars do not convert to structs
uniqueByKey({ inputKeys: f, inputValues: f, outputKeys: f, outputValues: bests, outputCount: i32 });
const largest = makeReduceInto({
  input: bests,
  output: bests,
  op: (a, b) => (a.v > b.v ? a : b),
  init: { v: 0, i: 0n },
});
largest({ input: bests, output: bests, init: { v: 5, i: 6n } });
const objects: { v: number; i: bigint; p: number[]; inner: { on: boolean } }[] = points.toArray();
const numbers: number[] = f.toArray();
const bigints: bigint[] = i64.toArray();
const columns: { v: Float32Array; i: BigInt64Array; p: Float32Array; inner: { on: Uint8Array } } = points.toColumns();
DeviceArray.fromColumns(columns, Point);
const rawBytes: Uint8Array = points.toTypedArray();
DeviceArray.from(rawBytes, Point).copyFrom(rawBytes).fill(objects[0]!);
DeviceArray.full(1, { v: 0, i: 0n }, Best);
const value: ValueOf<typeof Point> = { v: 1, i: 1n, p: [1], inner: { on: false } };
const repeated = constant({ v: 0, i: 0n }, Best);
reduceInto({ input: repeated, output: bests, op: (a, b) => a, init: { v: 0, i: 0n }, numItems: 1 });
const firsts = transformed(points, (x) => x.p[0]!, "float32");
reduceInto({ input: firsts, output: f, op: (a, b) => a + b, init: 0 });
const structs = transformed(f, (x) => ({ v: x, i: 0n }), Best);
reduceInto({ input: structs, output: bests, op: (a, b) => (a.i > b.i ? a : b), init: { v: 0, i: 0n } });
// Captured arrays have elements inside of operators; under noUncheckedIndexedAccess they may be undefined.
unaryTransform({ input: counting(0), output: f, op: (i) => f[i]! * 2 + f.length });
unaryTransform({ input: counting(0), output: i64, op: (i) => i64[i]! + 1n });
unaryTransform({ input: counting(0), output: f, op: (i) => bests[i]!.v });
const before: number = atomicAdd(f, 0, 1);
const beforeWide: bigint = atomicAdd(i64, 0, 1n);
const withDefault = (x: number, low = 0): number => (x < low ? low : x);
unaryTransform({ input: f, output: f, op: withDefault });
const tabled = bind((x: number, { t }: { t: DeviceArray<"int64"> }) => x + Number(t[0]!), { t: i64 });
unaryTransform({ input: f, output: f, op: tabled });
unaryTransform({ input: f, output: f, op: bind(cpp("…"), { k: 1, f }) });
const inCpp = transformed(f, cpp("__device__ Operand0 op(Operand0 a) { return a; }"));
unaryTransform({ input: inCpp, output: bests, op: ops.identity });
reduceInto({ input: transformed(f, cpp("…"), "float32"), output: f, op: (a, b) => a + b, init: 0 });
reduceInto({ input: transformed(f, ops.negate), output: f, op: ops.plus, init: 0 });
// @ts-expect-error it may be a struct
const nameOfCpp: ScalarName = inCpp.type;
bind((x, { k }) => x * k, { k: 2 });
bind((x, c) => x * c.k, { k: 2 });
bind((x: number, y: number, { k }: { k: number }) => (x + y) * k, { k: 2, other: 1 });
bind((x: bigint, y: number, c: { k: bigint }) => Number(x * c.k) + y, { k: 2n });
bind(({ v }: { v: number }, { i }: { i: bigint }, c: { k: number }) => v * c.k + Number(i), { k: 2 });
bind<{ k: number }, number, bigint>((x, y, { k }) => x + Number(y) * k, { k: 2 });
// @ts-expect-error captures without the name that is taken out of them
bind((x: number, { k }: { k: number }) => x * k, { factor: 2 });
// @ts-expect-error the same, of an element that is a struct
bind(({ v }: { v: number }, { k }: { k: number }) => v * k, { factor: 2 });
// @ts-expect-error the same, without types
bind((x, { k }) => x * k, { factor: 2 });
// @ts-expect-error the same, of two elements
bind((x: number, y: number, { k }: { k: number }) => x * y * k, { factor: 2 });
// @ts-expect-error a value of another type
bind((x: number, c: { k: number }) => x * c.k, { k: 2n });
reduceInto({ input: f, output: f, op: fused((a, b) => a * b + 1), init: 0 });
const linked = ltoir(new Uint8Array(1), { name: "f", parameters: ["float32", "float32"], result: "float32" });
reduceInto({ input: f, output: f, op: linked });
unaryTransform({ input: bests, output: f, op: ({ v, i }) => v + Number(i) });
// Iterators keep element types and directions, however deep they stand.
const pairs = zipped(f, counting(0n));
unaryTransform({ input: pairs, output: f, op: ([x, i]) => x * Number(i) });
unaryTransform({ input: pairs, output: i64, op: (pair) => pair[1] });
const both = zipped([f, i64]);
unaryTransform({ input: pairs, output: both, op: ([x, i]) => [x + 1, i + 1n] });
reduceInto({ input: pairs, output: both, op: ([x, i], [y, j]) => (x > y ? [x, i] : [y, j]), init: [0, 0n] });
inclusiveScan({ input: both, output: reversed(both), op: ([x, i], [y, j]) => [x + y, i + j] });
const nestedPair: ValueOf<typeof nested.type> = [1, [2n, { v: 1, i: 2n }]];
const nested = zipped(f, zipped(i64, bests));
unaryTransform({ input: nested, output: f, op: ([x, [i, best]]) => x + Number(i) + best.v });
const alike = zipped(f, zipped(f, f));
inclusiveScan({ input: alike, output: alike, op: ([a, [b, c]], [d, [e, g]]) => [a + d, [b * e, c + g]] });
const scattered: Output<"float32"> = permuted(f, shuffled(3, 5n));
unaryTransform({ input: permuted(pairs, i16), output: scattered, op: ([x]) => x });
unaryTransform({ input: reversed(strided(f, -2, 2)), output: strided(f, 2), op: (x) => x });
unaryTransform({ input: cacheModified(bests, "volatile"), output: discard(f), op: (x) => x.v });
unaryTransform({ input: f, output: discard("int64"), op: (x) => BigInt(x) });
unaryTransform({ input: f, output: reversed(transformedOutput(f, (x) => x * 2)), op: (x) => x });
const readers: readonly InputIterator<"float32">[] = [f, constant(1, "float32"), reversed(cacheModified(f)), sq];
const writers: readonly OutputIterator<"float32">[] = [
  f,
  discard("float32"),
  reversed(f),
  transformedOutput(f, (x) => x),
];
const anyInputs: readonly Input[] = [...readers, pairs, both, nested, shuffled(1), bests];
const onlyWritten: Output = zipped(f, discard("bool"));
// @ts-expect-error an iterator that only reads
unaryTransform({ input: f, output: counting(0), op: (x) => x });
// @ts-expect-error an iterator that only reads, within one that could write
unaryTransform({ input: f, output: reversed(cacheModified(f)), op: (x) => x });
// @ts-expect-error an iterator that only writes
reduceInto({ input: discard("float32"), output: f, op: (a, b) => a + b, init: 0 });
// @ts-expect-error an iterator that only writes, within one that could read
unaryTransform({ input: zipped(f, discard("float32")), output: f, op: ([x]) => x });
// @ts-expect-error one child only reads, the other only writes
zipped(counting(0), discard("float32"));
// @ts-expect-error nothing to zip
zipped();
// @ts-expect-error a tuple of other types
unaryTransform({ input: f, output: both, op: (x) => [x, x] });
// @ts-expect-error a tuple has no third item
unaryTransform({ input: pairs, output: f, op: (pair) => pair[2] });
// @ts-expect-error indices are integers
permuted(f, f);
// @ts-expect-error a cache modifier is for arrays
cacheModified(counting(0));
// @ts-expect-error no such modifier
cacheModified(f, "write-back");
// @ts-expect-error an input of another type
const wrongInput: Input<"float32"> = reversed(i64);
// @ts-expect-error shuffled numbers are 64 bits wide
unaryTransform({ input: shuffled(3), output: f, op: (i) => i * 2 });
// @ts-expect-error an element of a captured array of BigInts is one
unaryTransform({ input: counting(0), output: f, op: (i) => i64[i]! * 2 });
// @ts-expect-error an atomic takes an element's value
atomicAdd(i64, 0, 1);
// @ts-expect-error no field of that name to take apart
unaryTransform({ input: bests, output: f, op: ({ w }) => w });
// @ts-expect-error a result of another kind from a captured struct array
unaryTransform({ input: counting(0), output: f, op: (i) => bests[i]!.i });
// @ts-expect-error only one element is given
unaryTransform({ input: f, output: f, op: (x: number, y: number) => x + y });
// @ts-expect-error no such type
ltoir(new Uint8Array(1), { name: "f", parameters: ["float8"], result: "float32" });
const anyArrays: DeviceArray[] = [f, bests, points];
// @ts-expect-error unknown field type
struct({ x: "float8" });
// @ts-expect-error bigint for a float field
DeviceArray.from([{ v: 1n, i: 2n }], Best);
// @ts-expect-error a field is missing
DeviceArray.from([{ v: 1 }], Best);
// @ts-expect-error a field too many
DeviceArray.full(1, { v: 1, i: 2n, w: 3 }, Best);
// @ts-expect-error column of another type
DeviceArray.fromColumns({ v: new Float64Array(1), i: new BigInt64Array(1) }, Best);
// @ts-expect-error no such field in an operator
reduceInto({ input: bests, output: bests, op: (a, b) => (a.w > b.w ? a : b), init: { v: 0, i: 0n } });
// @ts-expect-error an operator that makes something else
reduceInto({ input: bests, output: bests, op: (a, b) => a.v + b.v, init: { v: 0, i: 0n } });
// @ts-expect-error an operator whose field is of another type
unaryTransform({ input: f, output: bests, op: (x) => ({ v: x, i: 1 }) });
// @ts-expect-error a boolean is no struct
unaryTransform({ input: bests, output: bests, op: (x) => x.v > 0 });
// @ts-expect-error init with another field
reduceInto({ input: bests, output: bests, op: (a, b) => a, init: { v: 0, j: 0n } });
// @ts-expect-error init of a scalar
reduceInto({ input: bests, output: bests, op: (a, b) => a, init: 0 });
// @ts-expect-error a struct with more fields is another type
bests.copyFrom(points);
// @ts-expect-error scalars have no columns of those names
const wrongColumns: { v: Float64Array } = bests.toColumns();
// @ts-expect-error objects of other fields
const wrongObjects: { w: number }[] = bests.toArray();
// @ts-expect-error made for other types
largest({ input: points, output: bests, init: { v: 5, i: 6n } });
// @ts-expect-error no type holds a struct and a number
reduceInto({ input: bests, output: f, op: ops.plus, init: 0 });
const offsets = DeviceArray.from(new Int32Array([0, 1, 3]));
const segments = { startOffsets: offsets.subarray(0, -1), endOffsets: counting(1n, "uint64") };
segmentedReduce({ input: f, output: f, ...segments, op: (a, b) => a + b, init: 0, maxSegmentSize: 4 });
segmentedReduce({ input: i16, output: i64, ...segments, op: (a, b) => a + b, init: 0n });
segmentedReduce({ input: bests, output: bests, ...segments, op: (a, b) => (a.v > b.v ? a : b), init: { v: 0, i: 0n } });
const segmentSums = makeSegmentedReduce({ input: f, output: f, ...segments, op: (a, b) => a + b, init: 0 });
segmentSums({ input: f, output: f, ...segments, init: 5 });
// @ts-expect-error segments need an init
segmentedReduce({ input: f, output: f, ...segments, op: (a, b) => a + b });
// @ts-expect-error offsets that are floats
segmentedReduce({ input: f, output: f, startOffsets: f, endOffsets: offsets, op: (a, b) => a + b, init: 0 });
// @ts-expect-error a bigint accumulator with a number
segmentedReduce({ input: i64, output: i64, ...segments, op: (a, b) => a + 1, init: 0n });
// @ts-expect-error made for other types
segmentSums({ input: i64, output: f, ...segments, init: 5 });
lowerBound({ data: f, values: i16, output: offsets });
lowerBound({ data: i64, values: counting(0), output: i64, comp: (a, b) => a > b });
lowerBound({ data: bests, values: bests, output: offsets, comp: (a, b) => a.v < b.v });
makeUpperBound({ data: f, values: f, output: offsets })({ data: f, values: f, output: offsets, numItems: 2 });
// @ts-expect-error data that is an iterator
lowerBound({ data: counting(0), values: f, output: offsets });
// @ts-expect-error indices that are floats
lowerBound({ data: f, values: f, output: f });
// @ts-expect-error a number is no struct
lowerBound({ data: bests, values: f, output: offsets, comp: (a, b) => a.v < b.v });
// @ts-expect-error a comparator that answers no boolean
lowerBound({ data: f, values: f, output: offsets, comp: (a, b) => "less" });
// @ts-expect-error the comparator sees elements of the data
lowerBound({ data: bests, values: bests, output: offsets, comp: (a, b) => a < b.v });
histogramEven({ samples: f, output: offsets, lower: 0, upper: 0.5 });
histogramEven({ samples: counting(0), output: i64, lower: 0n, upper: 10, numItems: 5 });
makeHistogramEven({ samples: b, output: offsets, lower: 0, upper: 2 })({
  samples: b,
  output: offsets,
  lower: 0,
  upper: 1,
});
// @ts-expect-error samples that are structs
histogramEven({ samples: bests, output: offsets, lower: 0, upper: 1 });
// @ts-expect-error counters that are floats
histogramEven({ samples: f, output: f, lower: 0, upper: 1 });
// @ts-expect-error no upper level
histogramEven({ samples: f, output: offsets, lower: 0 });
// @ts-expect-error a level in words
histogramEven({ samples: f, output: offsets, lower: "0", upper: 1 });
forEach({ input: f, op: (x) => { atomicAdd(f, 0, x); } }); // prettier-ignore
forEach({ input: i64, op: (x) => atomicAdd(i64, 0, x) });
forEach({ input: bests, op: (best) => { f[Number(best.i)] = best.v; } }); // prettier-ignore
makeForEach({ input: f, op: (x) => { atomicAdd(f, 0, x); } })({ input: f }); // prettier-ignore
// @ts-expect-error an item of int64 is a bigint
forEach({ input: i64, op: (x) => atomicAdd(f, 0, x) });
// @ts-expect-error one item at a time
forEach({ input: f, op: (x: number, y: number) => { atomicAdd(f, 0, x + y); } }); // prettier-ignore
// @ts-expect-error no such field
forEach({ input: bests, op: (best) => { atomicAdd(f, 0, best.w); } }); // prettier-ignore
