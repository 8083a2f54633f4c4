/**
 * The pixel with the most green: an operator that compares one field of a struct and answers the whole of it.
 *
 *   npm run build && node dist/examples/max-of-a-pixel-field.js
 */
import { DeviceArray, reduceInto, struct } from "../lib";

const Pixel = struct({ r: "uint8", g: "uint8", b: "uint8" });
const pixels = DeviceArray.from(new Uint8Array([255, 10, 0, 20, 200, 30, 0, 90, 255]), Pixel); // three pixels' bytes
const output = DeviceArray.empty(1, Pixel);

reduceInto({ input: pixels, output, op: (a, b) => (b.g > a.g ? b : a) });
console.log("greenest pixel:", output.toArray()[0]);

/* prints:
greenest pixel: { r: 20, g: 200, b: 30 }
*/
