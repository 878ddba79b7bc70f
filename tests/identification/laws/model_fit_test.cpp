/// What the general fit relies on: the numbers that a force is linear in, solved at once.
#include "identification/laws/model_fit.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "identification/identify_recordings.hpp"
#include "models/random_models.hpp"

namespace stickslip {
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
    SpaceOptions options;
    options.start = random_models::draw(random, *GetParam());
    options.find_lag = draw % 3 == 1;
    options.per_direction = draw % 3 == 2;
    std::optional<ModelSpace> space;
    try {
      space.emplace(*GetParam(), data.scales, options);
    } catch (const Error&) {  // not per direction
      continue;
    }
    std::vector<double> y = space->guess();
    for (std::size_t k = 0; k < y.size(); ++k) {
      const Unknown& u = space->unknowns()[k];
      y[k] = std::clamp(y[k] + u.spread * random_models::uniform(random, -0.3, 0.3), u.lowest(), u.highest());
    }
    const ModelResiduals residuals(*space, data);
    Eigen::VectorXd r;
    if (!residuals(y, r)) continue;
    const double before = r.squaredNorm();
    LinearInside inside(residuals, solved_unknowns(*space));
    const double left = inside(y);
    EXPECT_LE(left, before) << "draw " << draw;
    ASSERT_TRUE(residuals(y, r)) << "draw " << draw;
    EXPECT_NEAR(left, r.squaredNorm(), 1e-8 * r.squaredNorm() + 1e-13 * before) << "draw " << draw;
    solved += left < before;
  }
  EXPECT_GT(solved, 0);
}

INSTANTIATE_TEST_SUITE_P(Models, EveryModelSolved, testing::ValuesIn(registered_models()), [](const auto& info) {
  std::string name = info.param->description().name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace stickslip
