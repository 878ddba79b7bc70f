/// Random velocities for steps of friction: from far below to far above any presliding, with pauses and reversals, never far
/// from the start.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "models/random_models.hpp"

namespace stickslip::random_models {

/// 2^-10 s. Positions are multiples of 2^-40 m, so that no place or velocity is rounded and only the law is compared.
inline constexpr double grid_step = 1.0 / 1024;

inline std::vector<double> random_velocities(Random& random, std::size_t count, double h, double size_factor = 1) {
  std::vector<double> velocities;
  double direction = 1, size = 1e-3, position = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto choice = random() % 16;
    if (choice < 2) direction = -direction;
    if (choice == 2) size = size_factor * logarithmic(random, 1e-6, 1e-1);
    if (position * direction > size_factor * 2e-3) direction = -direction;
    const double v = choice == 3 ? 0.0 : direction * size * uniform(random, 0.1, 1);
    velocities.push_back(std::ldexp(std::round(std::ldexp(v, 30)), -30));
    position += h * velocities.back();
  }
  return velocities;
}
/// Laws of large teeth need longer ways.
inline double size_factor(const Friction& friction) {
  const std::string& name = friction.description().name;
  return name == "bristle" || name == "bristle-sawtooth" ? 50 : 1;
}

/// The numbers that a build in float has: what its rounded parameters change is not its step's error. Shares must still add up to 1.
inline ParameterValues as_floats(ParameterValues values) {
  for (auto& [key, value] : values) {
    if (auto* number = std::get_if<double>(&value)) *number = double(float(*number));
    if (auto* list = std::get_if<std::vector<double>>(&value); list && key != "shares")
      for (double& x : *list) x = double(float(x));
  }
  return values;
}
inline std::vector<double> as_floats(std::vector<double> values) {
  for (double& x : values) x = double(float(x));
  return values;
}

/// What a law adds up, where that may be far more than the force that is left: levels of rest and sliding, damping of bristles at the
/// fastest speed, springs over their backlash [N].
inline double size_of_terms(const ParameterValues& values, const std::vector<double>& velocities) {
  double fastest = 0, springs = 0;
  for (const double v : velocities) fastest = std::fmax(fastest, std::fabs(v));
  if (const auto* k = list_of(values, "stiffnesses"), *reach = list_of(values, "thresholds"); k && reach)
    for (std::size_t i = 0; i < std::min(k->size(), reach->size()); ++i)
      springs += (*k)[i] * ((*reach)[i] + 0.5 * number_of(values, "backlash"));
  return std::max({highest_level(values), number_of(values, "bristle_damping") * fastest, springs});
}

}  // namespace stickslip::random_models
