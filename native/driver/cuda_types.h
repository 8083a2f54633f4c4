#pragma once

/// The few types of the CUDA driver that the native layers pass around. Declared here, so that building needs no CUDA.

extern "C" {
using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUmemoryPool = struct CUmemPoolHandle_st*;
using CUlibrary = struct CUlib_st*;
using CUkernel = struct CUkern_st*;
}

namespace cuda_compute {

inline constexpr CUresult cuda_success = 0;
inline constexpr CUresult cuda_error_out_of_memory = 2;

}  // namespace cuda_compute
