#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "pulled_mass_rig.hpp"
#include "support/places.hpp"

namespace stickslip::example_model_test {
namespace {
using namespace pulled_mass_rig;

std::string text_of(const std::string& path) {
  std::ifstream file(source_dir() + "/" + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// m dv/dt = −F_C − c v² from v₀ ends at t = m/√(F_C c) atan(v₀ √(c/F_C)), after (m/2c) ln(1 + c v₀²/F_C).
TEST(ExampleModel, OneFileAndOneWordMakeAModelThatRuns) {
  Body body = forced(Signal(0.0));
  body.mass = 2;
  body.velocity = 3;
  const auto friction = make_friction("coulomb-drag", ParameterValues{{"coulomb_force", 1.5}, {"drag", 0.6}});
  const auto run = friction->simulate(body, until(10));
  const auto sticks = events(run, EventKind::stick);
  ASSERT_EQ(sticks.size(), 1u);
  EXPECT_NEAR(sticks[0].time, 2 / std::sqrt(1.5 * 0.6) * std::atan(3 * std::sqrt(0.6 / 1.5)), 1e-9);
  EXPECT_NEAR(sticks[0].position, 2 / 1.2 * std::log(1 + 0.6 * 9 / 1.5), 1e-9);
}

TEST(ExampleModel, IsRefusedAndDescribedFromItsTableLikeAnyOther) {
  EXPECT_EQ(refusal_of([] {
              make_friction("coulomb-drag", ParameterValues{{"coulomb_force", 1.0}, {"drag", -0.1}});
            }),
            "coulomb-drag: drag is -0.1 N s^2/m^2; it must be zero or positive");
  EXPECT_EQ(registered_models().back()->description().name, "coulomb-drag");
}

// The text people copy is the text that is compiled.
TEST(ExampleModel, ContributingShowsExactlyTheFileThatIsCompiled) {
  const std::string example = text_of("tests/models/example_model/coulomb_drag.hpp");
  ASSERT_GT(example.size(), 500u);
  EXPECT_NE(text_of("CONTRIBUTING.md").find("```cpp\n" + example + "```\n"), std::string::npos)
      << "copy tests/models/example_model/coulomb_drag.hpp into CONTRIBUTING.md";
}

}  // namespace
}  // namespace stickslip::example_model_test
