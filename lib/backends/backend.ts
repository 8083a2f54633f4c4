/** What the library asks of a backend. Everything above this file is the same for all of them. */
import type { Build, BuildRequest } from "../builds/build";
import type { BuildTable } from "../builds/build-table";
import type { ElementType } from "../types/element";
import type { Allocation } from "./allocation";
import type { CacheStatistics } from "./caches";

/** Where the algorithms run: on a GPU, or in JavaScript on the host. */
export type BackendName = "cuda" | "host";

/** Owns one allocation. Views share it; `slot` is -1 once it was disposed, or its scope has ended. */
export interface Storage {
  readonly backend: Backend;
  readonly byteLength: number;
  /** The allocation's number: the index in the addon's table, used again after it (backend cuda), or a count (host). */
  readonly slot: number;
  /** What all storages of one allocation have in common, in every thread, once it was shared. */
  readonly allocation: string | undefined;
}

/** Memory on its way to another thread; a structured clone keeps all of it. */
export interface SharedMemory {
  /** Bytes of the whole allocation. */
  readonly byteLength: number;
  /** Names the allocation in every thread. */
  readonly allocation: string;
}

/** A backend's stream; `slot` 0 is the default one. */
export interface StreamHandle {
  readonly slot: number;
}

/** A backend's event. */
export type EventHandle = object;

/** What `memory.stats()` reports of a backend, in bytes where not said otherwise. */
export interface MemoryStatistics {
  /** Bytes of device arrays that are alive in this process, to the byte. */
  liveBytes: number;
  /** How many allocations are alive. */
  liveArrays: number;
  /** The most bytes that were ever alive. */
  peakBytes: number;
  /** What the driver's pool holds, in use or idle. */
  poolReservedBytes: number;
  /** What of it nothing uses: allocations take it first, and `memory.trim()` gives it back to the device. */
  poolIdleBytes: number;
  /** Small scratch areas that belong to streams. */
  workspaceBytes: number;
  /** Free on the device, or of the limit where that is less. */
  freeBytes: number;
  /** All of the device, or the limit where one was set. */
  totalBytes: number;
  /** The limit that `memory.setLimit` set; 0 for none. */
  limitBytes: number;
  /** Collections that were asked for because device memory ran short. */
  collections: { minor: number; full: number };
}

export interface Backend {
  readonly name: BackendName;
  /** The device's name, as a user knows it. */
  readonly deviceName: string;

  allocate(byteLength: number, type: ElementType, stream: StreamHandle): Storage;
  /** Frees after the work that is queued on it. */
  release(storage: Storage): void;
  /** Frees what a slot holds, if anything, for an owner who does not use it any more. */
  releaseSlot(slot: number): void;
  /** Holds the memory until it is received or released, or this thread ends, unless it is to outlive it. */
  share(storage: Storage, outlive: boolean): SharedMemory;
  /** A storage of memory that was shared, which can be received once. */
  receive(memory: SharedMemory, type: ElementType): Storage;
  /** Lets go of shared memory that was not received. */
  releaseShared(memory: SharedMemory): void;
  /** The allocation that a slot holds or held last. */
  allocationAt(slot: number): Allocation | undefined;
  /** This thread's live allocations. */
  liveAllocations(): Allocation[];
  /** Copies bytes in; the source may change as soon as this returns. */
  write(storage: Storage, byteOffset: number, source: Uint8Array, stream: StreamHandle): void;
  /** Copies bytes out, after the work queued on the stream. */
  read(storage: Storage, byteOffset: number, target: Uint8Array, stream: StreamHandle): void;
  readAsync(storage: Storage, byteOffset: number, byteLength: number, stream: StreamHandle): Promise<ArrayBuffer>;
  copy(
    target: Storage,
    targetOffset: number,
    source: Storage,
    sourceOffset: number,
    byteLength: number,
    stream: StreamHandle,
  ): void;
  /** Repeats a pattern, which is not empty. */
  fill(storage: Storage, byteOffset: number, pattern: Uint8Array, count: number, stream: StreamHandle): void;
  memoryStatistics(): MemoryStatistics;
  trim(): void;
  setMemoryLimit(bytes: number): void;

  readonly defaultStream: StreamHandle;
  /** `ordered` is false for a stream that neither waits for others nor is waited for. */
  createStream(priority: number, ordered: boolean): StreamHandle;
  releaseStream(stream: StreamHandle): void;
  queryStream(stream: StreamHandle): boolean;
  synchronizeStream(stream: StreamHandle): void;
  synchronizeStreamAsync(stream: StreamHandle): Promise<void>;
  streamWaitEvent(stream: StreamHandle, event: EventHandle): void;
  createEvent(timing: boolean): EventHandle;
  recordEvent(event: EventHandle, stream: StreamHandle): void;
  queryEvent(event: EventHandle): boolean;
  synchronizeEvent(event: EventHandle): void;
  elapsedTime(start: EventHandle, end: EventHandle): number;

  /** The builds that calls have used, by small integers; see build-table.ts. */
  readonly builds: BuildTable;
  build(request: BuildRequest): Build;
  buildAsync(request: BuildRequest): Promise<Build>;
  cacheStatistics(): CacheStatistics;
  clearCaches(): void;
}
