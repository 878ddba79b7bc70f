/// See axis_plan.hpp.
#include "compensate/axis_plan.hpp"

#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "exports/scales.hpp"
#include "files/whole_file.hpp"
#include "machines/friction/friction_text.hpp"
#include "machines/machine.hpp"
#include "machines/one_body/one_body_file.hpp"

namespace stickslip::inline compensation {
namespace {

using Kind = TomlValue::Kind;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

/// A value in one line.
std::string inline_text(const TomlValue& v) {
  switch (v.kind) {
    case Kind::text:
      return quoted(v.text);
    case Kind::number:
      return shortest(v.number);
    case Kind::boolean:
      return v.is_true ? "true" : "false";
    case Kind::quantity:
      return quantity_text(v.number, v.text);
    case Kind::list: {
      std::string out = "[";
      for (const TomlValue& item : v.items) out += (out.size() > 1 ? ", " : "") + inline_text(item);
      return out + "]";
    }
    default: {
      std::string out = "{ ";
      for (const TomlMember& m : v.members) out += (out.size() > 2 ? ", " : "") + m.key + " = " + inline_text(m.value);
      return out + " }";
    }
  }
}

std::string one_input(const TomlValue& table, const char* heading) {
  std::string out = std::string(heading) + "\n";
  for (const TomlMember& m : table.members) out += m.key + " = " + inline_text(m.value) + "\n";
  return out + "\n";
}

/// [input] as written in a file; for a recording the part that the controller reads.
std::string input_text(const TomlValue& document, const AxisPlan& plan) {
  const TomlValue* input = document.find("input");
  std::vector<const TomlValue*> tables;
  if (input->kind == Kind::list)
    for (const TomlValue& item : input->items) tables.push_back(&item);
  else
    tables.push_back(input);
  bool is_recorded = false;
  for (const TomlValue* table : tables)
    if (const TomlValue* kind = table->find("kind")) is_recorded = is_recorded || kind->text == "file";
  std::string out;
  if (!is_recorded) {
    for (const TomlValue* table : tables) out += one_input(*table, input->kind == Kind::list ? "[[input]]" : "[input]");
    return out;
  }
  const std::string unit = unit_for(plan.motion, "m");
  out = "[input]  # read off the recording at every sampling time\nkind = \"table\"\npoints = [\n";
  for (double t = 0; t <= plan.duration + plan.axis.gains.sampling_time; t += plan.axis.gains.sampling_time)
    out += "  [" + quantity_text(t, "s") + ", " + quantity_text(plan.axis.reference(t), unit) + "],\n";
  return out + "]\n\n";
}

void take(double given, double& into) {
  if (std::isfinite(given)) into = given;
}

void overrule(const AxisNumbers& n, AxisPlan& plan) {
  ServoAxis& axis = plan.axis;
  take(n.mass, axis.body.mass);
  take(n.sampling_time, axis.gains.sampling_time);
  take(n.delay, axis.delay);
  take(n.lag, axis.lag);
  take(n.resolution, axis.gains.resolution);
  take(n.limit, axis.gains.limit);
}

void own_reference(const AxisNumbers& n, AxisPlan& plan, const Friction& friction) {
  const FrictionScales scales = scales_of(friction);
  const std::string length = unit_for(plan.motion, "m");
  // Slow enough to live in the falling part of friction, fast enough to leave it between reversals.
  const double frequency = std::isfinite(n.frequency) ? n.frequency : 0.5;
  const double amplitude = std::isfinite(n.amplitude)
                               ? n.amplitude
                               : std::max(3 * scales.speed / (Oscillation::two_pi * frequency), 20 * scales.length);
  if (!std::isfinite(n.amplitude))
    plan.assumed.push_back("a sine of " + with_unit(amplitude, length, 3) +
                           " as reference, up to three times the speed where friction falls (--amplitude)");
  if (!std::isfinite(n.frequency))
    plan.assumed.push_back("its frequency " + with_unit(frequency, "Hz") + " (--frequency)");
  plan.axis.reference = Signal::sine(amplitude, frequency);
  plan.duration = 5 / frequency;
  plan.input_text = "[input]  # the reference\nkind = \"sine\"\namplitude = " + quantity_text(amplitude, length) +
                    "\nfrequency = " + quantity_text(frequency, "Hz") + "\n\n";
}

}  // namespace

AxisNumbers::AxisNumbers()
    : mass(unknown),
      sampling_time(unknown),
      delay(unknown),
      lag(unknown),
      resolution(unknown),
      amplitude(unknown),
      frequency(unknown),
      limit(unknown) {}

double dead_time(const ServoAxis& axis) {
  const double T = axis.gains.sampling_time;
  return 0.5 * T + axis.delay + axis.lag + 0.5 * static_cast<double>(axis.gains.difference) * T;
}

void design_gains(AxisPlan& plan) {
  ServoGains& g = plan.axis.gains;
  const double theta = dead_time(plan.axis);
  g.derivative = 0.4 * plan.axis.body.mass / theta;
  g.proportional = g.derivative * 0.1 / theta;
  plan.integral = g.proportional * 0.025 / theta;
}

AxisPlan plan_from_mass(const ModelFile& model, const AxisNumbers& n) {
  AxisPlan plan;
  plan.motion = model.motion;
  plan.source = "--mass";
  plan.axis.body.is_rotary = model.motion == MotionKind::rotary;
  plan.axis.friction = make_friction(model.model, model.settings);
  plan.friction_text = friction_text(find_model(model.model).description(), model.settings, model.motion);
  const std::string length = unit_for(plan.motion, "m");
  overrule(n, plan);
  const auto assume = [&](double given, double& into, double value, std::string_view unit, const char* what,
                          const char* option) {
    if (std::isfinite(given)) return;
    into = value;
    plan.assumed.push_back(std::string(what) + " " + with_unit(value, unit) + " (" + option + ")");
  };
  assume(n.sampling_time, plan.axis.gains.sampling_time, 1e-3, "s", "sampling time", "--rate");
  assume(n.delay, plan.axis.delay, 0.5 * plan.axis.gains.sampling_time, "s", "delay from reading to force", "--delay");
  assume(n.resolution, plan.axis.gains.resolution, 0, length, "encoder resolution", "--resolution");
  own_reference(n, plan, *plan.axis.friction);
  design_gains(plan);
  plan.assumed.push_back("gains from the dead time of " + with_unit(dead_time(plan.axis), "s", 3) +
                         " (--machine has gains of its own)");
  return plan;
}

AxisPlan plan_from_machine(const std::string& file, const ModelFile& model, const AxisNumbers& n) {
  const TomlValue document = parse_toml(read_whole(file), file);
  const MachineKind& kind = machine_kind_of(document, file);
  if (kind.name == "one_body" && !document.find("machine"))
    throw Error(file + ": there is no [machine]" +
                (document.find("friction") ? "; a model file says nothing of the axis" : "") +
                ": --machine takes a file with kind = \"servo-axis\", \"position-loop\" or \"pid\", or give --mass");
  AxisPlan plan;
  plan.source = file;
  if (kind.name == "servo_axis") {
    ServoAxisFile read = servo_axis_from(document, file);
    plan.motion = read.motion;
    plan.axis = std::move(read.axis);
    plan.duration = read.options.end - read.options.start;
    plan.axis.feedforward.reset();
    plan.axis.observer.reset();
  } else if (kind.name == "one_body") {
    Scenario read = scenario_from(document, file);
    const Drive& drive = read.body.drive;
    ServoGains& g = plan.axis.gains;
    if (drive.kind == DriveKind::position_loop) {
      const PositionLoop& loop = drive.loop;
      g.derivative = loop.velocity_gain;
      g.proportional = loop.velocity_gain * loop.position_gain;
      g.sampling_time = loop.sampling_time;
      g.difference = loop.difference;
      g.limit = loop.limit;
      g.resolution = loop.resolution;
      plan.axis.lag = loop.lag;
    } else if (drive.kind == DriveKind::pid) {
      g.proportional = drive.stiffness;
      g.derivative = drive.damping;
      g.integral = drive.integral;
      if (!std::isfinite(n.sampling_time)) {
        g.sampling_time = 1e-3;
        plan.assumed.push_back("the PID of " + file + " is sampled every " + with_unit(g.sampling_time, "s") +
                               " (--rate)");
      }
    } else {
      throw Error(file + ": no controller to improve; kind = \"servo-axis\", \"position-loop\" or \"pid\" has one");
    }
    plan.motion = read.motion;
    plan.axis.body = read.body;
    plan.axis.body.is_rotary = plan.motion == MotionKind::rotary;
    plan.axis.reference = drive.input;
    plan.axis.friction = std::move(read.friction);
    plan.duration = read.options.end - read.options.start;
  } else {
    throw Error(file + ": a machine of kind " + std::string(kind.name) +
                "; compensate works on one axis: kind = \"servo-axis\", \"position-loop\" or \"pid\"");
  }
  if (plan.motion != model.motion)
    throw Error(model.file + " is a model of " + std::string(motion_name(model.motion)) + " motion; " + file + " is " +
                std::string(motion_name(plan.motion)));
  overrule(n, plan);
  ServoGains& g = plan.axis.gains;
  plan.integral = g.integral;
  if (g.proportional == 0 || g.derivative == 0) {
    design_gains(plan);
    plan.assumed.push_back("gains from the dead time of " + with_unit(dead_time(plan.axis), "s", 3) + ", since " +
                           file + " has none");
  }
  if (plan.integral == 0) {
    plan.integral = 0.25 * g.proportional * g.proportional / g.derivative;
    plan.assumed.push_back("integral gain " + with_unit(plan.integral, unit_for(plan.motion, "N/(m s)"), 3) +
                           " for the controllers that need one");
  }
  g.integral = g.dead_zone = g.dither_amplitude = g.dither_frequency = g.correction = g.start_integral = 0;
  const Friction& acts = *plan.axis.friction;
  plan.friction_text = friction_text(acts.description(), acts.settings(), plan.motion);
  plan.is_another_friction =
      plan.friction_text != friction_text(find_model(model.model).description(), model.settings, model.motion);
  for (const auto& v : acts.settings().variations)
    if (v.over != Quantity::position)
      throw Error(file + ": " + v.key + " follows the " + std::string(quantity_name(v.over)) +
                  ", which the controller does not measure; use a friction model that does not depend on it");
  if (std::isfinite(n.amplitude) || std::isfinite(n.frequency))
    own_reference(n, plan, acts);
  else
    plan.input_text = input_text(document, plan);
  return plan;
}

std::string servo_axis_text(const AxisPlan& plan, const ServoAxis& axis, const std::string& title) {
  const auto unit = [&](std::string_view linear) { return unit_for(plan.motion, linear); };
  const ServoGains& g = axis.gains;
  const bool is_rotary = plan.motion == MotionKind::rotary;
  const char* mass = is_rotary ? "inertia" : "mass";
  const auto line = [&](const std::string& key, double value, std::string_view linear) {
    return key + " = " + quantity_text(value, unit(linear)) + "\n";
  };
  std::string t = "title = " + quoted(title) + "\n\n[machine]\nkind = \"servo-axis\"\n";
  if (is_rotary) t += "motion = \"rotary\"\n";
  t += line(mass, axis.body.mass, "kg") + "\n[controller]\n";
  t += line("proportional", g.proportional, "N/m") + line("derivative", g.derivative, "N s/m");
  if (g.integral > 0) t += line("integral", g.integral, "N/(m s)");
  if (g.dead_zone > 0) t += line("dead_zone", g.dead_zone, "m");
  t += "sampling_time = " + quantity_text(g.sampling_time, "s") + "\n";
  if (g.difference > 1) t += "difference = " + std::to_string(g.difference) + "\n";
  if (axis.delay > 0) t += "delay = " + quantity_text(axis.delay, "s") + "\n";
  if (axis.lag > 0) t += "lag = " + quantity_text(axis.lag, "s") + "\n";
  if (std::isfinite(g.limit)) t += line("limit", g.limit, "N");
  if (g.resolution > 0) t += line("resolution", g.resolution, "m");
  const auto knowledge = [&](const FrictionKnowledge& known, const std::string& table) {
    std::string k;
    if (known.reversal > 0) k += line("reversal", known.reversal, "m");
    if (known.share != 1) k += "share = " + shortest(known.share) + "\n";
    return std::pair(k, "\n" + friction_text(known.friction->description(), known.friction->settings(), plan.motion,
                                             table + ".friction"));
  };
  if (g.follows_velocity || g.carried_mass > 0 || axis.feedforward) {
    t += "\n[feedforward]\n";
    if (!g.follows_velocity) t += "velocity = false\n";
    if (g.carried_mass > 0) t += line(mass, g.carried_mass, "kg");
    if (g.lead != axis.delay + axis.lag) t += "lead = " + quantity_text(g.lead, "s") + "\n";
    if (axis.feedforward) {
      const auto [keys, table] = knowledge(*axis.feedforward, "feedforward");
      t += keys + table;
    }
  }
  if (axis.observer) {
    const auto [keys, table] = knowledge(*axis.observer, "observer");
    t += "\n[observer]\n" +
         (g.correction > 0 ? "correction = " + quantity_text(g.correction, "1/s") + "\n" : std::string()) + keys +
         table;
  }
  if (g.dither_amplitude > 0)
    t += "\n[dither]\n" + line("amplitude", g.dither_amplitude, "N") +
         "frequency = " + quantity_text(g.dither_frequency, "Hz") + "\n";
  t += "\n" + plan.input_text + plan.friction_text + "\n[run]\nduration = " + quantity_text(plan.duration, "s") +
       "\nsample_interval = " + quantity_text(g.sampling_time, "s") + "\n";
  return t;
}

}  // namespace stickslip::inline compensation
