#pragma once

#include <string>

namespace cuda_compute {

/// Whether a library's symbols serve the libraries that are loaded after it.
enum class SymbolScope { local, global };

/// A shared library, loaded once and for the life of the process.
///
/// It is never closed: CUDA's libraries keep threads and exit handlers of their own, which would outlive their code.
/// So this is a plain handle that can be copied.
class DynamicLibrary {
 public:
  /// Loads `path` with all its symbols bound (`dlopen`); loading it again gives the same library.
  /// Throws Failure(toolkit, ERR_LIBRARY_LOAD) with the dynamic linker's own text.
  static DynamicLibrary open(const std::string& path, SymbolScope scope = SymbolScope::local);

  /// The function `name`. Throws Failure(toolkit, ERR_LIBRARY_SYMBOL) where the library has none.
  template <typename Function>
  [[nodiscard]] Function* function(const char* name) const {
    return reinterpret_cast<Function*>(required_symbol(name));
  }

  /// The function `name`, or null.
  template <typename Function>
  [[nodiscard]] Function* optional_function(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }

  [[nodiscard]] void* symbol(const char* name) const;
  [[nodiscard]] void* handle() const { return handle_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  DynamicLibrary(void* handle, std::string path);
  [[nodiscard]] void* required_symbol(const char* name) const;

  void* handle_;
  std::string path_;
};

}  // namespace cuda_compute
