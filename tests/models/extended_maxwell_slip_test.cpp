#include "models/extended_maxwell_slip.hpp"

#include <gtest/gtest.h>

#include <random>

#include "motions.hpp"

namespace stickslip::extended_maxwell_slip_test {
using namespace stickslip::given_motions;

namespace {

const std::vector<double> thresholds{1e-5, 2e-5, 4e-5}, stiffnesses{3e4, 2e4, 1e4};

// n = 0 and no positions: Maxwell slip.
TEST(ExtendedMaxwellSlip, WithoutPastValuesItIsMaxwellSlip) {
  PrescribedMotion motion;
  for (int i = 0; i < 300; ++i) {
    motion.time.push_back(1e-3 * i);
    motion.position.push_back(6e-5 * std::sin(0.05 * i) + 2e-5 * std::sin(0.21 * i));
  }
  const auto one = make_friction("extended-maxwell-slip", ParameterValues{{"thresholds", thresholds},
                                                                          {"deflection_coefficients_0", stiffnesses},
                                                                          {"offset", 0.1},
                                                                          {"sampling_time", 1e-3}})
                       ->respond(motion);
  const auto other =
      make_friction("maxwell-slip",
                    ParameterValues{{"thresholds", thresholds}, {"stiffnesses", stiffnesses}, {"offset", 0.1}})
          ->respond(motion);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], other[i], 1e-13);
}

// The regression of Rizos 2005, written out with whole histories.
TEST(ExtendedMaxwellSlip, IsTheRegressionOfThePaper) {
  std::mt19937 random(3);
  std::normal_distribution<double> any;
  const std::vector<double> theta[3]{{3e4, 2e4, 1e4}, {-1e4, 5e3, 2e3}, {1e3, -2e3, 3e3}}, c{2e3, -1e3, 500};
  PrescribedMotion motion{{0}, {2e-5}, {}, {}};
  std::vector<std::array<double, 3>> delta{{}};
  for (int i = 1; i < 400; ++i) {
    motion.time.push_back(2e-3 * i);
    motion.position.push_back(0.98 * motion.position.back() + 6e-6 * any(random));
    auto next = delta.back();
    for (std::size_t k = 0; k < 3; ++k)
      next[k] = std::clamp(next[k] + motion.position.back() - motion.position[motion.position.size() - 2],
                           -thresholds[k], thresholds[k]);
    delta.push_back(next);
  }
  const auto force = make_friction("extended-maxwell-slip", ParameterValues{{"thresholds", thresholds},
                                                                            {"deflection_coefficients_0", theta[0]},
                                                                            {"deflection_coefficients_1", theta[1]},
                                                                            {"deflection_coefficients_2", theta[2]},
                                                                            {"position_coefficients", c},
                                                                            {"sampling_time", 2e-3}})
                         ->respond(motion);
  for (int i = 0; i < 400; ++i) {
    double expected = 0;
    for (int r = 0; r < 3; ++r) {
      const auto past = static_cast<std::size_t>(std::max(i - r, 0));  // at rest before the start
      expected += c[static_cast<std::size_t>(r)] * motion.position[past];
      for (std::size_t k = 0; k < 3; ++k) expected += theta[r][k] * delta[past][k];
    }
    EXPECT_NEAR(force[static_cast<std::size_t>(i)], expected, 1e-11) << i;
  }
}

// Samples given at another rate: every sampling instant on the way is taken, on the line between the points.
TEST(ExtendedMaxwellSlip, TakesItsOwnSamplesOfACoarserMotion) {
  const auto friction =
      make_friction("extended-maxwell-slip", ParameterValues{{"thresholds", thresholds},
                                                             {"deflection_coefficients_0", stiffnesses},
                                                             {"deflection_coefficients_1", stiffnesses},
                                                             {"sampling_time", 1e-3}});
  PrescribedMotion fine, coarse;
  for (int i = 0; i <= 100; ++i) {
    const double x = 1e-7 * (i < 50 ? 9 * i : 450 - 4 * (i - 50));
    fine.time.push_back(1e-3 * i), fine.position.push_back(x);
    if (i % 10 == 0) coarse.time.push_back(1e-3 * i), coarse.position.push_back(x);
  }
  const auto a = friction->respond(fine), b = friction->respond(coarse);
  for (std::size_t i = 0; i < b.size(); ++i) EXPECT_NEAR(b[i], a[10 * i], 1e-10);
}

