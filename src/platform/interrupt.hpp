/// Ctrl-C and the polite request to end (SIGINT, SIGTERM) as a call. The second one ends the program, as if nobody listened.
/// Where there are no signals (WASI) the call never comes.
#pragma once

namespace stickslip {

/// Listens while it lives. One at a time.
class InterruptSignals {
 public:
  /// `tell` runs inside a signal handler: it may set atomic flags and nothing else.
  explicit InterruptSignals(void (*tell)());
  ~InterruptSignals();
  InterruptSignals(const InterruptSignals&) = delete;
  InterruptSignals& operator=(const InterruptSignals&) = delete;
};

}  // namespace stickslip
