#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "native/driver/cuda_api.h"

namespace cuda_compute {

/// What is known of a device's memory, in bytes where not said otherwise.
struct MemoryStatistics {
  std::uint64_t live_bytes = 0;
  std::uint64_t live_allocations = 0;
  std::uint64_t peak_bytes = 0;
  std::uint64_t pool_reserved_bytes = 0;
  std::uint64_t pool_idle_bytes = 0;  ///< reserved, and used by nothing
  std::uint64_t workspace_bytes = 0;
  std::uint64_t free_bytes = 0;
  std::uint64_t total_bytes = 0;
  std::uint64_t limit_bytes = 0;  ///< 0 for none
};

/// What is given back to the driver.
enum class Resource : std::uint8_t { memory, pinned_memory, stream, event };

/// A GPU with its primary context and its stream-ordered pool. One object a device for the life of the process, so that
/// arrays, streams and builds may refer to it without owning it; thread safe.
class Device {
 public:
  static int count();
  /// Retains the primary context at the first call. Throws Failure(cuda), and Failure(toolkit) for a device without
  /// stream-ordered pools.
  static Device& open(int ordinal);

  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// Makes the context current on this thread; a comparison where it is already.
  void make_current() const;
  /// The same where nobody can be told of a failure; false when the context is lost, and all that was in it.
  bool try_make_current() const noexcept;

  [[nodiscard]] const CudaApi& api() const { return api_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] int compute_capability() const { return compute_capability_; }
  [[nodiscard]] std::size_t total_bytes() const { return total_bytes_; }

  /// Device memory for an array, ordered on the stream. Where the device is full it waits for the stream and trims the
  /// pool once; nothing when there is still no room, or when the limit would be passed. Throws Failure(cuda) for any
  /// other fault.
  std::optional<CUdeviceptr> allocate(std::size_t bytes, CUstream stream);
  /// Frees it after the work that is queued on the stream. Never throws: it runs in finalizers.
  void free(CUdeviceptr address, std::size_t bytes, CUstream stream) noexcept;

  /// As `allocate` and `free`, for memory that belongs to a stream or a call and not to an array: counted apart.
  std::optional<CUdeviceptr> allocate_scratch(std::size_t bytes, CUstream stream);
  void free_scratch(CUdeviceptr address, CUstream stream) noexcept;
  void count_workspace(std::int64_t bytes) { workspace_bytes_ += static_cast<std::uint64_t>(bytes); }

  /// Gives a resource back to the driver: a handle, or an address, which is freed after the work that is queued on
  /// `stream`. Never throws: it runs in finalizers. What the driver refuses is kept, and offered again by `trim`.
  void release(Resource kind, std::uint64_t handle, CUstream stream = nullptr) const noexcept;

  /// Gives the pool's idle memory back to the device, and to the driver what it refused before. Throws Failure(cuda).
  void trim() const;
  /// The most bytes that arrays may hold; 0 for no limit.
  void set_limit(std::uint64_t bytes) { limit_ = bytes; }

  [[nodiscard]] std::uint64_t live_bytes() const { return live_bytes_; }
  [[nodiscard]] std::uint64_t live_allocations() const { return live_allocations_; }
  [[nodiscard]] MemoryStatistics statistics() const;

 private:
  explicit Device(int ordinal);

  void configure_pool();
  bool count_within_limit(std::size_t bytes);
  std::optional<CUdeviceptr> allocate_from_pool(std::size_t bytes, CUstream stream) const;
  bool try_release(Resource kind, std::uint64_t handle, CUstream stream) const noexcept;
  void offer_refused_again() const;

  const CudaApi& api_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CUmemoryPool pool_ = nullptr;
  std::string name_;
  int compute_capability_ = 0;
  std::size_t total_bytes_ = 0;
  std::atomic<std::uint64_t> limit_ = 0;
  std::atomic<std::uint64_t> live_bytes_ = 0;
  std::atomic<std::uint64_t> live_allocations_ = 0;
  std::atomic<std::uint64_t> peak_bytes_ = 0;
  std::atomic<std::uint64_t> workspace_bytes_ = 0;

  /// A resource that the driver refused to take back.
  struct Refused {
    Resource kind;
    std::uint64_t handle;
  };
  mutable std::mutex refused_mutex_;
  mutable std::vector<Refused> refused_;
};

}  // namespace cuda_compute
