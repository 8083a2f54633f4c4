/**
 * Where the microseconds of a `reduceInto` call go: each step of docs/architecture.md's table, in microseconds.
 *
 *   npm run build && CUDA_COMPUTE_BACKEND=cuda node dist/benchmarks/call-steps.js
 */
import { DeviceArray, getBackend, reduceInto } from "../lib";
import { loadAddon } from "../lib/backends/cuda/addon";
import { resolveOperator } from "../lib/operators";

const calls = 200_000;

/** The least of several rounds: what the step costs when nothing else disturbs it. */
function microseconds(step: () => void): number {
  let least = Infinity;
  for (let round = 0; round < 7; round++) {
    const start = performance.now();
    for (let i = 0; i < calls; i++) step();
    least = Math.min(least, ((performance.now() - start) / calls) * 1000);
    output.toTypedArray();
  }
  return Math.round(least * 1000) / 1000;
}

const input = DeviceArray.zeros(1024, "float32");
const output = DeviceArray.empty(1, "float32");
const plus = (a: number, b: number): number => a + b;
const named = (): void => {
  reduceInto({ input, output, op: plus, init: 0 });
};
const inline = (): void => {
  reduceInto({ input, output, op: (a, b) => a + b, init: 0 });
};
named();

const native = loadAddon();
const whole = { named: microseconds(named), inline: microseconds(inline) };

// Without the native call: what JavaScript does on its own.
const run = native.run.bind(native);
native.run = () => 0;
const javascript = { named: microseconds(named), inline: microseconds(inline) };
native.run = run;

console.log(
  JSON.stringify({
    device: getBackend().device,
    whole,
    javascript,
    native: Math.round((whole.named - javascript.named) * 1000) / 1000,
    resolveKnownFunction: microseconds(() => {
      resolveOperator(plus, 2, "op");
    }),
    resolveInlineFunction: microseconds(() => {
      resolveOperator((a: number, b: number) => a + b, 2, "op");
    }),
    emptyNativeCall: microseconds(() => {
      native.queryStream(0);
    }),
  }),
);
