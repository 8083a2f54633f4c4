#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace cuda_compute {

/// NVRTC, the compiler of CUDA C++ at run time. Loaded once; its functions serve all threads.
class Nvrtc {
 public:
  /// Loads the library at `path` with its symbols global, since the C parallel library calls it too. Throws
  /// Failure(toolkit).
  explicit Nvrtc(const std::string& path);

  /// Major and minor version. Throws Failure(toolkit).
  [[nodiscard]] std::pair<int, int> version() const;

  /// Compiles `source` to LTO-IR. Throws Failure(compile, ERR_COMPILE) with the compiler's log; `name` stands for the
  /// file in that log.
  [[nodiscard]] std::vector<std::byte> compile_to_ltoir(const std::string& source, const std::string& name,
                                                        const std::vector<std::string>& options) const;

 private:
  using Program = struct OpaqueProgram*;
  class ProgramOwner;

  /// NVRTC looks for its second library by name alone, which the dynamic linker finds only once it is loaded.
  void load_builtins(const std::string& path) const;
  void check(int status, const char* function) const;
  [[nodiscard]] std::string log(Program program) const;

  int (*version_)(int*, int*);
  const char* (*error_string_)(int);
  int (*create_program_)(Program*, const char*, const char*, int, const char* const*, const char* const*);
  int (*destroy_program_)(Program*);
  int (*compile_program_)(Program, int, const char* const*);
  int (*log_size_)(Program, std::size_t*);
  int (*log_text_)(Program, char*);
  int (*ltoir_size_)(Program, std::size_t*);
  int (*ltoir_)(Program, char*);
};

}  // namespace cuda_compute
