/** One state: its arrays are made, used by two runs, and dropped. */
import { performance } from "node:perf_hooks";
import { type Event, type Stream, caches, memory } from "../../lib";
import { collectGarbage } from "../../lib/backends/collector";
import { Inputs } from "./inputs";
import type { State } from "./states";

/** What became of a state: a line of the sweep's output. */
export interface Result {
  pass: number;
  benchmark: string;
  axes: State["axes"];
  /** Live bytes before anything of the state was made. */
  before: number;
  /** The most live bytes while it was. */
  peak: number;
  /** Live bytes after all of it was dropped and, unless left out, after a collection. */
  after: number;
  /** Wall milliseconds of the first run, with what it compiled. */
  firstMilliseconds?: number;
  /** Device milliseconds of the second run. */
  milliseconds?: number;
  /** CUB kernels compiled so far. */
  kernelsCompiled: number;
  /** Builds linked so far. */
  links: number;
  failure?: { code?: string; message: string };
}

/** How states are run. */
export interface Conduct {
  /** Writes inputs. */
  readonly data: boolean;
  /** Disposes the arrays, rather than only dropping them. */
  readonly dispose: boolean;
  /** Collects after each state. */
  readonly collect: boolean;
  readonly stream: Stream;
  readonly start: Event;
  readonly end: Event;
}

/** Runs a state. Its arrays are unreachable when this returns, whether or not it failed. */
export function runState(state: State, pass: number, conduct: Conduct, collecting: [number, number][]): Result {
  const before = memory.stats().liveBytes;
  const inputs = new Inputs(conduct.data, conduct.stream);
  const measured = attempt(() => runTwice(state, inputs, conduct));
  const peak = Math.max(before, inputs.peakBytes);
  if (conduct.collect) {
    const start = performance.now();
    collectGarbage("full");
    collecting.push([start, performance.now()]);
  }
  const { kernelsCompiled, links } = caches.stats();
  const after = memory.stats().liveBytes;
  return {
    pass,
    benchmark: state.benchmark,
    axes: state.axes,
    before,
    peak,
    after,
    ...measured,
    kernelsCompiled,
    links,
  };
}

type Times = Pick<Result, "firstMilliseconds" | "milliseconds">;

// In a function of its own, so that no register of its caller holds an array.
function runTwice(state: State, inputs: Inputs, { dispose, stream, start, end }: Conduct): Times {
  const work = (): Times => {
    const run = state.prepare(inputs, stream);
    stream.synchronize();
    const first = performance.now();
    run();
    stream.synchronize();
    const firstMilliseconds = performance.now() - first;
    stream.record(start);
    run();
    stream.record(end);
    end.synchronize();
    return { firstMilliseconds, milliseconds: end.millisecondsSince(start) };
  };
  return dispose ? memory.scope(work) : work();
}

function attempt(work: () => Times): Times & Pick<Result, "failure"> {
  try {
    return work();
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    return { failure: { ...(code === undefined ? {} : { code }), message } };
  }
}
