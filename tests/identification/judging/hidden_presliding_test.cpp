#include "identification/judging/hidden_presliding.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "generate/generate.hpp"
#include "recording/preparation/prepare.hpp"

namespace stickslip::hidden_presliding_test {
namespace {

IdentifiedModel law(const std::string& model, ParameterValues values) {
  IdentifiedModel m;
  m.model = m.label = model;
  m.settings.values = std::move(values);
  return m;
}
IdentifiedModel lugre(double stiffness, double viscosity = 120) {
  return law("lugre", {{"bristle_stiffness", stiffness},
                       {"bristle_damping", 0.0},
                       {"viscosity", viscosity},
                       {"coulomb_force", 20.0},
                       {"stiction_force", 30.0},
                       {"stribeck_velocity", 8e-3}});
}
const IdentifiedModel stribeck = law(
    "stribeck", {{"coulomb_force", 20.0}, {"stiction_force", 30.0}, {"stribeck_velocity", 8e-3}, {"viscosity", 120.0}});

constexpr SeenMotion seen{.resolution = 10e-6, .slowest = 1e-3, .fastest = 0.2};

// Pulled slowly, LuGre's force is F_S (1 - exp(-sigma_0 x / F_S)): 63 % of it after F_S / sigma_0.
TEST(HiddenPresliding, IsWhereTheForceHasBuiltUpWithinFourCounts) {
  constexpr double a_sixteenth = 1.0 / 16;
  for (const double stiffness : {0.8e6, 1.5e6, 3e6, 20e6})
    EXPECT_NEAR(hidden_presliding(lugre(stiffness), seen), 30 / stiffness / seen.resolution, a_sixteenth) << stiffness;
  EXPECT_EQ(hidden_presliding(lugre(0.7e6), seen), 0) << "4.3 counts";
  EXPECT_EQ(hidden_presliding(lugre(1.5e6), {1e-6, 1e-3, 0.2}), 0) << "20 counts";
  EXPECT_EQ(hidden_presliding(lugre(1.5e6), {0, 1e-3, 0.2}), 0) << "no resolution is seen";
  EXPECT_EQ(hidden_presliding(stribeck, seen), 0) << "truly sticks";
  // One spring that slips: a straight line to its threshold.
  const IdentifiedModel spring =
      law("maxwell-slip", {{"thresholds", std::vector<double>{25e-6}}, {"stiffnesses", std::vector<double>{1e6}}});
  EXPECT_NEAR(hidden_presliding(spring, seen), 0.632 * 2.5, a_sixteenth);
}

TEST(HiddenPresliding, LawsThatDifferThereAloneCannotBeTold) {
  EXPECT_TRUE(only_presliding_differs(stribeck, lugre(1.5e6), seen));
  EXPECT_FALSE(only_presliding_differs(stribeck, lugre(1.5e6), {1e-6, 1e-3, 0.2})) << "a finer encoder tells";
  EXPECT_FALSE(only_presliding_differs(stribeck, lugre(1.5e6, 240), seen)) << "twice the viscosity";
  EXPECT_FALSE(
      only_presliding_differs(stribeck, law("dahl", {{"bristle_stiffness", 1.5e6}, {"coulomb_force", 30.0}}), seen))
      << "no Stribeck drop";
  EXPECT_FALSE(only_presliding_differs(lugre(1.5e6), lugre(1.5e6), seen)) << "nothing here truly sticks";
  EXPECT_FALSE(only_presliding_differs(stribeck, stribeck, seen));
}

// The axis has bristles that give way by two counts of its encoder: a Stribeck law was recommended, and nothing said that bristles are possible.
TEST(HiddenPresliding, ACoarseEncoderDoesNotRuleBristlesOut) {
  GenerateOptions how;
  how.seed = 1;
  how.sensor = Sensor{.noise = 0.2, .resolution = 10e-6, .seed = 1};
  const Generated g = generate("servo-axis", how);
  Recording r;
  r.time = g.table.columns.at(0).values, r.position = g.table.columns.at(1).values;
  r.force = g.table.columns.at(2).values;
  IdentifyOptions options;
  options.models = {"lugre", "stribeck", "dahl"};
  options.twins = 0, options.all_profiles = false;
  const Identification found = identify(split_in_rounds(prepare(r, {.mass = g.mass})), options);
  const IdentifiedModel& best = found.models[found.recommended];
  ASSERT_EQ(best.label, "stribeck");
  EXPECT_EQ(found.not_separable, std::vector<std::string>{"lugre"});
  EXPECT_TRUE(std::any_of(best.remarks.begin(), best.remarks.end(), [](const std::string& remark) {
    return remark.find("in steps of 10 um: lugre gives way by") != std::string::npos;
  }));
}

}  // namespace
}  // namespace stickslip::hidden_presliding_test
