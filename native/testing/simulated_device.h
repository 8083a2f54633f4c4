#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "native/driver/cuda_api.h"
#include "native/driver/failure.h"
#include "native/memory/buffer.h"
#include "native/memory/device.h"
#include "native/memory/stream.h"
#include "native/testing/simulated_cuda.h"

/// Common ground of the tests of the native layers on the simulated device.

namespace cuda_compute {

inline SimulatedCudaCounters simulated_counters() {
  SimulatedCudaCounters counters{};
  simulated_cuda_counters(&counters);
  return counters;
}

/// The failure that `action` throws; none where it throws none.
template <typename Action>
std::optional<Failure> failure_of(Action&& action) {
  try {
    std::forward<Action>(action)();
  } catch (const Failure& failure) {
    return failure;
  }
  return std::nullopt;
}

/// For EXPECT_EXIT: ends the process after writing the code and the text of what `action` throws to stderr.
template <typename Action>
[[noreturn]] void exit_with_failure_of(Action&& action) {
  const auto failure = failure_of(std::forward<Action>(action));
  std::fprintf(stderr, "%s: %s\n", failure ? failure->code.c_str() : "none", failure ? failure->what() : "no failure");
  std::exit(0);
}

/// Opens the simulated device, and expects that a test leaves nothing on it and did nothing that no correct program
/// does.
class SimulatedDeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    simulated_cuda_reset();
    CudaApi::load(TEST_SIMULATED_CUDA);
    device_ = &Device::open(0);
    device_->make_current();
    device_->set_limit(0);
  }

  void TearDown() override {
    simulated_cuda_release_all();
    const SimulatedCudaCounters counters = simulated_counters();
    EXPECT_EQ(counters.violations, 0U) << simulated_cuda_last_violation();
    EXPECT_EQ(counters.live_allocations, 0U);
    EXPECT_EQ(counters.live_streams, 0U);
    EXPECT_EQ(counters.live_events, 0U);
    EXPECT_EQ(counters.pending_work, 0U);
    EXPECT_EQ(device_->live_bytes(), 0U);
    EXPECT_EQ(device_->live_allocations(), 0U);
    EXPECT_EQ(device_->statistics().workspace_bytes, 0U);
  }

  [[nodiscard]] Device& device() const { return *device_; }
  [[nodiscard]] std::shared_ptr<Stream> new_stream() const { return std::make_shared<Stream>(device(), 0); }

 private:
  Device* device_ = nullptr;
};

}  // namespace cuda_compute
