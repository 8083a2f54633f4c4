#include "native/memory/shared_buffers.h"

#include <random>
#include <string>
#include <utility>

#include "native/driver/failure.h"

namespace cuda_compute {

SharedBuffers& SharedBuffers::process() {
  // Leaked on purpose: nothing of CUDA may run from a static destructor.
  static auto& instance = *new SharedBuffers();
  return instance;
}

SharedBuffers::Number SharedBuffers::send(const std::shared_ptr<Buffer>& buffer, const void* sender) {
  buffer->share();
  const std::lock_guard lock(mutex_);
  std::random_device random;
  for (;;) {
    const Number number = (Number{random()} << 32) | random();
    if (entries_.try_emplace(number, Entry{buffer, sender}).second) return number;
  }
}

std::shared_ptr<Buffer> SharedBuffers::receive(Number number, const Device& device, std::size_t least_bytes) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(number);
  if (found == entries_.end()) {
    throw Failure(FailureKind::argument, "ERR_SHARED_GONE", "Nothing is to be received under this number.");
  }
  const Buffer& buffer = *found->second.buffer;
  if (&buffer.device() != &device) {
    throw Failure(FailureKind::argument, "ERR_DEVICE_MISMATCH", "The array is on another device than this thread's.");
  }
  if (buffer.bytes() < least_bytes) {
    throw Failure(
        FailureKind::argument, "ERR_OUT_OF_RANGE",
        "The array has " + std::to_string(buffer.bytes()) + " bytes, not " + std::to_string(least_bytes) + ".");
  }
  auto received = std::move(found->second.buffer);
  entries_.erase(found);
  return received;
}

void SharedBuffers::release(Number number) noexcept {
  std::shared_ptr<Buffer> last;  // freed without the lock
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(number);
  if (found == entries_.end()) return;
  last = std::move(found->second.buffer);
  entries_.erase(found);
}

void SharedBuffers::release_all_of(const void* sender) noexcept {
  const std::lock_guard lock(mutex_);
  std::erase_if(entries_, [sender](const auto& entry) { return entry.second.sender == sender; });
}

}  // namespace cuda_compute
