// A double of libnvJitLink.so.13: passes every call on to the real library, counts it, and fails it where a test
// ordered a failure. It has the functions that the C library and we call.
//
// The real library is the file that CUDA_COMPUTE_REAL_NVJITLINK names, else the vendored one.

#include <dlfcn.h>

#include <string>

#include "native/testing/forwarding.h"

#define FORWARDED(X)                   \
  X(nvJitLinkVersion, true)            \
  X(nvJitLinkCreate, true)             \
  X(nvJitLinkDestroy, true)            \
  X(nvJitLinkAddData, true)            \
  X(nvJitLinkComplete, true)           \
  X(nvJitLinkGetErrorLogSize, true)    \
  X(nvJitLinkGetErrorLog, true)        \
  X(nvJitLinkGetLinkedCubinSize, true) \
  X(nvJitLinkGetLinkedCubin, true)     \
  X(nvJitLinkGetLinkedPtxSize, true)   \
  X(nvJitLinkGetLinkedPtx, true)

FORWARDED(DEFINE_FORWARD)

namespace {

__attribute__((constructor)) void load_real_library() {
  const std::string path = real_library("CUDA_COMPUTE_REAL_NVJITLINK", "cuda/lib/libnvJitLink.so.13");
  void* const real = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
#define CONNECT(function, status) connect_forward_or_abort(forward_##function, real, path);
  FORWARDED(CONNECT)
#undef CONNECT
}

}  // namespace
