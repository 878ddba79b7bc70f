/// Result of a simulation: samples, events, how it ended, and the ledger of energy and time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace stickslip {

/// Kinds of located events. Simultaneous events are handled in this order.
enum class EventKind {
  input_breakpoint,  // an input jumps or bends
  table_knot,        // a tabulated parameter bends
  bristle_contact,   // a bristle is touched
  bristle_release,   // a bristle snaps back
  element_slip,      // an element of a Maxwell-slip model starts to slip
  element_stick,     // ... and sticks again
  mode_entry,        // a named mode (presliding, Karnopp's band) begins
  mode_exit,         // ... and ends
  direction_change,  // the velocity passes through zero
  stick,             // the body comes to true rest
  release,           // ... and breaks away
};
inline constexpr std::size_t event_kinds = 11;
inline constexpr std::array<std::string_view, event_kinds> event_kind_names{
    "input breakpoint", "table knot", "bristle contact",  "bristle release", "element slip", "element stick",
    "mode entry",       "mode exit",  "direction change", "stick",           "release"};
/// "stick", "release", ...: the word in files and on screen.
constexpr std::string_view name_of(EventKind k) { return event_kind_names[static_cast<std::size_t>(k)]; }

struct Event {
  double time = 0;
  EventKind kind = EventKind::stick;
  int which = 0;  // which element, bristle or knot, 0 where there is one only; or which word of the machine's own
  int mode = 0;   // the mode entered
  double position = 0, velocity = 0;
  double applied = 0;  // force or torque from outside, of machines that list it
};

/// How a run ended.
enum class Stop {
  finished,
  step_too_small,
  not_finite,
  endless_switching,
  too_many_steps,
  level_out_of_range,
  cancelled,
  refused,  // never started: of a sweep, invalid values of the machine
  no_progress
};
/// "finished", "step too small", ...
constexpr std::string_view name_of(Stop s) {
  constexpr std::array<std::string_view, 9> names{
      "finished",          "step too small", "state not finite",
      "endless switching", "too many steps", "a varying parameter left its allowed range",
      "cancelled",         "refused",        "no progress"};
  return names[static_cast<std::size_t>(s)];
}
/// Reason and suggested fix, as the end of a message; "" where the name is sufficient.
constexpr std::string_view reason_of(Stop s) {
  switch (s) {
    case Stop::too_many_steps:
      return "; most_steps in [solver] allows more";
    case Stop::no_progress:
      return "; at the rate of the last million steps the remainder would need more than 100 times most_steps: "
             "something in "
             "it is far faster than the run is long";
    default:
      return "";
  }
}

/// What the solver did.
struct SolverWork {
  std::size_t steps = 0, rejected = 0, evaluations = 0;
};

/// Most events of its own that a machine tells apart.
inline constexpr std::size_t most_event_words = 13;

/// Where energy went [J], where time went [s], and what happened how often.
struct Ledger {
  double work_in = 0;                       // done on the machine by its inputs, its supply, its motor
  double stored_start = 0, stored_end = 0;  // kinetic, springs, weight, oil, and what the friction model stores
  double friction_heat = 0;                 // work against friction less what the friction model stores
  double damper_heat = 0;                   // of dampers, of viscosity, of throttled oil
  double reset_heat = 0;  // kinetic energy discarded where a velocity is set to zero: impacts, Karnopp, Sigma
  double residual = 0;    // error of the balance
  std::array<std::size_t, most_event_words> events{};  // by EventKind, or by the words of the machine
  std::vector<double> time_in_mode;                    // one per mode of the model

  template <class Archive>
  void keep(Archive& archive) {
    archive(work_in, stored_start, stored_end, friction_heat, damper_heat, reset_heat, residual, events, time_in_mode);
  }
};

/// Sampled results, one column per quantity.
struct Samples {
  std::vector<double> time, position, velocity, applied, friction;
  std::vector<int> mode;
  std::vector<double> command;              // force command of a sampled controller [N]; empty without one
  std::vector<std::vector<double>> states;  // the friction model's own states, one column each
};

/// What the result of every machine begins with.
struct RunHead {
  Stop stop = Stop::finished;
  double time = 0;              // reached [s]
  std::string message;          // for anything but `finished`: time, mode and state reached, and what to look at
  bool events_complete = true;  // false if there were more than the run was asked to keep
  SolverWork work;
};

/// Result of one body.
struct Run : RunHead {
  double position = 0, velocity = 0;
  int mode = 0;
  std::vector<double> state;  // friction states reached
  double controller = 0;      // integral of the controller reached
  Samples samples;
  std::vector<Event> events;
  Ledger ledger;
  std::vector<std::string> mode_names, state_names;
};

/// Progress and cancellation, from another thread or a signal handler.
struct RunWatch {
  std::atomic<bool> cancel{false};  // set it: the run ends between two steps with what it has
  std::atomic<double> reached{0};   // simulated time [s]
};

/// What a caller may choose; the defaults give event times to 1e-9 s.
struct SimulationOptions {
  double start = 0, end = 1;         // [s]
  double sample_interval = 0;        // 0: no uniform samples
  std::vector<double> sample_times;  // or these, increasing
  double relative_tolerance = 0;     // 0: 1e-10 for laws that truly stick, 1e-9 for bristles
  double absolute_tolerance = 0;     // of position [m] and velocity [m/s]; 0: a thousandth of the relative one
  double longest_step = std::numeric_limits<double>::infinity();
  bool in_closed_form =
      true;  // of one body: motion that has a closed form needs no steps (machines/one_body/moving_body.hpp)
  std::size_t most_steps = 20'000'000;  // tried; some ten seconds of one body
  std::size_t most_events = 2'000'000;  // kept in the list; all are counted
  RunWatch* watch = nullptr;            // checked between steps
};

}  // namespace stickslip
