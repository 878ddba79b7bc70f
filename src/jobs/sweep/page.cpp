/// The HTML report of `stickslip sweep`; see page.hpp.
#include "jobs/sweep/page.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "core/units.hpp"
#include "files/whole_file.hpp"
#include "jobs/sweep/figure.hpp"
#include "report/how_to_repeat.hpp"

namespace stickslip::inline jobs {
namespace {

std::string shown(double value, const std::string& unit) {
  return unit.empty() ? significant(value, 5) : with_unit(value, unit, 5);
}

PageTable parameter_table(const Sweep& sweep) {
  PageTable table{.columns = {"parameter", "from", "to", "spacing", "values"}};
  for (const SweptParameter& p : sweep.plan.parameters) {
    const auto [low, high] = p.values.empty() ? std::pair{p.low, p.high}
                                              : std::pair{*std::min_element(p.values.begin(), p.values.end()),
                                                          *std::max_element(p.values.begin(), p.values.end())};
    table.rows.push_back({p.path, shown(low, p.unit), shown(high, p.unit),
                          p.values.empty() ? (p.logarithmic ? "logarithmic" : "linear") : "a list",
                          grid_count(p) > 0 ? std::to_string(grid_count(p)) : "any"});
  }
  return table;
}

Warnings warnings_of(const SweepRun& run) {
  Warnings warnings;
  if (const std::size_t failed = failures(run); failed > 0)
    warnings.texts.push_back(std::to_string(failed) + " of " + std::to_string(run.rows.size()) +
                             " runs failed; the column `stop` of the results gives the reason.");
  return warnings;
}

}  // namespace

TextTable output_table(const Sweep& sweep, const SweepRun& run) {
  TextTable table{.columns = {"output", "lowest", "median", "highest", "runs without a value"}};
  const bool has_yes = std::any_of(sweep.outputs.begin(), sweep.outputs.end(),
                                   [](const SweepOutput& o) { return o.kind == OutputKind::sticks; });
  if (has_yes) table.columns.push_back("runs with yes");
  for (std::size_t k = 0; k < sweep.outputs.size(); ++k) {
    std::vector<double> values;
    for (std::size_t i = 0; i < run.rows.size(); ++i)
      if (std::isfinite(run.rows.row(i)[k])) values.push_back(run.rows.row(i)[k]);
    std::sort(values.begin(), values.end());
    const bool is_yes = sweep.outputs[k].kind == OutputKind::sticks;  // no order of values, but a share
    const auto cell = [&](std::size_t at) {
      return values.empty() || is_yes ? std::string("-") : shown(values[at], sweep.outputs[k].unit);
    };
    table.rows.push_back({sweep.outputs[k].text, cell(0), cell(values.size() / 2), cell(values.size() - 1),
                          std::to_string(run.rows.size() - values.size())});
    if (!has_yes) continue;
    const auto yes = static_cast<double>(std::count(values.begin(), values.end(), 1.0));
    table.rows.back().push_back(
        is_yes && !values.empty() ? significant(100 * yes / static_cast<double>(values.size()), 3) + " %" : "-");
  }
  return table;
}

std::string boundary_text(const BoundaryAgreement& b) {
  std::string text = std::to_string(b.right) + " of " + std::to_string(b.runs) +
                     " runs stick or slide as the closed form of the spring-slider predicts";
  if (b.right < b.runs)
    text += "; the others are within " + significant(100 * b.furthest_wrong, 2) + " % of the critical speed";
  return text;
}

Page sweep_page(const Sweep& sweep, const SweepRun& run, const std::string& command) {
  Page page{.title = sweep.title.empty() ? sweep.file : sweep.title};
  page.subtitle = std::to_string(run.rows.size()) + " runs of " + one_line(sweep.scenario);
  page.blocks.push_back(warnings_of(run));
  page.blocks.push_back(PageHeading{"Results"});
  if (sweep.compares) page.blocks.push_back(Paragraph{boundary_text(boundary_agreement(sweep, run)) + "."});
  Figure figure = sweep_figure(sweep, run);
  figure.title.clear();
  if (figure.panels.size() > 1 && sweep.plan.parameters.size() == 2) figure.columns = 2;  // maps are nearly square
  page.blocks.push_back(FigureBlock{std::move(figure), "sweep"});
  page.blocks.push_back(page_table(output_table(sweep, run)));
  page.blocks.push_back(PageHeading{"Parameters"});
  page.blocks.push_back(parameter_table(sweep));
  add_how_to_repeat(page, {command, {fingerprinted(sweep.file), fingerprinted(sweep.scenario)}});
  for (const std::string& file : {sweep.file, sweep.scenario}) {
    Details details{.summary = "The file " + one_line(file), .blocks = {}};
    details.blocks.push_back(Code{read_whole(file)});
    page.blocks.push_back(details);
  }
  return page;
}

}  // namespace stickslip::inline jobs
