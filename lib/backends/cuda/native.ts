/**
 * The native addon's whole surface, and the layout of the call frame that both sides share.
 *
 * A call's numbers travel through the *frame*: one ArrayBuffer for each environment (thread), allocated by the addon,
 * written here and read in C++ without a single N-API conversion. `native/addon/frame.h` mirrors the offsets below and
 * checks them at compile time.
 */

/** Byte positions in the frame. */
export const Frame = {
  /** Eight float64: the item count first, then what the algorithm needs (segments, bit windows, bin counts). */
  scalars: 0,
  /** uint32: slot of the stream that the call runs on. */
  stream: 64,
  /** uint32: how many relocations follow. */
  relocationCount: 68,
  /** uint32: the slot that an allocating call answered with. */
  resultSlot: 72,
  /** int32: which of its two buffers a sort of double buffers left the result in. */
  selector: 76,
  /** float64: bytes of live device allocations in this process; kept current by the addon. */
  liveBytes: 80,
  /** float64: live device allocations in this process. */
  liveAllocations: 88,
  /** float64: what could not be allocated where the answer is `RunStatus.outOfMemory`. */
  requestedBytes: 96,
  /**
   * Relocations: three uint32 each (position in the frame, buffer slot, access). The 64-bit value at the position
   * holds a byte offset; the addon adds the buffer's device address to it.
   */
  relocations: 128,
  maxRelocations: 64,
  /** Iterator states, operator states and init values; every position is a multiple of 16. */
  state: 1024,
  size: 32768,
} as const;

/** What a relocation's buffer is used for. */
export const Access = { read: 1, write: 2, both: 3 } as const;

/** What `run` and `copyOnDevice` answer. Every other failure is thrown. */
export const RunStatus = { ok: 0, outOfMemory: 1 } as const;

/** An opaque native object; the addon frees what it stands for when JavaScript drops it. */
export type NativeHandle = object & { readonly __native: unique symbol };

/** `cccl_type_info`. */
export interface NativeTypeInfo {
  size: number;
  alignment: number;
  type: number;
}

/** One iterator argument of the C function, in the C function's order. */
export interface NativeSlot {
  /** POINTER (a bare device address, 8 bytes at `position`), ITERATOR (state bytes and two functions), or nothing. */
  kind: "pointer" | "iterator" | "absent";
  value: NativeTypeInfo;
  /** Where in the frame the state (or the address) lies. */
  position: number;
  stateSize: number;
  stateAlignment: number;
  /** Symbols of an ITERATOR's functions. */
  advance?: string;
  dereference?: string;
}

/** One operator argument. */
export interface NativeOperator {
  /** `cccl_op_kind_t`: 0 stateless, 1 stateful, else a well-known operator. */
  kind: number;
  /** The symbol of the code; empty for well-known operators. */
  symbol: string;
  position: number;
  stateSize: number;
  stateAlignment: number;
}

/** A piece of device code that is linked into a build: CUDA C++ source, or LTO-IR that is ready. */
export interface NativeCode {
  /** Stands for the content: equal keys, equal code. */
  key: string;
  source?: string;
  ltoir?: Uint8Array;
}

/** Everything that a build is made from. Holds types and code; never an array, an address or a value. */
export interface NativeBuildSpec {
  algorithm: string;
  /** Stands for all of this but the code: equal keys, equal kernels. */
  kernelKey: string;
  /** Compute capability as major * 10 + minor. */
  computeCapability: number;
  slots: NativeSlot[];
  operators: NativeOperator[];
  init?: { kind: "value" | "future" | "none"; value: NativeTypeInfo; position: number };
  /** Values beside the initial one, such as a histogram's levels. */
  values: { value: NativeTypeInfo; position: number }[];
  /** Integers that the algorithm's compile function takes, by name (`determinism`, `inclusive`). */
  options: Record<string, number>;
  code: NativeCode[];
  /** True to compile kernel and operator at once, which a well-known operator needs; false to link `code` in. */
  whole: boolean;
}

/** Counters of the process's builds. */
export interface NativeBuildStatistics {
  kernelsCompiled: number;
  operatorsCompiled: number;
  links: number;
  loads: number;
  /** Builds that were asked for and found. */
  hits: number;
  /** Builds alive now. */
  builds: number;
}

/** Counters of the process's device memory, in bytes where not said otherwise. */
export interface NativeMemoryStatistics {
  liveBytes: number;
  liveAllocations: number;
  peakBytes: number;
  /** What the driver's pool holds, live or idle. */
  poolReservedBytes: number;
  /** What of it nothing uses. */
  poolIdleBytes: number;
  /** Small per-stream scratch areas that outlive a call. */
  workspaceBytes: number;
  freeBytes: number;
  totalBytes: number;
  /** 0 for none. */
  limitBytes: number;
  /** Sum of what this environment has told V8 about and not yet taken back. */
  externalBytes: number;
}

