/**
 * `zipped` with `counting` gives every element its index, so that one reduction finds the maximum and where it is.
 *
 *   npm run build && node dist/examples/zipped-with-counting.js
 */
import { DeviceArray, counting, reduceInto, zipped } from "../lib";

const heights = DeviceArray.from(new Float32Array([1.5, 1.875, 1.75, 1.875]));
const highest = DeviceArray.empty(1, "float32");
const where = DeviceArray.empty(1, "int32");

reduceInto({
  input: zipped(heights, counting(0)),
  output: zipped(highest, where),
  // The GPU chooses the order, so the operator itself must say that of equal ones the first wins.
  op: ([x, i], [y, j]) => (y > x || (y === x && j < i) ? [y, j] : [x, i]),
  init: [-Infinity, 2 ** 31 - 1],
});
console.log("highest:", highest.toArray()[0], "at", where.toArray()[0]);

/* prints:
highest: 1.875 at 1
*/
