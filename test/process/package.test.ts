/** What the package says of itself, and what is in its tarball. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../helpers/child";

const metadata = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
} & Record<string, unknown>;

test("an unsupported system, processor, C library or Node is named by npm before anything is installed", () => {
  expect(metadata).toMatchObject({ os: ["linux"], cpu: ["x64"], libc: ["glibc"], engines: { node: ">=20.19" } });
});

test("nothing runs when the package is installed", () => {
  const names = Object.keys(metadata.scripts);
  expect(names.filter((name) => /^(pre|post)?install$/.test(name))).toEqual([]);
  // Without this npm would run node-gyp by itself, since there is a binding.gyp in a clone.
  expect(metadata["gypfile"]).toBe(false);
});

test("the tarball holds the library, the addon and the licences, and no sources, tests or CUDA toolkit", () => {
  const out = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { cwd: root, encoding: "utf8" });
  const files = (JSON.parse(out) as [{ files: { path: string }[] }])[0].files.map((file) => file.path);
  for (const file of [
    "package.json",
    "LICENSE",
    "README.md",
    "THIRD_PARTY_NOTICES.md",
    "dist/lib/index.js",
    "dist/lib/index.d.ts",
    "build/Release/cuda_compute.node",
  ]) {
    expect(files).toContain(file);
  }
  expect(files.filter((file) => /^(test|native|shared|lib|vendor\/cuda|build\/simulated)\//.test(file))).toEqual([]);
});
