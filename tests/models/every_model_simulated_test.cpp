// Every registered model in a machine: runs end, the energy account closes, and directions may differ.
#include <gtest/gtest.h>

#include <cmath>

#include "check/reference_sets.hpp"
#include "machines/friction/friction.hpp"

namespace stickslip::every_model_simulated_test {
namespace {

class EveryModelSimulated : public testing::TestWithParam<const RegisteredModel*> {};

Body shaken() {
  Body body;
  body.drive.input = Signal::sine(3, 0.5);
  return body;
}
SimulationOptions until(double end) {
  SimulationOptions options;
  options.end = end;
  return options;
}

// Work put in = stored + heat: the residual is what the integration and every switch have lost. A sampled force element
// stores nothing it could account for, but its work is still counted.
TEST_P(EveryModelSimulated, TheEnergyAccountCloses) {
  const auto& d = GetParam()->description();
  const auto run = GetParam()->make({reference_values(d), {}, {}})->simulate(shaken(), until(4));
  EXPECT_EQ(run.stop, Stop::finished) << run.message;
  EXPECT_LT(std::fabs(run.ledger.residual), 1e-6 * (std::fabs(run.ledger.work_in) + 1)) << d.name;
}

// Levels a fifth higher backward: the run must end, and the law must not switch for ever where the sets meet.
TEST_P(EveryModelSimulated, DirectionsMayDiffer) {
  const auto& d = GetParam()->description();
  const ParameterValues forward = reference_values(d);
  ParameterValues backward;
  for (const auto& [key, value] : forward)
    if ((key == "coulomb_force" || key == "stiction_force") && std::holds_alternative<double>(value))
      backward.emplace_back(key, 1.2 * std::get<double>(value));
  if (backward.empty() || d.name == "leuven") GTEST_SKIP() << d.name << " has no level of its own to raise";
  const auto run = GetParam()->make({forward, backward, {}})->simulate(shaken(), until(4));
  EXPECT_EQ(run.stop, Stop::finished) << run.message;
  EXPECT_LT(std::fabs(run.ledger.residual), 1e-6 * (std::fabs(run.ledger.work_in) + 1)) << d.name;
}

// With fixed steps every model stays finite and near the event-driven end.
TEST_P(EveryModelSimulated, FixedStepsStayNearTheEventDrivenRun) {
  const auto& d = GetParam()->description();
  const auto friction = GetParam()->make({reference_values(d), {}, {}});
  const auto exact = friction->simulate(shaken(), until(2));
  const auto stepped = friction->simulate_fixed_step(shaken(), until(2), 1e-4);
  EXPECT_EQ(stepped.stop, Stop::finished) << stepped.message;
  EXPECT_NEAR(stepped.position, exact.position, 5e-3) << d.name;
}

INSTANTIATE_TEST_SUITE_P(All, EveryModelSimulated, testing::ValuesIn(registered_models()), [](const auto& tested) {
  std::string name = tested.param->description().name;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
});

}  // namespace
}  // namespace stickslip::every_model_simulated_test
