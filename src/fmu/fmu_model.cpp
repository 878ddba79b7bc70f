/// What an FMU computes; see fmu_model.hpp.
#include "fmu/fmu_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/archive.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/toml_path.hpp"
#include "fmu/difference_slopes.hpp"
#include "machines/friction/friction_section.hpp"

namespace stickslip {
namespace {

using Kind = TomlValue::Kind;
constexpr std::size_t none = FmuVariable::none;
constexpr double element_mass = 1e30;  // [kg]
/// Of an element, which no run of the program shows: as fine as rounding allows.
constexpr double element_tolerance = 5e-12;
constexpr double shown_for_zero = 1e-100;  // of an indicator
constexpr std::array<std::string_view, 7> signal_kinds{"constant", "ramp", "sine", "chirp", "steps", "table", "file"};

bool is_signal(const TomlValue& table) {
  const TomlValue* kind = table.kind == Kind::table ? table.find("kind") : nullptr;
  return kind && kind->kind == Kind::text &&
         std::find(signal_kinds.begin(), signal_kinds.end(), kind->text) != signal_kinds.end();
}

/// The paths of all numbers inside signals: what an input does over time is fixed before a run.
void collect_signal_paths(const TomlValue& value, const std::string& path, bool inside, std::vector<std::string>& out) {
  inside = inside || is_signal(value);
  if (value.kind == Kind::quantity && inside) out.push_back(path);
  for (const TomlMember& member : value.members)
    collect_signal_paths(member.value, path.empty() ? member.key : path + "." + member.key, inside, out);
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    const TomlValue* name = value.items[i].find("name");
    collect_signal_paths(value.items[i], path + "[" + (name ? name->text : std::to_string(i + 1)) + "]", inside, out);
  }
}

MotionKind motion_of(const TomlValue& document) {
  const TomlValue* machine = document.find("machine");
  const TomlValue* motion = machine ? machine->find("motion") : nullptr;
  return motion && motion->text == "rotary" ? MotionKind::rotary : MotionKind::linear;
}

ScenarioFriction element_friction(const TomlValue& document, const std::string& file) {
  const Section whole(document, "", file);
  const auto section = whole.inner("friction");
  if (!section) throw Error(file + ": there is no [friction]");
  return read_friction(*section, motion_of(document));
}

bool is_whole_column(const std::string& name) {
  return name == "mode" || name == "motion" || name == "mesh" || name == "stuck" || name.ends_with("_motion");
}

/// "position" -> "position of ..." is left to the name; what a name does not say is said here.
std::string words_for(const std::string& name) {
  std::string words = name;
  for (char& c : words)
    if (c == '_') c = ' ';
  if (name == "mode") return "mode of the friction law; 0 is the first";
  if (name == "stuck") return "1 at rest, else 0";
  if (name.ends_with("_motion")) return words.substr(0, words.size() - 7) + ": 0 stuck, 1 slips forward, -1 backward";
  if (name == "friction_force" || name == "friction_torque") return words + ", positive against positive velocity";
  return words;
}

/// The parameter row of a path like "friction.backward.coulomb_force" or "brake[a].friction.thresholds[2]", if it is one of a law.
const ParameterDescription* row_of(const TomlValue& document, const std::string& path, const std::string& file) {
  const auto at = path.rfind("friction.");
  if (at == std::string::npos || (at > 0 && path[at - 1] != '.')) return nullptr;
  std::string key = path.substr(at + 9);
  if (key.starts_with("backward.")) key = key.substr(9);
  key = key.substr(0, key.find('['));
  const TomlValue& table = value_at(document, path.substr(0, at + 8), file);
  const TomlValue* model = table.find("model");
  if (!model) return nullptr;
  for (const RegisteredModel* known : registered_models())
    if (known->description().name == model->text)
      for (const ParameterDescription& row : known->description().parameters)
        if (row.key == key) return &row;
  return nullptr;
}

double number_of(const TomlValue& document, std::string_view table, std::string_view key) {
  const TomlValue* inner = document.find(table);
  const TomlValue* value = inner ? inner->find(key) : nullptr;
  return value && (value->kind == Kind::quantity || value->kind == Kind::number) ? value->number : 0;
}

/// Names stay below the limit: the beginning is kept, and a number that makes the name unique.
std::string short_name(std::string name, const std::vector<FmuVariable>& others) {
  const auto is_taken = [&](const std::string& wanted) {
    return std::any_of(others.begin(), others.end(), [&](const auto& v) { return v.name == wanted; });
  };
  for (char& c : name)
    if (static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\') c = '_';
  // A derivative is named der(state); of a long state name the inside is cut.
  if (name.size() <= longest_fmu_name && !is_taken(name)) return name;
  const bool is_rate = name.starts_with("der(") && name.ends_with(")");
  for (std::size_t number = 2;; ++number) {
    const std::string tail = "~" + std::to_string(number) + (is_rate ? ")" : "");
    std::size_t keep = std::min(name.size() - (is_rate ? 1 : 0), longest_fmu_name - tail.size());
    while (keep > 0 && (static_cast<unsigned char>(name[keep]) & 0xc0) == 0x80) --keep;  // whole UTF-8 characters
    const std::string made = name.substr(0, keep) + tail;
    if (!is_taken(made)) return made;
  }
}

}  // namespace

// ---- the variables --------------------------------------------------------------------------------------------------

FmuModel::FmuModel(FmuContent content) : content_(std::move(content)), machine_(content_.document, content_.file) {
  if (is_element()) {
    const ScenarioFriction made = element_friction(machine_.document(), content_.file);
    for (const auto& v : made.friction->settings().variations)
      follows_position_ = follows_position_ || v.over == Quantity::position;
  }
  add({.role = FmuRole::time, .name = "time", .unit = "s", .description = "time"});
  add_parameters();
  const std::unique_ptr<Motion> motion = machine_.motion();
  add_inputs(*motion);
  add_outputs_and_states(*motion);
  find_slopes(*motion);
}

void FmuModel::add(FmuVariable variable) {
  if (variable.whole_name.empty()) variable.whole_name = variable.name;
  variable.name = short_name(std::move(variable.name), variables_);
  if (variable.name != variable.whole_name && variable.role != FmuRole::rate &&
      variable.description.find(variable.whole_name) == std::string::npos)
    variable.description += "; whole name " + variable.whole_name;
  if (variable.type == FmuType::real && variable.role != FmuRole::time) {
    const double largest = std::isnan(variable.high) ? magnitude_of(variable.unit).largest : variable.high;
    if (std::isnan(variable.low)) variable.low = -largest;
    variable.high = largest;
  }
  variables_.push_back(std::move(variable));
}

const FmuVariable& FmuModel::variable(FmuRole role, std::size_t index) const {
  return *std::find_if(variables_.begin(), variables_.end(),
                       [&](const FmuVariable& v) { return v.role == role && v.index == index; });
}

void FmuModel::add_parameters() {
  std::vector<std::string> in_signals;
  collect_signal_paths(machine_.document(), "", false, in_signals);
  const std::string_view kind = machine_.kind().name;
  const bool is_stepped = machine_.motion()->indicator_count() == 0;
  for (const MachineNumber& n : machine_.numbers()) {
    if (n.path.starts_with("run.") || n.path.starts_with("sensor.") || !std::isfinite(n.value)) continue;
    if (n.path.find(".points[") != std::string::npos) continue;  // the course of an input, often thousands
    if (is_element() && !n.path.starts_with("friction.")) continue;
    const bool is_of_signal = std::find(in_signals.begin(), in_signals.end(), n.path) != in_signals.end();
    if (is_of_signal && n.path.ends_with(".value") && !n.path.ends_with("].value"))
      continue;  // the input has it as its start
    const bool is_fixed = n.path.find(".start.") != std::string::npos || n.path.starts_with("solver.") || is_of_signal;
    FmuVariable v{.role = FmuRole::parameter, .index = paths_.size(), .name = n.path, .unit = n.unit};
    v.start = n.value;
    v.is_tunable = !is_fixed && !is_stepped && (kind == "one_body" || kind == "cylinder");
    v.description = n.path;
    if (n.unit == "kg" || n.unit == "kg m^2") v.low = 0;
    if (const ParameterDescription* row = row_of(machine_.document(), n.path, content_.file)) {
      v.description = (row->symbol.empty() ? "" : row->symbol + ", ") + row->meaning;
      if (row->domain == Domain::positive || row->domain == Domain::non_negative) v.low = 0;
      if (row->domain == Domain::fraction) v.low = 0, v.high = 1;
      if (std::isnan(v.high)) v.high = any_magnitude().largest;
    }
    paths_.push_back(n.path);
    defaults_.push_back(n.value);
    add(std::move(v));
  }
}

void FmuModel::add_inputs(const Motion& motion) {
  const auto put = [&](FmuVariable v, bool varies) {
    v.role = FmuRole::input;
    v.index = inputs_++;
    varies_.push_back(varies ? 1 : 0);
    const bool is_drive = v.name.starts_with("drive[");
    prescribed_.push_back(!is_drive                        ? Prescribed::nothing
                          : v.name.ends_with("].position") ? Prescribed::position
                                                           : Prescribed::speed);
    add(std::move(v));
  };
  if (is_element()) {
    const bool is_rotary = motion_of(machine_.document()) == MotionKind::rotary;
    put({.name = "velocity", .unit = is_rotary ? "rad/s" : "m/s", .description = "velocity of the contact"}, false);
    put({.name = "load", .unit = "N", .description = "normal load, where a parameter follows it"}, false);
    put({.name = "pressure", .unit = "Pa", .description = "pressure, where a parameter follows it"}, false);
    if (follows_position_)
      put({.name = "position", .unit = is_rotary ? "rad" : "m", .description = "position of the contact"}, false);
    return;
  }
  const TomlValue& document = machine_.document();
  const auto varies_in_file = [&](const std::string& name) {
    const TomlValue* table = &document;
    try {
      table = &value_at(document, name, content_.file);
    } catch (const Error&) {
      return name == "enabled" && number_of(document, "firmware", "torque_off") > 0;
    }
    if (table->kind == Kind::list) return true;
    const TomlValue* signal_kind = table->kind == Kind::table ? table->find("kind") : nullptr;
    return signal_kind && signal_kind->text != "constant";
  };
  for (std::size_t i = 0; i < motion.inputs().size(); ++i) {
    const SignalInfo& info = motion.inputs()[i];
    // A dual clutch declares its pressures in a table of its own, and the cylinder and the clutch call their only input [input].
    std::string table = info.name;
    if (machine_.kind().name == "cylinder" || info.name == "target") table = "input";
    FmuVariable v{.name = info.name, .unit = info.unit.empty() ? "1" : info.unit, .description = words_for(info.name)};
    if (info.name == "enabled") v.type = FmuType::boolean;
    v.start = motion.input(i);
    const bool is_signal_elsewhere = machine_.kind().name == "mechanism" && !document.find("body");
    put(std::move(v), varies_in_file(table) || is_signal_elsewhere);
  }
  for (std::size_t i = 0; i < inputs_; ++i)
    if (varies_[i])
      add({.role = FmuRole::from_file,
           .index = i,
           .type = FmuType::boolean,
           .name = motion.inputs()[i].name + "_from_file",
           .description = "true: as the exported file has it over time; false: the input of the FMU",
           .start = content_.inputs_from_file ? 1.0 : 0.0});
}

void FmuModel::add_outputs_and_states(const Motion& motion) {
  can_be_integrated_ = motion.indicator_count() > 0;
  const auto& columns = motion.outputs();
  const auto& states = motion.states();
  // Energies that no output shows are left out, and of a spring whose far end moves, the elongation is no state but follows from one.
  const bool is_mechanism = machine_.kind().name == "mechanism";
  const auto is_account = [&](const std::string& name) {
    return is_mechanism && (name == "work_in" || name == "damper_heat" || name == "drag_heat");
  };
  for (std::size_t i = 0; can_be_integrated_ && i < states.size(); ++i)
    if ((!is_element() || i > 2 || (i == 0 && !follows_position_)) && !is_account(states[i].name)) shown_.push_back(i);
  for (std::size_t i = 0; is_mechanism && i < states.size(); ++i)
    for (std::size_t k = 0; k < motion.inputs().size(); ++k)
      if (const std::string& far = motion.inputs()[k].name;
          far.starts_with("spring[") && states[i].name == far.substr(7, far.rfind(']') - 7) + "_elongation")
        far_ends_.push_back({i, k});
  const auto is_elongation = [&](std::size_t state) {
    return std::any_of(far_ends_.begin(), far_ends_.end(), [&](const FarEnd& f) { return f.state == state; });
  };
  const auto state_named = [&](const std::string& name) {
    for (std::size_t i = 0; i < shown_.size(); ++i)
      if (states[shown_[i]].name == name && !is_elongation(shown_[i])) return i;
    return none;
  };
  const auto nominal = [&](std::size_t state) {
    return state < content_.nominal.size() && content_.nominal[state] > 0 ? content_.nominal[state] : 1.0;
  };
  std::vector<std::size_t> variable_of(shown_.size(), none);
  std::size_t friction = none, velocity = none;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const SignalInfo& c = columns[i];
    const std::string unit = c.unit.empty() ? "1" : c.unit;
    if (c.name == "friction_force" || c.name == "friction_torque") friction = i;
    if (c.name == "velocity") velocity = i;
    if (is_element() && (c.name == "velocity" || c.name == "position" || c.name.starts_with("applied_"))) continue;
    // An input that the run lists as a column is the input.
    if (std::any_of(variables_.begin(), variables_.end(),
                    [&](const auto& v) { return v.role == FmuRole::input && v.whole_name == c.name; }))
      continue;
    FmuVariable v{.role = FmuRole::output,
                  .index = outputs_.size(),
                  .name = c.name,
                  .unit = unit,
                  .description = words_for(c.name)};
    if (is_whole_column(c.name)) v.type = FmuType::integer, v.unit = "", v.low = -1, v.high = 255;
    v.state = state_named(c.name);
    if (v.state != none) v.nominal = nominal(v.state), variable_of[v.state] = variables_.size();
    outputs_.push_back({i});
    add(std::move(v));
  }
  if (friction != none && velocity != none) {
    outputs_.push_back({friction, velocity});
    add({.role = FmuRole::output,
         .index = outputs_.size() - 1,
         .name = "friction_power",
         .unit = "W",
         .description = "power taken by friction: force times velocity"});
  }
  const auto unit_of_state = [&](const SignalInfo& s) -> std::string {
    if (!s.unit.empty()) return s.unit;
    if (s.name == "work_in" || s.name.ends_with("_heat")) return "J";
    if (s.name.ends_with("_integral"))
      for (const auto& v : variables_)
        if (v.whole_name == "controller[" + s.name.substr(0, s.name.size() - 9) + "].reference")
          return v.unit.ends_with("/s") ? v.unit.substr(0, v.unit.size() - 2) : v.unit + " s";
    return "1";
  };
  const auto unit_of_column = [&](const std::string& name) {
    for (const SignalInfo& c : columns)
      if (c.name == name) return c.unit.empty() ? std::string("1") : c.unit;
    return std::string("1");
  };
  for (std::size_t i = 0; i < shown_.size(); ++i) {
    if (variable_of[i] != none) continue;
    const SignalInfo& s = states[shown_[i]];
    variable_of[i] = variables_.size();
    FmuVariable v{
        .role = FmuRole::state, .index = i, .name = s.name, .unit = unit_of_state(s), .description = words_for(s.name)};
    if (is_elongation(shown_[i])) {
      v.unit = unit_of_column(s.name);
      v.name = s.name.substr(0, s.name.size() - 10) + "stretch";
      v.description = "elongation, plus the far end if it is driven from outside";
    }
    v.nominal = nominal(i);
    v.state = i;
    add(std::move(v));
  }
  for (std::size_t i = 0; i < shown_.size(); ++i) {
    const FmuVariable& s = variables_[variable_of[i]];
    FmuVariable v{
        .role = FmuRole::rate, .index = i, .name = "der(" + s.name + ")", .description = "rate of " + s.description};
    v.whole_name = "der(" + s.whole_name + ")";
    v.unit = s.unit == "1" ? "1/s" : s.unit == "m s" ? "m" : s.unit == "rad s" ? "rad" : s.unit + "/s";
    if (s.unit == "m/s") v.unit = "m/s^2";
    if (s.unit == "rad/s") v.unit = "rad/s^2";
    if (s.unit == "J") v.unit = "W";
    if (s.unit.ends_with(" s") && s.unit != "m s" && s.unit != "rad s") v.unit = s.unit.substr(0, s.unit.size() - 2);
    v.state = variable_of[i];
    add(std::move(v));
  }
  // One indicator per end of a mode; what a mode has beyond the last is joined in it, the least of them.
  indicators_ = can_be_integrated_ ? (machine_.kind().name == "mechanism" ? 16 : 8) : 0;
  for (std::size_t i = 0; i < indicators_; ++i) {
    const std::string name = std::string("event_indicator_") + (i < 9 ? "0" : "") + std::to_string(i + 1);
    add({.role = FmuRole::indicator,
         .index = i,
         .name = name,
         .unit = "1",
         .description = "positive while the mode holds",
         .low = -any_magnitude().largest,
         .high = any_magnitude().largest});
  }
}

void FmuModel::find_slopes(const Motion& motion) {
  if (!can_be_integrated_ || machine_.kind().name != "one_body") return;
  std::vector<double> states(motion.states().size()), inputs(motion.inputs().size()), rates(motion.states().size());
  has_exact_slopes_ = motion.slopes(states, inputs, rates);
}

std::unique_ptr<FmuMotion> FmuModel::motion(std::span<const double> parameters, double start, bool lists_events) const {
  return std::make_unique<FmuMotion>(*this, parameters, start, lists_events);
}

// ---- the motion -----------------------------------------------------------------------------------------------------

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
    outputs[i] = from.times == none ? columns_[from.column] : columns_[from.column] * columns_[from.times];
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
  if (speed_ != none) {
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
  std::array<double, 3> by_inputs{};  // of one body: drive, load, pressure
  for (std::size_t i = 0; i < inputs.size() && i < by_inputs.size(); ++i) by_inputs[i] = inputs[i];
  if (is_element) {
    seeds_[1] = inputs[0];
    by_inputs = {0, inputs[1], inputs[2]};
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
    if (from.times != none)
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

}  // namespace stickslip
