/// Exact propagation of mechanisms against closed forms, experiment dual-clutch and the integrator with tight tolerances.
#include "machines/mechanism/mechanism_series.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "core/error.hpp"
#include "machines/friction/sticking_levels.hpp"
#include "machines/mechanism/dual_clutch.hpp"

namespace stickslip::mechanism_series_test {
namespace {

constexpr double pi = 3.14159265358979323846;

/// F = level sgn(z) + viscosity z.
class ViscousLevel final : public StickingLaw {
 public:
  ViscousLevel(double level, double viscosity) : level_(level), viscosity_(viscosity) {}
  double sliding_force(const Contact<double>& c, Direction d) const override {
    return number(d) * level_ + viscosity_ * c.velocity;
  }
  double breakaway_force(const Contact<double>&, Direction) const override { return level_; }
  double velocity_scale() const override { return 0; }

 private:
  double level_, viscosity_;
};

std::shared_ptr<const StickingLaw> level(double force, double viscosity = 0) {
  return std::make_shared<ViscousLevel>(force, viscosity);
}
std::shared_ptr<const StickingLaw> stribeck_levels(double coulomb, double stiction, double velocity,
                                                   double exponent = 2) {
  return std::make_shared<StribeckLevels>(coulomb, stiction, velocity, exponent);
}

SimulationOptions until(double end, double interval = 0) {
  SimulationOptions options;
  options.end = end;
  options.sample_interval = interval;
  return options;
}

MechanismRun in_steps(Mechanism m, SimulationOptions options, double tolerance = 1e-12) {
  m.propagation = Propagation::steps;
  options.relative_tolerance = tolerance;
  return simulate(m, options);
}

/// Events that are no breakpoints of inputs.
std::vector<MechanismEvent> switches(const MechanismRun& run) {
  std::vector<MechanismEvent> found;
  for (const auto& e : run.events)
    if (e.kind != EventKind::input_breakpoint) found.push_back(e);
  return found;
}

const std::vector<double>& column(const MechanismRun& run, const std::string& name) {
  for (const auto& c : run.samples.columns)
    if (c.name == name) return c.values;
  throw Error("no column " + name);
}

Mechanism mass_on_spring(double stiffness, std::shared_ptr<const StickingLaw> law, double position) {
  Mechanism m;
  m.bodies = {{"mass", 1, position, 0, false}};
  m.springs = {{"spring", {0, 1}, {}, stiffness, 0, 0, Signal()}};
  if (law) m.joints = {{"ground", {0, 1}, {}, std::move(law), Signal(1.0)}};
  return m;
}

double energy_scale(const MechanismLedger& l) {
  return std::fabs(l.work_in) + l.stored_start + l.stored_end + l.friction_heat() + l.damper_heat + l.drag_heat;
}

TEST(MechanismSeries, EventsOfTheDualClutchToTheLastDigitOfTheSpecification) {
  const auto run = simulate(dual_clutch(), until(10));
  ASSERT_EQ(run.stop, Stop::finished);
  const std::vector<double> expected{.900573469,  4.111406346, 4.708647209, 5.134981462,
                                     7.101064845, 7.257116376, 7.312309469, 7.613951540};
  const auto found = switches(run);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i].time, expected[i], 1e-9);
  EXPECT_NEAR(run.speed[3], 87.249666923, 1e-9);
  EXPECT_EQ(run.work.evaluations, 0u);  // the integrator had nothing to do
  EXPECT_LT(std::fabs(run.ledger.residual), 1e-14 * energy_scale(run.ledger));
}

TEST(MechanismSeries, EverySampleOfTheDualClutchAgreesWithTheIntegrator) {
  const auto exact = simulate(dual_clutch(), until(10, 1e-2)), steps = in_steps(dual_clutch(), until(10, 1e-2), 1e-13);
  ASSERT_EQ(exact.samples.columns.size(), steps.samples.columns.size());
  for (std::size_t c = 0; c < exact.samples.columns.size(); ++c) {
    const auto &a = exact.samples.columns[c], &b = steps.samples.columns[c];
    ASSERT_EQ(a.values.size(), b.values.size()) << a.name;
    double largest = 0;
    for (const double value : b.values) largest = std::max(largest, std::fabs(value));
    for (std::size_t i = 0; i < a.values.size(); ++i)
      ASSERT_NEAR(a.values[i], b.values[i], 2e-9 * largest + 1e-12) << a.name << " row " << i;
  }
}

