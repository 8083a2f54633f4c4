#pragma once

#include <napi.h>

#include <memory>

#include "native/addon/environment.h"

namespace cuda_compute {

/// An External that owns `handle`. Made with the raw function: only it takes a basic finalizer, which runs within the
/// collection and must call nothing of JavaScript or V8.
template <typename HandleType>
Napi::Value external_value(Napi::Env env, std::unique_ptr<HandleType> handle, node_api_basic_finalize finalize) {
  napi_value result = nullptr;
  if (napi_create_external(env, handle.get(), finalize, nullptr, &result) != napi_ok) throw Napi::Error::New(env);
  handle.release();
  return {env, result};
}

/// The finalizer of handles that need nothing but their destructor.
template <typename HandleType>
void delete_handle(node_api_basic_env, void* data, void*) {
  delete static_cast<HandleType*>(data);
}

}  // namespace cuda_compute
