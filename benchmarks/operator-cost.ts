/**
 * What a call of `reduceInto` costs by the way that it and its operator are written: microseconds of a call on 1,024
 * elements, once everything is built.
 *
 *   npm run build && CUDA_COMPUTE_BACKEND=cuda node dist/benchmarks/operator-cost.js
 */
import { DeviceArray, Stream, bind, getBackend, makeReduceInto, ops, reduceInto, struct } from "../lib";

const Best = struct({ value: "float32", index: "int32" });
interface Best {
  value: number;
  index: number;
}

const input = DeviceArray.zeros(1024, "float32");
const output = DeviceArray.empty(1, "float32");
const candidates = DeviceArray.zeros(1024, Best);
const best = DeviceArray.empty(1, Best);
const weights = DeviceArray.from(new Float32Array([2, 3, 4]));
const weight = 2;

const plain = (a: number, b: number): number => a + b * 2;
const closure = (a: number, b: number): number => a + b * weight;
const boundNumber = bind((a: number, b: number, { k }: { k: number }) => a + b * k, { k: 2 });
// eslint-disable-next-line @typescript-eslint/no-non-null-assertion -- the array has this element
const boundArray = bind((a: number, b: number, { t }: { t: typeof weights }) => a + b * t[0]!, { t: weights });
const made = makeReduceInto({ input, output, op: plain, init: 0 });
const stream = new Stream();
const larger = (a: Best, b: Best): Best => (b.value > a.value ? b : a);

/** Each way: how many calls make a round, and the call. */
const ways: Record<string, readonly [calls: number, call: () => void]> = {
  wellKnown: [
    100_000,
    () => {
      reduceInto({ input, output, op: ops.plus, init: 0 });
    },
  ],
  namedFunction: [
    100_000,
    () => {
      reduceInto({ input, output, op: plain, init: 0 });
    },
  ],
  inlineArrow: [
    100_000,
    () => {
      reduceInto({ input, output, op: (a, b) => a + b * 2, init: 0 });
    },
  ],
  boundNumber: [
    100_000,
    () => {
      reduceInto({ input, output, op: boundNumber, init: 0 });
    },
  ],
  boundArray: [
    100_000,
    () => {
      reduceInto({ input, output, op: boundArray, init: 0 });
    },
  ],
  closure: [
    1_000,
    () => {
      reduceInto({ input, output, op: closure, init: 0 });
    },
  ],
  made: [
    100_000,
    () => {
      made({ input, output, init: 0 });
    },
  ],
  ownStream: [
    100_000,
    () => {
      reduceInto({ input, output, op: plain, init: 0, stream });
    },
  ],
  structs: [
    100_000,
    () => {
      reduceInto({ input: candidates, output: best, op: larger });
    },
  ],
};

/** The least of several rounds: what the call costs when nothing else disturbs it. The ways take turns. */
const least: Record<string, number> = {};
for (let round = 0; round < 9; round++) {
  for (const [name, [calls, call]] of Object.entries(ways)) {
    call();
    output.toTypedArray();
    const start = performance.now();
    for (let i = 0; i < calls; i++) call();
    const each = ((performance.now() - start) / calls) * 1000;
    least[name] = Math.min(least[name] ?? Infinity, Math.round(each * 1000) / 1000);
  }
}

console.log(JSON.stringify({ device: getBackend().device, microseconds: least }));
