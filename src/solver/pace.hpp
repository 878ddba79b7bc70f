/// Whether a run gets on.
///   lost:  at the pace of its last n = 1 048 576 tries of a step the rest would take more than 100 times as many as a run may take,
///          (t − t₋ₙ) · 100 · most_steps ≤ n (t_end − t)                                                       (1)
/// A run that is only busy for a while (a ringing that dies out, a cascade of events) is not lost: nearly all of it would have to
/// lie in a very short part of its time.
#pragma once

#include <cstddef>

namespace stickslip {

class Pace {
 public:
  static constexpr double window = 1048576;  // n

  Pace(double start, std::size_t most_steps) : since_(start), most_steps_(static_cast<double>(most_steps)) {}

  /// Eq. (1).
  static constexpr double share(double most_steps) { return window / (100 * most_steps); }

  /// Eq. (1); to be asked once before every try of a step, good or not.
  bool is_lost(double time, double end) {
    if (++tries_ <= window) return false;
    const bool lost = !(time - since_ > share(most_steps_) * (end - time));
    tries_ = 1, since_ = time;
    return lost;
  }

 private:
  double since_, most_steps_, tries_ = 0;
};

}  // namespace stickslip
