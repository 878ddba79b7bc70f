/// From a file to what its FMU carries; see export_fmu.hpp.
#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/input_section.hpp"
#include "fmu/export_fmu.hpp"
#include "machines/friction/friction_section.hpp"
#include "machines/friction/friction_text.hpp"
#include "machines/friction/model_file.hpp"
#include "platform/path.hpp"

namespace stickslip::inline fmu {
namespace {

using Kind = TomlValue::Kind;

TomlValue text_value(std::string text, int line) {
  TomlValue v;
  v.kind = Kind::text;
  v.text = std::move(text);
  v.line = line;
  return v;
}

/// A recorded input as a table of points, which is what it is to the solver.
void make_points(TomlValue& table, std::string_view unit, const std::string& file) {
  const Section s(table, "input", file);
  const auto given = [&](const char* key) { return s.has(key) ? s.text(key, "...") : std::string(); };
  const RecordedColumns columns{given("time"),       given("value"), given("time_unit"),
                                given("value_unit"), given("where"), given("time_from") == "first-row"};
  const RecordedInput found = read_recorded_input(beside(file, given("path")), columns, unit);
  const bool is_held = given("between") == "hold";
  const int line = table.line;
  TomlValue points;
  points.kind = Kind::list;
  points.line = line;
  const auto add = [&](double t, double y) {
    TomlValue point;
    point.kind = Kind::list;
    point.line = line;
    point.items = {quantity(t, "s", line), quantity(y, std::string(unit), line)};
    points.items.push_back(std::move(point));
  };
  for (std::size_t i = 0; i < found.time.size(); ++i) {
    if (is_held && i > 0) add(found.time[i], found.value[i - 1]);
    add(found.time[i], found.value[i]);
  }
  table.members = {{"kind", text_value("table", line)}, {"points", std::move(points)}};
}

bool is_recorded(const TomlValue& table) {
  const TomlValue* kind = table.kind == Kind::table ? table.find("kind") : nullptr;
  return kind && kind->text == "file";
}

/// Every recorded input under `path`, which has this unit.
void resolve_input(TomlValue& input, std::string_view unit, const std::string& file) {
  if (is_recorded(input)) make_points(input, unit, file);
  for (TomlValue& item : input.items)
    if (is_recorded(item)) make_points(item, unit, file);
}

TomlValue* find_at(TomlValue& document, std::string_view path) {
  TomlValue* at = &document;
  while (!path.empty()) {
    const auto end = path.find_first_of(".[");
    const std::string_view key = path.substr(0, end);
    if (!key.empty()) {
      at = const_cast<TomlValue*>(at->find(key));
      if (!at) return nullptr;
    }
    if (end == std::string_view::npos) return at;
    if (path[end] == '.') {
      path = path.substr(end + 1);
      continue;
    }
    const auto close = path.find(']', end);
    const std::string_view name = path.substr(end + 1, close - end - 1);
    TomlValue* found = nullptr;
    for (TomlValue& item : at->items)
      if (const TomlValue* own = item.find("name"); own && own->text == name) found = &item;
    if (!found) return nullptr;
    at = found;
    path = path.substr(close + 1);
    if (path.starts_with(".")) path = path.substr(1);
  }
  return at;
}

/// [friction] file = "axis.model.toml": the model's own table instead; so of what a controller knows of friction.
void resolve_friction(TomlValue& value, const std::string& file) {
  for (TomlMember& member : value.members) {
    if ((member.key == "feedforward" || member.key == "observer") && member.value.find("file")) {
      TomlValue table;
      table.kind = Kind::table;
      table.line = member.value.line;
      table.members.push_back({"file", *member.value.find("file")});
      std::erase_if(member.value.members, [](const TomlMember& m) { return m.key == "file"; });
      member.value.members.push_back({"friction", std::move(table)});
    }
    if (member.key == "friction" && member.value.kind == Kind::table && member.value.find("file")) {
      const TomlValue* start = member.value.find("start");
      const ModelFile model = read_model_file(beside(file, member.value.find("file")->text));
      const std::string text =
          friction_text(find_model(model.model).description(), model.settings, model.motion, "friction");
      TomlValue table = *parse_toml(text, file).find("friction");
      table.line = member.value.line;
      if (start) table.members.push_back({"start", *start});
      member.value = std::move(table);
    } else {
      resolve_friction(member.value, file);
    }
  }
  for (TomlValue& item : value.items) resolve_friction(item, file);
}

/// What still leads to another file cannot travel.
void refuse_files(const TomlValue& value, const std::string& key, const std::string& file) {
  for (const char* name : {"file", "path"})
    if (const TomlValue* path = value.kind == Kind::table ? value.find(name) : nullptr;
        path && path->kind == Kind::text)
      throw Error(at_line(file, path->line,
                          "[" + key + "] reads " + in_quotes(path->text) +
                              "; such a recording cannot be stored in an FMU; use a signal"));
  for (const TomlMember& member : value.members) refuse_files(member.value, member.key, file);
  for (const TomlValue& item : value.items) refuse_files(item, key, file);
}

/// A body with the model of a model file, ready to be driven.
std::string body_text(const ModelFile& model, double mass) {
  const bool is_rotary = model.motion == MotionKind::rotary;
  const auto unit = [&](std::string_view linear) { return unit_for(model.motion, linear); };
  std::string text = "[machine]\nkind = \"applied-force\"\n";
  if (is_rotary) text += "motion = \"rotary\"\n";
  text += std::string(is_rotary ? "inertia" : "mass") + " = " + quantity_text(mass, unit("kg")) + "\n";
  text += "[machine.start]\nposition = " + quantity_text(0, unit("m")) +
          "\nvelocity = " + quantity_text(0, unit("m/s")) + "\n";
  text += "[input]\nkind = \"constant\"\nvalue = " + quantity_text(0, unit("N")) + "\n";
  for (const auto& v : model.settings.variations) {
    const std::string table = "[" + std::string(quantity_name(v.over)) + "]";
    if (v.over != Quantity::position && text.find(table) == std::string::npos)
      text += table + "\nkind = \"constant\"\nvalue = \"" +
              (v.over == Quantity::temperature ? temperature_text(room_temperature)
                                               : "0 " + quantity_unit(v.over, model.motion)) +
              "\"\n";
  }
  text += "[run]\nduration = \"10 s\"\nsample_interval = \"0.001 s\"\n\n";
  return text + friction_text(find_model(model.model).description(), model.settings, model.motion, "friction");
}

double power_of_ten(double size) { return std::pow(10.0, std::round(std::log10(size))); }

/// Along a motion in which things happen: how large each state becomes, as a power of ten.
std::vector<double> sizes_of_states(const FmuModel& model) {
  std::vector<double> parameters(model.parameters()), size(model.states()), now(model.states());
  if (size.empty()) return size;
  for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i] = model.parameter(i);
  const double start = model.options().start, span = model.options().end - start;
  const auto motion = model.motion(parameters, start, false);
  const auto look = [&] {
    motion->state(now);
    for (std::size_t i = 0; i < size.size(); ++i)
      if (std::isfinite(now[i])) size[i] = std::max(size[i], std::fabs(now[i]));
  };
  const bool is_driven = std::any_of(model.variables().begin(), model.variables().end(),
                                     [](const auto& v) { return v.role == FmuRole::from_file; });
  if (model.is_element()) {
    double t = start;
    for (const double speed : {1e-4, 1e-3, 1e-2, -1e-2, -1e-3}) {
      motion->set_input(0, speed, 0);
      for (int i = 0; i < 10; ++i, look())
        if (motion->advance(t += 1e-3 / std::fabs(speed) * 0.01) != Stop::finished) break;
    }
  } else if (is_driven || model.inputs() == 0) {
    for (int i = 1; i <= 200; ++i, look())
      if (motion->advance(start + span * i / 200) != Stop::finished) break;
  } else {
    double t = start;
    const std::size_t velocity = 1;
    for (double force = 1e-3; force < 1e9; force *= 2) {  // until it slides
      motion->set_input(0, force, 0);
      if (motion->advance(t += 0.01) != Stop::finished) break;
      look();
      if (velocity < now.size() && std::fabs(now[velocity]) > 0.01) break;
    }
  }
  for (double& x : size) x = x > 1e-12 && x < 1e12 ? power_of_ten(x) : 1;
  return size;
}

/// The friction of a body too heavy to notice it, along speeds that it is set to, under a force that it does not notice either.
std::vector<double> friction_along(const Friction& friction, std::initializer_list<double> speeds, double applied) {
  Body body;
  body.mass = 1e30;
  body.velocity = *speeds.begin();
  SimulationOptions options;
  options.end = 100;
  const auto motion = friction.motion(body, options);
  motion->set_input(0, applied, 0);
  std::vector<double> state(motion->states().size()), outputs(motion->outputs().size()), found;
  const auto set_speed = [&](double speed) {
    motion->state(state);
    state[1] = speed;
    motion->set_state(motion->time(), state);
  };
  for (const double speed : speeds) {
    set_speed(speed);
    motion->settle();
    set_speed(speed);
    for (int i = 0; i < 4; ++i) {
      if (motion->advance(motion->time() + 0.05) != Stop::finished) return {};
      motion->read(outputs);
      found.push_back(outputs[3]);
    }
  }
  return found;
}

/// Whether a law's force follows from its motion alone: it must not change with the force applied, neither in motion nor at rest. At rest the
/// larger force decides in both runs which way the body is about to move.
bool follows_from_motion(const Friction& friction) {
  if (friction.description().nature == Nature::sticks) return false;
  const auto agree = [](const std::vector<double>& a, const std::vector<double>& b) {
    if (a.empty() || a.size() != b.size()) return false;
    double largest = 0, apart = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      largest = std::max(largest, std::fabs(a[i]));
      apart = std::max(apart, std::fabs(a[i] - b[i]));
    }
    return apart <= 1e-6 * largest;
  };
  const auto moving = {1e-5, 1e-3, 0.1, -1e-5, -1e-3, -0.1, 1e-4},
             resting = {1e-5, 1e-3, 0.1, 0.0, -1e-3, -0.1, 0.0, 1e-4};
  return agree(friction_along(friction, moving, 0), friction_along(friction, moving, 1e9)) &&
         agree(friction_along(friction, resting, 1e9), friction_along(friction, resting, 2e9));
}

}  // namespace

