/**
 * Running totals: element i of an inclusive scan is the sum of the items up to and with i.
 *
 *   npm run build && node dist/examples/inclusive-scan.js
 */
import { DeviceArray, inclusiveScan } from "../lib";

const deposits = DeviceArray.from(new Int32Array([100, -30, 50, -20]));
const balance = DeviceArray.empty(4, "int32");

inclusiveScan({ input: deposits, output: balance, op: (a, b) => a + b });
console.log("balance after each:", balance.toArray().join(" "));

/* prints:
balance after each: 100 70 120 100
*/
