#include "native/cccl/operator_compiler.h"

#include <string>

namespace cuda_compute {

std::vector<std::byte> compile_operator(const Library& library, const CodeUnit& code, int compute_capability) {
  if (code.source.empty()) return code.ltoir;
  std::vector<std::string> options{
      "-arch=sm_" + std::to_string(compute_capability), "-rdc=true", "-dlto", "-std=c++20", "-default-device",
  };
  for (const std::string& include : library.include_options()) {
    if (!include.empty()) options.push_back(include);
  }
  return library.nvrtc().compile_to_ltoir(code.source, "operator.cu", options);
}

}  // namespace cuda_compute
