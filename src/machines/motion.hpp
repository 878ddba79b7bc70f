/// A machine stepped by its caller: it is advanced to any time, inspected, saved, restored and copied.
///   const auto motion = friction->motion(body, {.end = 10});
///   while (motion->time() < 10) {
///     motion->set_input(0, controller(motion->output(0)));
///     motion->advance(motion->time() + 1e-3);
///   }
/// Events are located inside a call wherever they lie. The length of the calls does not affect the cost: steps are as long as
/// without calls, and a call ends inside one. A run to the end is advance(end).
///
/// The second half is for an external integrator (FMI Model Exchange): states, rates, event indicators and the switch at an event.
/// A program that uses both may change between them at an event only.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/run.hpp"

namespace stickslip::inline machines {

/// The name and unit of an input, output or state.
struct SignalInfo {
  std::string name, unit;
};

/// Kind of event, where it happened, and the resulting mode.
struct MotionEvent {
  double time = 0;
  EventKind kind = EventKind::stick;
  std::string what;  // in the machine's own words: "stick", "upper end", "clutch_1 locks"
  std::string mode;  // of one body, the mode afterwards: "stuck"
};

/// Where energy went.
struct LedgerRow {
  std::string name;
  double joule = 0;
};

class Motion {
 public:
  virtual ~Motion() = default;

  virtual double time() const = 0;  // [s]
  /// To `until`, which is not before now. Anything but `finished` names what stopped it; time() is how far it came.
  virtual Stop advance(double until) = 0;

  /// Names and units of the inputs, in the order of their numbers.
  virtual const std::vector<SignalInfo>& inputs() const = 0;
  /// Value of an input now.
  virtual double input(std::size_t which) const = 0;
  /// From now on value + slope (t − now), until it is set again; it replaces the signal of the file. Throws Error if not finite.
  /// A caller that sets an input is assumed to set it again where the next call of advance() ends: a step ends there, as at a breakpoint.
  virtual void set_input(std::size_t which, double value, double slope = 0) = 0;

  /// Names and units of the outputs.
  virtual const std::vector<SignalInfo>& outputs() const = 0;
  /// All outputs now, in the order of outputs().
  virtual void read(std::span<double> values) const = 0;
  double output(std::size_t which) const;
  /// "stuck", "forward", ...; of several parts the first.
  virtual std::string_view mode() const = 0;

  /// Those since the last call, in order.
  virtual std::vector<MotionEvent> take_events() = 0;
  /// Work in, change of stored energy, heats, residual, since the start.
  virtual std::vector<LedgerRow> ledger() const = 0;

  /// An independent copy at the same instant.
  virtual std::unique_ptr<Motion> clone() const = 0;
  /// The complete state, bit for bit, with events not yet taken; load() restores it in a motion of the same machine. Throws Error for other bytes.
  virtual std::vector<std::byte> save() const = 0;
  virtual void load(std::span<const std::byte> saved) = 0;

  /// Names and units of the continuous states; empty where there are none.
  virtual const std::vector<SignalInfo>& states() const = 0;
  /// The states now.
  virtual void state(std::span<double> values) const = 0;
  /// The state that an external integrator has reached at `time`; the mode is unchanged.
  virtual void set_state(double time, std::span<const double> values) = 0;
  virtual void rates(std::span<double> values) const = 0;
  /// Each positive while the mode holds, 1 where a mode has fewer.
  virtual std::size_t indicator_count() const = 0;
  virtual void indicators(std::span<double> values) const = 0;
  /// The next breakpoint of an input or sample of a controller [s]; infinity if none.
  virtual double next_time_event() const = 0;
  /// Handles all events that are due now: leaves modes whose indicators are negative until a consistent mode is found. True if anything changed.
  virtual bool settle() = 0;
  /// Directional derivative of the rates along a change of states and inputs, exact. False where the machine offers none.
  virtual bool slopes(std::span<const double> states, std::span<const double> inputs, std::span<double> rates) const;
};

/// A motion with its own time steps: it offers nothing to an external integrator.
class SteppedMotion : public Motion {
 public:
  const std::vector<SignalInfo>& states() const override;
  void state(std::span<double>) const override {}
  void set_state(double time, std::span<const double> values) override;
  void rates(std::span<double>) const override {}
  std::size_t indicator_count() const override { return 0; }
  void indicators(std::span<double>) const override {}
  double next_time_event() const override;
  bool settle() override { return false; }
};

}  // namespace stickslip::inline machines
