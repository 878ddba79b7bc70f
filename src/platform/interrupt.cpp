/// Ctrl-C as a call; see interrupt.hpp.
#include "platform/interrupt.hpp"

#include <cstdlib>

#if defined(__wasi__)

namespace stickslip::inline platform {

struct InterruptSignals::Before {};
InterruptSignals::InterruptSignals(void (*)(), SwitchedOff) {}
InterruptSignals::~InterruptSignals() = default;

void end_now(const char*, int exit_code) { std::_Exit(exit_code); }

}  // namespace stickslip::inline platform

#else

#include <signal.h>

#include <atomic>
#include <cstring>

#if defined(_WIN32)
#include <io.h>
#else
#include <unistd.h>
#endif

namespace stickslip::inline platform {
namespace {

std::atomic<void (*)()> told{nullptr};

extern "C" void tell_listener(int) {
  if (void (*const tell)() = told) tell();
}

void say(const char* text) {
#if defined(_WIN32)
  (void)!::_write(2, text, static_cast<unsigned>(std::strlen(text)));
#else
  (void)!::write(STDERR_FILENO, text, std::strlen(text));
#endif
}

}  // namespace

void end_now(const char* line, int exit_code) {
  say(line);
  say("\n");
  std::_Exit(exit_code);
}

#if defined(_WIN32)

// The C library takes the handler back when a signal arrives, so that the second one ends the program.
struct InterruptSignals::Before {
  using Handler = void (*)(int);
  void (*told)() = nullptr;
  Handler interrupt = SIG_DFL, terminate = SIG_DFL;
};

InterruptSignals::InterruptSignals(void (*tell)(), SwitchedOff) : before_(std::make_unique<Before>()) {
  before_->told = told.exchange(tell);
  before_->interrupt = ::signal(SIGINT, tell_listener);
  before_->terminate = ::signal(SIGTERM, tell_listener);
}

InterruptSignals::~InterruptSignals() {
  told = before_->told;
  ::signal(SIGINT, before_->interrupt);
  ::signal(SIGTERM, before_->terminate);
}

#else

struct InterruptSignals::Before {
  void (*told)() = nullptr;
  struct sigaction interrupt, terminate;
};

InterruptSignals::InterruptSignals(void (*tell)(), SwitchedOff off) : before_(std::make_unique<Before>()) {
  before_->told = told.exchange(tell);
  struct sigaction action {};
  action.sa_handler = tell_listener;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);  // a file that is being read or written continues
  const auto listen = [&](int signal, struct sigaction& before) {
    ::sigaction(signal, &action, &before);
    if (off == SwitchedOff::stays && before.sa_handler == SIG_IGN) ::sigaction(signal, &before, nullptr);
  };
  listen(SIGINT, before_->interrupt);
  listen(SIGTERM, before_->terminate);
}

InterruptSignals::~InterruptSignals() {
  told = before_->told;
  ::sigaction(SIGINT, &before_->interrupt, nullptr);
  ::sigaction(SIGTERM, &before_->terminate, nullptr);
}

#endif

}  // namespace stickslip::inline platform

#endif
