/// The result of a machine with words of its own for its events: samples as a table, events, ledger; and the sink that collects them.
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "core/run.hpp"
#include "core/switching.hpp"
#include "core/table.hpp"

namespace stickslip::inline machines {

struct PlantRun : RunHead {
  Table samples;              // time, then the outputs of the motion
  std::vector<Event> events;  // `which` is the word
  Ledger ledger;              // events counted by word
};

/// Whether an event is this one of the machine's own.
template <class Kind>
constexpr bool is(const Event& e, Kind kind) {
  return e.which == static_cast<int>(kind);
}

/// The sink of a Held (plant_motion.hpp) with `run`, a PlantRun, whose outputs are its samples. Beside these it offers
///   Word                         the enumeration of its words
///   event(whole, mode, t)        what is known of an event besides time, kind and word
///   lists(happening, mode)       optional: whether an event is listed, beside being counted
///   mode_time(mode, duration)    optional: where time went
/// The sink is the last member of the Held.
template <class Held>
class TableSink {
 public:
  TableSink(Held& held, std::vector<double> sample_times) : held_(held), times_(std::move(sample_times)) {
    auto& columns = held_.run.samples.columns;
    columns.push_back({"time", "s", {}});
    for (const auto& output : held_.signals().outputs) columns.push_back({output.name, output.unit, {}});
    for (Column& column : columns) column.values.reserve(times_.size());
    row_.resize(columns.size() - 1);
  }
  double next_sample() const { return next_ < times_.size() ? times_[next_] : std::numeric_limits<double>::infinity(); }

  template <class Vector, class Mode>
  void sample(double t, const Vector& whole, const Mode& mode) {
    held_.read(whole, mode, t, row_);
    auto& columns = held_.run.samples.columns;
    columns[0].values.push_back(t);
    for (std::size_t i = 0; i < row_.size(); ++i) columns[i + 1].values.push_back(row_[i]);
    ++next_;
  }
  template <class Vector, class Mode>
  void event(double t, const Happening& h, const Vector& whole, const Mode& mode) {
    PlantRun& run = held_.run;
    // One that ends no mode is told by the solver, which does not know the word.
    const int which = h.kind == EventKind::direction_change ? static_cast<int>(Held::Word::direction_change) : h.which;
    ++run.ledger.events[static_cast<std::size_t>(which)];
    run.ledger.reset_heat += h.reset_heat;
    if constexpr (requires { held_.lists(h, mode); })
      if (!held_.lists(h, mode)) return;
    if (run.events.size() >= held_.options.most_events) {
      run.events_complete = false;
      return;
    }
    Event e = held_.event(whole, mode, t);
    e.time = t, e.kind = h.kind, e.which = which;
    run.events.push_back(e);
  }
  template <class Mode>
  void mode_time(const Mode& mode, double duration) {
    if constexpr (requires { held_.mode_time(mode, duration); }) held_.mode_time(mode, duration);
  }

 private:
  Held& held_;
  std::vector<double> times_, row_;
  std::size_t next_ = 0;
};

}  // namespace stickslip::inline machines
