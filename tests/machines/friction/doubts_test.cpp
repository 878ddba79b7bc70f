/// Warnings of friction laws in the units of the machine; see doubts.hpp.
#include "machines/friction/doubts.hpp"

#include <gtest/gtest.h>

#include "machines/friction/friction.hpp"

namespace stickslip::doubts_test {
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A warning of the same law and use about each kind of machine.
struct Warned {
  std::string linear, rotary;
};
Warned warned(const Friction& friction, const Use& use = {}) {
  const auto linear = doubts_about(friction, use, MotionKind::linear);
  const auto rotary = doubts_about(friction, use, MotionKind::rotary);
  EXPECT_EQ(linear.size(), 1u);
  EXPECT_EQ(rotary.size(), 1u);
  return {linear.empty() ? "" : linear[0], rotary.empty() ? "" : rotary[0]};
}

TEST(Doubts, ATableThatEndsFallingNamesTheSpeedInTheUnitOfTheMachine) {
  const auto falling =
      make_friction("speed-table", {{"speeds", std::vector<double>{0, 0.1}}, {"levels", std::vector<double>{2, 1}}});
  const Warned w = warned(*falling);
  EXPECT_TRUE(contains(w.linear, "zero at 0.2 m/s and")) << w.linear;
  EXPECT_TRUE(contains(w.rotary, "zero at 0.2 rad/s and")) << w.rotary;
}

// LuGre's condition of passivity is a sentence of four laws.
TEST(Doubts, PassivityIsStatedInTheUnitOfTheMachine) {
  const ParameterValues shared{{"bristle_damping", 1000.0},
                               {"viscosity", 1.0},
                               {"coulomb_force", 10.0},
                               {"stiction_force", 15.0},
                               {"stribeck_velocity", 0.01}};
  const auto with = [&](ParameterValues more) {
    more.insert(more.end(), shared.begin(), shared.end());
    return more;
  };
  const ParameterValues spring{{"bristle_stiffness", 1e5}};
  const std::vector<std::pair<std::string, ParameterValues>> laws{
      {"lugre", with(spring)},
      {"elastoplastic", with({{"bristle_stiffness", 1e5}, {"elastic_limit", 5e-5}})},
      {"modified-lugre", with({{"bristle_stiffness", 1e5},
                               {"film_velocity", 0.05},
                               {"growing_time", 0.25},
                               {"thinning_time", 1.5},
                               {"rest_time", 40.0}})},
      {"leuven", with({{"thresholds", std::vector<double>{1.0}}, {"stiffnesses", std::vector<double>{1e5}}})}};
  for (const auto& [law, values] : laws) {
    SCOPED_TRACE(law);
    const Warned w = warned(*make_friction(law, values));
    EXPECT_TRUE(contains(w.linear, " N s/m; viscosity is 1 N s/m,")) << w.linear;
    EXPECT_TRUE(contains(w.rotary, " N m s/rad; viscosity is 1 N m s/rad,")) << w.rotary;
    EXPECT_FALSE(contains(w.rotary, "N s/m")) << w.rotary;
  }
}

}  // namespace
}  // namespace stickslip::doubts_test
