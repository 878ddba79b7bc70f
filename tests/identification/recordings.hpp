/// Recordings of known friction for the tests of identification: wideband random motion at 2.5 kHz, as in Rizos 2005.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/random.hpp"
#include "identification/motion_force.hpp"
#include "models/generalized_maxwell_slip.hpp"

namespace stickslip {

struct KnownRecording {
  std::vector<double> time, position, force;
  MotionForce view() const { return {time, position, force}; }
};

/// Noise through a slow resonance, scaled to a half range [m]; no force yet.
inline KnownRecording random_motion(std::size_t count, double half, std::uint64_t seed) {
  KnownRecording r;
  Random random(seed);
  double position = 0, step = 0;
  for (std::size_t i = 0; i < count; ++i) {
    step += random.normal() - 0.02 * step;
    position += step - 0.01 * position;
    r.time.push_back(static_cast<double>(i) / 2500);
    r.position.push_back(position);
  }
  const double scale = half / half_range(r.position);
  for (double& x : r.position) x *= scale;
  r.force.assign(count, 0.0);
  return r;
}

/// `count` samples that begin at t_cr of a random motion.
struct FromExtreme {
  KnownRecording recording;
  DominantExtreme start;
};
inline FromExtreme motion_from_extreme(std::size_t count, double half, std::uint64_t seed) {
  KnownRecording all = random_motion(3 * count, half, seed);
  const auto start = dominant_extreme(std::span<const double>(all.position).first(2 * count));
  FromExtreme out{{}, start};
  for (auto part : {&KnownRecording::time, &KnownRecording::position, &KnownRecording::force}) {
    const auto from = (all.*part).begin() + static_cast<std::ptrdiff_t>(start.index);
    (out.recording.*part).assign(from, from + static_cast<std::ptrdiff_t>(count));
  }
  return out;
}

inline void add_noise(KnownRecording& r, double deviation, std::uint64_t seed) {
  Random random(seed);
  for (double& f : r.force) f += deviation * random.normal();
}

/// Adds Σ k_i δ_i, every operator at its threshold at the start; written without the code under test.
inline void add_maxwell_slip(KnownRecording& r, Direction start, const std::vector<double>& thresholds,
                             const std::vector<double>& stiffnesses) {
  for (std::size_t k = 0; k < thresholds.size(); ++k) {
    double hook = r.position[0] - number(start) * thresholds[k];  // where the spring's far end is
    for (std::size_t i = 0; i < r.position.size(); ++i) {
      hook = std::clamp(hook, r.position[i] - thresholds[k], r.position[i] + thresholds[k]);
      r.force[i] += stiffnesses[k] * (r.position[i] - hook);
    }
  }
}

/// Ten elements whose thresholds are spread over a decade, 1 to 10 um, with a Stribeck curve and lag.
inline generalized_maxwell_slip::Model<double> ten_elements() {
  generalized_maxwell_slip::Model<double> m;
  m.coulomb_force = 1;
  m.stiction_force = 1.5;
  m.stribeck_velocity = 4e-3;
  m.stribeck_exponent = 2;
  m.attraction = 200;
  m.viscosity = 80;
  for (std::size_t i = 0; i < 10; ++i) {
    const double threshold = 1e-6 * std::pow(10.0, static_cast<double>(i) / 9);
    m.shares.push_back(0.1);
    m.stiffnesses.push_back(0.1 * m.stiction_force / threshold);
  }
  return m;
}

inline void add_gms(KnownRecording& r, const generalized_maxwell_slip::Model<double>& m) {
  generalized_maxwell_slip::Deflections z{};
  Contact<double> from, to;
  auto memory = generalized_maxwell_slip::start_in(m, z, from);
  for (std::size_t i = 0; i < r.position.size(); ++i) {
    to.position = r.position[i];
    to.velocity = i > 0 ? (r.position[i] - r.position[i - 1]) * 2500 : 0;
    if (i > 0) generalized_maxwell_slip::hold_in(m, memory, z, from, to, 1.0 / 2500);
    r.force[i] += generalized_maxwell_slip::force(m, memory, z, {}, to);
    from = to;
  }
}

}  // namespace stickslip
