/// What an FMU computes; see fmu_model.hpp.
#include "fmu/fmu_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/toml_path.hpp"
#include "fmu/fmu_document.hpp"

namespace stickslip::inline fmu {
namespace {

using Kind = TomlValue::Kind;
constexpr std::size_t none = FmuVariable::none;
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
    follows_position_ = follows(*made.friction, Quantity::position);
    follows_temperature_ = follows(*made.friction, Quantity::temperature);
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
    if (follows_temperature_)
      put({.name = "temperature", .unit = "K", .description = "temperature of the contact", .start = room_temperature},
          false);
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

}  // namespace stickslip::inline fmu
