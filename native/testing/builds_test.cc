// Holds native/cccl to its words, with the real C parallel library, NVRTC and nvJitLink on the simulated device: what
// is built how often, what is kept, what a failure says, and that everything is given back.

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "native/cccl/build_cache.h"
#include "native/cccl/library.h"
#include "native/cccl/operator_compiler.h"
#include "native/testing/simulated_device.h"

namespace cuda_compute {
namespace {

/// What the doubles pass calls on to.
void name_the_real_libraries() {
  setenv("CUDA_COMPUTE_REAL_CCCL", TEST_VENDOR "/cccl/cuda/compute/cu13/cccl/libcccl.c.parallel.so", 0);
  setenv("CUDA_COMPUTE_REAL_NVRTC", TEST_VENDOR "/cuda/lib/libnvrtc.so.13", 0);
  setenv("CUDA_COMPUTE_REAL_NVJITLINK", TEST_VENDOR "/cuda/lib/libnvJitLink.so.13", 0);
}
constexpr int launch_failed = 719;
constexpr int unknown_error = 999;

LibraryPaths paths(const std::string& cccl = TEST_SIMULATED_CCCL) {
  const std::string headers = "-I" TEST_VENDOR "/cccl/cuda/cccl/headers/include";
  return {TEST_SIMULATED_NVRTC,
          TEST_SIMULATED_NVJITLINK,
          cccl,
          {headers, headers, headers, "-I" TEST_VENDOR "/cuda/include"}};
}

// ---- specifications -------------------------------------------------------------------------------------------------

constexpr cccl_type_info int32{4, 4, CCCL_INT32};
constexpr cccl_type_info float32{4, 4, CCCL_FLOAT32};
constexpr const char* operator_symbol = "test_operator";

/// Where things lie in the frame of every call here.
constexpr std::uint32_t first_slot = 0;
constexpr std::uint32_t slot_bytes = 8;
constexpr std::uint32_t init_position = 48;
constexpr std::uint32_t state_position = 56;
constexpr std::size_t frame_bytes = 64;

SlotSpec pointer(std::uint32_t index, cccl_type_info value = int32) {
  SlotSpec slot;
  slot.value = value;
  slot.position = first_slot + index * slot_bytes;
  return slot;
}

CodeUnit source(const std::string& key, const std::string& text) { return {key, text, {}}; }

std::string binary(const std::string& expression) {
  return std::string("extern \"C\" void ") + operator_symbol +
         "(const void* a, const void* b, void* out) {\n"
         "  const int x = *static_cast<const int*>(a), y = *static_cast<const int*>(b);\n"
         "  *static_cast<int*>(out) = " +
         expression + ";\n}\n";
}

std::string unary(const std::string& expression) {
  return std::string("extern \"C\" void ") + operator_symbol +
         "(const void* a, void* out) {\n"
         "  const int x = *static_cast<const int*>(a);\n"
         "  *static_cast<int*>(out) = " +
         expression + ";\n}\n";
}

OperatorSpec stateless() {
  OperatorSpec op;
  op.symbol = operator_symbol;
  return op;
}

BuildSpec algorithm(const std::string& name, std::uint32_t slots, const CodeUnit& code) {
  BuildSpec spec;
  spec.algorithm = name;
  spec.kernel_key = name + " int32";
  spec.compute_capability = 90;
  for (std::uint32_t i = 0; i < slots; ++i) spec.slots.push_back(pointer(i));
  spec.operators = {stateless()};
  spec.code = {code};
  return spec;
}

BuildSpec with_init(BuildSpec spec, cccl_init_kind_t kind) {
  spec.init = InitSpec{kind, int32, init_position};
  spec.kernel_key += " init " + std::to_string(kind);
  return spec;
}

const CodeUnit sum = source("sum", binary("x + y"));
const CodeUnit product = source("product", binary("x * y"));
const CodeUnit twice = source("twice", unary("2 * x"));

BuildSpec reduce() {
  BuildSpec spec = with_init(algorithm("reduce", 2, sum), CCCL_VALUE_INIT);
  spec.options["determinism"] = CCCL_RUN_TO_RUN;
  return spec;
}
BuildSpec unary_transform(const CodeUnit& code = twice) { return algorithm("unary_transform", 2, code); }

BuildSpec reduce_in_any_order() {
  BuildSpec spec = reduce();
  spec.kernel_key = "reduce float32 plus, in any order";
  for (SlotSpec& slot : spec.slots) slot.value = float32;
  spec.init->value = float32;
  spec.operators = {OperatorSpec{CCCL_PLUS, "", 0, 0, 0}};
  spec.code.clear();
  spec.whole = true;
  spec.options["determinism"] = CCCL_NOT_GUARANTEED;
  return spec;
}

/// x * factor, with the factor as the operator's state.
BuildSpec stateful_transform() {
  BuildSpec spec = unary_transform(source("scale", std::string("extern \"C\" void ") + operator_symbol +
                                                       "(void* state, const void* a, void* out) {\n"
                                                       "  *static_cast<int*>(out) = *static_cast<const int*>(a) * "
                                                       "*static_cast<const int*>(state);\n}\n"));
  spec.kernel_key += " stateful";
  spec.operators[0].kind = CCCL_STATEFUL;
  spec.operators[0].position = state_position;
  spec.operators[0].state_size = 4;
  spec.operators[0].state_alignment = 4;
  return spec;
}

/// A sum of the numbers that an iterator counts.
BuildSpec reduce_of_an_iterator() {
  BuildSpec spec = reduce();
  spec.kernel_key += " counting";
  spec.slots[0].kind = SlotKind::iterator;
  spec.slots[0].state_size = 4;
  spec.slots[0].state_alignment = 4;
  spec.slots[0].advance = "count_advance";
  spec.slots[0].dereference = "count_dereference";
  spec.code.push_back(
      source("count",
             "extern \"C\" void count_advance(void* state, const void* offset) {\n"
             "  *static_cast<int*>(state) += static_cast<int>(*static_cast<const unsigned long long*>(offset));\n}\n"
             "extern \"C\" void count_dereference(const void* state, void* out) {\n"
             "  *static_cast<int*>(out) = *static_cast<const int*>(state);\n}\n"));
  return spec;
}

/// The same by the library's own plus: kernel and iterator are compiled at once.
BuildSpec reduce_of_an_iterator_by_plus() {
  BuildSpec spec = reduce_of_an_iterator();
  spec.kernel_key += " plus";
  spec.operators = {OperatorSpec{CCCL_PLUS, "", 0, 0, 0}};
  spec.code.erase(spec.code.begin());
  spec.whole = true;
  return spec;
}

/// An algorithm without operators, which is compiled at once.
BuildSpec without_operators(const std::string& name, std::uint32_t slots, std::map<std::string, std::int64_t> options) {
  BuildSpec spec = algorithm(name, slots, sum);
  spec.operators.clear();
  spec.code.clear();
  spec.options = std::move(options);
  spec.whole = true;
  return spec;
}

/// Leaves the values out.
BuildSpec keys_only(BuildSpec spec, std::size_t values_in, std::size_t values_out) {
  spec.kernel_key += " keys";
  for (const std::size_t index : {values_in, values_out}) {
    spec.slots[index].kind = SlotKind::absent;
    spec.slots[index].value = {1, 1, CCCL_UINT8};
  }
  return spec;
}

const CodeUnit less = source("less", std::string("extern \"C\" void ") + operator_symbol +
                                         "(const void* a, const void* b, void* out) {\n"
                                         "  *static_cast<bool*>(out) = *static_cast<const int*>(a) < "
                                         "*static_cast<const int*>(b);\n}\n");

BuildSpec radix_sort() { return without_operators("radix_sort", 4, {{"order", CCCL_ASCENDING}}); }
BuildSpec segmented_sort() { return without_operators("segmented_sort", 6, {{"order", CCCL_DESCENDING}}); }

BuildSpec histogram() {
  BuildSpec spec = without_operators("histogram_even", 2, {{"levels", 11}, {"wide", 0}});
  spec.values = {ValueSpec{int32, init_position}, ValueSpec{int32, state_position}};
  return spec;
}

BuildSpec binary_search(const std::string& name) {
  BuildSpec spec = algorithm(name, 3, less);
  spec.slots[2].value = {8, 8, CCCL_UINT64};
  spec.whole = true;
  return spec;
}

BuildSpec three_way_partition() {
  const auto predicate = [](const std::string& symbol, const std::string& condition) {
    return "extern \"C\" void " + symbol +
           "(const void* a, void* out) {\n  *static_cast<bool*>(out) = *static_cast<const int*>(a) " + condition +
           ";\n}\n";
  };
  BuildSpec spec =
      algorithm("three_way_partition", 5,
                source("two predicates", predicate("first_part", "< 10") + predicate("second_part", "> 20")));
  OperatorSpec op;
  op.symbol = "first_part";
  spec.operators = {op, op};
  spec.operators[1].symbol = "second_part";
  return spec;
}

BuildSpec for_each() {
  return algorithm("for_each", 1,
                   source("each", std::string("extern \"C\" void ") + operator_symbol +
                                      "(void* a) {\n  *static_cast<int*>(a) += 1;\n}\n"));
}

// ---- common ground --------------------------------------------------------------------------------------------------

/// A store whose keys can be looked at, and whose answers can be set.
class RecordingStore final : public ArtifactStore {
 public:
  [[nodiscard]] std::shared_ptr<const Artifact> find(const std::string& key) override {
    const std::lock_guard lock(mutex_);
    if (answer && key.rfind("build ", 0) == 0) return answer;
    return kept_.find(key);
  }
  void insert(const std::string& key, std::shared_ptr<const Artifact> artifact) override {
    const std::lock_guard lock(mutex_);
    inserted[key] = artifact;
    kept_.insert(key, std::move(artifact));
  }
  void clear() override { kept_.clear(); }

