/// FMUs are driven here as a tool would, through the binary and FMI's functions (importer.hpp), and compared with runs of the library.
#include "fmu/export_fmu.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <thread>

#include "check/reference_sets.hpp"
#include "core/checksum.hpp"
#include "core/error.hpp"
#include "fmu/fmu_instance.hpp"
#include "fmu/model_description.hpp"
#include "importer.hpp"
#include "machines/friction/model_file.hpp"
#include "machines/run_view.hpp"
#include "recording/tables/inflate.hpp"
#include "support/allocations.hpp"
#include "support/places.hpp"

namespace stickslip {
namespace {

using importing::Imported;
using importing::integrate;
using importing::Unpacked;
using importing::Use;

std::unique_ptr<Friction> reference_friction(const ModelDescription& model) {
  return make_friction(model.name, reference_values(model));
}
std::string model_text(const ModelDescription& model) {
  ModelFile file;
  file.model = model.name;
  file.settings = reference_friction(model)->settings();
  return model_file_text(file);
}
FmuOptions with(double mass, int version = 2) {
  FmuOptions options;
  options.mass = mass;
  options.version = version;
  options.binaries = STICKSLIP_FMU_FOLDER;
  return options;
}
std::vector<const ModelDescription*> all_models() {
  std::vector<const ModelDescription*> all;
  for (const RegisteredModel* m : registered_models()) all.push_back(&m->description());
  return all;
}
FmuFile body_fmu(const ModelDescription& model, int version = 2) {
  return describe_fmu(model_text(model), "axis.model.toml", with(1, version));
}
std::string example(const std::string& name) { return source_dir() + "/examples/" + name; }
FmuFile fmu_of(const std::string& name, const FmuOptions& options) {
  return describe_fmu(read_whole(example(name)), example(name), options);
}

double force_at(double t) { return 2 * std::sin(2 * 3.141592653589793 * 3 * t) * (1 + 0.3 * std::sin(11 * t)); }

/// The force held over steps of h, as Co-Simulation holds it.
Signal held_force(double h, int steps) {
  std::vector<double> times, values;
  for (int k = 0; k < steps; ++k) {
    if (k > 0) times.push_back(k * h), values.push_back(force_at((k - 1) * h));
    times.push_back(k * h), values.push_back(force_at(k * h));
  }
  return Signal::table(times, values);
}

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
    Imported one(fmu, Use::co_simulation, version);
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
    Imported one(fmu, Use::model_exchange, version);
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

const std::set<std::string> element_laws{"dahl",
                                         "bliman-sorine",
                                         "lugre",
                                         "elastoplastic",
                                         "leuven",
                                         "maxwell-slip",
                                         "asymmetric-maxwell-slip",
                                         "extended-maxwell-slip",
                                         "generalized-maxwell-slip",
                                         "modified-lugre",
                                         "new-modified-lugre",
                                         "lugre-bristle",
                                         "load-dependent"};

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
    Imported one(fmu, Use::co_simulation, version);
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
  Imported one(fmu, Use::model_exchange, 2);
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
  Imported one(fmu, Use::co_simulation, 2);
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
  Imported other(fmu, Use::co_simulation, 2);
  other.begin();
  ASSERT_EQ(other.load(saved), 0) << importing::last_message();
  const auto elsewhere = go(other, 41, 90);
  ASSERT_EQ(first.size(), again.size());
  EXPECT_EQ(std::memcmp(first.data(), again.data(), first.size() * sizeof(double)), 0);
  EXPECT_EQ(std::memcmp(first.data(), elsewhere.data(), first.size() * sizeof(double)), 0);
}

// ---- machines -------------------------------------------------------------------------------------------------------

struct MachineCase {
  const char* file;
  double until, h;
};
const std::vector<MachineCase> machine_cases{{"stick_slip.toml", 30, 0.1},
                                             {"recorded_force.toml", 2, 0.02},
                                             {"machines/pulled_pair.toml", 30, 0.1},
                                             {"machines/winch.toml", 5, 0.01},
                                             {"machines/dual_clutch.toml", 10, 0.05},
                                             {"machines/hydraulic_cylinder.toml", 2, 0.01},
                                             {"machines/servo_pendulum.toml", 6, 0.02},
                                             {"machines/clutch_by_wire.toml", 5, 0.05}};
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
  for (const int version : {2, 3}) {
    const Unpacked fmu(fmu_of(file, with(0, version)));
    Imported one(fmu, Use::co_simulation, version);
    ASSERT_NE(one.instance, nullptr) << importing::last_message();
    one.begin();
    std::map<std::string, double> worst;
    const auto steps = static_cast<std::size_t>(std::lround(until / h));
    for (std::size_t k = 1; k <= steps; ++k) {
      const double from = run.samples.columns[0].values[(k - 1) * stride],
                   to = run.samples.columns[0].values[k * stride];
      one.step(from, to - from);
      for (const Column& column : run.samples.columns) {
        if (column.name == "time" || column.name.find("position") == std::string::npos) continue;
        if (column.name.find("valve") == 0) continue;
        double& w = worst[column.name];
        w = std::max(w, std::fabs(one.get(column.name) - column.values[k * stride]));
      }
      for (const Column& column : run.samples.columns)
        if (column.name == "angle" || column.name == "angle_rad")
          worst["angle"] = std::max(worst["angle"], std::fabs(one.get("angle") - column.values[k * stride]));
    }
    EXPECT_FALSE(worst.empty());
    for (const auto& [name, w] : worst) {
      const Column* column = nullptr;
      for (const Column& c : run.samples.columns)
        if (c.name == name) column = &c;
      ASSERT_NE(column, nullptr);
      const auto [low, high] = std::minmax_element(column->values.begin(), column->values.end());
      EXPECT_LE(w, 1e-9 * (*high - *low)) << name << ", FMI " << version;
    }
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
      {"machines/clutch_by_wire.toml", {"angle", 1}}};
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
  Imported one(fmu, Use::model_exchange, 2);
  one.begin();
  std::size_t events = 0;
  integrate(
      one, fmu.fmu.model->states(), fmu.fmu.model->indicators(), {}, until, 2e-4, [](double, const double*, double*) {},
      [](double, const double*) {}, [&](double) { ++events; });
  EXPECT_NEAR(one.get(name), column->values.back(), 1e-5 * (*high - *low));
  RecordProperty("events", std::to_string(events));
}

