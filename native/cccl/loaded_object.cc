#include "native/cccl/loaded_object.h"

#include <cstddef>
#include <cstring>
#include <utility>

namespace cuda_compute {
namespace {

struct Search {
  std::string_view file_name;
  std::vector<LoadedObject> found;
};

int visit(dl_phdr_info* info, std::size_t, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  const std::string_view path(info->dlpi_name);
  if (path.substr(path.rfind('/') + 1) == search.file_name) {
    search.found.push_back({std::string(path), info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum});
  }
  return 0;
}

constexpr std::size_t aligned(std::size_t size) { return (size + 3) / 4 * 4; }

}  // namespace

std::vector<LoadedObject> find_loaded_objects(std::string_view file_name) {
  Search search{file_name, {}};
  dl_iterate_phdr(visit, &search);
  return std::move(search.found);
}

std::string LoadedObject::build_id() const {
  for (ElfW(Half) i = 0; i < header_count; ++i) {
    if (headers[i].p_type != PT_NOTE) continue;
    const auto* note = reinterpret_cast<const std::byte*>(base + headers[i].p_vaddr);
    const auto* end = note + headers[i].p_memsz;
    while (note + sizeof(ElfW(Nhdr)) <= end) {
      ElfW(Nhdr) header;
      std::memcpy(&header, note, sizeof header);
      const auto* name = note + sizeof header;
      const auto* description = name + aligned(header.n_namesz);
      if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0) {
        std::string text;
        for (std::size_t byte = 0; byte < header.n_descsz; ++byte) {
          const auto value = std::to_integer<unsigned>(description[byte]);
          text += "0123456789abcdef"[value >> 4U];
          text += "0123456789abcdef"[value & 15U];
        }
        return text;
      }
      note = description + aligned(header.n_descsz);
    }
  }
  return {};
}

}  // namespace cuda_compute
