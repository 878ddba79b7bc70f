/// Ctrl-C as a call; see interrupt.hpp.
#include "platform/interrupt.hpp"

#if defined(__wasi__)

namespace stickslip::inline platform {

InterruptSignals::InterruptSignals(void (*)()) {}
InterruptSignals::~InterruptSignals() = default;

}  // namespace stickslip::inline platform

#else

#include <signal.h>

#include <atomic>

namespace stickslip::inline platform {
namespace {

std::atomic<void (*)()> told{nullptr};

extern "C" void tell_listener(int) {
  if (void (*const tell)() = told) tell();
}

}  // namespace

#if defined(_WIN32)

// The C library takes the handler back when a signal arrives, so that the second one ends the program.
namespace {
using Handler = void (*)(int);
Handler before_interrupt = SIG_DFL, before_terminate = SIG_DFL;
}  // namespace

InterruptSignals::InterruptSignals(void (*tell)()) {
  told = tell;
  before_interrupt = ::signal(SIGINT, tell_listener);
  before_terminate = ::signal(SIGTERM, tell_listener);
}

InterruptSignals::~InterruptSignals() {
  ::signal(SIGINT, before_interrupt);
  ::signal(SIGTERM, before_terminate);
  told = nullptr;
}

#else

namespace {
struct sigaction before_interrupt, before_terminate;
}  // namespace

InterruptSignals::InterruptSignals(void (*tell)()) {
  told = tell;
  struct sigaction action {};
  action.sa_handler = tell_listener;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);  // a file that is being read or written continues
  ::sigaction(SIGINT, &action, &before_interrupt);
  ::sigaction(SIGTERM, &action, &before_terminate);
}

InterruptSignals::~InterruptSignals() {
  ::sigaction(SIGINT, &before_interrupt, nullptr);
  ::sigaction(SIGTERM, &before_terminate, nullptr);
  told = nullptr;
}

#endif

}  // namespace stickslip::inline platform

#endif
