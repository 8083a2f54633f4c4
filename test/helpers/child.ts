/** Runs a script against the built package in a process of its own. */
import { spawn } from "node:child_process";
import path from "node:path";

export const root = path.resolve(__dirname, "..", "..");

export interface ChildResult {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** The script sees `cc`, the package as `require` gives it. An environment value of undefined removes the variable. */
export function runChild(
  script: string,
  environment: Record<string, string | undefined> = {},
  extra: readonly string[] = [],
): Promise<ChildResult> {
  const prelude = `const cc = require(${JSON.stringify(root)});\n`;
  return runNode([...extra, "-e", prelude + script], environment);
}

/** Runs node with arguments. */
export function runNode(
  parameters: readonly string[],
  environment: Record<string, string | undefined> = {},
): Promise<ChildResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, parameters, { cwd: root, env: { ...process.env, ...environment } });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (data: Buffer) => (stdout += data.toString()));
    child.stderr.on("data", (data: Buffer) => (stderr += data.toString()));
    child.on("error", reject);
    child.on("close", (code, signal) => {
      resolve({ code, signal, stdout, stderr });
    });
  });
}

/** The text of a worker thread's script, which sees `cc`, `parentPort` and `workerData`; quoted, to stand in another. */
export function workerSource(script: string): string {
  return JSON.stringify(
    `const cc = require(${JSON.stringify(root)});
     const { parentPort, workerData } = require("node:worker_threads");\n${script}`,
  );
}
