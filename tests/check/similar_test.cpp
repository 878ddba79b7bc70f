/// A parameter set meets the rig at the rig's scales: the verdicts do not depend on the units it is written in.
#include "check/similar.hpp"

#include <gtest/gtest.h>

#include "check/reference_sets.hpp"
#include "check/scorecard.hpp"
#include "core/error.hpp"

namespace stickslip::similar_test {
namespace {

// The reference set itself is its own size: 1.5 N, and presliding of some ten micrometres.
TEST(Similar, ReferenceSetsAreOfTheRigsSize) {
  for (const char* name : {"lugre", "maxwell-slip", "coulomb", "stribeck", "dahl"}) {
    FrictionSettings settings;
    settings.values = reference_values(find_model(name).description());
    const Similarity s = similarity_of(*make_friction(name, settings));
    EXPECT_GT(s.force, 0.6) << name;
    EXPECT_LT(s.force, 1.1) << name;
    EXPECT_GT(s.length, 0.3) << name;
    EXPECT_LT(s.length, 4) << name;
  }
}

// A friction made ten times as strong, a thousand times as long and seven times as slow is similar to the one it came from.
TEST(Similar, UndoesAChangeOfScale) {
  FrictionSettings settings;
  settings.values = reference_values(find_model("lugre").description());
  const auto small = make_friction("lugre", settings);
  const Similarity s = similarity_of(*small);
  const Similarity larger{1 / 10.0, 1 / 1000.0, 1 / 7.0};
  const auto large = make_friction("lugre", on_the_rig(*small, larger));
  const Similarity t = similarity_of(*large);
  EXPECT_NEAR(t.force / s.force, 10, 1e-6);
  EXPECT_NEAR(t.length / s.length, 1000, 1e-6);
  EXPECT_NEAR(t.time / s.time, 7, 1e-6);
  const auto back = on_the_rig(*large, t), there = on_the_rig(*small, s);
  ASSERT_EQ(back.values.size(), there.values.size());
  for (std::size_t i = 0; i < back.values.size(); ++i) {
    const auto* x = std::get_if<double>(&back.values[i].second);
    if (x) {
      EXPECT_NEAR(*x, std::get<double>(there.values[i].second), 1e-9 * std::abs(*x)) << back.values[i].first;
    }
  }
}

TEST(Similar, VerdictsOfAScaledSetAreThoseOfTheModel) {
  FrictionSettings settings;
  settings.values = {{"thresholds", std::vector{1e-3, 2e-3, 3e-3}}, {"stiffnesses", std::vector{2e4, 1e4, 5e3}}};
  Progress progress("check", false, stderr);
  const SetScore found = measure_set(*make_friction("maxwell-slip", settings), progress);
  EXPECT_EQ(found.score["presliding"].verdict, Verdict::yes);
  EXPECT_GT(found.score["presliding"].number, 1e-3);
  EXPECT_LT(found.score["presliding"].number, 3e-3);
  EXPECT_EQ(found.score["memory"].verdict, Verdict::yes);
  EXPECT_EQ(found.score["drift"].verdict, Verdict::yes);
  EXPECT_EQ(found.score["stribeck"].verdict, Verdict::no);
}

TEST(Similar, LevelsThatFollowTheLoadAreRefused) {
  FrictionSettings settings;
  settings.values = {{"coulomb_force", 1.0}};
  settings.variations = {{"coulomb_force", Quantity::load, {0, 0.1}, {}, {}}};
  try {
    on_the_rig(*make_friction("coulomb", settings), {});
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "coulomb_force follows load; the scorecard's rig has none: give the values at one operating point");
  }
}

}  // namespace
}  // namespace stickslip::similar_test
