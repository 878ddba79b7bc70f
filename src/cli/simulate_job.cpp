/// What the simulations of all machines share; see simulate_job.hpp.
#include "simulate_job.hpp"

#include <cmath>
#include <filesystem>

#include "core/budget.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "files/whole_file.hpp"
#include "machines/friction/model_file.hpp"
#include "machines/machine_kind.hpp"

namespace stickslip {

SimulationJob read_job(const std::string& file, std::size_t most_steps) {
  const std::string text = read_whole(file);
  if (is_model_file(text, file))
    throw Error(one_line(file) + " is a model file; a scenario takes it with [friction] file = " +
                in_quotes(std::filesystem::path(file).filename().string()));
  switch (machine_kind(text, file)) {
    case MachineKind::mechanism:
      return mechanism_job(text, file, most_steps);
    case MachineKind::dual_clutch:
      return dual_clutch_job(text, file, most_steps);
    case MachineKind::hydraulic_cylinder:
      return hydraulic_job(text, file, most_steps);
    case MachineKind::clutch_by_wire:
      return clutch_job(text, file, most_steps);
    case MachineKind::servo_pendulum:
      return servo_job(text, file, most_steps);
    case MachineKind::one_body:
      break;
  }
  return body_job(text, file, most_steps);
}

void check_steps(const std::string& file, double steps, std::size_t most_steps) {
  if (!(steps > static_cast<double>(most_steps))) return;
  throw Error(one_line(file) + ": the run takes " + significant(steps, 3) + " steps; at most " +
              significant(static_cast<double>(most_steps), 3) +
              (most_steps < most_long_steps ? " are done without --long: take longer steps or a shorter duration"
                                            : " can be done; take longer steps or a shorter duration"));
}

TextTable event_table(const std::vector<EventCount>& counts, bool events_complete) {
  TextTable table{.columns = {"event", "count", "first", "last"}, .rows = {}};
  const auto time = [](bool is_known, double t) { return is_known ? significant(t, 10) + " s" : std::string("-"); };
  for (const auto& c : counts)
    table.rows.push_back(
        {c.name, std::to_string(c.count), time(c.is_listed, c.first), time(c.is_listed && events_complete, c.last)});
  return table;
}

TextTable time_table(const std::vector<TimeIn>& times, double total) {
  TextTable table{.columns = {"mode", "time", "share"}, .rows = {}};
  for (const auto& [mode, time] : times)
    table.rows.push_back(
        {mode, significant(time, 9) + " s", significant(total > 0 ? 100 * time / total : 0, 3) + " %"});
  return table;
}

TextTable energy_table(const std::vector<Energy>& rows) {
  TextTable table{.columns = {"energy", "J"}, .rows = {}};
  for (const auto& [name, joule] : rows)
    table.rows.push_back({name, std::isfinite(joule) ? significant(joule, 9) : "not known"});
  return table;
}

const Column* find_column(const Table& table, std::string_view name) {
  for (const auto& column : table.columns)
    if (column.name == name) return &column;
  return nullptr;
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

}  // namespace stickslip
