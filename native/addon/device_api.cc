/// The driver, the compilers and the device.

#include <string>
#include <utility>
#include <vector>

#include "native/addon/api.h"
#include "native/addon/errors.h"
#include "native/addon/properties.h"
#include "native/cccl/library.h"
#include "native/driver/cuda_api.h"
#include "native/memory/device.h"

namespace cuda_compute {
namespace {

/// setErrorClasses({ CudaError, CompileError, ToolkitNotFoundError })
napi_value set_error_classes(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  const Properties classes(environment->env, arguments.value(0));
  const auto keep = [&](const char* name, napi_ref& reference) {
    napi_check(napi_create_reference(environment->env, classes.get(name), 1, &reference), name);
  };
  keep("CudaError", environment->cuda_error);
  keep("CompileError", environment->compile_error);
  keep("ToolkitNotFoundError", environment->toolkit_error);
  return undefined_value(environment->env);
}

/// loadDriver(path): version
napi_value load_driver(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  return number_value(environment->env, CudaApi::load(arguments.string(0)).version());
}

/// loadCompilers({ nvrtc, nvJitLink, cccl, includeOptions }): { nvrtc: [major, minor], nvJitLink: [major, minor] }
napi_value load_compilers(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  napi_env env = environment->env;
  const Properties given(env, arguments.value(0));
  LibraryPaths paths;
  paths.nvrtc = given.string("nvrtc");
  paths.nvjitlink = given.string("nvJitLink");
  paths.cccl = given.string("cccl");
  for (const napi_value option : given.elements("includeOptions")) {
    paths.include_options.push_back(string_from(env, option, "includeOptions"));
  }
  const Library& library = Library::load(paths);
  napi_value result = nullptr;
  napi_check(napi_create_object(env, &result), "an object");
  const auto set_version = [&](const char* name, std::pair<int, int> version) {
    napi_value pair = nullptr;
    napi_check(napi_create_array_with_length(env, 2, &pair), "an array");
    napi_check(napi_set_element(env, pair, 0, number_value(env, version.first)), "an array");
    napi_check(napi_set_element(env, pair, 1, number_value(env, version.second)), "an array");
    napi_check(napi_set_named_property(env, result, name, pair), name);
  };
  set_version("nvrtc", library.nvrtc().version());
  set_version("nvJitLink", library.nvjitlink().version());
  return result;
}

/// deviceCount(): number
napi_value device_count(const std::shared_ptr<Environment>& environment, const CallArguments&) {
  return number_value(environment->env, Device::count());
}

/// openDevice(ordinal): { name, computeCapability, totalBytes }
napi_value open_device(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  napi_env env = environment->env;
  Device& device = Device::open(static_cast<int>(arguments.number(0)));
  device.make_current();
  if (environment->device != nullptr && environment->device != &device) {
    throw Failure(FailureKind::argument, "ERR_DEVICE_OPEN", "This environment works on another device already.");
  }
  if (environment->device == nullptr) {
    environment->device = &device;
    environment->add_stream(std::make_shared<Stream>(device), nullptr);
    environment->publish_live();
  }
  napi_value result = nullptr;
  napi_check(napi_create_object(env, &result), "an object");
  napi_check(napi_set_named_property(env, result, "name", string_value(env, device.name())), "name");
  set_number(env, result, "computeCapability", device.compute_capability());
  set_number(env, result, "totalBytes", static_cast<double>(device.total_bytes()));
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
