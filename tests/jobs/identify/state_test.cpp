/// A resumed run has everything that the state stores; if something were missing, its results would differ from those of an uninterrupted run.
#include "jobs/identify/state.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/number_signature.hpp"
#include "machines/friction/model_file.hpp"

namespace stickslip::state_test {
namespace {

IdentifiedModel candidate() {
  IdentifiedModel m;
  const ModelFile file = parse_model_file(
      "[friction]\nmodel = \"coulomb-viscous\"\ncoulomb_force = \"20 N\"\nviscosity = \"100 N s/m\"\n", "m.toml");
  m.model = file.model, m.label = "coulomb-viscous", m.settings = file.settings;
  m.parameters = 2, m.whiteness = 0.25, m.mass_shift = -0.125, m.lag_shift = 2e-4, m.lag_error = 1e-5, m.left_out = 7;
  m.remarks = {"a remark"}, m.advice = {"an advice"};
  m.confidence.estimates = {
      {"coulomb_force", 20, 1, 18, 22, Determination::well_determined, "", "viscosity", -0.75},
      {"viscosity", 100, 9, 80, 120, Determination::not_separable, "coulomb_force", "coulomb_force", -0.75}};
  m.confidence.covariance = Covariance(2);
  m.confidence.covariance(0, 1) = -6.75;
  m.profiles.push_back({"viscosity", {{90, 1.5}, {100, 1}, {110, 1.5}}, 85, 115, false, true});
  return m;
}

TEST(State, KeepsWhatTheResultsAreMadeOf) {
  const IdentifiedModel m = candidate(), again = candidate_from(candidate_text(m, MotionKind::linear));
  EXPECT_EQ(again.mass_shift, m.mass_shift);  // --mass find decides by it
  EXPECT_EQ(again.lag_shift, m.lag_shift);
  EXPECT_EQ(again.lag_error, m.lag_error);
  EXPECT_EQ(again.left_out, m.left_out);
  ASSERT_EQ(again.confidence.estimates.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const Estimate &here = again.confidence.estimates[i], &there = m.confidence.estimates[i];
    EXPECT_EQ(here.verdict, there.verdict);
    EXPECT_EQ(here.partner, there.partner);
    EXPECT_EQ(here.companion, there.companion);  // "moves with viscosity"
    EXPECT_EQ(here.companion_correlation, there.companion_correlation);
  }
  EXPECT_EQ(again.confidence.covariance(0, 1), -6.75);
  ASSERT_EQ(again.profiles.size(), 1u);
  EXPECT_FALSE(again.profiles[0].ends_below);  // "open downwards"
  EXPECT_TRUE(again.profiles[0].ends_above);
  EXPECT_EQ(candidate_text(again, MotionKind::linear), candidate_text(m, MotionKind::linear));
}

// 2148039230469515509760 is as short as 2.1480392304695155e+21, but as TOML an integer that no 64 bits hold: the state of a law whose
// parameter the recording does not tell at all could not be read.
TEST(State, AVarianceBeyondAllIntegersIsReadAgain) {
  IdentifiedModel m = candidate();
  m.confidence.covariance(0, 0) = 2148039230469515509760.0;
  m.confidence.covariance(1, 1) = -9.3e18;
  const IdentifiedModel again = candidate_from(candidate_text(m, MotionKind::linear));
  EXPECT_EQ(again.confidence.covariance(0, 0), 2148039230469515509760.0);
  EXPECT_EQ(again.confidence.covariance(1, 1), -9.3e18);
}

// A state is a file: whatever it contains, it is accepted or refused in one line.
TEST(State, DamageIsRefusedByName) {
  const std::string whole = state_text("key-1", {candidate()}, MotionKind::linear);
  EXPECT_EQ(parse_state(whole, "a.state", "key-1").size(), 1u);
  const std::string head = "key = \"key-1\"\nmachine = \"" + number_signature() + "\"\n";
  for (const std::string& text :
       {head + "candidate = 3\n", head + "[[candidate]]\nstate = 3\n", head + "candidate = [1]\n",
        head + "[candidate]\n", whole.substr(0, whole.find("verdict")) + "verdict = [9, 9]\n"})
    EXPECT_THROW(parse_state(text, "a.state", "key-1"), Error) << text;
}

}  // namespace
}  // namespace stickslip::state_test
