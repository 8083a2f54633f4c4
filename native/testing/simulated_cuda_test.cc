// Holds the simulated driver to what the real one documents. Links against the simulated libcuda.so.1.

#include "native/testing/simulated_cuda.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

extern "C" {
int cuInit(unsigned flags);
int cuDeviceGetAttribute(int* value, int attribute, int device);
int cuDevicePrimaryCtxRetain(void** context, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuCtxSetCurrent(void* context);
int cuCtxGetCurrent(void** context);
int cuCtxPushCurrent_v2(void* context);
int cuCtxPopCurrent_v2(void** context);
int cuCtxSynchronize();
int cuGetErrorName(int error, const char** name);
int cuGetProcAddress_v2(const char* symbol, void** address, int version, std::uint64_t flags, int* status);
int cuMemGetInfo_v2(std::size_t* free, std::size_t* total);
int cuMemAlloc_v2(unsigned long long* address, std::size_t bytes);
int cuMemFree_v2(unsigned long long address);
int cuMemAllocAsync(unsigned long long* address, std::size_t bytes, void* stream);
int cuMemFreeAsync(unsigned long long address, void* stream);
int cuDeviceGetDefaultMemPool(void** pool, int device);
int cuMemPoolSetAttribute(void* pool, int attribute, void* value);
int cuMemPoolGetAttribute(void* pool, int attribute, void* value);
int cuMemPoolTrimTo(void* pool, std::size_t keep);
int cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned flags);
int cuMemFreeHost(void* pointer);
int cuMemcpyHtoD_v2(unsigned long long target, const void* source, std::size_t bytes);
int cuMemcpyDtoH_v2(void* target, unsigned long long source, std::size_t bytes);
int cuMemcpyHtoDAsync_v2(unsigned long long target, const void* source, std::size_t bytes, void* stream);
int cuMemcpyDtoHAsync_v2(void* target, unsigned long long source, std::size_t bytes, void* stream);
int cuMemcpyDtoDAsync_v2(unsigned long long target, unsigned long long source, std::size_t bytes, void* stream);
int cuMemsetD8Async(unsigned long long target, unsigned char value, std::size_t count, void* stream);
int cuMemsetD2D32_v2(unsigned long long target, std::size_t pitch, unsigned value, std::size_t width,
                     std::size_t height);
int cuStreamCreate(void** stream, unsigned flags);
int cuStreamDestroy_v2(void* stream);
int cuStreamSynchronize(void* stream);
int cuStreamQuery(void* stream);
int cuLaunchHostFunc(void* stream, void (*function)(void*), void* argument);
int cuEventCreate(void** event, unsigned flags);
int cuEventDestroy_v2(void* event);
int cuEventRecord(void* event, void* stream);
int cuEventElapsedTime(float* milliseconds, void* start, void* end);
int cuLibraryLoadData(void** library, const void* code, int*, void**, unsigned, int*, void**, unsigned);
}

namespace {

constexpr int kSuccess = 0;
constexpr int kInvalidValue = 1;
constexpr int kOutOfMemory = 2;
constexpr int kNoDevice = 100;
constexpr int kInvalidImage = 200;
constexpr int kInvalidContext = 201;
constexpr int kInvalidHandle = 400;
constexpr int kNotReady = 600;
constexpr int kNotPermitted = 800;

constexpr unsigned kNonBlocking = 1;
constexpr std::size_t kMebibyte = std::size_t{1} << 20;
constexpr int kReleaseThreshold = 4;
constexpr int kReservedBytes = 5;
constexpr int kUsedBytes = 7;

class SimulatedCuda : public testing::Test {
 protected:
  void SetUp() override {
    simulated_cuda_reset();
    ASSERT_EQ(cuInit(0), kSuccess);
    ASSERT_EQ(cuDevicePrimaryCtxRetain(&context_, 0), kSuccess);
    ASSERT_EQ(cuCtxSetCurrent(context_), kSuccess);
  }

