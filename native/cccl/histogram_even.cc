#include <limits>

#include "native/cccl/algorithm.h"

namespace cuda_compute {
namespace {

/// Iterators: samples in, counters out. Values: lower and upper level. Numbers of a call: samples, levels (one more
/// than there are bins). Options: `levels` (the library compiles other kernels for many bins) and `wide` (whether
/// offsets need 64 bits).
class HistogramEven : public AlgorithmTraits {
 public:
  using Result = cccl_device_histogram_build_result_t;
  static constexpr std::size_t slots = 2;
  static constexpr std::size_t operators = 0;
  static constexpr std::size_t values = 2;

  static LifeCycle<Result> life_cycle(const Library& library) { return CCCL_LIFE_CYCLE(library, histogram); }

  static CUresult compile(const Library& library, const BuildSpec& spec,
                          const Arguments<slots, operators, values>& arguments, const Target& target, Result* result) {
    const auto& [cub, thrust, libcudacxx, ctk] = target.includes;
    const auto& [samples, counters] = arguments.slots;
    // One row; the library chooses the width of offsets by its number of bytes.
    const std::int64_t row = option(spec, "wide") != 0 ? std::numeric_limits<std::int64_t>::max() / 64 : 1;
    return CCCL_FUNCTION(library, cccl_device_histogram_compile)(
        result, 1, 1, samples, static_cast<int>(option(spec, "levels")), counters, spec.values[0].type, 1, row, true,
        target.cc_major, target.cc_minor, cub, thrust, libcudacxx, ctk, nullptr);
  }

  HistogramEven(const Library& library, const BuildSpec&) : run_(CCCL_FUNCTION(library, cccl_device_histogram_even)) {}

  CUresult run(const Result& result, void* temporary, std::size_t* bytes,
               const Arguments<slots, operators, values>& arguments, const Run& run) const {
    const auto& [samples, counters] = arguments.slots;
    const auto& [lower, upper] = arguments.values;
    auto levels = static_cast<std::int32_t>(run.scalars[1]);
    const cccl_value_t level_count{{sizeof levels, alignof(std::int32_t), CCCL_INT32}, &levels};
    const auto row = static_cast<std::int64_t>(item_count(run));
    return run_(result, temporary, bytes, samples, counters, level_count, lower, upper, row, 1, row, run.stream);
  }

 private:
  decltype(&cccl_device_histogram_even) run_;
};

}  // namespace

const Algorithm& histogram_even_algorithm() {
  static const AlgorithmOf<HistogramEven> algorithm;
  return algorithm;
}

}  // namespace cuda_compute
