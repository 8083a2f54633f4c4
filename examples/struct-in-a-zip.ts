/**
 * An item of a zip may be a struct: points beside their weights, to the weighted sum of the squared distances from 0.
 *
 *   npm run build && node dist/examples/struct-in-a-zip.js
 */
import { DeviceArray, reduceInto, struct, transformed, zipped } from "../lib";

const Point = struct({ x: "float32", y: "float32" });
const points = DeviceArray.fromColumns({ x: new Float32Array([3, 0, 1]), y: new Float32Array([4, 2, 1]) }, Point);
const weights = DeviceArray.from(new Float32Array([1, 0.5, 10]));
const sum = DeviceArray.empty(1, "float32");

const weighted = transformed(zipped(points, weights), ([{ x, y }, weight]) => weight * (x * x + y * y), "float32");
reduceInto({ input: weighted, output: sum, op: (a, b) => a + b, init: 0 });
console.log("25 + 2 + 20:", sum.toArray()[0]);

/* prints:
25 + 2 + 20: 47
*/
