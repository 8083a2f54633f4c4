/**
 * `reversed`, when it is read, goes from the last element to the first: here, sums from the end.
 *
 *   npm run build && node dist/examples/reversed-input.js
 */
import { DeviceArray, inclusiveScan, reversed } from "../lib";

const input = DeviceArray.from(new Int32Array([1, 2, 3, 4]));
const sums = DeviceArray.empty(4, "int32");

inclusiveScan({ input: reversed(input), output: sums, op: (a, b) => a + b });
console.log("4, 4 + 3, 4 + 3 + 2, …:", sums.toArray().join(" "));

/* prints:
4, 4 + 3, 4 + 3 + 2, …: 4 7 9 10
*/
