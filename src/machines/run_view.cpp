#include "machines/run_view.hpp"

#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"

namespace stickslip::inline machines {

TextTable event_table(const std::vector<EventCount>& counts, bool events_complete) {
  TextTable table{.columns = {"event", "count", "first", "last"}, .rows = {}};
  const auto time = [](bool is_known, double t) { return is_known ? significant(t, 10) + " s" : std::string("-"); };
  for (const auto& c : counts)
    table.rows.push_back(
        {c.name, std::to_string(c.count), time(c.is_listed, c.first), time(c.is_listed && events_complete, c.last)});
  return table;
}

Json solver_summary(const SolverWork& work) {
  return Json::object({{"steps", work.steps}, {"rejected_steps", work.rejected}, {"evaluations", work.evaluations}});
}

TextTable time_table(const std::vector<TimeIn>& times, double total) {
  TextTable table{.columns = {"mode", "time", "share"}, .rows = {}};
  for (const auto& [mode, time] : times)
    table.rows.push_back(
        {mode, significant(time, 9) + " s", significant(total > 0 ? 100 * time / total : 0, 3) + " %"});
  return table;
}

TextTable energy_table(const std::vector<LedgerRow>& rows) {
  TextTable table{.columns = {"energy", "J"}, .rows = {}};
  for (const auto& [name, joule] : rows)
    table.rows.push_back({name, std::isfinite(joule) ? significant(joule, 9) : "not known"});
  return table;
}

Panel time_panel(const Table& samples, const std::string& label, const std::vector<Line>& lines) {
  Panel panel;
  panel.x = {.label = "time", .unit = "s"};
  panel.y.label = label;
  for (const auto& line : lines) {
    const Column* column = find_column(samples, line.column);
    if (!column) throw Error("the samples have no column " + in_quotes(line.column) + " to draw");
    panel.y.unit = column->unit;
    DataSeries series;
    series.name = line.name;
    series.x = samples.columns.front().values;
    series.y = column->values;
    series.dashed = line.dashed;
    panel.series.push_back(std::move(series));
  }
  panel.legend = lines.size() > 1;
  return panel;
}

Figure friction_figure(const Table& samples, const std::string& position, const std::string& velocity,
                       const std::string& friction) {
  const Column& y = *find_column(samples, friction);
  const auto over = [&](const std::string& name) {
    const Column& x = *find_column(samples, name);
    DataSeries series{.x = x.values, .y = y.values};
    series.tint = samples.columns.front().values;
    return Panel{.x = {x.name, x.unit}, .y = {"friction", y.unit}, .series = {std::move(series)}};
  };
  return {
      .title = "Friction", .subtitle = "coloured by time", .panels = {over(position), over(velocity)}, .columns = 2};
}

}  // namespace stickslip::inline machines
