#pragma once

#include <string>
#include <utility>

namespace cuda_compute {

/// nvJitLink, the linker of LTO-IR. Only the C parallel library links with it; here it is loaded and asked its version.
class NvJitLink {
 public:
  /// Loads the library at `path` with its symbols global. Throws Failure(toolkit).
  explicit NvJitLink(const std::string& path);

  /// Major and minor version.
  [[nodiscard]] std::pair<int, int> version() const { return version_; }

 private:
  std::pair<int, int> version_;
};

}  // namespace cuda_compute
