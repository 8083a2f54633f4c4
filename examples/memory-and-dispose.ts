/**
 * Device memory lives as long as JavaScript can reach its array. `dispose` gives it back now, without waiting for the
 * collector, and `memory.stats()` says how much is alive.
 *
 *   npm run build && node dist/examples/memory-and-dispose.js
 */
import { DeviceArray, memory } from "../lib";

const before = memory.stats().liveBytes;
const big = DeviceArray.zeros(1_000_000, "float32");
const view = big.subarray(0, 10); // shares the memory
console.log("bytes of the array:", memory.stats().liveBytes - before);

big.dispose();
console.log("after dispose:", memory.stats().liveBytes - before);
console.log("the view has ended too:", view.disposed);

try {
  big.toArray();
} catch (error) {
  console.log("use of it throws:", (error as Error & { code: string }).code);
}

/* prints:
bytes of the array: 4000000
after dispose: 0
the view has ended too: true
use of it throws: ERR_DISPOSED
*/
