/**
 * `permuted`, when it is written, scatters: what is written at i goes to `values[indices[i]]`.
 *
 *   npm run build && node dist/examples/permuted-scatter.js
 */
import { DeviceArray, permuted, unaryTransform } from "../lib";

const input = DeviceArray.from(new Float32Array([1, 2, 3]));
const places = DeviceArray.from(new Uint32Array([4, 0, 2]));
const output = DeviceArray.zeros(5, "float32"); // the other places keep what they have

unaryTransform({ input, output: permuted(output, places), op: (x) => x * 10 });
console.log("10, 20 and 30 at 4, 0 and 2:", output.toArray().join(" "));

/* prints:
10, 20 and 30 at 4, 0 and 2: 20 0 30 0 10
*/
