/**
 * 200,000 real flights: the sum, mean and maximum of the delays, how many were over an hour late, the total distance,
 * a running total, the mean delay of each hour of the day, and a histogram of the delays.
 *
 *   npm run demo             a table
 *   npm run demo -- --json   the same as one JSON object
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { parseArgs } from "node:util";
import { tableFromIPC } from "apache-arrow";
import {
  DeviceArray,
  counting,
  getBackend,
  histogramEven,
  inclusiveScan,
  lowerBound,
  radixSort,
  reduceInto,
  segmentedReduce,
  transformed,
  unaryTransform,
  upperBound,
} from "../lib";

/** The columns of the file as they lie in it: typed arrays, no copy of each element. */
function readFlights(): { delay: Int16Array; distance: Int16Array; time: Float32Array } {
  const folder = path.dirname(createRequire(__filename).resolve("vega-datasets"));
  const table = tableFromIPC(readFileSync(path.join(folder, "..", "data", "flights-200k.arrow")));
  const column = (name: string): unknown => table.getChild(name)?.toArray();
  return {
    delay: column("delay") as Int16Array,
    distance: column("distance") as Int16Array,
    time: column("time") as Float32Array,
  };
}

const round = (value: number): number => Math.round(value * 1e6) / 1e6;

const columns = readFlights();
const delay = DeviceArray.from(columns.delay);
const distance = DeviceArray.from(columns.distance);

// Sums of int16 go to a wider output, so the accumulator is wide as well.
const delaySum = DeviceArray.empty(1, "int64");
reduceInto({ input: delay, output: delaySum, op: (a, b) => a + b, init: 0n });

const delayMax = DeviceArray.empty(1, "int16");
reduceInto({ input: delay, output: delayMax, op: (a, b) => Math.max(a, b) });

const overAnHour = DeviceArray.empty(1, "int32");
const isOverAnHour = transformed(delay, (minutes) => (minutes > 60 ? 1 : 0), "int32");
reduceInto({ input: isOverAnHour, output: overAnHour, op: (a, b) => a + b, init: 0 });

const distanceSum = DeviceArray.empty(1, "int64");
reduceInto({ input: distance, output: distanceSum, op: (a, b) => a + b, init: 0n });

const shown = 8;
const running = DeviceArray.empty(shown, "int32");
inclusiveScan({ input: delay.subarray(0, shown), output: running, op: (a, b) => a + b });

// By hour of the day: flights sorted by their hour, in which each hour is a segment that a binary search finds.
const flights = delay.length;
const hour = DeviceArray.empty(flights, "uint8");
unaryTransform({ input: DeviceArray.from(columns.time), output: hour, op: (time) => Math.floor(time) });
const sortedHour = DeviceArray.empty(flights, "uint8");
const delayByHour = DeviceArray.empty(flights, "int16");
radixSort({ inputKeys: hour, inputValues: delay, outputKeys: sortedHour, outputValues: delayByHour });

const hours = 24;
const startOffsets = DeviceArray.empty(hours, "uint64");
const endOffsets = DeviceArray.empty(hours, "uint64");
const values = counting(0, "uint8");
lowerBound({ data: sortedHour, values, output: startOffsets, numValues: hours });
upperBound({ data: sortedHour, values, output: endOffsets, numValues: hours });
const sumByHour = DeviceArray.empty(hours, "int64");
segmentedReduce({
  input: delayByHour,
  output: sumByHour,
  startOffsets,
  endOffsets,
  op: (a, b) => a + b,
  init: 0n,
});

/** The delays that the histogram shows: all but the few of more than two hours. */
const [earliest, latest, width] = [-30, 120, 10];
const bins = DeviceArray.empty((latest - earliest) / width, "int32");
histogramEven({ samples: delay, output: bins, lower: earliest, upper: latest });

const [starts, ends, sums] = [startOffsets.toArray(), endOffsets.toArray(), sumByHour.toArray()];
const byHour = sums.map((total, hourOfDay) => {
  const count = Number((ends[hourOfDay] ?? 0n) - (starts[hourOfDay] ?? 0n));
  return { hour: hourOfDay, flights: count, meanDelay: count === 0 ? null : round(Number(total) / count) };
});

const sum = Number(delaySum.toTypedArray()[0]);
const result = {
  backend: getBackend().name,
  flights,
  delaySum: sum,
  delayMean: round(sum / flights),
  delayMax: Number(delayMax.toTypedArray()[0]),
  overAnHour: Number(overAnHour.toTypedArray()[0]),
  distanceSum: Number(distanceSum.toTypedArray()[0]),
  byHour,
};

if (parseArgs({ options: { json: { type: "boolean", default: false } } }).values.json) {
  console.log(JSON.stringify(result));
} else {
  const { name, device, reason } = getBackend();
  const other =
    name === "host"
      ? `backend cuda needs an NVIDIA GPU and driver; \`npm run doctor\` says what is missing${reason ? `: ${reason}` : "."}`
      : "CUDA_COMPUTE_BACKEND=host runs the same on the CPU.";
  const number = (value: number): string => value.toLocaleString("en-US").padStart(15);
  console.log(`Backend ${name} (${device}); ${other}\n`);
  console.log(`Flights               ${number(result.flights)}`);
  console.log(`Delay, sum (minutes)  ${number(result.delaySum)}`);
  console.log(`Delay, mean           ${result.delayMean.toFixed(6).padStart(15)}`);
  console.log(`Delay, maximum        ${number(result.delayMax)}`);
  console.log(`Over an hour late     ${number(result.overAnHour)}`);
  console.log(`Distance, sum (miles) ${number(result.distanceSum)}\n`);
  console.log(`First delays          ${columns.delay.subarray(0, shown).join(", ")}`);
  console.log(`… their running total ${running.toTypedArray().join(", ")}\n`);

  console.log("Hour  Flights  Mean delay");
  for (const row of byHour) {
    const mean = row.meanDelay === null ? "–" : row.meanDelay.toFixed(2);
    const label = String(row.hour).padStart(4);
    console.log(`${label}  ${row.flights.toLocaleString("en-US").padStart(7)}  ${mean.padStart(10)}`);
  }

  const counts = bins.toArray();
  const most = Math.max(...counts);
  console.log("\nDelay (minutes)");
  counts.forEach((count, bin) => {
    const from = String(earliest + bin * width).padStart(4);
    const to = String(earliest + (bin + 1) * width).padStart(4);
    const bar = "█".repeat(Math.ceil((count / most) * 50));
    console.log(`${from} to ${to}  ${bar} ${count.toLocaleString("en-US")}`);
  });
}
