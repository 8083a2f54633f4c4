// A double of libnvJitLink.so.13: passes every call on to the real library, counts it, and fails it where a test
// ordered a failure. It has the functions that the C library and we call.
//
// The real library is the file that CUDA_COMPUTE_REAL_NVJITLINK names, else the vendored one.

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
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

/// Beside this double lies build/, and vendor/ beside that.
std::string real_path() {
  if (const char* named = std::getenv("CUDA_COMPUTE_REAL_NVJITLINK"); named != nullptr && *named != '\0') return named;
  Dl_info self{};
  dladdr(reinterpret_cast<const void*>(&real_path), &self);
  const std::string own_path(self.dli_fname);
  return own_path.substr(0, own_path.rfind('/') + 1) + "../../vendor/cuda/lib/libnvJitLink.so.13";
}

__attribute__((constructor)) void load_real_library() {
  void* const real = dlopen(real_path().c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto connect = [real](Forward& forward) {
    connect_forward(forward, real);
    if (forward.target != nullptr) return;
    std::fprintf(stderr, "%s has no %s\n", real_path().c_str(), forward.name);
    std::abort();
  };
#define CONNECT(function, status) connect(forward_##function);
  FORWARDED(CONNECT)
#undef CONNECT
}

}  // namespace
