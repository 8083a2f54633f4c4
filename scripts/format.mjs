// Formats everything: prettier for TypeScript, JavaScript, JSON and Markdown, clang-format for C++.

import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { clangTool } from "./clang-tools.mjs";
import { nativeSources, root } from "./native-sources.mjs";

const prettier = createRequire(import.meta.url).resolve("prettier/bin/prettier.cjs");
const commands = [
  [process.execPath, [prettier, "--write", "--log-level=warn", "."]],
  [clangTool("clang-format"), ["-i", ...nativeSources()]],
];
for (const [command, parameters] of commands) {
  const { status } = spawnSync(command, parameters, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}
