// A double of libcccl.c.parallel.so over the simulated driver. Everything but execution goes on to the real library, so
// compiling, linking, loading, serializing and cleaning up are the real thing. Executing is not possible there (the
// library's static CUDA runtime wants a real driver), so these functions answer themselves: a temporary size, then a
// launch that touches nothing and whose arguments are all checked.
//
// The real library is the file that CUDA_COMPUTE_REAL_CCCL names, else the vendored one that suits the driver.
// NVRTC and nvJitLink must be loaded before this double, as before the real one.

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "native/cccl/abi.h"
#include "native/testing/forwarding.h"
#include "native/testing/simulated_cuda.h"

#define SIMULATED_EXPORT extern "C" __attribute__((visibility("default")))

extern "C" CUresult cuDriverGetVersion(int* version);

// ---- forwarded functions --------------------------------------------------------------------------------------------

#define FORWARDED_BUILD(X, prefix) \
  X(cccl_device_##prefix##_build, true) X(cccl_device_##prefix##_build_ex, true) X(cccl_device_##prefix##_compile, true)
#define FORWARDED_LIFE(X, prefix)             \
  X(cccl_device_##prefix##_load, true)        \
  X(cccl_device_##prefix##_link_ltoir, true)  \
  X(cccl_device_##prefix##_serialize, true)   \
  X(cccl_device_##prefix##_deserialize, true) \
  X(cccl_device_##prefix##_cleanup, true)
#define FORWARDED_ALL(X, prefix) FORWARDED_BUILD(X, prefix) FORWARDED_LIFE(X, prefix)

#define FORWARDED(X)                       \
  FORWARDED_ALL(X, binary_search)          \
  FORWARDED_BUILD(X, binary_transform)     \
  FORWARDED_ALL(X, for)                    \
  FORWARDED_ALL(X, histogram)              \
  FORWARDED_ALL(X, merge_sort)             \
  FORWARDED_ALL(X, radix_sort)             \
  FORWARDED_ALL(X, reduce)                 \
  FORWARDED_ALL(X, scan)                   \
  FORWARDED_ALL(X, segmented_reduce)       \
  FORWARDED_ALL(X, segmented_sort)         \
  FORWARDED_ALL(X, three_way_partition)    \
  FORWARDED_LIFE(X, transform)             \
  FORWARDED_BUILD(X, unary_transform)      \
  FORWARDED_ALL(X, unique_by_key)          \
  X(cccl_serialization_buffer_free, false) \
  X(cccl_serialization_last_error, false)  \
  X(cccl_serialization_validate_blob, true)

FORWARDED(DEFINE_FORWARD)

// ---- the real library -----------------------------------------------------------------------------------------------

namespace {

constexpr CUresult kInvalidValue = 1;
constexpr CUresult kSharedObjectInitFailed = 303;
constexpr CUresult kInvalidHandle = 400;

std::string& real_path() {
  static auto* const path = new std::string;
  return *path;
}

std::string& load_error() {
  static auto* const error = new std::string;
  return *error;
}

// What stands in for the targets when the real library cannot be loaded.
CUresult answer_not_loaded() { return kSharedObjectInitFailed; }
const char* answer_load_error() { return load_error().c_str(); }
void answer_nothing() {}

std::string find_real_library() {
  int version = 0;
  cuDriverGetVersion(&version);
  const std::string toolkit = version < 13000 ? "cu12" : "cu13";
  const std::string vendored = "cccl/cuda/compute/" + toolkit + "/cccl/libcccl.c.parallel.so";
  return real_library("CUDA_COMPUTE_REAL_CCCL", vendored.c_str());
}

/// A function that this double answers itself.
struct Executed {
  const char* name;
  void* record;
};

#define EXECUTED(X)                          \
  X(cccl_device_reduce)                      \
  X(cccl_device_reduce_nondeterministic)     \
  X(cccl_device_exclusive_scan)              \
  X(cccl_device_inclusive_scan)              \
  X(cccl_device_exclusive_scan_future_value) \
  X(cccl_device_inclusive_scan_future_value) \
  X(cccl_device_inclusive_scan_no_init)      \
  X(cccl_device_segmented_reduce)            \
  X(cccl_device_unary_transform)             \
  X(cccl_device_binary_transform)            \
  X(cccl_device_merge_sort)                  \
  X(cccl_device_radix_sort)                  \
  X(cccl_device_segmented_sort)              \
  X(cccl_device_unique_by_key)               \
  X(cccl_device_histogram_even)              \
  X(cccl_device_binary_search)               \
  X(cccl_device_three_way_partition)         \
  X(cccl_device_for)

#define DEFINE_EXECUTED(function) Executed executed_##function{#function, nullptr};
EXECUTED(DEFINE_EXECUTED)
#undef DEFINE_EXECUTED

/// At loading, so that whoever loads this double finds the real library loaded too.
__attribute__((constructor)) void load_real_library() {
  real_path() = find_real_library();
  void* const real = dlopen(real_path().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (real == nullptr) load_error() = dlerror();
  const auto connect = [real](Forward& forward) {
    connect_forward(forward, real);
    if (forward.target == nullptr && load_error().empty()) {
      load_error() = real_path() + " has no " + forward.name;
    }
    if (forward.target == nullptr) {
      forward.target = forward.answers_status ? reinterpret_cast<void*>(&answer_not_loaded)
                                              : reinterpret_cast<void*>(&answer_nothing);
    }
  };
#define CONNECT(function, status) connect(forward_##function);
  FORWARDED(CONNECT)
#undef CONNECT
  if (forward_cccl_serialization_last_error.target == reinterpret_cast<void*>(&answer_nothing)) {
    forward_cccl_serialization_last_error.target = reinterpret_cast<void*>(&answer_load_error);
  }
#define REGISTER(function) executed_##function.record = simulated_cuda_function(executed_##function.name);
  EXECUTED(REGISTER)
#undef REGISTER
}

}  // namespace

/// Absolute or relative path of the real library behind this double.
SIMULATED_EXPORT const char* simulated_cccl_real_path() { return real_path().c_str(); }

/// Why the real library could not be loaded; "" when it was. Forwarded functions then answer
/// CUDA_ERROR_SHARED_OBJECT_INIT_FAILED.
SIMULATED_EXPORT const char* simulated_cccl_load_error() { return load_error().c_str(); }

// ---- execution ------------------------------------------------------------------------------------------------------

namespace {

/// Reads host bytes that the real library would copy into kernel arguments, so that a sanitizer sees them gone.
void read_host(const void* state, std::size_t size) {
  const auto* bytes = static_cast<const volatile unsigned char*>(state);
  for (std::size_t i = 0; i < size; ++i) static_cast<void>(bytes[i]);
}

std::uint64_t tiles_of(std::uint64_t items) { return (items + 4095) / 4096; }

/// One call of an execution function: gathers what it would touch, then launches.
class Launch {
 public:
  Launch(const Executed& function, CUlibrary library, CUstream stream, std::uint64_t items)
      : name_(function.name), stream_(stream), items_(items), result_(simulated_cuda_enter(function.record)) {
    if (result_ == 0 && simulated_cuda_is_library(library) == 0) {
      fail(kInvalidHandle, "was called with a build that is not loaded");
    }
  }

  /// A condition that the real library asserts.
  Launch& require(bool holds, const char* otherwise) {
    if (!holds) fail(kInvalidValue, otherwise);
    return *this;
  }

  /// `count` items are read or written through the iterator.
  Launch& iterator(const cccl_iterator_t& iterator, std::uint64_t count) {
    if (iterator.type == CCCL_POINTER) {
      return range(reinterpret_cast<std::uint64_t>(iterator.state), count * iterator.value_type.size);
    }
    return host_state(iterator.state, iterator.size, "was given an iterator without its state");
  }

  /// An iterator that may be absent, which a null POINTER says.
  Launch& optional_iterator(const cccl_iterator_t& given, std::uint64_t count) {
    const bool absent = given.type == CCCL_POINTER && given.state == nullptr;
    return absent ? *this : iterator(given, count);
  }

  Launch& op(const cccl_op_t& op) {
    return op.type == CCCL_STATEFUL ? host_state(op.state, op.size, "was given an operator without its state") : *this;
  }

  Launch& value(const cccl_value_t& value) {
    return host_state(value.state, value.type.size, "was given an initial value without its bytes");
  }

  /// Answers `needed` where no storage is given, else launches with it.
  CUresult run(void* temporary, std::size_t* temporary_bytes, std::uint64_t needed) {
    if (temporary_bytes == nullptr) fail(kInvalidValue, "was given nowhere to store the temporary size");
    if (result_ != 0) return result_;
    if (temporary == nullptr) {
      *temporary_bytes = needed;
      return 0;
    }
    if (*temporary_bytes < needed) fail(kInvalidValue, "was given too little temporary storage");
    range(reinterpret_cast<std::uint64_t>(temporary), needed);
    return run();
  }

  CUresult run() {
    if (result_ != 0) return result_;
    return simulated_cuda_launch(name_, stream_, items_, ranges_.data(), count_);
  }

 private:
  Launch& range(std::uint64_t address, std::uint64_t bytes) {
    if (bytes > 0) ranges_[count_++] = {address, bytes};
    return *this;
  }

  Launch& host_state(const void* state, std::size_t size, const char* otherwise) {
    if (size == 0 || result_ != 0) return *this;
    if (state == nullptr) {
      fail(kInvalidValue, otherwise);
    } else {
      read_host(state, size);
    }
    return *this;
  }

  void fail(CUresult result, const char* what) {
    if (result_ != 0) return;
    result_ = result;
    simulated_cuda_violation((std::string(name_) + " " + what).c_str());
  }

  const char* name_;
  CUstream stream_;
  std::uint64_t items_;
  CUresult result_;
  std::array<SimulatedCudaRange, 8> ranges_{};
  std::uint64_t count_ = 0;
};

// Temporary sizes have the form of CUB's: one partial result a block, one state a tile, or a copy of the items.

std::uint64_t reduce_bytes(const cccl_device_reduce_build_result_t& build, std::uint64_t items) {
  const std::uint64_t tiles = tiles_of(items);
  return tiles <= 1 ? 1 : std::min<std::uint64_t>(tiles, 1320) * build.accumulator_size + 255;
}

std::uint64_t scan_bytes(const cccl_device_scan_build_result_t& build, std::uint64_t items) {
  return (tiles_of(items) + 32) * (build.description_bytes_per_tile + build.payload_bytes_per_tile) + 255;
}

CUresult run_reduce(const Executed& function, const cccl_device_reduce_build_result_t& build, bool determinism_fits,
                    void* temporary, std::size_t* temporary_bytes, const cccl_iterator_t& in,
                    const cccl_iterator_t& out, std::uint64_t items, const cccl_op_t& op, const cccl_value_t& init,
                    CUstream stream) {
  Launch launch(function, build.library, stream, items);
  launch.require(determinism_fits, "was called with a build of another determinism");
  if (temporary != nullptr) {
    launch.iterator(in, items).iterator(out, 1).op(op);
    if (build.init_kind == CCCL_VALUE_INIT) launch.value(init);
  }
  return launch.run(temporary, temporary_bytes, reduce_bytes(build, items));
}

Launch start_scan(const Executed& function, const cccl_device_scan_build_result_t& build, bool inclusive,
                  cccl_init_kind_t init_kind, const void* temporary, const cccl_iterator_t& in,
                  const cccl_iterator_t& out, std::uint64_t items, const cccl_op_t& op, CUstream stream) {
  Launch launch(function, build.library, stream, items);
  launch.require(build.force_inclusive == inclusive, "was called with a build of the other kind of scan")
      .require(build.init_kind == init_kind, "was called with a build of another kind of initial value");
  if (temporary != nullptr) launch.iterator(in, items).iterator(out, items).op(op);
  return launch;
}

}  // namespace

SIMULATED_EXPORT CUresult cccl_device_reduce(cccl_device_reduce_build_result_t build, void* temporary,
                                             std::size_t* temporary_bytes, cccl_iterator_t in, cccl_iterator_t out,
                                             std::uint64_t num_items, cccl_op_t op, cccl_value_t init,
                                             CUstream stream) {
  return run_reduce(executed_cccl_device_reduce, build, build.determinism == CCCL_RUN_TO_RUN, temporary,
                    temporary_bytes, in, out, num_items, op, init, stream);
}

SIMULATED_EXPORT CUresult cccl_device_reduce_nondeterministic(cccl_device_reduce_build_result_t build, void* temporary,
                                                              std::size_t* temporary_bytes, cccl_iterator_t in,
                                                              cccl_iterator_t out, std::uint64_t num_items,
                                                              cccl_op_t op, cccl_value_t init, CUstream stream) {
  return run_reduce(executed_cccl_device_reduce_nondeterministic, build, build.determinism == CCCL_NOT_GUARANTEED,
                    temporary, temporary_bytes, in, out, num_items, op, init, stream);
}

SIMULATED_EXPORT CUresult cccl_device_exclusive_scan(cccl_device_scan_build_result_t build, void* temporary,
                                                     std::size_t* temporary_bytes, cccl_iterator_t in,
                                                     cccl_iterator_t out, std::uint64_t num_items, cccl_op_t op,
                                                     cccl_value_t init, CUstream stream) {
  Launch launch = start_scan(executed_cccl_device_exclusive_scan, build, false, CCCL_VALUE_INIT, temporary, in, out,
                             num_items, op, stream);
  if (temporary != nullptr) launch.value(init);
  return launch.run(temporary, temporary_bytes, scan_bytes(build, num_items));
}

SIMULATED_EXPORT CUresult cccl_device_inclusive_scan(cccl_device_scan_build_result_t build, void* temporary,
                                                     std::size_t* temporary_bytes, cccl_iterator_t in,
                                                     cccl_iterator_t out, std::uint64_t num_items, cccl_op_t op,
                                                     cccl_value_t init, CUstream stream) {
  Launch launch = start_scan(executed_cccl_device_inclusive_scan, build, true, CCCL_VALUE_INIT, temporary, in, out,
                             num_items, op, stream);
  if (temporary != nullptr) launch.value(init);
  return launch.run(temporary, temporary_bytes, scan_bytes(build, num_items));
}

SIMULATED_EXPORT CUresult cccl_device_exclusive_scan_future_value(cccl_device_scan_build_result_t build,
                                                                  void* temporary, std::size_t* temporary_bytes,
                                                                  cccl_iterator_t in, cccl_iterator_t out,
                                                                  std::uint64_t num_items, cccl_op_t op,
                                                                  cccl_iterator_t init, CUstream stream) {
  Launch launch = start_scan(executed_cccl_device_exclusive_scan_future_value, build, false, CCCL_FUTURE_VALUE_INIT,
                             temporary, in, out, num_items, op, stream);
  if (temporary != nullptr) launch.iterator(init, 1);
  return launch.run(temporary, temporary_bytes, scan_bytes(build, num_items));
}

SIMULATED_EXPORT CUresult cccl_device_inclusive_scan_future_value(cccl_device_scan_build_result_t build,
                                                                  void* temporary, std::size_t* temporary_bytes,
                                                                  cccl_iterator_t in, cccl_iterator_t out,
                                                                  std::uint64_t num_items, cccl_op_t op,
                                                                  cccl_iterator_t init, CUstream stream) {
  Launch launch = start_scan(executed_cccl_device_inclusive_scan_future_value, build, true, CCCL_FUTURE_VALUE_INIT,
                             temporary, in, out, num_items, op, stream);
  if (temporary != nullptr) launch.iterator(init, 1);
  return launch.run(temporary, temporary_bytes, scan_bytes(build, num_items));
}

SIMULATED_EXPORT CUresult cccl_device_inclusive_scan_no_init(cccl_device_scan_build_result_t build, void* temporary,
                                                             std::size_t* temporary_bytes, cccl_iterator_t in,
                                                             cccl_iterator_t out, std::uint64_t num_items, cccl_op_t op,
                                                             CUstream stream) {
  return start_scan(executed_cccl_device_inclusive_scan_no_init, build, true, CCCL_NO_INIT, temporary, in, out,
                    num_items, op, stream)
      .run(temporary, temporary_bytes, scan_bytes(build, num_items));
}

SIMULATED_EXPORT CUresult cccl_device_segmented_reduce(cccl_device_segmented_reduce_build_result_t build,
                                                       void* temporary, std::size_t* temporary_bytes,
                                                       cccl_iterator_t in, cccl_iterator_t out,
                                                       std::uint64_t num_segments, cccl_iterator_t begin_offset,
                                                       cccl_iterator_t end_offset, cccl_op_t op, cccl_value_t init,
                                                       std::uint64_t, CUstream stream) {
  Launch launch(executed_cccl_device_segmented_reduce, build.library, stream, num_segments);
  if (temporary != nullptr) {
    // The offsets say how much is read, so of the input only that it is there can be checked.
    launch.iterator(in, num_segments > 0 ? 1 : 0)
        .iterator(out, num_segments)
        .iterator(begin_offset, num_segments)
        .iterator(end_offset, num_segments)
        .op(op)
        .value(init);
  }
  return launch.run(temporary, temporary_bytes, 1);
}

SIMULATED_EXPORT CUresult cccl_device_unary_transform(cccl_device_transform_build_result_t build, cccl_iterator_t in,
                                                      cccl_iterator_t out, std::uint64_t num_items, cccl_op_t op,
                                                      CUstream stream) {
  return Launch(executed_cccl_device_unary_transform, build.library, stream, num_items)
      .iterator(in, num_items)
      .iterator(out, num_items)
      .op(op)
      .run();
}

SIMULATED_EXPORT CUresult cccl_device_binary_transform(cccl_device_transform_build_result_t build, cccl_iterator_t in1,
                                                       cccl_iterator_t in2, cccl_iterator_t out,
                                                       std::uint64_t num_items, cccl_op_t op, CUstream stream) {
  return Launch(executed_cccl_device_binary_transform, build.library, stream, num_items)
      .iterator(in1, num_items)
      .iterator(in2, num_items)
      .iterator(out, num_items)
      .op(op)
      .run();
}

SIMULATED_EXPORT CUresult cccl_device_merge_sort(cccl_device_merge_sort_build_result_t build, void* temporary,
                                                 std::size_t* temporary_bytes, cccl_iterator_t in_keys,
                                                 cccl_iterator_t in_items, cccl_iterator_t out_keys,
                                                 cccl_iterator_t out_items, std::uint64_t num_items, cccl_op_t op,
                                                 CUstream stream) {
  Launch launch(executed_cccl_device_merge_sort, build.library, stream, num_items);
  if (temporary != nullptr) {
    launch.iterator(in_keys, num_items)
        .optional_iterator(in_items, num_items)
        .iterator(out_keys, num_items)
        .optional_iterator(out_items, num_items)
        .op(op);
  }
  const bool keys_only = in_items.type == CCCL_POINTER && in_items.state == nullptr;
  const std::uint64_t item_bytes = build.key_type.size + (keys_only ? 0 : build.item_type.size);
  return launch.run(temporary, temporary_bytes, num_items * item_bytes + tiles_of(num_items) * 8 + 255);
}

SIMULATED_EXPORT CUresult cccl_device_radix_sort(cccl_device_radix_sort_build_result_t build, void* temporary,
                                                 std::size_t* temporary_bytes, cccl_iterator_t keys_in,
                                                 cccl_iterator_t keys_out, cccl_iterator_t values_in,
                                                 cccl_iterator_t values_out, cccl_op_t decomposer,
                                                 std::uint64_t num_items, int begin_bit, int end_bit,
                                                 bool is_overwrite_okay, int* selector, CUstream stream) {
  Launch launch(executed_cccl_device_radix_sort, build.library, stream, num_items);
  const bool keys_only = values_in.type == CCCL_POINTER && values_in.state == nullptr;
  if (temporary != nullptr) {
    launch.require(begin_bit <= end_bit, "was given a bit window that ends before it begins")
        .require(selector != nullptr, "was given nowhere to store the selector")
        .iterator(keys_in, num_items)
        .iterator(keys_out, num_items)
        .optional_iterator(values_in, num_items)
        .optional_iterator(values_out, num_items)
        .op(decomposer);
  }
  const std::uint64_t item_bytes = build.key_type.size + (keys_only ? 0 : build.value_type.size);
  const std::uint64_t copied = is_overwrite_okay ? 0 : num_items * item_bytes;
  const CUresult result = launch.run(temporary, temporary_bytes, copied + tiles_of(num_items) * 1024 + 255);
  // The result lies in the second of each pair of buffers.
  if (result == 0 && temporary != nullptr) *selector = 1;
  return result;
}

SIMULATED_EXPORT CUresult cccl_device_segmented_sort(cccl_device_segmented_sort_build_result_t build, void* temporary,
                                                     std::size_t* temporary_bytes, cccl_iterator_t keys_in,
                                                     cccl_iterator_t keys_out, cccl_iterator_t values_in,
                                                     cccl_iterator_t values_out, std::uint64_t num_items,
                                                     std::uint64_t num_segments, cccl_iterator_t begin_offset,
                                                     cccl_iterator_t end_offset, bool is_overwrite_okay, int* selector,
                                                     CUstream stream) {
  Launch launch(executed_cccl_device_segmented_sort, build.library, stream, num_items);
  const bool keys_only = values_in.type == CCCL_POINTER && values_in.state == nullptr;
  if (temporary != nullptr) {
    launch.require(selector != nullptr, "was given nowhere to store the selector")
        .iterator(keys_in, num_items)
        .iterator(keys_out, num_items)
        .optional_iterator(values_in, num_items)
        .optional_iterator(values_out, num_items)
        .iterator(begin_offset, num_segments)
        .iterator(end_offset, num_segments);
  }
  const std::uint64_t item_bytes = build.key_type.size + (keys_only ? 0 : values_in.value_type.size);
  const std::uint64_t copied = is_overwrite_okay ? 0 : num_items * item_bytes;
  const CUresult result = launch.run(temporary, temporary_bytes, copied + num_segments * 12 + 255);
  if (result == 0 && temporary != nullptr) *selector = 1;
  return result;
}

SIMULATED_EXPORT CUresult cccl_device_unique_by_key(cccl_device_unique_by_key_build_result_t build, void* temporary,
                                                    std::size_t* temporary_bytes, cccl_iterator_t keys_in,
                                                    cccl_iterator_t values_in, cccl_iterator_t keys_out,
                                                    cccl_iterator_t values_out, cccl_iterator_t num_selected_out,
                                                    cccl_op_t op, std::uint64_t num_items, CUstream stream) {
  Launch launch(executed_cccl_device_unique_by_key, build.library, stream, num_items);
  if (temporary != nullptr) {
    // How many are written is the data's matter; of those outputs only that they are there can be checked.
    const std::uint64_t some = num_items > 0 ? 1 : 0;
    launch.iterator(keys_in, num_items)
        .iterator(values_in, num_items)
        .iterator(keys_out, some)
        .iterator(values_out, some)
        .iterator(num_selected_out, 1)
        .op(op);
  }
  const std::uint64_t tile_bytes = build.description_bytes_per_tile + build.payload_bytes_per_tile;
  return launch.run(temporary, temporary_bytes, (tiles_of(num_items) + 32) * tile_bytes + 255);
}

SIMULATED_EXPORT CUresult cccl_device_histogram_even(cccl_device_histogram_build_result_t build, void* temporary,
                                                     std::size_t* temporary_bytes, cccl_iterator_t samples,
                                                     cccl_iterator_t histograms, cccl_value_t num_output_levels,
                                                     cccl_value_t lower_level, cccl_value_t upper_level,
                                                     std::int64_t num_row_pixels, std::int64_t num_rows,
                                                     std::int64_t row_stride_samples, CUstream stream) {
  const auto items = static_cast<std::uint64_t>(num_row_pixels * num_rows);
  Launch launch(executed_cccl_device_histogram_even, build.library, stream, items);
  launch.require(num_row_pixels >= 0 && num_rows >= 0, "was given a negative size")
      .value(num_output_levels)
      .value(lower_level)
      .value(upper_level);
  if (temporary != nullptr && items > 0 && num_output_levels.state != nullptr) {
    const std::int64_t last_row = (num_rows - 1) * row_stride_samples;
    const std::int32_t levels = *static_cast<const std::int32_t*>(num_output_levels.state);
    launch.require(levels >= 2, "was given fewer than two levels")
        .iterator(samples, static_cast<std::uint64_t>(last_row + num_row_pixels))
        .iterator(histograms, static_cast<std::uint64_t>(std::max(levels, 2) - 1));
  }
  return launch.run(temporary, temporary_bytes, 255);
}

SIMULATED_EXPORT CUresult cccl_device_binary_search(cccl_device_binary_search_build_result_t build,
                                                    cccl_iterator_t data, std::uint64_t num_items,
                                                    cccl_iterator_t values, std::uint64_t num_values,
                                                    cccl_iterator_t out, cccl_op_t op, CUstream stream) {
  return Launch(executed_cccl_device_binary_search, build.transform.library, stream, num_values)
      .iterator(data, num_items)
      .iterator(values, num_values)
      .iterator(out, num_values)
      .op(op)
      .run();
}

SIMULATED_EXPORT CUresult cccl_device_three_way_partition(cccl_device_three_way_partition_build_result_t build,
                                                          void* temporary, std::size_t* temporary_bytes,
                                                          cccl_iterator_t in, cccl_iterator_t first_out,
                                                          cccl_iterator_t second_out, cccl_iterator_t unselected_out,
                                                          cccl_iterator_t num_selected_out, cccl_op_t first_op,
                                                          cccl_op_t second_op, std::uint64_t num_items,
                                                          CUstream stream) {
  Launch launch(executed_cccl_device_three_way_partition, build.library, stream, num_items);
  if (temporary != nullptr) {
    const std::uint64_t some = num_items > 0 ? 1 : 0;
    launch.iterator(in, num_items)
        .iterator(first_out, some)
        .iterator(second_out, some)
        .iterator(unselected_out, some)
        .iterator(num_selected_out, 2)
        .op(first_op)
        .op(second_op);
  }
  return launch.run(temporary, temporary_bytes, (tiles_of(num_items) + 32) * 16 + 255);
}

SIMULATED_EXPORT CUresult cccl_device_for(cccl_device_for_build_result_t build, cccl_iterator_t data,
                                          std::uint64_t num_items, cccl_op_t op, CUstream stream) {
  return Launch(executed_cccl_device_for, build.library, stream, num_items).iterator(data, num_items).op(op).run();
}
