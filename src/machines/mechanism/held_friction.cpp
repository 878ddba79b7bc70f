/// See held_friction.hpp.
#include "machines/mechanism/held_friction.hpp"

#include <array>
#include <cmath>
#include <numeric>

namespace stickslip::inline machines {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Constant between its breakpoints.
bool is_held(const Signal& s) {
  for (std::size_t k = 0; k < s.segments(); ++k) {
    const double end = s.end_of(k), at = std::isfinite(end) ? end - 1 : 0;
    if (s.slope(k, at) != 0 || s.longest_step(k, at) != infinity) return false;
  }
  return true;
}

/// The level of a law that depends on nothing, tested over the range of its inputs; 0 if it depends on something.
double constant_level(const StickingLaw& law) {
  if (law.velocity_scale() > 0) return 0;
  Contact<double> rest;
  const double level = law.breakaway_force(rest, Direction::forward);
  constexpr std::array<double, 5> speeds{1e-9, 1e-3, 1, 1e3, 1e9};
  for (const Direction d : {Direction::forward, Direction::backward})
    for (const double v : speeds) {
      Contact<double> c;
      c.dwell = v, c.time = v;
      if (law.breakaway_force(c, d) != level) return 0;
      c.velocity = number(d) * v;
      if (law.sliding_force(c, d) != number(d) * level) return 0;
    }
  return level;
}

}  // namespace

bool is_held_friction(const Mechanism& m) {
  if (!m.gears.empty() || !m.springs.empty() || !m.drags.empty() || !m.maps.empty() || !m.controllers.empty())
    return false;
  if (!m.ties.empty() || !m.lossy_gears.empty() || !m.stops.empty() || !m.drives.empty()) return false;
  if (!m.stateful_joints.empty() || m.joints.empty() || m.rule != RestingRule::exact) return false;
  for (const auto& t : m.torques)
    if (t.against != ground) return false;
  for (const auto& j : m.joints)
    if (j.is_one_way || j.temperature.heat_capacity > 0 || j.follows()) return false;
  for (const auto& b : m.bodies)
    if (b.inertia == 0) return false;
  return true;
}

std::vector<double> joint_levels(const Mechanism& m) {
  std::vector<double> level;
  const StickingLaw* last = nullptr;
  for (const auto& joint : m.joints) {
    if (!is_held(joint.capacity)) return {};
    for (std::size_t k = 0; k < joint.capacity.segments(); ++k)
      if (joint.capacity.value(k, 0.0) < 0) return {};
    level.push_back(&*joint.law == last ? level.back() : constant_level(*joint.law));
    last = &*joint.law;
    if (!(level.back() > 0)) return {};
  }
  return level;
}

std::vector<double> held_levels(const Mechanism& m) {
  for (const auto& t : m.torques)
    if (!is_held(t.torque)) return {};
  return joint_levels(m);
}

std::optional<JointTree> joint_tree(const Mechanism& m) {
  const std::size_t bodies = m.bodies.size();
  std::vector<std::size_t> root(bodies + 1);
  std::iota(root.begin(), root.end(), std::size_t{0});
  const auto root_of = [&](std::size_t i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  JointTree tree;
  tree.first_of.assign(bodies + 2, 0);
  const auto place = [&](const BodyEnd& end) { return end.body == ground ? bodies : end.body; };
  for (const auto& j : m.joints) {
    const std::size_t a = place(j.a), b = place(j.b);
    if (root_of(a) == root_of(b)) return {};
    root[root_of(a)] = root_of(b);
    ++tree.first_of[a + 1], ++tree.first_of[b + 1];
  }
  std::partial_sum(tree.first_of.begin(), tree.first_of.end(), tree.first_of.begin());
  tree.joints_of.resize(tree.first_of.back());
  auto next = tree.first_of;
  for (std::size_t j = 0; j < m.joints.size(); ++j)
    for (const BodyEnd& end : {m.joints[j].a, m.joints[j].b}) tree.joints_of[next[place(end)]++] = j;
  return tree;
}

std::size_t likely_events(const Mechanism& m) {
  constexpr std::size_t most = std::size_t{1} << 20;  // 32 MB
  std::size_t segments = 1;
  for (const auto& t : m.torques) segments = std::max(segments, t.torque.segments());
  return std::min(m.joints.size() * segments, most);
}

}  // namespace stickslip::inline machines
