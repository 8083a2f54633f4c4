/**
 * A made function is built once, for types and an operator, and called with any arrays of these types. It keeps none.
 *
 *   npm run build && node dist/examples/make-reduce-into.js
 */
import { DeviceArray, makeReduceInto } from "../lib";

const monday = DeviceArray.from(new Int32Array([1, 2, 3]));
const tuesday = DeviceArray.from(new Int32Array([10, 20, 30, 40]));
const output = DeviceArray.empty(1, "int32");

const sum = makeReduceInto({ input: monday, output, op: (a, b) => a + b, init: 0 });
sum({ input: monday, output, init: 0 });
console.log("Monday:", output.toArray()[0]);
sum({ input: tuesday, output, init: 0 });
console.log("Tuesday:", output.toArray()[0]);

/* prints:
Monday: 6
Tuesday: 100
*/
