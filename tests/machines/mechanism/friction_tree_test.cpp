/// The exact run of friction trees: closed forms, conserved quantities, the general machine and the stepping run as witnesses.
#include "machines/mechanism/friction_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/random.hpp"
#include "machines/friction/friction.hpp"
#include "support/cases.hpp"

namespace stickslip::friction_tree_test {
namespace {

std::shared_ptr<const StickingLaw> coulomb(double level) {
  return make_friction("coulomb", {{"coulomb_force", level}})->sticking_law();
}

SimulationOptions until(double end) {
  SimulationOptions options;
  options.end = end;
  options.sample_interval = end / 20.37;  // no sample at a breakpoint
  return options;
}

/// Values that hold for a while; every signal has its own times, or all the same ones.
class TreeMaker {
 public:
  TreeMaker(std::size_t seed, std::size_t bodies, double end)
      : random_(77 + 7919 * seed),
        is_whole_(seed % 2 == 0),
        end_(end),
        hold_(end / static_cast<double>(3 + random_.below(8))) {
    const bool is_at_rest = random_.below(2) == 0, has_capacities = random_.below(2) == 0;
    const std::size_t reach = 1 + random_.below(bodies);
    for (std::size_t i = 0; i < bodies; ++i)
      m.bodies.push_back({"b" + std::to_string(i),
                          is_whole_ ? 1 + static_cast<double>(random_.below(3)) : between(0.1, 4), 0,
                          is_at_rest ? 0 : value(5)});
    for (std::size_t i = 1; i < bodies; ++i) {
      const std::size_t before = i - 1 - std::min(i - 1, random_.below(reach));
      if (random_.below(12) == 0) continue;  // the tree falls into two
      const bool is_turned = random_.below(2) == 0;
      add_joint(is_turned ? i : before, is_turned ? before : i);
    }
    if (random_.below(2) == 0) add_joint(random_.below(bodies), ground);
    if (m.joints.empty()) add_joint(0, 1);
    for (auto& joint : m.joints)
      if (has_capacities && random_.below(2) == 0)
        joint.capacity = held([&] { return 0.5 * static_cast<double>(random_.below(4)); });
    for (std::size_t i = 0; i < bodies; ++i)
      if (random_.below(4) > 0) m.torques.push_back({"t" + std::to_string(i), i, held([&] { return value(6); })});
  }
  Mechanism m;

