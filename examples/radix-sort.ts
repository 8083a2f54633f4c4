/**
 * Numbers and what belongs to them, sorted by the bits of the numbers, and the same by some bits alone.
 *
 *   npm run build && node dist/examples/radix-sort.js
 */
import { DeviceArray, radixSort } from "../lib";

const inputKeys = DeviceArray.from(new Uint16Array([0x0302, 0x0101, 0x0203, 0x0100]));
const inputValues = DeviceArray.from(new Int32Array([0, 1, 2, 3]));
const outputKeys = DeviceArray.empty(4, "uint16");
const outputValues = DeviceArray.empty(4, "int32");

radixSort({ inputKeys, inputValues, outputKeys, outputValues, order: "descending" });
console.log("descending:", outputValues.toArray().join(" "));

radixSort({ inputKeys, inputValues, outputKeys, outputValues, endBit: 8 });
console.log("by the low byte:", outputValues.toArray().join(" "));

/* prints:
descending: 0 2 1 3
by the low byte: 3 1 0 2
*/
