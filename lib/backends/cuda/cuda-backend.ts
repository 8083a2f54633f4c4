/** The backend that runs on a GPU, over the native addon. */
import type { Build, BuildRequest } from "../../builds/build";
import { BuildTable } from "../../builds/build-table";
import type { ElementType } from "../../types/element";
import { type Allocation, describeAllocation, groupAllocations } from "../allocation";
import type { CacheStatistics } from "../caches";
import {
  ArgumentRangeError,
  ArgumentTypeError,
  CudaError,
  OutOfDeviceMemoryError,
  ToolkitNotFoundError,
} from "../../errors";
import { Pressure } from "./pressure";
import { onOperatorUnused } from "../../operators";
import type { Backend, EventHandle, MemoryStatistics, SharedMemory, Storage, StreamHandle } from "../backend";
import { notAHandle, sharedArgument, sharedIsGone } from "../shared-memory";
import { loadAddon } from "./addon";
import { CallFrame } from "./call-frame";
import { CudaBuild, nativeSpec } from "./cuda-build";
import { type NativeAddon, type NativeHandle, RunStatus } from "./native";
import { checkVersions, findDriver, findToolkit } from "./toolkit";

/** Bytes that the addon repeats by itself. */
const memsetWidths: ReadonlySet<number> = new Set([1, 2, 4, 8]);

/** Owns the native allocation: when this is collected, the allocation is freed within the collection. */
class CudaStorage implements Storage {
  allocation: string | undefined = undefined;

  constructor(
    readonly backend: CudaBackend,
    readonly byteLength: number,
    readonly handle: NativeHandle,
    public slot: number,
  ) {}

  release(): void {
    this.slot = -1;
  }
}

/** As {@link CudaStorage}, of an allocation that its scope frees unless it hands it over. */
class ScopedStorage implements Storage {
  allocation: string | undefined = undefined;
  readonly #slot: number;
  readonly #allocation: Allocation;
  #released = false;

  constructor(
    readonly backend: CudaBackend,
    readonly byteLength: number,
    readonly handle: NativeHandle,
    slot: number,
    allocation: Allocation,
  ) {
    this.#slot = slot;
    this.#allocation = allocation;
  }

  get slot(): number {
    return this.#released || this.#allocation.scope?.ended ? -1 : this.#slot;
  }

  release(): void {
    this.#released = true;
  }
}

/** An allocation under a number that the addon gave it. */
interface CudaSharedMemory extends SharedMemory {
  readonly number: bigint;
}

class CudaStream implements StreamHandle {
  constructor(
    readonly slot: number,
    /** Undefined for the default stream, which nobody owns. */
    readonly handle: NativeHandle | undefined,
  ) {}
}

export class CudaBackend implements Backend {
  readonly name = "cuda";
  readonly deviceName: string;
  readonly defaultStream: StreamHandle = new CudaStream(0, undefined);
  readonly builds = new BuildTable();
  /** @internal */
  readonly native: NativeAddon;
  /** @internal */
  readonly frame: CallFrame;
  /** Compute capability as major * 10 + minor. */
  readonly computeCapability: number;
  readonly #pressure: Pressure;
  readonly #deviceBytes: number;
  readonly #driverVersion: number;
  /** By slot; entries of slots that are free say what was there last. */
  readonly #allocations: Allocation[] = [];
  #compilersLoaded = false;

