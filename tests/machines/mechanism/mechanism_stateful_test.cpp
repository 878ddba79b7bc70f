/// Bristle and modal laws, and levels over position, load and pressure, in the joints of a mechanism.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "check/reference_sets.hpp"
#include "core/error.hpp"
#include "core/random.hpp"
#include "machines/friction/friction.hpp"
#include "machines/friction/sticking_levels.hpp"
#include "machines/mechanism/mechanism_file.hpp"
#include "machines/mechanism/mechanism_system.hpp"
#include "machines/motion.hpp"

namespace stickslip::mechanism_stateful_test {
namespace {

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
MechanismBody mass(const std::string& name, double kg, double position = 0, double speed = 0) {
  return {name, kg, position, speed, false};
}
std::unique_ptr<Friction> lugre(double stiffness = 1e5) {
  return make_friction("lugre", {{"bristle_stiffness", stiffness},
                                 {"bristle_damping", 2 * std::sqrt(stiffness)},
                                 {"viscosity", 0.4},
                                 {"coulomb_force", 1.0},
                                 {"stiction_force", 1.5},
                                 {"stribeck_velocity", 0.01}});
}
FrictionJoint joint(const std::string& name, BodyEnd a, BodyEnd b, const Friction& friction) {
  FrictionJoint j{name, a, b, friction.sticking_law()};
  if (!j.law) j.stateful_law = stateful_law(friction);
  return j;
}
/// A mass on a spring whose far end swings and creeps, as in tests/machines/motion_test.cpp.
Signal swinging() { return Signal::sine(0.02, 0.7) + Signal::ramp(0.002); }
Mechanism one_body(const Friction& friction) {
  Mechanism m;
  m.bodies = {mass("body", 1)};
  m.springs = {{"pull", {0, 1}, {}, 300, 3, 0, swinging()}};
  auto j = joint("floor", {0, 1}, {}, friction);
  (j.law ? m.joints : m.stateful_joints).push_back(j);
  return m;
}
double turned_over(const MechanismLedger& l) {
  double sum = std::fabs(l.work_in) + l.stored_start + l.stored_end + l.damper_heat + std::fabs(l.drag_heat);
  for (const double heat : l.joint_heat) sum += std::fabs(heat);
  return sum;
}
double range_of(const std::vector<double>& x) {
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  return *high - *low;
}
double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = a.size() == b.size() ? 0 : HUGE_VAL;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) most = std::max(most, std::fabs(a[i] - b[i]));
  return most;
}

class EveryLawInAJoint : public testing::TestWithParam<const RegisteredModel*> {
 protected:
  void SetUp() override {
    if (in_joints(GetParam()->description()) == InJoints::refused) {
      EXPECT_EQ(GetParam()->description().name, "new-modified-lugre") << "add the law to friction/stateful_laws.cpp";
      GTEST_SKIP() << "has a term in the acceleration";
    }
    friction_ = GetParam()->make(FrictionSettings{reference_values(GetParam()->description()), {}, {}});
  }
  std::unique_ptr<Friction> friction_;
};

// One body with a brake to the ground is the machine of one body: another code, the same motion.
TEST_P(EveryLawInAJoint, OneBodyWithABrakeIsTheScenarioOfOneBody) {
  Body body;
  body.mass = 1;
  body.drive.kind = DriveKind::pulled_spring;
  body.drive.stiffness = 300, body.drive.damping = 3;
  body.drive.input = swinging();
  const auto alone = friction_->simulate(body, until(3, 0.01));
  ASSERT_EQ(alone.stop, Stop::finished) << alone.message;
  const Mechanism m = one_body(*friction_);
  const MechanismRun run = simulate(m, until(3, 0.01));
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  EXPECT_LT(largest_difference(values(run, "body_position"), alone.samples.position),
            2e-6 * range_of(alone.samples.position));
  EXPECT_LT(std::fabs(run.ledger.residual), 1e-6 * turned_over(run.ledger));
  EXPECT_GE(run.ledger.friction_heat(), -1e-9 * turned_over(run.ledger));
}

