/// FMUs are driven here as a tool would, through the binary and FMI's functions (importer.hpp), and compared with runs of the library.
#include "fmu/fmu_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "core/error.hpp"
#include "core/text.hpp"
#include "fmus.hpp"
#include "machines/one_body/one_body_results.hpp"
#include "machines/run_view.hpp"

namespace stickslip::fmu_model_test {
namespace {

using namespace importing;

class EveryModel : public ::testing::TestWithParam<const ModelDescription*> {};
INSTANTIATE_TEST_SUITE_P(Fmu, EveryModel, ::testing::ValuesIn(all_models()), [](const auto& which) {
  std::string name = which.param->name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

/// Outputs of an FMU beside the columns of a run: the largest difference of each, relative to its range.
class Beside {
 public:
  /// Every output must be a column of the run, but for the friction's power, which is made of two.
  /// Of a machine in steps of its own, what it gives (duty, torques) is that of the step that ended, in the run's sample before.
  Beside(const Unpacked& fmu, const Table& samples, bool is_stepped = false)
      : samples_(samples), is_stepped_(is_stepped) {
    for (const FmuVariable& v : fmu.fmu.model->variables()) {
      if (v.role != FmuRole::output) continue;
      if (v.name == "friction_power") {
        const Column* force = find_column(samples, "friction_force");
        const Column* velocity = find_column(samples, "velocity");
        Column power{v.name, "W", (force ? force : find_column(samples, "friction_torque"))->values};
        for (std::size_t i = 0; i < power.values.size(); ++i) power.values[i] *= velocity->values[i];
        columns_.push_back({power, v.type, fmu.reference(v.name)});
      } else if (const Column* column = find_column(samples, v.name)) {
        columns_.push_back({*column, v.type, fmu.reference(v.name)});
      } else {
        ADD_FAILURE() << "the run has no column " << v.name;
      }
    }
    EXPECT_FALSE(columns_.empty());
  }

  void look(Imported& one, std::size_t sample) {
    for (Seen& c : columns_) {
      const double shown = c.type == FmuType::integer ? one.whole(c.column.name) : one.get(c.reference);
      const bool is_given = is_stepped_ && find_column(samples_, "duty") &&
                            (c.column.name == "duty" || c.column.name.ends_with("_torque"));
      const double away = std::fabs(shown - c.column.values[is_given ? sample - 1 : sample]);
      if (!(away <= c.worst)) c.worst = away, c.where = samples_.columns[0].values[sample];
    }
  }
  /// Modes are compared as numbers; a column without a range, by its size.
  void expect_within(double share, const std::string& what) const {
    for (const Seen& c : columns_) {
      const auto [low, high] = std::minmax_element(c.column.values.begin(), c.column.values.end());
      const double size = std::max(std::fabs(*low), std::fabs(*high));
      const double range = *high - *low > 1e-12 * size ? *high - *low : size;
      EXPECT_LE(c.worst, c.type == FmuType::integer ? 0 : share * range)
          << what << ": " << c.column.name << " with a range of " << range << ", at " << c.where << " s";
    }
  }

 private:
  struct Seen {
    Column column;
    FmuType type;
    importing::Reference reference;
    double worst = 0, where = 0;
  };
  const Table& samples_;
  bool is_stepped_;
  std::vector<Seen> columns_;
};

/// Just before the ends of steps, where a held force jumps and friction at rest with it: an importer that has not yet set the next force sees
/// this side of it.
std::vector<double> before_the_ends(double h, int steps) {
  constexpr double just = 1e-13;  // [s]
  std::vector<double> times{0};
  for (int k = 1; k <= steps; ++k) times.push_back(k * h - just);
  return times;
}

// Run and FMU have the usual tolerance: a run ends its steps where its input breaks, and so does an FMU whose input is set.
TEST_P(EveryModel, BodyInCoSimulationShowsWhatSimulateShows) {
  constexpr double h = 0.01;
  constexpr int steps = 100;
  const auto friction = reference_friction(*GetParam());
  Body body;
  body.drive.input = held_force(h, steps);
  SimulationOptions options;
  options.end = body_fmu(*GetParam()).model->options().end;
  options.sample_times = before_the_ends(h, steps);
  const stickslip::Run run = friction->simulate(body, options);
  ASSERT_EQ(run.samples.position.size(), steps + 1u);
  const Table samples = samples_table(run, MotionKind::linear);
  for (const int version : {2, 3}) {
    const Unpacked fmu(body_fmu(*GetParam(), version));
    Imported one(fmu, Interface::co_simulation, version);
    ASSERT_NE(one.instance, nullptr) << importing::last_message();
    one.begin();
    Beside beside(fmu, samples);
    for (int k = 0; k < steps; ++k) {
      one.set("input", force_at(k * h));
      one.step(k * h, (k + 1) * h - k * h);
      beside.look(one, static_cast<std::size_t>(k) + 1);
    }
    beside.expect_within(1e-9, "FMI " + std::to_string(version));
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
  constexpr int parts = 256;  // the stepper's own error is that of its step
  std::vector<double> expected(steps);
  for (int k = 0; k < steps; ++k)
    for (int part = 0; part < parts; ++part)
      expected[static_cast<std::size_t>(k)] = stepper->follow(velocity(k), h / parts);
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
    EXPECT_LE(worst, 1e-9 * (*high - *low)) << "FMI " << version;
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

// Forces and modes jump at events, and files put their inputs' breaks at round instants, where a run and its FMU may show two sides. So the
// samples lie at odd instants. Under the file's own tolerance: a machine that a run steps has the same steps in its FMU, one that a run
// finds in series is stepped finely enough. A machine in steps of its own has no other samples; a prescribed motion halves its steps in
// a run until they agree, and cannot in pieces.
TEST_P(EveryMachine, CoSimulationShowsWhatSimulateShows) {
  const auto [file, until, h] = GetParam();
  Machine machine = read_machine(example(file));
  const bool is_stepped = machine.motion()->indicator_count() == 0;
  const double interval = is_stepped ? machine.options().sample_interval : 0.97137 * h;
  machine.set("run.sample_interval", interval);
  const MachineRun run = machine.run();
  const auto& times = run.samples.columns[0].values;
  const auto stride = is_stepped ? static_cast<std::size_t>(std::lround(h / interval)) : 1;
  for (const int version : {2, 3}) {
    const Unpacked fmu(fmu_of(file, with(0, version)));
    Imported one(fmu, Interface::co_simulation, version);
    ASSERT_NE(one.instance, nullptr) << importing::last_message();
    one.begin();
    Beside beside(fmu, run.samples, is_stepped);
    for (std::size_t k = stride; k < times.size() && times[k] <= until; k += stride) {
      one.step(times[k - stride], times[k] - times[k - stride]);
      beside.look(one, k);
    }
    const double share = machine.kind().name == "prescribed_motion" ? 1e-6 : 1e-9;
    beside.expect_within(share, "FMI " + std::to_string(version));
  }
}

/// The text with the signal from `begin` to `end` replaced by steps of an input that is held over h.
std::string with_steps(std::string text, const std::string& begin, const std::string& end, bool is_inline, double h,
                       int steps, const std::string& unit, double (*value)(double)) {
  std::string points;
  for (int k = 0; k < steps; ++k)
    points += (k ? ", " : "") + std::string("[\"") + shortest(k * h) + " s\", \"" + shortest(value(k * h)) + " " +
              unit + "\"]";
  const std::string lines = is_inline ? "{ kind = \"steps\", points = [" + points + "] }\n"
                                      : "kind = \"steps\"\npoints = [" + points + "]\n\n";
  const auto from = text.find(begin) + begin.size(), to = text.find(end, from);
  return text.replace(from, to - from, lines);
}

// A tool that sets an input before every step: the same numbers as a run of a file whose input has these steps.
TEST(Fmu, MachinesDrivenFromOutsideShowWhatSimulateShows) {
  constexpr int steps = 150;
  const auto compare = [](const std::string& file, const std::string& usual, const std::string& stepped,
                          const std::string& input, double h, double (*value)(double)) {
    const Machine machine = parse_machine_text(stepped, example(file));
    const auto built = machine.kind().build(machine.document(), example(file));
    built->options.sample_interval = 0;
    built->options.sample_times = before_the_ends(h, steps);
    const MachineRun run = built->run({});
    FmuOptions options = with(0);
    options.inputs_from_file = false;
    const Unpacked fmu(describe_fmu(usual, example(file), options));
    Imported one(fmu, Interface::co_simulation, 2);
    one.begin();
    Beside beside(fmu, run.samples);
    for (int k = 0; k < steps; ++k) {
      one.set(input, value(k * h));
      one.step(k * h, (k + 1) * h - k * h);
      beside.look(one, static_cast<std::size_t>(k) + 1);
    }
    beside.expect_within(1e-9, file);
  };
  const std::string cylinder = "machines/hydraulic_cylinder.toml", pair = "machines/pulled_pair.toml";
  constexpr auto current = [](double t) { return 2e-3 * std::sin(7 * t) * (1 + 0.2 * std::sin(19 * t)); };
  constexpr auto far_end = [](double t) { return 0.1 * t + 0.3 * std::sin(0.9 * t); };
  const std::string cylinder_text = read_whole(example(cylinder)), pair_text = read_whole(example(pair));
  compare(cylinder, cylinder_text,
          with_steps(cylinder_text, "# current of the valve\n", "[friction]", false, 0.01, steps, "A", current),
          "current", 0.01, current);
  compare(pair, pair_text, with_steps(pair_text, "far_end = ", "\n[[spring]]", true, 0.1, steps, "m", far_end),
          "spring[pull].far_end", 0.1, far_end);
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

/// One mode that changes: when, of what, to what.
struct ModeChange {
  double time;
  std::string output;
  double mode;
};
/// The modes that a run's samples show, each change placed at the run's located event between the two samples.
std::vector<ModeChange> mode_changes(const MachineRun& run, const std::vector<std::string>& outputs) {
  const auto& times = run.samples.columns[0].values;
  const RunEvents events = run.view().events;
  std::vector<ModeChange> changes;
  for (const std::string& name : outputs) {
    const Column* column = find_column(run.samples, name);
    for (std::size_t k = 1; k < times.size(); ++k) {
      if (column->values[k] == column->values[k - 1]) continue;
      double located = std::nan("");
      for (const RunEvent& e : events.list)
        if (e.time >= times[k - 1] - 1e-9 && e.time <= times[k] + 1e-9) located = e.time;
      changes.push_back({located, name, column->values[k]});
    }
  }
  return changes;
}

// The integrator's error is that of its fixed step; locks and releases are those of the run.
TEST_P(EveryMachine, IntegratorOutsideArrivesWhereTheRunDoesWithTheSameEvents) {
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
  std::vector<std::string> modes;
  for (const FmuVariable& v : fmu.fmu.model->variables())
    if (v.role == FmuRole::output && v.type == FmuType::integer) modes.push_back(v.name);
  Imported one(fmu, Interface::model_exchange, 2);
  one.begin();
  std::map<std::string, int> now;
  std::vector<ModeChange> changes;
  const auto look = [&](double t) {
    for (const std::string& mode : modes) {
      const int shown = one.whole(mode);
      if (const auto before = now.find(mode); before != now.end() && before->second != shown)
        changes.push_back({t, mode, double(shown)});
      now[mode] = shown;
    }
  };
  integrate(
      one, fmu.fmu.model->states(), fmu.fmu.model->indicators(), {}, until, 2e-4, [](double, const double*, double*) {},
      [&](double, const double*) {
        if (now.empty()) look(0);
      },
      look);
  EXPECT_NEAR(one.get(name), column->values.back(), 1e-5 * (*high - *low));
  const auto expected = mode_changes(run, modes);
  std::stable_sort(changes.begin(), changes.end(), [&](const ModeChange& x, const ModeChange& y) {
    return std::find(modes.begin(), modes.end(), x.output) < std::find(modes.begin(), modes.end(), y.output);
  });
  RecordProperty("events", std::to_string(changes.size()));
  ASSERT_EQ(changes.size(), expected.size());
  for (std::size_t i = 0; i < changes.size(); ++i) {
    EXPECT_EQ(changes[i].output, expected[i].output) << i;
    EXPECT_EQ(changes[i].mode, expected[i].mode) << changes[i].output << " at " << changes[i].time << " s";
    EXPECT_NEAR(changes[i].time, expected[i].time, 1e-5) << changes[i].output;
  }
}

// A solver with long steps tries points far beyond the mode before it looks at the indicators: CVODE gives up at one that is no number.
TEST_P(EveryMachine, TrialPointsFarBeyondTheModeHaveRates) {
  const Unpacked fmu(fmu_of(GetParam().file, with(0)));
  const std::size_t states = fmu.fmu.model->states();
  if (states == 0) return;
  Imported one(fmu, Interface::model_exchange, 2);
  one.begin();
  std::vector<double> here(states), tried(states), rates(states);
  int calls = 0, looked = 0;
  const auto look_around = [&](double t, const double*, double*) {
    if (calls++ % 7 != 0) return;  // every stage of the Runge-Kutta steps in turn
    one.get_states(here);
    for (std::size_t i = 0; i < states; ++i)
      // Not 1: new-modified-lugre at rest has the level 0 where its film is exactly 1 thick.
      for (const double away : {-30.0, -1.1, -1e-3, 1e-3, 1.1, 30.0}) {
        tried = here;
        tried[i] += away;
        one.set_states(tried);
        one.get_rates(rates);
        ++looked;
        ASSERT_TRUE(std::all_of(rates.begin(), rates.end(), [](double r) { return std::isfinite(r); }))
            << "state " << i << " moved by " << away << " at " << t << " s";
      }
    one.set_states(here);
  };
  integrate(
      one, states, fmu.fmu.model->indicators(), {}, GetParam().until / 4, GetParam().h / 40, look_around,
      [](double, const double*) {}, [](double) {});
  EXPECT_GT(looked, 100);
}

}  // namespace
}  // namespace stickslip::fmu_model_test
