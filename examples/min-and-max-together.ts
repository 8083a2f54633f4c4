/**
 * The least and the greatest element in one pass: a struct carries both. (`minmax(input)` does the same in one call.)
 *
 *   npm run build && node dist/examples/min-and-max-together.js
 */
import { DeviceArray, reduceInto, struct, transformed } from "../lib";

const Range = struct({ min: "float32", max: "float32" });
const input = DeviceArray.from(new Float32Array([3, -1.5, 9, 2]));
const output = DeviceArray.empty(1, Range);

reduceInto({
  input: transformed(input, (x) => ({ min: x, max: x }), Range),
  output,
  op: (a, b) => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) }),
});
console.log("range:", output.toArray()[0]);

/* prints:
range: { min: -1.5, max: 9 }
*/
