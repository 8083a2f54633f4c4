// A small addon that gives tests the controls of the simulated driver, and a way to call any of its functions. It opens
// the library by path, so it meets the same instance as the addon under test.

#include <dlfcn.h>
#include <node_api.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "native/testing/simulated_cuda.h"

namespace {

void* library = nullptr;

void check(napi_env env, napi_status status) {
  if (status == napi_ok) return;
  const napi_extended_error_info* info = nullptr;
  napi_get_last_error_info(env, &info);
  throw std::runtime_error(info != nullptr && info->error_message != nullptr ? info->error_message : "N-API failed");
}

void* symbol(const char* name) {
  if (library == nullptr) throw std::runtime_error("The simulated driver is not open: call open(path) first.");
  void* const found = dlsym(library, name);
  if (found == nullptr) throw std::runtime_error(std::string("The simulated driver has no function ") + name + ".");
  return found;
}

#define CONTROL(name) (reinterpret_cast<decltype(&(name))>(symbol(#name)))

/// The arguments of one call from JavaScript.
class Arguments {
 public:
  Arguments(napi_env env, napi_callback_info info) : env_(env), count_(values_.size()) {
    check(env, napi_get_cb_info(env, info, &count_, values_.data(), nullptr, nullptr));
  }

  [[nodiscard]] std::size_t count() const { return count_; }

  [[nodiscard]] std::string string(std::size_t index) const {
    std::size_t length = 0;
    check(env_, napi_get_value_string_utf8(env_, values_.at(index), nullptr, 0, &length));
    std::string text(length, '\0');
    check(env_, napi_get_value_string_utf8(env_, values_.at(index), text.data(), length + 1, &length));
    return text;
  }

  [[nodiscard]] double number(std::size_t index) const {
    double value = 0;
    check(env_, napi_get_value_double(env_, values_.at(index), &value));
    return value;
  }

  /// A machine word: a number, a bigint, null, or the address of a buffer's bytes.
  [[nodiscard]] std::uint64_t word(std::size_t index) const {
    napi_value value = values_.at(index);
    napi_valuetype type = napi_undefined;
    check(env_, napi_typeof(env_, value, &type));
    if (type == napi_null || type == napi_undefined) return 0;
    if (type == napi_number) return static_cast<std::uint64_t>(static_cast<std::int64_t>(number(index)));
    if (type == napi_bigint) {
      std::uint64_t word = 0;
      bool lossless = false;
      check(env_, napi_get_value_bigint_uint64(env_, value, &word, &lossless));
      return word;
    }
    void* data = nullptr;
    bool is_typed_array = false;
    check(env_, napi_is_typedarray(env_, value, &is_typed_array));
    if (!is_typed_array) throw std::runtime_error("An argument must be a number, a bigint, null or a typed array.");
    check(env_, napi_get_typedarray_info(env_, value, nullptr, nullptr, &data, nullptr, nullptr));
    return reinterpret_cast<std::uint64_t>(data);
  }

 private:
  napi_env env_;
  std::array<napi_value, 16> values_{};
  std::size_t count_;
};

napi_value number(napi_env env, double value) {
  napi_value result = nullptr;
  check(env, napi_create_double(env, value, &result));
  return result;
}

napi_value bigint(napi_env env, const void* pointer) {
  napi_value result = nullptr;
  check(env, napi_create_bigint_uint64(env, reinterpret_cast<std::uint64_t>(pointer), &result));
  return result;
}

napi_value string(napi_env env, const char* text) {
  napi_value result = nullptr;
  check(env, napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &result));
  return result;
}

void set(napi_env env, napi_value object, const char* name, napi_value value) {
  check(env, napi_set_named_property(env, object, name, value));
}

using Body = napi_value (*)(napi_env, const Arguments&);

/// Runs a function's body; what it throws becomes a JavaScript error.
template <Body body>
napi_value guarded(napi_env env, napi_callback_info info) {
  try {
    return body(env, Arguments(env, info));
  } catch (const std::exception& error) {
    napi_throw_error(env, nullptr, error.what());
    return nullptr;
  }
}

