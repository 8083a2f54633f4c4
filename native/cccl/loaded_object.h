#pragma once

#include <elf.h>
#include <link.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace cuda_compute {

/// A shared object of this process, as the dynamic linker mapped it.
struct LoadedObject {
  std::string path;
  ElfW(Addr) base = 0;
  const ElfW(Phdr) * headers = nullptr;
  ElfW(Half) header_count = 0;

  /// The GNU build id in hexadecimal; empty where the object has none. It names one build of a library exactly.
  [[nodiscard]] std::string build_id() const;
};

/// All loaded objects whose file name is `file_name`.
std::vector<LoadedObject> find_loaded_objects(std::string_view file_name);

}  // namespace cuda_compute
