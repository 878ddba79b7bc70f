/// A recording as a result; see finding.hpp.
#include "jobs/inspect/finding.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "jobs/inspect/texts.hpp"
#include "platform/path.hpp"

namespace stickslip {

Table recording_table(const Recording& r) {
  Table table;
  for (const Role role : all_roles)
    if (const auto& values = signal(r, role); !values.empty())
      table.columns.push_back({std::string(role_name(role)), std::string(si_unit(role, r.rotary)), values});
  return table;
}

Figure signals_figure(const Table& table, const std::string& title) {
  Figure figure{.title = title};
  for (std::size_t c = 1; c < table.columns.size(); ++c) {
    const Column& column = table.columns[c];
    const auto [low, high] = std::minmax_element(column.values.begin(), column.values.end());
    if (column.values.empty() || *low == *high) continue;
    Panel panel{.title = column.name, .x = {"time", "s"}, .y = {column.name, column.unit}};
    panel.series = {{.x = table.columns.front().values, .y = column.values, .colour = int(c - 1) % grey}};
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

TestFinding recording_finding(const Recording& r) {
  TestFinding f;
  f.title = "Recording " + one_line(file_name_of(r.file));
  f.summary = sampling_text(r);
  f.tables.push_back({"Columns", recording_columns(r), ""});
  for (const Note& note : r.notes) f.warnings.push_back(note.text);
  f.json = recording_json(r);
  f.points = recording_table(r);
  f.figure = signals_figure(f.points, f.title);
  f.figure_heading = "Signals";
  f.why_no_model = "inspect does not fit one; stickslip identify does";
  f.files = {{r.file, r.fingerprint}};
  return f;
}

}  // namespace stickslip
