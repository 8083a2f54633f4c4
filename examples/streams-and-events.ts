/**
 * Work on two streams may run side by side. An event lets one stream wait for a point in the other's work, and measures
 * the time between two points.
 *
 *   npm run build && node dist/examples/streams-and-events.js
 */
import { DeviceArray, Event, Stream, reduceInto, unaryTransform } from "../lib";

async function main(): Promise<void> {
  const first = new Stream();
  const second = new Stream();
  const numbers = DeviceArray.from(new Float32Array([1, 2, 3, 4]));
  const squares = DeviceArray.empty(4, "float32");
  const sum = DeviceArray.empty(1, "float32");

  const start = first.record(new Event());
  unaryTransform({ input: numbers, output: squares, op: (x) => x * x, stream: first });
  const squared = first.record();

  // Calls that share an array wait for each other by themselves; this shows how to say it where work does not.
  second.wait(squared);
  reduceInto({ input: squares, output: sum, op: (a, b) => a + b, init: 0, stream: second });

  await second.finished(); // the event loop stays free
  console.log("sum of squares:", sum.toArray()[0]);
  console.log("squares took some time:", squared.millisecondsSince(start) >= 0);
}

void main();

/* prints:
sum of squares: 30
squares took some time: true
*/
