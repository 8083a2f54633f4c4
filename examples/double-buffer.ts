/**
 * A sort between two arrays needs no third; which of them holds the result is known when the call returns.
 *
 *   npm run build && node dist/examples/double-buffer.js
 */
import { DeviceArray, DoubleBuffer, radixSort } from "../lib";

const keys = new DoubleBuffer(DeviceArray.from(new Float32Array([3, -1, 2, -0.5])), DeviceArray.empty(4, "float32"));
radixSort({ inputKeys: keys });
console.log(keys.current.toArray().join(" "));

/* prints:
-1 -0.5 2 3
*/
