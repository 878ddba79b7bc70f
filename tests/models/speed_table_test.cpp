#include <gtest/gtest.h>

#include "pulled_mass_rig.hpp"

namespace stickslip::speed_table_test {
namespace {
using namespace pulled_mass_rig;
using Numbers = std::vector<double>;

// m dv/dt = −(a + b v): from v₀ to v₁ takes (m/b) ln((a + b v₀)/(a + b v₁)), and the way is (m (v₀ − v₁) − a t)/b. Falling from 1.5 N at rest
// to 1 N at 0.1 m/s, then rising to 3 N at 1 m/s and on beyond.
TEST(SpeedTable, CoastsThroughItsLinesInTheClosedFormTime) {
  const ParameterValues values{{"speeds", Numbers{0, 0.1, 1}}, {"levels", Numbers{1.5, 1, 3}}};
  const double m = 2, b2 = 2 / 0.9, a2 = 1 - 0.1 * b2, b1 = -5, a1 = 1.5;
  const double t2 = m / b2 * std::log((a2 + b2 * 3) / (a2 + b2 * 0.1)), t1 = m / b1 * std::log((a1 + b1 * 0.1) / a1);
  const double x2 = (m * 2.9 - a2 * t2) / b2, x1 = (m * 0.1 - a1 * t1) / b1;
  for (const bool exact : {true, false}) {
    Body body = forced(Signal(0.0));
    body.mass = m;
    body.velocity = 3;
    auto options = until(10);
    options.in_closed_form = exact;
    const auto run = make_friction("speed-table", values)->simulate(body, options);
    const auto sticks = events(run, EventKind::stick);
    ASSERT_EQ(sticks.size(), 1u);
    EXPECT_NEAR(sticks[0].time, t1 + t2, 1e-8);
    EXPECT_NEAR(sticks[0].position, x1 + x2, 1e-8);
    EXPECT_EQ(run.velocity, 0.0);
  }
}

// Two points are Coulomb friction with viscosity, also beyond the second.
TEST(SpeedTable, OfTwoPointsIsCoulombWithViscosity) {
  const auto table =
      make_friction("speed-table", {{"speeds", Numbers{0, 0.05}}, {"levels", Numbers{1, 1.02}}, {"peak", 1.5}});
  const auto line = make_friction("coulomb-breakaway", {{"coulomb_force", 1.0}, {"viscosity", 0.4}, {"peak", 1.5}});
  const auto a = table->simulate(pulled(), until(40, 0.1)), b = line->simulate(pulled(), until(40, 0.1));
  EXPECT_LT(largest_difference(a.samples.position, b.samples.position), 1e-12);
  EXPECT_EQ(events(a, EventKind::release).size(), events(b, EventKind::release).size());
  EXPECT_EQ(events(a, EventKind::direction_change).size(), 0u);
}

// A table of a Stribeck curve tends to it with the square of the distance of its points.
TEST(SpeedTable, OfManyPointsTendsToTheCurveItWasTakenFrom) {
  const auto curve_at = [](double v) { return 1 + 0.5 * std::exp(-std::pow(v / 0.1, 2)) + 0.4 * v; };
  const auto smooth = make_friction(
      "stribeck", {{"coulomb_force", 1.0}, {"stiction_force", 1.5}, {"stribeck_velocity", 0.1}, {"viscosity", 0.4}});
  const auto reference = smooth->simulate(pulled(), until(20, 0.05));
  double off[2];
  for (const std::size_t points : {21u, 41u}) {
    Numbers speeds, levels;
    for (std::size_t i = 0; i < points; ++i) {
      speeds.push_back(0.8 * static_cast<double>(i) / static_cast<double>(points - 1));
      levels.push_back(curve_at(speeds.back()));
    }
    const auto run =
        make_friction("speed-table", {{"speeds", speeds}, {"levels", levels}})->simulate(pulled(), until(20, 0.05));
    off[points == 41] = largest_difference(run.samples.position, reference.samples.position);
  }
  EXPECT_LT(off[1], 0.02);  // of strokes of half a metre
  EXPECT_LT(off[1], 0.35 * off[0]);
}

TEST(SpeedTable, GoesOnWithItsLastLineButNotBelowZero) {
  const auto rising = make_friction("speed-table", {{"speeds", Numbers{0, 1, 2}}, {"levels", Numbers{1, 1, 2}}});
  const auto falling = make_friction("speed-table", {{"speeds", Numbers{0, 1}}, {"levels", Numbers{2, 1}}});
  const PrescribedMotion fast{{0, 1, 2, 3}, {0, 5, 4.75, -0.25}, {}, {}};  // 5, −0.25, −5 m/s
  const auto up = rising->respond(fast), down = falling->respond(fast);
  EXPECT_DOUBLE_EQ(up[1], 5);
  EXPECT_DOUBLE_EQ(up[2], -1);
  EXPECT_DOUBLE_EQ(down[1], 0);
  EXPECT_DOUBLE_EQ(down[2], -1.75);
  EXPECT_DOUBLE_EQ(down[3], 0);
  ASSERT_EQ(falling->doubts({}).size(), 1u);
  EXPECT_EQ(falling->doubts({})[0],
            "speed-table: the level decreases at the end of the table, so its extension reaches zero at 2 m/s and "
            "stays there; add a point if this is not intended");
  EXPECT_TRUE(rising->doubts({}).empty());
}

TEST(SpeedTable, HasItsOwnLevelsBackward) {
  const auto friction =
      make_friction("speed-table", {{"speeds", Numbers{0, 1}}, {"levels", Numbers{1, 3}}}, {{"levels", Numbers{2, 2}}});
  const auto force = friction->respond({{0, 1, 2}, {0, 0.5, 0}, {}, {}});
  EXPECT_DOUBLE_EQ(force[1], 2);
  EXPECT_DOUBLE_EQ(force[2], -2);
}

TEST(SpeedTable, RefusesATableThatIsNone) {
  const auto why = [](const Numbers& speeds, const Numbers& levels, double peak = 1) {
    return refusal_of([&] { make_friction("speed-table", {{"speeds", speeds}, {"levels", levels}, {"peak", peak}}); });
  };
  EXPECT_EQ(why({0, 1}, {1}),
            "speed-table: speeds has 2 entries and levels 1; every point of the table needs a speed and a level");
  EXPECT_EQ(why({0.1, 1}, {1, 2}), "speed-table: speeds begins with 0.1 m/s; the first point must be at 0");
  EXPECT_EQ(why({0, 1, 1}, {1, 2, 3}), "speed-table: speeds: 1 m/s comes after 1 m/s; the speeds must increase");
  EXPECT_NE(why({0}, {1}, 0.5).find("peak is 0.5; it must be at least 1"), std::string::npos);
  EXPECT_EQ(why(Numbers(65, 0.0), Numbers(65, 1.0)), "speed-table: speeds has 65 entries; 1 to 64 can be used");
}

}  // namespace
}  // namespace stickslip::speed_table_test
