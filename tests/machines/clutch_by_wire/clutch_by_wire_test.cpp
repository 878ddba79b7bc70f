/// The clutch-by-wire against experiment clutch-by-wire, closed forms of single moves, and an energy account.

#include "machines/clutch_by_wire/clutch_by_wire.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "core/error.hpp"
#include "identification/experiments/clutch_bench_tests.hpp"
#include "machines/clutch_by_wire/clutch_by_wire_lpv.hpp"
#include "machines/clutch_by_wire/clutch_by_wire_mechanism.hpp"
#include "machines/friction/friction.hpp"

namespace stickslip::clutch_by_wire_test {
namespace {

constexpr double inertia = 1.32e-5, rising = 0.1352, falling = 0.1506, sliding_up = 0.1352 / 1.2325;

ClutchByWire rigid() {
  ClutchByWire m;
  m.inertia = inertia;
  m.rack_ratio = 2.0414e-4;
  m.encoder_points = 56;
  m.resistance.breakaway_forward = Characteristic::constant(rising);
  m.resistance.breakaway_backward = Characteristic::constant(falling);
  m.resistance.ratio_forward = 1.2325;
  m.resistance.ratio_backward = 1.3728;
  return m;
}
ClutchByWire loose() {
  ClutchByWire m = rigid();
  m.play = 3;
  m.motor_resistance = 0.05;
  m.motor_breakaway = 0.055;
  return m;
}
ClutchControl pid() {
  ClutchControl c;
  c.target = Signal(50.0);
  c.proportional = 0.016038;
  c.derivative = 4.752e-4;
  c.integral = 0.1782;
  return c;
}
ClutchControl torque(const Signal& u) {
  ClutchControl c;
  c.feedforward = u;
  return c;
}
SimulationOptions until(double end) {
  SimulationOptions o;
  o.end = end;
  return o;
}
std::vector<Event> of_kind(const ClutchRun& run, ClutchEventKind kind) {
  std::vector<Event> found;
  for (const Event& e : run.events)
    if (is(e, kind)) found.push_back(e);
  return found;
}
std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& e) {
    return e.what();
  }
  return "accepted";
}

TEST(ClutchByWire, CyclesWithoutPlayAsStated) {
  const ClutchRun run = simulate_clutch(rigid(), pid(), {}, until(100));
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  const auto sticks = of_kind(run, ClutchEventKind::stick), releases = of_kind(run, ClutchEventKind::release);
  ASSERT_GT(releases.size(), 10u);
  const std::size_t n = releases.size();
  EXPECT_NEAR(releases[n - 1].time - releases[n - 3].time, 2.8810476, 1e-7);
  std::vector<double> last{sticks[sticks.size() - 1].position, sticks[sticks.size() - 2].position};
  std::sort(last.begin(), last.end());
  EXPECT_NEAR(last[0], 47.957634, 1e-6);
  EXPECT_NEAR(last[1], 50.689695, 1e-6);
  for (std::size_t i = n - 2; i < n; ++i) {
    const bool is_up = motion_of(releases[i]) == Slip::forward;
    EXPECT_NEAR(releases[i].applied, is_up ? rising : -falling, 1e-12);
    EXPECT_EQ(releases[i].velocity, 0);
  }
}

// In the gap only the motor resists, alike both ways: the cycle is symmetric about the target.
TEST(ClutchByWire, CyclesInsideThePlayAsStated) {
  const ClutchRun run = simulate_clutch(loose(), pid(), {}, until(200));
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  const auto sticks = of_kind(run, ClutchEventKind::stick), releases = of_kind(run, ClutchEventKind::release);
  ASSERT_GT(releases.size(), 10u);
  EXPECT_NEAR(releases.back().time - releases[releases.size() - 3].time, 5.9974302, 1e-6);
  EXPECT_NEAR(std::fabs(sticks.back().position - 50), 0.1995845, 1e-6);
  EXPECT_NEAR(std::fabs(releases.back().applied), 0.055, 1e-12);
  EXPECT_EQ(releases.back().mode, clutch_mode(motion_of(releases.back()), Mesh::gap));
}

