/**
 * Element i of an exclusive scan covers the items before i, so `init` is the first: here, the record that each item met.
 *
 *   npm run build && node dist/examples/exclusive-scan.js
 */
import { DeviceArray, exclusiveScan } from "../lib";

const jumps = DeviceArray.from(new Float32Array([5.5, 6.25, 6, 7.5, 7]));
const records = DeviceArray.empty(5, "float32");

exclusiveScan({ input: jumps, output: records, op: (a, b) => Math.max(a, b), init: 0 });
console.log("record before each jump:", records.toArray().join(" "));

/* prints:
record before each jump: 0 5.5 6.25 6.25 7.5
*/
