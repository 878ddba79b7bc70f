/// Torques over speed, torques between bodies, prescribed accelerations and filtered motions, springs with a damper in series, with a
/// length of their own and with a damper that only pushes, against closed forms; exact rest; random machines with all of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/error.hpp"
#include "core/random.hpp"
#include "machines/machine.hpp"
#include "machines/mechanism/element_machines.hpp"
#include "machines/mechanism/mechanism.hpp"
#include "machines/mechanism/mechanism_file.hpp"
#include "machines/mechanism/mechanism_system.hpp"
#include "machines/motion.hpp"
#include "support/cases.hpp"

namespace stickslip::mechanism_sources_test {
namespace {

using std::numbers::pi;

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
double turned_over(const MechanismLedger& l) {
  double sum = std::fabs(l.work_in) + l.stored_start + l.stored_end + l.damper_heat + std::fabs(l.drag_heat);
  for (const double heat : l.joint_heat) sum += std::fabs(heat);
  return sum;
}
/// One flywheel of inertia 2 with a drag; its speed after `end`, the ledger being closed.
double slowed(const Drag& drag, double speed, double end) {
  Mechanism m;
  m.bodies = {{"wheel", 2, 0, speed}};
  m.drags = {drag};
  SimulationOptions options = until(end);
  options.relative_tolerance = 1e-12;  // where a torque grows as the speed falls errors grow too
  const auto run = simulate(m, options);
  EXPECT_EQ(run.stop, Stop::finished) << run.message;
  EXPECT_LT(std::fabs(run.ledger.residual), 1e-9 * turned_over(run.ledger));
  EXPECT_NEAR(run.ledger.drag_heat, speed * speed - run.speed[0] * run.speed[0], 1e-9 * speed * speed);
  return run.speed[0];
}
Drag drag_on(std::size_t body) {
  Drag d;
  d.name = "drag", d.body = body;
  return d;
}

// 2 dw/dt = −3 |w|: a wheel turning forward is slowed, one turning backward is driven on.
TEST(Drag, LinearTorqueOfFixedDirectionPushesAWheelThatTurnsBackward) {
  Drag d = drag_on(0);
  d.one_way_linear = 3;
  EXPECT_NEAR(slowed(d, 5, 0.8), 5 * std::exp(-1.2), 1e-9);
  EXPECT_NEAR(slowed(d, -5, 0.8), -5 * std::exp(1.2), 1e-8);
}

// 2 dw/dt = −T s(w/w₀) has a closed form for each way of rounding the sign; x = w/w₀, r = T/(2 w₀):
//   exponential: sinh(50 x) = sinh(50 x₀) exp(−50 r t);   linear: x = x₀ exp(−r t);   sine: tan(πx/4) = tan(πx₀/4) exp(−π r t/2);
//   cosine: cot(πx/4) = cot(πx₀/4) + π r t/2.   Beyond |x| = 1 the torque is T but for the exponential one.
TEST(Drag, SignOfTheSpeedIsRoundedAsSaid) {
  const double w0 = 0.4, torque = 3, r = torque / (2 * w0), t = 0.15, x0 = 0.9;
  Drag d = drag_on(0);
  d.sign_torque = torque, d.rounded_below = w0;
  d.sign = RoundedSign::exponential;
  EXPECT_NEAR(slowed(d, w0 * 0.05, 0.02), w0 / 50 * std::asinh(std::sinh(50 * 0.05) * std::exp(-50 * r * 0.02)), 1e-10);
  d.sign = RoundedSign::linear;
  EXPECT_NEAR(slowed(d, w0 * x0, t), w0 * x0 * std::exp(-r * t), 1e-9);
  EXPECT_NEAR(slowed(d, 2 * w0, 1 / r + t), w0 * std::exp(-r * t), 1e-9);  // 1/r until w₀
  EXPECT_NEAR(slowed(d, -w0 * x0, t), -w0 * x0 * std::exp(-r * t), 1e-9);
  d.sign = RoundedSign::sine;
  EXPECT_NEAR(slowed(d, w0 * x0, t), 4 * w0 / pi * std::atan(std::tan(pi * x0 / 4) * std::exp(-pi / 2 * r * t)), 1e-9);
  d.sign = RoundedSign::cosine;
  EXPECT_NEAR(slowed(d, w0 * x0, t), 4 * w0 / pi * std::atan(1 / (1 / std::tan(pi * x0 / 4) + pi / 2 * r * t)), 1e-9);
}

// 2 w dw/dt = −P: w² falls by P t. Below w₀ it is a line, 2 dw/dt = −P w/w₀². Of fixed direction it drives a wheel that turns backward.
TEST(Drag, InverseTorqueTakesTheSamePowerAtEverySpeed) {
  Drag d = drag_on(0);
  d.inverse_power = 6, d.rounded_below = 0.5;
  EXPECT_NEAR(slowed(d, 4, 2), std::sqrt(16 - 12.0), 1e-9);
  const double reached = (16 - 0.25) / 6;
  EXPECT_NEAR(slowed(d, -4, reached + 0.1), -0.5 * std::exp(-6 / (2 * 0.25) * 0.1), 1e-9);
  d.inverse_keeps_direction = true;
  EXPECT_NEAR(slowed(d, -4, 2), -std::sqrt(16 + 12.0), 1e-9);
  EXPECT_NEAR(slowed(d, 0.4, 0.05), 0.4 - 6 / 0.5 / 2 * 0.05, 1e-9);
}

// Without a temperature: 2 dw/dt = −2 T e² u/(1 + u²), so that ln u + u²/2 falls by T e² t/w_e; e is the excitation.
TEST(Drag, EddyCurrentBrakeGoesWithTheSquareOfItsExcitation) {
  Drag d = drag_on(0);
  d.eddy_torque = 10, d.eddy_speed = 4;
  d.has_strength = d.is_squared = true, d.strength = Signal(0.5);
  const double w = slowed(d, 12, 3), u = w / 4;
  EXPECT_NEAR(std::log(u) + u * u / 2, std::log(3.0) + 4.5 - 10 * 0.25 * 3 / 4, 1e-9);
}

// Heated by what it takes, without cooling: C (ϑ − ϑ₀) is the kinetic energy lost, and with it u = w/(w_e (1 + α (ϑ − ϑ₀))) is known at
// every speed. The time from w₁ to w₂ is an integral, t = ∫ 2 (1 + u²)/(2 T u) dw, taken here by Simpson's rule.
TEST(Drag, EddyCurrentBrakeHeatsUpAndItsNominalSpeedRises) {
  Mechanism m;
  m.bodies = {{"wheel", 2, 0, 12}};
  Drag d = drag_on(0);
  d.eddy_torque = 10, d.eddy_speed = 4;
  d.temperature = {.heat_capacity = 3, .ambient = 300, .start = 300, .reference = 300, .per_kelvin = 0.02};
  m.drags = {d};
  const auto run = simulate(m, until(2, 1));
  const double reached = run.speed[0];
  const auto slowness = [](double w) {
    const double u = w / (4 * (1 + 0.02 * (144 - w * w) / 3));
    return (1 + u * u) / (10 * u);
  };
  constexpr int parts = 2000;
  double time = 0;
  for (int i = 0; i < parts; ++i) {
    const double h = (12 - reached) / parts, a = reached + i * h;
    time += h / 6 * (slowness(a) + 4 * slowness(a + h / 2) + slowness(a + h));
  }
  EXPECT_NEAR(time, 2, 1e-8);
  EXPECT_NEAR(values(run, "drag_temperature")[2], 300 + (144 - reached * reached) / 3, 1e-8);
  EXPECT_LT(std::fabs(run.ledger.residual), 1e-9 * 144);
}

// Cooled, and the wheel held at a speed by a drive: ϑ − ambient goes to T w/G with the time constant C/G.
TEST(Drag, EddyCurrentBrakeCoolsDown) {
  Mechanism m;
  m.bodies = {{"wheel", 2, 0, 4}};
  m.drives = {{"drive", 0, Signal(4.0)}};
  Drag d = drag_on(0);
  d.eddy_torque = 10, d.eddy_speed = 4;
  d.temperature = {.heat_capacity = 3, .cooling = 2, .ambient = 290, .start = 300, .reference = 300};
  m.drags = {d};
  const auto run = simulate(m, until(1.5, 1.5));
  const double last = 290 + 10 * 4 / 2.0;
  EXPECT_NEAR(values(run, "drag_temperature")[1], last + (300 - last) * std::exp(-1.0), 1e-8);
  EXPECT_NEAR(values(run, "drive_torque")[1], 10, 1e-12);
}

// Between two free wheels a torque and a drag leave the momentum alone; the slip goes to T/c with the rate c (1/J₁ + 1/J₂).
TEST(Between, TorqueAndDragActOnBothBodies) {
  Mechanism m;
  m.bodies = {{"a", 2, 0, 1}, {"b", 3, 0, 1}};
  m.torques = {{"torque", 0, Signal(6.0), 1}};
  Drag d = drag_on(0);
  d.linear = 4, d.against = 1;
  m.drags = {d};
  const auto run = simulate(m, until(0.7));
  const double rate = 4 * (1 / 2.0 + 1 / 3.0), slip = 1.5 * (1 - std::exp(-rate * 0.7));
  EXPECT_NEAR(run.speed[0] - run.speed[1], slip, 1e-9);
  EXPECT_NEAR(2 * run.speed[0] + 3 * run.speed[1], 5, 1e-9);
  EXPECT_LT(std::fabs(run.ledger.residual), 1e-9 * turned_over(run.ledger));
}

// A clutch between two bodies holds a torque between the same two up to its level: nothing else is felt outside.
TEST(Between, ClutchHoldsATorqueBetweenItsBodies) {
  Mechanism m;
  m.bodies = {{"a", 2}, {"b", 3}};
  m.joints = {{"clutch", {0, 1}, {1, 1}, std::make_shared<StribeckLevels>(5.0, 5.0, 1.0, 2.0)}};
  m.torques = {{"torque", 0, Signal::ramp(2), 1}};
  const auto run = simulate(m, until(4));
  ASSERT_EQ(run.events.size(), 1u);
  EXPECT_NEAR(run.events[0].time, 2.5, 1e-9);
  EXPECT_NEAR(run.speed[0], 1.5 * 1.5 / 2, 1e-9);  // ∫ (2 t − 5) dt/2
  EXPECT_NEAR(run.speed[1], -1.5 * 1.5 / 3, 1e-9);
}

// dw/dt = 3 cos(2t), from w = 1: the body moves as it is told whatever pulls at it, and the torque is what that takes.
TEST(Drive, FollowsAnAcceleration) {
  Mechanism m;
  m.bodies = {{"shaft", 2, 0.5, 1}};
  m.torques = {{"load", 0, Signal(-7.0)}};
  m.drives = {{.name = "drive", .motion = Signal::sine(3, 1 / pi, pi / 2), .is_acceleration = true}};
  const auto run = simulate(m, until(2, 0.5));
  EXPECT_NEAR(run.speed[0], 1 + 1.5 * std::sin(4.0), 1e-9);
  EXPECT_NEAR(run.position[0], 0.5 + 2 + 0.75 * (1 - std::cos(4.0)), 1e-9);
  EXPECT_NEAR(values(run, "drive_torque")[3], 7 + 6 * std::cos(3.0), 1e-9);
  EXPECT_LT(std::fabs(run.ledger.residual), 1e-9 * turned_over(run.ledger));
}

// A step of the wanted speed: w = 1 − exp(−ω t). Of the wanted position: the step response of 1 + (a/ω) s + (b/ω²) s².
TEST(Drive, FollowsAFilteredSpeedOrPosition) {
  Mechanism m;
  m.bodies = {{"fast", 2}, {"slow", 1}};
  m.drives = {{.name = "speed", .body = 0, .motion = Signal::step(0, 1, 0.5), .filter = 5},
              {.name = "position", .body = 1, .motion = Signal::step(0, 1, 0.5), .is_position = true, .filter = 2}};
  const auto run = simulate(m, until(0.6));
  EXPECT_NEAR(run.speed[0], 1 - std::exp(-2 * pi * 5 * 0.1), 1e-9);
  EXPECT_NEAR(run.position[0], 0.1 - (1 - std::exp(-pi)) / (10 * pi), 1e-9);
  const double omega = 4 * pi, decay = 1.3617 * omega / (2 * 0.6180),
               turn = std::sqrt(omega * omega / 0.6180 - decay * decay), t = 0.1;
  EXPECT_NEAR(run.position[1], 1 - std::exp(-decay * t) * (std::cos(turn * t) + decay / turn * std::sin(turn * t)),
              1e-9);
  EXPECT_LT(std::fabs(run.ledger.residual), 1e-9 * turned_over(run.ledger));
}

// A driven body meets a stop that does not give way: no motion fits both, and the run says so.
TEST(Drive, EndsAtAStopThatDoesNotGiveWay) {
  for (int kind = 0; kind < 3; ++kind) {
    Mechanism m;
    m.bodies = {{"a", 1}};
    EndStop stop{"s", {0, 1}, {}};
    stop.high = 0.5;
    m.stops = {stop};
    m.drives = {
        {.name = "drive", .motion = Signal(1.0), .is_acceleration = kind == 1, .filter = kind == 2 ? 5.0 : 0.0}};
    if (kind == 2) m.bodies[0].speed = 1;
    const auto run = simulate(m, until(2));
    EXPECT_EQ(run.stop, Stop::no_progress);
    EXPECT_EQ(run.message,
              std::string("at t = ") + (kind == 1 ? "1" : "0.5") +
                  " s a prescribed motion moves on against 's', which does not give way; move the body by a "
                  "[[torque]], or through a [[spring]]");
  }
}

// A driven shaft with a brake stands still for a while and moves on: the lock of the brake does not hold it, its torque is the brake's.
TEST(Drive, MovesOnFromRestThroughALockedBrake) {
  Mechanism m;
  m.bodies = {{"a", 2}, {"b", 1}};
  m.joints = {{"brake", {0, 1}, {}, std::make_shared<StribeckLevels>(3.0, 3.0, 1.0, 2.0)},
              {"clutch", {0, 1}, {1, 1}, std::make_shared<StribeckLevels>(5.0, 5.0, 1.0, 2.0)}};
  const std::vector<double> times{0, 1, 2, 3}, speeds{1, 0, 0, 1.5};
  m.drives = {{"drive", 0, Signal::table(times, speeds)}};
  m.bodies[0].speed = m.bodies[1].speed = 1;
  const auto run = simulate(m, until(3, 0.25));
  EXPECT_EQ(run.stop, Stop::finished) << run.message;
  EXPECT_NEAR(run.position[0], 0.5 + 0.75, 1e-9);
  EXPECT_NEAR(run.position[1], 0.5 + 0.75, 1e-9);
  EXPECT_NEAR(values(run, "drive_torque")[2], 3 - 3.0, 1e-9);
  EXPECT_NEAR(values(run, "drive_torque")[10], 3 + 3 * 1.5, 1e-9);
  EXPECT_LT(std::fabs(run.ledger.residual), 1e-9 * turned_over(run.ledger));
}

// Pulled at constant speed V, a damper c in series with a spring k carries c V (1 − exp(−k t/c)); let go it relaxes with the same rate.
TEST(Spring, DamperInSeriesRelaxes) {
  Mechanism m;
  m.bodies = {{"end", 1}};
  const std::vector<double> times{0, 1, 1, 2}, speeds{0.3, 0.3, 0, 0};
  m.drives = {{"drive", 0, Signal::table(times, speeds)}};
  SpringDamper s{"maxwell", {0, 1}, {}, 50, 0, 0, Signal()};
  s.series_damping = 20;
  m.springs = {s};
  const auto run = simulate(m, until(2, 0.5));
  const double peak = 20 * 0.3 * (1 - std::exp(-2.5));
  EXPECT_NEAR(values(run, "maxwell_force")[2], peak, 1e-9);
  EXPECT_NEAR(values(run, "maxwell_force")[4], peak * std::exp(-2.5), 1e-9);
  EXPECT_LT(std::fabs(run.ledger.residual), 1e-9 * turned_over(run.ledger));
}

// Two masses a natural length apart feel nothing; 0.1 m further apart they swing about their centre with k (1/m₁ + 1/m₂).
TEST(Spring, HasALengthOfItsOwn) {
  for (const double more : {0.0, 0.1}) {
    Mechanism m;
    m.bodies = {{"left", 1, -2, 0, false}, {"right", 2, 1.5 + more, 0, false}};
    SpringDamper s{"spring", {1, 1}, {0, 1}, 30, 0, 0, Signal()};
    s.unstretched = 3.5;
    m.springs = {s};
    const auto run = simulate(m, until(0.7));
    EXPECT_NEAR(run.position[1] - run.position[0], 3.5 + more * std::cos(std::sqrt(45.0) * 0.7), 1e-12);
  }
}

// A ball of 1 kg meets a buffer k, c at speed v. Its damper pushes at once with c v; contact ends where k d + c d' = 0, which is before
// d = 0: with δ = c/2, ω² = k − δ² this is at tan(ω t) = −c ω/(k − c δ), and the ball leaves with d' there.
TEST(Spring, DamperThatOnlyPushesLetsGoWhereItWouldPull) {
  const double k = 100, c = 6, v = 2, delta = c / 2, omega = std::sqrt(k - delta * delta);
  const double over = (pi - std::atan(c * omega / (k - c * delta))) / omega;
  const double left = v * std::exp(-delta * over) * (std::cos(omega * over) - delta / omega * std::sin(omega * over));
  for (const int side : {-1, 1}) {
    Mechanism m;
    m.bodies = {{"ball", 1, -0.5 * side, v * side, false}};
    SpringDamper s{"buffer", {0, 1}, {}, k, c, 0.2, Signal()};
    s.never_pulls = s.may_jump = true;
    s.only = side;
    m.springs = {s};
    const auto run = simulate(m, until(1.2, 0.001));
    EXPECT_NEAR(run.speed[0], left * side, 1e-8);
    EXPECT_LT(std::fabs(run.ledger.residual), 1e-8 * run.ledger.stored_start);
    double hardest = 0;
    for (const double force : values(run, "buffer_force")) {
      hardest = std::max(hardest, side * force);
      EXPECT_GE(side * force, 0);
    }
    EXPECT_GT(hardest, c * v);
  }
}

// What locks and ties leave no motion rests to the last bit, also through ratios that are no powers of two.
TEST(Rest, IsExactBehindALossyGear) {
  Mechanism m;
  m.bodies = {{"motor", 0.3}, {"drum", 2}, {"sun", 0.7}};
  m.lossy_gears = {{"worm", 1, 0, 47.0, {0}, {-0.2}, {0.45}, {0.1}, {0.1}}};
  m.ties = {{"tie", {{1, 1.7}, {2, -0.3}}}};
  m.torques = {{"load", 1, Signal::sine(80, 0.7) + Signal(150.0)}, {"other", 2, Signal::sine(3, 1.3)}};
  const auto run = simulate(m, until(3, 0.01));
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  EXPECT_TRUE(run.events.empty());
  for (const auto& b : m.bodies) {
    for (const double w : values(run, b.name + "_speed")) ASSERT_EQ(w, 0.0) << b.name;
    for (const double a : values(run, b.name + "_acceleration")) ASSERT_EQ(a, 0.0) << b.name;
    for (const double x : values(run, b.name + "_position")) ASSERT_EQ(x, 0.0) << b.name;
  }
}
TEST(Rest, IsExactAfterAMachineHasStopped) {
  Mechanism m;
  m.bodies = {{"a", 1, 0, 3}, {"b", 1.5, 0, 2.1}};
  m.lossy_gears = {{"gear", 0, 1, 0.7, {0}, {0.6}, {0.5}, {2}, {2}}};
  m.torques = {{"t", 0, Signal::sine(1, 1)}};
  const auto run = simulate(m, until(6, 0.01));
  ASSERT_EQ(run.motion[0], Slip::stuck);
  const auto &motion = values(run, "gear_motion"), &w = values(run, "b_speed"), &x = values(run, "b_position");
  for (std::size_t i = 0; i < w.size(); ++i)
    if (motion[i] == 0) {
      ASSERT_EQ(w[i], 0.0);
      ASSERT_EQ(x[i], x.back());
    }
}

/// A random machine of element_machines.hpp with everything of this file beside it.
Mechanism with_sources(std::size_t seed) {
  Mechanism m = test::ElementMaker(seed).make();
  Random random(0xabcdef + 6151 * seed);
  const auto chance = [&](double p) { return random.uniform() < p; };
  const auto between = [&](double a, double b) { return a + (b - a) * random.uniform(); };
  const std::size_t bodies = m.bodies.size();
  const auto another = [&](std::size_t than) { return (than + 1 + random.below(bodies - 1)) % bodies; };
  for (std::size_t k = random.below(3); k-- > 0;) {
    Drag d = drag_on(random.below(bodies));
    d.name += std::to_string(k);
    if (chance(0.5)) d.against = another(d.body);
    switch (random.below(5)) {
      case 0:
        d.sign_torque = between(0.2, 2), d.rounded_below = between(0.05, 0.5);
        d.sign = static_cast<RoundedSign>(random.below(4));
        break;
      case 1:
        d.inverse_power = between(0.2, 2), d.rounded_below = between(0.2, 1), d.inverse_keeps_direction = chance(0.3);
        break;
      case 2:
        d.one_way_linear = between(0.1, 1);
        break;
      case 3:
        d.eddy_torque = between(0.5, 3), d.eddy_speed = between(0.3, 3);
        if (chance(0.5))
          d.temperature = {.heat_capacity = between(0.5, 5), .cooling = between(0, 1), .per_kelvin = between(0, 0.05)};
        break;
      default:
        d.linear = between(0.1, 1), d.quadratic = between(0, 0.5);
    }
    if (chance(0.4)) {
      d.has_strength = true, d.is_squared = chance(0.5);
      d.strength =
          chance(0.5) ? Signal::step(between(0, 1), between(0, 2), between(0.2, 1.8)) : Signal::ramp(between(0, 1));
    }
    m.drags.push_back(d);
  }
  if (chance(0.5)) {
    const std::size_t on = random.below(bodies);
    m.torques.push_back({"between", on, Signal::sine(between(0.5, 4), between(0.3, 3)), another(on)});
  }
  for (std::size_t k = random.below(3); k-- > 0;) {
    const std::size_t a = random.below(bodies);
    SpringDamper s{"extra" + std::to_string(k), {a, 1}, {}, between(2, 40), 0, 0, Signal()};
    if (chance(0.5)) s.b = {another(a), 1};
    s.unstretched = between(-0.5, 0.5);
    if (chance(0.5)) {
      s.series_damping = between(0.5, 10);
    } else {
      s.damping = between(0, 3), s.play = 0.1, s.never_pulls = true, s.may_jump = chance(0.6);
    }
    m.springs.push_back(s);
  }
  if (chance(0.4)) {  // a driven shaft pulls at the machine through a spring
    MotionDrive d{.name = "drive", .body = bodies, .motion = Signal::sine(between(0.2, 2), between(0.3, 2))};
    d.is_acceleration = chance(0.3);
    if (!d.is_acceleration && chance(0.7)) d.filter = between(1, 8);
    if (!d.is_acceleration) d.is_position = chance(0.5);
    m.bodies.push_back({"driven", 0.5});
    m.drives.push_back(d);
    m.springs.push_back({"pull", {bodies, 1}, {random.below(bodies), 1}, between(2, 40), between(0, 1), 0, Signal()});
  }
  return m;
}

// A gear and a planetary set turn the ring as b0, so that j2 between them never slips. Its torque, of those of least norm, once jumped with the
// set of locks; the loss of the gear followed it, j0 (with b1) locked and slipped in turns, and the run did not end.
TEST(IdleJoint, BesideTiesDoesNotMakeOtherJointsSwitchForEver) {
  const Mechanism m = with_sources(3434);
  Mechanism without = m;
  ASSERT_EQ(m.joints[2].name, "j2");
  without.joints.erase(without.joints.begin() + 2);
  SimulationOptions options = until(2, 0.05);
  options.most_steps = 40000;
  const auto run = simulate(m, options), other = simulate(without, options);
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  ASSERT_EQ(other.stop, Stop::finished) << other.message;
  EXPECT_EQ(run.events.size(), other.events.size());
  for (const double torque : values(run, "j2_torque")) ASSERT_EQ(torque, 0.0);
  for (const auto& b : m.bodies)
    for (std::size_t i = 0; i < values(run, "time").size(); ++i)
      ASSERT_NEAR(values(run, b.name + "_speed")[i], values(other, b.name + "_speed")[i], 1e-9) << b.name << " " << i;
}

TEST(MechanismSourcesProperty, RandomMachinesFinishAndKeepTheirEnergy) {
  const std::size_t first = test::first_case(), count = test::cases(100);
  double worst = 0;
  std::size_t refused = 0, worst_seed = 0, events = 0, most_steps = 0, slowest = 0;
  for (std::size_t seed = first; seed < first + count; ++seed) {
    const Mechanism m = with_sources(seed);
    try {
      check_mechanism(m);
    } catch (const Error&) {
      ++refused;
      continue;
    }
    SimulationOptions options = until(2, 0.05);
    options.most_steps = 40000;
    const auto run = simulate(m, options);
    EXPECT_EQ(run.stop, Stop::finished) << "seed " << seed << ": " << run.message;
    if (run.stop != Stop::finished) continue;
    events += run.events.size();
    if (run.work.steps > most_steps) most_steps = run.work.steps, slowest = seed;
    double most = turned_over(run.ledger);
    for (std::size_t i = 0; i < values(run, "time").size(); ++i) {
      double kinetic = 0;
      for (const auto& b : m.bodies) kinetic += 0.5 * b.inertia * std::pow(values(run, b.name + "_speed")[i], 2);
      most = std::max(most, kinetic);
    }
    const double part = std::fabs(run.ledger.residual) / std::max(most, 1e-6);
    if (part > worst) worst = part, worst_seed = seed;
    for (const auto& s : m.springs) {
      if (!s.never_pulls || !(s.play > 0)) continue;
      for (std::size_t i = 0; i < values(run, "time").size(); ++i)
        ASSERT_GE(values(run, s.name + "_force")[i] * values(run, s.name + "_elongation")[i], -1e-9) << "seed " << seed;
    }
    for (const auto& g : m.lossy_gears)  // at rest exactly
      for (std::size_t i = 0; i < values(run, "time").size(); ++i)
        if (values(run, g.name + "_motion")[i] == 0) {
          ASSERT_EQ(values(run, m.bodies[g.a].name + "_speed")[i], 0.0) << "seed " << seed;
          ASSERT_EQ(values(run, m.bodies[g.b].name + "_speed")[i], 0.0) << "seed " << seed;
        }
  }
  EXPECT_LT(worst, 1e-7) << "seed " << worst_seed;
  std::printf(
      "%zu machines (%zu refused), at most %zu steps (seed %zu), %zu events, largest residual %.2g (seed %zu)\n", count,
      refused, most_steps, slowest, events, worst, worst_seed);
}

TEST(MechanismSourcesProperty, HeldMotionsAreSavedBitForBit) {
  for (std::size_t seed = 1; seed < 20; ++seed) {
    const Mechanism m = with_sources(seed);
    try {
      check_mechanism(m);
    } catch (const Error&) {
      continue;
    }
    const auto one = mechanism_motion(m, until(2));
    one->advance(0.7);
    const auto kept = one->save();
    one->advance(0.9);
    const auto two = mechanism_motion(m, until(2));
    two->load(kept);
    two->advance(0.9);
    for (std::size_t i = 0; i < one->outputs().size(); ++i)
      EXPECT_EQ(one->output(i), two->output(i)) << "seed " << seed << " " << one->outputs()[i].name;
  }
}

// The derivatives that implicit steps and FMUs take are those of the equations, for every torque over speed and every spring of this file.
TEST(MechanismSourcesProperty, SlopesAreThoseOfTheRightSide) {
  Random random(5);
  const auto between = [&](double a, double b) { return a + (b - a) * random.uniform(); };
  for (int turn = 0; turn < 60; ++turn) {
    Mechanism m;
    for (const char* name : {"a", "b", "c"})
      m.bodies.push_back({name, between(0.5, 2), between(-1, 1), between(-2, 2)});
    m.torques = {{"t", 0, Signal(between(-3, 3)), 2}};
    for (std::size_t k = 0; k < 5; ++k) {
      Drag d = drag_on(k % 3);
      d.name += std::to_string(k);
      if (random.below(2) == 0) d.against = (d.body + 1) % 3;
      if (k == 0) d.sign_torque = 2, d.sign = static_cast<RoundedSign>(random.below(4)), d.rounded_below = 3;
      if (k == 1)
        d.inverse_power = 2, d.inverse_keeps_direction = random.below(2) == 0, d.rounded_below = between(0.1, 5);
      if (k == 2) d.one_way_linear = 1, d.even = 0.3, d.quadratic = 0.2, d.linear = 0.1;
      if (k == 3)
        d.eddy_torque = 3, d.eddy_speed = 2,
        d.temperature = {.heat_capacity = 2, .cooling = 0.5, .start = 310, .per_kelvin = 0.03};
      if (k == 4) d.eddy_torque = 1, d.has_strength = true, d.is_squared = true, d.strength = Signal(0.7);
      m.drags.push_back(d);
    }
    SpringDamper series{"series", {0, 1}, {1, 2}, between(5, 50), 0, 0, Signal()};
    series.series_damping = between(1, 9), series.unstretched = between(-1, 1);
    SpringDamper buffer{"buffer", {1, 1}, {2, 1}, between(5, 50), between(0, 5), 0.01, Signal()};
    buffer.never_pulls = true, buffer.may_jump = random.below(2) == 0;
    m.springs = {series, buffer};
    m.joints = {{"j", {2, 1}, {}, std::make_shared<StribeckLevels>(1.0, 1.0, 1.0, 2.0)}};
    SimulationOptions options = until(1);
    options.relative_tolerance = 1e-9, options.absolute_tolerance = 1e-12;
    const MechanismSystem system(m, options);
    const std::size_t n = system.size();
    std::vector<double> y(n), slopes(n * n), by_time(n), value(n), above(n), below(n);
    const MechanismMode mode = system.start(0.1, y.data());
    system.slopes(mode, 0.1, y.data(), slopes.data(), n, by_time.data(), value.data());
    const auto names = system.state_names();
    for (std::size_t c = 0; c < n; ++c) {
      const double at = y[c], h = 1e-6;
      y[c] = at + h;
      system.derivative(mode, 0.1, y.data(), above.data());
      y[c] = at - h;
      system.derivative(mode, 0.1, y.data(), below.data());
      y[c] = at;
      for (std::size_t i = 0; i < n; ++i) {
        const double seen = (above[i] - below[i]) / (2 * h);
        EXPECT_NEAR(slopes[i * n + c], seen, 2e-6 * (1 + std::fabs(seen)))
            << "turn " << turn << ": " << names[i] << " by " << names[c];
      }
    }
  }
}

std::string refusal(const std::string& part) {
  const std::string text = "[[body]]\nname = \"a\"\ninertia = \"1 kg m^2\"\n[[body]]\nname = \"b\"\nmass = \"1 kg\"\n" +
                           part + "[run]\nduration = \"1 s\"\nsample_interval = \"0.1 s\"\n";
  try {
    parse_machine(text, "m.toml");
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}
TEST(MechanismSourcesFile, SaysWhatIsWrong) {
  const auto has = [](const std::string& part, const std::string& message) {
    EXPECT_NE(refusal(part).find(message), std::string::npos) << refusal(part);
  };
  has("[[drag]]\nname = \"d\"\non = \"a\"\nagainst = \"b\"\nlinear = \"1 N m s/rad\"\n",
      "one of its bodies moves along a line, the other about an axis");
  has("[[drag]]\nname = \"d\"\non = \"a\"\nlaw = \"sign\"\nnominal_torque = \"1 N m\"\n", "rounded_below");
  has("[[drag]]\nname = \"d\"\non = \"a\"\nlaw = \"linear\"\nnominal_torque = \"1 N m\"\nnominal_speed = \"1 rad/s\"\n"
      "excitation = { kind = \"constant\", value = 1 }\n",
      "excitation belongs to law = \"eddy_current\"");
  has("[[drag]]\nname = \"d\"\non = \"a\"\nlinear = \"1 N m s/rad\"\nrounding = \"sine\"\n", "rounding needs a law");
  has("[[torque]]\nname = \"t\"\non = \"a\"\nagainst = \"a\"\ninput = { kind = \"constant\", value = \"1 N m\" }\n",
      "it acts on a body and against the same");
  has("[[drive]]\nname = \"d\"\non = \"a\"\nacceleration = { kind = \"constant\", value = \"1 rad/s^2\" }\nfilter = "
      "\"5 Hz\"\n",
      "an acceleration is followed exactly");
  has("[[drive]]\nname = \"d\"\non = \"a\"\n", "needs a speed, a position or an acceleration");
  has("[[spring]]\nname = \"s\"\na = \"a\"\nb = \"ground\"\ndamping = \"1 N m s/rad\"\nseries_damping = \"1 N m "
      "s/rad\"\n",
      "series_damping needs a stiffness");
  has("[[spring]]\nname = \"s\"\na = \"a\"\nb = \"ground\"\nstiffness = \"1 N m/rad\"\nbacklash = \"1 deg\"\n"
      "series_damping = \"1 N m s/rad\"\n",
      "leaves no room for damping or backlash");
}

// A prescribed position begins where its signal does; another start of the body is refused.
TEST(MechanismSourcesFile, PrescribedPositionBeginsAtItsSignal) {
  const std::string drive =
      "[[drive]]\nname = \"d\"\non = \"a\"\nposition = [{ kind = \"constant\", value = \"0.5 rad\" }, { kind = "
      "\"sine\", "
      "amplitude = \"0.1 rad\", frequency = \"1 Hz\" }]\n";
  const std::string rest = "[run]\nduration = \"1 s\"\nsample_interval = \"0.25 s\"\n";
  const auto machine = parse_machine("[[body]]\nname = \"a\"\ninertia = \"1 kg m^2\"\n" + drive + rest, "m.toml");
  const auto run = run_machine(machine);
  EXPECT_NEAR(values(run, "a_position")[0], 0.5, 1e-15);
  EXPECT_NEAR(values(run, "a_position")[1], 0.6, 1e-10);
  try {
    parse_machine("[[body]]\nname = \"a\"\ninertia = \"1 kg m^2\"\nposition = \"0.2 rad\"\n" + drive + rest, "m.toml");
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "m.toml:5: drive 'd': its position begins at 0.5, but 'a' at 0.2");
  }
}

}  // namespace
}  // namespace stickslip::mechanism_sources_test
