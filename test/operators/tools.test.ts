/** Tools that change source, really run: what comes out is the operator that went in. */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import * as babel from "@babel/core";
import * as swc from "@swc/core";
import * as esbuild from "esbuild";
import { createInstrumenter } from "istanbul-lib-instrument";
import * as ts from "typescript";
import type { ScalarValue } from "../../lib/types/scalar";
import { evaluate, functionFrom, specialize } from "./helpers";
import * as original from "./tools/operators";

type Operator = (...elements: ScalarValue[]) => ScalarValue;

const root = resolve(__dirname, "../..");
const file = resolve(__dirname, "tools/operators.ts");
const source = readFileSync(file, "utf8");

/** Each operator as an expression of its module `m`, with the types that it is compiled for. */
const operators: [expression: string, signature: string][] = [
  ["m.sum", "float32, float32"],
  ["m.arithmetic", "float64, float64"],
  ["m.difference", "float32, float32"],
  ["m.larger", "float64, float64"],
  ["m.clamp", "float64"],
  ["m.sign", "float64"],
  ["m.bucket", "float64"],
  ["m.inRange", "float64"],
  ["m.outOfRange", "float64"],
  ["m.isUsable", "float64"],
  ["m.power", "float64, float64"],
  ["m.distance", "float64, float64"],
  ["m.roundTo", "float64"],
  ["m.largest", "float64, float64"],
  ["m.polynomial", "float64, float64"],
  ["m.harmonic", "float64, float64"],
  ["m.skipping", "float64, float64"],
  ["m.collatz", "float64"],
  ["m.newton", "float64"],
  ["m.pairs", "float64, float64"],
  ["m.escapes", "float64, float64"],
  ["m.mix", "int32, int32"],
  ["m.bigMix", "int64, int64"],
  ["m.bigPower", "int64, int64"],
  ["m.wrapping", "float64"],
  ["m.halvings", "float64, float64"],
  ["m.digits", "float64"],
  ["m.overshoot", "float64, float64"],
  ["m.reduced", "float64, float64"],
  ["m.both", "float64, float64"],
  ["m.chooses", "float64, float64"],
  ["m.methods.lerp", "float64, float64"],
  ["m.Scoring.score", "float64, float64"],
  ["m.Scoring.prototype.total", "float64, float64"],
  ["m.scaledBy(2.5)", "float64"],
  ["m.thresholded({ low: 1, high: 900 })", "float64"],
  ["m.default", "float64, float64"],
];

function operatorOf(module: unknown, expression: string): Operator {
  return (functionFrom(`(m) => ${expression}`) as (m: unknown) => Operator)(module);
}

const fingerprints = Object.fromEntries(
  operators.map(([expression, signature]) => [
    expression,
    specialize(operatorOf(original, expression), signature).fingerprint,
  ]),
);

describe("before any tool, an operator answers what JavaScript answers", () => {
  const numbers = [0, 1, -1, 2.5, 7, 12, -3.25, 1000];
  test.each(operators)("%s on %s", (expression, signature) => {
    const operator = operatorOf(original, expression);
    const isBigInt = signature.startsWith("int64");
    const values = signature.startsWith("float")
      ? numbers
      : numbers.map((value) => (isBigInt ? BigInt(value | 0) : value | 0));
    const others = signature.includes(",") ? values : [0];
    for (const x of values) {
      for (const y of others) {
        const operands = signature.includes(",") ? [x, y] : [x];
        const value = evaluate(operator, signature, ...operands);
        expect({ operands, value }).toEqual({ operands, value: operator(...operands) });
      }
    }
  });
});

/** Runs CommonJS in this context. */
function load(commonjs: string): unknown {
  const module = { exports: {} };
  const run = functionFrom(`(function (exports, require, module) {${commonjs}\n})`) as (...values: unknown[]) => void;
  run(module.exports, require, module);
  return module.exports;
}

const typescript = (target: string): string => {
  const json = { target, module: "commonjs", ignoreDeprecations: "6.0" };
  const { options } = ts.convertCompilerOptionsFromJson(json, root);
  return ts.transpileModule(source, { fileName: file, compilerOptions: options }).outputText;
};
const swcOf = (target: swc.JscTarget, isMinified: boolean): string =>
  swc.transformSync(source, {
    filename: file,
    jsc: {
      target,
      parser: { syntax: "typescript" },
      ...(isMinified ? { minify: { compress: true, mangle: true } } : {}),
    },
    module: { type: "commonjs" },
    minify: isMinified,
  }).code;
const esbuildOf = (options: esbuild.TransformOptions): string =>
  esbuild.transformSync(source, { loader: "ts", format: "cjs", ...options }).code;
const terserOf = async (input: string, options: object): Promise<string> => {
  const { minify } = await import("terser");
  return (await minify(input, options)).code ?? "";
};
const babelOf = (options: babel.TransformOptions): string =>
  babel.transformSync(typescript("es2022"), {
    filename: file,
    configFile: false,
    babelrc: false,
    ...options,
  })?.code ?? "";