// What a clutch does to two bodies' relative motion is what a brake does to one body of the reduced mass
// m = m_1 m_2/(m_1 + m_2), and the sum of momenta knows nothing of it.
TEST_P(EveryLawInAJoint, AClutchActsOnTheReducedMass) {
  if (in_joints(GetParam()->description()) != InJoints::states) GTEST_SKIP() << "levels, or needs its body alone";
  const double m1 = 3, m2 = 1.5, reduced = m1 * m2 / (m1 + m2);
  Mechanism m;
  m.bodies = {mass("first", m1), mass("second", m2)};
  m.stateful_joints = {joint("clutch", {0, 1}, {1, 1}, *friction_)};
  const double level = 6;
  m.torques = {{"push", 0, Signal::sine(level, 1.3)}};
  Body body;
  body.mass = reduced;
  body.drive.input = Signal::sine(level * reduced / m1, 1.3);
  const auto alone = friction_->simulate(body, until(2, 0.01));
  const MechanismRun run = simulate(m, until(2, 0.01));
  ASSERT_EQ(alone.stop, Stop::finished) << alone.message;
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  std::vector<double> slip = values(run, "first_position");
  const auto& second = values(run, "second_position");
  for (std::size_t i = 0; i < slip.size(); ++i) slip[i] -= second[i];
  EXPECT_LT(largest_difference(slip, alone.samples.position), 1e-5 * range_of(alone.samples.position));
  // ∫ F sin(2π f t) dt over 2 s.
  const double w = 2 * 3.14159265358979323846 * 1.3, impulse = level / w * (1 - std::cos(2 * w));
  EXPECT_NEAR(m1 * run.speed[0] + m2 * run.speed[1], impulse, 1e-7 * level);
  EXPECT_LT(std::fabs(run.ledger.residual), 1e-6 * turned_over(run.ledger));
}

TEST_P(EveryLawInAJoint, GoesOnFromWhatWasSavedBitForBit) {
  const Mechanism m = one_body(*friction_);
  const auto motion = mechanism_motion(m, until(2));
  ASSERT_EQ(motion->advance(0.7), Stop::finished);
  const auto saved = motion->save();
  std::vector<double> first(motion->outputs().size()), again(first.size());
  ASSERT_EQ(motion->advance(1.3), Stop::finished);
  motion->read(first);
  motion->load(saved);
  ASSERT_EQ(motion->advance(1.3), Stop::finished);
  motion->read(again);
  EXPECT_EQ(first, again);
}

// The declarations of a law hold: if it does not need applied force and mass, they change nothing.
TEST_P(EveryLawInAJoint, AppliedForceAndMassMatterOnlyWhereTheLawSaysSo) {
  const auto law = stateful_law(*friction_);
  if (!law || law->needs_applied_force()) GTEST_SKIP();
  Random random(5);
  std::vector<double> scale = law->state_scale(), state(scale.size()), a(scale.size()), b(scale.size());
  Contact<double> c;
  c.load = 1;
  LawMemory memory = law->start(c, state.data());
  for (int i = 0; i < 200; ++i) {
    for (std::size_t k = 0; k < state.size(); ++k) state[k] = scale[k] * (2 * random.uniform() - 1);
    c.velocity = 0.1 * (2 * random.uniform() - 1), c.position = 1e-4 * random.uniform();
    Contact<double> other = c;
    other.applied = 10 * (2 * random.uniform() - 1), other.mass = 1 + random.uniform();
    EXPECT_EQ(law->evaluate(memory, state.data(), c, a.data()), law->evaluate(memory, state.data(), other, b.data()));
    EXPECT_EQ(a, b);
    EXPECT_EQ(law->guard(memory, state.data(), c), law->guard(memory, state.data(), other));
  }
}

std::vector<const RegisteredModel*> all_models() { return registered_models(); }
std::string name_of_model(const testing::TestParamInfo<const RegisteredModel*>& info) {
  std::string name = info.param->description().name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Joints, EveryLawInAJoint, testing::ValuesIn(all_models()), name_of_model);

