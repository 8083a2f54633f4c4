// Holds native/driver to its words: shared libraries, the driver's function table, NVRTC and nvJitLink.

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "native/driver/cuda_api.h"
#include "native/driver/dynamic_library.h"
#include "native/driver/nvjitlink.h"
#include "native/driver/nvrtc.h"
#include "native/testing/simulated_device.h"

namespace cuda_compute {
namespace {

constexpr const char* nvrtc_path = TEST_VENDOR "/cuda/lib/libnvrtc.so.13";
constexpr const char* nvjitlink_path = TEST_VENDOR "/cuda/lib/libnvJitLink.so.13";
const std::vector<std::string> ltoir_options{"-arch=sm_90", "-rdc=true", "-dlto"};

// ---- shared libraries -----------------------------------------------------------------------------------------------

TEST(DynamicLibraryTest, MissingFileIsToldInTheDynamicLinkersWords) {
  const auto failure = failure_of([] { DynamicLibrary::open("/nowhere/libnothing.so"); });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, FailureKind::toolkit);
  EXPECT_EQ(failure->code, "ERR_LIBRARY_LOAD");
  EXPECT_STREQ(failure->what(),
               "Cannot load /nowhere/libnothing.so: /nowhere/libnothing.so: cannot open shared object file: "
               "No such file or directory");
}

TEST(DynamicLibraryTest, FileThatIsNoLibraryIsToldInTheDynamicLinkersWords) {
  const std::string path = testing::TempDir() + "no_library_" + std::to_string(getpid()) + ".so";
  std::ofstream(path) << std::string(4096, 'x');
  const auto failure = failure_of([&] { DynamicLibrary::open(path); });
  std::remove(path.c_str());
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, "ERR_LIBRARY_LOAD");
  EXPECT_EQ(failure->what(), "Cannot load " + path + ": " + path + ": invalid ELF header");
}

TEST(DynamicLibraryTest, MissingFunctionIsNamedWithItsLibrary) {
  const auto library = DynamicLibrary::open("libm.so.6");
  const auto failure = failure_of([&] { static_cast<void>(library.function<void()>("no_such_function")); });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, FailureKind::toolkit);
  EXPECT_EQ(failure->code, "ERR_LIBRARY_SYMBOL");
  EXPECT_STREQ(failure->what(), "libm.so.6 has no function no_such_function.");
  EXPECT_EQ(library.optional_function<void()>("no_such_function"), nullptr);
  EXPECT_EQ(library.symbol("no_such_function"), nullptr);
}

TEST(DynamicLibraryTest, FunctionsCanBeCalled) {
  const auto library = DynamicLibrary::open("libm.so.6");
  EXPECT_EQ(library.function<double(double)>("sqrt")(9.0), 3.0);
  EXPECT_EQ(library.optional_function<double(double)>("sqrt")(16.0), 4.0);
}

TEST(DynamicLibraryTest, OpeningAgainGivesTheSameLibrary) {
  EXPECT_EQ(DynamicLibrary::open("libm.so.6").handle(), DynamicLibrary::open("libm.so.6").handle());
}

// ---- the driver -----------------------------------------------------------------------------------------------------

/// What only a process that has loaded no driver can show; each death test runs in a process of its own.
class DriverLoading : public testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    simulated_cuda_reset();
  }
};

TEST_F(DriverLoading, BeforeItThereIsNone) {
  EXPECT_EXIT(exit_with_failure_of([] { CudaApi::get(); }), testing::ExitedWithCode(0),
              "ERR_DRIVER_NOT_LOADED: The CUDA driver is not loaded\\.");
}

TEST_F(DriverLoading, LibraryWithoutTheDriversFunctionsIsRefused) {
  EXPECT_EXIT(exit_with_failure_of([] { CudaApi::load("libm.so.6"); }), testing::ExitedWithCode(0),
              "ERR_LIBRARY_SYMBOL: libm\\.so\\.6 has no function cuInit\\.");
}

TEST_F(DriverLoading, FailureOfCuInitIsTheDriversOwn) {
  EXPECT_EXIT(exit_with_failure_of([] {
                simulated_cuda_set_device_count(0);
                CudaApi::load(TEST_SIMULATED_CUDA);
              }),
              testing::ExitedWithCode(0),
              "CUDA_ERROR_NO_DEVICE: cuInit failed: no CUDA-capable device \\(CUDA_ERROR_NO_DEVICE\\)\\.");
}

TEST_F(DriverLoading, AfterAFailureItCanBeTriedAgain) {
  const auto again = [] {
    if (!failure_of([] { CudaApi::load("/nowhere/libcuda.so.1"); })) std::exit(1);
    simulated_cuda_fail_next("cuInit", 1, 999);
    if (!failure_of([] { CudaApi::load(TEST_SIMULATED_CUDA); })) std::exit(2);
    simulated_cuda_fail_next("cuDriverGetVersion", 1, 999);
    if (!failure_of([] { CudaApi::load(TEST_SIMULATED_CUDA); })) std::exit(3);
    if (&CudaApi::load(TEST_SIMULATED_CUDA) != &CudaApi::get()) std::exit(4);
    std::exit(0);
  };
  EXPECT_EXIT(again(), testing::ExitedWithCode(0), "");
}

