#pragma once

#include <span>

#include "native/addon/values.h"

namespace cuda_compute {

/// Devices and the driver: loadDriver, loadCompilers, deviceCount, openDevice, setErrorClasses.
std::span<const NativeFunction> device_functions();
/// Allocations, copies and statistics.
std::span<const NativeFunction> memory_functions();
/// Streams and events.
std::span<const NativeFunction> stream_functions();
/// Builds and runs.
std::span<const NativeFunction> build_functions();

}  // namespace cuda_compute
