/**
 * The first event of each visit to a page, out of a log that is ordered by time.
 *
 *   npm run build && node dist/examples/unique-by-key.js
 */
import { DeviceArray, struct, uniqueByKey } from "../lib";

const Event = struct({ time: "float64", user: "int32" });
const pages = DeviceArray.from(new Int32Array([1, 1, 7, 7, 7, 1, 4, 4]));
const events = DeviceArray.fromColumns(
  {
    time: new Float64Array([0, 1.5, 2, 2.25, 3, 4, 5, 9]),
    user: new Int32Array([10, 10, 11, 10, 11, 12, 11, 10]),
  },
  Event,
);
const visited = DeviceArray.empty(pages.length, "int32");
const firsts = DeviceArray.empty(pages.length, Event);
const visits = DeviceArray.empty(1, "int32");

uniqueByKey({
  inputKeys: pages,
  inputValues: events,
  outputKeys: visited,
  outputValues: firsts,
  outputCount: visits,
});

const [count = 0] = visits.toArray();
const { time } = firsts.subarray(0, count).toColumns();
visited
  .subarray(0, count)
  .toArray()
  .forEach((page, visit) => {
    console.log(`page ${String(page)} at ${String(time[visit])} s`);
  });

/* prints:
page 1 at 0 s
page 7 at 2 s
page 1 at 4 s
page 4 at 5 s
*/
