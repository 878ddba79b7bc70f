/// The [friction] table of a scenario; see friction_section.hpp.
#include "machines/friction/friction_section.hpp"

#include <algorithm>
#include <array>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/former_key.hpp"
#include "machines/friction/model_file.hpp"
#include "machines/friction/state_name.hpp"
#include "platform/path.hpp"

namespace stickslip::inline machines {
namespace {

using Kind = TomlValue::Kind;

/// Whether the transmitted load is one of the model's parameters; it then follows [load] if the file does not give it.
bool carries_load(const ModelDescription& model) {
  return std::any_of(model.parameters.begin(), model.parameters.end(),
                     [](const ParameterDescription& p) { return p.key == "transmitted_load"; });
}

/// The model's table in this machine's units.
std::vector<ParameterDescription> parameters_in(const Section& section, const ModelDescription& model,
                                                MotionKind motion) {
  auto parameters = model.parameters;
  try {
    for (auto& p : parameters)
      if (!p.unit.empty()) p.unit = unit_for(motion, p.unit);
  } catch (const Error& problem) {
    section.fail(section.value("model"), model.name + " cannot be used for rotation: " + problem.what());
  }
  return parameters;
}

class FrictionReader {
 public:
  FrictionReader(const Section& section, const ModelDescription& model, MotionKind motion)
      : section_(section), model_(model), motion_(motion), parameters_(parameters_in(section, model, motion)) {}

  FrictionSettings settings() {
    FrictionSettings found;
    read_set(section_, {"model", "backward", "start"}, found.values, &found.variations);
    for (const auto& p : parameters_)
      if (p.is_required() && !section_.has(p.key))
        section_.fail(section_.line(), model_.name + ": " + p.key + " is missing (" +
                                           (p.symbol.empty() ? "" : p.symbol + ", ") + p.meaning +
                                           (p.unit.empty() ? "" : ", in " + p.unit) + ")");
    if (const auto backward = section_.inner("backward")) {
      if (backward->table().members.empty()) backward->fail(backward->line(), backward->shown() + " is empty");
      read_set(*backward, {}, found.backward, nullptr);
    }
    if (carries_load(model_) && !section_.has("transmitted_load")) {
      found.values.emplace_back("transmitted_load", 0.0);
      found.variations.push_back({"transmitted_load", Quantity::load, {0, 1}, {}, {}});
    }
    if (found.variations.size() > most_variations)
      section_.fail(section_.line(), std::to_string(found.variations.size()) + " parameters vary; at most " +
                                         std::to_string(most_variations) + " can");
    return found;
  }

 private:
  void read_set(const Section& from, const std::vector<std::string>& other_keys, ParameterValues& values,
                std::vector<VariationSetting>* variations) {
    for (const auto& [written, value] : from.table().members) {
      if (std::find(other_keys.begin(), other_keys.end(), written) != other_keys.end()) continue;
      const std::string key = current_parameter(model_.name, written);
      if (key != written) key_or_former(from, key.c_str(), written.c_str());  // refuses both at once
      const auto p = std::find_if(parameters_.begin(), parameters_.end(),
                                  [&wanted = key](const auto& q) { return q.key == wanted; });
      if (p == parameters_.end()) refuse_key(from, key, value, other_keys);
      if (value.kind != Kind::table)
        values.emplace_back(key, checked(from, *p, value));
      else if (variations)
        variations->push_back(varying(from, *p, value, values));
      else
        from.fail(value, key + " cannot vary in " + from.shown() + "; write one value for sliding backward");
    }
  }

  [[noreturn]] void refuse_key(const Section& from, const std::string& key, const TomlValue& value,
                               const std::vector<std::string>& other_keys) const {
    std::vector<std::string> known;
    for (const auto& p : parameters_) {
      known.push_back(p.key);
      if (p.symbol == key) from.fail(value, "unknown key " + in_quotes(key) + "; " + key + " is called " + p.key);
    }
    known.insert(known.end(), other_keys.begin(), other_keys.end());
    from.fail(value, "unknown key " + in_quotes(key) + " in " + from.shown() + " for " + model_.name + "; " +
                         did_you_mean(key, known));
  }

