#include "native/memory/staging.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "native/driver/failure.h"

namespace cuda_compute {
namespace {

/// Idle page-locked memory by size. Locking pages is slow, so some is kept; the bound keeps it from piling up.
class PinnedPool {
 public:
  std::byte* take(std::size_t capacity) {
    const std::lock_guard lock(mutex_);
    const auto found = idle_.find(capacity);
    if (found == idle_.end() || found->second.empty()) return nullptr;
    std::byte* data = found->second.back();
    found->second.pop_back();
    idle_bytes_ -= capacity;
    return data;
  }

  /// Gives all that is idle back to the driver.
  void clear(const Device& device) {
    std::map<std::size_t, std::vector<std::byte*>> idle;
    {
      const std::lock_guard lock(mutex_);
      idle.swap(idle_);
      idle_bytes_ = 0;
    }
    for (const auto& [capacity, pieces] : idle) {
      for (std::byte* data : pieces) device.release(Resource::pinned_memory, reinterpret_cast<std::uintptr_t>(data));
    }
  }

  bool give_back(std::byte* data, std::size_t capacity) {
    const std::lock_guard lock(mutex_);
    if (idle_bytes_ + capacity > bound) return false;
    idle_[capacity].push_back(data);
    idle_bytes_ += capacity;
    return true;
  }

 private:
  static constexpr std::size_t bound = std::size_t{64} << 20;
  std::mutex mutex_;
  std::map<std::size_t, std::vector<std::byte*>> idle_;
  std::size_t idle_bytes_ = 0;
};

/// Leaked on purpose: nothing of CUDA may run from a static destructor.
PinnedPool& pool() {
  static auto& instance = *new PinnedPool();
  return instance;
}

/// Usable in every context, whichever device a later read is from.
constexpr unsigned host_memory_portable = 1;

}  // namespace

PinnedMemory::PinnedMemory(const Device& device, std::size_t bytes)
    : device_(device), capacity_(std::bit_ceil(bytes < 4096 ? 4096 : bytes)), data_(pool().take(capacity_)) {
  if (data_ != nullptr) return;
  device.make_current();
  void* data = nullptr;
  CUresult status = device.api().host_allocate(&data, capacity_, host_memory_portable);
  if (status == cuda_error_out_of_memory) {
    // Pieces of other sizes that lie idle may be what is missing.
    pool().clear(device);
    status = device.api().host_allocate(&data, capacity_, host_memory_portable);
  }
  device.api().check(status, "cuMemHostAlloc");
  data_ = static_cast<std::byte*>(data);
}

PinnedMemory::~PinnedMemory() {
  if (!pool().give_back(data_, capacity_)) {
    device_.release(Resource::pinned_memory, reinterpret_cast<std::uintptr_t>(data_));
  }
}

PendingRead::PendingRead(Buffer& buffer, double offset, std::byte* target, std::size_t bytes,
                         const std::shared_ptr<Stream>& stream)
    : source_(buffer.range(offset, static_cast<double>(bytes))),  // first: a wrong range takes nothing
      target_(target),
      bytes_(bytes),
      memory_(stream->device(), piece_size(bytes)),
      done_(stream->device(), cuda_event_blocking_sync | cuda_event_disable_timing) {
  buffer.use_on(stream, Access::read);
  try {
    queue(*stream);
  } catch (...) {
    // What is queued already uses memory that goes back to the pool now.
    stream->device().api().stream_synchronize(stream->handle());
    throw;
  }
}

PendingRead::~PendingRead() {
  // The copy must be over before its memory goes back to the pool.
  if (!waited_ && done_.device().try_make_current()) done_.device().api().event_synchronize(done_.handle());
}

std::size_t PendingRead::piece_size(std::size_t bytes) {
  constexpr std::size_t usual = std::size_t{4} << 20;
  constexpr std::size_t most_pieces = 256;
  return std::min(bytes, std::max(usual, std::bit_ceil(bytes / most_pieces)));
}

void PendingRead::queue(const Stream& stream) {
  const CudaApi& api = stream.device().api();
  const std::size_t piece = piece_size(bytes_);
  const auto unload_piece = [](void* read) {
    auto* self = static_cast<PendingRead*>(read);
    self->unload(piece_size(self->bytes_));
  };
  for (std::size_t begin = 0; begin < bytes_; begin += piece) {
    // The stream runs this before the copy that follows overwrites the piece.
    if (begin > 0) {
      api.check(api.launch_host_function(stream.handle(), unload_piece, this), "cuLaunchHostFunc");
    }
    const std::size_t length = std::min(piece, bytes_ - begin);
    api.check(api.copy_to_host_async(memory_.data(), source_ + begin, length, stream.handle()), "cuMemcpyDtoHAsync");
  }
  api.check(api.event_record(done_.handle(), stream.handle()), "cuEventRecord");
}

void PendingRead::unload(std::size_t bytes) {
  if (bytes > 0) std::memcpy(target_ + unloaded_, memory_.data(), bytes);
  unloaded_ += bytes;
}

void PendingRead::wait() {
  done_.synchronize();
  waited_ = true;
  unload(bytes_ - unloaded_);
}

}  // namespace cuda_compute
