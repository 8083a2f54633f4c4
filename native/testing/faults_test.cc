// What every failure of the driver does: each function that is called from here, in the order of the function table,
// fails at each of its calls in a program that uses everything of native/driver and native/memory. Builds and their
// failures are in builds_test.cc.

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "native/memory/shared_buffers.h"
#include "native/memory/staging.h"
#include "native/testing/simulated_device.h"

namespace cuda_compute {
namespace {

constexpr int launch_failed = 719;
constexpr std::size_t mebibyte = std::size_t{1} << 20;
/// Reads beyond this come in pieces.
constexpr std::size_t large_read = 4 * mebibyte;
constexpr std::size_t workspace_bytes = std::size_t{64} << 10;

/// Every function of the driver that is called from here.
constexpr const char* driver_functions[] = {
#define NAME(member, symbol, parameters) symbol,
    CUDA_COMPUTE_DRIVER_FUNCTIONS(NAME)
#undef NAME
};

// ---- the first use of the driver in the process ---------------------------------------------------------------------

/// What can be seen once in a process: it loads the driver, and opens its devices, with every call failing before.
struct FirstUse {
  std::vector<Failure> loading;
  std::vector<Failure> opening;
  std::set<std::string> called;  ///< functions of the table
  bool leaves_contexts = false;
};

void note_calls(std::set<std::string>& called) {
  for (const char* function : driver_functions) {
    if (simulated_cuda_calls(function) > 0) called.insert(function);
  }
}

FirstUse use_first() {
  FirstUse result;
  simulated_cuda_reset();
  // Each attempt is stopped by one more function, until none is left that fails.
  for (const char* function : driver_functions) simulated_cuda_fail_next(function, 1, launch_failed);
  while (auto failure = failure_of([] { CudaApi::load(TEST_SIMULATED_CUDA); })) result.loading.push_back(*failure);
  note_calls(result.called);

  simulated_cuda_reset();
  simulated_cuda_set_device_count(2);
  Device::count();
  Device::open(1);
  note_calls(result.called);
  std::map<std::string, std::uint64_t> times;
  for (const char* function : driver_functions) times[function] = simulated_cuda_calls(function);
  for (const auto& [function, count] : times) {
    for (std::uint64_t nth = 1; nth <= count; ++nth) {
      simulated_cuda_reset();
      simulated_cuda_fail_next(function.c_str(), nth, launch_failed);
      const std::uint64_t contexts = simulated_counters().live_contexts;
      const auto failure = failure_of([] {
        Device::count();
        Device::open(0);
      });
      if (failure) result.opening.push_back(*failure);
      result.leaves_contexts |= simulated_counters().live_contexts != contexts;
      note_calls(result.called);
    }
  }
  Device::open(0);
  return result;
}

const FirstUse& first_use() {
  static const FirstUse result = use_first();
  return result;
}

std::vector<std::string> messages(const std::vector<Failure>& failures) {
  std::vector<std::string> result;
  result.reserve(failures.size());
  for (const Failure& failure : failures) result.push_back(failure.code + ": " + failure.what());
  return result;
}

/// What is said of the failure that is injected here, as of every one that takes the device's context with it.
const std::string context_lost =
    " A kernel that was launched before did this, and the device's context is lost: every later call fails likewise. "
    "Start the process again; with CUDA_LAUNCH_BLOCKING=1 in its environment the call at fault throws.";

TEST(LoadingTheDriver, IsToldWhatFailedAndCanBeTriedAgain) {
  // The driver's own functions for naming a failure fail too, the first time.
  EXPECT_EQ(messages(first_use().loading),
            (std::vector<std::string>{
                "CUDA_ERROR_UNKNOWN: cuInit failed: unknown error (CUDA_ERROR_UNKNOWN)." + context_lost,
                "CUDA_ERROR_LAUNCH_FAILED: cuDriverGetVersion failed: launch failure (CUDA_ERROR_LAUNCH_FAILED)." +
                    context_lost,
            }));
}

TEST(OpeningADevice, IsToldWhatFailedAndCanBeTriedAgain) {
  const auto failed = [](const char* function) {
    return "CUDA_ERROR_LAUNCH_FAILED: " + std::string(function) +
           " failed: launch failure (CUDA_ERROR_LAUNCH_FAILED)." + context_lost;
  };
  // In alphabetical order. Three attributes are asked for.
  EXPECT_EQ(messages(first_use().opening),
            (std::vector<std::string>{failed("cuCtxSetCurrent"), failed("cuDeviceGet"), failed("cuDeviceGetAttribute"),
                                      failed("cuDeviceGetAttribute"), failed("cuDeviceGetAttribute"),
                                      failed("cuDeviceGetCount"), failed("cuDeviceGetDefaultMemPool"),
                                      failed("cuDeviceGetName"), failed("cuDevicePrimaryCtxRetain"),
                                      failed("cuDeviceTotalMem"), failed("cuMemPoolSetAttribute")}));
  EXPECT_FALSE(first_use().leaves_contexts);
}

// ---- a program that uses everything ---------------------------------------------------------------------------------

using SharedStream = std::shared_ptr<Stream>;

void use_contents(const SharedStream& first, const SharedStream& second) {
  const auto a = Buffer::allocate(mebibyte, first);
  const auto b = Buffer::allocate(mebibyte, second);
  std::array<std::byte, 8> pattern{std::byte{1}};
  a->write(0, pattern.data(), pattern.size(), first);
  for (const std::size_t size : {1U, 2U, 4U, 8U}) a->fill(0, pattern.data(), size, 10, first);
  a->copy_from(8, *a, 0, 1000, first);
  a->copy_from(8, *a, 0, 200'000, first);
  b->copy_from(0, *a, 0, 1000, second);
  b->read(0, pattern.data(), pattern.size(), second);
}

void use_reads(Device& device, const SharedStream& first, const SharedStream& second) {
  const auto large = Buffer::allocate(2 * large_read + 1, first);
  std::vector<std::byte> read(large->bytes());
  PendingRead pending(*large, 0, read.data(), read.size(), second);
  pending.wait();
  const PendingRead dropped(*large, 0, read.data(), 1000, first);
  const PinnedMemory beyond_the_pool(device, 100 * mebibyte);
}

void use_storage(const SharedStream& stream) {
  StreamStorage storage(*stream);
  storage.release(storage.acquire(1));
  storage.release(storage.acquire(workspace_bytes + 1));
}

void use_events(Device& device, const SharedStream& first, const SharedStream& second) {
  Event start(device, 0);
  Event end(device, 0);
  start.record_on(*first);
  end.record_on(*first);
  second->wait_for(end);
  static_cast<void>(second->query());
  static_cast<void>(end.query());
  end.synchronize();
  static_cast<void>(end.milliseconds_since(start));
}

/// Buffers that are read and written on several streams, of which some do without ordering, and go with work queued.
void use_several_streams(Device& device, const SharedStream& first, const SharedStream& second) {
  const auto free = std::make_shared<Stream>(device, 0, StreamOrder::none);
  const auto source = Buffer::allocate(1000, free);
  const auto shared = Buffer::allocate(1000, first);
  shared->share();
  for (const SharedStream& stream : {first, second, free}) {
    const auto target = Buffer::allocate(1000, stream);
    target->copy_from(0, *source, 0, 1000, stream);
    target->copy_from(0, *shared, 0, 1000, stream);
    shared->copy_from(0, *target, 0, 1000, stream);
  }
  const auto number = SharedBuffers::process().send(shared, nullptr);
  static_cast<void>(SharedBuffers::process().receive(number, device, 1000));
}

/// On a thread of its own, so that the context is made current too.
std::optional<Failure> use_everything(Device& device) {
  std::optional<Failure> failure;
  std::thread([&] {
    failure = failure_of([&] {
      const auto first = std::make_shared<Stream>(device, 0);
      const auto second = std::make_shared<Stream>(device, -1);
      use_contents(first, second);
      use_reads(device, first, second);
      use_storage(second);
      use_events(device, first, second);
      use_several_streams(device, first, second);
      device.trim();
      static_cast<void>(device.statistics());
    });
  }).join();
  return failure;
}

/// What is left after a program and a trim.
using Left = std::map<std::string, std::uint64_t>;

Left left() {
  const SimulatedCudaCounters counters = simulated_counters();
  return {{"allocations", counters.live_allocations}, {"streams", counters.live_streams},
          {"events", counters.live_events},           {"pinned memory", counters.live_pinned},
          {"queued work", counters.pending_work},     {"violations", counters.violations}};
}

class Faults : public testing::Test {
 protected:
  void SetUp() override {
    static_cast<void>(first_use());
    device_ = &Device::open(0);
    device_->make_current();
    // The first time fills the pool of pinned memory.
    for (int i = 0; i < 2; ++i) {
      simulated_cuda_reset();
      ASSERT_FALSE(use_everything(device()));
    }
  }

  [[nodiscard]] Device& device() const { return *device_; }

 private:
  Device* device_ = nullptr;
};

class FaultsOfEveryCall : public Faults, public testing::WithParamInterface<std::pair<CUresult, const char*>> {};

INSTANTIATE_TEST_SUITE_P(With, FaultsOfEveryCall,
                         testing::Values(std::pair{launch_failed, "CUDA_ERROR_LAUNCH_FAILED"},
                                         std::pair{cuda_error_out_of_memory, "CUDA_ERROR_OUT_OF_MEMORY"}),
                         [](const auto& test) { return std::string(test.param.second); });

/// Functions that give something back. They run where nobody can be told: what is refused goes back at the next trim.
const std::set<std::string> giving_back{"cuMemFreeAsync", "cuStreamDestroy_v2", "cuEventDestroy_v2", "cuMemFreeHost"};

/// Functions that are also called where nobody can be told, as a buffer goes: instead of being ordered, it waits.
const std::set<std::string> also_at_the_end{"cuEventCreate", "cuEventRecord", "cuStreamWaitEvent", "cuStreamQuery",
                                            "cuEventSynchronize"};

/// Where memory is short, what lies idle is given back and the call repeated.
const std::set<std::string> allocating{"cuMemAllocAsync", "cuMemHostAlloc"};

/// What only the failure of something else calls, in tests of their own.
const std::set<std::string> after_failures{"cuCtxSynchronize"};

/// What only the C library's work needs; builds_test.cc has it.
const std::set<std::string> of_builds{"cuCtxGetCurrent"};

TEST_P(FaultsOfEveryCall, AreToldOrHarmlessLeakNothingAndTheNextProgramWorks) {
  const auto [status, code] = GetParam();
  std::map<std::string, std::uint64_t> times;
  for (const char* function : driver_functions) {
    times[function] = simulated_cuda_calls(function);
    EXPECT_TRUE(times[function] > 0 || first_use().called.contains(function) || after_failures.contains(function) ||
                of_builds.contains(function))
        << function << " is called by no program here: add a use of it";
  }
  std::map<std::string, std::uint64_t> told;
  std::map<std::string, std::uint64_t> harmless;
  for (const auto& [function, count] : times) {
    for (std::uint64_t nth = 1; nth <= count; ++nth) {
      SCOPED_TRACE(function + " fails at call " + std::to_string(nth) + " of " + std::to_string(count));
      simulated_cuda_reset();
      Left before = left();
      ASSERT_EQ(simulated_cuda_fail_next(function.c_str(), nth, status), 1);
      const auto failure = use_everything(device());
      ++(failure ? told : harmless)[function];
      if (failure) {
        EXPECT_EQ(failure->kind, FailureKind::cuda);
        EXPECT_EQ(failure->code, code);
      }
      device().trim();
      Left after = left();
      // Idle pinned memory may have been given back to make room.
      EXPECT_LE(after["pinned memory"], before["pinned memory"]);
      before["pinned memory"] = after["pinned memory"];
      EXPECT_EQ(after, before) << simulated_cuda_last_violation();
      EXPECT_EQ(device().live_bytes(), 0U);
      EXPECT_EQ(device().live_allocations(), 0U);
      EXPECT_EQ(device().statistics().workspace_bytes, 0U);
      simulated_cuda_reset();
      EXPECT_FALSE(use_everything(device())) << "afterwards all works again";
    }
  }
  for (const auto& [function, count] : times) {
    if (count == 0) continue;
    SCOPED_TRACE(function);
    const bool survives =
        giving_back.contains(function) || (status == cuda_error_out_of_memory && allocating.contains(function));
    if (survives) {
      EXPECT_EQ(harmless[function], count);
    } else if (also_at_the_end.contains(function)) {
      EXPECT_GE(told[function], 1U);
    } else {
      EXPECT_EQ(told[function], count);
    }
  }
}

TEST_F(Faults, RefusedFreesAreOfferedAgainWhenMemoryIsShort) {
  const auto stream = std::make_shared<Stream>(device(), 0);
  simulated_cuda_reset();
  simulated_cuda_set_capacity(64 * mebibyte);
  simulated_cuda_fail_next("cuMemFreeAsync", 1, launch_failed);
  Buffer::allocate(60 * mebibyte, stream).reset();
  EXPECT_EQ(simulated_counters().live_allocations, 1U);
  EXPECT_NE(Buffer::allocate(60 * mebibyte, stream), nullptr);
}

TEST_F(Faults, RefusedFreesWaitForTheWorkThatUsesTheMemory) {
  auto stream = std::make_shared<Stream>(device(), 0);
  CUstream const handle = stream->handle();
  simulated_cuda_reset();
  auto buffer = Buffer::allocate(1000, stream);
  simulated_cuda_hold_stream(handle);
  const std::byte one{1};
  buffer->fill(0, &one, 1, 1000, stream);
  simulated_cuda_fail_next("cuMemFreeAsync", 1, launch_failed);
  buffer.reset();
  stream.reset();
  std::thread other([&] {
    while (simulated_cuda_calls("cuCtxSynchronize") == 0) std::this_thread::yield();
    simulated_cuda_release_stream(handle);
  });
  device().trim();
  other.join();
  EXPECT_EQ(simulated_counters().live_allocations, 0U);
  EXPECT_EQ(simulated_counters().violations, 0U) << simulated_cuda_last_violation();
}

TEST_F(Faults, RefusedFreesStayOnTheListUntilTheyAreTaken) {
  const auto stream = std::make_shared<Stream>(device(), 0);
  simulated_cuda_reset();
  for (const std::uint64_t nth : {1U, 2U, 3U}) simulated_cuda_fail_next("cuMemFreeAsync", nth, launch_failed);
  Buffer::allocate(1000, stream).reset();
  simulated_cuda_fail_next("cuCtxSynchronize", 1, launch_failed);
  const auto failure = failure_of([&] { device().trim(); });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->what(), "cuCtxSynchronize failed: launch failure (CUDA_ERROR_LAUNCH_FAILED)." + context_lost);
  for (int i = 0; i < 2; ++i) {
    device().trim();
    EXPECT_EQ(simulated_counters().live_allocations, 1U);
  }
  device().trim();
  EXPECT_EQ(simulated_counters().live_allocations, 0U);
  const std::uint64_t waits = simulated_cuda_calls("cuCtxSynchronize");
  device().trim();
  EXPECT_EQ(simulated_cuda_calls("cuCtxSynchronize"), waits) << "nothing is left to wait for";
}

TEST_F(Faults, PinnedMemoryIsAskedForAgainOnceIdleMemoryIsGivenBack) {
  simulated_cuda_reset();
  {
    const PinnedMemory idle_when_dropped(device(), mebibyte);
  }
  simulated_cuda_fail_next("cuMemHostAlloc", 1, cuda_error_out_of_memory);
  {
    const PinnedMemory another_size(device(), 32 * mebibyte);
    EXPECT_EQ(simulated_counters().live_pinned, 1U);
  }
  simulated_cuda_fail_next("cuMemHostAlloc", 1, cuda_error_out_of_memory);
  simulated_cuda_fail_next("cuMemHostAlloc", 2, cuda_error_out_of_memory);
  const auto failure = failure_of([&] { const PinnedMemory memory(device(), mebibyte); });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, "CUDA_ERROR_OUT_OF_MEMORY");
}

}  // namespace
}  // namespace cuda_compute