napi_value open(napi_env, const Arguments& arguments) {
  const std::string path = arguments.string(0);
  void* const opened = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) throw std::runtime_error(dlerror());
  library = opened;
  return nullptr;
}

napi_value call(napi_env env, const Arguments& arguments) {
  void* const function = symbol(arguments.string(0).c_str());
  std::array<std::uint64_t, 12> words{};
  if (arguments.count() > words.size() + 1) throw std::runtime_error("A call takes at most 12 arguments.");
  for (std::size_t i = 1; i < arguments.count(); ++i) words.at(i - 1) = arguments.word(i);
  using Any = int (*)(std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
                      std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t);
  const auto [a, b, c, d, e, f, g, h, i, j, k, l] = words;
  // In this ABI integers and pointers travel alike, and a function ignores arguments that it does not have.
  return number(env, reinterpret_cast<Any>(function)(a, b, c, d, e, f, g, h, i, j, k, l));
}

napi_value reset(napi_env, const Arguments&) {
  CONTROL(simulated_cuda_reset)();
  return nullptr;
}

napi_value set_capacity(napi_env, const Arguments& arguments) {
  CONTROL(simulated_cuda_set_capacity)(arguments.word(0));
  return nullptr;
}

napi_value set_device_count(napi_env, const Arguments& arguments) {
  CONTROL(simulated_cuda_set_device_count)(static_cast<int>(arguments.number(0)));
  return nullptr;
}

napi_value set_compute_capability(napi_env, const Arguments& arguments) {
  CONTROL(simulated_cuda_set_compute_capability)(static_cast<int>(arguments.number(0)));
  return nullptr;
}

napi_value set_driver_version(napi_env, const Arguments& arguments) {
  CONTROL(simulated_cuda_set_driver_version)(static_cast<int>(arguments.number(0)));
  return nullptr;
}

napi_value set_wait_limit(napi_env, const Arguments& arguments) {
  CONTROL(simulated_cuda_set_wait_limit)(static_cast<int>(arguments.number(0)));
  return nullptr;
}

napi_value fail_next(napi_env, const Arguments& arguments) {
  const std::string name = arguments.string(0);
  if (CONTROL(simulated_cuda_fail_next)(name.c_str(), arguments.word(1), static_cast<int>(arguments.number(2))) == 0) {
    throw std::runtime_error("The simulated driver has no function " + name + ", or the count is not 1 or more.");
  }
  return nullptr;
}

napi_value calls(napi_env env, const Arguments& arguments) {
  const std::string name = arguments.string(0);
  const std::uint64_t count = CONTROL(simulated_cuda_calls)(name.c_str());
  if (count == UINT64_MAX) throw std::runtime_error("The simulated driver has no function " + name + ".");
  return number(env, static_cast<double>(count));
}

napi_value all_calls(napi_env env, const Arguments&) {
  struct Result {
    napi_env env;
    napi_value object;
  } result{env, nullptr};
  check(env, napi_create_object(env, &result.object));
  CONTROL(simulated_cuda_visit_calls)
  (
      [](void* context, const char* name, std::uint64_t count) {
        const auto& [to, object] = *static_cast<const Result*>(context);
        set(to, object, name, number(to, static_cast<double>(count)));
      },
      &result);
  return result.object;
}

