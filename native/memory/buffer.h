#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "native/memory/stream.h"

namespace cuda_compute {

/// One allocation of device memory.
///
/// It remembers the stream that used it last. A use on another stream first waits for that one, so all uses form a
/// chain, and freeing on the last stream is ordered after every one of them.
class Buffer {
 public:
  /// Nothing when the device is full. Throws Failure(cuda).
  static std::unique_ptr<Buffer> allocate(std::size_t bytes, const std::shared_ptr<Stream>& stream);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  [[nodiscard]] CUdeviceptr address() const { return address_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  /// To be called before work that reads or writes the buffer is queued on a stream.
  void use_on(const std::shared_ptr<Stream>& stream) {
    if (last_.get() == stream.get()) return;
    stream->wait_for(*last_);
    last_ = stream;
  }

  /// The address of a range. Throws Failure(argument) for a range that is not within.
  [[nodiscard]] CUdeviceptr range(double offset, double length) const;

  /// Copies host bytes in. They may change as soon as this returns.
  void write(double offset, const void* source, std::size_t length, const std::shared_ptr<Stream>& stream);
  /// Copies bytes out and waits for them.
  void read(double offset, void* target, std::size_t length, const std::shared_ptr<Stream>& stream);
  /// Queues a copy from another buffer, or from another place in this one, which may overlap. Throws
  /// Failure(out_of_memory) when an overlapping copy finds no room for its scratch of the same length.
  void copy_from(double offset, Buffer& source, double source_offset, double length,
                 const std::shared_ptr<Stream>& stream);
  /// Queues `count` repetitions of a pattern of 1, 2, 4 or 8 bytes.
  void fill(double offset, const std::byte* pattern, std::size_t pattern_size, double count,
            const std::shared_ptr<Stream>& stream);

 private:
  Buffer(CUdeviceptr address, std::size_t bytes, std::shared_ptr<Stream> stream);

  CUdeviceptr address_;
  std::size_t bytes_;
  std::shared_ptr<Stream> last_;
};

}  // namespace cuda_compute
