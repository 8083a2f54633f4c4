/**
 * Runs the benchmarks of algorithms; see README.md.
 *
 *   npm run bench -- [names] [--quick] [--host-overhead] [--axis name=value,...] [--max-elements n] [--json]
 */
import { parseArgs } from "node:util";
import { OutOfDeviceMemoryError, getBackend } from "../lib";
import { algorithms } from "./algorithms";
import { type Benchmark, type State, allStates } from "./benchmark";
import { deviceTime, hostMicroseconds } from "./measure";

type Figures = Readonly<Record<string, string | number>>;

interface Result {
  readonly benchmark: string;
  readonly state: State;
  readonly figures: Figures;
}

interface Options {
  readonly quick: boolean;
  readonly axes: ReadonlyMap<string, readonly string[]>;
  readonly maxElements: number;
}

const quickElements = 2 ** 16;
const overheadElements = 2 ** 10;
const mostElements = { cuda: 2 ** 28, host: 2 ** 20 };

/** Every benchmark by `algorithm/name`. */
const benchmarks = new Map<string, Benchmark>(
  Object.entries(algorithms).flatMap(([algorithm, its]) => its.map((each) => [`${algorithm}/${each.name}`, each])),
);

/** The benchmarks of which the names, or the names of their algorithms, are given; without names all. */
function chosen(names: readonly string[]): [string, Benchmark][] {
  for (const name of names) {
    if (benchmarks.has(name) || Object.hasOwn(algorithms, name)) continue;
    throw new Error(`There is no benchmark "${name}". There are:\n  ${[...benchmarks.keys()].join("\n  ")}`);
  }
  return [...benchmarks].filter(
    ([name]) => names.length === 0 || names.includes(name) || names.includes(name.split("/", 1).join()),
  );
}

/** The first value of each axis that was asked for, and so many elements. */
function smallState({ axes }: Benchmark, { axes: asked }: Options, elements: number): State {
  const first = Object.entries(axes).map(([axis, values]) => {
    const wanted = asked.get(axis);
    return [axis, values.find((value) => wanted?.includes(String(value)) ?? true) ?? values[0]];
  });
  return { ...(Object.fromEntries(first) as State), elements };
}

function statesOf(benchmark: Benchmark, options: Options): State[] {
  if (options.quick) return [smallState(benchmark, options, quickElements)];
  return allStates(benchmark).filter(
    (state) =>
      Number(state["elements"]) <= options.maxElements &&
      [...options.axes].every(([axis, values]) => !(axis in state) || values.includes(String(state[axis]))),
  );
}

const rounded = (value: number, digits: number): number => Number(value.toPrecision(digits));

function deviceFigures(benchmark: Benchmark, state: State, quick: boolean): Figures {
  const work = benchmark.prepare(state);
  const { samples, median, spread } = deviceTime(work, quick ? 3 : 25, !quick);
  const seconds = median / 1000;
  return {
    microseconds: rounded(median * 1000, 5),
    spread: rounded(spread, 2),
    samples,
    "GB/s": rounded((work.read + work.written) / seconds / 1e9, 4),
    "Gelements/s": rounded(Number(state["elements"]) / seconds / 1e9, 4),
    "bytes read": work.read,
    "bytes written": work.written,
  };
}

function hostFigures(benchmark: Benchmark, state: State, quick: boolean): Figures {
  const work = benchmark.prepare(state);
  const effort = quick ? { calls: 5, batches: 1, milliseconds: 0 } : { calls: 200, batches: 15, milliseconds: 300 };
  return {
    "µs/call": rounded(hostMicroseconds(work.calls(), effort), 4),
    "µs/made call": rounded(hostMicroseconds(work.made(), effort), 4),
  };
}

/** Large powers of two as such. */
function axisText([axis, value]: [string, string | number]): string {
  const power = typeof value === "number" && value >= 1024 ? Math.log2(value) : NaN;
  return `${axis}=${Number.isInteger(power) ? `2^${String(power)}` : String(value)}`;
}

/** Aligned columns, empty where a result has no such figure. */
function table(results: readonly Result[]): string {
  const columns = [...new Set(results.flatMap(({ figures }) => Object.keys(figures)))];
  const lines = [
    ["benchmark", "state", ...columns],
    ...results.map(({ benchmark, state, figures }) => [
      benchmark,
      Object.entries(state).map(axisText).join(" "),
      ...columns.map((column) => String(figures[column] ?? "")),
    ]),
  ];
  const widths = lines[0]?.map((_, i) => Math.max(...lines.map((line) => (line[i] as string).length))) ?? [];
  return lines
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i] as number))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function parseAxes(given: readonly string[]): Map<string, string[]> {
  const known = new Set([...benchmarks.values()].flatMap(({ axes }) => Object.keys(axes)));
  return new Map(
    given.map((text) => {
      const [axis = "", values = ""] = text.split("=");
      if (!known.has(axis)) throw new Error(`There is no axis "${axis}". There are: ${[...known].join(", ")}`);
      return [axis, values.split(",")];
    }),
  );
}

function main(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      "host-overhead": { type: "boolean", default: false },
      axis: { type: "string", multiple: true, default: [] },
      "max-elements": { type: "string" },
    },
  });
  const backend = getBackend();
  const options: Options = {
    quick: values.quick,
    axes: parseAxes(values.axis),
    maxElements: Number(values["max-elements"] ?? mostElements[backend.name]),
  };
  const isOverhead = values["host-overhead"];
  const about = { backend: backend.name, device: backend.device, node: process.version };
  if (values.json) console.log(JSON.stringify(about));

  const results: Result[] = [];
  for (const [name, benchmark] of chosen(positionals)) {
    const states = isOverhead ? [smallState(benchmark, options, overheadElements)] : statesOf(benchmark, options);
    for (const state of states) {
      if (!values.json && process.stderr.isTTY) process.stderr.write(`${name} ${JSON.stringify(state)}\n`);
      const result = { benchmark: name, state, figures: measured(benchmark, state) };
      results.push(result);
      if (values.json) console.log(JSON.stringify(result));
    }
  }
  if (!values.json) console.log(`${JSON.stringify(about)}\n${table(results)}`);

  function measured(benchmark: Benchmark, state: State): Figures {
    try {
      return (isOverhead ? hostFigures : deviceFigures)(benchmark, state, options.quick);
    } catch (error) {
      // A device that is too small for a state is no failure; the states that follow may fit.
      if (!(error instanceof OutOfDeviceMemoryError)) process.exitCode = 1;
      return { error: (error as Error).message.split("\n", 1).join() };
    }
  }
}

try {
  main();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 2;
}
