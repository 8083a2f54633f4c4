/**
 * Pairs sorted by an order of one's own: stable, so equal ranks keep the order they came in.
 *
 *   npm run build && node dist/examples/merge-sort.js
 */
import { DeviceArray, mergeSort } from "../lib";

const ranks = DeviceArray.from(new Int8Array([2, 3, 1, 3, 2]));
const names = DeviceArray.from(new Int32Array([100, 101, 102, 103, 104]));

// The outputs may be exactly the inputs.
mergeSort({ inputKeys: ranks, inputValues: names, outputKeys: ranks, outputValues: names, op: (a, b) => a > b });
console.log("ranks:", ranks.toArray().join(" "));
console.log("names:", names.toArray().join(" "));

/* prints:
ranks: 3 3 2 2 1
names: 101 103 100 104 102
*/
