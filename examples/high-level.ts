/**
 * Functions that allocate their outputs: the shortest way from an array to an answer.
 *
 *   npm run build && node dist/examples/high-level.js
 */
import { DeviceArray, argmax, count, map, max, mean, min, minmax, reduce, scan, sum } from "../lib";

async function main(): Promise<void> {
  const heights = DeviceArray.from(new Float32Array([1.5, 2, 1.25, 1.75]));

  console.log("sum, mean:", await sum(heights), await mean(heights));
  console.log("min, max:", await min(heights), await max(heights), await minmax(heights));
  console.log("index of the max:", await argmax(heights));
  console.log("over 1.6:", await count(heights, (x) => x > 1.6));
  console.log("product:", await reduce(heights, (a, b) => a * b, 1));

  // These answer arrays, which are on the device and can go into the next call.
  const centimetres = map(heights, (x) => x * 100, { type: "int32" });
  console.log("centimetres:", centimetres.toArray().join(" "));
  console.log(
    "running total:",
    scan(centimetres, (a, b) => a + b)
      .toArray()
      .join(" "),
  );
}

void main();

/* prints:
sum, mean: 6.5 1.625
min, max: 1.25 2 { min: 1.25, max: 2 }
index of the max: 1
over 1.6: 2
product: 6.5625
centimetres: 150 200 125 175
running total: 150 350 475 650
*/
