#pragma once

namespace cuda_compute {

/// While one lives the compilers run, which take SIGINT and SIGTERM over and give them back as `signal` does, without
/// their flags. Node's own action ends the process by resetting itself and raising the signal once more; without its
/// flag it raises it for ever. So that action is set aside for the default one, and put back afterwards. An action that
/// is set meanwhile stays. They nest, on one thread and over several: the last one to end puts back.
class SignalActions {
 public:
  SignalActions() noexcept;
  ~SignalActions();
  SignalActions(const SignalActions&) = delete;
  SignalActions& operator=(const SignalActions&) = delete;
};

}  // namespace cuda_compute