  std::map<std::string, std::shared_ptr<const Artifact>> inserted;
  std::shared_ptr<const Artifact> answer;  ///< of every linked build, where there is one

 private:
  std::mutex mutex_;
  MemoryStore kept_{100};
};

/// Everything that the process writes to its standard output and error while one lives, other threads included.
class CapturedDescriptors {
 public:
  CapturedDescriptors() {
    std::fflush(nullptr);
    for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
      saved_.at(index(descriptor)) = dup(descriptor);
      files_.at(index(descriptor)) = memfd_create("captured", 0);
      dup2(files_.at(index(descriptor)), descriptor);
    }
  }
  ~CapturedDescriptors() { restore(); }
  CapturedDescriptors(const CapturedDescriptors&) = delete;
  CapturedDescriptors& operator=(const CapturedDescriptors&) = delete;

  /// What was written, by descriptor. Ends the capture.
  std::pair<std::string, std::string> finish() {
    restore();
    return {text(STDOUT_FILENO), text(STDERR_FILENO)};
  }

 private:
  static std::size_t index(int descriptor) { return descriptor == STDOUT_FILENO ? 0 : 1; }

  void restore() {
    if (restored_) return;
    restored_ = true;
    std::fflush(nullptr);
    for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
      dup2(saved_.at(index(descriptor)), descriptor);
      close(saved_.at(index(descriptor)));
    }
  }

  std::string text(int descriptor) {
    const int file = files_.at(index(descriptor));
    std::string content(static_cast<std::size_t>(lseek(file, 0, SEEK_END)), '\0');
    const auto size = pread(file, content.data(), content.size(), 0);
    close(file);
    content.resize(static_cast<std::size_t>(size));
    return content;
  }

  std::array<int, 2> saved_{};
  std::array<int, 2> files_{};
  bool restored_ = false;
};

