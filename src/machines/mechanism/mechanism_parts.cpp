/// The parts of a mechanism that can stick, their names, and its events in words; see mechanism.hpp.
#include <cmath>

#include "machines/mechanism/mechanism.hpp"

namespace stickslip::inline machines {

std::vector<StickingPart> sticking_parts(const Mechanism& m) {
  using Kind = StickingPart::Kind;
  std::vector<StickingPart> parts;
  for (std::size_t i = 0; i < m.joints.size(); ++i) parts.push_back({Kind::joint, i});
  for (std::size_t i = 0; i < m.lossy_gears.size(); ++i) parts.push_back({Kind::lossy_gear, i});
  for (std::size_t i = 0; i < m.stops.size(); ++i) {
    if (std::isfinite(m.stops[i].low)) parts.push_back({Kind::low_stop, i});
    if (std::isfinite(m.stops[i].high)) parts.push_back({Kind::high_stop, i});
  }
  return parts;
}

const std::string& name_of(const Mechanism& m, const StickingPart& part) {
  switch (part.kind) {
    case StickingPart::Kind::joint:
      return m.joints[part.which].name;
    case StickingPart::Kind::lossy_gear:
      return m.lossy_gears[part.which].name;
    default:
      return m.stops[part.which].name;
  }
}

namespace {
std::string_view end_of(const StickingPart& stop) {
  return stop.kind == StickingPart::Kind::low_stop ? "low end" : "high end";
}
}  // namespace

std::string event_text(const Mechanism& m, const MechanismEvent& e) {
  if (e.which >= first_stateful) {
    const std::string& name = m.stateful_joints[e.which - first_stateful].name;
    return e.kind == EventKind::direction_change ? name + " passes zero" : name + ": " + std::string(name_of(e.kind));
  }
  if (e.kind >= EventKind::direction_change && e.which >= m.joints.size()) {
    const StickingPart part = sticking_parts(m)[e.which];
    if (part.kind == StickingPart::Kind::low_stop || part.kind == StickingPart::Kind::high_stop)
      return name_of(m, part) + (e.kind == EventKind::stick ? " holds at its " : " lets go at its ") +
             std::string(end_of(part));
    return name_of(m, part) + (e.kind == EventKind::stick              ? " locks"
                               : e.kind == EventKind::direction_change ? " passes zero"
                               : e.motion == Slip::backward            ? " slips backward"
                                                                       : " slips forward");
  }
  switch (e.kind) {
    case EventKind::stick:
      return m.joints[e.which].name + " locks";
    case EventKind::release:
      return m.joints[e.which].name + " slips " + (e.motion == Slip::backward ? "backward" : "forward");
    case EventKind::direction_change:
      return m.joints[e.which].name + " passes zero";
    case EventKind::mode_entry:
      if (e.which >= m.springs.size()) {
        const StickingPart part = sticking_parts(m)[e.which - m.springs.size()];
        return name_of(m, part) + " is struck at its " + std::string(end_of(part));
      }
      return m.springs[e.which].name + (m.springs[e.which].is_stop ? " is touched" : " leaves its backlash");
    case EventKind::mode_exit:
      return m.springs[e.which].name + (m.springs[e.which].is_stop ? " is left" : " enters its backlash");
    case EventKind::table_knot:
      return m.maps[e.which].name + " passes a point of its map";
    default:
      return std::string(name_of(e.kind));
  }
}

}  // namespace stickslip::inline machines