// With the viscous torque the motor first rests a few mrad beside the target, and the integral takes its time.
TEST(ClutchByWire, WithViscosityThePlayCycleIsReachedOnlyAfterSome3000Seconds) {
  ClutchByWire m = loose();
  m.resistance.viscosity = 7.1746e-4;
  m.resistance.viscous_from = 240;
  const ClutchRun run = simulate_clutch(m, pid(), {}, until(4000));
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  double settled = 0;
  for (const Event& e : of_kind(run, ClutchEventKind::stick))
    if (std::fabs(std::fabs(e.position - 50) - 0.1995845) > 1e-5) settled = e.time;
  EXPECT_NEAR(settled, 3000, 150);
}

// The same machine as a body under PID with the friction model `hybrid`: another plant, another law.
TEST(ClutchByWire, WithoutPlayIsABodyUnderPid) {
  FrictionSettings settings;
  settings.values = {
      {"coulomb_force", sliding_up}, {"stiction_force", rising}, {"stribeck_velocity", 1e-9}, {"viscosity", 0.0}};
  settings.backward = {{"coulomb_force", falling / 1.3728}, {"stiction_force", falling}};
  Body body;
  body.mass = inertia;
  body.drive = {DriveKind::pid, 0.016038, 4.752e-4, 0.1782, Signal::constant(50)};
  const auto other = find_model("hybrid").make(settings)->simulate(body, until(10));
  const ClutchRun run = simulate_clutch(rigid(), pid(), {}, until(10));
  std::vector<double> a, b;
  for (const Event& e : other.events)
    if (e.kind == EventKind::stick) a.push_back(e.time);
  for (const Event& e : of_kind(run, ClutchEventKind::stick)) b.push_back(e.time);
  ASSERT_GE(b.size(), 3u);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-6) << i;
}

// J dω/dt = ρ t − C_r from t₀ = C_s/ρ on, so ω = (ρ (t² − t₀²)/2 − C_r (t − t₀))/J.
TEST(ClutchByWire, BreaksAwayUnderARampWhereTheLevelIs) {
  const double rate = 0.1;
  const ClutchRun run = simulate_clutch(rigid(), torque(Signal::ramp(rate)), {}, until(1.4));
  ASSERT_EQ(run.events.size(), 1u);
  const double t0 = rising / rate, t = 1.4;
  EXPECT_NEAR(run.events[0].time, t0, 1e-12);
  EXPECT_NEAR(run.reached.speed, (rate * (t * t - t0 * t0) / 2 - sliding_up * (t - t0)) / inertia, 1e-8);
}

// u = 0.08 Nm from the middle of the play: a₁ = (u − C_d)/J until the flank after R/2, then −(C_r − u)/J until rest. A push
// back of 0.06 Nm > C_ds leaves the rack where it is; one of 0.05 Nm does not move the motor.
TEST(ClutchByWire, CrossesThePlayPushesTheRackAndLeavesItThere) {
  const double u = 0.08, gained = (u - 0.05) / inertia, lost = (sliding_up - u) / inertia;
  const double reach = std::sqrt(3 / gained), speed = gained * reach, pushed = speed * speed / (2 * lost);
  for (const double back : {0.06, 0.05}) {
    const ClutchRun run = simulate_clutch(loose(), torque(Signal::step(u, -back, 1)), {}, until(1.05));
    ASSERT_EQ(run.stop, Stop::finished) << run.message;
    const auto engaged = of_kind(run, ClutchEventKind::engage), rests = of_kind(run, ClutchEventKind::stick);
    ASSERT_GE(engaged.size(), 1u);
    EXPECT_NEAR(engaged[0].time, reach, 1e-9);
    ASSERT_GE(rests.size(), 1u);
    EXPECT_NEAR(rests[0].time, reach + speed / lost, 1e-9);
    EXPECT_NEAR(rests[0].position, 1.5 + pushed, 1e-8);
    EXPECT_NEAR(run.reached.angle - run.reached.gap_position, pushed, 1e-8);  // where the rack is
    EXPECT_EQ(of_kind(run, ClutchEventKind::disengage).size(), back > 0.055 ? 1u : 0u);
  }
}

