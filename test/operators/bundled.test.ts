/** Operators that call functions of other modules, after a bundler and minifiers: no name is needed for anything. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import * as swc from "@swc/core";
import * as esbuild from "esbuild";
import { evaluate, functionFrom, specialize } from "./helpers";

const library = resolve(__dirname, "../../lib/operators");

const helpers = `
  export const half = function half(value: number) { return value / 2; };
  export function shifted(value: number, by = 1) { return half(value) + by; }
  export let scale = 10;
  export const setScale = (value: number) => { scale = value; };
  export const settings = { offset: 0.25 };
  export default (value: number) => value * value;
`;
const operators = `
  import square, * as all from "./helpers";
  import { half, scale, setScale, settings, shifted as moved } from "./helpers";
  import { bind, float32, int32 } from "${library}";
  const { sqrt, max: larger } = Math;
  class Weights { static twice(value: number) { return value * 2; } }
  const twice = Weights.twice;

  export const calls = (x: number) => half(x) + moved(x) + moved(x, 3);
  export const imported = (x: number) => square(x) * scale + settings.offset;
  export const namespace = (x: number) => all.half(x) + all.scale + all.default(x);
  export const renamed = (x: number) => larger(sqrt(x), twice(x));
  export const converted = (x: number) => int32(x / 3) + float32(x);
  export const bound = bind(
    (x: number, { f, by }: { f: (value: number) => number; by: number }) => f(x) + by,
    { f: half, by: 7 },
  );
  export const boundWhole = bind((x: number, given: { f: (value: number) => number }) => given.f(x) * 2, { f: square });
  export { setScale };
`;

/** What each answers for 9. */
const expected: [name: string, value: number][] = [
  ["calls", 4.5 + 5.5 + 7.5],
  ["imported", 81 * 10 + 0.25],
  ["namespace", 4.5 + 10 + 81],
  ["renamed", 18],
  ["converted", 12],
  ["bound", 11.5],
  ["boundWhole", 162],
];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "cuda-compute-bundled-"));
  writeFileSync(join(folder, "helpers.ts"), helpers);
  writeFileSync(join(folder, "operators.ts"), operators);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function bundled(options: esbuild.BuildOptions): string {
  const { outputFiles } = esbuild.buildSync({
    entryPoints: [join(folder, "operators.ts")],
    bundle: true,
    write: false,
    format: "cjs",
    platform: "node",
    external: [library],
    ...options,
  });
  return outputFiles?.[0]?.text ?? "";
}

async function minifiedBy(tool: "terser" | "swc", text: string): Promise<string> {
  if (tool === "swc") return swc.minifySync(text, { compress: { toplevel: true }, mangle: { topLevel: true } }).code;
  const { minify } = await import("terser");
  return (await minify(text, { toplevel: true, compress: { passes: 2 } })).code ?? "";
}

const tools: [tool: string, output: () => string | Promise<string>][] = [
  ["bundled", () => bundled({})],
  ["bundled and minified", () => bundled({ minify: true })],
  ["bundled and minified, names kept", () => bundled({ minify: true, keepNames: true })],
  ["bundled, then minified by terser", () => minifiedBy("terser", bundled({}))],
  ["bundled, then minified by swc", () => minifiedBy("swc", bundled({}))],
  ["bundled for ES2015, then minified by terser", async () => minifiedBy("terser", bundled({ target: "es2015" }))],
];

/** Runs CommonJS in this context. */
function load(commonjs: string): Record<string, unknown> {
  const module = { exports: {} };
  const run = functionFrom(`(function (exports, require, module) {${commonjs}\n})`) as (...values: unknown[]) => void;
  run(module.exports, require, module);
  return module.exports;
}

describe.each(tools)("%s", (_tool, output) => {
  let module: Record<string, unknown>;
  beforeAll(async () => {
    module = load(await output());
  });

  test.each(expected)("%s", (name, value) => {
    expect(evaluate(module[name], "float64", 9)).toBe(value);
  });

  test("an imported number is read when the call is made, and is no part of the meaning", () => {
    const { fingerprint } = specialize(module["imported"], "float64");
    (module["setScale"] as (value: number) => void)(20);
    expect(evaluate(module["imported"], "float64", 9)).toBe(81 * 20 + 0.25);
    expect(specialize(module["imported"], "float64").fingerprint).toBe(fingerprint);
    (module["setScale"] as (value: number) => void)(10);
  });
});
