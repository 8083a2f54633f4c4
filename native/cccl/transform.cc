#include "native/cccl/algorithm.h"

namespace cuda_compute {
namespace {

/// The C library shares all but compile and run between the two.
class Transform : public AlgorithmTraits {
 public:
  using Result = cccl_device_transform_build_result_t;
  static constexpr bool has_temporary = false;

  static LifeCycle<Result> life_cycle(const Library& library) { return CCCL_LIFE_CYCLE(library, transform); }
};

class UnaryTransform : public Transform {
 public:
  static constexpr std::size_t slots = 2;

  static CUresult compile(const Library& library, const BuildSpec&, const Arguments<slots>& arguments,
                          const Target& target, Result* result) {
    const auto& [cub, thrust, libcudacxx, ctk] = target.includes;
    return CCCL_FUNCTION(library, cccl_device_unary_transform_compile)(
        result, arguments.slots[0], arguments.slots[1], arguments.operators[0], target.cc_major, target.cc_minor, cub,
        thrust, libcudacxx, ctk, nullptr);
  }

  UnaryTransform(const Library& library, const BuildSpec&)
      : run_(CCCL_FUNCTION(library, cccl_device_unary_transform)) {}

  CUresult run(const Result& result, void*, std::size_t*, const Arguments<slots>& arguments, const Run& run) const {
    return run_(result, arguments.slots[0], arguments.slots[1], item_count(run), arguments.operators[0], run.stream);
  }

 private:
  decltype(&cccl_device_unary_transform) run_;
};

class BinaryTransform : public Transform {
 public:
  static constexpr std::size_t slots = 3;

  static CUresult compile(const Library& library, const BuildSpec&, const Arguments<slots>& arguments,
                          const Target& target, Result* result) {
    const auto& [cub, thrust, libcudacxx, ctk] = target.includes;
    return CCCL_FUNCTION(library, cccl_device_binary_transform_compile)(
        result, arguments.slots[0], arguments.slots[1], arguments.slots[2], arguments.operators[0], target.cc_major,
        target.cc_minor, cub, thrust, libcudacxx, ctk, nullptr);
  }

  BinaryTransform(const Library& library, const BuildSpec&)
      : run_(CCCL_FUNCTION(library, cccl_device_binary_transform)) {}

  CUresult run(const Result& result, void*, std::size_t*, const Arguments<slots>& arguments, const Run& run) const {
    return run_(result, arguments.slots[0], arguments.slots[1], arguments.slots[2], item_count(run),
                arguments.operators[0], run.stream);
  }

 private:
  decltype(&cccl_device_binary_transform) run_;
};

}  // namespace

const Algorithm& unary_transform_algorithm() {
  static const AlgorithmOf<UnaryTransform> algorithm;
  return algorithm;
}

const Algorithm& binary_transform_algorithm() {
  static const AlgorithmOf<BinaryTransform> algorithm;
  return algorithm;
}

}  // namespace cuda_compute
