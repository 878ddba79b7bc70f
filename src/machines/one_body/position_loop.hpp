/// A digital position controller and its drive, as in servo axes. At t_k = t_0 + k T it reads the position and commands
///   u_k = K_v (K_p (y(t_k) − x_k) − (x_k − x_{k−n})/(n T)),  held until t_{k+1}                     (1)
///   through a drive that lags by τ:  u(t) = u_k + (u(t_k) − u_k) exp(−(t − t_k)/τ)                  (2)
/// The velocity is a backward difference over n samples. Before the first sample the body is assumed to have moved at its
/// starting speed, and the drive gives the force commanded at the first sample.
/// Not modelled: a delay between reading and command; integral action.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "core/scalar.hpp"

namespace stickslip::inline machines {

struct PositionLoop {
  static constexpr std::size_t longest_difference = 8;

  double position_gain = 0;                                // K_p [1/s]
  double velocity_gain = 0;                                // K_v [N s/m]
  double sampling_time = 0;                                // T [s]
  std::size_t difference = 1;                              // n
  double lag = 0;                                          // τ [s]
  double limit = std::numeric_limits<double>::infinity();  // of |u_k| [N]
  double resolution = 0;                                   // of the position it reads [m]; 0: exact
};

/// The present command of the loop, and its memory.
class HeldForce {
 public:
  /// The first sample, at `time`.
  void start(const PositionLoop& loop, double time, double target, double position, double velocity) {
    start_ = time;
    count_ = 0;
    for (std::size_t i = 0; i < past_.size(); ++i)
      past_[i] = read(loop, position - static_cast<double>(i + 1) * loop.sampling_time * velocity);
    sample(loop, time, target, position);
    from_ = command_;
  }
  /// Eq. (1).
  void sample(const PositionLoop& loop, double time, double target, double position) {
    from_ = force(loop, time);
    since_ = time;
    const double x = read(loop, position), n = static_cast<double>(loop.difference);
    const double speed = (x - past_[loop.difference - 1]) / (n * loop.sampling_time);
    const double asked = loop.velocity_gain * (loop.position_gain * (target - x) - speed);
    command_ = std::clamp(asked, -loop.limit, loop.limit);
    std::rotate(past_.begin(), past_.end() - 1, past_.end());
    past_[0] = x;
    ++count_;
    next_ = start_ + static_cast<double>(count_) * loop.sampling_time;
  }
  /// Eq. (2) [N].
  template <class T>
  T force(const PositionLoop& loop, const T& time) const {
    if (loop.lag == 0 || from_ == command_) return T(command_);
    return command_ + (from_ - command_) * exp((since_ - time) / loop.lag);
  }
  double command() const { return command_; }  // u_k [N]
  double next() const { return next_; }        // when the next sample is due [s]

 private:
  static double read(const PositionLoop& loop, double position) {
    return loop.resolution > 0 ? loop.resolution * std::round(position / loop.resolution) : position;
  }

  double command_ = 0, from_ = 0, since_ = 0, start_ = 0, next_ = std::numeric_limits<double>::infinity();
  std::size_t count_ = 0;
  std::array<double, PositionLoop::longest_difference> past_{};  // positions read, the latest first
};

}  // namespace stickslip::inline machines
