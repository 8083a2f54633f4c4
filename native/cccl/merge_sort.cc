#include "native/cccl/algorithm.h"

namespace cuda_compute {
namespace {

/// Iterators: keys and items in, keys and items out; the items of both may be absent.
class MergeSort : public AlgorithmTraits {
 public:
  using Result = cccl_device_merge_sort_build_result_t;
  static constexpr std::size_t slots = 4;

  static LifeCycle<Result> life_cycle(const Library& library) { return CCCL_LIFE_CYCLE(library, merge_sort); }

  static CUresult compile(const Library& library, const BuildSpec&, const Arguments<slots>& arguments,
                          const Target& target, Result* result) {
    const auto& [cub, thrust, libcudacxx, ctk] = target.includes;
    const auto& [in_keys, in_items, out_keys, out_items] = arguments.slots;
    return CCCL_FUNCTION(library, cccl_device_merge_sort_compile)(
        result, in_keys, in_items, out_keys, out_items, arguments.operators[0], target.cc_major, target.cc_minor, cub,
        thrust, libcudacxx, ctk, nullptr);
  }

  MergeSort(const Library& library, const BuildSpec&) : run_(CCCL_FUNCTION(library, cccl_device_merge_sort)) {}

  CUresult run(const Result& result, void* temporary, std::size_t* bytes, const Arguments<slots>& arguments,
               const Run& run) const {
    const auto& [in_keys, in_items, out_keys, out_items] = arguments.slots;
    return run_(result, temporary, bytes, in_keys, in_items, out_keys, out_items, item_count(run),
                arguments.operators[0], run.stream);
  }

 private:
  decltype(&cccl_device_merge_sort) run_;
};

}  // namespace

const Algorithm& merge_sort_algorithm() {
  static const AlgorithmOf<MergeSort> algorithm;
  return algorithm;
}

}  // namespace cuda_compute
