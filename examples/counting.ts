/**
 * `counting` is start, start + 1, … without memory. It has no end, so the call says how many items it takes.
 *
 *   npm run build && node dist/examples/counting.js
 */
import { DeviceArray, counting, reduceInto } from "../lib";

const sum = DeviceArray.empty(1, "int64");

reduceInto({ input: counting(1n), output: sum, op: (a, b) => a + b, init: 0n, numItems: 1_000_000 });
console.log("1 + 2 + … + 1000000:", sum.toArray()[0]);

/* prints:
1 + 2 + … + 1000000: 500000500000n
*/
