/**
 * `transformed` computes its elements where they are read: a sum of squares in one pass, without an array of squares.
 *
 *   npm run build && node dist/examples/transformed.js
 */
import { DeviceArray, reduceInto, transformed } from "../lib";

const numbers = DeviceArray.from(new Float32Array([1, 2, 3, 4]));
const sum = DeviceArray.empty(1, "float32");

const squares = transformed(numbers, (x) => x * x, "float32");
reduceInto({ input: squares, output: sum, op: (a, b) => a + b, init: 0 });
console.log("1 + 4 + 9 + 16:", sum.toArray()[0]);

/* prints:
1 + 4 + 9 + 16: 30
*/