  void TearDown() override {
    simulated_cuda_reset();
    EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), kSuccess);
    EXPECT_EQ(counters().live_allocations, 0U);
    EXPECT_EQ(counters().live_streams, 0U);
    EXPECT_EQ(cuCtxSetCurrent(nullptr), kSuccess);
  }

  static SimulatedCudaCounters counters() {
    SimulatedCudaCounters counters{};
    simulated_cuda_counters(&counters);
    return counters;
  }

  static void* stream(unsigned flags = kNonBlocking) {
    void* created = nullptr;
    EXPECT_EQ(cuStreamCreate(&created, flags), kSuccess);
    return created;
  }

  static unsigned long long allocate(std::size_t bytes, void* on) {
    unsigned long long address = 0;
    EXPECT_EQ(cuMemAllocAsync(&address, bytes, on), kSuccess);
    return address;
  }

  static std::uint64_t pool_attribute(int attribute) {
    void* pool = nullptr;
    EXPECT_EQ(cuDeviceGetDefaultMemPool(&pool, 0), kSuccess);
    std::uint64_t value = 0;
    EXPECT_EQ(cuMemPoolGetAttribute(pool, attribute, &value), kSuccess);
    return value;
  }

  void* context_ = nullptr;
};

TEST_F(SimulatedCuda, WithoutADeviceInitializationFails) {
  simulated_cuda_set_device_count(0);
  EXPECT_EQ(cuInit(0), kNoDevice);
}

TEST_F(SimulatedCuda, CallsWithoutAContextFail) {
  ASSERT_EQ(cuCtxSetCurrent(nullptr), kSuccess);
  unsigned long long address = 0;
  EXPECT_EQ(cuMemAlloc_v2(&address, 4), kInvalidContext);
  EXPECT_EQ(cuCtxSetCurrent(context_), kSuccess);
}

TEST_F(SimulatedCuda, ContextsStackPerThread) {
  void* current = nullptr;
  ASSERT_EQ(cuCtxPushCurrent_v2(context_), kSuccess);
  ASSERT_EQ(cuCtxPopCurrent_v2(&current), kSuccess);
  EXPECT_EQ(current, context_);
  std::thread([] {
    int anything = 0;
    void* here = &anything;
    EXPECT_EQ(cuCtxGetCurrent(&here), kSuccess);
    EXPECT_EQ(here, nullptr);
  }).join();
}

TEST_F(SimulatedCuda, ComputeCapabilityIsAnAttribute) {
  simulated_cuda_set_compute_capability(89);
  int major = 0;
  int minor = 0;
  EXPECT_EQ(cuDeviceGetAttribute(&major, 75, 0), kSuccess);
  EXPECT_EQ(cuDeviceGetAttribute(&minor, 76, 0), kSuccess);
  EXPECT_EQ(major * 10 + minor, 89);
}

TEST_F(SimulatedCuda, ErrorsHaveTheDriversNames) {
  const char* name = nullptr;
  EXPECT_EQ(cuGetErrorName(2, &name), kSuccess);
  EXPECT_STREQ(name, "CUDA_ERROR_OUT_OF_MEMORY");
  EXPECT_EQ(cuGetErrorName(12345, &name), kInvalidValue);
  EXPECT_EQ(name, nullptr);
}

TEST_F(SimulatedCuda, ProceduresAreFoundInTheirNewestVersion) {
  void* address = nullptr;
  int status = -1;
  EXPECT_EQ(cuGetProcAddress_v2("cuMemAlloc", &address, 13000, 0, &status), kSuccess);
  EXPECT_EQ(address, reinterpret_cast<void*>(&cuMemAlloc_v2));
  EXPECT_EQ(status, 0);
  EXPECT_EQ(cuGetProcAddress_v2("cuNoSuchThing", &address, 13000, 0, &status), 500);
  EXPECT_EQ(address, nullptr);
  EXPECT_EQ(status, 1);
}

