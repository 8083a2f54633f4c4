/** The public surface of cuda-compute. */
export * from "./algorithms";
export * from "./iterators";
export { type BackendName } from "./backends/backend";
export { getBackend, isCudaAvailable, setBackend } from "./backends/select";
export { type CacheStatistics, caches, clearAllCaches } from "./builds/caches";
export {
  ArgumentRangeError,
  ArgumentTypeError,
  CompileError,
  CudaError,
  OutOfDeviceMemoryError,
  ToolkitNotFoundError,
} from "./errors";
export { DeviceArray, type StreamOption } from "./memory/device-array";
export { Event } from "./memory/event";
export { type MemoryStatistics, memory } from "./memory/memory";
export { Stream } from "./memory/stream";
export { type ScalarName, type ValueOf } from "./types/scalar";
export { type TypedArrayOf } from "./types/typed-array";
