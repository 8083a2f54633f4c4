#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "native/memory/buffer.h"

namespace cuda_compute {

/// Buffers on their way from one thread to another, each under a number that is drawn at random, so that one from
/// another process is not taken for ours. A number is received once. Thread safe.
class SharedBuffers {
 public:
  using Number = std::uint64_t;

  static SharedBuffers& process();

  /// Holds the buffer until it is received or released, or until its sender ends. `sender` is null for a buffer that
  /// outlives it. Called on a thread that owns the buffer.
  Number send(const std::shared_ptr<Buffer>& buffer, const void* sender);
  /// The buffer under a number, which is used up then. Throws Failure(argument) when there is none (ERR_SHARED_GONE),
  /// when it is on another device (ERR_DEVICE_MISMATCH) or has fewer bytes (ERR_OUT_OF_RANGE), and keeps it then.
  std::shared_ptr<Buffer> receive(Number number, const Device& device, std::size_t least_bytes);
  /// Lets go of what was not received.
  void release(Number number) noexcept;
  void release_all_of(const void* sender) noexcept;

 private:
  struct Entry {
    std::shared_ptr<Buffer> buffer;
    const void* sender;
  };

  std::mutex mutex_;
  std::unordered_map<Number, Entry> entries_;
};

}  // namespace cuda_compute