// Each half cycle is a cosine about ± F/k: turning points come at multiples of π/ω, and the amplitude falls by 2 F/k each time,
// 4 F/k per period, until |k x| ≤ F.
TEST(MechanismSeries, CoulombFrictionTakesFourForcesOverStiffnessPerPeriod) {
  const double stiffness = 400, force = 1, omega = 20;
  const auto run = simulate(mass_on_spring(stiffness, level(force), 0.0515), until(3, 1e-3));
  const auto found = switches(run);
  ASSERT_EQ(found.size(), 11u);
  EXPECT_EQ(found.front().kind, EventKind::release);
  EXPECT_EQ(found.back().kind, EventKind::stick);
  for (std::size_t i = 0; i < 11; ++i) EXPECT_NEAR(found[i].time, static_cast<double>(i) * pi / omega, 1e-13) << i;
}

// A brake that closes linearly on a turning wheel with viscous drag: J dw/dt = −F p t, so w = w₀ − F p t²/(2 J).
TEST(MechanismSeries, RampedBrakeStopsTheWheelWhereTheParabolaSays) {
  Mechanism m;
  m.bodies = {{"wheel", 0.5, 0, 30}};
  m.joints = {{"brake", {0, 1}, {}, level(20), Signal::ramp(0.25)}};
  const auto run = simulate(m, until(10));
  const auto found = switches(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].time, std::sqrt(2 * 0.5 * 30 / (20 * 0.25)), 1e-13);
  EXPECT_NEAR(run.ledger.friction_heat(), 0.5 * 0.5 * 30 * 30, 1e-11);
  EXPECT_EQ(run.speed[0], 0);
}

// A capacity that rises linearly over a viscous level: J dw/dt = −p t b w, so w = w₀ exp(−p b t²/(2 J)), the case of M₁.
TEST(MechanismSeries, RampedViscosityGivesTheGaussian) {
  Mechanism m;
  m.bodies = {{"wheel", 0.5, 0, 30}};
  m.joints = {{"brake", {0, 1}, {}, level(1e-300, 2), Signal::ramp(0.25)}};
  auto options = until(4, 0.1);
  const auto run = simulate(m, options);
  EXPECT_EQ(run.work.evaluations, 0u);
  for (std::size_t i = 0; i < column(run, "time").size(); ++i) {
    const double t = column(run, "time")[i];
    EXPECT_NEAR(column(run, "wheel_speed")[i], 30 * std::exp(-0.25 * 2 * t * t), 1e-13 * 30) << t;
  }
}

// m x'' = K_p (1 − x) − K_d x':  x = 1 − e^(−a t) (cos b t + a/b sin b t).
TEST(MechanismSeries, PositionLoopFollowsItsClosedForm) {
  Mechanism m;
  m.bodies = {{"mass", 2, 0, 0, false}};
  m.sensors = {{"place", Measured::position, 0}};
  MechanismController c;
  c.name = "loop";
  c.proportional = 90, c.derivative = 6;
  c.reference = Signal(1.0);
  m.controllers = {c};
  const auto run = simulate(m, until(3, 0.01));
  EXPECT_EQ(run.work.evaluations, 0u);
  const double a = 6.0 / 4, b = std::sqrt(45 - a * a);
  for (std::size_t i = 0; i < column(run, "time").size(); ++i) {
    const double t = column(run, "time")[i];
    EXPECT_NEAR(column(run, "mass_position")[i], 1 - std::exp(-a * t) * (std::cos(b * t) + a / b * std::sin(b * t)),
                2e-15);
  }
  EXPECT_LT(std::fabs(run.ledger.residual), 1e-13);
}

