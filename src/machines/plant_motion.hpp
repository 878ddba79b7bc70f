/// Any hybrid system of solver/simulate.hpp as a Motion. The part specific to a machine is its Held, a plant at one address with all it
/// refers to:
///   Plant, Sink, plant, options, sink            as EventDrivenRun takes them
///   signals()                                    names and units of inputs, outputs and states
///   begin(run)                                   puts state and mode of the start into the run
///   run, finish(run)                             of a run to the end: its result, which begins with a RunHead, and what else it has
///   signal(i), set_line(run, i, t, value, slope) the i-th input, and the effect of setting it
///   read(whole, mode, t, values)                 the outputs
///   mode_name(mode), take_events(), ledger(whole, mode, t)
///   keep(archive)                                everything else that determines its future
///   again()                                      a new motion of the same machine from its start
///   shift(in, i, by)                             optional: the inputs at an instant with the i-th changed, for slopes
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "core/archive.hpp"
#include "core/error.hpp"
#include "core/scalar.hpp"
#include "core/text.hpp"
#include "machines/motion.hpp"
#include "solver/simulate.hpp"

namespace stickslip::inline machines {

struct MotionSignals {
  std::vector<SignalInfo> inputs, outputs, states;
};

/// Throws Error for a value that no input can have.
inline void check_input(double value, double slope) {
  if (!std::isfinite(value) || !std::isfinite(slope))
    throw Error("an input is set to " + shortest(value) + " with slope " + shortest(slope) + "; both must be finite");
}
/// Throws Error for a time before now.
inline void check_forward(double now, double until) {
  if (!(until >= now)) throw Error("a motion at " + shortest(now) + " s cannot go back to " + shortest(until) + " s");
}

template <class Held>
class PlantMotion final : public Motion {
 public:
  using Plant = typename Held::Plant;
  using Engine = EventDrivenRun<Plant, typename Held::Sink>;

  template <class... Arguments>
  explicit PlantMotion(const Arguments&... arguments)
      : held_(arguments...), engine_(held_.plant, held_.options, held_.sink), now_(held_.options.start) {
    engine_.time = now_;
    held_.begin(engine_);
  }
  PlantMotion(const PlantMotion&) = delete;
  PlantMotion& operator=(const PlantMotion&) = delete;

  /// To the end of its options, without the names and lists that a stepped motion needs.
  auto run() {
    RunHead& head = held_.run;
    head.stop = engine_.run();
    head.time = engine_.time;
    head.work = engine_.work;
    return held_.finish(engine_);
  }

  double time() const override { return now_; }
  Stop advance(double until) override {
    check_forward(now_, until);
    if (needs_settling_) settle();
    step_outside(false);
    const Stop stop = stop_ != Stop::finished ? stop_ : engine_.advance(until, is_driven_);
    is_driven_ = false;
    now_ = stop == Stop::finished ? until : engine_.time;
    return stop;
  }

  const std::vector<SignalInfo>& inputs() const override { return held_.signals().inputs; }
  double input(std::size_t which) const override { return held_.signal(which)(now_); }
  void set_input(std::size_t which, double value, double slope) override {
    check_input(value, slope);
    const Signal& changed = held_.signal(which);
    if (slope == 0 && changed.is_constant() && changed(now_) == value) return;
    engine_.cut(now_);
    held_.set_line(engine_, which, now_, value, slope);
    needs_settling_ = is_driven_ = true;
  }

  const std::vector<SignalInfo>& outputs() const override { return held_.signals().outputs; }
  void read(std::span<double> values) const override { held_.read(engine_.at(now_), engine_.mode, now_, values); }
  std::string_view mode() const override { return held_.mode_name(engine_.mode); }
  std::vector<MotionEvent> take_events() override { return held_.take_events(); }
  std::vector<LedgerRow> ledger() const override { return held_.ledger(engine_.at(now_), engine_.mode, now_); }