/// Calls of every function of every double since the last reset.
std::map<std::string, std::uint64_t> all_calls() {
  std::map<std::string, std::uint64_t> result;
  simulated_cuda_visit_calls(
      [](void* context, const char* name, std::uint64_t calls) {
        (*static_cast<std::map<std::string, std::uint64_t>*>(context))[name] = calls;
      },
      &result);
  return result;
}

/// While one lives, what is allocated is not looked for by LeakSanitizer.
class IgnoredByLeakSanitizer {
 public:
#ifdef __SANITIZE_ADDRESS__
  IgnoredByLeakSanitizer() { __lsan_disable(); }
  ~IgnoredByLeakSanitizer() { __lsan_enable(); }
#else
  IgnoredByLeakSanitizer() = default;
  ~IgnoredByLeakSanitizer() = default;
#endif
  IgnoredByLeakSanitizer(const IgnoredByLeakSanitizer&) = delete;
  IgnoredByLeakSanitizer& operator=(const IgnoredByLeakSanitizer&) = delete;
};

class Builds : public SimulatedDeviceTest {
 protected:
  void SetUp() override {
    name_the_real_libraries();
    SimulatedDeviceTest::SetUp();
    Library::load(paths());
    auto store = std::make_unique<RecordingStore>();
    store_ = store.get();
    cache_ = std::make_unique<BuildCache>(std::move(store));
  }

  void TearDown() override {
    cache_.reset();
    EXPECT_EQ(loaded_libraries(), 0U);
    SimulatedDeviceTest::TearDown();
  }

  [[nodiscard]] BuildCache& cache() const { return *cache_; }
  [[nodiscard]] RecordingStore& store() const { return *store_; }

  /// What is in the store of those kinds ("kernel", "operator", "build"), for a cache that makes the rest anew.
  [[nodiscard]] std::unique_ptr<RecordingStore> stored(const std::set<std::string>& kinds) const {
    auto result = std::make_unique<RecordingStore>();
    for (const auto& [key, artifact] : store_->inserted) {
      if (kinds.contains(key.substr(0, key.find(' ')))) result->insert(key, artifact);
    }
    return result;
  }

  /// Libraries that are loaded, without those that the driver was made to keep.
  [[nodiscard]] static std::uint64_t loaded_libraries() { return simulated_counters().live_libraries - kept_libraries; }

  /// To be called where nothing is loaded but `count` libraries and what the driver was made to keep.
  static void expect_kept_libraries(std::uint64_t count) {
    kept_libraries = simulated_counters().live_libraries - count;
  }

  /// Runs a build on buffers of a thousand items each, of 8 bytes at most.
  void run(const Build& build, const BuildSpec& spec) const {
    constexpr std::size_t bytes = 8000;
    const auto stream = new_stream();
    std::vector<std::shared_ptr<Buffer>> buffers;
    // Of exactly the frame's size, so that a sanitizer sees what is read beyond it.
    std::vector<std::byte> frame(frame_bytes);
    const auto place = [&](std::uint32_t position) {
      buffers.push_back(Buffer::allocate(bytes, stream));
      const CUdeviceptr address = buffers.back()->address();
      std::memcpy(frame.data() + position, &address, sizeof address);
    };
    for (const SlotSpec& slot : spec.slots) {
      if (slot.kind == SlotKind::pointer) place(slot.position);
    }
    if (spec.init && spec.init->kind == CCCL_FUTURE_VALUE_INIT) place(spec.init->position);
    StreamStorage temporary(*stream);
    // A thousand items; what follows suits every algorithm, as segments, levels or bits.
    const std::array<double, scalar_count> scalars{1000, 2, 32};
    std::int32_t selector = -1;
    build.run({stream->handle(), scalars.data(), frame.data(), &temporary, &selector});
  }

 private:
  std::unique_ptr<BuildCache> cache_;
  RecordingStore* store_ = nullptr;
  static inline std::uint64_t kept_libraries = 0;
};

CUresult validate(const std::vector<std::byte>& blob) {
  return CCCL_FUNCTION(Library::get(), cccl_serialization_validate_blob)(blob.data(), blob.size());
}

// ---- every failure --------------------------------------------------------------------------------------------------

/// The code of a failure that a call is to end with; empty where there is nobody to tell, or nothing to tell of.
using ExpectedCode = std::string (*)(const std::string& function);

/// Functions that give something back: the driver or the library keeps it then.
bool gives_back(const std::string& function) {
  static const std::set<std::string> of_others{"cuLibraryUnload",     "cuMemFreeAsync",
                                               "cuStreamDestroy_v2",  "cccl_serialization_buffer_free",
                                               "nvrtcDestroyProgram", "nvJitLinkDestroy"};
  return function.ends_with("_cleanup") || of_others.contains(function);
}

std::string code_of_the_library(const std::string& function) {
  if (function.ends_with("_compile")) return "ERR_COMPILE";
  if (function.ends_with("_link_ltoir")) return "ERR_LINK";
  if (function.ends_with("serialize")) return "ERR_ARTIFACT";
  return "CUDA_ERROR_UNKNOWN";
}

/// Whose compilation a program is. The C library's own keeps its NVRTC program where one of NVRTC's functions fails
/// (docs/cccl-faults.md).
enum class Compiles : std::uint8_t { ours, of_the_library };

