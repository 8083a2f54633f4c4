/**
 * The sum of an array, by `reduceInto`.
 *
 *   npm run build && node dist/examples/reduce-sum.js
 */
import { DeviceArray, reduceInto } from "../lib";

// int16 reduced into int64: the sum is computed in the wider type and cannot overflow.
const input = DeviceArray.from(new Int16Array([30000, 20000, 10000]));
const output = DeviceArray.empty(1, "int64");

reduceInto({ input, output, op: (a, b) => a + b, init: 0n });
console.log("sum:", output.toArray()[0]);

/* prints:
sum: 60000n
*/
