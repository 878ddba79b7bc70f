// The published numbers are the test: every row of the four hydraulic experiments holds, and nothing is left out.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "experiments/experiment.hpp"
#include "experiments/hydraulic_rig.hpp"

namespace stickslip::inline experiments {

const Experiment& experiment_hydraulic_2ma();
const Experiment& experiment_hydraulic_4_5ma();
const Experiment& experiment_hydraulic_stribeck();
const Experiment& experiment_hydraulic_pressure_friction();
}  // namespace stickslip::inline experiments

namespace stickslip::hydraulic_test {
namespace {

Reproduction run(const Experiment& experiment) {
  Progress silent("test", false, stderr);
  return experiment.run(silent);
}

void expect_all(const Reproduction& r, std::size_t rows, std::size_t figures) {
  EXPECT_EQ(r.rows.size(), rows);
  EXPECT_EQ(r.figures.size(), figures);
  for (const auto& row : r.rows)
    EXPECT_TRUE(row.ok()) << row.quantity << ": " << row.ours << " against " << row.reference << " " << row.unit;
}

TEST(Hydraulic, TwoMilliampereMatchesTheSheet) { expect_all(run(experiment_hydraulic_2ma()), 13, 4); }
TEST(Hydraulic, FourAndAHalfMilliampereMatchesTheSheet) { expect_all(run(experiment_hydraulic_4_5ma()), 9, 2); }
TEST(Hydraulic, ConstantSpeedRunsLieOnTheStaticCurve) { expect_all(run(experiment_hydraulic_stribeck()), 16, 1); }
TEST(Hydraulic, FrictionFromPressuresIsCloseToTheTrueOne) {
  expect_all(run(experiment_hydraulic_pressure_friction()), 12, 1);
}

TEST(Hydraulic, MeasuresAgreeWithClosedForms) {
  std::vector<double> x(4000);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = 3 * std::sin(2 * 3.14159265358979 * 17.3 * static_cast<double>(i) / 2000);
  EXPECT_NEAR(root_mean_square(x), 3 / std::sqrt(2.0), 0.02);
  EXPECT_NEAR(spectral_peak(x, 2000, 5, 60, 0.05), 17.3, 0.051);
  EXPECT_DOUBLE_EQ(total_variation(std::vector<double>{0, 2, -1, 1}), 7);
}

// A film in balance fades the hump of breakaway: at v_b and above only F_C, F_S exp(...) h-terms and viscosity are left,
// and just off rest both curves start at F_S of their direction.
TEST(Hydraulic, StaticCurveStartsAtStiction) {
  for (const bool film : {false, true}) {
    EXPECT_NEAR(tran::steady_force(1e-12, film), 830, 1);
    EXPECT_NEAR(tran::steady_force(-1e-12, film), -500, 1);
    EXPECT_NEAR(tran::steady_force(10, film), 210 + 3300, 1e-9);
  }
}

}  // namespace
}  // namespace stickslip::hydraulic_test
