/// Joints whose slip ties alone keep at zero: they carry nothing, and the machine moves as it does without them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "machines/friction/sticking_levels.hpp"
#include "machines/mechanism/mechanism.hpp"

namespace stickslip::mechanism_idle_joint_test {
namespace {

std::shared_ptr<const StickingLaw> level(double sliding) {
  return std::make_shared<StribeckLevels>(sliding, sliding, 0.1, 2);
}
const std::vector<double>& values(const MechanismRun& run, const std::string& name) {
  for (const auto& c : run.samples.columns)
    if (c.name == name) return c.values;
  throw Error("no column " + name);
}
MechanismRun run_of(const Mechanism& m) {
  SimulationOptions options;
  options.end = 2, options.sample_interval = 0.05, options.most_steps = 40000;
  return simulate(m, options);
}

/// A gear of ratio one, 0.8 efficient, makes b2 turn as b0. The ring of the planetary set, w0 + 3 wr = 4 w2, then turns as they do: a clutch
/// j2 between ring and b0 never slips, and what it carried would run round through ring, b2 and gear.
Mechanism with_loop() {
  Mechanism m;
  m.bodies = {{"b0", 1}, {"b1", 2}, {"b2", 1}, {"ring", 0}};
  m.ties = {{"planetary", {{0, 1}, {3, 3}, {2, -4}}}};
  m.lossy_gears = {{"gear", 0, 2, 1, {0}, {0.8}, {0.5}, {0}, {0}}};
  m.joints = {{"j0", {0, 1}, {1, 2}, level(1)}};
  m.torques = {{"load", 0, Signal::ramp(5)}};
  return m;
}

// Of the torque that enters the gear b2 gets 0.8: 2.25 dw0/dt = 5 t − T0, and dw1/dt = T0, the torque of j0. Locked, dw0/dt = 2 T0, so that T0
// reaches its level of 1 N m at 5 t = 5.5, with w0 = 1.1. From then to 2 s, w0 grows by ∫ (5 t − 1) dt/2.25 = 2.7 and w1 by 0.9.
// With j2 at its torque of least norm w0 once came to 3.809 and w1 to 1.448.
TEST(IdleJoint, CarriesNothingAndMovesNothing) {
  for (const double holds : {0.0, 0.5, 5.0}) {
    Mechanism m = with_loop();
    if (holds > 0) m.joints.push_back({"j2", {3, 1}, {0, 1}, level(holds)});
    const auto run = run_of(m);
    ASSERT_EQ(run.stop, Stop::finished) << run.message;
    EXPECT_NEAR(run.speed[0], 3.8, 1e-9) << holds;
    EXPECT_NEAR(run.speed[1], 1.45, 1e-9) << holds;
    EXPECT_LT(std::fabs(run.ledger.residual), 1e-9 * run.ledger.work_in);
    const bool is_warned = std::any_of(run.warnings.begin(), run.warnings.end(), [](const auto& w) {
      return w.find("the motion, is not unique") != std::string::npos;
    });
    EXPECT_EQ(is_warned, holds > 0);
    if (!(holds > 0)) continue;
    for (const double torque : values(run, "j2_torque")) ASSERT_EQ(torque, 0.0);
    for (const double slip : values(run, "j2_slip")) ASSERT_EQ(slip, 0.0);
    for (const auto& e : run.events) EXPECT_NE(e.which, 1u);
  }
}

// The same of a freewheel, a stop that is closed, and a lossy gear on a body that a tie holds: what never moves carries nothing.
TEST(IdleJoint, IsAFreewheelAStopOrAGearAsWell) {
  for (int kind = 0; kind < 3; ++kind) {
    Mechanism m = with_loop();
    if (kind == 0) m.joints.push_back({"j2", {3, 1}, {0, 1}, nullptr}), m.joints.back().is_one_way = true;
    if (kind == 1) {
      EndStop stop{"stop", {3, 1}, {0, 1}};
      stop.low = 0, stop.high = 1;
      m.stops = {stop};
    }
    if (kind == 2) {
      m.bodies.push_back({"case", 1}), m.bodies.push_back({"pinion", 1});
      m.ties.push_back({"foot", {{4, 1}}});
      m.lossy_gears.push_back({"dead", 4, 5, 2, {0}, {0.7}, {0.6}, {0.1}, {0.1}});
      m.torques.push_back({"pull", 5, Signal::sine(7, 1)});
    }
    const auto run = run_of(m);
    ASSERT_EQ(run.stop, Stop::finished) << kind << ": " << run.message;
    EXPECT_NEAR(run.speed[0], 3.8, 1e-9) << kind;
    EXPECT_NEAR(run.speed[1], 1.45, 1e-9) << kind;
  }
}

}  // namespace
}  // namespace stickslip::mechanism_idle_joint_test
