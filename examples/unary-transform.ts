/**
 * One operator for every element; the output may have another type than the input.
 *
 *   npm run build && node dist/examples/unary-transform.js
 */
import { DeviceArray, unaryTransform } from "../lib";

const celsius = DeviceArray.from(new Float32Array([-40, 0, 37.5, 100]));
const fahrenheit = DeviceArray.empty(4, "int16"); // stores cut the fraction off, as an Int16Array does

unaryTransform({ input: celsius, output: fahrenheit, op: (c) => Math.round(c * 1.8 + 32) });
console.log("fahrenheit:", fahrenheit.toArray().join(" "));

/* prints:
fahrenheit: -40 32 100 212
*/
