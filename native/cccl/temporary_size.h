#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "native/driver/cuda_types.h"

namespace cuda_compute {

/// How much temporary storage the last size query of a build answered. The size is a pure function of the item count
/// and the device, so a call with the same two needs no query. Three numbers under a sequence lock: readers never wait.
class TemporarySize {
 public:
  [[nodiscard]] std::optional<std::size_t> find(CUcontext context, std::uint64_t count) const {
    const auto version = version_.load(std::memory_order_acquire);
    const bool same =
        context_.load(std::memory_order_acquire) == context && count_.load(std::memory_order_acquire) == count;
    const auto bytes = bytes_.load(std::memory_order_acquire);
    const bool torn = version % 2 != 0 || version_.load(std::memory_order_relaxed) != version;
    if (!same || torn) return std::nullopt;
    return bytes;
  }

  void remember(CUcontext context, std::uint64_t count, std::size_t bytes) {
    auto version = version_.load(std::memory_order_relaxed);
    // Another thread is writing: its pair is as good as this one.
    if (version % 2 != 0 || !version_.compare_exchange_strong(version, version + 1, std::memory_order_acq_rel)) return;
    context_.store(context, std::memory_order_release);
    count_.store(count, std::memory_order_release);
    bytes_.store(bytes, std::memory_order_release);
    version_.store(version + 2, std::memory_order_release);
  }

 private:
  std::atomic<std::uint64_t> version_ = 0;
  std::atomic<CUcontext> context_ = nullptr;
  std::atomic<std::uint64_t> count_ = std::numeric_limits<std::uint64_t>::max();
  std::atomic<std::size_t> bytes_ = 0;
};

}  // namespace cuda_compute