/** What each tool makes of the source, as CommonJS. */
const tools: [tool: string, output: () => string | Promise<string>][] = [
  ["TypeScript to ES2022", () => typescript("es2022")],
  ["TypeScript to ES2015", () => typescript("es2015")],
  ["TypeScript to ES5", () => typescript("es5")],
  ["swc", () => swcOf("es2022", false)],
  ["swc to ES2015", () => swcOf("es2015", false)],
  ["swc to ES5", () => swcOf("es5", false)],
  ["swc, minified", () => swcOf("es2022", true)],
  ["swc to ES5, minified", () => swcOf("es5", true)],
  ["esbuild", () => esbuildOf({})],
  ["esbuild that keeps names", () => esbuildOf({ keepNames: true })],
  ["esbuild, minified", () => esbuildOf({ minify: true })],
  ["esbuild, minified, that keeps names", () => esbuildOf({ minify: true, keepNames: true })],
  ["esbuild to ES2015, minified", () => esbuildOf({ minify: true, target: "es2015", supported: { bigint: true } })],
  ["terser", () => terserOf(typescript("es2022"), {})],
  ["terser, thrice and at the top level", () => terserOf(typescript("es2022"), { toplevel: true, compress: { passes: 3 } })],
  ["terser of TypeScript to ES5", () => terserOf(typescript("es5"), { toplevel: true, compress: { passes: 3 } })],
  ["terser of esbuild that keeps names", () => terserOf(esbuildOf({ minify: true, keepNames: true }), {})],
  ["istanbul", () => createInstrumenter().instrumentSync(typescript("es2022"), file)],
  ["istanbul of what terser made", async () => createInstrumenter().instrumentSync(await terserOf(typescript("es5"), {}), file)],
  ["babel, minified", () => babelOf({ minified: true, comments: false })],
  ["babel with istanbul", () => babelOf({ plugins: [require.resolve("babel-plugin-istanbul")] })],
]; // prettier-ignore

describe.each(tools)("%s", (_tool, output) => {
  let changed: unknown;
  beforeAll(async () => {
    changed = load(await output());
  });

  test.each(operators)("%s", (expression, signature) => {
    const operator = operatorOf(changed, expression);
    if (expression === "m.bigPower" && !operator.toString().includes("**")) {
      // Before ES2016 there is no `**`, and what tools write for it means nothing for BigInts in JavaScript either.
      expect(() => operator(2n, 1n)).toThrow(TypeError);
      return;
    }
    expect(specialize(operator, signature).fingerprint).toBe(fingerprints[expression]);
  });
});

/** The fingerprints of the operators in a module that another process loads in its own way. */
function inProcess(module: string, ...options: string[]): unknown {
  const program = `
    import { createRequire } from "node:module";
    const require = createRequire(${JSON.stringify(`${root}/`)});
    const { resolveOperator } = require("./dist/lib/operators");
    const { scalarTypes } = require("./dist/lib/types/scalar");
    const loaded = await import(${JSON.stringify(module)});
    const m = loaded.default.sum === undefined ? loaded : loaded.default;
    const fingerprints = ${JSON.stringify(operators)}.map(([expression, signature]) => {
      const types = signature.split(", ").map((name) => scalarTypes[name]);
      const { operator } = resolveOperator(new Function("m", "return " + expression)(m), types.length, "op");
      return [expression, operator.specialize(types, undefined, "op").fingerprint];
    });
    console.log(JSON.stringify(Object.fromEntries(fingerprints)));
  `;
  const parameters = [...options, "--input-type=module", "--eval", program];
  return JSON.parse(
    execFileSync(process.execPath, parameters, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }),
  );
}

function inFolder(action: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "cuda-compute-tools-"));
  try {
    action(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("tsx", () => {
  expect(inProcess(file, "--import", require.resolve("tsx"))).toEqual(fingerprints);
});

// Node strips types from version 22.6 on.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const stripsTypes = major > 22 || (major === 22 && minor >= 6);
(stripsTypes ? test : test.skip)("Node's own removal of types", () => {
  inFolder((folder) => {
    const module = join(folder, "operators.mts");
    copyFileSync(file, module);
    expect(inProcess(module, "--experimental-strip-types")).toEqual(fingerprints);
  });
});

test("jest --coverage", () => {
  inFolder((folder) => {
    copyFileSync(file, join(folder, "operators.ts"));
    const swcJest = [
      require.resolve("@swc/jest"),
      { jsc: { parser: { syntax: "typescript" } }, module: { type: "commonjs" } },
    ];
    const config = {
      rootDir: folder,
      testMatch: ["<rootDir>/*.test.js"],
      transform: { "\\.ts$": swcJest },
      coverageReporters: ["json"],
    };
    writeFileSync(join(folder, "jest.config.json"), JSON.stringify(config));
    writeFileSync(
      join(folder, "operators.test.js"),
      `const { resolveOperator } = require(${JSON.stringify(join(root, "dist/lib/operators"))});
      const { scalarTypes } = require(${JSON.stringify(join(root, "dist/lib/types/scalar"))});
      const m = require("./operators");
      test.each(${JSON.stringify(operators)})("%s", (expression, signature) => {
        const types = signature.split(", ").map((name) => scalarTypes[name]);
        const op = new Function("m", "return " + expression)(m);
        expect(op.toString()).toContain("cov_");
        const { operator } = resolveOperator(op, types.length, "op");
        const { fingerprint } = operator.specialize(types, undefined, "op");
        expect(fingerprint).toBe(${JSON.stringify(fingerprints)}[expression]);
      });`,
    );
    const jest = join(root, "node_modules/jest/bin/jest.js");
    const options = ["--coverage", "--ci", "--json", "--config", join(folder, "jest.config.json")];
    const output = execFileSync(process.execPath, [jest, ...options], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
    expect(JSON.parse(output)).toMatchObject({ numPassedTests: operators.length, numFailedTests: 0 });
    const coverage = JSON.parse(readFileSync(join(folder, "coverage/coverage-final.json"), "utf8")) as object;
    expect(Object.keys(coverage)).toEqual([join(folder, "operators.ts")]);
  });
});
