/// A body pulled by a spring at constant speed that sticks and slips: levels and period from the force of the spring, and
/// predictions for other speeds.
///   while the body sticks the force rises by k V per second                                                   (1)
///   around a slip it swings from F_K + D/2 to F_K − D/2,  (D/2)² = (F_S − F_K)² + (k V/ω)²                    (2)
///   T = (2/ω) (π + r − atan r),  r = (F_S − F_K) ω/(k V),  ω = √(k/m)                                         (3)
/// (2) and (3) are exact for a rigid body with a static and a kinetic level. Since r ≥ atan r no such body has a period below
/// 2π/ω, whatever its levels and its speed: a shorter one indicates another mechanism (a softer contact, friction that rises
/// within the slip), and no model found at another speed can predict it.
/// Noise is no stick-slip. A fall counts if it exceeds ten standard deviations of the noise (1e5 samples of it span nine), which second differences of the
/// force tell (their median is the noise's even where slips are sudden); and the rises must take longer than the falls, by 5 %
/// and by three times the standard error of the difference: (1) to (3) have a fall of half a free period π/ω and a rise that is
/// longer, while noise of whatever spectrum, and a vibration, rise as fast as they fall.
/// By (1) the force cannot rise faster than k V: the spring is not tensioned faster, and the body does not move backward. Where
/// it does, by more than half, or rises as fast as it falls, a vibration may ride on the force whose falls are not slips. Unless a
/// cutoff or a least drop is given, the force is then low-passed at ten times the free frequency ω/2π, which a slip of half a free
/// period passes, and counted again.
/// F. Heslot et al., Physical Review E 49, 1994, for the regimes of a pulled slider.
/// Not here: rest that strengthens the contact (hybrid-dwell simulates it).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "machines/friction/friction.hpp"

namespace stickslip::inline identification {

struct PulledBody {
  double mass = 0, stiffness = 0, speed = 0;  // m [kg], k [N/m], V [m/s]
};

/// One rise and the slip that ends it.
struct StickSlipCycle {
  double time = 0;               // of the highest force [s]
  double highest = 0, drop = 0;  // [N]
  double slip_time = 0;          // of the fall [s]
  double period = 0;             // to the next highest force; 0 for the last one [s]
};

struct StickSlipRecord {
  std::string
      why_none;  // "" if there is stick-slip; otherwise why not, and only `cycles`, `noise` and `least_drop` are set
  std::size_t cycles = 0;
  double noise = 0, least_drop = 0;                      // standard deviation, and what a fall must exceed [N]
  double period = 0, early_period = 0, late_period = 0;  // mean, lower and upper quartile [s]
  double drop = 0;                                       // D, mean fall in a slip [N]
  double kinetic_level = 0, static_level = 0;            // F_K from the median of the highest forces, F_S: eq. (2) [N]
  double slip_time = 0;                                  // median time of a fall [s]
  double measured_stiffness = 0;                         // slope of (1) over V [N/m]
  bool vibrates = false;                                 // it rises as fast as it falls: noise or a vibration
  double rise_rate = 0;                                  // all rises over all their time, in units of k V
  double cutoff_hz = 0;                                  // of the low-pass that was used; 0: none
  std::string remark = {};            // "" or what was done about rises faster than (1), or why they stay
  std::vector<StickSlipCycle> slips;  // in order of time
};

struct StickSlipOptions {
  double cutoff_hz = 0;  // low-pass of the force; 0: none, or the one named above where a vibration needs it
  double least_drop =
      0;  // smallest force drop that counts as a slip [N]; 0: a twelfth of the 2 % to 98 % range, or the noise's if larger
};

/// The force as `stick_slip_record` looks at it: through the low-pass, 0 for none.
std::vector<double> low_passed_force(std::span<const double> time, std::span<const double> force, double cutoff_hz);

/// Throws Error for a recording that cannot be evaluated; the absence of stick-slip is a result.
StickSlipRecord stick_slip_record(std::span<const double> time, std::span<const double> force, const PulledBody& body,
                                  const StickSlipOptions& options = {});

/// Several recordings of the same body at the same speed: means weighted by cycles, levels by (2) from these.
StickSlipRecord joined_records(const std::vector<StickSlipRecord>& records, const PulledBody& body);

/// Eq. (3) [s].
double stick_slip_period(double static_level, double kinetic_level, const PulledBody& body);
/// 2π/ω [s].
double shortest_period(const PulledBody& body);

/// The levels as the model `stribeck` with a drop that is over at a ten-thousandth of the slip's speed: two levels.
FrictionSettings levels_of(const StickSlipRecord& record, const PulledBody& body);
/// The period of an event-driven run with this friction, mean of its last cycles [s]; 0 if it slides without sticking.
double simulated_period(const FrictionSettings& settings, const PulledBody& body);

/// The spring's force in such a run from its second release on, `duration` long, over the time since that release.
struct SimulatedForce {
  std::vector<double> time, force;  // [s], [N]
};
SimulatedForce simulated_force(const FrictionSettings& settings, const PulledBody& body, double duration);

}  // namespace stickslip::inline identification
