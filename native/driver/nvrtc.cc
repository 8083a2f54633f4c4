#include "native/driver/nvrtc.h"

#include <filesystem>

#include "native/driver/dynamic_library.h"
#include "native/driver/failure.h"
#include "native/driver/signal_actions.h"

namespace cuda_compute {

/// Destroys the program when a compilation ends, well or not.
class Nvrtc::ProgramOwner {
 public:
  ProgramOwner(const Nvrtc& nvrtc, const std::string& source, const std::string& name) : nvrtc_(nvrtc) {
    nvrtc.check(nvrtc.create_program_(&program, source.c_str(), name.c_str(), 0, nullptr, nullptr),
                "nvrtcCreateProgram");
  }
  ~ProgramOwner() { nvrtc_.destroy_program_(&program); }
  ProgramOwner(const ProgramOwner&) = delete;
  ProgramOwner& operator=(const ProgramOwner&) = delete;

  Program program = nullptr;

 private:
  const Nvrtc& nvrtc_;
};

namespace {

template <typename Function>
void resolve(const DynamicLibrary& library, const char* name, Function*& function) {
  function = library.function<Function>(name);
}

}  // namespace

Nvrtc::Nvrtc(const std::string& path) {
  const auto library = DynamicLibrary::open(path, SymbolScope::global);
  resolve(library, "nvrtcVersion", version_);
  resolve(library, "nvrtcGetErrorString", error_string_);
  resolve(library, "nvrtcCreateProgram", create_program_);
  resolve(library, "nvrtcDestroyProgram", destroy_program_);
  resolve(library, "nvrtcCompileProgram", compile_program_);
  resolve(library, "nvrtcGetProgramLogSize", log_size_);
  resolve(library, "nvrtcGetProgramLog", log_text_);
  resolve(library, "nvrtcGetLTOIRSize", ltoir_size_);
  resolve(library, "nvrtcGetLTOIR", ltoir_);
  load_builtins(path);
}

void Nvrtc::load_builtins(const std::string& path) const {
  const auto [major, minor] = version();
  const std::filesystem::path builtins =
      std::filesystem::path(path).parent_path() /
      ("libnvrtc-builtins.so." + std::to_string(major) + "." + std::to_string(minor));
  if (std::filesystem::exists(builtins)) DynamicLibrary::open(builtins.string(), SymbolScope::global);
}

std::pair<int, int> Nvrtc::version() const {
  int major = 0;
  int minor = 0;
  if (const int status = version_(&major, &minor); status != 0) {
    throw Failure(FailureKind::toolkit, "ERR_LIBRARY_LOAD",
                  std::string("NVRTC does not tell its version (nvrtcVersion: ") + error_string_(status) + ").");
  }
  return {major, minor};
}

void Nvrtc::check(int status, const char* function) const {
  if (status != 0) {
    throw Failure(FailureKind::compile, "ERR_COMPILE", std::string(function) + " failed: " + error_string_(status));
  }
}

std::string Nvrtc::log(Program program) const {
  // A failure is told also where its log cannot be had.
  std::size_t size = 0;
  if (log_size_(program, &size) != 0) return {};
  std::string text(size, '\0');
  if (log_text_(program, text.data()) != 0) return {};
  while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.pop_back();
  return text;
}

std::vector<std::byte> Nvrtc::compile_to_ltoir(const std::string& source, const std::string& name,
                                               const std::vector<std::string>& options) const {
  std::vector<const char*> arguments;
  arguments.reserve(options.size());
  for (const std::string& option : options) arguments.push_back(option.c_str());

  const ProgramOwner owner(*this, source, name);
  const SignalActions kept;
  const int status = compile_program_(owner.program, static_cast<int>(arguments.size()), arguments.data());
  if (status != 0) {
    throw Failure(FailureKind::compile, "ERR_COMPILE",
                  std::string("The device code does not compile (") + error_string_(status) + ").", log(owner.program));
  }
  std::size_t size = 0;
  check(ltoir_size_(owner.program, &size), "nvrtcGetLTOIRSize");
  std::vector<std::byte> ltoir(size);
  check(ltoir_(owner.program, reinterpret_cast<char*>(ltoir.data())), "nvrtcGetLTOIR");
  return ltoir;
}

}  // namespace cuda_compute