/// Fails each call of each function that `program` makes, one in each run of it.
template <typename Program>
void expect_told_or_harmless(Program&& program, ExpectedCode expected, Compiles compiles = Compiles::ours) {
  simulated_cuda_reset();
  program();
  for (const auto& [function, count] : all_calls()) {
    // What is not given back is no leak of ours.
    const bool leaks = gives_back(function) || (compiles == Compiles::of_the_library && function.starts_with("nv"));
    const auto ignored = leaks ? std::make_unique<IgnoredByLeakSanitizer>() : nullptr;
    for (std::uint64_t nth = 1; nth <= count; ++nth) {
      SCOPED_TRACE(function + " fails at call " + std::to_string(nth) + " of " + std::to_string(count));
      simulated_cuda_reset();
      const SimulatedCudaCounters before = simulated_counters();
      ASSERT_EQ(simulated_cuda_fail_next(function.c_str(), nth, unknown_error), 1);
      CapturedDescriptors captured;
      const auto failure = failure_of(program);
      const auto [output, error] = captured.finish();
      EXPECT_EQ(failure ? failure->code : "", gives_back(function) ? "" : expected(function));
      EXPECT_EQ(output + error, "");
      Device::open(0).trim();
      const SimulatedCudaCounters after = simulated_counters();
      EXPECT_EQ(after.violations, 0U) << simulated_cuda_last_violation();
      EXPECT_EQ(after.pending_work, 0U);
      EXPECT_EQ(after.live_allocations, before.live_allocations);
      EXPECT_EQ(after.live_streams, before.live_streams);
      const bool stays = function == "cuLibraryUnload" || function.ends_with("_cleanup");
      EXPECT_LE(after.live_libraries, before.live_libraries + (stays ? 1 : 0));
    }
  }
  program();
}

// ---- every algorithm ------------------------------------------------------------------------------------------------

struct AlgorithmCase {
  const char* name;
  BuildSpec (*spec)();
  const char* launched;  ///< the function of the C library that runs it
};

class EveryAlgorithm : public Builds, public testing::WithParamInterface<AlgorithmCase> {
 protected:
  /// To be called where the parts of the build are in the store, and the functions that made them are still counted.
  void expect_clean_failures(const BuildSpec& spec);
};

void EveryAlgorithm::expect_clean_failures(const BuildSpec& spec) {
  const std::uint64_t loaded = loaded_libraries();
  const auto get = [&](const std::set<std::string>& kinds) {
    BuildCache cache_of_parts(stored(kinds));
    static_cast<void>(cache_of_parts.get(spec));
  };
  // To compile and to link is the same code for each algorithm and slow: its failures are below.
  for (const auto& [function, count] : all_calls()) {
    if (!function.ends_with("_compile") && !function.ends_with("_link_ltoir")) continue;
    SCOPED_TRACE(function);
    simulated_cuda_fail_next(function.c_str(), 1, unknown_error);
    const auto failure = failure_of([&] {
      get(function.ends_with("_compile") ? std::set<std::string>{"operator"}
                                         : std::set<std::string>{"operator", "kernel"});
    });
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->kind, FailureKind::compile);
    EXPECT_EQ(failure->code, code_of_the_library(function));
  }
  expect_told_or_harmless(
      [&] {
        BuildCache cache_of_parts(stored({"build"}));
        const auto build = cache_of_parts.get(spec);
        run(*build, spec);
        const auto again = find_algorithm(spec.algorithm).load(Library::get(), spec, build->serialize());
        run(*again, spec);
      },
      code_of_the_library);
  expect_kept_libraries(loaded);
}

INSTANTIATE_TEST_SUITE_P(
    Of, EveryAlgorithm,
    testing::Values(
        AlgorithmCase{"ReduceRunToRun", reduce, "cccl_device_reduce"},
        AlgorithmCase{"ReduceInAnyOrder", reduce_in_any_order, "cccl_device_reduce_nondeterministic"},
        AlgorithmCase{"ReduceOfAnIterator", reduce_of_an_iterator, "cccl_device_reduce"},
        AlgorithmCase{"ReduceOfAnIteratorByPlus", reduce_of_an_iterator_by_plus, "cccl_device_reduce"},
        AlgorithmCase{"InclusiveScan", [] { return with_init(algorithm("inclusive_scan", 2, sum), CCCL_VALUE_INIT); },
                      "cccl_device_inclusive_scan"},
        AlgorithmCase{"InclusiveScanFromAFutureValue",
                      [] { return with_init(algorithm("inclusive_scan", 2, sum), CCCL_FUTURE_VALUE_INIT); },
                      "cccl_device_inclusive_scan_future_value"},
        AlgorithmCase{"InclusiveScanFromNothing",
                      [] { return with_init(algorithm("inclusive_scan", 2, sum), CCCL_NO_INIT); },
                      "cccl_device_inclusive_scan_no_init"},
        AlgorithmCase{"ExclusiveScan", [] { return with_init(algorithm("exclusive_scan", 2, sum), CCCL_VALUE_INIT); },
                      "cccl_device_exclusive_scan"},
        AlgorithmCase{"ExclusiveScanFromAFutureValue",
                      [] { return with_init(algorithm("exclusive_scan", 2, sum), CCCL_FUTURE_VALUE_INIT); },
                      "cccl_device_exclusive_scan_future_value"},
        AlgorithmCase{"UnaryTransform", [] { return unary_transform(); }, "cccl_device_unary_transform"},
        AlgorithmCase{"UnaryTransformWithAState", stateful_transform, "cccl_device_unary_transform"},
        AlgorithmCase{"BinaryTransform", [] { return algorithm("binary_transform", 3, sum); },
                      "cccl_device_binary_transform"},
        AlgorithmCase{"SegmentedReduce",
                      [] { return with_init(algorithm("segmented_reduce", 4, sum), CCCL_VALUE_INIT); },
                      "cccl_device_segmented_reduce"},
        AlgorithmCase{"MergeSortOfKeys", [] { return keys_only(algorithm("merge_sort", 4, less), 1, 3); },
                      "cccl_device_merge_sort"},
        AlgorithmCase{"MergeSortOfPairs", [] { return algorithm("merge_sort", 4, less); }, "cccl_device_merge_sort"},
        AlgorithmCase{"RadixSortOfKeys", [] { return keys_only(radix_sort(), 2, 3); }, "cccl_device_radix_sort"},
        AlgorithmCase{"RadixSortOfPairs", radix_sort, "cccl_device_radix_sort"},
        AlgorithmCase{"SegmentedSortOfKeys", [] { return keys_only(segmented_sort(), 2, 3); },
                      "cccl_device_segmented_sort"},
        AlgorithmCase{"SegmentedSortOfPairs", segmented_sort, "cccl_device_segmented_sort"},
        AlgorithmCase{"UniqueByKey", [] { return algorithm("unique_by_key", 5, less); }, "cccl_device_unique_by_key"},
        AlgorithmCase{"ThreeWayPartition", three_way_partition, "cccl_device_three_way_partition"},
        AlgorithmCase{"HistogramEven", histogram, "cccl_device_histogram_even"},
        AlgorithmCase{"LowerBound", [] { return binary_search("lower_bound"); }, "cccl_device_binary_search"},
        AlgorithmCase{"UpperBound", [] { return binary_search("upper_bound"); }, "cccl_device_binary_search"},
        AlgorithmCase{"ForEach", for_each, "cccl_device_for"}),
    [](const auto& test) { return std::string(test.param.name); });

