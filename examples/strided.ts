/**
 * `strided` takes every n-th element: a column of a matrix that lies row by row.
 *
 *   npm run build && node dist/examples/strided.js
 */
import { DeviceArray, reduceInto, strided } from "../lib";

const columns = 3;
const matrix = DeviceArray.from(new Float32Array([1, 2, 3, 10, 20, 30, 100, 200, 300]));
const sum = DeviceArray.empty(1, "float32");

for (let column = 0; column < columns; column++) {
  // Another offset compiles nothing.
  reduceInto({ input: strided(matrix, columns, column), output: sum, op: (a, b) => a + b, init: 0 });
  console.log(`sum of column ${String(column)}:`, sum.toArray()[0]);
}

/* prints:
sum of column 0: 111
sum of column 1: 222
sum of column 2: 333
*/
