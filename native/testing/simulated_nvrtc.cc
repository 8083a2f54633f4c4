// A double of libnvrtc.so.13: passes every call on to the real library, counts it, and fails it where a test
// ordered a failure. It has the functions that the C library and we call.
//
// The real library is the file that CUDA_COMPUTE_REAL_NVRTC names, else the vendored one.

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
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

/// Beside this double lies build/, and vendor/ beside that.
std::string real_path() {
  if (const char* named = std::getenv("CUDA_COMPUTE_REAL_NVRTC"); named != nullptr && *named != '\0') return named;
  Dl_info self{};
  dladdr(reinterpret_cast<const void*>(&real_path), &self);
  const std::string own_path(self.dli_fname);
  return own_path.substr(0, own_path.rfind('/') + 1) + "../../vendor/cuda/lib/libnvrtc.so.13";
}

/// NVRTC asks for its second library by name alone.
void load_builtins(void* real) {
  int major = 0;
  int minor = 0;
  const auto version = reinterpret_cast<int (*)(int*, int*)>(dlsym(real, "nvrtcVersion"));
  if (version == nullptr || version(&major, &minor) != 0) return;
  const std::string path = real_path();
  const std::string name = "libnvrtc-builtins.so." + std::to_string(major) + "." + std::to_string(minor);
  dlopen((path.substr(0, path.rfind('/') + 1) + name).c_str(), RTLD_NOW | RTLD_GLOBAL);
}

__attribute__((constructor)) void load_real_library() {
  void* const real = dlopen(real_path().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (real != nullptr) load_builtins(real);
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
