/**
 * The readings of a sensor that are plausible, and how many were rejected as too low or too high.
 *
 *   npm run build && node dist/examples/select.js
 */
import { DeviceArray, atomicAdd, select } from "../lib";

const readings = DeviceArray.from(new Float32Array([21.5, -999, 22, 23.25, 1e9, 22.75, -999]));
const plausible = DeviceArray.empty(readings.length, "float32");
const kept = DeviceArray.empty(1, "int32");
const rejected = DeviceArray.zeros(2, "int32"); // too low, too high

// A predicate is called once for each item, so it may count what it rejects.
select({
  input: readings,
  output: plausible,
  outputCount: kept,
  op: (x) => {
    if (x > -50 && x < 60) return true;
    atomicAdd(rejected, x < 0 ? 0 : 1, 1);
    return false;
  },
});

const [count = 0] = kept.toArray();
const [low, high] = rejected.toArray();
console.log(`kept: ${plausible.subarray(0, count).toArray().join(" ")}`);
console.log(`too low: ${String(low)}, too high: ${String(high)}`);

/* prints:
kept: 21.5 22 23.25 22.75
too low: 2, too high: 1
*/