TEST_F(SimulatedCuda, FreshMemoryIsNotZero) {
  unsigned long long address = 0;
  ASSERT_EQ(cuMemAlloc_v2(&address, 4), kSuccess);
  std::uint32_t value = 0;
  ASSERT_EQ(cuMemcpyDtoH_v2(&value, address, 4), kSuccess);
  EXPECT_EQ(value, 0xCDCDCDCDU);
}

TEST_F(SimulatedCuda, PitchedMemsetLeavesWhatLiesBetweenRows) {
  unsigned long long address = 0;
  ASSERT_EQ(cuMemAlloc_v2(&address, 32), kSuccess);
  const std::array<std::uint32_t, 8> zeros{};
  ASSERT_EQ(cuMemcpyHtoD_v2(address, zeros.data(), sizeof zeros), kSuccess);
  ASSERT_EQ(cuMemsetD2D32_v2(address, 16, 5, 2, 2), kSuccess);
  std::array<std::uint32_t, 8> values{};
  ASSERT_EQ(cuMemcpyDtoH_v2(values.data(), address, sizeof values), kSuccess);
  EXPECT_EQ(values, (std::array<std::uint32_t, 8>{5, 5, 0, 0, 5, 5, 0, 0}));
}

TEST_F(SimulatedCuda, ThePoolKeepsUpToItsThresholdAtASynchronization) {
  void* pool = nullptr;
  ASSERT_EQ(cuDeviceGetDefaultMemPool(&pool, 0), kSuccess);
  void* on = stream();
  const unsigned long long address = allocate(100 * kMebibyte, on);
  EXPECT_EQ(pool_attribute(kUsedBytes), 100 * kMebibyte);
  ASSERT_EQ(cuMemFreeAsync(address, on), kSuccess);
  EXPECT_EQ(pool_attribute(kUsedBytes), 0U);
  EXPECT_EQ(pool_attribute(kReservedBytes), 128 * kMebibyte);

  std::uint64_t threshold = 130 * kMebibyte;
  ASSERT_EQ(cuMemPoolSetAttribute(pool, kReleaseThreshold, &threshold), kSuccess);
  ASSERT_EQ(cuStreamSynchronize(on), kSuccess);
  EXPECT_EQ(pool_attribute(kReservedBytes), 128 * kMebibyte);
  threshold = 40 * kMebibyte;
  ASSERT_EQ(cuMemPoolSetAttribute(pool, kReleaseThreshold, &threshold), kSuccess);
  ASSERT_EQ(cuStreamSynchronize(on), kSuccess);
  EXPECT_EQ(pool_attribute(kReservedBytes), 32 * kMebibyte);
}

TEST_F(SimulatedCuda, TrimmingKeepsAtLeastWhatIsAskedForAndWhatIsUsed) {
  void* pool = nullptr;
  ASSERT_EQ(cuDeviceGetDefaultMemPool(&pool, 0), kSuccess);
  void* on = stream();
  const unsigned long long used = allocate(10 * kMebibyte, on);
  ASSERT_EQ(cuMemFreeAsync(allocate(110 * kMebibyte, on), on), kSuccess);
  EXPECT_EQ(pool_attribute(kReservedBytes), 128 * kMebibyte);
  ASSERT_EQ(cuMemPoolTrimTo(pool, 40 * kMebibyte), kSuccess);
  EXPECT_EQ(pool_attribute(kReservedBytes), 64 * kMebibyte);
  ASSERT_EQ(cuMemPoolTrimTo(pool, 0), kSuccess);
  EXPECT_EQ(pool_attribute(kReservedBytes), 32 * kMebibyte);
  ASSERT_EQ(cuMemFreeAsync(used, on), kSuccess);
}

