/// Ctrl-C ends the work, not the program: what was reached is still shown and written. A second Ctrl-C ends the program.
#pragma once
#include <atomic>
#include <optional>

#include "core/run.hpp"
#include "platform/interrupt.hpp"

namespace stickslip::inline cli {

/// Listens while it lives. One at a time. Programs that work together do not: a signal ends all of them, and what they have done is
/// kept.
class Interrupt {
 public:
  /// Also sets `also` when it happens.
  explicit Interrupt(std::atomic<bool>* also = nullptr);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// The watch of a run; its `cancel` is set.
  RunWatch& run() const;
  bool happened() const { return run().cancel; }

 private:
  std::optional<InterruptSignals> signals_;
};

}  // namespace stickslip::inline cli
