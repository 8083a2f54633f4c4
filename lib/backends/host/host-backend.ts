/**
 * The backend that needs no GPU: every algorithm in plain JavaScript with the semantics of the typed IR. It is what a
 * laptop uses and what the GPU is tested against, so it is clear and correct first.
 */
import { randomUUID } from "node:crypto";
import { totalmem, freemem } from "node:os";
import { types } from "node:util";
import type { Build, BuildRequest } from "../../builds/build";
import { BuildTable } from "../../builds/build-table";
import type { ElementType } from "../../types/element";
import { type Allocation, describeAllocation } from "../allocation";
import type { CacheStatistics } from "../caches";
import type { Backend, EventHandle, MemoryStatistics, SharedMemory, Storage, StreamHandle } from "../backend";
import { notAHandle, sharedIsGone } from "../shared-memory";
import { HostBuild } from "./host-build";
import { HostStorage, hostBytes, hostStorage } from "./host-memory";

/** All host work is done when its call returns, so one event differs from another in its time alone. */
interface HostEvent {
  time: number;
}

/** The bytes themselves; `used` has one number, 1 once they were received or released. */
interface HostSharedMemory extends SharedMemory {
  readonly bytes: SharedArrayBuffer;
  readonly used: SharedArrayBuffer;
}

/** Uses a handle up; false where that was done before. */
function useUp(memory: SharedMemory): boolean {
  const { used } = memory as HostSharedMemory;
  return Atomics.exchange(new Int32Array(used), 0, 1) === 0;
}

class HostBackend implements Backend {
  readonly name = "host";
  readonly deviceName = "JavaScript on the host";
  readonly defaultStream: StreamHandle = { slot: 0 };
  readonly builds = new BuildTable();
  #streams = 0;
  #liveBytes = 0;
  #slots = 0;
  readonly #allocations = new Map<number, Allocation>();
  #peakBytes = 0;
  #limit = 0;
  /** Counts what the collector freed; the held value is a slot, never an array. */
  readonly #collected = new FinalizationRegistry<number>((slot) => {
    this.releaseSlot(slot);
  });

  allocate(byteLength: number, type: ElementType): Storage {
    return this.#allocate(byteLength, type);
  }

  #allocate(byteLength: number, type: ElementType, memory?: SharedArrayBuffer): HostStorage {
    const slot = this.#slots++;
    const allocation = describeAllocation(type, byteLength);
    let storage: HostStorage;
    try {
      storage = new HostStorage(this, slot, allocation, memory);
    } catch (cause) {
      throw new RangeError(`The host has no room for an array of ${String(byteLength)} bytes.`, { cause });
    }
    this.#liveBytes += byteLength;
    this.#peakBytes = Math.max(this.#peakBytes, this.#liveBytes);
    this.#allocations.set(slot, allocation);
    allocation.scope?.add(this, slot);
    this.#collected.register(storage, slot, storage);
    return storage;
  }

  share(storage: Storage): SharedMemory {
    const own = hostStorage(storage);
    own.allocation ??= randomUUID();
    const bytes = own.share();
    const { allocation, byteLength } = own;
    const shared: HostSharedMemory = { byteLength, allocation, bytes, used: new SharedArrayBuffer(4) };
    return shared;
  }

  receive(memory: SharedMemory, type: ElementType): Storage {
    const { bytes, used, byteLength, allocation } = memory as HostSharedMemory;
    const isOurs = [bytes, used].every((part) => types.isSharedArrayBuffer(part));
    if (!isOurs || bytes.byteLength !== byteLength || used.byteLength !== 4) {
      throw notAHandle(memory);
    }
    if (!useUp(memory)) throw sharedIsGone();
    const storage = this.#allocate(byteLength, type, bytes);
    storage.allocation = allocation;
    return storage;
  }

  releaseShared(memory: SharedMemory): void {
    useUp(memory);
  }

  release(storage: Storage): void {
    this.#collected.unregister(storage);
    this.releaseSlot(storage.slot);
    hostStorage(storage).release();
  }

  releaseSlot(slot: number): void {
    const allocation = this.#allocations.get(slot);
    if (allocation === undefined) return;
    this.#allocations.delete(slot);
    this.#liveBytes -= allocation.byteLength;
  }

  allocationAt(slot: number): Allocation | undefined {
    return this.#allocations.get(slot);
  }

  liveAllocations(): Allocation[] {
    return [...this.#allocations.values()];
  }

  write(storage: Storage, byteOffset: number, source: Uint8Array): void {
    hostBytes(storage).set(source, byteOffset);
  }

  read(storage: Storage, byteOffset: number, target: Uint8Array): void {
    target.set(hostBytes(storage).subarray(byteOffset, byteOffset + target.byteLength));
  }

  readAsync(storage: Storage, byteOffset: number, byteLength: number): Promise<ArrayBuffer> {
    return Promise.resolve(hostBytes(storage).slice(byteOffset, byteOffset + byteLength).buffer);
  }

  copy(target: Storage, targetOffset: number, source: Storage, sourceOffset: number, byteLength: number): void {
    hostBytes(target).set(hostBytes(source).subarray(sourceOffset, sourceOffset + byteLength), targetOffset);
  }

  fill(storage: Storage, byteOffset: number, pattern: Uint8Array, count: number): void {
    const bytes = hostBytes(storage);
    for (let i = 0; i < count; i++) bytes.set(pattern, byteOffset + i * pattern.byteLength);
  }

  memoryStatistics(): MemoryStatistics {
    return {
      liveBytes: this.#liveBytes,
      liveArrays: this.#allocations.size,
      peakBytes: this.#peakBytes,
      poolReservedBytes: 0,
      poolIdleBytes: 0,
      workspaceBytes: 0,
      freeBytes: freemem(),
      totalBytes: this.#limit > 0 ? this.#limit : totalmem(),
      limitBytes: this.#limit,
      collections: { minor: 0, full: 0 },
    };
  }

  trim(): void {
    // The collector owns all of the memory: there is no pool to give back.
  }

  setMemoryLimit(bytes: number): void {
    this.#limit = bytes;
  }

  createStream(): StreamHandle {
    return { slot: ++this.#streams };
  }

  releaseStream(): void {
    // Nothing is queued and nothing is held.
  }

  queryStream(): boolean {
    return true;
  }

  synchronizeStream(): void {
    // Work is done when its call returns.
  }

  synchronizeStreamAsync(): Promise<void> {
    return Promise.resolve();
  }

  streamWaitEvent(): void {
    // Work before the event is done already.
  }

  createEvent(): EventHandle {
    return { time: 0 } satisfies HostEvent;
  }

  recordEvent(event: EventHandle): void {
    (event as HostEvent).time = performance.now();
  }

  queryEvent(): boolean {
    return true;
  }

  synchronizeEvent(): void {
    // Work before the event is done already.
  }

  elapsedTime(start: EventHandle, end: EventHandle): number {
    return (end as HostEvent).time - (start as HostEvent).time;
  }

  build(request: BuildRequest): Build {
    return new HostBuild(request);
  }

  buildAsync(request: BuildRequest): Promise<Build> {
    return Promise.resolve(new HostBuild(request));
  }

  cacheStatistics(): CacheStatistics {
    const { size } = this.builds;
    return { builds: size, kernelsCompiled: 0, operatorsCompiled: 0, links: 0, loads: 0, hits: 0 };
  }

  clearCaches(): void {
    this.builds.clear();
  }
}

let backend: HostBackend | undefined;

export function openHostBackend(): Backend {
  backend ??= new HostBackend();
  return backend;
}
