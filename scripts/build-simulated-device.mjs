// Builds the simulated device (native/testing) into build/simulated: libcuda.so.1, libcccl.c.parallel.so, the two
// compilers' doubles and simulated_control.node. Needs g++, make and python3; works offline; does nothing when all is up
// to date.

import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const sources = join(root, "native", "testing");
const outputDirectory = join(root, "build", "simulated");
const outputs = [
  "libcuda.so.1",
  "libcccl.c.parallel.so",
  "libnvrtc.so.13",
  "libnvJitLink.so.13",
  "simulated_control.node",
];

/** Every file that they are made from. */
const inputs = [
  ...readdirSync(sources)
    .filter((name) => /^(simulated_(cuda|cccl|nvrtc|nvjitlink|control)\.cc|\w+\.h|binding\.gyp)$/.test(name))
    .map((name) => join(sources, name)),
  join(root, "native", "cccl", "abi.h"),
  join(root, "native", "driver", "cuda_types.h"),
  fileURLToPath(import.meta.url),
];

function isUpToDate() {
  const newestInput = Math.max(...inputs.map((path) => statSync(path).mtimeMs));
  return outputs.every((name) => {
    const path = join(outputDirectory, name);
    return existsSync(path) && statSync(path).mtimeMs >= newestInput;
  });
}

/** Headers that came with this Node, so that node-gyp downloads none. */
function nodeDirectoryArguments() {
  const prefix = dirname(dirname(process.execPath));
  return existsSync(join(prefix, "include", "node", "node_api.h")) ? [`--nodedir=${prefix}`] : [];
}

function build() {
  const nodeGyp = createRequire(import.meta.url).resolve("node-gyp/bin/node-gyp.js");
  const steps = [nodeGyp, "configure", "build", "--directory", sources, ...nodeDirectoryArguments()];
  const result = spawnSync(process.execPath, steps, { encoding: "utf8" });
  if (result.status !== 0) {
    process.stderr.write(`${result.stdout}${result.stderr}`);
    throw new Error("Building the simulated device failed; it needs g++ (12 or newer), make and python3.");
  }
  for (const name of outputs) {
    // A rename replaces the file at once, also for a process that has the old one loaded.
    const staged = join(outputDirectory, `.${name}.${process.pid}`);
    copyFileSync(join(sources, "build", "Release", name), staged);
    renameSync(staged, join(outputDirectory, name));
  }
}

/** Test processes start at once and each asks for the build: one makes it, the others wait. */
function withLock(action) {
  const lock = join(outputDirectory, ".lock");
  const staleAfterMs = 180_000;
  mkdirSync(outputDirectory, { recursive: true });
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
      const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
      if (since !== undefined && Date.now() - since > staleAfterMs) {
        throw new Error(`${lock} is left over from a build that was interrupted; remove it and try again.`, {
          cause: error,
        });
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
  }
  try {
    action();
  } finally {
    rmdirSync(lock);
  }
}

if (!isUpToDate()) {
  withLock(() => {
    if (!isUpToDate()) build();
  });
}