  std::unique_ptr<Motion> clone() const override {
    auto copy = held_.again();
    copy->load(save());
    return copy;
  }
  std::vector<std::byte> save() const override {
    ArchiveWriter archive;
    const_cast<PlantMotion&>(*this).keep(archive);  // writing changes nothing
    return archive.take();
  }
  void load(std::span<const std::byte> saved) override {
    ArchiveReader archive(saved);
    keep(archive);
    step_outside(is_stepped_outside_);
    if (!archive.is_done()) throw Error("the saved motion belongs to another machine: it is too long for this one");
  }

  const std::vector<SignalInfo>& states() const override { return held_.signals().states; }
  void state(std::span<double> values) const override {
    const auto whole = engine_.at(now_);
    std::copy_n(whole.begin() + Plant::totals, states().size(), values.begin());
  }
  void set_state(double time, std::span<const double> values) override {
    engine_.cut(now_);
    std::copy_n(values.begin(), states().size(), engine_.y.begin() + Plant::totals);
    engine_.time = now_ = time;
    is_driven_ = true;
    step_outside(true);
  }
  void rates(std::span<double> values) const override {
    const auto whole = engine_.at(now_);
    typename Engine::Vector rates{};
    held_.plant.derivative(engine_.mode, now_, whole.data() + Plant::totals, rates.data() + Plant::totals,
                           rates.data());
    std::copy_n(rates.begin() + Plant::totals, states().size(), values.begin());
  }
  std::size_t indicator_count() const override { return Guards::most; }
  void indicators(std::span<double> values) const override {
    const auto whole = engine_.at(now_);
    Guards guards{};
    held_.plant.guards(engine_.mode, now_, whole.data() + Plant::totals, guards);
    std::fill(values.begin(), values.end(), 1.0);
    std::copy_n(guards.value.begin(), guards.count, values.begin());
  }
  double next_time_event() const override { return held_.plant.next_break(engine_.mode); }
  bool settle() override {
    needs_settling_ = false;
    engine_.cut(now_);
    const std::size_t before = engine_.changes;
    stop_ = engine_.has_begun() ? engine_.settle() : engine_.advance(now_);
    return engine_.changes != before;
  }
  bool slopes(std::span<const double> by_states, std::span<const double> by_inputs,
              std::span<double> rates) const override {
    if constexpr (requires { held_.plant.inputs(engine_.mode, Dual<1>(now_)); }) {
      using D = Dual<1>;
      const auto whole = engine_.at(now_);
      std::array<D, Engine::width> all{}, all_rates{};
      for (std::size_t i = 0; i < states().size(); ++i) {
        all[i] = D(whole[Plant::totals + i]);
        all[i].slope[0] = by_states[i];
      }
      const D t(now_);
      auto in = held_.plant.inputs(engine_.mode, t);
      for (std::size_t i = 0; i < by_inputs.size(); ++i) held_.shift(in, i, by_inputs[i]);
      held_.plant.derivative(engine_.mode, in, t, all.data(), all_rates.data() + Plant::totals, all_rates.data());
      for (std::size_t i = 0; i < rates.size(); ++i) rates[i] = all_rates[Plant::totals + i].slope[0];
      return true;
    } else {
      return Motion::slopes(by_states, by_inputs, rates);
    }
  }

 private:
  /// Informs the plant which integrator is used, if it needs to know.
  void step_outside(bool is_outside) {
    is_stepped_outside_ = is_outside;
    if constexpr (requires { held_.step_outside(is_outside); }) held_.step_outside(is_outside);
  }
  template <class Archive>
  void keep(Archive& archive) {
    archive(now_, needs_settling_, is_driven_, is_stepped_outside_, stop_);
    held_.keep(archive);
    engine_.keep(archive);
  }

  Held held_;
  Engine engine_;
  double now_;
  bool needs_settling_ = false;
  bool is_driven_ = false;           // an input was set since the last call, and will be at the end of the next one
  bool is_stepped_outside_ = false;  // the state was set since the last advance()
  Stop stop_ = Stop::finished;
};

}  // namespace stickslip::inline machines
