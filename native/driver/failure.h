#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace cuda_compute {

/// What kind of error a failure becomes in JavaScript.
enum class FailureKind {
  cuda,           ///< a driver call failed; `code` is the driver's name for it (CudaError)
  compile,        ///< NVRTC, nvJitLink or the C library refused code; `log` is their text (CompileError)
  toolkit,        ///< a library is missing or unfit (ToolkitNotFoundError)
  out_of_memory,  ///< the device has no room for `bytes`
  argument,       ///< a caller's mistake that the layer above let through (TypeError)
};

/// The one exception of the native layers. None of them knows N-API; the addon turns it into a JavaScript error.
class Failure : public std::runtime_error {
 public:
  Failure(FailureKind failure_kind, std::string stable_code, const std::string& message, std::string compiler_log = {},
          unsigned long long requested_bytes = 0)
      : std::runtime_error(message),
        kind(failure_kind),
        code(std::move(stable_code)),
        log(std::move(compiler_log)),
        bytes(requested_bytes) {}

  FailureKind kind;
  std::string code;
  std::string log;
  unsigned long long bytes;
};

}  // namespace cuda_compute
