/** For users' own tests: `import { expectNoLeaks } from "cuda-compute/testing"`. */
import { setTimeout } from "node:timers/promises";
import { type Allocation, groupAllocations, setTracing } from "./backends/allocation";
import type { Backend } from "./backends/backend";
import { collectGarbage } from "./backends/collector";
import { currentBackend } from "./backends/select";
import { ArgumentTypeError } from "./errors";
import { type LiveArrays, describeLive } from "./live-arrays";

export type { LiveArrays };

/** Device arrays are alive that were not before. */
export class DeviceMemoryLeakError extends Error {
  override readonly name = "DeviceMemoryLeakError";
  readonly code = "ERR_DEVICE_MEMORY_LEAK";
  /** The arrays in groups that are alike, the most bytes first, with the place where they were made. */
  readonly live: readonly LiveArrays[];

  /** @internal */
  constructor(allocations: readonly Allocation[]) {
    const live = groupAllocations(allocations);
    const bytes = live.reduce((sum, group) => sum + group.bytes, 0);
    const { length } = allocations;
    super(
      `${String(length)} device ${length === 1 ? "array is" : "arrays are"} still alive (${String(bytes)} bytes):\n` +
        describeLive(live, length, bytes),
    );
    this.live = live;
  }
}

/** In a function of its own, so that nothing of what `fn` answers is held when the collection comes. */
async function runTraced(fn: () => unknown): Promise<void> {
  const before = setTracing(true);
  try {
    await fn();
  } finally {
    setTracing(before);
  }
}

/** Collections that it takes at most until all is let go of. */
const rounds = 10;

/**
 * What was made since and is alive after collections, with turns of the event loop between: promises let go in them, the
 * host's collector reports in them, and a compilation in the background keeps what it looks at for some milliseconds.
 */
async function aliveSince(before: ReadonlySet<Allocation>, backend: Backend): Promise<Allocation[]> {
  let alive: Allocation[] = [];
  for (let round = 0; round < rounds; round++) {
    await setTimeout(round);
    collectGarbage("full");
    await setTimeout(0);
    alive = backend.liveAllocations().filter((allocation) => !before.has(allocation));
    if (alive.length === 0) break;
  }
  return alive;
}

/**
 * Runs a function and checks that it leaves no device array alive, which is one that something still reaches: dropped
 * arrays are collected first. What the function answers is dropped too. Needs no flag of Node's, and works in every
 * test framework.
 *
 * Arrays of the current backend that were alive before do not count. Those that other code makes meanwhile do, so run
 * one check at a time.
 *
 * @param fn - what is checked; it may be asynchronous
 * @throws DeviceMemoryLeakError (as a rejection), which lists what is alive and where it was made; whatever `fn` throws
 */
export async function expectNoLeaks(fn: () => unknown): Promise<void> {
  if (typeof fn !== "function") throw new ArgumentTypeError("expectNoLeaks.fn", "a function", fn);
  const backend = currentBackend();
  const before = new Set(backend.liveAllocations());
  await runTraced(fn);
  const leaked = await aliveSince(before, backend);
  if (leaked.length > 0) throw new DeviceMemoryLeakError(leaked);
}
