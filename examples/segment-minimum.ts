/**
 * The least item of each segment; a segment without items has the initial value.
 *
 *   npm run build && node dist/examples/segment-minimum.js
 */
import { DeviceArray, segmentedReduce } from "../lib";

const bounds = DeviceArray.from(new Int32Array([0, 2, 2, 5]));
const output = DeviceArray.empty(3, "int32");
segmentedReduce({
  input: DeviceArray.from(new Int32Array([8, 6, 7, 5, 3])),
  output,
  startOffsets: bounds.subarray(0, 3),
  endOffsets: bounds.subarray(1),
  op: (a, b) => Math.min(a, b),
  init: 999,
});
console.log(output.toArray().join(" "));

/* prints:
6 999 3
*/