TEST_F(SimulatedCuda, NothingIsAllocatedForNoBytesAndFreeingNullIsFine) {
  unsigned long long address = 1;
  EXPECT_EQ(cuMemAllocAsync(&address, 0, nullptr), kSuccess);
  EXPECT_EQ(address, 0U);
  EXPECT_EQ(cuMemAlloc_v2(&address, 0), kInvalidValue);
  EXPECT_EQ(cuMemFreeAsync(0, nullptr), kSuccess);
  EXPECT_EQ(cuMemFree_v2(0), kSuccess);
  EXPECT_EQ(counters().total_allocations, 0U);
  EXPECT_EQ(counters().violations, 0U);
}

TEST_F(SimulatedCuda, MemoryThatThePoolHoldsIsNotFree) {
  simulated_cuda_set_capacity(48 * kMebibyte);
  void* on = stream();
  ASSERT_EQ(cuMemFreeAsync(allocate(10 * kMebibyte, on), on), kSuccess);
  std::size_t free = 0;
  std::size_t total = 0;
  ASSERT_EQ(cuMemGetInfo_v2(&free, &total), kSuccess);
  EXPECT_EQ(free, 16 * kMebibyte);
  EXPECT_EQ(total, 48 * kMebibyte);
}

TEST_F(SimulatedCuda, AnAllocationReusesWhatIsFreedBeforeItOnItsStreamOnly) {
  simulated_cuda_set_capacity(16 * kMebibyte);
  void* first = stream();
  void* second = stream();
  const unsigned long long address = allocate(12 * kMebibyte, first);
  simulated_cuda_hold_stream(first);
  ASSERT_EQ(cuMemFreeAsync(address, first), kSuccess);
  unsigned long long other = 0;
  EXPECT_EQ(cuMemAllocAsync(&other, 12 * kMebibyte, second), kOutOfMemory);
  EXPECT_EQ(cuMemAllocAsync(&other, 12 * kMebibyte, first), kSuccess);
  EXPECT_NE(other, address);
  EXPECT_EQ(pool_attribute(kUsedBytes), 12 * kMebibyte);
  simulated_cuda_release_stream(first);
  EXPECT_EQ(pool_attribute(kUsedBytes), 12 * kMebibyte);
  ASSERT_EQ(cuMemFreeAsync(other, first), kSuccess);
  EXPECT_EQ(pool_attribute(kUsedBytes), 0U);
}

TEST_F(SimulatedCuda, APageableSourceMayChangeAfterTheCallAPinnedOneMayNot) {
  void* on = stream();
  const unsigned long long address = allocate(8, on);
  int pageable = 1;
  void* pinned = nullptr;
  ASSERT_EQ(cuMemHostAlloc(&pinned, 4, 0), kSuccess);
  *static_cast<int*>(pinned) = 1;
  simulated_cuda_hold_stream(on);
  ASSERT_EQ(cuMemcpyHtoDAsync_v2(address, &pageable, 4, on), kSuccess);
  ASSERT_EQ(cuMemcpyHtoDAsync_v2(address + 4, pinned, 4, on), kSuccess);
  pageable = 2;
  *static_cast<int*>(pinned) = 2;
  simulated_cuda_release_stream(on);
  std::array<int, 2> values{};
  ASSERT_EQ(cuMemcpyDtoH_v2(values.data(), address, 8), kSuccess);
  EXPECT_EQ(values, (std::array<int, 2>{1, 2}));
  EXPECT_EQ(cuMemFreeHost(pinned), kSuccess);
}

TEST_F(SimulatedCuda, PinnedMemoryFreedUnderAQueuedCopyIsAViolation) {
  void* on = stream();
  const unsigned long long address = allocate(4, on);
  void* pinned = nullptr;
  ASSERT_EQ(cuMemHostAlloc(&pinned, 4, 0), kSuccess);
  simulated_cuda_hold_stream(on);
  ASSERT_EQ(cuMemcpyDtoHAsync_v2(pinned, address, 4, on), kSuccess);
  ASSERT_EQ(cuMemFreeHost(pinned), kSuccess);
  EXPECT_EQ(counters().violations, 0U);
  simulated_cuda_release_stream(on);
  EXPECT_EQ(counters().violations, 1U);
}

