/**
 * The sum of each row of a matrix: a segmented reduction whose offsets are computed, not stored.
 *
 *   npm run build && node dist/examples/row-sums.js
 */
import { DeviceArray, counting, segmentedReduce, transformed } from "../lib";

const columns = 3;
const matrix = DeviceArray.from(new Float32Array([1, 2, 3, 4, 5, 6]));
const sums = DeviceArray.empty(2, "float32");

segmentedReduce({
  input: matrix,
  output: sums,
  startOffsets: transformed(counting(0), (row) => row * columns, "int32"),
  endOffsets: transformed(counting(1), (row) => row * columns, "int32"),
  numSegments: 2,
  op: (a, b) => a + b,
  init: 0,
});
console.log(sums.toArray().join(" "));

/* prints:
6 15
*/
