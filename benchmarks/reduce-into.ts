/**
 * What a reduction costs besides its kernel: microseconds of a call on 1,024 float32, by way of calling, and
 * milliseconds until a first, a second and a third operator on known types have run.
 *
 *   npm run build && node dist/benchmarks/reduce-into.js [--calls 20000]
 */
import { parseArgs } from "node:util";
import { DeviceArray, Stream, bind, caches, getBackend, makeReduceInto, reduceInto } from "../lib";

const { values } = parseArgs({ options: { calls: { type: "string", default: "20000" } } });
const calls = Number(values.calls);

const input = DeviceArray.from(Float32Array.from({ length: 1024 }, (_, i) => i % 7));
const output = DeviceArray.empty(1, "float32");
const stream = new Stream();

/** Wall milliseconds of some work and of everything it queued. */
function milliseconds(work: () => void): number {
  const start = performance.now();
  work();
  output.toTypedArray();
  return performance.now() - start;
}

/** Median over rounds of the microseconds that one call takes to come back. */
function microsecondsPerCall(call: () => void): number {
  const rounds = Array.from({ length: 7 }, () => {
    output.toTypedArray();
    stream.synchronize();
    const start = performance.now();
    for (let i = 0; i < calls; i++) call();
    return ((performance.now() - start) / calls) * 1000;
  }).sort((a, b) => a - b);
  return rounds[3] ?? NaN;
}

const round = (value: number): number => Math.round(value * 1000) / 1000;

const firstPlus = milliseconds(() => {
  reduceInto({ input, output, op: (a, b) => a + b, init: 0 });
});
const operators = [
  milliseconds(() => {
    reduceInto({ input, output, op: (a, b) => (a > b ? a : b), init: 0 });
  }),
  milliseconds(() => {
    reduceInto({ input, output, op: (a, b) => (a < b ? a : b), init: 0 });
  }),
  milliseconds(() => {
    reduceInto({ input, output, op: (a, b) => Math.sqrt(a * a + b * b), init: 0 });
  }),
];

const plus = (a: number, b: number): number => a + b;
const longest = (a: number, b: number): number => (a > b ? a : b);
const made = makeReduceInto({ input, output, op: plus, init: 0 });
const scaled = bind((a: number, b: number, { k }: { k: number }) => a + b * k, { k: 1 });

const perCall = {
  inlineOperator: microsecondsPerCall(() => {
    reduceInto({ input, output, op: (a, b) => a + b, init: 0 });
  }),
  namedOperator: microsecondsPerCall(() => {
    reduceInto({ input, output, op: plus, init: 0 });
  }),
  userOperator: microsecondsPerCall(() => {
    reduceInto({ input, output, op: longest, init: 0 });
  }),
  boundOperator: microsecondsPerCall(() => {
    reduceInto({ input, output, op: scaled, init: 0 });
  }),
  ownStream: microsecondsPerCall(() => {
    reduceInto({ input, output, op: plus, init: 0, stream });
  }),
  made: microsecondsPerCall(() => {
    made({ input, output, init: 0 });
  }),
};

console.log(
  JSON.stringify({
    backend: getBackend(),
    node: process.version,
    calls,
    microsecondsPerCall: Object.fromEntries(Object.entries(perCall).map(([name, value]) => [name, round(value)])),
    firstCallMilliseconds: round(firstPlus),
    newOperatorMilliseconds: operators.map(round),
    caches: caches.stats(),
  }),
);
