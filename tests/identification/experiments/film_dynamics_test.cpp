#include "identification/experiments/film_dynamics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "core/error.hpp"

using namespace stickslip;

namespace {

/// Tran 2014 Table 2.
FrictionSettings table_2() {
  FrictionSettings s;
  s.values = {{"stiction_force", 830.0},  {"coulomb_force", 210.0},   {"stribeck_velocity", 0.0125},
              {"stribeck_exponent", 0.7}, {"film_velocity", 0.05},    {"viscosity", 330.0},
              {"viscous_lag", 0.33},      {"bristle_stiffness", 5e6}, {"bristle_damping", 0.1},
              {"growing_time", 0.25},     {"thinning_time", 1.5},     {"rest_time", 40.0}};
  s.backward = {{"stiction_force", 500.0},  {"coulomb_force", 80.0}, {"stribeck_velocity", 0.01},
                {"stribeck_exponent", 0.9}, {"film_velocity", 0.05}, {"viscosity", 350.0},
                {"viscous_lag", 0.07}};
  return s;
}

template <class Position>
PrescribedMotion motion_of(const Position& x, double duration, double step) {
  PrescribedMotion m;
  for (double t = 0; t <= duration; t += step) m.time.push_back(t), m.position.push_back(x(t));
  return m;
}

/// Sinusoidal speeds that stay forward, stay backward or change sign, micro-strokes, and strokes after rests.
std::vector<FilmRecord> records(double noise) {
  std::vector<PrescribedMotion> motions;
  const double pi = std::numbers::pi;
  for (const double f : {0.1, 0.5, 2.0}) {
    const double w = 2 * pi * f;
    motions.push_back(motion_of([=](double t) { return 0.026 * t - 0.024 / w * std::sin(w * t); }, 6 / f, 0.02 / f));
    motions.push_back(motion_of([=](double t) { return -0.026 * t + 0.024 / w * std::sin(w * t); }, 6 / f, 0.02 / f));
    motions.push_back(motion_of([=](double t) { return 0.03 / w * (1 - std::cos(w * t)); }, 6 / f, 0.02 / f));
  }
  motions.push_back(motion_of([=](double t) { return 4e-5 * std::sin(2 * pi * t); }, 3, 0.005));
  motions.push_back(motion_of(  // slide, rest for 5 s and for 30 s, break away slowly
      [](double t) {
        const auto slide = [](double from, double until, double now) { return std::clamp(now, from, until) - from; };
        return 0.05 * slide(0, 2, t) + 0.002 * slide(7, 8, t) + 0.05 * slide(8, 10, t) + 0.002 * slide(40, 41, t);
      },
      41, 0.01));
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<FilmRecord> all;
  for (const PrescribedMotion& m : motions) {
    FilmRecord r{m, film_force(table_2(), m), 0};
    for (double& f : r.force) f += noise * normal(random);
    all.push_back(r);
  }
  return all;
}

FrictionSettings wrong_start() {
  FrictionSettings start = table_2();
  const auto set = [](ParameterValues& values, std::string_view key, double value) {
    for (auto& [name, v] : values)
      if (name == key) v = value;
  };
  set(start.values, "bristle_stiffness", 2e6), set(start.values, "growing_time", 0.6);
  set(start.values, "thinning_time", 0.8), set(start.values, "rest_time", 15);
  set(start.values, "viscous_lag", 0.1), set(start.backward, "viscous_lag", 0.2);
  return start;
}

// Recordings of the model itself with 2 N of noise: every dynamic parameter comes back, within its interval's width.
TEST(FilmDynamics, GivesP2sParametersBack) {
  const FilmDynamics found = fit_film_dynamics(records(2), wrong_start());
  const double truth[]{5e6, 0.25, 1.5, 40, 0.33, 0.07};
  for (std::size_t i = 0; i < 6; ++i) {
    const Estimate& e = found.confidence.estimates[i];
    RecordProperty(e.key, std::to_string(e.value) + " +- " + std::to_string(e.standard_error));
    EXPECT_NEAR(e.value, truth[i], 4 * e.standard_error + 1e-3 * truth[i]) << e.key;
    EXPECT_NEAR(e.value / truth[i], 1, 0.1) << e.key;
  }
  EXPECT_NEAR(found.rms, 2, 0.1);
}

// sigma1 changes nothing that can be seen: it must come out as weak or worse, not as a number with a small error.
TEST(FilmDynamics, SaysThatTheBristleDampingIsNotKnown) {
  std::vector<std::string> keys = film_keys;
  keys.push_back("bristle_damping");
  const FilmDynamics found = fit_film_dynamics(records(2), table_2(), keys);
  EXPECT_NE(found.confidence.estimates.back().verdict, Determination::well_determined);
}

SteadyPoint steady_at(double speed) {
  SteadyPoint p;
  p.speed = speed, p.force = film_steady_force(table_2(), speed), p.samples = 100;
  return p;
}
std::vector<SteadyPoint> steady_curve() {
  std::vector<SteadyPoint> points;
  for (const double v : {0.5e-3, 1e-3, 2e-3, 4e-3, 7e-3, 12e-3, 20e-3, 32e-3, 50e-3, 80e-3, 160e-3})
    points.push_back(steady_at(v)), points.push_back(steady_at(-v));
  return points;
}

// The closed form of steady sliding is where the model itself comes to after a long way at that speed.
TEST(FilmDynamics, SteadyForceIsWhereTheModelSettles) {
  for (const double v : {0.7e-3, 9e-3, 0.045, 0.2, -1e-3, -0.02, -0.3}) {
    const double duration = std::max(30.0, 2e-3 / std::fabs(v) * 5);
    const PrescribedMotion m = motion_of([&](double t) { return v * t; }, duration, duration / 2000);
    EXPECT_NEAR(film_force(table_2(), m).back(), film_steady_force(table_2(), v), 1e-6 * 830) << v;
  }
}

TEST(FilmDynamics, StaticParametersComeBackFromConstantSpeeds) {
  const FrictionSettings found = film_curve(steady_curve());
  const FrictionSettings truth = table_2();
  const auto value = [](const ParameterValues& values, std::string_view key) {
    for (const auto& [name, v] : values)
      if (name == key) return std::get<double>(v);
    return std::nan("");
  };
  for (const std::string& key : film_static_keys) {
    EXPECT_NEAR(value(found.values, key) / value(truth.values, key), 1, 1e-3) << key;
    EXPECT_NEAR(value(found.backward, key) / value(truth.backward, key), 1, 1e-3) << "backward." << key;
  }
}

TEST(FilmDynamics, RefusesTooFewSpeedsAndFrictionThatDrives) {
  const auto refusal = [](const std::vector<SteadyPoint>& points) {
    try {
      film_curve(points);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  std::vector<SteadyPoint> points = steady_curve();
  points.resize(12);
  EXPECT_NE(refusal(points).find("6 different constant speeds forward; at least 7 are needed"), std::string::npos)
      << refusal(points);
  points = steady_curve();
  for (SteadyPoint& p : points) p.force += 300;  // a load that is no friction
  EXPECT_NE(refusal(points).find("against a constant speed backward"), std::string::npos) << refusal(points);
}

// Nothing is known of the dynamics: the scan finds starts from which the fit arrives.
TEST(FilmDynamics, ArrivesWithoutAnyFirstGuess) {
  FrictionSettings known;
  const FrictionSettings truth_of_all = table_2();
  for (const auto& [name, v] : truth_of_all.values)
    if (std::find(film_static_keys.begin(), film_static_keys.end(), name) != film_static_keys.end())
      known.values.emplace_back(name, v);
  known.backward = table_2().backward;
  std::erase_if(known.backward, [](const auto& entry) { return entry.first == "viscous_lag"; });
  const FilmStart start = film_start("new-modified-lugre", known);
  EXPECT_EQ(start.guessed, (std::vector<std::string>{"bristle_stiffness", "thinning_time", "growing_time", "rest_time",
                                                     "viscous_lag", "backward.viscous_lag"}));
  const std::vector<FilmRecord> all = records(2);
  const FilmDynamics found = fit_film_dynamics(all, scan_film_start(all, start), film_keys, steady_curve());
  const double truth[]{5e6, 0.25, 1.5, 40, 0.33, 0.07};
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(found.confidence.estimates[i].value / truth[i], 1, 0.1) << found.confidence.estimates[i].key;
}

TEST(FilmDynamics, RefusesAStaticCurveOfAnotherKind) {
  try {
    film_start("coulomb", {});
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("the static curve is of the model 'coulomb'"), std::string::npos);
  }
}

TEST(FilmDynamics, RefusesAKeyWithoutAStart) {
  try {
    fit_film_dynamics(records(0), table_2(), {"thickness"});
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "film dynamics: no initial value for 'thickness'");
  }
}

}  // namespace
