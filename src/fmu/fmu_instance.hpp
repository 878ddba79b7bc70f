/// One instance of an FMU, as FMI's functions see it: values by reference, phases, steps or an integrator outside, saved states,
/// messages. FMI 2.0 and 3.0 are thin layers over this (src/fmu_binary).
/// Nothing is shared between instances. After initialization steps, values, events and an integrator outside allocate nothing
/// (tests/fmu/fmu_allocation_test.cpp). Exceptions: events that are listed (early return, the log of events), a parameter that is changed
/// (the machine is built anew), saved states, derivatives by differences, errors in words, and the outputs of a prescribed motion.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fmu/fmu_model.hpp"

namespace stickslip::inline fmu {

enum class FmuUse { model_exchange, co_simulation };
enum class FmuSeverity { event, warning, error };
using FmuLog = std::function<void(FmuSeverity, const std::string&)>;

class FmuInstance {
 public:
  struct Options {
    FmuUse use = FmuUse::co_simulation;
    bool has_event_mode = false;     // of Co-Simulation: steps and event mode take turns
    bool returns_at_events = false;  // a step ends at its first event
    bool logs_events = false;
  };
  /// The resources folder is a path. Throws Error for one that has no content, or for another FMU's token.
  FmuInstance(const std::string& resources, std::string_view token, Options options, FmuLog log);

  const FmuModel& model() const { return model_; }
  FmuUse use() const { return options_.use; }
  std::string mode_words() const { return motion_ ? std::string(motion_->mode()) : ""; }
  void log(FmuSeverity severity, const std::string& message) const;
  /// At any time; the motion goes on with the same bits.
  void set_event_log(bool on);

  /// Throw Error when called at a wrong moment.
  void enter_initialization(double start);
  void exit_initialization();
  void terminate();
  void reset();

  /// Values by reference. Throw Error for a reference that is not there, of another type, or may not be set now.
  double get(std::uint32_t reference, FmuType type);
  void set(std::uint32_t reference, FmuType type, double value);
  void set_input_slope(std::uint32_t reference, double slope);

  struct StepEnd {
    Stop stop = Stop::finished;
    double time = 0;
    bool is_early = false;
  };
  /// From `from` by `length`; with returns_at_events to the first event.
  StepEnd step(double from, double length);

  // An integrator outside.
  void set_time(double time);
  void set_states(std::span<const double> values);
  void get_states(std::span<double> values);
  void get_rates(std::span<double> values);
  void get_indicators(std::span<double> values);
  void get_nominals(std::span<double> values) const;
  struct Discrete {
    bool states_changed = false;
    double next_event = 0;  // infinity if none
  };
  Discrete update_discrete();
  void enter_event_mode();
  void enter_continuous_mode();
  void enter_step_mode();

  /// Of rates and outputs along a change of states and inputs. Throws Error where the model offers none.
  void directional_derivative(std::span<const std::uint32_t> unknowns, std::span<const std::uint32_t> knowns,
                              std::span<const double> seed, std::span<double> sensitivity);

  std::vector<std::byte> save();
  void load(std::span<const std::byte> saved);

 private:
  enum class Phase : unsigned char { instantiated, initialization, event, continuous, stepping, terminated };
  struct Value {
    double value = 0, slope = 0;
    bool is_new = true;
  };

  const FmuVariable& variable(std::uint32_t reference, FmuType type) const;
  void allow(std::initializer_list<Phase> phases, const char* what) const;
  /// Brings the motion up to what was set since.
  void refresh();
  void build();
  void put_inputs(bool all);
  void tell_events();
  template <class Archive>
  void keep(Archive& archive, std::vector<std::byte>& motion);

  Options options_;
  FmuLog log_;
  std::string token_;
  FmuModel model_;
  Phase phase_ = Phase::instantiated;
  double start_ = 0, time_ = 0;
  std::vector<double> parameters_, states_;
  std::vector<Value> inputs_;
  std::vector<char> from_file_, warned_;
  bool parameters_changed_ = true, inputs_changed_ = true, states_set_ = false;
  bool outputs_known_ = false, rates_known_ = false, indicators_known_ = false;
  std::vector<double> outputs_, rates_, indicators_, seed_states_, seed_inputs_;
  std::unique_ptr<FmuMotion> motion_;
};

}  // namespace stickslip::inline fmu
