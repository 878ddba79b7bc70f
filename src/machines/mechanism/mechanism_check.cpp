/// What makes a mechanism senseless, said in one line with the names of its parts; see mechanism.hpp.
#include <cmath>
#include <set>

#include "core/error.hpp"
#include "core/text.hpp"
#include "machines/mechanism/mechanism.hpp"
#include "solver/resting_interface.hpp"

namespace stickslip {
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
  if (end.body != ground && end.body >= m.bodies.size()) refuse(kind, name, "it names a body that does not exist");
  check_number(kind, name, "ratio", end.ratio, end.ratio != 0, "finite and not zero");
}

void check_body(const Mechanism& m, const std::string& kind, const std::string& name, std::size_t body) {
  if (body >= m.bodies.size()) refuse(kind, name, "it names a body that does not exist");
}

/// Follows the gears from every body: a gear that closes a loop would tie a freedom twice.
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

void check_controllers(const Mechanism& m) {
  for (const auto& s : m.sensors) {
    const std::size_t count = s.quantity == Measured::slip ? m.joints.size() : m.bodies.size();
    if (s.of >= count) refuse("sensor", s.name, "it reads something that does not exist");
    check_number("sensor", s.name, "resolution", s.resolution, s.resolution >= 0, "zero or positive");
    check_number("sensor", s.name, "noise", s.noise, s.noise >= 0, "zero or positive");
  }
  std::set<std::size_t> driven;
  for (const auto& c : m.controllers) {
    if (c.sensor >= m.sensors.size()) refuse("controller", c.name, "its sensor does not exist");
    if (c.on >= (c.acts_on_joint ? m.joints.size() : m.bodies.size()))
      refuse("controller", c.name, "it acts on something that does not exist");
    check_number("controller", c.name, "sampling_time", c.sampling_time, c.sampling_time >= 0, "zero or positive");
    if (!(c.low < c.high)) refuse("controller", c.name, "its lower limit must lie below its upper one");
    const auto& s = m.sensors[c.sensor];
    const bool is_plain = s.resolution == 0 && s.noise == 0 && s.delay == 0;
    if (c.acts_on_joint && !(c.low >= 0 && c.high < std::numeric_limits<double>::infinity()))
      refuse("controller", c.name, "it sets the capacity of a joint: give limits, the lower one not below zero");
    if (c.acts_on_joint && !driven.insert(c.on).second)
      refuse("controller", c.name, "joint " + in_quotes(m.joints[c.on].name) + " has a controller already");
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
  std::set<std::size_t> taken;
  for (const auto& j : m.joints)
    if (j.a.body == ground || j.b.body != j.a.body + 1 || j.a.ratio != 1 || j.b.ratio != 1 ||
        !taken.insert(j.a.body).second)
      refuse("joint", j.name,
             "the rule of the paper (Biagiotti eq 22) needs a plain chain: each joint from one body to the next");
  if (!m.gears.empty())
    refuse("gear", m.gears.front().name, "the rule of the paper (Biagiotti eq 22) needs a plain chain without gears");
}

}  // namespace

void check_mechanism(const Mechanism& m) {
  if (m.bodies.empty()) throw Error("a mechanism needs at least one body");
  std::set<std::string> names;
  for (const auto& b : m.bodies) {
    if (!names.insert(b.name).second) refuse("body", b.name, "there are two of this name");
    check_number("body", b.name, b.is_rotary ? "inertia" : "mass", b.inertia, b.inertia > 0, "positive");
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
    check_number("spring", s.name, "play", s.play, s.play >= 0, "zero or positive");
  }
  for (const auto& j : m.joints) {
    check_end(m, "joint", j.name, j.a);
    check_end(m, "joint", j.name, j.b);
    if (!moves(m, j.a, j.b)) refuse("joint", j.name, "its two sides cannot slip against each other");
    if (!j.law) refuse("joint", j.name, "it has no friction law that truly sticks");
  }
  for (const auto& t : m.torques) check_body(m, "torque", t.name, t.body);
  for (const auto& d : m.drags) {
    check_body(m, "drag", d.name, d.body);
    check_number("drag", d.name, "linear", d.linear, d.linear >= 0, "zero or positive");
    check_number("drag", d.name, "quadratic", d.quadratic, d.quadratic >= 0, "zero or positive");
  }
  for (const auto& map : m.maps) {
    check_body(m, "engine", map.name, map.body);
    if (map.speed.empty() || map.speed.size() != map.torque.size()) refuse("engine", map.name, "its map is empty");
    for (std::size_t i = 1; i < map.speed.size(); ++i)
      if (!(map.speed[i] > map.speed[i - 1])) refuse("engine", map.name, "the speeds of its map must increase");
  }
  check_controllers(m);
  check_rule(m);
}

}  // namespace stickslip
