/// The mass of experiment stick-slip (Nouailletas 2010 Fig 3-4) and small readings of a run, shared by the tests of sticking models.
#pragma once

#include <cmath>
#include <vector>

#include "core/error.hpp"
#include "machines/friction/friction.hpp"

namespace stickslip::pulled_mass_rig {

/// F_C 1, F_S 1.5, v_S 1e-3, F_v 0.4, and what else a model needs.
inline ParameterValues curve(const ParameterValues& more = {}) {
  ParameterValues values{
      {"coulomb_force", 1.0}, {"stiction_force", 1.5}, {"stribeck_velocity", 1e-3}, {"viscosity", 0.4}};
  values.insert(values.end(), more.begin(), more.end());
  return values;
}
/// 1 kg on a spring of 2 N/m whose far end moves at 0.1 m/s.
inline Body pulled() {
  Body body;
  body.drive = {DriveKind::pulled_spring, 2, 0, 0, Signal::ramp(0.1)};
  return body;
}
inline Body forced(const Signal& force) {
  Body body;
  body.drive = {DriveKind::applied_force, 0, 0, 0, force};
  return body;
}
inline SimulationOptions until(double end, double sample_interval = 0) {
  SimulationOptions options;
  options.end = end;
  options.sample_interval = sample_interval;
  return options;
}
inline std::vector<Event> events(const Run& run, EventKind kind) {
  std::vector<Event> found;
  for (const auto& e : run.events)
    if (e.kind == kind) found.push_back(e);
  return found;
}
inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = a.size() == b.size() ? 0 : HUGE_VAL;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) most = std::fmax(most, std::fabs(a[i] - b[i]));
  return most;
}
/// The message of what is refused; empty if nothing is.
template <class F>
std::string refusal_of(const F& action) {
  try {
    action();
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

}  // namespace stickslip::pulled_mass_rig
