#include "native/cccl/algorithms.h"

#include <unordered_map>

#include "native/driver/failure.h"

namespace cuda_compute {

/// Every algorithm's name. Its file defines `const Algorithm& NAME_algorithm()`.
#define CUDA_COMPUTE_ALGORITHMS(ALGORITHM) \
  ALGORITHM(reduce)                        \
  ALGORITHM(segmented_reduce)              \
  ALGORITHM(inclusive_scan)                \
  ALGORITHM(exclusive_scan)                \
  ALGORITHM(unary_transform)               \
  ALGORITHM(binary_transform)              \
  ALGORITHM(for_each)                      \
  ALGORITHM(merge_sort)                    \
  ALGORITHM(radix_sort)                    \
  ALGORITHM(segmented_sort)                \
  ALGORITHM(unique_by_key)                 \
  ALGORITHM(three_way_partition)           \
  ALGORITHM(histogram_even)                \
  ALGORITHM(lower_bound)                   \
  ALGORITHM(upper_bound)

#define DECLARE(name) const Algorithm& name##_algorithm();
CUDA_COMPUTE_ALGORITHMS(DECLARE)
#undef DECLARE

const Algorithm& find_algorithm(const std::string& name) {
#define ENTRY(name) {#name, name##_algorithm},
  static const auto& algorithms =
      *new std::unordered_map<std::string, const Algorithm& (*)()>{CUDA_COMPUTE_ALGORITHMS(ENTRY)};
#undef ENTRY
  const auto found = algorithms.find(name);
  if (found == algorithms.end()) {
    throw Failure(FailureKind::argument, "ERR_ALGORITHM", "There is no algorithm called \"" + name + "\".");
  }
  return found->second();
}

}  // namespace cuda_compute
