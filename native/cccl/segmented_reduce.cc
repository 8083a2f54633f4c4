#include "native/cccl/algorithm.h"

namespace cuda_compute {
namespace {

/// Numbers of a call: how many segments, and the size that none of them exceeds (0: unknown).
class SegmentedReduce : public AlgorithmTraits {
 public:
  using Result = cccl_device_segmented_reduce_build_result_t;
  static constexpr std::size_t slots = 4;
  static constexpr bool takes_init = true;

  static LifeCycle<Result> life_cycle(const Library& library) { return CCCL_LIFE_CYCLE(library, segmented_reduce); }

  static CUresult compile(const Library& library, const BuildSpec& spec, const Arguments<slots>& arguments,
                          const Target& target, Result* result) {
    const auto& [cub, thrust, libcudacxx, ctk] = target.includes;
    const auto& [in, out, begin, end] = arguments.slots;
    // The value is not looked at here, but it has bytes as in a call.
    std::vector<std::byte> bytes(spec.init->value.size);
    const cccl_value_t init{spec.init->value, bytes.data()};
    return CCCL_FUNCTION(library, cccl_device_segmented_reduce_compile)(
        result, in, out, begin, end, arguments.operators[0], init, target.cc_major, target.cc_minor, cub, thrust,
        libcudacxx, ctk, nullptr);
  }

  SegmentedReduce(const Library& library, const BuildSpec&)
      : run_(CCCL_FUNCTION(library, cccl_device_segmented_reduce)) {}

  CUresult run(const Result& result, void* temporary, std::size_t* bytes, const Arguments<slots>& arguments,
               const Run& run) const {
    const auto& [in, out, begin, end] = arguments.slots;
    return run_(result, temporary, bytes, in, out, item_count(run), begin, end, arguments.operators[0], arguments.init,
                scalar(run, 1), run.stream);
  }

 private:
  decltype(&cccl_device_segmented_reduce) run_;
};

}  // namespace

const Algorithm& segmented_reduce_algorithm() {
  static const AlgorithmOf<SegmentedReduce> algorithm;
  return algorithm;
}

}  // namespace cuda_compute
