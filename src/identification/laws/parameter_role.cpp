#include "identification/laws/parameter_role.hpp"

#include <algorithm>

namespace stickslip::inline identification {

ParameterRole role_of(const ParameterDescription& p) {
  using enum ParameterRole;
  if (p.key == "offset") return offset;
  if (p.unit == "N") {
    if (p.key.find("stiction") != std::string::npos || p.key == "high_force" || p.key == "fast_force") return breakaway;
    return p.key == "low_force" ? low_level : level;
  }
  if (p.unit == "N/m") return stiffness;
  if (p.unit == "N s/m") return damping;
  if (p.unit == "m") return p.key == "bristle_height" ? height : length;
  if (p.unit == "m/s") return speed;
  if (p.unit == "s") return p.domain == Domain::positive ? time : lag;
  if (p.unit == "N/s") return force_rate;
  if (p.unit == "N m/rad") return hinge_stiffness;
  if (p.unit == "rad" && p.domain == Domain::positive) return angle;
  if (p.unit == "rad/s") return turning_rate;
  if (p.unit == "1/s") return rate;
  return own_range;
}

bool is_level(const ParameterDescription& p) {
  return p.kind == ParameterKind::number && is_force(role_of(p)) && p.domain != Domain::real;
}

bool may_differ_backward(const ParameterDescription& p) {
  return is_level(p) || (p.kind == ParameterKind::number && role_of(p) == ParameterRole::damping);
}

bool is_spring_list(const ParameterDescription& p) {
  return p.kind == ParameterKind::list && role_of(p) == ParameterRole::stiffness;
}

bool is_level_list(const ParameterDescription& p) {
  return p.kind == ParameterKind::list && role_of(p) == ParameterRole::level;
}

bool rests_at_stiction(const ModelDescription& d) {
  const auto any = [&](const auto& is) { return std::any_of(d.parameters.begin(), d.parameters.end(), is); };
  const bool has_spring = any([](const ParameterDescription& p) {
    return role_of(p) == ParameterRole::stiffness || p.key == "presliding_limit";
  });
  const bool has_stiction = any([](const ParameterDescription& p) { return p.key == "stiction_force"; });
  return d.nature == Nature::modes && has_stiction && !has_spring;
}

}  // namespace stickslip::inline identification
