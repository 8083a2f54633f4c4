/**
 * Where values belong in sorted data: before equal elements (lower bound) and after them (upper bound).
 *
 *   npm run build && node dist/examples/binary-search.js
 */
import { DeviceArray, lowerBound, upperBound } from "../lib";

const data = DeviceArray.from(new Int32Array([1, 3, 3, 7]));
const values = DeviceArray.from(new Int32Array([0, 3, 4, 9]));
const output = DeviceArray.empty(4, "int32");

lowerBound({ data, values, output });
console.log("lower:", output.toArray().join(" "));
upperBound({ data, values, output });
console.log("upper:", output.toArray().join(" "));

/* prints:
lower: 0 1 3 4
upper: 0 3 3 4
*/
