/// Calls a function on Ctrl-C or a request to end (SIGINT, SIGTERM). The second signal ends the program, as by default.
/// Where there are no signals (WASI) the call never comes.
#pragma once

namespace stickslip::inline platform {

/// Listens while it lives. One at a time.
class InterruptSignals {
 public:
  /// `tell` runs inside a signal handler: it may set atomic flags and nothing else.
  explicit InterruptSignals(void (*tell)());
  ~InterruptSignals();
  InterruptSignals(const InterruptSignals&) = delete;
  InterruptSignals& operator=(const InterruptSignals&) = delete;
};

}  // namespace stickslip::inline platform
