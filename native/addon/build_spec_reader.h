#pragma once

#include <node_api.h>

#include "native/cccl/build_spec.h"

namespace cuda_compute {

/// Reads a `NativeBuildSpec` (lib/backends/cuda/native.ts). Throws Failure(argument) for a malformed one.
BuildSpec read_build_spec(napi_env env, napi_value value);

}  // namespace cuda_compute