// All in one test: tests run in processes of their own, and compiling is what takes the time.
TEST_P(EveryAlgorithm, IsBuiltRunSerializedAndCleanedUpAndToldOfEveryFailure) {
  const BuildSpec spec = GetParam().spec();
  auto build = cache().get(spec);
  EXPECT_EQ(loaded_libraries(), 1U);

  run(*build, spec);
  SimulatedCudaLaunch launch{};
  ASSERT_EQ(simulated_cuda_last_launch(&launch), 1);
  EXPECT_STREQ(launch.name, GetParam().launched);
  EXPECT_EQ(launch.items, 1000U);
  EXPECT_EQ(simulated_counters().launches, 1U);

  const std::vector<std::byte> blob = build->serialize();
  EXPECT_EQ(validate(blob), cuda_success);
  const auto again = find_algorithm(spec.algorithm).load(Library::get(), spec, blob);
  EXPECT_EQ(again->serialize(), blob);
  run(*again, spec);
  EXPECT_EQ(simulated_counters().launches, 2U);

  cache().clear();
  EXPECT_EQ(loaded_libraries(), 2U) << "builds in use live on";
  run(*build, spec);
  EXPECT_EQ(simulated_counters().launches, 3U);
  build.reset();
  EXPECT_EQ(loaded_libraries(), 1U);

  expect_clean_failures(spec);
}

TEST_F(Builds, OperatorsAreToldOfEveryFailureOfTheCompiler) {
  expect_told_or_harmless([] { static_cast<void>(compile_operator(Library::get(), sum, 90)); },
                          [](const std::string&) -> std::string { return "ERR_COMPILE"; });
}

TEST_F(Builds, CodeThatDoesNotCompileIsToldEvenWithoutItsLog) {
  const CodeUnit broken = source("broken", binary("undefined_name"));
  for (const char* function : {"nvrtcGetProgramLogSize", "nvrtcGetProgramLog"}) {
    simulated_cuda_fail_next(function, 1, 1);
    const auto failure = failure_of([&] { static_cast<void>(compile_operator(Library::get(), broken, 90)); });
    ASSERT_TRUE(failure);
    EXPECT_STREQ(failure->what(), "The device code does not compile (NVRTC_ERROR_COMPILATION).");
    EXPECT_EQ(failure->log, "");
  }
}

TEST_F(Builds, KernelsAreToldOfEveryFailureOfTheCompiler) {
  const BuildSpec spec = for_each();
  expect_told_or_harmless([&] { static_cast<void>(find_algorithm(spec.algorithm).compile(Library::get(), spec, {})); },
                          [](const std::string& function) -> std::string {
                            return function.ends_with("serialize") ? "ERR_ARTIFACT" : "ERR_COMPILE";
                          },
                          Compiles::of_the_library);
}

TEST_F(Builds, LinksAreToldOfEveryFailureOfTheLinker) {
  const BuildSpec spec = for_each();
  static_cast<void>(cache().get(spec));
  cache().clear();
  const Artifact& kernel = *store().inserted["kernel for_each int32"];
  const std::vector<std::shared_ptr<const Artifact>> code{store().inserted["operator 90 each"]};
  expect_told_or_harmless([&] { static_cast<void>(find_algorithm(spec.algorithm).link(Library::get(), kernel, code)); },
                          [](const std::string& function) -> std::string {
                            if (function == "cuInit") return "";  // the library goes on without
                            return function.ends_with("serialize") ? "ERR_ARTIFACT" : "ERR_LINK";
                          },
                          Compiles::of_the_library);
}

// ---- what is built how often ----------------------------------------------------------------------------------------

TEST_F(Builds, KernelServesSeveralOperators) {
  const BuildSpec first = unary_transform(twice);
  const BuildSpec second = unary_transform(source("negated", unary("-x")));
  const auto doubling = cache().get(first);
  const auto negating = cache().get(second);
  EXPECT_NE(doubling, negating);
  EXPECT_EQ(cache().get(first), doubling);
  const BuildStatistics statistics = cache().statistics();
  EXPECT_EQ(statistics.kernels_compiled, 1U);
  EXPECT_EQ(statistics.operators_compiled, 2U);
  EXPECT_EQ(statistics.links, 2U);
  EXPECT_EQ(statistics.loads, 2U);
  EXPECT_EQ(statistics.hits, 1U);
  EXPECT_EQ(statistics.builds, 2U);
  EXPECT_EQ(simulated_cuda_calls("cccl_device_unary_transform_compile"), 1U);
  EXPECT_EQ(simulated_cuda_calls("cccl_device_transform_link_ltoir"), 2U);
}

