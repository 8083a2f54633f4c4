/**
 * `constant` is the same value at every index, without memory: here, powers of two as running products.
 *
 *   npm run build && node dist/examples/constant.js
 */
import { DeviceArray, constant, inclusiveScan } from "../lib";

const powers = DeviceArray.empty(8, "int32");

// A constant has no end, so the output's length says how many.
inclusiveScan({ input: constant(2, "int32"), output: powers, op: (a, b) => a * b });
console.log("powers of two:", powers.toArray().join(" "));

/* prints:
powers of two: 2 4 8 16 32 64 128 256
*/
