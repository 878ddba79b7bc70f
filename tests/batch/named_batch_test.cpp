#include "batch/named_batch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "core/error.hpp"

namespace stickslip::named_batch_test {
namespace {

/// Values under which every model of a batch makes stick-slip or slides steadily behind the pull.
ParameterValues values_of(std::string_view model) {
  ParameterValues all{
      {"coulomb_force", 1.0},    {"stiction_force", 1.5},    {"stribeck_velocity", 1e-3}, {"viscosity", 0.4},
      {"bristle_damping", 300.}, {"bristle_stiffness", 1e5}, {"elastic_limit", 2e-6},     {"gain", 2.0},
      {"bristle_height", 1e-3},  {"hinge_stiffness", 2e-3},  {"coulomb_angle", 0.5},      {"stribeck_angle", 0.2},
      {"stribeck_rate", 1.0}};
  ParameterValues out;
  for (const auto& p : find_model(model).description().parameters)
    for (const auto& value : all)
      if (value.first == p.key) out.push_back(value);
  return out;
}
Body pulled(double stiffness, double speed) {
  Body b;
  b.drive = {DriveKind::pulled_spring, stiffness, 0, 0, Signal::ramp(speed)};
  return b;
}

// What a batch gives by name is what the event-driven solver of one run gives for the same file.
TEST(NamedBatch, EveryModelAgreesWithItsSingleRun) {
  for (const auto name : batch_models()) {
    const auto values = values_of(name);
    std::vector<BatchBody> bodies;
    std::vector<Body> singles;
    for (const double stiffness : {1.8, 2.0, 3.0}) {
      singles.push_back(pulled(stiffness, 0.1));
      bodies.push_back(*batch_body(singles.back(), 10));
    }
    std::vector<BatchResult> results(bodies.size());
    simulate_batch(NamedBatch{std::string(name), values, {}, {}, bodies},
                   BatchOptions{.end = 10, .relative_tolerance = 1e-9}, results);
    const auto friction = make_friction(name, values);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      SimulationOptions options;
      options.end = 10;
      const auto one = friction->simulate(singles[i], options);
      EXPECT_NEAR(results[i].position, one.position, 2e-7) << name << ", case " << i;
      EXPECT_NEAR(results[i].velocity, one.velocity, 2e-6) << name << ", case " << i;
      EXPECT_GT(results[i].largest_velocity, 0.05) << name << " moved";
    }
  }
}

// A body that stops has a least velocity of zero, to the last bit, in every instruction set: rounding of the acceleration with which it leaves
// rest is no motion backward. It was, in three of four cases, and the count of examples/cpp/many_runs.cpp was wrong.
TEST(NamedBatch, ABodyThatStopsHasALeastVelocityOfZero) {
  std::vector<BatchBody> bodies;
  std::vector<double> viscosities;
  std::vector<bool> stops;
  const double end = 60, from = 40;
  for (double speed = 0.05; speed < 0.55; speed += 0.0371)
    for (double viscosity = 0; viscosity < 1; viscosity += 0.0713) {
      const Body body = pulled(2, speed);
      bodies.push_back(*batch_body(body, end)), viscosities.push_back(viscosity);
      SimulationOptions options;
      options.end = end;
      const auto friction = make_friction(
          "stribeck",
          {{"coulomb_force", 1.0}, {"stiction_force", 1.5}, {"stribeck_velocity", 1e-3}, {"viscosity", viscosity}});
      const auto one = friction->simulate(body, options);
      stops.push_back(std::any_of(one.events.begin(), one.events.end(), [&](const Event& e) {
        return e.time >= from && (e.kind == EventKind::stick || e.kind == EventKind::release);
      }));
    }
  const NamedBatch batch{"stribeck",
                         {{"coulomb_force", 1.0}, {"stiction_force", 1.5}, {"stribeck_velocity", 1e-3}},
                         {"viscosity"},
                         viscosities,
                         bodies};
  std::vector<BatchResult> results(bodies.size());
  for (const InstructionSet set : {InstructionSet::baseline, InstructionSet::avx2, InstructionSet::avx512}) {
    if (!is_available(set)) continue;
    simulate_batch(batch, {.end = end, .observe_from = from, .instructions = set}, results);
    for (std::size_t i = 0; i < results.size(); ++i)
      EXPECT_EQ(results[i].least_velocity == 0, stops[i]) << name_of(set) << ": " << bodies[i].pull_speed << " m/s, "
                                                          << viscosities[i] << " N s/m: " << results[i].least_velocity;
  }
}

// One parameter that differs per case is the same as three batches of one case each, bit for bit.
TEST(NamedBatch, VariedValuesWinOverSharedOnes) {
  const auto values = values_of("lugre");
  const std::vector<BatchBody> bodies(3, *batch_body(pulled(2, 0.1), 10));
  NamedBatch batch{"lugre", values, {"coulomb_force", "bristle_stiffness"}, {}, bodies};
  const std::vector<double> rows{0.8, 5e4, 0.9, 1e5, 1.1, 2e5};
  batch.varied_values = rows;
  std::vector<BatchResult> together(3), alone(1);
  simulate_batch(batch, {}, together);
  for (std::size_t i = 0; i < 3; ++i) {
    ParameterValues own = values;
    for (auto& [key, value] : own) {
      if (key == "coulomb_force") value = rows[2 * i];
      if (key == "bristle_stiffness") value = rows[2 * i + 1];
    }
    simulate_batch(NamedBatch{"lugre", own, {}, {}, std::span(bodies).first(1)}, {}, alone);
    EXPECT_EQ(std::memcmp(&together[i], alone.data(), sizeof(BatchResult)), 0) << i;
  }
  EXPECT_NE(together[0].position, together[1].position);
}

TEST(NamedBatch, OnlyBodiesOnStraightInputsFit) {
  Body b = pulled(2, 0.1);
  ASSERT_TRUE(batch_body(b, 10));
  EXPECT_EQ(batch_body(b, 10)->pull_speed, 0.1);
  b.drive.input = Signal::ramp(0.1, 0, 5);  // held from 5 s on
  EXPECT_FALSE(batch_body(b, 10));
  EXPECT_TRUE(batch_body(b, 5));
  b.drive.input = Signal::sine(1, 2);
  EXPECT_FALSE(batch_body(b, 10));
  b.drive.input = Signal::ramp(0.1) + Signal::constant(1);
  EXPECT_FALSE(batch_body(b, 10)) << "the far end does not start at 0";
  b.drive.kind = DriveKind::wall_spring;
  ASSERT_TRUE(batch_body(b, 10));
  EXPECT_EQ(batch_body(b, 10)->force, 1);
  EXPECT_EQ(batch_body(b, 10)->force_rate, 0.1);
  b.drive.kind = DriveKind::pid;
  EXPECT_FALSE(batch_body(b, 10));
}

std::string message_of(const NamedBatch& batch) {
  std::vector<BatchResult> results(batch.bodies.size());
  try {
    simulate_batch(batch, {}, results);
  } catch (const Error& e) {
    return e.what();
  }
  return "accepted";
}
TEST(NamedBatch, WrongBatchesAreRefusedInOneLine) {
  const std::vector<BatchBody> bodies(2, *batch_body(pulled(2, 0.1), 10));
  const std::vector<double> levels{1, -1}, one{1};
  EXPECT_EQ(message_of({"gms", {}, {}, {}, bodies}).substr(0, 35), "batch: 'gms' cannot run in lanes; c");
  EXPECT_EQ(message_of({"lugre", values_of("lugre"), {"coulomb_force"}, levels, bodies}),
            "batch, case 1: coulomb_force is -1, which is outside its domain");
  EXPECT_EQ(message_of({"lugre", values_of("lugre"), {"coulomb_force"}, one, bodies}),
            "batch: 1 varied values for 2 cases of 1");
  EXPECT_EQ(message_of({"lugre", values_of("lugre"), {"stribeck_form"}, levels, bodies}),
            "batch: lugre has no number 'stribeck_form' that could differ from case to case");
  EXPECT_EQ(message_of({"dahl", {}, {}, {}, bodies}).substr(0, 6), "dahl: ");
}

}  // namespace
}  // namespace stickslip::named_batch_test
