#pragma once

#include <napi.h>

#include <exception>
#include <functional>
#include <memory>
#include <utility>

#include "native/addon/errors.h"

namespace cuda_compute {

/// Work on a thread of the pool that settles a promise. `work` must know no N-API; `result` runs on the environment's
/// thread afterwards and makes the promise's value. Deletes itself when done.
class PromiseWork final : public Napi::AsyncWorker {
 public:
  using Work = std::function<void()>;
  using Result = std::function<Napi::Value(Napi::Env)>;

  /// Queues the work and answers the promise.
  static Napi::Value start(const std::shared_ptr<Environment>& environment, const char* name, Work work,
                           Result result) {
    auto* self = new PromiseWork(environment, name, std::move(work), std::move(result));
    const Napi::Promise promise = self->deferred_.Promise();
    self->Queue();
    return promise;
  }

  void Execute() override {
    try {
      work_();
    } catch (...) {
      error_ = std::current_exception();
    }
  }

  void OnOK() override {
    try {
      settle();
    } catch (const Napi::Error&) {
      // A worker that is being terminated still completes its work, but runs no JavaScript: nobody is left to hear.
      return;
    }
  }

 private:
  PromiseWork(std::shared_ptr<Environment> environment, const char* name, Work work, Result result)
      : Napi::AsyncWorker(environment->env, name),
        environment_(std::move(environment)),
        work_(std::move(work)),
        result_(std::move(result)),
        deferred_(Napi::Promise::Deferred::New(Env())) {}

  void settle() const {
    if (environment_->frame == nullptr) return;
    Napi::Value value;
    try {
      if (error_) std::rethrow_exception(error_);
      value = result_(Env());
    } catch (...) {
      deferred_.Reject(current_exception_value(*environment_));
      return;
    }
    deferred_.Resolve(value);
  }

  std::shared_ptr<Environment> environment_;
  Work work_;
  Result result_;
  std::exception_ptr error_;
  Napi::Promise::Deferred deferred_;
};

}  // namespace cuda_compute