TEST(Fmu, TwoThousandInstancesLeaveNothingBehind) {
  const Unpacked fmu(fmu_of("machines/pulled_pair.toml", with(0)));
  const auto resident = [] {
    long pages = 0, size = 0;
    if (std::FILE* f = std::fopen("/proc/self/statm", "r")) {
      if (std::fscanf(f, "%ld %ld", &size, &pages) != 2) pages = 0;
      std::fclose(f);
    }
    return pages * 4;  // [kB]
  };
  long before = 0;
  for (int i = 0; i < 2000; ++i) {
    Imported one(fmu, i % 2 ? Use::co_simulation : Use::model_exchange, 2);
    ASSERT_NE(one.instance, nullptr);
    if (i % 10 == 0) one.begin();
    if (i == 500) before = resident();
  }
  EXPECT_LT(resident() - before, 1000);
}

TEST(Fmu, EightInstancesInEightThreadsAreEachAlone) {
  const Unpacked fmu(fmu_of("machines/winch.toml", with(0)));
  std::vector<double> found(8);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < found.size(); ++i)
    threads.emplace_back([&, i] {
      Imported one(fmu, Use::co_simulation, 2);
      one.begin();
      for (int k = 0; k < 100; ++k) one.step(k * 0.01, 0.01);
      found[i] = one.get("load_position");
    });
  for (auto& t : threads) t.join();
  for (const double x : found) EXPECT_EQ(x, found[0]);
  EXPECT_NE(found[0], 0);
}

TEST(Fmu, ResetBeginsAnew) {
  const Unpacked fmu(body_fmu(find_model("lugre").description()));
  Imported one(fmu, Use::co_simulation, 2);
  const auto go = [&] {
    one.begin();
    one.set("input", 3);
    for (int k = 0; k < 10; ++k) one.step(k * 0.01, 0.01);
    return one.get("position");
  };
  one.set("friction.coulomb_force", 0.5);
  const double other = go();
  ASSERT_EQ(one.call("Reset"), 0);
  const double first = go();
  one.call("Reset");
  EXPECT_EQ(go(), first);
  EXPECT_NE(first, other);
}

