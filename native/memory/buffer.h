#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "native/memory/stream.h"

namespace cuda_compute {

/// What queued work does with a buffer; the numbers are those of relocations.
enum class Access : std::uint32_t { read = 1, write = 2, both = 3 };

/// One allocation of device memory.
///
/// It remembers the stream that wrote it last and those that have read it since. A read waits for the write, a write
/// for the reads (each of which is behind the write before), and two reads wait for nothing of each other. It is freed
/// after all of them. Ordering waits for what is queued on the other stream at that moment, so nothing is recorded
/// while one stream alone uses a buffer.
///
/// Streams that opted out of ordering neither wait nor are waited for; they are remembered so that the memory is freed
/// after their work.
///
/// Of one thread, until `share` is called.
class Buffer {
 public:
  /// Nothing when the device is full. Throws Failure(cuda).
  static std::shared_ptr<Buffer> allocate(std::size_t bytes, const std::shared_ptr<Stream>& stream);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  [[nodiscard]] CUdeviceptr address() const { return address_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] const Device& device() const { return device_; }

  /// To be called before work that reads or writes the buffer is queued on a stream.
  void use_on(const std::shared_ptr<Stream>& stream, Access access) {
    if (is_used_by_one_stream_ && writer_.get() == stream.get()) return;
    order(stream, access);
  }

  /// From here on several threads may use it, each on streams of its own. Work is ordered behind that of calls which
  /// returned before; of two calls at once neither waits for the other.
  void share();

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
  /// A stream that used the buffer, other than the writer where one thread owns it.
  struct Use {
    std::shared_ptr<Stream> stream;
    bool is_reader;  ///< has read since the last write, and is ordered behind it
  };

  Buffer(CUdeviceptr address, std::size_t bytes, std::shared_ptr<Stream> stream);

  void order(const std::shared_ptr<Stream>& stream, Access access);
  void order_read(const std::shared_ptr<Stream>& stream);
  void order_write(const std::shared_ptr<Stream>& stream);
  Use& use_of(const std::shared_ptr<Stream>& stream);
  void forget_finished_streams();

  const Device& device_;
  CUdeviceptr address_;
  std::size_t bytes_;
  std::shared_ptr<Stream> writer_;
  std::vector<Use> uses_;
  bool is_used_by_one_stream_ = true;
  bool is_shared_ = false;  ///< written once, before another thread can have the buffer
  std::mutex mutex_;        ///< of `writer_` and `uses_`, where the buffer is shared
};

}  // namespace cuda_compute