TEST_F(Builds, OperatorServesSeveralKernels) {
  BuildSpec wide = unary_transform();
  wide.kernel_key += " to int64";
  wide.slots[1].value = {8, 8, CCCL_INT64};
  static_cast<void>(cache().get(unary_transform()));
  static_cast<void>(cache().get(wide));
  EXPECT_EQ(cache().statistics().kernels_compiled, 2U);
  EXPECT_EQ(cache().statistics().operators_compiled, 1U);
}

TEST_F(Builds, PartsAreKeptByWhatTheyDependOn) {
  static_cast<void>(cache().get(unary_transform()));
  std::set<std::string> keys;
  for (const auto& [key, artifact] : store().inserted) keys.insert(key);
  EXPECT_EQ(keys, (std::set<std::string>{"operator 90 twice", "kernel unary_transform int32",
                                         "build unary_transform int32 twice"}));
  EXPECT_EQ(validate(*store().inserted["build unary_transform int32 twice"]), cuda_success);
  EXPECT_EQ(validate(*store().inserted["kernel unary_transform int32"]), cuda_success);
}

TEST_F(Builds, StoredPartsAreNotMadeAgain) {
  auto build = cache().get(unary_transform());
  auto warm = std::make_unique<RecordingStore>();
  for (const auto& [key, artifact] : store().inserted) warm->insert(key, artifact);
  BuildCache other(std::move(warm));
  EXPECT_EQ(other.get(unary_transform())->serialize(), build->serialize());
  EXPECT_EQ(other.statistics().kernels_compiled, 0U);
  EXPECT_EQ(other.statistics().operators_compiled, 0U);
  EXPECT_EQ(other.statistics().links, 0U);
  EXPECT_EQ(other.statistics().loads, 1U);
}

TEST_F(Builds, CodeThatIsLtoIrAlreadyIsLinkedAsItIs) {
  static_cast<void>(cache().get(unary_transform()));
  BuildSpec spec = unary_transform({"precompiled", "", *store().inserted["operator 90 twice"]});
  const auto build = cache().get(spec);
  EXPECT_EQ(simulated_cuda_calls("cccl_device_transform_link_ltoir"), 2U);
  EXPECT_EQ(*store().inserted["build unary_transform int32 precompiled"],
            *store().inserted["build unary_transform int32 twice"]);
}

TEST_F(Builds, TemporarySizeIsAskedOnceForACount) {
  const BuildSpec spec = reduce();
  const auto build = cache().get(spec);
  run(*build, spec);
  EXPECT_EQ(simulated_cuda_calls("cccl_device_reduce"), 2U);
  run(*build, spec);
  EXPECT_EQ(simulated_cuda_calls("cccl_device_reduce"), 3U);
}

TEST_F(Builds, EqualBuildIsMadeOnceHoweverManyThreadsAsk) {
  constexpr std::size_t threads = 8;
  std::array<std::shared_ptr<const Build>, threads> builds;
  std::barrier start(threads);
  std::vector<std::thread> running;
  running.reserve(threads);
  for (auto& build : builds) {
    running.emplace_back([&] {
      device().make_current();
      start.arrive_and_wait();
      build = cache().get(unary_transform());
    });
  }
  for (std::thread& thread : running) thread.join();
  EXPECT_EQ(std::set(builds.begin(), builds.end()).size(), 1U);
  const BuildStatistics statistics = cache().statistics();
  EXPECT_EQ(statistics.kernels_compiled, 1U);
  EXPECT_EQ(statistics.operators_compiled, 1U);
  EXPECT_EQ(statistics.links, 1U);
  EXPECT_EQ(statistics.loads, 1U);
  EXPECT_EQ(simulated_counters().total_libraries, 1U);
}