  ParameterValue checked(const Section& from, const ParameterDescription& p, const TomlValue& value) const {
    ParameterValue found;
    if (p.kind == ParameterKind::list) {
      found = from.quantities_of(value, p.key, p.unit);
    } else if (p.kind == ParameterKind::number) {
      found = from.quantity_of(value, p.key, p.unit);
    } else {
      if (value.kind != Kind::text) from.fail(value, p.key + " must be one of " + joined(p.choices));
      found = value.text;
    }
    try {
      check_value(model_, p, found);
    } catch (const Error& problem) {
      from.fail(value, problem.what());
    }
    if (const double* x = std::get_if<double>(&found)) check_size(from, p, value, *x);
    if (const auto* list = std::get_if<std::vector<double>>(&found))
      for (const double x : *list) check_size(from, p, value, x);
    return found;
  }

  /// Sign and relations are checked by the model; the largest magnitude is the same for all.
  void check_size(const Section& from, const ParameterDescription& p, const TomlValue& value, double x) const {
    if (const auto problem = refusal(x, p.unit, range_of(any_magnitude(), p.domain)); !problem.empty())
      from.fail(value, model_.name + ": " + p.key + " " + problem);
  }

  /// { value = "1 N", over = "load", polynomial = ["0.2 N/N"] } or { over = "position", table = [["0 m", "1 N"]] }.
  /// A list has one common factor instead: 1 + c₁ q + ..., or a table of factors. With `reference` q counts from there.
  VariationSetting varying(const Section& from, const ParameterDescription& p, const TomlValue& value,
                           ParameterValues& values) const {
    const Section law(value, from.name() + "." + p.key, from.file());
    law.knows({"value", "over", "reference", "polynomial", "table"});
    if (p.kind == ParameterKind::choice) law.fail(value, p.key + " cannot vary; write one of " + joined(p.choices));
    const bool is_list = p.kind == ParameterKind::list;
    VariationSetting made;
    made.key = p.key;
    const std::string over = law.word("over", "quantity to follow", {"position", "load", "pressure", "temperature"});
    for (const Quantity quantity : {Quantity::load, Quantity::pressure, Quantity::temperature})
      if (over == quantity_name(quantity)) made.over = quantity;
    const std::string q = quantity_unit(made.over, motion_);
    const std::string unit = is_list || p.unit.empty() ? "1" : p.unit;
    if (law.has("polynomial") == law.has("table"))
      law.fail(value, p.key + " depends on " + over + " by a polynomial or by a table; give exactly one");
    if (law.has("polynomial")) {
      const TomlValue& list = law.value("polynomial");
      if (list.kind != Kind::list || list.items.empty())
        law.fail(list, "polynomial must be a list like [\"0.2 " + unit + "/" + q + "\"], the factors of " + over +
                           ", its square, ...");
      made.polynomial.push_back(is_list ? 1 : 0);
      for (std::size_t j = 0; j < list.items.size(); ++j)
        made.polynomial.push_back(law.bounded_of(list.items[j], "polynomial", polynomial_unit(unit, q, j + 1),
                                                 range_of(any_magnitude(), Sign::any)));
      made.reference = reference_of(law, value, p, made.over, q);
      values.emplace_back(p.key, checked(law, p, law.value("value", "\"1 " + unit + "\"")));
    } else {
      if (law.has("reference")) law.fail(law.value("reference"), p.key + " is given by a table; leave out reference");
      const auto points = law.points("table", q, unit);
      check_table(law, p, points, made.over);
      made.knots = points.x;
      made.values = points.y;
      if (is_list)
        values.emplace_back(p.key, checked(law, p, law.value("value")));
      else if (law.has("value"))
        law.fail(law.value("value"), p.key + " is given by a table; leave out value");
      else
        values.emplace_back(p.key, points.y.front());
    }
    return made;
  }

  /// Where the polynomial is 0. A temperature has no natural zero: 0 K is far outside any machine.
  double reference_of(const Section& law, const TomlValue& value, const ParameterDescription& p, Quantity over,
                      const std::string& q) const {
    if (over == Quantity::temperature) {
      if (!law.has("reference"))
        law.fail(value, p.key +
                            " has no reference, the temperature at which value holds; write for example "
                            "reference = \"20 degC\"");
      return law.positive("reference", q);
    }
    return law.has("reference") ? law.quantity("reference", q) : 0;
  }

  void check_table(const Section& law, const ParameterDescription& p, const Section::Points& points,
                   Quantity over) const {
    const TomlValue& list = law.value("table");
    for (std::size_t i = 0; i < points.x.size(); ++i) {
      if (over == Quantity::temperature && !(points.x[i] > 0))
        law.fail(list.items[i], "table: a temperature is " + with_unit(points.x[i], "K", 6) + "; it must be above 0 K");
      if (i > 0 && !(points.x[i] > points.x[i - 1])) law.fail(list.items[i], "table: the first column must increase");
      if (p.kind == ParameterKind::list) continue;
      try {
        check_value(model_, p, points.y[i]);
      } catch (const Error& problem) {
        law.fail(list.items[i], problem.what());
      }
    }
  }

