/**
 * The least element. Without an `init` the items alone are reduced, so no value has to stand for "larger than all".
 *
 *   npm run build && node dist/examples/reduce-min.js
 */
import { DeviceArray, reduceInto } from "../lib";

const input = DeviceArray.from(new Float32Array([3, -1.5, 2]));
const output = DeviceArray.empty(1, "float32");

reduceInto({ input, output, op: (a, b) => Math.min(a, b) });
console.log("minimum:", output.toArray()[0]);

/* prints:
minimum: -1.5
*/
