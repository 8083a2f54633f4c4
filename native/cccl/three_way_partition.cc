#include "native/cccl/algorithm.h"

namespace cuda_compute {
namespace {

/// Iterators: items in, the first and second selection and the rest out, two counts. Operators: the two predicates.
class ThreeWayPartition : public AlgorithmTraits {
 public:
  using Result = cccl_device_three_way_partition_build_result_t;
  static constexpr std::size_t slots = 5;
  static constexpr std::size_t operators = 2;

  static LifeCycle<Result> life_cycle(const Library& library) { return CCCL_LIFE_CYCLE(library, three_way_partition); }

  static CUresult compile(const Library& library, const BuildSpec&, const Arguments<slots, operators>& arguments,
                          const Target& target, Result* result) {
    const auto& [cub, thrust, libcudacxx, ctk] = target.includes;
    const auto& [in, first, second, unselected, counts] = arguments.slots;
    return CCCL_FUNCTION(library, cccl_device_three_way_partition_compile)(
        result, in, first, second, unselected, counts, arguments.operators[0], arguments.operators[1], target.cc_major,
        target.cc_minor, cub, thrust, libcudacxx, ctk, nullptr);
  }

  ThreeWayPartition(const Library& library, const BuildSpec&)
      : run_(CCCL_FUNCTION(library, cccl_device_three_way_partition)) {}

  CUresult run(const Result& result, void* temporary, std::size_t* bytes, const Arguments<slots, operators>& arguments,
               const Run& run) const {
    const auto& [in, first, second, unselected, counts] = arguments.slots;
    return run_(result, temporary, bytes, in, first, second, unselected, counts, arguments.operators[0],
                arguments.operators[1], item_count(run), run.stream);
  }

 private:
  decltype(&cccl_device_three_way_partition) run_;
};

}  // namespace

const Algorithm& three_way_partition_algorithm() {
  static const AlgorithmOf<ThreeWayPartition> algorithm;
  return algorithm;
}

}  // namespace cuda_compute