// A parameter that changes at an instant: the run goes on from the same state with the other value, as one that starts there.
TEST(Fmu, TunableParameterActsFromTheInstantItIsSet) {
  const Unpacked fmu(body_fmu(find_model("lugre").description()));
  Imported one(fmu, Use::co_simulation, 2);
  one.begin();
  one.set("input", 3);
  one.step(0, 0.5);
  const double x = one.get("position"), v = one.get("velocity"), z = one.get("bristle_deflection");
  one.set("friction.coulomb_force", 2);
  one.set("friction.stiction_force", 2.5);
  one.step(0.5, 0.5);
  auto values = reference_values(find_model("lugre").description());
  for (auto& [key, value] : values) {
    if (key == "coulomb_force") value = 2.0;
    if (key == "stiction_force") value = 2.5;
  }
  Body body;
  body.drive.input = Signal(3);
  body.position = x, body.velocity = v, body.state = {z};
  SimulationOptions options;
  options.start = 0.5, options.end = 1;
  const stickslip::Run run = make_friction("lugre", values)->simulate(body, options);
  EXPECT_NEAR(one.get("position"), run.position, 1e-9);
  EXPECT_NEAR(one.get("velocity"), run.velocity, 1e-9);
}

TEST(Fmu, InputSlopesMakeAStepExact) {
  const Unpacked fmu(body_fmu(find_model("coulomb").description()));
  Imported one(fmu, Use::co_simulation, 2);
  one.begin();
  one.set("input", 0);
  const auto reference = fmu.reference("input");
  const int order = 1;
  const double slope = 4;
  ASSERT_EQ((importing::function<int(void*, const unsigned*, std::size_t, const int*, const double*)>(
                "fmi2SetRealInputDerivatives")(one.instance, &reference, 1, &order, &slope)),
            0);
  one.step(0, 1);
  // u = 4 t breaks 1 N loose at 1/4 s, then x'' = 4 t − 1: x = 4 (t − 1/4)³/6.
  EXPECT_NEAR(one.get("position"), 4 * 0.75 * 0.75 * 0.75 / 6, 1e-10);
}

TEST(Fmu, StepReturnsEarlyWhereTheBodyBreaksLoose) {
  const Unpacked fmu(fmu_of("stick_slip.toml", with(0, 3)));
  Imported one(fmu, Use::co_simulation, 3, true);
  one.begin();
  double t = 0;
  std::vector<double> early;
  while (t < 12 - 1e-9) {
    t = one.step(t, std::min(1.0, 12 - t));
    if (!one.was_early) continue;
    early.push_back(t);
    ASSERT_EQ(one.call("EnterEventMode"), 0);
    one.handle_event();
    ASSERT_EQ(one.call("EnterStepMode"), 0);
  }
  ASSERT_GE(early.size(), 2u);
  EXPECT_NEAR(early[0], 7.5, 1e-9);  // k V t = 1.5 N
}

TEST(Fmu, DirectionalDerivativesAgreeWithDifferences) {
  for (const char* law : {"lugre", "stribeck", "elastoplastic"}) {
    const Unpacked fmu(body_fmu(find_model(law).description()));
    Imported one(fmu, Use::model_exchange, 2);
    one.begin();
    one.set("input", 2);
    one.handle_event();
    one.call("EnterContinuousTimeMode");
    std::vector<double> x(fmu.fmu.model->states());
    x[0] = 0.1, x[1] = 0.02;
    if (x.size() > 3) x[3] = 4e-6;
    one.set_states(x);
    std::vector<importing::Reference> unknowns, knowns{fmu.reference("velocity"), fmu.reference("input")};
    for (std::size_t i = 0; i < fmu.fmu.model->variables().size(); ++i) {
      const auto& v = fmu.fmu.model->variables()[i];
      if (v.type == FmuType::real && (v.role == FmuRole::rate || v.role == FmuRole::output))
        unknowns.push_back(static_cast<importing::Reference>(i));
    }
    const double e = 1e-7;
    const auto exact = one.derivative(unknowns, knowns, {1, 0.5});
    std::vector<double> before, after;
    const auto read_all = [&](double by, std::vector<double>& into) {
      auto y = x;
      y[1] += by;
      one.set_states(y);
      one.set("input", 2 + 0.5 * by);
      for (const auto r : unknowns) into.push_back(one.get(r));
    };
    read_all(-e, before);
    read_all(e, after);
    for (std::size_t i = 0; i < unknowns.size(); ++i)
      EXPECT_NEAR(exact[i], (after[i] - before[i]) / (2 * e), 1e-5 * (1 + std::fabs(exact[i])))
          << law << ' ' << fmu.fmu.model->variables()[unknowns[i]].name;
  }
}

