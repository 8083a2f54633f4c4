#include "native/cccl/library.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

#include "native/cccl/loaded_object.h"
#include "native/cccl/printed_output.h"
#include "native/driver/failure.h"

namespace cuda_compute {
namespace {

/// The GNU build ids of cuda-cccl 1.2.1's libraries for CUDA 12 and 13 (x86-64). The ABI has no version of its own and
/// changed between releases without new names, so nothing less than the build's identity is sure; and reading it
/// costs nothing, where a hash would read the file.
constexpr std::array known_build_ids{
    "a45783a826cc0ac80ab8d5cd96b5a89af288eaeb",
    "736d11d47f4db5155aa641925867a48f1b295e20",
};

constexpr const char* remedy = "Use the library of the PyPI package cuda-cccl 1.2.1.";

/// Its printing must be ours wherever the library's code lies: the file that was asked for, or one that it loaded.
void adopt(const DynamicLibrary& library) {
  for (const std::string& name : exported_function_names()) {
    if (library.symbol(name.c_str()) == nullptr) {
      throw Failure(
          FailureKind::toolkit, "ERR_CCCL_VERSION",
          library.path() + " is another version of the C parallel library: it has no " + name + ". " + remedy);
    }
  }
  const auto objects = find_loaded_objects("libcccl.c.parallel.so");
  const bool known = std::any_of(objects.begin(), objects.end(), [](const LoadedObject& object) {
    return std::find(known_build_ids.begin(), known_build_ids.end(), object.build_id()) != known_build_ids.end();
  });
  if (!known) {
    throw Failure(
        FailureKind::toolkit, "ERR_CCCL_VERSION",
        library.path() + " is another version of the C parallel library (its build id is unknown). " + remedy);
  }
  for (const LoadedObject& object : objects) capture_printed_output(object);
}

std::mutex load_mutex;
std::atomic<const Library*> loaded = nullptr;

}  // namespace

std::vector<std::string> exported_function_names() {
  std::vector<std::string> names{
      "cccl_serialization_buffer_free",
      "cccl_serialization_last_error",
      "cccl_serialization_validate_blob",
  };
  const auto add = [&names](const char* family, std::initializer_list<const char*> suffixes) {
    for (const char* suffix : suffixes) names.push_back(std::string("cccl_device_") + family + suffix);
  };
  for (const char* family : {"binary_search", "for", "histogram", "merge_sort", "radix_sort", "reduce", "scan",
                             "segmented_reduce", "segmented_sort", "three_way_partition", "unique_by_key"}) {
    add(family, {"_build", "_build_ex", "_compile", "_load", "_link_ltoir", "_serialize", "_deserialize", "_cleanup"});
  }
  for (const char* family : {"unary_transform", "binary_transform"})
    add(family, {"", "_build", "_build_ex", "_compile"});
  add("transform", {"_load", "_link_ltoir", "_serialize", "_deserialize", "_cleanup"});
  for (const char* family : {"binary_search", "for", "merge_sort", "radix_sort", "segmented_reduce", "segmented_sort",
                             "three_way_partition", "unique_by_key"}) {
    add(family, {""});
  }
  add("reduce", {"", "_nondeterministic"});
  add("exclusive_scan", {"", "_future_value"});
  add("inclusive_scan", {"", "_future_value", "_no_init"});
  add("histogram", {"_even"});
  return names;
}

Library::Library(const LibraryPaths& paths)
    : nvrtc_(paths.nvrtc),
      nvjitlink_(paths.nvjitlink),
      cccl_(DynamicLibrary::open(paths.cccl)),
      include_options_(paths.include_options) {
  include_options_.resize(4);
  adopt(cccl_);
}

const Library& Library::load(const LibraryPaths& paths) {
  const std::scoped_lock lock(load_mutex);
  if (loaded.load() == nullptr) loaded = new Library(paths);
  return *loaded.load();
}

const Library& Library::get() {
  const Library* library = loaded.load(std::memory_order_acquire);
  if (library == nullptr) {
    throw Failure(FailureKind::toolkit, "ERR_TOOLKIT_NOT_LOADED", "The CUDA compilers are not loaded yet.");
  }
  return *library;
}

}  // namespace cuda_compute