TEST(ExtendedMaxwellSlip, InnerLoopCloses) {
  const auto friction = make_friction(
      "extended-maxwell-slip",
      ParameterValues{{"thresholds", thresholds}, {"deflection_coefficients_0", stiffnesses}, {"sampling_time", 1e-5}});
  EXPECT_NEAR(inner_loop_gap(*friction, 1e-5, 1e-2), 0, 1e-10);
}

// A mass on the sampled force: one event per sample, and with shorter samples the Maxwell-slip run.
TEST(ExtendedMaxwellSlip, AMassOnItApproachesMaxwellSlip) {
  Body body;
  body.drive = {DriveKind::wall_spring, 100, 20, 0, Signal::sine(2, 1)};
  SimulationOptions options;
  options.end = 1;
  const std::vector<double> wide{1e-3, 2e-3, 4e-3}, soft{300, 200, 100};
  const auto exact = make_friction("maxwell-slip", ParameterValues{{"thresholds", wide}, {"stiffnesses", soft}})
                         ->simulate(body, options);
  const auto error = [&](double sampling_time) {
    const auto run = make_friction("extended-maxwell-slip", ParameterValues{{"thresholds", wide},
                                                                            {"deflection_coefficients_0", soft},
                                                                            {"sampling_time", sampling_time}})
                         ->simulate(body, options);
    EXPECT_EQ(run.stop, Stop::finished) << run.message;
    EXPECT_NEAR(static_cast<double>(run.events.size()), 1 / sampling_time, 1.5);
    return std::fabs(run.position - exact.position);
  };
  const double coarse = error(1e-3), fine = error(1e-4);
  EXPECT_LT(fine, 1e-5);
  EXPECT_NEAR(coarse / fine, 10, 2);  // a held force is late by half a sample: first order
}

TEST(ExtendedMaxwellSlip, RefusesGapsAndUnequalLists) {
  EXPECT_EQ(
      refusal_of("extended-maxwell-slip", {{"thresholds", thresholds},
                                           {"deflection_coefficients_0", stiffnesses},
                                           {"deflection_coefficients_2", stiffnesses},
                                           {"sampling_time", 1e-3}}),
      "extended-maxwell-slip: deflection_coefficients_2 is given without deflection_coefficients_1; give every lag "
      "up to the last, zeros where it has none");
  EXPECT_EQ(
      refusal_of("extended-maxwell-slip", {{"thresholds", thresholds},
                                           {"deflection_coefficients_0", std::vector<double>{1, 2}},
                                           {"sampling_time", 1e-3}}),
      "extended-maxwell-slip: thresholds has 3 entries and deflection_coefficients_0 2; each element needs one of "
      "both");
}

TEST(ExtendedMaxwellSlip, DoubtsAnotherSamplingTime) {
  const auto friction = make_friction(
      "extended-maxwell-slip",
      ParameterValues{{"thresholds", thresholds}, {"deflection_coefficients_0", stiffnesses}, {"sampling_time", 1e-3}});
  Use use;
  EXPECT_TRUE(friction->doubts(use).empty());
  use.sampling_time = 2e-3;
  ASSERT_EQ(friction->doubts(use).size(), 1u);
  EXPECT_EQ(
      friction->doubts(use)[0],
      "the coefficients of extended-maxwell-slip belong to sampling_time = 0.001 s; it is used with samples every "
      "0.002 s");
}

}  // namespace

}  // namespace stickslip::extended_maxwell_slip_test
