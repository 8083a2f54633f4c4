/**
 * A running mean: the scan carries sums and counts in a zip, and the output divides one by the other as it is written.
 *
 *   npm run build && node dist/examples/running-average.js
 */
import { DeviceArray, constant, inclusiveScan, transformedOutput, zipped } from "../lib";

const input = DeviceArray.from(new Float64Array([4, 8, 6, 2, 10]));
const means = DeviceArray.empty(5, "float64");

const items = zipped(input, constant(1, "int32"));
inclusiveScan({
  input: items,
  output: transformedOutput(means, ([sum, count]) => sum / count, items.type),
  op: ([sum, count], [otherSum, otherCount]) => [sum + otherSum, count + otherCount],
});
console.log("mean so far:", means.toArray().join(" "));

/* prints:
mean so far: 4 6 6 5 6
*/
