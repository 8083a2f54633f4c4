// A double of libcuda.so.1: the driver's exported functions over host memory, so that the real addon, the C parallel
// library, NVRTC and nvJitLink run on a machine without a GPU. simulated_cuda.h says how it behaves.

#include "native/testing/simulated_cuda.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#define SIMULATED_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

// The driver's types, as far as this double looks into them. Handles are addresses of its own objects.
using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using Handle = void*;
using HostFunction = void (*)(void*);

constexpr CUresult kSuccess = 0;
constexpr CUresult kInvalidValue = 1;
constexpr CUresult kOutOfMemory = 2;
constexpr CUresult kNotInitialized = 3;
constexpr CUresult kNoDevice = 100;
constexpr CUresult kInvalidDevice = 101;
constexpr CUresult kInvalidImage = 200;
constexpr CUresult kInvalidContext = 201;
constexpr CUresult kNoBinaryForGpu = 209;
constexpr CUresult kInvalidHandle = 400;
constexpr CUresult kNotFound = 500;
constexpr CUresult kNotReady = 600;
constexpr CUresult kLaunchTimeout = 702;
constexpr CUresult kContextIsDestroyed = 709;
constexpr CUresult kNotPermitted = 800;
constexpr CUresult kNotSupported = 801;

constexpr unsigned kStreamNonBlocking = 1;
constexpr unsigned kEventDisableTiming = 2;
constexpr std::uintptr_t kLegacyStream = 1;
constexpr std::uintptr_t kPerThreadStream = 2;

constexpr int kMaxDevices = 16;
constexpr std::uint64_t kDefaultCapacity = std::uint64_t{1} << 30;
constexpr std::size_t kArenaBytes = std::size_t{1} << 40;
constexpr std::size_t kAllocationAlignment = 512;
constexpr std::size_t kGap = 512;  // between allocations, so that one past the end of one is not the start of another
// As a driver of CUDA 13.0 on an H200 does it.
constexpr std::uint64_t kPoolGranularity = std::uint64_t{32} << 20;
constexpr std::uint64_t kDirectGranularity = std::uint64_t{2} << 20;
constexpr std::size_t kPoisonBytes = 4096;
constexpr std::size_t kDecommitFrom = std::size_t{1} << 20;

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

// ---- calls, counted and failed by name ------------------------------------------------------------------------------

thread_local bool in_host_function = false;

class Function {
 public:
  /// `function_address` is null for functions of other doubles.
  explicit Function(const char* function_name, void* function_address = nullptr)
      : name_(function_name), address_(function_address) {
    const std::lock_guard lock(registry_mutex());
    next_ = first();
    first() = this;
  }

  static Function* find(std::string_view name) {
    const std::lock_guard lock(registry_mutex());
    for (Function* function = first(); function != nullptr; function = function->next_) {
      if (function->name_ == name) return function;
    }
    return nullptr;
  }

  static void reset_all() {
    const std::lock_guard lock(registry_mutex());
    for (Function* function = first(); function != nullptr; function = function->next_) {
      const std::lock_guard own(function->mutex_);
      function->failures_.clear();
      function->armed_ = false;
      function->calls_ = 0;
    }
  }

  template <typename Visit>
  static void visit_calls(Visit&& visit) {
    const std::lock_guard lock(registry_mutex());
    for (Function* function = first(); function != nullptr; function = function->next_) {
      if (function->calls_ > 0) visit(function->name_.c_str(), function->calls_.load());
    }
  }

  /// Counts a call; answers the failure that was ordered for it.
  CUresult enter() {
    const std::uint64_t call = ++calls_;
    if (!armed_) return kSuccess;
    const std::lock_guard lock(mutex_);
    const auto found = failures_.find(call);
    if (found == failures_.end()) return kSuccess;
    const CUresult result = found->second;
    failures_.erase(found);
    armed_ = !failures_.empty();
    return result;
  }

  void fail_next(std::uint64_t nth, CUresult result) {
    const std::lock_guard lock(mutex_);
    failures_[calls_ + nth] = result;
    armed_ = true;
  }

  [[nodiscard]] std::uint64_t calls() const { return calls_; }
  [[nodiscard]] void* address() const { return address_; }

 private:
  static std::mutex& registry_mutex() {
    static std::mutex mutex;
    return mutex;
  }
  static Function*& first() {
    static Function* function = nullptr;
    return function;
  }

  std::string name_;
  void* address_;
  Function* next_ = nullptr;
  std::atomic<std::uint64_t> calls_{0};
  std::atomic<bool> armed_{false};
  std::mutex mutex_;
  std::map<std::uint64_t, CUresult> failures_;
};

// ---- address space --------------------------------------------------------------------------------------------------

/// One reservation that stands for the memory of all devices; pages are committed when they are touched.
class Arena {
 public:
  /// An address with room for `bytes` and a gap behind it; 0 when the host gives no address space.
  std::uintptr_t take(std::size_t bytes) {
    if (!reserve()) return 0;
    const std::size_t footprint = round_up(bytes, kAllocationAlignment) + kGap;
    const auto found =
        std::find_if(free_.begin(), free_.end(), [footprint](const auto& block) { return block.second >= footprint; });
    if (found == free_.end()) return 0;
    const auto [address, available] = *found;
    free_.erase(found);
    if (available > footprint) free_.emplace(address + footprint, available - footprint);
    std::memset(reinterpret_cast<void*>(address), 0xCD, std::min(bytes, kPoisonBytes));
    return address;
  }

  void give(std::uintptr_t address, std::size_t bytes) {
    std::size_t footprint = round_up(bytes, kAllocationAlignment) + kGap;
    if (bytes >= kDecommitFrom) {
      const std::uintptr_t begin = round_up(address, 4096);
      const std::uintptr_t end = (address + bytes) / 4096 * 4096;
      madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
    }
    auto next = free_.lower_bound(address);
    if (next != free_.end() && next->first == address + footprint) {
      footprint += next->second;
      next = free_.erase(next);
    }
    if (next != free_.begin()) {
      const auto previous = std::prev(next);
      if (previous->first + previous->second == address) {
        previous->second += footprint;
        return;
      }
    }
    free_.emplace(address, footprint);
  }

  [[nodiscard]] bool contains(std::uintptr_t address) const {
    return base_ != 0 && address >= base_ && address - base_ < kArenaBytes;
  }

 private:
  bool reserve() {
    if (base_ != 0) return true;
    void* base = mmap(nullptr, kArenaBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) return false;
    madvise(base, kArenaBytes, MADV_DONTDUMP);
    base_ = reinterpret_cast<std::uintptr_t>(base);
    free_.emplace(base_, kArenaBytes);
    return true;
  }

  std::uintptr_t base_ = 0;
  std::map<std::uintptr_t, std::size_t> free_;
};

// ---- what the driver hands out --------------------------------------------------------------------------------------

struct Allocation {
  std::uintptr_t address = 0;
  std::size_t bytes = 0;
  int device = 0;
  bool pooled = false;
  bool live = true;      // its memory is there
  bool freeing = false;  // a free is queued or done: nothing further may use it
};

struct Pinned {
  std::uintptr_t address = 0;
  std::size_t bytes = 0;
  bool live = true;
};

struct Event {
  unsigned flags = 0;
  std::uint64_t recorded = 0;   // serial of the last record that was queued
  std::uint64_t completed = 0;  // serial of the last record that ran
  std::chrono::steady_clock::time_point time;
};

struct Library {
  std::string image;
};

struct Kernel {
  std::string name;
  Handle library = nullptr;
  std::map<int, int> attributes;
};

struct Stream;

/// A piece of memory that queued work touches, with what owns it, so that a use after a free shows.
struct Operand {
  std::uintptr_t address = 0;
  std::size_t bytes = 0;
  std::shared_ptr<Allocation> device;
  std::shared_ptr<Pinned> pinned;

  [[nodiscard]] bool live() const { return (!device || device->live) && (!pinned || pinned->live); }
  [[nodiscard]] bool pageable() const { return !device && !pinned; }
};

struct Fill {
  Operand target;
  std::size_t pitch = 0;
  std::size_t width = 0;  // elements a row
  std::size_t height = 0;
  unsigned element = 1;  // bytes
  std::uint32_t value = 0;
};

struct Work {
  enum class Kind { copy, fill, host_function, free, record, wait_event, wait_stream, launch };
  Kind kind = Kind::launch;
  Operand target;
  Operand source;
  std::vector<std::byte> staged;  // a pageable source's bytes
  Fill fill;
  HostFunction function = nullptr;
  void* argument = nullptr;
  std::shared_ptr<Allocation> allocation;
  std::shared_ptr<Event> event;
  std::shared_ptr<Stream> stream;
  std::uint64_t serial = 0;
  std::vector<Operand> operands;
};

struct Stream {
  int device = 0;
  unsigned flags = 0;
  int priority = 0;
  bool held = false;
  bool running = false;  // a thread is inside one of its host functions
  bool destroyed = false;
  std::uint64_t enqueued = 0;
  std::uint64_t completed = 0;
  std::deque<Work> queue;
  // Bytes of queued frees that a later allocation on this stream may take over, and that it has taken over.
  std::uint64_t reusable_bytes = 0;
  std::uint64_t reused_bytes = 0;
};

struct Pool {
  std::uint64_t used = 0;
  std::uint64_t reserved = 0;
  std::uint64_t used_high = 0;
  std::uint64_t reserved_high = 0;
  std::uint64_t release_threshold = 0;
  std::array<int, 3> reuse{1, 1, 1};
};

struct Device {
  int retains = 0;
  unsigned flags = 0;
  std::uint64_t direct_bytes = 0;  // cuMemAlloc's, outside the pool
  Pool pool;
  std::shared_ptr<Stream> null_stream = std::make_shared<Stream>();
};

struct Settings {
  std::uint64_t capacity = kDefaultCapacity;
  int device_count = 1;
  int compute_capability = 90;
  int driver_version = 13000;
  std::chrono::milliseconds wait_limit{5000};
};

struct State {
  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<bool> initialized{false};
  Settings settings;
  bool hold_all = false;
  Arena arena;
  std::array<Device, kMaxDevices> devices;
  std::map<std::uintptr_t, std::shared_ptr<Allocation>> allocations;  // those that may be used
  std::map<std::uintptr_t, std::shared_ptr<Pinned>> pinned;
  std::vector<std::shared_ptr<Stream>> streams;  // in the order of their making; destroyed ones until they are drained
  std::unordered_map<Handle, std::shared_ptr<Event>> events;
  std::unordered_map<const void*, std::unique_ptr<Library>> libraries;
  std::unordered_map<Handle, std::unique_ptr<Kernel>> kernels;
  SimulatedCudaCounters counters{};
  std::string last_violation;
  std::optional<SimulatedCudaLaunch> last_launch;