// Surplus 0.09 Nm is less than the jump of 0.172 Nm: the speed is held at the jump, exactly. 0.29 Nm is more: ω = (u − C_r)/fv.
TEST(ClutchByWire, LiteralViscosityHoldsTheSpeedAtItsJump) {
  ClutchByWire m = rigid();
  m.resistance.viscosity = 7.1746e-4;
  m.resistance.viscous_from = 240;
  m.resistance.viscous_form = ViscousForm::literal;
  const ClutchRun held = simulate_clutch(m, torque(Signal(0.2)), {}, until(1));
  EXPECT_EQ(held.reached.speed, 240);
  EXPECT_EQ(of_kind(held, ClutchEventKind::threshold).size(), 1u);
  EXPECT_NEAR(simulate_clutch(m, torque(Signal(0.4)), {}, until(1)).reached.speed, (0.4 - sliding_up) / 7.1746e-4,
              1e-6);
  // Lowered to 0.1 Nm < C_r it leaves the jump downwards and comes to rest.
  const ClutchRun stops = simulate_clutch(m, torque(Signal::step(0.2, 0.1, 0.5)), {}, until(1.5));
  EXPECT_EQ(stops.reached.speed, 0);
  m.resistance.viscous_form = ViscousForm::continuous;
  EXPECT_NEAR(simulate_clutch(m, torque(Signal(0.2)), {}, until(2)).reached.speed, 240 + (0.2 - sliding_up) / 7.1746e-4,
              1e-6);
}

// A straight level as a polynomial and as a table is the same machine; the table's inner knots are located.
TEST(ClutchByWire, TableAndPolynomialOfAStraightLevelAgree) {
  ClutchByWire a = loose(), b = loose();
  a.travel = b.travel = {-10, 110};
  a.resistance.breakaway_forward = {{0.12, 4e-4}, {}, {}};
  b.resistance.breakaway_forward = {{}, {-10, 20, 40, 110}, {0.116, 0.128, 0.136, 0.164}};
  const ClutchRun p = simulate_clutch(a, pid(), {}, until(20)), t = simulate_clutch(b, pid(), {}, until(20));
  const auto bends = of_kind(t, ClutchEventKind::bend);
  ASSERT_GE(bends.size(), 2u);
  EXPECT_NEAR(bends[0].position, 20 + 1.5, 1e-9);  // the forward flank leads the rack by half the play
  EXPECT_NEAR(bends[1].position, 40 + 1.5, 1e-9);
  const auto sp = of_kind(p, ClutchEventKind::stick), st = of_kind(t, ClutchEventKind::stick);
  ASSERT_EQ(sp.size(), st.size());
  for (std::size_t i = 0; i < sp.size(); ++i) EXPECT_NEAR(sp[i].time, st[i].time, 1e-6) << i;
}

// Pushed into the end with u − C_r over a distance, the motor arrives with that work as kinetic energy and loses all of it.
TEST(ClutchByWire, StopsAtTheEndOfItsTravel) {
  ClutchByWire m = rigid();
  m.travel = {0, 10};
  const ClutchRun run = simulate_clutch(m, torque(Signal(0.5)), {}, until(1));
  const auto stops = of_kind(run, ClutchEventKind::end_stop);
  ASSERT_EQ(stops.size(), 1u);
  EXPECT_NEAR(run.reached.angle, 10, 1e-9);
  EXPECT_EQ(run.reached.speed, 0);
  EXPECT_NEAR(run.ledger.reset_heat, (0.5 - sliding_up) * 10, 1e-8);
  const ClutchRun back = simulate_clutch(m, torque(Signal::step(0.5, -0.2, 0.5)), {}, until(0.51));
  EXPECT_LT(back.reached.angle, 10);
}