TEST_F(DriverLoading, HappensOnceHoweverManyThreadsAsk) {
  std::array<const CudaApi*, 8> loaded{};
  std::vector<std::thread> threads;
  threads.reserve(loaded.size());
  for (const CudaApi*& api : loaded) threads.emplace_back([&api] { api = &CudaApi::load(TEST_SIMULATED_CUDA); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::set(loaded.begin(), loaded.end()), std::set{&CudaApi::get()});
}

class Driver : public testing::Test {
 protected:
  void SetUp() override { simulated_cuda_reset(); }
  const CudaApi& api_ = CudaApi::load(TEST_SIMULATED_CUDA);
};

TEST_F(Driver, HasAVersion) { EXPECT_EQ(api_.version(), 13000); }

TEST_F(Driver, FailuresHaveTheDriversNameAndText) {
  const auto failure = failure_of([&] { api_.check(2, "cuMemAllocAsync"); });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, FailureKind::cuda);
  EXPECT_EQ(failure->code, "CUDA_ERROR_OUT_OF_MEMORY");
  EXPECT_STREQ(failure->what(), "cuMemAllocAsync failed: out of memory (CUDA_ERROR_OUT_OF_MEMORY).");
}

TEST_F(Driver, SuccessIsNoFailure) {
  EXPECT_FALSE(failure_of([&] { api_.check(cuda_success, "cuInit"); }));
}

TEST_F(Driver, StatusThatTheDriverDoesNotKnowIsAnUnknownError) {
  const auto failure = failure_of([&] { api_.check(12345, "cuInit"); });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, "CUDA_ERROR_UNKNOWN");
  EXPECT_STREQ(failure->what(), "cuInit failed: unknown error (CUDA_ERROR_UNKNOWN).");
}

TEST_F(Driver, FailuresAreToldEvenWhereTheDriverCannotNameThem) {
  simulated_cuda_fail_next("cuGetErrorName", 1, 999);
  simulated_cuda_fail_next("cuGetErrorString", 1, 999);
  const Failure failure = api_.failure(2, "cuMemAllocAsync");
  EXPECT_STREQ(failure.what(), "cuMemAllocAsync failed: unknown error (CUDA_ERROR_UNKNOWN).");
}

// ---- the compilers --------------------------------------------------------------------------------------------------

TEST(NvrtcTest, MissingLibraryIsRefused) {
  const auto failure = failure_of([] { const Nvrtc nvrtc("/nowhere/libnvrtc.so.13"); });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, "ERR_LIBRARY_LOAD");
}

TEST(NvrtcTest, AnotherLibraryIsRefused) {
  const auto failure = failure_of([] { const Nvrtc nvrtc("libm.so.6"); });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, FailureKind::toolkit);
  EXPECT_STREQ(failure->what(), "libm.so.6 has no function nvrtcVersion.");
}

TEST(NvrtcTest, HasTheVendoredVersion) { EXPECT_EQ(Nvrtc(nvrtc_path).version(), (std::pair{13, 0})); }

TEST(NvrtcTest, CompilesCudaToLtoIr) {
  const Nvrtc nvrtc(nvrtc_path);
  const auto ltoir = nvrtc.compile_to_ltoir("extern \"C\" __device__ int one() { return 1; }", "one.cu", ltoir_options);
  EXPECT_GT(ltoir.size(), 100U);
}

TEST(NvrtcTest, CodeThatDoesNotCompileComesWithTheLogAndTheName) {
  const Nvrtc nvrtc(nvrtc_path);
  const auto failure = failure_of([&] {
    static_cast<void>(
        nvrtc.compile_to_ltoir("extern \"C\" __device__ int one() {\n  return two; }", "one.cu", ltoir_options));
  });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, FailureKind::compile);
  EXPECT_EQ(failure->code, "ERR_COMPILE");
  EXPECT_STREQ(failure->what(), "The device code does not compile (NVRTC_ERROR_COMPILATION).");
  EXPECT_EQ(failure->log.find("one.cu(2): error: identifier \"two\" is undefined"), 0U) << failure->log;
  EXPECT_NE(failure->log.back(), '\n');
}

TEST(NvrtcTest, OptionThatIsNoneIsAFailure) {
  const Nvrtc nvrtc(nvrtc_path);
  const auto failure =
      failure_of([&] { static_cast<void>(nvrtc.compile_to_ltoir("", "empty.cu", {"--no-such-option"})); });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, "ERR_COMPILE");
  EXPECT_NE(failure->log.find("no-such-option"), std::string::npos) << failure->log;
}

TEST(NvJitLinkTest, HasTheVendoredVersion) {
  const NvJitLink nvjitlink(nvjitlink_path);
  EXPECT_EQ(nvjitlink.version(), (std::pair{13, 0}));
}

TEST(NvJitLinkTest, AnotherLibraryIsRefused) {
  const auto failure = failure_of([] { const NvJitLink nvjitlink("libm.so.6"); });
  ASSERT_TRUE(failure);
  EXPECT_STREQ(failure->what(), "libm.so.6 has no function nvJitLinkVersion.");
}

}  // namespace
}  // namespace cuda_compute