  State() {
    for (int ordinal = 0; ordinal < kMaxDevices; ++ordinal) {
      devices[static_cast<std::size_t>(ordinal)].null_stream->device = ordinal;
    }
  }
};

// Never destroyed: threads of the program may still call when static objects go.
State& state() {
  static State* const instance = new State;
  return *instance;
}

using Lock = std::unique_lock<std::mutex>;

void violate(std::string what) {
  ++state().counters.violations;
  state().last_violation = std::move(what);
}

CUresult violated(CUresult result, std::string what) {
  violate(std::move(what));
  return result;
}

std::string hexadecimal(std::uintptr_t address) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "0x%zx", static_cast<std::size_t>(address));
  return text.data();
}

Device& device_of(int ordinal) { return state().devices[static_cast<std::size_t>(ordinal)]; }

// ---- contexts -------------------------------------------------------------------------------------------------------

thread_local std::vector<Handle> context_stack;

int ordinal_of_context(Handle context) {
  for (int ordinal = 0; ordinal < kMaxDevices; ++ordinal) {
    if (&device_of(ordinal) == context) return ordinal;
  }
  return -1;
}

/// The device of the calling thread's context, or why there is none.
CUresult current_device(int* ordinal) {
  if (context_stack.empty() || context_stack.back() == nullptr) return kInvalidContext;
  *ordinal = ordinal_of_context(context_stack.back());
  return device_of(*ordinal).retains > 0 ? kSuccess : kContextIsDestroyed;
}

// ---- memory ---------------------------------------------------------------------------------------------------------

/// What cuMemAlloc's memory takes of the device; the last block of a small device may be a part of one.
std::uint64_t direct_bytes(const Device& device) {
  return std::min(round_up(device.direct_bytes, kDirectGranularity),
                  std::max(device.direct_bytes, state().settings.capacity));
}

/// What the pool takes of the device at least while `used` bytes of it are in use.
std::uint64_t reserved_for(const Device& device, std::uint64_t used) {
  const std::uint64_t taken = std::min(direct_bytes(device), state().settings.capacity);
  return std::min(round_up(used, kPoolGranularity), std::max(used, state().settings.capacity - taken));
}

/// Gives idle pool memory beyond `keep` bytes back to the device.
void release_idle(Device& device, std::uint64_t keep) {
  Pool& pool = device.pool;
  const std::uint64_t least = std::max(keep, reserved_for(device, pool.used));
  pool.reserved = std::min(pool.reserved, least);
}

/// What the driver does when a host thread waits: the pool keeps whole blocks up to its threshold.
void release_beyond_threshold(Device& device) {
  const std::uint64_t threshold = device.pool.release_threshold;
  if (device.pool.reserved > threshold) release_idle(device, threshold / kPoolGranularity * kPoolGranularity);
}

bool charge_pool(Device& device, Stream& stream, std::uint64_t bytes) {
  Pool& pool = device.pool;
  const std::uint64_t limit = state().settings.capacity;
  std::uint64_t taken_over = 0;
  if (direct_bytes(device) + pool.used + bytes > limit) {
    // The memory of a free that is queued on the same stream will be there when this allocation is first used.
    taken_over = std::min(stream.reusable_bytes, bytes);
    if (direct_bytes(device) + pool.used - taken_over + bytes > limit) return false;
  }
  stream.reusable_bytes -= taken_over;
  stream.reused_bytes += taken_over;
  pool.used += bytes - taken_over;
  pool.used_high = std::max(pool.used_high, pool.used);
  pool.reserved = std::max(pool.reserved, reserved_for(device, pool.used));
  pool.reserved_high = std::max(pool.reserved_high, pool.reserved);
  return true;
}

bool charge_direct(Device& device, std::uint64_t bytes) {
  const std::uint64_t limit = state().settings.capacity;
  if (device.pool.used + device.direct_bytes + bytes > limit) return false;
  device.direct_bytes += bytes;
  // The pool's idle memory makes room.
  device.pool.reserved = std::min(device.pool.reserved, limit - device.direct_bytes);
  return true;
}

CUresult allocate(CUdeviceptr* result, std::size_t bytes, int ordinal, Stream* stream) {
  State& all = state();
  Device& device = device_of(ordinal);
  if (bytes == 0) {
    *result = 0;
    return kSuccess;
  }
  if (bytes > kArenaBytes) return kOutOfMemory;
  if (stream != nullptr ? !charge_pool(device, *stream, bytes) : !charge_direct(device, bytes)) return kOutOfMemory;
  const std::uintptr_t address = all.arena.take(bytes);
  if (address == 0) {
    (stream != nullptr ? device.pool.used : device.direct_bytes) -= bytes;
    return kOutOfMemory;
  }
  auto allocation = std::make_shared<Allocation>();
  allocation->address = address;
  allocation->bytes = bytes;
  allocation->device = ordinal;
  allocation->pooled = stream != nullptr;
  all.allocations.emplace(address, std::move(allocation));
  ++all.counters.live_allocations;
  ++all.counters.total_allocations;
  all.counters.live_bytes += bytes;
  all.counters.peak_bytes = std::max(all.counters.peak_bytes, all.counters.live_bytes);
  *result = address;
  return kSuccess;
}

/// Takes the allocation out of what may be used. Its memory stays until `give_back`.
std::shared_ptr<Allocation> retire(CUdeviceptr address) {
  const auto found = state().allocations.find(static_cast<std::uintptr_t>(address));
  if (found == state().allocations.end()) return nullptr;
  std::shared_ptr<Allocation> allocation = found->second;
  allocation->freeing = true;
  state().allocations.erase(found);
  return allocation;
}

void give_back(Allocation& allocation, Stream* stream) {
  State& all = state();
  Device& device = device_of(allocation.device);
  std::uint64_t charged = allocation.bytes;
  if (!allocation.pooled) {
    device.direct_bytes -= charged;
  } else {
    if (stream != nullptr) {
      const std::uint64_t reused = std::min(stream->reused_bytes, charged);
      stream->reused_bytes -= reused;
      charged -= reused;
      stream->reusable_bytes -= charged;
    }
    device.pool.used -= charged;
  }
  allocation.live = false;
  all.arena.give(allocation.address, allocation.bytes);
  --all.counters.live_allocations;
  all.counters.live_bytes -= allocation.bytes;
}

template <typename Owner>
std::shared_ptr<Owner> owner_of(const std::map<std::uintptr_t, std::shared_ptr<Owner>>& owners, std::uintptr_t address,
                                std::size_t bytes) {
  auto found = owners.upper_bound(address);
  if (found == owners.begin()) return nullptr;
  --found;
  const Owner& owner = *found->second;
  const std::size_t offset = address - owner.address;
  return offset <= owner.bytes && bytes <= owner.bytes - offset ? found->second : nullptr;
}

/// Device memory at an address; none, and a violation, when it is not all inside one live allocation.
std::optional<Operand> device_operand(CUdeviceptr address, std::size_t bytes, const char* use) {
  Operand operand{static_cast<std::uintptr_t>(address), bytes, nullptr, nullptr};
  operand.device = owner_of(state().allocations, operand.address, bytes);
  if (!operand.device) operand.pinned = owner_of(state().pinned, operand.address, bytes);
  if (operand.pageable()) {
    violate(std::string(use) + " of " + std::to_string(bytes) + " bytes at " + hexadecimal(operand.address) +
            ", which is not inside a live allocation");
    return std::nullopt;
  }
  return operand;
}

std::optional<Operand> host_operand(const void* pointer, std::size_t bytes, const char* use) {
  Operand operand{reinterpret_cast<std::uintptr_t>(pointer), bytes, nullptr, nullptr};
  operand.pinned = owner_of(state().pinned, operand.address, bytes);
  if (operand.address != 0 && !state().arena.contains(operand.address)) return operand;
  violate(std::string(use) + " takes " + hexadecimal(operand.address) + " for host memory");
  return std::nullopt;
}

/// With unified addressing the address tells where it points.
std::optional<Operand> unified_operand(CUdeviceptr address, std::size_t bytes, const char* use) {
  const auto pointer = static_cast<std::uintptr_t>(address);
  if (state().arena.contains(pointer)) return device_operand(address, bytes, use);
  return host_operand(reinterpret_cast<const void*>(pointer), bytes, use);
}

// ---- queued work ----------------------------------------------------------------------------------------------------

void run_fill(const Fill& fill) {
  for (std::size_t row = 0; row < fill.height; ++row) {
    auto* out = reinterpret_cast<unsigned char*>(fill.target.address + row * fill.pitch);
    if (fill.element == 1) {
      std::memset(out, static_cast<int>(fill.value & 0xFF), fill.width);
      continue;
    }
    for (std::size_t column = 0; column < fill.width; ++column) {
      std::memcpy(out + column * fill.element, &fill.value, fill.element);
    }
  }
}

void run(Stream& stream, Work& work) {
  switch (work.kind) {
    case Work::Kind::copy:
      if (!work.target.live() || !work.source.live()) return violate("a queued copy ran after its memory was freed");
      std::memmove(reinterpret_cast<void*>(work.target.address),
                   work.staged.empty() ? reinterpret_cast<const void*>(work.source.address) : work.staged.data(),
                   work.target.bytes);
      return;
    case Work::Kind::fill:
      if (!work.fill.target.live()) return violate("a queued memset ran after its memory was freed");
      return run_fill(work.fill);
    case Work::Kind::free:
      return give_back(*work.allocation, &stream);
    case Work::Kind::record:
      if (work.serial > work.event->completed) {
        work.event->completed = work.serial;
        work.event->time = std::chrono::steady_clock::now();
      }
      return;
    case Work::Kind::launch:
      for (const Operand& operand : work.operands) {
        if (!operand.live()) return violate("a queued launch ran after its memory was freed");
      }
      return;
    case Work::Kind::host_function:
    case Work::Kind::wait_event:
    case Work::Kind::wait_stream:
      return;
  }
}

bool ready(const Stream& stream) {
  if (stream.queue.empty() || stream.running || stream.held) return false;
  const Work& work = stream.queue.front();
  if (work.kind == Work::Kind::wait_event) return work.event->completed >= work.serial;
  if (work.kind == Work::Kind::wait_stream) return work.stream->completed >= work.serial;
  return true;
}

