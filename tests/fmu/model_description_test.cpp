/// modelDescription.xml keeps the standard's rules.
#include "fmu/model_description.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "fmu/fmu_rerun.hpp"
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
      if (e.name != "Boolean" && v.causality != "independent") {
        EXPECT_FALSE(low.empty() || high.empty()) << v.name;
      }
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

// Names beyond 55 characters are cut, and nothing else changes: units, bounds, dependencies, and what the export compares and says.
// A description with such a character cannot be read by any importer.
TEST(Fmu, TextsHoldNoCharacterThatXmlDoesNotAllow) {
  EXPECT_EQ(attribute_text("a<\"&>\n\xff\x1b\x7f\uFFFE\uFFFF\u00e9"),
            "a&lt;&quot;&amp;&gt; \uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\u00e9");
}

TEST(Fmu, LongNamesAreCutAndNothingElseChanges) {
  const std::string tail = "_as_the_drawing_of_the_whole_plant_names_it_in_full_and_at_length";
  for (const char* file : {"machines/winch.toml", "machines/pulled_pair.toml"})
    for (const int version : {2, 3}) {
      const std::string text = read_whole(example(file));
      std::string longer = text;
      std::vector<std::string> names;
      for (std::size_t at = 0; (at = text.find("\nname = \"", at)) != std::string::npos; ++at)
        names.push_back(text.substr(at + 9, text.find('"', at + 9) - at - 9));
      ASSERT_GT(names.size(), 4u);
      for (const std::string& name : names)
        for (std::size_t at = 0; (at = longer.find('"' + name + '"', at)) != std::string::npos; ++at)
          longer.insert(at + 1 + name.size(), tail);
      const FmuFile plain = describe_fmu(text, "a.toml", with(0, version));
      const FmuFile cut = describe_fmu(longer, "a.toml", with(0, version));
      check_description(cut, version, std::string(file) + " with long names");
      const auto &before = plain.model->variables(), &after = cut.model->variables();
      ASSERT_EQ(before.size(), after.size());
      std::size_t count = 0;
      for (std::size_t i = 0; i < before.size(); ++i) {
        const FmuVariable &a = before[i], &b = after[i];
        EXPECT_TRUE(a.role == b.role && a.index == b.index && a.type == b.type && a.unit == b.unit &&
                    a.state == b.state && a.start == b.start)
            << b.whole_name << ": " << a.unit << ", " << b.unit;
        if (b.whole_name.size() <= 55) continue;
        ++count;
        EXPECT_NE(b.name, b.whole_name);
        if (b.role != FmuRole::rate) {
          EXPECT_NE(b.description.find(b.whole_name), std::string::npos) << b.description;
        }
      }
      EXPECT_GT(count, 20u);
      EXPECT_NE(cut.losses[cut.losses.size() - 2].find(std::to_string(count) + " names are longer than 55"),
                std::string::npos);
      // Which variable depends on which.
      const auto structure = [](const FmuFile& f) {
        return f.description.substr(f.description.find("<ModelStructure>"));
      };
      EXPECT_EQ(structure(plain), structure(cut));
      // The notes name variables that exist.
      ASSERT_EQ(plain.notes.size(), cut.notes.size());
      for (const std::string& note : cut.notes) {
        const std::size_t quote = note.find('\''), set = note.find("; set ");
        ASSERT_TRUE(quote != std::string::npos && set != std::string::npos) << note;
        const std::string input = note.substr(quote + 1, note.find('\'', quote + 1) - quote - 1);
        const std::string flag = note.substr(set + 6, note.find(" to ", set) - set - 6);
        const auto role_of = [&](const std::string& name) {
          for (const FmuVariable& v : after)
            if (v.name == name) return v.role;
          return FmuRole::time;
        };
        EXPECT_EQ(role_of(input), FmuRole::input) << note;
        EXPECT_EQ(role_of(flag), FmuRole::from_file) << note;
      }
      if (version == 3) continue;
      const FmuRerun a = rerun_fmu(plain, text, "a.toml"), b = rerun_fmu(cut, longer, "a.toml");
      EXPECT_GT(a.outputs, 10u);
      EXPECT_EQ(a.outputs, b.outputs);
      EXPECT_EQ(a.apart, b.apart);
      EXPECT_LT(b.apart, 1e-9);
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
