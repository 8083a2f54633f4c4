/** How far the sweep is, on stderr: a bar on a terminal, else a line now and then. Needs no turn of the event loop. */
import { writeSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { Presets, SingleBar } from "cli-progress";

export interface Progress {
  /** Tells that so many states are done, and what the last one was. */
  update(done: number, failed: number, label: string): void;
  stop(): void;
}

const linesEvery = 2_000;

export function startProgress(total: number): Progress {
  return process.stderr.isTTY ? bar(total) : lines(total);
}

/** Terminals are written to synchronously, and the bar is drawn by the update itself. */
function bar(total: number): Progress {
  const format = "{bar} {value}/{total} states, {failed} failed, {duration_formatted} | {label}";
  const drawn = new SingleBar({ format, stream: process.stderr, clearOnComplete: true }, Presets.shades_classic);
  drawn.start(total, 0, { failed: 0, label: "" });
  return {
    update(done, failed, label) {
      drawn.update(done, { failed, label });
    },
    stop() {
      drawn.stop();
    },
  };
}

function lines(total: number): Progress {
  let next = performance.now() + linesEvery;
  return {
    update(done, failed, label) {
      if (performance.now() < next && done < total) return;
      next = performance.now() + linesEvery;
      writeSync(2, `${String(done)}/${String(total)} states, ${String(failed)} failed | ${label}\n`);
    },
    stop() {
      // Each line is whole.
    },
  };
}
