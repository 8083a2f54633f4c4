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
///
/// It goes through one piece of page-locked memory, so that a large read locks little. Of a read in several pieces the
/// stream itself unloads each but the last, between the device's copies: work that is queued on it later waits for
/// that.
class PendingRead {
 public:
  /// Queues the copy to `target`, which must stay until this is gone. Throws Failure(cuda) or Failure(argument), with
  /// nothing on its way to `target`.
  PendingRead(Buffer& buffer, double offset, std::byte* target, std::size_t bytes,
              const std::shared_ptr<Stream>& stream);
  ~PendingRead();
  PendingRead(const PendingRead&) = delete;
  PendingRead& operator=(const PendingRead&) = delete;

  /// Blocks until the bytes are in `target`; to be called once, from a thread that may wait. Throws what the queued
  /// work failed with.
  void wait();

  /// Bytes of page-locked memory that a read of so many takes: few for small ones, and for huge ones enough that the
  /// pieces stay few, since queueing blocks when the driver's queue is full.
  static std::size_t piece_size(std::size_t bytes);

 private:
  void queue(const Stream& stream);
  void unload(std::size_t bytes);

  CUdeviceptr source_;
  std::byte* target_;
  std::size_t bytes_;
  std::size_t unloaded_ = 0;
  PinnedMemory memory_;
  Event done_;
  bool waited_ = false;
};

}  // namespace cuda_compute
