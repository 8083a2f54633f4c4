#pragma once

#include <napi.h>

#include <memory>

#include "native/addon/call_arguments.h"
#include "native/addon/environment.h"

namespace cuda_compute {

/// What is being thrown in C++, as the JavaScript error that it becomes: of the classes that TypeScript handed over, a
/// TypeError, or an Error. Where that cannot be made (no stack is left), it is the error that stopped it. To be called
/// in a catch block.
Napi::Value current_exception_value(const Environment& environment);

/// Throws it in JavaScript, unless the environment is being terminated and runs none.
void throw_in_javascript(const Environment& environment) noexcept;

/// Runs the body of a native function; no C++ exception leaves it.
template <typename Body>
napi_value guarded(const Environment& environment, Body&& body) noexcept {
  try {
    return body();
  } catch (...) {
    throw_in_javascript(environment);
    return nullptr;
  }
}

/// A function of the addon: its body gets the environment and the arguments; what it throws is thrown in JavaScript.
template <Napi::Value (*Body)(const std::shared_ptr<Environment>&, const CallArguments&)>
napi_value native_function(napi_env env, napi_callback_info info) {
  void* data = nullptr;
  const CallArguments arguments(env, info, &data);
  const auto& environment = environment_of(data);
  return guarded(*environment, [&] { return Body(environment, arguments); });
}

}  // namespace cuda_compute
