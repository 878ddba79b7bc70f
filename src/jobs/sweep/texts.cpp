/// What a sweep found, in words and for programs; see texts.hpp.
#include "jobs/sweep/texts.hpp"

#include <algorithm>

#include "core/instruction_set.hpp"
#include "core/text.hpp"
#include "jobs/sweep/figure.hpp"
#include "jobs/sweep/page.hpp"
#include "report/progress.hpp"
#include "report/terminal.hpp"

namespace stickslip::inline jobs {
namespace {

std::string rate_text(const SweepRun& run) {
  const double made = static_cast<double>(run.rows.size() - run.taken);
  return significant(made / std::max(run.seconds, 1e-9), 3);
}

}  // namespace

std::size_t first_failure(const SweepRun& run) {
  for (std::size_t i = 0; i < run.rows.size(); ++i)
    if (!failure_of(run, i).empty()) return i;
  return run.rows.size();
}

Json sweep_json(const Sweep& sweep, const SweepRun& run) {
  Json report =
      Json::object({{"sweep", sweep.file},
                    {"title", sweep.title},
                    {"scenario", sweep.scenario},
                    {"plan", plan_names[static_cast<std::size_t>(sweep.plan.kind)]},
                    {"runs", run.rows.size()},
                    {"failures", failures(run)},
                    {"from_journal", run.taken},
                    {"seconds", run.seconds},
                    {"runs_per_second", static_cast<double>(run.rows.size() - run.taken) / std::max(run.seconds, 1e-9)},
                    {"lanes", run.in_lanes}});
  if (!run.in_lanes && !run.why_not_lanes.empty()) report["why_not_lanes"] = run.why_not_lanes;
  if (run.in_lanes) report["instructions"] = name_of(chosen_instruction_set());
  if (failures(run) > 0) report["first_failure"] = failure_of(run, first_failure(run));
  if (sweep.compares) {
    const BoundaryAgreement b = boundary_agreement(sweep, run);
    report["boundary"] = Json::object({{"right", b.right}, {"of", b.runs}, {"furthest_wrong", b.furthest_wrong}});
  }
  return report;
}

std::string sweep_text(const Sweep& sweep, const SweepRun& run, const SweepTextOptions& options) {
  std::string text = coloured(sweep.title.empty() ? sweep.file : sweep.title, Ink::bold, options.colour) + "\n" +
                     std::to_string(run.rows.size()) + " runs of " + sweep.scenario + " (" +
                     std::string(plan_names[static_cast<std::size_t>(sweep.plan.kind)]) + "), " +
                     std::to_string(failures(run)) + " failed";
  if (run.taken > 0) text += "; " + std::to_string(run.taken) + " of them taken from the journal";
  text += "\n" + duration_text(run.seconds) + ", " + rate_text(run) + " runs/s, " +
          (run.in_lanes ? "in lanes (" + std::string(name_of(chosen_instruction_set())) + ")"
                        : "one by one" + (run.why_not_lanes.empty() ? "" : ": " + run.why_not_lanes)) +
          "\n";
  if (sweep.compares) text += boundary_text(boundary_agreement(sweep, run)) + "\n";
  text += "\n" + to_text(output_table(sweep, run), {.colour = options.colour});
  const std::string map = terminal_map(sweep, run, options.width);
  return map.empty() ? text : text + "\n" + map;
}

}  // namespace stickslip::inline jobs
