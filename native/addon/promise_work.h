#pragma once

#include <node_api.h>

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "native/addon/errors.h"
#include "native/addon/values.h"

namespace cuda_compute {

/// Work on a thread of the pool that settles a promise. `work` must know no N-API; `result` runs on the environment's
/// thread afterwards and makes the promise's value.
class PromiseWork {
 public:
  using Work = std::function<void()>;
  using Result = std::function<napi_value(napi_env)>;

  /// Queues the work and answers the promise.
  static napi_value start(const std::shared_ptr<Environment>& environment, const char* name, Work work, Result result) {
    napi_env env = environment->env;
    auto owned = std::unique_ptr<PromiseWork>(new PromiseWork(environment, std::move(work), std::move(result)));
    napi_value promise = nullptr;
    napi_check(napi_create_promise(env, &owned->deferred_, &promise), "a promise");
    napi_check(
        napi_create_async_work(env, nullptr, string_value(env, name), execute, complete, owned.get(), &owned->handle_),
        "asynchronous work");
    napi_check(napi_queue_async_work(env, owned->handle_), "asynchronous work");
    owned.release();
    return promise;
  }

 private:
  PromiseWork(std::shared_ptr<Environment> environment, Work work, Result result)
      : environment_(std::move(environment)), work_(std::move(work)), result_(std::move(result)) {}

  static void execute(napi_env, void* data) {
    auto& self = *static_cast<PromiseWork*>(data);
    try {
      self.work_();
    } catch (...) {
      self.error_ = std::current_exception();
    }
  }

  static void complete(napi_env env, napi_status status, void* data) {
    const std::unique_ptr<PromiseWork> self(static_cast<PromiseWork*>(data));
    napi_delete_async_work(env, self->handle_);
    // An environment that ends runs no more JavaScript: nobody is left to hear.
    if (status == napi_cancelled || self->environment_->frame == nullptr) return;
    napi_value value = nullptr;
    const auto settle = [&] {
      if (self->error_) std::rethrow_exception(self->error_);
      value = self->result_(env);
    };
    try {
      settle();
      napi_resolve_deferred(env, self->deferred_, value);
    } catch (...) {
      throw_current_exception(*self->environment_);
      napi_value error = nullptr;
      if (napi_get_and_clear_last_exception(env, &error) == napi_ok) {
        napi_reject_deferred(env, self->deferred_, error);
      }
    }
  }

  std::shared_ptr<Environment> environment_;
  Work work_;
  Result result_;
  std::exception_ptr error_;
  napi_deferred deferred_ = nullptr;
  napi_async_work handle_ = nullptr;
};

}  // namespace cuda_compute
