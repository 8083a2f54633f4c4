// Holds native/memory to its words: what is counted, when memory is freed, and how streams order uses. What failures of
// the driver do is in faults_test.cc.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "native/memory/staging.h"
#include "native/testing/simulated_device.h"

namespace cuda_compute {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr std::size_t workspace_bytes = std::size_t{64} << 10;
/// Reads beyond this come in pieces.
constexpr std::size_t large_read = 4 * mebibyte;
constexpr int launch_failed = 719;

std::uint64_t calls(const char* function) { return simulated_cuda_calls(function); }

class Memory : public SimulatedDeviceTest {
 protected:
  static std::shared_ptr<Buffer> allocate(std::size_t bytes, const std::shared_ptr<Stream>& stream) {
    auto buffer = Buffer::allocate(bytes, stream);
    EXPECT_NE(buffer, nullptr);
    return buffer;
  }

  template <typename Value>
  static std::shared_ptr<Buffer> upload(const std::vector<Value>& values, const std::shared_ptr<Stream>& stream) {
    auto buffer = allocate(values.size() * sizeof(Value), stream);
    buffer->write(0, values.data(), values.size() * sizeof(Value), stream);
    return buffer;
  }

  template <typename Value>
  static std::vector<Value> download(Buffer& buffer, const std::shared_ptr<Stream>& stream) {
    std::vector<Value> values(buffer.bytes() / sizeof(Value));
    buffer.read(0, values.data(), buffer.bytes(), stream);
    return values;
  }

  template <typename Value>
  static void fill(Buffer& buffer, double offset, Value value, double count, const std::shared_ptr<Stream>& stream) {
    std::array<std::byte, sizeof(Value)> pattern{};
    std::memcpy(pattern.data(), &value, sizeof value);
    buffer.fill(offset, pattern.data(), pattern.size(), count, stream);
  }

  /// Bytes that differ from piece to piece, so that a piece in the wrong place is seen.
  static std::vector<std::uint8_t> scattered(std::size_t count) {
    std::vector<std::uint8_t> bytes(count);
    std::uint32_t state = 1;
    for (std::uint8_t& byte : bytes) {
      state = state * 1664525U + 1013904223U;
      byte = static_cast<std::uint8_t>(state >> 24);
    }
    return bytes;
  }

  static std::byte* bytes_of(std::vector<std::uint8_t>& values) { return reinterpret_cast<std::byte*>(values.data()); }

