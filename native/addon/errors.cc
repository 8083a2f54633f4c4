#include "native/addon/errors.h"

#include <new>
#include <string>

namespace cuda_compute {
namespace {

napi_value text(napi_env env, const std::string& value) {
  napi_value result = nullptr;
  napi_create_string_utf8(env, value.data(), value.size(), &result);
  return result;
}

/// `{ code, log }`
napi_value details(napi_env env, const Failure& failure) {
  napi_value object = nullptr;
  napi_create_object(env, &object);
  napi_set_named_property(env, object, "code", text(env, failure.code));
  if (!failure.log.empty()) napi_set_named_property(env, object, "log", text(env, failure.log));
  return object;
}

napi_value construct(napi_env env, napi_ref reference, napi_value first, napi_value second) {
  napi_value constructor = nullptr;
  napi_value error = nullptr;
  if (reference == nullptr || napi_get_reference_value(env, reference, &constructor) != napi_ok) return nullptr;
  const napi_value parameters[] = {first, second};
  return napi_new_instance(env, constructor, 2, parameters, &error) == napi_ok ? error : nullptr;
}

}  // namespace

napi_value error_of(const Environment& environment, const Failure& failure) {
  napi_env env = environment.env;
  const napi_value message = text(env, failure.what());
  napi_value error = nullptr;
  switch (failure.kind) {
    case FailureKind::cuda:
      error = construct(env, environment.cuda_error, text(env, failure.code), message);
      break;
    case FailureKind::compile:
      error = construct(env, environment.compile_error, message, details(env, failure));
      break;
    case FailureKind::toolkit:
      error = construct(env, environment.toolkit_error, message, details(env, failure));
      break;
    case FailureKind::argument:
      napi_create_type_error(env, text(env, failure.code), message, &error);
      break;
    case FailureKind::out_of_memory:
      break;
  }
  // Before the classes were handed over, or for what the callers answer as a value.
  if (error == nullptr) napi_create_error(env, text(env, failure.code), message, &error);
  return error;
}

void throw_current_exception(const Environment& environment) noexcept {
  napi_env env = environment.env;
  try {
    throw;
  } catch (const Failure& failure) {
    napi_throw(env, error_of(environment, failure));
  } catch (const std::bad_alloc&) {
    napi_throw_error(env, "ERR_OUT_OF_HOST_MEMORY", "The process has no memory left.");
  } catch (const std::exception& error) {
    napi_throw_error(env, "ERR_NATIVE", error.what());
  } catch (...) {
    napi_throw_error(env, "ERR_NATIVE", "An unknown native error.");
  }
}

}  // namespace cuda_compute
