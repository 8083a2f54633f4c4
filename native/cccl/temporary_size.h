#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "native/cccl/build_spec.h"
#include "native/driver/cuda_types.h"

namespace cuda_compute {

/// How much temporary storage the last size query of a build answered. The size is a pure function of the device and of
/// the call's numbers (items, segments, bits, bins), so a call with the same needs no query. Under a sequence lock:
/// readers never wait.
class TemporarySize {
 public:
  using Scalars = std::span<const double, scalar_count>;

  [[nodiscard]] std::optional<std::size_t> find(CUcontext context, Scalars scalars) const {
    const auto version = version_.load(std::memory_order_acquire);
    bool same = context_.load(std::memory_order_relaxed) == context;
    for (std::size_t i = 0; i < scalar_count; ++i) {
      same = same && scalars_[i].load(std::memory_order_relaxed) == scalars[i];
    }
    const auto bytes = bytes_.load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    const bool torn = version % 2 != 0 || version_.load(std::memory_order_relaxed) != version;
    if (!same || torn) return std::nullopt;
    return bytes;
  }

  void remember(CUcontext context, Scalars scalars, std::size_t bytes) {
    auto version = version_.load(std::memory_order_relaxed);
    // Another thread is writing: its numbers are as good as these.
    if (version % 2 != 0 || !version_.compare_exchange_strong(version, version + 1, std::memory_order_acq_rel)) return;
    context_.store(context, std::memory_order_release);
    for (std::size_t i = 0; i < scalar_count; ++i) scalars_[i].store(scalars[i], std::memory_order_release);
    bytes_.store(bytes, std::memory_order_release);
    version_.store(version + 2, std::memory_order_release);
  }

 private:
  std::atomic<std::uint64_t> version_ = 0;
  std::atomic<CUcontext> context_ = nullptr;
  std::array<std::atomic<double>, scalar_count> scalars_{};
  std::atomic<std::size_t> bytes_ = 0;
};

}  // namespace cuda_compute
