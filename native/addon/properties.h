#pragma once

#include <node_api.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "native/driver/failure.h"

namespace cuda_compute {

[[noreturn]] inline void wrong_property(const std::string& name, const char* expected) {
  throw Failure(FailureKind::argument, "ERR_INVALID_ARG_TYPE",
                "Native option " + name + ": expected " + expected + ".");
}

inline std::string string_from(napi_env env, napi_value value, const std::string& name) {
  std::size_t length = 0;
  if (napi_get_value_string_utf8(env, value, nullptr, 0, &length) != napi_ok) wrong_property(name, "a string");
  std::string result(length, '\0');
  napi_get_value_string_utf8(env, value, result.data(), length + 1, &length);
  return result;
}

/// The properties of an object that TypeScript made. Throws Failure(argument) for one of another type.
class Properties {
 public:
  Properties(napi_env env, napi_value object) : env_(env), object_(object) {
    napi_valuetype type = napi_undefined;
    if (napi_typeof(env, object, &type) != napi_ok || type != napi_object) wrong_property("", "an object");
  }

  [[nodiscard]] napi_env env() const { return env_; }

  [[nodiscard]] napi_value get(const char* name) const {
    napi_value result = nullptr;
    if (napi_get_named_property(env_, object_, name, &result) != napi_ok) wrong_property(name, "a value");
    return result;
  }

  [[nodiscard]] bool has(const char* name) const {
    napi_valuetype type = napi_undefined;
    return napi_typeof(env_, get(name), &type) == napi_ok && type != napi_undefined;
  }

  [[nodiscard]] std::string string(const char* name) const { return string_from(env_, get(name), name); }

  [[nodiscard]] std::string string_or_empty(const char* name) const { return has(name) ? string(name) : std::string(); }

  [[nodiscard]] double number(const char* name) const {
    double result = 0;
    if (napi_get_value_double(env_, get(name), &result) != napi_ok) wrong_property(name, "a number");
    return result;
  }

  [[nodiscard]] std::uint32_t uint32(const char* name) const { return static_cast<std::uint32_t>(number(name)); }

  [[nodiscard]] bool boolean(const char* name) const {
    bool result = false;
    if (napi_get_value_bool(env_, get(name), &result) != napi_ok) wrong_property(name, "a boolean");
    return result;
  }

  [[nodiscard]] Properties object(const char* name) const { return {env_, get(name)}; }

  [[nodiscard]] std::vector<napi_value> elements(const char* name) const { return elements_of(get(name), name); }

  /// The names of the object's own properties.
  [[nodiscard]] std::vector<std::string> names() const {
    napi_value list = nullptr;
    if (napi_get_property_names(env_, object_, &list) != napi_ok) wrong_property("", "an object");
    std::vector<std::string> result;
    for (const napi_value name : elements_of(list, "")) result.push_back(string_from(env_, name, ""));
    return result;
  }

 private:
  [[nodiscard]] std::vector<napi_value> elements_of(napi_value list, const char* name) const {
    std::uint32_t length = 0;
    if (napi_get_array_length(env_, list, &length) != napi_ok) wrong_property(name, "an array");
    std::vector<napi_value> result(length);
    for (std::uint32_t i = 0; i < length; ++i) {
      if (napi_get_element(env_, list, i, &result[i]) != napi_ok) wrong_property(name, "an array");
    }
    return result;
  }

  napi_env env_;
  napi_value object_;
};

}  // namespace cuda_compute
