/**
 * Two inputs, element by element.
 *
 *   npm run build && node dist/examples/binary-transform.js
 */
import { DeviceArray, binaryTransform } from "../lib";

const prices = DeviceArray.from(new Float64Array([2.5, 4, 1.25]));
const amounts = DeviceArray.from(new Int32Array([4, 1, 8]));
const costs = DeviceArray.empty(3, "float64");

binaryTransform({ input1: prices, input2: amounts, output: costs, op: (price, amount) => price * amount });
console.log("costs:", costs.toArray().join(" "));

/* prints:
costs: 10 4 10
*/
