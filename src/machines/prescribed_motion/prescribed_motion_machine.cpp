/// A body whose motion is given, as a machine: its file, its run, and how that is shown.
#include <algorithm>
#include <cmath>
#include <memory>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/csv.hpp"
#include "files/input_section.hpp"
#include "files/run_section.hpp"
#include "files/toml_section.hpp"
#include "machines/friction/doubts.hpp"
#include "machines/friction/friction_section.hpp"
#include "machines/machine_kind.hpp"
#include "machines/one_body/one_body_results.hpp"
#include "machines/prescribed_motion/prescribed_motion.hpp"
#include "machines/run_view.hpp"

namespace stickslip::inline machines {
namespace {

constexpr double most_samples = 2e6;
constexpr double first_stretches = 8, held_stretches = 256;  // of a sample interval

struct Scene {
  std::string file, title;
  PrescribedBody body;
  std::unique_ptr<Friction> friction;
  std::vector<std::string> mode_names;
  MotionKind motion = MotionKind::linear;
  SimulationOptions options;
  double tolerance = 1e-6;  // of the largest force
  std::vector<std::string> warnings;
  std::string unit(std::string_view linear) const { return unit_for(motion, linear); }
  /// The load of a transmission about an axis is a torque; the normal force between two surfaces is a force.
  std::string load_unit() const { return std::isfinite(friction->parameter("transmitted_load")) ? unit("N") : "N"; }
};

Scene read_scene(const TomlValue& document, const std::string& file_name) {
  const Section file(document, "", file_name);
  file.knows({"title", "machine", "input", "friction", "load", "pressure", "temperature", "solver", "run"});
  Scene s;
  s.file = file_name;
  if (file.has("title")) s.title = file.text("title", "Friction along a sine");
  const Section machine = needed_section(file, "machine");
  const bool is_rotary = machine.word_or("motion", "motion", {"linear", "rotary"}, "linear") == "rotary";
  s.motion = is_rotary ? MotionKind::rotary : MotionKind::linear;
  s.body.is_rotary = is_rotary;
  const std::string mass = is_rotary ? "inertia" : "mass";
  machine.knows({"kind", "motion", "prescribes", mass, "start"});
  s.body.gives_velocity = machine.word("prescribes", "prescribed quantity", {"position", "velocity"}) == "velocity";
  s.body.mass = machine.positive(mass, s.unit("kg"));
  if (const auto start = machine.inner("start")) {
    if (!s.body.gives_velocity)
      start->fail(start->line(), "the position is prescribed by the input; leave out [machine.start]");
    start->knows({"position"});
    s.body.position = start->quantity_or("position", s.unit("m"), 0);
  }
  ScenarioFriction made = read_friction(needed_section(file, "friction"), s.motion);
  s.friction = std::move(made.friction);
  if (!made.state.empty())
    file.fail(file.inner("friction")->line(), "a prescribed motion starts with undeflected friction; leave out start");
  if (!file.has("input")) throw Error(one_line(file_name) + ": there is no [input]");
  s.body.input = read_input(file, "input", s.unit(s.body.gives_velocity ? "m/s" : "m"), &s.warnings);
  const auto side = [&](const char* key, const std::string& unit, bool is_followed, Signal& signal) {
    if (file.has(key)) {
      signal = read_input(file, key, unit, &s.warnings);
      if (!is_followed) s.warnings.push_back("nothing in [friction] follows [" + std::string(key) + "]");
    } else if (is_followed) {
      file.fail(file.inner("friction")->line(), "[friction] follows the " + std::string(key) + ", but there is no [" +
                                                    key + "]; it is written like [input]");
    }
  };
  side("load", s.load_unit(), made.follows_load, s.body.load);
  side("pressure", "Pa", made.follows_pressure, s.body.pressure);
  side("temperature", "K", made.follows_temperature, s.body.temperature);
  read_run(needed_section(file, "run"), most_samples, s.options);
  refuse_below_absolute_zero(file, s.body.temperature, s.options.start, s.options.end);
  if (const auto solver = file.inner("solver")) {
    solver->knows({"relative_tolerance", "most_steps"});
    if (solver->has("relative_tolerance")) {
      s.tolerance = solver->positive("relative_tolerance", "1");
      if (!(s.tolerance < 1 && s.tolerance >= 1e-12))
        solver->fail(solver->value("relative_tolerance"),
                     "relative_tolerance is " + shortest(s.tolerance) + "; between 1e-12 and 1 can be used");
    }
    s.options.most_steps = solver->count("most_steps").value_or(s.options.most_steps);
  }
  try {
    PrescribedPath(s.body).check(s.options.start, s.options.end);
  } catch (const Error& problem) {
    throw Error(one_line(file_name) + ": [input]: " + problem.what());
  }
  Use use;
  use.mass = s.body.mass;
  for (auto& doubt : doubts_about(*s.friction, use, s.motion)) s.warnings.push_back(std::move(doubt));
  SimulationOptions nothing;
  nothing.end = nothing.start;
  s.mode_names = s.friction->simulate(Body{}, nothing).mode_names;
  return s;
}

struct Found : RunHead {
  Table samples;
  std::vector<PathEventAt> events;
  double friction_work = 0, drive_work = 0, kinetic = 0;
  double estimated = 0, largest = 0;  // error of the force, and the force [N]
};

Table empty_table(const Scene& s) {
  const std::string force = s.motion == MotionKind::rotary ? "torque" : "force";
  Table table{{{"time", "s", {}},
               {"position", s.unit("m"), {}},
               {"velocity", s.unit("m/s"), {}},
               {"drive_" + force, s.unit("N"), {}},
               {"friction_" + force, s.unit("N"), {}},
               {"mode", "", {}}}};
  return table;
}
void add_sample(const Scene& s, double t, const PrescribedSample& x, Table& table) {
  auto& c = table.columns;
  if (c.size() == 6)
    for (std::size_t i = 0; i < x.states.size(); ++i) {
      const auto& declared = s.friction->description().states;
      const StateName name = state_name(i < declared.size() ? declared[i] : "state_" + std::to_string(i + 1), s.motion);
      c.push_back({name.key, name.unit, {}});
    }
  const double values[] = {t, x.position, x.velocity, x.drive, x.friction, static_cast<double>(x.mode)};
  for (std::size_t i = 0; i < 6; ++i) c[i].values.push_back(values[i]);
  for (std::size_t i = 0; i < x.states.size(); ++i) c[6 + i].values.push_back(x.states[i]);
}

/// One walk with so many stretches to a sample interval.
Found walked(const Scene& s, const SimulationOptions& options, double stretches) {
  Found found;
  found.samples = empty_table(s);
  PrescribedWalk walk(s.body, *s.friction, options.start, options.sample_interval / stretches);
  const double count = std::floor((options.end - options.start) / options.sample_interval * (1 + 1e-12));
  for (double k = 0; k <= count; ++k) {
    const double t = std::min(options.end, options.start + k * options.sample_interval);
    walk.advance(t);
    add_sample(s, t, walk.sample(), found.samples);
    if (options.watch && options.watch->cancel.load(std::memory_order_relaxed)) {
      found.stop = Stop::cancelled;
      break;
    }
  }
  if (found.stop == Stop::finished) walk.advance(options.end);
  found.time = walk.time(), found.friction_work = walk.work(), found.drive_work = walk.drive_work();
  found.kinetic = walk.kinetic_change(), found.work.steps = static_cast<std::size_t>(walk.stretches());
  found.events = std::move(walk.events());
  return found;
}

/// Halves the stretches until forces agree.
Found run_scene(const Scene& s, const SimulationOptions& options) {
  double stretches = first_stretches;
  std::size_t steps = 0;
  Found last = walked(s, options, stretches);
  while (last.stop == Stop::finished) {
    steps += last.work.steps;
    if (steps + 2 * last.work.steps > options.most_steps) {
      last.message = "the forces agree to " + with_unit(last.estimated, s.unit("N"), 2) +
                     " only, within the allowed number of steps; use a shorter sample_interval or a larger most_steps";
      last.stop = Stop::too_many_steps;
      break;
    }
    stretches *= 2;
    Found next = walked(s, options, stretches);
    if (next.stop != Stop::finished) return next;
    const auto &a = last.samples.columns[4].values, &b = next.samples.columns[4].values;
    for (std::size_t i = 0; i < b.size(); ++i) {
      next.estimated = std::max(next.estimated, std::fabs(a[i] - b[i]));
      next.largest = std::max(next.largest, std::fabs(b[i]));
    }
    if (!std::isfinite(next.estimated)) {
      next.stop = Stop::not_finite;
      next.message = "a force is not finite";
    }
    last = std::move(next);
    if (last.estimated <= s.tolerance * last.largest) break;
  }
  last.work.steps = steps;
  return last;
}

RunView view_of(const Scene& s, const Found& found) {
  const bool is_rotary = s.motion == MotionKind::rotary;
  const std::string force = is_rotary ? "torque" : "force";
  RunView view;
  std::array<std::size_t, 3> totals{};
  for (const auto& e : found.events) ++totals[static_cast<std::size_t>(e.kind)];
  constexpr std::array<std::string_view, 3> names{"starts", "stops", "reverses"};
  view.summary = Json::object({{"outcome", name_of(found.stop)},
                               {"message", found.message},
                               {"time_reached_s", found.time},
                               {"samples", found.samples.columns[0].values.size()},
                               {"events", counts_summary(names, totals)},
                               {"force_agrees_to", found.estimated},
                               {"energy_J", Json::object({{"work_in", found.drive_work},
                                                          {"kinetic_change", found.kinetic},
                                                          {"friction_work", found.friction_work}})}});
  view.events.quantities = {{"position", s.unit("m")}};
  for (const auto& e : found.events)
    view.events.list.push_back({.time = e.time, .event = std::string(name_of(e.kind)), .values = {e.position}});
  view.figure.title = s.title.empty() ? s.friction->description().title : s.title;
  view.figure.subtitle = s.title.empty() ? "" : s.friction->description().title;
  view.figure.panels = {
      time_panel(found.samples, is_rotary ? "angle" : "position", {{"position", ""}}),
      time_panel(found.samples, is_rotary ? "angular velocity" : "velocity", {{"velocity", ""}}),
      time_panel(found.samples, force, {{"drive_" + force, "needed to drive"}, {"friction_" + force, "friction"}})};
  view.closer_looks = {friction_figure(found.samples, "position", "velocity", "friction_" + force)};
  view.overview = {event_table(count_events(names, totals, found.events), true)};
  return view;
}

/// Held in stretches of a fixed length.
class PrescribedMotionHeld final : public SteppedMotion {
 public:
  PrescribedMotionHeld(const Scene& scene, bool lists_events)
      : scene_(scene),
        lists_events_(lists_events),
        walk_(scene.body, *scene.friction, scene.options.start, scene.options.sample_interval / held_stretches,
              lists_events) {
    const std::string force = scene.motion == MotionKind::rotary ? "torque" : "force";
    inputs_ = {{"input", scene.unit(scene.body.gives_velocity ? "m/s" : "m")},
               {"load", scene.load_unit()},
               {"pressure", "Pa"}};
    if (follows(*scene.friction, Quantity::temperature)) inputs_.push_back({"temperature", "K"});
    outputs_ = {{"position", scene.unit("m")},
                {"velocity", scene.unit("m/s")},
                {"drive_" + force, scene.unit("N")},
                {"friction_" + force, scene.unit("N")},
                {"mode", ""}};
  }
  double time() const override { return walk_.time(); }
  Stop advance(double until) override {
    walk_.advance(until);
    return Stop::finished;
  }
  const std::vector<SignalInfo>& inputs() const override { return inputs_; }
  double input(std::size_t which) const override { return walk_.input(which); }
  void set_input(std::size_t which, double value, double slope) override { walk_.set_input(which, value, slope); }
  const std::vector<SignalInfo>& outputs() const override { return outputs_; }
  void read(std::span<double> values) const override {
    const PrescribedSample s = walk_.sample();
    values[0] = s.position, values[1] = s.velocity, values[2] = s.drive, values[3] = s.friction;
    values[4] = static_cast<double>(s.mode);
  }
  std::string_view mode() const override { return scene_.mode_names[static_cast<std::size_t>(walk_.sample().mode)]; }
  std::vector<MotionEvent> take_events() override {
    std::vector<MotionEvent> taken;
    for (const PathEventAt& e : walk_.events())
      taken.push_back({e.time,
                       e.kind == PathEvent::starts  ? EventKind::release
                       : e.kind == PathEvent::stops ? EventKind::stick
                                                    : EventKind::direction_change,
                       std::string(name_of(e.kind)), std::string(mode())});
    walk_.events().clear();
    return taken;
  }
  std::vector<LedgerRow> ledger() const override {
    return {{"work of the drive", walk_.drive_work()},
            {"change of kinetic energy", walk_.kinetic_change()},
            {"work against friction", walk_.work()},
            {"residual", walk_.drive_work() - walk_.kinetic_change() - walk_.work()}};
  }
  std::unique_ptr<Motion> clone() const override {
    auto copy = std::make_unique<PrescribedMotionHeld>(scene_, lists_events_);
    copy->load(save());
    return copy;
  }
  std::vector<std::byte> save() const override { return walk_.save(); }
  void load(std::span<const std::byte> saved) override { walk_.load(saved); }

