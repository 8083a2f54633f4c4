/**
 * `transformedOutput` computes on the way out: the length of a vector, as the root of the sum that is written.
 *
 *   npm run build && node dist/examples/transformed-output.js
 */
import { DeviceArray, reduceInto, transformed, transformedOutput } from "../lib";

const vector = DeviceArray.from(new Float32Array([2, 3, 6]));
const length = DeviceArray.empty(1, "float32");

reduceInto({
  input: transformed(vector, (x) => x * x, "float32"),
  output: transformedOutput(length, (sum) => Math.sqrt(sum)),
  op: (a, b) => a + b,
  init: 0,
});
console.log("length of (2, 3, 6):", length.toArray()[0]);

/* prints:
length of (2, 3, 6): 7
*/
