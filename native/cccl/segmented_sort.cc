#include "native/cccl/algorithm.h"

namespace cuda_compute {
namespace {

/// Iterators: keys in and out, values in and out (which may be absent), first and last offsets. Option: `order`
/// (cccl_sort_order_t). Numbers of a call: items, segments, and whether both of each pair of buffers may be written.
class SegmentedSort : public AlgorithmTraits {
 public:
  using Result = cccl_device_segmented_sort_build_result_t;
  static constexpr std::size_t slots = 6;
  static constexpr std::size_t operators = 0;

  static LifeCycle<Result> life_cycle(const Library& library) { return CCCL_LIFE_CYCLE(library, segmented_sort); }

  static CUresult compile(const Library& library, const BuildSpec& spec, const Arguments<slots, operators>& arguments,
                          const Target& target, Result* result) {
    const auto& [cub, thrust, libcudacxx, ctk] = target.includes;
    const auto& [keys_in, keys_out, values_in, values_out, begin, end] = arguments.slots;
    return CCCL_FUNCTION(library, cccl_device_segmented_sort_compile)(
        result, static_cast<cccl_sort_order_t>(option(spec, "order")), keys_in, values_in, begin, end, target.cc_major,
        target.cc_minor, cub, thrust, libcudacxx, ctk, nullptr);
  }

  SegmentedSort(const Library& library, const BuildSpec&) : run_(CCCL_FUNCTION(library, cccl_device_segmented_sort)) {}

  CUresult run(const Result& result, void* temporary, std::size_t* bytes, const Arguments<slots, operators>& arguments,
               const Run& run) const {
    const auto& [keys_in, keys_out, values_in, values_out, begin, end] = arguments.slots;
    return run_(result, temporary, bytes, keys_in, keys_out, values_in, values_out, item_count(run), scalar(run, 1),
                begin, end, scalar(run, 2) != 0, run.selector, run.stream);
  }

 private:
  decltype(&cccl_device_segmented_sort) run_;
};

}  // namespace

const Algorithm& segmented_sort_algorithm() {
  static const AlgorithmOf<SegmentedSort> algorithm;
  return algorithm;
}

}  // namespace cuda_compute
