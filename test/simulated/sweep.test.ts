/**
 * The sweep on a simulated device of 48 GB: no state fails, none leaves a byte, and nothing is compiled twice.
 *
 * All states compile some ninety kernels, so two element types stand for all; with CUDA_COMPUTE_TEST_LARGE all run.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Result } from "../../benchmarks/sweep/run-state";
import { benchmarks } from "../../benchmarks/sweep/states";
import type { Summary } from "../../benchmarks/sweep/summary";
import { root, runNode } from "../helpers/child";
import { buildSimulatedDevice } from "../helpers/simulated-paths";

const types = process.env["CUDA_COMPUTE_TEST_LARGE"] === undefined ? ["--quick"] : [];
const folder = mkdtempSync(path.join(tmpdir(), "cuda-compute-sweep-"));
const out = path.join(folder, "sweep.jsonl");

interface Sweep {
  code: number | null;
  stderr: string;
  summary: Summary;
  results: Result[];
}

async function sweep(...options: string[]): Promise<Sweep> {
  const program = path.join(root, "dist", "benchmarks", "sweep", "sweep.js");
  const preload = path.join(root, "scripts", "on-simulated-device.cjs");
  const { code, stdout, stderr } = await runNode(
    ["--require", preload, program, "--no-data", "--json", "--out", out, ...options],
    { SIMULATED_DEVICE_BYTES: undefined },
  );
  if (stdout === "") throw new Error(stderr);
  const results = readFileSync(out, "utf8").trimEnd().split("\n");
  return {
    code,
    stderr,
    summary: JSON.parse(stdout) as Summary,
    results: results.map((line) => JSON.parse(line) as Result),
  };
}

/** What a kernel depends on: the types, and in histograms whether there are many bins and many bytes. */
function signature({ benchmark, axes }: Result): string {
  const names = Object.values(axes).filter((value) => typeof value === "string");
  if (benchmark !== "histogram/even") return [benchmark, ...names].join(" ");
  const size = Number(/\d+$/.exec(String(axes["type"]))?.[0]) / 8;
  const isWide = Number(axes["elements"]) * size >= 2 ** 30;
  return [benchmark, ...names, Number(axes["bins"]) > 256, isWide].join(" ");
}

beforeAll(buildSimulatedDevice);

afterAll(() => {
  rmSync(folder, { recursive: true });
});

test("the states are those of the benchmarks' axes", () => {
  const numbers = 6; // int8 to int64, float32 and float64
  expect(Object.fromEntries(benchmarks.map(({ name, states }) => [name, states.length]))).toEqual({
    // Keys, values with complex64, 2^16 to 2^28, longest runs.
    "select/unique_by_key": 4 * (numbers + 1) * 4 * 3,
    // 2^22, 2^26 and 2^30 in numbers of segments and entropies, or in longest segments.
    "segmented_sort/keys": numbers * 3 * (3 * 2 + 13),
    "merge_sort/pairs": numbers * 4 * 4 * 2,
    "radix_sort/pairs": 4 * 4 * 4 * 2,
    "select/if": numbers * 4 * 3,
    // int8 has no 128 numbers from 0 on, and int16 no 2^21.
    "histogram/even": numbers * 4 * 4 * 2 - (3 + 1) * 4 * 2,
  });
});

test("no state fails, each leaves 0 bytes, and each signature is compiled once", async () => {
  const { code, summary, results } = await sweep(...types, "--passes", "2");
  expect(results.filter(({ failure }) => failure !== undefined)).toEqual([]);
  expect(results.filter(({ after }) => after !== 0)).toEqual([]);
  expect(summary).toMatchObject({ failed: 0, bytesAtEnd: 0, limit: 48e9, states: results.length });
  expect(Math.min(...results.map(({ peak }) => peak))).toBeGreaterThan(0);
  expect(code).toBe(0);

  const compiled = new Map<string, number>();
  results.forEach((result, i) => {
    const kernels = result.kernelsCompiled - (results[i - 1]?.kernelsCompiled ?? 0);
    compiled.set(signature(result), (compiled.get(signature(result)) ?? 0) + kernels);
  });
  expect([...compiled].filter(([, kernels]) => kernels > 1)).toEqual([]);
  const secondPass = results.filter(({ pass }) => pass === 2);
  expect(secondPass).toHaveLength(results.length / 2);
  const { kernelsCompiled, links } = results[results.length / 2 - 1] as Result;
  expect(new Set(secondPass.map((result) => result.kernelsCompiled))).toEqual(new Set([kernelsCompiled]));
  expect(new Set(secondPass.map((result) => result.links))).toEqual(new Set([links]));

  const picture = readFileSync(path.join(folder, "sweep.svg"), "utf8");
  expect(picture).toMatch(/^<svg/);
  for (const { name } of benchmarks) expect(picture).toContain(name);
});

test("what the library collects by itself is enough, without a collection between states", async () => {
  const only = types.length === 0 ? [] : ["--benchmarks", "segmented_sort/keys"];
  const { code, summary, results } = await sweep(...types, ...only, "--no-collect", "--passes", "2");
  expect(results.filter(({ failure }) => failure !== undefined)).toEqual([]);
  expect(Math.max(...results.map(({ peak }) => peak))).toBeLessThanOrEqual(48e9);
  expect(summary.collections.minor).toBeGreaterThan(0);
  expect(summary).toMatchObject({ failed: 0, bytesAtEnd: 0 });
  expect(code).toBe(0);
});

test("states that find no room fail alone, and are told", async () => {
  const { code, summary, results } = await sweep("--quick", "--benchmarks", "select/if", "--limit", "1e9");
  const needs = results.map(({ axes }) => Number(axes["elements"]) * (axes["type"] === "int32" ? 4 : 8) * 2 + 8);
  expect(results.map(({ failure }) => failure?.code)).toEqual(
    needs.map((bytes) => (bytes > 1e9 ? "ERR_OUT_OF_DEVICE_MEMORY" : undefined)),
  );
  expect(summary).toMatchObject({ failed: 6, bytesAtEnd: 0 });
  expect(code).toBe(1);
});

test("disposed arrays need no collection, also where the event loop turns between states", async () => {
  const options = ["--quick", "--benchmarks", "select/if", "--dispose", "--no-synchronous", "--no-collect"];
  const { summary, results } = await sweep(...options);
  expect(results.filter(({ after }) => after !== 0)).toEqual([]);
  expect(summary).toMatchObject({ failed: 0, bytesAtEnd: 0, collections: { minor: 0, full: 0 } });
});

test("a benchmark that does not exist is refused, with those that do", async () => {
  await expect(sweep("--benchmarks", "reduce/sum")).rejects.toThrow(
    "There is no benchmark reduce/sum; there are select/",
  );
});
