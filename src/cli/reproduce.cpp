/// stickslip reproduce [NAME|all|--list]: runs published experiments and sets their numbers beside ours.
#include <iostream>
#include <memory>

#include "command.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "experiments/experiment.hpp"
#include "files/json.hpp"
#include "jobs/reproduce/texts.hpp"
#include "jobs/result_place.hpp"
#include "platform/path.hpp"
#include "report/progress.hpp"
#include "report/table.hpp"
#include "report/terminal.hpp"

namespace stickslip {
namespace {

struct ReproduceArguments {
  std::vector<std::string> names;
  std::string output, report;
  bool list = false, json = false, no_files = false, markdown = false;
};

void list_experiments(bool json) {
  if (json) {
    Json all = Json::array();
    for (const auto* e : all_experiments())
      all.push_back(Json::object({{"name", e->name}, {"title", e->title}, {"paper", e->paper}}));
    std::cout << all.text() << "\n";
    return;
  }
  TextTable table{.columns = {"name", "title", "paper"}, .rows = {}};
  for (const auto* e : all_experiments()) table.rows.push_back({e->name, e->title, e->paper});
  std::cout << to_text(table, {.colour = wants_colour()}) << "\n`stickslip reproduce NAME` runs one, `all` runs all.\n";
}

/// All names are looked up before the first experiment runs.
std::vector<const Experiment*> chosen(const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const auto* e : all_experiments()) known.push_back(e->name);
  known.push_back("all");
  std::vector<const Experiment*> found;
  for (const auto& name : names) {
    if (name == "all") return all_experiments();
    const Experiment* match = nullptr;
    for (const auto* e : all_experiments())
      if (e->name == name) match = e;
    if (!match) throw Error(no_such("experiment", name, known));
    found.push_back(match);
  }
  return found;
}

Outcome reproduce(const ReproduceArguments& a) {
  if (a.list) {
    list_experiments(a.json);
    return Outcome::done;
  }
  if (a.names.empty()) throw Error("which experiment? `stickslip reproduce --list` shows them, `all` runs all");
  const auto experiments = chosen(a.names);
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
  for (const auto* experiment : experiments) {
    Reproduction found;
    {
      Progress progress("reproduce " + experiment->name);
      found = experiment->run(progress);
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
  auto* command = app.add_subcommand("reproduce", "Run published experiments and compare their numbers with ours");
  command->add_option("name", a->names, "experiments by name, or all");
  command->add_flag("--list", a->list, "show the experiments");
  command->add_option("-o,--output", a->output, "directory for figures and tables, created if missing")
      ->capture_default_str();
  command->add_option("--report", a->report,
                      "directory for an HTML gallery instead of single files: index.html and a page per paper");
  command->add_flag("--no-files", a->no_files, "write nothing (but the gallery, if asked for)");
  auto* json = command->add_flag("--json", a->json, "print the results as JSON");
  command->add_flag("--markdown", a->markdown, "the summary as a Markdown table")->excludes(json);
  command->footer(
      "Example\n  stickslip reproduce stick-slip --output figures\n"
      "  stickslip reproduce all --report gallery\n\nExit code 1 if any row is off.");
  command->callback([a, &outcome] { outcome = reproduce(*a); });
}

}  // namespace stickslip
