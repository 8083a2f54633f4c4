// A double of libnvrtc.so.13: passes every call on to the real library, counts it, and fails it where a test
// ordered a failure. It has the functions that the C library and we call.
//
// The real library is the file that CUDA_COMPUTE_REAL_NVRTC names, else the vendored one.

#include <dlfcn.h>

#include <string>

#include "native/testing/forwarding.h"

#define FORWARDED(X)              \
  X(nvrtcVersion, true)           \
  X(nvrtcGetErrorString, false)   \
  X(nvrtcCreateProgram, true)     \
  X(nvrtcDestroyProgram, true)    \
  X(nvrtcAddNameExpression, true) \
  X(nvrtcCompileProgram, true)    \
  X(nvrtcGetProgramLogSize, true) \
  X(nvrtcGetProgramLog, true)     \
  X(nvrtcGetLoweredName, true)    \
  X(nvrtcGetLTOIRSize, true)      \
  X(nvrtcGetLTOIR, true)

FORWARDED(DEFINE_FORWARD)

namespace {

/// NVRTC asks for its second library by name alone.
void load_builtins(void* real, const std::string& path) {
  int major = 0;
  int minor = 0;
  const auto version = reinterpret_cast<int (*)(int*, int*)>(dlsym(real, "nvrtcVersion"));
  if (version == nullptr || version(&major, &minor) != 0) return;
  const std::string name = "libnvrtc-builtins.so." + std::to_string(major) + "." + std::to_string(minor);
  dlopen((path.substr(0, path.rfind('/') + 1) + name).c_str(), RTLD_NOW | RTLD_GLOBAL);
}

__attribute__((constructor)) void load_real_library() {
  const std::string path = real_library("CUDA_COMPUTE_REAL_NVRTC", "cuda/lib/libnvrtc.so.13");
  void* const real = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (real != nullptr) load_builtins(real, path);
#define CONNECT(function, status) connect_forward_or_abort(forward_##function, real, path);
  FORWARDED(CONNECT)
#undef CONNECT
}

}  // namespace
