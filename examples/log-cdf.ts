/**
 * A cumulative distribution from logarithms of weights that are too small for a float: the scan adds two of them by
 * log(exp(a) + exp(b)). `Math.exp` may differ in the last place between the backends, so six places are printed.
 *
 *   npm run build && node dist/examples/log-cdf.js
 */
import { DeviceArray, inclusiveScan } from "../lib";

const logWeights = DeviceArray.from(new Float64Array([-1001, -Infinity, -1000, -1002])); // Math.exp(-1000) is 0
const output = DeviceArray.empty(4, "float64");

inclusiveScan({
  input: logWeights,
  output,
  op: (a, b) => {
    const larger = Math.max(a, b);
    // Of two weights of 0 the difference below would be NaN.
    return larger === -Infinity ? larger : larger + Math.log1p(Math.exp(Math.min(a, b) - larger));
  },
});
const sums = output.toArray();
const total = sums.at(-1) ?? 0;
console.log("logarithms of the sums:", sums.map((sum) => sum.toFixed(6)).join(" "));
console.log("the distribution:", sums.map((sum) => Math.exp(sum - total).toFixed(6)).join(" "));

/* prints:
logarithms of the sums: -1001.000000 -1001.000000 -999.686738 -999.592394
the distribution: 0.244728 0.244728 0.909969 1.000000
*/
