/// Recordings made by the tests from motions and forces in closed form.
#pragma once
#include <cmath>
#include <functional>
#include <random>

#include "recording/recording.hpp"

namespace stickslip::made {

inline constexpr double pi = 3.14159265358979323846;

struct Noise {
  double position = 0, force = 0;  // standard deviations [m], [N]
  double resolution = 0;           // of a floor encoder [m]
};

/// Position and force as functions of time, `count` samples every `step` seconds.
inline Recording recording(std::size_t count, double step, const std::function<double(double)>& position,
                           const std::function<double(double)>& force, const Noise& noise = {}) {
  Recording r;
  r.file = "made.csv";
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (std::size_t i = 0; i < count; ++i) {
    const double t = step * double(i);
    double x = position(t) + noise.position * normal(random);
    if (noise.resolution > 0) x = noise.resolution * std::floor(x / noise.resolution);
    r.time.push_back(t), r.position.push_back(x), r.force.push_back(force(t) + noise.force * normal(random));
  }
  return r;
}

}  // namespace stickslip::made
