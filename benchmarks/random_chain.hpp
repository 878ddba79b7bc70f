/// A chain of bodies and clutches drawn at random, always the same: every torque is held for 50 ms and then drawn anew, for 10 s.
/// The benchmarks and the rivals in other languages race on it.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "machines/friction/friction.hpp"
#include "machines/mechanism/mechanism.hpp"

namespace stickslip::bench {

inline constexpr double end = 10, hold = 0.05;

inline Mechanism chain_of(std::size_t bodies) {
  std::mt19937_64 random(1);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  Mechanism m;
  for (std::size_t i = 0; i < bodies; ++i)
    m.bodies.push_back({"b" + std::to_string(i), uniform(0.5, 2), 0, uniform(-1, 1)});
  for (std::size_t i = 0; i + 1 < bodies; ++i)
    m.joints.push_back({"c" + std::to_string(i),
                        {i, 1},
                        {i + 1, 1},
                        make_friction("coulomb", {{"coulomb_force", uniform(1, 4)}})->sticking_law()});
  for (std::size_t i = 0; i < bodies; ++i) {
    std::vector<double> times, values;
    for (int k = 0; k < static_cast<int>(end / hold); ++k) {
      const double value = uniform(-4, 4);
      times.insert(times.end(), {k * hold, (k + 1) * hold});
      values.insert(values.end(), {value, value});
    }
    m.torques.push_back({"t" + std::to_string(i), i, Signal::table(times, values)});
  }
  return m;
}

}  // namespace stickslip::bench
