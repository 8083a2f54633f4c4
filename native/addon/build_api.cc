/// Builds: making them, and running them on what the call frame holds.

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "native/addon/api.h"
#include "native/addon/build_spec_reader.h"
#include "native/addon/errors.h"
#include "native/addon/handles.h"
#include "native/addon/promise_work.h"
#include "native/addon/run_status.h"
#include "native/cccl/build_cache.h"

namespace cuda_compute {
namespace {

Napi::Value build_handle(Napi::Env env, std::shared_ptr<const Build> build) {
  auto handle = std::make_unique<BuildHandle>();
  handle->kind = HandleKind::build;
  handle->build = std::move(build);
  return external_value(env, std::move(handle), delete_handle<BuildHandle>);
}

/// build(spec): handle
Napi::Value make_build(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  environment->opened_device().make_current();
  const BuildSpec spec = read_build_spec({environment->env, arguments.value(0)});
  return build_handle(environment->env, BuildCache::process().get(spec));
}

/// buildAsync(spec): Promise<handle>
Napi::Value make_build_async(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  struct Task {
    BuildSpec spec;
    const Device& device;
    std::shared_ptr<const Build> build;
  };
  const auto task = std::make_shared<Task>(
      Task{read_build_spec({environment->env, arguments.value(0)}), environment->opened_device(), nullptr});
  return PromiseWork::start(
      environment, "cuda-compute build",
      [task] {
        task->device.make_current();
        task->build = BuildCache::process().get(task->spec);
      },
      [task](Napi::Env env) { return build_handle(env, std::move(task->build)); });
}

/// Turns the byte offsets that JavaScript wrote into addresses, and orders the stream behind earlier uses of the
/// arrays.
void resolve_relocations(const Environment& environment, const std::shared_ptr<Stream>& stream) {
  CallFrame& frame = *environment.frame;
  const std::uint32_t count = std::min<std::uint32_t>(frame.relocation_count, CallFrame::max_relocations);
  auto* base = reinterpret_cast<std::byte*>(&frame);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Relocation relocation = frame.relocations[i];
    if (relocation.position > CallFrame::size - sizeof(CUdeviceptr)) {
      throw Failure(FailureKind::argument, "ERR_OUT_OF_RANGE", "A relocation lies outside of the call frame.");
    }
    Buffer& buffer = environment.buffer(relocation.slot);
    buffer.use_on(stream, static_cast<Access>(relocation.access));
    CUdeviceptr address = 0;
    std::memcpy(&address, base + relocation.position, sizeof address);
    address += buffer.address();
    std::memcpy(base + relocation.position, &address, sizeof address);
  }
}

/// run(build): RunStatus. The hot path: one argument, and everything else in the frame.
Napi::Value run(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  const Build& build = *arguments.handle<BuildHandle>(0).build;
  CallFrame& frame = *environment->frame;
  const auto& stream = environment->stream(frame.stream);
  environment->opened_device().make_current();
  resolve_relocations(*environment, stream);
  StreamStorage storage(*stream);
  return run_status(*environment, [&] {
    build.run({stream->handle(), frame.scalars, reinterpret_cast<std::byte*>(&frame), &storage, &frame.selector});
  });
}

/// buildStatistics()
Napi::Value build_statistics(const std::shared_ptr<Environment>& environment, const CallArguments&) {
  const Napi::Env env = environment->env;
  const BuildStatistics statistics = BuildCache::process().statistics();
  Napi::Object result = Napi::Object::New(env);
  const auto set = [&](const char* name, auto value) { result[name] = static_cast<double>(value); };
  set("kernelsCompiled", statistics.kernels_compiled);
  set("operatorsCompiled", statistics.operators_compiled);
  set("links", statistics.links);
  set("loads", statistics.loads);
  set("hits", statistics.hits);
  set("builds", statistics.builds);
  return result;
}

/// clearBuilds()
Napi::Value clear_builds(const std::shared_ptr<Environment>& environment, const CallArguments&) {
  BuildCache::process().clear();
  return Napi::Env(environment->env).Undefined();
}

constexpr NativeFunction functions[] = {
    {"build", native_function<make_build>},
    {"buildAsync", native_function<make_build_async>},
    {"run", native_function<run>},
    {"buildStatistics", native_function<build_statistics>},
    {"clearBuilds", native_function<clear_builds>},
};

}  // namespace

std::span<const NativeFunction> build_functions() { return functions; }

}  // namespace cuda_compute
