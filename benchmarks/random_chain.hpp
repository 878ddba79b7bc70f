/// Chains and trees of bodies and clutches drawn at random, the same for the same seed: every torque is held for 50 ms and then drawn
/// anew, for 10 s. The benchmarks and the rivals in other languages race on them.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "machines/friction/friction.hpp"
#include "machines/mechanism/mechanism.hpp"

namespace stickslip::bench {

inline constexpr double end = 10, hold = 0.05;

/// `before(i, random)` is the body that body i + 1 is joined to.
template <class Before>
Mechanism joined_bodies(std::size_t bodies, std::uint64_t seed, const Before& before) {
  std::mt19937_64 random(seed);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  Mechanism m;
  for (std::size_t i = 0; i < bodies; ++i)
    m.bodies.push_back({"b" + std::to_string(i), uniform(0.5, 2), 0, uniform(-1, 1)});
  for (std::size_t i = 0; i + 1 < bodies; ++i)
    m.joints.push_back({"c" + std::to_string(i),
                        {before(i, random), 1},
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

/// A chain.
inline Mechanism chain_of(std::size_t bodies, std::uint64_t seed = 1) {
  return joined_bodies(bodies, seed, [](std::size_t i, std::mt19937_64&) { return i; });
}
/// A tree: each body hangs on any of those before it.
inline Mechanism tree_of(std::size_t clutches, std::uint64_t seed = 1) {
  return joined_bodies(clutches + 1, seed, [](std::size_t i, std::mt19937_64& random) { return random() % (i + 1); });
}

}  // namespace stickslip::bench