/// Runs all that can run on one stream. The lock is let go while a host function runs. True when something ran.
bool advance(Lock& lock, const std::shared_ptr<Stream>& stream) {
  bool progressed = false;
  while (ready(*stream)) {
    Work work = std::move(stream->queue.front());
    stream->queue.pop_front();
    if (work.kind == Work::Kind::host_function) {
      stream->running = true;
      lock.unlock();
      in_host_function = true;
      work.function(work.argument);
      in_host_function = false;
      lock.lock();
      stream->running = false;
    } else {
      run(*stream, work);
    }
    ++stream->completed;
    --state().counters.pending_work;
    progressed = true;
  }
  return progressed;
}

/// Runs all that can run anywhere.
void settle(Lock& lock) {
  State& all = state();
  bool progressed = true;
  bool any = false;
  while (progressed && all.counters.pending_work > 0) {
    progressed = false;
    for (const Device& device : all.devices) {
      if (ready(*device.null_stream)) progressed |= advance(lock, device.null_stream);
    }
    // By position and by copy: while a host function runs, other threads may make or destroy streams.
    // NOLINTNEXTLINE(modernize-loop-convert)
    for (std::size_t i = 0; i < all.streams.size(); ++i) {
      if (!ready(*all.streams[i])) continue;
      const std::shared_ptr<Stream> stream = all.streams[i];
      progressed |= advance(lock, stream);
    }
    any |= progressed;
  }
  if (!any) return;
  std::erase_if(all.streams, [](const auto& stream) { return stream->destroyed && stream->queue.empty(); });
  all.changed.notify_all();
}

void push(Stream& stream, Work work) {
  ++stream.enqueued;
  ++state().counters.pending_work;
  stream.queue.push_back(std::move(work));
}

void push_wait_for(Stream& stream, const std::shared_ptr<Stream>& other) {
  if (other->enqueued == other->completed) return;
  Work wait;
  wait.kind = Work::Kind::wait_stream;
  wait.stream = other;
  wait.serial = other->enqueued;
  push(stream, std::move(wait));
}

/// The NULL stream and the blocking streams of a device wait for each other.
void push_null_stream_order(Stream& stream) {
  const std::shared_ptr<Stream>& null_stream = device_of(stream.device).null_stream;
  if (&stream != null_stream.get()) {
    if ((stream.flags & kStreamNonBlocking) == 0) push_wait_for(stream, null_stream);
    return;
  }
  for (const std::shared_ptr<Stream>& other : state().streams) {
    if (other->device == stream.device && (other->flags & kStreamNonBlocking) == 0) push_wait_for(stream, other);
  }
}

void submit(Lock& lock, Stream& stream, Work work) {
  push_null_stream_order(stream);
  push(stream, std::move(work));
  settle(lock);
}

/// Waits until a held stream lets `done` come true.
template <typename Predicate>
CUresult wait(Lock& lock, Predicate done) {
  if (state().changed.wait_for(lock, state().settings.wait_limit, done)) return kSuccess;
  return violated(kLaunchTimeout, "a call waited for a held stream that nobody released");
}

CUresult wait_for_stream(Lock& lock, const std::shared_ptr<Stream>& stream) {
  const std::uint64_t serial = stream->enqueued;
  const CUresult result = wait(lock, [&stream, serial] { return stream->completed >= serial; });
  release_beyond_threshold(device_of(stream->device));
  return result;
}

CUresult wait_for_device(Lock& lock, int ordinal) {
  std::vector<std::shared_ptr<Stream>> streams{device_of(ordinal).null_stream};
  for (const auto& stream : state().streams) {
    if (stream->device == ordinal) streams.push_back(stream);
  }
  for (const auto& stream : streams) {
    if (const CUresult result = wait_for_stream(lock, stream); result != kSuccess) return result;
  }
  return kSuccess;
}

std::shared_ptr<Stream> live_stream(Handle handle) {
  for (const auto& stream : state().streams) {
    if (stream.get() == handle && !stream->destroyed) return stream;
  }
  return nullptr;
}

/// The stream that a handle stands for in the calling thread's context.
CUresult stream_of(Handle handle, std::shared_ptr<Stream>* stream) {
  int ordinal = 0;
  if (const CUresult result = current_device(&ordinal); result != kSuccess) return result;
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  if (value == kPerThreadStream) return kNotSupported;
  if (value <= kLegacyStream) {
    *stream = device_of(ordinal).null_stream;
    return kSuccess;
  }
  *stream = live_stream(handle);
  return *stream ? kSuccess : violated(kInvalidHandle, "stream " + hexadecimal(value) + " does not exist");
}

std::shared_ptr<Event> event_of(Handle handle) {
  const auto found = state().events.find(handle);
  if (found != state().events.end()) return found->second;
  violate("event " + hexadecimal(reinterpret_cast<std::uintptr_t>(handle)) + " does not exist");
  return nullptr;
}

/// Queues a copy. One that the driver documents as synchronous, and one to pageable memory, waits for its end.
CUresult copy(const std::optional<Operand>& target, const std::optional<Operand>& source, Handle handle,
              bool synchronous, Lock& lock) {
  if (!target || !source) return kInvalidValue;
  std::shared_ptr<Stream> stream;
  if (const CUresult result = stream_of(handle, &stream); result != kSuccess) return result;
  if (target->bytes == 0) return kSuccess;
  Work work;
  work.kind = Work::Kind::copy;
  work.target = *target;
  work.source = *source;
  if (source->pageable()) {
    const auto* bytes = reinterpret_cast<const std::byte*>(source->address);
    const bool runs_now = stream->queue.empty() && !stream->held;
    if (!runs_now) work.staged.assign(bytes, bytes + source->bytes);
  }
  submit(lock, *stream, std::move(work));
  return synchronous || target->pageable() ? wait_for_stream(lock, stream) : kSuccess;
}

CUresult fill(CUdeviceptr address, std::size_t pitch, std::uint32_t value, unsigned element, std::size_t width,
              std::size_t height, Handle handle, Lock& lock) {
  std::shared_ptr<Stream> stream;
  if (const CUresult result = stream_of(handle, &stream); result != kSuccess) return result;
  if (address % element != 0 || pitch % element != 0 || (height > 1 && pitch < width * element)) return kInvalidValue;
  if (width == 0 || height == 0) return kSuccess;
  const std::size_t bytes = (height - 1) * pitch + width * element;
  const std::optional<Operand> target = device_operand(address, bytes, "a memset");
  if (!target) return kInvalidValue;
  Work work;
  work.kind = Work::Kind::fill;
  work.fill = Fill{*target, pitch, width, height, element, value};
  submit(lock, *stream, std::move(work));
  return kSuccess;
}

}  // namespace

// Declares an exported function of the driver and the record of its calls (never destroyed, like the state).
#define DRIVER_FUNCTION(name, ...)                                                         \
  SIMULATED_EXPORT CUresult name(__VA_ARGS__);                                             \
  static Function& function_##name = *new Function(#name, reinterpret_cast<void*>(&name)); \
  SIMULATED_EXPORT CUresult name(__VA_ARGS__)

