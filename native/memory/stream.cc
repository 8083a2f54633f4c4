#include "native/memory/stream.h"

#include <cstdint>
#include <string>

#include "native/driver/failure.h"

namespace cuda_compute {
namespace {

/// Enough for the temporaries of calls on some ten thousand items, whose cost is their overhead.
constexpr std::size_t workspace_size = std::size_t{64} << 10;

bool is_done(const CudaApi& api, CUresult status, const char* function) {
  if (status == cuda_error_not_ready) return false;
  api.check(status, function);
  return true;
}

}  // namespace

Event::Event(const Device& device, unsigned flags) : device_(device) {
  device.make_current();
  device.api().check(device.api().event_create(&handle_, flags), "cuEventCreate");
}

Event::~Event() { device_.release(Resource::event, reinterpret_cast<std::uintptr_t>(handle_)); }

void Event::record_on(const Stream& stream) {
  device_.make_current();
  device_.api().check(device_.api().event_record(handle_, stream.handle()), "cuEventRecord");
}

bool Event::query() const {
  device_.make_current();
  return is_done(device_.api(), device_.api().event_query(handle_), "cuEventQuery");
}

void Event::synchronize() const {
  device_.make_current();
  device_.api().check(device_.api().event_synchronize(handle_), "cuEventSynchronize");
}

double Event::milliseconds_since(const Event& start) const {
  float milliseconds = 0;
  device_.make_current();
  device_.api().check(device_.api().event_elapsed_time(&milliseconds, start.handle_, handle_), "cuEventElapsedTime");
  return milliseconds;
}

Stream::Stream(Device& device, int priority, StreamOrder order) : device_(device), order_(order) {
  device.make_current();
  device.api().check(device.api().stream_create(&handle_, cuda_stream_non_blocking, priority),
                     "cuStreamCreateWithPriority");
}

Stream::~Stream() {
  if (workspace_ != 0) {
    device_.free_scratch(workspace_, handle_);
    device_.count_workspace(-static_cast<std::int64_t>(workspace_size));
  }
  // The driver lets queued work finish first.
  if (handle_ != nullptr) device_.release(Resource::stream, reinterpret_cast<std::uintptr_t>(handle_));
}

void Stream::wait_for(Stream& other) {
  // The default stream is one for all threads.
  if (handle_ == other.handle_) return;
  const std::lock_guard lock(other.reached_mutex_);
  if (other.reached_ == nullptr) other.reached_ = std::make_unique<Event>(other.device_, cuda_event_disable_timing);
  other.reached_->record_on(other);
  wait_for(*other.reached_);
}

void Stream::wait_for_or_block(Stream& other) noexcept {
  try {
    wait_for(other);
  } catch (...) {
    if (device_.try_make_current()) device_.api().stream_synchronize(other.handle_);
  }
}

void Stream::wait_for(const Event& event) {
  device_.make_current();
  device_.api().check(device_.api().stream_wait_event(handle_, event.handle(), 0), "cuStreamWaitEvent");
}

void* Stream::acquire_scratch(std::size_t bytes) {
  const auto require = [&](std::size_t size) {
    const auto address = device_.allocate_scratch(size, handle_);
    if (!address) {
      throw Failure(FailureKind::out_of_memory, "ERR_OUT_OF_DEVICE_MEMORY",
                    "No room for " + std::to_string(size) + " bytes of temporary storage.", {}, size);
    }
    return *address;
  };
  if (bytes > workspace_size) return reinterpret_cast<void*>(require(bytes));
  if (workspace_ == 0) {
    workspace_ = require(workspace_size);
    device_.count_workspace(static_cast<std::int64_t>(workspace_size));
  }
  return reinterpret_cast<void*>(workspace_);
}

void Stream::release_scratch(void* address) noexcept {
  const auto scratch = reinterpret_cast<CUdeviceptr>(address);
  if (scratch != workspace_) device_.free_scratch(scratch, handle_);
}

void Stream::synchronize() const {
  device_.make_current();
  device_.api().check(device_.api().stream_synchronize(handle_), "cuStreamSynchronize");
}

bool Stream::query() const {
  device_.make_current();
  return is_done(device_.api(), device_.api().stream_query(handle_), "cuStreamQuery");
}

bool Stream::is_idle() const noexcept {
  return !device_.try_make_current() || device_.api().stream_query(handle_) != cuda_error_not_ready;
}

}  // namespace cuda_compute
