/// FMUs are driven here as a tool would, through the binary and FMI's functions (importer.hpp), and compared with runs of the library.
#include "fmu/fmu_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "core/error.hpp"
#include "fmus.hpp"
#include "machines/run_view.hpp"

namespace stickslip {
namespace {

using namespace importing;

class EveryModel : public ::testing::TestWithParam<const ModelDescription*> {};
INSTANTIATE_TEST_SUITE_P(Fmu, EveryModel, ::testing::ValuesIn(all_models()), [](const auto& which) {
  std::string name = which.param->name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(EveryModel, BodyInCoSimulationMovesAsSimulateDoes) {
  constexpr double h = 0.01;
  constexpr int steps = 100;
  const auto friction = reference_friction(*GetParam());
  Body body;
  body.drive.input = held_force(h, steps);
  SimulationOptions options;
  options.end = h * steps;
  options.sample_interval = h;
  const stickslip::Run run = friction->simulate(body, options);
  ASSERT_EQ(run.samples.position.size(), steps + 1u);
  const auto [low, high] = std::minmax_element(run.samples.position.begin(), run.samples.position.end());
  for (const int version : {2, 3}) {
    const Unpacked fmu(body_fmu(*GetParam(), version));
    Imported one(fmu, Interface::co_simulation, version);
    ASSERT_NE(one.instance, nullptr) << importing::last_message();
    one.begin();
    double worst = 0;
    for (int k = 0; k < steps; ++k) {
      one.set("input", force_at(k * h));
      one.step(k * h, (k + 1) * h - k * h);
      worst = std::max(worst, std::fabs(one.get("position") - run.samples.position[static_cast<std::size_t>(k) + 1]));
    }
    RecordProperty("relative_error", std::to_string(worst / (*high - *low) * 1e9) + "e-9");
    EXPECT_LE(worst, 1e-9 * (*high - *low)) << "FMI " << version;
  }
}

/// Times at which the mode of a run changes to another, and to which.
std::vector<std::pair<double, int>> mode_changes(const stickslip::Run& run) {
  std::vector<std::pair<double, int>> changes;
  int mode = run.samples.mode.front();
  for (const Event& e : run.events) {
    if (e.mode == mode) continue;
    if (!changes.empty() && e.time - changes.back().first < 1e-9) changes.pop_back();
    changes.emplace_back(e.time, mode = e.mode);
  }
  return changes;
}

TEST_P(EveryModel, BodyUnderAnIntegratorOutsideHasTheSameEvents) {
  constexpr double end = 0.3, amplitude = 2.2, omega = 30;
  const auto friction = reference_friction(*GetParam());
  Body body;
  body.drive.input = Signal::sine(amplitude, omega / 6.283185307179586);
  SimulationOptions options;
  options.end = end;
  options.sample_interval = end / 100;
  const stickslip::Run run = friction->simulate(body, options);
  const auto [low, high] = std::minmax_element(run.samples.position.begin(), run.samples.position.end());
  const auto expected = mode_changes(run);
  for (const int version : {2, 3}) {
    if (version == 3 && GetParam()->name != "lugre" && GetParam()->name != "hybrid") continue;  // the same code below
    const Unpacked fmu(body_fmu(*GetParam(), version));
    Imported one(fmu, Interface::model_exchange, version);
    one.begin();
    std::vector<std::pair<double, int>> changes;
    int mode = 0;
    const auto input = fmu.reference("input");
    bool is_first = true;
    integrate(
        one, fmu.fmu.model->states(), fmu.fmu.model->indicators(), {}, end, 2e-5, [](double, const double*, double*) {},
        [&](double t, const double*) {
          if (is_first) mode = one.whole("mode"), is_first = false;
          one.try_set(input, amplitude * std::sin(omega * t));
        },
        [&](double t) {
          if (const int now = one.whole("mode"); now != mode) {
            if (!changes.empty() && t - changes.back().first < 1e-9) changes.pop_back();
            changes.emplace_back(t, mode = now);
          }
        });
    EXPECT_NEAR(one.get("position"), run.position, 1e-5 * (*high - *low)) << "FMI " << version;
    ASSERT_EQ(changes.size(), expected.size());
    for (std::size_t i = 0; i < changes.size(); ++i) {
      EXPECT_NEAR(changes[i].first, expected[i].first, 1e-6) << i;
      EXPECT_EQ(changes[i].second, expected[i].second) << i;
    }
  }
}

TEST_P(EveryModel, ElementFollowsAVelocityOrIsRefused) {
  constexpr double h = 1.0371e-3;  // no sample of a sampled law falls on a step
  constexpr int steps = 300;
  const ModelDescription& model = *GetParam();
  if (!element_laws.count(model.name)) {
    try {
      describe_fmu(model_text(model), "axis.model.toml", with(0));
      FAIL() << "a law that needs the force applied became an element";
    } catch (const Error& problem) {
      EXPECT_NE(std::string(problem.what()).find("give the mass of the body"), std::string::npos) << problem.what();
    }
    return;
  }
  const auto velocity = [](int k) { return 0.02 * std::sin(0.05 * k) * std::sin(0.013 * k); };
  const auto friction = reference_friction(model);
  const auto stepper = friction->fixed_stepper(1, 0, 0);
  std::vector<double> expected;
  for (int k = 0; k < steps; ++k) expected.push_back(stepper->follow(velocity(k), h));
  const auto [low, high] = std::minmax_element(expected.begin(), expected.end());
  for (const int version : {2, 3}) {
    const Unpacked fmu(describe_fmu(model_text(model), "axis.model.toml", with(0, version)));
    Imported one(fmu, Interface::co_simulation, version);
    one.begin();
    double worst = 0;
    for (int k = 0; k < steps; ++k) {
      one.set("velocity", velocity(k));
      one.step(k * h, (k + 1) * h - k * h);
      worst = std::max(worst, std::fabs(one.get("friction_force") - expected[static_cast<std::size_t>(k)]));
    }
    // A held step of Leuven's law is one Runge-Kutta step per piece.
    EXPECT_LE(worst, (model.name == "leuven" ? 1e-5 : 1e-6) * (*high - *low)) << "FMI " << version;
  }
}

TEST_P(EveryModel, ElementWithAMassOutsideMovesAsTheBodyDoes) {
  if (!element_laws.count(GetParam()->name)) return;
  if (GetParam()->name == "new-modified-lugre")
    return;  // its viscous lag adds inertia, which an element cannot take from a velocity
  constexpr double end = 0.2, amplitude = 2.2, omega = 30;
  Body body;
  body.drive.input = Signal::sine(amplitude, omega / 6.283185307179586);
  SimulationOptions options;
  options.end = end;
  options.sample_interval = end / 100;
  const stickslip::Run run = reference_friction(*GetParam())->simulate(body, options);
  const auto [low, high] = std::minmax_element(run.samples.position.begin(), run.samples.position.end());
  const Unpacked fmu(describe_fmu(model_text(*GetParam()), "axis.model.toml", with(0)));
  Imported one(fmu, Interface::model_exchange, 2);
  one.begin();
  const auto velocity = fmu.reference("velocity"), force = fmu.reference("friction_force");
  double last = 0;
  integrate(
      one, fmu.fmu.model->states(), fmu.fmu.model->indicators(), {0, 0}, end, 2e-5,
      [&](double t, const double* x, double* d) {
        d[0] = x[1], d[1] = amplitude * std::sin(omega * t) - one.get(force), last = x[0];
      },
      [&](double, const double* x) { one.try_set(velocity, x[1]); }, [](double) {});
  EXPECT_NEAR(last, run.position, 2e-4 * (*high - *low));
}

TEST_P(EveryModel, StateSavedAtAnyInstantIsRestoredBitForBit) {
  constexpr double h = 0.0037;
  const Unpacked fmu(body_fmu(*GetParam()));
  Imported one(fmu, Interface::co_simulation, 2);
  one.begin();
  const auto go = [&](Imported& which, int from, int to) {
    for (int k = from; k < to; ++k) which.set("input", force_at(k * h)), which.step(k * h, h);
    std::vector<double> seen;
    for (std::size_t i = 0; i < fmu.fmu.model->variables().size(); ++i)
      if (fmu.fmu.model->variables()[i].type == FmuType::real)
        seen.push_back(which.get(static_cast<importing::Reference>(i)));
    return seen;
  };
  go(one, 0, 41);
  const auto saved = one.save();
  const auto first = go(one, 41, 90);
  ASSERT_EQ(one.load(saved), 0);
  const auto again = go(one, 41, 90);
  Imported other(fmu, Interface::co_simulation, 2);
  other.begin();
  ASSERT_EQ(other.load(saved), 0) << importing::last_message();
  const auto elsewhere = go(other, 41, 90);
  ASSERT_EQ(first.size(), again.size());
  EXPECT_EQ(std::memcmp(first.data(), again.data(), first.size() * sizeof(double)), 0);
  EXPECT_EQ(std::memcmp(first.data(), elsewhere.data(), first.size() * sizeof(double)), 0);
}

// ---- machines -------------------------------------------------------------------------------------------------------

class EveryMachine : public ::testing::TestWithParam<MachineCase> {};
INSTANTIATE_TEST_SUITE_P(Fmu, EveryMachine, ::testing::ValuesIn(machine_cases), [](const auto& which) {
  std::string name = std::filesystem::path(which.param.file).stem().string();
  return name;
});

TEST_P(EveryMachine, CoSimulationMovesAsSimulateDoes) {
  const auto [file, until, h] = GetParam();
  Machine machine = read_machine(example(file));
  RunRequest request;
  request.until = until;
  const MachineRun run = machine.run(request);
  const double interval = machine.options().sample_interval;
  const auto stride = static_cast<std::size_t>(std::lround(h / interval));
  const auto steps = static_cast<std::size_t>(std::lround(until / h));
  for (const int version : {2, 3}) {
    const Unpacked fmu(fmu_of(file, with(0, version)));
    std::vector<const Column*> columns;
    for (const Column& column : run.samples.columns)
      for (const FmuVariable& v : fmu.fmu.model->variables())
        if (v.name == column.name && v.role == FmuRole::output &&
            (v.name == "angle" || (v.name.find("position") != std::string::npos && !v.name.starts_with("valve"))))
          columns.push_back(&column);
    EXPECT_FALSE(columns.empty());
    std::vector<double> worst(columns.size());
    Imported one(fmu, Interface::co_simulation, version);
    ASSERT_NE(one.instance, nullptr) << importing::last_message();
    one.begin();
    const auto& times = run.samples.columns[0].values;
    for (std::size_t k = 1; k <= steps; ++k) {
      one.step(times[(k - 1) * stride], times[k * stride] - times[(k - 1) * stride]);
      for (std::size_t i = 0; i < columns.size(); ++i)
        worst[i] = std::max(worst[i], std::fabs(one.get(columns[i]->name) - columns[i]->values[k * stride]));
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto [low, high] = std::minmax_element(columns[i]->values.begin(), columns[i]->values.end());
      EXPECT_LE(worst[i], 1e-9 * (*high - *low)) << columns[i]->name << ", FMI " << version;
    }
  }
}

TEST_P(EveryMachine, StateSavedAtAnyInstantIsRestoredBitForBit) {
  const auto [file, until, h] = GetParam();
  constexpr int before = 23, after = 31;
  for (const int version : {2, 3}) {
    const Unpacked fmu(fmu_of(file, with(0, version)));
    Imported one(fmu, Interface::co_simulation, version);
    one.begin();
    const double step = 0.77 * h;  // no sample and no breakpoint of the file falls on a step
    const auto go = [&](Imported& which, int from, int to) {
      for (int k = from; k < to; ++k) which.step(k * step, step);
      std::vector<double> seen;
      for (std::size_t i = 0; i < fmu.fmu.model->variables().size(); ++i)
        if (fmu.fmu.model->variables()[i].type == FmuType::real)
          seen.push_back(which.get(static_cast<importing::Reference>(i)));
      return seen;
    };
    go(one, 0, before);
    const auto saved = one.save();
    const auto first = go(one, before, before + after);
    ASSERT_EQ(one.load(saved), 0) << last_message();
    const auto again = go(one, before, before + after);
    Imported other(fmu, Interface::co_simulation, version);
    other.begin();
    ASSERT_EQ(other.load(saved), 0) << last_message();
    const auto elsewhere = go(other, before, before + after);
    ASSERT_EQ(first.size(), again.size());
    EXPECT_EQ(std::memcmp(first.data(), again.data(), first.size() * sizeof(double)), 0) << "FMI " << version;
    EXPECT_EQ(std::memcmp(first.data(), elsewhere.data(), first.size() * sizeof(double)), 0) << "FMI " << version;
  }
}

// The integrator's error is that of its fixed step; locks and releases are those of the run.
TEST_P(EveryMachine, IntegratorOutsideArrivesWhereTheRunDoes) {
  const std::map<std::string, std::pair<std::string, double>> cases{
      {"stick_slip.toml", {"position", 9}},
      {"machines/pulled_pair.toml", {"front_position", 9}},
      {"machines/winch.toml", {"load_position", 1}},
      {"machines/dual_clutch.toml", {"vehicle_position", 1}},
      {"machines/hydraulic_cylinder.toml", {"position", 0.5}},
      {"machines/clutch_by_wire.toml", {"angle", 1}},
      {"modelica/LossyGearDemo1.toml", {"inertia1_position", 0.5}},
      {"modelica/OneWayClutch.toml", {"inertiaOut_position", 0.7}},
      {"modelica/TranslationalFriction.toml", {"stop1_position", 0.5}}};
  const auto found = cases.find(GetParam().file);
  if (found == cases.end()) return;
  const auto& [name, until] = found->second;
  Machine machine = read_machine(example(GetParam().file));
  RunRequest request;
  request.until = until;
  const MachineRun run = machine.run(request);
  const Column* column = find_column(run.samples, name);
  ASSERT_NE(column, nullptr);
  const auto [low, high] = std::minmax_element(column->values.begin(), column->values.end());
  const Unpacked fmu(fmu_of(GetParam().file, with(0)));
  Imported one(fmu, Interface::model_exchange, 2);
  one.begin();
  std::size_t events = 0;
  integrate(
      one, fmu.fmu.model->states(), fmu.fmu.model->indicators(), {}, until, 2e-4, [](double, const double*, double*) {},
      [](double, const double*) {}, [&](double) { ++events; });
  EXPECT_NEAR(one.get(name), column->values.back(), 1e-5 * (*high - *low));
  RecordProperty("events", std::to_string(events));
}

}  // namespace
}  // namespace stickslip
