#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "native/cccl/build_spec.h"
#include "native/cccl/library.h"

namespace cuda_compute {

/// Compiled code as bytes: LTO-IR of an operator, or the C library's serialized form of a kernel or a linked build.
using Artifact = std::vector<std::byte>;

/// Artifacts to link in, each of them once.
using LinkedCode = std::span<const std::shared_ptr<const Artifact>>;

/// Makes builds of one algorithm, in steps whose results can be kept. Stateless; serves all threads.
class Algorithm {
 public:
  virtual ~Algorithm() = default;

  /// Compiles the kernel of a signature. Where `spec.whole`, `code` is compiled in and the result can be loaded; else
  /// `code` is empty, the operators stay open, and the result can be linked any number of times.
  /// Throws Failure(compile) with what the C library printed.
  [[nodiscard]] virtual Artifact compile(const Library& library, const BuildSpec& spec, LinkedCode code) const = 0;

  /// Joins a kernel and its code to what can be loaded. Throws Failure(compile) with the linker's log.
  [[nodiscard]] virtual Artifact link(const Library& library, const Artifact& kernel, LinkedCode code) const = 0;

  /// Loads what `compile` or `link` made. Throws Failure(compile, ERR_ARTIFACT) for bytes that are none of these, and
  /// Failure(cuda) where the driver refuses.
  [[nodiscard]] virtual std::shared_ptr<const Build> load(const Library& library, const BuildSpec& spec,
                                                          const Artifact& linked) const = 0;
};

/// The algorithm that is called `name`. Throws Failure(argument, ERR_ALGORITHM).
const Algorithm& find_algorithm(const std::string& name);

}  // namespace cuda_compute
