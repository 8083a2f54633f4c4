/**
 * `zipped` makes several arrays one array of tuples, which an operator takes apart: three arrays added element by element.
 *
 *   npm run build && node dist/examples/zipped-sum.js
 */
import { DeviceArray, unaryTransform, zipped } from "../lib";

const ones = DeviceArray.from(new Int32Array([1, 2, 3]));
const tens = DeviceArray.from(new Int32Array([10, 20, 30]));
const hundreds = DeviceArray.from(new Int32Array([100, 200, 300]));
const sums = DeviceArray.empty(3, "int32");

unaryTransform({ input: zipped(ones, tens, hundreds), output: sums, op: ([a, b, c]) => a + b + c });
console.log("sums:", sums.toArray().join(" "));

/* prints:
sums: 111 222 333
*/
