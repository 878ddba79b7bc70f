/// The end of stick-slip of the spring-slider; see spring_slider.hpp.
#include "sweep/spring_slider.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "core/error.hpp"
#include "core/text.hpp"
#include "machines/machine_kind.hpp"
#include "machines/one_body/one_body_file.hpp"
#include "platform/parallel.hpp"

namespace stickslip::inline sweeps {
namespace {

constexpr double for_ever = std::numeric_limits<double>::infinity();

/// Where an increasing f passes zero between two positive ends, to the last bits.
template <class F>
double root_between(double low, double high, F f) {
  for (int i = 0; i < 200 && high / low > 1 + 4e-16; ++i) {
    const double middle = std::sqrt(low) * std::sqrt(high);
    (f(middle) < 0 ? low : high) = middle;
  }
  return std::sqrt(low) * std::sqrt(high);
}

double parameter_or(const Friction& friction, std::string_view key, double otherwise) {
  for (const auto& p : friction.description().parameters)
    if (p.key == key && p.kind == ParameterKind::number) return friction.parameter(key);
  return otherwise;
}

}  // namespace

double returning_maximum(double damping_ratio, double drop) {
  const double nu = std::sqrt(1 - damping_ratio * damping_ratio);
  // p' vanishes at θ (the minimum) and θ + π: tan θ = Λ ν/(ζ Λ − 1)
  const double angle = std::atan2(drop * nu, damping_ratio * drop - 1) + std::numbers::pi;
  return std::exp(-damping_ratio * angle / nu) * (std::cos(angle) + (damping_ratio - drop) / nu * std::sin(angle));
}

double critical_drop(double damping_ratio) {
  if (!(damping_ratio > 0)) return 0;
  if (!(damping_ratio < 1)) return for_ever;
  double high = 1;
  while (returning_maximum(damping_ratio, high) < 1 && high < 1e300) high *= 10;
  if (!(high < 1e300)) return for_ever;  // so close to 1 that no friction brings it back
  return root_between(1e-12, high, [&](double drop) { return returning_maximum(damping_ratio, drop) - 1; });
}

double critical_speed(const SpringSlider& s) {
  const double drop = s.stiction_force - s.coulomb_force, impedance = std::sqrt(s.stiffness * s.mass);
  if (!(drop > 0)) return 0;
  return drop / (critical_drop((s.damping + s.viscosity) / (2 * impedance)) * impedance);
}

double stable_sliding_speed(const SpringSlider& s, double stribeck_velocity, double exponent) {
  const double drop = s.stiction_force - s.coulomb_force, damping = s.damping + s.viscosity;
  if (!(drop > 0)) return 0;
  if (!(damping > 0)) return for_ever;
  const auto fall = [&](double y) {
    return drop * exponent / stribeck_velocity * std::pow(y, exponent - 1) * std::exp(-std::pow(y, exponent));
  };
  const double steepest = exponent > 1 ? std::pow((exponent - 1) / exponent, 1 / exponent) : 1e-9;
  if (fall(steepest) <= damping) return 0;
  const double farthest = std::pow(700, 1 / exponent);
  return stribeck_velocity * root_between(steepest, farthest, [&](double y) { return damping - fall(y); });
}

ScenarioSlider slider_of(const TomlValue& document, const std::string& file) {
  const auto refuse = [&](const std::string& what) {
    throw Error(one_line(file) +
                ": the boundary of the spring-slider is for a body pulled through a spring, with friction "
                "that has the levels stiction_force and coulomb_force; " +
                what);
  };
  if (machine_kind_of(document, file).name != "one_body") refuse("this is a different machine");
  const Scenario scenario = scenario_from(document, file);
  const Drive& drive = scenario.body.drive;
  if (drive.kind != DriveKind::pulled_spring) refuse("this body is driven differently");
  const Friction& friction = *scenario.friction;
  ScenarioSlider made;
  made.slider = {.mass = scenario.body.mass,
                 .stiffness = drive.stiffness,
                 .damping = drive.damping,
                 .viscosity = parameter_or(friction, "viscosity", 0),
                 .stiction_force = parameter_or(friction, "stiction_force", -1),
                 .coulomb_force = parameter_or(friction, "coulomb_force", -1)};
  if (made.slider.stiction_force < 0 || made.slider.coulomb_force < 0)
    refuse(friction.description().name + " has not both");
  const double end = scenario.options.end;
  made.pull_speed = drive.input.slope(drive.input.segment_at(end), end);
  made.stribeck_velocity = parameter_or(friction, "stribeck_velocity", 0);
  made.exponent = parameter_or(friction, "stribeck_exponent", 2);
  return made;
}

std::vector<BoundaryPoint> boundary_points(const Sweep& sweep, const std::vector<double>& points, unsigned threads) {
  const std::size_t width = sweep.plan.parameters.size();
  std::vector<BoundaryPoint> found(sweep.plan.runs);
  parallel_for(found.size(), threads, [&](std::size_t i) {
    const ScenarioSlider s = slider_of(with_values(sweep, &points[i * width]), sweep.scenario);
    found[i] = {s.pull_speed, critical_speed(s.slider)};
  });
  return found;
}

}  // namespace stickslip::inline sweeps
