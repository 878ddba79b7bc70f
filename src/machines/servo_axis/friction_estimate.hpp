/// Friction as estimated by a controller: a law evaluated along a given velocity, one sampling time after the other.
/// A law with bristles or elements has its own reversal: its force changes sign over a distance. A law that truly sticks has only a
/// level, so its reversal is one spring that slips,
///   z ← clamp(z + h v, ±δ),   F = |level(v)| z/δ                                                     (1)
/// with δ the distance `reversal`; at rest F stays as it is. δ = 0: the level with the sign of the last motion.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/archive.hpp"
#include "machines/friction/friction.hpp"

namespace stickslip::inline machines {

class FrictionEstimate {
 public:
  FrictionEstimate(std::shared_ptr<const Friction> friction, double share, double reversal, double mass)
      : friction_(std::move(friction)),
        stepper_(friction_->fixed_stepper(mass, 0, 0)),
        is_ideal_(friction_->description().nature == Nature::sticks),
        share_(share),
        reversal_(reversal) {}

  /// At rest at this position.
  void start(double position) {
    stepper_->reset(position, 0);
    memory_ = {};
  }
  /// Over a step of length h [s] at this velocity; the friction at its end, times `share` [N].
  double step(double velocity, double h) {
    if (!is_ideal_) return share_ * stepper_->follow(velocity, h);
    if (velocity == 0) return share_ * memory_.force;
    const double level = stepper_->follow(velocity, h), way = memory_.way + h * velocity;
    memory_.way = reversal_ > 0 ? (way > reversal_ ? reversal_ : way < -reversal_ ? -reversal_ : way) : 0;
    const double turned = reversal_ > 0 ? memory_.way / reversal_ : (velocity > 0 ? 1.0 : -1.0);
    memory_.force = (level < 0 ? -level : level) * turned;
    return share_ * memory_.force;
  }

  void keep(ArchiveWriter& archive) {
    auto bytes = stepper_->save();
    archive(memory_, bytes);
  }
  void keep(ArchiveReader& archive) {
    std::vector<std::byte> bytes;
    archive(memory_, bytes);
    stepper_->load(bytes);
  }

 private:
  std::shared_ptr<const Friction> friction_;
  std::unique_ptr<FixedStepper> stepper_;
  bool is_ideal_;
  double share_, reversal_;
  struct Memory {
    double way = 0, force = 0;  // z [m], F [N]
  } memory_;
};

}  // namespace stickslip::inline machines