// Two masses locked by a clutch move as one: what a bristle brake does to them is what it does to their sum, and the clutch carries the
// inertia of the second.
TEST(BristleJoint, WorksBesideALockOfAnotherJoint) {
  const auto friction = lugre();
  Mechanism m;
  m.bodies = {mass("first", 0.6), mass("second", 0.4)};
  m.springs = {{"pull", {0, 1}, {}, 300, 3, 0, swinging()}};
  m.joints = {{"clutch", {0, 1}, {1, 1}, std::make_shared<StribeckLevels>(50, 50, 1, 2)}};
  m.stateful_joints = {joint("floor", {0, 1}, {}, *friction)};
  const MechanismRun pair = simulate(m, until(3, 0.01)), one = simulate(one_body(*friction), until(3, 0.01));
  ASSERT_EQ(pair.stop, Stop::finished) << pair.message;
  EXPECT_LT(largest_difference(values(pair, "first_position"), values(one, "body_position")), 2e-8);
  EXPECT_LT(largest_difference(values(pair, "first_speed"), values(pair, "second_speed")), 1e-14);
  const auto &torque = values(pair, "clutch_torque"), &acceleration = values(pair, "second_acceleration");
  for (std::size_t i = 0; i < torque.size(); ++i) EXPECT_NEAR(torque[i], 0.4 * acceleration[i], 1e-10);
}

// Bristles of stiffness σ end in the Coulomb lock: what is left of the creep falls with 1/σ.
TEST(BristleJoint, StiffBristlesBecomeALock) {
  const auto coulomb = [](auto make) {
    Mechanism m;
    m.bodies = {mass("first", 1, 0, 1), mass("second", 2)};
    m.torques = {{"push", 0, Signal(0.5)}};
    make(m);
    return simulate(m, until(2, 0.01));
  };
  const MechanismRun exact = coulomb([](Mechanism& m) {
    m.joints = {{"clutch", {0, 1}, {1, 1}, std::make_shared<StribeckLevels>(2, 2, 1, 2)}};
  });
  double last = 0;
  for (const double stiffness : {1e5, 1e7}) {
    const auto dahl = make_friction("dahl", {{"bristle_stiffness", stiffness}, {"coulomb_force", 2.0}});
    const MechanismRun soft = coulomb([&](Mechanism& m) {
      m.stateful_joints = {joint("clutch", {0, 1}, {1, 1}, *dahl)};
    });
    ASSERT_EQ(soft.stop, Stop::finished) << soft.message;
    const double off = largest_difference(values(soft, "first_position"), values(exact, "first_position"));
    EXPECT_LT(off, 4 * 2 / stiffness);  // a few times F_C/σ
    if (last > 0) {
      EXPECT_LT(off, 0.05 * last);
    }
    last = off;
  }
}

// m dv/dt = −(c + k x): the motion is a part of an oscillation about −c/k until v = 0, at tan(w t) = v₀ k/(w c).
TEST(Levels, FollowThePositionOfTheJoint) {
  const double c = 2, k = 5, v0 = 1.5, w = std::sqrt(k);
  const auto friction =
      make_friction("coulomb", {{"coulomb_force", c}}, {}, {{"coulomb_force", Quantity::position, {0, k}, {}, {}}});
  Mechanism m;
  m.bodies = {mass("body", 1, 0, v0)};
  m.joints = {joint("floor", {0, 1}, {}, *friction)};
  m.joints[0].follows_position = true;
  const MechanismRun run = simulate(m, until(2));
  ASSERT_EQ(run.stop, Stop::finished);
  ASSERT_EQ(run.events.size(), 1u);
  const double stop = std::atan(v0 * k / (w * c)) / w;
  EXPECT_NEAR(run.events[0].time, stop, 1e-9);
  EXPECT_NEAR(run.position[0], v0 / w * std::sin(w * stop) - c / k * (1 - std::cos(w * stop)), 1e-10);
  EXPECT_EQ(run.motion[0], Slip::stuck);
}

