/// Registration of the addon: one environment object for each loading, and the functions of the other files.

#include <node_api.h>

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

void create_frame(Environment& environment, napi_value exports) {
  napi_env env = environment.env;
  void* data = nullptr;
  napi_value buffer = nullptr;
  napi_check(napi_create_arraybuffer(env, CallFrame::size, &data, &buffer), "the call frame");
  std::memset(data, 0, CallFrame::size);
  environment.frame = static_cast<CallFrame*>(data);
  // The reference keeps the frame's memory for as long as native code may write to it.
  napi_ref reference = nullptr;
  napi_check(napi_create_reference(env, buffer, 1, &reference), "the call frame");
  napi_check(napi_set_named_property(env, exports, "frame", buffer), "the call frame");
}

void define_functions(napi_env env, napi_value exports, SharedEnvironment* data,
                      std::span<const NativeFunction> functions) {
  for (const NativeFunction& function : functions) {
    napi_value value = nullptr;
    napi_check(napi_create_function(env, function.name, NAPI_AUTO_LENGTH, function.call, data, &value), function.name);
    napi_check(napi_set_named_property(env, exports, function.name, value), function.name);
  }
}

napi_value initialize(napi_env env, napi_value exports) {
  auto environment = std::make_unique<SharedEnvironment>(std::make_shared<Environment>(env));
  return guarded(**environment, [&] {
    create_frame(**environment, exports);
    for (const auto functions : {device_functions(), memory_functions(), stream_functions(), build_functions()}) {
      define_functions(env, exports, environment.get(), functions);
    }
    napi_check(napi_set_instance_data(env, environment.get(), delete_environment, nullptr), "instance data");
    SharedEnvironment* data = environment.release();
    napi_check(napi_add_env_cleanup_hook(env, end_environment, data), "a cleanup hook");
    return exports;
  });
}

}  // namespace
}  // namespace cuda_compute

NAPI_MODULE_INIT() { return cuda_compute::initialize(env, exports); }
