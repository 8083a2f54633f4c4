#pragma once

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

/// What programs of NVRTC were compiled to, in files of one folder: test processes come and go, and each kernel takes a
/// second or many to compile. Processes may read and write at once. A file holds the whole of what its program is made
/// from, so equal hashes are no harm; what cannot be read or written is as good as not there.

struct CompiledProgram {
  std::string ltoir;
  std::string log;
  std::map<std::string, std::string> lowered_names;  // by name expression
};

class CompiledPrograms {
 public:
  explicit CompiledPrograms(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::optional<CompiledProgram> find(const std::string& made_from) const {
    std::ifstream file(path(made_from), std::ios::binary);
    std::string saved_made_from;
    CompiledProgram program;
    if (!read(file, saved_made_from) || saved_made_from != made_from) return std::nullopt;
    if (!read(file, program.ltoir) || !read(file, program.log)) return std::nullopt;
    std::string expression;
    std::string lowered;
    while (read(file, expression)) {
      if (!read(file, lowered)) return std::nullopt;
      program.lowered_names[expression] = lowered;
    }
    return program;
  }

  void save(const std::string& made_from, const CompiledProgram& program) const {
    std::error_code ignored;
    std::filesystem::create_directories(folder_, ignored);
    // A rename puts the file there as a whole.
    const std::filesystem::path written = path(made_from);
    const std::filesystem::path staged = written.string() + "." + std::to_string(getpid());
    std::ofstream file(staged, std::ios::binary);
    write(file, made_from);
    write(file, program.ltoir);
    write(file, program.log);
    for (const auto& [expression, lowered] : program.lowered_names) {
      write(file, expression);
      write(file, lowered);
    }
    file.close();
    if (file)
      std::filesystem::rename(staged, written, ignored);
    else
      std::filesystem::remove(staged, ignored);
  }

 private:
  std::filesystem::path path(const std::string& made_from) const {
    return folder_ / std::to_string(std::hash<std::string>{}(made_from));
  }

  static bool read(std::istream& file, std::string& text) {
    std::uint64_t size = 0;
    if (!file.read(reinterpret_cast<char*>(&size), sizeof size)) return false;
    text.resize(size);
    return static_cast<bool>(file.read(text.data(), static_cast<std::streamsize>(size)));
  }

  static void write(std::ostream& file, const std::string& text) {
    const std::uint64_t size = text.size();
    file.write(reinterpret_cast<const char*>(&size), sizeof size);
    file.write(text.data(), static_cast<std::streamsize>(size));
  }

  const std::filesystem::path folder_;
};
