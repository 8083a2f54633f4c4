// The C++ files of the project, and what the compiler needs to know to read one alone.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** Tracked files and new ones that git does not ignore. */
export function nativeSources() {
  const { stdout } = spawnSync("git", ["ls-files", "-co", "--exclude-standard", "native"], {
    cwd: root,
    encoding: "utf8",
  });
  return stdout.split("\n").filter((file) => /\.(h|cc)$/.test(file) && existsSync(join(root, file)));
}

export function compilerOptions() {
  const node = join(dirname(dirname(process.execPath)), "include", "node");
  const addonApi = dirname(createRequire(import.meta.url).resolve("node-addon-api/package.json"));
  // CMakeLists.txt says where these are; to read the tests any text will do.
  const testPaths = ["VENDOR", "SIMULATED_CUDA", "SIMULATED_CCCL", "SIMULATED_NVRTC", "SIMULATED_NVJITLINK"];
  return ["-std=c++20", "-I.", "-isystem", node, "-isystem", addonApi, ...testPaths.map((name) => `-DTEST_${name}=""`)];
}
