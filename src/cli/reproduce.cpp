/// stickslip reproduce [NAME|all|modelica|--list]: runs published experiments and sets their numbers beside ours.
#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>

#include "command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "experiments/experiment.hpp"
#include "experiments/modelica.hpp"
#include "files/json.hpp"
#include "jobs/reproduce/texts.hpp"
#include "jobs/result_place.hpp"
#include "platform/path.hpp"
#include "report/progress.hpp"
#include "report/table.hpp"
#include "report/terminal.hpp"
#include "result_options.hpp"

namespace stickslip::inline cli {
namespace {

struct ReproduceArguments {
  std::vector<std::string> names;
  std::string output, report, reference;
  bool list = false, json = false, no_files = false, markdown = false, plot = false;
};

void list_experiments(bool json) {
  if (json) {
    Json all = Json::array();
    for (const auto* e : all_experiments())
      all.push_back(Json::object({{"name", e->name}, {"title", e->title}, {"paper", e->paper}}));
    for (const auto& e : modelica_examples())
      all.push_back(Json::object({{"name", e.experiment.name},
                                  {"title", e.experiment.title},
                                  {"paper", e.experiment.paper},
                                  {"needs", "--reference"}}));
    std::cout << all.text() << "\n";
    return;
  }
  TextTable table{.columns = {"name", "title", "paper"}, .rows = {}};
  for (const auto* e : all_experiments()) table.rows.push_back({e->name, e->title, e->paper});
  for (const auto& e : modelica_examples())
    table.rows.push_back({e.experiment.name, e.experiment.title, e.experiment.paper});
  std::cout << to_text(table, {.colour = wants_colour()})
            << "\n`stickslip reproduce NAME` runs one, `all` runs all but those of the Modelica Standard Library; "
               "these are run "
               "by\n`stickslip reproduce modelica --reference FOLDER`, FOLDER having the published results.\n";
}

/// What is run: an experiment by itself, or an example beside its reference.
struct Chosen {
  Experiment experiment;
  std::function<Reproduction(Progress&)> run;
};

/// All names are looked up before the first experiment runs.
std::vector<Chosen> chosen(const std::vector<std::string>& names, const std::string& folder) {
  std::vector<Chosen> own, beside;
  for (const auto* e : all_experiments()) own.push_back({*e, e->run});
  for (const ReferenceExample& example : modelica_examples())
    beside.push_back({example.experiment, [example, folder](Progress& progress) {
                        return compare_with_reference(example, folder, progress);
                      }});
  std::vector<std::string> known{"all", "modelica"};
  for (const auto* list : {&own, &beside})
    for (const auto& c : *list) known.push_back(c.experiment.name);
  std::vector<Chosen> found, referenced;  // those whose reference is there
  std::vector<std::string> absent;
  for (const ReferenceExample& example : modelica_examples())
    if (!folder.empty() && !reference_file(example, folder).empty())
      for (const auto& c : beside)
        if (c.experiment.name == example.experiment.name) referenced.push_back(c);
  for (const auto& c : beside)
    if (std::none_of(referenced.begin(), referenced.end(),
                     [&](const Chosen& other) { return other.experiment.name == c.experiment.name; }))
      absent.push_back(c.experiment.name);
  const auto take_referenced = [&] {
    if (referenced.empty())
      throw Error(one_line(folder) +
                  ": no published results here; CoupledClutches.csv and the others as docs/modelica.md lists them");
    if (!absent.empty())
      std::cerr << "skipped, no published result in " << one_line(folder) << ": " << joined(absent) << "\n";
  };
  const auto take = [&](const std::vector<Chosen>& list, const std::string& name) {
    bool is_known = false;
    for (const auto& c : list) {
      if (!name.empty() && c.experiment.name != name) continue;
      is_known = true;
      const bool is_there = std::any_of(
          found.begin(), found.end(), [&](const Chosen& other) { return other.experiment.name == c.experiment.name; });
      if (!is_there) found.push_back(c);  // `all modelica` names some twice
    }
    return is_known;
  };
  const auto needs_folder = [&](const std::string& name) {
    if (folder.empty())
      throw Error(name +
                  ": give the folder with the published results: --reference FOLDER, in it CoupledClutches.csv and the "
                  "others as docs/modelica.md lists them");
  };
  for (const auto& name : names) {
    if (name == "all") {
      take(own, "");
      if (!folder.empty()) take_referenced(), take(referenced, "");
    } else if (name == "modelica") {
      needs_folder(name);
      take_referenced(), take(referenced, "");
    } else if (take(beside, name)) {
      needs_folder(name);
    } else if (!take(own, name)) {
      throw Error(no_such("experiment", name, known));
    }
  }
  return found;
}

Outcome reproduce(const ReproduceArguments& a) {
  if (a.list) {
    list_experiments(a.json);
    return Outcome::done;
  }
  if (a.names.empty()) throw Error("no experiment is given; `stickslip reproduce --list` lists them, `all` runs all");
  const auto experiments = chosen(a.names, a.reference);
  if (!a.no_files && a.report.empty()) make_directory(a.output);
  if (!a.report.empty()) make_directory(a.report);
  const bool colour = wants_colour();
  Json report = Json::array();
  TextTable summary{
      .columns = {"experiment", "what", "paper", "printed", "independent", "self-checks", "within tolerance"},
      .rows = {}};
  OriginCounts counts;
  std::size_t off = 0;
  std::vector<Reproduced> all;
  for (const Chosen& one : experiments) {
    const Experiment* experiment = &one.experiment;
    Reproduction found;
    {
      Progress progress("reproduce " + experiment->name);
      found = one.run(progress);
    }
    // With --report the gallery holds the figures and its pages save them.
    const auto written =
        a.no_files || !a.report.empty() ? std::vector<std::string>{} : write_reproduction(a.output, found);
    std::size_t off_here = 0;
    for (const auto& row : found.rows) off_here += row.ok() ? 0 : 1;
    const OriginCounts here = count_origins(found.rows);
    counts.printed += here.printed, counts.independent += here.independent, counts.self_checks += here.self_checks;
    off += off_here;
    summary.rows.push_back({experiment->name, experiment->title, experiment->paper, std::to_string(here.printed),
                            std::to_string(here.independent), std::to_string(here.self_checks),
                            std::to_string(here.all() - off_here) + " of " + std::to_string(here.all())});
    if (a.json) report.push_back(reproduction_json(*experiment, found, written));
    if (!a.json && !a.markdown) {
      std::cout << reproduction_text(*experiment, found, colour);
      if (a.plot)
        for (const NamedFigure& named : found.figures) draw(named.figure);
      for (const auto& path : written) std::cout << "wrote " << path << "\n";
      std::cout << std::endl;
    }
    if (!a.report.empty()) all.push_back({experiment, std::move(found)});
  }
  if (!a.report.empty()) write_gallery(a.report, all, {command_line()});
  if (a.markdown)
    std::cout << to_markdown(summary);
  else if (a.json)
    std::cout << report.text() << "\n";
  else if (off > 0)
    std::cout << off << " of " << counts.all() << " rows " << coloured("are off", Ink::red, colour) << "\n";
  else
    std::cout << "all " << counts.all() << " rows " << coloured("ok", Ink::green, colour) << ": "
              << origins_text(counts) << "\n";
  if (!a.report.empty() && !a.json && !a.markdown)
    std::cout << "wrote " << joined_path(a.report, "index.html") << " (gallery)\n";
  return off == 0 ? Outcome::done : Outcome::failed;
}

}  // namespace

void add_reproduce(CLI::App& app, Outcome& outcome) {
  auto a = std::make_shared<ReproduceArguments>();
  a->output = "reproduced";
  auto* command = app.add_subcommand("reproduce", "Run published experiments and compare the numbers");
  command->add_option("name", a->names, "names of experiments, `all`, or `modelica`");
  command->add_flag("--list", a->list, "list the experiments");
  command->add_option("--reference", a->reference,
                      "folder with the published results of the Modelica Standard Library, needed for modelica");
  command->add_option("-o,--output", a->output, "directory for figures and tables, created if missing")
      ->capture_default_str();
  command->add_option("--report", a->report,
                      "directory for an HTML gallery instead of single files: index.html and a page per paper");
  command->add_flag("--plot", a->plot, "draw the figures on the terminal");
  command->add_flag("--no-files", a->no_files, "write no files except the gallery, if requested")
      ->excludes(command->get_option("--output"));
  auto* json = command->add_flag("--json", a->json, "print the results as JSON");
  command->add_flag("--markdown", a->markdown, "print the summary as a Markdown table")->excludes(json);
  command->footer(
      "Example\n  stickslip reproduce stick-slip --output figures\n"
      "  stickslip reproduce all --report gallery\n"
      "  stickslip reproduce modelica --reference published --report gallery\n\nExit code 1 if any row is out of "
      "tolerance.");
  command->callback([a, &outcome] { outcome = reproduce(*a); });
}

}  // namespace stickslip::inline cli
