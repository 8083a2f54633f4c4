/**
 * What a call of `reduceInto` costs with each way to write its operator, in microseconds.
 *
 *   npm run build && CUDA_COMPUTE_BACKEND=cuda node dist/benchmarks/operator-cost.js
 */
import { DeviceArray, bind, getBackend, ops, reduceInto, struct } from "../lib";

const rounds = 9;

/** The least of several rounds: what the call costs when nothing else disturbs it. */
function microseconds(calls: number, call: () => void): number {
  call();
  let least = Infinity;
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    for (let i = 0; i < calls; i++) call();
    least = Math.min(least, ((performance.now() - start) / calls) * 1000);
    output.toTypedArray();
  }
  return Math.round(least * 100) / 100;
}

const Best = struct({ value: "float32", index: "int32" });
const input = DeviceArray.zeros(1024, "float32");
const output = DeviceArray.empty(1, "float32");
const bests = DeviceArray.zeros(1024, Best);
const best = DeviceArray.empty(1, Best);
const table = DeviceArray.from(new Float32Array([1, 2, 3]));
const scale = 1;

const plain = (a: number, b: number): number => a + b * 2;
const closure = (a: number, b: number): number => a + b * scale;
const withNumber = bind((a: number, b: number, { k }: { k: number }) => a + b * k, { k: 2 });
const withArray = bind((a: number, b: number, { t }: { t: DeviceArray<"float32"> }) => a + b * (t[0] ?? 0), {
  t: table,
});
const larger = (a: { value: number; index: number }, b: typeof a): typeof a => (b.value > a.value ? b : a);
const common = { input, output, init: 0 };

console.log(
  JSON.stringify({
    device: getBackend().device,
    wellKnown: microseconds(100_000, () => {
      reduceInto({ ...common, op: ops.plus });
    }),
    plainFunction: microseconds(100_000, () => {
      reduceInto({ ...common, op: plain });
    }),
    inlineArrow: microseconds(100_000, () => {
      reduceInto({ ...common, op: (a, b) => a + b * 2 });
    }),
    boundNumber: microseconds(100_000, () => {
      reduceInto({ ...common, op: withNumber });
    }),
    boundArray: microseconds(100_000, () => {
      reduceInto({ ...common, op: withArray });
    }),
    structs: microseconds(100_000, () => {
      reduceInto({ input: bests, output: best, op: larger });
    }),
    closure: microseconds(500, () => {
      reduceInto({ ...common, op: closure });
    }),
  }),
);
