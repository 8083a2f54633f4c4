#pragma once

#include <cstddef>
#include <memory>

#include "native/memory/buffer.h"

namespace cuda_compute {

/// Page-locked host memory, to which the device copies without holding the caller up. Comes from a bounded pool of the
/// process and goes back to it.
class PinnedMemory {
 public:
  /// Throws Failure(cuda).
  PinnedMemory(const Device& device, std::size_t bytes);
  ~PinnedMemory();
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }

 private:
  const Device& device_;
  std::size_t capacity_;
  std::byte* data_;
};

/// A copy to the host that is under way. The buffer may be freed meanwhile: that is ordered after the copy.
class PendingRead {
 public:
  /// Queues the copy. Throws Failure(cuda) or Failure(argument).
  PendingRead(Buffer& buffer, double offset, std::size_t bytes, const std::shared_ptr<Stream>& stream);
  ~PendingRead();
  PendingRead(const PendingRead&) = delete;
  PendingRead& operator=(const PendingRead&) = delete;

  /// Blocks until the bytes are there; to be called from a thread that may wait. Throws what the queued work failed
  /// with.
  void wait();
  [[nodiscard]] const std::byte* data() const { return memory_.data(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_;
  PinnedMemory memory_;
  Event done_;
  bool waited_ = false;
};

}  // namespace cuda_compute
