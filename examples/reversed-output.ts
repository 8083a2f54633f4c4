/**
 * `reversed`, when it is written, is filled from its end: here, running sums with the last first.
 *
 *   npm run build && node dist/examples/reversed-output.js
 */
import { DeviceArray, inclusiveScan, reversed } from "../lib";

const input = DeviceArray.from(new Int32Array([1, 2, 3, 4]));
const sums = DeviceArray.empty(4, "int32");

inclusiveScan({ input, output: reversed(sums), op: (a, b) => a + b });
console.log("1 + 2 + 3 + 4, 1 + 2 + 3, …:", sums.toArray().join(" "));

/* prints:
1 + 2 + 3 + 4, 1 + 2 + 3, …: 10 6 3 1
*/
