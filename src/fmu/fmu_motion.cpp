/// The motion of an FMU; see fmu_model.hpp.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/archive.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "fmu/difference_slopes.hpp"
#include "fmu/fmu_document.hpp"
#include "fmu/fmu_model.hpp"

namespace stickslip::inline fmu {
namespace {

constexpr double element_mass = 1e30;  // [kg]
/// Of an element, which no run of the program shows: as fine as rounding allows.
constexpr double element_tolerance = 5e-12;
constexpr double shown_for_zero = 1e-100;  // of an indicator

}  // namespace

FmuMotion::FmuMotion(const FmuModel& model, std::span<const double> parameters, double start, bool lists_events)
    : model_(model) {
  Machine changed = model.machine_;
  std::vector<std::pair<std::string, double>> values;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i] != model.defaults_[i]) values.emplace_back(model.paths_[i], parameters[i]);
  if (!values.empty()) changed.set(values);
  const TomlValue& document = changed.document();
  if (model.is_element()) {
    ScenarioFriction made = element_friction(document, model.content_.file);
    friction_ = std::move(made.friction);
    Body body;
    body.mass = element_mass;
    body.is_rotary = motion_of(document) == MotionKind::rotary;
    body.state = std::move(made.state);
    SimulationOptions options = changed.options();
    options.end = start + (options.end - options.start);
    options.start = start;
    options.sample_interval = 0;
    options.most_events = lists_events ? options.most_events : 0;
    if (options.relative_tolerance <= 0) options.relative_tolerance = element_tolerance;
    motion_ = friction_->motion(body, options);
  } else {
    built_ = changed.kind().build(document, model.content_.file);
    SimulationOptions& options = built_->options;
    options.end = start + (options.end - options.start);
    options.start = start;
    options.sample_interval = 0;
    options.sample_times.clear();
    if (!lists_events) options.most_events = 0;
    motion_ = built_->motion();
    if (motion_->time() != start)
      throw Error(one_line(model.content_.title) + ": it begins at " + shortest(motion_->time()) +
                  " s, where its recording begins; a start time of " + shortest(start) + " s cannot be used");
  }
  columns_.resize(motion_->outputs().size());
  whole_state_.resize(motion_->states().size());
  whole_rates_.resize(motion_->states().size());
  seeds_.resize(motion_->states().size());
  guards_.resize(motion_->indicator_count());
  driven_.resize(motion_->inputs().size());
  for (std::size_t i = 0; i < motion_->states().size() && !model.is_element(); ++i)
    if (motion_->states()[i].name == "velocity") speed_ = i;
  const TomlValue* machine = document.find("machine");
  const TomlValue* kind = machine ? machine->find("kind") : nullptr;
  if (!model.is_element() && kind && changed.kind().name == "one_body") {
    mass_ = std::max(number_of(document, "machine", "mass"), number_of(document, "machine", "inertia"));
    stiffness_ = number_of(document, "machine", kind->text == "pid" ? "proportional" : "stiffness");
    damping_ = number_of(document, "machine", kind->text == "pid" ? "derivative" : "damping");
    integral_ = kind->text == "pid" ? number_of(document, "machine", "integral") : 0;
    is_path_ = kind->text == "pulled-spring" || kind->text == "pid";
    is_sampled_ = kind->text == "position-loop";
  }
}

/// An element's velocity and position are what they were set to; whatever mode that ends, ends now.
void FmuMotion::move_element() const {
  motion_->state(whole_state_);
  whole_state_[1] = velocity_;
  if (model_.follows_position_) whole_state_[0] = position_;
  motion_->set_state(motion_->time(), whole_state_);
}

Stop FmuMotion::advance(double until) {
  if (model_.is_element() && element_moved_) {
    motion_->set_input(0, element_mass * acceleration_);
    move_element();
    motion_->settle();
    move_element();  // a mode may have changed the velocity
    element_moved_ = acceleration_ != 0;
  }
  return motion_->advance(until);
}

