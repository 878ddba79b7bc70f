/// Parts of a machine file beyond bodies, springs and plain joints; see mechanism_reader.hpp.
#include <cmath>

#include "files/input_section.hpp"
#include "machines/mechanism/mechanism_reader.hpp"

namespace stickslip::inline machines {
namespace {

/// Levels of a coefficient pressed with c_geo f_n.
class PressedLaw final : public StickingLaw {
 public:
  PressedLaw(std::shared_ptr<const StickingLaw> law, double factor) : law_(std::move(law)), factor_(factor) {}
  double sliding_force(const Contact<double>& c, Direction d) const override {
    return factor_ * law_->sliding_force(c, d);
  }
  double breakaway_force(const Contact<double>& c, Direction d) const override {
    return factor_ * law_->breakaway_force(c, d);
  }
  double velocity_scale() const override { return law_->velocity_scale(); }

 private:
  std::shared_ptr<const StickingLaw> law_;
  double factor_;
};

constexpr Range efficiency_range{least_efficiency, 1, false, "of a drive; zero or less if a cannot drive b"};
constexpr Range efficiency_back_range{1e-6, 1, false, "the efficiency must be positive"};

}  // namespace

/// c_geo f_max: the levels of `friction` are coefficients then, written as torque or force per newton.
void MachineReader::press(FrictionJoint& joint, const Section& s, MotionKind motion) {
  const double force = s.positive("normal_force", "N");
  const double geometry = s.has("geometry") ? s.positive("geometry", motion == MotionKind::rotary ? "m" : "1") : 1;
  if (joint.law) joint.law = std::make_shared<PressedLaw>(joint.law, force * geometry);
  joint.factor = force * geometry;
}

/// Eq. (10) of mechanism.hpp.
JointTemperature MachineReader::read_temperature(const Section& s, const std::string& change) {
  s.knows({"heat_capacity", "cooling", "ambient", "start", "reference", change});
  JointTemperature t;
  t.heat_capacity = s.positive("heat_capacity", "J/K");
  t.cooling = s.not_negative_or("cooling", "W/K", 0);
  t.ambient = s.has("ambient") ? s.positive("ambient", "K") : t.ambient;
  t.start = s.has("start") ? s.positive("start", "K") : t.ambient;
  t.reference = s.has("reference") ? s.positive("reference", "K") : t.ambient;
  t.per_kelvin = s.quantity_or(change, "1/K", 0);
  return t;
}

/// Eq. (8) of mechanism.hpp.
void MachineReader::read_one_way(const Section& s) {
  s.knows({"name", "a", "b", "friction", "capacity", "normal_force", "geometry", "temperature", "load", "load_of",
           "pressure"});
  FrictionJoint joint;
  joint.name = name_of_part(s, "joint");
  const Ends ends = ends_of(s);
  joint.a = ends.a, joint.b = ends.b;
  joint.is_one_way = true;
  if (s.has("friction")) return finish_joint(s, std::move(joint), ends.motion);
  for (const char* key : {"capacity", "normal_force", "geometry", "temperature", "load", "load_of", "pressure"})
    if (s.has(key)) s.fail(s.value(key), std::string(key) + " needs a friction; without one this is a freewheel");
  joint_motion_.push_back(ends.motion);
  m_.joints.push_back(std::move(joint));
}

/// w_sun + r w_ring = (1 + r) w_carrier.
void MachineReader::read_planetary(const Section& s) {
  s.knows({"name", "sun", "ring", "carrier", "ratio"});
  LinearTie tie;
  tie.name = name_of_part(s, "tie");
  const double ratio = s.positive("ratio", "1");
  const std::size_t sun = body_at(s, "sun"), ring = body_at(s, "ring"), carrier = body_at(s, "carrier");
  for (const std::size_t body : {sun, ring, carrier})
    if (!m_.bodies[body].is_rotary)
      s.fail(s.line(), in_quotes(m_.bodies[body].name) + " is a linear body; a planetary gear needs rotary ones");
  if (sun == ring || ring == carrier || sun == carrier) s.fail(s.line(), "sun, ring and carrier must be three bodies");
  tie.ends = {{sun, 1}, {ring, ratio}, {carrier, -(1 + ratio)}};
  m_.ties.push_back(std::move(tie));
}

/// Σ ratio w = 0.
void MachineReader::read_tie(const Section& s) {
  s.knows({"name", "speeds"});
  LinearTie tie;
  tie.name = name_of_part(s, "tie");
  const TomlValue& list = s.value("speeds", "[{ body = \"a\", ratio = 1 }, { body = \"b\", ratio = -2 }]");
  if (list.kind != TomlValue::Kind::list || list.items.empty())
    s.fail(list, "speeds must be a list: [{ body = \"a\", ratio = 1 }, { body = \"b\", ratio = -2 }]");
  const MotionKind* first = nullptr;
  MotionKind motion = MotionKind::rotary;
  for (const TomlValue& item : list.items) {
    if (item.kind != TomlValue::Kind::table) s.fail(item, "each of speeds is written { body = \"a\", ratio = 1 }");
    const Section inner(item, "tie.speeds", s.file());
    inner.knows({"body", "ratio"});
    BodyEnd end;
    end.body = body_at(inner, "body");
    for (const BodyEnd& other : tie.ends)
      if (other.body == end.body) inner.fail(item, in_quotes(m_.bodies[end.body].name) + " appears in speeds twice");
    const MotionKind own = motion_of(end.body);
    const std::string unit = !first || motion == own ? "1" : motion == MotionKind::linear ? "m/rad" : "rad/m";
    end.ratio = ratio_at(inner, inner.value("ratio", "1"), unit);
    if (!first) motion = own, first = &motion;
    tie.ends.push_back(end);
  }
  m_.ties.push_back(std::move(tie));
}

LossyGear MachineReader::gear_of(const Section& s, const std::string& kind) {
  LossyGear gear;
  gear.name = name_of_part(s, kind);
  gear.a = body_at(s, "a"), gear.b = body_at(s, "b");
  return gear;
}

/// Eq. (7) of mechanism.hpp: one set of losses, or a list of them over speed.
void MachineReader::read_lossy_gear(const Section& s) {
  const std::vector<std::string> losses{"efficiency", "efficiency_back", "friction", "friction_back"};
  std::vector<std::string> keys{"name", "a", "b", "ratio", "losses"};
  keys.insert(keys.end(), losses.begin(), losses.end());
  s.knows(keys);
  LossyGear gear = gear_of(s, "lossy_gear");
  const bool from_rotary = m_.bodies[gear.a].is_rotary, to_rotary = m_.bodies[gear.b].is_rotary;
  gear.ratio = ratio_at(s, s.value("ratio", "0.5"), from_rotary == to_rotary ? "1" : from_rotary ? "m/rad" : "rad/m");
  const std::string torque = unit_for(motion_of(gear.a), "N");
  const auto read = [&](const Section& at) {
    gear.eta_one.push_back(at.within("efficiency", "1", efficiency_range));
    if (at.has("efficiency_back") && at.quantity("efficiency_back", "1") <= 0)
      at.fail(at.value("efficiency_back"),
              "efficiency_back is zero or negative: the gear locks itself; exchange a and b (and invert the ratio), so "
              "that "
              "the locked side is a, and give this as efficiency, the other as efficiency_back");
    if (!at.has("efficiency_back") && gear.eta_one.back() <= 0)
      at.fail(at.value("efficiency"), "a cannot drive b; efficiency_back, with b driving, is needed");
    gear.eta_two.push_back(at.has("efficiency_back") ? at.within("efficiency_back", "1", efficiency_back_range)
                                                     : gear.eta_one.back());
    gear.f_one.push_back(at.not_negative_or("friction", torque, 0));
    gear.f_two.push_back(at.not_negative_or("friction_back", torque, gear.f_one.back()));
  };
  if (s.has("losses")) {
    for (const auto& key : losses)
      if (s.has(key)) s.fail(s.value(key), key + " is already defined by losses: give one or the other");
    const TomlValue& list = s.value("losses");
    if (list.kind != TomlValue::Kind::list || list.items.empty())
      s.fail(list, "losses must be a list: [{ speed = \"0 rad/s\", efficiency = 0.9 }, ...]");
    for (const TomlValue& item : list.items) {
      if (item.kind != TomlValue::Kind::table)
        s.fail(item, "each of losses is written { speed = \"0 rad/s\", efficiency = 0.9 }");
      const Section inner(item, "lossy_gear.losses", s.file());
      std::vector<std::string> inner_keys{"speed"};
      inner_keys.insert(inner_keys.end(), losses.begin(), losses.end());
      inner.knows(inner_keys);
      gear.speed.push_back(inner.not_negative("speed", unit_for(motion_of(gear.a), "m/s")));
      if (gear.speed.size() == 1 && gear.speed[0] != 0) inner.fail(item, "losses begin at speed 0");
      if (gear.speed.size() > 1 && !(gear.speed.back() > gear.speed[gear.speed.size() - 2]))
        inner.fail(item, "losses: the speeds must increase");
      read(inner);
    }
  } else {
    gear.speed = {0};
    read(s);
  }
  m_.lossy_gears.push_back(std::move(gear));
}

/// A belt or cable over a drum that does not turn: T_b between T_a exp(−μ φ) and T_a exp(μ φ).
void MachineReader::read_belt(const Section& s) {
  s.knows({"name", "a", "b", "friction_coefficient", "wrap"});
  LossyGear gear = gear_of(s, "lossy_gear");
  if (m_.bodies[gear.a].is_rotary != m_.bodies[gear.b].is_rotary)
    s.fail(s.line(), "both ends of a belt must be linear, or both rotary");
  const double mu = s.not_negative("friction_coefficient", "1"), wrap = s.positive("wrap", "rad");
  if (!(mu * wrap < 13))
    s.fail(s.value("wrap"), "friction_coefficient times wrap is " + significant(mu * wrap, 4) +
                                "; at most 13 (a ratio of tensions of 4e5)");
  const double eta = std::exp(-mu * wrap);
  gear.speed = {0}, gear.eta_one = gear.eta_two = {eta}, gear.f_one = gear.f_two = {0};
  gear.is_belt = true;
  m_.lossy_gears.push_back(std::move(gear));
}

/// Eq. (9) of mechanism.hpp; with a stiffness a spring with play whose damper never pulls.
void MachineReader::read_stop(const Section& s) {
  s.knows({"name", "on", "a", "b", "low", "high", "stiffness", "damping", "exponent"});
  EndStop stop;
  const bool is_elastic = s.has("stiffness");
  stop.name = name_of_part(s, is_elastic ? "spring" : "stop");
  MotionKind motion = MotionKind::linear;
  if (s.has("on") && (s.has("a") || s.has("b")))
    s.fail(s.value("on"), "a stop is on a body, or between a and b; give one");
  if (s.has("on")) {
    const End on = end_at(s, "on", nullptr);
    if (on.is_ground) s.fail(s.value("on"), "a stop limits the motion of a body, not of the ground");
    stop.a = on.end, motion = on.motion;
  } else {
    const Ends ends = ends_of(s);
    stop.a = ends.a, stop.b = ends.b, motion = ends.motion;
  }
  const std::string unit = unit_for(motion, "m");
  if (!s.has("low") && !s.has("high")) s.fail(s.line(), "stop " + in_quotes(stop.name) + " has neither low nor high");
  stop.low = s.quantity_or("low", unit, stop.low), stop.high = s.quantity_or("high", unit, stop.high);
  if (!(stop.low < stop.high)) s.fail(s.value("high"), "high must lie above low");
  if (!is_elastic) {
    if (s.has("damping"))
      s.fail(s.value("damping"), "damping needs a stiffness: a rigid stop absorbs the speed at once");
    if (s.has("exponent")) s.fail(s.value("exponent"), "exponent needs a stiffness: a rigid stop does not give way");
    m_.stops.push_back(std::move(stop));
    return;
  }
  constexpr double anything = 1e-3;  // the travel of a stop with one end: the other is never met
  SpringDamper spring;
  spring.name = stop.name, spring.a = stop.a, spring.b = stop.b;
  spring.stiffness = s.positive("stiffness", unit_for(motion, "N/m"));
  spring.damping = s.not_negative_or("damping", unit_for(motion, "N s/m"), 0);
  spring.exponent = s.quantity_or("exponent", "", 1);
  if (!std::isfinite(stop.high)) stop.high = stop.low + anything, spring.only = -1;
  if (!std::isfinite(stop.low)) stop.low = stop.high - anything, spring.only = 1;
  spring.play = stop.high - stop.low;
  spring.far_end = Signal(0.5 * (stop.low + stop.high));
  spring.never_pulls = true;
  spring.is_stop = true;
  m_.springs.push_back(std::move(spring));
}

/// Eq. (12) of mechanism.hpp with a filter.
void MachineReader::read_drive(const Section& s) {
  s.knows({"name", "on", "speed", "position", "acceleration", "filter"});
  MotionDrive drive;
  drive.name = name_of_part(s, "drive");
  drive.body = body_at(s, "on");
  if (s.has("speed") + s.has("position") + s.has("acceleration") != 1)
    s.fail(s.line(), "drive " + in_quotes(drive.name) + " needs a speed, a position or an acceleration, and one only");
  drive.is_position = s.has("position"), drive.is_acceleration = s.has("acceleration");
  const MotionKind motion = motion_of(drive.body);
  drive.motion = drive.is_position       ? read_input(s, "position", unit_for(motion, "m"))
                 : drive.is_acceleration ? read_input(s, "acceleration", unit_for(motion, "m/s^2"))
                                         : read_input(s, "speed", unit_for(motion, "m/s"));
  if (s.has("filter")) {
    if (drive.is_acceleration)
      s.fail(s.value("filter"),
             "an acceleration is followed exactly; filter "
             "is for speed and position");
    drive.filter = s.positive("filter", "Hz");
  }
  m_.drives.push_back(std::move(drive));
}

/// A position, or a speed that is filtered, begins where its signal does, unless the file gives the body another start.
void MachineReader::begin_drives(Mechanism& m, double start) const {
  for (const auto& d : m.drives) {
    MechanismBody& body = m.bodies[d.body];
    const bool is_speed = !d.is_position && d.filter > 0;
    if (!d.is_position && !is_speed) continue;
    const double wanted = d.motion(start);
    double& own = is_speed ? body.speed : body.position;
    const auto& given = is_speed ? has_speed_ : has_position_;
    if (given[d.body] && d.filter == 0 &&
        std::fabs(own - wanted) > 1e-9 * std::max(std::fabs(own), std::fabs(wanted))) {
      const std::string problem = "drive " + in_quotes(d.name) + ": its position begins at " + significant(wanted, 6) +
                                  ", but " + in_quotes(body.name) + " at " + significant(own, 6);
      for (const auto& p : placed_)
        if (p.name == d.name) file_.fail(p.line, problem);
    }
    if (!given[d.body]) own = wanted;
  }
}

/// What a torque or drag is against: a body of the same kind of motion, or the ground.
std::size_t MachineReader::against_at(const Section& s) const {
  return s.has("against") ? body_named(s, s.value("against"), s.text("against", "housing"), true) : ground;
}

/// Coefficients, or a torque at a nominal speed.
void MachineReader::read_drag(const Section& s) {
  s.knows({"name", "on", "against", "linear", "quadratic", "law", "nominal_torque", "nominal_speed", "direction",
           "rounded_below", "rounding", "strength", "excitation", "temperature"});
  Drag drag;
  drag.name = name_of_part(s, "drag");
  drag.body = body_at(s, "on");
  drag.against = against_at(s);
  const bool is_rotary = m_.bodies[drag.body].is_rotary;
  const std::string force = is_rotary ? "N m" : "N", speed_unit = is_rotary ? "rad/s" : "m/s";
  const auto only_for = [&](const char* key, const char* laws) {
    if (s.has(key)) s.fail(s.value(key), std::string(key) + " belongs to " + laws);
  };
  if (s.has("law")) {
    for (const char* key : {"linear", "quadratic"})
      if (s.has(key))
        s.fail(s.value(key), std::string(key) + " is a coefficient, law a torque at a speed; give one or the other");
    const std::string law =
        s.word("law", "law over speed", {"linear", "quadratic", "one_direction", "eddy_current", "sign", "inverse"});
    const double torque = s.quantity("nominal_torque", force);
    if (torque == 0) s.fail(s.value("nominal_torque"), "nominal_torque must not be zero");
    const bool is_even = s.word_or("direction", "direction", {"against_motion", "fixed"}, "against_motion") == "fixed";
    const bool is_eddy = law == "eddy_current", is_sign = law == "sign", is_inverse = law == "inverse";
    if (is_sign) only_for("nominal_speed", "the other laws; a sign has the same torque at every speed");
    const double speed = is_sign ? 1 : s.positive("nominal_speed", speed_unit);
    if (law == "linear") (is_even ? drag.one_way_linear : drag.linear) = torque / speed;
    if (law == "quadratic") (is_even ? drag.even : drag.quadratic) = torque / (speed * speed);
    if (law == "one_direction") drag.even = torque / (speed * speed);
    if (is_eddy) drag.eddy_torque = torque, drag.eddy_speed = speed;
    if (is_inverse) drag.inverse_power = torque * speed, drag.inverse_keeps_direction = is_even;
    if (is_sign) drag.sign_torque = torque;
    if (is_sign || is_inverse) drag.rounded_below = s.positive("rounded_below", speed_unit);
    if (is_sign) {
      const std::string form =
          s.word_or("rounding", "rounding of the sign", {"exponential", "sine", "linear", "cosine"}, "exponential");
      drag.sign = form == "sine"     ? RoundedSign::sine
                  : form == "linear" ? RoundedSign::linear
                  : form == "cosine" ? RoundedSign::cosine
                                     : RoundedSign::exponential;
    }
    if (!is_sign) only_for("rounding", "law = \"sign\"");
    if (!is_sign && !is_inverse) only_for("rounded_below", "law = \"sign\" and \"inverse\"");
    if (is_sign || is_eddy) only_for("direction", "law = \"linear\", \"quadratic\" and \"inverse\"");
    if (!is_eddy) only_for("excitation", "law = \"eddy_current\"; the others have a strength");
    if (!is_eddy) only_for("temperature", "law = \"eddy_current\"; a joint has one, too");
    if (is_eddy && s.has("temperature"))
      drag.temperature = read_temperature(*s.inner("temperature"), "nominal_speed_per_kelvin");
  } else {
    drag.linear = s.not_negative_or("linear", is_rotary ? "N m s/rad" : "N s/m", 0);
    drag.quadratic = s.not_negative_or("quadratic", is_rotary ? "N m s^2/rad^2" : "N s^2/m^2", 0);
    for (const char* key :
         {"nominal_torque", "nominal_speed", "direction", "rounded_below", "rounding", "excitation", "temperature"})
      if (s.has(key))
        s.fail(s.value(key),
               std::string(key) + " needs a law: linear, quadratic, one_direction, eddy_current, sign or inverse");
    if (drag.linear == 0 && drag.quadratic == 0)
      s.fail(s.line(), "drag " + in_quotes(drag.name) + " has neither linear nor quadratic");
  }
  if (s.has("strength") && s.has("excitation"))
    s.fail(s.value("strength"), "give the excitation (its square counts) or the strength, not both");
  drag.has_strength = s.has("strength") || s.has("excitation");
  drag.is_squared = s.has("excitation");
  if (drag.has_strength) drag.strength = read_input(s, drag.is_squared ? "excitation" : "strength", "1");
  m_.drags.push_back(std::move(drag));
}

}  // namespace stickslip::inline machines
