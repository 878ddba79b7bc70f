/// Inertia and loads over position by inverse dynamics, before any law: with rests, gravity and cogging in the force.
#include "identification/settled_load.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "core/random.hpp"
#include "coverage/coverage_machines.hpp"
#include "generate/generate.hpp"
#include "recording/made_recordings.hpp"

namespace stickslip::settled_load_test {
namespace {

/// Moves 60 mm in a second, rests a second, moves back, rests: v = A (1 − cos 2πt)/..., smooth at both ends.
struct Shuttle {
  double size = 0.06, period = 4;
  static double moved(double t) { return t - std::sin(2 * made::pi * t) / (2 * made::pi); }
  double x(double t) const {
    const double s = std::fmod(t, period);
    return size * (s < 1 ? moved(s) : s < 2 ? 1 : s < 3 ? 1 - moved(s - 2) : 0);
  }
  double v(double t) const {
    const double s = std::fmod(t, period);
    return size * (s < 1   ? 1 - std::cos(2 * made::pi * s)
                   : s < 2 ? 0
                   : s < 3 ? -(1 - std::cos(2 * made::pi * (s - 2)))
                           : 0);
  }
  double a(double t) const {
    const double s = std::fmod(t, period);
    return size * 2 * made::pi *
           (s < 1   ? std::sin(2 * made::pi * s)
            : s < 2 ? 0
            : s < 3 ? -std::sin(2 * made::pi * (s - 2))
                    : 0);
  }
};

constexpr double coulomb = 30, mass = 25;

Sets shuttle(double constant, double wave) {
  const Shuttle path;
  Recording r = made::recording(
      8000, 2e-3, [&](double t) { return path.x(t); },
      [&](double t) {
        const double v = path.v(t);
        return mass * path.a(t) + constant + 80 * v + wave * std::sin(2 * made::pi * path.x(t) / 0.02) +
               (std::fabs(v) < 1e-6 ? 0.1 * coulomb : coulomb * (v > 0 ? 1 : -1));
      },
      {.position = 1e-6, .force = 0.5});
  return split_by_time(prepare(r), {1, 0, 0});
}

double value_of(const SettledLoad& found, const std::string& key) {
  for (const Estimate& e : found.terms)
    if (e.key == key) return e.value;
  return std::nan("");
}

// At rest the force is anything up to breakaway: half of this log says 3 N where sliding takes 30 N.
TEST(SettledLoad, RestIsLeftOut) {
  const auto found = settle_load(shuttle(0, 0));
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->mass, mass, 0.03 * mass);
  EXPECT_NEAR(value_of(*found, "coulomb_force"), coulomb, 0.1 * coulomb);
  EXPECT_LT(found->samples, 4001u);  // half of the 8000 samples rest
  EXPECT_GT(found->mass_error, 0);
  EXPECT_LT(found->mass_error, 0.05 * mass);
  EXPECT_TRUE(found->shows_inertia());
}

TEST(SettledLoad, ConstantAndPeriodicLoadsAreToldFromFriction) {
  const auto found = settle_load(shuttle(245, 6), {.cogging_period = 0.02});
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->mass, mass, 0.03 * mass);
  EXPECT_NEAR(value_of(*found, "offset"), 245, 3);
  ASSERT_EQ(found->load.waves.size(), 2u);
  EXPECT_NEAR(found->load.waves[0].sine, 6, 0.5);
  EXPECT_NEAR(found->load.waves[0].cosine, 0, 0.5);
  EXPECT_NEAR(found->load.at(0.005), 6, 0.7);
}

// Sliding friction alone is no mass, and one sine does not tell a mass from a spring.
TEST(SettledLoad, NoInertiaIsSeenWhereThereIsNone) {
  const Recording slow = made::recording(
      6000, 2e-3, [](double t) { return 0.05 * std::sin(3 * t) + 0.02 * std::sin(7 * t); },
      [](double t) {
        const double v = 0.15 * std::cos(3 * t) + 0.14 * std::cos(7 * t);
        return v > 0 ? 12.0 : -12.0;
      },
      {.position = 1e-6, .force = 0.5});
  const auto found = settle_load(split_by_time(prepare(slow), {1, 0, 0}));
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->shows_inertia()) << found->mass << " +- " << found->mass_error;
  const Recording sine = made::recording(
      6000, 2e-3, [](double t) { return 0.05 * std::sin(6 * t); },
      [](double t) { return 5 * -0.05 * 36 * std::sin(6 * t) + (std::cos(6 * t) > 0 ? 2.0 : -2.0); },
      {.position = 1e-6});
  const auto one = settle_load(split_by_time(prepare(sine), {1, 0, 0}));
  ASSERT_TRUE(one);
  EXPECT_GT(one->like_a_spring, 0.98);
}

