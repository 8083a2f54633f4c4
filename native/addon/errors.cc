#include "native/addon/errors.h"

#include <new>
#include <string>

#include "native/driver/failure.h"

namespace cuda_compute {
namespace {

Napi::Object details(Napi::Env env, const Failure& failure) {
  Napi::Object result = Napi::Object::New(env);
  result["code"] = failure.code;
  if (!failure.log.empty()) result["log"] = failure.log;
  return result;
}

/// Sets the code, and has the stack formatted: until somebody reads it, V8 keeps the receiver of every frame (device
/// arrays among them) for as long as the error lives. The classes of TypeScript do the same.
Napi::Value with_code(const Napi::Error& error, const std::string& code) {
  error.Set("code", code);
  error.Get("stack");
  return error.Value();
}

Napi::Value plain_error(Napi::Env env, const std::string& code, const std::string& message) {
  return with_code(Napi::Error::New(env, message), code);
}

Napi::Value error_of(const Environment& environment, const Failure& failure) {
  const Napi::Env env = environment.env;
  const auto message = Napi::String::New(env, failure.what());
  switch (failure.kind) {
    case FailureKind::cuda:
      if (environment.cuda_error.IsEmpty()) break;
      return environment.cuda_error.New({Napi::String::New(env, failure.code), message});
    case FailureKind::compile:
      if (environment.compile_error.IsEmpty()) break;
      return environment.compile_error.New({message, details(env, failure)});
    case FailureKind::toolkit:
      if (environment.toolkit_error.IsEmpty()) break;
      return environment.toolkit_error.New({message, details(env, failure)});
    case FailureKind::argument:
      return with_code(Napi::TypeError::New(env, failure.what()), failure.code);
    case FailureKind::out_of_memory:
      break;
  }
  // Before the classes were handed over, or for what the callers answer as a value.
  return plain_error(env, failure.code, failure.what());
}

Napi::Value value_of_current_exception(const Environment& environment) {
  const Napi::Env env = environment.env;
  try {
    throw;
  } catch (const Failure& failure) {
    return error_of(environment, failure);
  } catch (const Napi::Error& error) {
    return error.Value();
  } catch (const std::bad_alloc&) {
    return plain_error(env, "ERR_OUT_OF_HOST_MEMORY", "The process has no memory left.");
  } catch (const std::exception& error) {
    return plain_error(env, "ERR_NATIVE", error.what());
  } catch (...) {
    return plain_error(env, "ERR_NATIVE", "An unknown native error.");
  }
}

}  // namespace

Napi::Value current_exception_value(const Environment& environment) {
  try {
    return value_of_current_exception(environment);
  } catch (const Napi::Error& instead) {
    return instead.Value();
  }
}

void throw_in_javascript(const Environment& environment) noexcept {
  try {
    napi_throw(environment.env, current_exception_value(environment));
  } catch (const Napi::Error&) {
    // A failure must not look like success; where there is no JavaScript any more, this does nothing.
    napi_throw_error(environment.env, "ERR_NATIVE", "A native function failed, and so did making its error.");
  }
}

}  // namespace cuda_compute
