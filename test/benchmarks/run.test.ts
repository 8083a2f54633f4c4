/**
 * Every algorithm has a benchmark, and all of them run. Their program is the built one (`npm run build`).
 */
import path from "node:path";
import { algorithms } from "../../benchmarks/algorithms";
import { type State, allStates } from "../../benchmarks/benchmark";
import * as cc from "../../lib";
import { testBackends } from "../helpers/backends";
import { root, runNode } from "../helpers/child";

const names = Object.entries(algorithms).flatMap(([algorithm, its]) => its.map(({ name }) => `${algorithm}/${name}`));

const run = (parameters: string[], backend = "host") =>
  runNode([path.join(root, "dist", "benchmarks", "run.js"), ...parameters], { CUDA_COMPUTE_BACKEND: backend });

interface Result {
  benchmark: string;
  state: Record<string, unknown>;
  figures: Record<string, number>;
}

const linesOf = (text: string): unknown[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line));

test("every algorithm has benchmarks", () => {
  const exported = Object.keys(cc).filter((name) => `make${name.charAt(0).toUpperCase()}${name.slice(1)}` in cc);
  expect(Object.keys(algorithms).sort()).toEqual(exported.sort());
  expect(new Set(names).size).toBe(names.length);
});

describe.each(testBackends)("backend %s", (backend) => {
  test("the quick run measures a small state of each benchmark", async () => {
    const { code, stdout, stderr } = await run(["--quick", "--json"], backend);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const [about, ...results] = linesOf(stdout) as [unknown, ...Result[]];
    expect(about).toMatchObject({ backend, node: process.version });
    expect(results.map(({ benchmark }) => benchmark)).toEqual(names);
    for (const { state, figures } of results) {
      expect(state).toMatchObject({ elements: 2 ** 16 });
      expect(figures).toMatchObject({ samples: 3 });
      expect(figures["bytes written"]! + figures["bytes read"]!).toBeGreaterThan(2 ** 16);
      // By definition: bytes in microseconds, to four digits.
      const moved = (figures["bytes read"]! + figures["bytes written"]!) / figures["microseconds"]! / 1000;
      expect(figures["GB/s"]! / moved).toBeCloseTo(1, 2);
    }
  });

  test("the overhead on the host is that of calls, and of made functions", async () => {
    const { code, stdout, stderr } = await run(["reduceInto", "--quick", "--host-overhead", "--json"], backend);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const [, ...results] = linesOf(stdout) as [unknown, ...Result[]];
    expect(results.map(({ benchmark }) => benchmark)).toEqual(names.filter((name) => name.startsWith("reduceInto/")));
    for (const { state, figures } of results) {
      expect(state).toEqual({ type: "float32", elements: 1024 });
      expect(Object.keys(figures)).toEqual(["µs/call", "µs/made call"]);
      expect(Object.values(figures).every((microseconds) => microseconds > 0)).toBe(true);
    }
  });
});

test("names and axes choose what is measured, and a table shows it", async () => {
  const axes = ["--axis", "type=int8,float64", "--axis", "entropy=0.201", "--max-elements", "65536"];
  const { code, stdout } = await run(["radixSort/keys", "reduceInto/min", ...axes]);
  const [, heading, ...rows] = stdout.trimEnd().split("\n");
  expect(code).toBe(0);
  expect(heading!.split(/ {2,}/).slice(0, 4)).toEqual(["benchmark", "state", "microseconds", "spread"]);
  expect(rows.map((row) => row.split(/ {2,}/).slice(0, 2))).toEqual([
    ["reduceInto/min", "type=int8 elements=2^16"],
    ["reduceInto/min", "type=float64 elements=2^16"],
    ["radixSort/keys", "type=int8 elements=2^16 entropy=0.201"],
    ["radixSort/keys", "type=float64 elements=2^16 entropy=0.201"],
  ]);
});

test.each([
  [["reduceInto/mean"], /^There is no benchmark "reduceInto\/mean"\. There are:\n {2}reduceInto\/sum\n/],
  [["--axis", "size=4"], /^There is no axis "size"\. There are: type, elements, /],
  [["--fast"], /--fast/],
])("%j is refused before anything runs", async (parameters, message) => {
  const { code, stdout, stderr } = await run(parameters);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(message);
});

// Types and distributions, on few elements, so that those that the quick run leaves out cannot rot either.
describe("every state of each benchmark runs", () => {
  const few = ([axis, value]: [string, unknown]): [string, unknown] => [
    axis,
    axis === "elements" ? 64 : typeof value === "number" ? Math.min(value, 256) : value,
  ];

  beforeAll(() => {
    cc.setBackend("host");
  });

  test.each(Object.entries(algorithms))("%s", (_, benchmarks) => {
    for (const benchmark of benchmarks) {
      const states = allStates(benchmark).map((state) =>
        JSON.stringify(Object.fromEntries(Object.entries(state).map(few))),
      );
      for (const state of new Set(states)) benchmark.prepare(JSON.parse(state) as State).calls()();
    }
  });
});