  static std::vector<std::uint8_t> counted(std::size_t count) {
    std::vector<std::uint8_t> bytes(count);
    std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
    return bytes;
  }
};

// ---- what is counted ------------------------------------------------------------------------------------------------

TEST_F(Memory, LiveBytesAreExact) {
  const auto stream = new_stream();
  auto first = allocate(1000, stream);
  const auto second = allocate(24, stream);
  EXPECT_EQ(device().live_bytes(), 1024U);
  EXPECT_EQ(device().live_allocations(), 2U);
  EXPECT_EQ(simulated_counters().live_bytes, 1024U);
  EXPECT_GE(device().statistics().peak_bytes, 1024U);
  first.reset();
  EXPECT_EQ(device().live_bytes(), 24U);
  EXPECT_EQ(device().live_allocations(), 1U);
  EXPECT_EQ(simulated_counters().live_bytes, 24U);
}

TEST_F(Memory, EmptyBufferTakesNothingOfTheDeviceAndCanBeUsed) {
  const auto stream = new_stream();
  const auto other = new_stream();
  const auto buffer = allocate(0, stream);
  EXPECT_EQ(buffer->address(), 0U);
  EXPECT_EQ(buffer->bytes(), 0U);
  EXPECT_EQ(device().live_allocations(), 1U);
  EXPECT_EQ(simulated_counters().live_allocations, 0U);
  std::array<std::byte, 8> nothing{};
  buffer->write(0, nothing.data(), 0, stream);
  buffer->read(0, nothing.data(), 0, stream);
  buffer->fill(0, nothing.data(), 8, 0, other);
  buffer->copy_from(0, *buffer, 0, 0, other);
  PendingRead pending(*buffer, 0, nullptr, 0, other);
  pending.wait();
}

TEST_F(Memory, NothingIsDoneForNoBytesAtTheEndOfABuffer) {
  const auto stream = new_stream();
  const auto buffer = upload(counted(16), stream);
  std::byte unused{};
  buffer->write(16, &unused, 0, stream);
  buffer->read(16, &unused, 0, stream);
  fill(*buffer, 16, std::uint64_t{1}, 0, stream);
  buffer->copy_from(16, *buffer, 16, 0, stream);
  EXPECT_EQ(download<std::uint8_t>(*buffer, stream), counted(16));
}

TEST_F(Memory, LimitRefusesWithoutAskingTheDriver) {
  const auto stream = new_stream();
  device().set_limit(1000);
  auto buffer = allocate(600, stream);
  const std::uint64_t asked = calls("cuMemAllocAsync");
  EXPECT_EQ(Buffer::allocate(401, stream), nullptr);
  EXPECT_EQ(calls("cuMemAllocAsync"), asked);
  EXPECT_EQ(device().live_bytes(), 600U);
  const MemoryStatistics statistics = device().statistics();
  EXPECT_EQ(statistics.total_bytes, 1000U);
  EXPECT_EQ(statistics.free_bytes, 400U);
  EXPECT_NE(Buffer::allocate(400, stream), nullptr);
  buffer.reset();
  EXPECT_NE(Buffer::allocate(1000, stream), nullptr);
}

TEST_F(Memory, LimitHoldsWhenThreadsAllocateAtOnce) {
  constexpr std::uint64_t limit = 1000;
  device().set_limit(limit);
  std::atomic<bool> passed = false;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const auto stream = new_stream();
      for (int round = 0; round < 2000; ++round) {
        const auto buffer = Buffer::allocate(600, stream);
        if (device().live_bytes() > limit) passed = true;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(passed);
  EXPECT_EQ(device().live_bytes(), 0U);
}

TEST_F(Memory, LimitIsNotPassedByASizeNearTheLargestNumber) {
  const auto stream = new_stream();
  device().set_limit(1000);
  const auto buffer = allocate(600, stream);
  const std::uint64_t asked = calls("cuMemAllocAsync");
  EXPECT_EQ(Buffer::allocate(std::numeric_limits<std::size_t>::max() - 100, stream), nullptr);
  EXPECT_EQ(calls("cuMemAllocAsync"), asked);
  EXPECT_EQ(device().live_bytes(), 600U);
}

TEST_F(Memory, FailedAllocationIsNotCounted) {
  const auto stream = new_stream();
  simulated_cuda_fail_next("cuMemAllocAsync", 1, launch_failed);
  EXPECT_TRUE(failure_of([&] { Buffer::allocate(100, stream); }));
  EXPECT_EQ(device().live_bytes(), 0U);
  EXPECT_EQ(device().live_allocations(), 0U);
}

TEST_F(Memory, FullDeviceAnswersNothingAfterATrim) {
  simulated_cuda_set_capacity(64 * mebibyte);
  const auto stream = new_stream();
  auto first = allocate(48 * mebibyte, stream);
  EXPECT_EQ(Buffer::allocate(32 * mebibyte, stream), nullptr);
  EXPECT_EQ(calls("cuMemAllocAsync"), 3U);
  EXPECT_EQ(calls("cuStreamSynchronize"), 1U);
  EXPECT_EQ(calls("cuMemPoolTrimTo"), 1U);
  EXPECT_EQ(device().live_bytes(), 48 * mebibyte);
  first.reset();
  EXPECT_NE(Buffer::allocate(32 * mebibyte, stream), nullptr);
}

TEST_F(Memory, AllocationThatFitsAfterATrimIsAnswered) {
  const auto stream = new_stream();
  simulated_cuda_fail_next("cuMemAllocAsync", 1, cuda_error_out_of_memory);
  const auto buffer = Buffer::allocate(100, stream);
  EXPECT_NE(buffer, nullptr);
  EXPECT_EQ(calls("cuMemPoolTrimTo"), 1U);
}

TEST_F(Memory, TrimGivesIdleMemoryBack) {
  const auto stream = new_stream();
  allocate(100 * mebibyte, stream).reset();
  stream->synchronize();
  EXPECT_GE(device().statistics().pool_reserved_bytes, 100 * mebibyte);
  device().trim();
  EXPECT_EQ(device().statistics().pool_reserved_bytes, 0U);
}

// ---- when memory is freed -------------------------------------------------------------------------------------------

TEST_F(Memory, FreedAfterTheWorkThatIsQueuedOnItsStream) {
  const auto stream = new_stream();
  auto buffer = allocate(100, stream);
  simulated_cuda_hold_stream(stream->handle());
  fill(*buffer, 0, std::uint8_t{1}, 100, stream);
  buffer.reset();
  EXPECT_EQ(device().live_bytes(), 0U);
  EXPECT_EQ(simulated_counters().live_allocations, 1U);
  simulated_cuda_release_stream(stream->handle());
  EXPECT_EQ(simulated_counters().live_allocations, 0U);
}

TEST_F(Memory, FreedAfterTheWorkOnEveryStreamThatUsedIt) {
  const auto first = new_stream();
  const auto second = new_stream();
  auto buffer = allocate(100, first);
  simulated_cuda_hold_stream(first->handle());
  fill(*buffer, 0, std::uint8_t{1}, 100, first);
  fill(*buffer, 0, std::uint8_t{2}, 100, second);
  buffer.reset();
  EXPECT_EQ(simulated_counters().live_allocations, 1U);
  simulated_cuda_release_stream(first->handle());
  EXPECT_EQ(simulated_counters().live_allocations, 0U);
}

TEST_F(Memory, StreamOutlivesItsOwnerWhileABufferWasLastUsedOnIt) {
  auto first = new_stream();
  auto second = new_stream();
  auto buffer = allocate(100, first);
  fill(*buffer, 0, std::uint8_t{1}, 100, second);
  const std::weak_ptr<Stream> dropped = first;
  first.reset();
  EXPECT_TRUE(dropped.expired());
  const std::weak_ptr<Stream> kept = second;
  second.reset();
  EXPECT_FALSE(kept.expired());
  EXPECT_EQ(simulated_counters().live_streams, 1U);
  buffer.reset();
  EXPECT_TRUE(kept.expired());
  EXPECT_EQ(simulated_counters().live_streams, 0U);
  EXPECT_EQ(simulated_counters().live_allocations, 0U);
}

TEST_F(Memory, EverythingCanBeDroppedOnAThreadThatNeverUsedTheDevice) {
  auto stream = new_stream();
  auto buffer = upload(counted(16), stream);
  std::array<std::byte, 16> read{};
  auto pending = std::make_unique<PendingRead>(*buffer, 0, read.data(), read.size(), stream);
  auto event = std::make_unique<Event>(device(), 0U);
  auto idle = new_stream();
  StreamStorage storage(*stream);
  storage.release(storage.acquire(1));
  auto pinned = std::make_unique<PinnedMemory>(device(), 100 * mebibyte);
  const std::uint64_t live_pinned = simulated_counters().live_pinned;
  std::thread([&] { pending.reset(); }).join();
  std::thread([&] { event.reset(); }).join();
  std::thread([&] { idle.reset(); }).join();
  std::thread([&] { pinned.reset(); }).join();
  std::thread([&] { buffer.reset(); }).join();
  std::thread([&] { stream.reset(); }).join();
  EXPECT_EQ(simulated_counters().live_pinned, live_pinned - 1);
  EXPECT_EQ(simulated_counters().live_allocations, 0U);
  EXPECT_EQ(simulated_counters().live_events, 0U);
  EXPECT_EQ(simulated_counters().live_streams, 0U);
}

// ---- how streams order uses -----------------------------------------------------------------------------------------

TEST_F(Memory, UsesOnOneStreamRecordNothing) {
  const auto stream = new_stream();
  const auto buffer = allocate(100, stream);
  for (std::uint8_t i = 0; i < 3; ++i) fill(*buffer, 0, i, 100, stream);
  EXPECT_EQ(calls("cuEventCreate"), 0U);
  EXPECT_EQ(calls("cuEventRecord"), 0U);
  EXPECT_EQ(calls("cuStreamWaitEvent"), 0U);
}

TEST_F(Memory, UseOnAnotherStreamRecordsOneEventAndWaits) {
  const auto first = new_stream();
  const auto second = new_stream();
  const auto buffer = allocate(4, first);
  simulated_cuda_hold_stream(first->handle());
  fill(*buffer, 0, 1U, 1, first);
  fill(*buffer, 0, 2U, 1, second);
  fill(*buffer, 0, 3U, 1, second);
  EXPECT_EQ(calls("cuEventRecord"), 1U);
  EXPECT_EQ(calls("cuStreamWaitEvent"), 1U);
  EXPECT_FALSE(second->query());
  simulated_cuda_release_stream(first->handle());
  EXPECT_TRUE(second->query());
  EXPECT_EQ(download<unsigned>(*buffer, second), std::vector{3U});
}

TEST_F(Memory, StreamMakesItsOrderingEventOnce) {
  const auto first = new_stream();
  const auto second = new_stream();
  const auto buffer = allocate(4, first);
  for (unsigned i = 0; i < 5; ++i) {
    fill(*buffer, 0, i, 1, second);
    fill(*buffer, 0, i, 1, first);
  }
  EXPECT_EQ(calls("cuEventRecord"), 10U);
  EXPECT_EQ(calls("cuEventCreate"), 2U);
}

TEST_F(Memory, BothBuffersOfACopyWaitForTheirStreams) {
  const auto first = new_stream();
  const auto second = new_stream();
  const auto third = new_stream();
  const auto source = allocate(4, first);
  const auto target = allocate(4, second);
  simulated_cuda_hold_stream(first->handle());
  simulated_cuda_hold_stream(second->handle());
  fill(*source, 0, 7U, 1, first);
  fill(*target, 0, 8U, 1, second);
  target->copy_from(0, *source, 0, 4, third);
  EXPECT_EQ(calls("cuStreamWaitEvent"), 2U);
  simulated_cuda_release_stream(first->handle());
  EXPECT_FALSE(third->query());
  simulated_cuda_release_stream(second->handle());
  EXPECT_EQ(download<unsigned>(*target, third), std::vector{7U});
}

TEST_F(Memory, ReadsOnTwoStreamsWaitForTheWriteAndNotForEachOther) {
  const auto writer = new_stream();
  const auto first = new_stream();
  const auto second = new_stream();
  const auto source = upload(counted(16), writer);
  const auto targets = std::array{allocate(16, first), allocate(16, second)};
  simulated_cuda_hold_stream(first->handle());
  for (int i = 0; i < 3; ++i) {
    targets[0]->copy_from(0, *source, 0, 16, first);
    targets[1]->copy_from(0, *source, 0, 16, second);
  }
  EXPECT_EQ(calls("cuEventRecord"), 2U);
  EXPECT_FALSE(first->query());
  EXPECT_TRUE(second->query());
}

TEST_F(Memory, WriteWaitsForTheReadsOnEveryStreamSinceTheWriteBefore) {
  const auto writer = new_stream();
  const auto first = new_stream();
  const auto second = new_stream();
  const auto source = upload(counted(16), writer);
  const auto targets = std::array{allocate(16, first), allocate(16, second)};
  for (const auto& [target, stream] : {std::pair{targets[0], first}, std::pair{targets[1], second}}) {
    simulated_cuda_hold_stream(stream->handle());
    target->copy_from(0, *source, 0, 16, stream);
  }
  fill(*source, 0, std::uint8_t{9}, 16, writer);
  EXPECT_FALSE(writer->query());
  simulated_cuda_release_stream(first->handle());
  EXPECT_FALSE(writer->query());
  simulated_cuda_release_stream(second->handle());
  EXPECT_TRUE(writer->query());
  EXPECT_EQ(download<std::uint8_t>(*targets[0], first), counted(16));
  EXPECT_EQ(download<std::uint8_t>(*targets[1], second), counted(16));
  EXPECT_EQ(download<std::uint8_t>(*source, first), std::vector<std::uint8_t>(16, 9));
}

TEST_F(Memory, ReadsOfTheWriterAreWaitedForToo) {
  const auto writer = new_stream();
  const auto other = new_stream();
  const auto source = upload(counted(16), writer);
  const auto target = allocate(16, writer);
  download<std::uint8_t>(*source, other);  // another stream reads first
  simulated_cuda_hold_stream(writer->handle());
  target->copy_from(0, *source, 0, 16, writer);
  fill(*source, 0, std::uint8_t{9}, 16, other);
  EXPECT_FALSE(other->query());
  simulated_cuda_release_stream(writer->handle());
  EXPECT_EQ(download<std::uint8_t>(*target, writer), counted(16));
}

TEST_F(Memory, ReadAndWriteInOneCallOnAnotherStreamRecordOneEvent) {
  const auto first = new_stream();
  const auto second = new_stream();
  const auto buffer = upload(counted(16), first);
  buffer->copy_from(0, *buffer, 8, 8, second);
  EXPECT_EQ(calls("cuEventRecord"), 1U);
}

TEST_F(Memory, FreedAfterTheReadsOnSeveralStreams) {
  const auto streams = std::array{new_stream(), new_stream(), new_stream()};
  auto source = upload(counted(16), streams[0]);
  std::vector<std::shared_ptr<Buffer>> targets;
  targets.reserve(streams.size());
  for (const auto& stream : streams) targets.push_back(allocate(16, stream));
  simulated_cuda_hold_all();
  for (std::size_t i = streams.size(); i-- > 0;) targets[i]->copy_from(0, *source, 0, 16, streams[i]);
  source.reset();
  for (const auto& stream : streams) {
    EXPECT_EQ(simulated_counters().live_allocations, 4U);
    simulated_cuda_release_stream(stream->handle());
  }
  simulated_cuda_release_all();
  EXPECT_EQ(simulated_counters().live_allocations, 3U);
}

TEST_F(Memory, FreedAfterTheWorkOnEveryStreamWhereEventsFail) {
  const auto first = new_stream();
  const auto second = new_stream();
  const auto target = allocate(16, second);
  auto source = upload(counted(16), first);
  target->copy_from(0, *source, 0, 16, second);
  download<std::uint8_t>(*source, first);
  simulated_cuda_hold_stream(first->handle());
  target->copy_from(0, *source, 0, 16, second);
  allocate(16, first)->copy_from(0, *source, 0, 16, first);
  simulated_cuda_fail_next("cuStreamWaitEvent", 1, launch_failed);
  std::thread later([&] { simulated_cuda_release_stream(first->handle()); });
  source.reset();
  later.join();
  EXPECT_EQ(simulated_counters().live_allocations, 1U);
}

TEST_F(Memory, StreamsThatOnlyABufferRemembersAreForgottenWhenTheirWorkIsDone) {
  const auto writer = new_stream();
  const auto source = upload(counted(16), writer);
  for (int i = 0; i < 50; ++i) download<std::uint8_t>(*source, new_stream());
  EXPECT_LE(simulated_counters().live_streams, 2U);
}

TEST_F(Memory, StreamThatOptedOutNeitherWaitsNorIsWaitedFor) {
  const auto ordered = new_stream();
  const auto apart = std::make_shared<Stream>(device(), 0, StreamOrder::none);
  const auto buffer = allocate(16, ordered);
  simulated_cuda_hold_all();
  fill(*buffer, 0, std::uint8_t{1}, 16, ordered);
  fill(*buffer, 0, std::uint8_t{2}, 16, apart);
  fill(*buffer, 0, std::uint8_t{3}, 16, ordered);
  EXPECT_EQ(calls("cuEventRecord"), 0U);
  EXPECT_EQ(calls("cuStreamWaitEvent"), 0U);
}

TEST_F(Memory, FreedAfterTheWorkOnStreamsThatOptedOut) {
  const auto ordered = new_stream();
  const auto apart = std::make_shared<Stream>(device(), 0, StreamOrder::none);
  for (const auto& [allocated, used] : {std::pair{ordered, apart}, std::pair{apart, ordered}}) {
    auto buffer = allocate(16, allocated);
    simulated_cuda_hold_all();
    fill(*buffer, 0, std::uint8_t{1}, 16, allocated);
    fill(*buffer, 0, std::uint8_t{2}, 16, used);
    buffer.reset();
    EXPECT_EQ(simulated_counters().live_allocations, 1U);
    simulated_cuda_release_stream(used->handle());
    EXPECT_EQ(simulated_counters().live_allocations, 1U);
    simulated_cuda_release_all();
    EXPECT_EQ(simulated_counters().live_allocations, 0U);
  }
}

TEST_F(Memory, DefaultStreamIsAStreamToo) {
  const auto stream = std::make_shared<Stream>(device());
  EXPECT_EQ(stream->handle(), nullptr);
  const auto buffer = upload(counted(16), stream);
  EXPECT_EQ(download<std::uint8_t>(*buffer, stream), counted(16));
}

TEST_F(Memory, EventIsDoneWithTheWorkBeforeIt) {
  const auto stream = new_stream();
  const auto other = new_stream();
  const auto buffer = allocate(4, stream);
  Event start(device(), 0);
  Event end(device(), 0);
  start.record_on(*stream);
  simulated_cuda_hold_stream(stream->handle());
  fill(*buffer, 0, 1U, 1, stream);
  end.record_on(*stream);
  other->wait_for(end);
  EXPECT_TRUE(start.query());
  EXPECT_FALSE(end.query());
  EXPECT_FALSE(other->query());
  simulated_cuda_release_stream(stream->handle());
  end.synchronize();
  EXPECT_TRUE(end.query());
  EXPECT_TRUE(other->query());
  EXPECT_TRUE(std::isfinite(end.milliseconds_since(start)));
}

TEST_F(Memory, TimeSinceAnEventThatKeepsNoneIsAFailure) {
  const auto stream = new_stream();
  Event start(device(), cuda_event_disable_timing);
  Event end(device(), 0);
  start.record_on(*stream);
  end.record_on(*stream);
  const auto failure = failure_of([&] { static_cast<void>(end.milliseconds_since(start)); });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, "CUDA_ERROR_INVALID_HANDLE");
}

// ---- temporary storage ----------------------------------------------------------------------------------------------

TEST_F(Memory, SmallTemporariesShareTheStreamsWorkspaceWhichIsNotLive) {
  auto stream = new_stream();
  StreamStorage storage(*stream);
  void* const first = storage.acquire(1);
  storage.release(first);
  void* const second = storage.acquire(workspace_bytes);
  storage.release(second);
  EXPECT_EQ(first, second);
  EXPECT_EQ(calls("cuMemAllocAsync"), 1U);
  EXPECT_EQ(calls("cuMemFreeAsync"), 0U);
  EXPECT_EQ(device().live_bytes(), 0U);
  EXPECT_EQ(device().statistics().workspace_bytes, workspace_bytes);
  stream.reset();
  EXPECT_EQ(device().statistics().workspace_bytes, 0U);
  EXPECT_EQ(simulated_counters().live_allocations, 0U);
}

TEST_F(Memory, LargeTemporariesAreFreedAfterTheWorkThatUsesThem) {
  const auto stream = new_stream();
  StreamStorage storage(*stream);
  simulated_cuda_hold_stream(stream->handle());
  void* const address = storage.acquire(workspace_bytes + 1);
  EXPECT_EQ(simulated_counters().live_bytes, workspace_bytes + 1);
  EXPECT_EQ(device().live_bytes(), 0U);
  storage.release(address);
  EXPECT_EQ(simulated_counters().live_allocations, 1U);
  simulated_cuda_release_stream(stream->handle());
  EXPECT_EQ(simulated_counters().live_allocations, 0U);
}

TEST_F(Memory, TemporaryThatDoesNotFitIsAFailureThatTellsItsSize) {
  simulated_cuda_set_capacity(mebibyte);
  const auto stream = new_stream();
  StreamStorage storage(*stream);
  const auto failure = failure_of([&] { storage.acquire(2 * mebibyte); });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, FailureKind::out_of_memory);
  EXPECT_EQ(failure->code, "ERR_OUT_OF_DEVICE_MEMORY");
  EXPECT_EQ(failure->bytes, 2 * mebibyte);
}

