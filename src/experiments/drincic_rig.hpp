/// The body and the frictions of Drincic 2011: a mass of 1 kg on a spring of 1 N/m, either held to a wall and driven by a force
/// (Fig 2a), or pulled at its far end (Fig 2b), on bristles, their sawtooth, LuGre, or the LuGre-bristle hybrid.
/// κ is 0.1 N m/rad everywhere: the 10 printed with Fig 9-12 cannot be meant (docs/misprints.md).
#pragma once

#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "experiments/measure.hpp"
#include "machines/friction/friction.hpp"

namespace stickslip::drincic {

inline constexpr double mass = 1, stiffness = 1, gravity = 9.81;
inline constexpr double bristle_length = 0.1, torsional_stiffness = 0.1;
inline constexpr int bristle_count = 101;

/// Bristles under a body of width w [m], Δ = w/(N − 1).
inline std::unique_ptr<Friction> bristles(double width) {
  return make_friction("bristle", {{"bristle_length", bristle_length},
                                   {"torsional_stiffness", torsional_stiffness},
                                   {"body_width", width},
                                   {"bristle_count", static_cast<double>(bristle_count)},
                                   {"normal_force", mass * gravity}});
}
inline std::unique_ptr<Friction> sawtooth(double low, double high, double spacing) {
  return make_friction("bristle-sawtooth", {{"low_force", low}, {"high_force", high}, {"spacing", spacing}});
}
/// Fig 7.
inline std::unique_ptr<Friction> lugre() {
  return make_friction("lugre", {{"bristle_stiffness", 1e5},
                                 {"bristle_damping", std::sqrt(1e5)},
                                 {"viscosity", 0.2},
                                 {"coulomb_force", 1.0},
                                 {"stiction_force", 1.5},
                                 {"stribeck_velocity", 1e-3}});
}
/// Fig 9-12, with the angles θ₁ and θ₂ [rad].
inline std::unique_ptr<Friction> lugre_bristle(double coulomb_angle = 0.3, double stribeck_angle = 0.7) {
  return make_friction("lugre-bristle", {{"bristle_height", 0.1},
                                         {"hinge_stiffness", torsional_stiffness},
                                         {"gain", 1e3},
                                         {"coulomb_angle", coulomb_angle},
                                         {"stribeck_angle", stribeck_angle},
                                         {"stribeck_rate", 0.01}});
}

/// Fig 2a: u = amplitude sin(ω t).
inline Body on_wall_spring(double amplitude, double angular_frequency) {
  Body body;
  body.mass = mass;
  body.drive = {DriveKind::wall_spring, stiffness, 0, 0,
                Signal::sine(amplitude, angular_frequency / (2 * std::numbers::pi))};
  return body;
}
/// Fig 2b: the far end moves at `speed` [m/s].
inline Body pulled(double speed) {
  Body body;
  body.mass = mass;
  body.drive = {DriveKind::pulled_spring, stiffness, 0, 0, Signal::ramp(speed)};
  return body;
}

/// The input u = amplitude sin(ω t) at the samples [N]; `applied` holds the spring as well.
inline std::vector<double> input(const Samples& samples, double amplitude, double angular_frequency) {
  std::vector<double> u(samples.time.size());
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = amplitude * std::sin(angular_frequency * samples.time[i]);
  return u;
}

/// One run per period of the input, each continuing where the last one ended, so that each has its own ledger.
inline std::vector<Run> cycles(const Friction& friction, Body body, double period, int count,
                               SimulationOptions options) {
  std::vector<Run> runs;
  for (int i = 0; i < count; ++i) {
    options.start = i * period;
    options.end = (i + 1) * period;
    runs.push_back(finished(friction, body, options));
    body.position = runs.back().position;
    body.velocity = runs.back().velocity;
    body.state = runs.back().state;
  }
  return runs;
}

}  // namespace stickslip::drincic