  constructor(native: NativeAddon, driverVersion: number, ordinal: number) {
    const device = native.openDevice(ordinal);
    this.native = native;
    this.deviceName = device.name;
    this.computeCapability = device.computeCapability;
    this.frame = new CallFrame(native.frame);
    this.#driverVersion = driverVersion;
    this.#deviceBytes = device.totalBytes;
    this.#pressure = new Pressure(
      device.totalBytes,
      () => this.frame.liveBytes,
      () => {
        native.reclaim();
      },
    );
    onOperatorUnused((id) => {
      this.builds.markUnused(id);
    });
  }

  allocate(byteLength: number, type: ElementType, stream: StreamHandle): Storage {
    this.#pressure.beforeAllocation(byteLength);
    const handle = this.native.allocate(byteLength, stream.slot) ?? this.#allocateAgain(byteLength, stream.slot);
    return this.#adopt(handle, byteLength, type);
  }

  /** Of what a native call answered just now. */
  #adopt(handle: NativeHandle, byteLength: number, type: ElementType): CudaStorage | ScopedStorage {
    const slot = this.frame.resultSlot;
    const allocation = describeAllocation(type, byteLength);
    this.#allocations[slot] = allocation;
    if (allocation.scope === undefined) return new CudaStorage(this, byteLength, handle, slot);
    allocation.scope.add(this, slot);
    return new ScopedStorage(this, byteLength, handle, slot, allocation);
  }

  #allocateAgain(byteLength: number, streamSlot: number): NativeHandle {
    const handle = this.#pressure.retry(() => this.native.allocate(byteLength, streamSlot));
    if (handle === undefined) throw this.#outOfMemory(byteLength);
    return handle;
  }

  /** Repeats native work that found no room for what it needs for itself. @internal */
  runAgain(work: () => number): void {
    const status = this.#pressure.retry(() => (work() === RunStatus.ok ? RunStatus.ok : undefined));
    if (status === undefined) throw this.#outOfMemory(this.frame.requestedBytes);
  }

  #outOfMemory(requested: number): OutOfDeviceMemoryError {
    const { freeBytes, liveBytes, liveArrays, poolIdleBytes, limitBytes } = this.memoryStatistics();
    return new OutOfDeviceMemoryError({
      requested,
      free: freeBytes,
      liveBytes,
      liveArrays,
      poolIdleBytes,
      limit: limitBytes > 0 ? limitBytes : undefined,
      live: groupAllocations(this.liveAllocations()),
    });
  }

  release(storage: Storage): void {
    const { slot } = storage;
    (storage as CudaStorage | ScopedStorage).release();
    this.native.release(slot);
  }

  releaseSlot(slot: number): void {
    this.native.release(slot);
  }

  share(storage: Storage, outlive: boolean): SharedMemory {
    const number = this.native.sendShared(storage.slot, outlive);
    const own = storage as CudaStorage | ScopedStorage;
    own.allocation ??= String(number);
    const shared: CudaSharedMemory = { byteLength: own.byteLength, allocation: own.allocation, number };
    return shared;
  }

  receive(memory: SharedMemory, type: ElementType): Storage {
    const { number, byteLength, allocation } = memory as CudaSharedMemory;
    if (typeof number !== "bigint") throw notAHandle(memory);
    const storage = this.#adopt(this.#receive(number, byteLength), byteLength, type);
    storage.allocation = allocation;
    return storage;
  }

  #receive(number: bigint, leastBytes: number): NativeHandle {
    try {
      return this.native.receiveShared(number, leastBytes);
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === "ERR_SHARED_GONE") throw sharedIsGone();
      if (code === "ERR_OUT_OF_RANGE") throw notAHandle(`an array of fewer than ${String(leastBytes)} bytes`);
      if (code !== "ERR_DEVICE_MISMATCH") throw error;
      throw new ArgumentTypeError(sharedArgument, "an array of this thread's device", "one of another device", code);
    }
  }

  releaseShared(memory: SharedMemory): void {
    this.native.releaseShared((memory as CudaSharedMemory).number);
  }

  allocationAt(slot: number): Allocation | undefined {
    return this.#allocations[slot];
  }

  liveAllocations(): Allocation[] {
    const live = this.native.liveSlots();
    return this.#allocations.filter((_, slot) => live[slot] === 1);
  }

  write(storage: Storage, byteOffset: number, source: Uint8Array, stream: StreamHandle): void {
    this.native.copyToDevice(storage.slot, byteOffset, source, stream.slot);
  }

  read(storage: Storage, byteOffset: number, target: Uint8Array, stream: StreamHandle): void {
    this.native.copyToHost(storage.slot, byteOffset, target, stream.slot);
  }

  readAsync(storage: Storage, byteOffset: number, byteLength: number, stream: StreamHandle): Promise<ArrayBuffer> {
    return this.native.readAsync(storage.slot, byteOffset, byteLength, stream.slot);
  }

  copy(
    target: Storage,
    targetOffset: number,
    source: Storage,
    sourceOffset: number,
    byteLength: number,
    stream: StreamHandle,
  ): void {
    const work = (): number =>
      this.native.copyOnDevice(target.slot, targetOffset, source.slot, sourceOffset, byteLength, stream.slot);
    if (work() === RunStatus.outOfMemory) this.runAgain(work);
  }

  fill(storage: Storage, byteOffset: number, pattern: Uint8Array, count: number, stream: StreamHandle): void {
    const { byteLength } = pattern;
    const { slot } = storage;
    if (memsetWidths.has(byteLength)) {
      this.native.fill(slot, byteOffset, pattern, count, stream.slot);
    } else if (pattern.every((byte) => byte === pattern[0])) {
      this.native.fill(slot, byteOffset, pattern.subarray(0, 1), count * byteLength, stream.slot);
    } else {
      this.#fillByDoubling(storage, byteOffset, pattern, count, stream);
    }
  }

  /** The driver sets nothing wider: writes the first element, and copies what is there until all is. */
  #fillByDoubling(
    storage: Storage,
    byteOffset: number,
    pattern: Uint8Array,
    count: number,
    stream: StreamHandle,
  ): void {
    const all = pattern.byteLength * count;
    this.write(storage, byteOffset, pattern, stream);
    for (let filled = pattern.byteLength; filled < all; filled *= 2) {
      const bytes = Math.min(filled, all - filled);
      this.copy(storage, byteOffset + filled, storage, byteOffset, bytes, stream);
    }
  }

  memoryStatistics(): MemoryStatistics {
    const native = this.native.memoryStatistics();
    return {
      liveBytes: native.liveBytes,
      liveArrays: native.liveAllocations,
      peakBytes: native.peakBytes,
      poolReservedBytes: native.poolReservedBytes,
      poolIdleBytes: native.poolIdleBytes,
      workspaceBytes: native.workspaceBytes,
      freeBytes: native.freeBytes,
      totalBytes: native.totalBytes,
      limitBytes: native.limitBytes,
      collections: { ...this.#pressure.collections },
    };
  }

  trim(): void {
    this.native.trimPool();
  }

  setMemoryLimit(bytes: number): void {
    this.native.setMemoryLimit(bytes);
    this.#pressure.capacity = bytes > 0 ? Math.min(bytes, this.#deviceBytes) : this.#deviceBytes;
  }

  createStream(priority: number, ordered: boolean): StreamHandle {
    const handle = this.native.createStream(priority, ordered);
    return new CudaStream(this.frame.resultSlot, handle);
  }

  releaseStream(stream: StreamHandle): void {
    this.native.releaseStream(stream.slot);
  }

  queryStream(stream: StreamHandle): boolean {
    return this.native.queryStream(stream.slot);
  }

  synchronizeStream(stream: StreamHandle): void {
    this.native.synchronizeStream(stream.slot);
  }

  synchronizeStreamAsync(stream: StreamHandle): Promise<void> {
    return this.native.synchronizeStreamAsync(stream.slot);
  }

  streamWaitEvent(stream: StreamHandle, event: EventHandle): void {
    this.native.streamWaitEvent(stream.slot, event as NativeHandle);
  }

  createEvent(timing: boolean): EventHandle {
    return this.native.createEvent(timing);
  }

  recordEvent(event: EventHandle, stream: StreamHandle): void {
    this.native.recordEvent(event as NativeHandle, stream.slot);
  }

  queryEvent(event: EventHandle): boolean {
    return this.native.queryEvent(event as NativeHandle);
  }

  synchronizeEvent(event: EventHandle): void {
    this.native.synchronizeEvent(event as NativeHandle);
  }

  elapsedTime(start: EventHandle, end: EventHandle): number {
    return this.native.elapsedTime(start as NativeHandle, end as NativeHandle);
  }

  /** NVRTC, nvJitLink and the C library are loaded by the first build: arrays alone need none of them. */
  #loadCompilers(): void {
    if (this.#compilersLoaded) return;
    const toolkit = findToolkit(this.#driverVersion);
    const versions = this.native.loadCompilers(toolkit);
    checkVersions(versions.nvrtc, versions.nvJitLink, toolkit);
    this.#compilersLoaded = true;
  }

  build(request: BuildRequest): Build {
    this.#loadCompilers();
    const spec = nativeSpec(request, this.computeCapability);
    return new CudaBuild(this, request, spec, this.native.build(spec));
  }

  async buildAsync(request: BuildRequest): Promise<Build> {
    this.#loadCompilers();
    const spec = nativeSpec(request, this.computeCapability);
    return new CudaBuild(this, request, spec, await this.native.buildAsync(spec));
  }

  cacheStatistics(): CacheStatistics {
    return { ...this.native.buildStatistics(), builds: this.builds.size };
  }

  clearCaches(): void {
    this.builds.clear();
    this.native.clearBuilds();
  }
}

let backend: CudaBackend | undefined;

function deviceOrdinal(count: number): number {
  const asked = process.env["CUDA_COMPUTE_DEVICE"];
  if (asked === undefined || asked === "") return 0;
  const ordinal = Number(asked);
  if (Number.isInteger(ordinal) && ordinal >= 0 && ordinal < count) return ordinal;
  throw new ArgumentRangeError("CUDA_COMPUTE_DEVICE", `a device from 0 to ${String(count - 1)}`, asked);
}

/** The first CUDA version whose C library is there. */
const oldestDriver = 12_000;

function checkDriver(version: number, path: string): void {
  if (version >= oldestDriver) return;
  const found = `${String(Math.floor(version / 1000))}.${String(Math.floor((version % 1000) / 10))}`;
  throw new ToolkitNotFoundError(
    `The CUDA driver (${path}) is one for CUDA ${found}; CUDA 12.0 is needed, so NVIDIA driver 525 or later.`,
    { code: "ERR_DRIVER_VERSION", searched: [path] },
  );
}

/**
 * The cuda backend of this thread, opened once.
 *
 * @throws ToolkitNotFoundError where the addon or the driver is missing, CudaError where there is no device
 */
export function openCudaBackend(): Backend {
  if (backend === undefined) {
    const native = loadAddon();
    const driver = findDriver();
    const driverVersion = native.loadDriver(driver.path);
    checkDriver(driverVersion, driver.path);
    const count = native.deviceCount();
    if (count === 0) {
      throw new CudaError("CUDA_ERROR_NO_DEVICE", "The CUDA driver is here, but it sees no GPU (see `nvidia-smi`).");
    }
    backend = new CudaBackend(native, driverVersion, deviceOrdinal(count));
  }
  return backend;
}
