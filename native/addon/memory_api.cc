/// Device memory: allocations, copies and statistics.

#include <cstddef>
#include <memory>
#include <utility>

#include "native/addon/api.h"
#include "native/addon/errors.h"
#include "native/addon/handles.h"
#include "native/addon/promise_work.h"
#include "native/addon/run_status.h"
#include "native/memory/shared_buffers.h"
#include "native/memory/staging.h"

namespace cuda_compute {
namespace {

/// Frees the buffer inside the collection. Calls nothing of JavaScript, and nothing of V8.
void finalize_buffer(node_api_basic_env, void* data, void*) {
  const std::unique_ptr<BufferHandle> handle(static_cast<BufferHandle*>(data));
  if (handle->slot != Environment::no_slot) handle->environment->release_buffer(handle->slot);
}

/// A handle that owns a slot of its own for the buffer; the slot is in the frame.
Napi::Value buffer_handle(const std::shared_ptr<Environment>& environment, std::shared_ptr<Buffer> buffer) {
  auto handle = std::make_unique<BufferHandle>();
  handle->kind = HandleKind::buffer;
  handle->environment = environment;
  handle->slot = Environment::no_slot;
  BufferHandle* owner = handle.get();
  const Napi::Value external = external_value(environment->env, std::move(handle), finalize_buffer);
  owner->slot = environment->add_buffer(std::move(buffer), owner);
  environment->report_external(environment->buffers[owner->slot]);
  environment->frame->result_slot = owner->slot;
  return external;
}

/// allocate(byteLength, streamSlot): handle | undefined; the slot is in the frame
Napi::Value allocate(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  const std::size_t bytes = arguments.size(0);
  auto buffer = Buffer::allocate(bytes, environment->stream(arguments.slot(1)));
  if (buffer == nullptr) return Napi::Env(environment->env).Undefined();
  return buffer_handle(environment, std::move(buffer));
}

/// sendShared(slot, outlive): number
Napi::Value send_shared(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  const void* sender = arguments.boolean(1) ? nullptr : environment.get();
  const auto number = SharedBuffers::process().send(environment->shared_buffer(arguments.slot(0)), sender);
  return Napi::BigInt::New(environment->env, number);
}

/// receiveShared(number, leastBytes): handle; the slot is in the frame
Napi::Value receive_shared(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  const SharedBuffers::Number number = arguments.big_integer(0);
  const std::size_t least_bytes = arguments.size(1);
  return buffer_handle(environment,
                       SharedBuffers::process().receive(number, environment->opened_device(), least_bytes));
}

/// releaseShared(number)
Napi::Value release_shared(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  SharedBuffers::process().release(arguments.big_integer(0));
  environment->publish_live();
  return Napi::Env(environment->env).Undefined();
}

/// release(slot)
Napi::Value release(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  const Napi::Env env = environment->env;
  environment->release_buffer(arguments.slot(0));
  environment->settle_external();
  return env.Undefined();
}

/// copyToDevice(slot, byteOffset, source, streamSlot)
Napi::Value copy_to_device(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  const Napi::Env env = environment->env;
  const Bytes source = arguments.bytes(2);
  environment->buffer(arguments.slot(0))
      .write(arguments.number(1), source.data, source.size, environment->stream(arguments.slot(3)));
  return env.Undefined();
}

/// copyToHost(slot, byteOffset, target, streamSlot)
Napi::Value copy_to_host(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  const Napi::Env env = environment->env;
  const Bytes target = arguments.bytes(2);
  environment->buffer(arguments.slot(0))
      .read(arguments.number(1), target.data, target.size, environment->stream(arguments.slot(3)));
  return env.Undefined();
}

/// By the constructor, which throws a RangeError where the process has no room; N-API's own function ends the process.
Napi::ArrayBuffer new_array_buffer(Napi::Env env, std::size_t bytes) {
  const auto constructor = env.Global().Get("ArrayBuffer").As<Napi::Function>();
  const Napi::Value created = constructor.New({Napi::Number::New(env, static_cast<double>(bytes))});
  return created.As<Napi::ArrayBuffer>();
}

/// A read into an ArrayBuffer that JavaScript has not got yet.
struct ArrayBufferRead {
  Napi::Reference<Napi::ArrayBuffer> target;  ///< keeps the memory that the read writes to
  PendingRead pending;                        ///< waits for its copy when it goes, which is before the target
};

/// readAsync(slot, byteOffset, byteLength, streamSlot): Promise<ArrayBuffer>
Napi::Value read_async(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  const double offset = arguments.number(1);
  const std::size_t bytes = arguments.size(2);
  static_cast<void>(environment->buffer(arguments.slot(0)).range(offset, static_cast<double>(bytes)));
  auto target = new_array_buffer(environment->env, bytes);
  // Looked up again: making the ArrayBuffer may collect.
  Buffer& buffer = environment->buffer(arguments.slot(0));
  const auto& stream = environment->stream(arguments.slot(3));
  auto* data = static_cast<std::byte*>(target.Data());
  const std::shared_ptr<ArrayBufferRead> read(
      new ArrayBufferRead{Napi::Persistent(target), PendingRead(buffer, offset, data, bytes, stream)});
  return PromiseWork::start(
      environment, "cuda-compute read", [read] { read->pending.wait(); },
      [read](Napi::Env) -> Napi::Value { return read->target.Value(); });
}

/// copyOnDevice(target, targetOffset, source, sourceOffset, byteLength, streamSlot): RunStatus
Napi::Value copy_on_device(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  Buffer& target = environment->buffer(arguments.slot(0));
  Buffer& source = environment->buffer(arguments.slot(2));
  const auto& stream = environment->stream(arguments.slot(5));
  return run_status(*environment, [&] {
    target.copy_from(arguments.number(1), source, arguments.number(3), arguments.number(4), stream);
  });
}

/// fill(slot, byteOffset, pattern, count, streamSlot)
Napi::Value fill(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  const Napi::Env env = environment->env;
  const Bytes pattern = arguments.bytes(2);
  environment->buffer(arguments.slot(0))
      .fill(arguments.number(1), pattern.data, pattern.size, arguments.number(3),
            environment->stream(arguments.slot(4)));
  return env.Undefined();
}

/// memoryStatistics()
Napi::Value memory_statistics(const std::shared_ptr<Environment>& environment, const CallArguments&) {
  const Napi::Env env = environment->env;
  environment->settle_external();
  const MemoryStatistics statistics = environment->opened_device().statistics();
  Napi::Object result = Napi::Object::New(env);
  const auto set = [&](const char* name, auto value) { result[name] = static_cast<double>(value); };
  set("liveBytes", statistics.live_bytes);
  set("liveAllocations", statistics.live_allocations);
  set("peakBytes", statistics.peak_bytes);
  set("poolReservedBytes", statistics.pool_reserved_bytes);
  set("poolIdleBytes", statistics.pool_idle_bytes);
  set("workspaceBytes", statistics.workspace_bytes);
  set("freeBytes", statistics.free_bytes);
  set("totalBytes", statistics.total_bytes);
  set("limitBytes", statistics.limit_bytes);
  set("externalBytes", environment->external_bytes);
  return result;
}

/// liveSlots(): Uint8Array with 1 for every slot that holds an allocation
Napi::Value live_slots(const std::shared_ptr<Environment>& environment, const CallArguments&) {
  // Filled after it is there: making it may collect.
  auto result = Napi::Uint8Array::New(environment->env, environment->buffers.size());
  std::uint8_t* live = result.Data();
  for (const Environment::BufferEntry& entry : environment->buffers) *live++ = entry.buffer == nullptr ? 0 : 1;
  return result;
}

/// reclaim()
Napi::Value reclaim(const std::shared_ptr<Environment>& environment, const CallArguments&) {
  const Napi::Env env = environment->env;
  environment->settle_external();
  for (const Environment::StreamEntry& entry : environment->streams) {
    if (entry.stream != nullptr) entry.stream->synchronize();
  }
  environment->opened_device().trim();
  return env.Undefined();
}

/// trimPool()
Napi::Value trim_pool(const std::shared_ptr<Environment>& environment, const CallArguments&) {
  const Napi::Env env = environment->env;
  environment->settle_external();
  environment->opened_device().trim();
  return env.Undefined();
}

/// setMemoryLimit(bytes)
Napi::Value set_memory_limit(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  const Napi::Env env = environment->env;
  environment->opened_device().set_limit(arguments.size(0));
  return env.Undefined();
}

constexpr NativeFunction functions[] = {
    {"allocate", native_function<allocate>},
    {"release", native_function<release>},
    {"sendShared", native_function<send_shared>},
    {"receiveShared", native_function<receive_shared>},
    {"releaseShared", native_function<release_shared>},
    {"copyToDevice", native_function<copy_to_device>},
    {"copyToHost", native_function<copy_to_host>},
    {"readAsync", native_function<read_async>},
    {"copyOnDevice", native_function<copy_on_device>},
    {"fill", native_function<fill>},
    {"memoryStatistics", native_function<memory_statistics>},
    {"liveSlots", native_function<live_slots>},
    {"reclaim", native_function<reclaim>},
    {"trimPool", native_function<trim_pool>},
    {"setMemoryLimit", native_function<set_memory_limit>},
};

}  // namespace

std::span<const NativeFunction> memory_functions() { return functions; }

}  // namespace cuda_compute
