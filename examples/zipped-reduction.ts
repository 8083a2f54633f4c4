/**
 * Two reductions in one pass: `zipped` carries a sum and a product side by side, each into its own array.
 *
 *   npm run build && node dist/examples/zipped-reduction.js
 */
import { DeviceArray, reduceInto, zipped } from "../lib";

const prices = DeviceArray.from(new Float64Array([1.5, 2.25, 4]));
const factors = DeviceArray.from(new Int32Array([2, 3, 5]));
const sum = DeviceArray.empty(1, "float64");
const product = DeviceArray.empty(1, "int32");

reduceInto({
  input: zipped(prices, factors),
  output: zipped(sum, product),
  op: ([a, p], [b, q]) => [a + b, p * q],
  init: [0, 1],
});
console.log("sum of the prices:", sum.toArray()[0]);
console.log("product of the factors:", product.toArray()[0]);

/* prints:
sum of the prices: 7.75
product of the factors: 30
*/