TEST(ClutchByWire, EncoderRoundsDownAndTheSampledTorqueIsHeld) {
  const ClutchByWire m = rigid();
  const double step = 2 * 3.14159265358979323846 / 56;
  EXPECT_NEAR(m.reading(2.5 * step), 2 * step, 1e-15);
  EXPECT_NEAR(m.reading(-0.5 * step), -step, 1e-15);
  ClutchControl c = pid();
  c.sampling_time = 1e-3;
  SimulationOptions options = until(5e-3);
  options.sample_times = {1e-4, 9e-4, 1.5e-3};
  const ClutchRun run = simulate_clutch(m, c, {}, options);
  // The first torque is K_p times the target, as the reading is 0; over the first period θ = (u − C_r) t²/(2 J).
  const double u0 = 0.016038 * 50, travelled = (u0 - sliding_up) / inertia * 1e-6 / 2;
  EXPECT_DOUBLE_EQ(values_of(run.samples, "motor_torque")[0], u0);
  EXPECT_DOUBLE_EQ(values_of(run.samples, "motor_torque")[1], u0);
  const double seen = m.reading(travelled);
  EXPECT_NEAR(values_of(run.samples, "motor_torque")[2],
              -0.016038 * (seen - 50) - 4.752e-4 * seen / 1e-3 - 0.1782 * (-50 * 1e-3), 1e-12);
  EXPECT_EQ(run.ledger.events[static_cast<std::size_t>(ClutchEventKind::sample)], 6u);  // at 0, 1, ... 5 ms
}

// With an exact encoder and half the sampling time the rest point comes twice as close to the continuous controller's.
TEST(ClutchByWire, FastSamplingApproachesTheContinuousController) {
  ClutchByWire m = rigid();
  m.encoder_points = 0;
  const double exact = of_kind(simulate_clutch(m, pid(), {}, until(1)), ClutchEventKind::stick).at(0).position;
  const auto rest = [&](double ts) {
    ClutchControl c = pid();
    c.sampling_time = ts;
    return of_kind(simulate_clutch(m, c, {}, until(1)), ClutchEventKind::stick).at(0).position;
  };
  const double coarse = std::fabs(rest(2e-4) - exact), fine = std::fabs(rest(1e-4) - exact);
  EXPECT_LT(fine, 0.02);
  EXPECT_NEAR(coarse / fine, 2, 0.2);
}

TEST(ClutchByWire, TorqueStaysWithinItsLimitAndSaysSo) {
  for (const double ts : {0.0, 1e-3}) {
    ClutchControl c = pid();
    c.limit = 0.3;
    c.sampling_time = ts;
    SimulationOptions options = until(3);
    options.sample_interval = 1e-3;
    const ClutchRun run = simulate_clutch(loose(), c, {}, options);
    ASSERT_EQ(run.stop, Stop::finished) << run.message;
    EXPECT_NEAR(
        *std::max_element(values_of(run.samples, "motor_torque").begin(), values_of(run.samples, "motor_torque").end()),
        0.3, 1e-9);
    EXPECT_GT(run.ledger.events[static_cast<std::size_t>(ClutchEventKind::limit)], 0u);
  }
}

TEST(ClutchByWire, EnergyIsAccountedForInRandomMachines) {
  std::mt19937_64 random(5);
  const auto between = [&](double a, double b) { return std::uniform_real_distribution<>(a, b)(random); };
  for (int i = 0; i < 60; ++i) {
    ClutchByWire m = i % 2 ? loose() : rigid();
    m.play *= between(0.2, 2);
    m.travel = {-20, 75};
    m.resistance.breakaway_forward = {{},
                                      {-20, between(0, 20), between(30, 60), 75},
                                      {between(0.08, 0.2), between(0.08, 0.2), between(0.08, 0.2), between(0.08, 0.2)}};
    m.resistance.viscosity = between(0, 1e-3);
    m.resistance.viscous_from = between(50, 300);
    m.resistance.viscous_form = i % 3 ? ViscousForm::continuous : ViscousForm::literal;
    ClutchControl c = pid();
    c.target = Signal::sine(between(0, 40), between(0.1, 2)) + Signal(between(0, 50));
    c.derivative_of_error = i % 5 == 0;
    if (i % 4 == 0) c.limit = between(0.2, 1);
    if (i % 3 == 1) c.sampling_time = 1e-3;
    SimulationOptions options = until(5);
    options.sample_interval = 1e-2;
    const ClutchRun run = simulate_clutch(m, c, {}, options);
    ASSERT_EQ(run.stop, Stop::finished) << i << ": " << run.message;
    EXPECT_LT(std::fabs(run.ledger.residual), 1e-8 * std::max(1e-3, run.ledger.friction_heat)) << i;
    EXPECT_GT(run.ledger.friction_heat, 0) << i;
    for (std::size_t k = 0; k < values_of(run.samples, "time").size(); ++k) {
      EXPECT_LE(std::fabs(values_of(run.samples, "angle")[k] - values_of(run.samples, "rack_angle")[k]),
                0.5 * m.play + 1e-9)
          << i;
      EXPECT_GE(values_of(run.samples, "resisting_torque")[k] * values_of(run.samples, "speed")[k], 0)
          << i;  // friction never drives
      EXPECT_TRUE(values_of(run.samples, "motion")[k] != 0 || values_of(run.samples, "speed")[k] == 0) << i;
    }
  }
}

