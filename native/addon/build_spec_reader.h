#pragma once

#include <napi.h>

#include "native/cccl/build_spec.h"

namespace cuda_compute {

/// Reads a `NativeBuildSpec` (lib/backends/cuda/native.ts). Throws Napi::Error or Failure(argument) for a malformed
/// one.
BuildSpec read_build_spec(const Napi::Value& specification);

}  // namespace cuda_compute
