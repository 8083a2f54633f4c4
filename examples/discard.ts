/**
 * `discard` drops what is written: for an operator that answers two things, of which only one is wanted.
 *
 *   npm run build && node dist/examples/discard.js
 */
import { DeviceArray, discard, unaryTransform, zipped } from "../lib";

const widths = DeviceArray.from(new Float32Array([2, 3, 4]));
const heights = DeviceArray.from(new Float32Array([5, 6, 7]));
const areas = DeviceArray.empty(3, "float32");

// The operator answers the perimeter and the area, and the first goes nowhere.
unaryTransform({
  input: zipped(widths, heights),
  output: zipped(discard("float32"), areas),
  op: ([width, height]) => [2 * (width + height), width * height],
});
console.log("areas:", areas.toArray().join(" "));

/* prints:
areas: 10 18 28
*/
