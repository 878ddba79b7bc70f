#include "identification/identify.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "identification/identify_recordings.hpp"

namespace stickslip {
namespace {

const ParameterValues stribeck_values{
    {"coulomb_force", 3.0}, {"stiction_force", 4.5}, {"stribeck_velocity", 2e-3}, {"viscosity", 40.0}};
const ParameterValues lugre_values{{"bristle_stiffness", 1e5}, {"bristle_damping", 100.0}, {"coulomb_force", 3.0},
                                   {"stiction_force", 4.5},    {"viscosity", 40.0},        {"stribeck_velocity", 2e-3}};
const ParameterValues light_stribeck{// within what the springs carry
                                     {"coulomb_force", 3.0},
                                     {"stiction_force", 3.5},
                                     {"stribeck_velocity", 2e-3},
                                     {"viscosity", 40.0}};
const std::vector<double> springs{5e4, 2e4, 1e4}, limits{2e-5, 6e-5, 1.5e-4};

ParameterValues with(ParameterValues values, const ParameterValues& more) {
  values.insert(values.end(), more.begin(), more.end());
  return values;
}

struct KnownModel {
  std::string model, asked;
  ParameterValues values;
  bool rests = false;
  std::vector<std::pair<std::string, double>> fixed{};
};

void PrintTo(const KnownModel& k, std::ostream* out) { *out << k.model; }

// Without noise the model that made the force is found again: the error is that of arithmetic, the numbers are equal.
// Not asked for: bristle (its count is geometry), extended-maxwell-slip (its
// thresholds come back in maxwell_fit_test; its factors are many for one force), lugre-bristle (below).
class EveryModel : public testing::TestWithParam<KnownModel> {};

TEST_P(EveryModel, ItsOwnRecordingGivesItBack) {
  const KnownModel& known = GetParam();
  const Sets sets = recorded(known.model, known.values, {.rests = known.rests});
  const Identification found = identify(sets, {.models = {known.asked}, .fixed = known.fixed});
  ASSERT_EQ(found.models.size(), 1u);
  const IdentifiedModel& m = found.models[0];
  EXPECT_LT(m.validation.noe, 1e-10);
  EXPECT_TRUE(m.complete);
  for (const auto& [key, value] : known.values) {
    if (!std::holds_alternative<double>(value) || std::isnan(value_of(m, key))) continue;
    const double truth = std::get<double>(value);
    EXPECT_NEAR(value_of(m, key), truth, 1e-5 * std::fabs(truth) + 1e-12) << key;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Identify, EveryModel,
    testing::Values(
        KnownModel{"coulomb", "coulomb", {{"coulomb_force", 3.0}}, true},
        KnownModel{"coulomb-viscous", "coulomb-viscous", {{"coulomb_force", 3.0}, {"viscosity", 40.0}}, true},
        KnownModel{"stribeck", "stribeck", stribeck_values, true},
        KnownModel{"karnopp", "karnopp", with(stribeck_values, {{"band", 1e-5}}), true, {{"band", 1e-5}}},
        KnownModel{"dahl", "dahl", {{"bristle_stiffness", 1e5}, {"coulomb_force", 3.0}, {"viscosity", 40.0}}},
        KnownModel{"bliman-sorine",
                   "bliman-sorine",
                   {{"fast_force", 5.0}, {"slow_force", 2.0}, {"sliding_length", 5e-5}, {"length_ratio", 0.2}}},
        KnownModel{"lugre", "lugre", lugre_values},
        KnownModel{"elastoplastic", "elastoplastic", with(lugre_values, {{"elastic_limit", 1e-5}})},
        KnownModel{"maxwell-slip", "maxwell-slip(3)", {{"thresholds", limits}, {"stiffnesses", springs}}},
        KnownModel{
            "generalized-maxwell-slip", "generalized-maxwell-slip(3)",
            with(stribeck_values,
                 {{"stiffnesses", springs}, {"shares", std::vector<double>{0.3, 0.3, 0.4}}, {"attraction", 100.0}})},
        KnownModel{"leuven", "leuven(3)", with(light_stribeck, {{"thresholds", limits}, {"stiffnesses", springs}})},
        KnownModel{"hybrid", "hybrid", stribeck_values, true},
        KnownModel{"hybrid-numerical", "hybrid-numerical",
                   with(stribeck_values, {{"entry_speed", 1e-4}, {"exit_speed", 5e-5}, {"fading_rate", 6e3}}), true},
        KnownModel{"hybrid-presliding", "hybrid-presliding",
                   with(stribeck_values, {{"presliding_limit", 5e-5}, {"damping_ratio", 0.2}})},
        KnownModel{"hybrid-dwell", "hybrid-dwell",
                   with(stribeck_values, {{"stiction_limit", 6.0}, {"dwell_time", 0.1}}), true},
        KnownModel{"hybrid-hysteresis",
                   "hybrid-hysteresis(3)",
                   {{"thresholds", limits},
                    {"stiffnesses", springs},
                    {"coulomb_force", 2.5},
                    {"stribeck_velocity", 2e-3},
                    {"viscosity", 40.0},
                    {"damping_ratio", 0.01}}},
        KnownModel{"hybrid-preisach", "hybrid-preisach",
                   with(stribeck_values, {{"presliding_limit", 5e-5}, {"damping_ratio", 0.2}})},
        KnownModel{"modified-lugre", "modified-lugre",
                   with(lugre_values,
                        {{"film_velocity", 5e-3}, {"growing_time", 0.1}, {"thinning_time", 0.3}, {"rest_time", 1.0}}),
                   true},
        KnownModel{
            "bristle-sawtooth", "bristle-sawtooth", {{"low_force", 1.0}, {"high_force", 4.0}, {"spacing", 1.3e-4}}}));

// Only combinations of height, hinge and angles show while the angles are small: the force is exact, the numbers not.
TEST(Identify, BristleAnglesAreSeenOnlyInCombination) {
  const Sets sets = recorded("lugre-bristle",
                             {{"bristle_height", 1e-2},
                              {"hinge_stiffness", 0.1},
                              {"gain", 100.0},
                              {"coulomb_angle", 0.3},
                              {"stribeck_angle", 0.2},
                              {"stribeck_rate", 0.2}},
                             {});
  const IdentifiedModel m = identify(sets, {.models = {"lugre-bristle"}}).models[0];
  EXPECT_LT(m.validation.noe, 1e-8);
  EXPECT_NEAR(value_of(m, "hinge_stiffness") * value_of(m, "coulomb_angle") / value_of(m, "bristle_height"), 3, 1e-3);
}

}  // namespace
}  // namespace stickslip
