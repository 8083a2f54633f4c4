/**
 * Iterators nest: the indices are computed by `transformed` and used by `permuted`, with no array of them anywhere.
 *
 *   npm run build && node dist/examples/permuted-with-transform.js
 */
import { DeviceArray, counting, permuted, reduceInto, transformed } from "../lib";

const values = DeviceArray.from(new Float32Array([1, 20, 3, 40, 5, 60]));
const sum = DeviceArray.empty(1, "float32");

const oddPlaces = transformed(counting(0), (i) => 2 * i + 1, "int32");
reduceInto({ input: permuted(values, oddPlaces), output: sum, op: (a, b) => a + b, init: 0, numItems: 3 });
console.log("20 + 40 + 60:", sum.toArray()[0]);

/* prints:
20 + 40 + 60: 120
*/
