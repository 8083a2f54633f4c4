// Buffers that several threads have: who keeps them, what is ordered, and that no use is freed under.

#include "native/memory/shared_buffers.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "native/memory/staging.h"
#include "native/testing/simulated_device.h"

namespace cuda_compute {
namespace {

class Shared : public SimulatedDeviceTest {
 protected:
  static std::shared_ptr<Buffer> upload(std::uint8_t value, std::size_t bytes, const std::shared_ptr<Stream>& stream) {
    auto buffer = Buffer::allocate(bytes, stream);
    fill(*buffer, value, stream);
    return buffer;
  }

  static void fill(Buffer& buffer, std::uint8_t value, const std::shared_ptr<Stream>& stream) {
    const auto pattern = std::byte{value};
    buffer.fill(0, &pattern, 1, static_cast<double>(buffer.bytes()), stream);
  }

  static std::vector<std::uint8_t> download(Buffer& buffer, const std::shared_ptr<Stream>& stream) {
    std::vector<std::uint8_t> bytes(buffer.bytes());
    buffer.read(0, bytes.data(), bytes.size(), stream);
    return bytes;
  }

  static std::string code_of(const std::optional<Failure>& failure) { return failure ? failure->code : "none"; }

  [[nodiscard]] std::shared_ptr<Buffer> receive(SharedBuffers::Number number, std::size_t least = 0) const {
    return SharedBuffers::process().receive(number, device(), least);
  }