/// An arm that moves from place to place: inertia 0.4 kg m², friction 1.4 N m + 1.7 N m s/rad v, a weight of 30 N m.
Recording arm(double weight) {
  const auto x = [](double t) { return 0.8 * std::sin(0.9 * t) + 0.15 * std::sin(4.1 * t); };
  const auto v = [](double t) { return 0.72 * std::cos(0.9 * t) + 0.615 * std::cos(4.1 * t); };
  const auto a = [](double t) { return -0.648 * std::sin(0.9 * t) - 2.5215 * std::sin(4.1 * t); };
  Recording r = made::recording(
      6000, 0.01, x,
      [&](double t) { return 0.4 * a(t) + (v(t) > 0 ? 1.4 : -1.4) + 1.7 * v(t) + weight * std::sin(x(t)); },
      {.position = 2e-5, .force = 0.05});
  r.rotary = true;
  return r;
}

// Of the force of an arm whose weight is 30 N m the inertia is a thousandth of the variance: it counted as none, and the joint of a robot was
// identified without it, with twice the error of least squares in three lines.
TEST(SettledLoad, InertiaShowsBesideAWeight) {
  for (const double weight : {0.0, 30.0}) {
    const auto found = settle_load(split_by_time(prepare(arm(weight)), {1, 0, 0}), {.gravity = true});
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->mass, 0.4, 0.04) << weight;
    EXPECT_TRUE(found->shows_inertia()) << weight << ": " << found->left << " " << found->left_without;
  }
  const auto heavy = settle_load(split_by_time(prepare(arm(30)), {1, 0, 0}), {.gravity = true});
  EXPECT_LT(heavy->left_without - heavy->left, 0.002);  // of the whole force
  EXPECT_LT(heavy->beside_load, 0.1);
}

TEST(AdditiveLoad, ATableIsStraightBetweenItsKnotsAndHeldOutside) {
  const AdditiveLoad load{.waves = {}, .knots = {0, 1, 3}, .values = {0, 2, 6}};
  EXPECT_DOUBLE_EQ(load.at(-1), 0);
  EXPECT_DOUBLE_EQ(load.at(0.5), 1);
  EXPECT_DOUBLE_EQ(load.at(2), 4);
  EXPECT_DOUBLE_EQ(load.at(9), 6);
}

/// Strokes of several speeds with friction, inertia and a load that follows the position; the force `late` samples late.
Sets loaded_strokes(const std::function<double(double)>& load, std::size_t late, double friction_spring = 0,
                    double pace = 1) {
  const auto x = [=](double t) { return 0.05 * std::sin(1.1 * pace * t) + 0.03 * std::sin(2.9 * pace * t + 1); };
  const auto v = [=](double t) {
    return pace * (0.055 * std::cos(1.1 * pace * t) + 0.087 * std::cos(2.9 * pace * t + 1));
  };
  const auto a = [=](double t) {
    return -pace * pace * (0.0605 * std::sin(1.1 * pace * t) + 0.2523 * std::sin(2.9 * pace * t + 1));
  };
  Recording r = made::recording(8000, 2e-3, x,
                                [&](double now) {
                                  const double t = now - 2e-3 * static_cast<double>(late);
                                  return mass * a(t) + 60 * v(t) +
                                         coulomb * (v(t) > 0 ? 1 : -1) * (1 + friction_spring * x(t)) + load(x(t));
                                },
                                {.position = 1e-6, .force = 0.5});
  return split_in_rounds(prepare(r));
}

