/** Device memory as a whole. */
import { groupAllocations, setTracing } from "../backends/allocation";
import type { MemoryStatistics } from "../backends/backend";
import { currentBackend } from "../backends/select";
import { ArgumentRangeError, ArgumentTypeError } from "../errors";
import type { LiveArrays } from "../live-arrays";
import { scope } from "./scope";

export type { LiveArrays, MemoryStatistics };

/** What is known of the device's memory, and what can be done about it. */
export const memory = {
  /** Live bytes and arrays, the pool, the device, and the collections that ran because memory was short. */
  stats(): MemoryStatistics {
    return currentBackend().memoryStatistics();
  },

  /**
   * What is alive: the arrays that this thread made on the current backend, grouped by type and length (and, where
   * {@link memory.trace} was on, by the place where they were made), the most bytes first.
   *
   * An array is alive until it is disposed or collected, so a dropped one is listed until the next collection. Nothing
   * is kept alive by being listed.
   */
  live(): { bytes: number; count: number; arrays: LiveArrays[] } {
    const allocations = currentBackend().liveAllocations();
    const bytes = allocations.reduce((sum, { byteLength }) => sum + byteLength, 0);
    return { bytes, count: allocations.length, arrays: groupAllocations(allocations) };
  },

  /**
   * Makes arrays remember where they were made, from here on: {@link memory.live} and OutOfDeviceMemoryError tell it.
   * An allocation costs some tens of microseconds more meanwhile. `false` ends it; what was remembered stays.
   */
  trace(on = true): void {
    if (typeof on !== "boolean") throw new ArgumentTypeError("memory.trace.on", "a boolean", on);
    setTracing(on);
  },

  scope,

  /** Gives the pool's idle memory back to the device, for other processes. */
  trim(): void {
    currentBackend().trim();
  },

  /**
   * The most bytes that live arrays may hold; allocations beyond it collect first and then throw an
   * OutOfDeviceMemoryError. 0 takes the limit away. Backend host, whose memory the collector owns, has no such limit.
   */
  setLimit(bytes: number): void {
    if (typeof bytes !== "number") throw new ArgumentTypeError("memory.setLimit.bytes", "a number of bytes", bytes);
    if (!Number.isSafeInteger(bytes) || bytes < 0) {
      throw new ArgumentRangeError("memory.setLimit.bytes", "a whole number of bytes, 0 for no limit", bytes);
    }
    currentBackend().setMemoryLimit(bytes);
  },
};
