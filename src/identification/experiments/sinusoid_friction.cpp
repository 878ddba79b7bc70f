/// Viscosity and Coulomb level from several swings, and what to doubt about them; see sinusoid_levels.hpp.
#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "identification/experiments/sinusoid_levels.hpp"

namespace stickslip::inline identification {
namespace {

constexpr double pi = 3.14159265358979323846;

/// Straight line through (x, y): slope and value at 0 with their standard errors, the larger of what the scatter about the
/// line and the points' own errors give.
struct Line {
  double slope = 0, constant = 0, slope_error = 0, constant_error = 0;
};
Line line_through(const std::vector<double>& x, const std::vector<double>& y, const std::vector<double>& errors) {
  const double n = double(x.size());
  double mx = 0, my = 0, xx = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) mx += x[i] / n, my += y[i] / n;
  for (std::size_t i = 0; i < x.size(); ++i) xx += (x[i] - mx) * (x[i] - mx), xy += (x[i] - mx) * (y[i] - my);
  Line line;
  line.slope = xy / xx, line.constant = my - line.slope * mx;
  double left = 0, own_slope = 0, own_constant = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double weight = (x[i] - mx) / xx, at_zero = 1 / n - mx * weight;
    left += std::pow(y[i] - line.constant - line.slope * x[i], 2);
    own_slope += std::pow(weight * errors[i], 2), own_constant += std::pow(at_zero * errors[i], 2);
  }
  const double variance = n > 2 ? left / (n - 2) : 0;
  line.slope_error = std::sqrt(std::max(variance / xx, own_slope));
  line.constant_error = std::sqrt(std::max(variance * (1 / n + mx * mx / xx), own_constant));
  return line;
}

std::string percent(double share) { return significant(100 * share, 2) + " %"; }

std::string unit_in(std::string_view linear, const SinusoidOptions& o) {
  return o.is_rotary ? rotary(linear) : std::string(linear);
}
std::string speed_text(const SinusoidLevel& p, const SinusoidOptions& o) {
  return with_unit(p.speed, unit_in("m/s", o), 4);
}

/// One warning for all speeds at which a coarse position misleads the sign of its differences.
void judge_differences(const std::vector<SinusoidLevel>& levels, const SinusoidOptions& o,
                       std::vector<std::string>& warnings) {
  std::size_t misled = 0;
  const SinusoidLevel* first = nullptr;
  for (const SinusoidLevel& p : levels)
    if (std::abs(p.naive - p.mean) > 0.05 * std::abs(p.mean) && misled++ == 0) first = &p;
  if (!first) return;
  std::string text = "at " + speed_text(*first, o) + " the sign of quantised differences gives " +
                     with_unit(first->naive, unit_in("N", o), 4) + " instead of " +
                     with_unit(first->mean, unit_in("N", o), 4);
  if (misled > 1)
    text += "; likewise at " + std::to_string(misled - 1) + " more of " + std::to_string(levels.size()) + " speeds";
  warnings.push_back(text + "; reversals are used instead");
}

/// What one swing gives reason to doubt.
void judge_level(const SinusoidLevel& p, const SinusoidFriction& all, const SinusoidOptions& o,
                 std::vector<std::string>& warnings) {
  const std::string where = "at " + speed_text(p, o) + " ";
  if (p.resolution > 0 && p.flat > 1.5 * p.flat_expected + 2 * p.sampling_time)
    warnings.push_back(where + "the position reading is constant for " + significant(1e3 * p.flat, 3) +
                       " ms at a reversal where " + significant(1e3 * p.flat_expected, 3) +
                       " ms are explained: the body rests; use a higher frequency (m V w > F_s + F_c)");
  const double w = 2 * pi * p.frequency_hz, stiction = o.stiction >= 0 ? o.stiction : all.coulomb;
  if (all.mass * p.speed * w < stiction + all.coulomb)
    warnings.push_back(where + "m V w is " + with_unit(all.mass * p.speed * w, unit_in("N", o), 3) +
                       ", less than F_s + F_c, " + with_unit(stiction + all.coulomb, unit_in("N", o), 3) +
                       (o.stiction < 0 ? " (with F_s at least F_c)" : "") +
                       ": the body sticks at the reversals; use a higher frequency or speed");
  if (p.distortion > 0.05)
    warnings.push_back(where + "the motion is not sinusoidal (" + percent(p.distortion) +
                       " harmonics): the position loop is soft; the mean speed is used");
}

}  // namespace

SinusoidFriction sinusoid_friction(const std::vector<SinusoidLevel>& levels, const SinusoidOptions& options) {
  std::vector<double> x, y, naive, errors;
  SinusoidFriction out;
  double fastest = 0, ts = 0;
  for (const SinusoidLevel& p : levels) {
    x.push_back(p.mean_speed), y.push_back(p.mean), naive.push_back(p.naive), errors.push_back(p.standard_error);
    out.mass += p.inertia / double(levels.size());
    fastest = std::max(fastest, 2 * pi * p.frequency_hz), ts = std::max(ts, p.sampling_time);
  }
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  if (levels.size() < 2 || !(*high - *low > 0.02 * *high))
    throw Error("sinusoidal test: " + std::to_string(levels.size()) +
                (levels.size() == 1 ? " speed" : " equal speeds") + "; at least 2 different speeds are needed");
  const Line line = line_through(x, y, errors), rough = line_through(x, naive, errors);
  out.viscosity = line.slope, out.viscosity_error = line.slope_error;
  out.coulomb = line.constant, out.coulomb_error = line.constant_error;
  out.naive_viscosity = rough.slope, out.naive_coulomb = rough.constant;
  if (options.mass > 0) {
    if (std::abs(out.mass / options.mass - 1) > 0.1)
      out.warnings.push_back("the force in phase with the acceleration gives a mass of " +
                             with_unit(out.mass, unit_in("kg", options), 4) + " where " +
                             with_unit(options.mass, unit_in("kg", options), 4) + " is stated");
    out.mass = options.mass;
  }
  out.lag_effect = out.mass * fastest * std::sin(fastest * ts);  // eq. (2)
  for (const SinusoidLevel& p : levels) judge_level(p, out, options, out.warnings);
  judge_differences(levels, options, out.warnings);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (errors[i] > 0)
      out.curvature = std::max(out.curvature, std::abs(y[i] - out.coulomb - out.viscosity * x[i]) / errors[i]);
  const double share = std::abs(out.lag_effect / out.viscosity);
  if (share > 0.1)
    out.warnings.push_back("a lag of one sample between force and position would change the viscosity by " +
                           percent(share) + "; use a lower frequency or state the delay");
  if (out.viscosity_error > 0.1 * std::abs(out.viscosity))
    out.warnings.push_back("the viscosity is known to " + percent(out.viscosity_error / std::abs(out.viscosity)) +
                           " only; use more periods or a wider range of speeds");
  if (levels.size() == 2) out.warnings.push_back("with two speeds the linearity of friction cannot be checked");
  return out;
}

SinusoidFinding find_sinusoid_friction(const std::vector<SwingRecord>& swings, SinusoidOptions options) {
  SinusoidFinding found;
  const bool is_known = options.coulomb >= 0;
  for (int round = 0; round < (is_known ? 1 : 2); ++round) {
    found.levels.clear();
    for (const SwingRecord& swing : swings)
      found.levels.push_back(sinusoid_level(swing.time, swing.position, swing.force, options));
    found.friction = sinusoid_friction(found.levels, options);
    options.coulomb = std::max(found.friction.coulomb, 0.0);
  }
  return found;
}

}  // namespace stickslip::inline identification
