#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

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

/// Whether calls on a stream wait for what other streams do with their arrays, and the other way round.
enum class StreamOrder { automatic, none };

/// A queue of device work. Shared by the environment that made it, on whose thread work is queued, and by the buffers
/// that were used on it, since those are freed after its work. Other threads may order work behind it.
class Stream {
 public:
  /// The device's default stream.
  explicit Stream(Device& device) : device_(device) {}
  /// A new stream that does not wait for the default one. A lower priority number is served first.
  Stream(Device& device, int priority, StreamOrder order = StreamOrder::automatic);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  [[nodiscard]] Device& device() const { return device_; }
  [[nodiscard]] CUstream handle() const { return handle_; }
  [[nodiscard]] bool is_ordered() const { return order_ == StreamOrder::automatic; }

  /// Orders what is queued here from now on behind what is queued on `other` now.
  void wait_for(Stream& other);
  /// The same where nobody can be told of a failure: it waits here and now then.
  void wait_for_or_block(Stream& other) noexcept;
  /// Orders what is queued here from now on behind an event.
  void wait_for(const Event& event);

  /// Scratch for a call: of the stream's own small area where it is enough, which costs nothing, else of the pool.
  void* acquire_scratch(std::size_t bytes);
  void release_scratch(void* address) noexcept;

  void synchronize() const;
  [[nodiscard]] bool query() const;
  /// As `query`, and true also where nothing can run any more.
  [[nodiscard]] bool is_idle() const noexcept;

 private:
  Device& device_;
  CUstream handle_ = nullptr;
  StreamOrder order_ = StreamOrder::automatic;
  std::mutex reached_mutex_;        ///< several threads may wait for one stream
  std::unique_ptr<Event> reached_;  ///< what is queued here when another stream begins to wait
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