// A level of μ N under a load that falls steadily holds until μ N(t) = push.
TEST(Levels, FollowALoadGivenAsSignal) {
  const auto friction = make_friction("coulomb", {{"coulomb_force", 0.0 + 1e-9}}, {},
                                      {{"coulomb_force", Quantity::load, {0, 0.4}, {}, {}}});
  Mechanism m;
  m.bodies = {mass("body", 1)};
  m.joints = {joint("floor", {0, 1}, {}, *friction)};
  m.joints[0].follows_load = true;
  m.joints[0].load = Signal(10.0) + Signal::ramp(-2);
  m.torques = {{"push", 0, Signal(3.0)}};
  const MechanismRun run = simulate(m, until(2));
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  ASSERT_EQ(run.events.size(), 1u);
  EXPECT_NEAR(run.events[0].time, 1.25, 1e-8);               // 0.4 (10 − 2 t) = 3
  EXPECT_NEAR(run.speed[0], 0.5 * 0.8 * 0.75 * 0.75, 1e-7);  // dv/dt = 0.8 (t − 1.25)
}

// Friction of a transmission in proportion to what its spring carries: after presliding F = (μ ± Δμ) |T|, + while the load is driven.
// A steady speed makes the spring's force grow by k v, and the drive gives T + F.
TEST(Levels, FollowTheForceOfASpring) {
  const double mu = 0.1, difference = 0.04, k = 200, v = 0.05;
  const auto friction = make_friction("load-dependent",
                                      {{"presliding_length", 1e-5},
                                       {"friction_coefficient", mu},
                                       {"coefficient_difference", difference},
                                       {"transmitted_load", 0.0}},
                                      {}, {{"transmitted_load", Quantity::load, {0, 1}, {}, {}}});
  Mechanism m;
  m.bodies = {mass("body", 1, 0, v)};
  m.springs = {{"load", {0, 1}, {}, k, 0, 0, {}}};
  m.drives = {{"drive", 0, Signal(v), false}};
  auto j = joint("bearing", {0, 1}, {}, *friction);
  j.follows_load = true;
  j.load_of = {ElementLoad::Kind::spring, 0};
  m.stateful_joints = {j};
  const MechanismRun forward = simulate(m, until(1, 0.1));
  ASSERT_EQ(forward.stop, Stop::finished) << forward.message;
  EXPECT_NEAR(values(forward, "bearing_torque").back(), (mu + difference) * k * v, 1e-8);
  EXPECT_NEAR(values(forward, "drive_torque").back(), (1 + mu + difference) * k * v, 1e-7);
  m.bodies[0] = mass("body", 1, 0.1, -v);  // the load drives
  m.drives[0].motion = Signal(-v);
  const MechanismRun backward = simulate(m, until(1, 0.1));
  ASSERT_EQ(backward.stop, Stop::finished) << backward.message;
  EXPECT_NEAR(values(backward, "bearing_torque").back(), -(mu - difference) * k * (0.1 - v), 1e-8);
  EXPECT_LT(std::fabs(backward.ledger.residual), 1e-8 * turned_over(backward.ledger));
}

