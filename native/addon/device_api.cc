/// The driver, the compilers and the device.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "native/addon/api.h"
#include "native/addon/errors.h"
#include "native/cccl/library.h"
#include "native/driver/cuda_api.h"
#include "native/driver/failure.h"
#include "native/memory/device.h"

namespace cuda_compute {
namespace {

/// One object for all environments of a thread: module registries that load the addon again and again share its
/// scratch.
std::shared_ptr<Stream> default_stream(Device& device) {
  thread_local std::weak_ptr<Stream> of_this_thread;
  auto stream = of_this_thread.lock();
  if (stream == nullptr || &stream->device() != &device) {
    stream = std::make_shared<Stream>(device);
    of_this_thread = stream;
  }
  return stream;
}

/// setErrorClasses({ CudaError, CompileError, ToolkitNotFoundError })
Napi::Value set_error_classes(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  const Napi::Env env = environment->env;
  const auto classes = Napi::Value(env, arguments.value(0)).As<Napi::Object>();
  const auto keep = [&](const char* name) {
    const Napi::Value error_class = classes.Get(name);
    if (!error_class.IsFunction()) {
      throw Failure(FailureKind::argument, "ERR_INVALID_ARG_TYPE", std::string(name) + " must be a class.");
    }
    return Napi::Persistent(error_class.As<Napi::Function>());
  };
  environment->cuda_error = keep("CudaError");
  environment->compile_error = keep("CompileError");
  environment->toolkit_error = keep("ToolkitNotFoundError");
  return env.Undefined();
}

/// loadDriver(path): version
Napi::Value load_driver(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  const std::string path = Napi::Value(environment->env, arguments.value(0)).As<Napi::String>();
  return Napi::Number::New(environment->env, CudaApi::load(path).version());
}

/// loadCompilers({ nvrtc, nvJitLink, cccl, includeOptions }): { nvrtc: [major, minor], nvJitLink: [major, minor] }
Napi::Value load_compilers(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  const Napi::Env env = environment->env;
  const auto given = Napi::Value(env, arguments.value(0)).As<Napi::Object>();
  LibraryPaths paths;
  paths.nvrtc = given.Get("nvrtc").As<Napi::String>();
  paths.nvjitlink = given.Get("nvJitLink").As<Napi::String>();
  paths.cccl = given.Get("cccl").As<Napi::String>();
  const auto options = given.Get("includeOptions").As<Napi::Array>();
  for (std::uint32_t i = 0; i < options.Length(); ++i) {
    paths.include_options.push_back(options.Get(i).As<Napi::String>());
  }
  const Library& library = Library::load(paths);
  const auto version = [&](std::pair<int, int> numbers) {
    Napi::Array pair = Napi::Array::New(env, 2);
    pair[0U] = numbers.first;
    pair[1U] = numbers.second;
    return pair;
  };
  Napi::Object result = Napi::Object::New(env);
  result["nvrtc"] = version(library.nvrtc().version());
  result["nvJitLink"] = version(library.nvjitlink().version());
  return result;
}

/// deviceCount(): number
Napi::Value device_count(const std::shared_ptr<Environment>& environment, const CallArguments&) {
  return Napi::Number::New(environment->env, Device::count());
}

/// openDevice(ordinal): { name, computeCapability, totalBytes }
Napi::Value open_device(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  const Napi::Env env = environment->env;
  Device& device = Device::open(arguments.integer(0));
  device.make_current();
  if (environment->device != nullptr && environment->device != &device) {
    throw Failure(FailureKind::argument, "ERR_DEVICE_OPEN", "This environment works on another device already.");
  }
  if (environment->device == nullptr) {
    environment->device = &device;
    environment->add_stream(default_stream(device), nullptr);
    environment->publish_live();
  }
  Napi::Object result = Napi::Object::New(env);
  result["name"] = device.name();
  result["computeCapability"] = device.compute_capability();
  result["totalBytes"] = static_cast<double>(device.total_bytes());
  return result;
}

constexpr NativeFunction functions[] = {
    {"setErrorClasses", native_function<set_error_classes>},
    {"loadDriver", native_function<load_driver>},
    {"loadCompilers", native_function<load_compilers>},
    {"deviceCount", native_function<device_count>},
    {"openDevice", native_function<open_device>},
};

}  // namespace

std::span<const NativeFunction> device_functions() { return functions; }

}  // namespace cuda_compute
