/** Applications that are bundled with the package left outside, as the README says. Needs the built package. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import * as esbuild from "esbuild";
import { root, runNode } from "../helpers/child";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "cuda-compute-bundled-app-"));
  mkdirSync(path.join(folder, "node_modules"));
  symlinkSync(root, path.join(folder, "node_modules/cuda-compute"));
  writeFileSync(
    path.join(folder, "app.ts"),
    `import { DeviceArray, getBackend, reduceInto } from "cuda-compute";
    import { scaled } from "./operator";
    const input = DeviceArray.from(new Float32Array([1, 2, 3]));
    const output = DeviceArray.zeros(1, "float32");
    reduceInto({ input, output, op: (a: number, b: number) => a + scaled(b), init: 0 });
    console.log(getBackend().name, output.toArray()[0]);`,
  );
  writeFileSync(path.join(folder, "operator.ts"), `export const scaled = (x: number): number => x * 1;`);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

test.each([
  ["cjs", "plain", false],
  ["cjs", "minified", true],
  ["esm", "plain", false],
  ["esm", "minified", true],
] as const)("an application bundled to %s, %s", async (format, name, minify) => {
  const outfile = path.join(folder, `${name}.${format === "cjs" ? "cjs" : "mjs"}`);
  await esbuild.build({
    entryPoints: [path.join(folder, "app.ts")],
    outfile,
    bundle: true,
    platform: "node",
    external: ["cuda-compute"],
    format,
    minify,
  });
  const result = await runNode([outfile], { CUDA_COMPUTE_BACKEND: "host" });
  expect(result).toEqual({ code: 0, signal: null, stdout: "host 6\n", stderr: "" });
});