TEST_F(Memory, WorkspaceThatDoesNotFitIsNotCountedAndTriedAgain) {
  simulated_cuda_set_capacity(1);
  const auto stream = new_stream();
  StreamStorage storage(*stream);
  const auto failure = failure_of([&] { storage.acquire(1); });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->bytes, workspace_bytes);
  EXPECT_EQ(device().statistics().workspace_bytes, 0U);
  simulated_cuda_set_capacity(mebibyte);
  EXPECT_NE(storage.acquire(1), nullptr);
}

// ---- contents -------------------------------------------------------------------------------------------------------

TEST_F(Memory, FillsRepeatPatternsOfOneTwoFourAndEightBytesWithinTheirRange) {
  const auto stream = new_stream();
  const auto buffer = allocate(64, stream);
  fill(*buffer, 0, std::uint8_t{0xEE}, 64, stream);
  fill(*buffer, 1, std::uint8_t{0x11}, 3, stream);
  fill(*buffer, 8, std::uint16_t{0x2233}, 2, stream);
  fill(*buffer, 16, std::uint32_t{0x44556677}, 2, stream);
  fill(*buffer, 32, std::uint64_t{0x8899AABBCCDDEEFF}, 2, stream);
  fill(*buffer, 48, std::uint64_t{0x0102030401020304}, 1, stream);
  const std::vector<std::uint8_t> expected{0xEE, 0x11, 0x11, 0x11, 0xEE, 0xEE, 0xEE, 0xEE, 0x33, 0x22, 0x33, 0x22, 0xEE,
                                           0xEE, 0xEE, 0xEE, 0x77, 0x66, 0x55, 0x44, 0x77, 0x66, 0x55, 0x44, 0xEE, 0xEE,
                                           0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xFF, 0xEE, 0xDD, 0xCC, 0xBB, 0xAA, 0x99,
                                           0x88, 0xFF, 0xEE, 0xDD, 0xCC, 0xBB, 0xAA, 0x99, 0x88, 0x04, 0x03, 0x02, 0x01,
                                           0x04, 0x03, 0x02, 0x01, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE};
  EXPECT_EQ(download<std::uint8_t>(*buffer, stream), expected);
}