TEST(Fmu, StepsAndValuesAllocateNothing) {
  for (const char* law : {"lugre", "hybrid", "generalized-maxwell-slip"}) {
    const Unpacked fmu(body_fmu(find_model(law).description()));
    FmuInstance one(fmu.folder, fmu.fmu.token, {}, {});
    one.enter_initialization(0);
    one.exit_initialization();
    const auto input = fmu.reference("input"), position = fmu.reference("position");
    const auto go = [&](int from, int to) {
      for (int k = from; k < to; ++k) {
        one.set(input, FmuType::real, force_at(0.01 * k));
        one.step(0.01 * k, 0.01);
        one.get(position, FmuType::real);
      }
    };
    go(0, 20);
    const long before = allocations;
    go(20, 120);
    EXPECT_EQ(allocations - before, 0) << law;
  }
}

TEST(Fmu, WrongCallsAreAnsweredInWords) {
  const Unpacked fmu(body_fmu(find_model("lugre").description()));
  Imported stranger(fmu, Use::co_simulation, 2, false, "{other}");
  EXPECT_EQ(stranger.instance, nullptr);
  EXPECT_NE(importing::last_message().find("belongs to another FMU"), std::string::npos) << importing::last_message();
  for (const int version : {2, 3}) {
    Imported one(fmu, Use::co_simulation, version);
    EXPECT_EQ(one.call("ExitInitializationMode"), 3);
    one.begin();
    EXPECT_EQ(one.try_set(99999, 1), 3);
    EXPECT_NE(importing::last_message().find("no variable with value reference 99999"), std::string::npos);
    EXPECT_EQ(one.try_set(fmu.reference("position"), 1), 3);
    EXPECT_EQ(one.try_set(fmu.reference("input"), std::nan("")), 3);
    EXPECT_NE(importing::last_message().find("'input' is set to nan"), std::string::npos) << importing::last_message();
    EXPECT_EQ(one.try_set(fmu.reference("machine.start.position"), 1), 3);
    EXPECT_NE(importing::last_message().find("fixed after initialization"), std::string::npos);
    auto bytes = one.save();
    bytes.resize(bytes.size() / 2);
    EXPECT_EQ(one.load(bytes), 3);
  }
  const Unpacked servo(fmu_of("machines/servo_pendulum.toml", with(0)));
  Imported outside(servo, Use::model_exchange, 2);
  EXPECT_EQ(outside.instance, nullptr);
  EXPECT_NE(importing::last_message().find("use Co-Simulation"), std::string::npos);
  EXPECT_EQ(servo.fmu.description.find("<ModelExchange"), std::string::npos);
}

TEST(Fmu, InputFollowsTheFileUntilToldOtherwise) {
  const Unpacked fmu(fmu_of("stick_slip.toml", with(0)));
  Imported one(fmu, Use::co_simulation, 2);
  one.set_flag("input_from_file", false);
  one.begin();
  one.set("input", 1);  // the far end of the spring is 1 m away: 2 N break 1.5 N
  one.step(0, 0.1);
  EXPECT_GT(one.get("position"), 0);
  Imported other(fmu, Use::co_simulation, 2);
  other.begin();
  other.set("input", 1);
  EXPECT_NE(importing::last_message().find("follows the exported file"), std::string::npos);
  other.step(0, 0.1);
  EXPECT_EQ(other.get("position"), 0);
}

// ---- the file -------------------------------------------------------------------------------------------------------