TEST_F(SimulatedCuda, HeldWorkRunsInOrder) {
  void* on = stream();
  const unsigned long long source = allocate(2, on);
  const unsigned long long target = allocate(2, on);
  simulated_cuda_hold_stream(on);
  ASSERT_EQ(cuMemsetD8Async(source, 1, 2, on), kSuccess);
  ASSERT_EQ(cuMemcpyDtoDAsync_v2(target, source, 2, on), kSuccess);
  ASSERT_EQ(cuMemsetD8Async(source, 2, 2, on), kSuccess);
  ASSERT_EQ(cuMemFreeAsync(source, on), kSuccess);
  simulated_cuda_release_stream(on);
  std::array<unsigned char, 2> values{};
  ASSERT_EQ(cuMemcpyDtoH_v2(values.data(), target, 2), kSuccess);
  EXPECT_EQ(values, (std::array<unsigned char, 2>{1, 1}));
  EXPECT_EQ(counters().violations, 0U);
}

TEST_F(SimulatedCuda, TheNullStreamWaitsForBlockingStreamsOnly) {
  void* blocking = stream(0);
  void* independent = stream();
  const unsigned long long address = allocate(4, independent);
  simulated_cuda_hold_stream(blocking);
  ASSERT_EQ(cuMemsetD8Async(address, 1, 4, blocking), kSuccess);
  ASSERT_EQ(cuMemsetD8Async(address, 2, 4, independent), kSuccess);
  EXPECT_EQ(cuStreamQuery(independent), kSuccess);
  ASSERT_EQ(cuMemsetD8Async(address, 3, 4, nullptr), kSuccess);
  EXPECT_EQ(cuStreamQuery(nullptr), kNotReady);
  simulated_cuda_release_stream(blocking);
  EXPECT_EQ(cuStreamQuery(nullptr), kSuccess);
  std::array<unsigned char, 4> values{};
  ASSERT_EQ(cuMemcpyDtoH_v2(values.data(), address, 4), kSuccess);
  EXPECT_EQ(values, (std::array<unsigned char, 4>{3, 3, 3, 3}));
}

TEST_F(SimulatedCuda, AHostFunctionRunsInItsPlaceAndMayNotCallTheDriver) {
  struct Seen {
    bool ran = false;
    int result = 0;
  } seen;
  void* on = stream();
  simulated_cuda_hold_stream(on);
  const auto function = [](void* argument) {
    auto* state = static_cast<Seen*>(argument);
    state->ran = true;
    state->result = cuCtxSynchronize();
  };
  ASSERT_EQ(cuLaunchHostFunc(on, function, &seen), kSuccess);
  EXPECT_FALSE(seen.ran);
  simulated_cuda_release_stream(on);
  EXPECT_TRUE(seen.ran);
  EXPECT_EQ(seen.result, kNotPermitted);
}

TEST_F(SimulatedCuda, ASynchronizationWaitsForAnotherThreadToReleaseTheStream) {
  void* on = stream();
  const unsigned long long address = allocate(1, on);
  simulated_cuda_hold_stream(on);
  ASSERT_EQ(cuMemsetD8Async(address, 7, 1, on), kSuccess);
  std::thread releaser([on] { simulated_cuda_release_stream(on); });
  EXPECT_EQ(cuStreamSynchronize(on), kSuccess);
  releaser.join();
  unsigned char value = 0;
  ASSERT_EQ(cuMemcpyDtoH_v2(&value, address, 1), kSuccess);
  EXPECT_EQ(value, 7);
}

TEST_F(SimulatedCuda, ADestroyedStreamStillFinishesItsWork) {
  void* on = stream();
  const unsigned long long address = allocate(1, on);
  simulated_cuda_hold_stream(on);
  ASSERT_EQ(cuMemFreeAsync(address, on), kSuccess);
  ASSERT_EQ(cuStreamDestroy_v2(on), kSuccess);
  EXPECT_EQ(cuStreamQuery(on), kInvalidHandle);
  EXPECT_EQ(counters().live_allocations, 1U);
  simulated_cuda_release_stream(on);
  EXPECT_EQ(counters().live_allocations, 0U);
}

