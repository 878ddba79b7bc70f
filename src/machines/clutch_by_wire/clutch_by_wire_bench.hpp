/// A virtual test bench for the clutch-by-wire: an encoder, a torque that is held, and a truth to compare with. Test
/// procedures for it: machines/bench/test_procedure.hpp; what they find: identification/experiments/clutch_bench_tests.hpp.
#pragma once

#include <memory>

#include "machines/clutch_by_wire/clutch_by_wire.hpp"

namespace stickslip::inline machines {

/// The machine under a torque that is set by hand.
class ClutchBench {
 public:
  ClutchBench(const ClutchByWire& machine, const ClutchStart& start);
  ~ClutchBench();
  ClutchBench(const ClutchBench&) = delete;
  ClutchBench& operator=(const ClutchBench&) = delete;

  double time() const;
  double reading() const;  // of the encoder [rad]
  /// Holds the torque [Nm] for a while [s]. Throws Error if the motion cannot be computed.
  void hold(double torque, double duration);

  // The true state, which no laboratory can measure.
  double angle() const;
  double speed() const;
  bool is_stuck() const;
  /// Rest or motion without the rack, in the direction of `d`: the play.
  bool is_in_play(Direction d) const;
  /// The levels where the rack is [Nm].
  double breakaway(Direction d) const;
  double sliding(Direction d) const;

 private:
  struct Machine;
  std::unique_ptr<Machine> machine_;
};

}  // namespace stickslip::inline machines
