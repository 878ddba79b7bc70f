/// A friction model chosen by name, with its values: the interface between text (files, command line) and the templates.
/// Virtual calls happen once per run here, never once per sample.
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/parameter.hpp"
#include "core/run.hpp"
#include "core/variation.hpp"
#include "machines/friction/sticking_law.hpp"
#include "machines/motion.hpp"
#include "machines/one_body/driven_body.hpp"
#include "models/promises.hpp"

namespace stickslip::inline machines {

/// A number [SI], a list of numbers [SI], or a word (a choice).
using ParameterValue = std::variant<double, std::vector<double>, std::string>;
using ParameterValues = std::vector<std::pair<std::string, ParameterValue>>;

struct ParameterDescription {
  std::string key, symbol, unit, meaning;
  ParameterKind kind = ParameterKind::number;
  Domain domain = Domain::positive;
  double low = 0, high = 0;
  Scale scale = Scale::linear;
  Fit fit = Fit::searched;
  double preset = required;
  std::vector<std::string> choices;
  /// True where a value must be given.
  bool is_required() const { return !(preset == preset); }
};
/// "positive", "zero or positive", "between 0 and 1", "any finite number".
std::string_view allowed_range(Domain d);

enum class Nature { sticks, bristles, modes };

struct ModelDescription {
  std::string name, title, equations, source, captures, lacks;
  Nature nature = Nature::sticks;
  std::vector<ParameterDescription> parameters;
  std::vector<std::string> states;  // names with unit, as in result files
};

/// A parameter that follows position, load, pressure or temperature.
struct VariationSetting {
  std::string key;
  Quantity over = Quantity::position;
  std::vector<double> polynomial;
  std::vector<double> knots, values;
  double reference = 0;  // the value of the quantity at which the polynomial is 0
};

struct FrictionSettings {
  ParameterValues values;
  ParameterValues backward;  // what differs while sliding backward
  std::vector<VariationSetting> variations;
};

/// A motion that is given, sampled; load, pressure and temperature may be empty (the last is 20 degC then).
struct PrescribedMotion {
  std::vector<double> time, position;
  std::vector<double> load, pressure, temperature = {};
};

/// Advances a body by fixed steps with the friction of each step exact: for control loops and game engines.
class FixedStepper {
 public:
  virtual ~FixedStepper() = default;
  /// One step of length h under the force `applied` held over it; returns the friction of the step [N].
  virtual double step(double applied, double h) = 0;
  /// One step of length h at a given velocity; returns the friction at its end [N]. At rest a law that truly sticks gives 0:
  /// the holding force is not known from the motion.
  virtual double follow(double velocity, double h) = 0;
  /// Load, pressure and temperature, for levels that depend on them; valid from the next step on.
  virtual void set_load(double load) = 0;                // [N]
  virtual void set_pressure(double pressure) = 0;        // [Pa]
  virtual void set_temperature(double temperature) = 0;  // [K]; 20 degC at the start
  virtual double position() const = 0;
  virtual double velocity() const = 0;  // exactly 0.0 while stuck
  virtual int mode() const = 0;
  /// The friction model's own states, in the order of its description.
  virtual std::vector<double> states() const = 0;
  /// Back to the initial state, at another position.
  virtual void reset(double position, double velocity) = 0;
  /// The complete state, bit for bit. Throws Error for bytes of another model.
  virtual std::vector<std::byte> save() const = 0;
  virtual void load(std::span<const std::byte> saved) = 0;
};

class Friction {
 public:
  virtual ~Friction() = default;
  virtual const ModelDescription& description() const = 0;
  /// All values, presets included, with their dependences.
  virtual const FrictionSettings& settings() const = 0;
  /// Event-driven run of a body with this friction.
  virtual Run simulate(const Body& body, const SimulationOptions& options) const = 0;
  /// The same body as a motion to be stepped; the friction must outlive it. `end` of the options is a plan, not a limit.
  virtual std::unique_ptr<Motion> motion(const Body& body, const SimulationOptions& options) const = 0;
  /// The same with fixed steps of length h and the exact friction update per step.
  virtual Run simulate_fixed_step(const Body& body, const SimulationOptions& options, double h) const = 0;
  virtual std::unique_ptr<Motion> fixed_step_motion(const Body& body, const SimulationOptions& options,
                                                    double h) const = 0;
  virtual std::unique_ptr<FixedStepper> fixed_stepper(double mass, double position, double velocity) const = 0;
  /// Friction along a prescribed motion [N], velocity held between samples; a law that truly sticks gives 0 at rest.
  virtual std::vector<double> respond(const PrescribedMotion& motion) const = 0;
  /// Warnings about the use: rules that are violated, with their numbers. Empty if none.
  virtual std::vector<std::string> doubts(const Use& use) const = 0;
  /// Value of a scalar parameter (forward set).
  virtual double parameter(std::string_view key) const = 0;
  /// The law as a joint between bodies needs it; nullptr for a law with states, modes or jumps over position.
  virtual std::unique_ptr<StickingLaw> sticking_law() const { return nullptr; }
};

class RegisteredModel {
 public:
  virtual ~RegisteredModel() = default;
  virtual const ModelDescription& description() const = 0;
  /// Throws Error naming parameter, value and allowed range if the settings are invalid.
  virtual std::unique_ptr<Friction> make(const FrictionSettings& settings) const = 0;
};

/// All models, in the order of src/models/CMakeLists.txt.
std::vector<const RegisteredModel*> registered_models();
/// By name; a wrong name throws Error with the nearest one.
const RegisteredModel& find_model(std::string_view name);
std::unique_ptr<Friction> make_friction(std::string_view name, const ParameterValues& values);
std::unique_ptr<Friction> make_friction(std::string_view name, const ParameterValues& values,
                                        const ParameterValues& backward,
                                        const std::vector<VariationSetting>& variations = {});
/// From settings; a template so that `{}` still means no values.
template <std::same_as<FrictionSettings> Settings>
std::unique_ptr<Friction> make_friction(std::string_view name, const Settings& settings) {
  return find_model(name).make(settings);
}
/// Throws Error for an invalid run: a mass that is not positive, an end before the start, a tolerance that is not a number.
void check_run(const Body& body, const SimulationOptions& options);

/// Checks shared by all models; `name` is the model's.
void check_keys(const ModelDescription& model, const ParameterValues& values);
void check_value(const ModelDescription& model, const ParameterDescription& parameter, const ParameterValue& value);

/// Whether any parameter follows the quantity.
bool follows(const Friction& friction, Quantity quantity);
/// Where a law that was found between two values has its constant: at 0; over temperature at 20 degC, or at the nearest whole degree
/// between them.
double usual_reference(Quantity over, double low, double high);

}  // namespace stickslip::inline machines
