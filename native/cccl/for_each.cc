#include "native/cccl/algorithm.h"

namespace cuda_compute {
namespace {

/// One iterator, which must be an address.
class ForEach : public AlgorithmTraits {
 public:
  using Result = cccl_device_for_build_result_t;
  static constexpr std::size_t slots = 1;
  static constexpr bool has_temporary = false;

  static LifeCycle<Result> life_cycle(const Library& library) { return CCCL_LIFE_CYCLE(library, for);
  }

  static CUresult compile(const Library& library, const BuildSpec&, const Arguments<slots>& arguments,
                          const Target& target, Result* result) {
    const auto& [cub, thrust, libcudacxx, ctk] = target.includes;
    return CCCL_FUNCTION(library, cccl_device_for_compile)(result, arguments.slots[0], arguments.operators[0],
                                                           target.cc_major, target.cc_minor, cub, thrust, libcudacxx,
                                                           ctk, nullptr);
  }

  ForEach(const Library& library, const BuildSpec&) : run_(CCCL_FUNCTION(library, cccl_device_for)) {}

  CUresult run(const Result& result, void*, std::size_t*, const Arguments<slots>& arguments, const Run& run) const {
    return run_(result, arguments.slots[0], item_count(run), arguments.operators[0], run.stream);
  }

 private:
  decltype(&cccl_device_for) run_;
};

}  // namespace

const Algorithm& for_each_algorithm() {
  static const AlgorithmOf<ForEach> algorithm;
  return algorithm;
}

}  // namespace cuda_compute
