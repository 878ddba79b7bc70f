/// What a fit to a machine's logs says; see machine_page.hpp.
#include "jobs/identify/machine_page.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "core/units.hpp"
#include "report/page.hpp"

namespace stickslip::inline jobs {
namespace {

constexpr std::size_t logs_drawn = 24;

std::string percent(double share) { return std::isfinite(share) ? significant(100 * share, 4) + " %" : "-"; }

/// Measured and predicted over time, and the residual, of one log.
Figure log_figure(const MachineLog& log, const LogQuality& quality) {
  Figure figure;
  for (std::size_t k = 0; k < quality.outputs.size(); ++k) {
    const OutputQuality& q = quality.outputs[k];
    std::vector<double> residual(log.time.size());
    for (std::size_t i = 0; i < residual.size(); ++i) residual[i] = log.measured[k][i] - quality.predicted[k][i];
    figure.panels.push_back({.x = {"time", "s"},
                             .y = {q.column, q.unit},
                             .series = {{.name = "measured", .x = log.time, .y = log.measured[k], .width = 2},
                                        {.name = "predicted",
                                         .x = log.time,
                                         .y = quality.predicted[k],
                                         .colour = ink,
                                         .dashed = true,
                                         .width = 1.3}}});
    figure.panels.push_back({.x = {"time", "s"},
                             .y = {"residual", q.unit},
                             .series = {{.name = "measured minus predicted", .x = log.time, .y = residual}}});
  }
  return figure;
}

}  // namespace

TextTable number_table(const Confidence& confidence, const std::vector<std::string>& units) {
  TextTable table{.columns = {"parameter", "value", "± (95 %)", "unit", "verdict"}};
  for (std::size_t i = 0; i < confidence.estimates.size(); ++i) {
    const Estimate& e = confidence.estimates[i];
    table.rows.push_back({e.key, significant(e.value, 7), significant(1.96 * e.standard_error, 2),
                          i < units.size() ? units[i] : "",
                          std::string(name_of(e.verdict)) + (e.partner.empty() ? "" : " from " + e.partner)});
  }
  return table;
}

TextTable quality_table(const MachineFit& fit) {
  TextTable table{.columns = {"candidate", "free", "output", "estimation", "validation", "all", "rms of all", ""}};
  bool validates = false, leaves_out = false;
  for (const FittedMachine& m : fit.candidates) {
    leaves_out = leaves_out || m.left_out_mean > 0;
    for (const auto& q : m.outputs) validates = validates || q.is_validated;
  }
  if (!validates) table.columns = {"candidate", "free", "output", "all", "rms", "mean |error|", ""};
  if (leaves_out) table.columns.insert(table.columns.end() - 1, "mean |error| left out");
  for (std::size_t i = 0; i < fit.candidates.size(); ++i) {
    const FittedMachine& m = fit.candidates[i];
    for (std::size_t k = 0; k < m.outputs.size(); ++k) {
      const OutputQuality& q = m.outputs[k];
      std::vector<std::string> row{m.name, std::to_string(m.confidence.estimates.size()), q.column};
      if (validates) {
        row.insert(row.end(), {percent(q.estimation_relative), percent(q.validation_relative), percent(q.relative),
                               significant(q.rms, 4) + " " + q.unit});
      } else {
        row.insert(row.end(),
                   {percent(q.relative), significant(q.rms, 4) + " " + q.unit, with_unit(q.mean_size, q.unit, 4)});
      }
      if (leaves_out) row.push_back(k == 0 && m.left_out_mean > 0 ? with_unit(m.left_out_mean, q.unit, 4) : "");
      row.push_back(i == fit.recommended ? "recommended" : "");
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

TextTable log_table(const FittedMachine& m) {
  TextTable table{.columns = {"log", "", "output", "error", "rms", "mean |error|"}};
  const bool leaves_out = !m.logs.empty() && !m.logs.front().left_out_rms.empty();
  if (leaves_out) table.columns.insert(table.columns.end(), {"left out: error", "mean |error| "});
  for (const LogQuality& log : m.logs)
    for (std::size_t k = 0; k < log.outputs.size(); ++k) {
      const OutputQuality& q = log.outputs[k];
      std::vector<std::string> row{log.name,
                                   log.note,
                                   q.column,
                                   percent(q.relative),
                                   with_unit(q.rms, q.unit, 4),
                                   with_unit(q.mean_size, q.unit, 4)};
      if (leaves_out)
        row.insert(row.end(), {percent(log.left_out_relative[k]), with_unit(log.left_out_mean[k], q.unit, 4)});
      table.rows.push_back(std::move(row));
    }
  return table;
}

TextTable group_table(const FitJob& job, const FittedMachine& m) {
  TextTable table{.columns = {"left out together", "logs", "mean |error|", "when left out"}, .rows = {}};
  std::vector<std::string> groups;
  for (const MachineLog& log : job.machine.logs)
    if (!log.group.empty() && std::find(groups.begin(), groups.end(), log.group) == groups.end())
      groups.push_back(log.group);
  for (const std::string& group : groups) {
    double seen = 0, left_out = 0, count = 0;
    for (std::size_t l = 0; l < m.logs.size(); ++l)
      if (job.machine.logs[l].group == group && !m.logs[l].left_out_mean.empty())
        seen += m.logs[l].outputs.front().mean_size, left_out += m.logs[l].left_out_mean.front(), ++count;
    if (count == 0) continue;
    const std::string& unit = m.outputs.front().unit;
    table.rows.push_back(
        {group, shortest(count), with_unit(seen / count, unit, 4), with_unit(left_out / count, unit, 4)});
  }
  return table;
}

TextTable spread_table(const FittedMachine& m) {
  TextTable table{
      .columns = {"from log to log", "mean", "standard deviation", "95 %", "from errors alone", "of the logs"}};
  for (const Spread& s : m.spreads)
    table.rows.push_back({s.key, with_unit(s.mean, s.unit, 5), with_unit(s.deviation, s.unit, 3),
                          with_unit(s.low, s.unit, 2) + " to " + with_unit(s.high, s.unit, 2),
                          with_unit(s.expected, s.unit, 2), with_unit(s.own, s.unit, 3)});
  return table;
}

std::string machine_fit_text(const FitJob& job, const MachineFit& fit, bool colour) {
  const FittedMachine& best = fit.candidates[fit.recommended];
  const auto text_of = [&](const TextTable& table) { return to_text(table, {.colour = colour}); };
  std::string text = job.title.empty() ? "" : job.title + "\n\n";
  text += text_of(quality_table(fit)) + "\n" + fit.why + "\n\n" + best.name + "\n" +
          text_of(number_table(best.confidence, best.units));
  if (best.logs.size() > 1) text += "\n" + text_of(log_table(best));
  if (const TextTable groups = group_table(job, best); !groups.rows.empty()) text += "\n" + text_of(groups);
  if (!best.spreads.empty()) text += "\n" + text_of(spread_table(best));
  std::size_t simulations = 0, given_up = 0;
  for (const auto& m : fit.candidates) simulations += m.simulations, given_up += m.given_up;
  return text + "\n" + std::to_string(simulations) + " simulations" +
         (given_up > 0
              ? ", " + std::to_string(given_up) +
                    " of them stopped early: with these parameters the machine needs more than 20 times the steps of "
                    "the first run"
              : "") +
         "\n";
}

Figure machine_log_figure(const FitJob& job, const FittedMachine& machine, std::size_t log) {
  return log_figure(job.machine.logs.at(log), machine.logs.at(log));
}

Page machine_fit_page(const FitJob& job, const MachineFit& fit, const Provenance& provenance) {
  const FittedMachine& best = fit.candidates[fit.recommended];
  Page page{.title = job.title.empty() ? job.file : job.title};
  page.subtitle = best.name + ", " + std::to_string(best.confidence.estimates.size()) + " free parameters, " +
                  std::to_string(best.logs.size()) + (best.logs.size() == 1 ? " log" : " logs");
  if (!fit.complete) page.blocks.push_back(Warnings{{"interrupted: these are the best parameters so far"}});
  Highlights highlights;
  for (const OutputQuality& q : best.outputs) {
    if (q.is_validated) {
      highlights.items.push_back({percent(q.validation_relative), "error of " + q.column + ", validation samples"});
      highlights.items.push_back(
          {with_unit(q.validation_rms, q.unit, 4), "rms error of " + q.column + ", validation samples"});
    } else {
      highlights.items.push_back({percent(q.relative), "error of " + q.column + ", all samples, used for the fit"});
    }
  }
  if (best.left_out_mean > 0)
    highlights.items.push_back({with_unit(best.left_out_mean, best.outputs.front().unit, 3),
                                "mean |error| of " + best.outputs.front().column + " on logs left out"});
  page.blocks.push_back(highlights);
  page.blocks.push_back(PageHeading{"Candidates"});
  page.blocks.push_back(page_table(quality_table(fit)));
  page.blocks.push_back(Paragraph{fit.why + "."});
  page.blocks.push_back(PageHeading{"Parameters"});
  page.blocks.push_back(
      page_table(number_table(best.confidence, best.units),
                 "± is half of the 95 % interval; correlation of the errors in time is accounted for"));
  if (!best.spreads.empty()) page.blocks.push_back(page_table(spread_table(best), "Private parameters of each log"));
  page.blocks.push_back(PageHeading{best.logs.size() > 1 ? "Logs" : "Over time"});
  if (best.logs.size() > 1) page.blocks.push_back(page_table(log_table(best)));
  if (const TextTable groups = group_table(job, best); !groups.rows.empty()) page.blocks.push_back(page_table(groups));
  for (std::size_t l = 0; l < std::min(best.logs.size(), logs_drawn); ++l) {
    if (best.logs.size() > 1) page.blocks.push_back(PageHeading{"Log " + best.logs[l].name, 3});
    page.blocks.push_back(FigureBlock{machine_log_figure(job, best, l), "log"});
  }
  if (best.logs.size() > logs_drawn)
    page.blocks.push_back(Paragraph{"The first " + std::to_string(logs_drawn) + " logs are drawn."});
  add_how_to_repeat(page, provenance);
  Details file{.summary = "Machine file with these values", .blocks = {}};
  file.blocks.push_back(Code{fitted_file(job, best)});
  page.blocks.push_back(file);
  return page;
}

}  // namespace stickslip::inline jobs
