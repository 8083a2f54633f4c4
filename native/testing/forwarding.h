#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "native/testing/simulated_cuda.h"

/// For doubles that pass functions on to the real library: each call is counted, and fails where a failure was ordered
/// for it. A double is one source, which lists its functions with X(name, answers_status), defines them with
/// DEFINE_FORWARD and connects them when it is loaded.

/// A function that goes on to the real library. Trampolines in assembly find their own by name.
struct Forward {
  const char* name;
  bool answers_status;  // else there is nothing to fail with
  void* target;
  void* record;
};
static_assert(offsetof(Forward, target) == 16);

// Arguments by value lie on the caller's stack, so a jump with the stack as it was passes any signature on.
#define DEFINE_FORWARD(function, status)                                                                       \
  __attribute__((visibility("hidden"), used)) Forward forward_##function{#function, status, nullptr, nullptr}; \
  asm(".pushsection .text\n"                                                                                   \
      ".globl " #function                                                                                      \
      "\n"                                                                                                     \
      ".type " #function ", @function\n" #function                                                             \
      ":\n"                                                                                                    \
      "  endbr64\n"                                                                                            \
      "  leaq forward_" #function                                                                              \
      "(%rip), %rax\n"                                                                                         \
      "  jmp forward_call\n"                                                                                   \
      ".size " #function ", . - " #function                                                                    \
      "\n"                                                                                                     \
      ".popsection\n");

// Keeps the six argument registers over the call of forward_enter, then returns its failure or jumps to the target.
asm(R"(
.pushsection .text
.hidden forward_call
.type forward_call, @function
forward_call:
  .cfi_startproc
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  pushq %rdx
  .cfi_adjust_cfa_offset 8
  pushq %rcx
  .cfi_adjust_cfa_offset 8
  pushq %r8
  .cfi_adjust_cfa_offset 8
  pushq %r9
  .cfi_adjust_cfa_offset 8
  pushq %rax
  .cfi_adjust_cfa_offset 8
  movq %rax, %rdi
  call forward_enter
  movl %eax, %r11d
  popq %rax
  .cfi_adjust_cfa_offset -8
  popq %r9
  .cfi_adjust_cfa_offset -8
  popq %r8
  .cfi_adjust_cfa_offset -8
  popq %rcx
  .cfi_adjust_cfa_offset -8
  popq %rdx
  .cfi_adjust_cfa_offset -8
  popq %rsi
  .cfi_adjust_cfa_offset -8
  popq %rdi
  .cfi_adjust_cfa_offset -8
  testl %r11d, %r11d
  jnz 1f
  jmp *16(%rax)
1:
  movl %r11d, %eax
  ret
  .cfi_endproc
.size forward_call, . - forward_call
.popsection
)");

extern "C" __attribute__((visibility("hidden"), used)) inline int forward_enter(Forward* forward) {
  const int failure = simulated_cuda_enter(forward->record);
  return forward->answers_status ? failure : 0;
}

/// The library that the environment names, else the one at a path within vendor/. A double lies in a folder of build/,
/// and vendor/ beside that.
__attribute__((visibility("hidden"))) inline std::string real_library(const char* variable, const char* vendored) {
  if (const char* named = std::getenv(variable); named != nullptr && *named != '\0') return named;
  Dl_info self{};
  dladdr(reinterpret_cast<const void*>(&real_library), &self);
  const std::string own_path(self.dli_fname);
  return own_path.substr(0, own_path.rfind('/') + 1) + "../../vendor/" + vendored;
}

/// Finds the function that a forward goes on to; null where `library` has none, or is none.
inline void connect_forward(Forward& forward, void* library) {
  forward.record = simulated_cuda_function(forward.name);
  if (library != nullptr) forward.target = dlsym(library, forward.name);
}

/// The same for a library that tests cannot do without.
inline void connect_forward_or_abort(Forward& forward, void* library, const std::string& path) {
  connect_forward(forward, library);
  if (forward.target != nullptr) return;
  std::fprintf(stderr, "%s has no %s\n", path.c_str(), forward.name);
  std::abort();
}
