/// Random machines of joints: trees, rings, parallel sets, plain chains; half of them with small whole numbers, where much coincides.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "machines/friction/sticking_levels.hpp"
#include "machines/mechanism/mechanism.hpp"

namespace stickslip::test {

/// Coulomb friction with viscosity whose breakaway lies above its sliding level, at once.
class DroppingLevel final : public StickingLaw {
 public:
  DroppingLevel(double sliding, double breakaway, double viscosity)
      : sliding_(sliding), breakaway_(breakaway), viscosity_(viscosity) {}
  double sliding_force(const Contact<double>& c, Direction d) const override {
    return number(d) * sliding_ + viscosity_ * c.velocity;
  }
  double breakaway_force(const Contact<double>&, Direction) const override { return breakaway_; }
  double velocity_scale() const override { return 0; }

 private:
  double sliding_, breakaway_, viscosity_;
};

struct RandomMachine {
  Mechanism mechanism;
  double duration = 0;
};

class MachineMaker {
 public:
  explicit MachineMaker(std::size_t seed) : random_(0x5deece66d + 7919 * seed), has_whole_numbers_(seed % 2 == 0) {}

  RandomMachine make() {
    RandomMachine made;
    Mechanism& m = made.mechanism;
    made.duration = duration_ = has_whole_numbers_ ? 4 : between(2, 5);
    const std::size_t bodies = 2 + random_.below(random_.below(3) == 0 ? 7 : 3);
    const bool is_at_rest = chance(0.6);
    for (std::size_t i = 0; i < bodies; ++i) {
      const double inertia = has_whole_numbers_ ? pick({1, 1, 1, 2, 3, 0.5}) : std::exp(between(-2, 2));
      const double speed = is_at_rest || chance(0.4) ? 0 : value(5);
      m.bodies.push_back({"b" + std::to_string(i), inertia, 0, speed});
    }
    const std::size_t kind = random_.below(4);  // tree, ring, parallel set, plain chain
    const bool is_plain = kind == 3 || chance(0.4);
    for (std::size_t i = 0; i + 1 < bodies; ++i) add_joint(m, kind == 0 ? random_.below(i + 1) : i, i + 1, is_plain);
    if (kind == 1) add_joint(m, bodies - 1, 0, is_plain || chance(0.5));
    if (kind == 2)
      for (std::size_t k = 1 + random_.below(3); k-- > 0;) {
        const std::size_t i = random_.below(bodies - 1);
        add_joint(m, i, i + 1, is_plain || chance(0.5));
      }
    if (kind != 3)
      for (std::size_t k = random_.below(3); k-- > 0;) add_joint(m, random_.below(bodies), ground, is_plain);
    for (std::size_t i = 0; i < bodies; ++i)
      if (chance(0.5)) m.torques.push_back({"t" + std::to_string(i), i, torque()});
    if (kind != 3 && chance(0.35)) {
      const std::size_t a = random_.below(bodies), b = random_.below(bodies);
      const double stiffness = has_whole_numbers_ ? pick({1, 2, 10}) : between(0.5, 30);
      m.springs.push_back({"s",
                           {a, 1},
                           a == b ? BodyEnd{} : BodyEnd{b, ratio(is_plain)},
                           stiffness,
                           chance(0.5) ? 0 : (has_whole_numbers_ ? 1 : between(0.05, 1)),
                           0,
                           Signal()});
    }
    if (kind != 3 && chance(0.3))
      m.drags.push_back({"d", random_.below(bodies), chance(0.5) ? 0 : 0.5,
                         chance(0.5) ? 0 : (has_whole_numbers_ ? 1 : between(0.01, 0.5))});
    return made;
  }

 private:
  bool chance(double share) { return random_.uniform() < share; }
  double between(double low, double high) { return low + (high - low) * random_.uniform(); }
  double pick(std::initializer_list<double> of) { return of.begin()[random_.below(of.size())]; }
  /// Of either sign.
  double value(double most) {
    const auto whole = static_cast<std::size_t>(most);
    return has_whole_numbers_ ? static_cast<double>(random_.below(2 * whole + 1)) - most : between(-most, most);
  }
  double level() { return has_whole_numbers_ ? 1 + static_cast<double>(random_.below(5)) : between(0.5, 6); }
  double moment() {
    return has_whole_numbers_ ? static_cast<double>(random_.below(static_cast<std::size_t>(duration_) + 1))
                              : between(0, duration_);
  }
  double ratio(bool is_plain) {
    if (is_plain) return 1;
    return has_whole_numbers_ ? pick({1, 1, 2, -1, 0.5, 3}) : (chance(0.3) ? -1 : 1) * between(0.4, 2.5);
  }

  template <class Value>
  Signal table(const Value& of) {
    std::vector<double> times{0}, values{of()};
    for (std::size_t k = 1 + random_.below(3); k-- > 0;) times.push_back(moment()), values.push_back(of());
    std::sort(times.begin(), times.end());
    return Signal::table(times, values);
  }

  Signal torque() {
    switch (random_.below(5)) {
      case 0:
        return Signal(value(6));
      case 1:
        return Signal::ramp(value(3), chance(0.5) ? 0 : moment());
      case 2:
        return Signal::sine(value(6), has_whole_numbers_ ? 1 : between(0.2, 2));
      case 3:
        return Signal::step(value(6), value(6), moment());
      default:
        return table([&] { return value(6); });
    }
  }

  Signal capacity() {
    switch (random_.below(7)) {
      case 0:
      case 1:
        return Signal(1.0);
      case 2:
        return Signal(0.0);
      case 3:
        return Signal::ramp(has_whole_numbers_ ? 1 : between(0.2, 2), chance(0.5) ? 0 : moment());
      case 4:
        return Signal::step(chance(0.5) ? 0 : 1, chance(0.5) ? 0 : 1, moment());
      case 5:  // closes and opens again
        return table([&] { return chance(0.4) ? 0 : (has_whole_numbers_ ? 1 : between(0, 1.5)); });
      default: {
        const std::vector<double> times{0, 1, 2, 3}, values{1, 0, 0, 1};
        return Signal::table(times, values);
      }
    }
  }

  std::shared_ptr<const StickingLaw> law() {
    const double sliding = level();
    switch (random_.below(4)) {
      case 0:
        return std::make_shared<StribeckLevels>(sliding, sliding + (chance(0.3) ? 0 : level() / 2),
                                                has_whole_numbers_ ? 1 : between(0.05, 1), chance(0.7) ? 2 : 1);
      case 1:
        return std::make_shared<DroppingLevel>(sliding, sliding + (has_whole_numbers_ ? 1 : level()), 0);
      case 2:
        return std::make_shared<DroppingLevel>(sliding, sliding, has_whole_numbers_ ? 1 : between(0, 1));
      default:
        return std::make_shared<DroppingLevel>(sliding, sliding, 0);
    }
  }

  void add_joint(Mechanism& m, std::size_t a, std::size_t b, bool is_plain) {
    const BodyEnd other = b == ground ? BodyEnd{} : BodyEnd{b, ratio(is_plain)};
    m.joints.push_back({"j" + std::to_string(m.joints.size()), {a, ratio(is_plain)}, other, law(), capacity()});
  }

  Random random_;
  bool has_whole_numbers_;
  double duration_ = 0;
};

}  // namespace stickslip::test
