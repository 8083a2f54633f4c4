/**
 * A cumulative distribution from logarithms of probabilities, which may be too small for a float: the scan adds by
 * log(exp(a) + exp(b)). `Math.exp` may differ in the last place between the backends, so six places are printed.
 *
 *   npm run build && node dist/examples/log-cdf.js
 */
import { DeviceArray, inclusiveScan } from "../lib";

const probabilities = [0.125, 0.25, 0.5, 0.125];
const logs = DeviceArray.from(Float64Array.from(probabilities, Math.log));
const cdf = DeviceArray.empty(4, "float64");

inclusiveScan({
  input: logs,
  output: cdf,
  op: (a, b) => {
    const larger = Math.max(a, b);
    // log(0) is -Infinity, and two of these would make a NaN below.
    return larger === -Infinity ? larger : larger + Math.log1p(Math.exp(Math.min(a, b) - larger));
  },
});
const logCdf = cdf.toArray();
console.log("log of the distribution:", logCdf.map((x) => Math.abs(x).toFixed(6)).join(" "), "(below 0)");
console.log("the distribution:", logCdf.map((x) => Math.exp(x).toFixed(6)).join(" "));

/* prints:
log of the distribution: 2.079442 0.980829 0.133531 0.000000 (below 0)
the distribution: 0.125000 0.375000 0.875000 1.000000
*/
