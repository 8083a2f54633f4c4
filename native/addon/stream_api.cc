/// Streams and events.

#include <memory>
#include <utility>

#include "native/addon/api.h"
#include "native/addon/errors.h"
#include "native/addon/handles.h"
#include "native/addon/promise_work.h"
#include "native/memory/stream.h"

namespace cuda_compute {
namespace {

void finalize_stream(node_api_basic_env, void* data, void*) {
  const std::unique_ptr<StreamHandle> handle(static_cast<StreamHandle*>(data));
  if (handle->slot != Environment::no_slot) handle->environment->release_stream(handle->slot);
}

/// createStream(priority, ordered): handle; the slot is in the frame
Napi::Value create_stream(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  auto stream = std::make_shared<Stream>(environment->opened_device(), arguments.integer(0),
                                         arguments.boolean(1) ? StreamOrder::automatic : StreamOrder::none);
  auto handle = std::make_unique<StreamHandle>();
  handle->kind = HandleKind::stream;
  handle->environment = environment;
  handle->slot = Environment::no_slot;
  StreamHandle* owner = handle.get();
  const Napi::Value external = external_value(environment->env, std::move(handle), finalize_stream);
  owner->slot = environment->add_stream(std::move(stream), owner);
  environment->frame->result_slot = owner->slot;
  return external;
}

/// releaseStream(slot)
Napi::Value release_stream(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  environment->release_stream(arguments.slot(0));
  return Napi::Env(environment->env).Undefined();
}

/// queryStream(slot): boolean
Napi::Value query_stream(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  return Napi::Boolean::New(environment->env, environment->stream(arguments.slot(0))->query());
}

/// synchronizeStream(slot)
Napi::Value synchronize_stream(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  environment->stream(arguments.slot(0))->synchronize();
  return Napi::Env(environment->env).Undefined();
}

/// synchronizeStreamAsync(slot): Promise<void>
Napi::Value synchronize_stream_async(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  // An event, so that the promise is about the work queued now, whatever is queued while it is pending.
  const auto& stream = environment->stream(arguments.slot(0));
  const auto reached = std::make_shared<Event>(stream->device(), cuda_event_blocking_sync | cuda_event_disable_timing);
  reached->record_on(*stream);
  return PromiseWork::start(
      environment, "cuda-compute synchronize", [reached] { reached->synchronize(); },
      [](Napi::Env env) { return env.Undefined(); });
}

/// streamWaitEvent(slot, event)
Napi::Value stream_wait_event(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  environment->stream(arguments.slot(0))->wait_for(*arguments.handle<EventHandle>(1).event);
  return Napi::Env(environment->env).Undefined();
}

/// createEvent(timing): handle
Napi::Value create_event(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  auto handle = std::make_unique<EventHandle>();
  handle->kind = HandleKind::event;
  handle->event =
      std::make_unique<Event>(environment->opened_device(), arguments.boolean(0) ? 0 : cuda_event_disable_timing);
  return external_value(environment->env, std::move(handle), delete_handle<EventHandle>);
}

/// recordEvent(event, streamSlot)
Napi::Value record_event(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  arguments.handle<EventHandle>(0).event->record_on(*environment->stream(arguments.slot(1)));
  return Napi::Env(environment->env).Undefined();
}

/// queryEvent(event): boolean
Napi::Value query_event(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  return Napi::Boolean::New(environment->env, arguments.handle<EventHandle>(0).event->query());
}

/// synchronizeEvent(event)
Napi::Value synchronize_event(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  arguments.handle<EventHandle>(0).event->synchronize();
  return Napi::Env(environment->env).Undefined();
}

/// elapsedTime(start, end): milliseconds
Napi::Value elapsed_time(const std::shared_ptr<Environment>& environment, const CallArguments& arguments) {
  const Event& start = *arguments.handle<EventHandle>(0).event;
  const Event& end = *arguments.handle<EventHandle>(1).event;
  return Napi::Number::New(environment->env, end.milliseconds_since(start));
}

constexpr NativeFunction functions[] = {
    {"createStream", native_function<create_stream>},
    {"releaseStream", native_function<release_stream>},
    {"queryStream", native_function<query_stream>},
    {"synchronizeStream", native_function<synchronize_stream>},
    {"synchronizeStreamAsync", native_function<synchronize_stream_async>},
    {"streamWaitEvent", native_function<stream_wait_event>},
    {"createEvent", native_function<create_event>},
    {"recordEvent", native_function<record_event>},
    {"queryEvent", native_function<query_event>},
    {"synchronizeEvent", native_function<synchronize_event>},
    {"elapsedTime", native_function<elapsed_time>},
};

}  // namespace

std::span<const NativeFunction> stream_functions() { return functions; }

}  // namespace cuda_compute
