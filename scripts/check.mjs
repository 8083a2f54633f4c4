// Formatting, lint and types of everything: prettier, eslint, tsc, clang-format and clang-tidy, two at a time.
// What passes is one line; what fails prints what it found.

import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { clangTool } from "./clang-tools.mjs";
import { compilerOptions, nativeSources, root } from "./native-sources.mjs";

const require = createRequire(import.meta.url);
const node = (script, ...parameters) => [process.execPath, require.resolve(script), ...parameters];

const sources = nativeSources();
const tidy = clangTool("clang-tidy");
const tasks = [
  ["eslint", [process.execPath, "node_modules/eslint/bin/eslint.js", "--max-warnings=0", "."]],
  ["prettier", node("prettier/bin/prettier.cjs", "--check", "--log-level=warn", ".")],
  ["tsc", node("typescript/bin/tsc", "--project", "tsconfig.check.json")],
  ["clang-format", [clangTool("clang-format"), "--dry-run", "--Werror", ...sources]],
  ...sources
    .filter((file) => file.endsWith(".cc"))
    .map((file) => [`clang-tidy ${file}`, [tidy, "--quiet", file, "--", ...compilerOptions()]]),
];

function run([command, ...parameters]) {
  return new Promise((resolve) => {
    let output = "";
    const child = spawn(command, parameters, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => (output += text));
    child.on("error", (error) => resolve({ passed: false, output: error.message }));
    child.on("close", (code) => resolve({ passed: code === 0, output }));
  });
}

let failures = 0;
async function work() {
  for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
    const [name, command] = task;
    const { passed, output } = await run(command);
    console.log(`${passed ? "ok    " : "FAILED"} ${name}`);
    if (passed) continue;
    failures++;
    console.log(output);
  }
}

await Promise.all(Array.from({ length: availableParallelism() }, work));
console.log(failures === 0 ? "All checks pass." : `${failures} checks failed.`);
process.exitCode = failures === 0 ? 0 : 1;