// Nouailletas' limit cycle: an integral loop against Stribeck friction sticks and slips for ever.
TEST(MechanismSeries, IntegralLoopWithFrictionAgreesWithTheIntegrator) {
  Mechanism m;
  m.bodies = {{"mass", 1, 0, 0, false}};
  m.joints = {{"ground", {0, 1}, {}, stribeck_levels(1, 1.5, 1e-3), Signal(1.0)}};
  m.sensors = {{"place", Measured::position, 0}};
  MechanismController c;
  c.name = "loop";
  c.proportional = 3, c.derivative = 6, c.integral = 4;
  c.reference = Signal(1.0);
  m.controllers = {c};
  const auto exact = simulate(m, until(40)), steps = in_steps(m, until(40));
  EXPECT_EQ(exact.work.evaluations, 0u);
  const auto a = switches(exact), b = switches(steps);
  ASSERT_EQ(a.size(), b.size());
  ASSERT_GT(a.size(), 5u);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].kind, b[i].kind);
    EXPECT_NEAR(a[i].time, b[i].time, 1e-8);
  }
  EXPECT_NEAR(exact.position[0], steps.position[0], 1e-9);
}

// The speed of a free oscillator, A ω cos ω t after the first quarter, touches a point of the map for a moment only: the map has
// no torque, it is a guard and nothing else. Depth δ below the crest gives a visit of 2 sqrt(2 δ/(A ω))/ω.
TEST(MechanismSeries, GuardThatIsCrossedForAMomentIsSeen) {
  const double omega = 10, amplitude = 0.1;
  for (const double depth : {1e-4, 1e-8, 1e-11}) {
    Mechanism m = mass_on_spring(omega * omega, nullptr, amplitude);
    m.maps = {{"watch", 0, {amplitude * omega * (1 - depth)}, {0}, Signal(1.0)}};
    const auto found = switches(simulate(m, until(5 * 2 * pi / omega)));
    ASSERT_EQ(found.size(), 10u) << depth;  // in and out, five times
    const double half = std::acos(1 - depth) / omega;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double crest = (0.75 + static_cast<double>(i / 2)) * 2 * pi / omega;
      EXPECT_NEAR(found[i].time, crest + (i % 2 == 0 ? -half : half), 1e-10 + 3e-13 / (100 * half))
          << depth << " " << i;
    }
  }
}

// Fast springs: the step follows the fastest rate that is still present, the answer does not suffer.
TEST(MechanismSeries, StiffSpringCostsStepsAndNoAccuracy) {
  Mechanism m;
  m.bodies = {{"engine", 1, 0, 10}, {"hub", 1e-4, 0, 0}};
  m.springs = {{"shaft", {0, 1}, {1, 1}, 1e6, 40, 0, Signal()}};
  m.drags = {{"air", 1, 0.3, 0}};
  const auto run = simulate(m, until(0.2)), steps = in_steps(m, until(0.2));
  EXPECT_EQ(run.stop, Stop::finished);
  EXPECT_NEAR(run.speed[0], steps.speed[0], 1e-10);
  EXPECT_LT(std::fabs(run.ledger.residual), 1e-12 * energy_scale(run.ledger));
}

TEST(MechanismSeries, LawsOutsideTheFormulaAreLeftToTheIntegrator) {
  Mechanism m = mass_on_spring(100, stribeck_levels(1, 1.5, 0.01, 1.5), 0.3);
  EXPECT_GT(simulate(m, until(1)).work.evaluations, 0u);
  m.joints[0].law = stribeck_levels(1, 1.5, 0.01, 1);
  EXPECT_EQ(simulate(m, until(1)).work.evaluations, 0u);
  m.drags = {{"air", 0, 0, 0.1}};
  EXPECT_GT(simulate(m, until(1)).work.evaluations, 0u);
}

// A sine that ends: the integrator goes first, the series take over where it has ended.
TEST(MechanismSeries, TakesOverWhereAnOscillatingInputEnds) {
  Mechanism m = mass_on_spring(100, level(1), 0.3);
  m.torques = {{"shake", 0, Signal::oscillation({.amplitude = 5, .frequency = 3}, 0.5, 1)}};
  const auto exact = simulate(m, until(3, 0.01)), steps = in_steps(m, until(3, 0.01));
  EXPECT_GT(exact.work.evaluations, 0u);
  EXPECT_LT(exact.work.evaluations, steps.work.evaluations);
  const auto a = switches(exact), b = switches(steps);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i].time, b[i].time, 1e-8);
  ASSERT_EQ(column(exact, "time").size(), column(steps, "time").size());
  for (std::size_t i = 0; i < column(exact, "time").size(); ++i)
    EXPECT_NEAR(column(exact, "mass_position")[i], column(steps, "mass_position")[i], 1e-8);
}

