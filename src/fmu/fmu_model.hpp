/// What an FMU computes, without anything of FMI's functions: its variables, and a motion whose inputs, outputs and states are those
/// variables. Exporter and binary build the same variables from the same content, so that a number in modelDescription.xml means
/// the same on both sides.
///
/// A machine is a Motion as it is. An element is a body too heavy for its friction to matter (1e30 kg): its velocity is what it is set to, its
/// position follows, and friction force and states come out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fmu/fmu_content.hpp"
#include "machines/friction/friction.hpp"
#include "machines/machine.hpp"

namespace stickslip::inline fmu {

enum class FmuRole { time, input, output, state, rate, indicator, parameter, from_file };
enum class FmuType { real, integer, boolean };

/// One variable; its value reference is its place in the list.
struct FmuVariable {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  static constexpr double unbounded = std::numeric_limits<double>::quiet_NaN();

  FmuRole role = FmuRole::output;
  std::size_t index = 0;  // among those of its role
  FmuType type = FmuType::real;
  std::string name = {}, unit = {}, description = {};
  std::string whole_name = {};  // before it was cut or numbered; `name` if neither was needed
  double start = 0;             // of an input or parameter
  double low = unbounded, high = unbounded;
  double nominal = 0;        // of a state; 0: none
  std::size_t state = none;  // the state that an output is
  bool is_tunable = false;
};

/// The longest name; some tools cut longer ones.
inline constexpr std::size_t longest_fmu_name = 55;

class FmuMotion;

class FmuModel {
 public:
  /// Throws Error for a content that makes no machine.
  explicit FmuModel(FmuContent content);

  const FmuContent& content() const { return content_; }
  const std::vector<FmuVariable>& variables() const { return variables_; }
  const SimulationOptions& options() const { return machine_.options(); }
  const Machine& machine() const { return machine_; }
  bool is_element() const { return content_.is_element; }
  /// Of a model whose states an integrator outside may take.
  bool can_be_integrated() const { return can_be_integrated_; }
  /// Directional derivatives are exact, not by differences.
  bool has_exact_slopes() const { return has_exact_slopes_; }

  std::size_t inputs() const { return inputs_; }
  std::size_t outputs() const { return outputs_.size(); }
  std::size_t states() const { return shown_.size(); }
  std::size_t indicators() const { return indicators_; }
  std::size_t parameters() const { return paths_.size(); }
  /// The parameter's value as exported.
  double parameter(std::size_t i) const { return defaults_[i]; }
  bool is_from_file(std::size_t input) const { return varies_[input]; }
  /// The variable of this role and index; there must be one.
  const FmuVariable& variable(FmuRole role, std::size_t index) const;
  /// A motion that a drive prescribes: a speed, or a position. Its slope matters, which an outside integrator does not tell.
  bool is_prescribed(std::size_t input) const { return prescribed_[input] != Prescribed::nothing; }
  bool is_path(std::size_t input) const { return prescribed_[input] == Prescribed::position; }

  /// At `start` with these parameters. Throws Error for values that the machine refuses.
  std::unique_ptr<FmuMotion> motion(std::span<const double> parameters, double start, bool lists_events) const;

 private:
  friend class FmuMotion;
  /// Where an output comes from: a column of the motion, or friction force times velocity.
  struct Output {
    std::size_t column = 0, times = FmuVariable::none;
  };
  enum class Prescribed : unsigned char { nothing, speed, position };
  /// A spring of a mechanism: its elongation among the motion's states, its far end among the inputs.
  struct FarEnd {
    std::size_t state = 0, input = 0;
  };

  void add(FmuVariable variable);
  void add_inputs(const Motion& motion);
  void add_outputs_and_states(const Motion& motion);
  void add_parameters();
  void find_slopes(const Motion& motion);

  FmuContent content_;
  Machine machine_;
  std::vector<FmuVariable> variables_;
  std::vector<std::string> paths_;      // of the parameters
  std::vector<double> defaults_;        // of the parameters
  std::vector<char> varies_;            // per input: the source file has it vary with time
  std::vector<Prescribed> prescribed_;  // per input
  std::vector<FarEnd> far_ends_;
  std::vector<Output> outputs_;
  std::size_t inputs_ = 0, indicators_ = 0;
  std::vector<std::size_t> shown_;  // the motion's states that are the FMU's: an element's velocity is an input
  bool follows_position_ = false;   // an element whose levels follow the position
  bool follows_temperature_ = false;
  bool can_be_integrated_ = false, has_exact_slopes_ = false;
};

/// The model in motion, in the order of its variables.
class FmuMotion {
 public:
  FmuMotion(const FmuModel& model, std::span<const double> parameters, double start, bool lists_events);

  double time() const { return motion_->time(); }
  Stop advance(double until);
  /// From now on value + slope (t − now). Inputs that the file drives are left alone by the caller.
  void set_input(std::size_t which, double value, double slope);
  double input(std::size_t which) const { return motion_->input(which); }
  void read(std::span<double> outputs) const;
  /// Those since the last call, if the motion lists events.
  std::vector<MotionEvent> take_events() { return motion_->take_events(); }

  void state(std::span<double> values) const;
  void set_state(double time, std::span<const double> values);
  void rates(std::span<double> values) const;
  void indicators(std::span<double> values) const;
  double next_time_event() const { return motion_->next_time_event(); }
  bool settle();
  /// Along changes of states and inputs: the rates, and the outputs. False where there are none.
  bool slopes(std::span<const double> states, std::span<const double> inputs, std::span<double> rates,
              std::span<double> outputs);

  std::vector<std::byte> save() const;
  void load(std::span<const std::byte> saved);
  /// Goes on with the state and the memory that another motion of the same machine with other parameters has.
  void continue_from(const FmuMotion& before);
  std::string_view mode() const { return motion_->mode(); }

 private:
  void move_element() const;
  void show_far_ends() const;
  /// Rates and outputs along a change of states and inputs.
  void differences(std::span<const double> states, std::span<const double> inputs, std::span<double> rates,
                   std::span<double> outputs);

  const FmuModel& model_;
  std::unique_ptr<BuiltMachine> built_;  // of a machine
  std::unique_ptr<Friction> friction_;   // of an element
  std::unique_ptr<Motion> motion_;
  mutable std::vector<double> columns_, whole_state_, whole_rates_, guards_, seeds_;
  std::vector<char> driven_;                               // per input: set from outside
  std::size_t speed_ = FmuVariable::none;                  // of the states, where guards watch it
  double velocity_ = 0, acceleration_ = 0, position_ = 0;  // of an element
  bool element_moved_ = true;                              // its velocity or position was set since the last step
  double mass_ = 1, stiffness_ = 0, damping_ = 0, integral_ = 0;
  bool is_path_ = false, is_sampled_ = false;
};

}  // namespace stickslip::inline fmu