 private:
  double between(double low, double high) { return low + (high - low) * random_.uniform(); }
  double value(double most) { return is_whole_ ? std::round(between(-most, most)) : between(-most, most); }
  void add_joint(std::size_t a, std::size_t b) {
    m.joints.push_back({"c" + std::to_string(m.joints.size()),
                        {a, 1},
                        b == ground ? BodyEnd{} : BodyEnd{b, 1},
                        coulomb(is_whole_ ? 1 + static_cast<double>(random_.below(4)) : between(0.5, 4))});
  }
  template <class Draw>
  Signal held(const Draw& draw) {
    const double own = is_whole_ ? hold_ : hold_ * between(0.7, 1.3);
    std::vector<double> times, values;
    for (double t = 0; t < end_; t += own) {
      const double next = draw();
      times.insert(times.end(), {t, t + own});
      values.insert(values.end(), {next, next});
    }
    return Signal::table(times, values);
  }
  Random random_;
  bool is_whole_;
  double end_, hold_;
};

/// The same machine, but nothing that the closed form takes: a drag that drags nothing.
Mechanism slow_way(Mechanism m) {
  m.drags.push_back({"nothing", 0, 0, 0});
  return m;
}

/// All columns; what is said to slip and moves by less than rounding is as good as at rest. How many such samples there are.
std::size_t expect_same(const MechanismRun& exact, const MechanismRun& other, double tolerance) {
  std::size_t undecided = 0;
  EXPECT_EQ(exact.samples.columns.size(), other.samples.columns.size());
  for (std::size_t c = 0; c < exact.samples.columns.size(); ++c) {
    const auto &a = exact.samples.columns[c], &b = other.samples.columns[c];
    EXPECT_EQ(a.values.size(), b.values.size());
    for (std::size_t k = 0; k < a.values.size(); ++k) {
      if (a.name.ends_with("_motion") && a.values[k] != b.values[k] &&
          std::fabs(exact.samples.columns[c - 3].values[k]) < 1e-12) {
        ++undecided;
        continue;
      }
      EXPECT_NEAR(a.values[k], b.values[k], tolerance * (1 + std::fabs(b.values[k]))) << a.name << " at sample " << k;
    }
  }
  return undecided;
}

// Every kind of tree that a file allows, against the machine that knows nothing of trees; half of them with whole numbers, where torques
// meet their levels exactly and slips close together.
TEST(FrictionTree, AgreesWithTheGeneralMachine) {
  std::size_t events = 0, undecided = 0, samples = 0;
  for (std::size_t seed = test::first_case(), last = seed + test::cases(300); seed < last; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Mechanism m = TreeMaker(seed, 2 + seed % 11, 3).m;
    ASSERT_TRUE(friction_tree(m));
    const auto options = until(2.93);  // not at a whole part, where a slip may reach zero at the very end
    const auto exact = simulate(m, options), other = simulate(slow_way(m), options);
    ASSERT_EQ(exact.stop, Stop::finished);
    ASSERT_EQ(other.stop, Stop::finished);
    undecided += expect_same(exact, other, 1e-8);
    samples += m.joints.size() * exact.samples.columns[0].values.size();
    if (HasFailure()) return;
    EXPECT_NEAR(exact.ledger.work_in, other.ledger.work_in, 1e-8 * (1 + std::fabs(other.ledger.work_in)));
    events += exact.events.size();
  }
  EXPECT_GT(events, 10 * test::cases(300));
  EXPECT_LT(undecided, samples / 1000);
}

TEST(FrictionTree, AgreesWithTheIntegrator) {
  for (std::size_t seed = 1; seed <= 15; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Mechanism m = TreeMaker(2 * seed + 1, 3 + seed % 6, 2).m;
    auto options = until(2);
    const auto exact = simulate(m, options);
    m.propagation = Propagation::steps;
    options.relative_tolerance = 1e-12;
    expect_same(exact, simulate(m, options), 1e-7);
  }
}

/// A hub of J = 1 at 8 rad/s and four arms of J = 1 at rest, clutches of 1, 2, 3 and 4 N m. The hub loses 10 rad/s², arm i gains i: the
/// strongest arm closes first, 8 = 14 t, at 4/7 s; from then on hub and arm 4 lose (1 + 2 + 3)/2 = 3 rad/s², and so on until all turn with
/// 8/5 rad/s. Every arm's lock follows from the one before.
TEST(FrictionTree, ArmsOfAHubLockOneAfterTheOther) {
  Mechanism m;
  m.bodies.push_back({"hub", 1, 0, 8});
  for (std::size_t i = 1; i <= 4; ++i) {
    m.bodies.push_back({"arm" + std::to_string(i), 1, 0, 0});
    m.joints.push_back({"c" + std::to_string(i), {0, 1}, {i, 1}, coulomb(static_cast<double>(i))});
  }
  std::vector<double> expected;
  double t = 0, hub = 8, inertia = 1, load = 10;
  for (double arm = 4; arm >= 1; --arm) {  // speeds of the arms that still slip: arm t
    const double loss = load / inertia;
    const double wait = (hub - arm * t) / (loss + arm);
    t += wait, hub -= loss * wait;
    load -= arm, inertia += 1;
    expected.push_back(t);
  }
  const auto run = simulate(m, until(10));
  ASSERT_EQ(run.events.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(run.events[i].kind, EventKind::stick);
    EXPECT_EQ(run.events[i].which, 3 - i);
    EXPECT_NEAR(run.events[i].time, expected[i], 1e-14);
  }
  for (const double speed : run.speed) EXPECT_NEAR(speed, 1.6, 1e-14);
  EXPECT_NEAR(run.ledger.friction_heat(), 0.5 * 64 - 0.5 * 5 * 1.6 * 1.6, 1e-13);
}

/// A brake of 2 N m holds an arm against 1.5 N m through a hub of 3 N m; at 0.5 s 2.5 N m are too much, hub and arm leave with
/// (2.5 − 2)/2 rad/s².
TEST(FrictionTree, ABrakeHoldsTheTreeUpToItsLevel) {
  Mechanism m;
  m.bodies = {{"hub", 1, 0, 0}, {"arm", 1, 0, 0}};
  m.joints = {{"brake", {1, 1}, {}, coulomb(2)}, {"clutch", {0, 1}, {1, 1}, coulomb(3)}};
  m.torques = {{"push", 0, Signal::step(1.5, 2.5, 0.5)}};
  ASSERT_TRUE(friction_tree(m));
  const auto run = simulate(m, until(1));
  EXPECT_EQ(run.motion, (std::vector<Slip>{Slip::forward, Slip::stuck}));
  EXPECT_NEAR(run.speed[0], 0.5 * 0.25, 1e-15);
  EXPECT_EQ(run.speed[0], run.speed[1]);
  EXPECT_NEAR(run.ledger.joint_heat[0], 2 * 0.5 * 0.25 * 0.5 * 0.5, 1e-14);
}

// 2000 bodies, to rounding.
TEST(FrictionTree, LargeTreesKeepTheirEnergy) {
  Mechanism m = TreeMaker(11, 2000, 1).m;
  const auto run = simulate(m, until(1));
  ASSERT_EQ(run.stop, Stop::finished);
  const auto& l = run.ledger;
  EXPECT_LT(std::fabs(l.residual), 1e-11 * (std::fabs(l.work_in) + l.stored_start + l.friction_heat()));
  EXPECT_GT(run.events.size(), 5000u);
}

TEST(FrictionTree, TakesOnlyWhatItDescribes) {
  const Mechanism plain = TreeMaker(3, 6, 1).m;
  EXPECT_TRUE(friction_tree(plain));
  EXPECT_FALSE(friction_tree(slow_way(plain)));
  Mechanism m = plain;
  m.torques[0].torque = Signal::ramp(1);
  EXPECT_FALSE(friction_tree(m));
  m = plain;
  m.joints[0].a.ratio = 2;
  EXPECT_FALSE(friction_tree(m));
  m = plain;
  m.joints.push_back(m.joints[0]);  // two side by side
  EXPECT_FALSE(friction_tree(m));
}

}  // namespace
}  // namespace stickslip::friction_tree_test
