#include <gtest/gtest.h>

#include <algorithm>

#include "pulled_mass_rig.hpp"

namespace stickslip::bristle_test {
namespace {
using namespace pulled_mass_rig;

ParameterValues bristles(double width) {
  return {{"bristle_length", 0.1},
          {"torsional_stiffness", 0.1},
          {"body_width", width},
          {"bristle_count", 101.0},
          {"normal_force", 9.81}};
}
const double cycle = 2 * 3.14159265358979323846 / 0.001;

struct SlowCycle {
  double area, releases;
};
/// The second cycle of u = sin(0.001 t) on a wall spring of 1 N/m: work of u [J] and bristles released.
SlowCycle slow_cycle(double width) {
  const auto friction = make_friction("bristle", bristles(width));
  Body body;
  body.drive = {DriveKind::wall_spring, 1, 0, 0, Signal::sine(1, 1 / cycle)};
  const auto one = friction->simulate(body, until(cycle)), two = friction->simulate(body, until(2 * cycle));
  EXPECT_EQ(two.stop, Stop::finished) << two.message;
  EXPECT_NEAR(two.ledger.residual, 0, 1e-7);
  const auto releases = [](const Run& r) {
    return static_cast<double>(r.ledger.events[static_cast<std::size_t>(EventKind::bristle_release)]);
  };
  return {two.ledger.work_in - one.ledger.work_in, releases(two) - releases(one)};
}

// Experiment bristle-stick-slip, Drincic 2011 Fig 3b and section III B.
TEST(Bristle, LoopAreaAndReleasesOfTheSlowCycle) {
  const auto narrow = slow_cycle(0.5);
  EXPECT_NEAR(narrow.area, 0.35647, 5e-5);
  EXPECT_EQ(narrow.releases, 754);
  const double angle = 9.81 * 0.1 / (101 * 0.1);
  EXPECT_NEAR(narrow.releases * 0.1 * angle * angle / 2, 0.35566, 1e-5);
  const auto wide = slow_cycle(1);
  EXPECT_NEAR(wide.area, 0.1867, 1e-4);
  EXPECT_EQ(wide.releases, 394);
}

std::pair<double, double> range_of_force(double width, double speed) {
  PrescribedMotion motion;
  for (int i = 0; i <= 200'000; ++i) {
    motion.time.push_back(i * 1e-3);
    motion.position.push_back(speed * i * 1e-3);
  }
  auto force = make_friction("bristle", bristles(width))->respond(motion);
  const auto [low, high] = std::minmax_element(force.begin() + 1, force.end());
  return {*low, *high};
}

// Experiment bristle-stick-slip: what the force sweeps through as the edge passes over the bristles; moving left it is mirrored.
TEST(Bristle, ForceSweepsBetweenTheSheetsBounds) {
  const auto [low, high] = range_of_force(0.5, 1e-4);
  EXPECT_NEAR(low, 0.0472815, 1e-6);
  EXPECT_NEAR(high, 0.1439525, 1e-6);
  const auto [left_low, left_high] = range_of_force(0.5, -1e-4);
  EXPECT_NEAR(left_low, -0.1439525, 1e-6);
  EXPECT_NEAR(left_high, -0.0472815, 1e-6);
  const auto [wide_low, wide_high] = range_of_force(1, 1e-4);
  EXPECT_NEAR(wide_low, 0, 1e-6);
  EXPECT_NEAR(wide_high, 0.0966709, 1e-6);
}

TEST(Bristle, RefusesBristlesThatWouldLieFlatAndCountsThatAreNotWhole) {
  const auto with = [](const char* key, double value) {
    auto values = bristles(0.5);
    for (auto& v : values)
      if (v.first == key) v.second = value;
    return refusal_of([&] { make_friction("bristle", values); });
  };
  EXPECT_EQ(
      with("normal_force", 200.0),
      "bristle: the largest angle normal_force bristle_length/(bristle_count torsional_stiffness) is 1.9802 rad; it "
      "must be below pi/2");
  EXPECT_EQ(with("bristle_count", 10.5), "bristle: bristle_count is 10.5; it must be a whole number from 2 on");
  EXPECT_NE(with("body_width", 1e-3).find("further than body_width, 0.001 m"), std::string::npos);
}

}  // namespace
}  // namespace stickslip::bristle_test
