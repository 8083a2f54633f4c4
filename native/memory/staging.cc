#include "native/memory/staging.h"

#include <bit>
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
  device.api().check(device.api().host_allocate(&data, capacity_, host_memory_portable), "cuMemHostAlloc");
  data_ = static_cast<std::byte*>(data);
}

PinnedMemory::~PinnedMemory() {
  if (!pool().give_back(data_, capacity_) && device_.try_make_current()) device_.api().host_free(data_);
}

PendingRead::PendingRead(Buffer& buffer, double offset, std::size_t bytes, const std::shared_ptr<Stream>& stream)
    : bytes_(bytes),
      memory_(stream->device(), bytes),
      done_(stream->device(), cuda_event_blocking_sync | cuda_event_disable_timing) {
  const CUdeviceptr source = buffer.range(offset, static_cast<double>(bytes));
  const CudaApi& api = stream->device().api();
  buffer.use_on(stream);
  if (bytes > 0) {
    api.check(api.copy_to_host_async(memory_.data(), source, bytes, stream->handle()), "cuMemcpyDtoHAsync");
  }
  const CUresult recorded = api.event_record(done_.handle(), stream->handle());
  if (recorded == cuda_success) return;
  // Nothing marks the end of the copy, whose target goes back to the pool now: wait for all of the stream.
  api.stream_synchronize(stream->handle());
  throw api.failure(recorded, "cuEventRecord");
}

PendingRead::~PendingRead() {
  // The copy must be over before its target goes back to the pool.
  if (!waited_ && done_.device().try_make_current()) done_.device().api().event_synchronize(done_.handle());
}

void PendingRead::wait() {
  done_.synchronize();
  waited_ = true;
}

}  // namespace cuda_compute
