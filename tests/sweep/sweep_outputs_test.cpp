/// Outputs of a motion that is known in closed form.
#include "sweep/sweep_outputs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/error.hpp"

namespace stickslip::sweep_outputs_test {
namespace {

/// v = 1 + 2 sin(2 π t/3) for 30 s, sampled every millisecond; x its integral; a body pulled at 1 m/s.
MachineRun swinging() {
  const double period = 3, w = 2 * std::numbers::pi / period;
  Column time{"time", "s", {}}, position{"position", "m", {}}, velocity{"velocity", "m/s", {}};
  BodyTrace body{.pull_speed = 1, .mass = 2, .state = {0.25}};
  for (int i = 0; i <= 30000; ++i) {
    const double t = 1e-3 * i;
    time.values.push_back(t);
    position.values.push_back(t + 2 / w * (1 - std::cos(w * t)));
    velocity.values.push_back(1 + 2 * std::sin(w * t));
    body.stretch.push_back(t - position.values.back());
  }
  MachineRun trace;
  trace.samples.columns = {time, position, velocity};
  trace.totals.events = 20;
  trace.totals.work_in = 5;
  trace.body = body;
  return trace;
}

double measured(const std::string& text, const Observation& observation = {}) {
  const MachineRun trace = swinging();
  return measure(parse_output(text, trace), trace, observation);
}

TEST(SweepOutputs, OfAKnownMotionAreItsClosedForms) {
  EXPECT_NEAR(measured("period"), 3, 1e-6);
  EXPECT_EQ(measured("slips"), 10);
  EXPECT_EQ(measured("slips", {.from = 20.5}), 4);  // a tenth of 1 m/s is passed at 2.78, 5.78, ... 29.78 s
  EXPECT_NEAR(measured("amplitude"), 2 * 3 / (2 * std::numbers::pi), 1e-6);
  EXPECT_EQ(measured("sticks"), 1);
  EXPECT_EQ(measured("sticks", {.from = 29.9}), 0);
  EXPECT_NEAR(measured("max velocity"), 3, 1e-6);
  EXPECT_NEAR(measured("min velocity"), -1, 1e-6);
  EXPECT_NEAR(measured("mean velocity"), 1, 1e-4);
  EXPECT_NEAR(measured("rms velocity"), std::sqrt(3.0), 1e-4);  // 1 + 2²/2
  EXPECT_NEAR(measured("amplitude velocity"), 2, 1e-6);
  EXPECT_NEAR(measured("period velocity"), 3, 1e-6);
  EXPECT_NEAR(measured("final position"), 30, 1e-9);
  EXPECT_EQ(measured("state"), 0.25);
  EXPECT_EQ(measured("events"), 20);
  EXPECT_EQ(measured("work_in"), 5);
  // |v| < 0.5 while −0.75 < sin < −0.25
  const double share = (std::asin(0.75) - std::asin(0.25)) / std::numbers::pi;
  EXPECT_NEAR(measured("stuck_fraction", {.slip_speed = 0.5}), share, 1e-3);
}

TEST(SweepOutputs, HaveTheUnitsOfTheirColumns) {
  const MachineRun trace = swinging();
  EXPECT_EQ(parse_output("max velocity", trace).unit, "m/s");
  EXPECT_EQ(parse_output("period velocity", trace).unit, "s");
  EXPECT_EQ(parse_output("amplitude", trace).unit, "m");
  EXPECT_EQ(parse_output("work_in", trace).unit, "J");
  EXPECT_EQ(parse_output("max velocity", trace).name, "max_velocity");
}

TEST(SweepOutputs, ThatAMachineDoesNotTellAreRefused) {
  MachineRun trace = swinging();
  EXPECT_THROW(parse_output("friction_heat", trace), Error);
  trace.body.reset();
  EXPECT_THROW(parse_output("period", trace), Error);
  EXPECT_NO_THROW(parse_output("period velocity", trace));
}

// Two joints: one sticks for a quarter of each second, the other never.
TEST(SweepOutputs, TellTheShareOfStickingOfEachJoint) {
  MachineRun trace = swinging();
  trace.body.reset();
  Column brake{"brake_motion", "", {}}, clutch{"clutch_motion", "", {}};
  for (int i = 0; i <= 30000; ++i)
    brake.values.push_back(i % 1000 < 250 ? 0 : 1), clutch.values.push_back(i % 2 ? 1 : -1);
  trace.samples.columns.push_back(brake), trace.samples.columns.push_back(clutch);
  const SweepOutput output = parse_output("stuck_fraction brake", trace);
  EXPECT_NEAR(measure(output, trace, {}), 0.25, 1e-4);
  EXPECT_EQ(output.name, "stuck_fraction_brake");
  EXPECT_EQ(measure(parse_output("stuck_fraction clutch", trace), trace, {}), 0);
  try {
    parse_output("stuck_fraction clunch", trace);
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "output 'stuck_fraction clunch': no joint 'clunch'; did you mean 'clutch'");
  }
}

TEST(SweepOutputs, WithNothingObservedAreNoNumber) {
  for (const char* text : {"max velocity", "mean velocity", "amplitude", "period"})
    EXPECT_TRUE(std::isnan(measured(text, {.from = 31}))) << text;
}

}  // namespace
}  // namespace stickslip::sweep_outputs_test
