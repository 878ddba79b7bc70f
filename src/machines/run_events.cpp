#include "machines/run_events.hpp"

#include "core/text.hpp"
#include "files/csv.hpp"

namespace stickslip {
namespace {

/// Names of logs may hold what separates cells.
std::string quoted_if_needed(const std::string& cell) {
  if (cell.find_first_of(",\"\n") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::vector<std::string> event_headings(const RunEvents& events) {
  std::vector<std::string> headings{"time_s", "event", "part", "mode"};
  for (const SignalInfo& q : events.quantities) headings.push_back(header({q.name, q.unit, {}}));
  return headings;
}

std::vector<std::string> event_cells(const RunEvent& event) {
  std::vector<std::string> cells{shortest(event.time), event.event, event.part, event.mode};
  for (const double value : event.values) cells.push_back(shortest(value));
  return cells;
}

std::string to_csv(const RunEvents& events) {
  const auto line = [](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i) text += (i ? "," : "") + quoted_if_needed(cells[i]);
    return text + "\n";
  };
  std::string text = line(event_headings(events));
  for (const RunEvent& event : events.list) text += line(event_cells(event));
  return text;
}

}  // namespace stickslip
