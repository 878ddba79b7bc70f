/// The servo with a pendulum against closed forms: period, terminal speed, decay, band of rest, energy, order of the step.
#include "machines/servo_pendulum/servo_pendulum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/error.hpp"

namespace stickslip::servo_pendulum_test {
namespace {

/// Without friction, on a winding of 4 ohm.
ServoPendulum<double> servo() {
  ServoPendulum<double> s{};
  s.mass = 0.5, s.length = 0.1, s.armature = 2e-3;
  s.torque_constant = 0.4, s.resistance = 4, s.stribeck_speed = 1;
  return s;
}
/// So light that gravity does not count.
ServoPendulum<double> wheel() {
  ServoPendulum<double> s = servo();
  s.mass = 1e-12;
  return s;
}
double load_inertia(const ServoPendulum<double>& s) { return s.mass * s.length * s.length; }
double weight(const ServoPendulum<double>& s) { return s.mass * standard_gravity * s.length; }

ServoLog still(double duration, double interval, double angle = 0, double speed = 0) {
  ServoLog log;
  log.name = "still", log.interval = interval, log.start_angle = angle, log.start_speed = speed;
  const auto n = static_cast<std::size_t>(std::lround(duration / interval)) + 1;
  log.goal.assign(n, 0), log.voltage.assign(n, 8), log.enabled.assign(n, 0);
  return log;
}
ServoLog told(double goal, double gain, double duration, double interval) {
  ServoLog log = still(duration, interval);
  log.firmware_gain = gain;
  log.goal.assign(log.size(), goal), log.enabled.assign(log.size(), 1);
  return log;
}

TEST(ServoPendulum, SineOfAnyScalarIsTheSine) {
  for (double x = -10; x <= 10; x += 0.0037) EXPECT_NEAR(polynomial_sine(x), std::sin(x), 4e-16) << x;
  for (double x = -1000; x <= 1000; x += 0.731) EXPECT_NEAR(polynomial_sine(x), std::sin(x), 1e-13) << x;
}

// T = 2π √(M/(m g l)) (1 + A²/16 + 11 A⁴/3072): rotor and load swing together.
TEST(ServoPendulum, SwingsFreelyWithThePendulumsPeriod) {
  const auto s = servo();
  const double amplitude = 0.3, h = 1e-4;
  const auto run = simulate_servo(s, still(8, h, amplitude));
  std::vector<double> upward;
  const auto& q = values_of(run.samples, "angle");
  for (std::size_t i = 1; i < q.size(); ++i)
    if (q[i - 1] < 0 && q[i] >= 0) upward.push_back(h * (static_cast<double>(i) - q[i] / (q[i] - q[i - 1])));
  ASSERT_GT(upward.size(), 8u);
  const double period = (upward.back() - upward.front()) / static_cast<double>(upward.size() - 1);
  const double a2 = amplitude * amplitude;
  const double small = 2 * std::numbers::pi * std::sqrt((load_inertia(s) + s.armature) / weight(s));
  EXPECT_NEAR(period, small * (1 + a2 / 16 + 11 * a2 * a2 / 3072), 1e-6);
  EXPECT_NEAR(run.ledger.residual, 0, 1e-6 * run.ledger.stored_start);
}

// At full duty ω∞ = (k V/R′ − T_C)/(b + k²/R′), R′ = R + R_s.
TEST(ServoPendulum, FullDutyReachesTheTerminalSpeed) {
  auto s = wheel();
  s.supply_resistance = 1, s.coulomb_torque = 0.05, s.viscosity = 0.01;
  const auto run = simulate_servo(s, told(1000, 800, 5, 0.005));
  const double r = s.resistance + s.supply_resistance, k = s.torque_constant;
  EXPECT_NEAR(values_of(run.samples, "speed").back(), (k * 8 / r - 0.05) / (0.01 + k * k / r), 1e-9);
  EXPECT_EQ(values_of(run.samples, "duty")[10], 1);
}

// Only dry friction: the speed falls along a line, stops exactly, after M ω₀²/(2 T_C).
TEST(ServoPendulum, DryFrictionAloneStopsItWhereItMust) {
  auto s = wheel();
  s.coulomb_torque = 0.02;
  const double inertia = load_inertia(s) + s.armature, speed = 5;
  const auto run = simulate_servo(s, still(1, 1e-3, 0, speed));
  EXPECT_NEAR(values_of(run.samples, "speed")[200], speed - 0.2 * 0.02 / inertia, 1e-6);
  EXPECT_EQ(values_of(run.samples, "speed").back(), 0);
  EXPECT_NEAR(values_of(run.samples, "angle").back(), inertia * speed * speed / (2 * 0.02),
              5e-6);  // h ω of the last step is 1e-5
  EXPECT_EQ(run.ledger.events[static_cast<std::size_t>(EventKind::stick)], 1u);
  EXPECT_EQ(run.ledger.events[static_cast<std::size_t>(EventKind::release)], 0u);
  EXPECT_NEAR(run.ledger.friction_heat, 0.5 * inertia * speed * speed, 1e-12);
}

// Torque off: the gear carries J_a/M of the weight, and rest holds while W ≤ (T_C + λ W J_a/M)(1 + σ), W = m g l sin θ.
TEST(ServoPendulum, RestsExactlyInsideItsBandAndFallsOutside) {
  auto s = servo();
  s.coulomb_torque = 0.05, s.load_factor = 0.3, s.stribeck_rise = 0.4;
  const double share = s.armature / (load_inertia(s) + s.armature);
  const double edge = std::asin(0.05 * 1.4 / (1 - 1.4 * 0.3 * share) / weight(s));
  for (const double side : {-1.0, 1.0}) {
    const auto inside = simulate_servo(s, still(2, 0.005, side * edge * 0.9999));
    for (const double q : values_of(inside.samples, "angle")) ASSERT_EQ(q, side * edge * 0.9999);
    EXPECT_NEAR(inside.time_stuck, 2, 1e-12);
    const auto outside = simulate_servo(s, still(2, 0.005, side * edge * 1.0001));
    EXPECT_NE(values_of(outside.samples, "angle").back(), side * edge * 1.0001);
    EXPECT_EQ(values_of(outside.samples, "speed").back(), 0);
  }
}

// Commanded slowly upwards, the arm breaks away where k I − W = (T_C + λ τ)(1 + σ) with τ = (J_l k I + J_a W)/M.
TEST(ServoPendulum, BreaksAwayWhereMotorTorqueExceedsLoadDependentFriction) {
  auto s = servo();
  s.coulomb_torque = 0.02, s.load_factor = 0.25, s.stribeck_rise = 0.5, s.supply_resistance = 2;
  const double angle = 0.3, gain = 200;
  ServoLog log = told(0, gain, 4, 1e-3);
  log.start_angle = angle;
  const double c = gain * 4096 / (2 * std::numbers::pi * 256 * 885);
  for (std::size_t i = 0; i < log.size(); ++i) log.goal[i] = angle + 0.3 + 0.1 * log.interval * static_cast<double>(i);
  const double m = load_inertia(s) + s.armature, w = weight(s) * std::sin(angle), level = 1.5;
  const double torque =
      (w * (1 + level * 0.25 * s.armature / m) + level * 0.02) / (1 - level * 0.25 * load_inertia(s) / m);
  const double current = torque / s.torque_constant;
  const double duty = current * s.resistance / (8 - current * s.supply_resistance);
  const auto run = simulate_servo(s, log);
  ASSERT_FALSE(run.events.empty());
  EXPECT_EQ(run.events.front().kind, EventKind::release);
  EXPECT_NEAR(run.events.front().time, (duty / c - 0.3) / 0.1, 2e-3);
}

TEST(ServoPendulum, EnergyIsAccountedForWhileMotorGravityAndFrictionWork) {
  auto s = servo();
  s.coulomb_torque = 0.01, s.load_factor = 0.25, s.stribeck_rise = 0.4, s.stribeck_speed = 0.5, s.viscosity = 0.004;
  ServoLog log = told(0, 400, 6, 0.005);
  for (std::size_t i = 0; i < log.size(); ++i) log.goal[i] = 1.5 * std::sin(0.01 * static_cast<double>(i));
  double last = 0;
  for (const std::size_t substeps : {1u, 2u, 4u}) {
    const auto run = simulate_servo(s, log, substeps);
    const auto& l = run.ledger;
    EXPECT_GT(l.friction_heat, 0);
    EXPECT_GT(l.work_in, 0);
    EXPECT_LT(std::abs(l.residual), 2e-4 * l.work_in);
    if (last > 0) {
      EXPECT_LT(std::abs(l.residual), 0.4 * last) << substeps;  // the midpoint rule: a quarter
    }
    last = std::abs(l.residual);
  }
}

TEST(ServoPendulum, HalvingTheStepQuartersTheError) {
  auto s = servo();
  s.viscosity = 0.02, s.coulomb_torque = 0.01;
  const auto at = [&](double h) {
    const auto run = simulate_servo(s, still(0.15, h, 1.0, -0.2));  // falls without turning back
    return values_of(run.samples, "angle").back();
  };
  const double exact = at(0.15 / 4096), coarse = std::abs(at(0.15 / 16) - exact),
               fine = std::abs(at(0.15 / 32) - exact);
  EXPECT_NEAR(coarse / fine, 4, 0.3);
}

TEST(ServoPendulum, ReadingIsTheAngleOfAnEarlierInstant) {
  auto s = servo();
  const ServoLog log = still(1, 0.005, 0.5);
  std::vector<double> now(log.size()), late(log.size());
  roll_out(s, log, now);
  s.reading_lag = 0.012;  // two samples and two fifths
  roll_out(s, log, late);
  EXPECT_EQ(late[0], 0.5);
  for (std::size_t i = 3; i < log.size(); ++i) EXPECT_NEAR(late[i], 0.6 * now[i - 2] + 0.4 * now[i - 3], 1e-15);
  const auto run = simulate_servo(s, log);
  for (std::size_t i = 0; i < log.size(); ++i) EXPECT_EQ(values_of(run.samples, "reading")[i], late[i]);
}

// One source for all scalars: values with slopes step to the same place, and the slopes are those of differences.
TEST(ServoPendulum, StepsOnAnyScalar) {
  auto s = servo();
  s.coulomb_torque = 0.01, s.load_factor = 0.25, s.stribeck_rise = 0.4, s.supply_resistance = 1, s.viscosity = 0.004;
  using D = Dual<1>;
  auto slopes = converted<ServoPendulum<D>>(s);
  slopes.torque_constant = D::variable(s.torque_constant, 0);
  const auto moved = [&](double k) {
    auto p = s;
    p.torque_constant = k;
    return advanced(prepared(p, 200.0, 0.005), {0.2, 1.5}, {1.2, 7.4, 1}).state.speed;
  };
  const auto x = advanced(prepared<D>(slopes, 200.0, 0.005), ServoState<D>{0.2, 1.5}, ServoInput<D>{1.2, 7.4, 1.0});
  EXPECT_DOUBLE_EQ(x.state.speed.value, moved(s.torque_constant));
  EXPECT_NEAR(x.state.speed.slope[0], (moved(0.4 + 1e-6) - moved(0.4 - 1e-6)) / 2e-6, 1e-6);
}

TEST(ServoPendulum, RunningMeanIsShorterAtTheEnds) {
  const std::vector<double> v{1, 2, 3, 4, 10};
  EXPECT_EQ(running_mean(v, 0.5, 1.0), (std::vector<double>{1.5, 2, 3, 17.0 / 3, 7}));
  EXPECT_EQ(running_mean(v, 0.5, 0), v);
}

TEST(ServoPendulum, LogsThatMakeNoSenseAreRefused) {
  const auto said = [](const ServoLog& log) {
    try {
      check(log);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  ServoLog log = still(1, 0.1);
  EXPECT_EQ(said(log), "");
  log.enabled[3] = 0.5;
  EXPECT_EQ(said(log), "servo log 'still': sample 4: enabled is 0.5; it must be 0 or 1");
  log = still(1, 0.1), log.goal[2] = NAN;
  EXPECT_EQ(said(log), "servo log 'still': sample 3 is not finite");
  log = still(1, 0.1), log.voltage.pop_back();
  EXPECT_EQ(said(log), "servo log 'still': goal, voltage, enabled and position must have one value per sample");
  log = still(1, 0.1), log.interval = 0;
  EXPECT_EQ(said(log), "servo log 'still': the interval between samples must be positive");
}

}  // namespace
}  // namespace stickslip::servo_pendulum_test
