/// Inverse dynamics: known motions give their numbers back; the published digits of the EMPS benchmark.
#include "identification/experiments/inverse_dynamics.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "recording/recording.hpp"
#include "support/shared_data.hpp"

namespace stickslip::inverse_dynamics_test {
namespace {

/// x = sum of sines with exact derivatives; the force is exact too, so only differentiation errs (as h²).
template <class Force>
LoggedMotion logged(const Force& force) {
  LoggedMotion log;
  for (int i = 0; i < 8000; ++i) {
    const double t = 1e-3 * i;
    double x = 0, v = 0, a = 0;
    for (const auto& [amplitude, w] : {std::pair{0.1, 2.0}, std::pair{0.03, 7.3}, std::pair{0.004, 31.0}}) {
      x += amplitude * std::sin(w * t);
      v += amplitude * w * std::cos(w * t);
      a -= amplitude * w * w * std::sin(w * t);
    }
    log.time.push_back(t);
    log.position.push_back(x);
    log.force.push_back(force(x, v, a));
  }
  return log;
}

double sgn(double v) { return v > 0 ? 1 : v < 0 ? -1 : 0; }

TEST(InverseDynamics, GivesBackMassFrictionAndOffset) {
  const auto log = logged([](double, double v, double a) { return 12 * a + 30 * v + 5 * sgn(v) - 0.7; });
  const auto found = inverse_dynamics(log, symmetric_friction());
  const double expected[] = {12, 30, 5, -0.7};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(found.confidence.estimates[i].value, expected[i], 5e-3 * std::fabs(expected[i])) << i;
    EXPECT_EQ(found.confidence.estimates[i].verdict, Determination::well_determined);
  }
}

/// What went wrong: rests, where the force is anything below breakaway, counted as friction of nothing, and F_C came out low.
TEST(InverseDynamics, RestDoesNotLowerTheCoulombLevel) {
  LoggedMotion log;
  constexpr double w = 6.283185307179586;
  for (int i = 0; i < 24000; ++i) {  // whole turns of two sines, then held twice as long and pushed with 3 N
    const double t = 1e-3 * i;
    const bool moves = i < 8000;
    const double v = moves ? w * (0.05 * std::sin(w * t) + 0.03 * std::sin(3 * w * t)) : 0;
    const double a = moves ? w * w * (0.05 * std::cos(w * t) + 0.09 * std::cos(3 * w * t)) : 0;
    log.time.push_back(t);
    log.position.push_back(moves ? 0.05 * (1 - std::cos(w * t)) + 0.01 * (1 - std::cos(3 * w * t)) : 0);
    log.force.push_back(moves ? 12 * a + 30 * v + 5 * sgn(v) - 0.7 : 3);
  }
  const auto masked = inverse_dynamics(log, symmetric_friction());
  const auto all = inverse_dynamics(log, symmetric_friction(), {.leaves_rest_out = false});
  EXPECT_NEAR(masked.confidence.estimates[2].value, 5, 0.05);
  EXPECT_NEAR(masked.confidence.estimates[3].value, -0.7, 0.05);
  EXPECT_GT(std::fabs(all.confidence.estimates[3].value + 0.7), 0.5);
  EXPECT_NE(masked.steps.back().find("rows at rest"), std::string::npos);
}

TEST(InverseDynamics, FindsTheStribeckVelocity) {
  const auto log = logged(
      [](double, double v, double a) { return 12 * a + 30 * v + sgn(v) * (5 + 3 * std::exp(-std::fabs(v) / 0.05)); });
  auto terms = symmetric_friction();
  terms.push_back({.key = "stribeck", .term = Term::stribeck});
  const auto found = inverse_dynamics(log, terms);
  EXPECT_NEAR(found.stribeck_velocity, 0.05, 5e-4);
  EXPECT_NEAR(found.confidence.estimates[4].value, 3, 0.01);
  EXPECT_EQ(found.confidence.estimates[5].key, "stribeck_velocity");
  EXPECT_EQ(found.confidence.estimates[5].verdict, Determination::well_determined);
}

// A ramp of friction over position: hats over three knots must give 0 (left out), 1 and 2.
TEST(InverseDynamics, ReadsFrictionOverPosition) {
  const auto log = logged([](double x, double v, double a) { return 12 * a + sgn(v) * (5 + (x + 0.1) / 0.1); });
  std::vector<Regressor> terms{{.key = "mass", .term = Term::mass}, {.key = "coulomb_force", .term = Term::coulomb}};
  for (auto& t : position_table(-0.1, 0.1, 3, true)) terms.push_back(t);
  // Beyond the outer knots the table is flat, the force is not: compare inside only.
  LoggedMotion inside = log;
  for (std::size_t i = 0; i < inside.force.size(); ++i) {
    const double x = inside.position[i], outer = x < -0.1 ? x + 0.1 : x > 0.1 ? x - 0.1 : 0;
    const double v = i > 0 ? x - inside.position[i - 1] : 1;
    inside.force[i] -= sgn(v) * outer / 0.1;
  }
  const auto found = inverse_dynamics(inside, terms);
  EXPECT_NEAR(found.confidence.estimates[1].value, 5, 0.02);
  EXPECT_NEAR(found.confidence.estimates[2].value, 1, 0.02);
  EXPECT_NEAR(found.confidence.estimates[3].value, 2, 0.02);
}

TEST(InverseDynamics, BoundsAreKeptAndTold) {
  const auto log = logged([](double, double v, double a) { return 12 * a + 5 * sgn(v) - 2 * v; });
  auto terms = symmetric_friction();
  terms[1].low = 0;
  const auto found = inverse_dynamics(log, terms);
  EXPECT_EQ(found.confidence.estimates[1].value, 0);
  EXPECT_EQ(found.confidence.estimates[1].verdict, Determination::at_bound);
}

TEST(InverseDynamics, RefusesWhatCannotBeUsed) {
  const auto message = [](const LoggedMotion& log, const std::vector<Regressor>& terms,
                          const InverseDynamicsOptions& options = {}) {
    try {
      inverse_dynamics(log, terms, options);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  auto log = logged([](double, double, double a) { return a; });
  EXPECT_EQ(message(log, {}), "inverse dynamics: no term is selected; select a mass and a friction");
  EXPECT_EQ(message({{0, 1}, {0, 1}, {0, 1}}, symmetric_friction()),
            "inverse dynamics: 2 samples; at least 79 are needed");
  EXPECT_EQ(message(log, symmetric_friction(), {.estimation_share = 2}),
            "inverse dynamics: the estimation share is 2; it must lie above 0 and not above 1");
  // Nothing is left of a motion below such a low-pass: the mass was 0 +- inf and the error nan.
  EXPECT_NE(message(log, symmetric_friction(), {.cutoff_hz = 1e-9})
                .find("inverse dynamics: cutoff is 1e-09 Hz; the log lasts"),
            std::string::npos);
  log.time[100] += 0.0005;
  EXPECT_NE(message(log, symmetric_friction()).find("resample the log evenly first"), std::string::npos);
}

LoggedMotion emps() {
  const Recording r = read_recording(shared_path("data/emps/DATA_EMPS.mat").string(),
                                     {.columns = {.time = "t [s]", .position = "qm [m]", .force = "vir [V]"},
                                      .gains = {.force = "35.15065188248547 N/V"},
                                      .needed = {Role::time, Role::position, Role::force}});
  return {r.time, r.position, r.force};
}

// The benchmark's own digits, all of them, from its own file.
TEST(InverseDynamics, EmpsGivesThePublishedDigits) {
  SKIP_WITHOUT_SHARED("data/emps/DATA_EMPS.mat");
  const InverseDynamicsOptions reference{.cutoff_hz = 100, .decimation = 10, .leaves_rest_out = false};
  const auto symmetric = inverse_dynamics(emps(), symmetric_friction(), reference);
  const double published[] = {95.1089, 203.5034, 20.3935, -3.1648};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(symmetric.confidence.estimates[i].value, published[i], 0.51e-4) << i;
  EXPECT_NEAR(100 * symmetric.relative_error, 4.0834, 0.51e-4);
  const auto directional = inverse_dynamics(emps(), directional_friction(), reference);
  const double by_direction[] = {95.154, 166.706, 20.144, 240.424, 20.628};
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_NEAR(directional.confidence.estimates[i].value, by_direction[i], 0.51e-3) << i;
  EXPECT_NEAR(100 * directional.relative_error, 3.1117, 0.51e-4);
}

// What the benchmark's model leaves out shows on data it has not seen: friction that is lower at low speed.
TEST(InverseDynamics, EmpsIsBetterWithFrictionThatRisesWithSpeed) {
  SKIP_WITHOUT_SHARED("data/emps/DATA_EMPS.mat");
  InverseDynamicsOptions half{.cutoff_hz = 100, .decimation = 10, .lag = 3e-4, .estimation_share = 0.5};
  const auto plain = inverse_dynamics(emps(), directional_friction(), half);
  auto terms = directional_friction();
  terms.push_back({.key = "stribeck", .term = Term::stribeck});
  const auto better = inverse_dynamics(emps(), terms, half);
  EXPECT_LT(better.validation_error, 0.9 * plain.validation_error);
  EXPECT_LT(better.confidence.estimates[5].value, 0);
}

}  // namespace
}  // namespace stickslip::inverse_dynamics_test
