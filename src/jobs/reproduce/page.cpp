/// The HTML gallery of `stickslip reproduce`; see page.hpp.
#include "jobs/reproduce/page.hpp"

#include <algorithm>
#include <cctype>

#include "core/text.hpp"
#include "experiments/papers.hpp"
#include "report/page.hpp"

namespace stickslip::inline jobs {
namespace {

/// "Nouailletas 2010" is "nouailletas_2010.html".
std::string file_of(const Paper& paper) {
  std::string name;
  for (const char c : paper.name)
    name += c == ' ' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name + ".html";
}

/// Those of one paper, in the order given.
std::vector<const Reproduced*> of_paper(const std::vector<Reproduced>& all, const Paper& paper) {
  std::vector<const Reproduced*> found;
  for (const auto& r : all)
    if (cited_paper(r.experiment->paper).name == paper.name) found.push_back(&r);
  return found;
}

std::size_t count_ok(const Reproduction& r) {
  return static_cast<std::size_t>(
      std::count_if(r.rows.begin(), r.rows.end(), [](const auto& row) { return row.ok(); }));
}

PageTable numbers_of(const Reproduction& result) {
  PageTable table{
      .caption = {}, .columns = {"quantity", "reference", "ours", "tolerance", "unit", "origin", ""}, .rows = {}};
  for (const auto& row : result.rows)
    table.rows.push_back({row.quantity, reference_text(row), ours_text(row),
                          row.rule == ComparedRow::Rule::near ? significant(row.tolerance, 3) : "", row.unit,
                          std::string(origin_name(row.origin)), row.ok() ? "ok" : "no"});
  return table;
}

/// "All 12 numbers are within their tolerance (...)", or how many are not.
std::string verdict_on(const Reproduction& result) {
  const std::size_t all = result.rows.size(), ok = count_ok(result);
  return ok == all ? "All " + std::to_string(all) + " numbers are within their tolerance (" +
                         origins_text(count_origins(result.rows)) + ")"
                   : std::to_string(all - ok) + " of " + std::to_string(all) + " numbers are off";
}

void add_experiment(Page& page, const Reproduced& r) {
  page.blocks.push_back(PageHeading{r.experiment->title});
  page.blocks.push_back(Paragraph{r.experiment->paper + ". " + r.experiment->setup});
  for (const auto& [name, figure] : r.result.figures) page.blocks.push_back(FigureBlock{figure, name});
  Details numbers{.summary = verdict_on(r.result),
                  .blocks = {},
                  .open = r.result.rows.size() <= 12 || count_ok(r.result) < r.result.rows.size()};
  numbers.blocks.push_back(numbers_of(r.result));
  page.blocks.push_back(numbers);
  if (!r.result.remarks.empty()) {
    page.blocks.push_back(PageHeading{"Differences from the paper", 3});
    page.blocks.push_back(Remarks{r.result.remarks});
  }
  const bool needs_folder = r.experiment->name.starts_with("modelica-");
  page.blocks.push_back(
      Code{"stickslip reproduce " + r.experiment->name + (needs_folder ? " --reference FOLDER" : "")});
}

/// Which figures of the paper are shown here, and why the others are not.
PageTable coverage(const Paper& paper, const std::vector<const Reproduced*>& here) {
  PageTable table{.caption = {}, .columns = {"", "shows", "here", "remark"}, .rows = {}};
  for (const auto& figure : paper.figures) {
    const auto drawn =
        std::find_if(here.begin(), here.end(), [&](const auto* r) { return r->experiment->name == figure.experiment; });
    const bool is_here = !figure.experiment.empty() && drawn != here.end();
    PageCell where = is_here ? PageCell((*drawn)->experiment->title, Tone::plain)
                             : PageCell(figure.experiment.empty() ? "–" : "not run", Tone::soft);
    table.rows.push_back({figure.number, figure.what, where, PageCell(figure.remark, Tone::soft)});
  }
  return table;
}

Page paper_page(const Paper& paper, const std::vector<const Reproduced*>& here, const Provenance& provenance) {
  std::size_t rows = 0, ok = 0, figures = 0;
  for (const auto* r : here)
    rows += r->result.rows.size(), ok += count_ok(r->result), figures += r->result.figures.size();
  Page page{.title = paper.name + ": " + paper.title, .home = "index.html"};
  page.subtitle = paper.reference + ". " + std::to_string(figures) + (figures == 1 ? " figure, " : " figures, ") +
                  std::to_string(ok) + " of " + std::to_string(rows) + " numbers within their tolerance";
  for (const auto* r : here) add_experiment(page, *r);
  page.blocks.push_back(PageHeading{"Figures of the paper"});
  page.blocks.push_back(coverage(paper, here));
  if (!paper.misprints.empty()) {
    page.blocks.push_back(PageHeading{"Misprints"});
    PageTable table{.caption = {}, .columns = {"place", "print", "here"}, .rows = {}};
    for (const auto& m : paper.misprints) table.rows.push_back({m.place, m.print, m.here});
    page.blocks.push_back(table);
  }
  add_how_to_repeat(page, provenance);
  return page;
}

}  // namespace

std::string ours_text(const ComparedRow& row) { return significant(row.ours, 10); }

std::string reference_text(const ComparedRow& row) {
  const std::string number = significant(row.reference, 10);
  switch (row.rule) {
    case ComparedRow::Rule::below:
      return "<= " + number;
    case ComparedRow::Rule::above:
      return ">= " + number;
    default:
      return number;
  }
}

std::string origins_text(const OriginCounts& counts) {
  const auto many = [](std::size_t count, const std::string& what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
  };
  return std::to_string(counts.printed) + " printed in the papers, " +
         many(counts.independent, "independent reference") + ", " + many(counts.self_checks, "self-check");
}

std::vector<GalleryFile> gallery(const std::vector<Reproduced>& all, const Provenance& provenance) {
  std::vector<GalleryFile> files;
  Page index{.title = "Published experiments, reproduced"};
  std::vector<ComparedRow> rows;
  std::size_t ok = 0;
  for (const auto& r : all)
    rows.insert(rows.end(), r.result.rows.begin(), r.result.rows.end()), ok += count_ok(r.result);
  index.subtitle = std::to_string(ok) + " of " + std::to_string(rows.size()) +
                   " numbers within their tolerance: " + origins_text(count_origins(rows));
  for (const Paper& paper : papers()) {
    const auto here = of_paper(all, paper);
    if (here.empty()) continue;
    index.blocks.push_back(PageHeading{paper.name + ": " + paper.title});
    index.blocks.push_back(Paragraph{paper.reference + "."});
    Thumbnails strip;
    for (const auto* r : here)
      for (const auto& [name, figure] : r->result.figures)
        strip.items.push_back({figure, figure.title, figure.subtitle.substr(0, figure.subtitle.find(':')),
                               file_of(paper) + "#" + anchor_of(r->experiment->title)});
    index.blocks.push_back(strip);
    files.push_back({file_of(paper), to_html(paper_page(paper, here, provenance))});
  }
  add_how_to_repeat(index, provenance);
  files.push_back({"index.html", to_html(index)});
  return files;
}

}  // namespace stickslip::inline jobs
