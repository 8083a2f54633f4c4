// A double of libnvrtc.so.13: passes every call on to the real library, counts it, and fails it where a test
// ordered a failure. It has the functions that the C library and we call.
//
// The real library is the file that CUDA_COMPUTE_REAL_NVRTC names, else the vendored one. What it took long to compile
// it compiles once for all processes (compiled_programs.h): the result is kept beside this library, in compiled/.

#include <dlfcn.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "native/testing/compiled_programs.h"
#include "native/testing/forwarding.h"

#define FORWARDED(X)              \
  X(nvrtcVersion, true)           \
  X(nvrtcGetErrorString, false)   \
  X(nvrtcCreateProgram, true)     \
  X(nvrtcDestroyProgram, true)    \
  X(nvrtcAddNameExpression, true) \
  X(nvrtcCompileProgram, true)    \
  X(nvrtcGetProgramLogSize, true) \
  X(nvrtcGetProgramLog, true)     \
  X(nvrtcGetLoweredName, true)    \
  X(nvrtcGetLTOIRSize, true)      \
  X(nvrtcGetLTOIR, true)

FORWARDED(DEFINE_FORWARD)

namespace {

// ---- compiled once --------------------------------------------------------------------------------------------------

using Program = void*;

/// The real library's functions that have a double of more than a forward.
struct Real {
  int (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*);
  int (*destroy)(Program*);
  int (*add_name_expression)(Program, const char*);
  int (*compile)(Program, int, const char* const*);
  int (*log_size)(Program, std::size_t*);
  int (*log)(Program, char*);
  int (*lowered_name)(Program, const char*, const char**);
  int (*ltoir_size)(Program, std::size_t*);
  int (*ltoir)(Program, char*);
};
Real real;

/// A program of the real library, which stays uncompiled where its result was found.
struct State {
  std::string made_from;
  std::vector<std::string> name_expressions;
  std::optional<CompiledProgram> found;
};

/// Less than this is not worth a file.
constexpr std::chrono::milliseconds long_compilation{200};

std::mutex mutex;
std::map<Program, State> programs;

void append(std::string& made_from, const std::string& part) { made_from.append(part).push_back('\0'); }

std::string real_nvrtc() { return real_library("CUDA_COMPUTE_REAL_NVRTC", "cuda/lib/libnvrtc.so.13"); }

/// The real library's file, so that another version finds nothing of this one.
const std::string& real_identity() {
  static const std::string instance = [] {
    const std::string path = real_nvrtc();
    std::error_code ignored;
    std::string identity;
    append(identity, path);
    append(identity, std::to_string(std::filesystem::file_size(path, ignored)));
    append(identity, std::to_string(std::filesystem::last_write_time(path, ignored).time_since_epoch().count()));
    return identity;
  }();
  return instance;
}

const CompiledPrograms& compiled_programs() {
  static const CompiledPrograms instance = [] {
    Dl_info self{};
    dladdr(reinterpret_cast<const void*>(&compiled_programs), &self);
    return CompiledPrograms(std::filesystem::path(self.dli_fname).parent_path() / "compiled");
  }();
  return instance;
}

/// The address stays until the program is destroyed; nobody destroys what another thread uses.
State& state_of(Program program) {
  const std::lock_guard<std::mutex> lock(mutex);
  return programs[program];
}

int create(Program* program, const char* source, const char* name, int header_count, const char* const* headers,
           const char* const* include_names) {
  const int status = real.create(program, source, name, header_count, headers, include_names);
  if (status != 0) return status;
  State& state = state_of(*program);
  state = {real_identity(), {}, std::nullopt};
  append(state.made_from, source);
  append(state.made_from, name);
  for (int i = 0; i < header_count; ++i) {
    append(state.made_from, headers[i]);
    append(state.made_from, include_names[i]);
  }
  return status;
}

int destroy(Program* program) {
  {
    const std::lock_guard<std::mutex> lock(mutex);
    programs.erase(*program);
  }
  return real.destroy(program);
}

int add_name_expression(Program program, const char* expression) {
  State& state = state_of(program);
  append(state.made_from, expression);
  state.name_expressions.emplace_back(expression);
  return real.add_name_expression(program, expression);
}

/// What a program was compiled to; none where the real library does not say.
std::optional<CompiledProgram> result_of(Program program, const std::vector<std::string>& name_expressions) {
  CompiledProgram result;
  std::size_t size = 0;
  if (real.ltoir_size(program, &size) != 0) return std::nullopt;
  result.ltoir.resize(size);
  if (real.ltoir(program, result.ltoir.data()) != 0) return std::nullopt;
  if (real.log_size(program, &size) != 0) return std::nullopt;
  result.log.resize(size);
  if (real.log(program, result.log.data()) != 0) return std::nullopt;
  for (const std::string& expression : name_expressions) {
    const char* lowered = nullptr;
    if (real.lowered_name(program, expression.c_str(), &lowered) != 0) return std::nullopt;
    result.lowered_names[expression] = lowered;
  }
  return result;
}

int compile(Program program, int option_count, const char* const* options) {
  State& state = state_of(program);
  for (int i = 0; i < option_count; ++i) append(state.made_from, options[i]);
  state.found = compiled_programs().find(state.made_from);
  if (state.found.has_value()) return 0;
  const auto start = std::chrono::steady_clock::now();
  const int status = real.compile(program, option_count, options);
  if (status == 0 && std::chrono::steady_clock::now() - start > long_compilation) {
    const auto result = result_of(program, state.name_expressions);
    if (result.has_value()) compiled_programs().save(state.made_from, *result);
  }
  return status;
}

/// The length of what was found, or what the real function answers.
template <std::string CompiledProgram::* text, int (*Real::*real_function)(Program, std::size_t*)>
int size_of(Program program, std::size_t* size) {
  const State& state = state_of(program);
  if (!state.found.has_value()) return (real.*real_function)(program, size);
  *size = ((*state.found).*text).size();
  return 0;
}

/// The same of its bytes.
template <std::string CompiledProgram::* text, int (*Real::*real_function)(Program, char*)>
int bytes_of(Program program, char* bytes) {
  const State& state = state_of(program);
  if (!state.found.has_value()) return (real.*real_function)(program, bytes);
  const std::string& found = (*state.found).*text;
  found.copy(bytes, found.size());
  return 0;
}

int lowered_name(Program program, const char* expression, const char** lowered) {
  const State& state = state_of(program);
  if (!state.found.has_value()) return real.lowered_name(program, expression, lowered);
  *lowered = state.found->lowered_names.at(expression).c_str();
  return 0;
}

/// Puts a function of ours between a forward and the real function.
template <typename Function>
void interpose(Forward& forward, Function*& real_function, Function* ours) {
  real_function = reinterpret_cast<Function*>(forward.target);
  forward.target = reinterpret_cast<void*>(ours);
}

void compile_once() {
  interpose(forward_nvrtcCreateProgram, real.create, create);
  interpose(forward_nvrtcDestroyProgram, real.destroy, destroy);
  interpose(forward_nvrtcAddNameExpression, real.add_name_expression, add_name_expression);
  interpose(forward_nvrtcCompileProgram, real.compile, compile);
  interpose(forward_nvrtcGetProgramLogSize, real.log_size, size_of<&CompiledProgram::log, &Real::log_size>);
  interpose(forward_nvrtcGetProgramLog, real.log, bytes_of<&CompiledProgram::log, &Real::log>);
  interpose(forward_nvrtcGetLoweredName, real.lowered_name, lowered_name);
  interpose(forward_nvrtcGetLTOIRSize, real.ltoir_size, size_of<&CompiledProgram::ltoir, &Real::ltoir_size>);
  interpose(forward_nvrtcGetLTOIR, real.ltoir, bytes_of<&CompiledProgram::ltoir, &Real::ltoir>);
}

// ---- the real library -----------------------------------------------------------------------------------------------

/// NVRTC asks for its second library by name alone.
void load_builtins(void* library, const std::string& path) {
  int major = 0;
  int minor = 0;
  const auto version = reinterpret_cast<int (*)(int*, int*)>(dlsym(library, "nvrtcVersion"));
  if (version == nullptr || version(&major, &minor) != 0) return;
  const std::string name = "libnvrtc-builtins.so." + std::to_string(major) + "." + std::to_string(minor);
  dlopen((path.substr(0, path.rfind('/') + 1) + name).c_str(), RTLD_NOW | RTLD_GLOBAL);
}

__attribute__((constructor)) void load_real_library() {
  const std::string path = real_nvrtc();
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) load_builtins(library, path);
#define CONNECT(function, status) connect_forward_or_abort(forward_##function, library, path);
  FORWARDED(CONNECT)
#undef CONNECT
  compile_once();
}

}  // namespace
