#pragma once

#include <string>
#include <utility>
#include <vector>

#include "native/cccl/abi.h"
#include "native/driver/cuda_types.h"
#include "native/driver/dynamic_library.h"
#include "native/driver/nvjitlink.h"
#include "native/driver/nvrtc.h"

namespace cuda_compute {

/// Where the compilers are, as absolute paths, and the four options that name their headers ("-I/path").
struct LibraryPaths {
  std::string nvrtc;
  std::string nvjitlink;
  std::string cccl;
  std::vector<std::string> include_options;
};

/// The C parallel library with the two compilers that it calls. One for the process.
class Library {
 public:
  /// Loads NVRTC, nvJitLink and the C parallel library, in the order that lets the third find the first two; libcuda
  /// must be loaded already. The first call that succeeds decides: later ones answer its library.
  /// Throws Failure(toolkit): ERR_LIBRARY_LOAD, or ERR_CCCL_VERSION for any library but cuda-cccl 1.2.1's.
  static const Library& load(const LibraryPaths& paths);

  /// The library that `load` loaded. Throws Failure(toolkit, ERR_TOOLKIT_NOT_LOADED) before that.
  static const Library& get();

  [[nodiscard]] const Nvrtc& nvrtc() const { return nvrtc_; }
  [[nodiscard]] const NvJitLink& nvjitlink() const { return nvjitlink_; }
  [[nodiscard]] const DynamicLibrary& cccl() const { return cccl_; }
  [[nodiscard]] const std::vector<std::string>& include_options() const { return include_options_; }

 private:
  explicit Library(const LibraryPaths& paths);

  Nvrtc nvrtc_;
  NvJitLink nvjitlink_;
  DynamicLibrary cccl_;
  std::vector<std::string> include_options_;
};

/// A function of the C parallel library, with the type that abi.h declares for it.
#define CCCL_FUNCTION(library, name) ((library).cccl().function<decltype(name)>(#name))

/// The names of the 120 functions that the library exports.
std::vector<std::string> exported_function_names();

}  // namespace cuda_compute
