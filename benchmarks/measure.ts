/** How long work takes on the device, and how long its calls take on the host. */
import { DeviceArray, Event, Stream, getBackend } from "../lib";
import type { Run, Work } from "./benchmark";

/** What a GPU's caches cannot hold, and takes longer to fill than a call takes to queue. */
const flushedBytes = 2 ** 28;

/** The number that such a share of sorted numbers is below. */
const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.round((sorted.length - 1) * share)] ?? NaN;

const ascending = (numbers: readonly number[]): number[] => [...numbers].sort((a, b) => a - b);

/** Device time of several runs. */
export interface DeviceTime {
  readonly samples: number;
  /** Milliseconds. */
  readonly median: number;
  /** The middle half of the samples lies within this share of the median. */
  readonly spread: number;
}

/**
 * The time between events before and behind each run, after one that compiles and warms up. On a GPU an array larger
 * than its caches is filled before each: that empties them, and keeps the device busy until all of a run is queued, so
 * that no launch is waited for.
 */
export function deviceTime(work: Work, samples: number, flush: boolean): DeviceTime {
  using stream = new Stream();
  using flushed = DeviceArray.empty(flush && getBackend().name === "cuda" ? flushedBytes : 0, "uint8");
  const run = work.calls(stream);
  run();
  const [start, end] = [new Event(), new Event()];
  const times = ascending(
    Array.from({ length: samples }, () => {
      flushed.fill(0, { stream });
      stream.record(start);
      run();
      stream.record(end);
      end.synchronize();
      return end.millisecondsSince(start);
    }),
  );
  const median = quantile(times, 0.5);
  return { samples, median, spread: (quantile(times, 0.75) - quantile(times, 0.25)) / 2 / median };
}

/** How much of the host's time is measured. */
export interface HostEffort {
  /** Calls of a batch: fewer than a GPU queues before a launch waits for one that is done. */
  readonly calls: number;
  /** Batches at least, and for how long at least. */
  readonly batches: number;
  readonly milliseconds: number;
}

/**
 * Microseconds that a call on the default stream takes to come back: the median over batches of calls, between which
 * the device's work is waited for.
 */
export function hostMicroseconds(run: Run, { calls, batches, milliseconds }: HostEffort): number {
  const waiting = DeviceArray.zeros(1, "uint8");
  const times: number[] = [];
  run();
  const begin = performance.now();
  while (times.length < batches || performance.now() - begin < milliseconds) {
    waiting.toTypedArray();
    const start = performance.now();
    for (let i = 0; i < calls; i++) run();
    times.push(((performance.now() - start) / calls) * 1000);
  }
  return quantile(ascending(times), 0.5);
}