TEST(ClutchByWire, EventsDoNotDependOnTheTolerance) {
  SimulationOptions coarse = until(20), fine = until(20);
  coarse.relative_tolerance = 1e-8;
  fine.relative_tolerance = 1e-11;
  const ClutchRun a = simulate_clutch(loose(), pid(), {}, coarse), b = simulate_clutch(loose(), pid(), {}, fine);
  ASSERT_EQ(a.events.size(), b.events.size());
  for (std::size_t i = 0; i < a.events.size(); ++i) EXPECT_NEAR(a.events[i].time, b.events[i].time, 1e-5) << i;
}

TEST(ClutchByWire, RefusesWhatMakesNoSense) {
  const auto run = [](auto change) {
    ClutchByWire m = loose();
    ClutchControl c = pid();
    ClutchStart s;
    change(m, c, s);
    return refusal([&] { simulate_clutch(m, c, s, until(0.01)); });
  };
  using M = ClutchByWire&;
  using C = ClutchControl&;
  using S = ClutchStart&;
  EXPECT_EQ(run([](M, C, S) {}), "accepted");
  EXPECT_EQ(run([](M m, C, S) { m.inertia = 0; }), "clutch-by-wire: the inertia is 0; it must be positive");
  EXPECT_EQ(run([](M m, C, S) { m.resistance.breakaway_forward = {}; }),
            "clutch-by-wire: the forward breakaway level is not given; give a polynomial or a table");
  EXPECT_EQ(run([](M m, C, S) { m.resistance.ratio_backward = 0.9; }),
            "clutch-by-wire: the backward ratio of breakaway to sliding is 0.9; it must be at least 1");
  EXPECT_NE(run([](M m, C, S) {
              m.resistance.breakaway_forward = {{0.1, -0.01}, {}, {}};
            }).find("both ends of the travel"),
            std::string::npos);
  EXPECT_NE(run([](M m, C, S) {
              m.travel = {0, 20};
              m.resistance.breakaway_forward = {{0.1, -0.01}, {}, {}};
            }).find("must be positive over the travel"),
            std::string::npos);
  EXPECT_NE(run([](M m, C, S) {
              m.resistance.breakaway_forward = {{}, {0, 0}, {0.1, 0.1}};
            }).find("knots must increase"),
            std::string::npos);
  EXPECT_NE(run([](M m, C, S) { m.motor_breakaway = 0.01; }).find("at least its resistance"), std::string::npos);
  EXPECT_NE(run([](M, C, S s) { s.gap_position = 2; }).find("within 1.5 rad"), std::string::npos);
  EXPECT_NE(run([](M m, C, S s) {
              m.travel = {0, 10}, s.angle = 20;
            }).find("the rack starts at 20 rad"),
            std::string::npos);
  EXPECT_NE(run([](M, C c, S) { c.limit = -1; }).find("torque limit is -1 Nm"), std::string::npos);
  EXPECT_NE(run([](M, C c, S) { c.derivative_cutoff_hz = 30; }).find("give a sampling time"), std::string::npos);
  EXPECT_NE(run([](M m, C, S) {
              m.resistance.viscous_form = ViscousForm::literal;
              m.resistance.viscosity = 1;
            }).find("literal viscosity begins"),
            std::string::npos);
}

