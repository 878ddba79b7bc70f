/// Every registered model gets a reference set that makes sense, and the declared curves are those of the papers.
#include "check/reference_sets.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace stickslip::reference_sets_test {
namespace {

TEST(ReferenceSets, EveryModelAcceptsIts) {
  for (const auto* model : registered_models())
    EXPECT_NO_THROW(make_friction(model->description().name, reference_values(model->description())))
        << model->description().name;
}

// An unknown model: usual keys get usual values, others the middle of the search range.
TEST(ReferenceSets, ANewModelNeedsNoWordHere) {
  ModelDescription d;
  d.name = "new";
  ParameterDescription usual, other, preset;
  usual.key = "coulomb_force";
  other.key = "something_else";
  other.low = 1e-4, other.high = 1, other.scale = Scale::logarithmic;
  preset.key = "exponent";
  preset.preset = 2;
  d.parameters = {usual, other, preset};
  const ParameterValues values = reference_values(d);
  ASSERT_EQ(values.size(), 2u);
  EXPECT_EQ(std::get<double>(values[0].second), reference::coulomb_force);
  EXPECT_NEAR(std::get<double>(values[1].second), 1e-2, 1e-12);
}

TEST(ReferenceSets, DeclaredLevels) {
  const auto level = [](const char* name, double v) {
    return declared_level(*make_friction(name, reference_values(find_model(name).description())), v);
  };
  EXPECT_NEAR(level("lugre", 1e-3), 1 + 0.5 / std::exp(1.0) + 0.4e-3, 1e-12);  // at v_S
  EXPECT_NEAR(level("hybrid-hysteresis", 1e-9), 1.5, 1e-9);                    // Σ k_i Δ_i
  EXPECT_NEAR(level("modified-lugre", 5e-3), 1 + 0.4 * 5e-3, 1e-9);            // from v_b on it is F_C
  EXPECT_NEAR(level("lugre-bristle", 1e-3), 1 + 0.5 / std::exp(1.0), 1e-5);
  EXPECT_NEAR(level("speed-table", 2.5e-3), 0.9, 1e-12);     // half way from 1 to 0.8
  EXPECT_NEAR(level("compensated", 0.5e-3), 0.6002, 1e-12);  // 0.4 of 0.8 taken over
  EXPECT_TRUE(std::isnan(level("coulomb", 1e-3)));
  EXPECT_TRUE(std::isnan(level("maxwell-slip", 1e-3)));
}

}  // namespace
}  // namespace stickslip::reference_sets_test
