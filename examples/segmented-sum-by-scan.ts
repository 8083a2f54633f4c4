/**
 * Running sums that begin anew where a flag is set, by one scan of pairs of flag and value.
 *
 *   npm run build && node dist/examples/segmented-sum-by-scan.js
 */
import { DeviceArray, inclusiveScan, zipped } from "../lib";

const begins = DeviceArray.from([true, false, false, true, false, true]);
const values = DeviceArray.from(new Int32Array([1, 2, 3, 10, 20, 100]));
const sums = DeviceArray.empty(6, "int32");
const flags = DeviceArray.empty(6, "bool");

inclusiveScan({
  input: zipped(begins, values),
  output: zipped(flags, sums),
  // Where the right part holds a beginning, nothing of the left part reaches its end.
  op: ([f, a], [g, b]) => [f || g, g ? b : a + b],
});
console.log("sums of (1 2 3), (10 20), (100):", sums.toArray().join(" "));

/* prints:
sums of (1 2 3), (10 20), (100): 1 3 6 10 30 100
*/
