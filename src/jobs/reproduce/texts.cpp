/// A reproduced experiment in words, for programs and as files; see texts.hpp.
#include "jobs/reproduce/texts.hpp"

#include "core/text.hpp"
#include "experiments/papers.hpp"
#include "files/csv.hpp"
#include "files/whole_file.hpp"
#include "platform/path.hpp"
#include "report/svg.hpp"
#include "report/table.hpp"
#include "report/terminal.hpp"

namespace stickslip::inline jobs {
namespace {

std::string_view rule_name(ComparedRow::Rule rule) {
  return rule == ComparedRow::Rule::below ? "below" : rule == ComparedRow::Rule::above ? "above" : "near";
}

}  // namespace

Json reproduction_json(const Experiment& experiment, const Reproduction& found,
                       const std::vector<std::string>& written) {
  const Paper& paper = cited_paper(experiment.paper);
  Json rows = Json::array();
  bool all_ok = true;
  for (const auto& row : found.rows) {
    all_ok = all_ok && row.ok();
    rows.push_back(Json::object({{"quantity", row.quantity},
                                 {"unit", row.unit},
                                 {"rule", rule_name(row.rule)},
                                 {"reference", row.reference},
                                 {"ours", row.ours},
                                 {"tolerance", row.tolerance},
                                 {"origin", origin_name(row.origin)},
                                 {"ok", row.ok()}}));
  }
  return Json::object({{"name", experiment.name},
                       {"title", experiment.title},
                       {"paper", experiment.paper},
                       {"paper_name", paper.name},
                       {"reference", paper.title + ". " + paper.reference},
                       {"ok", all_ok},
                       {"rows", rows},
                       {"remarks", found.remarks},
                       {"written", written}});
}

std::string reproduction_text(const Experiment& experiment, const Reproduction& found, bool colour) {
  TextTable table{.columns = {"quantity", "reference", "ours", "tolerance", "unit", "origin", ""}, .rows = {}};
  for (const auto& row : found.rows)
    table.rows.push_back({row.quantity, reference_text(row), ours_text(row),
                          row.rule == ComparedRow::Rule::near ? significant(row.tolerance, 3) : "-", row.unit,
                          std::string(origin_name(row.origin)), row.ok() ? "ok" : "no"});
  std::string text = coloured(experiment.name, Ink::bold, colour) + ": " + experiment.title + " (" + experiment.paper +
                     ")\n\n" + to_text(table, {.colour = colour}) + "\n";
  for (const auto& remark : found.remarks) text += "note: " + remark + "\n";
  return text;
}

std::vector<std::string> write_reproduction(const std::string& folder, const Reproduction& found) {
  std::vector<std::string> written;
  WholeFiles files;
  const auto write = [&](const std::string& name, const std::string& content) {
    written.push_back(joined_path(folder, name));
    files.add(written.back(), content);
  };
  for (const auto& [name, figure] : found.figures) write(name + ".svg", to_svg(figure));
  for (const auto& [name, table] : found.tables) write(name + ".csv", to_csv(table));
  files.keep();
  return written;
}

void write_gallery(const std::string& folder, const std::vector<Reproduced>& all, const Provenance& provenance) {
  for (const auto& [name, html] : gallery(all, provenance)) write_whole(joined_path(folder, name), html);
}

}  // namespace stickslip::inline jobs
