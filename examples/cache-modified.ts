/**
 * `cacheModified` reads an array by other loads: "stream" passes by the caches what is read only once.
 *
 *   npm run build && node dist/examples/cache-modified.js
 */
import { DeviceArray, cacheModified, reduceInto } from "../lib";

const readings = DeviceArray.from(new Float32Array([1.5, 2.5, 3, 4]));
const sum = DeviceArray.empty(1, "float32");

reduceInto({ input: cacheModified(readings, "stream"), output: sum, op: (a, b) => a + b, init: 0 });
console.log("sum:", sum.toArray()[0]);

/* prints:
sum: 11
*/
