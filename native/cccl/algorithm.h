#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "native/cccl/abi.h"
#include "native/cccl/algorithms.h"
#include "native/cccl/build_spec.h"
#include "native/cccl/library.h"
#include "native/cccl/printed_output.h"
#include "native/cccl/temporary_size.h"
#include "native/driver/cuda_api.h"
#include "native/driver/failure.h"
#include "native/driver/signal_actions.h"

/// The life of a build, once for all algorithms: compile, link, serialize, load, run, clean up. An algorithm's file
/// says with a Traits class what is its own:
///
///     using Result                                    the C library's build result
///     static constexpr std::size_t slots              how many iterators its functions take
///     static LifeCycle<Result> life_cycle(const Library&)
///     static CUresult compile(const Library&, const BuildSpec&, const Arguments&, const Target&, Result*)
///     Traits(const Library&, const BuildSpec&)        chooses the function that runs
///     CUresult run(const Result&, void* temporary, std::size_t* bytes, const Arguments&, const cuda_compute::Run&)
///
/// and, where they differ, what AlgorithmTraits has.

namespace cuda_compute {

/// What most algorithms are.
struct AlgorithmTraits {
  static constexpr std::size_t operators = 1;  ///< how many operators its functions take
  static constexpr std::size_t values = 0;     ///< how many values beside the initial one
  static constexpr bool takes_init = false;
  static constexpr bool has_temporary = true;
};

/// The functions that every algorithm has under its own name. `link` is null where the library needs the operator's
/// code as it compiles.
template <typename Result>
struct LifeCycle {
  CUresult (*load)(Result*);
  CUresult (*link)(Result*, const void**, const std::size_t*, std::size_t);
  CUresult (*serialize)(const Result*, void**, std::size_t*);
  CUresult (*deserialize)(Result*, const void*, std::size_t);
  CUresult (*cleanup)(Result*);
};

#define CCCL_LIFE_CYCLE(library, algorithm)                       \
  {CCCL_FUNCTION(library, cccl_device_##algorithm##_load),        \
   CCCL_FUNCTION(library, cccl_device_##algorithm##_link_ltoir),  \
   CCCL_FUNCTION(library, cccl_device_##algorithm##_serialize),   \
   CCCL_FUNCTION(library, cccl_device_##algorithm##_deserialize), \
   CCCL_FUNCTION(library, cccl_device_##algorithm##_cleanup)}

/// What the C functions take, in their types.
template <std::size_t Slots, std::size_t Operators = 1, std::size_t Values = 0>
struct Arguments {
  std::array<cccl_iterator_t, Slots> slots{};
  std::array<cccl_op_t, Operators> operators{};
  std::array<cccl_value_t, Values> values{};
  cccl_value_t init{};
};

/// What is compiled for, and with which headers.
struct Target {
  int cc_major = 0;
  int cc_minor = 0;
  std::array<const char*, 4> includes{};
};

/// One of a run's numbers, as a count.
inline std::uint64_t scalar(const Run& run, std::size_t index) {
  return static_cast<std::uint64_t>(run.scalars[index]);
}

/// The item count of a run.
inline std::uint64_t item_count(const Run& run) { return scalar(run, 0); }

/// One of the integers that select a variant of the kernel.
inline std::int64_t option(const BuildSpec& spec, const char* name) {
  const auto found = spec.options.find(name);
  if (found != spec.options.end()) return found->second;
  throw Failure(FailureKind::argument, "ERR_BUILD_SPEC", spec.algorithm + " takes the option " + name + ".");
}

/// Any address that is not null: a POINTER without one means an absent array to some compile functions.
inline void* present_address() {
  static std::byte byte;
  return &byte;
}

template <typename Traits>
class AlgorithmOf final : public Algorithm {
  using Result = typename Traits::Result;
  using ArgumentsOf = Arguments<Traits::slots, Traits::operators, Traits::values>;

  /// A build result that is cleaned up when dropped.
  class Owner {
   public:
    explicit Owner(const LifeCycle<Result>& life) : life_(life) {}
    ~Owner() {
      if (!filled_) return;
      const PrintedOutput printed;
      life_.cleanup(&result);
    }
    Owner(const Owner&) = delete;
    Owner& operator=(const Owner&) = delete;

    void set_filled() { filled_ = true; }
    [[nodiscard]] const LifeCycle<Result>& life() const { return life_; }

    Result result{};

   private:
    LifeCycle<Result> life_;
    bool filled_ = false;
  };

  /// A loaded build.
  class Loaded final : public Build {
   public:
    Loaded(const Library& library, const BuildSpec& spec)
        : library_(library),
          slots_(spec.slots),
          operators_(spec.operators),
          values_(spec.values),
          init_position_(spec.init ? spec.init->position : 0),
          init_is_address_(spec.init && spec.init->kind == CCCL_FUTURE_VALUE_INIT),
          has_init_(spec.init && spec.init->kind != CCCL_NO_INIT),
          arguments_(arguments(slots_, operators_, values_, spec.init)),
          owner_(Traits::life_cycle(library)),
          traits_(library, spec) {}

    void load(const Artifact& linked) {
      deserialize(owner_, linked);
      const PrintedOutput printed;
      const CUresult status = owner_.life().load(&owner_.result);
      if (status != cuda_success) throw CudaApi::get().failure(status, "Loading the build", printed.text());
    }

    void run(const Run& run) const override {
      const ArgumentsOf arguments = at_frame(run.frame);
      const PrintedOutput printed;
      if constexpr (Traits::has_temporary) {
        // Even a size of zero needs an address, or the function would take the call for a size query.
        const TemporaryLease lease(*run.temporary, std::max<std::size_t>(temporary_bytes(arguments, run, printed), 1));
        std::size_t bytes = lease.bytes;
        check(traits_.run(owner_.result, lease.address, &bytes, arguments, run), printed);
      } else {
        check(traits_.run(owner_.result, nullptr, nullptr, arguments, run), printed);
      }
    }

    [[nodiscard]] Artifact serialize() const override { return AlgorithmOf::serialize(library_, owner_); }

   private:
    struct TemporaryLease {
      TemporaryLease(TemporaryStorage& lender, std::size_t size)
          : bytes(size), address(lender.acquire(size)), lender_(lender) {}
      ~TemporaryLease() { lender_.release(address); }
      TemporaryLease(const TemporaryLease&) = delete;
      TemporaryLease& operator=(const TemporaryLease&) = delete;

      std::size_t bytes;
      void* address;

     private:
      TemporaryStorage& lender_;
    };

    [[nodiscard]] ArgumentsOf at_frame(std::byte* frame) const {
      ArgumentsOf bound = arguments_;
      for (std::size_t i = 0; i < Traits::slots; ++i) {
        const SlotSpec& slot = slots_[i];
        if (slot.kind == SlotKind::iterator) bound.slots[i].state = frame + slot.position;
        if (slot.kind == SlotKind::pointer) bound.slots[i].state = address_at(frame + slot.position);
      }
      for (std::size_t i = 0; i < operators_.size(); ++i) bound.operators[i].state = frame + operators_[i].position;
      for (std::size_t i = 0; i < values_.size(); ++i) bound.values[i].state = frame + values_[i].position;
      if (has_init_) bound.init.state = init_is_address_ ? address_at(frame + init_position_) : frame + init_position_;
      return bound;
    }

    static void* address_at(const std::byte* position) {
      void* address = nullptr;
      std::memcpy(&address, position, sizeof address);
      return address;
    }

    [[nodiscard]] std::size_t temporary_bytes(const ArgumentsOf& arguments, const Run& run,
                                              const PrintedOutput& printed) const {
      const CUcontext context = CudaApi::get().current_context();
      const std::span<const double, scalar_count> scalars(run.scalars, scalar_count);
      if (const auto known = temporary_size_.find(context, scalars)) return *known;
      std::size_t bytes = 0;
      check(traits_.run(owner_.result, nullptr, &bytes, arguments, run), printed);
      temporary_size_.remember(context, scalars, bytes);
      return bytes;
    }

    void check(CUresult status, const PrintedOutput& printed) const {
      if (status != cuda_success) throw CudaApi::get().failure(status, "The call of the algorithm", printed.text());
    }

    const Library& library_;
    std::vector<SlotSpec> slots_;
    std::vector<OperatorSpec> operators_;
    std::vector<ValueSpec> values_;
    std::uint32_t init_position_;
    bool init_is_address_;
    bool has_init_;
    ArgumentsOf arguments_;
    Owner owner_;
    Traits traits_;
    mutable TemporarySize temporary_size_;
  };

 public:
  [[nodiscard]] Artifact compile(const Library& library, const BuildSpec& spec, LinkedCode code) const override {
    validate(spec);
    ArgumentsOf arguments = AlgorithmOf::arguments(spec.slots, spec.operators, spec.values, spec.init);
    std::vector<const char*> blobs;
    std::vector<std::size_t> sizes;
    for (const auto& blob : code) {
      blobs.push_back(reinterpret_cast<const char*>(blob->data()));
      sizes.push_back(blob->size());
    }
    if (!blobs.empty()) {
      // The library links what every iterator and operator brings; one of them brings all, so that nothing comes twice.
      // It takes an operator without code of its own for one that is linked later.
      cccl_op_t& carrier = carrier_of(arguments);
      carrier.code = blobs.front();
      carrier.code_size = sizes.front();
      carrier.extra_ltoirs = blobs.data() + 1;
      carrier.extra_ltoir_sizes = sizes.data() + 1;
      carrier.num_extra_ltoirs = blobs.size() - 1;
    }
    Target target{spec.compute_capability / 10, spec.compute_capability % 10, {}};
    for (std::size_t i = 0; i < target.includes.size(); ++i) target.includes[i] = library.include_options()[i].c_str();

    Owner owner(Traits::life_cycle(library));
    const PrintedOutput printed;
    const SignalActions kept;
    const CUresult status = Traits::compile(library, spec, arguments, target, &owner.result);
    if (status != cuda_success) throw compile_failure("ERR_COMPILE", "The kernel does not compile", status, printed);
    owner.set_filled();
    return serialize(library, owner);
  }

  [[nodiscard]] Artifact link(const Library& library, const Artifact& kernel, LinkedCode code) const override {
    Owner owner(Traits::life_cycle(library));
    if (owner.life().link == nullptr) throw Failure(FailureKind::argument, "ERR_BUILD_SPEC", "It cannot be linked.");
    deserialize(owner, kernel);
    std::vector<const void*> blobs;
    std::vector<std::size_t> sizes;
    for (const auto& blob : code) {
      blobs.push_back(blob->data());
      sizes.push_back(blob->size());
    }
    const PrintedOutput printed;
    const SignalActions kept;
    const CUresult status = owner.life().link(&owner.result, blobs.data(), sizes.data(), blobs.size());
    if (status != cuda_success) throw compile_failure("ERR_LINK", "The operator cannot be linked", status, printed);
    return serialize(library, owner);
  }

  [[nodiscard]] std::shared_ptr<const Build> load(const Library& library, const BuildSpec& spec,
                                                  const Artifact& linked) const override {
    validate(spec);
    auto build = std::make_shared<Loaded>(library, spec);
    build->load(linked);
    return build;
  }

 private:
  static void validate(const BuildSpec& spec) {
    const bool fits = spec.slots.size() == Traits::slots && spec.operators.size() == Traits::operators &&
                      spec.values.size() == Traits::values && spec.init.has_value() == Traits::takes_init;
    if (!fits) {
      throw Failure(FailureKind::argument, "ERR_BUILD_SPEC",
                    spec.algorithm + " takes " + std::to_string(Traits::slots) + " iterators, " +
                        std::to_string(Traits::operators) + " operators and " + std::to_string(Traits::values) +
                        " values, with" + (Traits::takes_init ? "" : "out") + " an initial value.");
    }
  }

  /// The C library's view of a specification. Points into it, so it must live as long.
  static ArgumentsOf arguments(const std::vector<SlotSpec>& slots, const std::vector<OperatorSpec>& operators,
                               const std::vector<ValueSpec>& values, const std::optional<InitSpec>& init) {
    ArgumentsOf result;
    for (std::size_t i = 0; i < std::min(slots.size(), Traits::slots); ++i) {
      const SlotSpec& slot = slots[i];
      cccl_iterator_t& iterator = result.slots[i];
      iterator.value_type = slot.value;
      iterator.state = slot.kind == SlotKind::absent ? nullptr : present_address();
      if (slot.kind != SlotKind::iterator) continue;
      iterator.type = CCCL_ITERATOR;
      iterator.size = slot.state_size;
      iterator.alignment = slot.state_alignment;
      iterator.advance.name = slot.advance.c_str();
      iterator.dereference.name = slot.dereference.c_str();
    }
    for (std::size_t i = 0; i < std::min(operators.size(), Traits::operators); ++i) {
      const OperatorSpec& spec = operators[i];
      cccl_op_t& op = result.operators[i];
      op.type = spec.kind;
      op.name = spec.symbol.empty() ? nullptr : spec.symbol.c_str();
      op.size = spec.state_size;
      op.alignment = spec.state_alignment;
      op.state = present_address();
    }
    for (std::size_t i = 0; i < std::min(values.size(), Traits::values); ++i) result.values[i].type = values[i].type;
    if (init) result.init = {init->value, nullptr};
    return result;
  }

  /// The operator, or the iterator's function, that brings the code of all.
  static cccl_op_t& carrier_of(ArgumentsOf& arguments) {
    for (cccl_op_t& op : arguments.operators) {
      if (op.name != nullptr) return op;
    }
    for (cccl_iterator_t& slot : arguments.slots) {
      if (slot.type == CCCL_ITERATOR) return slot.advance;
    }
    throw Failure(FailureKind::argument, "ERR_BUILD_SPEC", "There is code, and nothing that could call it.");
  }

  static void deserialize(Owner& owner, const Artifact& artifact) {
    const PrintedOutput printed;
    const CUresult status = owner.life().deserialize(&owner.result, artifact.data(), artifact.size());
    if (status != cuda_success) throw compile_failure("ERR_ARTIFACT", "The compiled code is damaged", status, printed);
    owner.set_filled();
  }

  static Artifact serialize(const Library& library, const Owner& owner) {
    const PrintedOutput printed;
    void* buffer = nullptr;
    std::size_t size = 0;
    const CUresult status = owner.life().serialize(&owner.result, &buffer, &size);
    if (status != cuda_success)
      throw compile_failure("ERR_ARTIFACT", "The build cannot be serialized", status, printed);
    const auto* bytes = static_cast<const std::byte*>(buffer);
    Artifact artifact(bytes, bytes + size);
    CCCL_FUNCTION(library, cccl_serialization_buffer_free)(buffer);
    return artifact;
  }

  static Failure compile_failure(const char* code, const std::string& what, CUresult status,
                                 const PrintedOutput& printed) {
    return {FailureKind::compile, code, what + " (status " + std::to_string(status) + ").", printed.text()};
  }
};

}  // namespace cuda_compute
