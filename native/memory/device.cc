#include "native/memory/device.h"

#include <array>
#include <limits>
#include <map>
#include <mutex>
#include <new>

#include "native/driver/failure.h"

namespace cuda_compute {
namespace {

thread_local const Device* current_device = nullptr;

}  // namespace

int Device::count() {
  const CudaApi& api = CudaApi::get();
  int count = 0;
  api.check(api.device_get_count(&count), "cuDeviceGetCount");
  return count;
}

Device& Device::open(int ordinal) {
  static std::mutex mutex;
  // Leaked on purpose: nothing of CUDA may run from a static destructor.
  static auto& devices = *new std::map<int, Device*>();
  const std::lock_guard lock(mutex);
  Device*& device = devices[ordinal];
  if (device == nullptr) device = new Device(ordinal);
  return *device;
}

Device::Device(int ordinal) : api_(CudaApi::get()) {
  api_.check(api_.device_get(&device_, ordinal), "cuDeviceGet");
  std::array<char, 256> name{};
  api_.check(api_.device_get_name(name.data(), static_cast<int>(name.size()), device_), "cuDeviceGetName");
  name_ = name.data();
  const auto attribute = [this](int which) {
    int value = 0;
    api_.check(api_.device_get_attribute(&value, which, device_), "cuDeviceGetAttribute");
    return value;
  };
  compute_capability_ = attribute(cuda_attribute_capability_major) * 10 + attribute(cuda_attribute_capability_minor);
  if (attribute(cuda_attribute_memory_pools_supported) == 0) {
    throw Failure(FailureKind::toolkit, "ERR_DEVICE_UNSUPPORTED",
                  name_ + " has no stream-ordered memory pools, which this library allocates from.");
  }
  api_.check(api_.device_total_memory(&total_bytes_, device_), "cuDeviceTotalMem");
  api_.check(api_.primary_context_retain(&context_, device_), "cuDevicePrimaryCtxRetain");
  try {
    make_current();
    configure_pool();
  } catch (...) {
    // This object goes, so no thread may take its context for current, nor another device at its address for it.
    if (current_device == this) {
      current_device = nullptr;
      api_.context_set_current(nullptr);
    }
    api_.primary_context_release(device_);
    throw;
  }
}

void Device::configure_pool() {
  api_.check(api_.device_get_default_pool(&pool_, device_), "cuDeviceGetDefaultMemPool");
  // Freed memory stays in the pool: giving it back at every synchronization would make each allocation map it anew.
  std::uint64_t threshold = std::numeric_limits<std::uint64_t>::max();
  api_.check(api_.pool_set_attribute(pool_, cuda_pool_release_threshold, &threshold), "cuMemPoolSetAttribute");
}

void Device::make_current() const {
  if (current_device == this) return;
  api_.check(api_.context_set_current(context_), "cuCtxSetCurrent");
  current_device = this;
}

bool Device::try_make_current() const noexcept {
  if (current_device == this) return true;
  if (api_.context_set_current(context_) != cuda_success) return false;
  current_device = this;
  return true;
}

std::optional<CUdeviceptr> Device::allocate_from_pool(std::size_t bytes, CUstream stream) const {
  CUdeviceptr address = 0;
  const CUresult status = api_.memory_allocate_async(&address, bytes, stream);
  if (status == cuda_success) return address;
  if (status != cuda_error_out_of_memory) throw api_.failure(status, "cuMemAllocAsync");
  return std::nullopt;
}

std::optional<CUdeviceptr> Device::allocate_scratch(std::size_t bytes, CUstream stream) {
  make_current();
  if (const auto address = allocate_from_pool(bytes, stream)) return address;
  // Frees that are queued behind work come back to the pool when that work is done.
  api_.check(api_.stream_synchronize(stream), "cuStreamSynchronize");
  trim();
  return allocate_from_pool(bytes, stream);
}

bool Device::count_within_limit(std::size_t bytes) {
  const std::uint64_t limit = limit_;
  std::uint64_t live = live_bytes_;
  do {
    if (limit > 0 && (live > limit || bytes > limit - live)) return false;
  } while (!live_bytes_.compare_exchange_weak(live, live + bytes));
  return true;
}

std::optional<CUdeviceptr> Device::allocate(std::size_t bytes, CUstream stream) {
  // Counted before it is there, so that threads at once do not pass the limit together.
  if (!count_within_limit(bytes)) return std::nullopt;
  std::optional<CUdeviceptr> address = 0;  // no bytes, no memory: algorithms on no items never look at it
  try {
    if (bytes > 0) address = allocate_scratch(bytes, stream);
  } catch (...) {
    live_bytes_ -= bytes;
    throw;
  }
  if (!address) {
    live_bytes_ -= bytes;
    return std::nullopt;
  }
  ++live_allocations_;
  const std::uint64_t live = live_bytes_;
  std::uint64_t peak = peak_bytes_;
  while (live > peak && !peak_bytes_.compare_exchange_weak(peak, live)) {
  }
  return address;
}

void Device::free_scratch(CUdeviceptr address, CUstream stream) noexcept {
  if (address != 0) release(Resource::memory, address, stream);
}

void Device::free(CUdeviceptr address, std::size_t bytes, CUstream stream) noexcept {
  free_scratch(address, stream);
  live_bytes_ -= bytes;
  --live_allocations_;
}

bool Device::try_release(Resource kind, std::uint64_t handle, CUstream stream) const noexcept {
  if (!try_make_current()) return false;
  switch (kind) {
    case Resource::memory:
      return api_.memory_free_async(handle, stream) == cuda_success;
    case Resource::pinned_memory:
      return api_.host_free(reinterpret_cast<void*>(handle)) == cuda_success;
    case Resource::stream:
      return api_.stream_destroy(reinterpret_cast<CUstream>(handle)) == cuda_success;
    case Resource::event:
      return api_.event_destroy(reinterpret_cast<CUevent>(handle)) == cuda_success;
  }
  return false;
}

void Device::release(Resource kind, std::uint64_t handle, CUstream stream) const noexcept {
  if (try_release(kind, handle, stream)) return;
  try {
    const std::lock_guard lock(refused_mutex_);
    refused_.push_back({kind, handle});
  } catch (const std::bad_alloc&) {
    return;  // the process has no memory to note it in
  }
}

void Device::offer_refused_again() const {
  std::vector<Refused> refused;
  {
    const std::lock_guard lock(refused_mutex_);
    refused.swap(refused_);
  }
  if (refused.empty()) return;
  // The stream that a free was to be ordered on may be gone, so it waits for all work of the device instead.
  const CUresult status = api_.context_synchronize();
  if (status != cuda_success) {
    const std::lock_guard lock(refused_mutex_);
    refused_.insert(refused_.end(), refused.begin(), refused.end());
    throw api_.failure(status, "cuCtxSynchronize");
  }
  for (const auto& [kind, handle] : refused) release(kind, handle);
}

void Device::trim() const {
  make_current();
  offer_refused_again();
  api_.check(api_.pool_trim(pool_, 0), "cuMemPoolTrimTo");
}

MemoryStatistics Device::statistics() const {
  make_current();
  MemoryStatistics result;
  result.live_bytes = live_bytes_;
  result.live_allocations = live_allocations_;
  result.peak_bytes = peak_bytes_;
  result.workspace_bytes = workspace_bytes_;
  api_.check(api_.pool_get_attribute(pool_, cuda_pool_reserved_current, &result.pool_reserved_bytes),
             "cuMemPoolGetAttribute");
  std::uint64_t used = 0;
  api_.check(api_.pool_get_attribute(pool_, cuda_pool_used_current, &used), "cuMemPoolGetAttribute");
  result.pool_idle_bytes = result.pool_reserved_bytes > used ? result.pool_reserved_bytes - used : 0;
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  api_.check(api_.memory_get_info(&free_bytes, &total_bytes), "cuMemGetInfo");
  const std::uint64_t limit = limit_;
  const std::uint64_t room = limit > result.live_bytes ? limit - result.live_bytes : 0;
  result.free_bytes = limit > 0 && room < free_bytes ? room : free_bytes;
  result.limit_bytes = limit;
  result.total_bytes = limit > 0 && limit < total_bytes ? limit : total_bytes;
  return result;
}

}  // namespace cuda_compute
