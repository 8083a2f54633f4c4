#include "native/memory/buffer.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "native/driver/failure.h"

namespace cuda_compute {

std::shared_ptr<Buffer> Buffer::allocate(std::size_t bytes, const std::shared_ptr<Stream>& stream) {
  const auto address = stream->device().allocate(bytes, stream->handle());
  if (!address) return nullptr;
  return std::shared_ptr<Buffer>(new Buffer(*address, bytes, stream));
}

Buffer::Buffer(CUdeviceptr address, std::size_t bytes, std::shared_ptr<Stream> stream)
    : device_(stream->device()), address_(address), bytes_(bytes), writer_(std::move(stream)) {}

Buffer::~Buffer() {
  // A reader is behind the writer already; to free on the writer would hold up what is queued there.
  const auto reader = std::ranges::find_if(uses_, &Use::is_reader);
  const std::shared_ptr<Stream>& last = reader == uses_.end() ? writer_ : reader->stream;
  for (const Use& use : uses_) last->wait_for_or_block(*use.stream);
  last->device().free(address_, bytes_, last->handle());
}

void Buffer::share() {
  if (is_shared_) return;
  // A call on another thread may have noted its use and not yet queued its work, where a later one would wait for too
  // little. So each stream stays noted until the buffer is freed, also the writer.
  static_cast<void>(use_of(writer_));
  is_used_by_one_stream_ = false;
  is_shared_ = true;
}

void Buffer::order(const std::shared_ptr<Stream>& stream, Access access) {
  std::unique_lock<std::mutex> lock;
  if (is_shared_) lock = std::unique_lock(mutex_);
  if (!stream->is_ordered()) {
    if (stream != writer_) static_cast<void>(use_of(stream));
  } else if (access == Access::read) {
    order_read(stream);
  } else {
    order_write(stream);
  }
  if (!is_shared_) is_used_by_one_stream_ = uses_.empty();
}

void Buffer::order_read(const std::shared_ptr<Stream>& stream) {
  if (!writer_->is_ordered()) return order_write(stream);
  Use& use = use_of(stream);
  if (use.is_reader) return;
  if (stream != writer_) stream->wait_for(*writer_);
  use.is_reader = true;
}

void Buffer::order_write(const std::shared_ptr<Stream>& stream) {
  if (is_shared_) static_cast<void>(use_of(stream));
  if (!writer_->is_ordered()) {
    // Only the stream of the allocation can be one: it steps back among those that the memory is freed after.
    static_cast<void>(use_of(writer_));
  } else if (std::ranges::any_of(uses_, &Use::is_reader)) {
    for (const Use& use : uses_) {
      if (use.is_reader && use.stream != stream) stream->wait_for(*use.stream);
    }
  } else if (stream != writer_) {
    stream->wait_for(*writer_);
  }
  if (is_shared_) {
    for (Use& use : uses_) use.is_reader = false;
  } else {
    std::erase_if(uses_, [](const Use& use) { return use.is_reader; });
  }
  writer_ = stream;
}

Buffer::Use& Buffer::use_of(const std::shared_ptr<Stream>& stream) {
  const auto found = std::ranges::find(uses_, stream, &Use::stream);
  if (found != uses_.end()) return *found;
  forget_finished_streams();
  return uses_.emplace_back(stream, false);
}

void Buffer::forget_finished_streams() {
  // One that is not held elsewhere has no call under way.
  std::erase_if(uses_, [](const Use& use) { return use.stream.use_count() == 1 && use.stream->is_idle(); });
}

CUdeviceptr Buffer::range(double offset, double length) const {
  const auto size = static_cast<double>(bytes_);
  if (offset >= 0 && length >= 0 && offset + length <= size) return address_ + static_cast<CUdeviceptr>(offset);
  throw Failure(FailureKind::argument, "ERR_OUT_OF_RANGE",
                "The bytes from " + std::to_string(offset) + " on, " + std::to_string(length) +
                    " of them, are not within an allocation of " + std::to_string(bytes_) + " bytes.");
}

void Buffer::write(double offset, const void* source, std::size_t length, const std::shared_ptr<Stream>& stream) {
  const CUdeviceptr target = range(offset, static_cast<double>(length));
  if (length == 0) return;
  const Device& device = stream->device();
  device.make_current();
  use_on(stream, Access::write);
  // From pageable memory the driver takes its copy before it returns, so the source is free afterwards.
  device.api().check(device.api().copy_to_device_async(target, source, length, stream->handle()), "cuMemcpyHtoDAsync");
}

void Buffer::read(double offset, void* target, std::size_t length, const std::shared_ptr<Stream>& stream) {
  const CUdeviceptr source = range(offset, static_cast<double>(length));
  if (length == 0) return;
  const Device& device = stream->device();
  device.make_current();
  use_on(stream, Access::read);
  device.api().check(device.api().copy_to_host_async(target, source, length, stream->handle()), "cuMemcpyDtoHAsync");
  stream->synchronize();
}

void Buffer::copy_from(double offset, Buffer& source, double source_offset, double length,
                       const std::shared_ptr<Stream>& stream) {
  const CUdeviceptr to = range(offset, length);
  const CUdeviceptr from = source.range(source_offset, length);
  const auto bytes = static_cast<std::size_t>(length);
  if (bytes == 0) return;
  const Device& device = stream->device();
  device.make_current();
  use_on(stream, Access::write);
  source.use_on(stream, Access::read);
  const auto copy = [&](CUdeviceptr target, CUdeviceptr origin) {
    return device.api().copy_on_device_async(target, origin, bytes, stream->handle());
  };
  if (from >= to + bytes || to >= from + bytes || from == to) {
    device.api().check(copy(to, from), "cuMemcpyDtoDAsync");
    return;
  }
  // The driver's copy does not allow for overlap: go by way of scratch.
  void* scratch = stream->acquire_scratch(bytes);
  const auto between = reinterpret_cast<CUdeviceptr>(scratch);
  CUresult status = copy(between, from);
  if (status == cuda_success) status = copy(to, between);
  stream->release_scratch(scratch);
  device.api().check(status, "cuMemcpyDtoDAsync");
}

void Buffer::fill(double offset, const std::byte* pattern, std::size_t pattern_size, double count,
                  const std::shared_ptr<Stream>& stream) {
  const CUdeviceptr target = range(offset, static_cast<double>(pattern_size) * count);
  const auto repetitions = static_cast<std::size_t>(count);
  if (repetitions == 0) return;
  const Device& device = stream->device();
  const CudaApi& api = device.api();
  device.make_current();
  use_on(stream, Access::write);
  switch (pattern_size) {
    case 1:
      api.check(api.set_d8_async(target, std::to_integer<unsigned char>(*pattern), repetitions, stream->handle()),
                "cuMemsetD8Async");
      return;
    case 2: {
      unsigned short value = 0;
      std::memcpy(&value, pattern, sizeof value);
      api.check(api.set_d16_async(target, value, repetitions, stream->handle()), "cuMemsetD16Async");
      return;
    }
    case 4: {
      unsigned value = 0;
      std::memcpy(&value, pattern, sizeof value);
      api.check(api.set_d32_async(target, value, repetitions, stream->handle()), "cuMemsetD32Async");
      return;
    }
    case 8: {
      // No function sets eight bytes: set the two halves of each element as columns of width one.
      unsigned low = 0;
      unsigned high = 0;
      std::memcpy(&low, pattern, sizeof low);
      std::memcpy(&high, pattern + sizeof low, sizeof high);
      if (low == high) {
        api.check(api.set_d32_async(target, low, repetitions * 2, stream->handle()), "cuMemsetD32Async");
        return;
      }
      api.check(api.set_2d_d32_async(target, 8, low, 1, repetitions, stream->handle()), "cuMemsetD2D32Async");
      api.check(api.set_2d_d32_async(target + 4, 8, high, 1, repetitions, stream->handle()), "cuMemsetD2D32Async");
      return;
    }
    default:
      throw Failure(FailureKind::argument, "ERR_OUT_OF_RANGE",
                    "A fill repeats 1, 2, 4 or 8 bytes, not " + std::to_string(pattern_size) + ".");
  }
}

}  // namespace cuda_compute
