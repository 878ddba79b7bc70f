/// The HTML report of `stickslip simulate`; see page.hpp.
#include "jobs/simulate/page.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "core/units.hpp"
#include "files/whole_file.hpp"
#include "machines/run_view.hpp"
#include "report/how_to_repeat.hpp"

namespace stickslip::inline jobs {
namespace {

constexpr std::size_t events_shown = 500;

/// The first events, as the events file lists them.
Details events_of(const RunEvents& events) {
  TextTable table{.columns = event_headings(events), .rows = {}};
  const std::size_t count = events.list.size();
  for (std::size_t i = 0; i < std::min(count, events_shown); ++i) table.rows.push_back(event_cells(events.list[i]));
  Details details{.summary = count > events_shown ? "The first " + std::to_string(events_shown) + " of " +
                                                        std::to_string(count) + " events"
                                                  : "All " + std::to_string(count) + " events",
                  .blocks = {}};
  details.blocks.push_back(page_table(table));
  return details;
}

Warnings warnings_of(const BuiltMachine& machine, const MachineRun& run) {
  Warnings warnings{machine.warnings};
  warnings.texts.insert(warnings.texts.end(), run.warnings.begin(), run.warnings.end());
  if (run.stop != Stop::finished) warnings.texts.push_back("The run ended early: " + run.message);
  return warnings;
}

}  // namespace

Page simulation_page(const std::string& file, const BuiltMachine& machine, const MachineRun& run, const RunView& view,
                     const std::string& command) {
  Page page{.title = machine.title.empty() ? file : machine.title};
  page.subtitle = machine.subject + ", " + with_unit(machine.options.start, "s", 6) + " to " +
                  with_unit(run.time, "s", 9) + "; " + run.ending;
  page.blocks.push_back(warnings_of(machine, run));
  page.blocks.push_back(PageHeading{"Over time"});
  Figure signals = view.figure;
  signals.title.clear(), signals.subtitle.clear();  // the page says it
  page.blocks.push_back(FigureBlock{std::move(signals), "signals"});
  for (const Figure& figure : view.closer_looks) {
    page.blocks.push_back(PageHeading{figure.title});
    Figure untitled = figure;
    untitled.title.clear();
    page.blocks.push_back(FigureBlock{std::move(untitled), "friction"});
  }
  page.blocks.push_back(PageHeading{"Events"});
  for (const TextTable& table : view.overview)
    if (!table.rows.empty()) page.blocks.push_back(page_table(table));
  page.blocks.push_back(events_of(view.events));
  page.blocks.push_back(PageHeading{"Energy"});
  page.blocks.push_back(page_table(energy_table(run.ledger)));
  page.blocks.push_back(
      Paragraph{"The residual is the error of the energy balance: one number for the accuracy of the whole run. " +
                std::to_string(run.work.steps) + " steps, " + std::to_string(run.work.rejected) + " rejected, " +
                std::to_string(run.work.evaluations) + " evaluations."});
  add_how_to_repeat(page, {command, {fingerprinted(file)}});
  Details scenario{.summary = "The file " + one_line(file), .blocks = {}};
  scenario.blocks.push_back(Code{read_whole(file)});
  page.blocks.push_back(scenario);
  return page;
}

}  // namespace stickslip::inline jobs
