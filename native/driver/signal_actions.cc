#include "native/driver/signal_actions.h"

#include <csignal>
#include <mutex>

namespace cuda_compute {
namespace {

/// A signal's action, where it resets itself.
struct Aside {
  int signal;
  struct sigaction action{};
  bool is_set = false;
};

std::mutex changing;
int alive = 0;
Aside asides[] = {{SIGINT}, {SIGTERM}};

void set_aside(Aside& aside) noexcept {
  aside.is_set = sigaction(aside.signal, nullptr, &aside.action) == 0 && aside.action.sa_handler != SIG_DFL &&
                 (static_cast<unsigned>(aside.action.sa_flags) & SA_RESETHAND) != 0;
  if (!aside.is_set) return;
  struct sigaction standard{};
  standard.sa_handler = SIG_DFL;
  sigaction(aside.signal, &standard, nullptr);
}

void put_back(Aside& aside) noexcept {
  struct sigaction current{};
  if (!aside.is_set || sigaction(aside.signal, nullptr, &current) != 0) return;
  if (current.sa_handler == SIG_DFL) sigaction(aside.signal, &aside.action, nullptr);
  aside.is_set = false;
}

}  // namespace

SignalActions::SignalActions() noexcept {
  const std::lock_guard lock(changing);
  if (alive++ > 0) return;
  for (Aside& aside : asides) set_aside(aside);
}

SignalActions::~SignalActions() {
  const std::lock_guard lock(changing);
  if (--alive > 0) return;
  for (Aside& aside : asides) put_back(aside);
}

}  // namespace cuda_compute