TEST(MechanismSeries, OnlyTheColumnsAskedForAreKept) {
  Mechanism m = dual_clutch();
  const auto all = simulate(m, until(1, 0.01));
  m.columns = {"vehicle_speed", "clutch_1_torque"};
  const auto some = simulate(m, until(1, 0.01));
  ASSERT_EQ(some.samples.columns.size(), 3u);
  EXPECT_EQ(some.samples.columns[0].name, "time");
  for (const auto& c : some.samples.columns) EXPECT_EQ(c.values, column(all, c.name)) << c.name;
  m.columns = {"vehicle_spede"};
  try {
    simulate(m, until(1, 0.01));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()).substr(0, 38), "samples have no column 'vehicle_spede'");
  }
}

Signal corners(std::mt19937& random, double low, double high) {
  std::uniform_real_distribution<double> value(low, high);
  return Signal::table(std::vector<double>{0.2, 0.7, 1.1},
                       std::vector<double>{value(random), value(random), value(random)});
}

Mechanism random_mechanism(std::mt19937& random) {
  const auto from = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  const auto chance = [&](double p) { return from(0, 1) < p; };
  Mechanism m;
  const std::size_t bodies = 2 + random() % 4;
  for (std::size_t i = 0; i < bodies; ++i) m.bodies.push_back({"b" + std::to_string(i), from(0.2, 2), 0, from(-5, 5)});
  if (chance(0.3)) {
    m.bodies.push_back({"geared", 0.5, 0, 0});
    m.gears = {{"gear", 0, bodies, 2.5}};
    m.bodies.back().speed = 2.5 * m.bodies[0].speed;
  }
  for (std::size_t i = 0; i + 1 < bodies; ++i) {
    const BodyEnd a{i, 1}, b{i + 1, chance(0.3) ? 1.7 : 1};
    const auto law = chance(0.4)   ? stribeck_levels(from(1, 4), from(4, 6), from(0.05, 0.5), chance(0.5) ? 2 : 1)
                     : chance(0.5) ? level(from(1, 5), from(0, 1))
                                   : level(from(1, 5));
    if (chance(0.6)) m.joints.push_back({"j" + std::to_string(i), a, b, law, corners(random, 0, 1.5)});
    if (chance(0.5))
      m.springs.push_back({"s" + std::to_string(i), a, b, from(5, 200), from(0, 3), chance(0.3) ? 0.1 : 0, Signal()});
  }
  if (chance(0.5)) m.joints.push_back({"brake", {bodies - 1, 1}, {}, level(from(1, 4)), corners(random, 0, 1)});
  if (chance(0.5)) m.springs.push_back({"wall", {0, 1}, {}, from(10, 100), from(0, 2), 0, corners(random, -1, 1)});
  m.torques = {{"drive", 0, corners(random, -10, 10)}};
  if (chance(0.5)) m.drags = {{"air", bodies - 1, from(0, 1), 0}};
  if (chance(0.4))
    m.maps = {{"engine", bodies - 1, {-3, 0, 4}, {from(0, 8), from(0, 8), from(0, 8)}, corners(random, 0, 1)}};
  return m;
}

