/// Rest states at the start, and the paper's rule in the samples.
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "core/random.hpp"
#include "machines/friction/sticking_levels.hpp"
#include "machines/mechanism/mechanism_file.hpp"
#include "solver/resting_interface.hpp"

namespace stickslip::mechanism_rest_test {
namespace {

std::shared_ptr<const StickingLaw> level(double sliding) {
  return std::make_shared<StribeckLevels>(sliding, sliding, 1, 2);
}
MechanismBody mass(const std::string& name, double kg, double position = 0) { return {name, kg, position, 0, false}; }
SimulationOptions until(double end, double interval = 0) {
  SimulationOptions options;
  options.end = end;
  options.sample_interval = interval;
  return options;
}
const std::vector<double>& values(const MechanismRun& run, const std::string& name) {
  for (const auto& c : run.samples.columns)
    if (c.name == name) return c.values;
  throw Error("no column " + name);
}
std::string refusal_of(Mechanism m) {
  try {
    put_at_rest(m, 0);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

// Two masses hang in a row on springs: x_1 = −(m_1 + m_2) g/k_1, x_2 = x_1 − m_2 g/k_2.
TEST(RestAtTheStart, HangingMassesStretchTheirSprings) {
  Mechanism m;
  m.bodies = {mass("upper", 2), mass("lower", 3)};
  m.springs = {{"s1", {0, 1}, {}, 100, 0, 0, {}}, {"s2", {1, 1}, {0, 1}, 50, 0, 0, {}}};
  m.torques = {{"w1", 0, Signal(-2 * 9.81)}, {"w2", 1, Signal(-3 * 9.81)}};
  put_at_rest(m, 0);
  EXPECT_NEAR(m.bodies[0].position, -5 * 9.81 / 100, 1e-14);
  EXPECT_NEAR(m.bodies[1].position, -5 * 9.81 / 100 - 3 * 9.81 / 50, 1e-14);
  const MechanismRun run = simulate(m, until(1, 0.1));
  for (const char* name : {"upper_speed", "lower_speed"})
    for (const double v : values(run, name)) EXPECT_NEAR(v, 0, 1e-13);
}

// A mass on a rough floor and a stretched spring: it slides until the floor can hold the rest, and no further.
TEST(RestAtTheStart, FrictionHoldsWhatItCan) {
  Mechanism m;
  m.bodies = {mass("block", 1, 0.5)};
  m.springs = {{"s", {0, 1}, {}, 100, 0, 0, {}}};
  m.joints = {{"floor", {0, 1}, {}, level(20)}};
  put_at_rest(m, 0);
  EXPECT_NEAR(m.bodies[0].position, 0.2, 1e-14);  // 100 x = 20
  auto held = held_at_start(m, 0);
  ASSERT_EQ(held.size(), 1u);
  EXPECT_TRUE(held[0].is_held);
  EXPECT_NEAR(held[0].torque, -20, 1e-12);
  const MechanismRun run = simulate(m, until(1));
  EXPECT_EQ(run.motion[0], Slip::stuck);
  EXPECT_TRUE(run.events.empty());
  m.bodies[0].position = 0.1;  // the floor holds it where it is
  put_at_rest(m, 0);
  EXPECT_EQ(m.bodies[0].position, 0.1);
  EXPECT_NEAR(held_at_start(m, 0)[0].torque, -10, 1e-12);
}

// Pushed with 10 N, the first block slides on the second (4 N), which slides on the floor (3 N): 100 x_1 = 10 − 4, 50 x_2 = 4 − 3.
TEST(RestAtTheStart, JointsThatSlideCarryTheirLevel) {
  Mechanism m;
  m.bodies = {mass("first", 1), mass("second", 1)};
  m.springs = {{"s1", {0, 1}, {}, 100, 0, 0, {}}, {"s2", {1, 1}, {}, 50, 0, 0, {}}};
  m.joints = {{"clutch", {0, 1}, {1, 1}, level(4)}, {"floor", {1, 1}, {}, level(3)}};
  m.torques = {{"push", 0, Signal(10.0)}};
  put_at_rest(m, 0);
  EXPECT_NEAR(m.bodies[0].position, 0.06, 1e-12);
  EXPECT_NEAR(m.bodies[1].position, 0.02, 1e-12);
  const auto held = held_at_start(m, 0);
  EXPECT_NEAR(held[0].torque, 4, 1e-9);
  EXPECT_NEAR(held[1].torque, 3, 1e-9);
}

TEST(RestAtTheStart, SaysWhyThereIsNone) {
  Mechanism m;
  m.bodies = {mass("free", 1)};
  m.torques = {{"push", 0, Signal(1.0)}};
  EXPECT_NE(refusal_of(m).find("'free' cannot rest anywhere"), std::string::npos);
  m.joints = {{"floor", {0, 1}, {}, level(2)}};
  EXPECT_EQ(refusal_of(m), "");
  m.bodies[0].speed = 1;
  EXPECT_NE(refusal_of(m).find("has a speed"), std::string::npos);
}

// Random rows of bodies with springs and friction: what comes out stays at rest, and moving on from there again changes nothing.
TEST(RestAtTheStart, RandomMachinesStayWhereTheyArePut) {
  Random random(3);
  for (int turn = 0; turn < 200; ++turn) {
    Mechanism m;
    const std::size_t bodies = 2 + random.below(4);
    for (std::size_t i = 0; i < bodies; ++i) {
      m.bodies.push_back(mass("b" + std::to_string(i), 0.5 + random.uniform(), random.uniform()));
      const std::string n = std::to_string(i);
      if (i == 0 || random.uniform() < 0.5)
        m.springs.push_back(
            {"g" + n, {i, 1}, {}, 20 + 100 * random.uniform(), 1, i == 0 ? 0 : 0.1 * random.uniform(), {}});
      if (i > 0) m.springs.push_back({"s" + n, {i, 1}, {i - 1, 1}, 20 + 100 * random.uniform(), 1, 0, {}});
      if (random.uniform() < 0.5) m.joints.push_back({"f" + n, {i, 1}, {}, level(5 * random.uniform())});
      if (i > 0 && random.uniform() < 0.5)
        m.joints.push_back({"c" + n, {i, 1}, {i - 1, 1}, level(5 * random.uniform())});
      m.torques.push_back({"t" + n, i, Signal(20 * random.uniform() - 10)});
    }
    put_at_rest(m, 0);
    const MechanismRun run = simulate(m, until(0.5, 0.05));
    ASSERT_EQ(run.stop, Stop::finished) << run.message;
    for (std::size_t i = 0; i < bodies; ++i)
      EXPECT_NEAR(run.position[i], m.bodies[i].position, 1e-8) << "turn " << turn << " body " << i;
    Mechanism again = m;
    put_at_rest(again, 0);
    for (std::size_t i = 0; i < bodies; ++i) EXPECT_NEAR(again.bodies[i].position, m.bodies[i].position, 1e-9);
  }
}

TEST(RestAtTheStart, OfAMachineFile) {
  const auto machine = parse_machine(R"(start = "rest"
[[body]]
name = "block"
mass = "2 kg"
[[spring]]
name = "s"
a = "block"
b = "ground"
stiffness = "100 N/m"
[[weight]]
name = "w"
on = "block"
gravity = "10 m/s^2"
[run]
duration = "1 s"
sample_interval = "0.1 s"
)",
                                     "m.toml");
  EXPECT_NEAR(machine.mechanism.bodies[0].position, -0.2, 1e-14);
  EXPECT_TRUE(machine.mechanism.starts_at_rest);
}

// Biagiotti eq 22 at an instant at which everything rests: the torques that would hold all, each cut to its own range, and the
// accelerations that follow. The run continues with the joints it considers held locked.
TEST(PapersRule, SamplesAtTheStartShowEquation22) {
  Random random(22);
  std::size_t cut = 0;
  for (int turn = 0; turn < 54; ++turn) {
    const std::size_t bodies = 3 + random.below(3);
    Mechanism m;
    m.rule = RestingRule::paper;
    double all = 0, inertia = 0;
    std::vector<double> push, most;
    for (std::size_t i = 0; i < bodies; ++i) {
      m.bodies.push_back({"b" + std::to_string(i), 0.5 + random.uniform()});
      push.push_back(10 * random.uniform() - 5);
      m.torques.push_back({"t" + std::to_string(i), i, Signal(push[i])});
      all += push[i], inertia += m.bodies[i].inertia;
      if (i + 1 == bodies) continue;
      most.push_back(3 * random.uniform());
      m.joints.push_back({"c" + std::to_string(i), {i, 1}, {i + 1, 1}, level(most[i])});
    }
    const MechanismRun run = simulate(m, until(0.01, 0.01));
    double held = 0, before = 0;
    for (std::size_t i = 0; i < bodies; ++i) {
      held += push[i] - m.bodies[i].inertia * all / inertia;
      const double torque = i + 1 == bodies ? 0 : std::clamp(held, -most[i], most[i]);
      if (i + 1 < bodies) {
        EXPECT_NEAR(values(run, "c" + std::to_string(i) + "_torque")[0], torque, 1e-9) << "case " << turn;
        cut += torque != held;
      }
      EXPECT_NEAR(values(run, "b" + std::to_string(i) + "_acceleration")[0],
                  (push[i] - torque + before) / m.bodies[i].inertia, 1e-9);
      before = torque;
    }
  }
  EXPECT_GT(cut, 20u);  // the rule has been at work
}

}  // namespace
}  // namespace stickslip::mechanism_rest_test