TEST(ClutchByWire, SensorFiguresAsStated) {
  const SensorFigures f = sensor_figures(inertia, rigid().resolution(), 1e-3, 2);
  EXPECT_NEAR(f.signal_to_noise, 0.6752, 5e-5);
  EXPECT_NEAR(f.inertia_error, 1.955e-5, 5e-9);
  EXPECT_NEAR(f.signal_to_noise * f.inertia_error, inertia, 1e-18);  // ΔJ = J/(signal-to-noise)
}

// --- the full mechanism -------------------------------------------------------------------------------------------

ClutchMechanism mechanism() {
  ClutchMechanism m;
  m.inertia = inertia;
  m.rack_ratio = 2e-4;
  m.efficiency = 0.8;
  m.stroke = 0.02;
  m.compensator_force = Characteristic::constant(1000);
  m.slope_angle = Characteristic::constant(0);
  m.clutch_force = {{20, 1000}, {}, {}};
  m.dry_coefficient = 0.2;
  m.stribeck_excess = 0.25;
  m.stribeck_speed = 1e-6;
  m.motor_resistance = 0.05;
  m.motor_breakaway = 0.055;
  return m;
}

// Clutch force 20 + 1000 x N on the rack with equal pistons and no slope; friction 200 N; r/η = 2.5e-4.
TEST(ClutchMechanism, LevelsAreSpringsAndFrictionThroughTheGear) {
  const ClutchMechanism m = mechanism();
  const double rack = 50, force = 20 + 1000 * 0.01;
  EXPECT_NEAR(m.breakaway(rack, Direction::forward), 2.5e-4 * (force + 250) + 0.055, 1e-15);
  EXPECT_NEAR(m.breakaway(rack, Direction::backward), 2.5e-4 * (-force + 250) + 0.055, 1e-15);
  EXPECT_NEAR(m.sliding(rack, 100, Direction::forward), 2.5e-4 * (force + 200) + 0.05, 1e-15);
  EXPECT_NEAR(m.sliding(rack, 100, Direction::backward), 2.5e-4 * (-force + 200) + 0.05, 1e-15);
  ClutchMechanism halved = m;  // the master pushes half the area: half the force at half the way
  halved.slave_area = 2;
  EXPECT_NEAR(halved.spring_residue(0.01), 0.5 * (20 + 1000 * 0.005), 1e-12);
}

TEST(ClutchMechanism, RefusesFrictionThatCannotHoldTheSprings) {
  ClutchMechanism m = mechanism();
  EXPECT_NEAR(least_dry_coefficient(m), 40 / (1.25 * 1000), 1e-12);  // worst at the end of the stroke
  m.dry_coefficient = 0.03;
  EXPECT_NE(refusal([&] { check(m, {}, {}); }).find("it must exceed 0.032"), std::string::npos);
  // The absolute value the print lacks: a residue that pulls the other way is no better.
  m.clutch_force = {{-20, -1000}, {}, {}};
  EXPECT_NE(refusal([&] { check(m, {}, {}); }).find("it must exceed 0.032"), std::string::npos);
  m = mechanism();
  m.compensator_force = {{1000, -1e5}, {}, {}};
  EXPECT_NE(refusal([&] { check(m, {}, {}); }).find("prestressed"), std::string::npos);
}

// What the springs take on the way from 0 to x is ∫ (20 + 1000 x) dx, whatever the motion was.
TEST(ClutchMechanism, SpringWorkIsTheDifferenceOfPotential) {
  const ClutchRun run = simulate_clutch(mechanism(), pid(), {}, until(10));
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  const double x = 2e-4 * run.reached.angle;
  EXPECT_NEAR(run.spring_work, 20 * x + 500 * x * x, 1e-9);
  EXPECT_NEAR(run.ledger.residual, 0, 1e-8 * run.ledger.work_in);
  EXPECT_GT(run.ledger.friction_heat, 0);
}

