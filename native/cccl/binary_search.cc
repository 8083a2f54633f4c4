#include "native/cccl/algorithm.h"

namespace cuda_compute {
namespace {

/// Iterators: sorted data, values that are looked for, indices out. Numbers of a call: values, data.
template <cccl_binary_search_mode_t Mode>
class BinarySearch : public AlgorithmTraits {
 public:
  using Result = cccl_device_binary_search_build_result_t;
  static constexpr std::size_t slots = 3;
  static constexpr bool has_temporary = false;

  static LifeCycle<Result> life_cycle(const Library& library) {
    return {CCCL_FUNCTION(library, cccl_device_binary_search_load), nullptr,
            CCCL_FUNCTION(library, cccl_device_binary_search_serialize),
            CCCL_FUNCTION(library, cccl_device_binary_search_deserialize),
            CCCL_FUNCTION(library, cccl_device_binary_search_cleanup)};
  }

  static CUresult compile(const Library& library, const BuildSpec&, const Arguments<slots>& arguments,
                          const Target& target, Result* result) {
    const auto& [cub, thrust, libcudacxx, ctk] = target.includes;
    const auto& [data, needles, out] = arguments.slots;
    return CCCL_FUNCTION(library, cccl_device_binary_search_compile)(
        result, Mode, data, needles, out, arguments.operators[0], target.cc_major, target.cc_minor, cub, thrust,
        libcudacxx, ctk, nullptr);
  }

  BinarySearch(const Library& library, const BuildSpec&) : run_(CCCL_FUNCTION(library, cccl_device_binary_search)) {}

  CUresult run(const Result& result, void*, std::size_t*, const Arguments<slots>& arguments, const Run& run) const {
    const auto& [data, needles, out] = arguments.slots;
    return run_(result, data, scalar(run, 1), needles, item_count(run), out, arguments.operators[0], run.stream);
  }

 private:
  decltype(&cccl_device_binary_search) run_;
};

}  // namespace

const Algorithm& lower_bound_algorithm() {
  static const AlgorithmOf<BinarySearch<CCCL_BINARY_SEARCH_LOWER_BOUND>> algorithm;
  return algorithm;
}

const Algorithm& upper_bound_algorithm() {
  static const AlgorithmOf<BinarySearch<CCCL_BINARY_SEARCH_UPPER_BOUND>> algorithm;
  return algorithm;
}

}  // namespace cuda_compute
