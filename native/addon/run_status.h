#pragma once

#include <napi.h>

#include <cstdint>
#include <utility>

#include "native/addon/environment.h"
#include "native/driver/failure.h"

namespace cuda_compute {

/// What work answers that needs device memory for itself. As `RunStatus` in lib/backends/cuda/native.ts.
enum class RunStatus : std::uint32_t { ok = 0, out_of_memory = 1 };

/// Does the work. Where it finds no room, the frame has the bytes that it asked for: JavaScript makes room and repeats.
template <typename Work>
Napi::Value run_status(const Environment& environment, Work&& work) {
  RunStatus status = RunStatus::ok;
  try {
    std::forward<Work>(work)();
  } catch (const Failure& failure) {
    if (failure.kind != FailureKind::out_of_memory) throw;
    environment.frame->requested_bytes = static_cast<double>(failure.bytes);
    status = RunStatus::out_of_memory;
  }
  return Napi::Number::New(environment.env, static_cast<std::uint32_t>(status));
}

}  // namespace cuda_compute
