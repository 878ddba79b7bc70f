/// A machine file; see mechanism_file.hpp.
#include "machines/mechanism/mechanism_file.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "files/former_key.hpp"
#include "files/input_section.hpp"
#include "files/run_section.hpp"
#include "files/toml_section.hpp"
#include "files/whole_file.hpp"
#include "machines/friction/doubts.hpp"
#include "machines/friction/friction_section.hpp"
#include "machines/mechanism/mechanism_reader.hpp"
#include "solver/resting_interface.hpp"

namespace stickslip::inline machines {
namespace {

constexpr double most_samples = 2e6;  // times some twenty columns

const std::vector<std::string> tables{"body",   "gear",       "spring",  "clutch", "brake", "torque",
                                      "weight", "drag",       "engine",  "sensor", "tie",   "planetary",
                                      "belt",   "lossy_gear", "one_way", "stop",   "drive", "controller"};

std::string refusal_of_joint(const ModelDescription& model) {
  if (in_joints(model) != InJoints::refused) return "";
  return model.name +
         " cannot be the friction of a joint: it has a term in the acceleration, which would be an inertia between two "
         "bodies; modified-lugre without it can, and the inertia belongs to a [[body]]";
}
/// A one-way joint is solved together with all others at rest: its law must be a level of sliding and one of breakaway.
std::string refusal_of_one_way(const ModelDescription& model) {
  if (in_joints(model) == InJoints::levels) return "";
  std::vector<std::string> fit;
  for (const auto* other : registered_models())
    if (in_joints(other->description()) == InJoints::levels) fit.push_back(other->description().name);
  return model.name +
         " cannot be the friction of a one-way joint, which must truly hold: it has states or modes of its own; these "
         "can: " +
         joined(fit);
}

}  // namespace

double ratio_at(const Section& s, const TomlValue& value, const std::string& unit) {
  const double ratio = s.quantity_of(value, "ratio", unit);
  if (ratio == 0) s.fail(value, "ratio must not be zero");
  constexpr Range usual{1e-9, 1e9, false, "with a larger ratio the smaller inertia is lost in rounding"};
  if (const auto problem = refusal(std::fabs(ratio), unit, usual); !problem.empty()) s.fail(value, "ratio " + problem);
  return ratio;
}

Mechanism MachineReader::read() {
  each("body", [&](const Section& s) { read_body(s); });
  if (m_.bodies.empty()) throw Error(one_line(file_.file()) + ": there is no [[body]]");
  each("gear", [&](const Section& s) { read_gear(s); });
  each("spring", [&](const Section& s) { read_spring(s); });
  each("clutch", [&](const Section& s) { read_clutch(s); });
  each("brake", [&](const Section& s) { read_brake(s); });
  each("one_way", [&](const Section& s) { read_one_way(s); });
  each("planetary", [&](const Section& s) { read_planetary(s); });
  each("tie", [&](const Section& s) { read_tie(s); });
  each("lossy_gear", [&](const Section& s) { read_lossy_gear(s); });
  each("belt", [&](const Section& s) { read_belt(s); });
  each("stop", [&](const Section& s) { read_stop(s); });
  each("drive", [&](const Section& s) { read_drive(s); });
  each("torque", [&](const Section& s) { read_torque(s); });
  each("weight", [&](const Section& s) { read_weight(s); });
  each("drag", [&](const Section& s) { read_drag(s); });
  each("engine", [&](const Section& s) { read_engine(s); });
  each("sensor", [&](const Section& s) { read_sensor(s); });
  each("controller", [&](const Section& s) { read_controller(s); });
  find_loads();
  if (const auto solver = file_.inner("solver")) {
    if (solver->word_or("rule", "rule for joints at rest", {"exact", "paper"}, "exact") == "paper")
      m_.rule = RestingRule::paper;
    if (solver->word_or("propagation", "propagation between events", {"exact", "steps"}, "exact") == "steps")
      m_.propagation = Propagation::steps;
  }
  try {
    check_mechanism(m_);
  } catch (const Error& problem) {
    const std::string what = problem.what();
    for (const auto& p : placed_)
      if (what.starts_with(p.kind + " " + in_quotes(p.name) + ":")) file_.fail(p.line, what);
    throw Error(one_line(file_.file()) + ": " + what);
  }
  return std::move(m_);
}

void MachineReader::read_body(const Section& s) {
  const bool is_linear = s.has("mass");
  s.knows({"name", "inertia", "mass", "position", "speed"});
  MechanismBody body;
  body.name = name_of_part(s, "body");
  body.is_rotary = !is_linear;
  if (is_linear && s.has("inertia"))
    s.fail(s.value("inertia"), "a body has a mass (along a line) or an inertia (about an axis)");
  if (!is_linear && !s.has("inertia"))
    s.fail(s.line(), "body " + in_quotes(body.name) +
                         " has no inertia; write inertia = \"1 kg m^2\", or mass = \"1 kg\" if it "
                         "moves along a line");
  body.inertia = is_linear ? s.not_negative("mass", "kg") : s.not_negative("inertia", "kg m^2");
  body.position = s.quantity_or("position", is_linear ? "m" : "rad", 0);
  body.speed = s.quantity_or("speed", is_linear ? "m/s" : "rad/s", 0);
  has_position_.push_back(s.has("position")), has_speed_.push_back(s.has("speed"));
  body_of_name_.emplace(body.name, m_.bodies.size());
  m_.bodies.push_back(body);
}

void MachineReader::read_gear(const Section& s) {
  s.knows({"name", "a", "b", "ratio"});
  RigidGear gear;
  gear.name = name_of_part(s, "gear");
  gear.a = body_at(s, "a"), gear.b = body_at(s, "b");
  const bool from_rotary = m_.bodies[gear.a].is_rotary, to_rotary = m_.bodies[gear.b].is_rotary;
  const std::string unit = from_rotary == to_rotary ? "1" : from_rotary ? "m/rad" : "rad/m";
  gear.ratio = ratio_at(s, s.value("ratio", "3.5"), unit);
  m_.gears.push_back(gear);
}

void MachineReader::read_spring(const Section& s) {
  s.knows({"name", "a", "b", "stiffness", "damping", "backlash", "play", "far_end", "damper", "exponent", "unstretched",
           "series_damping"});
  SpringDamper spring;
  spring.name = name_of_part(s, "spring");
  const Ends ends = ends_of(s);
  spring.a = ends.a, spring.b = ends.b;
  const auto unit = [&](const char* linear) { return unit_for(ends.motion, linear); };
  spring.stiffness = s.not_negative_or("stiffness", unit("N/m"), 0);
  spring.damping = s.not_negative_or("damping", unit("N s/m"), 0);
  if (spring.stiffness == 0 && spring.damping == 0)
    s.fail(s.line(), "spring " + in_quotes(spring.name) + " has neither stiffness nor damping");
  spring.play = s.not_negative_or(key_or_former(s, "backlash", "play"), unit("m"), 0);
  if (s.has("far_end")) {
    if (ends.a.body != ground && ends.b.body != ground)
      s.fail(s.value("far_end"), "far_end is the motion of the ground end; one end must be \"ground\"");
    spring.far_end = read_input(s, "far_end", unit("m"));
  }
  const std::string damper = s.word_or("damper", "damper", {"free", "never_pulls", "pushes_only"}, "free");
  spring.never_pulls = damper != "free", spring.may_jump = damper == "pushes_only";
  spring.unstretched = s.quantity_or("unstretched", unit("m"), 0);
  spring.series_damping = s.has("series_damping") ? s.positive("series_damping", unit("N s/m")) : 0;
  if (spring.series_damping > 0 && spring.stiffness == 0)
    s.fail(s.value("series_damping"), "series_damping needs a stiffness; a damper alone is written damping");
  spring.exponent = s.quantity_or("exponent", "", 1);
  m_.springs.push_back(std::move(spring));
}

/// [friction] of a joint: its law, and what its parameters follow.
void MachineReader::read_law(const Section& s, FrictionJoint& joint, MotionKind motion) {
  s.value("friction");
  const Section section = *s.inner("friction");
  ScenarioFriction made = read_friction(section, motion, joint.is_one_way ? refusal_of_one_way : refusal_of_joint);
  const Friction& friction = *made.friction;
  for (const auto& v : friction.settings().variations) joint.follows_position |= v.over == Quantity::position;
  if (made.follows_temperature)
    section.fail(section.line(), "the friction of " + in_quotes(joint.name) +
                                     " follows the temperature, which a joint makes itself from its heat: write "
                                     "temperature = { ..., level_per_kelvin = \"-0.002 1/K\" } at the joint");
  joint.follows_load = made.follows_load, joint.follows_pressure = made.follows_pressure;
  for (const auto& doubt : doubts_about(friction, {}, motion))
    warnings_.push_back(in_quotes(joint.name) + ": " + doubt);
  joint.law = friction.sticking_law();
  if (!joint.law) joint.stateful_law = stateful_law(friction);
  joint.start_state = std::move(made.state);
  const bool transmits = std::isfinite(friction.parameter("transmitted_load"));
  read_side_inputs(s, section, joint, transmits ? unit_for(motion, "N") : "N");
}

/// load, load_of and pressure of a joint whose parameters follow them.
void MachineReader::read_side_inputs(const Section& s, const Section& friction, FrictionJoint& joint,
                                     const std::string& load_unit) {
  if (s.has("load") && s.has("load_of"))
    s.fail(s.value("load_of"), "the load is a signal (load) or the force of another element (load_of); give one");
  for (const auto& [key, is_followed] :
       {std::pair{"load", joint.follows_load}, {"load_of", joint.follows_load}, {"pressure", joint.follows_pressure}})
    if (s.has(key) && !is_followed)
      s.fail(s.value(key), "nothing in the friction of " + in_quotes(joint.name) + " follows the " +
                               (std::string_view(key) == "pressure" ? "pressure" : "load"));
  if (joint.follows_load && !s.has("load") && !s.has("load_of"))
    friction.fail(friction.line(),
                  "the friction of " + in_quotes(joint.name) +
                      " follows the load: give load (a signal), or load_of (a spring, torque or controller)");
  if (joint.follows_pressure && !s.has("pressure"))
    friction.fail(friction.line(), "the friction of " + in_quotes(joint.name) + " follows the pressure: give pressure");
  if (s.has("load")) joint.load = read_input(s, "load", load_unit);
  if (s.has("pressure")) joint.pressure = read_input(s, "pressure", "Pa");
  if (s.has("load_of")) loads_.push_back({s.text("load_of", "shaft"), joint.name, s.value("load_of").line});
}

/// After all parts have been read: which element each load_of names.
void MachineReader::find_loads() {
  for (const auto& wanted : loads_) {
    FrictionJoint* joint = nullptr;
    for (auto* list : {&m_.joints, &m_.stateful_joints})
      for (auto& j : *list)
        if (j.name == wanted.joint) joint = &j;
    std::vector<std::string> names;
    const auto look = [&](const auto& list, ElementLoad::Kind kind) {
      for (std::size_t i = 0; i < list.size(); ++i) {
        names.push_back(list[i].name);
        if (list[i].name == wanted.element) joint->load_of = {kind, i};
      }
    };
    look(m_.springs, ElementLoad::Kind::spring);
    look(m_.torques, ElementLoad::Kind::torque);
    look(m_.controllers, ElementLoad::Kind::controller);
    if (joint->load_of.kind != ElementLoad::Kind::none) continue;
    for (const auto& p : placed_)
      if (p.name == wanted.element)
        file_.fail(wanted.line,
                   in_quotes(wanted.element) + " is a " + p.kind +
                       "; the load of a joint can be the force of a spring, torque or controller (of a gear, put a "
                       "spring with its stiffness beside it: what a rigid one carries depends on the friction itself)");
    file_.fail(wanted.line, no_such("spring, torque or controller", wanted.element, names));
  }
}

void MachineReader::finish_joint(const Section& s, FrictionJoint joint, MotionKind motion) {
  read_law(s, joint, motion);
  if (s.has("normal_force")) press(joint, s, motion);
  if (s.has("temperature")) joint.temperature = read_temperature(*s.inner("temperature"), "level_per_kelvin");
  if (s.has("capacity")) joint.capacity = read_input(s, "capacity", "1");
  if (joint.stateful_law) {
    stateful_motion_.push_back(motion);
    m_.stateful_joints.push_back(std::move(joint));
    return;
  }
  joint_motion_.push_back(motion);
  m_.joints.push_back(std::move(joint));
}

void MachineReader::read_clutch(const Section& s) {
  s.knows({"name", "a", "b", "friction", "capacity", "normal_force", "geometry", "temperature", "load", "load_of",
           "pressure"});
  FrictionJoint joint;
  joint.name = name_of_part(s, "joint");
  const Ends ends = ends_of(s);
  joint.a = ends.a, joint.b = ends.b;
  if (ends.a.body == ground || ends.b.body == ground)
    s.fail(s.line(),
           "a clutch connects two bodies; to hold a body against the ground use a [[brake]] with on = \"...\"");
  finish_joint(s, std::move(joint), ends.motion);
}

void MachineReader::read_brake(const Section& s) {
  s.knows(
      {"name", "on", "friction", "capacity", "normal_force", "geometry", "temperature", "load", "load_of", "pressure"});
  FrictionJoint joint;
  joint.name = name_of_part(s, "joint");
  const End on = end_at(s, "on", nullptr);
  if (on.is_ground) s.fail(s.value("on"), "a brake acts on a body, not on the ground");
  joint.a = on.end;
  finish_joint(s, std::move(joint), on.motion);
}

void MachineReader::read_torque(const Section& s) {
  s.knows({"name", "on", "against", "input"});
  ExternalTorque torque;
  torque.name = name_of_part(s, "torque");
  torque.body = body_at(s, "on");
  torque.against = against_at(s);
  s.value("input");
  torque.torque = read_input(s, "input", unit_for(motion_of(torque.body), "N"));
  m_.torques.push_back(std::move(torque));
}

/// −m g sin(slope) on a body along a line.
void MachineReader::read_weight(const Section& s) {
  s.knows({"name", "on", "mass", "gravity", "slope"});
  ExternalTorque torque;
  torque.name = name_of_part(s, "torque");
  torque.body = body_at(s, "on");
  if (m_.bodies[torque.body].is_rotary)
    s.fail(s.value("on"), "a weight acts on a linear body; use a [[torque]] for a rotary one");
  const double mass = s.has("mass") ? s.positive("mass", "kg") : m_.bodies[torque.body].inertia;
  const double slope = s.has("slope") ? s.quantity("slope", "rad") : std::acos(0.0);
  torque.torque = Signal(-mass * s.quantity_or("gravity", "m/s^2", 9.80665) * std::sin(slope));
  m_.torques.push_back(std::move(torque));
}

void MachineReader::read_engine(const Section& s) {
  s.knows({"name", "on", "map", "throttle"});
  EngineMap engine;
  engine.name = name_of_part(s, "engine");
  engine.body = body_at(s, "on");
  const auto motion = motion_of(engine.body);
  const auto points = s.points("map", unit_for(motion, "m/s"), unit_for(motion, "N"));
  for (std::size_t i = 1; i < points.x.size(); ++i)
    if (!(points.x[i] > points.x[i - 1])) s.fail(s.value("map").items[i], "map: the speeds must increase");
  engine.speed = points.x, engine.torque = points.y;
  if (s.has("throttle")) engine.throttle = read_input(s, "throttle", "1");
  m_.maps.push_back(std::move(engine));
}

void MachineReader::read_sensor(const Section& s) {
  s.knows({"name", "reads", "of", "resolution", "noise", "seed", "delay"});
  ReadSensor found;
  found.line = s.line();
  found.sensor.name = name_of_part(s, "sensor");
  const std::string reads = s.word("reads", "reading", {"position", "speed", "slip"});
  if (reads == "slip") {
    found.sensor.quantity = Measured::slip;
    found.sensor.of = joint_named(s, "of");
    const std::size_t of = found.sensor.of, joints = m_.joints.size();
    found.motion = of < joints ? joint_motion_[of] : stateful_motion_[of - joints];
  } else {
    found.sensor.quantity = reads == "position" ? Measured::position : Measured::speed;
    found.sensor.of = body_at(s, "of");
    found.motion = motion_of(found.sensor.of);
  }
  const std::string unit = unit_for(found.motion, reads == "position" ? "m" : "m/s");
  found.sensor.resolution = s.not_negative_or("resolution", unit, 0);
  found.sensor.noise = s.not_negative_or("noise", unit, 0);
  found.sensor.seed = s.count("seed", {1, 9.2e18, "a seed has 63 bits"}).value_or(1);
  found.delay = s.not_negative_or("delay", "s", 0);
  sensors_.push_back(found);
}

void MachineReader::read_controller(const Section& s) {
  s.knows({"name", "sensor", "on", "capacity_of", "proportional", "integral", "derivative", "sampling_time", "low",
           "high", "from", "until", "reference", "feedforward"});
  MechanismController c;
  c.name = name_of_part(s, "controller");
  const std::string wanted = s.text("sensor", "encoder");
  std::vector<std::string> names;
  for (const auto& r : sensors_) names.push_back(r.sensor.name);
  const auto found = std::find(names.begin(), names.end(), wanted);
  if (found == names.end()) s.fail(s.value("sensor"), no_such("sensor", wanted, names));
  const ReadSensor& read = sensors_[static_cast<std::size_t>(found - names.begin())];
  if (s.has("on") == s.has("capacity_of"))
    s.fail(s.line(), "controller " + in_quotes(c.name) +
                         " acts on a body (on = ...) or on a joint (capacity_of = ...); give one");
  c.acts_on_joint = s.has("capacity_of");
  c.on = c.acts_on_joint ? joint_named(s, "capacity_of") : body_at(s, "on");
  const std::string action = c.acts_on_joint ? "" : unit_for(motion_of(c.on), "N");
  const bool is_position = read.sensor.quantity == Measured::position;
  const std::string length = read.motion == MotionKind::rotary ? "rad" : "m";
  const auto gain = [&](const char* times) {
    const std::string above = action + (action.empty() || *times == 0 ? "" : " ") + times;
    return (above.empty() ? "1" : above) + "/" + length;
  };
  const std::string slow = (action.empty() ? "1" : action) + "/(" + length + " s)";
  c.proportional = s.quantity_or("proportional", gain(is_position ? "" : "s"), 0);
  c.integral = s.quantity_or("integral", is_position ? slow : gain(""), 0);
  c.derivative = s.quantity_or("derivative", gain(is_position ? "s" : "s^2"), 0);
  if (s.has("sampling_time")) c.sampling_time = s.positive("sampling_time", "s");
  const std::string output = action.empty() ? "1" : action;
  c.low = s.quantity_or("low", output, c.acts_on_joint ? 0 : c.low);
  c.high = s.quantity_or("high", output, c.acts_on_joint ? 1 : c.high);
  c.from = s.quantity_or("from", "s", c.from);
  c.until = s.quantity_or("until", "s", c.until);
  const std::string reading = is_position ? length : length + "/s";
  if (s.has("reference")) c.reference = read_input(s, "reference", reading);
  if (s.has("feedforward")) c.feedforward = read_input(s, "feedforward", output);
  MechanismSensor sensor = read.sensor;
  if (read.delay > 0) {
    const double samples = c.sampling_time > 0 ? read.delay / c.sampling_time : 0;
    if (std::fabs(samples - std::round(samples)) > 1e-6 || samples < 0.5)
      s.fail(read.line, "the delay of sensor " + in_quotes(sensor.name) +
                            " must be a whole number of the sampling_time of " + in_quotes(c.name));
    sensor.delay = static_cast<std::size_t>(std::lround(samples));
  }
  c.sensor = m_.sensors.size();
  m_.sensors.push_back(sensor);
  m_.controllers.push_back(std::move(c));
}

bool is_machine_file(const std::string& file) { return parse_toml(read_whole(file), file).find("body") != nullptr; }

MachineScenario parse_machine(std::string_view text, const std::string& file_name) {
  return machine_from(parse_toml(text, file_name), file_name);
}

MachineScenario machine_from(const TomlValue& document, const std::string& file_name) {
  const Section file(document, "", file_name);
  std::vector<std::string> keys{"title", "start", "run", "solver"};
  keys.insert(keys.end(), tables.begin(), tables.end());
  file.knows(keys);
  MachineScenario machine;
  machine.file = file_name;
  if (file.has("title")) machine.title = file.text("title", "Dual clutch in a vehicle");
  MachineReader reader(file);
  machine.mechanism = reader.read();
  machine.warnings = reader.warnings();
  const auto run = file.inner("run");
  if (!run) throw Error(one_line(file_name) + ": there is no [run]");
  read_run(*run, most_samples, machine.options);
  if (const auto solver = file.inner("solver")) {
    auto known = tolerance_keys;
    known.push_back("rule");
    known.push_back("propagation");
    solver->knows(known);
    read_tolerances(*solver, "1", machine.options);
  }
  reader.begin_drives(machine.mechanism, machine.options.start);
  if (file.word_or("start", "start", {"given", "rest"}, "given") == "rest") {
    try {
      put_at_rest(machine.mechanism, machine.options.start);
    } catch (const Error& problem) {
      file.fail(file.value("start"), problem.what());
    }
  }
  return machine;
}

MachineScenario read_machine_file(const std::string& file) { return parse_machine(read_whole(file), file); }

MechanismRun run_machine(const MachineScenario& machine, RunWatch* watch) {
  SimulationOptions options = machine.options;
  options.watch = watch;
  return simulate(machine.mechanism, options);
}

}  // namespace stickslip::inline machines
