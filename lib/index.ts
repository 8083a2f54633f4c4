/** The public surface of cuda-compute. */
export * from "./algorithms";
export * from "./high-level";
export * from "./iterators";
export { type BackendName } from "./backends/backend";
export { getBackend, isCudaAvailable, setBackend } from "./backends/select";
export { type CacheStatistics, caches, clearAllCaches } from "./backends/caches";
export {
  ArgumentRangeError,
  ArgumentTypeError,
  CompileError,
  CudaError,
  OutOfDeviceMemoryError,
  ToolkitNotFoundError,
} from "./errors";
export { DeviceArray, type StreamOption } from "./memory/device-array";
export { DoubleBuffer } from "./memory/double-buffer";
export { Event } from "./memory/event";
export { type LiveArrays, type MemoryStatistics, memory } from "./memory/memory";
export { SharedArray, type ShareOptions } from "./memory/shared-array";
export { Stream, type StreamOptions } from "./memory/stream";
export {
  atomicAdd,
  atomicAnd,
  atomicCompareExchange,
  atomicExchange,
  atomicMax,
  atomicMin,
  atomicOr,
  atomicSub,
  atomicXor,
  bfloat16,
  bind,
  bool,
  cpp,
  float16,
  float32,
  float64,
  fused,
  int16,
  int32,
  int64,
  int8,
  ltoir,
  ops,
  uint16,
  uint32,
  uint64,
  uint8,
} from "./operators";
export {
  type ArrayType,
  type ElementSpec,
  type Field,
  type FieldSpec,
  type Struct,
  type StructFields,
  type StructType,
  type ValueOf,
} from "./types/element";
export { type Complex, complex, complex128, complex64 } from "./types/complex";
export { type IntegerName, type ScalarName } from "./types/scalar";
export { struct } from "./types/struct";
export { type ColumnsOf, type TypedArrayOf } from "./types/typed-array";
