#pragma once

#include <node_api.h>

#include <exception>

#include "native/addon/environment.h"
#include "native/addon/values.h"
#include "native/driver/failure.h"

namespace cuda_compute {

/// The JavaScript error that a failure becomes: of the classes that TypeScript handed over, or a TypeError.
napi_value error_of(const Environment& environment, const Failure& failure);

/// Throws in JavaScript what was thrown in C++.
void throw_current_exception(const Environment& environment) noexcept;

/// Runs the body of a native function; no C++ exception leaves it.
template <typename Body>
napi_value guarded(const Environment& environment, Body&& body) noexcept {
  try {
    return body();
  } catch (...) {
    throw_current_exception(environment);
    return nullptr;
  }
}

/// A function of the addon: its body gets the environment and the arguments; what it throws is thrown in JavaScript.
template <napi_value (*Body)(const std::shared_ptr<Environment>&, const CallArguments&)>
napi_value native_function(napi_env env, napi_callback_info info) {
  void* data = nullptr;
  const CallArguments arguments(env, info, &data);
  const auto& environment = environment_of(data);
  return guarded(*environment, [&] { return Body(environment, arguments); });
}

}  // namespace cuda_compute
