#pragma once

#include <node_api.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "native/addon/environment.h"
#include "native/driver/failure.h"

namespace cuda_compute {

/// Bytes of a Uint8Array.
struct Bytes {
  std::byte* data = nullptr;
  std::size_t size = 0;
};

/// The arguments of one native call, read without a heap allocation since every launch comes this way. TypeScript has
/// checked what users gave; these only keep a wrong call from doing harm, and throw Failure(argument).
class CallArguments {
 public:
  static constexpr std::size_t most = 8;

  /// `data` is what the function was created with.
  CallArguments(napi_env env, napi_callback_info info, void** data) : env_(env) {
    napi_get_cb_info(env, info, &count_, values_, nullptr, data);
  }

  [[nodiscard]] napi_value value(std::size_t index) const { return values_[index]; }

  [[nodiscard]] double number(std::size_t index) const {
    double result = 0;
    require(napi_get_value_double(env_, values_[index], &result), "a number", index);
    return result;
  }

  /// A count of bytes: a whole number that a double holds exactly.
  [[nodiscard]] std::size_t size(std::size_t index) const {
    const double given = number(index);
    const bool whole = given >= 0 && given <= 0x1FFFFFFFFFFFFF && std::trunc(given) == given;
    require(whole ? napi_ok : napi_invalid_arg, "a number of bytes", index);
    return static_cast<std::size_t>(given);
  }

  [[nodiscard]] int integer(std::size_t index) const {
    std::int32_t result = 0;
    require(napi_get_value_int32(env_, values_[index], &result), "an integer", index);
    return result;
  }

  [[nodiscard]] std::uint32_t slot(std::size_t index) const {
    std::uint32_t result = 0;
    require(napi_get_value_uint32(env_, values_[index], &result), "a slot", index);
    return result;
  }

  [[nodiscard]] std::uint64_t big_integer(std::size_t index) const {
    std::uint64_t result = 0;
    bool whole = false;
    require(napi_get_value_bigint_uint64(env_, values_[index], &result, &whole), "a BigInt", index);
    return result;
  }

  [[nodiscard]] bool boolean(std::size_t index) const {
    bool result = false;
    require(napi_get_value_bool(env_, values_[index], &result), "a boolean", index);
    return result;
  }

  [[nodiscard]] Bytes bytes(std::size_t index) const {
    Bytes result;
    napi_typedarray_type type = napi_int8_array;
    void* data = nullptr;
    require(napi_get_typedarray_info(env_, values_[index], &type, &result.size, &data, nullptr, nullptr),
            "a Uint8Array", index);
    require(type == napi_uint8_array ? napi_ok : napi_invalid_arg, "a Uint8Array", index);
    result.data = static_cast<std::byte*>(data);
    return result;
  }

  /// What an External of this addon stands for.
  template <typename HandleType>
  [[nodiscard]] HandleType& handle(std::size_t index) const {
    void* data = nullptr;
    require(napi_get_value_external(env_, values_[index], &data), "a native handle", index);
    auto* handle = static_cast<Handle*>(data);
    require(handle != nullptr && handle->kind == HandleType::expected ? napi_ok : napi_invalid_arg,
            "another native handle", index);
    return *static_cast<HandleType*>(handle);
  }

 private:
  void require(napi_status status, const char* expected, std::size_t index) const {
    if (status == napi_ok && index < count_) return;
    throw Failure(FailureKind::argument, "ERR_INVALID_ARG_TYPE",
                  "Native argument " + std::to_string(index) + ": expected " + expected + ".");
  }

  napi_env env_;
  std::size_t count_ = most;
  napi_value values_[most] = {};
};

}  // namespace cuda_compute
