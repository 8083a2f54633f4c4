#pragma once

#include <cstddef>
#include <vector>

#include "native/cccl/build_spec.h"
#include "native/cccl/library.h"

namespace cuda_compute {

/// The LTO-IR of a code unit: its own where it is ready, else its CUDA C++ compiled for `compute_capability`
/// (major * 10 + minor). Functions without an execution space are device functions.
/// Throws Failure(compile, ERR_COMPILE) with NVRTC's log.
std::vector<std::byte> compile_operator(const Library& library, const CodeUnit& code, int compute_capability);

}  // namespace cuda_compute
