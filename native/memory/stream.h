#pragma once

#include <cstddef>
#include <memory>

#include "native/cccl/build_spec.h"
#include "native/memory/device.h"

namespace cuda_compute {

/// An event of the driver's, destroyed with this.
class Event {
 public:
  /// Throws Failure(cuda).
  Event(const Device& device, unsigned flags);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  [[nodiscard]] CUevent handle() const { return handle_; }
  [[nodiscard]] const Device& device() const { return device_; }

  void record_on(const class Stream& stream);
  /// True when the work before it is done.
  [[nodiscard]] bool query() const;
  void synchronize() const;
  [[nodiscard]] double milliseconds_since(const Event& start) const;

 private:
  const Device& device_;
  CUevent handle_ = nullptr;
};

/// A queue of device work, for one thread. Shared by the environment that made it and by the buffers that were last
/// used on it, since those are freed on it.
class Stream {
 public:
  /// The device's default stream.
  explicit Stream(Device& device) : device_(device) {}
  /// A new stream that does not wait for the default one. A lower priority number is served first.
  Stream(Device& device, int priority);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  [[nodiscard]] Device& device() const { return device_; }
  [[nodiscard]] CUstream handle() const { return handle_; }

  /// Orders what is queued here from now on behind what is queued on `other` now.
  void wait_for(Stream& other);
  /// Orders what is queued here from now on behind an event.
  void wait_for(const Event& event);

  /// Scratch for a call: of the stream's own small area where it is enough, which costs nothing, else of the pool.
  void* acquire_scratch(std::size_t bytes);
  void release_scratch(void* address) noexcept;

  void synchronize() const;
  [[nodiscard]] bool query() const;

 private:
  Device& device_;
  CUstream handle_ = nullptr;
  std::unique_ptr<Event> order_;
  CUdeviceptr workspace_ = 0;
};

/// The temporary storage of one call on a stream.
class StreamStorage final : public TemporaryStorage {
 public:
  explicit StreamStorage(Stream& stream) : stream_(stream) {}
  void* acquire(std::size_t bytes) override { return stream_.acquire_scratch(bytes); }
  void release(void* pointer) override { stream_.release_scratch(pointer); }

 private:
  Stream& stream_;
};

}  // namespace cuda_compute
