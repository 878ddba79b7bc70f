/// A constant force changes nothing but the offset: the load of a vertical axis, a preloaded cylinder.
#include <gtest/gtest.h>

#include "identification/fit_data.hpp"
#include "identification/identify.hpp"
#include "identification/identify_recordings.hpp"
#include "support/cases.hpp"

namespace stickslip::offset_test {
namespace {

Sets shifted(Sets sets, double constant) {
  for (Piece& piece : sets.pieces)
    for (double& f : piece.data.force) f += constant;
  return sets;
}

double offset_of(const IdentifiedModel& m) {
  const double own = value_of(m, "offset");
  return std::isnan(own) ? m.chain.offset : own;
}

// The bound of the offset was three times the friction: with 200 N on 30 N of friction, 4110 % of the force was left.
TEST(Offset, AConstantForceChangesNothingElseInAnyModel) {
  const ParameterValues lugre{{"bristle_stiffness", 1e5}, {"bristle_damping", 100.0}, {"coulomb_force", 3.0},
                              {"stiction_force", 4.5},    {"viscosity", 40.0},        {"stribeck_velocity", 2e-3}};
  const Sets sets = recorded("lugre", lugre, {.count = 3000, .rests = true, .seed = 3}, 0.02);
  const std::vector<std::string> models{"coulomb", "coulomb-viscous", "stribeck",    "dahl", "lugre", "elastoplastic",
                                        "LG",      "NLR(2)",          "DNLRX(2,1,1)"};
  for (const std::string& model : models) {
    const IdentifyOptions options{.models = {model}};
    const IdentifiedModel without = identify(sets, options).models[0];
    for (const double constant : {-1e3, 200.0}) {
      const Identification found = identify(shifted(sets, constant), options);
      const IdentifiedModel& with = found.models[0];
      EXPECT_NEAR(with.test_rms, without.test_rms, 1e-4 * without.test_rms) << model << " " << constant;
      EXPECT_NEAR(offset_of(with) - constant, offset_of(without), 0.02) << model << " " << constant;
      ASSERT_EQ(with.confidence.estimates.size(), without.confidence.estimates.size());
      for (std::size_t i = 0; i < with.confidence.estimates.size(); ++i) {
        const Estimate &a = with.confidence.estimates[i], &b = without.confidence.estimates[i];
        if (a.key.find("offset") != std::string::npos || b.verdict == Determination::not_separable) continue;
        const double tolerance = std::max(0.05 * b.standard_error, 1e-4 * std::fabs(b.value));
        EXPECT_NEAR(a.value, b.value, tolerance) << model << " " << constant << " " << a.key;
      }
      for (const Estimate& e : with.confidence.estimates)
        if (e.key.find("offset") != std::string::npos) {
          EXPECT_GT(e.standard_error, 0) << model;
          EXPECT_LT(e.standard_error, 1) << model;
        }
    }
  }
}

// Everything that a search box is made of.
TEST(OffsetProperty, AConstantForceMovesNoScaleOfTheData) {
  const std::size_t count = test::cases(300);
  for (std::size_t k = 0; k < count; ++k) {
    Random random(k + 1);
    const double level = std::pow(10.0, 4 * random.uniform() - 2), constant = 2e3 * level * (random.uniform() - 0.5);
    const Sets sets = recorded("coulomb-viscous", {{"coulomb_force", level}, {"viscosity", 10 * level}},
                               {.count = 400, .rests = k % 2 == 0, .seed = k + 1}, 0.01 * level);
    const FitData plain = fit_data(sets), loaded = fit_data(shifted(sets, constant));
    const DataScales &a = plain.scales, &b = loaded.scales;
    const double rounding = 1e-9 * std::fabs(constant) + 1e-9 * level;
    ASSERT_EQ(a.one_way, b.one_way) << k;
    if (a.one_way) continue;
    ASSERT_NEAR(a.offset + constant, b.offset, rounding) << k;
    ASSERT_NEAR(a.force, b.force, rounding) << k;
    ASSERT_NEAR(a.level, b.level, rounding) << k;
    ASSERT_NEAR(a.slow_level, b.slow_level, rounding) << k;
    ASSERT_NEAR(a.fast_level, b.fast_level, rounding) << k;
    ASSERT_NEAR(a.stiffness, b.stiffness, 1e-6 * a.stiffness + rounding / a.half_range) << k;
    ASSERT_EQ(plain.pieces[0].releases.size(), loaded.pieces[0].releases.size()) << k;
  }
}

}  // namespace
}  // namespace stickslip::offset_test
