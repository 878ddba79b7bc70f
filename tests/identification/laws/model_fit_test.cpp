/// What the general fit relies on: the numbers that a force is linear in, solved at once.
#include "identification/laws/model_fit.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "identification/identify_recordings.hpp"
#include "identification/laws/random_space.hpp"
#include "models/random_models.hpp"

namespace stickslip::model_fit_test {
namespace {

class EveryModelSolved : public testing::TestWithParam<const RegisteredModel*> {};

/// A recording of LuGre friction with rests, of which every model explains something.
const FitData& lugre_recording() {
  static const Sets sets = recorded("lugre",
                                    {{"bristle_stiffness", 2e5},
                                     {"bristle_damping", 200.0},
                                     {"viscosity", 40.0},
                                     {"coulomb_force", 5.0},
                                     {"stiction_force", 8.0},
                                     {"stribeck_velocity", 2e-3}},
                                    {.count = 3000, .rests = true}, 0.05);
  static const FitData data = fit_data(sets);
  return data;
}

// The cost that is said to be left is that of a pass through the samples with the numbers found, and no number is worse than before.
TEST_P(EveryModelSolved, CostThatIsLeftIsThatOfTheSamples) {
  const FitData& data = lugre_recording();
  random_models::Random random(3);
  int solved = 0;
  for (int draw = 0; draw < 12; ++draw) {
    const auto drawn = random_space(random, *GetParam(), data.scales, draw);
    if (!drawn) continue;
    std::vector<double> y = drawn->y;
    const ModelResiduals residuals(drawn->space, data);
    Eigen::VectorXd r;
    if (!residuals(y, r)) continue;
    const double before = r.squaredNorm();
    LinearInside inside(residuals, solved_unknowns(drawn->space));
    const double left = inside(y);
    EXPECT_LE(left, before) << "draw " << draw;
    ASSERT_TRUE(residuals(y, r)) << "draw " << draw;
    EXPECT_NEAR(left, r.squaredNorm(), 1e-8 * r.squaredNorm() + 1e-13 * before) << "draw " << draw;
    solved += left < before;
  }
  EXPECT_GT(solved, 0);
}

// Residuals keep what the law said last: whatever was asked before, they are those of an object that was never asked.
TEST_P(EveryModelSolved, WhatWasAskedBeforeChangesNothing) {
  const FitData& data = lugre_recording();
  random_models::Random random(5);
  int compared = 0;
  for (int draw = 0; draw < 6; ++draw) {
    SpaceOptions options;
    options.start = random_models::draw(random, *GetParam());
    options.find_lag = draw % 2 == 1;
    options.find_backlash = draw % 3 == 2;
    const ModelSpace space(*GetParam(), data.scales, options);
    const ModelResiduals asked(space, data);
    std::vector<double> y = space.guess();
    for (int step = 0; step < 12; ++step) {
      // One coordinate, now and then none; those of the path to the force come last and leave the law as it is.
      const std::size_t k = step % 2 == 0 ? y.size() - 1 : static_cast<std::size_t>(step * 5 + draw) % y.size();
      const Unknown& u = space.unknowns()[k];
      if (step % 4 != 3)
        y[k] = std::clamp(y[k] + u.spread * random_models::uniform(random, -0.1, 0.1), u.lowest(), u.highest());
      const ModelResiduals fresh(space, data);
      std::vector<std::size_t> exact;
      for (std::size_t i = 0; i < y.size(); ++i)
        if (fresh.has_slopes(i)) exact.push_back(i);
      Eigen::VectorXd r, expected;
      Eigen::MatrixXd slopes, expected_slopes;
      const bool slopes_first = step % 3 == 1;
      if (slopes_first) asked.slopes(y, exact, slopes);
      const bool is_finite = asked(y, r);
      ASSERT_EQ(is_finite, fresh(y, expected));
      if (!is_finite) continue;
      if (!slopes_first) asked.slopes(y, exact, slopes);
      ModelResiduals(space, data).slopes(y, exact, expected_slopes);
      EXPECT_EQ((r - expected).lpNorm<Eigen::Infinity>(), 0) << "draw " << draw << " step " << step;
      EXPECT_EQ((slopes - expected_slopes).lpNorm<Eigen::Infinity>(), 0) << "draw " << draw << " step " << step;
      ++compared;
    }
  }
  EXPECT_GT(compared, 0);
}

INSTANTIATE_TEST_SUITE_P(Models, EveryModelSolved, testing::ValuesIn(registered_models()), [](const auto& info) {
  std::string name = info.param->description().name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace stickslip::model_fit_test