TEST_F(Builds, FailingBuildReachesEveryThreadAndIsNotKept) {
  constexpr std::size_t threads = 8;
  const BuildSpec broken = unary_transform(source("twice", unary("twice_of(x)")));
  std::atomic<std::size_t> failures = 0;
  std::barrier start(threads);
  std::vector<std::thread> running;
  running.reserve(threads);
  for (std::size_t i = 0; i < threads; ++i) {
    running.emplace_back([&] {
      device().make_current();
      start.arrive_and_wait();
      const auto failure = failure_of([&] { static_cast<void>(cache().get(broken)); });
      if (failure && failure->kind == FailureKind::compile && failure->log.find("twice_of") != std::string::npos) {
        ++failures;
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  EXPECT_EQ(failures, threads);
  EXPECT_EQ(cache().statistics().operators_compiled, 0U);
  EXPECT_TRUE(store().inserted.empty());
  EXPECT_NE(cache().get(unary_transform()), nullptr) << "under the same keys";
}

TEST(SingleFlightTest, WhoComesMeanwhileMakesNothing) {
  SingleFlight<int> flights;
  std::atomic<bool> under_way = false;
  std::atomic<bool> made_twice = false;
  std::atomic<int> coming = 0;
  std::vector<std::thread> others;
  const int made = flights.run("key", [&] {
    under_way = true;
    for (int i = 0; i < 4; ++i) {
      others.emplace_back([&] {
        ++coming;
        // One that comes too late makes its own, which is no fault; it only does not see this one under way.
        flights.run("key", [&] {
          if (under_way) made_twice = true;
          return 0;
        });
      });
    }
    while (coming < 4) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const int other_key = flights.run("another key", [] { return 7; });
    under_way = false;
    return other_key;
  });
  for (std::thread& other : others) other.join();
  EXPECT_EQ(made, 7);
  EXPECT_FALSE(made_twice);
  EXPECT_EQ(flights.run("key", [] { return 8; }), 8) << "nothing is remembered";
}

// ---- bounds ---------------------------------------------------------------------------------------------------------

TEST(LeastRecentlyUsedTest, DropsWhatWasAskedForLeastRecently) {
  LeastRecentlyUsed<int> values(2);
  values.insert("a", 1);
  values.insert("b", 2);
  EXPECT_EQ(values.find("a"), 1);
  values.insert("c", 3);
  EXPECT_EQ(values.size(), 2U);
  EXPECT_EQ(values.find("b"), std::nullopt);
  EXPECT_EQ(values.find("a"), 1);
  values.insert("a", 4);
  EXPECT_EQ(values.size(), 2U);
  EXPECT_EQ(values.find("a"), 4);
  EXPECT_EQ(values.find("c"), 3);
  values.erase("a");
  values.erase("never there");
  EXPECT_EQ(values.find("a"), std::nullopt);
  values.clear();
  EXPECT_EQ(values.size(), 0U);
}

TEST(MemoryStoreTest, KeepsSoManyArtifacts) {
  MemoryStore store(2);
  const auto artifact = std::make_shared<const Artifact>(3);
  for (const char* key : {"a", "b", "c"}) store.insert(key, artifact);
  EXPECT_EQ(store.find("a"), nullptr);
  EXPECT_EQ(store.find("b"), artifact);
  EXPECT_EQ(store.find("c"), artifact);
  EXPECT_EQ(artifact.use_count(), 3);
  store.clear();
  EXPECT_EQ(artifact.use_count(), 1);
}

TEST_F(Builds, LoadedBuildsAreBoundedAndTheLeastRecentlyUsedIsDropped) {
  const auto named = [](std::size_t i) {
    BuildSpec spec = unary_transform();
    spec.kernel_key = "kernel " + std::to_string(i);
    return spec;
  };
  static_cast<void>(cache().get(unary_transform()));
  store().answer = store().inserted["build unary_transform int32 twice"];
  cache().clear();
  const auto used = cache().get(named(0));
  const Build* const recent = cache().get(named(1)).get();
  for (std::size_t i = 2; i < BuildCache::build_bound; ++i) static_cast<void>(cache().get(named(i)));
  EXPECT_EQ(cache().get(named(1)).get(), recent);
  static_cast<void>(cache().get(named(BuildCache::build_bound)));
  static_cast<void>(cache().get(named(BuildCache::build_bound + 1)));
  EXPECT_EQ(cache().statistics().builds, BuildCache::build_bound);
  // Dropped were 0, which is in use, and 2.
  EXPECT_EQ(loaded_libraries(), BuildCache::build_bound + 1);
  EXPECT_EQ(cache().get(named(1)).get(), recent);
  const std::uint64_t loads = cache().statistics().loads;
  EXPECT_NE(cache().get(named(0)), used);
  EXPECT_EQ(cache().statistics().loads, loads + 1);
  run(*used, named(0));
}

// ---- what a failure says --------------------------------------------------------------------------------------------

TEST_F(Builds, OperatorThatDoesNotCompileComesWithTheCompilersLogAndNothingIsPrinted) {
  CapturedDescriptors captured;
  const auto failure =
      failure_of([&] { static_cast<void>(cache().get(unary_transform(source("bad", unary("undefined_name"))))); });
  const auto [output, error] = captured.finish();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, FailureKind::compile);
  EXPECT_EQ(failure->code, "ERR_COMPILE");
  EXPECT_NE(failure->log.find("operator.cu(3): error: identifier \"undefined_name\" is undefined"), std::string::npos)
      << failure->log;
  EXPECT_EQ(output, "");
  EXPECT_EQ(error, "");
  EXPECT_EQ(simulated_cuda_calls("cccl_device_unary_transform_compile"), 0U) << "before any kernel";
}

TEST_F(Builds, OperatorWithoutItsSymbolComesWithTheLinkersLogAndNothingIsPrinted) {
  CapturedDescriptors captured;
  const auto failure = failure_of([&] {
    static_cast<void>(cache().get(unary_transform(source("stray", "extern \"C\" void stray(const void*, void*) {}"))));
  });
  const auto [output, error] = captured.finish();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, FailureKind::compile);
  EXPECT_EQ(failure->code, "ERR_LINK");
  EXPECT_NE(failure->log.find(operator_symbol), std::string::npos) << failure->log;
  EXPECT_EQ(output, "");
  EXPECT_EQ(error, "");
}

TEST_F(Builds, ReasonThatTheLibraryPrintsIsKeptWhileOtherThreadsPrintAsEver) {
  BuildSpec spec = reduce();
  spec.options["determinism"] = CCCL_GPU_TO_GPU;
  CapturedDescriptors captured;
  std::atomic<bool> done = false;
  std::atomic<std::size_t> printed = 0;
  std::thread other([&] {
    while (!done || printed == 0) {
      std::printf("another thread\n");
      std::fprintf(stderr, "its errors\n");
      ++printed;
      std::this_thread::yield();
    }
  });
  while (printed == 0) std::this_thread::yield();
  const auto failure = failure_of([&] { static_cast<void>(cache().get(spec)); });
  done = true;
  other.join();
  const auto [output, error] = captured.finish();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, FailureKind::compile);
  EXPECT_EQ(failure->code, "ERR_COMPILE");
  EXPECT_NE(failure->log.find("ERROR in cccl_device_reduce_compile"), std::string::npos) << failure->log;
  std::string expected_output;
  std::string expected_error;
  for (std::size_t i = 0; i < printed; ++i) {
    expected_output += "another thread\n";
    expected_error += "its errors\n";
  }
  EXPECT_EQ(output, expected_output);
  EXPECT_EQ(error, expected_error);
}

TEST_F(Builds, UnknownAlgorithmIsRefused) {
  BuildSpec spec = unary_transform();
  spec.algorithm = "permute";
  const auto failure = failure_of([&] { static_cast<void>(cache().get(spec)); });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, "ERR_ALGORITHM");
  EXPECT_STREQ(failure->what(), "There is no algorithm called \"permute\".");
}

