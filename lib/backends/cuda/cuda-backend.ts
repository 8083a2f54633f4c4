/** The backend that runs on a GPU, over the native addon. */
import type { Build, BuildRequest } from "../../builds/build";
import { BuildTable } from "../../builds/build-table";
import type { CacheStatistics } from "../caches";
import { ArgumentRangeError, CudaError, OutOfDeviceMemoryError, ToolkitNotFoundError } from "../../errors";
import { Pressure } from "./pressure";
import { onOperatorUnused } from "../../operators";
import type { Backend, EventHandle, MemoryStatistics, Storage, StreamHandle } from "../backend";
import { loadAddon } from "./addon";
import { CallFrame } from "./call-frame";
import { CudaBuild, nativeSpec } from "./cuda-build";
import type { NativeAddon, NativeHandle } from "./native";
import { checkVersions, findDriver, findToolkit } from "./toolkit";

/** Bytes that the addon repeats by itself. */
const memsetWidths: ReadonlySet<number> = new Set([1, 2, 4, 8]);

/** Owns the native allocation: when this is collected, the allocation is freed within the collection. */
class CudaStorage implements Storage {
  constructor(
    readonly backend: CudaBackend,
    readonly byteLength: number,
    readonly handle: NativeHandle,
    public slot: number,
  ) {}
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
  #compilersLoaded = false;

  constructor(native: NativeAddon, driverVersion: number, ordinal: number) {
    const device = native.openDevice(ordinal);
    this.native = native;
    this.deviceName = device.name;
    this.computeCapability = device.computeCapability;
    this.frame = new CallFrame(native.frame);
    this.#driverVersion = driverVersion;
    this.#deviceBytes = device.totalBytes;
    this.#pressure = new Pressure(device.totalBytes, () => this.frame.liveBytes);
    onOperatorUnused((id) => {
      this.builds.markUnused(id);
    });
  }

  allocate(byteLength: number, stream: StreamHandle): Storage {
    this.#pressure.beforeAllocation(byteLength);
    let handle = this.native.allocate(byteLength, stream.slot);
    if (handle === undefined) {
      this.#pressure.collectAll();
      this.native.trimPool();
      handle = this.native.allocate(byteLength, stream.slot);
      if (handle === undefined) throw this.outOfMemory(byteLength);
    }
    return new CudaStorage(this, byteLength, handle, this.frame.resultSlot);
  }

  /** @internal */
  outOfMemory(requested: number): OutOfDeviceMemoryError {
    const { freeBytes, liveBytes, liveArrays } = this.memoryStatistics();
    return new OutOfDeviceMemoryError({ requested, free: freeBytes, liveBytes, liveArrays });
  }

  /** Makes room after a call could not get its temporary storage. @internal */
  makeRoom(): void {
    this.#pressure.collectAll();
    this.native.trimPool();
  }

  release(storage: Storage): void {
    const { slot } = storage;
    storage.slot = -1;
    this.native.release(slot);
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
    this.native.copyOnDevice(target.slot, targetOffset, source.slot, sourceOffset, byteLength, stream.slot);
  }

  fill(storage: Storage, byteOffset: number, pattern: Uint8Array, count: number, stream: StreamHandle): void {
    const { byteLength } = pattern;
    const { slot } = storage;
    if (memsetWidths.has(byteLength)) {
      this.native.fill(slot, byteOffset, pattern, count, stream.slot);
    } else if (pattern.every((byte) => byte === pattern[0])) {
      this.native.fill(slot, byteOffset, pattern.subarray(0, 1), count * byteLength, stream.slot);
    } else {
      this.#fillByDoubling(slot, byteOffset, pattern, count, stream.slot);
    }
  }

  /** The driver sets nothing wider: writes the first element, and copies what is there until all is. */
  #fillByDoubling(slot: number, byteOffset: number, pattern: Uint8Array, count: number, streamSlot: number): void {
    const all = pattern.byteLength * count;
    this.native.copyToDevice(slot, byteOffset, pattern, streamSlot);
    for (let filled = pattern.byteLength; filled < all; filled *= 2) {
      const bytes = Math.min(filled, all - filled);
      this.native.copyOnDevice(slot, byteOffset + filled, slot, byteOffset, bytes, streamSlot);
    }
  }

  memoryStatistics(): MemoryStatistics {
    const native = this.native.memoryStatistics();
    return {
      liveBytes: native.liveBytes,
      liveArrays: native.liveAllocations,
      peakBytes: native.peakBytes,
      poolReservedBytes: native.poolReservedBytes,
      workspaceBytes: native.workspaceBytes,
      freeBytes: native.freeBytes,
      totalBytes: native.totalBytes,
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

  createStream(priority: number): StreamHandle {
    const handle = this.native.createStream(priority);
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
