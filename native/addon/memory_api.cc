/// Device memory: allocations, copies and statistics.

#include <cstring>
#include <memory>
#include <utility>

#include "native/addon/api.h"
#include "native/addon/errors.h"
#include "native/addon/promise_work.h"
#include "native/memory/staging.h"

namespace cuda_compute {
namespace {

/// Frees the buffer inside the collection. Calls nothing of JavaScript, and nothing of V8.
void finalize_buffer(node_api_basic_env, void* data, void*) {
  const std::unique_ptr<BufferHandle> handle(static_cast<BufferHandle*>(data));
  if (handle->slot != Environment::no_slot) handle->environment->release_buffer(handle->slot);
}

/// allocate(byteLength, streamSlot): handle | undefined; the slot is in the frame
napi_value allocate(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  napi_env env = environment->env;
  const auto bytes = static_cast<std::size_t>(arguments.number(0));
  auto buffer = Buffer::allocate(bytes, environment->stream(arguments.slot(1)));
  if (buffer == nullptr) return undefined_value(env);
  auto handle = std::make_unique<BufferHandle>();
  handle->kind = HandleKind::buffer;
  handle->environment = environment;
  handle->slot = Environment::no_slot;
  BufferHandle* owner = handle.get();
  const napi_value external = external_value(env, std::move(handle), finalize_buffer);
  owner->slot = environment->add_buffer(std::move(buffer), owner);
  environment->report_external(environment->buffers[owner->slot]);
  environment->frame->result_slot = owner->slot;
  return external;
}

/// release(slot)
napi_value release(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  napi_env env = environment->env;
  environment->release_buffer(arguments.slot(0));
  environment->settle_external();
  return undefined_value(env);
}

/// copyToDevice(slot, byteOffset, source, streamSlot)
napi_value copy_to_device(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  napi_env env = environment->env;
  const Bytes source = arguments.bytes(2);
  environment->buffer(arguments.slot(0))
      .write(arguments.number(1), source.data, source.size, environment->stream(arguments.slot(3)));
  return undefined_value(env);
}

/// copyToHost(slot, byteOffset, target, streamSlot)
napi_value copy_to_host(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  napi_env env = environment->env;
  const Bytes target = arguments.bytes(2);
  environment->buffer(arguments.slot(0))
      .read(arguments.number(1), target.data, target.size, environment->stream(arguments.slot(3)));
  return undefined_value(env);
}

/// readAsync(slot, byteOffset, byteLength, streamSlot): Promise<ArrayBuffer>
napi_value read_async(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  Buffer& buffer = environment->buffer(arguments.slot(0));
  const auto bytes = static_cast<std::size_t>(arguments.number(2));
  const auto pending =
      std::make_shared<PendingRead>(buffer, arguments.number(1), bytes, environment->stream(arguments.slot(3)));
  return PromiseWork::start(
      environment, "cuda-compute read", [pending] { pending->wait(); },
      [pending](napi_env promise_env) {
        void* target = nullptr;
        napi_value result = nullptr;
        napi_check(napi_create_arraybuffer(promise_env, pending->bytes(), &target, &result), "an ArrayBuffer");
        std::memcpy(target, pending->data(), pending->bytes());
        return result;
      });
}

/// copyOnDevice(target, targetOffset, source, sourceOffset, byteLength, streamSlot)
napi_value copy_on_device(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  napi_env env = environment->env;
  Buffer& target = environment->buffer(arguments.slot(0));
  Buffer& source = environment->buffer(arguments.slot(2));
  target.copy_from(arguments.number(1), source, arguments.number(3), arguments.number(4),
                   environment->stream(arguments.slot(5)));
  return undefined_value(env);
}

/// fill(slot, byteOffset, pattern, count, streamSlot)
napi_value fill(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  napi_env env = environment->env;
  const Bytes pattern = arguments.bytes(2);
  environment->buffer(arguments.slot(0))
      .fill(arguments.number(1), pattern.data, pattern.size, arguments.number(3),
            environment->stream(arguments.slot(4)));
  return undefined_value(env);
}

/// memoryStatistics()
napi_value memory_statistics(const std::shared_ptr<Environment>& environment, const CallArguments&) {
  napi_env env = environment->env;
  environment->settle_external();
  const MemoryStatistics statistics = environment->opened_device().statistics();
  napi_value result = nullptr;
  napi_check(napi_create_object(env, &result), "an object");
  const auto set = [&](const char* name, auto value) { set_number(env, result, name, static_cast<double>(value)); };
  set("liveBytes", statistics.live_bytes);
  set("liveAllocations", statistics.live_allocations);
  set("peakBytes", statistics.peak_bytes);
  set("poolReservedBytes", statistics.pool_reserved_bytes);
  set("workspaceBytes", statistics.workspace_bytes);
  set("freeBytes", statistics.free_bytes);
  set("totalBytes", statistics.total_bytes);
  set("externalBytes", environment->external_bytes);
  return result;
}

/// trimPool()
napi_value trim_pool(const std::shared_ptr<Environment>& environment, const CallArguments&) {
  napi_env env = environment->env;
  environment->settle_external();
  environment->opened_device().trim();
  return undefined_value(env);
}

/// setMemoryLimit(bytes)
napi_value set_memory_limit(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  napi_env env = environment->env;
  environment->opened_device().set_limit(static_cast<std::uint64_t>(arguments.number(0)));
  return undefined_value(env);
}

constexpr NativeFunction functions[] = {
    {"allocate", native_function<allocate>},
    {"release", native_function<release>},
    {"copyToDevice", native_function<copy_to_device>},
    {"copyToHost", native_function<copy_to_host>},
    {"readAsync", native_function<read_async>},
    {"copyOnDevice", native_function<copy_on_device>},
    {"fill", native_function<fill>},
    {"memoryStatistics", native_function<memory_statistics>},
    {"trimPool", native_function<trim_pool>},
    {"setMemoryLimit", native_function<set_memory_limit>},
};

}  // namespace

std::span<const NativeFunction> memory_functions() { return functions; }

}  // namespace cuda_compute
