/// See fmu_rerun.hpp.
#include "fmu/fmu_rerun.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "core/units.hpp"
#include "machines/friction/model_file.hpp"
#include "machines/friction/steady_curve.hpp"
#include "machines/one_body/one_body_results.hpp"

namespace stickslip::inline fmu {
namespace {

constexpr std::size_t steps = 200;
constexpr std::size_t most_steps_of_a_run = 1'000'000;
constexpr double most_own_steps = 20'000;
constexpr double odd = 0.97137;  // samples a little closer than the step miss the round instants of files

/// The FMU as its binary has it: from the text of its resources.
struct ReadBack {
  explicit ReadBack(const FmuFile& fmu) : model(parse_content(fmu.resource)), outputs(model.outputs()) {
    std::vector<double> parameters(model.parameters());
    for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i] = model.parameter(i);
    motion = model.motion(parameters, model.options().start, false);
    motion->settle();
  }
  FmuModel model;
  std::unique_ptr<FmuMotion> motion;
  std::vector<double> outputs;
};

/// Keeps the largest difference of each output from the run's column of the same name.
class Differences {
 public:
  /// What a machine in steps of its own gives (duty, torques) is that of the step that ended, in the run's sample before.
  Differences(const FmuModel& model, const Table& samples, bool has_own_steps = false)
      : time_(samples.columns[0].values) {
    const auto column = [&](std::string_view name) -> const std::vector<double>* {
      for (const Column& c : samples.columns)
        if (c.name == name) return &c.values;
      return nullptr;
    };
    for (const FmuVariable& v : model.variables()) {
      if (v.role != FmuRole::output) continue;
      const std::string& name = v.whole_name;
      if (const auto* values = column(name)) {
        const bool is_given = has_own_steps && column("duty") && (name == "duty" || name.ends_with("_torque"));
        compared_.push_back({v.name, v.index, *values, is_given ? std::size_t{1} : 0});
      } else if (name == "friction_power") {
        const auto *force = column("friction_force"), *torque = column("friction_torque"), *speed = column("velocity");
        if (!(force || torque) || !speed) continue;
        std::vector<double> power = force ? *force : *torque;
        for (std::size_t i = 0; i < power.size(); ++i) power[i] *= (*speed)[i];
        compared_.push_back({v.name, v.index, std::move(power), 0});
      }
    }
  }
  void look(const std::vector<double>& outputs, std::size_t sample) {
    for (Compared& c : compared_) {
      const double away = std::fabs(outputs[c.index] - c.expected[sample - c.before]);
      if (!(away <= c.worst)) c.worst = away, c.at = time_[sample];
    }
  }
  void fill(FmuRerun& found) const {
    found.outputs = compared_.size();
    for (const Compared& c : compared_) {
      const auto [low, high] = std::minmax_element(c.expected.begin(), c.expected.end());
      const double size = std::max(std::fabs(*low), std::fabs(*high));
      const double range = *high - *low > 1e-12 * size ? *high - *low : size;
      const double apart = c.worst == 0 ? 0 : c.worst / range;
      if (!(apart <= found.apart)) found.apart = apart, found.output = c.name, found.time = c.at;
    }
  }

