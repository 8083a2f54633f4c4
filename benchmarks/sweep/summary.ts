/** What a sweep came to, as an object and as lines to read. */
import type { CacheStatistics, MemoryStatistics } from "../../lib";
import type { Result } from "./run-state";
import type { Benchmark } from "./states";

/** Numbers of one benchmark. */
export interface BenchmarkSummary {
  name: string;
  /** States that were run, in all passes. */
  states: number;
  /** Combinations of the axes that are no state, where all states were run. */
  skipped?: number;
  failed: number;
  /** The most live bytes of a state. */
  peak: number;
  /** States after which bytes were alive. */
  withBytesAfter: number;
  /** Failures of cuda.compute 1.2.1 on a device of 48 GB, where all states were run. */
  failedInPython?: number;
}

export interface Summary {
  benchmarks: BenchmarkSummary[];
  states: number;
  failed: number;
  failedInPython?: number;
  limit: number;
  /** Live bytes after the last state and a collection. */
  bytesAtEnd: number;
  milliseconds: number;
  collections: MemoryStatistics["collections"] & {
    /** Time of all collections but those between states. */
    milliseconds: number;
    /** Of the whole time. */
    share: number;
  };
  kernelsCompiled: number;
  links: number;
}

interface Measured {
  limit: number;
  bytesAtEnd: number;
  milliseconds: number;
  collections: MemoryStatistics["collections"];
  collectorMilliseconds: number;
  caches: CacheStatistics;
}

/** @param isWhole - whether all states of the benchmarks were run, so that Python's failures are of the same ones */
export function summarize(
  benchmarks: readonly Benchmark[],
  results: readonly Result[],
  isWhole: boolean,
  measured: Measured,
): Summary {
  const rows = benchmarks.map(({ name, skipped, failedInPython }) => {
    const own = results.filter(({ benchmark }) => benchmark === name);
    return {
      name,
      states: own.length,
      failed: own.filter(({ failure }) => failure !== undefined).length,
      peak: own.reduce((most, { peak }) => Math.max(most, peak), 0),
      withBytesAfter: own.filter(({ after }) => after > 0).length,
      ...(isWhole ? { skipped, failedInPython } : {}),
    };
  });
  const sum = (pick: (row: BenchmarkSummary) => number): number => rows.reduce((total, row) => total + pick(row), 0);
  const { limit, bytesAtEnd, milliseconds, collections, collectorMilliseconds, caches } = measured;
  return {
    benchmarks: rows,
    states: sum(({ states }) => states),
    failed: sum(({ failed }) => failed),
    ...(isWhole ? { failedInPython: sum((row) => row.failedInPython ?? 0) } : {}),
    limit,
    bytesAtEnd,
    milliseconds,
    collections: { ...collections, milliseconds: collectorMilliseconds, share: collectorMilliseconds / milliseconds },
    kernelsCompiled: caches.kernelsCompiled,
    links: caches.links,
  };
}

const gigabytes = (bytes: number): string => (bytes / 1e9).toFixed(2);
const seconds = (milliseconds: number): string => (milliseconds / 1e3).toFixed(1);

/** As a table and three lines. */
export function describe(summary: Summary): string {
  const { collections, failedInPython } = summary;
  const header = ["benchmark", "states", "skipped", "failed", "failed in Python", "peak GB", "bytes after"];
  const rows = summary.benchmarks.map((row) => [
    row.name,
    String(row.states),
    String(row.skipped ?? ""),
    String(row.failed),
    String(row.failedInPython ?? ""),
    gigabytes(row.peak),
    row.withBytesAfter === 0 ? "none" : `in ${String(row.withBytesAfter)} states`,
  ]);
  const widths = header.map((title, i) => Math.max(title.length, ...rows.map((row) => (row[i] as string).length)));
  const line = (cells: string[]): string =>
    cells
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] as number) : cell.padStart(widths[i] as number)))
      .join("  ");
  const beside = failedInPython === undefined ? "" : ` (${String(failedInPython)} in Python)`;
  return [
    line(header),
    ...rows.map(line),
    `${String(summary.states)} states, ${String(summary.failed)} failed${beside}, under ${gigabytes(summary.limit)} GB; ` +
      `${String(summary.bytesAtEnd)} bytes alive at the end`,
    `collections for memory: ${String(collections.minor)} minor, ${String(collections.full)} full; ` +
      `all collecting took ${seconds(collections.milliseconds)} s, ${(collections.share * 100).toFixed(2)} % of the time`,
    `${String(summary.kernelsCompiled)} kernels compiled, ${String(summary.links)} builds linked, ` +
      `${seconds(summary.milliseconds)} s`,
  ].join("\n");
}