/// Every entry of a zip, unpacked and its checksum compared.
std::map<std::string, std::string> unzipped(const std::string& zip) {
  const auto number = [&](std::size_t at, std::size_t bytes) {
    std::size_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) value |= std::size_t(static_cast<unsigned char>(zip[at + i])) << (8 * i);
    return value;
  };
  std::map<std::string, std::string> entries;
  const std::size_t end = zip.size() - 22, count = number(end + 10, 2);
  std::size_t at = number(end + 16, 4);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t method = number(at + 10, 2), check = number(at + 16, 4), packed = number(at + 20, 4);
    const std::size_t whole = number(at + 24, 4), name_length = number(at + 28, 2), start = number(at + 42, 4);
    const std::string name = zip.substr(at + 46, name_length);
    const std::string data = zip.substr(start + 30 + name_length, packed);
    std::string content = data;
    if (method == 8) {
      const auto plain = Inflater().all(data, Packing::deflate, whole);
      EXPECT_TRUE(plain.has_value()) << name;
      content = plain.value_or("");
      EXPECT_EQ(content.size(), whole) << name;
    }
    EXPECT_EQ(stickslip::crc32(content), check) << name;
    entries[name] = content;
    at += 46 + name_length;
  }
  return entries;
}

TEST(Fmu, ArchiveHasWhatTheStandardAsksFor) {
  for (const int version : {2, 3}) {
    const FmuFile fmu = export_fmu(example("stick_slip.toml"), with(0, version));
    const auto entries = unzipped(fmu.content);
    for (const std::string name :
         {"modelDescription.xml", "resources/content.txt", "resources/stick_slip.toml", "documentation/index.html"})
      EXPECT_EQ(entries.count(name), 1u) << name;
    const std::string place = version == 2 ? "binaries/linux64/stick_slip.so" : "binaries/x86_64-linux/stick_slip.so";
    ASSERT_EQ(entries.count(place), 1u);
    EXPECT_EQ(entries.at(place), read_whole(STICKSLIP_FMU_BINARY));
    EXPECT_EQ(entries.count(version == 2 ? "model.png" : "terminalsAndIcons/icon.png"), 1u);
    EXPECT_EQ(entries.at("modelDescription.xml"), fmu.description);
    const FmuContent content = parse_content(entries.at("resources/content.txt"));
    EXPECT_EQ(content_text(content), entries.at("resources/content.txt"));
    EXPECT_EQ(content_token(entries.at("resources/content.txt")), fmu.token);
  }
}

#ifndef STICKSLIP_SANITIZED
TEST(Fmu, BinaryNeedsNothingYoungerThanGlibc229) {
  const std::string bytes = read_whole(STICKSLIP_FMU_BINARY);
  std::set<std::pair<int, int>> versions;
  for (std::size_t at = bytes.find("GLIBC_"); at != std::string::npos; at = bytes.find("GLIBC_", at + 1)) {
    int major = 0, minor = 0;
    if (std::sscanf(bytes.c_str() + at, "GLIBC_%d.%d", &major, &minor) == 2) versions.insert({major, minor});
  }
  ASSERT_FALSE(versions.empty());
  EXPECT_LE(*versions.rbegin(), (std::pair<int, int>{2, 29}));
  for (const char* library : {"libstdc++.so", "libz.so", "libpthread.so"})
    EXPECT_EQ(bytes.find(library), std::string::npos) << library;
}
#endif

/// One element of the XML: its name and attributes. Enough for what model_description() writes, and strict about it.
struct Element {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string parent;
};
std::vector<Element> parsed(const std::string& xml) {
  std::vector<Element> all;
  std::vector<std::string> open;
  std::size_t at = xml.find("?>") + 2;
  while ((at = xml.find('<', at)) != std::string::npos) {
    std::size_t end = at + 1;
    for (bool inside = false; end < xml.size() && (inside || xml[end] != '>'); ++end)
      if (xml[end] == '"') inside = !inside;
    const std::string tag = xml.substr(at + 1, end - at - 1);
    at = end;
    if (tag[0] == '/') {
      EXPECT_FALSE(open.empty());
      EXPECT_EQ(open.back(), tag.substr(1));
      open.pop_back();
      continue;
    }
    Element e;
    std::size_t i = tag.find_first_of(" /");
    e.name = tag.substr(0, i);
    e.parent = open.empty() ? "" : open.back();
    while (i < tag.size() && (i = tag.find_first_not_of(" /", i)) != std::string::npos) {
      const std::size_t equals = tag.find("=\"", i), close = tag.find('"', equals + 2);
      EXPECT_TRUE(e.attributes.emplace(tag.substr(i, equals - i), tag.substr(equals + 2, close - equals - 2)).second)
          << tag;
      i = close + 1;
    }
    if (tag.back() != '/') open.push_back(e.name);
    all.push_back(e);
  }
  EXPECT_TRUE(open.empty());
  return all;
}