  SharedBuffers& shared_ = SharedBuffers::process();
  int sender_ = 0;
};

TEST_F(Shared, AllocationLivesAsLongAsAnyOwner) {
  const auto stream = new_stream();
  auto mine = upload(1, 16, stream);
  auto theirs = receive(shared_.send(mine, &sender_));
  EXPECT_EQ(mine->address(), theirs->address());
  EXPECT_EQ(device().live_allocations(), 1U);
  mine.reset();
  EXPECT_EQ(download(*theirs, stream), std::vector<std::uint8_t>(16, 1));
  theirs.reset();
  EXPECT_EQ(device().live_allocations(), 0U);
}

TEST_F(Shared, NumberIsReceivedOnce) {
  const auto buffer = upload(1, 16, new_stream());
  const auto first = shared_.send(buffer, &sender_);
  const auto second = shared_.send(buffer, &sender_);
  EXPECT_NE(first, second);
  EXPECT_EQ(receive(first), buffer);
  EXPECT_EQ(code_of(failure_of([&] { static_cast<void>(receive(first)); })), "ERR_SHARED_GONE");
  EXPECT_EQ(receive(second), buffer);
}

TEST_F(Shared, WhatIsNotReceivedLivesUntilItIsReleased) {
  auto buffer = upload(1, 16, new_stream());
  const auto number = shared_.send(buffer, &sender_);
  buffer.reset();
  EXPECT_EQ(device().live_allocations(), 1U);
  shared_.release(number);
  shared_.release(number);
  EXPECT_EQ(device().live_allocations(), 0U);
  EXPECT_EQ(code_of(failure_of([&] { static_cast<void>(receive(number)); })), "ERR_SHARED_GONE");
}

TEST_F(Shared, WhatIsNotReceivedEndsWithItsSenderUnlessItOutlivesIt) {
  const auto stream = new_stream();
  int other = 0;
  const auto ends = shared_.send(upload(1, 16, stream), &sender_);
  const auto of_another = shared_.send(upload(2, 16, stream), &other);
  const auto outlives = shared_.send(upload(3, 16, stream), nullptr);
  shared_.release_all_of(&sender_);
  EXPECT_EQ(code_of(failure_of([&] { static_cast<void>(receive(ends)); })), "ERR_SHARED_GONE");
  EXPECT_EQ(download(*receive(of_another), stream).front(), 2);
  EXPECT_EQ(download(*receive(outlives), stream).front(), 3);
}

TEST_F(Shared, RefusedReceiptUsesNothingUp) {
  simulated_cuda_set_device_count(2);
  const auto number = shared_.send(upload(1, 16, new_stream()), &sender_);
  EXPECT_EQ(code_of(failure_of([&] { static_cast<void>(receive(number, 17)); })), "ERR_OUT_OF_RANGE");
  EXPECT_EQ(code_of(failure_of([&] { shared_.receive(number, Device::open(1), 16); })), "ERR_DEVICE_MISMATCH");
  EXPECT_EQ(receive(number, 16)->bytes(), 16U);
}

TEST_F(Shared, CallOnAnotherThreadWaitsForTheWorkOfCallsBefore) {
  const auto mine = new_stream();
  const auto theirs = new_stream();
  const auto buffer = upload(1, 16, mine);
  const auto number = shared_.send(buffer, &sender_);
  simulated_cuda_hold_stream(mine->handle());
  fill(*buffer, 2, mine);
  std::thread([&] { fill(*receive(number), 3, theirs); }).join();
  EXPECT_FALSE(theirs->query());
  simulated_cuda_release_stream(mine->handle());
  EXPECT_TRUE(theirs->query());
  EXPECT_EQ(download(*buffer, mine), std::vector<std::uint8_t>(16, 3));
}

TEST_F(Shared, FreedAfterTheWorkOfEveryThread) {
  const auto mine = new_stream();
  auto theirs = new_stream();
  auto buffer = upload(1, 16, mine);
  const auto number = shared_.send(buffer, &sender_);
  simulated_cuda_hold_stream(theirs->handle());
  std::thread([&] { fill(*receive(number), 3, theirs); }).join();
  buffer.reset();
  EXPECT_EQ(device().live_allocations(), 0U);
  EXPECT_EQ(simulated_counters().live_allocations, 1U);
  simulated_cuda_release_stream(theirs->handle());
  EXPECT_EQ(simulated_counters().live_allocations, 0U);
}

// A call notes its use before it queues its work. Another thread may do the same in between, and a third drop the last
// reference afterwards: the memory is freed after the first one's work all the same.
TEST_F(Shared, WorkThatIsQueuedAfterAnotherThreadsUseIsNotFreedUnder) {
  const auto slow = new_stream();
  const auto fast = new_stream();
  auto buffer = upload(1, 16, slow);
  buffer->share();
  const auto target = Buffer::allocate(16, slow);
  const CUdeviceptr address = buffer->address();
  buffer->use_on(slow, Access::read);
  fill(*buffer, 2, fast);
  simulated_cuda_hold_stream(slow->handle());
  device().api().copy_on_device_async(target->address(), address, 16, slow->handle());
  buffer.reset();
  EXPECT_EQ(simulated_counters().live_allocations, 2U);
  simulated_cuda_release_stream(slow->handle());
  EXPECT_EQ(simulated_counters().live_allocations, 1U);
}

TEST_F(Shared, StreamsOfThreadsThatEndedAreForgotten) {
  const auto mine = new_stream();
  const auto buffer = upload(1, 16, mine);
  for (std::uint8_t i = 0; i < 50; ++i) {
    const auto number = shared_.send(buffer, &sender_);
    std::thread([&] { fill(*receive(number), i, new_stream()); }).join();
    EXPECT_EQ(download(*buffer, mine).front(), i);
  }
  EXPECT_LE(simulated_counters().live_streams, 3U);
}

TEST_F(Shared, ThreadsUseAndDropABufferAtOnce) {
  constexpr int thread_count = 8;
  constexpr int rounds = 50;
  for (int round = 0; round < rounds; ++round) {
    auto buffer = upload(7, 64, new_stream());
    std::vector<std::thread> threads;
    threads.reserve(thread_count);
    std::atomic<int> wrong = 0;
    for (int i = 0; i < thread_count; ++i) {
      threads.emplace_back([&wrong, this, number = shared_.send(buffer, &sender_)] {
        const auto stream = new_stream();
        auto received = receive(number);
        const auto copy = Buffer::allocate(64, stream);
        for (int k = 0; k < 3; ++k) copy->copy_from(0, *received, 0, 64, stream);
        std::array<std::byte, 64> bytes{};
        PendingRead read(*received, 0, bytes.data(), bytes.size(), stream);
        received.reset();
        read.wait();
        if (bytes.back() != std::byte{7} || download(*copy, stream) != std::vector<std::uint8_t>(64, 7)) ++wrong;
      });
    }
    buffer.reset();
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(simulated_counters().live_allocations, 0U);
  }
}

}  // namespace
}  // namespace cuda_compute
