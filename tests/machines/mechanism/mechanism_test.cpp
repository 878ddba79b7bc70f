/// Mechanisms against closed forms and experiment stick-slip.
#include "machines/mechanism/mechanism.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "machines/friction/sticking_levels.hpp"
#include "machines/mechanism/dual_clutch.hpp"

namespace stickslip::mechanism_test {
namespace {

std::shared_ptr<const StickingLaw> coulomb(double level) {
  return std::make_shared<StribeckLevels>(level, level, 1, 2);
}

SimulationOptions until(double end, double interval = 0) {
  SimulationOptions options;
  options.end = end;
  options.sample_interval = interval;
  return options;
}

std::vector<MechanismEvent> joint_events(const MechanismRun& run) {
  std::vector<MechanismEvent> found;
  for (const auto& e : run.events)
    if (e.kind == EventKind::stick || e.kind == EventKind::release || e.kind == EventKind::direction_change)
      found.push_back(e);
  return found;
}

const std::vector<double>& column(const MechanismRun& run, const std::string& name) {
  for (const auto& c : run.samples.columns)
    if (c.name == name) return c.values;
  throw Error("no column " + name);
}

std::string refusal_of(const Mechanism& m) {
  try {
    check_mechanism(m);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

// Experiment dual-clutch, computed twice by independent programs.
TEST(DualClutch, EventsAndFinalSpeedOfTheSpecification) {
  const Mechanism m = dual_clutch();
  const auto run = simulate(m, until(10));
  ASSERT_EQ(run.stop, Stop::finished);
  const std::vector<std::pair<double, std::string>> expected{
      {.900573469, "clutch_1 locks"},           {4.111406346, "clutch_1 slips backward"},
      {4.708647209, "clutch_1 passes zero"},    {5.134981462, "clutch_3 locks"},
      {7.101064845, "clutch_3 slips forward"},  {7.257116376, "clutch_1 locks"},
      {7.312309469, "clutch_1 slips backward"}, {7.613951540, "clutch_1 locks"}};
  const auto found = joint_events(run);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i].time, expected[i].first, 1e-8);
    EXPECT_EQ(event_text(m, found[i]), expected[i].second);
  }
  EXPECT_NEAR(run.speed[3], 87.249666923, 1e-8);
  EXPECT_LT(std::fabs(run.ledger.residual), 1e-6 * run.ledger.work_in);
  EXPECT_EQ(run.speed[0] - run.speed[1], 0.0);
}

TEST(DualClutch, ShiftControlHalvesTheJerkAndKeepsTraction) {
  const auto options = until(10, 1e-3);
  const auto open = simulate(dual_clutch(), options), led = simulate(dual_clutch_controlled(), options);
  const auto largest = [](const MechanismRun& run, double from) {
    const auto jerk = vehicle_jerk({}, run.samples);
    double found = 0;
    for (std::size_t i = 0; i < jerk.size(); ++i)
      if (column(run, "time")[i] > from) found = std::max(found, std::fabs(jerk[i]));
    return found;
  };
  EXPECT_LT(largest(led, 3.7), 0.5 * largest(open, 3.7));
  for (std::size_t i = 3700; i < 6500; ++i) ASSERT_GT(column(led, "vehicle_acceleration")[i], 0);
}

// The jerk is the derivative of the sampled acceleration.
TEST(DualClutch, JerkIsTheSlopeOfTheAcceleration) {
  const auto run = simulate(dual_clutch(), until(1.5, 1e-4));
  const auto jerk = vehicle_jerk({}, run.samples);
  const auto& a = column(run, "vehicle_acceleration");
  for (std::size_t i = 11000; i + 1 < jerk.size(); i += 100) EXPECT_NEAR(jerk[i], (a[i + 1] - a[i - 1]) / 2e-4, 1e-3);
}

// z falls at Fc (ra²/Ja + rb²/Jb); both then move with the momentum along the lock: rb Ja wa + ra Jb wb is kept.
TEST(Mechanism, ClutchBehindGearRatiosLocksWhenTheClosedFormSays) {
  constexpr double ja = 2, jb = 3, ra = 1.5, rb = 0.4, level = 7, wa = 10, wb = -5;
  Mechanism m;
  m.bodies = {{"a", ja, 0, wa}, {"b", jb, 0, wb}};
  m.joints = {{"clutch", {0, ra}, {1, rb}, coulomb(level)}};
  const auto run = simulate(m, until(10));
  const auto found = joint_events(run);
  ASSERT_EQ(found.size(), 1u);
  const double z = ra * wa - rb * wb;
  EXPECT_NEAR(found[0].time, z / (level * (ra * ra / ja + rb * rb / jb)), 1e-12);
  const double momentum = rb * ja * wa + ra * jb * wb, a = momentum / (rb * ja + ra * jb * ra / rb);
  EXPECT_NEAR(run.speed[0], a, 1e-11);
  EXPECT_NEAR(run.speed[1], a * ra / rb, 1e-11);
}

// A tree: motor, gear to a drum, two branches locked to it; all of it is one inertia seen from the motor.
TEST(Mechanism, LockedTreeWithGearsAcceleratesAsOneInertia) {
  Mechanism m;
  m.bodies = {{"motor", 0.5}, {"drum", 2}, {"left", 1}, {"right", 4}, {"twig", 3}};
  m.gears = {{"reducer", 0, 1, 0.25}};
  m.joints = {{"to_left", {1, 1}, {2, 1}, coulomb(100)},
              {"to_right", {1, 2}, {3, 1}, coulomb(100)},     // w_right = 2 w_drum
              {"to_twig", {3, 1}, {4, -0.5}, coulomb(100)}};  // w_twig = -2 w_right
  m.torques = {{"push", 0, Signal(6.0)}};
  const auto run = simulate(m, until(2, 1));
  ASSERT_EQ(run.stop, Stop::finished);
  EXPECT_TRUE(joint_events(run).empty());
  const double drum = 0.25, right = 0.5, twig = -1;  // speeds per motor speed
  const double inertia = 0.5 + drum * drum * (2 + 1) + right * right * 4 + twig * twig * 3;
  EXPECT_NEAR(run.speed[0], 6 / inertia * 2, 1e-10);
  EXPECT_NEAR(run.speed[4], -run.speed[0], 1e-10);
  // What a joint carries: all that lies behind it.
  EXPECT_NEAR(column(run, "to_left_torque")[1], 1 * drum * 6 / inertia, 1e-9);
  EXPECT_NEAR(column(run, "to_twig_torque")[1], 3 * twig * 6 / inertia / -0.5, 1e-9);
  EXPECT_LT(std::fabs(run.ledger.residual), 1e-9 * run.ledger.work_in);
}

TEST(Mechanism, OpenClutchPassesThroughZeroAndCarriesNothing) {
  Mechanism m;
  m.bodies = {{"a", 2, 0, -3}, {"b", 1}};
  m.joints = {{"clutch", {0, 1}, {1, 1}, coulomb(5), Signal(0.0)}};
  m.torques = {{"push", 0, Signal(4.0)}};
  const auto run = simulate(m, until(4));
  const auto found = joint_events(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, EventKind::direction_change);
  EXPECT_NEAR(found[0].time, 1.5, 1e-12);
  EXPECT_NEAR(run.speed[0], 5, 1e-12);
  EXPECT_EQ(run.speed[1], 0.0);
}

// w = (1, 0, 1) and equal levels: both interfaces come to rest at 1/3 s, and the common speed is the mean 2/3.
TEST(Mechanism, TwoInterfacesArriveAtTheSameInstant) {
  Mechanism m;
  m.bodies = {{"a", 1, 0, 1}, {"b", 1, 0, 0}, {"c", 1, 0, 1}};
  m.joints = {{"ab", {0, 1}, {1, 1}, coulomb(1)}, {"bc", {1, 1}, {2, 1}, coulomb(1)}};
  const auto run = simulate(m, until(2));
  const auto found = joint_events(run);
  ASSERT_EQ(found.size(), 2u);
  for (const auto& e : found) {
    EXPECT_EQ(e.kind, EventKind::stick);
    EXPECT_NEAR(e.time, 1. / 3, 1e-12);
  }
  EXPECT_EQ(run.speed[0] - run.speed[1], 0.0);
  EXPECT_EQ(run.speed[1] - run.speed[2], 0.0);
  EXPECT_NEAR(run.speed[0], 2. / 3, 1e-12);
}

// docs/solver.md, Resting interfaces: with J = (1,1,1), F = (24,0,0), Fs = (10,10) only the first interface breaks and dw = (14, 5, 5). The torque jumps in.
TEST(Mechanism, JumpOfTheInputBreaksOnlyWhatTheBoxProblemSays) {
  Mechanism m;
  m.bodies = {{"a", 1}, {"b", 1}, {"c", 1}};
  m.joints = {{"ab", {0, 1}, {1, 1}, coulomb(10)}, {"bc", {1, 1}, {2, 1}, coulomb(10)}};
  m.torques = {{"push", 0, Signal::step(0, 24, 1)}};
  const auto run = simulate(m, until(2, 0.5));
  const auto found = joint_events(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].which, 0u);
  EXPECT_EQ(found[0].time, 1.0);
  EXPECT_NEAR(run.speed[0], 14, 1e-11);
  EXPECT_NEAR(run.speed[1], 5, 1e-11);
  EXPECT_EQ(run.speed[1] - run.speed[2], 0.0);
  EXPECT_NEAR(column(run, "bc_torque")[3], 5, 1e-11);
}

