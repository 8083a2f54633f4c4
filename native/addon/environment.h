#pragma once

#include <napi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "native/addon/frame.h"
#include "native/memory/buffer.h"

namespace cuda_compute {

/// Marks what an External of this addon stands for, so that one kind is never taken for another.
enum class HandleKind : std::uint32_t { buffer = 0xC0DA0001, stream, event, build };

struct Environment;

/// What an External points to.
struct Handle {
  HandleKind kind;
};

/// Owns one slot of the buffer table; its finalizer frees the buffer within the collection.
struct BufferHandle : Handle {
  static constexpr HandleKind expected = HandleKind::buffer;
  std::shared_ptr<Environment> environment;
  std::uint32_t slot;
};

/// Owns one slot of the stream table.
struct StreamHandle : Handle {
  static constexpr HandleKind expected = HandleKind::stream;
  std::shared_ptr<Environment> environment;
  std::uint32_t slot;
};

struct EventHandle : Handle {
  static constexpr HandleKind expected = HandleKind::event;
  std::unique_ptr<Event> event;
};

struct BuildHandle : Handle {
  static constexpr HandleKind expected = HandleKind::build;
  std::shared_ptr<const Build> build;
};

/// The state of one environment (a thread of JavaScript, or one more loading of the addon in it): its frame and its
/// tables. Shared by what may outlive the environment's end, which finds everything released then.
struct Environment {
  static constexpr std::uint32_t no_slot = 0xFFFFFFFF;

  explicit Environment(napi_env owner) : env(owner) {}
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  struct BufferEntry {
    std::shared_ptr<Buffer> buffer;
    BufferHandle* handle = nullptr;
    std::int64_t reported = 0;  ///< bytes that V8 was told of
  };

  struct StreamEntry {
    std::shared_ptr<Stream> stream;
    StreamHandle* handle = nullptr;
  };

  napi_env env;
  CallFrame* frame = nullptr;  ///< null once the environment has ended
  Device* device = nullptr;
  std::vector<BufferEntry> buffers;
  std::vector<std::uint32_t> free_buffers;
  std::vector<StreamEntry> streams;
  std::vector<std::uint32_t> free_streams;
  Napi::FunctionReference cuda_error;
  Napi::FunctionReference compile_error;
  Napi::FunctionReference toolkit_error;
  Napi::Reference<Napi::ArrayBuffer> frame_buffer;  ///< keeps the frame's memory
  std::int64_t external_bytes = 0;                  ///< reported and not yet taken back
  std::int64_t external_freed = 0;                  ///< freed since, in finalizers, where V8 must not be called

  /// The device; throws Failure(toolkit) before it was opened.
  [[nodiscard]] Device& opened_device() const;
  /// The live buffer in a slot; throws Failure(argument, ERR_DISPOSED).
  [[nodiscard]] Buffer& buffer(std::uint32_t slot) const { return *shared_buffer(slot); }
  [[nodiscard]] const std::shared_ptr<Buffer>& shared_buffer(std::uint32_t slot) const;
  /// The live stream in a slot; throws Failure(argument, ERR_DISPOSED).
  [[nodiscard]] const std::shared_ptr<Stream>& stream(std::uint32_t slot) const;

  std::uint32_t add_buffer(std::shared_ptr<Buffer> buffer, BufferHandle* handle);
  /// Lets go of the buffer in a slot, if there is one; the last one that has it frees it. Calls nothing of N-API: it
  /// runs in finalizers.
  void release_buffer(std::uint32_t slot) noexcept;
  /// `handle` is null for the default stream, which nobody owns and which always has slot 0.
  std::uint32_t add_stream(std::shared_ptr<Stream> stream, StreamHandle* handle);
  void release_stream(std::uint32_t slot) noexcept;

  /// Tells V8 of a new allocation and of what was freed since. Bytes are scaled, since V8 would collect without end if
  /// it heard of every byte of a GPU.
  void report_external(BufferEntry& entry);
  /// Tells V8 of what was freed since.
  void settle_external();

  void publish_live() const noexcept;
  /// Releases everything; what refers to the environment afterwards finds it empty.
  void end() noexcept;
};

/// The environment behind a native call; set as the data of every function.
std::shared_ptr<Environment>& environment_of(void* data);

}  // namespace cuda_compute
