/// Checks of a mechanism; each error is one line with the names of its parts; see mechanism.hpp.
#include <algorithm>
#include <cmath>
#include <set>

#include "core/error.hpp"
#include "core/text.hpp"
#include "machines/mechanism/mechanism_system.hpp"
#include "solver/resting_interface.hpp"

namespace stickslip::inline machines {
namespace {

[[noreturn]] void refuse(const std::string& kind, const std::string& name, const std::string& reason) {
  throw Error(kind + " " + in_quotes(name) + ": " + reason);
}

void check_number(const std::string& kind, const std::string& name, const char* what, double value, bool is_allowed,
                  const char* rule) {
  if (std::isfinite(value) && is_allowed) return;
  refuse(kind, name, std::string(what) + " is " + significant(value, 6) + "; it must be " + rule);
}

void check_end(const Mechanism& m, const std::string& kind, const std::string& name, const BodyEnd& end) {
  if (end.body != ground && end.body >= m.bodies.size()) refuse(kind, name, "it refers to a body that does not exist");
  check_number(kind, name, "ratio", end.ratio, end.ratio != 0, "finite and not zero");
}

void check_body(const Mechanism& m, const std::string& kind, const std::string& name, std::size_t body) {
  if (body >= m.bodies.size()) refuse(kind, name, "it refers to a body that does not exist");
}

/// Of each body: the group that rigid gears make one.
std::vector<std::size_t> gear_groups(const Mechanism& m) {
  std::vector<std::size_t> group(m.bodies.size());
  for (std::size_t i = 0; i < group.size(); ++i) group[i] = i;
  for (const auto& g : m.gears) {
    const std::size_t keep = group[g.a], drop = group[g.b];
    for (auto& i : group)
      if (i == drop) i = keep;
  }
  return group;
}

/// Follows the gears from every body: a gear that closes a loop would tie a degree of freedom twice.
void check_gears(const Mechanism& m) {
  std::vector<std::size_t> group(m.bodies.size());
  for (std::size_t i = 0; i < group.size(); ++i) group[i] = i;
  for (const auto& g : m.gears) {
    check_body(m, "gear", g.name, g.a);
    check_body(m, "gear", g.name, g.b);
    check_number("gear", g.name, "ratio", g.ratio, g.ratio != 0, "finite and not zero");
    const std::size_t keep = group[g.a], drop = group[g.b];
    if (keep == drop)
      refuse("gear", g.name,
             "it closes a loop of rigid gears between " + in_quotes(m.bodies[g.a].name) + " and " +
                 in_quotes(m.bodies[g.b].name) + "; leave one of them out or make it a stiff spring");
    for (auto& i : group)
      if (i == drop) i = keep;
  }
}

/// Bodies joined by gears must start with speeds that fit their ratio.
void check_start(const Mechanism& m) {
  for (const auto& g : m.gears) {
    const double a = m.bodies[g.a].speed * g.ratio, b = m.bodies[g.b].speed;
    if (std::fabs(a - b) > 1e-9 * std::max(std::fabs(a), std::fabs(b)))
      refuse("gear", g.name,
             in_quotes(m.bodies[g.b].name) + " starts at " + significant(b, 6) + ", but " +
                 in_quotes(m.bodies[g.a].name) + " times the ratio gives " + significant(a, 6));
  }
}

bool moves(const Mechanism& m, const BodyEnd& a, const BodyEnd& b) {
  if (a.body == ground && b.body == ground) return false;
  if (a.body != b.body) return true;
  return a.ratio != b.ratio && m.bodies.size() > a.body;
}

double largest_speed(const Mechanism& m) {
  double most = 0;
  for (const auto& b : m.bodies) most = std::max(most, std::fabs(b.speed));
  return most;
}
double speed_along(const Mechanism& m, const BodyEnd& a, const BodyEnd& b) {
  return (a.body == ground ? 0 : a.ratio * m.bodies[a.body].speed) -
         (b.body == ground ? 0 : b.ratio * m.bodies[b.body].speed);
}

/// Ties, lossy gears, stops and drives.
void check_ties(const Mechanism& m) {
  for (const auto& t : m.ties) {
    if (t.ends.empty()) refuse("tie", t.name, "it connects no body");
    double sum = 0, size = 0;
    for (const BodyEnd& end : t.ends) {
      check_body(m, "tie", t.name, end.body);
      check_number("tie", t.name, "ratio", end.ratio, end.ratio != 0, "finite and not zero");
      sum += end.ratio * m.bodies[end.body].speed, size += std::fabs(end.ratio * m.bodies[end.body].speed);
    }
    if (std::fabs(sum) > 1e-9 * size)
      refuse("tie", t.name,
             "its bodies start at inconsistent speeds: the sum of ratio times speed is " + significant(sum, 6) +
                 ", not 0");
  }
  for (const auto& g : m.lossy_gears) {
    check_body(m, "lossy_gear", g.name, g.a);
    check_body(m, "lossy_gear", g.name, g.b);
    if (g.a == g.b) refuse("lossy_gear", g.name, "its two ends are the same body");
    check_number("lossy_gear", g.name, "ratio", g.ratio, g.ratio != 0, "finite and not zero");
    const std::size_t points = g.speed.size();
    if (points == 0 || g.eta_one.size() != points || g.eta_two.size() != points || g.f_one.size() != points ||
        g.f_two.size() != points)
      refuse("lossy_gear", g.name, "its losses are not complete");
    for (std::size_t i = 0; i < points; ++i) {
      check_number("lossy_gear", g.name, "efficiency", g.eta_one[i],
                   g.eta_one[i] >= least_efficiency && g.eta_one[i] <= 1, "from -10 to 1");
      check_number("lossy_gear", g.name, "efficiency_back", g.eta_two[i], g.eta_two[i] > 0 && g.eta_two[i] <= 1,
                   "above 0 and at most 1");
      check_number("lossy_gear", g.name, "friction", g.f_one[i], g.f_one[i] >= 0, "zero or positive");
      check_number("lossy_gear", g.name, "friction_back", g.f_two[i], g.f_two[i] >= 0, "zero or positive");
      if (g.eta_one[i] == 1 && g.eta_two[i] == 1 && g.f_one[i] != g.f_two[i])
        refuse("lossy_gear", g.name,
               "without losses in proportion to the load (both efficiencies 1) friction and friction_back must be the "
               "same");
    }
    const double a = m.bodies[g.a].speed * g.ratio, b = m.bodies[g.b].speed;
    if (std::fabs(a - b) > 1e-9 * std::max(std::fabs(a), std::fabs(b)))
      refuse("lossy_gear", g.name,
             in_quotes(m.bodies[g.b].name) + " starts at " + significant(b, 6) + ", but " +
                 in_quotes(m.bodies[g.a].name) + " times the ratio gives " + significant(a, 6));
  }
  for (const auto& s : m.stops) {
    check_end(m, "stop", s.name, s.a);
    check_end(m, "stop", s.name, s.b);
    if (!moves(m, s.a, s.b)) refuse("stop", s.name, "its two sides cannot move against each other");
    if (!(s.low < s.high)) refuse("stop", s.name, "low must lie below high");
    const auto at = [&](const BodyEnd& end) {
      return end.body == ground ? 0 : end.ratio * m.bodies[end.body].position;
    };
    const double x = at(s.a) - at(s.b), size = std::max(std::fabs(x), 1e-300);
    if (x < s.low - 1e-12 * size || x > s.high + 1e-12 * size)
      refuse("stop", s.name,
             "it starts at " + significant(x, 6) + ", beyond its end at " + significant(x < s.low ? s.low : s.high, 6));
  }
  for (const auto& d : m.drives) {
    check_body(m, "drive", d.name, d.body);
    check_number("drive", d.name, "filter", d.filter, d.filter >= 0, "zero or positive");
  }
}

void check_controllers(const Mechanism& m) {
  for (const auto& s : m.sensors) {
    const std::size_t joints = m.joints.size() + m.stateful_joints.size();
    const std::size_t count = s.quantity == Measured::slip ? joints : m.bodies.size();
    if (s.of >= count) refuse("sensor", s.name, "it reads something that does not exist");
    check_number("sensor", s.name, "resolution", s.resolution, s.resolution >= 0, "zero or positive");
    check_number("sensor", s.name, "noise", s.noise, s.noise >= 0, "zero or positive");
  }
  std::set<std::size_t> driven;
  for (const auto& c : m.controllers) {
    if (c.sensor >= m.sensors.size()) refuse("controller", c.name, "its sensor does not exist");
    if (c.on >= (c.acts_on_joint ? m.joints.size() + m.stateful_joints.size() : m.bodies.size()))
      refuse("controller", c.name, "it acts on something that does not exist");
    check_number("controller", c.name, "sampling_time", c.sampling_time, c.sampling_time >= 0, "zero or positive");
    if (!(c.low < c.high)) refuse("controller", c.name, "its lower limit must lie below its upper one");
    const auto& s = m.sensors[c.sensor];
    const bool is_plain = s.resolution == 0 && s.noise == 0 && s.delay == 0;
    if (c.acts_on_joint && !(c.low >= 0 && c.high < std::numeric_limits<double>::infinity()))
      refuse("controller", c.name, "it sets the capacity of a joint: give limits, the lower one not below zero");
    if (c.acts_on_joint && !driven.insert(c.on).second)
      refuse("controller", c.name, "joint " + in_quotes(joint_of(m, c.on).name) + " has a controller already");
    if (c.sampling_time > 0) continue;
    if (!is_plain)
      refuse(
          "controller", c.name,
          "its sensor " + in_quotes(s.name) + " is quantised, noisy or delayed: give the controller a sampling_time");
    if (c.acts_on_joint) refuse("controller", c.name, "it sets the capacity of a joint: give it a sampling_time");
    if (std::isfinite(c.low) || std::isfinite(c.high) || std::isfinite(c.from) || std::isfinite(c.until))
      refuse("controller", c.name, "limits and times need a sampling_time");
    if (c.derivative != 0 && s.quantity != Measured::position)
      refuse("controller", c.name, "a continuous derivative needs a sensor of position");
  }
}

/// Biagiotti and Zanasi's rule is written for a row of bodies: joint i between bodies i and i + 1, no gears.
void check_rule(const Mechanism& m) {
  if (m.rule != RestingRule::paper) return;
  if (!m.stateful_joints.empty())
    refuse("joint", m.stateful_joints.front().name,
           "the rule of the paper (Biagiotti eq 22) is about joints that lock; this one has states");
  std::set<std::size_t> taken;
  for (const auto& j : m.joints)
    if (j.a.body == ground || j.b.body != j.a.body + 1 || j.a.ratio != 1 || j.b.ratio != 1 ||
        !taken.insert(j.a.body).second)
      refuse("joint", j.name,
             "the rule of the paper (Biagiotti eq 22) needs a plain chain: each joint from one body to the next");
  if (!m.gears.empty())
    refuse("gear", m.gears.front().name, "the rule of the paper (Biagiotti eq 22) needs a plain chain without gears");
}

/// The load, pressure or position that a law depends on must be known.
void check_place(const Mechanism& m, const FrictionJoint& j) {
  using Kind = ElementLoad::Kind;
  if (j.load_of.kind == Kind::none) return;
  const std::size_t which = j.load_of.which;
  const std::size_t count = j.load_of.kind == Kind::spring   ? m.springs.size()
                            : j.load_of.kind == Kind::torque ? m.torques.size()
                                                             : m.controllers.size();
  if (which >= count) refuse("joint", j.name, "its load is the force of an element that does not exist");
  if (j.load_of.kind == Kind::controller && m.controllers[which].acts_on_joint)
    refuse(
        "joint", j.name,
        "its load is controller " + in_quotes(m.controllers[which].name) + ", which presses a joint and is no force");
  const auto group = gear_groups(m);
  std::vector<std::size_t> touched;
  if (j.load_of.kind == Kind::spring) touched = {m.springs[which].a.body, m.springs[which].b.body};
  if (j.load_of.kind == Kind::torque) touched = {m.torques[which].body, m.torques[which].against};
  if (j.load_of.kind == Kind::controller) touched = {m.controllers[which].on};
  for (const std::size_t body : touched)
    for (const BodyEnd& end : {j.a, j.b})
      if (body != ground && end.body != ground && group[body] == group[end.body]) return;
  refuse("joint", j.name, "its load is the force of an element that acts on none of its bodies");
}

/// A law that needs all other forces on its body can have them only if no other joint, tie or stop acts on that body.
void check_alone(const Mechanism& m, const FrictionJoint& joint) {
  if (!joint.stateful_law->needs_applied_force()) return;
  const std::string why =
      "its law weighs all other forces on its body, which is possible on a body that no other joint holds; ";
  const std::string instead =
      "lugre, elastoplastic or generalized-maxwell-slip have presliding without that, stribeck truly sticks";
  const std::size_t body = joint.a.body == ground ? joint.b.body : joint.a.body;
  if (joint.a.body != ground && joint.b.body != ground)
    refuse("joint", joint.name, why + "it lies between two bodies; " + instead);
  const auto group = gear_groups(m);
  const auto meets = [&](std::size_t other) { return other != ground && group[other] == group[body]; };
  const auto found = [&](const std::string& what) {
    refuse("joint", joint.name, why + in_quotes(what) + " holds it, too; " + instead);
  };
  for (const auto* list : {&m.joints, &m.stateful_joints})
    for (const auto& j : *list)
      if (&j != &joint && (meets(j.a.body) || meets(j.b.body))) found(j.name);
  for (const auto& t : m.ties)
    for (const BodyEnd& end : t.ends)
      if (meets(end.body)) found(t.name);
  for (const auto& g : m.lossy_gears)
    if (meets(g.a) || meets(g.b)) found(g.name);
  for (const auto& s : m.stops)
    if (meets(s.a.body) || meets(s.b.body)) found(s.name);
  for (const auto& d : m.drives)
    if (meets(d.body)) found(d.name);
}

void check_temperature(const char* kind, const std::string& name, const JointTemperature& t) {
  check_number(kind, name, "heat_capacity", t.heat_capacity, t.heat_capacity >= 0, "zero or positive");
  check_number(kind, name, "cooling", t.cooling, t.cooling >= 0, "zero or positive");
  check_number(kind, name, "change per kelvin", t.per_kelvin, true, "finite");
}

}  // namespace

void check_mechanism(const Mechanism& m) {
  if (m.bodies.empty()) throw Error("a mechanism needs at least one body");
  std::set<std::string> names;
  for (const auto& b : m.bodies) {
    if (!names.insert(b.name).second) refuse("body", b.name, "there are two of this name");
    check_number("body", b.name, b.is_rotary ? "inertia" : "mass", b.inertia, b.inertia >= 0, "zero or positive");
    check_number("body", b.name, "position", b.position, true, "finite");
    check_number("body", b.name, "speed", b.speed, true, "finite");
  }
  check_gears(m);
  check_start(m);
  for (const auto& s : m.springs) {
    check_end(m, "spring", s.name, s.a);
    check_end(m, "spring", s.name, s.b);
    if (!moves(m, s.a, s.b)) refuse("spring", s.name, "its two ends cannot move against each other");
    check_number("spring", s.name, "stiffness", s.stiffness, s.stiffness >= 0, "zero or positive");
    check_number("spring", s.name, "damping", s.damping, s.damping >= 0, "zero or positive");
    check_number("spring", s.name, "backlash", s.play, s.play >= 0, "zero or positive");
    check_number("spring", s.name, "exponent", s.exponent, s.exponent >= 1 && s.exponent <= 10, "between 1 and 10");
    check_number("spring", s.name, "unstretched", s.unstretched, true, "finite");
    check_number("spring", s.name, "series_damping", s.series_damping, s.series_damping >= 0, "zero or positive");
    if (s.series_damping > 0 && (s.damping > 0 || s.play > 0))
      refuse("spring", s.name,
             "a damper in series (series_damping) leaves no room for damping "
             "or backlash in the same part; write them as "
             "a second spring beside it");
  }
  for (const auto& j : m.joints) {
    check_end(m, "joint", j.name, j.a);
    check_end(m, "joint", j.name, j.b);
    if (!moves(m, j.a, j.b)) refuse("joint", j.name, "its two sides cannot slip against each other");
    if (!j.law && !j.is_one_way) refuse("joint", j.name, "it has no friction law that truly sticks");
    check_temperature("joint", j.name, j.temperature);
    check_place(m, j);
    if (!j.is_one_way) continue;
    const double z = speed_along(m, j.a, j.b);
    if (z < -1e-12 * largest_speed(m))
      refuse(
          "joint", j.name,
          "it starts with a slip of " + significant(z, 6) + "; a one-way joint slips forward only (a faster than b)");
  }
  for (const auto& j : m.stateful_joints) {
    check_end(m, "joint", j.name, j.a);
    check_end(m, "joint", j.name, j.b);
    if (!moves(m, j.a, j.b)) refuse("joint", j.name, "its two sides cannot slip against each other");
    if (!j.stateful_law) refuse("joint", j.name, "it has no friction law");
    if (!j.start_state.empty() && j.start_state.size() != j.stateful_law->states())
      refuse("joint", j.name,
             "its law has " + std::to_string(j.stateful_law->states()) + " states, it starts with " +
                 std::to_string(j.start_state.size()));
    check_number("joint", j.name, "factor", j.factor, j.factor > 0, "positive");
    check_temperature("joint", j.name, j.temperature);
    check_place(m, j);
    check_alone(m, j);
  }
  check_ties(m);
  const auto check_against = [&](const std::string& kind, const std::string& name, std::size_t on, std::size_t other) {
    if (other == ground) return;
    check_body(m, kind, name, other);
    if (on == other) refuse(kind, name, "it acts on a body and against the same");
    if (m.bodies[on].is_rotary != m.bodies[other].is_rotary)
      refuse(kind, name, "one of its bodies moves along a line, the other about an axis");
  };
  for (const auto& t : m.torques) {
    check_body(m, "torque", t.name, t.body);
    check_against("torque", t.name, t.body, t.against);
  }
  for (const auto& d : m.drags) {
    check_body(m, "drag", d.name, d.body);
    check_against("drag", d.name, d.body, d.against);
    check_number("drag", d.name, "linear", d.linear, true, "finite");
    check_number("drag", d.name, "quadratic", d.quadratic, true, "finite");
    check_number("drag", d.name, "nominal_torque",
                 d.even + d.eddy_torque + d.one_way_linear + d.sign_torque + d.inverse_power, true, "finite");
    check_number("drag", d.name, "nominal_speed", d.eddy_speed, d.eddy_speed > 0, "positive");
    check_number("drag", d.name, "rounded_below", d.rounded_below, d.rounded_below > 0, "positive");
    check_temperature("drag", d.name, d.temperature);
  }
  for (const auto& map : m.maps) {
    check_body(m, "engine", map.name, map.body);
    if (map.speed.empty() || map.speed.size() != map.torque.size()) refuse("engine", map.name, "its map is empty");
    for (std::size_t i = 1; i < map.speed.size(); ++i)
      if (!(map.speed[i] > map.speed[i - 1])) refuse("engine", map.name, "the speeds of its map must increase");
  }
  check_controllers(m);
  check_rule(m);
  bool may_be_singular = !m.ties.empty() || !m.lossy_gears.empty() || !m.drives.empty();
  for (const auto& b : m.bodies) may_be_singular = may_be_singular || b.inertia == 0;
  if (may_be_singular) (void)MechanismSystem(m, {});  // refuses equations without a unique solution
}

}  // namespace stickslip::inline machines
