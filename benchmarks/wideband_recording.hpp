/// A recording to identify from, of any length: wideband random motion of 60 um at 2.5 kHz, the friction of ten elements, 2 mN of
/// noise. Always the same for the same length.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "core/random.hpp"
#include "identification/laws/bristle_fit.hpp"
#include "identification/laws/maxwell_fit.hpp"
#include "models/generalized_maxwell_slip.hpp"

namespace stickslip::bench {

struct WidebandRecording {
  static constexpr double rate = 2500;
  std::size_t samples;  // used, from t_cr on; the recording is four times as long
  std::vector<double> time, position, force, velocity;
  DominantExtreme start;
  MaxwellBounds bounds;

  explicit WidebandRecording(std::size_t count) : samples(count) {
    Random random(7);
    move(random);
    rub(random);
    velocity = difference_velocity(time, position, 400);
    start = dominant_extreme(std::span<const double>(position).first(3 * samples));
    bounds = threshold_bounds(position, start);
  }
  MotionForce data() const { return MotionForce{time, position, force}.part(start.index, samples); }
  std::span<const double> velocity_of_data() const {
    return std::span<const double>(velocity).subspan(start.index, samples);
  }

 private:
  void move(Random& random) {
    double x = 0, step = 0;
    for (std::size_t i = 0; i < 4 * samples; ++i) {
      step += random.normal() - 0.02 * step;
      x += step - 0.01 * x;
      time.push_back(static_cast<double>(i) / rate);
      position.push_back(x);
    }
    const double scale = 60e-6 / half_range(position);
    for (double& p : position) p *= scale;
  }
  void rub(Random& random) {
    generalized_maxwell_slip::Model<double> m;
    m.coulomb_force = 1, m.stiction_force = 1.5, m.stribeck_velocity = 4e-3, m.stribeck_exponent = 2;
    m.attraction = 200, m.viscosity = 80;
    for (int i = 0; i < 10; ++i) {
      m.shares.push_back(0.1);
      m.stiffnesses.push_back(0.15 / (1e-6 * std::pow(10.0, i / 9.0)));
    }
    generalized_maxwell_slip::Deflections z{};
    Contact<double> from, to;
    auto memory = generalized_maxwell_slip::start_in(m, z, from);
    for (std::size_t i = 0; i < position.size(); ++i) {
      to.position = position[i];
      to.velocity = i > 0 ? (position[i] - position[i - 1]) * rate : 0;
      if (i > 0) generalized_maxwell_slip::hold_in(m, memory, z, from, to, 1 / rate);
      force.push_back(generalized_maxwell_slip::force(m, memory, z, {}, to) + 2e-3 * random.normal());
      from = to;
    }
  }
};

}  // namespace stickslip::bench
