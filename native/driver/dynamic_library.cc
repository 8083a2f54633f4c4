#include "native/driver/dynamic_library.h"

#include <dlfcn.h>

#include <utility>

#include "native/driver/failure.h"

namespace cuda_compute {

DynamicLibrary DynamicLibrary::open(const std::string& path, SymbolScope scope) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | (scope == SymbolScope::global ? RTLD_GLOBAL : RTLD_LOCAL));
  if (handle == nullptr) {
    const char* reason = dlerror();
    throw Failure(FailureKind::toolkit, "ERR_LIBRARY_LOAD",
                  "Cannot load " + path + ": " + (reason != nullptr ? reason : "unknown reason"));
  }
  return {handle, path};
}

DynamicLibrary::DynamicLibrary(void* handle, std::string path) : handle_(handle), path_(std::move(path)) {}

void* DynamicLibrary::symbol(const char* name) const { return dlsym(handle_, name); }

void* DynamicLibrary::required_symbol(const char* name) const {
  void* address = symbol(name);
  if (address == nullptr) {
    throw Failure(FailureKind::toolkit, "ERR_LIBRARY_SYMBOL", path_ + " has no function " + name + ".");
  }
  return address;
}

}  // namespace cuda_compute
