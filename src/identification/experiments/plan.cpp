/// The tests, sized; see plan.hpp.
#include "identification/experiments/plan.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "identification/experiments/breakaway_levels.hpp"

namespace stickslip::inline identification {
namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double drive_share = 0.8;  // of the force limit: the loop needs the rest
constexpr double no_rest = 2.4;      // m V w over F_s; 2 is enough with a Stribeck hump
constexpr int sine_speeds = 6;
constexpr double fewest_samples = 40;  // per period
constexpr double steps_per_speed = 100, steps_per_stroke = 20;

void require(double value, const char* name, const char* unit) {
  if (!(value > 0) || !std::isfinite(value))
    throw Error(std::string("plan: ") + name + " is " + shortest(value) + " " + unit + "; it must be positive");
}

/// Levels that are not known are guessed, and said.
void complete(Plan& plan) {
  PlanInput& in = plan.input;
  const auto assume = [&](double& value, double guess, const std::string& text) {
    if (value >= 0) return;
    value = guess;
    plan.assumptions.push_back(text);
  };
  if (in.stiction < 0 && in.coulomb >= 0)
    assume(in.stiction, 1.25 * in.coulomb, "stiction assumed to be 1.25 times the Coulomb level");
  assume(in.stiction, 0.1 * in.force_limit, "stiction assumed to be a tenth of the force limit");
  assume(in.coulomb, 0.8 * in.stiction, "Coulomb level assumed to be 0.8 of the stiction");
  assume(in.stribeck_velocity, 0,
         "Stribeck velocity assumed to be 0: a Stribeck effect of finite width makes the ramp's bound larger");
  assume(in.viscosity, 0.2 * in.coulomb * in.mass * pi / in.force_limit,
         "viscosity assumed to be 20 % of the Coulomb level at the speed that the drive reaches at 1 Hz");
  if (in.stiction < in.coulomb)
    throw Error("plan: stiction is " + shortest(in.stiction) + ", below the Coulomb level " + shortest(in.coulomb) +
                "; it must not be");
  if (in.stiction >= in.force_limit)
    throw Error("plan: the force limit is " + shortest(in.force_limit) + ", not above the stiction " +
                shortest(in.stiction) + "; nothing would move");
}

/// The fastest ramp with the wanted bound, but none that takes less than 20 samples.
RampPlan ramps(const PlanInput& in) {
  const double excess = std::max(in.stiction - in.coulomb, 0.02 * in.stiction);
  const auto error = [&](double ramp) {
    return breakaway_error({ramp, in.mass, excess, in.resolution, in.stribeck_velocity, in.sampling_time});
  };
  RampPlan plan;
  double low = 1e-9 * in.stiction / in.sampling_time, high = in.stiction / (20 * in.sampling_time);
  if (error(high) > in.wanted * in.stiction)
    for (int i = 0; i < 200 && high / low > 1 + 1e-9; ++i) {
      const double middle = std::sqrt(low * high);
      (error(middle) > in.wanted * in.stiction ? high : low) = middle;
    }
  plan.ramp = high, plan.duration = in.stiction / high, plan.error = error(high);
  return plan;
}

SinePlan sines(const PlanInput& in) {
  SinePlan plan;
  const double force = drive_share * in.force_limit - in.coulomb;
  // A lag of a sample: m w sin(w T_s) = wanted F_v, with sin x = x.
  const double by_lag = in.viscosity > 0 ? std::sqrt(5 * in.wanted * in.viscosity / (in.mass * in.sampling_time)) : 0;
  double w = 2 * pi / (fewest_samples * in.sampling_time);
  if (by_lag > 0) w = std::min(w, by_lag);
  const auto fastest = [&](double at) { return force / (in.mass * at + in.viscosity); };
  const auto slowest = [&](double at) { return no_rest * in.stiction / (in.mass * at); };
  if (in.stroke >= 0) {
    // The slowest swing must fit: 2 V/w ≤ stroke with V = 2.4 F_s/(m w), half as fast again at the other end.
    const double by_stroke = std::sqrt(3 * no_rest * in.stiction / (in.mass * in.stroke));
    if (by_stroke > 2 * pi / (16 * in.sampling_time)) {
      plan.why_not = "the stroke is too short for a sinusoidal motion without sticking at its reversals";
      return plan;
    }
    w = std::max(w, by_stroke);
  }
  double low = slowest(w), high = fastest(w);
  if (in.stroke >= 0) high = std::min(high, 0.5 * in.stroke * w);
  high = std::min(high, 4 * low);  // a wider range adds little and needs more force
  if (!(high > 1.3 * low)) {
    plan.why_not =
        "the force limit is too low: m V w + F_c up to 80 % of it and m V w above 2.4 F_s leave no range of speeds";
    return plan;
  }
  plan.is_possible = true;
  plan.frequency_hz = w / (2 * pi);
  for (int i = 0; i < sine_speeds; ++i) plan.speeds.push_back(low + (high - low) * i / (sine_speeds - 1));
  plan.amplitude = high / w;
  plan.force = in.mass * high * w + in.coulomb + in.viscosity * high;
  plan.viscosity_error = in.mass * w * std::sin(0.5 * w * in.sampling_time);
  // A reversal is known to within the sampling time, evenly spread: T_s/√12; u jumps over m V w there, twice a period.
  const double reversal = in.sampling_time / std::sqrt(12.0), count = 2 * plan.periods * sine_speeds;
  plan.coulomb_error = 2 / pi * in.mass * 0.5 * (low + high) * w * w * reversal / std::sqrt(count);
  return plan;
}

SpeedPlan speeds(const PlanInput& in, const SinePlan& sines) {
  SpeedPlan plan;
  const double high =
      sines.is_possible ? sines.speeds.back() : steps_per_speed * in.resolution / (20 * in.sampling_time);
  const double low = in.stribeck_velocity > 0 ? std::min(0.2 * in.stribeck_velocity, 0.1 * high) : 1e-3 * high;
  constexpr int count = 8;
  for (int i = 0; i < count; ++i) {
    const double v = low * std::pow(high / low, double(i) / (count - 1));
    plan.speeds.push_back(v);
    plan.durations.push_back(steps_per_speed * in.resolution / v);
  }
  plan.velocity_error = 1 / steps_per_speed;
  return plan;
}

StrokePlan strokes(const PlanInput& in) {
  StrokePlan plan;
  plan.smallest = steps_per_stroke * in.resolution;
  for (const double steps : {steps_per_stroke, 60.0, 200.0, 600.0}) {
    if (in.stroke >= 0 && 2 * steps * in.resolution > in.stroke) break;
    plan.strokes.push_back(steps * in.resolution), plan.errors.push_back(0.5 / steps);
  }
  return plan;
}

void remark(Plan& plan) {
  const PlanInput& in = plan.input;
  const auto say = [&](const std::string& text) { plan.remarks.push_back(text); };
  if (!plan.limits.can_identify_mass)
    say("the mass cannot be identified from differences of the position: its error would be " +
        significant(100 * plan.limits.mass_error / in.mass, 3) + " %, and is known to " +
        significant(100 * in.mass_known, 3) +
        " %; the sinusoidal test finds it from the force in phase with the acceleration");
  if (plan.limits.signal_to_noise < 10)
    say("an acceleration from second differences is dominated by noise (signal-to-noise ratio " +
        significant(plan.limits.signal_to_noise, 3) + "); filter it, or use tests that need none");
  if (plan.ramps.duration > 120)
    say("one ramp takes " + significant(plan.ramps.duration, 3) + " s; a finer encoder or a larger error shortens it");
  if (plan.sines.is_possible && in.viscosity > 0 && plan.sines.viscosity_error > 0.05 * in.viscosity)
    say("in the sinusoidal test half a sample of lag changes the viscosity by " +
        significant(100 * plan.sines.viscosity_error / in.viscosity, 2) +
        " %: force and position must belong to the same instant");
}

}  // namespace