// Linear spring, narrow Stribeck peak, no viscosity: the reduced sliding levels are exact polynomials, the one β is not.
TEST(ClutchMechanism, TheSimplifiedModelFollows) {
  const ClutchMechanism m = mechanism();
  const ReducedClutch simple = reduced(m);
  EXPECT_LT(simple.worst_sliding, 1e-12);
  EXPECT_LT(simple.worst_breakaway, 2e-3);
  EXPECT_GT(simple.worst_breakaway, 1e-6);
  const auto full = of_kind(simulate_clutch(m, pid(), {}, until(1)), ClutchEventKind::stick);
  const auto follows = of_kind(simulate_clutch(simple.machine, pid(), {}, until(1)), ClutchEventKind::stick);
  ASSERT_GE(full.size(), 1u);
  ASSERT_GE(follows.size(), 1u);
  EXPECT_NEAR(full[0].time, follows[0].time, 1e-4);
  EXPECT_NEAR(full[0].position, follows[0].position, 1e-3);
}

// --- parameter-varying form and bench -----------------------------------------------------------------------------

// A(ρ) x + B u must be the motion itself: at ω = −300 rad/s, J dω/dt = u + C_r⁻ + fv (300 − 240).
TEST(ClutchLpv, RowsAreTheMotion) {
  ClutchByWire m = rigid();
  m.resistance.viscosity = 7.1746e-4;
  m.resistance.viscous_from = 240;
  const Table t = lpv_table(m, {{10, 20}, {100, 300}});
  ASSERT_EQ(rows(t), 8u);
  const auto column = [&](std::string_view name) -> const std::vector<double>& {
    for (const Column& c : t.columns)
      if (c.name == name) return c.values;
    throw Error("no column " + std::string(name));
  };
  const double u = 0.05;
  for (std::size_t i = 0; i < rows(t); ++i) {
    const double w = column("speed")[i];
    const double dry = w > 0 ? sliding_up : falling / 1.3728, wet = 7.1746e-4 * std::max(std::fabs(w) - 240, 0.0);
    const double expected = (u - (w > 0 ? 1 : -1) * (dry + wet)) / inertia;
    EXPECT_NEAR(column("a22")[i] * w + column("b2")[i] * u, expected, 1e-9 * std::fabs(expected));
    EXPECT_EQ(column("a12")[i], 1);
  }
  EXPECT_NE(refusal([&] { lpv_table(m, {{0}, {0}}); }).find("speeds must be positive"), std::string::npos);
}

// No point of the range lies outside the bounds, and each bound is reached as nearly as speeds 1.1 % apart can: levels as polynomial and table, both viscous forms.
TEST(ClutchLpv, BoundsHoldEverywhereAndAreReached) {
  for (const ViscousForm form : {ViscousForm::continuous, ViscousForm::literal})
    for (const bool is_table : {false, true}) {
      ClutchByWire m = rigid();
      m.travel = {0, 100};
      m.resistance.viscosity = 7.1746e-4;
      m.resistance.viscous_from = 240;
      m.resistance.viscous_form = form;
      m.resistance.breakaway_forward = is_table ? Characteristic{{}, {0, 13, 40, 100}, {0.12, 0.17, 0.11, 0.14}}
                                                : Characteristic{{0.13, 2e-3, -3e-5}, {}, {}};
      for (const auto& [slowest, fastest] : {std::pair{5.0, 400.0}, std::pair{5.0, 100.0}, std::pair{250.0, 600.0}}) {
        const LpvRange range{0, 30, slowest, fastest};
        for (const double way : {1.0, -1.0}) {
          const LpvBounds b = lpv_bounds(m, range, way > 0 ? Direction::forward : Direction::backward);
          double lowest = 1e9, highest = 0;
          for (int i = 0; i <= 600; ++i)
            for (int k = 0; k <= 400; ++k) {
              const double rho = lpv_parameter(m, 0.05 * i, way * slowest * std::pow(fastest / slowest, k / 400.0));
              lowest = std::min(lowest, rho), highest = std::max(highest, rho);
            }
          EXPECT_GE(lowest, b.lowest * (1 - 1e-12));
          EXPECT_LE(highest, b.highest * (1 + 1e-12));
          EXPECT_NEAR(b.highest / highest, 1, 1.2e-2) << slowest << " " << fastest << " " << way << " " << is_table;
          EXPECT_NEAR(b.lowest / lowest, 1, 1.2e-2) << slowest << " " << fastest << " " << way << " " << is_table;
        }
      }
    }
  EXPECT_NE(refusal([&] {
              lpv_bounds(rigid(), {0, 1, 0, 10}, Direction::forward);
            }).find("speeds must be positive"),
            std::string::npos);
}

