/// The results of the run of a driven body: its sink for samples and events, tolerances, and a message if it ended early.
/// Not here: the motion itself (body_motion.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "core/text.hpp"
#include "machines/one_body/moving_body.hpp"
#include "solver/simulate.hpp"

namespace stickslip::inline machines {

/// Room for all samples, reserved before the loop.
inline std::vector<double> sample_times(const SimulationOptions& options) {
  if (!options.sample_times.empty() || options.sample_interval <= 0) return options.sample_times;
  const double count = std::floor((options.end - options.start) / options.sample_interval * (1 + 1e-12));
  std::vector<double> times(static_cast<std::size_t>(count) + 1);
  for (std::size_t i = 0; i < times.size(); ++i)
    times[i] = std::min(options.end, options.start + static_cast<double>(i) * options.sample_interval);
  return times;
}

inline void reserve(Samples& s, std::size_t count, std::size_t states) {
  for (auto* column : {&s.time, &s.position, &s.velocity, &s.applied, &s.friction}) column->reserve(count);
  s.mode.reserve(count);
  s.states.resize(states);
  for (auto& column : s.states) column.reserve(count);
}

/// Collects the samples and events of the event-driven run.
template <class Law, class Plant>
class RunSink {
 public:
  RunSink(const Plant& plant, const SimulationOptions& options, Run& run, std::size_t states)
      : plant_(plant), options_(options), run_(run), times_(sample_times(options)) {
    reserve(run.samples, times_.size(), states);
  }
  double next_sample() const { return next_ < times_.size() ? times_[next_] : HUGE_VAL; }

  template <class Vector>
  void sample(double t, const Vector& y, const typename Plant::Mode& mode) {
    const double* state = y.data() + Plant::totals;
    Samples& s = run_.samples;
    s.time.push_back(t);
    s.position.push_back(state[0]);
    s.velocity.push_back(state[1]);
    s.applied.push_back(plant_.contact(mode, t, state).applied);
    s.friction.push_back(plant_.friction_at(mode, t, state));
    if (plant_.is_sampled()) s.command.push_back(mode.held.command());
    s.mode.push_back(Law::mode(mode.law));
    for (std::size_t i = 0; i < s.states.size(); ++i) s.states[i].push_back(state[Plant::first_state + i]);
    ++next_;
  }
  template <class Vector>
  void event(double t, const Happening& h, const Vector& y, const typename Plant::Mode& mode) {
    ++run_.ledger.events[static_cast<std::size_t>(h.kind)];
    run_.ledger.reset_heat += h.reset_heat;
    if (run_.events.size() >= options_.most_events) {
      run_.events_complete = false;
      return;
    }
    run_.events.push_back({t, h.kind, h.which, Law::mode(mode.law), y[Plant::totals], y[Plant::totals + 1]});
  }
  void mode_time(const typename Plant::Mode& mode, double duration) {
    run_.ledger.time_in_mode[static_cast<std::size_t>(Law::mode(mode.law))] += duration;
  }

 private:
  const Plant& plant_;
  const SimulationOptions& options_;
  Run& run_;
  std::vector<double> times_;
  std::size_t next_ = 0;
};

/// One line on a run that did not finish.
inline std::string outcome_message(const Run& run) {
  std::string line = std::string(name_of(run.stop)) + " at t = " + significant(run.time, 10) + " s, mode " +
                     run.mode_names[static_cast<std::size_t>(run.mode)] + ", position " + significant(run.position, 6) +
                     ", velocity " + significant(run.velocity, 6);
  for (std::size_t i = 0; i < run.state.size(); ++i)
    line += ", " + run.state_names[i] + " " + significant(run.state[i], 6);
  return line + std::string(reason_of(run.stop));
}

/// Default tolerances: event times to 1e-9 s, bristle runs to 1e-7 m over half a minute.
template <class Law>
SimulationOptions settled(SimulationOptions options) {
  if (options.relative_tolerance <= 0) options.relative_tolerance = Law::stiff ? 1e-9 : 1e-10;
  if (options.absolute_tolerance <= 0) options.absolute_tolerance = 1e-3 * options.relative_tolerance;
  return options;
}

/// Whether viscosity or a damper would force an explicit method to more than some 30 000 steps.
template <template <class> class Model>
bool is_strongly_damped(const Body& body, const Varied<Model>& friction, const SimulationOptions& options) {
  return damping_of(body, friction) / body.mass * (options.end - options.start) > 1e5;
}

}  // namespace stickslip::inline machines