/// The standard's rules for modelDescription.xml, both versions.
void check_description(const FmuFile& fmu, int version, const std::string& what) {
  SCOPED_TRACE(what + ", FMI " + std::to_string(version));
  const auto elements = parsed(fmu.description);
  struct Variable {
    std::string name, type, causality, variability, initial, unit, derivative;
    bool has_start;
  };
  std::vector<Variable> variables;
  std::set<std::string> names, references, units, used_units;
  const std::set<std::string> types{"Real", "Integer", "Boolean", "Float64", "Int32"};
  const auto value = [](const Element& e, const char* key) {
    const auto found = e.attributes.find(key);
    return found == e.attributes.end() ? std::string() : found->second;
  };
  std::vector<std::string> order;
  std::vector<std::size_t> outputs, rates, initial_unknowns, indicators;
  for (const Element& e : elements) {
    if (e.parent == "fmiModelDescription") order.push_back(e.name);
    if (e.name == "Unit") {
      EXPECT_TRUE(units.insert(value(e, "name")).second) << value(e, "name");
    }
    const bool is_variable =
        version == 2 ? e.name == "ScalarVariable" : types.count(e.name) && e.parent == "ModelVariables";
    if (is_variable) {
      Variable v{
          value(e, "name"), e.name, value(e, "causality"), value(e, "variability"), value(e, "initial"), "", "", false};
      EXPECT_TRUE(names.insert(v.name).second) << v.name;
      EXPECT_LE(v.name.size(), 55u) << v.name;
      EXPECT_FALSE(v.name.empty());
      EXPECT_TRUE(references.insert(value(e, "valueReference")).second);
      EXPECT_EQ(value(e, "valueReference"), std::to_string(variables.size()));
      EXPECT_FALSE(value(e, "description").empty()) << v.name;
      variables.push_back(v);
    }
    if (types.count(e.name) && (version == 3 || e.parent == "ScalarVariable") && !variables.empty()) {
      Variable& v = variables.back();
      v.type = e.name;
      v.unit = value(e, "unit");
      v.derivative = value(e, "derivative");
      v.has_start = e.attributes.count("start") > 0;
      if (e.name == "Real" || e.name == "Float64") {
        EXPECT_FALSE(v.unit.empty()) << v.name;
      }
      if (!v.unit.empty()) used_units.insert(v.unit);
      const auto low = value(e, "min"), high = value(e, "max"), start = value(e, "start");
      if (!low.empty() && !high.empty()) {
        EXPECT_LT(std::stod(low), std::stod(high)) << v.name;
      }
      if (v.has_start && !low.empty()) {
        EXPECT_GE(std::stod(start), std::stod(low)) << v.name;
      }
      if (v.has_start && !high.empty()) {
        EXPECT_LE(std::stod(start), std::stod(high)) << v.name;
      }
    }
    const std::string key = version == 2 ? "index" : "valueReference";
    const auto place = [&] { return std::stoul(value(e, key.c_str())) - (version == 2 ? 1 : 0); };
    if (version == 2 && e.name == "Unknown")
      (e.parent == "Outputs" ? outputs : e.parent == "Derivatives" ? rates : initial_unknowns).push_back(place());
    if (e.name == "Output") outputs.push_back(place());
    if (e.name == "ContinuousStateDerivative") rates.push_back(place());
    if (e.name == "InitialUnknown") initial_unknowns.push_back(place());
    if (e.name == "EventIndicator") indicators.push_back(place());
    if (const auto on = value(e, "dependencies"); !on.empty()) {
      std::size_t last = 0, count = 0;
      for (std::size_t i = 0; i < on.size();
           i = on.find(' ', i) == std::string::npos ? on.size() : on.find(' ', i) + 1) {
        const std::size_t d = std::stoul(on.substr(i)) - (version == 2 ? 1 : 0);
        ASSERT_LT(d, variables.size());
        EXPECT_TRUE(count++ == 0 || d > last);
        last = d;
      }
    }
  }
  const std::vector<std::string> wanted{"ModelExchange",     "CoSimulation",   "UnitDefinitions", "LogCategories",
                                        "DefaultExperiment", "ModelVariables", "ModelStructure"};
  EXPECT_TRUE(order == wanted || order == std::vector<std::string>(wanted.begin() + 1, wanted.end()));
  for (const auto& unit : used_units) EXPECT_TRUE(units.count(unit)) << unit;
  // Which variability and initial a causality may have (tables of section 2.2.7 and 2.4.7.5).
  std::vector<std::size_t> wanted_outputs, wanted_rates, wanted_initial, states;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const Variable& v = variables[i];
    const bool is_real = v.type == "Real" || v.type == "Float64";
    if (v.causality == "independent") {
      EXPECT_TRUE(v.variability == "continuous" && v.initial.empty() && !v.has_start);
    } else if (v.causality == "parameter") {
      EXPECT_TRUE(v.variability == "fixed" || v.variability == "tunable");
      EXPECT_TRUE(v.initial == "exact" && v.has_start) << v.name;
    } else if (v.causality == "input") {
      EXPECT_TRUE(v.initial.empty() && v.has_start) << v.name;
      EXPECT_EQ(v.variability, is_real ? "continuous" : "discrete");
    } else {
      EXPECT_TRUE(v.causality == "output" || v.causality == "local") << v.causality;
      EXPECT_TRUE(v.initial == "calculated" && !v.has_start) << v.name;
      EXPECT_EQ(v.variability, is_real ? "continuous" : "discrete") << v.name;
    }
    if (v.causality == "output") wanted_outputs.push_back(i);
    if (!v.derivative.empty()) {
      wanted_rates.push_back(i);
      const std::size_t state = std::stoul(v.derivative) - (version == 2 ? 1 : 0);
      ASSERT_LT(state, variables.size());
      EXPECT_EQ(variables[state].variability, "continuous");
      EXPECT_EQ(v.name.substr(0, 4), "der(");
      states.push_back(state);
    }
  }
  for (std::size_t i = 0; i < variables.size(); ++i)
    if (variables[i].causality == "output" || !variables[i].derivative.empty() ||
        std::count(states.begin(), states.end(), i))
      wanted_initial.push_back(i);
  EXPECT_EQ(outputs, wanted_outputs);
  EXPECT_EQ(rates, wanted_rates);
  EXPECT_EQ(initial_unknowns, wanted_initial);
  EXPECT_EQ(rates.size(), fmu.model->states());
  if (version == 3) {
    EXPECT_EQ(indicators.size(), fmu.model->indicators());
  }
  if (version == 2) {
    EXPECT_EQ(value(elements[0], "numberOfEventIndicators"), std::to_string(fmu.model->indicators()));
  }
}

