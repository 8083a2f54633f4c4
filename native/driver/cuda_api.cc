#include "native/driver/cuda_api.h"

#include <atomic>
#include <cstddef>
#include <mutex>

#include "native/driver/failure.h"

namespace cuda_compute {
namespace {

/// Never destroyed: work and finalizers may need the driver until the very end of the process.
std::atomic<const CudaApi*> loaded_api = nullptr;
std::mutex loading;

/// Failures that the device's context does not survive: every call after one answers the same.
bool loses_context(CUresult status) noexcept {
  constexpr CUresult uncorrectable_ecc = 214;
  constexpr CUresult illegal_address = 700;
  constexpr CUresult launch_timeout = 702;
  constexpr CUresult assertion = 710;
  constexpr CUresult hardware_stack = 714;
  constexpr CUresult launch_failed = 719;
  return status == uncorrectable_ecc || status == illegal_address || status == launch_timeout || status == assertion ||
         (status >= hardware_stack && status <= launch_failed);
}

constexpr const char* context_lost =
    " A kernel that was launched before did this, and the device's context is lost: every later call fails likewise. "
    "Start the process again; with CUDA_LAUNCH_BLOCKING=1 in its environment the call at fault throws.";

}  // namespace

CudaApi::CudaApi(const DynamicLibrary& library) {
#define CUDA_COMPUTE_RESOLVE(member, symbol, parameters) member = library.function<CUresult parameters>(symbol);
  CUDA_COMPUTE_DRIVER_FUNCTIONS(CUDA_COMPUTE_RESOLVE)
#undef CUDA_COMPUTE_RESOLVE
  check(init(0), "cuInit");
  check(driver_get_version(&version_), "cuDriverGetVersion");
}

const CudaApi& CudaApi::load(const std::string& path) {
  const std::lock_guard lock(loading);
  if (const CudaApi* api = loaded_api.load()) return *api;
  // Global, so that the C parallel library finds the driver's symbols by the name libcuda.so.1.
  const CudaApi* api = new CudaApi(DynamicLibrary::open(path, SymbolScope::global));
  loaded_api.store(api);
  return *api;
}

const CudaApi& CudaApi::get() {
  const CudaApi* api = loaded_api.load(std::memory_order_acquire);
  if (api == nullptr) throw Failure(FailureKind::toolkit, "ERR_DRIVER_NOT_LOADED", "The CUDA driver is not loaded.");
  return *api;
}

Failure CudaApi::failure(CUresult status, const char* function, const std::string& printed) const {
  const char* name = nullptr;
  const char* text = nullptr;
  if (get_error_name(status, &name) != cuda_success || name == nullptr) name = "CUDA_ERROR_UNKNOWN";
  if (get_error_string(status, &text) != cuda_success || text == nullptr) text = "unknown error";
  std::string message = std::string(function) + " failed: " + text + " (" + name + ").";
  if (loses_context(status)) message += context_lost;
  return {FailureKind::cuda, name, printed.empty() ? message : message + " " + printed, printed};
}

void CudaApi::check(CUresult status, const char* function) const {
  if (status != cuda_success) throw failure(status, function);
}

}  // namespace cuda_compute