TEST_F(Builds, SpecificationsThatDoNotFitTheAlgorithmAreRefused) {
  BuildSpec slots = reduce();
  slots.slots.pop_back();
  BuildSpec operators = reduce();
  operators.operators.push_back(stateless());
  BuildSpec no_init = reduce();
  no_init.init.reset();
  BuildSpec init = with_init(unary_transform(), CCCL_VALUE_INIT);
  BuildSpec exclusive = with_init(algorithm("exclusive_scan", 2, sum), CCCL_NO_INIT);
  for (const BuildSpec& spec : {slots, operators, no_init, init, exclusive}) {
    const auto failure = failure_of([&] { static_cast<void>(cache().get(spec)); });
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->kind, FailureKind::argument);
    EXPECT_EQ(failure->code, "ERR_BUILD_SPEC");
  }
}

TEST_F(Builds, BytesThatAreNoBuildAreRefused) {
  static_cast<void>(cache().get(unary_transform()));
  const Artifact& good = *store().inserted["build unary_transform int32 twice"];
  const Algorithm& transform = find_algorithm("unary_transform");
  const std::vector<Artifact> bad{
      {}, Artifact(good.begin(), good.begin() + 20), Artifact(1000), Artifact(good.begin(), good.end() - 1)};
  for (const Artifact& bytes : bad) {
    CapturedDescriptors captured;
    const auto failure =
        failure_of([&] { static_cast<void>(transform.load(Library::get(), unary_transform(), bytes)); });
    const auto [output, error] = captured.finish();
    ASSERT_TRUE(failure) << bytes.size() << " bytes";
    EXPECT_EQ(failure->kind, FailureKind::compile);
    EXPECT_EQ(failure->code, "ERR_ARTIFACT");
    EXPECT_EQ(output + error, "");
  }
}

TEST_F(Builds, KernelWithoutItsOperatorIsNotLoaded) {
  static_cast<void>(cache().get(unary_transform()));
  const Artifact& kernel = *store().inserted["kernel unary_transform int32"];
  EXPECT_TRUE(failure_of(
      [&] { static_cast<void>(find_algorithm("unary_transform").load(Library::get(), unary_transform(), kernel)); }));
}

TEST_F(Builds, BuildForAnotherDeviceIsRefusedByTheDriver) {
  simulated_cuda_set_compute_capability(80);
  const auto failure = failure_of([&] { static_cast<void>(cache().get(unary_transform())); });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, FailureKind::cuda);
  EXPECT_EQ(failure->code, "CUDA_ERROR_NO_BINARY_FOR_GPU");
  EXPECT_EQ(loaded_libraries(), 0U);
}

TEST_F(Builds, FailuresOfARunAreToldAndGiveTheTemporaryStorageBack) {
  const BuildSpec spec = reduce();
  const auto build = cache().get(spec);
  for (const std::uint64_t nth : {1U, 2U}) {
    ASSERT_EQ(simulated_cuda_fail_next("cccl_device_reduce", nth, launch_failed), 1);
    const auto failure = failure_of([&] { run(*build, spec); });
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->kind, FailureKind::cuda);
    EXPECT_EQ(failure->code, "CUDA_ERROR_LAUNCH_FAILED");
    EXPECT_EQ(simulated_counters().live_allocations, 0U);
  }
  run(*build, spec);
  EXPECT_EQ(simulated_counters().launches, 1U);
}

TEST_F(Builds, TemporaryStorageThatDoesNotFitIsAFailure) {
  const BuildSpec spec = reduce();
  const auto build = cache().get(spec);
  simulated_cuda_set_capacity(18'000);
  const auto failure = failure_of([&] { run(*build, spec); });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, FailureKind::out_of_memory);
  EXPECT_EQ(simulated_counters().launches, 0U);
}

// ---- which library --------------------------------------------------------------------------------------------------

/// What only a process that has loaded no library can show; each death test runs in a process of its own.
class LibraryLoading : public testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    name_the_real_libraries();
  }
};

TEST_F(LibraryLoading, BeforeItThereIsNone) {
  EXPECT_EXIT(exit_with_failure_of([] { Library::get(); }), testing::ExitedWithCode(0),
              "ERR_TOOLKIT_NOT_LOADED: The CUDA compilers are not loaded yet\\.");
}

TEST_F(LibraryLoading, AnotherLibraryIsRefused) {
  EXPECT_EXIT(exit_with_failure_of([] { Library::load(paths(TEST_SIMULATED_CUDA)); }), testing::ExitedWithCode(0),
              "ERR_CCCL_VERSION: .*libcuda\\.so\\.1 is another version of the C parallel library: it has no "
              "cccl_serialization_buffer_free\\. Use the library of the PyPI package cuda-cccl 1\\.2\\.1\\.");
}

TEST_F(LibraryLoading, LibraryWithTheSameFunctionsFromAnotherBuildIsRefused) {
  const auto load_without_the_real_one = [] {
    setenv("CUDA_COMPUTE_REAL_CCCL", "/nowhere/libcccl.c.parallel.so", 1);
    Library::load(paths());
  };
  EXPECT_EXIT(exit_with_failure_of(load_without_the_real_one), testing::ExitedWithCode(0),
              "ERR_CCCL_VERSION: .*another version of the C parallel library \\(its build id is unknown\\)");
}

TEST_F(LibraryLoading, MissingCompilerIsToldInTheDynamicLinkersWords) {
  LibraryPaths missing = paths();
  missing.nvjitlink = "/nowhere/libnvJitLink.so.13";
  EXPECT_EXIT(exit_with_failure_of([&] { Library::load(missing); }), testing::ExitedWithCode(0),
              "ERR_LIBRARY_LOAD: Cannot load /nowhere/libnvJitLink\\.so\\.13: .*cannot open shared object file");
}

TEST_F(LibraryLoading, HundredAndTwentyFunctionsAreExported) {
  const auto names = exported_function_names();
  EXPECT_EQ(names.size(), 120U);
  EXPECT_EQ(std::set(names.begin(), names.end()).size(), 120U);
}

}  // namespace
}  // namespace cuda_compute
