#pragma once

#include <string>

#include "native/driver/cuda_types.h"
#include "native/driver/dynamic_library.h"

namespace cuda_compute {

// Values of the driver's enumerations that are used here.
inline constexpr unsigned cuda_stream_non_blocking = 1;
inline constexpr unsigned cuda_event_blocking_sync = 1;
inline constexpr unsigned cuda_event_disable_timing = 2;
inline constexpr CUresult cuda_error_no_device = 100;
inline constexpr CUresult cuda_error_not_ready = 600;
inline constexpr int cuda_attribute_capability_major = 75;
inline constexpr int cuda_attribute_capability_minor = 76;
inline constexpr int cuda_attribute_memory_pools_supported = 115;
inline constexpr int cuda_pool_release_threshold = 4;
inline constexpr int cuda_pool_reserved_current = 5;
inline constexpr int cuda_pool_used_current = 7;

/// Every function of libcuda that is called from here: member, exported name, parameters.
#define CUDA_COMPUTE_DRIVER_FUNCTIONS(X)                                                                              \
  X(init, "cuInit", (unsigned))                                                                                       \
  X(driver_get_version, "cuDriverGetVersion", (int*))                                                                 \
  X(get_error_name, "cuGetErrorName", (CUresult, const char**))                                                       \
  X(get_error_string, "cuGetErrorString", (CUresult, const char**))                                                   \
  X(device_get_count, "cuDeviceGetCount", (int*))                                                                     \
  X(device_get, "cuDeviceGet", (CUdevice*, int))                                                                      \
  X(device_get_name, "cuDeviceGetName", (char*, int, CUdevice))                                                       \
  X(device_get_attribute, "cuDeviceGetAttribute", (int*, int, CUdevice))                                              \
  X(device_total_memory, "cuDeviceTotalMem_v2", (std::size_t*, CUdevice))                                             \
  X(primary_context_retain, "cuDevicePrimaryCtxRetain", (CUcontext*, CUdevice))                                       \
  X(primary_context_release, "cuDevicePrimaryCtxRelease_v2", (CUdevice))                                              \
  X(context_get_current, "cuCtxGetCurrent", (CUcontext*))                                                             \
  X(context_set_current, "cuCtxSetCurrent", (CUcontext))                                                              \
  X(context_synchronize, "cuCtxSynchronize", ())                                                                      \
  X(device_get_default_pool, "cuDeviceGetDefaultMemPool", (CUmemoryPool*, CUdevice))                                  \
  X(pool_set_attribute, "cuMemPoolSetAttribute", (CUmemoryPool, int, void*))                                          \
  X(pool_get_attribute, "cuMemPoolGetAttribute", (CUmemoryPool, int, void*))                                          \
  X(pool_trim, "cuMemPoolTrimTo", (CUmemoryPool, std::size_t))                                                        \
  X(memory_get_info, "cuMemGetInfo_v2", (std::size_t*, std::size_t*))                                                 \
  X(memory_allocate_async, "cuMemAllocAsync", (CUdeviceptr*, std::size_t, CUstream))                                  \
  X(memory_free_async, "cuMemFreeAsync", (CUdeviceptr, CUstream))                                                     \
  X(host_allocate, "cuMemHostAlloc", (void**, std::size_t, unsigned))                                                 \
  X(host_free, "cuMemFreeHost", (void*))                                                                              \
  X(copy_to_device_async, "cuMemcpyHtoDAsync_v2", (CUdeviceptr, const void*, std::size_t, CUstream))                  \
  X(copy_to_host_async, "cuMemcpyDtoHAsync_v2", (void*, CUdeviceptr, std::size_t, CUstream))                          \
  X(copy_on_device_async, "cuMemcpyDtoDAsync_v2", (CUdeviceptr, CUdeviceptr, std::size_t, CUstream))                  \
  X(set_d8_async, "cuMemsetD8Async", (CUdeviceptr, unsigned char, std::size_t, CUstream))                             \
  X(set_d16_async, "cuMemsetD16Async", (CUdeviceptr, unsigned short, std::size_t, CUstream))                          \
  X(set_d32_async, "cuMemsetD32Async", (CUdeviceptr, unsigned, std::size_t, CUstream))                                \
  X(set_2d_d32_async, "cuMemsetD2D32Async", (CUdeviceptr, std::size_t, unsigned, std::size_t, std::size_t, CUstream)) \
  X(stream_create, "cuStreamCreateWithPriority", (CUstream*, unsigned, int))                                          \
  X(stream_destroy, "cuStreamDestroy_v2", (CUstream))                                                                 \
  X(stream_synchronize, "cuStreamSynchronize", (CUstream))                                                            \
  X(stream_query, "cuStreamQuery", (CUstream))                                                                        \
  X(stream_wait_event, "cuStreamWaitEvent", (CUstream, CUevent, unsigned))                                            \
  X(launch_host_function, "cuLaunchHostFunc", (CUstream, void (*)(void*), void*))                                     \
  X(event_create, "cuEventCreate", (CUevent*, unsigned))                                                              \
  X(event_destroy, "cuEventDestroy_v2", (CUevent))                                                                    \
  X(event_record, "cuEventRecord", (CUevent, CUstream))                                                               \
  X(event_query, "cuEventQuery", (CUevent))                                                                           \
  X(event_synchronize, "cuEventSynchronize", (CUevent))                                                               \
  X(event_elapsed_time, "cuEventElapsedTime", (float*, CUevent, CUevent))

/// libcuda, found at run time: nothing here links against it. One for the process.
class CudaApi {
 public:
  /// Loads the driver library and initialises it. The first call that succeeds decides; later ones answer it.
  /// Throws Failure(toolkit) when it cannot be loaded, Failure(cuda) when `cuInit` fails.
  static const CudaApi& load(const std::string& path);

  /// The driver that `load` loaded. Throws Failure(toolkit, ERR_DRIVER_NOT_LOADED) before that.
  static const CudaApi& get();

  /// As `cuDriverGetVersion` answers it: 13000 for 13.0.
  [[nodiscard]] int version() const { return version_; }

  /// The failure of a call, with the driver's own name and text. `function` is the name of what was called; `printed`
  /// is what it said besides.
  [[nodiscard]] class Failure failure(CUresult status, const char* function, const std::string& printed = {}) const;

  /// The context that is current on this thread, or null. Throws Failure(cuda).
  [[nodiscard]] CUcontext current_context() const {
    CUcontext context = nullptr;
    check(context_get_current(&context), "cuCtxGetCurrent");
    return context;
  }

  /// Throws that failure unless the call succeeded.
  void check(CUresult status, const char* function) const;

#define CUDA_COMPUTE_DECLARE(member, symbol, parameters) CUresult(*member) parameters = nullptr;
  CUDA_COMPUTE_DRIVER_FUNCTIONS(CUDA_COMPUTE_DECLARE)
#undef CUDA_COMPUTE_DECLARE

 private:
  explicit CudaApi(const DynamicLibrary& library);

  int version_ = 0;
};

}  // namespace cuda_compute
