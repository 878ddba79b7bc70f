/// Detects a run that makes no progress.
///   lost:  at the pace of its last n = 1 048 576 trial steps the rest would take more than 100 times as many steps as a run may take,
///          (t − t₋ₙ) · 100 · most_steps ≤ n (t_end − t)                                                       (1)
/// A run that is slow only for a while (a ringing that decays, a cascade of events) is not lost: nearly all of its steps would have to
/// lie in a very short part of its time.
#pragma once

#include <cstddef>

namespace stickslip::inline solver {

class Pace {
 public:
  static constexpr double window = 1048576;  // n

  Pace(double start, std::size_t most_steps) : since_(start), most_steps_(static_cast<double>(most_steps)) {}

  /// Eq. (1).
  static constexpr double share(double most_steps) { return window / (100 * most_steps); }

  /// Eq. (1); to be called once before every trial step, accepted or not.
  bool is_lost(double time, double end) {
    if (++tries_ <= window) return false;
    const bool lost = !(time - since_ > share(most_steps_) * (end - time));
    tries_ = 1, since_ = time;
    return lost;
  }

 private:
  double since_, most_steps_, tries_ = 0;
};

}  // namespace stickslip::inline solver
