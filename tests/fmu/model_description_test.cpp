/// modelDescription.xml keeps the standard's rules.
#include "fmu/model_description.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "fmus.hpp"

namespace stickslip::model_description_test {
namespace {

using namespace importing;

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

}  // namespace
}  // namespace stickslip::model_description_test
