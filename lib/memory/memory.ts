/** Device memory as a whole. */
import type { MemoryStatistics } from "../backends/backend";
import { currentBackend } from "../backends/select";
import { ArgumentRangeError, ArgumentTypeError } from "../errors";

export type { MemoryStatistics };

/** What is known of the device's memory, and what can be done about it. */
export const memory = {
  /** Live bytes and arrays, the pool, the device, and the collections that ran because memory was short. */
  stats(): MemoryStatistics {
    return currentBackend().memoryStatistics();
  },

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
