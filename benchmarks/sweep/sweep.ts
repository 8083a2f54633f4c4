/**
 * Runs every state of the six benchmarks that run out of memory in cuda.compute, in one process under a limit, and drops
 * the arrays of each. docs/lifetime.md says what it shows and how to read it.
 *
 *   npm run sweep -- --help
 */
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from "node:fs";
import path from "node:path";
import { PerformanceObserver, performance } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Event, Stream, caches, getBackend, memory } from "../../lib";
import { collectGarbage } from "../../lib/backends/collector";
import { plot } from "./plot";
import { startProgress } from "./progress";
import { type Conduct, type Result, runState } from "./run-state";
import { type Benchmark, type State, benchmarks } from "./states";
import { describe, summarize } from "./summary";

const usage = `Usage: npm run sweep -- [options]

  --benchmarks a,b     only these: ${benchmarks.map(({ name }) => name).join(", ")}
  --max-elements n     only states of at most n elements
  --quick              only int32, float64 and complex64
  --limit bytes        the most that arrays may hold: 48e9 unless given
  --passes n           all states n times
  --no-collect         no collection between states: what the library asks for must do
  --dispose            disposes arrays, rather than only dropping them
  --no-synchronous     a turn of the event loop after each state
  --no-data            leaves inputs unwritten, for a device that executes nothing
  --out file           a line of JSON for each state: build/sweep/sweep.jsonl unless given, - for stdout
  --plot file          live bytes as SVG: beside --out unless given
  --json               the summary as JSON
`;

const { values: options } = parseArgs({
  allowNegative: true,
  options: {
    benchmarks: { type: "string" },
    "max-elements": { type: "string" },
    quick: { type: "boolean", default: false },
    limit: { type: "string", default: "48e9" },
    passes: { type: "string", default: "1" },
    collect: { type: "boolean", default: true },
    dispose: { type: "boolean", default: false },
    synchronous: { type: "boolean", default: true },
    data: { type: "boolean", default: true },
    out: { type: "string", default: "build/sweep/sweep.jsonl" },
    plot: { type: "string" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

/** Ends the program over something the user has to mend. */
function stop(message: string): never {
  writeSync(2, `${message}\n`);
  process.exit(2);
}

function wholeNumber(text: string, option: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) stop(`--${option} takes a whole number from 1, not ${text}.`);
  return number;
}

function chosenBenchmarks(): Benchmark[] {
  const names = options.benchmarks?.split(",") ?? benchmarks.map(({ name }) => name);
  return names.map((name) => {
    const found = benchmarks.find((benchmark) => benchmark.name === name);
    return found ?? stop(`There is no benchmark ${name}; there are ${benchmarks.map((each) => each.name).join(", ")}.`);
  });
}

const quickTypes = new Set(["int32", "float64", "complex64"]);
const isQuick = ({ axes }: State): boolean =>
  Object.values(axes).every((value) => typeof value === "number" || quickTypes.has(value));

if (options.help) {
  process.stdout.write(usage);
  process.exit(0);
}
const limit = wholeNumber(options.limit, "limit");
const passes = wholeNumber(options.passes, "passes");
const maxElements =
  options["max-elements"] === undefined ? Infinity : wholeNumber(options["max-elements"], "max-elements");
const chosen = chosenBenchmarks();
const states = chosen
  .flatMap((benchmark) => benchmark.states)
  .filter((state) => state.elements <= maxElements && (!options.quick || isQuick(state)));
const isWhole = !options.quick && maxElements === Infinity && passes === 1;

if (getBackend().name !== "cuda") {
  stop("The sweep is about device memory: it needs backend cuda. Without a GPU: npm run sweep:simulated");
}
memory.setLimit(limit);

function openOut(): number {
  if (options.out === "-") return 1;
  mkdirSync(path.dirname(path.resolve(options.out)), { recursive: true });
  return openSync(options.out, "w");
}

/** Time spent collecting; Node tells of collections when the event loop turns next, with their times. */
const collections: { startTime: number; duration: number }[] = [];
const observer = new PerformanceObserver((list) => collections.push(...list.getEntries()));
observer.observe({ entryTypes: ["gc"] });

/** When collections between states were asked for, which are the sweep's own. */
const between: [number, number][] = [];
const results: Result[] = [];

/** Runs the states; after each the caller may let the event loop turn. */
function* sweep(): Generator<undefined> {
  const { data, dispose, collect } = options;
  const conduct: Conduct = { data, dispose, collect, stream: new Stream(), start: new Event(), end: new Event() };
  const out = openOut();
  const progress = startProgress(states.length * passes);
  let failed = 0;
  for (let pass = 1; pass <= passes; pass++) {
    for (const state of states) {
      const result = runState(state, pass, conduct, between);
      writeSync(out, `${JSON.stringify(result)}\n`);
      results.push(result);
      if (result.failure !== undefined) failed++;
      progress.update(results.length, failed, `${state.benchmark} ${Object.values(state.axes).join(" ")}`);
      yield;
    }
  }
  progress.stop();
  if (out !== 1) closeSync(out);
}

async function main(): Promise<void> {
  const start = performance.now();
  if (options.synchronous) Array.from(sweep());
  else for (const _ of sweep()) await setImmediate();
  const milliseconds = performance.now() - start;
  const counted = memory.stats().collections;
  collectGarbage("full");
  const bytesAtEnd = memory.stats().liveBytes;

  // Node's news of collections.
  await setImmediate();
  await setImmediate();
  observer.disconnect();
  const isOurs = (time: number): boolean => between.some(([from, to]) => time >= from && time <= to);
  const end = start + milliseconds;
  const collectorMilliseconds = collections
    .filter(({ startTime }) => startTime >= start && startTime <= end && !isOurs(startTime))
    .reduce((sum, { duration }) => sum + duration, 0);

  const summary = summarize(chosen, results, isWhole, {
    limit,
    bytesAtEnd,
    milliseconds,
    collections: counted,
    collectorMilliseconds,
    caches: caches.stats(),
  });
  const picture = options.plot ?? (options.out === "-" ? undefined : options.out.replace(/(\.jsonl)?$/, ".svg"));
  if (picture !== undefined) writeFileSync(picture, await plot(results, limit));
  const isJson = options.json;
  // Lines of states may have gone to stdout: the summary is the last.
  process.stdout.write(`${isJson ? JSON.stringify(summary) : describe(summary)}\n`);
  if (summary.failed > 0 || bytesAtEnd > 0) process.exitCode = 1;
}

void main();