/// A machine with every element that has a slope of its own, not at rest.
Mechanism rich(Random& random, std::vector<std::unique_ptr<Friction>>& laws) {
  Mechanism m;
  for (int i = 0; i < 5; ++i)
    m.bodies.push_back(mass("b" + std::to_string(i), 0.5 + random.uniform(), 0.1 * random.uniform(), random.uniform()));
  m.gears = {{"gear", 3, 4, 1 + random.uniform()}};
  m.bodies[4].speed = m.bodies[3].speed * m.gears[0].ratio;
  m.springs = {{"s0", {0, 1}, {1, 2}, 50, 2, 0, Signal(0.0)}, {"s1", {2, 1}, {}, 30, 1, 0, Signal::sine(0.1, 1)}};
  m.springs.push_back({"s2", {1, 1}, {3, 0.5}, 40, 3, 0, Signal(0.0), true});
  m.drags = {{"d0", 1, 0.3, 0.2}, {"d1", 2, 0, 0, 0, 0.4, 0.7}};
  m.maps = {{"engine", 0, {-10, 0, 10}, {5, 3, -2}, Signal(0.7)}};
  m.sensors = {{"angle", Measured::position, 2}, {"slip", Measured::slip, 1}};
  m.controllers.resize(2);
  m.controllers[0].name = "c0", m.controllers[1].name = "c1";
  m.controllers[1].sensor = 1, m.controllers[1].on = 3;
  m.controllers[0].proportional = 3, m.controllers[0].integral = 0.5, m.controllers[0].derivative = 0.2;
  m.controllers[1].proportional = -0.3, m.controllers[1].integral = 0.1;
  m.torques = {{"push", 0, Signal::sine(2, 0.8)}};
  laws.push_back(
      make_friction("stribeck", {{"coulomb_force", 1.0}, {"stiction_force", 1.4}, {"stribeck_velocity", 0.2}}));
  laws.push_back(make_friction("coulomb-viscous", {{"coulomb_force", 1.0}, {"viscosity", 0.2}}, {},
                               {{"coulomb_force", Quantity::position, {0, 0.3}, {}, {}}}));
  laws.push_back(lugre(300));
  laws.push_back(make_friction("load-dependent",
                               {{"presliding_length", 0.01}, {"friction_coefficient", 0.1}, {"transmitted_load", 0.0}},
                               {}, {{"transmitted_load", Quantity::load, {0, 1}, {}, {}}}));
  m.joints = {joint("j0", {0, 1}, {1, 1}, *laws[0]), joint("j1", {2, 1}, {3, 1}, *laws[1])};
  m.joints[0].temperature = {20, 0.3, 293.15, 300, 293.15, -0.002};
  m.joints[1].follows_position = true;
  m.stateful_joints = {joint("k0", {1, 1}, {2, 1}, *laws[2]), joint("k1", {3, 1}, {}, *laws[3])};
  m.stateful_joints[0].temperature = {30, 0.2, 293.15, 310, 293.15, 0.001};
  m.stateful_joints[1].follows_load = true;
  m.stateful_joints[1].load_of = {ElementLoad::Kind::spring, 2};
  return m;
}

// The slopes of implicit steps are those of the right side, by central differences.
TEST(Slopes, AreThoseOfTheRightSide) {
  Random random(11);
  for (int turn = 0; turn < 20; ++turn) {
    std::vector<std::unique_ptr<Friction>> laws;
    const Mechanism m = rich(random, laws);
    check_mechanism(m);
    SimulationOptions options = until(1);
    options.relative_tolerance = 1e-9, options.absolute_tolerance = 1e-12;
    const MechanismSystem system(m, options);
    const std::size_t n = system.size();
    std::vector<double> y(n), slopes(n * n), by_time(n), value(n), above(n), below(n);
    const MechanismMode mode = system.start(0.1, y.data());
    for (std::size_t i = 0; i < n; ++i) y[i] += 1e-3 * (1 + std::fabs(y[i])) * random.uniform();
    system.slopes(mode, 0.1, y.data(), slopes.data(), n, by_time.data(), value.data());
    const auto names = system.state_names();
    for (std::size_t c = 0; c < n; ++c) {
      const double at = y[c], h = 1e-5 * (names[c].find("bristle") != std::string::npos ? 1e-3 : 1);
      y[c] = at + h;
      system.derivative(mode, 0.1, y.data(), above.data());
      y[c] = at - h;
      system.derivative(mode, 0.1, y.data(), below.data());
      y[c] = at;
      for (std::size_t i = 0; i < n; ++i) {
        const double seen = (above[i] - below[i]) / (2 * h);
        EXPECT_NEAR(slopes[i * n + c], seen, 2e-5 * (1 + std::fabs(seen))) << names[i] << " by " << names[c];
      }
    }
  }
}

