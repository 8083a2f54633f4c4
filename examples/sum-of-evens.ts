/**
 * An operator with a condition: the sum of the even numbers.
 *
 *   npm run build && node dist/examples/sum-of-evens.js
 */
import { DeviceArray, reduceInto, transformed } from "../lib";

const numbers = DeviceArray.from(new Int32Array([1, 2, 3, 4, 5, 6, 7, 8]));
const sum = DeviceArray.empty(1, "int32");

// The condition is asked of the items, not within the sum: there it would be asked of partial sums as well, which happens
// to do no harm to even numbers, but would with a condition such as x < 5.
const evens = transformed(numbers, (x) => (x % 2 === 0 ? x : 0), "int32");
reduceInto({ input: evens, output: sum, op: (a, b) => a + b, init: 0 });
console.log("2 + 4 + 6 + 8:", sum.toArray()[0]);

/* prints:
2 + 4 + 6 + 8: 20
*/