TEST(VisibleLoad, ALoadOverPositionIsSeenAndFound) {
  const auto spring_and_wave = [](double x) { return 400 * x + 8 * std::sin(2 * made::pi * x / 0.05); };
  const Sets sets = loaded_strokes(spring_and_wave, 0);
  const auto seen = visible_load(sets);
  ASSERT_TRUE(seen);
  EXPECT_TRUE(seen->search.knots >= 9 || std::fabs(seen->search.cogging_period - 0.05) < 0.005);
  EXPECT_LT(seen->left, 0.2 * seen->left_without);
  EXPECT_EQ(seen->lag, 0);
  const auto found = settle_load(sets, seen->search);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->mass, mass, 0.15 * mass);
  for (const double at : {-0.05, -0.02, 0.01, 0.04})
    EXPECT_NEAR(found->load.at(at) - found->load.at(0), spring_and_wave(at), 2.5) << at;
}

// What went wrong: gravity of a fast joint was below 0.2 % of the force's variance. It was not
// found; the inertia was 11 % low and "well determined", or a law with a soft spring that never slips was recommended.
TEST(VisibleLoad, GravityIsFoundBesideAnInertiaThatIsNearlyAllOfTheForce) {
  constexpr double inertia = 3, pace = 6.5;
  const auto x = [](double t) { return 0.5 * std::sin(pace * t) + 0.4 * std::sin(0.37 * pace * t + 1); };
  const auto v = [](double t) { return pace * (0.5 * std::cos(pace * t) + 0.148 * std::cos(0.37 * pace * t + 1)); };
  const auto a = [](double t) {
    return -pace * pace * (0.5 * std::sin(pace * t) + 0.05476 * std::sin(0.37 * pace * t + 1));
  };
  Recording r = made::recording(
      6000, 2e-3, x,
      [&](double t) { return inertia * a(t) + 4 * v(t) + (v(t) > 0 ? 3 : -3) + 4 * std::sin(x(t) + 0.3); },
      {.position = 1e-5, .force = 0.05});
  r.rotary = true;
  const Sets sets = split_by_time(prepare(r));
  const auto seen = visible_load(sets);
  ASSERT_TRUE(seen);
  EXPECT_LT(seen->left_without - seen->left, 0.002) << "the load is little of the force";
  EXPECT_TRUE(seen->search.is_of_a_load());
  const auto found = settle_load(sets, seen->search);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->mass, inertia, 0.02 * inertia);
}

// A table of 33 knots is too coarse for eleven waves; the wave itself is found, beside a spring too.
TEST(VisibleLoad, AWaveOverPositionIsFoundWithItsLength) {
  for (const double spring : {0.0, 300.0}) {
    const auto wave = [=](double x) { return spring * x + 6 * std::sin(2 * made::pi * x / 0.0145 + 0.7); };
    const Sets sets = loaded_strokes(wave, 0);
    const auto seen = visible_load(sets);
    ASSERT_TRUE(seen);
    EXPECT_NEAR(seen->search.cogging_period, 0.0145, 1e-4) << spring;
    EXPECT_EQ(seen->search.knots, spring > 0 ? 2u : 0u);
    const auto found = settle_load(sets, seen->search);
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->mass, mass, 0.05 * mass);
    for (const double at : {-0.05, -0.02, 0.01, 0.04})
      EXPECT_NEAR(found->load.at(at) - found->load.at(0), wave(at) - wave(0), 1) << spring << " " << at;
  }
}

TEST(VisibleLoad, NothingIsSeenWhereFrictionAloneActs) {
  for (const double position_share : {0.0, 3.0}) {  // also friction that follows the position is no load
    const auto seen = visible_load(loaded_strokes([](double) { return 20.0; }, 0, position_share));
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->search.knots, 0u) << position_share;
    EXPECT_EQ(seen->search.cogging_period, 0) << position_share;
    EXPECT_EQ(seen->lag, 0) << position_share;
  }
}

