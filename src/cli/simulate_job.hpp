/// A simulation as `stickslip simulate` sees it, whatever the machine: what it is called, how to run it, and what it leaves
/// behind. One function per kind of machine makes it from the text of a file; the command has one path for all.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/run.hpp"
#include "core/table.hpp"
#include "files/json.hpp"
#include "report/figure.hpp"
#include "report/table.hpp"

namespace stickslip {

struct SolverWork {
  std::size_t steps = 0, rejected = 0, evaluations = 0;
};

struct SimulationResults {
  Stop stop = Stop::finished;
  double time = 0;      // reached [s]
  std::string message;  // for anything but `finished`
  std::string ending;   // "ends at 0.1 m, 0 m/s"
  Table samples;
  std::string events;  // as CSV
  bool events_complete = true;
  bool counts_all_events = true;  // also those beyond the list
  Json summary;
  Figure figure;
  std::vector<Figure> closer_looks;  // for the report: friction over position and velocity
  std::vector<TextTable> overview;   // events first
  TextTable energy;
  SolverWork work;
  std::vector<std::string> warnings;  // that only the run could give
};

struct SimulationJob {
  std::string title, machine;  // "Stick-slip of a pulled mass", "Stribeck friction"
  SimulationOptions options;
  std::vector<std::string> warnings;
  Json summary;  // what is run
  std::function<SimulationResults(RunWatch*)> run;
};

/// The job a file describes, by its [[body]] tables or by kind in [machine]. Throws Error for a file that cannot be used.
/// A run may take so many steps (core/budget.hpp); one that must take more is refused, another ends there with that outcome.
SimulationJob read_job(const std::string& file, std::size_t most_steps);

SimulationJob body_job(std::string_view text, const std::string& file, std::size_t most_steps);
SimulationJob mechanism_job(std::string_view text, const std::string& file, std::size_t most_steps);
SimulationJob dual_clutch_job(std::string_view text, const std::string& file, std::size_t most_steps);
SimulationJob hydraulic_job(std::string_view text, const std::string& file, std::size_t most_steps);
SimulationJob clutch_job(std::string_view text, const std::string& file, std::size_t most_steps);
SimulationJob servo_job(std::string_view text, const std::string& file, std::size_t most_steps);

/// Refuses a run that must take more steps. Throws Error.
void check_steps(const std::string& file, double steps, std::size_t most_steps);

// --- what the machines share -----------------------------------------------------------------------------------------

struct EventCount {
  std::string name;
  std::size_t count = 0;  // all of them, even those not listed
  double first = 0, last = 0;
  bool is_listed = false;
};
/// "event, count, first, last"; the last is unknown if the list is cut.
TextTable event_table(const std::vector<EventCount>& counts, bool events_complete);

/// Counted by kind, from a ledger's totals and the listed events.
template <class Names, class Totals, class Events>
std::vector<EventCount> count_events(const Names& names, const Totals& totals, const Events& events) {
  std::vector<EventCount> counts;
  for (std::size_t k = 0; k < totals.size(); ++k) {
    if (totals[k] == 0) continue;
    EventCount c{std::string(names[k]), totals[k]};
    for (const auto& e : events)
      if (static_cast<std::size_t>(e.kind) == k) {
        if (!c.is_listed) c.first = e.time, c.is_listed = true;
        c.last = e.time;
      }
    counts.push_back(c);
  }
  return counts;
}

/// "mode, time, share" of a run of `total` seconds.
struct TimeIn {
  std::string mode;
  double time = 0;
};
TextTable time_table(const std::vector<TimeIn>& times, double total);

struct Energy {
  std::string name;
  double joule = 0;
};
TextTable energy_table(const std::vector<Energy>& rows);

/// The column of this name, or nullptr.
const Column* find_column(const Table& table, std::string_view name);

struct Line {
  std::string column, name;  // `name` for the legend
  bool dashed = false;
};
/// Columns of the samples over time, all in the unit of the first.
Panel time_panel(const Table& samples, const std::string& label, const std::vector<Line>& lines);

/// Friction over position and over velocity, coloured by time. Columns of the samples by name.
Figure friction_figure(const Table& samples, const std::string& position, const std::string& velocity,
                       const std::string& friction);

}  // namespace stickslip
