/**
 * Orders by size: the small ones, the large ones, and the rest, each in the order they came in.
 *
 *   npm run build && node dist/examples/three-way-partition.js
 */
import { DeviceArray, threeWayPartition } from "../lib";

const orders = DeviceArray.from(new Int32Array([12, 480, 75, 3, 150, 999, 40, 8]));
const small = DeviceArray.empty(orders.length, "int32");
const large = DeviceArray.empty(orders.length, "int32");
const others = DeviceArray.empty(orders.length, "int32");
const counts = DeviceArray.empty(2, "int32");

threeWayPartition({
  input: orders,
  firstOutput: small,
  secondOutput: large,
  unselectedOutput: others,
  outputCounts: counts,
  selectFirst: (size) => size < 20,
  selectSecond: (size) => size >= 400,
});

const [smalls = 0, larges = 0] = counts.toArray();
console.log(`small:  ${small.subarray(0, smalls).toArray().join(" ")}`);
console.log(`large:  ${large.subarray(0, larges).toArray().join(" ")}`);
console.log(
  `others: ${others
    .subarray(0, orders.length - smalls - larges)
    .toArray()
    .join(" ")}`,
);

/* prints:
small:  12 3 8
large:  480 999
others: 75 150 40
*/
