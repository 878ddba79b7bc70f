/// A recording as a result; see finding.hpp.
#include "jobs/inspect/finding.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "jobs/inspect/texts.hpp"
#include "platform/path.hpp"

namespace stickslip::inline jobs {

Table recording_table(const Recording& r) {
  Table table;
  for (const Role role : all_roles)
    if (const auto& values = signal(r, role); !values.empty())
      table.columns.push_back({std::string(role_name(role)), std::string(si_unit(role, r.rotary)), values});
  return table;
}

Figure signals_figure(const Table& table, const std::string& title) {
  Figure figure{.title = title};
  const bool has_time = !table.columns.empty() && table.columns.front().name == "time";
  std::vector<double> rows;
  if (!has_time && !table.columns.empty())
    for (std::size_t i = 0; i < table.columns.front().values.size(); ++i) rows.push_back(double(i + 1));
  const std::vector<double>& x = has_time ? table.columns.front().values : rows;
  for (std::size_t c = has_time ? 1 : 0; c < table.columns.size(); ++c) {
    const Column& column = table.columns[c];
    const auto [low, high] = std::minmax_element(column.values.begin(), column.values.end());
    if (column.values.empty() || *low == *high) continue;
    Panel panel{
        .title = column.name, .x = has_time ? Axis{"time", "s"} : Axis{"row", ""}, .y = {column.name, column.unit}};
    panel.series = {{.x = x, .y = column.values, .colour = int(c - (has_time ? 1 : 0)) % grey}};
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

TestFinding recording_finding(const Recording& r) {
  TestFinding f;
  f.title = "Recording " + one_line(file_name_of(r.file));
  f.summary = sampling_text(r);
  f.tables.push_back({"Columns", recording_columns(r), ""});
  if (const auto missing = missing_roles(r); !missing.empty())
    f.tables.push_back({"Missing for some commands", missing_table(missing), ""});
  for (const Note& note : r.notes) f.warnings.push_back(note.text);
  f.json = recording_json(r);
  f.points = recording_table(r);
  f.figure = signals_figure(f.points, f.title);
  f.figure_heading = "Signals";
  f.why_no_model = "inspect does not fit one; stickslip identify does";
  f.files = {{r.file, r.fingerprint}};
  return f;
}

}  // namespace stickslip::inline jobs
