#include "native/cccl/algorithm.h"

namespace cuda_compute {
namespace {

template <bool Inclusive>
class Scan : public AlgorithmTraits {
 public:
  using Result = cccl_device_scan_build_result_t;
  static constexpr std::size_t slots = 2;
  static constexpr bool takes_init = true;

  static LifeCycle<Result> life_cycle(const Library& library) { return CCCL_LIFE_CYCLE(library, scan); }

  static CUresult compile(const Library& library, const BuildSpec& spec, const Arguments<slots>& arguments,
                          const Target& target, Result* result) {
    require_init(spec);
    const auto& [cub, thrust, libcudacxx, ctk] = target.includes;
    return CCCL_FUNCTION(library, cccl_device_scan_compile)(
        result, arguments.slots[0], arguments.slots[1], arguments.operators[0], spec.init->value, Inclusive,
        spec.init->kind, target.cc_major, target.cc_minor, cub, thrust, libcudacxx, ctk, nullptr);
  }

  Scan(const Library& library, const BuildSpec& spec)
      : init_(spec.init->kind),
        with_value_(Inclusive ? CCCL_FUNCTION(library, cccl_device_inclusive_scan)
                              : CCCL_FUNCTION(library, cccl_device_exclusive_scan)),
        with_future_value_(Inclusive ? CCCL_FUNCTION(library, cccl_device_inclusive_scan_future_value)
                                     : CCCL_FUNCTION(library, cccl_device_exclusive_scan_future_value)),
        without_init_(CCCL_FUNCTION(library, cccl_device_inclusive_scan_no_init)) {
    require_init(spec);
  }

  CUresult run(const Result& result, void* temporary, std::size_t* bytes, const Arguments<slots>& arguments,
               const Run& run) const {
    const auto& [in, out] = arguments.slots;
    const std::uint64_t count = item_count(run);
    const cccl_op_t& op = arguments.operators[0];
    switch (init_) {
      case CCCL_FUTURE_VALUE_INIT: {
        cccl_iterator_t init{};
        init.value_type = arguments.init.type;
        init.state = arguments.init.state;
        return with_future_value_(result, temporary, bytes, in, out, count, op, init, run.stream);
      }
      case CCCL_NO_INIT:
        return without_init_(result, temporary, bytes, in, out, count, op, run.stream);
      case CCCL_VALUE_INIT:
        break;
    }
    return with_value_(result, temporary, bytes, in, out, count, op, arguments.init, run.stream);
  }

 private:
  static void require_init(const BuildSpec& spec) {
    if (Inclusive || spec.init->kind != CCCL_NO_INIT) return;
    throw Failure(FailureKind::argument, "ERR_BUILD_SPEC", "An exclusive scan needs an initial value.");
  }

  cccl_init_kind_t init_;
  decltype(&cccl_device_inclusive_scan) with_value_;
  decltype(&cccl_device_inclusive_scan_future_value) with_future_value_;
  decltype(&cccl_device_inclusive_scan_no_init) without_init_;
};

}  // namespace

const Algorithm& inclusive_scan_algorithm() {
  static const AlgorithmOf<Scan<true>> algorithm;
  return algorithm;
}

const Algorithm& exclusive_scan_algorithm() {
  static const AlgorithmOf<Scan<false>> algorithm;
  return algorithm;
}

}  // namespace cuda_compute
