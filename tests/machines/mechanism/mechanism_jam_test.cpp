/// Where the problem of what rests in a general machine has no answer, or its search does not end: wherever that is, the run says so. The
/// search is cut short here (Mechanism::most_rounds): one round answers only what holds as it was guessed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "machines/friction/sticking_levels.hpp"
#include "machines/mechanism/mechanism.hpp"

namespace stickslip::mechanism_jam_test {
namespace {

std::shared_ptr<const StickingLaw> level(double sliding) {
  return std::make_shared<StribeckLevels>(sliding, sliding, 1, 2);
}
MechanismRun run_of(const Mechanism& m, double end, std::size_t most_rounds) {
  Mechanism limited = m;
  limited.most_rounds = most_rounds;
  SimulationOptions options;
  options.end = end;
  return simulate(limited, options);
}
bool warns(const MechanismRun& run, const std::string& begin) {
  return std::any_of(run.warnings.begin(), run.warnings.end(), [&](const auto& w) { return w.starts_with(begin); });
}

/// Two shafts and a lossless tie, so that the machine is a general one; brakes of 4 and 1 N m.
Mechanism braked() {
  Mechanism m;
  m.bodies = {{"a", 1}, {"b", 1}, {"c", 1}};
  m.ties = {{"tie", {{0, 1}, {1, -1}}}};
  m.joints = {{"brake", {0, 1}, {}, level(4)}, {"clutch", {1, 1}, {2, 1}, level(1)}};
  return m;
}

// 10 N m are beyond the brake: it slips from the start on. A search that may only guess that it holds finds no answer; the brake then
// rests, and the run says so. It once went on with what the search had left.
TEST(Jam, ASearchThatDoesNotEndAtTheStartIsWarnedOf) {
  Mechanism m = braked();
  m.torques = {{"pull", 0, Signal(10.0)}};
  const auto full = run_of(m, 1, 0);
  ASSERT_EQ(full.stop, Stop::finished);
  EXPECT_TRUE(full.warnings.empty());
  EXPECT_NEAR(full.speed[0], (10 - 4 - 1) / 2.0, 1e-8);  // the clutch slips, too
  const auto limited = run_of(m, 1, 1);
  EXPECT_TRUE(warns(limited, "from t = 0 s on brake, clutch jammed for up to ")) << limited.warnings.size();
}

// The torque passes the brake's level at 0.4 s.
TEST(Jam, ASearchThatDoesNotEndWhereALevelIsPassedIsWarnedOf) {
  Mechanism m = braked();
  m.torques = {{"pull", 0, Signal::ramp(10)}};
  EXPECT_TRUE(run_of(m, 0.5, 0).warnings.empty());
  const auto limited = run_of(m, 0.5, 1);
  ASSERT_EQ(limited.stop, Stop::finished) << limited.message;
  EXPECT_TRUE(warns(limited, "from t = 0.4 s on brake jammed for up to ")) << limited.warnings.size();
}

// The slide strikes its stop at 0.1 s, while a force pulls it back: it does not stay there.
TEST(Jam, ASearchThatDoesNotEndAtAStopIsWarnedOf) {
  Mechanism m;
  m.bodies = {{"slide", 1, 0, 1, false}};
  m.stops = {{"ends", {0, 1}, {}, -1, 0.1}};
  m.torques = {{"pull", 0, Signal::step(0, -5, 0.05)}};
  const auto full = run_of(m, 0.4, 0);
  ASSERT_EQ(full.stop, Stop::finished);
  EXPECT_TRUE(full.warnings.empty());
  const auto limited = run_of(m, 0.4, 1);
  EXPECT_TRUE(warns(limited, "from t = ")) << limited.warnings.size();
}

// A drive jumps to 2 rad/s; of the two freewheels on its shaft one takes its shaft along, the other is overrun. One guess cannot know which.
TEST(Jam, ASearchForSpeedsAfterAnImpactThatDoesNotEndEndsTheRunWithTimeAndReason) {
  Mechanism m;
  m.bodies = {{"in", 0}, {"out", 3}, {"other", 1}};
  m.joints = {{"takes", {1, 1}, {0, 1}, nullptr}, {"overrun", {0, 1}, {2, 1}, nullptr}};
  m.joints[0].is_one_way = m.joints[1].is_one_way = true;
  m.drives = {{"drive", 0, Signal::step(0, 2, 1)}};
  const auto full = run_of(m, 2, 0);
  ASSERT_EQ(full.stop, Stop::finished) << full.message;
  EXPECT_NEAR(full.speed[1], 2, 1e-12);
  EXPECT_NEAR(full.speed[2], 0, 1e-12);
  const auto limited = run_of(m, 2, 1);
  EXPECT_EQ(limited.stop, Stop::endless_switching);
  EXPECT_NE(limited.message.find("; the search for the speeds after an impact did not end at t = 1 s"),
            std::string::npos)
      << limited.message;
}

}  // namespace
}  // namespace stickslip::mechanism_jam_test
