#include "native/memory/buffer.h"

#include <cstring>
#include <string>
#include <utility>

#include "native/driver/failure.h"

namespace cuda_compute {

std::unique_ptr<Buffer> Buffer::allocate(std::size_t bytes, const std::shared_ptr<Stream>& stream) {
  const auto address = stream->device().allocate(bytes, stream->handle());
  if (!address) return nullptr;
  return std::unique_ptr<Buffer>(new Buffer(*address, bytes, stream));
}

Buffer::Buffer(CUdeviceptr address, std::size_t bytes, std::shared_ptr<Stream> stream)
    : address_(address), bytes_(bytes), last_(std::move(stream)) {}

Buffer::~Buffer() { last_->device().free(address_, bytes_, last_->handle()); }

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
  use_on(stream);
  // From pageable memory the driver takes its copy before it returns, so the source is free afterwards.
  device.api().check(device.api().copy_to_device_async(target, source, length, stream->handle()), "cuMemcpyHtoDAsync");
}

void Buffer::read(double offset, void* target, std::size_t length, const std::shared_ptr<Stream>& stream) {
  const CUdeviceptr source = range(offset, static_cast<double>(length));
  if (length == 0) return;
  const Device& device = stream->device();
  device.make_current();
  use_on(stream);
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
  use_on(stream);
  source.use_on(stream);
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
  use_on(stream);
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
