#pragma once

#include <node_api.h>

#include <span>

namespace cuda_compute {

/// A native function and the name that it has in JavaScript.
struct NativeFunction {
  const char* name;
  napi_callback call;
};

/// The driver, the compilers and the device.
std::span<const NativeFunction> device_functions();
/// Allocations, copies and statistics.
std::span<const NativeFunction> memory_functions();
/// Streams and events.
std::span<const NativeFunction> stream_functions();
/// Builds and runs.
std::span<const NativeFunction> build_functions();

}  // namespace cuda_compute