FmuContent fmu_content(std::string_view text, const std::string& file, const FmuOptions& options) {
  FmuContent content;
  content.file = file_name_of(file);
  if (is_model_file(text, file)) {
    const ModelFile model = parse_model_file(text, file);
    const RegisteredModel& law = find_model(model.model);
    content.is_element = options.mass == 0;
    content.title = !model.title.empty() ? model.title : law.description().title;
    if (content.is_element && !follows_from_motion(*law.make(model.settings)))
      throw Error(one_line(file) + ": the force of " + law.description().name +
                  " at rest equals the applied force, which an element (velocity in, force out) does not know; "
                  "give the mass of the body, --mass '" +
                  (model.preparation.mass > 0
                       ? with_unit(model.preparation.mass, unit_for(model.motion, "kg")) + "' as identified"
                       : "2 " + unit_for(model.motion, "kg") + "'"));
    content.document = parse_toml(body_text(model, content.is_element ? 1 : options.mass), file);
  } else {
    if (options.mass > 0)
      throw Error(one_line(file) + ": a machine file contains its masses; --mass is for model files");
    TomlValue document = parse_toml(text, file);
    resolve_friction(document, file);
    const Machine machine(document, file);
    const auto motion = machine.motion();
    for (const SignalInfo& input : motion->inputs())
      for (const std::string& path : {input.name, std::string("input")})
        if (TomlValue* table = find_at(document, path))
          resolve_input(*table, input.unit.empty() ? "1" : input.unit, file);
    refuse_files(document, "", file);
    content.document = std::move(document);
    content.title = machine.title().empty() ? machine.built().subject : machine.title();
  }
  content.document = Machine(content.document, file).document();
  content.nominal = sizes_of_states(FmuModel(content));
  return content;
}

}  // namespace stickslip::inline fmu
