/**
 * Many threads count in one place: an atomic on a captured array. `discard` stands for the output that nobody needs.
 *
 *   npm run build && node dist/examples/atomic-counter.js
 */
import { DeviceArray, atomicAdd, discard, unaryTransform } from "../lib";

const input = DeviceArray.from(new Float32Array([0.5, -2, 3, -4, 7]));
const negatives = DeviceArray.zeros(1, "uint32"); // `empty` would begin with whatever was there

unaryTransform({
  input,
  output: discard("float32"),
  op: (x) => {
    if (x < 0) atomicAdd(negatives, 0, 1);
    return x;
  },
});
console.log("negative numbers:", negatives.toArray()[0]);

/* prints:
negative numbers: 2
*/
