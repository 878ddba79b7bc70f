/// Random machines of ties, lossy gears, one-way joints, stops, springs and friction; half of them with whole numbers, where much coincides.
#pragma once

#include <cmath>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "machines/friction/sticking_levels.hpp"
#include "machines/mechanism/mechanism.hpp"

namespace stickslip::test {

class ElementMaker {
 public:
  explicit ElementMaker(std::size_t seed) : random_(0x9e3779b9 + 104729 * seed), is_whole_(seed % 2 == 0) {}

  Mechanism make() {
    Mechanism m;
    const std::size_t bodies = 2 + random_.below(4);
    for (std::size_t i = 0; i < bodies; ++i)
      m.bodies.push_back({"b" + std::to_string(i), is_whole_ ? pick({1, 2, 0.5}) : std::exp(between(-1.5, 1.5)), 0, 0});
    bool has_ties = false;
    for (std::size_t i = 1; i < bodies; ++i) connect(m, random_.below(i), i, has_ties);
    if (bodies >= 3 && chance(0.5)) {
      const std::size_t ring = m.bodies.size();
      m.bodies.push_back({"ring", chance(0.5) ? 0.0 : 1.0, 0, 0});
      m.ties.push_back({"planetary", {{0, 1}, {ring, pick({1.5, 2, 3})}, {bodies - 1, -4}}});
      has_ties = true;
      if (chance(0.8)) joint(m, {ring, 1}, {}, false);
      if (chance(0.4)) joint(m, {ring, 1}, {0, 1}, false);
    }
    for (std::size_t k = random_.below(3); k-- > 0;) joint(m, {random_.below(bodies), 1}, {}, false);
    for (std::size_t k = random_.below(3); k-- > 0;)
      m.stops.push_back(
          {"s" + std::to_string(k), {random_.below(bodies), 1}, {}, -pick({0.25, 0.5, 2}), pick({0.25, 0.5, 2})});
    for (std::size_t i = 0; i < bodies; ++i)
      if (i == 0 || chance(0.5))
        m.torques.push_back({"torque_" + std::to_string(i), i, input(is_whole_ ? pick({2, 4, 6}) : between(0.5, 6))});
    if (!has_ties)
      for (auto& b : m.bodies) b.speed = chance(0.5) ? 0 : value(3);
    for (const auto& j : m.joints)  // one-way joints slip forward
      if (j.is_one_way)
        for (auto& b : m.bodies) b.speed = 0;
    return m;
  }

 private:
  bool chance(double p) { return random_.uniform() < p; }
  double between(double a, double b) { return a + (b - a) * random_.uniform(); }
  double pick(std::initializer_list<double> of) { return *(of.begin() + random_.below(of.size())); }
  double value(double most) { return is_whole_ ? std::round(between(-most, most)) : between(-most, most); }

  Signal input(double size) {
    switch (random_.below(4)) {
      case 0:
        return Signal(value(size));
      case 1:
        return Signal::sine(size, is_whole_ ? pick({0.5, 1, 2}) : between(0.2, 3));
      case 2:
        return Signal::step(value(size), value(size), is_whole_ ? 1 : between(0.2, 1.8));
      default: {
        const std::vector<double> times{0, 1, 2}, values{value(size), value(size), value(size)};
        return Signal::table(times, values);
      }
    }
  }
  void joint(Mechanism& m, BodyEnd a, BodyEnd b, bool is_one_way) {
    FrictionJoint j{"j" + std::to_string(m.joints.size()), a, b, nullptr};
    const double sliding = is_whole_ ? pick({0.5, 1, 2}) : between(0.2, 3);
    if (!is_one_way || chance(0.7))
      j.law = std::make_shared<StribeckLevels>(sliding, sliding * (chance(0.5) ? 1 : 1.5),
                                               is_whole_ ? 0.1 : between(0.01, 0.5), 2);
    j.is_one_way = is_one_way;
    if (j.law && chance(0.4))
      j.capacity = Signal::step(pick({0, 1}), pick({0, 1, 2}), is_whole_ ? 1 : between(0.1, 1.9));
    m.joints.push_back(std::move(j));
  }
  void connect(Mechanism& m, std::size_t a, std::size_t b, bool& has_ties) {
    switch (random_.below(5)) {
      case 0:
        return joint(m, {a, 1}, {b, chance(0.5) ? 1 : 2.0}, false);
      case 1:
        return joint(m, {a, 1}, {b, 1}, true);
      case 2:
        m.springs.push_back({"k" + std::to_string(m.springs.size()),
                             {a, 1},
                             {b, 1},
                             between(5, 100),
                             between(0, 2),
                             chance(0.5) ? 0 : 0.1,
                             Signal(0.0),
                             chance(0.5)});
        return;
      case 3: {
        LossyGear g;
        g.name = "g" + std::to_string(m.lossy_gears.size()), g.a = a, g.b = b, g.ratio = pick({0.5, 1, -1, 2});
        const double one = is_whole_ ? pick({0.5, 0.8, 1}) : between(0.3, 1), f = chance(0.5) ? 0 : between(0.05, 0.5);
        const double two = one == 1 ? 1 : is_whole_ ? pick({0.4, 0.5, 0.8}) : between(0.2, 1);
        g.speed = {0}, g.eta_one = {one}, g.eta_two = {two}, g.f_one = {f}, g.f_two = {f};
        m.lossy_gears.push_back(std::move(g));
        has_ties = true;
        return;
      }
      default:
        m.ties.push_back({"t" + std::to_string(m.ties.size()), {{a, 1}, {b, pick({-1, 2, -2})}}});
        has_ties = true;
    }
  }

  Random random_;
  bool is_whole_;
};

}  // namespace stickslip::test
