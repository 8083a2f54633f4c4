/**
 * An operator in CUDA C++, for what JavaScript has no word for: here, counting the bits of a word. It needs a GPU.
 *
 *   npm run build && node dist/examples/cpp-operator.js
 */
import { DeviceArray, cpp, getBackend, unaryTransform } from "../lib";

const { name } = getBackend();
if (name === "cuda") {
  const countBits = cpp("__device__ int op(unsigned int x) { return __popc(x); }");
  const input = DeviceArray.from(new Uint32Array([0, 1, 255, 4294967295]));
  const output = DeviceArray.empty(4, "int32");

  unaryTransform({ input, output, op: countBits });
  console.log("bits:", output.toArray().join(" "));
} else {
  console.log(`Operators in CUDA C++ need backend cuda; this is backend ${name}.`);
}

/* prints on cuda:
bits: 0 1 8 32
*/

/* prints on host:
Operators in CUDA C++ need backend cuda; this is backend host.
*/
