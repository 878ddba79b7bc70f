/// modelDescription.xml; see model_description.hpp.
#include "fmu/model_description.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "core/units.hpp"
#include "core/xml_characters.hpp"
#include "stickslip/version.hpp"

namespace stickslip::inline fmu {

namespace {

constexpr std::size_t none = FmuVariable::none;

std::string attribute(const char* key, std::string_view value) {
  return std::string(" ") + key + "=\"" + attribute_text(value) + "\"";
}
std::string attribute(const char* key, double value) { return attribute(key, shortest(value)); }
std::string attribute(const char* key, bool value) {
  return attribute(key, std::string_view(value ? "true" : "false"));
}

std::string_view causality_of(const FmuVariable& v) {
  switch (v.role) {
    case FmuRole::time:
      return "independent";
    case FmuRole::input:
      return "input";
    case FmuRole::output:
      return "output";
    case FmuRole::parameter:
    case FmuRole::from_file:
      return "parameter";
    default:
      return "local";
  }
}
std::string_view variability_of(const FmuVariable& v) {
  if (v.role == FmuRole::parameter) return v.is_tunable ? "tunable" : "fixed";
  if (v.role == FmuRole::from_file) return "fixed";
  return v.type == FmuType::real ? "continuous" : "discrete";
}
bool is_calculated(const FmuVariable& v) {
  return v.role == FmuRole::output || v.role == FmuRole::state || v.role == FmuRole::rate ||
         v.role == FmuRole::indicator;
}
bool is_parameter(const FmuVariable& v) { return v.role == FmuRole::parameter || v.role == FmuRole::from_file; }
bool has_start(const FmuVariable& v) { return is_parameter(v) || v.role == FmuRole::input; }

/// Every unit once, in its base units.
std::string unit_definitions(const FmuModel& model) {
  std::vector<std::string> units;
  for (const auto& v : model.variables())
    if (v.type == FmuType::real && std::find(units.begin(), units.end(), v.unit) == units.end())
      units.push_back(v.unit);
  std::string out = "  <UnitDefinitions>\n";
  for (const auto& unit : units) {
    const Unit u = parse_unit(unit);
    out += "    <Unit" + attribute("name", fmi_unit(unit)) + ">\n      <BaseUnit";
    const auto power = [&](const char* key, int exponent) {
      if (exponent != 0) out += attribute(key, std::to_string(exponent));
    };
    power("kg", u.dimension.kg);
    power("m", u.dimension.m);
    power("s", u.dimension.s);
    power("A", u.dimension.ampere);
    power("K", u.dimension.kelvin);
    power("rad", u.angle);
    if (u.factor != 1) out += attribute("factor", u.factor);
    if (u.offset != 0) out += attribute("offset", u.offset);
    out += "/>\n    </Unit>\n";
  }
  return out + "  </UnitDefinitions>\n";
}

std::string log_categories() {
  std::string out = "  <LogCategories>\n";
  const auto add = [&](const char* name, const char* what) {
    out += "    <Category" + attribute("name", std::string_view(name)) +
           attribute("description", std::string_view(what)) + "/>\n";
  };
  add("logEvents", "stick, release and every other event, with its time");
  add("logStatusWarning", "probable mistakes");
  add("logStatusDiscard", "a step that could not be finished, and why");
  add("logStatusError", "what was refused, with a suggested fix");
  add("logAll", "all of these");
  return out + "  </LogCategories>\n";
}

std::string default_experiment(const FmuModel& model) {
  const SimulationOptions& o = model.options();
  return "  <DefaultExperiment" + attribute("startTime", o.start) + attribute("stopTime", o.end) +
         attribute("tolerance", o.relative_tolerance > 0 ? o.relative_tolerance : 1e-9) +
         (o.sample_interval > 0 ? attribute("stepSize", o.sample_interval) : std::string()) + "/>\n";
}

/// Attributes that both versions have, of a real number.
std::string real_attributes(const FmuVariable& v) {
  std::string out = attribute("unit", fmi_unit(v.unit));
  if (!std::isnan(v.low)) out += attribute("min", v.low);
  if (!std::isnan(v.high)) out += attribute("max", v.high);
  if (v.nominal > 0) out += attribute("nominal", v.nominal);
  return out;
}
std::string whole_attributes(const FmuVariable& v) {
  return (std::isnan(v.low) ? std::string() : attribute("min", v.low)) +
         (std::isnan(v.high) ? std::string() : attribute("max", v.high));
}
std::string start_attribute(const FmuVariable& v) {
  if (!has_start(v)) return "";
  return v.type == FmuType::boolean ? attribute("start", v.start != 0) : attribute("start", v.start);
}
std::string common_attributes(const FmuVariable& v, std::size_t reference) {
  std::string out = attribute("name", v.name) + attribute("valueReference", std::to_string(reference)) +
                    attribute("description", v.description) + attribute("causality", causality_of(v)) +
                    attribute("variability", variability_of(v));
  if (is_calculated(v)) out += attribute("initial", std::string_view("calculated"));
  if (is_parameter(v)) out += attribute("initial", std::string_view("exact"));
  return out;
}

/// What a rate, output or indicator depends on, as places in the list of variables; `all` where nothing is ruled out.
struct Dependencies {
  bool all = true;
  std::vector<std::size_t> on = {};
};
Dependencies dependencies_of(const FmuModel& model, const FmuVariable& v) {
  const auto& variables = model.variables();
  const auto place = [&](const std::string& name) {
    for (std::size_t i = 0; i < variables.size(); ++i)
      if (variables[i].whole_name == name && (variables[i].state != none || variables[i].role == FmuRole::input) &&
          variables[i].role != FmuRole::rate)
        return i;
    return none;
  };
  if (v.role == FmuRole::output && v.state != none) return {false, {place(v.whole_name)}};
  if (v.role == FmuRole::rate) {  // a position changes by its velocity alone
    const std::string& state = variables[v.state].whole_name;
    if (state == "position")
      if (const auto velocity = place("velocity"); velocity != none) return {false, {velocity}};
    if (state.ends_with("_position"))
      if (const auto speed = place(state.substr(0, state.size() - 8) + "speed"); speed != none) return {false, {speed}};
  }
  if (v.type != FmuType::real) return {};
  Dependencies found{false, {}};
  for (std::size_t i = 0; i < variables.size(); ++i)
    if (variables[i].role == FmuRole::input ||
        (variables[i].state != none && (variables[i].role == FmuRole::output || variables[i].role == FmuRole::state)))
      found.on.push_back(i);
  return found;
}
std::string dependency_attribute(const FmuModel& model, const FmuVariable& v, std::size_t first) {
  const Dependencies found = dependencies_of(model, v);
  if (found.all) return "";
  std::string list;
  for (const std::size_t i : found.on) list += (list.empty() ? "" : " ") + std::to_string(i + first);
  return attribute("dependencies", list);
}

std::string variables_2(const FmuModel& model) {
  std::string out = "  <ModelVariables>\n";
  for (std::size_t i = 0; i < model.variables().size(); ++i) {
    const FmuVariable& v = model.variables()[i];
    out += "    <ScalarVariable" + common_attributes(v, i) + ">\n      ";
    if (v.type == FmuType::real)
      out += "<Real" + real_attributes(v) + start_attribute(v) +
             (v.role == FmuRole::rate ? attribute("derivative", std::to_string(v.state + 1)) : std::string()) + "/>\n";
    else if (v.type == FmuType::integer)
      out += "<Integer" + whole_attributes(v) + start_attribute(v) + "/>\n";
    else
      out += "<Boolean" + start_attribute(v) + "/>\n";
    out += "    </ScalarVariable>\n";
  }
  return out + "  </ModelVariables>\n";
}

std::string structure_2(const FmuModel& model) {
  const auto& variables = model.variables();
  const auto list = [&](const char* element, auto&& chosen, bool with_dependencies) {
    std::string inside;
    for (std::size_t i = 0; i < variables.size(); ++i)
      if (chosen(variables[i]))
        inside += "      <Unknown" + attribute("index", std::to_string(i + 1)) +
                  (with_dependencies ? dependency_attribute(model, variables[i], 1) : std::string()) + "/>\n";
    return inside.empty() ? std::string()
                          : std::string("    <") + element + ">\n" + inside + "    </" + element + ">\n";
  };
  return "  <ModelStructure>\n" +
         list(
             "Outputs", [](const auto& v) { return v.role == FmuRole::output; }, true) +
         list(
             "Derivatives", [](const auto& v) { return v.role == FmuRole::rate; }, true) +
         list(
             "InitialUnknowns",
             [](const auto& v) {
               return v.role == FmuRole::output || v.role == FmuRole::state || v.role == FmuRole::rate;
             },
             false) +
         "  </ModelStructure>\n";
}

std::string variables_3(const FmuModel& model) {
  std::string out = "  <ModelVariables>\n";
  for (std::size_t i = 0; i < model.variables().size(); ++i) {
    const FmuVariable& v = model.variables()[i];
    if (v.type == FmuType::real)
      out += "    <Float64" + common_attributes(v, i) + real_attributes(v) + start_attribute(v) +
             (v.role == FmuRole::rate ? attribute("derivative", std::to_string(v.state)) : std::string()) + "/>\n";
    else if (v.type == FmuType::integer)
      out += "    <Int32" + common_attributes(v, i) + whole_attributes(v) + start_attribute(v) + "/>\n";
    else
      out += "    <Boolean" + common_attributes(v, i) + start_attribute(v) + "/>\n";
  }
  return out + "  </ModelVariables>\n";
}

std::string structure_3(const FmuModel& model) {
  const auto& variables = model.variables();
  const auto list = [&](const char* element, auto&& chosen, bool with_dependencies) {
    std::string out;
    for (std::size_t i = 0; i < variables.size(); ++i)
      if (chosen(variables[i]))
        out += std::string("    <") + element + attribute("valueReference", std::to_string(i)) +
               (with_dependencies ? dependency_attribute(model, variables[i], 0) : std::string()) + "/>\n";
    return out;
  };
  return "  <ModelStructure>\n" +
         list(
             "Output", [](const auto& v) { return v.role == FmuRole::output; }, true) +
         list(
             "ContinuousStateDerivative", [](const auto& v) { return v.role == FmuRole::rate; }, true) +
         list(
             "InitialUnknown",
             [](const auto& v) {
               return v.role == FmuRole::output || v.role == FmuRole::state || v.role == FmuRole::rate;
             },
             false) +
         list(
             "EventIndicator", [](const auto& v) { return v.role == FmuRole::indicator; }, true) +
         "  </ModelStructure>\n";
}

std::string interfaces(const FmuModel& model, const FmuHeading& h) {
  const bool is_2 = h.version == 2;
  const std::string common =
      attribute("modelIdentifier", h.identifier) +
      attribute(is_2 ? "canGetAndSetFMUstate" : "canGetAndSetFMUState", true) +
      attribute(is_2 ? "canSerializeFMUstate" : "canSerializeFMUState", true) +
      attribute(is_2 ? "providesDirectionalDerivative" : "providesDirectionalDerivatives", model.can_be_integrated());
  const std::string memory = is_2 ? attribute("canNotUseMemoryManagementFunctions", true) : std::string();
  std::string out;
  if (model.can_be_integrated())
    out += "  <ModelExchange" + common + memory +
           attribute(is_2 ? "completedIntegratorStepNotNeeded" : "needsCompletedIntegratorStep", is_2) + "/>\n";
  out += "  <CoSimulation" + common + memory + attribute("canHandleVariableCommunicationStepSize", true);
  out += is_2 ? attribute("canInterpolateInputs", true)
              : attribute("hasEventMode", true) + attribute("mightReturnEarlyFromDoStep", true);
  return out + "/>\n";
}

}  // namespace

std::string attribute_text(std::string_view text) {
  std::string out;
  for (const char c : xml_characters(text)) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\n' || c == '\t')
      out += ' ';
    else
      out += c;
  }
  return out;
}

std::string fmi_unit(std::string_view unit) {
  std::string out;
  for (const char c : unit.empty() ? std::string_view("1") : unit) {
    if (c == '^') continue;
    out += c == ' ' ? '.' : c;
  }
  return out;
}

std::string model_description(const FmuModel& model, const FmuHeading& heading) {
  const bool is_2 = heading.version == 2;
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription";
  out += attribute("fmiVersion", std::string_view(is_2 ? "2.0" : "3.0")) + attribute("modelName", heading.name) +
         attribute(is_2 ? "guid" : "instantiationToken", heading.token);
  out += attribute("description", model.content().title);
  out += attribute("generationTool", "stickslip " + std::string(version()));
  out += attribute("variableNamingConvention", std::string_view("flat"));
  if (is_2) out += attribute("numberOfEventIndicators", std::to_string(model.indicators()));
  out += ">\n" + interfaces(model, heading) + unit_definitions(model) + log_categories() + default_experiment(model);
  out += is_2 ? variables_2(model) + structure_2(model) : variables_3(model) + structure_3(model);
  return out + "</fmiModelDescription>\n";
}

}  // namespace stickslip::inline fmu
