/// Ties, lossy gears, one-way joints, stops, drives, belts and temperatures against closed forms; random machines with all of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/random.hpp"
#include "machines/friction/sticking_levels.hpp"
#include "machines/mechanism/element_machines.hpp"
#include "machines/mechanism/mechanism.hpp"
#include "machines/motion.hpp"
#include "support/cases.hpp"

namespace stickslip::mechanism_elements_test {
namespace {

using test::ElementMaker;

std::shared_ptr<const StickingLaw> level(double sliding) {
  return std::make_shared<StribeckLevels>(sliding, sliding, 1, 2);
}
MechanismBody shaft(const std::string& name, double inertia, double speed = 0) { return {name, inertia, 0, speed}; }
MechanismBody mass(const std::string& name, double kg, double position = 0, double speed = 0) {
  return {name, kg, position, speed, false};
}
LossyGear gear(double ratio, double eta_one, double eta_two, double friction = 0) {
  return {"gear", 0, 1, ratio, {0}, {eta_one}, {eta_two}, {friction}, {friction}};
}
ExternalTorque torque(std::size_t body, Signal signal) {
  return {"torque_" + std::to_string(body), body, std::move(signal)};
}
FrictionJoint brake(std::size_t body, double sliding) { return {"brake", {body, 1}, {}, level(sliding)}; }
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
std::vector<std::string> told(const Mechanism& m, const MechanismRun& run) {
  std::vector<std::string> texts;
  for (const auto& e : run.events)
    if (e.kind != EventKind::input_breakpoint) texts.push_back(event_text(m, e));
  return texts;
}
std::string refusal_of(const Mechanism& m) {
  try {
    check_mechanism(m);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}
double turned_over(const MechanismLedger& l) {
  double sum = std::fabs(l.work_in) + l.stored_start + l.stored_end + std::fabs(l.damper_heat) + std::fabs(l.drag_heat);
  for (const double heat : l.joint_heat) sum += std::fabs(heat);
  return sum;
}

// (J_b + η J_a i²) dw_b/dt = i (η T − f): what a gives, less its own inertia, times η. The loss is (1 − η) of the power that flows in
// at a, plus the bearing's.
TEST(LossyGear, DrivenGearLosesItsShareOfThePower) {
  Mechanism m;
  const double i = 4, eta = 0.8, f = 0.5, push = 7, ja = 0.3, jb = 2;
  m.bodies = {shaft("a", ja), shaft("b", jb)};
  m.lossy_gears = {gear(1 / i, eta, 0.6, f)};
  m.torques = {torque(0, Signal(push))};
  const auto run = simulate(m, until(3, 0.5));
  ASSERT_EQ(run.stop, Stop::finished);
  const double acceleration = i * (eta * push - f) / (jb + eta * ja * i * i), w = 3 * acceleration,
               turn = 4.5 * acceleration;
  EXPECT_NEAR(run.speed[1], w, 1e-9 * w);
  EXPECT_NEAR(run.speed[0], i * w, 1e-9 * i * w);
  const double flows_in = push - ja * i * acceleration, in_at_a = flows_in * i * turn;
  EXPECT_NEAR(values(run, "gear_torque")[3], flows_in, 1e-9 * push);
  EXPECT_NEAR(run.ledger.joint_heat[0], (1 - eta) * in_at_a + f * i * turn, 1e-9 * in_at_a);
  EXPECT_LT(std::fabs(run.ledger.residual), 1e-9 * run.ledger.work_in);
}

// Driven from b: what reaches a is η₂ (b's torque), so J_b dw/dt + i² J_a dw/dt / η₂ = T − i f/... : here f = 0 and a carries a brake torque
// only through its inertia: (J_b + i² J_a/η₂) dw/dt = T.
TEST(LossyGear, DrivenBackwardsItsOtherEfficiencyCounts) {
  Mechanism m;
  const double i = 3, eta = 0.4, push = 5, ja = 0.2, jb = 1;
  m.bodies = {shaft("a", ja), shaft("b", jb)};
  m.lossy_gears = {gear(1 / i, 0.9, eta)};
  m.torques = {torque(1, Signal(-push))};
  const auto run = simulate(m, until(2));
  const double acceleration = -push / (jb + i * i * ja / eta);
  EXPECT_NEAR(run.speed[1], 2 * acceleration, 1e-9);
  const double into_a = ja * i * acceleration, flow = push / i + jb * acceleration / i;  // what b gives, seen from a
  EXPECT_NEAR(run.ledger.joint_heat[0], (flow + into_a) * -i * 2 * acceleration, 1e-9);
  EXPECT_NEAR(-into_a, eta * flow, 1e-12);
}

// At rest a load T_b hangs on b; a is turned harder and harder. Stuck while the loss that is needed, T_a + T_b/i, is below (1 − η) T_a + f:
// it lets go at T_a = (f − T_b/i)/η. Downwards it lets go where T_a + T_b/i = (1 − 1/η₂) T_a − f, T_a = η₂ (−f − T_b/i).
TEST(LossyGear, SticksExactlyBetweenItsTwoLosses) {
  const double i = 2, load = -10, f = 0.25, eta_one = 0.5, eta_two = 0.4;
  const double up = (f - load / i) / eta_one, down = eta_two * (-f - load / i);
  for (const double direction : {1.0, -1.0}) {
    Mechanism m;
    m.bodies = {shaft("a", 1), shaft("b", 1.5)};
    m.lossy_gears = {gear(1 / i, eta_one, eta_two, f)};
    m.torques = {torque(0, Signal::ramp(direction) + Signal(5.0)), torque(1, Signal(load))};
    const auto run = simulate(m, until(8));
    ASSERT_EQ(run.events.size(), 1u);
    EXPECT_NEAR(run.events[0].time, direction > 0 ? up - 5 : 5 - down, 1e-8);
    EXPECT_EQ(run.events[0].motion, direction > 0 ? Slip::forward : Slip::backward);
  }
}

// Beside a brake on b that holds as well: both must give way. Up: T_a (1 − (1 − η)) i − f i = load + brake.
TEST(LossyGear, HoldsTogetherWithABrake) {
  Mechanism m;
  const double i = 2, load = -10, held = 3, eta = 0.5;
  m.bodies = {shaft("a", 1), shaft("b", 1.5)};
  m.lossy_gears = {gear(1 / i, eta, eta)};
  m.joints = {brake(1, held)};
  m.torques = {torque(0, Signal::ramp(1) + Signal(10.0)), torque(1, Signal(load))};
  const auto run = simulate(m, until(6));
  ASSERT_EQ(run.stop, Stop::finished);
  ASSERT_EQ(run.events.size(), 2u);  // at one instant
  EXPECT_NEAR(run.events[0].time, (held - load) / (i * eta) - 10, 1e-8);
  EXPECT_EQ(run.events[0].time, run.events[1].time);
  EXPECT_LT(std::fabs(run.ledger.residual), 1e-9 * turned_over(run.ledger));
}

// Both lines of its loss are one: at rest nothing goes from one to the other and back without end.
TEST(LossyGear, WithoutLossesDoesNotSwitchWithoutEnd) {
  Mechanism m;
  m.bodies = {shaft("a", 1), shaft("b", 1)};
  m.lossy_gears = {gear(0.5, 1, 1, 0.25)};
  m.torques = {torque(0, Signal::ramp(1))};
  const auto run = simulate(m, until(1));
  ASSERT_EQ(run.stop, Stop::finished);
  ASSERT_EQ(run.events.size(), 1u);
  EXPECT_NEAR(run.events[0].time, 0.25, 1e-9);
  EXPECT_NEAR(run.speed[0], 0.5 * 0.75 * 0.75 / 1.25, 1e-9);  // (1 + 0.25) dw/dt = t − 0.25
}

// The torque turns while the gear runs: a drives, then b does. Going over from one line of the loss to the other stops nothing.
// Until 0.5 s (J_b + η₁ J_a) dw/dt = η₁ T, from then on (J_b + J_a/η₂) dw/dt = T/η₂; ratio 1, T = 4 − 8 t, inertias 1.
TEST(LossyGear, GoesOnWhereTheOtherSideBeginsToDrive) {
  Mechanism m;
  m.bodies = {shaft("a", 1), shaft("b", 1)};
  m.lossy_gears = {gear(1, 0.5, 0.4)};
  m.torques = {torque(0, Signal(4) + Signal::ramp(-8))};
  const auto run = simulate(m, until(0.6));
  ASSERT_EQ(run.events.size(), 1u);  // it lets go at the start
  EXPECT_NEAR(run.speed[1], 0.5 / 1.5 * 1 - 2.5 / 3.5 * 0.04, 1e-9);
  EXPECT_LT(std::fabs(run.ledger.residual), 1e-9 * turned_over(run.ledger));
}

// η₁ from 1 to 0.5 over 10 rad/s, T on a alone: J dw/dt = T η(w), since J_b = 0 needs no torque: w(t) = 20 (1 − exp(−T t/(20 J))) with
// η = 1 − w/20 and all inertia on b: i = 1.
// A clutch of the gear's own ratio beside a gear that turns: how they share the load is not determined, and the loss follows the gear's share.
// The share was rounding noise, and so were the accelerations: the integrator followed them in steps of nanoseconds. Of least norm it is
// the same share at every instant: J a = T − (1 − η) t, t the share of the gear, in proportion to the torque.
TEST(LossyGear, ALockBesideATurningGearLeavesNoNoiseInItsLoad) {
  Mechanism m;
  m.bodies = {shaft("a", 0.7131), shaft("b", 2.3197)};
  m.lossy_gears = {gear(0.31, 0.8, 0.7)};
  m.joints = {{"lock", {0, 1}, {1, 1 / 0.31}, level(500)}};
  m.torques = {torque(0, Signal::ramp(3, 0))};
  const auto run = simulate(m, until(2, 0.1));
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  EXPECT_LT(run.work.steps + run.work.rejected, 200u);
  const auto &t = values(run, "time"), &a = values(run, "a_acceleration"), &slip = values(run, "lock_slip");
  for (std::size_t i = 1; i < t.size(); ++i) {
    EXPECT_EQ(slip[i], 0.0);
    EXPECT_NEAR(a[i] / t[i], a.back() / t.back(), 1e-9 * a.back());
  }
  EXPECT_NEAR(run.ledger.residual, 0, 1e-9 * turned_over(run.ledger));
  EXPECT_TRUE(std::any_of(run.warnings.begin(), run.warnings.end(), [](const std::string& w) {
    return w.find("a lossy gear slides beside more locks than there are degrees of freedom") != std::string::npos;
  }));
}

TEST(LossyGear, EfficienciesFollowTheSpeed) {
  Mechanism m;
  m.bodies = {shaft("a", 1e-9), shaft("b", 2)};
  LossyGear g = gear(1, 1, 1);
  g.speed = {0, 10}, g.eta_one = {1, 0.5}, g.eta_two = {1, 0.5}, g.f_one = g.f_two = {0, 0};
  m.lossy_gears = {g};
  m.torques = {torque(0, Signal(4))};
  const auto run = simulate(m, until(4));
  EXPECT_NEAR(run.speed[1], 20 * (1 - std::exp(-4 * 4 / (20 * 2.0))), 2e-8);
}

// Driven shaft on in: while it pulls, both turn as one; when it reverses, out continues alone. No friction: nothing is lost.
TEST(OneWay, CarriesOneWayAndLosesNothing) {
  Mechanism m;
  m.bodies = {shaft("in", 1), shaft("out", 3)};
  m.joints = {{"wheel", {1, 1}, {0, 1}, nullptr}};
  m.joints[0].is_one_way = true;
  const double period = 2;
  m.torques = {torque(0, Signal::sine(8, 1 / period))};
  const auto run = simulate(m, until(2, 0.01));
  ASSERT_EQ(run.stop, Stop::finished);
  // One second of push together: w = (8/4) (period/π) ... = 4/π; then in falls back with 8 sin, out keeps it.
  const double together = 8.0 / 4 * period / std::acos(-1.0);
  EXPECT_NEAR(run.speed[1], together, 1e-9);
  EXPECT_NEAR(run.speed[0], together - 8 * period / std::acos(-1.0), 1e-8);
  EXPECT_EQ(told(m, run), (std::vector<std::string>{"wheel slips forward"}));
  EXPECT_NEAR(run.events[0].time, 1, 1e-9);
  EXPECT_LT(std::fabs(run.ledger.residual), 1e-9 * turned_over(run.ledger));
  for (const double slip : values(run, "wheel_slip")) EXPECT_GE(slip, 0);
}

// With a level it holds forward up to it: in is braked by T > level, out is pulled along by the level alone.
TEST(OneWay, HoldsForwardUpToItsLevel) {
  Mechanism m;
  m.bodies = {shaft("in", 2, 5), shaft("out", 1, 5)};
  m.joints = {{"clutch", {1, 1}, {0, 1}, level(1)}};
  m.joints[0].is_one_way = true;
  m.torques = {torque(0, Signal::ramp(-1))};
  const auto run = simulate(m, until(4));
  // Together: −t/3; out needs a third of the torque, so it lets go at t = 3, and is braked with 1 from then on.
  ASSERT_EQ(run.events.size(), 1u);
  EXPECT_NEAR(run.events[0].time, 3, 1e-8);
  EXPECT_NEAR(run.speed[1], 5 - 4.5 / 3 - 1, 1e-8);
}

// A freewheel that closes at a speed: the shafts jump to one speed where a drive jumps. Momentum of out from the drive; the heat is that
// of the plastic impact.
TEST(OneWay, ClosesWithAnImpactWhenASpeedJumps) {
  Mechanism m;
  m.bodies = {shaft("in", 0), shaft("out", 3)};
  m.joints = {{"wheel", {1, 1}, {0, 1}, nullptr}};
  m.joints[0].is_one_way = true;
  m.drives = {{"drive", 0, Signal::step(0, 2, 1)}};
  const auto run = simulate(m, until(2));
  ASSERT_EQ(run.stop, Stop::finished);
  EXPECT_NEAR(run.speed[1], 2, 1e-12);
  EXPECT_NEAR(run.ledger.work_in, 0.5 * 3 * 2 * 2,
              1e-9);  // the drive moves at half its speed on average while it strikes
  EXPECT_LT(std::fabs(run.ledger.residual), 1e-9);
}

// Two freedoms s and c with w_r = ((1 + r) c − s)/r: Lagrange's equations are a 2 x 2 system.
TEST(Planetary, AccelerationsAreThoseOfTwoFreedoms) {
  const double r = 2.5, js = 0.7, jr = 1.3, jc = 2.1, ts = 3, tr = -1, tc = 0.4;
  Mechanism m;
  m.bodies = {shaft("sun", js), shaft("ring", jr), shaft("carrier", jc)};
  m.ties = {{"gear", {{0, 1}, {1, r}, {2, -(1 + r)}}}};
  m.torques = {torque(0, Signal(ts)), torque(1, Signal(tr)), torque(2, Signal(tc))};
  const double u = -1 / r, v = (1 + r) / r;  // w_r = u s + v c
  const double a = js + jr * u * u, b = jr * u * v, d = jc + jr * v * v, fs = ts + tr * u, fc = tc + tr * v;
  const double det = a * d - b * b, s = (d * fs - b * fc) / det, c = (a * fc - b * fs) / det;
  const auto run = simulate(m, until(2, 1));
  EXPECT_NEAR(run.speed[0], 2 * s, 1e-11);
  EXPECT_NEAR(run.speed[1], 2 * (u * s + v * c), 1e-11);
  EXPECT_NEAR(run.speed[2], 2 * c, 1e-11);
  EXPECT_NEAR(values(run, "gear_torque")[1], ts - js * s, 1e-11);  // carried at the sun, per its ratio of 1
  EXPECT_LT(std::fabs(run.ledger.residual), 1e-11);
}

// Ring without inertia, held by a brake: sun drives the carrier with 1 : (1 + r).
TEST(Planetary, ARingWithoutInertiaIsHeldByItsBrake) {
  const double r = 1.5;
  Mechanism m;
  m.bodies = {shaft("sun", 1), shaft("ring", 0), shaft("carrier", 10)};
  m.ties = {{"gear", {{0, 1}, {1, r}, {2, -(1 + r)}}}};
  m.joints = {brake(1, 100)};
  m.torques = {torque(0, Signal(20))};
  const auto run = simulate(m, until(1, 0.5));
  const double acceleration = 20 * (1 + r) / (10 + (1 + r) * (1 + r));  // of the carrier
  EXPECT_NEAR(run.speed[2], acceleration, 1e-12);
  EXPECT_EQ(run.motion[0], Slip::stuck);
  // At the ring r times what the sun gives to the gear; the brake takes it.
  EXPECT_NEAR(values(run, "brake_torque")[1], -r * (20 - (1 + r) * acceleration), 1e-11);
}

TEST(Planetary, OpenEverythingTurnsWithoutCarryingWhereTheRingHasNoInertia) {
  Mechanism m;
  m.bodies = {shaft("sun", 1), shaft("ring", 0), shaft("carrier", 10)};
  m.ties = {{"gear", {{0, 1}, {1, 1.5}, {2, -2.5}}}};
  m.torques = {torque(0, Signal(20))};
  const auto run = simulate(m, until(1));
  EXPECT_NEAR(run.speed[0], 20, 1e-11);
  EXPECT_NEAR(run.speed[2], 0, 1e-13);
}

TEST(Tie, ThreeMassesOnOneRope) {  // a pulley block: v_1 + v_2 = 2 v_3, gravity on all
  const double g = 9.80665, m1 = 1, m2 = 2, m3 = 5;
  Mechanism m;
  m.bodies = {mass("one", m1), mass("two", m2), mass("block", m3)};
  m.ties = {{"rope", {{0, 1}, {1, 1}, {2, 2}}}};
  for (std::size_t i = 0; i < 3; ++i) m.torques.push_back(torque(i, Signal(-g * m.bodies[i].inertia)));
  const double tension = 4 * g / (1 / m1 + 1 / m2 + 4 / m3);  // pulls up with T, T, 2 T
  const auto run = simulate(m, until(1, 0.5));
  EXPECT_NEAR(-values(run, "rope_torque")[1], tension, 1e-11);
  EXPECT_NEAR(run.speed[2], -g + 2 * tension / m3, 1e-11);
}

// Flies at 2 m/s to the end at 1 m, is stopped at 0.5 s, held there by the push until that has turned.
TEST(Stop, TakesAllSpeedHoldsAndLetsGo) {
  Mechanism m;
  m.bodies = {mass("slide", 3, 0, 2)};
  m.stops = {{"ends", {0, 1}, {}, -4, 1}};
  const std::vector<double> times{1, 2}, forces{6, -6};
  m.torques = {torque(0, Signal::table(times, forces) + Signal::step(-6, 0, 0.75))};
  const auto run = simulate(m, until(2, 0.25));
  // −0 N until 0.75 s (6 − 6), then 6 N into the stop, falling from 1 s, zero at 1.5 s.
  EXPECT_EQ(told(m, run), (std::vector<std::string>{"ends is struck at its high end", "ends holds at its high end",
                                                    "ends lets go at its high end"}));
  EXPECT_NEAR(run.events[0].time, 0.5, 1e-10);
  EXPECT_NEAR(run.events[run.events.size() - 2].time, 1.5, 1e-9);  // the last is the end of the table
  EXPECT_NEAR(run.speed[0], -0.5 * 12 * 0.25 / 3, 1e-9);
  EXPECT_NEAR(run.ledger.joint_heat[0] + run.ledger.joint_heat[1], 0.5 * 3 * 4, 1e-9);
  EXPECT_NEAR(values(run, "ends_force")[4], -6, 1e-9);  // on the slide
  EXPECT_EQ(values(run, "ends_contact")[4], 1);
  EXPECT_LT(std::fabs(run.ledger.residual), 1e-9 * turned_over(run.ledger));
}

// Two masses meet: the impact is plastic, momentum stays.
TEST(Stop, BetweenTwoBodiesKeepsTheMomentum) {
  Mechanism m;
  m.bodies = {mass("left", 1, 0, 3), mass("right", 2, 1, 0)};
  m.stops = {{"contact", {1, 1}, {0, 1}, 0.25, std::numeric_limits<double>::infinity()}};
  const auto run = simulate(m, until(1));
  EXPECT_NEAR(run.events[0].time, 0.25, 1e-10);
  EXPECT_NEAR(run.speed[0], 1, 1e-12);
  EXPECT_NEAR(run.speed[1], 1, 1e-12);
  EXPECT_NEAR(run.ledger.joint_heat[0], 0.5 * 9 - 0.5 * 3, 1e-9);
}

// Friction does not stop an impact, but holds the body at the stop: it lets go when the pull passes the level.
TEST(Stop, WithFrictionLetsGoAtTheLevel) {
  Mechanism m;
  m.bodies = {mass("slide", 1, 0, 1)};
  m.stops = {{"ends", {0, 1}, {}, -1, 0.1}};
  m.joints = {brake(0, 2)};
  m.torques = {torque(0, Signal(5) + Signal::ramp(-1))};
  const auto run = simulate(m, until(8));
  ASSERT_EQ(run.stop, Stop::finished);
  EXPECT_NEAR(run.events.back().time, 7, 1e-8);
  EXPECT_LT(std::fabs(run.ledger.residual), 1e-8 * turned_over(run.ledger));
}

// x = A sin(ω t): the drive gives J a, and its work over a quarter is what the body then has.
TEST(Drive, PositionIsFollowedAndTheTorqueIsWhatItTakes) {
  const double amplitude = 0.5, omega = 4, inertia = 3;
  const double f = omega / (2 * std::acos(-1.0));
  Mechanism m;
  m.bodies = {shaft("shaft", inertia, amplitude * omega)};
  m.drives = {{"drive", 0, Signal::sine(amplitude, f), true}};
  const auto run = simulate(m, until(0.3, 0.1));
  EXPECT_NEAR(run.position[0], amplitude * std::sin(omega * 0.3), 1e-10);
  EXPECT_NEAR(run.speed[0], amplitude * omega * std::cos(omega * 0.3), 1e-10);
  EXPECT_NEAR(values(run, "drive_torque")[2], -inertia * amplitude * omega * omega * std::sin(omega * 0.2), 1e-9);
  EXPECT_LT(std::fabs(run.ledger.residual), 1e-9 * turned_over(run.ledger));
}

// A brake on a shaft that turns at 10 rad/s: heat 20 W, falling with the temperature: C dϑ/dt = P (1 + α ϑ) − G ϑ.
TEST(Temperature, LevelsFollowTheHeatOfTheJoint) {
  Mechanism m;
  m.bodies = {shaft("shaft", 1, 10)};
  m.drives = {{"drive", 0, Signal(10.0)}};
  m.joints = {brake(0, 2)};
  m.joints[0].temperature = {.heat_capacity = 50, .cooling = 0.2, .per_kelvin = -0.004};
  const auto run = simulate(m, until(100, 50));
  const double rate = (20 * 0.004 + 0.2) / 50, end = 20 / (20 * 0.004 + 0.2);
  const auto above = [&](double t) { return end * (1 - std::exp(-rate * t)); };
  EXPECT_NEAR(values(run, "brake_temperature")[2], 293.15 + above(100), 1e-7);
  EXPECT_NEAR(values(run, "brake_torque")[1], 2 * (1 - 0.004 * above(50)), 1e-9);
}

// Euler's rope: 10 kg against m hold over half a turn with μ = 0.3 while m > 10 exp(−0.3 π); lighter, they run with
// a = g (10 − m e)/(10 + m e), e = exp(0.3 π).
TEST(Belt, HoldsAndRunsAsEulerSays) {
  const double g = 9.80665, e = std::exp(0.3 * std::acos(-1.0));
  for (const double light : {4.0, 3.0}) {
    Mechanism m;
    m.bodies = {mass("heavy", 10), mass("light", light)};
    m.lossy_gears = {{"rope", 0, 1, 1, {0}, {1 / e}, {1 / e}, {0}, {0}, true}};
    m.torques = {torque(0, Signal(10 * g)), torque(1, Signal(-light * g))};  // positive: the heavy one goes down
    const auto run = simulate(m, until(1));
    const double expected = light * e > 10 ? 0 : g * (10 - light * e) / (10 + light * e);
    EXPECT_NEAR(run.speed[0], expected, 1e-9);
    EXPECT_TRUE(run.warnings.empty());
  }
}

TEST(Drag, LawsOverSpeed) {
  Mechanism m;
  m.bodies = {shaft("a", 2, 5), shaft("b", 2, 5), shaft("c", 1, -1)};
  m.drags = {{"square", 0, 0, 0.4}, {"eddy", 1, 0, 0, 0, 3, 2}, {"wind", 2, 0, 0, 0.25}};
  const auto run = simulate(m, until(2));
  EXPECT_NEAR(run.speed[0], 5 / (1 + 0.4 * 5 * 2 / 2), 1e-9);  // 1/w grows by 0.4/J per second
  const double w = run.speed[1];                               // J (w_e/2T) (ln w + w²/(2 w_e²)) falls with time
  const auto lies = [](double at) { return 2 * 2.0 / (2 * 3) * (std::log(at) + at * at / 8); };
  EXPECT_NEAR(lies(5) - lies(w), 2, 1e-8);
  EXPECT_NEAR(run.speed[2], -2, 1e-9);  // 1/w grows by 0.25 per second: the wind drives on
}

// Backlash to ground whose damper never pulls: energy falls, the force pushes only, and between contacts the speed is constant.
TEST(ElasticBacklash, DamperNeverPulls) {
  Mechanism m;
  m.bodies = {{"j", 5, 1.5, 0}};
  m.springs = {{"backlash", {0, 1}, {}, 2e4, 500, 0.8, Signal(0.0), true}};
  const auto run = simulate(m, until(1, 1e-3));
  const auto &e = values(run, "backlash_elongation"), &force = values(run, "backlash_force");
  for (std::size_t i = 0; i < e.size(); ++i) {
    const double beyond = std::fabs(e[i]) - 0.4;
    EXPECT_GE(force[i] * e[i], 0);
    EXPECT_LE(std::fabs(force[i]), 2 * 2e4 * std::max(beyond, 0.0) * (1 + 1e-9));
  }
  EXPECT_LT(std::fabs(run.ledger.residual), 1e-8 * run.ledger.stored_start);
}

TEST(Start, WhatLetsGoAtOnceIsAnEvent) {
  Mechanism m;
  m.bodies = {shaft("a", 1), shaft("b", 1)};
  m.joints = {{"c", {0, 1}, {1, 1}, level(1)}};
  m.torques = {torque(0, Signal(5))};
  for (const auto propagation : {Propagation::exact, Propagation::steps}) {
    m.propagation = propagation;
    const auto run = simulate(m, until(1));
    ASSERT_EQ(run.events.size(), 1u);
    EXPECT_EQ(run.events[0].time, 0);
    EXPECT_EQ(run.events[0].kind, EventKind::release);
  }
}

TEST(General, RefusalsNameThePart) {
  Mechanism m;
  m.bodies = {shaft("a", 1), shaft("ring", 0)};
  EXPECT_EQ(refusal_of(m),
            "body 'ring': it has no inertia, and no gear, tie or drive determines its motion; give it an inertia");
  m.ties = {{"t", {{0, 1}, {1, -2}}}};
  EXPECT_EQ(refusal_of(m), "");
  m.ties.push_back({"again", {{0, 2}, {1, -4}}});
  EXPECT_NE(refusal_of(m).find("it duplicates or contradicts other ties"), std::string::npos);
  m.ties.pop_back();
  m.bodies[0].speed = 1;
  EXPECT_NE(refusal_of(m).find("tie 't': its bodies start at inconsistent speeds"), std::string::npos);
  m.bodies[0].speed = 0;
  m.stops = {{"s", {0, 1}, {}, 1, 2}};
  EXPECT_EQ(refusal_of(m), "stop 's': it starts at 0, beyond its end at 1");
}

// A stepped motion stops at any instant and continues bit for bit.
TEST(General, AHeldMotionIsSavedAndRestored) {
  Mechanism m;
  m.bodies = {shaft("a", 1), shaft("b", 1.5)};
  m.lossy_gears = {gear(0.5, 0.5, 0.5)};
  m.stops = {{"ends", {1, 1}, {}, -1e-3, 1e-3}};
  m.torques = {torque(0, Signal::sine(10, 1)), torque(1, Signal(-8))};
  const auto motion = mechanism_motion(m, until(1));
  motion->advance(0.23);
  const auto kept = motion->save();
  motion->advance(0.9);
  std::vector<double> once(motion->outputs().size()), again = once;
  motion->read(once);
  motion->load(kept);
  motion->advance(0.9);
  motion->read(again);
  EXPECT_EQ(again, once);
}

// ---- random machines ----------------------------------------------------------------------------------------------

TEST(MechanismElementsProperty, RandomMachinesFinishAndKeepTheirEnergy) {
  const std::size_t first = test::first_case(), count = test::cases(150);
  std::size_t events = 0, worst_seed = 0, refused = 0, most_steps = 0, slowest = 0;
  double worst = 0;
  for (std::size_t seed = first; seed < first + count; ++seed) {
    const Mechanism m = ElementMaker(seed).make();
    if (!refusal_of(m).empty()) {
      ++refused;
      continue;
    }
    SimulationOptions options = until(2, 0.05);
    options.most_steps = 20000;
    const auto run = simulate(m, options);
    EXPECT_EQ(run.stop, Stop::finished) << "seed " << seed << ": " << run.message;
    if (run.stop != Stop::finished) continue;
    events += run.events.size();
    if (run.work.steps > most_steps) most_steps = run.work.steps, slowest = seed;
    double most = turned_over(run.ledger);  // or what the bodies had in between, all given back at the end
    for (std::size_t i = 0; i < values(run, "time").size(); ++i) {
      double kinetic = 0;
      for (const auto& b : m.bodies) kinetic += 0.5 * b.inertia * std::pow(values(run, b.name + "_speed")[i], 2);
      most = std::max(most, kinetic);
    }
    const double part = std::fabs(run.ledger.residual) / std::max(most, 1e-6);
    if (part > worst) worst = part, worst_seed = seed;
    for (std::size_t j = 0; j < run.ledger.joint_heat.size(); ++j)
      EXPECT_GE(run.ledger.joint_heat[j], -1e-9 * turned_over(run.ledger)) << "seed " << seed << " row " << j;
    for (std::size_t i = 0; i < values(run, "time").size(); ++i) {
      for (const auto& j : m.joints)
        ASSERT_TRUE(!j.is_one_way || values(run, j.name + "_slip")[i] >= -1e-8) << "seed " << seed;
      for (const auto& s : m.stops) {
        const double at = values(run, m.bodies[s.a.body].name + "_position")[i];
        ASSERT_GE(at, s.low - 1e-8) << "seed " << seed;
        ASSERT_LE(at, s.high + 1e-8) << "seed " << seed;
      }
      for (const auto& t : m.ties) {
        double sum = 0;
        for (const auto& end : t.ends) sum += end.ratio * values(run, m.bodies[end.body].name + "_speed")[i];
        ASSERT_NEAR(sum, 0, 1e-9) << "seed " << seed;
      }
    }
  }
  EXPECT_LT(worst, 1e-7) << "seed " << worst_seed;
  RecordProperty("events", static_cast<int>(events));
  std::printf(
      "%zu machines (%zu refused), at most %zu steps (seed %zu), %zu events, largest residual %.2g of the energy "
      "turned "
      "over (seed %zu)\n",
      count, refused, most_steps, slowest, events, worst, worst_seed);
}

// Locks that are too many beside a lossy gear that turns: these took more than 20 000 steps for 2 s. In 2280, 7065 and 7698 the same noise
// kept the speeds after an impact from being found, and the run ended as endless switching.
TEST(MechanismElementCases, MachinesWithLocksThatAreTooManyBesideALossyGearTakeFewSteps) {
#ifdef __clang__
  GTEST_SKIP() << "clang draws the numbers of a random machine in another order: the seeds are other machines there";
#endif
  for (const std::size_t seed :
       std::initializer_list<std::size_t>{607,  1229, 1272, 1370, 1502, 1575, 2280, 2537, 2575, 3762, 5039, 5444,
                                          5522, 5754, 5804, 6919, 7065, 7181, 7197, 7698, 8882, 9104, 17669}) {
    const auto run = simulate(ElementMaker(seed).make(), until(2));
    EXPECT_EQ(run.stop, Stop::finished) << "seed " << seed << ": " << run.message;
    EXPECT_LT(run.work.steps + run.work.rejected, 10'000u) << "seed " << seed;
  }
}

// A body hits its stop beside freewheels whose bodies are at rest: the impact leaves only rounding in them. The search for
// the speeds afterwards once went round in it, and the run ended as endless switching.
TEST(MechanismElementCases, ImpactsBesideFreewheelsAtRestAreSolved) {
#ifdef __clang__
  GTEST_SKIP() << "clang draws the numbers of a random machine in another order: the seeds are other machines there";
#endif
  for (const std::size_t seed : std::initializer_list<std::size_t>{15811, 19392}) {
    const auto run = simulate(ElementMaker(seed).make(), until(2));
    EXPECT_EQ(run.stop, Stop::finished) << "seed " << seed << ": " << run.message;
  }
}

}  // namespace
}  // namespace stickslip::mechanism_elements_test
