import { join } from "node:path";
import { buildSimulatedDevice, directory, paths } from "./simulated-paths";

export { paths };

/** What lives on the simulated devices now, and what was made since the last reset. */
export interface SimulatedCounters {
  /** Device allocations whose memory is not yet given back. */
  liveAllocations: number;
  totalAllocations: number;
  liveBytes: number;
  peakBytes: number;
  poolReservedBytes: number;
  liveStreams: number;
  totalStreams: number;
  liveEvents: number;
  totalEvents: number;
  liveLibraries: number;
  totalLibraries: number;
  livePinned: number;
  totalPinned: number;
  livePinnedBytes: number;
  /** Retains of primary contexts that are not released. */
  liveContexts: number;
  launches: number;
  /** Queued work that has not run. */
  pendingWork: number;
  /** What no correct program does: double frees, wild addresses, work on memory that was freed. */
  violations: number;
}

export interface SimulatedLaunch {
  /** The kernel, or the execution function of the C library. */
  name: string;
  stream: bigint;
  items: number;
}

/** An argument of a driver function: typed arrays travel as the address of their bytes. */
export type DriverArgument = number | bigint | null | NodeJS.TypedArray;

/** The controls of the simulated device; native/testing/simulated_cuda.h says how it behaves. */
export interface SimulatedDevice {
  /** Settings, totals, call counts, injected failures and held streams as at the start. Live objects stay. */
  reset(): void;
  setCapacity(bytes: number): void;
  setDeviceCount(count: number): void;
  /** As major * 10 + minor. */
  setComputeCapability(capability: number): void;
  setDriverVersion(version: number): void;
  /** How long a call waits for a held stream before it gives up with CUDA_ERROR_LAUNCH_TIMEOUT. */
  setWaitLimit(milliseconds: number): void;
  /** Makes the `nth` next call (1: the very next) of a driver or C library function fail, named as it is exported. */
  failNext(name: string, nth: number, result: number): void;
  /** Calls of a function since the last reset. */
  calls(name: string): number;
  /** The same of every function that was called at all. */
  allCalls(): Record<string, number>;
  counters(): SimulatedCounters;
  /** What the last violation was; empty when there was none. */
  lastViolation(): string;
  lastLaunch(): SimulatedLaunch | undefined;
  /** Live streams in the order of their making, without the NULL stream. */
  streams(): bigint[];
  /** Holds a stream's work back; the NULL stream by default. */
  holdStream(stream?: bigint): void;
  /** Runs what was held back, in order. */
  releaseStream(stream?: bigint): void;
  /** Holds every stream, those to come included. */
  holdAll(): void;
  releaseAll(): void;
  /** Calls a function of the driver and answers its CUresult. */
  call(name: string, ...parameters: DriverArgument[]): number;
}

/** Builds the simulated device where it is not up to date, and opens its controls. */
function openSimulatedDevice(): SimulatedDevice {
  buildSimulatedDevice();
  const control = require(join(directory, "simulated_control.node")) as SimulatedDevice & { open(path: string): void };
  control.open(paths.driver);
  return control;
}

export const simulatedDevice: SimulatedDevice = openSimulatedDevice();
