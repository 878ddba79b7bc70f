/// See servo_axis_file.hpp.
#include "machines/servo_axis/servo_axis_file.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/input_section.hpp"
#include "files/run_section.hpp"
#include "files/toml_section.hpp"
#include "machines/friction/doubts.hpp"

namespace stickslip::inline machines {
namespace {

constexpr double most_samples = 2e7;
constexpr Range shares{0, 2, true, "1 is all of the friction that the model gives"};

/// The table with the gains: a servo axis has [controller]; the others have them in [machine].
enum class Gains { controller, position_loop, pid };

/// A hundredth of the shortest time of a loop, as 1, 2 or 5 times a power of ten [s]. Its fastest rate is at most a few times the
/// largest of D/m, √(P/m) and ∛(I/m), the terms of m s³ + D s² + P s + I.
double fine_sampling(const ServoGains& g, double mass) {
  const double fastest =
      std::max({g.derivative / mass, std::sqrt(g.proportional / mass), std::cbrt(g.integral / mass)});
  const double wanted = 0.01 / fastest, decade = std::pow(10, std::floor(std::log10(wanted)));
  return decade * (wanted >= 5 * decade ? 5 : wanted >= 2 * decade ? 2 : 1);
}

/// Gains and timing.
void read_controller(const Section& from, Gains where, MotionKind motion, ServoAxis& axis,
                     std::vector<std::string>& warnings) {
  const auto unit = [&](std::string_view linear) { return unit_for(motion, linear); };
  ServoGains& g = axis.gains;
  if (where == Gains::position_loop) {
    g.derivative = from.not_negative("velocity_gain", unit("N s/m"));
    g.proportional = g.derivative * from.not_negative("position_gain", "1/s");
  } else {
    g.proportional = from.not_negative("proportional", unit("N/m"));
    g.derivative = from.not_negative_or("derivative", unit("N s/m"), 0);
  }
  g.integral = from.not_negative_or("integral", unit("N/(m s)"), 0);
  g.dead_zone = from.not_negative_or("dead_zone", unit("m"), 0);
  if (where == Gains::pid && !from.has("sampling_time")) {
    if (!(g.proportional + g.derivative + g.integral > 0))
      from.fail(from.line(), "all gains are 0; a controller with a friction model needs one, or a sampling_time");
    g.sampling_time = fine_sampling(g, axis.body.mass);
    warnings.push_back("a compensation computed from the reference is sampled, and no sampling_time is given: " +
                       with_unit(g.sampling_time, "s") + " is taken, a hundredth of the loop's shortest time or less");
  } else {
    g.sampling_time = from.positive("sampling_time", "s");
  }
  g.difference = from.count("difference").value_or(1);
  if (g.difference > ServoGains::longest_difference)
    from.fail(from.value("difference"), "difference is " + std::to_string(g.difference) + " samples; 1 to " +
                                            std::to_string(ServoGains::longest_difference) + " can be used");
  if (from.has("limit")) g.limit = from.positive("limit", unit("N"));
  g.resolution = from.not_negative_or("resolution", unit("m"), 0);
  axis.delay = from.not_negative_or("delay", "s", 0);
  axis.lag = from.not_negative_or("lag", "s", 0);
  constexpr double most_pending = 1000;
  if (axis.delay > most_pending * g.sampling_time)
    from.fail(from.value("delay"), "delay is " + with_unit(axis.delay, "s") + ", more than " + shortest(most_pending) +
                                       " sampling times of " + with_unit(g.sampling_time, "s"));
}

/// `file = ...` beside other keys, or a table [....friction] with model and values.
FrictionKnowledge read_knowledge(const Section& from, MotionKind motion) {
  FrictionKnowledge known;
  TomlValue only;
  if (from.has("file")) {
    if (from.has("friction"))
      from.fail(from.value("friction"), from.shown() + " has both a file and a table friction; give only one");
    only.kind = TomlValue::Kind::table;
    only.line = from.line();
    only.members.push_back({"file", from.value("file")});
  }
  const Section table = from.has("file") ? Section(only, from.name(), from.file()) : *from.inner("friction");
  ScenarioFriction read = read_friction(table, motion);
  if (read.follows_load || read.follows_pressure || read.follows_temperature)
    from.fail(table.line(), "a level of " + from.shown() +
                                " depends on load, pressure or temperature, which the controller does not measure");
  if (!read.state.empty()) from.fail(table.line(), from.shown() + " starts from rest; leave out start");
  known.friction = std::move(read.friction);
  known.reversal = from.not_negative_or("reversal", unit_for(motion, "m"), 0);
  if (known.reversal > 0 && known.friction->description().nature != Nature::sticks)
    from.fail(from.value("reversal"), known.friction->description().name +
                                          " models presliding itself; reversal is only for models with true sticking");
  known.share = from.has("share") ? from.within("share", "1", shares) : 1;
  return known;
}

bool truth(const Section& from, const char* key, bool otherwise) {
  if (!from.has(key)) return otherwise;
  const TomlValue& value = from.value(key);
  if (value.kind != TomlValue::Kind::boolean) from.fail(value, std::string(key) + " is true or false");
  return value.is_true;
}

void read_compensation(const Section& file, MotionKind motion, ServoAxis& axis) {
  ServoGains& g = axis.gains;
  if (const auto from = file.inner("feedforward")) {
    from->knows({"file", "friction", "share", "reversal", "velocity", "mass", "inertia", "lead"});
    const char *mass = motion == MotionKind::rotary ? "inertia" : "mass",
               *other = motion == MotionKind::rotary ? "mass" : "inertia";
    if (from->has(other))
      from->fail(from->value(other), std::string(other) + " in a machine of the other motion; " + mass + " is meant");
    g.follows_velocity = truth(*from, "velocity", true);
    g.carried_mass = from->not_negative_or(mass, unit_for(motion, "kg"), 0);
    g.lead = from->not_negative_or("lead", "s", axis.delay + axis.lag);
    if (from->has("file") || from->has("friction"))
      axis.feedforward = read_knowledge(*from, motion);
    else
      for (const char* key : {"share", "reversal"})
        if (from->has(key))
          from->fail(from->value(key),
                     std::string(key) + " without a friction model; name one with file = \"axis.model.toml\"");
  }
  if (const auto from = file.inner("observer")) {
    from->knows({"file", "friction", "share", "reversal", "correction"});
    if (!from->has("file") && !from->has("friction"))
      from->fail(from->line(), "[observer] has no friction model; name one with file = \"axis.model.toml\"");
    axis.observer = read_knowledge(*from, motion);
    g.correction = from->not_negative_or("correction", "1/s", 0);
  }
  if (const auto from = file.inner("dither")) {
    from->knows({"amplitude", "frequency"});
    g.dither_amplitude = from->positive("amplitude", unit_for(motion, "N"));
    g.dither_frequency = from->positive("frequency", "Hz");
    if (g.dither_frequency * g.sampling_time > 0.5 * (1 + 1e-12))
      from->fail(from->value("frequency"), "dither of " + with_unit(g.dither_frequency, "Hz") + " at " +
                                               with_unit(1 / g.sampling_time, "Hz") +
                                               " sampling; at most half of that frequency is possible");
  }
}

}  // namespace

bool has_compensation(const TomlValue& document) {
  for (const char* table : {"feedforward", "observer", "dither"})
    if (document.find(table)) return true;
  return false;
}

ServoAxisFile servo_axis_from(const TomlValue& document, const std::string& file_name) {
  const Section file(document, "", file_name);
  ServoAxisFile made;
  made.file = file_name;
  if (file.has("title")) made.title = file.text("title", "Servo axis");
  const Section machine = needed_section(file, "machine");
  const std::string kind = machine.word("kind", "machine", {"servo-axis", "position-loop", "pid"});
  const Gains where = kind == "servo-axis"      ? Gains::controller
                      : kind == "position-loop" ? Gains::position_loop
                                                : Gains::pid;
  std::vector<std::string> tables{"title",       "machine", "input", "friction",    "load",     "pressure",
                                  "temperature", "solver",  "run",   "feedforward", "observer", "dither"};
  if (where == Gains::controller) tables.push_back("controller");
  file.knows(tables);
  made.motion = machine.word_or("motion", "motion", {"linear", "rotary"}, "linear") == "rotary" ? MotionKind::rotary
                                                                                                : MotionKind::linear;
  const auto unit = [&](std::string_view linear) { return unit_for(made.motion, linear); };
  const std::string mass = made.motion == MotionKind::rotary ? "inertia" : "mass";
  std::vector<std::string> keys{"kind", "motion", mass, "start"};
  const std::vector<std::string> timing{"sampling_time", "difference", "lag",      "limit",
                                        "resolution",    "delay",      "integral", "dead_zone"};
  if (where != Gains::controller) keys.insert(keys.end(), timing.begin(), timing.end());
  if (where == Gains::position_loop) keys.insert(keys.end(), {"position_gain", "velocity_gain"});
  if (where == Gains::pid) keys.insert(keys.end(), {"proportional", "derivative"});
  machine.knows(keys);
  ServoAxis& axis = made.axis;
  axis.body.is_rotary = made.motion == MotionKind::rotary;
  axis.body.mass = machine.positive(mass, unit("kg"));
  if (const auto start = machine.inner("start")) {
    start->knows({"position", "velocity", "integral"});
    axis.body.position = start->quantity_or("position", unit("m"), 0);
    axis.body.velocity = start->quantity_or("velocity", unit("m/s"), 0);
    axis.gains.start_integral = start->quantity_or("integral", unit("m s"), 0);
  }
  if (where != Gains::controller) {
    read_controller(machine, where, made.motion, axis, made.warnings);
  } else {
    const Section controller = needed_section(file, "controller");
    std::vector<std::string> known = timing;
    known.insert(known.end(), {"proportional", "derivative"});
    controller.knows(known);
    read_controller(controller, where, made.motion, axis, made.warnings);
  }
  read_compensation(file, made.motion, axis);
  ScenarioFriction friction = read_friction(needed_section(file, "friction"), made.motion);
  axis.friction = std::move(friction.friction);
  axis.body.state = std::move(friction.state);
  if (!file.has("input"))
    throw Error(one_line(file_name) + ": there is no [input], the reference that the axis follows");
  axis.reference = read_input(file, "input", unit("m"), &made.warnings);
  const auto side = [&](const char* key, std::string_view of, bool is_followed, Signal& signal) {
    if (file.has(key))
      signal = read_input(file, key, of, &made.warnings);
    else if (is_followed)
      file.fail(file.inner("friction")->line(), "[friction] follows the " + std::string(key) + ", but there is no [" +
                                                    key + "]; it is written like [input]");
  };
  side("load", "N", friction.follows_load, axis.body.load);
  side("pressure", "Pa", friction.follows_pressure, axis.body.pressure);
  side("temperature", "K", friction.follows_temperature, axis.body.temperature);
  read_run(needed_section(file, "run"), most_samples, made.options);
  refuse_below_absolute_zero(file, axis.body.temperature, made.options.start, made.options.end);
  if (const auto solver = file.inner("solver")) {
    solver->knows(tolerance_keys);
    read_tolerances(*solver, unit("m"), made.options);
  }
  constexpr double most_controller_samples = 1e8;
  if ((made.options.end - made.options.start) / axis.gains.sampling_time > most_controller_samples)
    throw Error(one_line(file_name) + ": more than " + shortest(most_controller_samples) +
                " samples of the controller; use a shorter run or a longer sampling_time");
  Use use;
  use.mass = axis.body.mass;
  for (auto& doubt : doubts_about(*axis.friction, use, made.motion)) made.warnings.push_back(std::move(doubt));
  return made;
}

}  // namespace stickslip::inline machines