  const Section& section_;
  const ModelDescription& model_;
  MotionKind motion_;
  std::vector<ParameterDescription> parameters_;
};

/// Number of states of this friction, from a run of zero duration.
std::size_t states_in_use(const Friction& friction) {
  SimulationOptions nothing;
  nothing.end = nothing.start;
  return friction.simulate(Body{}, nothing).state.size();
}

/// [friction.start]: states by name; those not given are zero.
std::vector<double> start_states(const Section& section, const Friction& friction, MotionKind motion) {
  const auto start = section.inner("start");
  if (!start) return {};
  const auto& names = friction.description().states;
  const std::size_t count = states_in_use(friction);
  if (count == 0) start->fail(start->line(), friction.description().name + " has no states to start from");
  std::vector<std::string> keys;
  std::vector<double> state(count, 0.0);
  for (std::size_t i = 0; i < std::min(count, names.size()); ++i) keys.push_back(state_name(names[i], motion).key);
  start->knows(keys);
  for (std::size_t i = 0; i < keys.size(); ++i)
    state[i] = start->quantity_or(keys[i], state_name(names[i], motion).unit, 0);
  return state;
}

}  // namespace

std::string unit_for(MotionKind motion, std::string_view linear_unit) {
  return motion == MotionKind::rotary ? rotary(linear_unit) : std::string(linear_unit);
}

std::string_view quantity_name(Quantity over) { return name_of(over); }

std::string quantity_unit(Quantity over, MotionKind motion) {
  switch (over) {
    case Quantity::position:
      return unit_for(motion, "m");
    case Quantity::load:
      return "N";
    case Quantity::pressure:
      return "Pa";
    case Quantity::temperature:
      return "K";
  }
  return "";
}

std::string polynomial_unit(const std::string& unit, const std::string& q, std::size_t power) {
  return unit + "/" + q + (power > 1 ? "^" + std::to_string(power) : "");
}

StateName state_name(std::string_view name, MotionKind motion) {
  SignalInfo found = named_state(name, motion == MotionKind::rotary);
  return {std::move(found.name), std::move(found.unit)};
}

NamedFriction read_friction_settings(const Section& section, MotionKind motion, const FrictionFilter& refuse) {
  const std::string name = section.text("model", "lugre");
  const RegisteredModel* model = nullptr;
  try {
    model = &find_model(name);
  } catch (const Error& problem) {
    section.fail(section.value("model"), problem.what());
  }
  if (const std::string why = refuse ? refuse(model->description()) : ""; !why.empty())
    section.fail(section.value("model"), why);
  return {model, FrictionReader(section, model->description(), motion).settings()};
}

namespace {

/// The model of a model file, wherever a friction table may be written.
NamedFriction from_model_file(const Section& section, MotionKind motion, const FrictionFilter& refuse) {
  for (const auto& [key, value] : section.table().members)
    if (key != "file" && key != "start")
      section.fail(value, "the model and its values come from the model file; leave out " + key +
                              ", or leave out file and copy the values");
  const std::string path = beside(section.file(), section.text("file", "axis.model.toml"));
  ModelFile file;
  try {
    file = read_model_file(path);
  } catch (const Error& problem) {
    section.fail(section.value("file"), problem.what());
  }
  if (file.motion != motion)
    section.fail(section.value("file"), in_quotes(path) + " is a model of " + std::string(motion_name(file.motion)) +
                                            " motion; this machine's is " + std::string(motion_name(motion)));
  const RegisteredModel& model = find_model(file.model);
  if (const std::string why = refuse ? refuse(model.description()) : ""; !why.empty())
    section.fail(section.value("file"), why);
  return {&model, std::move(file.settings)};
}

}  // namespace

ScenarioFriction read_friction(const Section& section, MotionKind motion, const FrictionFilter& refuse) {
  const NamedFriction found =
      section.has("file") ? from_model_file(section, motion, refuse) : read_friction_settings(section, motion, refuse);
  ScenarioFriction made;
  try {
    made.friction = found.model->make(found.settings);
  } catch (const Error& problem) {
    section.fail(section.line(), problem.what());
  }
  made.state = start_states(section, *made.friction, motion);
  made.follows_load = follows(*made.friction, Quantity::load);
  made.follows_pressure = follows(*made.friction, Quantity::pressure);
  made.follows_temperature = follows(*made.friction, Quantity::temperature);
  return made;
}

}  // namespace stickslip::inline machines
