/// Calls a function on Ctrl-C or a request to end (SIGINT, SIGTERM). The second signal ends the program, as by default.
/// Where there are no signals (WASI) the call never comes.
#pragma once
#include <memory>

namespace stickslip::inline platform {

/// What becomes of a signal that whoever started the program has switched off, as shells do for commands in the background.
enum class SwitchedOff { is_heard, stays };

/// Listens while it lives; the one made last is told, the one before it afterwards.
class InterruptSignals {
 public:
  /// `tell` runs inside a signal handler: it may set atomic flags and call end_now(), nothing else.
  explicit InterruptSignals(void (*tell)(), SwitchedOff off = SwitchedOff::is_heard);
  ~InterruptSignals();
  InterruptSignals(const InterruptSignals&) = delete;
  InterruptSignals& operator=(const InterruptSignals&) = delete;

 private:
  struct Before;
  std::unique_ptr<Before> before_;
};

/// Ends the program at once with a line on standard error. Allowed in a signal handler.
[[noreturn]] void end_now(const char* line, int exit_code);

}  // namespace stickslip::inline platform
