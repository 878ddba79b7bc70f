/// What a sweep keeps of each run: one number per output.
///   from `observe_from` on
///     slips           how often the velocity passes `slip_speed` in the direction of the pull
///     period          mean time between slips [s]; NaN below two
///     amplitude       half of what the stretch of the spring covers [m]
///     sticks          1 if the velocity comes below `slip_speed`, else 0
///     stuck_fraction  share of the time with |v| below `slip_speed`
///     max X, min X, mean X, rms X, amplitude X, period X, final X   of a column X of the samples
///   of the whole run
///     events, work_in, friction_heat, friction_work, damper_heat, state
/// `period X` is the mean time between upward passings of the middle between the extremes of X. All that is seen through
/// samples is as fine as sample_interval. Runs in SIMD lanes (sweep_lanes.hpp) see every step instead.
#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "batch/batch.hpp"
#include "fitting/machine_trace.hpp"

namespace stickslip::inline sweeps {

enum class OutputKind {
  slips,
  period,
  amplitude,
  sticks,
  stuck_fraction,
  events,
  work_in,
  friction_heat,
  friction_work,
  damper_heat,
  state,
  maximum,
  minimum,
  mean,
  rms,
  range_half,
  passing_period,
  final_value,
  joint_stuck  // the share of the time in which a joint of a mechanism sticks
};

struct SweepOutput {
  OutputKind kind = OutputKind::period;
  std::string text;       // as written: "max velocity"
  std::string column;     // of the samples, where one is named
  std::string name;       // in the results: "max_velocity"
  std::string unit = "";  // SI
};

/// How runs are evaluated.
struct Observation {
  double from = 0;        // [s]
  double slip_speed = 0;  // [m/s]; 0: a tenth of the pull speed
};

/// From its text, for a machine that ran once like this: units are those of its columns. Throws Error naming the nearest
/// output or column.
SweepOutput parse_output(const std::string& text, const MachineRun& example);

/// True for outputs that need a slip speed.
bool needs_slip_speed(const SweepOutput& output);

/// The velocity whose passing begins a slip: as given, or a tenth of the pull; negative where the pull is.
inline double slip_speed_of(double given, double pull_speed) {
  return given > 0 ? std::copysign(given, pull_speed) : 0.1 * pull_speed;
}

/// The number; NaN where there is none.
double measure(const SweepOutput& output, const MachineRun& trace, const Observation& observation);

/// True if a run in a lane tells it too; the heat only of friction that stores nothing.
bool is_told_by_lanes(const SweepOutput& output, bool has_bristles);
double measure(const SweepOutput& output, const BatchResult& result, double slip_speed);

}  // namespace stickslip::inline sweeps
