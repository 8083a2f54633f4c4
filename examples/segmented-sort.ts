/**
 * Each segment of an array sorted by itself, the empty one too.
 *
 *   npm run build && node dist/examples/segmented-sort.js
 */
import { DeviceArray, segmentedSort } from "../lib";

const inputKeys = DeviceArray.from(new Int32Array([9, 7, 8, 3, 1, 2]));
const outputKeys = DeviceArray.empty(6, "int32");
const bounds = DeviceArray.from(new Int32Array([0, 3, 3, 6])); // [9 7 8] [] [3 1 2]

segmentedSort({ inputKeys, outputKeys, startOffsets: bounds.subarray(0, 3), endOffsets: bounds.subarray(1) });
console.log(outputKeys.toArray().join(" "));

/* prints:
7 8 9 1 2 3
*/