TEST(JointFile, RefusesAtOnceWhatMakesNoSense) {
  const auto refusal_of = [](const std::string& text) -> std::string {
    try {
      parse_machine("[[body]]\nname = \"a\"\nmass = \"1 kg\"\n[[body]]\nname = \"b\"\nmass = \"1 kg\"\n" + text +
                        "[run]\nduration = \"1 s\"\nsample_interval = \"0.1 s\"\n",
                    "m.toml");
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  const auto refuses = [&](const std::string& text, const std::string& why) {
    const std::string said = refusal_of(text);
    EXPECT_NE(said.find(why), std::string::npos) << said;
  };
  const std::string clutch = "[[clutch]]\nname = \"c\"\na = \"a\"\nb = \"b\"\n",
                    brake = "[[brake]]\nname = \"c\"\non = \"a\"\n";
  refuses(clutch + "friction = { model = \"new-modified-lugre\" }\n", "a term in the acceleration");
  refuses("[[one_way]]\nname = \"c\"\na = \"a\"\nb = \"b\"\nfriction = { model = \"lugre\" }\n", "must truly hold");
  const std::string karnopp =
      "friction = { model = \"karnopp\", coulomb_force = \"1 N\", stiction_force = \"2 N\", stribeck_velocity = \"1 "
      "mm/s\", "
      "band = \"1 mm/s\" }\n";
  refuses(clutch + karnopp, "it lies between two bodies");
  EXPECT_EQ(refusal_of(brake + karnopp), "");
  refuses(brake + karnopp +
              "[[brake]]\nname = \"d\"\non = \"a\"\nfriction = { model = \"coulomb\", coulomb_force = \"1 N\" }\n",
          "'d' holds it, too");
  const std::string over_load =
      "friction = { model = \"coulomb\", coulomb_force = { over = \"load\", value = \"1 N\", polynomial = [\"0.1 "
      "N/N\"] } }\n";
  refuses(brake + over_load, "follows the load: give load");
  refuses(brake + over_load + "load_of = \"nothing\"\n", "no spring, torque or controller 'nothing'");
  refuses(brake + over_load +
              "load_of = \"s\"\n[[spring]]\nname = \"s\"\na = \"b\"\nb = \"ground\"\nstiffness = \"1 N/m\"\n",
          "acts on none of its bodies");
  refuses(brake + "load = \"3 N\"\nfriction = { model = \"coulomb\", coulomb_force = \"1 N\" }\n", "follows the load");
}

// A stiff spring on a light body runs in about the time of a soft one: the fast motion fades, and steps grow beyond it.
TEST(StiffSprings, CostNoMoreStepsThanSoftOnes) {
  const auto steps = [](double stiffness, double light, MechanismRun& run) {
    Mechanism m;
    m.bodies = {mass("motor", 1), mass("pin", light), mass("load", 2)};
    const double damping = std::sqrt(stiffness);  // of the order of critical for the two large masses
    m.springs = {{"s0", {0, 1}, {1, 1}, stiffness, damping, 0, {}}, {"s1", {1, 1}, {2, 1}, stiffness, damping, 0, {}}};
    m.joints = {{"floor", {2, 1}, {}, std::make_shared<StribeckLevels>(1, 1, 1, 2)}};
    m.torques = {{"push", 0, Signal::sine(4, 0.5)}};
    run = simulate(m, until(5, 0.05));
    EXPECT_EQ(run.stop, Stop::finished) << run.message;
    return run.work.steps + run.work.rejected;
  };
  MechanismRun stiff, rigid;
  EXPECT_LT(steps(1e9, 1e-6, stiff), 20000u);
  // Rigidly joined, 3 kg: the same motion to what the spring gives, F/k = 4e-9 m, and the integrator's error.
  Mechanism m;
  m.bodies = {mass("motor", 3.000001)};
  m.joints = {{"floor", {0, 1}, {}, std::make_shared<StribeckLevels>(1, 1, 1, 2)}};
  m.torques = {{"push", 0, Signal::sine(4, 0.5)}};
  rigid = simulate(m, until(5, 0.05));
  EXPECT_LT(largest_difference(values(stiff, "load_position"), values(rigid, "motor_position")), 2e-7);
}

}  // namespace
}  // namespace stickslip::mechanism_stateful_test