/** The error classes that the addon throws; given to it once, since they live in TypeScript. */
export interface NativeErrorClasses {
  CudaError: new (code: string, message: string) => Error;
  CompileError: new (message: string, details: { code?: string; log?: string }) => Error;
  ToolkitNotFoundError: new (message: string, details: { code?: string; searched?: string[] }) => Error;
}

/** The addon. Loads on any glibc Linux; nothing of CUDA is touched before `loadDriver`. */
export interface NativeAddon {
  readonly frame: ArrayBuffer;
  setErrorClasses(classes: NativeErrorClasses): void;

  /** dlopen of libcuda and `cuInit`. Answers the driver's version (13000 for 13.0). A second call answers the first's. */
  loadDriver(path: string): number;
  /**
   * dlopen of NVRTC, nvJitLink and the C parallel library (in that order, so that the library finds the first two
   * loaded). `includeOptions` are four compiler options beginning with `-I` (CUB, Thrust, libcu++, CUDA; equal or
   * empty ones are fine). Refuses a library that does not export the 120 functions of the ABI.
   */
  loadCompilers(paths: { nvrtc: string; nvJitLink: string; cccl: string; includeOptions: string[] }): {
    nvrtc: [number, number];
    nvJitLink: [number, number];
  };
  deviceCount(): number;
  /** Retains the primary context of a device, makes it this environment's and sets its pool up. */
  openDevice(ordinal: number): { name: string; computeCapability: number; totalBytes: number };

  /** Allocates from the stream-ordered pool. Answers the handle, its slot in the frame; undefined when out of memory. */
  allocate(byteLength: number, streamSlot: number): NativeHandle | undefined;
  /** Frees at once (after the work queued on it); the slot is dead from here on. Idempotent through the slot's owner. */
  release(slot: number): void;
  /** Holds an allocation for another thread, under the number answered, until it is received or released or this
   * environment ends, unless it is to outlive that. */
  sendShared(slot: number, outlive: boolean): bigint;
  /** As `allocate`, of an allocation that was sent and has so many bytes; once for each number. */
  receiveShared(number: bigint, leastBytes: number): NativeHandle;
  releaseShared(number: bigint): void;
  /** Copies host bytes to the device; the source may change as soon as this returns. */
  copyToDevice(slot: number, byteOffset: number, source: Uint8Array, streamSlot: number): void;
  /** Copies device bytes to the host and waits for them. */
  copyToHost(slot: number, byteOffset: number, target: Uint8Array, streamSlot: number): void;
  /** Copies device bytes through pinned staging; the event loop stays free. The array may be dropped meanwhile. */
  readAsync(slot: number, byteOffset: number, byteLength: number, streamSlot: number): Promise<ArrayBuffer>;
  /** Answers a `RunStatus`: a copy within one array that overlaps needs memory of its own. */
  copyOnDevice(
    target: number,
    targetOffset: number,
    source: number,
    sourceOffset: number,
    byteLength: number,
    streamSlot: number,
  ): number;
  /** Repeats a pattern of 1, 2, 4 or 8 bytes `count` times. */
  fill(slot: number, byteOffset: number, pattern: Uint8Array, count: number, streamSlot: number): void;
  memoryStatistics(): NativeMemoryStatistics;
  /** 1 for every slot that holds an allocation. */
  liveSlots(): Uint8Array;
  /** Waits for all streams of this environment, so that what was freed behind their work is, and trims the pool. */
  reclaim(): void;
  /** Gives the pool's idle memory back to the device. */
  trimPool(): void;
  /** The most live bytes this process may hold; 0 for no limit but the device's. */
  setMemoryLimit(bytes: number): void;

  /** Slot 0 is the default stream and always there. */
  createStream(priority: number, ordered: boolean): NativeHandle;
  releaseStream(slot: number): void;
  /** True when all work queued on it is done. */
  queryStream(slot: number): boolean;
  synchronizeStream(slot: number): void;
  synchronizeStreamAsync(slot: number): Promise<void>;
  streamWaitEvent(slot: number, event: NativeHandle): void;
  createEvent(timing: boolean): NativeHandle;
  recordEvent(event: NativeHandle, streamSlot: number): void;
  queryEvent(event: NativeHandle): boolean;
  synchronizeEvent(event: NativeHandle): void;
  /** Milliseconds between two recorded events. */
  elapsedTime(start: NativeHandle, end: NativeHandle): number;

  /** Makes or finds a build. Equal specs give the same native build in every environment of the process. */
  build(spec: NativeBuildSpec): NativeHandle;
  /** The same off the event loop. */
  buildAsync(spec: NativeBuildSpec): Promise<NativeHandle>;
  /** Runs a build on what the frame holds. Returns a `RunStatus`. */
  run(build: NativeHandle): number;
  buildStatistics(): NativeBuildStatistics;
  /** Drops builds, kernels and operators that no handle uses. */
  clearBuilds(): void;
}
