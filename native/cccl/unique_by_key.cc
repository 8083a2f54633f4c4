#include "native/cccl/algorithm.h"

namespace cuda_compute {
namespace {

/// Iterators: keys and values in, keys and values out, how many were kept.
class UniqueByKey : public AlgorithmTraits {
 public:
  using Result = cccl_device_unique_by_key_build_result_t;
  static constexpr std::size_t slots = 5;

  static LifeCycle<Result> life_cycle(const Library& library) { return CCCL_LIFE_CYCLE(library, unique_by_key); }

  static CUresult compile(const Library& library, const BuildSpec&, const Arguments<slots>& arguments,
                          const Target& target, Result* result) {
    const auto& [cub, thrust, libcudacxx, ctk] = target.includes;
    const auto& [keys_in, values_in, keys_out, values_out, count] = arguments.slots;
    return CCCL_FUNCTION(library, cccl_device_unique_by_key_compile)(
        result, keys_in, values_in, keys_out, values_out, count, arguments.operators[0], target.cc_major,
        target.cc_minor, cub, thrust, libcudacxx, ctk, nullptr);
  }

  UniqueByKey(const Library& library, const BuildSpec&) : run_(CCCL_FUNCTION(library, cccl_device_unique_by_key)) {}

  CUresult run(const Result& result, void* temporary, std::size_t* bytes, const Arguments<slots>& arguments,
               const Run& run) const {
    const auto& [keys_in, values_in, keys_out, values_out, count] = arguments.slots;
    return run_(result, temporary, bytes, keys_in, values_in, keys_out, values_out, count, arguments.operators[0],
                item_count(run), run.stream);
  }

 private:
  decltype(&cccl_device_unique_by_key) run_;
};

}  // namespace

const Algorithm& unique_by_key_algorithm() {
  static const AlgorithmOf<UniqueByKey> algorithm;
  return algorithm;
}

}  // namespace cuda_compute
