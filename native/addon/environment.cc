#include "native/addon/environment.h"

#include <string>
#include <utility>

#include "native/driver/failure.h"
#include "native/memory/shared_buffers.h"

namespace cuda_compute {
namespace {

/// V8 starts to collect on its own after some 64 MB of external memory; a full device is shown to it as this much.
constexpr std::size_t full_device_shown = std::size_t{256} << 20;

Failure dead(const char* what) {
  return {FailureKind::argument, "ERR_DISPOSED", std::string("This ") + what + " is not alive any more."};
}

}  // namespace

Device& Environment::opened_device() const {
  if (device == nullptr) throw Failure(FailureKind::toolkit, "ERR_DEVICE_NOT_OPEN", "No device was opened.");
  return *device;
}

const std::shared_ptr<Buffer>& Environment::shared_buffer(std::uint32_t slot) const {
  if (slot >= buffers.size() || buffers[slot].buffer == nullptr) throw dead("array");
  return buffers[slot].buffer;
}

const std::shared_ptr<Stream>& Environment::stream(std::uint32_t slot) const {
  if (slot >= streams.size() || streams[slot].stream == nullptr) throw dead("stream");
  return streams[slot].stream;
}

std::uint32_t Environment::add_buffer(std::shared_ptr<Buffer> buffer, BufferHandle* handle) {
  std::uint32_t slot = 0;
  if (free_buffers.empty()) {
    slot = static_cast<std::uint32_t>(buffers.size());
    buffers.emplace_back();
    // A finalizer must not allocate: the list of free slots always has room for all of them.
    free_buffers.reserve(buffers.capacity());
  } else {
    slot = free_buffers.back();
    free_buffers.pop_back();
  }
  buffers[slot] = {std::move(buffer), handle, 0};
  publish_live();
  return slot;
}

void Environment::release_buffer(std::uint32_t slot) noexcept {
  if (slot >= buffers.size() || buffers[slot].buffer == nullptr) return;
  BufferEntry& entry = buffers[slot];
  entry.buffer.reset();
  external_freed += entry.reported;
  if (entry.handle != nullptr) entry.handle->slot = no_slot;
  entry = {};
  free_buffers.push_back(slot);
  publish_live();
}

std::uint32_t Environment::add_stream(std::shared_ptr<Stream> stream, StreamHandle* handle) {
  std::uint32_t slot = 0;
  if (free_streams.empty()) {
    slot = static_cast<std::uint32_t>(streams.size());
    streams.emplace_back();
    free_streams.reserve(streams.capacity());
  } else {
    slot = free_streams.back();
    free_streams.pop_back();
  }
  streams[slot] = {std::move(stream), handle};
  return slot;
}

void Environment::release_stream(std::uint32_t slot) noexcept {
  if (slot == 0 || slot >= streams.size() || streams[slot].stream == nullptr) return;
  if (streams[slot].handle != nullptr) streams[slot].handle->slot = no_slot;
  streams[slot] = {};
  free_streams.push_back(slot);
}

void Environment::report_external(BufferEntry& entry) {
  const std::size_t scale = device->total_bytes() / full_device_shown + 1;
  entry.reported = static_cast<std::int64_t>(entry.buffer->bytes() / scale);
  external_bytes += entry.reported - external_freed;
  const std::int64_t change = entry.reported - std::exchange(external_freed, 0);
  std::int64_t total = 0;
  if (change != 0) napi_adjust_external_memory(env, change, &total);
}

void Environment::settle_external() {
  if (external_freed == 0) return;
  std::int64_t total = 0;
  external_bytes -= external_freed;
  napi_adjust_external_memory(env, -std::exchange(external_freed, 0), &total);
}

void Environment::publish_live() const noexcept {
  if (frame == nullptr || device == nullptr) return;
  frame->live_bytes = static_cast<double>(device->live_bytes());
  frame->live_allocations = static_cast<double>(device->live_allocations());
}

void Environment::end() noexcept {
  frame = nullptr;
  SharedBuffers::process().release_all_of(this);
  for (std::uint32_t slot = 0; slot < buffers.size(); ++slot) release_buffer(slot);
  for (std::uint32_t slot = 0; slot < streams.size(); ++slot) release_stream(slot);
  streams.clear();
  cuda_error.Reset();
  compile_error.Reset();
  toolkit_error.Reset();
  frame_buffer.Reset();
}

std::shared_ptr<Environment>& environment_of(void* data) { return *static_cast<std::shared_ptr<Environment>*>(data); }

}  // namespace cuda_compute