SensorLimits sensor_limits(double mass, double resolution, double sampling_time, double force_limit,
                           double mass_known) {
  const double square = sampling_time * sampling_time;
  SensorLimits limits;
  limits.velocity_error = resolution / sampling_time;
  limits.acceleration_error = 2 * resolution / square;
  limits.signal_to_noise = square * force_limit / (2 * mass * resolution);
  limits.mass_error = 2 * mass * mass * resolution / (square * force_limit);
  limits.can_identify_mass = limits.mass_error <= mass_known * mass;
  return limits;
}

Plan plan_tests(const PlanInput& input) {
  require(input.mass, "the mass", "kg");
  require(input.resolution, "the resolution", "m");
  require(input.sampling_time, "the sampling time", "s");
  require(input.force_limit, "the force limit", "N");
  require(input.mass_known, "the share of the mass that is not known", "");
  require(input.wanted, "the wanted share", "");
  if (input.stroke >= 0) require(input.stroke, "the stroke", "m");
  Plan plan;
  plan.input = input;
  complete(plan);
  const PlanInput& in = plan.input;
  plan.limits = sensor_limits(in.mass, in.resolution, in.sampling_time, in.force_limit, in.mass_known);
  plan.ramps = ramps(in);
  plan.sines = sines(in);
  plan.speeds = speeds(in, plan.sines);
  plan.strokes = strokes(in);
  remark(plan);
  return plan;
}

}  // namespace stickslip::inline identification
