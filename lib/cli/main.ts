#!/usr/bin/env node
/** The `cuda-compute` command. */
import { parseArgs } from "node:util";
import { doctor, renderReport } from "./doctor";
import { fetchToolkit } from "./fetch-toolkit";

const usage = `Usage: cuda-compute <command>

  doctor [--json]          what backend cuda needs, what of it is here, and how to mend the rest;
                           exit code 0 when backend cuda works
  toolkit [--cuda 12|13]   fetch the CUDA compilers and headers (by pip) for a machine without a CUDA toolkit
  help                     this text`;

function fail(message: string): number {
  console.error(`${message}\n\n${usage}`);
  return 2;
}

function main(parameters: string[]): number {
  const { values, positionals } = parseArgs({
    args: parameters,
    options: {
      json: { type: "boolean", default: false },
      cuda: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
    allowPositionals: true,
  });
  const [command = "help", ...rest] = positionals;
  if (rest.length > 0) return fail(`Unknown argument: ${rest.join(" ")}`);
  if (values.help || command === "help") {
    console.log(usage);
    return 0;
  }
  if (command === "doctor") {
    const report = doctor();
    console.log(values.json ? JSON.stringify(report, null, 2) : renderReport(report));
    return report.cudaWorks ? 0 : 1;
  }
  if (command === "toolkit") {
    if (values.cuda !== undefined && values.cuda !== "12" && values.cuda !== "13") {
      return fail(`--cuda is 12 or 13, but it was ${values.cuda}.`);
    }
    return fetchToolkit(values.cuda);
  }
  return fail(`Unknown command: ${command}`);
}

try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  // Of parseArgs: an unknown option, or one without its value.
  if (!(error as NodeJS.ErrnoException).code?.startsWith("ERR_PARSE_ARGS")) throw error;
  process.exitCode = fail((error as Error).message);
}
