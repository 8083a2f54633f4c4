/**
 * Complex numbers: `complex64` is a struct of two float32, and `complex` has the arithmetic, as operators by themselves.
 *
 *   npm run build && node dist/examples/complex-numbers.js
 */
import { DeviceArray, complex, complex64, reduceInto, unaryTransform } from "../lib";

const z = DeviceArray.fromColumns({ re: new Float32Array([1, 0, 2]), im: new Float32Array([1, 1, -1]) }, complex64);
const result = DeviceArray.empty(1, complex64);

reduceInto({ input: z, output: result, op: complex.add });
console.log("sum of 1+i, i and 2-i:", result.toArray()[0]);
reduceInto({ input: z, output: result, op: complex.multiply, init: { re: 1, im: 0 } });
console.log("their product:", result.toArray()[0]);

const sizes = DeviceArray.empty(3, "float32");
unaryTransform({ input: z, output: sizes, op: (a) => a.re * a.re + a.im * a.im });
console.log("their squared lengths:", sizes.toArray().join(" "));

/* prints:
sum of 1+i, i and 2-i: { re: 3, im: 1 }
their product: { re: -1, im: 3 }
their squared lengths: 2 1 5
*/
