// What `npm install` in a clone and `npm run build` do: compile the TypeScript, vendor CCCL, build the addon.
// Users of the published package run none of this: it holds all three. Quick when nothing changed.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { vendor } from "./vendor.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const require = createRequire(import.meta.url);

function fail(message) {
  process.stderr.write(`\ncuda-compute: ${message}\n`);
  process.exitCode = 1;
}

function toolPath(name) {
  try {
    return require.resolve(name);
  } catch {
    return undefined;
  }
}

function compileTypeScript() {
  const tsc = toolPath("typescript/bin/tsc");
  if (tsc === undefined) return fail("The development dependencies are missing; run `npm install` without --omit=dev.");
  const { status } = spawnSync(process.execPath, [tsc], { cwd: root, stdio: "inherit" });
  if (status !== 0) fail("The TypeScript sources have errors (above).");
}

function vendorCccl() {
  try {
    vendor();
  } catch (error) {
    // Not a failure: everything but backend cuda works.
    process.stderr.write(`\ncuda-compute: ${error.message} Backend host works without it.\n`);
  }
}

function hasCommand(...names) {
  return names.some((name) => spawnSync(name, ["--version"], { stdio: "ignore" }).error === undefined);
}

function buildAddon() {
  const missing = [
    ["a C++ compiler", process.env.CXX ?? "g++"],
    ["make", process.env.MAKE ?? "make"],
    ["python3", process.env.npm_config_python ?? process.env.PYTHON ?? "python3"],
  ].filter(([, command]) => !hasCommand(command.split(" ")[0]));
  if (missing.length > 0) {
    // Not a failure: everything but backend cuda works.
    process.stderr.write(
      `\ncuda-compute: The addon was not built: ${missing.map(([what]) => what).join(", ")} not found. On Debian and ` +
        "Ubuntu, `apt-get install g++ make python3` and `npm run build` mend it. Backend host works without it.\n",
    );
    return;
  }
  // Headers that came with this Node, so that node-gyp downloads none.
  const prefix = dirname(dirname(process.execPath));
  const headers = existsSync(join(prefix, "include", "node", "node_api.h")) ? [`--nodedir=${prefix}`] : [];
  const steps = existsSync(join(root, "build", "Makefile")) ? ["configure", "build"] : ["rebuild"];
  const result = spawnSync(
    process.execPath,
    [require.resolve("node-gyp/bin/node-gyp.js"), ...steps, "--loglevel=error", ...headers],
    { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 },
  );
  if (result.status !== 0) {
    process.stderr.write(`${result.stdout}${result.stderr}`);
    fail("The addon could not be built (above). It needs g++ 12 or later. Backend host works without it.");
  }
}

compileTypeScript();
vendorCccl();
if (toolPath("node-gyp/bin/node-gyp.js") !== undefined) buildAddon();
