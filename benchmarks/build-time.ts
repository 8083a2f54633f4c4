/**
 * Milliseconds until a first, a second, a third and a fourth operator on known types have run: what is compiled at a
 * first call, and what of it a further operator needs. Builds are kept on disk from
 * run to run: with `XDG_CACHE_HOME` set to an empty folder, nothing is found there.
 *
 *   npm run build && CUDA_COMPUTE_BACKEND=cuda node dist/benchmarks/build-time.js
 */
import { DeviceArray, caches, getBackend, reduceInto } from "../lib";

const input = DeviceArray.from(Float32Array.from({ length: 1024 }, (_, i) => i % 7));
const output = DeviceArray.empty(1, "float32");

/** Of a call and of all that it queued. */
function milliseconds(op: (a: number, b: number) => number): number {
  const start = performance.now();
  reduceInto({ input, output, op, init: 0 });
  output.toTypedArray();
  return Math.round((performance.now() - start) * 1000) / 1000;
}

const firstCall = milliseconds((a, b) => a + b);
const newOperators = [
  milliseconds((a, b) => (a > b ? a : b)),
  milliseconds((a, b) => (a < b ? a : b)),
  milliseconds((a, b) => Math.sqrt(a * a + b * b)),
];

console.log(
  JSON.stringify({ ...getBackend(), node: process.version, firstCall, newOperators, caches: caches.stats() }),
);
