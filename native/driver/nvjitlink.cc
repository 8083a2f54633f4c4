#include "native/driver/nvjitlink.h"

#include "native/driver/dynamic_library.h"
#include "native/driver/failure.h"

namespace cuda_compute {

NvJitLink::NvJitLink(const std::string& path) {
  const auto library = DynamicLibrary::open(path, SymbolScope::global);
  unsigned int major = 0;
  unsigned int minor = 0;
  const int status = library.function<int(unsigned int*, unsigned int*)>("nvJitLinkVersion")(&major, &minor);
  if (status != 0) {
    throw Failure(FailureKind::toolkit, "ERR_LIBRARY_LOAD",
                  path + " does not tell its version (nvJitLinkVersion returned " + std::to_string(status) + ").");
  }
  version_ = {static_cast<int>(major), static_cast<int>(minor)};
}

}  // namespace cuda_compute
