#include <gtest/gtest.h>

#include <algorithm>

#include "pulled_mass_rig.hpp"

namespace stickslip::bristle_sawtooth_test {
namespace {
using namespace pulled_mass_rig;

const ParameterValues teeth{{"low_force", 0.05}, {"high_force", 0.14}, {"spacing", 0.005}};

// Experiment bristle-stick-slip: pulled at 0.05 m/s it settles on a cycle of 6.70000 s with 0.12111 m/s at most.
TEST(BristleSawtooth, PulledAtFiveCentimetresItHasTheSheetsCycle) {
  Body body;
  body.drive = {DriveKind::pulled_spring, 1, 0, 0, Signal::ramp(0.05)};
  const auto run = make_friction("bristle-sawtooth", teeth)->simulate(body, until(400, 1e-3));
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  const auto& v = run.samples.velocity;
  std::vector<double> crossings;
  double fastest = 0;
  for (std::size_t i = 200'000; i < v.size(); ++i) {
    fastest = std::max(fastest, v[i]);
    if (v[i - 1] < 0.03 && v[i] >= 0.03)
      crossings.push_back(run.samples.time[i - 1] + 1e-3 * (0.03 - v[i - 1]) / (v[i] - v[i - 1]));
  }
  ASSERT_GE(crossings.size(), 20u);
  const double period = (crossings.back() - crossings.front()) / static_cast<double>(crossings.size() - 1);
  EXPECT_NEAR(period, 6.70000, 1e-4);
  EXPECT_NEAR(fastest, 0.12111, 1e-5);
}

// At rest the breakaway depends on the direction of the applied force: at x = Δ/5 it is F_l + (F_h − F_l)/5 forward and
// F_l + (F_h − F_l) 4/5 backward.
TEST(BristleSawtooth, HoldsLessOneWayThanTheOther) {
  const auto friction = make_friction("bristle-sawtooth", teeth);
  const auto moves = [&](double force) {
    Body body = forced(Signal(force));
    body.position = 0.001;
    return friction->simulate(body, until(1)).position != 0.001;
  };
  EXPECT_FALSE(moves(0.0679));
  EXPECT_TRUE(moves(0.0681));
  EXPECT_FALSE(moves(-0.1219));
  EXPECT_TRUE(moves(-0.1221));
}

// One release per tooth, and every tooth takes (F_l + F_h)/2 Δ.
TEST(BristleSawtooth, EveryToothTakesItsShareOfTheEnergy) {
  Body body = forced(Signal(0.0));
  body.velocity = 0.2;
  const auto run = make_friction("bristle-sawtooth", teeth)->simulate(body, until(5));
  const double per_tooth = 0.5 * (0.05 + 0.14) * 0.005;
  const double crossed = std::floor(0.02 / per_tooth);  // of the kinetic energy m v²/2
  EXPECT_EQ(static_cast<double>(run.ledger.events[static_cast<std::size_t>(EventKind::bristle_release)]), crossed);
  EXPECT_EQ(run.velocity, 0.0);
}

TEST(BristleSawtooth, RefusesTeethThatDoNotRise) {
  EXPECT_EQ(
      refusal_of([] {
        make_friction("bristle-sawtooth", ParameterValues{{"low_force", 0.2}, {"high_force", 0.1}, {"spacing", 1e-3}});
      }),
      "bristle-sawtooth: low_force is 0.2 N; it must be below high_force, 0.1 N");
}

}  // namespace
}  // namespace stickslip::bristle_sawtooth_test
