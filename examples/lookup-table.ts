/**
 * An operator reads an array that it captures by `table[i]`. Outside of the table there is 0 for integers, NaN for floats.
 *
 *   npm run build && node dist/examples/lookup-table.js
 */
import { DeviceArray, unaryTransform } from "../lib";

const wordLengths = DeviceArray.from(
  new Int32Array(["zero", "one", "two", "three", "four"].map((word) => word.length)),
);
const digits = DeviceArray.from(new Uint8Array([3, 1, 4, 1, 9]));
const lengths = DeviceArray.empty(5, "int32");

unaryTransform({ input: digits, output: lengths, op: (digit) => wordLengths[digit] ?? -1 });
console.log("letters of three, one, four, one, ?:", lengths.toArray().join(" "));

/* prints:
letters of three, one, four, one, ?: 5 3 4 3 -1
*/
