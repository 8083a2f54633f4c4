/**
 * `makeReduceIntoAsync` compiles off the event loop: a server goes on answering meanwhile.
 *
 *   npm run build && node dist/examples/make-reduce-into-async.js
 */
import { DeviceArray, makeReduceIntoAsync } from "../lib";

async function main(): Promise<void> {
  const input = DeviceArray.from(new Float32Array([3, 1, 2]));
  const output = DeviceArray.empty(1, "float32");

  const maximum = await makeReduceIntoAsync({ input, output, op: (a, b) => Math.max(a, b) });
  maximum({ input, output });
  const [result] = await output.read(); // as toTypedArray, and the event loop stays free as well
  console.log("maximum:", result);
}

void main();

/* prints:
maximum: 3
*/
