/// A servo's parameters come back from logs of a known servo, and what a fit refuses.
#include "identification/experiments/servo_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"

namespace stickslip::servo_fit_test {
namespace {

ServoPendulum<double> known() {
  ServoPendulum<double> s{};
  s.mass = 0.5, s.length = 0.1, s.armature = 1.8e-3, s.torque_constant = 0.38, s.resistance = 2.6;
  s.supply_resistance = 2, s.coulomb_torque = 0.01, s.load_factor = 0.25, s.stribeck_rise = 0.4, s.stribeck_speed = 0.5;
  s.viscosity = 5e-3;
  return s;
}

/// Rolled out by the known servo: two gains, slow and fast sines, and a drop.
std::vector<ServoLog> logs_of(const ServoPendulum<double>& s) {
  std::vector<ServoLog> logs;
  for (const double gain : {100.0, 800.0})
    for (const double frequency : {0.3, 1.0}) {
      ServoLog log;
      log.name = "log", log.firmware_gain = gain, log.interval = 0.005;
      for (int i = 0; i < 800; ++i) {
        log.goal.push_back(1.5 * std::sin(6.283185307179586 * frequency * 0.005 * i));
        log.voltage.push_back(7.4);
        log.enabled.push_back(i < 550 ? 1 : 0);
      }
      log.position.resize(log.size());
      roll_out(s, log, log.position);
      logs.push_back(log);
    }
  return logs;
}

TEST(ServoFit, AKnownServoComesBack) {
  const auto logs = logs_of(known());
  auto start = known();
  start.torque_constant *= 0.95, start.load_factor *= 1.3, start.coulomb_torque *= 0.6, start.viscosity *= 1.3;
  const ServoFit fit =
      fit_servo(start, logs,
                {.free = {"torque_constant", "load_factor", "coulomb_torque", "viscosity"}, .most_evaluations = 1500});
  EXPECT_GT(mean_error(start, logs), 0.01);
  EXPECT_LT(fit.error, 2e-4);
  EXPECT_NEAR(fit.servo.torque_constant, 0.38, 0.38 * 0.01);
  EXPECT_NEAR(fit.servo.load_factor, 0.25, 0.25 * 0.03);
  EXPECT_NEAR(fit.servo.coulomb_torque, 0.01, 0.01 * 0.1);
  EXPECT_NEAR(fit.servo.viscosity, 5e-3, 5e-3 * 0.1);
  EXPECT_EQ(fit.servo.mass, 0.5);
  ASSERT_EQ(fit.confidence.estimates.size(), 4u);
}

TEST(ServoFit, LogsLeftOutAreRolledOutByAFitToTheOthers) {
  const auto logs = logs_of(known());
  auto start = known();
  start.load_factor *= 1.3;
  const std::vector<int> group{0, 0, 1, 1};
  const auto errors = left_out_errors(start, logs, group, {.free = {"load_factor"}, .most_evaluations = 200});
  ASSERT_EQ(errors.size(), 4u);
  for (const double e : errors) EXPECT_LT(e, 1e-3);
}

TEST(ServoFit, WhatCannotBeFittedIsRefused) {
  const auto said = [](const std::vector<ServoLog>& logs, const ServoFitOptions& options) {
    try {
      fit_servo(known(), logs, options);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  auto logs = logs_of(known());
  EXPECT_EQ(said(logs, {.free = {"viscocity"}}), "no parameter of the servo 'viscocity'; did you mean 'viscosity'");
  EXPECT_EQ(said({}, {}), "a servo is fitted to at least one log; there is none");
  logs[1].position.clear();
  EXPECT_EQ(said(logs, {}), "servo log 'log' has no measured position; a fit compares with it");
}

}  // namespace
}  // namespace stickslip::servo_fit_test
