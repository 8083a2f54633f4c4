/**
 * How many samples lie in each of four bins of equal width; those outside are not counted.
 *
 *   npm run build && node dist/examples/histogram-even.js
 */
import { DeviceArray, histogramEven } from "../lib";

const samples = DeviceArray.from(new Float32Array([0, 0.5, 1, 1.5, 2.5, 3.9, 4, -1]));
const output = DeviceArray.empty(4, "int32");
histogramEven({ samples, output, lower: 0, upper: 4 });
console.log(output.toArray().join(" "));

/* prints:
2 2 1 1
*/
