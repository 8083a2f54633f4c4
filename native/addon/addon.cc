/// Registration of the addon: one environment object for each loading, and the functions of the other files.

#include <napi.h>

#include <cstring>
#include <memory>

#include "native/addon/api.h"
#include "native/addon/environment.h"
#include "native/addon/errors.h"

namespace cuda_compute {
namespace {

using SharedEnvironment = std::shared_ptr<Environment>;

/// Ends the environment while it can still release what it holds; runs once, also when a worker is terminated.
void end_environment(void* data) { static_cast<SharedEnvironment*>(data)->get()->end(); }

void delete_environment(napi_env, void* data, void*) { delete static_cast<SharedEnvironment*>(data); }

void create_frame(Environment& environment, Napi::Object exports) {
  auto buffer = Napi::ArrayBuffer::New(environment.env, CallFrame::size);
  std::memset(buffer.Data(), 0, CallFrame::size);
  environment.frame = static_cast<CallFrame*>(buffer.Data());
  environment.frame_buffer = Napi::Persistent(buffer);
  exports["frame"] = buffer;
}

void define_functions(Napi::Object exports, SharedEnvironment* data, std::span<const NativeFunction> functions) {
  const Napi::Env env = exports.Env();
  for (const auto& [name, call] : functions) {
    napi_value function = nullptr;
    if (napi_create_function(env, name, NAPI_AUTO_LENGTH, call, data, &function) != napi_ok) {
      throw Napi::Error::New(env);
    }
    exports[name] = function;
  }
}

napi_value initialize(napi_env env, napi_value module_exports) {
  auto environment = std::make_unique<SharedEnvironment>(std::make_shared<Environment>(env));
  return guarded(**environment, [&] {
    const Napi::Object exports(env, module_exports);
    create_frame(**environment, exports);
    for (const auto functions : {device_functions(), memory_functions(), stream_functions(), build_functions()}) {
      define_functions(exports, environment.get(), functions);
    }
    SharedEnvironment* data = environment.release();
    napi_set_instance_data(env, data, delete_environment, nullptr);
    napi_add_env_cleanup_hook(env, end_environment, data);
    return module_exports;
  });
}

}  // namespace
}  // namespace cuda_compute

NAPI_MODULE_INIT() { return cuda_compute::initialize(env, exports); }