TEST_F(SimulatedCuda, ElapsedTimeNeedsTwoRecordedTimingEvents) {
  void* start = nullptr;
  void* end = nullptr;
  ASSERT_EQ(cuEventCreate(&start, 0), kSuccess);
  ASSERT_EQ(cuEventCreate(&end, 0), kSuccess);
  float milliseconds = -1;
  EXPECT_EQ(cuEventElapsedTime(&milliseconds, start, end), kInvalidHandle);
  void* on = stream();
  ASSERT_EQ(cuEventRecord(start, on), kSuccess);
  simulated_cuda_hold_stream(on);
  ASSERT_EQ(cuEventRecord(end, on), kSuccess);
  EXPECT_EQ(cuEventElapsedTime(&milliseconds, start, end), kNotReady);
  simulated_cuda_release_stream(on);
  EXPECT_EQ(cuEventElapsedTime(&milliseconds, start, end), kSuccess);
  EXPECT_GE(milliseconds, 0);
  EXPECT_EQ(cuEventDestroy_v2(start), kSuccess);
  EXPECT_EQ(cuEventDestroy_v2(end), kSuccess);
}

TEST_F(SimulatedCuda, OnlyACubinIsALibrary) {
  void* library = nullptr;
  const std::array<char, 64> noise{"not a cubin"};
  EXPECT_EQ(cuLibraryLoadData(&library, noise.data(), nullptr, nullptr, 0, nullptr, nullptr, 0), kInvalidImage);
  EXPECT_EQ(counters().live_libraries, 0U);
}

TEST_F(SimulatedCuda, ALaunchIsCheckedWhenItIsQueuedAndWhenItRuns) {
  void* on = stream();
  void* other = stream();
  const unsigned long long address = allocate(16, on);
  const SimulatedCudaRange inside{address, 16};
  const SimulatedCudaRange outside{address, 17};
  EXPECT_EQ(simulated_cuda_launch("kernel", on, 4, &inside, 1), kSuccess);
  EXPECT_EQ(counters().launches, 1U);
  EXPECT_EQ(simulated_cuda_launch("kernel", on, 4, &outside, 1), kInvalidValue);
  EXPECT_EQ(counters().violations, 1U);

  simulated_cuda_hold_stream(on);
  EXPECT_EQ(simulated_cuda_launch("kernel", on, 4, &inside, 1), kSuccess);
  EXPECT_EQ(cuMemFreeAsync(address, other), kSuccess);
  simulated_cuda_release_stream(on);
  EXPECT_EQ(counters().violations, 2U);
  SimulatedCudaLaunch last{};
  ASSERT_EQ(simulated_cuda_last_launch(&last), 1);
  EXPECT_EQ(std::string(last.name), "kernel");
  EXPECT_EQ(last.stream, on);
  EXPECT_EQ(last.items, 4U);
}

TEST_F(SimulatedCuda, ThreadsMayAllocateAndFreeAtOnce) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 2000;
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([this, &failures] {
      if (cuCtxSetCurrent(context_) != kSuccess) ++failures;
      void* on = nullptr;
      if (cuStreamCreate(&on, kNonBlocking) != kSuccess) ++failures;
      for (int round = 0; round < kRounds; ++round) {
        unsigned long long address = 0;
        if (cuMemAllocAsync(&address, 4096, on) != kSuccess) ++failures;
        if (cuMemsetD8Async(address, 1, 4096, on) != kSuccess) ++failures;
        if (cuMemFreeAsync(address, on) != kSuccess) ++failures;
      }
      if (cuStreamDestroy_v2(on) != kSuccess) ++failures;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(counters().total_allocations, std::uint64_t{kThreads} * kRounds);
  EXPECT_EQ(counters().violations, 0U);
}

}  // namespace