napi_value counters(napi_env env, const Arguments&) {
  SimulatedCudaCounters counters{};
  CONTROL(simulated_cuda_counters)(&counters);
  napi_value result = nullptr;
  check(env, napi_create_object(env, &result));
  const auto add = [env, result](const char* name, std::uint64_t value) {
    set(env, result, name, number(env, static_cast<double>(value)));
  };
  add("liveAllocations", counters.live_allocations);
  add("totalAllocations", counters.total_allocations);
  add("liveBytes", counters.live_bytes);
  add("peakBytes", counters.peak_bytes);
  add("poolReservedBytes", counters.pool_reserved_bytes);
  add("liveStreams", counters.live_streams);
  add("totalStreams", counters.total_streams);
  add("liveEvents", counters.live_events);
  add("totalEvents", counters.total_events);
  add("liveLibraries", counters.live_libraries);
  add("totalLibraries", counters.total_libraries);
  add("livePinned", counters.live_pinned);
  add("totalPinned", counters.total_pinned);
  add("livePinnedBytes", counters.live_pinned_bytes);
  add("liveContexts", counters.live_contexts);
  add("launches", counters.launches);
  add("pendingWork", counters.pending_work);
  add("violations", counters.violations);
  return result;
}

napi_value last_violation(napi_env env, const Arguments&) {
  return string(env, CONTROL(simulated_cuda_last_violation)());
}

napi_value last_launch(napi_env env, const Arguments&) {
  SimulatedCudaLaunch launch{};
  if (CONTROL(simulated_cuda_last_launch)(&launch) == 0) return nullptr;
  napi_value result = nullptr;
  check(env, napi_create_object(env, &result));
  set(env, result, "name", string(env, launch.name));
  set(env, result, "stream", bigint(env, launch.stream));
  set(env, result, "items", number(env, static_cast<double>(launch.items)));
  return result;
}

napi_value streams(napi_env env, const Arguments&) {
  const std::uint64_t count = CONTROL(simulated_cuda_streams)(nullptr, 0);
  std::vector<void*> handles(count);
  const std::uint64_t stored = std::min(count, CONTROL(simulated_cuda_streams)(handles.data(), count));
  napi_value result = nullptr;
  check(env, napi_create_array(env, &result));
  for (std::uint32_t i = 0; i < stored; ++i) check(env, napi_set_element(env, result, i, bigint(env, handles[i])));
  return result;
}

napi_value hold_stream(napi_env, const Arguments& arguments) {
  if (CONTROL(simulated_cuda_hold_stream)(reinterpret_cast<void*>(arguments.word(0))) == 0) {
    throw std::runtime_error("There is no such stream.");
  }
  return nullptr;
}

napi_value release_stream(napi_env, const Arguments& arguments) {
  if (CONTROL(simulated_cuda_release_stream)(reinterpret_cast<void*>(arguments.word(0))) == 0) {
    throw std::runtime_error("There is no such stream.");
  }
  return nullptr;
}

napi_value hold_all(napi_env, const Arguments&) {
  CONTROL(simulated_cuda_hold_all)();
  return nullptr;
}

napi_value release_all(napi_env, const Arguments&) {
  CONTROL(simulated_cuda_release_all)();
  return nullptr;
}

template <Body body>
void define(napi_env env, napi_value exports, const char* name) {
  napi_value function = nullptr;
  check(env, napi_create_function(env, name, NAPI_AUTO_LENGTH, guarded<body>, nullptr, &function));
  set(env, exports, name, function);
}

}  // namespace

NAPI_MODULE_INIT() {
  define<open>(env, exports, "open");
  define<call>(env, exports, "call");
  define<reset>(env, exports, "reset");
  define<set_capacity>(env, exports, "setCapacity");
  define<set_device_count>(env, exports, "setDeviceCount");
  define<set_compute_capability>(env, exports, "setComputeCapability");
  define<set_driver_version>(env, exports, "setDriverVersion");
  define<set_wait_limit>(env, exports, "setWaitLimit");
  define<fail_next>(env, exports, "failNext");
  define<calls>(env, exports, "calls");
  define<all_calls>(env, exports, "allCalls");
  define<counters>(env, exports, "counters");
  define<last_violation>(env, exports, "lastViolation");
  define<last_launch>(env, exports, "lastLaunch");
  define<streams>(env, exports, "streams");
  define<hold_stream>(env, exports, "holdStream");
  define<release_stream>(env, exports, "releaseStream");
  define<hold_all>(env, exports, "holdAll");
  define<release_all>(env, exports, "releaseAll");
  return exports;
}