TEST(Fmu, DescriptionsKeepTheStandardsRules) {
  for (const int version : {2, 3}) {
    for (const ModelDescription* model : all_models()) {
      check_description(body_fmu(*model, version), version, model->name);
      if (element_laws.count(model->name))
        check_description(describe_fmu(model_text(*model), "axis.model.toml", with(0, version)), version,
                          model->name + " element");
    }
    for (const auto& machine : machine_cases)
      check_description(fmu_of(machine.file, with(0, version)), version, machine.file);
    for (const char* file :
         {"direction_dependent.toml", "load_dependent.toml", "position_dependent.toml", "rotary.toml", "pid_stage.toml",
          "fixed_step.toml", "machines/dual_clutch_controlled.toml", "lugre_start.toml"})
      check_description(fmu_of(file, with(0, version)), version, file);
  }
}

TEST(Fmu, WhatCannotTravelIsRefusedInOneLine) {
  const auto refusal = [](const std::string& text, const FmuOptions& options) -> std::string {
    try {
      export_fmu(text, "axis.toml", options);
    } catch (const Error& problem) {
      return problem.what();
    }
    return "nothing";
  };
  const std::string stick_slip = read_whole(example("stick_slip.toml"));
  EXPECT_NE(refusal(stick_slip, with(2)).find("a machine file has its masses inside"), std::string::npos);
  EXPECT_NE(refusal(stick_slip, with(0, 4)).find("there is no FMI 4; 2 or 3 would do"), std::string::npos);
  FmuOptions nowhere = with(0);
  nowhere.binaries = "/nowhere";
  EXPECT_NE(refusal(stick_slip, nowhere).find("there is no FMU binary in '/nowhere'"), std::string::npos);
  EXPECT_NE(refusal(model_text(find_model("coulomb").description()), with(0)).find("give the mass"), std::string::npos);
}

}  // namespace
}  // namespace stickslip