 private:
  struct Compared {
    std::string name;
    std::size_t index;
    std::vector<double> expected;
    std::size_t before;
    double worst = 0, at = 0;
  };
  const std::vector<double>& time_;
  std::vector<Compared> compared_;
};

FmuRerun machine_rerun(ReadBack& fmu, std::string_view text, const std::string& file) {
  Machine machine = parse_machine_text(text, file);
  const double start = machine.options().start, span = machine.options().end - start;
  const bool has_own_steps = machine.motion()->indicator_count() == 0;
  if (!has_own_steps) machine.set("run.sample_interval", odd * span / steps);
  RunRequest request;
  request.most_steps = most_steps_of_a_run;
  // A run that ends earlier has other first steps, and differs by its tolerance: only a very long one is cut.
  if (has_own_steps) request.until = start + std::min(span, most_own_steps * machine.options().sample_interval);
  const MachineRun run = machine.run(request);
  const auto& times = run.samples.columns[0].values;
  Differences differences(fmu.model, run.samples, has_own_steps);
  FmuRerun found;
  for (std::size_t k = 1; k < times.size(); ++k) {
    if (fmu.motion->advance(times[k]) != Stop::finished) break;
    fmu.motion->read(fmu.outputs);
    differences.look(fmu.outputs, k);
    ++found.steps;
    found.duration = times[k] - times[0];
  }
  differences.fill(found);
  return found;
}

/// To and fro, never the same twice, between -1 and 1.
double swing(std::size_t k) {
  const double s = static_cast<double>(k);
  return std::sin(0.19 * s) * (0.7 + 0.3 * std::sin(0.11 * s));
}

FmuRerun body_rerun(ReadBack& fmu, const ModelFile& model, double mass) {
  const auto friction = make_friction(model.model, model.settings);
  double level = 0;
  for (const double speed : {1e-3, 1e-2, -1e-2})
    level = std::max(level, std::fabs(steady_force(*friction, speed, {.travel = 0.01}).force));
  constexpr double h = 0.005;
  const auto force = [&](std::size_t k) { return 2 * (level > 0 ? level : 1) * swing(k); };
  std::vector<double> times, values;
  for (std::size_t k = 0; k < steps; ++k) {
    if (k > 0) times.push_back(h * static_cast<double>(k)), values.push_back(force(k - 1));
    times.push_back(h * static_cast<double>(k)), values.push_back(force(k));
  }
  Body body;
  body.mass = mass;
  body.is_rotary = model.motion == MotionKind::rotary;
  body.drive.input = Signal::table(times, values);
  SimulationOptions options;
  options.end = fmu.model.options().end;
  constexpr double just = 1e-13;  // before the force jumps, and friction at rest with it [s]
  for (std::size_t k = 0; k <= steps; ++k)
    options.sample_times.push_back(h * static_cast<double>(k) - (k > 0 ? just : 0));
  options.most_steps = most_steps_of_a_run;
  const Run run = friction->simulate(body, options);
  const Table samples = samples_table(run, model.motion);
  Differences differences(fmu.model, samples);
  FmuRerun found;
  for (std::size_t k = 0; k < std::min(steps, samples.columns[0].values.size() - 1); ++k) {
    fmu.motion->set_input(0, force(k), 0);
    if (fmu.motion->advance(h * static_cast<double>(k + 1)) != Stop::finished) break;
    fmu.motion->read(fmu.outputs);
    differences.look(fmu.outputs, k + 1);
    ++found.steps;
    found.duration = h * static_cast<double>(k + 1);
  }
  differences.fill(found);
  return found;
}

FmuRerun element_rerun(ReadBack& fmu, const ModelFile& model) {
  constexpr double h = 1.0371e-3;  // no sample of a sampled law falls on a step
  const auto friction = make_friction(model.model, model.settings);
  const auto stepper = friction->fixed_stepper(1, 0, 0);
  const std::string name = model.motion == MotionKind::rotary ? "friction_torque" : "friction_force";
  Table samples{{{"time", "s", {}}, {name, "", {}}, {"velocity", "", {}}}};
  const auto speed = [](std::size_t k) { return 0.02 * swing(k) * std::fabs(swing(3 * k)); };
  for (std::size_t k = 0; k < steps; ++k) {
    samples.columns[0].values.push_back(h * static_cast<double>(k + 1));
    samples.columns[1].values.push_back(stepper->follow(speed(k), h));
    samples.columns[2].values.push_back(speed(k));
  }
  Differences differences(fmu.model, samples);
  FmuRerun found;
  for (std::size_t k = 0; k < steps; ++k) {
    fmu.motion->set_input(0, speed(k), 0);
    if (fmu.motion->advance(samples.columns[0].values[k]) != Stop::finished) break;
    fmu.motion->read(fmu.outputs);
    differences.look(fmu.outputs, k);
    ++found.steps;
    found.duration = samples.columns[0].values[k];
  }
  differences.fill(found);
  return found;
}

}  // namespace

FmuRerun rerun_fmu(const FmuFile& fmu, std::string_view text, const std::string& file) {
  ReadBack read(fmu);
  if (!is_model_file(text, file)) return machine_rerun(read, text, file);
  const ModelFile model = parse_model_file(text, file);
  return read.model.is_element() ? element_rerun(read, model) : body_rerun(read, model, fmu.mass);
}

std::string words_for(const FmuRerun& r) {
  return "run here in " + std::to_string(r.steps) + " steps of Co-Simulation over " + with_unit(r.duration, "s", 3) +
         ": " + std::to_string(r.outputs) + " outputs within " + significant(r.apart, 2) +
         " of their ranges of `simulate`";
}

}  // namespace stickslip::inline fmu
