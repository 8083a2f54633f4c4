/**
 * `permuted`, when it is read, gathers: element i is `values[indices[i]]`.
 *
 *   npm run build && node dist/examples/permuted-gather.js
 */
import { DeviceArray, permuted, unaryTransform } from "../lib";

const values = DeviceArray.from(new Float32Array([10, 20, 30, 40]));
const indices = DeviceArray.from(new Uint32Array([3, 0, 2]));
const chosen = DeviceArray.empty(3, "float32");

unaryTransform({ input: permuted(values, indices), output: chosen, op: (x) => x });
console.log("values at 3, 0 and 2:", chosen.toArray().join(" "));

/* prints:
values at 3, 0 and 2: 40 10 30
*/