void FmuMotion::set_input(std::size_t which, double value, double slope) {
  if (!model_.is_element()) {
    motion_->set_input(which, value, slope);
    driven_[which] = 1;
    return;
  }
  if (!std::isfinite(value) || !std::isfinite(slope))
    throw Error("an input is set to " + shortest(value) + " with slope " + shortest(slope) + "; both must be finite");
  if (which == 1 || which == 2) {
    motion_->set_input(which, value, slope);
  } else if (which == 0) {
    element_moved_ = element_moved_ || velocity_ != value || acceleration_ != slope;
    velocity_ = value;
    acceleration_ = slope;
    if (element_moved_) move_element();
  } else if (which != 3 || !model_.follows_position_) {  // the last one
    motion_->set_input(3, value, slope);
  } else {
    element_moved_ = element_moved_ || position_ != value;
    position_ = value;
    if (element_moved_) move_element();
  }
}

void FmuMotion::read(std::span<double> outputs) const {
  motion_->read(columns_);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& from = model_.outputs_[i];
    outputs[i] = from.times == FmuVariable::none ? columns_[from.column] : columns_[from.column] * columns_[from.times];
  }
}

/// A far end that the importer moves would have to be in the rate of the elongation by its speed, which nobody tells: the state is what the
/// bodies alone stretch.
void FmuMotion::show_far_ends() const {
  for (const auto& f : model_.far_ends_)
    if (driven_[f.input]) whole_state_[f.state] += motion_->input(f.input);
}

void FmuMotion::state(std::span<double> values) const {
  motion_->state(whole_state_);
  show_far_ends();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = whole_state_[model_.shown_[i]];
}

void FmuMotion::set_state(double time, std::span<const double> values) {
  motion_->state(whole_state_);
  for (std::size_t i = 0; i < values.size(); ++i) whole_state_[model_.shown_[i]] = values[i];
  for (const auto& f : model_.far_ends_)
    if (driven_[f.input]) whole_state_[f.state] -= motion_->input(f.input);
  if (model_.is_element()) {
    whole_state_[1] = velocity_;
    if (model_.follows_position_) whole_state_[0] = position_;
  }
  motion_->set_state(time, whole_state_);
}

void FmuMotion::rates(std::span<double> values) const {
  motion_->rates(whole_rates_);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = whole_rates_[model_.shown_[i]];
}

/// Zero holds a mode too, and is shown as a positive number: an integrator outside counts zero as crossed. Not as the smallest one: root
/// finders multiply two indicators to compare their signs, and a product that underflows has none.
void FmuMotion::indicators(std::span<double> values) const {
  motion_->indicators(guards_);
  if (speed_ != FmuVariable::none) {
    // A guard that is the speed in its direction: errors of an outside integrator are far beyond rounding where a speed has just begun to
    // grow, and a body that gains speed goes on (MechanismSystem::slip_guard is the same for joints).
    motion_->state(whole_state_);
    motion_->rates(whole_rates_);
    const double speed = whole_state_[speed_], rate = whole_rates_[speed_];
    for (double& guard : guards_)
      if (std::fabs(guard) == std::fabs(speed) && guard <= 0 && speed != 0)
        guard = std::max(guard, guard == speed ? rate : -rate);
  }
  std::fill(values.begin(), values.end(), 1.0);
  for (std::size_t i = 0; i < guards_.size() && !values.empty(); ++i) {
    const double guard = guards_[i] == 0 ? shown_for_zero : guards_[i];
    double& value = values[std::min(i, values.size() - 1)];
    value = i < values.size() ? guard : std::min(value, guard);
  }
}

bool FmuMotion::settle() {
  if (!model_.is_element()) return motion_->settle();
  move_element();
  const bool changed = motion_->settle();
  move_element();
  return changed;
}

