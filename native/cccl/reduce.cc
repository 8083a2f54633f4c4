#include "native/cccl/algorithm.h"

namespace cuda_compute {
namespace {

/// Options: `determinism` (cccl_determinism_t).
class Reduce : public AlgorithmTraits {
 public:
  using Result = cccl_device_reduce_build_result_t;
  static constexpr std::size_t slots = 2;
  static constexpr bool takes_init = true;

  static LifeCycle<Result> life_cycle(const Library& library) { return CCCL_LIFE_CYCLE(library, reduce); }

  static CUresult compile(const Library& library, const BuildSpec& spec, const Arguments<slots>& arguments,
                          const Target& target, Result* result) {
    const auto& [cub, thrust, libcudacxx, ctk] = target.includes;
    return CCCL_FUNCTION(library, cccl_device_reduce_compile)(
        result, arguments.slots[0], arguments.slots[1], arguments.operators[0], spec.init->value, spec.init->kind,
        determinism(spec), target.cc_major, target.cc_minor, cub, thrust, libcudacxx, ctk, nullptr);
  }

  Reduce(const Library& library, const BuildSpec& spec)
      : run_(determinism(spec) == CCCL_NOT_GUARANTEED ? CCCL_FUNCTION(library, cccl_device_reduce_nondeterministic)
                                                      : CCCL_FUNCTION(library, cccl_device_reduce)) {}

  CUresult run(const Result& result, void* temporary, std::size_t* bytes, const Arguments<slots>& arguments,
               const Run& run) const {
    return run_(result, temporary, bytes, arguments.slots[0], arguments.slots[1], item_count(run),
                arguments.operators[0], arguments.init, run.stream);
  }

 private:
  static cccl_determinism_t determinism(const BuildSpec& spec) {
    return static_cast<cccl_determinism_t>(option(spec, "determinism"));
  }

  decltype(&cccl_device_reduce) run_;
};

}  // namespace

const Algorithm& reduce_algorithm() {
  static const AlgorithmOf<Reduce> algorithm;
  return algorithm;
}

}  // namespace cuda_compute
