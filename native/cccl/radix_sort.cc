#include "native/cccl/algorithm.h"

namespace cuda_compute {
namespace {

/// Iterators: keys in and out, values in and out; the values of both may be absent. Option: `order`
/// (cccl_sort_order_t). Numbers of a call: items, first bit, the bit after the last, and whether both of each pair of
/// buffers may be written.
class RadixSort : public AlgorithmTraits {
 public:
  using Result = cccl_device_radix_sort_build_result_t;
  static constexpr std::size_t slots = 4;
  static constexpr std::size_t operators = 0;

  static LifeCycle<Result> life_cycle(const Library& library) { return CCCL_LIFE_CYCLE(library, radix_sort); }

  static CUresult compile(const Library& library, const BuildSpec& spec, const Arguments<slots, operators>& arguments,
                          const Target& target, Result* result) {
    const auto& [cub, thrust, libcudacxx, ctk] = target.includes;
    const auto& [keys_in, keys_out, values_in, values_out] = arguments.slots;
    return CCCL_FUNCTION(library, cccl_device_radix_sort_compile)(
        result, static_cast<cccl_sort_order_t>(option(spec, "order")), keys_in, values_in, cccl_op_t{}, "",
        target.cc_major, target.cc_minor, cub, thrust, libcudacxx, ctk, nullptr);
  }

  RadixSort(const Library& library, const BuildSpec&) : run_(CCCL_FUNCTION(library, cccl_device_radix_sort)) {}

  CUresult run(const Result& result, void* temporary, std::size_t* bytes, const Arguments<slots, operators>& arguments,
               const Run& run) const {
    const auto& [keys_in, keys_out, values_in, values_out] = arguments.slots;
    return run_(result, temporary, bytes, keys_in, keys_out, values_in, values_out, cccl_op_t{}, item_count(run),
                static_cast<int>(scalar(run, 1)), static_cast<int>(scalar(run, 2)), scalar(run, 3) != 0, run.selector,
                run.stream);
  }

 private:
  decltype(&cccl_device_radix_sort) run_;
};

}  // namespace

const Algorithm& radix_sort_algorithm() {
  static const AlgorithmOf<RadixSort> algorithm;
  return algorithm;
}

}  // namespace cuda_compute