 private:
  const Scene& scene_;
  bool lists_events_;
  PrescribedWalk walk_;
  std::vector<SignalInfo> inputs_, outputs_;
};

class Prescribed final : public BuiltMachine {
 public:
  Prescribed(const TomlValue& document, const std::string& file)
      : scene_(std::make_shared<const Scene>(read_scene(document, file))) {
    title = scene_->title;
    subject = "prescribed motion, " + scene_->friction->description().title;
    options = scene_->options;
    warnings = scene_->warnings;
    summary = Json::object({{"scenario", file},
                            {"machine", Json::object({{"kind", "prescribed-motion"}})},
                            {"motion", scene_->motion == MotionKind::rotary ? "rotary" : "linear"},
                            {"friction", friction_summary(*scene_->friction)}});
  }

  MachineRun run(const RunRequest& request) const override {
    const auto found = std::make_shared<const Found>(run_scene(*scene_, with_request(options, request)));
    MachineRun r(*found);
    r.samples = found->samples;
    r.totals = {.events = static_cast<double>(found->events.size()), .work_in = found->drive_work};
    r.totals.friction_work = found->friction_work;
    r.ledger = {{"work of the drive", found->drive_work},
                {"change of kinetic energy", found->kinetic},
                {"work against friction", found->friction_work}};
    if (const std::size_t resting = resting_samples(*found); resting > 0)
      r.warnings.push_back("at rest the friction force cannot be determined from the motion: " +
                           std::to_string(resting) + " samples show 0");
    if (!request.is_watched) return r;
    r.ending = "friction to within " + with_unit(found->estimated, scene_->unit("N"), 2) + " of at most " +
               with_unit(found->largest, scene_->unit("N"), 4) + ", found by halving the steps";
    r.view = [scene = scene_, found] { return view_of(*scene, *found); };
    return r;
  }
  std::unique_ptr<Motion> motion() const override {
    return std::make_unique<PrescribedMotionHeld>(*scene_, options.most_events > 0);
  }

 private:
  std::size_t resting_samples(const Found& found) const {
    if (scene_->friction->description().nature != Nature::sticks) return 0;
    const auto& mode = found.samples.columns[5].values;
    return static_cast<std::size_t>(std::count(mode.begin(), mode.end(), 0.0));
  }

  std::shared_ptr<const Scene> scene_;
};

}  // namespace

const MachineKind& machine_prescribed_motion() {
  static const MachineKind kind{
      .name = "prescribed_motion",
      .words = {"prescribed-motion"},
      .build = [](const TomlValue& document, const std::string& file) -> std::unique_ptr<BuiltMachine> {
        return std::make_unique<Prescribed>(document, file);
      }};
  return kind;
}

}  // namespace stickslip::inline machines
