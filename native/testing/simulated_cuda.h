#pragma once

#include <stdint.h>

/// Controls of the simulated driver (simulated_cuda.cc), exported from the same `libcuda.so.1` that it doubles.
///
/// The driver's own functions keep their names and signatures; everything here is for tests: settings, counters,
/// injected failures, and streams that are held back. All functions are safe from any thread.
///
/// How the double behaves, where a driver could choose:
/// - Queued work runs at once, in the calling thread, unless its stream is held or waits for one that is. Held work
///   runs in order when the stream is released. Work on the NULL stream and on blocking streams waits for each other.
/// - A call that must wait for held work waits for another thread to release it; after the wait limit it gives up with
///   CUDA_ERROR_LAUNCH_TIMEOUT and counts a violation, so that a test fails instead of hanging.
/// - Fresh device memory is filled with 0xCD (its first 4096 bytes), never with zeros.
/// - An async copy from pageable memory takes the bytes at the call, one to pageable memory waits; pinned memory is
///   read and written when the work runs.
/// - A *violation* is something no correct program does: a double or wild free, a copy or launch outside of live
///   memory, an unknown handle, work that runs on memory freed meanwhile.

#ifdef __cplusplus
extern "C" {
#endif

/// What lives now, and what has been made since the last reset.
typedef struct SimulatedCudaCounters {
  uint64_t live_allocations;  ///< device allocations whose memory is not yet given back
  uint64_t total_allocations;
  uint64_t live_bytes;  ///< as asked for, without rounding
  uint64_t peak_bytes;
  uint64_t pool_reserved_bytes;  ///< over all devices
  uint64_t live_streams;
  uint64_t total_streams;
  uint64_t live_events;
  uint64_t total_events;
  uint64_t live_libraries;
  uint64_t total_libraries;
  uint64_t live_pinned;
  uint64_t total_pinned;
  uint64_t live_pinned_bytes;
  uint64_t live_contexts;  ///< retains of primary contexts not yet released
  uint64_t launches;
  uint64_t pending_work;  ///< queued and not yet run
  uint64_t violations;
} SimulatedCudaCounters;

/// The arguments of a launch. A launch of the simulated C library has the algorithm's name and no grid.
typedef struct SimulatedCudaLaunch {
  char name[128];
  void* stream;
  uint64_t items;
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t shared_bytes;
} SimulatedCudaLaunch;

/// Memory that a launch reads or writes.
typedef struct SimulatedCudaRange {
  uint64_t address;
  uint64_t bytes;
} SimulatedCudaRange;

/// Settings, totals, call counts, violations and injected failures as they were when the library was loaded; held
/// streams are released. Live objects stay, since their owners still hold them.
void simulated_cuda_reset(void);

/// Memory of each device (1 GiB at first). Less than is in use makes further allocations fail.
void simulated_cuda_set_capacity(uint64_t bytes);
/// 0 to 16 devices (1 at first); `cuInit` fails with CUDA_ERROR_NO_DEVICE when there is none.
void simulated_cuda_set_device_count(int count);
/// As major * 10 + minor (90 at first).
void simulated_cuda_set_compute_capability(int capability);
/// As `cuDriverGetVersion` answers it (13000 at first).
void simulated_cuda_set_driver_version(int version);
/// How long a call waits for held work (5000 at first).
void simulated_cuda_set_wait_limit(int milliseconds);

/// Makes the `nth` next call (1 is the very next) of a function fail with `result`, before it does anything. Functions
/// are named as they are exported ("cuMemAlloc_v2"). Returns 0 when there is no such function.
int simulated_cuda_fail_next(const char* function, uint64_t nth, int result);
/// Calls of a function since the last reset, failed ones included; UINT64_MAX when there is no such function.
uint64_t simulated_cuda_calls(const char* function);

void simulated_cuda_counters(SimulatedCudaCounters* counters);
/// What the last violation was; "" when there was none. Valid until the calling thread asks again.
const char* simulated_cuda_last_violation(void);
/// The last launch; returns 0 when there was none since the last reset.
int simulated_cuda_last_launch(SimulatedCudaLaunch* launch);

/// Live streams in the order of their making, without the NULL stream. Returns how many there are, and stores up to
/// `capacity` of them.
uint64_t simulated_cuda_streams(void** streams, uint64_t capacity);
/// Holds a stream's work back from now on; NULL is the NULL stream of device 0. Returns 0 for an unknown stream.
int simulated_cuda_hold_stream(void* stream);
/// Runs what was held back, in order. Host functions run in the calling thread. Returns 0 for an unknown stream.
int simulated_cuda_release_stream(void* stream);
/// Holds every stream, those to come included, until `simulated_cuda_release_all`.
void simulated_cuda_hold_all(void);
/// Releases every stream.
void simulated_cuda_release_all(void);

/// Visits every function that was called since the last reset, of this double and of those on top of it.
void simulated_cuda_visit_calls(void (*visit)(void* context, const char* name, uint64_t calls), void* context);

/// For other doubles on top of this one: counts and fails calls of a function of theirs by name.
void* simulated_cuda_function(const char* name);
/// Counts a call; returns the injected failure, else 0.
int simulated_cuda_enter(void* function);
/// Queues a launch that touches nothing: every range must lie in one live piece of device or pinned memory, now and
/// when the stream comes to it.
int simulated_cuda_launch(const char* name, void* handle, uint64_t items, const SimulatedCudaRange* ranges,
                          uint64_t count);
/// Whether `library` is a loaded CUlibrary.
int simulated_cuda_is_library(const void* library);
/// Counts a violation that another double has found.
void simulated_cuda_violation(const char* what);

#ifdef __cplusplus
}
#endif
