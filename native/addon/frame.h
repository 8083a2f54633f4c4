#pragma once

#include <cstddef>
#include <cstdint>

#include "native/cccl/build_spec.h"

namespace cuda_compute {

/// One use of a device array by a call: the 64-bit value at `position` is a byte offset, to which the address of the
/// buffer in `slot` is added.
struct Relocation {
  std::uint32_t position;
  std::uint32_t slot;
  std::uint32_t access;
};

/// The call frame: written by JavaScript, read here. Mirrors `Frame` in lib/backends/cuda/native.ts.
struct CallFrame {
  static constexpr std::size_t size = 32768;
  static constexpr std::size_t max_relocations = 64;

  double scalars[scalar_count];
  std::uint32_t stream;
  std::uint32_t relocation_count;
  std::uint32_t result_slot;
  std::int32_t selector;
  double live_bytes;
  double live_allocations;
  double requested_bytes;
  double reserved1[3];
  Relocation relocations[max_relocations];
  std::byte reserved2[1024 - 128 - max_relocations * sizeof(Relocation)];
  std::byte state[size - 1024];
};

static_assert(offsetof(CallFrame, stream) == 64);
static_assert(offsetof(CallFrame, relocation_count) == 68);
static_assert(offsetof(CallFrame, result_slot) == 72);
static_assert(offsetof(CallFrame, selector) == 76);
static_assert(offsetof(CallFrame, live_bytes) == 80);
static_assert(offsetof(CallFrame, live_allocations) == 88);
static_assert(offsetof(CallFrame, requested_bytes) == 96);
static_assert(offsetof(CallFrame, relocations) == 128);
static_assert(sizeof(Relocation) == 12);
static_assert(offsetof(CallFrame, state) == 1024);
static_assert(sizeof(CallFrame) == CallFrame::size);

}  // namespace cuda_compute
