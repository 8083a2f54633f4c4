/**
 * An operator with settings: `bind` takes them from an object at each call. Another value compiles nothing.
 *
 *   npm run build && node dist/examples/bind-settings.js
 */
import { DeviceArray, bind, unaryTransform } from "../lib";

const limits = { low: 0, high: 1 };
const clamp = bind((x, { low, high }) => Math.min(Math.max(x, low), high), limits);
const input = DeviceArray.from(new Float32Array([-1, 0.5, 2]));
const output = DeviceArray.empty(3, "float32");

unaryTransform({ input, output, op: clamp });
console.log("between 0 and 1:", output.toArray().join(" "));
limits.low = -10;
unaryTransform({ input, output, op: clamp });
console.log("between -10 and 1:", output.toArray().join(" "));

/* prints:
between 0 and 1: 0 0.5 1
between -10 and 1: -1 0.5 1
*/
