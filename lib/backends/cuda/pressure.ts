/**
 * When to collect. JavaScript's collector does not see device memory, so this watches the live bytes and asks for a
 * collection before the device is full: a minor one first, a full one where that was not enough.
 */
import { collectGarbage } from "../collector";

/** Below this share of the capacity nothing is collected. */
const easyShare = 0.5;
/** After a minor collection, live bytes above this share call for a full one. */
const tightShare = 0.75;

export class Pressure {
  readonly collections = { minor: 0, full: 0 };
  readonly #liveBytes: () => number;
  readonly #reclaim: () => void;
  #capacity: number;
  #threshold: number;
  /** Live bytes after the last collection, which the next one would find again. */
  #survivors = 0;

  /**
   * @param capacity - bytes that may be alive
   * @param liveBytes - bytes that are
   * @param reclaim - waits for frees that are queued and gives the pool's idle memory back
   */
  constructor(capacity: number, liveBytes: () => number, reclaim: () => void) {
    this.#capacity = capacity;
    this.#threshold = capacity * easyShare;
    this.#liveBytes = liveBytes;
    this.#reclaim = reclaim;
  }

  set capacity(bytes: number) {
    this.#capacity = bytes;
    this.#threshold = bytes * easyShare;
  }

  /** Called before an allocation: collects when it would pass the threshold, unless nothing was made since last time. */
  beforeAllocation(byteLength: number): void {
    const before = this.#liveBytes();
    if (before + byteLength <= this.#threshold) return;
    if (before <= this.#survivors) {
      this.#survivors = before;
      return;
    }
    this.#collect("minor");
    if (this.#liveBytes() + byteLength > this.#capacity * tightShare) this.#collect("full");
    // Half of the room that is left may fill before the next collection.
    const live = this.#liveBytes();
    this.#threshold = Math.max(this.#capacity * easyShare, live + (this.#capacity - live) / 2);
    this.#survivors = live;
  }

  /** Repeats what found no room, each time after a dearer way to make some; undefined when none helped. */
  retry<T>(attempt: () => T | undefined): T | undefined {
    this.#collect("minor");
    const result = attempt();
    if (result !== undefined) return result;
    this.#collect("full");
    this.#reclaim();
    return attempt();
  }

  #collect(kind: "minor" | "full"): void {
    this.collections[kind] += 1;
    collectGarbage(kind);
  }
}