bool FmuMotion::slopes(std::span<const double> states, std::span<const double> inputs, std::span<double> rates,
                       std::span<double> outputs) {
  if (!model_.has_exact_slopes_) {
    if (model_.can_be_integrated()) differences(states, inputs, rates, outputs);
    return model_.can_be_integrated();
  }
  const bool is_element = model_.is_element();
  std::fill(seeds_.begin(), seeds_.end(), 0.0);
  for (std::size_t i = 0; i < states.size(); ++i) seeds_[model_.shown_[i]] = states[i];
  std::array<double, 4> by_inputs{};  // of one body: drive, load, pressure, temperature
  for (std::size_t i = 0; i < inputs.size() && i < by_inputs.size(); ++i) by_inputs[i] = inputs[i];
  if (is_element) {
    seeds_[1] = inputs[0];
    by_inputs = {0, inputs[1], inputs[2], model_.follows_temperature_ ? inputs.back() : 0};
    if (model_.follows_position_) seeds_[0] = inputs[3];
  }
  if (!motion_->slopes(seeds_, by_inputs, whole_rates_)) return false;
  const double acceleration = whole_rates_[1];
  for (std::size_t i = 0; i < rates.size(); ++i) rates[i] = whole_rates_[model_.shown_[i]];
  // u = input + k (target − x) − c v − k_I q;  F = u − m dv/dt, whatever the law.
  const double applied = is_element || is_sampled_
                             ? 0
                             : (is_path_ ? stiffness_ : 1) * by_inputs[0] - stiffness_ * seeds_[0] -
                                   damping_ * seeds_[1] - integral_ * seeds_[2];
  const double force = is_element ? -element_mass * acceleration : applied - mass_ * acceleration;
  motion_->read(columns_);
  const auto slope_of = [&](std::size_t column) {
    const std::string& name = motion_->outputs()[column].name;
    if (column == 0) return seeds_[0];
    if (column == 1) return seeds_[1];
    if (column == 2) return applied;
    if (column == 3) return force;
    if (name == "mode") return 0.0;
    return seeds_[3 + (column - 5)];
  };
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& from = model_.outputs_[i];
    outputs[i] = slope_of(from.column);
    if (from.times != FmuVariable::none)
      outputs[i] = outputs[i] * columns_[from.times] + columns_[from.column] * slope_of(from.times);
  }
  return true;
}

/// In the mode that holds; the motion is left as it was.
void FmuMotion::differences(std::span<const double> states, std::span<const double> inputs, std::span<double> rates,
                            std::span<double> outputs) {
  const auto saved = motion_->save();
  std::vector<double> here(states.size()), there(states.size()), at(inputs.size()),
      found(rates.size() + outputs.size());
  state(here);
  for (std::size_t i = 0; i < at.size(); ++i) at[i] = motion_->input(i);
  double along = 0;  // of the change, in sizes of what changes
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto& sizes = model_.content_.nominal;
    along = std::max(
        along, std::fabs(states[i]) / std::max(std::fabs(here[i]), i < sizes.size() && sizes[i] > 0 ? sizes[i] : 1));
  }
  for (std::size_t i = 0; i < inputs.size(); ++i)
    along = std::max(along, std::fabs(inputs[i]) / std::max(std::fabs(at[i]), 1e-3));
  const auto look = [&](double h, std::span<double> values) {
    for (std::size_t i = 0; i < there.size(); ++i) there[i] = here[i] + h * states[i];
    set_state(motion_->time(), there);  // first: from here on an input changes no mode
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i] != 0) motion_->set_input(i, at[i] + h * inputs[i]);
    this->rates(values.first(rates.size()));
    read(values.subspan(rates.size()));
  };
  constexpr double longest = 1e-2;  // of the size
  if (along > 0) difference_slopes(look, longest / along, found);
  motion_->load(saved);
  std::copy_n(found.begin(), rates.size(), rates.begin());
  std::copy(found.begin() + static_cast<std::ptrdiff_t>(rates.size()), found.end(), outputs.begin());
}

std::vector<std::byte> FmuMotion::save() const {
  ArchiveWriter archive;
  double given[3] = {velocity_, acceleration_, position_};
  bool moved = element_moved_;
  std::vector<std::byte> motion = motion_->save();
  std::vector<char> driven = driven_;
  archive(given, moved, driven, motion);
  return archive.take();
}

void FmuMotion::load(std::span<const std::byte> saved) {
  ArchiveReader archive(saved);
  double given[3] = {};
  std::vector<std::byte> motion;
  archive(given, element_moved_, driven_, motion);
  velocity_ = given[0], acceleration_ = given[1], position_ = given[2];
  motion_->load(motion);
}

void FmuMotion::continue_from(const FmuMotion& before) {
  motion_->load(before.motion_->save());
  motion_->state(whole_state_);
  motion_->set_state(motion_->time(), whole_state_);  // a step in flight was taken with the old parameters
  motion_->settle();
  velocity_ = before.velocity_, acceleration_ = before.acceleration_, position_ = before.position_;
  driven_ = before.driven_;
  element_moved_ = true;
}

}  // namespace stickslip::inline fmu
