/// stickslip models [NAME] [--json] [--markdown]: the friction models, or one of them with equations, parameters and sources.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>

#include "check/reference_sets.hpp"
#include "command.hpp"
#include "core/text.hpp"
#include "files/json.hpp"
#include "machines/friction/friction.hpp"
#include "machines/friction/friction_snippet.hpp"
#include "report/table.hpp"
#include "report/terminal.hpp"

namespace stickslip::inline cli {
namespace {

struct ModelsArguments {
  std::string model;
  bool json = false, markdown = false;
};

std::string_view nature_words(Nature nature) {
  switch (nature) {
    case Nature::sticks:
      return "truly sticks";
    case Nature::bristles:
      return "bristle states";
    case Nature::modes:
      return "modes";
  }
  return "";
}

/// The default as a person reads it; "required" if there is none.
std::string default_text(const ParameterDescription& p) {
  if (p.is_required()) return "required";
  if (p.kind == ParameterKind::choice) return p.choices[static_cast<std::size_t>(p.preset)];
  if (p.kind == ParameterKind::list) return "none";
  return significant(p.preset, 6);
}

std::string allowed_text(const ParameterDescription& p) {
  if (p.kind == ParameterKind::choice) return joined(p.choices, " or ");
  const std::string range(allowed_range(p.domain));
  return p.kind == ParameterKind::list ? "list, each " + range : range;
}

Json described(const ModelDescription& model) {
  Json parameters = Json::array();
  for (const auto& p : model.parameters) {
    Json row = Json::object({{"key", p.key},
                             {"symbol", p.symbol},
                             {"unit", p.unit},
                             {"meaning", p.meaning},
                             {"allowed", allowed_text(p)},
                             {"required", p.is_required()}});
    if (p.kind == ParameterKind::choice)
      row["default"] = p.is_required() ? Json() : Json(default_text(p));
    else
      row["default"] = p.preset;
    if (!p.choices.empty()) row["choices"] = p.choices;
    if (p.kind != ParameterKind::choice) row["search"] = Json::array({p.low, p.high});
    parameters.push_back(row);
  }
  return Json::object({{"name", model.name},
                       {"title", model.title},
                       {"kind", nature_words(model.nature)},
                       {"equations", model.equations},
                       {"source", model.source},
                       {"captures", model.captures},
                       {"lacks", model.lacks},
                       {"states", model.states},
                       {"parameters", parameters},
                       {"example", friction_snippet(model, reference_values(model))}});
}

void list_models(const ModelsArguments& a) {
  if (a.json) {
    Json all = Json::array();
    for (const auto* model : registered_models()) all.push_back(described(model->description()));
    std::cout << all.text() << "\n";
    return;
  }
  TextTable table{.columns = {"name", "title", "kind", "parameters"}, .rows = {}};
  for (const auto* model : registered_models()) {
    const auto& d = model->description();
    table.rows.push_back({d.name, d.title, std::string(nature_words(d.nature)), std::to_string(d.parameters.size())});
  }
  if (a.markdown)
    std::cout << to_markdown(table);
  else
    std::cout << to_text(table, {.colour = wants_colour()}) << "\n`stickslip models NAME` shows one of them.\n";
}

void show_model(const ModelDescription& model, bool json) {
  if (json) {
    std::cout << described(model).text() << "\n";
    return;
  }
  const bool colour = wants_colour();
  const std::size_t width = std::clamp<std::size_t>(terminal_width(), 60, 120);
  const auto heading = [&](const char* text) { std::cout << "\n" << coloured(text, Ink::bold, colour) << "\n"; };
  std::cout << coloured(model.name, Ink::bold, colour) << ": " << model.title << " (" << nature_words(model.nature)
            << ")\n";
  heading("Equations");
  std::string rest = model.equations;  // one line per equation
  while (!rest.empty()) {
    const auto end = rest.find("; ");
    std::cout << wrapped(rest.substr(0, end), width, "  ");
    rest = end == std::string::npos ? "" : rest.substr(end + 2);
  }
  heading("Parameters");
  TextTable table{.columns = {"key", "symbol", "unit", "meaning", "allowed", "default"}, .rows = {}};
  for (const auto& p : model.parameters)
    table.rows.push_back({p.key, p.symbol, p.unit, p.meaning, allowed_text(p), default_text(p)});
  std::cout << to_text(table, {.colour = colour, .indent = "  "});
  if (!model.states.empty()) {
    heading("States");
    std::cout << wrapped(joined(model.states), width, "  ");
  }
  heading("Captures");
  std::cout << wrapped(model.captures, width, "  ");
  heading("Does not capture");
  std::cout << wrapped(model.lacks, width, "  ");
  heading("Sources");
  std::cout << wrapped(model.source, width, "  ");
  heading("In a scenario file");
  std::cout << friction_snippet(model, reference_values(model));
}

}  // namespace

void add_models(CLI::App& app, Outcome&) {
  auto a = std::make_shared<ModelsArguments>();
  auto* command = app.add_subcommand("models", "List the friction models, or show one of them");
  command->add_option("model", a->model, "name of a model; shows its equations, parameters, units and sources");
  auto* json = command->add_flag("--json", a->json, "print the results as JSON");
  command->add_flag("--markdown", a->markdown, "print the list as a Markdown table")->excludes(json);
  command->footer("Example\n  stickslip models hybrid-presliding");
  command->callback([a] {
    if (a->model.empty())
      list_models(*a);
    else
      show_model(find_model(a->model).description(), a->json);
  });
}

}  // namespace stickslip::inline cli