// v = r (t − (1 − exp(−λt))/λ) reaches the knot at 3 s; beside it, a controller of another body has summed up 3000. The bound of what the
// series leaves out was compared with that, and added to the guard: 28 us late in stretches, 27 us in steps.
TEST(MechanismSeries, ALargeIntegralDoesNotMakeEventsLate) {
  const double decay = 100, slope = 0.01, inertia = 0.01, reached = 3;
  for (const double gain : {1e-3, 1.0}) {
    Mechanism m;
    m.bodies = {{"light", inertia, 0, 0, false}, {"axis", 1, 0, 50, false}};
    m.drags = {{"oil", 0, decay * inertia, 0}};
    m.torques = {{"push", 0, Signal::ramp(decay * inertia * slope)}};
    m.maps = {{"watch", 0, {slope * (reached - 1 / decay)}, {0}, Signal(1.0)}};
    m.sensors = {{"seen", Measured::position, 1}};
    MechanismController loop;
    loop.name = "loop", loop.on = 1, loop.integral = gain, loop.reference = Signal(1e3);
    m.controllers = {loop};
    SimulationOptions options = until(4);
    for (const bool is_in_steps : {false, true}) {
      if (is_in_steps) options.longest_step = 1e6;  // no stretches
      const auto found = switches(simulate(m, options));
      ASSERT_EQ(found.size(), 1u);
      EXPECT_NEAR(found[0].time, reached, 1e-13) << gain << " " << is_in_steps;
    }
  }
}

// A contact with a strong damper on an axis under a loop of position that grows: it opens at 3.726 s, at 0.014 rad/s. Times from the same
// equations in 60 digits (exponentials of each mode, mpmath). The last two were 1e-10 s late, in steps 4e-10.
TEST(MechanismSeries, ContactOpensWhenItDoesBesideALoopOfPosition) {
  Mechanism m;
  m.bodies = {{"axis", 0.69459024479802822, 0, 17.965359813964533},
              {"load", 0.18247821245088808, 0, 1.3720658070146854},
              {"geared", 0.3, 0, 2.5 * 17.965359813964533}};
  m.gears = {{"gear", 0, 2, 2.5}};
  m.springs = {{"contact", {0, 1}, {1, 1}, 821.5408581815268, 14.332771388901728, 0.05, Signal()}};
  const std::vector<double> times{0.2, 1.3, 2.9, 7};
  m.torques = {{"drive", 0,
                Signal::table(times, std::vector{17.431842704668348, 11.334426881520841, -8.0947512042989445,
                                                 11.496278184203401})}};
  m.sensors = {{"seen", Measured::position, 0}};
  MechanismController loop;
  loop.name = "loop", loop.proportional = 1.7227862847993847, loop.integral = 2.0174281602199624;
  loop.reference = Signal::table(
      times, std::vector{-0.13485252618596633, 4.1915389212362122, 1.8296609353149975, 1.4500152471673911});
  m.controllers = {loop};
  const double truth[] = {0.0015061756036710796, 0.059337429508783663, 0.098198301870655768,
                          0.14719069003542114,   0.26264726422177280,  0.47134046108757021,
                          0.70835132605649426,   3.7260223962889470,   3.8721781034833364};
  SimulationOptions options = until(4);
  for (const bool is_in_steps : {false, true}) {
    if (is_in_steps) options.longest_step = 1e6;
    const auto found = switches(simulate(m, options));
    ASSERT_EQ(found.size(), std::size(truth));
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i].time, truth[i], 3e-13) << i << is_in_steps;
  }
}

TEST(MechanismSeries, RandomMechanismsAgreeWithTheIntegratorAndKeepTheirEnergy) {
  std::mt19937 random(11);
  std::size_t events = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const Mechanism m = random_mechanism(random);
    const auto exact = simulate(m, until(1.5)), steps = in_steps(m, until(1.5), 1e-11);
    ASSERT_EQ(exact.stop, Stop::finished) << trial << " " << exact.message;
    ASSERT_EQ(steps.stop, Stop::finished) << trial << " " << steps.message;
    EXPECT_LT(std::fabs(exact.ledger.residual), 1e-12 * energy_scale(exact.ledger)) << trial;
    const auto a = switches(exact), b = switches(steps);
    ASSERT_EQ(a.size(), b.size()) << trial;
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i].time, b[i].time, 1e-6) << trial << " " << i;
    events += a.size();
    for (std::size_t i = 0; i < m.bodies.size(); ++i) {
      EXPECT_NEAR(exact.speed[i], steps.speed[i], 1e-6) << trial;
      EXPECT_NEAR(exact.position[i], steps.position[i], 1e-6) << trial;
    }
  }
  EXPECT_GT(events, 1000u);
}

}  // namespace
}  // namespace stickslip::mechanism_series_test
