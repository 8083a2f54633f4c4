#pragma once

#include <string>

#include "native/cccl/loaded_object.h"

namespace cuda_compute {

/// While one lives, what the C parallel library prints on this thread is kept here, and never reaches the process's
/// standard output or error. Captures nest. Making one allocates nothing.
class PrintedOutput {
 public:
  PrintedOutput();
  ~PrintedOutput();
  PrintedOutput(const PrintedOutput&) = delete;
  PrintedOutput& operator=(const PrintedOutput&) = delete;

  /// What was printed so far, without blank lines at either end.
  [[nodiscard]] std::string text() const;

 private:
  std::string text_;
  std::string* outer_;
};

/// Makes the printing functions of one shared object ours: its own calls of printf, puts, fwrite and so on, and its
/// std::cerr. They print as ever on threads without a PrintedOutput, and no other object is touched: redirecting the
/// file descriptors instead would take other threads' output with it. Throws Failure(toolkit, ERR_CCCL_OUTPUT).
void capture_printed_output(const LoadedObject& object);

}  // namespace cuda_compute