TEST_F(Memory, PatternOfAnotherSizeIsRefused) {
  const auto stream = new_stream();
  const auto buffer = allocate(64, stream);
  const std::array<std::byte, 3> pattern{};
  const auto failure = failure_of([&] { buffer->fill(0, pattern.data(), pattern.size(), 1, stream); });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, FailureKind::argument);
  EXPECT_STREQ(failure->what(), "A fill repeats 1, 2, 4 or 8 bytes, not 3.");
}

TEST_F(Memory, CopiesBetweenBuffers) {
  const auto stream = new_stream();
  const auto source = upload(counted(16), stream);
  const auto target = allocate(8, stream);
  target->copy_from(0, *source, 8, 8, stream);
  EXPECT_EQ(download<std::uint8_t>(*target, stream), (std::vector<std::uint8_t>{8, 9, 10, 11, 12, 13, 14, 15}));
}

TEST_F(Memory, OverlappingCopiesReadTheirSourceAsItWas) {
  const auto stream = new_stream();
  const auto forwards = upload(counted(8), stream);
  forwards->copy_from(2, *forwards, 0, 6, stream);
  EXPECT_EQ(download<std::uint8_t>(*forwards, stream), (std::vector<std::uint8_t>{0, 1, 0, 1, 2, 3, 4, 5}));
  const auto backwards = upload(counted(8), stream);
  backwards->copy_from(0, *backwards, 2, 6, stream);
  EXPECT_EQ(download<std::uint8_t>(*backwards, stream), (std::vector<std::uint8_t>{2, 3, 4, 5, 6, 7, 6, 7}));
  const auto in_place = upload(counted(8), stream);
  in_place->copy_from(0, *in_place, 0, 8, stream);
  EXPECT_EQ(download<std::uint8_t>(*in_place, stream), counted(8));
}