// Experiment stick-slip: the pulled mass, built from a body, a brake to the ground and a spring whose far end moves.
TEST(Mechanism, PulledMassGivesTheStickSlipOfTheSpecification) {
  class Stribeck final : public StickingLaw {
   public:
    double sliding_force(const Contact<double>& c, Direction d) const override {
      return levels.sliding_force(c, d) + 0.4 * c.velocity;
    }
    double breakaway_force(const Contact<double>& c, Direction d) const override {
      return levels.breakaway_force(c, d);
    }
    double velocity_scale() const override { return 1e-3; }
    StribeckLevels levels{1, 1.5, 1e-3, 2};
  };
  Mechanism m;
  m.bodies = {{"mass", 1, 0, 0, false}};
  m.springs = {{"pull", {0, 1}, {}, 2, 0, 0, Signal::ramp(0.1)}};
  m.joints = {{"floor", {0, 1}, {}, std::make_shared<Stribeck>()}};
  const auto run = simulate(m, until(30, 10));
  const auto found = joint_events(run);
  const double expected[] = {7.5, 10.340289058, 14.012322314, 16.852611372, 20.524644628};
  ASSERT_GE(found.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(found[i].time, expected[i], 1e-6);
  EXPECT_NEAR(column(run, "mass_position")[1], .635669821, 1e-6);
  EXPECT_NEAR(column(run, "mass_position")[3], 2.604928926, 1e-6);
  EXPECT_LT(std::fabs(run.ledger.residual), 1e-8 * run.ledger.work_in);
}

// A free mass between two springs with a gap: straight through the gap, half a period of the spring on either side.
TEST(Mechanism, PlayIsCrossedAtConstantSpeed) {
  constexpr double gap = 0.3, speed = 0.5, stiffness = 8, mass = 2;
  Mechanism m;
  m.bodies = {{"mass", mass, 0, speed, false}};
  m.springs = {{"buffer", {0, 1}, {}, stiffness, 0, gap, Signal()}};
  const auto run = simulate(m, until(10));
  std::vector<double> touches;
  for (const auto& e : run.events)
    if (e.kind == EventKind::mode_entry) touches.push_back(e.time);
  ASSERT_GE(touches.size(), 3u);
  const double half_period = std::acos(-1.) * std::sqrt(mass / stiffness);
  EXPECT_NEAR(touches[0], 0.5 * gap / speed, 1e-9);
  EXPECT_NEAR(touches[1] - touches[0], half_period + gap / speed, 1e-9);
  EXPECT_NEAR(touches[2] - touches[1], half_period + gap / speed, 1e-9);
  EXPECT_NEAR(run.ledger.residual, 0, 1e-9);
}

// J dw/dt = 10 - w up to w = 5, then 5: t5 = ln 2, and w(2) = 5 + 5 (2 - ln 2).
TEST(Mechanism, EngineMapIsFollowedThroughItsPoints) {
  Mechanism m;
  m.bodies = {{"engine", 1}};
  m.maps = {{"map", 0, {0, 5}, {10, 5}}};
  const auto run = simulate(m, until(2));
  EXPECT_NEAR(run.speed[0], 5 + 5 * (2 - std::log(2.)), 1e-9);
  double knot = 0;
  for (const auto& e : run.events)
    if (e.kind == EventKind::table_knot) knot = e.time;
  EXPECT_NEAR(knot, std::log(2.), 1e-9);
}

// Quadratic drag from w0: w = w0 / (1 + q w0 t / J).
TEST(Mechanism, QuadraticDragSlowsByTheClosedForm) {
  Mechanism m;
  m.bodies = {{"wheel", 2, 0, 30}};
  m.drags = {{"air", 0, 0, 0.1}};
  const auto run = simulate(m, until(5));
  EXPECT_NEAR(run.speed[0], 30 / (1 + 0.1 * 30 * 5 / 2), 1e-9);
  EXPECT_LT(std::fabs(run.ledger.residual), 1e-8 * run.ledger.stored_start);
}

TEST(Mechanism, ParallelClutchesShareTheTorqueAndSaySo) {
  Mechanism m;
  m.bodies = {{"a", 1}, {"b", 1}};
  m.joints = {{"one", {0, 1}, {1, 1}, coulomb(10)}, {"two", {0, 1}, {1, 1}, coulomb(10)}};
  m.torques = {{"push", 0, Signal::ramp(4)}};
  const auto run = simulate(m, until(12, 1));
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  EXPECT_NEAR(column(run, "one_torque")[5], 5, 1e-9);  // half of the half of 20
  EXPECT_NEAR(column(run, "two_torque")[5], 5, 1e-9);
  const auto found = joint_events(run);
  ASSERT_EQ(found.size(), 2u);           // together they hold 20, half of what pushes
  EXPECT_NEAR(found[0].time, 10, 1e-8);  // outside chains a joint goes when its level is passed by 1e-10 of its range
  EXPECT_NEAR(found[1].time, 10, 1e-8);
  ASSERT_EQ(run.warnings.size(), 1u);
  EXPECT_NE(run.warnings[0].find("not unique"), std::string::npos) << run.warnings[0];
}

// The body moves at 1 rad/s whatever happens; the controller sees floor((t - delay)/q) q at its samples and holds.
TEST(Mechanism, SampledControllerSeesAQuantisedAndDelayedReadingAndHolds) {
  Mechanism m;
  m.bodies = {{"wheel", 1e9, 0, 1}};
  m.sensors = {{"encoder", Measured::position, 0, 0.25, 0, 1, 2}};
  MechanismController c;
  c.name = "controller";
  c.proportional = -1;
  c.sampling_time = 0.1;
  m.controllers = {c};
  auto options = until(2);
  for (int k = 3; k < 20; ++k) options.sample_times.push_back(0.1 * k + 0.05);
  const auto run = simulate(m, options);
  const auto& output = column(run, "controller_output");
  ASSERT_EQ(output.size(), 17u);
  for (int k = 3; k < 20; ++k) {
    const double seen = 0.1 * (k - 2);
    if (std::fabs(seen / 0.25 - std::round(seen / 0.25)) < 1e-6) continue;  // on an edge rounding decides
    EXPECT_NEAR(output[static_cast<std::size_t>(k - 3)], 0.25 * std::floor(seen / 0.25), 1e-9) << k;
  }
}

TEST(Mechanism, NoiseOfASensorFollowsItsSeed) {
  const auto speed_with = [](std::uint64_t seed) {
    Mechanism m;
    m.bodies = {{"wheel", 1}};
    m.sensors = {{"tacho", Measured::speed, 0, 0, 0.1, seed, 0}};
    MechanismController c;
    c.name = "controller", c.proportional = 1, c.sampling_time = 0.01;
    m.controllers = {c};
    return simulate(m, until(1)).speed[0];
  };
  EXPECT_EQ(speed_with(3), speed_with(3));
  EXPECT_NE(speed_with(3), speed_with(4));
}

TEST(Mechanism, WrongWiringIsRefusedWithItsName) {
  Mechanism m;
  EXPECT_EQ(refusal_of(m), "a mechanism needs at least one body");
  m.bodies = {{"a", 1}, {"b", 0}};
  EXPECT_EQ(refusal_of(m),
            "body 'b': it has no inertia, and no gear, tie or drive determines its motion; give it an inertia");
  m.bodies = {{"a", 1}, {"b", 1}, {"c", 1}};
  m.gears = {{"g1", 0, 1, 2}, {"g2", 1, 2, 2}, {"g3", 0, 2, 4}};
  EXPECT_NE(refusal_of(m).find("gear 'g3': it closes a loop of rigid gears"), std::string::npos) << refusal_of(m);
  m.gears.pop_back();
  m.bodies[0].speed = 1;
  EXPECT_NE(refusal_of(m).find("gear 'g1': 'b' starts at 0, but 'a' times the ratio gives 2"), std::string::npos);
  m.bodies[0].speed = 0;
  m.joints = {{"slip", {0, 1}, {0, 1}, coulomb(1)}};
  EXPECT_EQ(refusal_of(m), "joint 'slip': its two sides cannot slip against each other");
  m.joints = {{"slip", {0, 1}, {}, nullptr}};
  EXPECT_EQ(refusal_of(m), "joint 'slip': it has no friction law that truly sticks");
  m.joints.clear();
  m.sensors = {{"encoder", Measured::position, 0, 0.1, 0, 1, 0}};
  m.controllers.resize(1);
  m.controllers[0].name = "pid";
  EXPECT_EQ(
      refusal_of(m),
      "controller 'pid': its sensor 'encoder' is quantised, noisy or delayed: give the controller a sampling_time");
}

// Dropped on an elastic floor: free fall h = g t²/2, then half an oscillation about −g/w², w² = k/m, and up again to h.
TEST(ElasticStop, WithOneEndIsLeftAtTheOther) {
  Mechanism m;
  const double g = 10, k = 4000, height = 0.2, w = std::sqrt(k);
  m.bodies = {{"ball", 1, height, 0, false}};
  SpringDamper floor{"floor", {0, 1}, {}, k, 0, 1e-3, Signal(0.5e-3)};  // its play is from 0 to 1 mm
  floor.only = -1, floor.never_pulls = true;
  m.springs = {floor};
  m.torques = {{"weight", 0, Signal(-g)}};
  const double fall = std::sqrt(2 * height / g), v = g * fall;
  const double contact = 2 / w * (3.14159265358979323846 / 2 + std::atan(g / (w * v)));
  SimulationOptions options;
  options.end = 2 * fall + contact;
  const auto run = simulate(m, options);
  ASSERT_EQ(run.stop, Stop::finished);
  EXPECT_NEAR(run.position[0], height, 1e-8);
  EXPECT_NEAR(run.speed[0], 0, 1e-7);
  EXPECT_EQ(run.events.size(), 2u);
}

}  // namespace
}  // namespace stickslip::mechanism_test
