/// Ctrl-C ends the work, not the program: what was reached is still shown and written. A second Ctrl-C ends the program.
#pragma once
#include <atomic>
#include <optional>

#include "core/error.hpp"
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
  /// The same of the last one, also when it listens no longer.
  static bool came();

 private:
  std::optional<InterruptSignals> signals_;
};

/// What a command throws that keeps nothing of a work that Ctrl-C ended: one line and the exit code of an interruption.
class Interrupted final : public Error {
 public:
  Interrupted() : Error("interrupted; nothing was written, the same command starts anew") {}
};

/// The result of a work that is given the watch of its run. Throws Interrupted if Ctrl-C came meanwhile, whatever became of it.
template <class Work>
auto whole_or_interrupted(const Work& work) {
  const Interrupt interrupt;
  try {
    auto result = work(interrupt.run());
    if (!interrupt.happened()) return result;
  } catch (const Error&) {
    if (!interrupt.happened()) throw;
  }
  throw Interrupted();
}

/// Ends the program on Ctrl-C where no work listens, with a line and the exit code of an interruption; while files are written they
/// are finished first. For the program's main function.
class EndOnInterrupt {
 public:
  EndOnInterrupt();

 private:
  InterruptSignals signals_;
};

}  // namespace stickslip::inline cli