// First line of every function of the driver.
#define ENTER(name)                           \
  if (in_host_function) return kNotPermitted; \
  if (const CUresult failure = function_##name.enter(); failure != kSuccess) return failure

// First line of those that need cuInit; takes the lock.
#define ENTER_INITIALIZED(name)                     \
  ENTER(name);                                      \
  if (!state().initialized) return kNotInitialized; \
  Lock lock(state().mutex)

// First line of those that need a context.
#define ENTER_CONTEXT(name) \
  ENTER_INITIALIZED(name);  \
  int ordinal = 0;          \
  if (const CUresult failure = current_device(&ordinal); failure != kSuccess) return failure

// ---- initialization, errors, devices --------------------------------------------------------------------------------

DRIVER_FUNCTION(cuInit, unsigned flags) {
  ENTER(cuInit);
  if (flags != 0) return kInvalidValue;
  const Lock lock(state().mutex);
  if (state().settings.device_count == 0) return kNoDevice;
  state().initialized = true;
  return kSuccess;
}

DRIVER_FUNCTION(cuDriverGetVersion, int* version) {
  ENTER(cuDriverGetVersion);
  if (version == nullptr) return kInvalidValue;
  const Lock lock(state().mutex);
  *version = state().settings.driver_version;
  return kSuccess;
}

namespace {

struct ErrorText {
  CUresult result;
  const char* name;
  const char* text;
};

constexpr ErrorText kErrors[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {4, "CUDA_ERROR_DEINITIALIZED", "driver shutting down"},
    {34, "CUDA_ERROR_STUB_LIBRARY", "stub library"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {200, "CUDA_ERROR_INVALID_IMAGE", "invalid kernel image"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {205, "CUDA_ERROR_MAP_FAILED", "mapping failed"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image for this device"},
    {214, "CUDA_ERROR_ECC_UNCORRECTABLE", "uncorrectable ECC error"},
    {218, "CUDA_ERROR_INVALID_PTX", "PTX JIT compilation failed"},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "unsupported PTX version"},
    {300, "CUDA_ERROR_INVALID_SOURCE", "invalid kernel source"},
    {301, "CUDA_ERROR_FILE_NOT_FOUND", "file not found"},
    {304, "CUDA_ERROR_OPERATING_SYSTEM", "operating system call failed"},
    {400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {401, "CUDA_ERROR_ILLEGAL_STATE", "illegal state"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {600, "CUDA_ERROR_NOT_READY", "not ready"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "illegal memory access"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {702, "CUDA_ERROR_LAUNCH_TIMEOUT", "launch timed out"},
    {709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed"},
    {710, "CUDA_ERROR_ASSERT", "device-side assert"},
    {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "illegal instruction"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "launch failure"},
    {800, "CUDA_ERROR_NOT_PERMITTED", "operation not permitted"},
    {801, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {802, "CUDA_ERROR_SYSTEM_NOT_READY", "system not ready"},
    {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "driver mismatch"},
    {999, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

const ErrorText* error_text(CUresult result) {
  const auto* found = std::find_if(std::begin(kErrors), std::end(kErrors),
                                   [result](const ErrorText& error) { return error.result == result; });
  return found == std::end(kErrors) ? nullptr : found;
}

}  // namespace

DRIVER_FUNCTION(cuGetErrorName, CUresult error, const char** name) {
  ENTER(cuGetErrorName);
  const ErrorText* text = error_text(error);
  *name = text != nullptr ? text->name : nullptr;
  return text != nullptr ? kSuccess : kInvalidValue;
}

DRIVER_FUNCTION(cuGetErrorString, CUresult error, const char** string) {
  ENTER(cuGetErrorString);
  const ErrorText* text = error_text(error);
  *string = text != nullptr ? text->text : nullptr;
  return text != nullptr ? kSuccess : kInvalidValue;
}

namespace {

/// The newest version of a function whose unversioned name is given.
CUresult procedure(const char* symbol, void** address, int* status) {
  if (symbol == nullptr || address == nullptr) return kInvalidValue;
  const Function* function = Function::find(std::string(symbol) + "_v2");
  if (function == nullptr) function = Function::find(symbol);
  *address = function != nullptr ? function->address() : nullptr;
  const bool found = *address != nullptr;
  if (status != nullptr) *status = found ? 0 : 1;  // CU_GET_PROC_ADDRESS_SUCCESS, _SYMBOL_NOT_FOUND
  return found ? kSuccess : kNotFound;
}

}  // namespace

DRIVER_FUNCTION(cuGetProcAddress, const char* symbol, void** address, int, std::uint64_t) {
  ENTER(cuGetProcAddress);
  return procedure(symbol, address, nullptr);
}

DRIVER_FUNCTION(cuGetProcAddress_v2, const char* symbol, void** address, int, std::uint64_t, int* status) {
  ENTER(cuGetProcAddress_v2);
  return procedure(symbol, address, status);
}

DRIVER_FUNCTION(cuDeviceGetCount, int* count) {
  ENTER_INITIALIZED(cuDeviceGetCount);
  if (count == nullptr) return kInvalidValue;
  *count = state().settings.device_count;
  return kSuccess;
}

DRIVER_FUNCTION(cuDeviceGet, CUdevice* device, int ordinal) {
  ENTER_INITIALIZED(cuDeviceGet);
  if (device == nullptr) return kInvalidValue;
  if (ordinal < 0 || ordinal >= state().settings.device_count) return kInvalidDevice;
  *device = ordinal;
  return kSuccess;
}

namespace {

bool device_exists(CUdevice device) { return device >= 0 && device < state().settings.device_count; }

}  // namespace

DRIVER_FUNCTION(cuDeviceGetName, char* name, int length, CUdevice device) {
  ENTER_INITIALIZED(cuDeviceGetName);
  if (name == nullptr || length <= 0) return kInvalidValue;
  if (!device_exists(device)) return kInvalidDevice;
  std::snprintf(name, static_cast<std::size_t>(length), "Simulated H200");
  return kSuccess;
}

DRIVER_FUNCTION(cuDeviceGetUuid_v2, unsigned char* uuid, CUdevice device) {
  ENTER_INITIALIZED(cuDeviceGetUuid_v2);
  if (uuid == nullptr) return kInvalidValue;
  if (!device_exists(device)) return kInvalidDevice;
  std::memset(uuid, 0, 16);
  for (std::size_t i = 0; const char letter : std::string_view("simulated")) {
    uuid[i++] = static_cast<unsigned char>(letter);
  }
  uuid[15] = static_cast<unsigned char>(device);
  return kSuccess;
}

DRIVER_FUNCTION(cuDeviceTotalMem_v2, std::size_t* bytes, CUdevice device) {
  ENTER_INITIALIZED(cuDeviceTotalMem_v2);
  if (bytes == nullptr) return kInvalidValue;
  if (!device_exists(device)) return kInvalidDevice;
  *bytes = state().settings.capacity;
  return kSuccess;
}

DRIVER_FUNCTION(cuDeviceGetAttribute, int* value, int attribute, CUdevice device) {
  ENTER_INITIALIZED(cuDeviceGetAttribute);
  if (value == nullptr || attribute <= 0 || attribute > 200) return kInvalidValue;
  if (!device_exists(device)) return kInvalidDevice;
  // An H200's, by the driver's numbers of the attributes; any other is a feature it does not have.
  static const std::map<int, int> values{
      {1, 1024},         // MAX_THREADS_PER_BLOCK
      {2, 1024},         // MAX_BLOCK_DIM_X
      {3, 1024},         // MAX_BLOCK_DIM_Y
      {4, 64},           // MAX_BLOCK_DIM_Z
      {5, 2147483647},   // MAX_GRID_DIM_X
      {6, 65535},        // MAX_GRID_DIM_Y
      {7, 65535},        // MAX_GRID_DIM_Z
      {8, 49152},        // MAX_SHARED_MEMORY_PER_BLOCK
      {9, 65536},        // TOTAL_CONSTANT_MEMORY
      {10, 32},          // WARP_SIZE
      {11, 2147483647},  // MAX_PITCH
      {12, 65536},       // MAX_REGISTERS_PER_BLOCK
      {13, 1980000},     // CLOCK_RATE
      {14, 512},         // TEXTURE_ALIGNMENT
      {15, 1},           // GPU_OVERLAP
      {16, 132},         // MULTIPROCESSOR_COUNT
      {19, 1},           // CAN_MAP_HOST_MEMORY
      {31, 1},           // CONCURRENT_KERNELS
      {32, 1},           // ECC_ENABLED
      {36, 3201000},     // MEMORY_CLOCK_RATE
      {37, 6016},        // GLOBAL_MEMORY_BUS_WIDTH
      {38, 62914560},    // L2_CACHE_SIZE
      {39, 2048},        // MAX_THREADS_PER_MULTIPROCESSOR
      {40, 3},           // ASYNC_ENGINE_COUNT
      {41, 1},           // UNIFIED_ADDRESSING
      {78, 1},           // STREAM_PRIORITIES_SUPPORTED
      {81, 233472},      // MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
      {82, 65536},       // MAX_REGISTERS_PER_MULTIPROCESSOR
      {95, 1},           // COOPERATIVE_LAUNCH
      {97, 232448},      // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
      {106, 32},         // MAX_BLOCKS_PER_MULTIPROCESSOR
      {111, 1024},       // RESERVED_SHARED_MEMORY_PER_BLOCK
      {115, 1},          // MEMORY_POOLS_SUPPORTED
      {120, 1},          // CLUSTER_LAUNCH
  };
  constexpr int kCapabilityMajor = 75;
  constexpr int kCapabilityMinor = 76;
  if (attribute == kCapabilityMajor) {
    *value = state().settings.compute_capability / 10;
  } else if (attribute == kCapabilityMinor) {
    *value = state().settings.compute_capability % 10;
  } else {
    const auto found = values.find(attribute);
    *value = found != values.end() ? found->second : 0;
  }
  return kSuccess;
}

// ---- contexts -------------------------------------------------------------------------------------------------------

DRIVER_FUNCTION(cuDevicePrimaryCtxRetain, Handle* context, CUdevice device) {
  ENTER_INITIALIZED(cuDevicePrimaryCtxRetain);
  if (context == nullptr) return kInvalidValue;
  if (!device_exists(device)) return kInvalidDevice;
  ++device_of(device).retains;
  ++state().counters.live_contexts;
  *context = &device_of(device);
  return kSuccess;
}

DRIVER_FUNCTION(cuDevicePrimaryCtxRelease_v2, CUdevice device) {
  ENTER_INITIALIZED(cuDevicePrimaryCtxRelease_v2);
  if (device < 0 || device >= kMaxDevices) return kInvalidDevice;
  Device& released = device_of(device);
  if (released.retains == 0) return violated(kInvalidContext, "a primary context was released that nobody retained");
  --released.retains;
  --state().counters.live_contexts;
  if (released.retains > 0) return kSuccess;
  // The last release destroys the context with all that it holds.
  if (const CUresult result = wait_for_device(lock, device); result != kSuccess) return result;
  State& all = state();
  for (auto entry = all.allocations.begin(); entry != all.allocations.end();) {
    const std::shared_ptr<Allocation> allocation = entry->second;
    entry = allocation->device == device ? all.allocations.erase(entry) : std::next(entry);
    if (allocation->device == device) give_back(*allocation, nullptr);
  }
  for (const auto& stream : all.streams) {
    if (stream->device != device || stream->destroyed) continue;
    stream->destroyed = true;
    --all.counters.live_streams;
  }
  std::erase_if(all.streams, [](const auto& stream) { return stream->destroyed && stream->queue.empty(); });
  released.pool = Pool{};
  return kSuccess;
}

DRIVER_FUNCTION(cuDevicePrimaryCtxGetState, CUdevice device, unsigned* flags, int* active) {
  ENTER_INITIALIZED(cuDevicePrimaryCtxGetState);
  if (flags == nullptr || active == nullptr) return kInvalidValue;
  if (!device_exists(device)) return kInvalidDevice;
  *flags = device_of(device).flags;
  *active = device_of(device).retains > 0 ? 1 : 0;
  return kSuccess;
}

DRIVER_FUNCTION(cuDevicePrimaryCtxSetFlags_v2, CUdevice device, unsigned flags) {
  ENTER_INITIALIZED(cuDevicePrimaryCtxSetFlags_v2);
  if (!device_exists(device)) return kInvalidDevice;
  device_of(device).flags = flags;
  return kSuccess;
}

DRIVER_FUNCTION(cuCtxSetCurrent, Handle context) {
  ENTER_INITIALIZED(cuCtxSetCurrent);
  if (context != nullptr && ordinal_of_context(context) < 0) return kInvalidContext;
  if (!context_stack.empty()) context_stack.pop_back();
  if (context != nullptr) context_stack.push_back(context);
  return kSuccess;
}

DRIVER_FUNCTION(cuCtxGetCurrent, Handle* context) {
  ENTER_INITIALIZED(cuCtxGetCurrent);
  if (context == nullptr) return kInvalidValue;
  *context = context_stack.empty() ? nullptr : context_stack.back();
  return kSuccess;
}

DRIVER_FUNCTION(cuCtxPushCurrent_v2, Handle context) {
  ENTER_INITIALIZED(cuCtxPushCurrent_v2);
  if (ordinal_of_context(context) < 0) return kInvalidContext;
  context_stack.push_back(context);
  return kSuccess;
}

DRIVER_FUNCTION(cuCtxPopCurrent_v2, Handle* context) {
  ENTER_INITIALIZED(cuCtxPopCurrent_v2);
  if (context_stack.empty()) return kInvalidContext;
  if (context != nullptr) *context = context_stack.back();
  context_stack.pop_back();
  return kSuccess;
}

DRIVER_FUNCTION(cuCtxGetDevice, CUdevice* device) {
  ENTER_CONTEXT(cuCtxGetDevice);
  if (device == nullptr) return kInvalidValue;
  *device = ordinal;
  return kSuccess;
}

DRIVER_FUNCTION(cuCtxSynchronize, void) {
  ENTER_CONTEXT(cuCtxSynchronize);
  return wait_for_device(lock, ordinal);
}

DRIVER_FUNCTION(cuCtxGetStreamPriorityRange, int* least, int* greatest) {
  ENTER_CONTEXT(cuCtxGetStreamPriorityRange);
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -5;
  return kSuccess;
}

// ---- device memory --------------------------------------------------------------------------------------------------

DRIVER_FUNCTION(cuMemGetInfo_v2, std::size_t* free, std::size_t* total) {
  ENTER_CONTEXT(cuMemGetInfo_v2);
  if (free == nullptr || total == nullptr) return kInvalidValue;
  const Device& device = device_of(ordinal);
  const std::uint64_t used = direct_bytes(device) + device.pool.reserved;
  *total = state().settings.capacity;
  *free = *total > used ? *total - used : 0;
  return kSuccess;
}

DRIVER_FUNCTION(cuMemAlloc_v2, CUdeviceptr* address, std::size_t bytes) {
  ENTER_CONTEXT(cuMemAlloc_v2);
  if (address == nullptr || bytes == 0) return kInvalidValue;
  return allocate(address, bytes, ordinal, nullptr);
}

DRIVER_FUNCTION(cuMemFree_v2, CUdeviceptr address) {
  ENTER_CONTEXT(cuMemFree_v2);
  if (address == 0) return kSuccess;
  const std::shared_ptr<Allocation> allocation = retire(address);
  if (!allocation) {
    return violated(kInvalidValue, "cuMemFree of " + hexadecimal(static_cast<std::uintptr_t>(address)) +
                                       ", which is not a live allocation");
  }
  // Memory of the pool is freed without waiting for the work that uses it.
  CUresult result = kSuccess;
  if (!allocation->pooled) result = wait_for_device(lock, allocation->device);
  give_back(*allocation, nullptr);
  return result;
}

DRIVER_FUNCTION(cuMemAllocAsync, CUdeviceptr* address, std::size_t bytes, Handle handle) {
  ENTER_CONTEXT(cuMemAllocAsync);
  if (address == nullptr) return kInvalidValue;
  std::shared_ptr<Stream> stream;
  if (const CUresult result = stream_of(handle, &stream); result != kSuccess) return result;
  return allocate(address, bytes, stream->device, stream.get());
}

namespace {

int ordinal_of_pool(const void* pool) {
  for (int ordinal = 0; ordinal < kMaxDevices; ++ordinal) {
    if (&device_of(ordinal).pool == pool) return ordinal;
  }
  return -1;
}

}  // namespace

DRIVER_FUNCTION(cuMemAllocFromPoolAsync, CUdeviceptr* address, std::size_t bytes, Handle pool, Handle handle) {
  ENTER_CONTEXT(cuMemAllocFromPoolAsync);
  const int owner = ordinal_of_pool(pool);
  if (address == nullptr || owner < 0) return kInvalidValue;
  std::shared_ptr<Stream> stream;
  if (const CUresult result = stream_of(handle, &stream); result != kSuccess) return result;
  return allocate(address, bytes, owner, stream.get());
}

DRIVER_FUNCTION(cuMemFreeAsync, CUdeviceptr address, Handle handle) {
  ENTER_CONTEXT(cuMemFreeAsync);
  std::shared_ptr<Stream> stream;
  if (const CUresult result = stream_of(handle, &stream); result != kSuccess) return result;
  if (address == 0) return kSuccess;
  std::shared_ptr<Allocation> allocation = retire(address);
  if (!allocation) {
    return violated(kInvalidValue, "cuMemFreeAsync of " + hexadecimal(static_cast<std::uintptr_t>(address)) +
                                       ", which is not a live allocation");
  }
  if (allocation->pooled) stream->reusable_bytes += allocation->bytes;
  Work work;
  work.kind = Work::Kind::free;
  work.allocation = std::move(allocation);
  submit(lock, *stream, std::move(work));
  return kSuccess;
}

DRIVER_FUNCTION(cuMemGetAddressRange_v2, CUdeviceptr* base, std::size_t* bytes, CUdeviceptr address) {
  ENTER_CONTEXT(cuMemGetAddressRange_v2);
  const auto allocation = owner_of(state().allocations, static_cast<std::uintptr_t>(address), 1);
  if (!allocation) return kNotFound;
  if (base != nullptr) *base = allocation->address;
  if (bytes != nullptr) *bytes = allocation->bytes;
  return kSuccess;
}

DRIVER_FUNCTION(cuDeviceGetDefaultMemPool, Handle* pool, CUdevice device) {
  ENTER_INITIALIZED(cuDeviceGetDefaultMemPool);
  if (pool == nullptr) return kInvalidValue;
  if (!device_exists(device)) return kInvalidDevice;
  *pool = &device_of(device).pool;
  return kSuccess;
}

DRIVER_FUNCTION(cuDeviceGetMemPool, Handle* pool, CUdevice device) {
  ENTER_INITIALIZED(cuDeviceGetMemPool);
  if (pool == nullptr) return kInvalidValue;
  if (!device_exists(device)) return kInvalidDevice;
  *pool = &device_of(device).pool;
  return kSuccess;
}

DRIVER_FUNCTION(cuMemPoolTrimTo, Handle pool, std::size_t keep) {
  ENTER_INITIALIZED(cuMemPoolTrimTo);
  const int ordinal = ordinal_of_pool(pool);
  if (ordinal < 0) return kInvalidValue;
  Device& device = device_of(ordinal);
  // Whole blocks, so that at least `keep` bytes stay.
  if (device.pool.reserved > keep) release_idle(device, round_up(keep, kPoolGranularity));
  return kSuccess;
}

namespace {

// CUmemPool_attribute: 1 to 3 are ints, the rest 64-bit.
enum PoolAttribute { kReleaseThreshold = 4, kReserved = 5, kReservedHigh = 6, kUsed = 7, kUsedHigh = 8 };

}  // namespace

DRIVER_FUNCTION(cuMemPoolGetAttribute, Handle handle, int attribute, void* value) {
  ENTER_INITIALIZED(cuMemPoolGetAttribute);
  const int ordinal = ordinal_of_pool(handle);
  if (ordinal < 0 || value == nullptr) return kInvalidValue;
  const Pool& pool = device_of(ordinal).pool;
  auto* wide = static_cast<std::uint64_t*>(value);
  switch (attribute) {
    case 1:
    case 2:
    case 3:
      *static_cast<int*>(value) = pool.reuse[static_cast<std::size_t>(attribute - 1)];
      return kSuccess;
    case kReleaseThreshold:
      *wide = pool.release_threshold;
      return kSuccess;
    case kReserved:
      *wide = pool.reserved;
      return kSuccess;
    case kReservedHigh:
      *wide = pool.reserved_high;
      return kSuccess;
    case kUsed:
      *wide = pool.used;
      return kSuccess;
    case kUsedHigh:
      *wide = pool.used_high;
      return kSuccess;
    default:
      return kInvalidValue;
  }
}

DRIVER_FUNCTION(cuMemPoolSetAttribute, Handle handle, int attribute, void* value) {
  ENTER_INITIALIZED(cuMemPoolSetAttribute);
  const int ordinal = ordinal_of_pool(handle);
  if (ordinal < 0 || value == nullptr) return kInvalidValue;
  Pool& pool = device_of(ordinal).pool;
  switch (attribute) {
    case 1:
    case 2:
    case 3:
      pool.reuse[static_cast<std::size_t>(attribute - 1)] = *static_cast<const int*>(value);
      return kSuccess;
    case kReleaseThreshold:
      pool.release_threshold = *static_cast<const std::uint64_t*>(value);
      return kSuccess;
    case kReservedHigh:
    case kUsedHigh:
      if (*static_cast<const std::uint64_t*>(value) != 0) return kInvalidValue;
      (attribute == kUsedHigh ? pool.used_high : pool.reserved_high) =
          attribute == kUsedHigh ? pool.used : pool.reserved;
      return kSuccess;
    default:
      return kInvalidValue;
  }
}

// ---- pinned host memory ---------------------------------------------------------------------------------------------

namespace {

CUresult allocate_pinned(void** pointer, std::size_t bytes) {
  if (pointer == nullptr) return kInvalidValue;
  *pointer = nullptr;
  if (bytes == 0) return kSuccess;
  void* memory = nullptr;
  if (posix_memalign(&memory, 4096, bytes) != 0) return kOutOfMemory;
  auto pinned = std::make_shared<Pinned>();
  pinned->address = reinterpret_cast<std::uintptr_t>(memory);
  pinned->bytes = bytes;
  state().pinned.emplace(pinned->address, std::move(pinned));
  ++state().counters.live_pinned;
  ++state().counters.total_pinned;
  state().counters.live_pinned_bytes += bytes;
  *pointer = memory;
  return kSuccess;
}

}  // namespace

DRIVER_FUNCTION(cuMemHostAlloc, void** pointer, std::size_t bytes, unsigned) {
  ENTER_CONTEXT(cuMemHostAlloc);
  return allocate_pinned(pointer, bytes);
}

DRIVER_FUNCTION(cuMemAllocHost_v2, void** pointer, std::size_t bytes) {
  ENTER_CONTEXT(cuMemAllocHost_v2);
  return allocate_pinned(pointer, bytes);
}

DRIVER_FUNCTION(cuMemFreeHost, void* pointer) {
  ENTER_CONTEXT(cuMemFreeHost);
  if (pointer == nullptr) return kSuccess;
  const auto found = state().pinned.find(reinterpret_cast<std::uintptr_t>(pointer));
  if (found == state().pinned.end()) {
    return violated(kInvalidValue, "cuMemFreeHost of " + hexadecimal(reinterpret_cast<std::uintptr_t>(pointer)) +
                                       ", which is not pinned memory");
  }
  found->second->live = false;
  --state().counters.live_pinned;
  state().counters.live_pinned_bytes -= found->second->bytes;
  state().pinned.erase(found);
  std::free(pointer);
  return kSuccess;
}

DRIVER_FUNCTION(cuMemHostGetDevicePointer_v2, CUdeviceptr* address, void* pointer, unsigned flags) {
  ENTER_CONTEXT(cuMemHostGetDevicePointer_v2);
  const auto value = reinterpret_cast<std::uintptr_t>(pointer);
  if (address == nullptr || flags != 0 || !owner_of(state().pinned, value, 1)) return kInvalidValue;
  *address = value;
  return kSuccess;
}

// ---- copies ---------------------------------------------------------------------------------------------------------

DRIVER_FUNCTION(cuMemcpyHtoD_v2, CUdeviceptr target, const void* source, std::size_t bytes) {
  ENTER_CONTEXT(cuMemcpyHtoD_v2);
  return copy(device_operand(target, bytes, "cuMemcpyHtoD"), host_operand(source, bytes, "cuMemcpyHtoD"), nullptr, true,
              lock);
}

DRIVER_FUNCTION(cuMemcpyDtoH_v2, void* target, CUdeviceptr source, std::size_t bytes) {
  ENTER_CONTEXT(cuMemcpyDtoH_v2);
  return copy(host_operand(target, bytes, "cuMemcpyDtoH"), device_operand(source, bytes, "cuMemcpyDtoH"), nullptr, true,
              lock);
}

DRIVER_FUNCTION(cuMemcpyDtoD_v2, CUdeviceptr target, CUdeviceptr source, std::size_t bytes) {
  ENTER_CONTEXT(cuMemcpyDtoD_v2);
  return copy(device_operand(target, bytes, "cuMemcpyDtoD"), device_operand(source, bytes, "cuMemcpyDtoD"), nullptr,
              false, lock);
}

DRIVER_FUNCTION(cuMemcpy, CUdeviceptr target, CUdeviceptr source, std::size_t bytes) {
  ENTER_CONTEXT(cuMemcpy);
  return copy(unified_operand(target, bytes, "cuMemcpy"), unified_operand(source, bytes, "cuMemcpy"), nullptr, true,
              lock);
}

DRIVER_FUNCTION(cuMemcpyHtoDAsync_v2, CUdeviceptr target, const void* source, std::size_t bytes, Handle stream) {
  ENTER_CONTEXT(cuMemcpyHtoDAsync_v2);
  return copy(device_operand(target, bytes, "cuMemcpyHtoDAsync"), host_operand(source, bytes, "cuMemcpyHtoDAsync"),
              stream, false, lock);
}

DRIVER_FUNCTION(cuMemcpyDtoHAsync_v2, void* target, CUdeviceptr source, std::size_t bytes, Handle stream) {
  ENTER_CONTEXT(cuMemcpyDtoHAsync_v2);
  return copy(host_operand(target, bytes, "cuMemcpyDtoHAsync"), device_operand(source, bytes, "cuMemcpyDtoHAsync"),
              stream, false, lock);
}

DRIVER_FUNCTION(cuMemcpyDtoDAsync_v2, CUdeviceptr target, CUdeviceptr source, std::size_t bytes, Handle stream) {
  ENTER_CONTEXT(cuMemcpyDtoDAsync_v2);
  return copy(device_operand(target, bytes, "cuMemcpyDtoDAsync"), device_operand(source, bytes, "cuMemcpyDtoDAsync"),
              stream, false, lock);
}

DRIVER_FUNCTION(cuMemcpyAsync, CUdeviceptr target, CUdeviceptr source, std::size_t bytes, Handle stream) {
  ENTER_CONTEXT(cuMemcpyAsync);
  return copy(unified_operand(target, bytes, "cuMemcpyAsync"), unified_operand(source, bytes, "cuMemcpyAsync"), stream,
              false, lock);
}

// ---- memsets --------------------------------------------------------------------------------------------------------

DRIVER_FUNCTION(cuMemsetD8_v2, CUdeviceptr target, unsigned char value, std::size_t count) {
  ENTER_CONTEXT(cuMemsetD8_v2);
  return fill(target, 0, value, 1, count, 1, nullptr, lock);
}

DRIVER_FUNCTION(cuMemsetD16_v2, CUdeviceptr target, unsigned short value, std::size_t count) {
  ENTER_CONTEXT(cuMemsetD16_v2);
  return fill(target, 0, value, 2, count, 1, nullptr, lock);
}

DRIVER_FUNCTION(cuMemsetD32_v2, CUdeviceptr target, unsigned value, std::size_t count) {
  ENTER_CONTEXT(cuMemsetD32_v2);
  return fill(target, 0, value, 4, count, 1, nullptr, lock);
}

DRIVER_FUNCTION(cuMemsetD2D8_v2, CUdeviceptr target, std::size_t pitch, unsigned char value, std::size_t width,
                std::size_t height) {
  ENTER_CONTEXT(cuMemsetD2D8_v2);
  return fill(target, pitch, value, 1, width, height, nullptr, lock);
}

DRIVER_FUNCTION(cuMemsetD2D16_v2, CUdeviceptr target, std::size_t pitch, unsigned short value, std::size_t width,
                std::size_t height) {
  ENTER_CONTEXT(cuMemsetD2D16_v2);
  return fill(target, pitch, value, 2, width, height, nullptr, lock);
}

DRIVER_FUNCTION(cuMemsetD2D32_v2, CUdeviceptr target, std::size_t pitch, unsigned value, std::size_t width,
                std::size_t height) {
  ENTER_CONTEXT(cuMemsetD2D32_v2);
  return fill(target, pitch, value, 4, width, height, nullptr, lock);
}

DRIVER_FUNCTION(cuMemsetD8Async, CUdeviceptr target, unsigned char value, std::size_t count, Handle stream) {
  ENTER_CONTEXT(cuMemsetD8Async);
  return fill(target, 0, value, 1, count, 1, stream, lock);
}

DRIVER_FUNCTION(cuMemsetD16Async, CUdeviceptr target, unsigned short value, std::size_t count, Handle stream) {
  ENTER_CONTEXT(cuMemsetD16Async);
  return fill(target, 0, value, 2, count, 1, stream, lock);
}

DRIVER_FUNCTION(cuMemsetD32Async, CUdeviceptr target, unsigned value, std::size_t count, Handle stream) {
  ENTER_CONTEXT(cuMemsetD32Async);
  return fill(target, 0, value, 4, count, 1, stream, lock);
}

DRIVER_FUNCTION(cuMemsetD2D8Async, CUdeviceptr target, std::size_t pitch, unsigned char value, std::size_t width,
                std::size_t height, Handle stream) {
  ENTER_CONTEXT(cuMemsetD2D8Async);
  return fill(target, pitch, value, 1, width, height, stream, lock);
}

DRIVER_FUNCTION(cuMemsetD2D16Async, CUdeviceptr target, std::size_t pitch, unsigned short value, std::size_t width,
                std::size_t height, Handle stream) {
  ENTER_CONTEXT(cuMemsetD2D16Async);
  return fill(target, pitch, value, 2, width, height, stream, lock);
}

DRIVER_FUNCTION(cuMemsetD2D32Async, CUdeviceptr target, std::size_t pitch, unsigned value, std::size_t width,
                std::size_t height, Handle stream) {
  ENTER_CONTEXT(cuMemsetD2D32Async);
  return fill(target, pitch, value, 4, width, height, stream, lock);
}

// ---- streams --------------------------------------------------------------------------------------------------------

namespace {

CUresult create_stream(Handle* handle, unsigned flags, int priority, int ordinal) {
  if (handle == nullptr || (flags & ~kStreamNonBlocking) != 0) return kInvalidValue;
  auto stream = std::make_shared<Stream>();
  stream->device = ordinal;
  stream->flags = flags;
  stream->priority = priority;
  stream->held = state().hold_all;
  *handle = stream.get();
  state().streams.push_back(std::move(stream));
  ++state().counters.live_streams;
  ++state().counters.total_streams;
  return kSuccess;
}

}  // namespace

DRIVER_FUNCTION(cuStreamCreate, Handle* stream, unsigned flags) {
  ENTER_CONTEXT(cuStreamCreate);
  return create_stream(stream, flags, 0, ordinal);
}

DRIVER_FUNCTION(cuStreamCreateWithPriority, Handle* stream, unsigned flags, int priority) {
  ENTER_CONTEXT(cuStreamCreateWithPriority);
  return create_stream(stream, flags, std::clamp(priority, -5, 0), ordinal);
}

DRIVER_FUNCTION(cuStreamDestroy_v2, Handle handle) {
  ENTER_CONTEXT(cuStreamDestroy_v2);
  const std::shared_ptr<Stream> stream = live_stream(handle);
  if (!stream) return violated(kInvalidHandle, "cuStreamDestroy of a stream that does not exist");
  // Its work still runs; the stream goes when that is done.
  stream->destroyed = true;
  --state().counters.live_streams;
  std::erase_if(state().streams, [](const auto& each) { return each->destroyed && each->queue.empty(); });
  return kSuccess;
}

DRIVER_FUNCTION(cuStreamQuery, Handle handle) {
  ENTER_CONTEXT(cuStreamQuery);
  std::shared_ptr<Stream> stream;
  if (const CUresult result = stream_of(handle, &stream); result != kSuccess) return result;
  return stream->completed == stream->enqueued ? kSuccess : kNotReady;
}

DRIVER_FUNCTION(cuStreamSynchronize, Handle handle) {
  ENTER_CONTEXT(cuStreamSynchronize);
  std::shared_ptr<Stream> stream;
  if (const CUresult result = stream_of(handle, &stream); result != kSuccess) return result;
  return wait_for_stream(lock, stream);
}

DRIVER_FUNCTION(cuStreamWaitEvent, Handle handle, Handle event_handle, unsigned) {
  ENTER_CONTEXT(cuStreamWaitEvent);
  std::shared_ptr<Stream> stream;
  if (const CUresult result = stream_of(handle, &stream); result != kSuccess) return result;
  const std::shared_ptr<Event> event = event_of(event_handle);
  if (!event) return kInvalidHandle;
  Work work;
  work.kind = Work::Kind::wait_event;
  work.event = event;
  work.serial = event->recorded;
  submit(lock, *stream, std::move(work));
  return kSuccess;
}

DRIVER_FUNCTION(cuStreamGetCtx, Handle handle, Handle* context) {
  ENTER_CONTEXT(cuStreamGetCtx);
  std::shared_ptr<Stream> stream;
  if (const CUresult result = stream_of(handle, &stream); result != kSuccess) return result;
  if (context == nullptr) return kInvalidValue;
  *context = &device_of(stream->device);
  return kSuccess;
}

DRIVER_FUNCTION(cuStreamGetPriority, Handle handle, int* priority) {
  ENTER_CONTEXT(cuStreamGetPriority);
  std::shared_ptr<Stream> stream;
  if (const CUresult result = stream_of(handle, &stream); result != kSuccess) return result;
  if (priority == nullptr) return kInvalidValue;
  *priority = stream->priority;
  return kSuccess;
}

DRIVER_FUNCTION(cuStreamGetFlags, Handle handle, unsigned* flags) {
  ENTER_CONTEXT(cuStreamGetFlags);
  std::shared_ptr<Stream> stream;
  if (const CUresult result = stream_of(handle, &stream); result != kSuccess) return result;
  if (flags == nullptr) return kInvalidValue;
  *flags = stream->flags;
  return kSuccess;
}

DRIVER_FUNCTION(cuStreamIsCapturing, Handle handle, int* status) {
  ENTER_CONTEXT(cuStreamIsCapturing);
  std::shared_ptr<Stream> stream;
  if (const CUresult result = stream_of(handle, &stream); result != kSuccess) return result;
  if (status == nullptr) return kInvalidValue;
  *status = 0;  // CU_STREAM_CAPTURE_STATUS_NONE
  return kSuccess;
}

DRIVER_FUNCTION(cuLaunchHostFunc, Handle handle, HostFunction function, void* argument) {
  ENTER_CONTEXT(cuLaunchHostFunc);
  std::shared_ptr<Stream> stream;
  if (const CUresult result = stream_of(handle, &stream); result != kSuccess) return result;
  if (function == nullptr) return kInvalidValue;
  Work work;
  work.kind = Work::Kind::host_function;
  work.function = function;
  work.argument = argument;
  submit(lock, *stream, std::move(work));
  return kSuccess;
}

// ---- events ---------------------------------------------------------------------------------------------------------

DRIVER_FUNCTION(cuEventCreate, Handle* handle, unsigned flags) {
  ENTER_CONTEXT(cuEventCreate);
  if (handle == nullptr) return kInvalidValue;
  auto event = std::make_shared<Event>();
  event->flags = flags;
  *handle = event.get();
  state().events.emplace(event.get(), event);
  ++state().counters.live_events;
  ++state().counters.total_events;
  return kSuccess;
}

DRIVER_FUNCTION(cuEventDestroy_v2, Handle handle) {
  ENTER_CONTEXT(cuEventDestroy_v2);
  if (!event_of(handle)) return kInvalidHandle;
  state().events.erase(handle);
  --state().counters.live_events;
  return kSuccess;
}

namespace {

CUresult record(Handle event_handle, Handle handle, Lock& lock) {
  std::shared_ptr<Stream> stream;
  if (const CUresult result = stream_of(handle, &stream); result != kSuccess) return result;
  const std::shared_ptr<Event> event = event_of(event_handle);
  if (!event) return kInvalidHandle;
  Work work;
  work.kind = Work::Kind::record;
  work.event = event;
  work.serial = ++event->recorded;
  submit(lock, *stream, std::move(work));
  return kSuccess;
}

}  // namespace

DRIVER_FUNCTION(cuEventRecord, Handle event, Handle stream) {
  ENTER_CONTEXT(cuEventRecord);
  return record(event, stream, lock);
}

DRIVER_FUNCTION(cuEventRecordWithFlags, Handle event, Handle stream, unsigned) {
  ENTER_CONTEXT(cuEventRecordWithFlags);
  return record(event, stream, lock);
}

DRIVER_FUNCTION(cuEventQuery, Handle handle) {
  ENTER_CONTEXT(cuEventQuery);
  const std::shared_ptr<Event> event = event_of(handle);
  if (!event) return kInvalidHandle;
  return event->completed == event->recorded ? kSuccess : kNotReady;
}

DRIVER_FUNCTION(cuEventSynchronize, Handle handle) {
  ENTER_CONTEXT(cuEventSynchronize);
  const std::shared_ptr<Event> event = event_of(handle);
  if (!event) return kInvalidHandle;
  const std::uint64_t serial = event->recorded;
  const CUresult result = wait(lock, [&event, serial] { return event->completed >= serial; });
  release_beyond_threshold(device_of(ordinal));
  return result;
}

namespace {

CUresult elapsed_time(float* milliseconds, Handle start_handle, Handle end_handle) {
  const std::shared_ptr<Event> start = event_of(start_handle);
  const std::shared_ptr<Event> end = event_of(end_handle);
  if (!start || !end) return kInvalidHandle;
  if (milliseconds == nullptr) return kInvalidValue;
  if (((start->flags | end->flags) & kEventDisableTiming) != 0) return kInvalidHandle;
  if (start->recorded == 0 || end->recorded == 0) return kInvalidHandle;
  if (start->completed != start->recorded || end->completed != end->recorded) return kNotReady;
  *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
  return kSuccess;
}

}  // namespace

DRIVER_FUNCTION(cuEventElapsedTime, float* milliseconds, Handle start, Handle end) {
  ENTER_CONTEXT(cuEventElapsedTime);
  return elapsed_time(milliseconds, start, end);
}

DRIVER_FUNCTION(cuEventElapsedTime_v2, float* milliseconds, Handle start, Handle end) {
  ENTER_CONTEXT(cuEventElapsedTime_v2);
  return elapsed_time(milliseconds, start, end);
}

// ---- libraries, kernels, launches -----------------------------------------------------------------------------------

namespace {

/// Bytes of an ELF image (a cubin): up to the end of its section headers, which come last.
std::size_t elf_bytes(const unsigned char* image) {
  std::uint64_t section_offset = 0;
  std::uint16_t section_size = 0;
  std::uint16_t section_count = 0;
  std::uint64_t program_offset = 0;
  std::uint16_t program_size = 0;
  std::uint16_t program_count = 0;
  std::memcpy(&program_offset, image + 32, 8);
  std::memcpy(&section_offset, image + 40, 8);
  std::memcpy(&program_size, image + 54, 2);
  std::memcpy(&program_count, image + 56, 2);
  std::memcpy(&section_size, image + 58, 2);
  std::memcpy(&section_count, image + 60, 2);
  return std::max(section_offset + std::uint64_t{section_size} * section_count,
                  program_offset + std::uint64_t{program_size} * program_count);
}

/// The compute capability that a cubin was made for. ABI version 8 (CUDA 13) moved it up a byte in the ELF flags.
int cubin_capability(const unsigned char* image) {
  constexpr int kAbiVersion = 8;
  constexpr int kFlags = 48;
  return image[kAbiVersion] >= 8 ? image[kFlags + 1] : image[kFlags];
}

Kernel* kernel_of(Handle handle) {
  const auto found = state().kernels.find(handle);
  if (found != state().kernels.end()) return found->second.get();
  violate("kernel " + hexadecimal(reinterpret_cast<std::uintptr_t>(handle)) + " does not exist");
  return nullptr;
}

}  // namespace

DRIVER_FUNCTION(cuLibraryLoadData, Handle* handle, const void* code, int*, void**, unsigned, int*, void**, unsigned) {
  ENTER_INITIALIZED(cuLibraryLoadData);
  if (handle == nullptr || code == nullptr) return kInvalidValue;
  const auto* bytes = static_cast<const unsigned char*>(code);
  if (std::memcmp(bytes,
                  "\x7f"
                  "ELF",
                  4) != 0)
    return kInvalidImage;
  // A cubin runs on devices of its major version whose minor version is not lower.
  const int made_for = cubin_capability(bytes);
  const int capability = state().settings.compute_capability;
  if (made_for / 10 != capability / 10 || made_for > capability) return kNoBinaryForGpu;
  auto library = std::make_unique<Library>();
  library->image.assign(static_cast<const char*>(code), elf_bytes(bytes));
  *handle = library.get();
  state().libraries.emplace(library.get(), std::move(library));
  ++state().counters.live_libraries;
  ++state().counters.total_libraries;
  return kSuccess;
}

DRIVER_FUNCTION(cuLibraryUnload, Handle handle) {
  ENTER_INITIALIZED(cuLibraryUnload);
  if (state().libraries.erase(handle) == 0) {
    return violated(kInvalidHandle, "cuLibraryUnload of a library that is not loaded");
  }
  std::erase_if(state().kernels, [handle](const auto& entry) { return entry.second->library == handle; });
  --state().counters.live_libraries;
  return kSuccess;
}

DRIVER_FUNCTION(cuLibraryGetKernel, Handle* handle, Handle library, const char* name) {
  ENTER_INITIALIZED(cuLibraryGetKernel);
  if (handle == nullptr || name == nullptr) return kInvalidValue;
  const auto found = state().libraries.find(library);
  if (found == state().libraries.end()) {
    return violated(kInvalidHandle, "cuLibraryGetKernel of a library that is not loaded");
  }
  for (const auto& [known, kernel] : state().kernels) {
    if (kernel->library != library || kernel->name != name) continue;
    *handle = known;
    return kSuccess;
  }
  // A cubin has a section ".text.NAME" for each kernel.
  std::string section = std::string(".text.") + name;
  section.push_back('\0');
  if (found->second->image.find(section) == std::string::npos) return kNotFound;
  auto kernel = std::make_unique<Kernel>();
  kernel->name = name;
  kernel->library = library;
  *handle = kernel.get();
  state().kernels.emplace(kernel.get(), std::move(kernel));
  return kSuccess;
}

DRIVER_FUNCTION(cuKernelGetFunction, Handle* function, Handle kernel) {
  ENTER_CONTEXT(cuKernelGetFunction);
  if (function == nullptr) return kInvalidValue;
  if (kernel_of(kernel) == nullptr) return kInvalidHandle;
  *function = kernel;
  return kSuccess;
}

namespace {

// CUfunction_attribute.
enum FunctionAttribute {
  kMaxThreadsPerBlock = 0,
  kSharedSizeBytes = 1,
  kNumRegs = 4,
  kPtxVersion = 5,
  kBinaryVersion = 6,
  kMaxDynamicSharedBytes = 8,
  kFunctionAttributeEnd = 16,
};

CUresult get_attribute(int* value, int attribute, Handle handle) {
  if (value == nullptr || attribute < 0 || attribute >= kFunctionAttributeEnd) return kInvalidValue;
  const Kernel* kernel = kernel_of(handle);
  if (kernel == nullptr) return kInvalidHandle;
  const int capability = state().settings.compute_capability;
  const std::map<int, int> values{{kMaxThreadsPerBlock, 1024},
                                  {kNumRegs, 32},
                                  {kPtxVersion, capability},
                                  {kBinaryVersion, capability},
                                  {kMaxDynamicSharedBytes, 49152}};
  if (const auto own = kernel->attributes.find(attribute); own != kernel->attributes.end()) {
    *value = own->second;
  } else {
    const auto found = values.find(attribute);
    *value = found != values.end() ? found->second : 0;
  }
  return kSuccess;
}

CUresult set_attribute(int attribute, int value, Handle handle) {
  if (attribute < kMaxDynamicSharedBytes || attribute >= kFunctionAttributeEnd) return kInvalidValue;
  if (attribute == kMaxDynamicSharedBytes && (value < 0 || value > 232448)) return kInvalidValue;
  Kernel* kernel = kernel_of(handle);
  if (kernel == nullptr) return kInvalidHandle;
  kernel->attributes[attribute] = value;
  return kSuccess;
}

}  // namespace

DRIVER_FUNCTION(cuFuncGetAttribute, int* value, int attribute, Handle function) {
  ENTER_CONTEXT(cuFuncGetAttribute);
  return get_attribute(value, attribute, function);
}

DRIVER_FUNCTION(cuFuncSetAttribute, Handle function, int attribute, int value) {
  ENTER_CONTEXT(cuFuncSetAttribute);
  return set_attribute(attribute, value, function);
}

DRIVER_FUNCTION(cuKernelGetAttribute, int* value, int attribute, Handle kernel, CUdevice device) {
  ENTER_INITIALIZED(cuKernelGetAttribute);
  if (!device_exists(device)) return kInvalidDevice;
  return get_attribute(value, attribute, kernel);
}

DRIVER_FUNCTION(cuKernelSetAttribute, int attribute, int value, Handle kernel, CUdevice device) {
  ENTER_INITIALIZED(cuKernelSetAttribute);
  if (!device_exists(device)) return kInvalidDevice;
  return set_attribute(attribute, value, kernel);
}

namespace {

CUresult occupancy(int* blocks, Handle function, int block_size, std::size_t shared_bytes) {
  if (blocks == nullptr || block_size <= 0 || block_size > 1024) return kInvalidValue;
  if (kernel_of(function) == nullptr) return kInvalidHandle;
  const std::size_t by_shared = shared_bytes == 0 ? 32 : 233472 / (shared_bytes + 1024);
  *blocks = std::min({32, 2048 / block_size, static_cast<int>(by_shared)});
  return kSuccess;
}

}  // namespace

DRIVER_FUNCTION(cuOccupancyMaxActiveBlocksPerMultiprocessor, int* blocks, Handle function, int block_size,
                std::size_t shared_bytes) {
  ENTER_CONTEXT(cuOccupancyMaxActiveBlocksPerMultiprocessor);
  return occupancy(blocks, function, block_size, shared_bytes);
}

DRIVER_FUNCTION(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int* blocks, Handle function, int block_size,
                std::size_t shared_bytes, unsigned) {
  ENTER_CONTEXT(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags);
  return occupancy(blocks, function, block_size, shared_bytes);
}

namespace {

void submit_launch(Lock& lock, Stream& stream, const SimulatedCudaLaunch& launch, std::vector<Operand> operands) {
  ++state().counters.launches;
  state().last_launch = launch;
  Work work;
  work.operands = std::move(operands);
  submit(lock, stream, std::move(work));
}

CUresult launch_kernel(SimulatedCudaLaunch launch, Handle function, Lock& lock) {
  std::shared_ptr<Stream> stream;
  if (const CUresult result = stream_of(launch.stream, &stream); result != kSuccess) return result;
  const Kernel* kernel = kernel_of(function);
  if (kernel == nullptr) return kInvalidHandle;
  for (const std::uint32_t size :
       {launch.grid[0], launch.grid[1], launch.grid[2], launch.block[0], launch.block[1], launch.block[2]}) {
    if (size == 0) return kInvalidValue;
  }
  if (std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2] > 1024) return kInvalidValue;
  std::snprintf(launch.name, sizeof launch.name, "%s", kernel->name.c_str());
  submit_launch(lock, *stream, launch, {});
  return kSuccess;
}

// The head of CUlaunchConfig, which is all that this double looks at.
struct LaunchConfig {
  std::uint32_t grid[3];
  std::uint32_t block[3];
  std::uint32_t shared_bytes;
  Handle stream;
};

}  // namespace

DRIVER_FUNCTION(cuLaunchKernel, Handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                unsigned block_y, unsigned block_z, unsigned shared_bytes, Handle stream, void**, void**) {
  ENTER_CONTEXT(cuLaunchKernel);
  return launch_kernel({{}, stream, 0, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes}, function,
                       lock);
}

DRIVER_FUNCTION(cuLaunchKernelEx, const LaunchConfig* config, Handle function, void**, void**) {
  ENTER_CONTEXT(cuLaunchKernelEx);
  if (config == nullptr) return kInvalidValue;
  SimulatedCudaLaunch launch{};
  launch.stream = config->stream;
  std::copy(std::begin(config->grid), std::end(config->grid), std::begin(launch.grid));
  std::copy(std::begin(config->block), std::end(config->block), std::begin(launch.block));
  launch.shared_bytes = config->shared_bytes;
  return launch_kernel(launch, function, lock);
}

// ---- controls -------------------------------------------------------------------------------------------------------

SIMULATED_EXPORT void simulated_cuda_reset() {
  simulated_cuda_release_all();
  Function::reset_all();
  State& all = state();
  const Lock lock(all.mutex);
  all.settings = Settings{};
  SimulatedCudaCounters& counters = all.counters;
  counters.total_allocations = counters.total_streams = counters.total_events = counters.total_libraries = 0;
  counters.total_pinned = counters.launches = counters.violations = 0;
  counters.peak_bytes = counters.live_bytes;
  all.last_violation.clear();
  all.last_launch.reset();
}

SIMULATED_EXPORT void simulated_cuda_set_capacity(std::uint64_t bytes) {
  const Lock lock(state().mutex);
  state().settings.capacity = bytes;
}

SIMULATED_EXPORT void simulated_cuda_set_device_count(int count) {
  const Lock lock(state().mutex);
  state().settings.device_count = std::clamp(count, 0, kMaxDevices);
}

SIMULATED_EXPORT void simulated_cuda_set_compute_capability(int capability) {
  const Lock lock(state().mutex);
  state().settings.compute_capability = capability;
}

SIMULATED_EXPORT void simulated_cuda_set_driver_version(int version) {
  const Lock lock(state().mutex);
  state().settings.driver_version = version;
}

SIMULATED_EXPORT void simulated_cuda_set_wait_limit(int milliseconds) {
  const Lock lock(state().mutex);
  state().settings.wait_limit = std::chrono::milliseconds(milliseconds);
}

SIMULATED_EXPORT int simulated_cuda_fail_next(const char* function, std::uint64_t nth, int result) {
  Function* const found = Function::find(function);
  if (found == nullptr || nth == 0) return 0;
  found->fail_next(nth, result);
  return 1;
}

SIMULATED_EXPORT std::uint64_t simulated_cuda_calls(const char* function) {
  const Function* const found = Function::find(function);
  return found != nullptr ? found->calls() : UINT64_MAX;
}

SIMULATED_EXPORT void simulated_cuda_visit_calls(void (*visit)(void* context, const char* name, std::uint64_t calls),
                                                 void* context) {
  Function::visit_calls([&](const char* name, std::uint64_t calls) { visit(context, name, calls); });
}

SIMULATED_EXPORT void simulated_cuda_counters(SimulatedCudaCounters* counters) {
  const Lock lock(state().mutex);
  *counters = state().counters;
  counters->pool_reserved_bytes = 0;
  for (const Device& device : state().devices) counters->pool_reserved_bytes += device.pool.reserved;
}

SIMULATED_EXPORT const char* simulated_cuda_last_violation() {
  thread_local std::string text;
  const Lock lock(state().mutex);
  text = state().last_violation;
  return text.c_str();
}

SIMULATED_EXPORT int simulated_cuda_last_launch(SimulatedCudaLaunch* launch) {
  const Lock lock(state().mutex);
  if (!state().last_launch) return 0;
  *launch = *state().last_launch;
  return 1;
}

SIMULATED_EXPORT std::uint64_t simulated_cuda_streams(void** streams, std::uint64_t capacity) {
  const Lock lock(state().mutex);
  std::uint64_t count = 0;
  for (const auto& stream : state().streams) {
    if (stream->destroyed) continue;
    if (count < capacity) streams[count] = stream.get();
    ++count;
  }
  return count;
}

namespace {

int set_held(void* handle, bool held) {
  Lock lock(state().mutex);
  // A destroyed stream may still have held work, so that it too can be released.
  std::shared_ptr<Stream> stream = handle == nullptr ? device_of(0).null_stream : nullptr;
  for (const auto& each : state().streams) {
    if (each.get() == handle) stream = each;
  }
  if (!stream) return 0;
  stream->held = held;
  settle(lock);
  return 1;
}

void set_all_held(bool held) {
  Lock lock(state().mutex);
  state().hold_all = held;
  for (Device& device : state().devices) device.null_stream->held = held;
  for (const auto& stream : state().streams) stream->held = held;
  settle(lock);
}

}  // namespace

SIMULATED_EXPORT int simulated_cuda_hold_stream(void* stream) { return set_held(stream, true); }

SIMULATED_EXPORT int simulated_cuda_release_stream(void* stream) { return set_held(stream, false); }

SIMULATED_EXPORT void simulated_cuda_hold_all() { set_all_held(true); }

SIMULATED_EXPORT void simulated_cuda_release_all() { set_all_held(false); }

SIMULATED_EXPORT void* simulated_cuda_function(const char* name) {
  Function* const found = Function::find(name);
  return found != nullptr ? found : new Function(name);
}

SIMULATED_EXPORT int simulated_cuda_enter(void* function) { return static_cast<Function*>(function)->enter(); }

SIMULATED_EXPORT int simulated_cuda_launch(const char* name, void* handle, std::uint64_t items,
                                           const SimulatedCudaRange* ranges, std::uint64_t count) {
  if (in_host_function) return kNotPermitted;
  if (!state().initialized) return kNotInitialized;
  Lock lock(state().mutex);
  std::shared_ptr<Stream> stream;
  if (const CUresult result = stream_of(handle, &stream); result != kSuccess) return result;
  std::vector<Operand> operands;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::optional<Operand> operand = device_operand(ranges[i].address, ranges[i].bytes, name);
    if (!operand) return kInvalidValue;
    operands.push_back(*std::move(operand));
  }
  SimulatedCudaLaunch launch{};
  std::snprintf(launch.name, sizeof launch.name, "%s", name);
  launch.stream = handle;
  launch.items = items;
  submit_launch(lock, *stream, launch, std::move(operands));
  return kSuccess;
}

SIMULATED_EXPORT int simulated_cuda_is_library(const void* library) {
  const Lock lock(state().mutex);
  return state().libraries.contains(library) ? 1 : 0;
}

SIMULATED_EXPORT void simulated_cuda_violation(const char* what) {
  const Lock lock(state().mutex);
  violate(what);
}
