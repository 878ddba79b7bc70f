/// Parts from which machines make the view of a run: tables of events and times, panels over time, friction over its motion.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/run.hpp"
#include "core/table.hpp"
#include "files/json.hpp"
#include "machines/motion.hpp"
#include "report/figure.hpp"
#include "report/table.hpp"

namespace stickslip::inline machines {

struct EventCount {
  std::string name;
  std::size_t count = 0;  // all of them, even those not listed
  double first = 0, last = 0;
  bool is_listed = false;
};
/// "event, count, first, last"; the last is unknown if the list is cut.
TextTable event_table(const std::vector<EventCount>& counts, bool events_complete);

/// Counted by kind, from a ledger's totals and the listed events.
/// `number` says which of the names an event has.
inline constexpr auto by_kind = [](const auto& e) { return e.kind; };
inline constexpr auto by_word = [](const Event& e) { return e.which; };
template <class Names, class Totals, class Events, class Number = decltype(by_kind)>
std::vector<EventCount> count_events(const Names& names, const Totals& totals, const Events& events,
                                     const Number& number = by_kind) {
  std::vector<EventCount> counts;
  for (std::size_t k = 0; k < totals.size(); ++k) {
    if (totals[k] == 0) continue;
    EventCount c{std::string(names[k]), totals[k]};
    for (const auto& e : events)
      if (static_cast<std::size_t>(number(e)) == k) {
        if (!c.is_listed) c.first = e.time, c.is_listed = true;
        c.last = e.time;
      }
    counts.push_back(c);
  }
  return counts;
}

/// The same as JSON, by name.
template <class Names, class Totals>
Json counts_summary(const Names& names, const Totals& totals) {
  Json counts = Json::object();
  for (std::size_t k = 0; k < totals.size(); ++k)
    if (totals[k] > 0) counts[names[k]] = totals[k];
  return counts;
}
Json solver_summary(const SolverWork& work);

/// "mode, time, share" of a run of `total` seconds.
struct TimeIn {
  std::string mode;
  double time = 0;
};
TextTable time_table(const std::vector<TimeIn>& times, double total);

/// "energy, J".
TextTable energy_table(const std::vector<LedgerRow>& rows);

struct Line {
  std::string column, name;  // `name` for the legend
  bool dashed = false;
};
/// Columns of the samples over time, all in the unit of the first.
Panel time_panel(const Table& samples, const std::string& label, const std::vector<Line>& lines);

/// Friction over position and over velocity, coloured by time. Columns of the samples by name.
Figure friction_figure(const Table& samples, const std::string& position, const std::string& velocity,
                       const std::string& friction);

}  // namespace stickslip::inline machines