TEST(ClutchBench, BreakawayTestStaysWithinItsBound) {
  ClutchByWire m = loose();
  m.travel = {-3, 40};
  m.resistance.breakaway_forward = {{0.13, 5e-4}, {}, {}};
  const BreakawayResult r = breakaway_test(m, {.to = 20});
  EXPECT_GE(r.least_excess, 0);
  EXPECT_LE(r.most_excess, 1);
  EXPECT_TRUE(r.warnings.empty());
  std::size_t left_out = 0;
  for (const BreakawayPoint& p : r.points) {
    left_out += !p.is_used;
    if (!p.is_used) continue;
    EXPECT_GE(p.torque, p.level);
    EXPECT_LE(p.torque, p.bound);
  }
  EXPECT_GT(left_out, 0u);
  EXPECT_NEAR(r.mean_backward, falling, 0.01 * falling);
  const BreakawayResult fast = breakaway_test(m, {.ramp = 2, .to = 20});
  ASSERT_EQ(fast.warnings.size(), 1u);
  EXPECT_NE(fast.warnings[0].find("use a slower ramp"), std::string::npos);
  EXPECT_NE(refusal([&] { breakaway_test(m, {.to = 20, .most_force = 0.1}); }).find("no motion seen up to 0.1"),
            std::string::npos);
  m.encoder_points = 0;
  EXPECT_NE(refusal([&] { breakaway_test(m, {}); }).find("points per turn"), std::string::npos);
}

// The set-up of experiment clutch-by-wire-tests, for any choice of speeds in its range; the narrow Stribeck hump (1e-3) is left out.
TEST(ClutchBench, SinusoidTestFindsFrictionAndDistrustsTheNaiveSign) {
  ClutchByWire m;
  m.inertia = 1;
  m.encoder_points = 6283;
  m.resistance.breakaway_forward = m.resistance.breakaway_backward = Characteristic::constant(1.5);
  m.resistance.ratio_forward = m.resistance.ratio_backward = 1.5;
  m.resistance.viscosity = 0.4;
  SineProgram t;
  std::vector<double> speeds;
  t.frequency_hz = 0.5;
  t.periods = 5;
  t.proportional = 1000;
  t.derivative = 40;
  t.force_limit = 1e3;
  for (const int count : {3, 4, 7}) {
    speeds.clear();
    for (int i = 0; i < count; ++i) speeds.push_back(0.9 + 1.1 * i / (count - 1));
    const SinusoidResult r = sinusoid_test(m, speeds, t);
    EXPECT_NEAR(r.friction.viscosity, 0.4, 0.05 * 0.4) << count;
    EXPECT_NEAR(r.friction.coulomb, 1, 0.02) << count;
    EXPECT_GT(std::fabs(r.friction.naive_viscosity / 0.4 - 1), 0.5) << count;
    EXPECT_GE(r.warnings.size(), 1u) << count;  // one for all speeds
  }
  t.frequency_hz = 0.3;
  EXPECT_NE(refusal([&] { sinusoid_test(m, speeds, t); }).find("whole and at least 16"), std::string::npos);
  speeds = {1};
  t.frequency_hz = 0.5;
  EXPECT_NE(refusal([&] { sinusoid_test(m, speeds, t); }).find("needs at least 2"), std::string::npos);
}

}  // namespace
}  // namespace stickslip::clutch_by_wire_test
