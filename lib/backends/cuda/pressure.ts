/**
 * When to collect. JavaScript's collector does not see device memory, so this watches the live bytes and asks for a
 * collection before the device is full: a minor one first (about 0.3 ms), a full one (about 3 ms) where that was not
 * enough.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

type Collect = (options?: { type: "minor" }) => void;

let exposed: Collect | undefined;

/** V8's `gc` without a command-line flag; a fresh context has it once the flag is set. */
function collector(): Collect {
  if (exposed === undefined) {
    setFlagsFromString("--expose-gc");
    exposed = runInNewContext("gc") as Collect;
    setFlagsFromString("--no-expose-gc");
  }
  return exposed;
}

/** Below this share of the capacity nothing is collected. */
const easyShare = 0.5;
/** After a minor collection, live bytes above this share call for a full one. */
const tightShare = 0.75;

export class Pressure {
  readonly collections = { minor: 0, full: 0 };
  readonly #liveBytes: () => number;
  #capacity: number;
  #threshold: number;

  /** @param capacity - bytes that may be alive; @param liveBytes - bytes that are */
  constructor(capacity: number, liveBytes: () => number) {
    this.#capacity = capacity;
    this.#threshold = capacity * easyShare;
    this.#liveBytes = liveBytes;
  }

  set capacity(bytes: number) {
    this.#capacity = bytes;
    this.#threshold = bytes * easyShare;
  }

  /** Called before an allocation: collects when it would pass the threshold. */
  beforeAllocation(byteLength: number): void {
    if (this.#liveBytes() + byteLength <= this.#threshold) return;
    this.#collect("minor");
    if (this.#liveBytes() + byteLength > this.#capacity * tightShare) this.#collect("full");
    // Half of the room that is left may fill before the next collection.
    const live = this.#liveBytes();
    this.#threshold = Math.max(this.#capacity * easyShare, live + (this.#capacity - live) / 2);
  }

  /** Called when an allocation failed. */
  collectAll(): void {
    this.#collect("full");
  }

  #collect(kind: "minor" | "full"): void {
    this.collections[kind] += 1;
    // Without options V8 finishes a marking that is under way and then collects again; with `type: "major"` it only
    // finishes it, and what died since that marking began stays.
    if (kind === "minor") collector()({ type: "minor" });
    else collector()();
  }
}
