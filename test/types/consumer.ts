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
  bind,
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
