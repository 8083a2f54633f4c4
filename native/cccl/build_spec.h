#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "native/cccl/abi.h"

namespace cuda_compute {

/// What stands for an iterator argument: an address, a state with two functions, or nothing.
enum class SlotKind : std::uint8_t { pointer, iterator, absent };

/// One iterator argument of a C function, in that function's order.
struct SlotSpec {
  SlotKind kind = SlotKind::pointer;
  cccl_type_info value{};
  std::uint32_t position = 0;  ///< byte offset of the state, or of the address, in the call frame
  std::uint32_t state_size = 0;
  std::uint32_t state_alignment = 0;
  std::string advance;
  std::string dereference;
};

/// One operator argument. `kind` is STATELESS or STATEFUL with a symbol, or a well-known operator without one.
struct OperatorSpec {
  cccl_op_kind_t kind = CCCL_STATELESS;
  std::string symbol;
  std::uint32_t position = 0;
  std::uint32_t state_size = 0;
  std::uint32_t state_alignment = 0;
};

/// The initial value: its type, and where its bytes (or, for a future value, its device address) lie in the frame.
struct InitSpec {
  cccl_init_kind_t kind = CCCL_VALUE_INIT;
  cccl_type_info value{};
  std::uint32_t position = 0;
};

/// A value beside the initial one, such as a histogram's level: its type, and where its bytes lie in the frame.
struct ValueSpec {
  cccl_type_info type{};
  std::uint32_t position = 0;
};

/// Device code to link in: CUDA C++ `source`, or `ltoir` that is ready. Equal keys mean equal code.
struct CodeUnit {
  std::string key;
  std::string source;
  std::vector<std::byte> ltoir;
};

/// Everything a build is made from: types and code, never an array, an address or a value.
struct BuildSpec {
  std::string algorithm;
  std::string kernel_key;      ///< stands for everything but `code`
  int compute_capability = 0;  ///< major * 10 + minor
  std::vector<SlotSpec> slots;
  std::vector<OperatorSpec> operators;
  std::optional<InitSpec> init;
  std::vector<ValueSpec> values;
  std::map<std::string, std::int64_t> options;
  std::vector<CodeUnit> code;
  bool whole = false;  ///< compile kernel and operators at once (well-known operators), else link `code` to the kernel
};

/// Lends device memory for the length of one call. Implemented by native/memory.
class TemporaryStorage {
 public:
  virtual ~TemporaryStorage() = default;
  /// At least `bytes` of device memory, ordered on the call's stream; throws Failure(out_of_memory).
  virtual void* acquire(std::size_t bytes) = 0;
  /// Gives it back, ordered after what was queued.
  virtual void release(void* pointer) = 0;
};

/// How many numbers a call carries beside its arrays and values.
constexpr std::size_t scalar_count = 8;

/// What one run needs. Lives on the caller's stack; nothing of it is kept.
struct Run {
  CUstream stream = nullptr;
  const double* scalars = nullptr;  ///< `scalar_count` numbers; the item count first
  std::byte* frame = nullptr;       ///< base of the positions in the spec; addresses are already resolved
  TemporaryStorage* temporary = nullptr;
  std::int32_t* selector = nullptr;  ///< where sorts of double buffers say which of the two holds the result
};

/// A loaded build: immutable, shared by threads, and free of arrays.
class Build {
 public:
  virtual ~Build() = default;
  /// Enqueues the algorithm. Throws Failure.
  virtual void run(const Run& run) const = 0;
  /// The C library's own blob of this build.
  [[nodiscard]] virtual std::vector<std::byte> serialize() const = 0;
};

}  // namespace cuda_compute
