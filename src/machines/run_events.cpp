#include "machines/run_events.hpp"

#include "core/text.hpp"
#include "files/csv.hpp"

namespace stickslip::inline machines {
namespace {

/// Names of logs may hold what separates cells.
std::string quoted_if_needed(const std::string& cell) {
  if (cell.find_first_of(",\"\n") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

/// Of these a law may have several.
bool has_parts(EventKind kind) {
  return kind == EventKind::element_slip || kind == EventKind::element_stick || kind == EventKind::bristle_contact ||
         kind == EventKind::bristle_release || kind == EventKind::table_knot;
}
std::string word_of(const Event& e, const EventVocabulary& v) {
  return std::string(v.words.empty() ? name_of(e.kind) : v.words[static_cast<std::size_t>(e.which)]);
}
std::string mode_of(const Event& e, const EventVocabulary& v) {
  return v.modes.empty() ? "" : v.modes[static_cast<std::size_t>(e.mode)];
}

}  // namespace

RunEvents run_events(const std::vector<Event>& events, const EventVocabulary& vocabulary, const std::string& part) {
  RunEvents all{.quantities = vocabulary.quantities};
  for (const Event& e : events) {
    const double values[] = {e.position, e.velocity, e.applied};
    const bool is_part = vocabulary.words.empty() && has_parts(e.kind);
    all.list.push_back({.time = e.time,
                        .event = word_of(e, vocabulary),
                        .part = is_part ? std::to_string(e.which) : part,
                        .mode = mode_of(e, vocabulary),
                        .values = {values, values + vocabulary.quantities.size()}});
  }
  return all;
}

std::vector<MotionEvent> taken_events(std::vector<Event>& events, const EventVocabulary& vocabulary) {
  std::vector<MotionEvent> taken;
  for (const Event& e : events) taken.push_back({e.time, e.kind, word_of(e, vocabulary), mode_of(e, vocabulary)});
  events.clear();
  return taken;
}

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

}  // namespace stickslip::inline machines
