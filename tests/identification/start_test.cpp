/// Numbers known from elsewhere as starts of a fit: IdentifyOptions::start.
#include <gtest/gtest.h>

#include "identification/identify_recordings.hpp"

namespace stickslip::start_test {
namespace {

using Start = std::vector<std::pair<std::string, double>>;

IdentifiedModel fitted(const Sets& sets, const std::string& model, const Start& start) {
  return identify(sets, {.models = {model}, .start = start}).models.at(0);
}

// Teeth of which the motion crosses two hundred: the cost has a narrow valley per tooth, and the search ends in that of three teeth. A
// distance that is nearly known lies in the right one.
TEST(Start, ANarrowValleyIsFound) {
  const double spacing = 1.1e-4;
  const Sets sets = recorded("bristle-sawtooth", {{"low_force", 1.0}, {"high_force", 4.0}, {"spacing", spacing}},
                             {.count = 12000, .sampling_time = 5e-4, .reach = 2e-2});
  EXPECT_GT(fitted(sets, "bristle-sawtooth", {}).validation.noe, 1) << "the search finds it: choose a harder one";
  const IdentifiedModel m = fitted(sets, "bristle-sawtooth", {{"spacing", spacing * (1 + 2e-5)}});
  EXPECT_LT(m.validation.noe, 1e-6);
  EXPECT_NEAR(value_of(m, "spacing"), spacing, 1e-6 * spacing);
}

// Less than the recording can show: the nearest value is taken, and said.
TEST(Start, OneOutsideOfWhatIsSearchedIsSaid) {
  const Sets sets = recorded("bristle-sawtooth", {{"low_force", 1.0}, {"high_force", 4.0}, {"spacing", 1.3e-4}}, {});
  const IdentifiedModel m = fitted(sets, "bristle-sawtooth", {{"spacing", 1e-9}});
  EXPECT_LT(m.validation.noe, 1e-6);
  ASSERT_EQ(m.remarks.size(), 1u);
  EXPECT_EQ(
      m.remarks[0],
      "the given start of spacing, 1 nm, is outside of what is searched, 8.78 um to 2 mm; the nearest value was taken");
}

// A start is one more: a bad one, springs of another number, and numbers of other laws change nothing that shows.
TEST(Start, AWrongOneDoesNoHarm) {
  const Sets sets = recorded(
      "stribeck", {{"coulomb_force", 3.0}, {"stiction_force", 4.5}, {"stribeck_velocity", 2e-3}, {"viscosity", 40.0}},
      {.rests = true}, 0.01);
  const double plain = fitted(sets, "stribeck", {}).estimation_rms;
  EXPECT_NEAR(fitted(sets, "stribeck", {{"coulomb_force", 4.0}, {"stribeck_velocity", 1e-5}}).estimation_rms, plain,
              1e-6 * plain);
  EXPECT_EQ(fitted(sets, "stribeck", {{"spacing", 1e-5}}).estimation_rms, plain);
  const double springs = fitted(sets, "maxwell-slip(3)", {}).estimation_rms;
  EXPECT_EQ(fitted(sets, "maxwell-slip(3)", {{"thresholds[1]", 1e-5}, {"thresholds[2]", 1e-4}}).estimation_rms,
            springs);
}

TEST(Start, OneThatNoModelCanUseIsSaid) {
  const Sets sets = recorded("coulomb", {{"coulomb_force", 3.0}}, {.rests = true});
  const Identification found = identify(sets, {.models = {"coulomb"}, .start = {{"spacing", 1e-5}}});
  ASSERT_EQ(found.warnings.size(), 1u);
  EXPECT_EQ(found.warnings[0], "the given start is of no use: no model that is fitted has its parameters");
}

}  // namespace
}  // namespace stickslip::start_test