TEST_F(Memory, OverlappingCopyBeyondTheWorkspaceFreesItsScratch) {
  const auto stream = new_stream();
  std::vector<std::uint32_t> values(100'000);
  std::iota(values.begin(), values.end(), 0U);
  const auto buffer = upload(values, stream);
  buffer->copy_from(4, *buffer, 0, 4.0 * 99'999, stream);
  EXPECT_EQ(simulated_counters().live_allocations, 1U);
  std::copy_backward(values.begin(), values.end() - 1, values.end());
  EXPECT_EQ(download<std::uint32_t>(*buffer, stream), values);
}

TEST_F(Memory, RangesThatAreNotWithinAreRefusedBeforeAnythingIsQueued) {
  const auto stream = new_stream();
  const auto buffer = allocate(100, stream);
  const auto other = allocate(100, stream);
  std::array<std::byte, 101> host{};
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const auto& [offset, length] : std::initializer_list<std::pair<double, double>>{{-1, 1},
                                                                                       {0, -1},
                                                                                       {0, 101},
                                                                                       {100, 1},
                                                                                       {101, 0},
                                                                                       {nan, 1},
                                                                                       {0, nan},
                                                                                       {infinity, 0},
                                                                                       {0, infinity},
                                                                                       {1e300, 1e300}}) {
    const auto failure = failure_of([&] { static_cast<void>(buffer->range(offset, length)); });
    ASSERT_TRUE(failure) << offset << ", " << length;
    EXPECT_EQ(failure->kind, FailureKind::argument);
    EXPECT_EQ(failure->code, "ERR_OUT_OF_RANGE");
  }
  EXPECT_EQ(buffer->range(40, 60), buffer->address() + 40);
  EXPECT_TRUE(failure_of([&] { buffer->write(0, host.data(), 101, stream); }));
  EXPECT_TRUE(failure_of([&] { buffer->read(0, host.data(), 101, stream); }));
  EXPECT_TRUE(failure_of([&] { buffer->copy_from(0, *other, 1, 100, stream); }));
  EXPECT_TRUE(failure_of([&] { buffer->copy_from(1, *other, 0, 100, stream); }));
  EXPECT_TRUE(failure_of([&] { buffer->fill(0, host.data(), 8, 13, stream); }));
  EXPECT_TRUE(failure_of([&] { const PendingRead pending(*buffer, 0, host.data(), 101, stream); }));
  EXPECT_EQ(calls("cuMemHostAlloc"), 0U);
  for (const char* function :
       {"cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2", "cuMemcpyDtoDAsync_v2", "cuMemsetD2D32Async"}) {
    EXPECT_EQ(calls(function), 0U) << function;
  }
}

TEST_F(Memory, UploadsAreSnapshots) {
  const auto stream = new_stream();
  const auto buffer = allocate(16, stream);
  simulated_cuda_hold_stream(stream->handle());
  std::vector<std::uint8_t> source = counted(16);
  buffer->write(0, source.data(), source.size(), stream);
  std::fill(source.begin(), source.end(), std::uint8_t{0xFF});
  simulated_cuda_release_stream(stream->handle());
  EXPECT_EQ(download<std::uint8_t>(*buffer, stream), counted(16));
}

// ---- reads that are under way ---------------------------------------------------------------------------------------

TEST_F(Memory, PendingReadSurvivesItsBufferAndItsStream) {
  auto stream = new_stream();
  auto buffer = upload(counted(16), stream);
  void* const handle = stream->handle();
  simulated_cuda_hold_stream(handle);
  std::vector<std::uint8_t> read(8);
  PendingRead pending(*buffer, 4, bytes_of(read), 8, stream);
  buffer.reset();
  stream.reset();
  simulated_cuda_release_stream(handle);
  pending.wait();
  EXPECT_EQ(read, (std::vector<std::uint8_t>{4, 5, 6, 7, 8, 9, 10, 11}));
}

TEST_F(Memory, PendingReadThatIsDroppedWaitsForItsCopy) {
  const auto stream = new_stream();
  const auto buffer = upload(counted(16), stream);
  simulated_cuda_hold_stream(stream->handle());
  std::vector<std::uint8_t> read(16);
  auto pending = std::make_unique<PendingRead>(*buffer, 0, bytes_of(read), 16, stream);
  std::thread other([&] {
    while (calls("cuEventSynchronize") == 0) std::this_thread::yield();
    simulated_cuda_release_stream(stream->handle());
  });
  pending.reset();
  EXPECT_TRUE(stream->query());
  other.join();
}

TEST_F(Memory, LargeReadIsWholeAndLocksNoMoreThanAPiece) {
  const auto stream = new_stream();
  const std::uint64_t locked = simulated_counters().live_pinned_bytes;
  for (const std::size_t size : {large_read - 1, large_read, large_read + 1, 2 * large_read, 5 * large_read + 12'345}) {
    SCOPED_TRACE(size);
    const std::vector<std::uint8_t> values = scattered(size);
    const auto buffer = upload(values, stream);
    std::vector<std::uint8_t> read(size);
    PendingRead pending(*buffer, 0, bytes_of(read), size, stream);
    pending.wait();
    EXPECT_TRUE(read == values);
    EXPECT_LE(simulated_counters().live_pinned_bytes, locked + large_read);
  }
}

TEST_F(Memory, SmallReadStopsItsStreamForNoHostFunction) {
  const auto stream = new_stream();
  const auto buffer = upload(scattered(large_read), stream);
  std::vector<std::uint8_t> read(large_read);
  PendingRead pending(*buffer, 0, bytes_of(read), large_read, stream);
  pending.wait();
  EXPECT_EQ(calls("cuLaunchHostFunc"), 0U);
}

TEST(PendingReads, LockMemoryOfBoundedSizeInABoundedNumberOfPieces) {
  EXPECT_EQ(PendingRead::piece_size(0), 0U);
  EXPECT_EQ(PendingRead::piece_size(1), 1U);
  EXPECT_EQ(PendingRead::piece_size(large_read + 1), large_read);
  EXPECT_EQ(PendingRead::piece_size(256 * large_read), large_read);
  constexpr std::size_t size_of_a_device = std::size_t{140} << 30;
  EXPECT_EQ(PendingRead::piece_size(size_of_a_device), std::size_t{1} << 30);
  EXPECT_EQ(PendingRead::piece_size(256 * large_read + 256), 2 * large_read);
}

TEST_F(Memory, LargeReadIsOfTheMomentWhenItWasQueued) {
  const auto stream = new_stream();
  const std::vector<std::uint8_t> values = scattered(3 * large_read);
  const auto buffer = upload(values, stream);
  std::vector<std::uint8_t> read(values.size());
  simulated_cuda_hold_stream(stream->handle());
  PendingRead pending(*buffer, 0, bytes_of(read), read.size(), stream);
  fill(*buffer, 0, std::uint8_t{0xFF}, static_cast<double>(values.size()), stream);
  simulated_cuda_release_stream(stream->handle());
  pending.wait();
  EXPECT_TRUE(read == values);
}

TEST_F(Memory, FailureOfQueuedWorkIsThrownByWait) {
  const auto stream = new_stream();
  const auto buffer = upload(counted(16), stream);
  std::vector<std::uint8_t> read(16);
  PendingRead pending(*buffer, 0, bytes_of(read), 16, stream);
  simulated_cuda_fail_next("cuEventSynchronize", 1, launch_failed);
  const auto failure = failure_of([&] { pending.wait(); });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, FailureKind::cuda);
  EXPECT_EQ(failure->code, "CUDA_ERROR_LAUNCH_FAILED");
}

TEST_F(Memory, PendingReadThatCannotBeQueuedWholeWaitsForWhatIsQueued) {
  const auto stream = new_stream();
  const auto buffer = upload(scattered(3 * large_read), stream);
  for (const auto& [function, nth] : std::initializer_list<std::pair<const char*, std::uint64_t>>{
           {"cuEventRecord", 1}, {"cuMemcpyDtoHAsync_v2", 2}, {"cuLaunchHostFunc", 1}, {"cuLaunchHostFunc", 2}}) {
    SCOPED_TRACE(function);
    const std::uint64_t waits = calls("cuStreamSynchronize");
    std::vector<std::uint8_t> read(3 * large_read);
    simulated_cuda_hold_stream(stream->handle());
    simulated_cuda_fail_next(function, nth, launch_failed);
    std::thread other([&] {
      while (calls("cuStreamSynchronize") == waits) std::this_thread::yield();
      simulated_cuda_release_stream(stream->handle());
    });
    EXPECT_TRUE(failure_of([&] { const PendingRead pending(*buffer, 0, bytes_of(read), read.size(), stream); }));
    other.join();
    EXPECT_EQ(calls("cuStreamSynchronize"), waits + 1);
    EXPECT_EQ(simulated_counters().pending_work, 0U);
  }
}

TEST_F(Memory, PinnedMemoryIsUsedAgain) {
  const std::byte* first = nullptr;
  {
    const PinnedMemory memory(device(), 5000);
    first = memory.data();
  }
  const PinnedMemory same_size_class(device(), 8192);
  EXPECT_EQ(same_size_class.data(), first);
  const PinnedMemory another(device(), 8192);
  EXPECT_NE(another.data(), first);
}

TEST_F(Memory, PinnedMemoryThatIsKeptIsBounded) {
  std::vector<std::unique_ptr<PinnedMemory>> held;
  held.reserve(40);
  for (int i = 0; i < 40; ++i) held.push_back(std::make_unique<PinnedMemory>(device(), 4 * mebibyte));
  EXPECT_GE(simulated_counters().live_pinned_bytes, 160 * mebibyte);
  held.clear();
  EXPECT_LE(simulated_counters().live_pinned_bytes, 64 * mebibyte);
  EXPECT_GE(simulated_counters().live_pinned_bytes, 32 * mebibyte);
}

// ---- several devices ------------------------------------------------------------------------------------------------

TEST(Devices, ThreadUsesTheDeviceThatItMadeCurrentLast) {
  simulated_cuda_reset();
  CudaApi::load(TEST_SIMULATED_CUDA);
  simulated_cuda_set_device_count(16);
  Device& first = Device::open(14);
  Device& second = Device::open(15);
  const std::uint64_t before = calls("cuCtxSetCurrent");
  first.make_current();
  first.make_current();
  second.make_current();
  second.make_current();
  EXPECT_EQ(calls("cuCtxSetCurrent"), before + 2);
  const auto stream = std::make_shared<Stream>(first, 0);
  const auto buffer = Buffer::allocate(100, stream);
  EXPECT_NE(buffer, nullptr);
  EXPECT_EQ(first.live_bytes(), 100U);
  EXPECT_EQ(second.live_bytes(), 0U);
}

}  // namespace
}  // namespace cuda_compute
