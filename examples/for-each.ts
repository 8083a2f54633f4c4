/**
 * An operator called for its effects alone: it counts how often each value occurs, by an atomic.
 *
 *   npm run build && node dist/examples/for-each.js
 */
import { DeviceArray, atomicAdd, forEach } from "../lib";

const dice = DeviceArray.from(new Uint8Array([1, 6, 3, 6, 6, 2]));
const counts = DeviceArray.zeros(7, "int32");
forEach({
  input: dice,
  op: (value) => {
    atomicAdd(counts, value, 1);
  },
});
console.log(counts.subarray(1).toArray().join(" "));

/* prints:
1 1 1 0 0 3
*/