// Strokes there and back with ramps of speed, at three speeds.
TEST(VisibleLoad, AForceThatIsLateIsSeen) {
  constexpr double step = 1e-3, acceleration = 1;
  const auto speed = [](double t) {  // one stroke takes two seconds: up, on, down, and a rest
    const double s = std::fmod(t, 2.0), top = std::array{0.1, 0.3, 0.6}[static_cast<std::size_t>(t / 4) % 3];
    const double v = std::max(0.0, std::min({top, acceleration * s, acceleration * (1.6 - s)}));
    return static_cast<std::size_t>(t / 2) % 2 == 0 ? v : -v;
  };
  for (const std::size_t late : {0u, 12u}) {
    double x = 0, last = 0;
    std::vector<double> force;
    const Recording strokes = made::recording(
        24000, step,
        [&](double t) {
          const double v = speed(t);
          force.push_back(mass * (v - last) / step + 60 * v + (v > 0 ? coulomb : v < 0 ? -coulomb : 0.0));
          x += step * 0.5 * (v + last), last = v;
          return x;
        },
        [&](double) { return force[force.size() > late ? force.size() - 1 - late : 0]; },
        {.position = 1e-6, .force = 0.5});
    const auto seen = visible_load(split_in_rounds(prepare(strokes)));
    ASSERT_TRUE(seen);
    EXPECT_NEAR(seen->lag, step * static_cast<double>(late), 1.5 * step) << late;
    EXPECT_EQ(seen->search.knots, 0u) << late;
  }
}

/// Steps of position under a PD controller, 1 kHz; the drive's force follows its logged command, which is held, in this time.
Sets steps_of_position(double time_constant) {
  constexpr double body = 5.588, friction = 12, viscous = 40, interval = 1e-3, h = interval / 20, resolution = 1e-6;
  Recording r;
  double x = 0, v = 0, f = 0, last = 0, target = 0;
  Random random(11);
  for (int k = 0; k < 5600; ++k) {
    if (k % 400 == 0) target = 0.04 * random.uniform() - 0.02;
    const double reading = std::round(x / resolution) * resolution;
    const double command = 6000 * (target - reading) - 250 * (reading - last) / interval;
    last = reading;
    r.time.push_back(interval * k), r.position.push_back(reading);
    r.force.push_back(command + 0.2 * random.normal());
    for (int j = 0; j < 20; ++j) {
      f = time_constant > 0 ? f + (command - f) * -std::expm1(-h / time_constant) : command;
      const double free = v + h * (f - viscous * v) / body, held = h * friction / body;
      const double next = std::fabs(free) <= held ? 0 : free - std::copysign(held, free);  // rest is exact
      x += 0.5 * h * (v + next), v = next;
    }
  }
  r.file = "steps.csv";
  return split_by_time(prepare(r), {0.5, 0.25, 0.25});
}

// Far from the jumps such motions die away, where a shift is another mass and viscosity: 5.2 kg for 5.588 kg was "well determined".
TEST(VisibleLoad, ADriveThatLagsItsCommandIsSeenInStepsOfPosition) {
  for (const double time_constant : {1e-3, 2e-3}) {
    const auto seen = visible_load(steps_of_position(time_constant));
    ASSERT_TRUE(seen) << time_constant;
    EXPECT_NEAR(seen->lag, -(time_constant + 0.5e-3), 0.5e-3) << time_constant;  // half a sample is the hold
  }
}

// Presliding: springs that follow the position between two turns are the friction itself.
TEST(VisibleLoad, HysteresisOfPreslidingIsNoLoad) {
  const auto x = [](double t) { return 8e-6 * std::sin(3 * t) + 5e-6 * std::sin(7.3 * t); };
  double z = 0, before = 0;
  const Recording rig = made::recording(12000, 1e-3, x,
                                        [&](double t) {
                                          const double moved = x(t) - before;
                                          before += moved;
                                          z += ((moved > 0 ? 1.0 : -1.0) - z) * std::fabs(moved) / 6e-6;
                                          return 20 * z;
                                        },
                                        {.position = 1e-9, .force = 0.02});
  const auto seen = visible_load(split_in_rounds(prepare(rig)));
  if (seen) {
    EXPECT_EQ(seen->search.knots, 0u);
    EXPECT_EQ(seen->lag, 0);
  }
}

// What went wrong: friction that builds up over 60 um made the force of half of these recordings "11.8 ms late"; shifted, no law fitted any more.
TEST(VisibleLoad, FrictionThatBuildsUpOverADistanceIsNoLag) {
  const auto seen = visible_load(split_by_time(prepare(test::recording_of(generate("gms", {.seed = 1})))));
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->lag, 0);
  EXPECT_EQ(seen->search.knots, 0u);
}

}  // namespace
}  // namespace stickslip::settled_load_test
