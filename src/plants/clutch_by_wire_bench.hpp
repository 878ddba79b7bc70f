/// A virtual test bench for the clutch-by-wire: the tests of P0 section 3 as a laboratory would run them, with an encoder, a
/// computer that samples, and a truth to compare with.
///
/// Breakaway test (P0 3.2): raise u steadily until the reading changes, note u, release, wait; forth and back.
///   C_s ≤ noted ≤ C_s + ramp (1.03 √(2 dx J/(C_s − C_r)) + 2 T_s)                                           (1)
/// (the bound of P0 3 without Stribeck width). After a change of direction the motor first crosses the play: not used.
/// Sinusoidal-speed test (P0 3.3): follow ω = V sin(w t) for several V; over whole periods
///   mean(u sgn ω) = fv 2V/π + C_r                                                                          (2)
/// independent of J if u and sgn ω belong to the same interval. V comes from the sinusoid fitted to the readings, the sign from
/// its reversals, each moved to the middle of the flat that the encoder shows there. The sign of quantised differences, late
/// by half a sample and zero between two steps of the encoder, is kept beside it as the naive result, with a warning where
/// the two differ. No rest at the reversals iff J V w > C_s + C_r.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plants/clutch_by_wire.hpp"

namespace stickslip {

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

  // What no laboratory sees.
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

struct BreakawayTest {
  double ramp = 0.1;            // [Nm/s]
  double sampling_time = 1e-3;  // [s]
  double from = 0, to = 50;     // [rad], readings between which to go and return
  int returns = 1;              // go-and-return passes
  double wait = 0.02;           // [s] of an unchanged reading before the next ramp
  double most_torque = 2;       // [Nm], where the ramp gives up
};

struct BreakawayPoint {
  double time = 0, angle = 0, torque = 0;  // the reading and the torque noted, positive in its direction
  Direction direction = Direction::forward;
  bool is_used = true;          // false while the play is crossed after a change of direction
  double level = 0, bound = 0;  // true C_s there and the right-hand side of (1)
};

struct BreakawayResult {
  std::vector<BreakawayPoint> points;
  double mean_forward = 0, mean_backward = 0;  // of the used ones [Nm]
  double least_excess = 0, most_excess = 0;    // (noted − C_s)/(bound − C_s) of the used ones: within 0..1
  std::vector<std::string> warnings;
};

/// Throws Error if the test makes no sense or the ramp gives up.
BreakawayResult breakaway_test(const ClutchByWire& machine, const BreakawayTest& test);

struct SinusoidTest {
  std::vector<double> speeds;  // V [rad/s]
  double frequency_hz = 10;
  int settling_periods = 4, periods = 10;
  double sampling_time = 1e-3;              // [s]
  double proportional = 0, derivative = 0;  // on the position error and its filtered difference
  double cutoff_hz = 30;                    // of the difference
  double known_inertia = 0;                 // fed forward as J dω/dt; 0: not
  double known_coulomb = 0;                 // a first guess of C_r, fed forward against the wanted speed; 0: not
  double centre = 50;                       // [rad]
  double torque_limit = 2;                  // [Nm]
};

struct SinusoidPoint {
  double wanted = 0, found = 0;  // V asked for and V fitted to the readings [rad/s]
  double mean = 0;               // of u sgn ω, eq. (2) [Nm]
  double naive = 0;              // the same with the sign of the readings' differences
  double lag = 0;                // of the fitted motion behind the reference [s]
  double stuck_part = 0;         // of the time; seen by no laboratory
  double limited_part = 0;       // of the samples at the torque limit
};

struct SinusoidResult {
  std::vector<SinusoidPoint> points;
  double viscosity = 0, coulomb = 0;              // least squares over (2)
  double naive_viscosity = 0, naive_coulomb = 0;  // with the naive sign
  std::vector<std::string> warnings;
};

SinusoidResult sinusoid_test(const ClutchByWire& machine, const SinusoidTest& test);

}  // namespace stickslip
