/// The same friction in other units; see similar.hpp.
#include "check/similar.hpp"

#include <algorithm>
#include <cmath>

#include "check/reference_sets.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"

namespace stickslip::inline checks {
namespace {

/// M^a L^b T^c of a unit.
double scale_of(const std::string& unit, const Similarity& s) {
  if (unit.empty()) return 1;
  const Dimension d = parse_unit(unit).dimension;
  const double mass = s.force * s.time * s.time / s.length;
  return std::pow(mass, d.kg) * std::pow(s.length, d.m) * std::pow(s.time, d.s);
}

ParameterValue scaled(const ParameterValue& value, double scale) {
  if (const auto* number = std::get_if<double>(&value)) return *number / scale;
  if (const auto* list = std::get_if<std::vector<double>>(&value)) {
    std::vector<double> smaller = *list;
    for (double& x : smaller) x /= scale;
    return smaller;
  }
  return value;
}

}  // namespace

Similarity similarity_of(const Friction& friction) {
  double stribeck = friction.parameter("stribeck_velocity");
  const bool has_curve = std::isfinite(stribeck) && stribeck > 0;
  if (!has_curve) stribeck = reference::stribeck_velocity;
  const double speed = 1e-3 * stribeck;
  PrescribedMotion slide;
  slide.time.push_back(0), slide.position.push_back(0);
  for (int i = 0; i <= 480; ++i) {  // from 1 pm to 1 m, forty points a decade
    slide.position.push_back(1e-12 * std::pow(10.0, i / 40.0));
    slide.time.push_back(slide.position.back() / speed);
  }
  const std::vector<double> force = friction.respond(slide);
  const double breakaway = *std::max_element(force.begin(), force.end());
  if (!(breakaway > 0)) throw Error(friction.description().name + ": it has no resistance, which the scorecard needs");
  std::size_t gone = 1;
  while (force[gone] < 0.95 * breakaway) ++gone;
  Similarity s;
  s.force = breakaway / reference::stiction_force;
  const bool is_rigid = gone == 1;
  if (!is_rigid) s.length = slide.position[gone] / reference::presliding;
  if (has_curve && is_rigid)
    s.length = stribeck / reference::stribeck_velocity;
  else if (has_curve)
    s.time = s.length * reference::stribeck_velocity / stribeck;
  else
    s.time = s.length;
  return s;
}

FrictionSettings on_the_rig(const Friction& friction, const Similarity& scale) {
  const auto& parameters = friction.description().parameters;
  const auto unit_of = [&](const std::string& key) {
    for (const auto& p : parameters)
      if (p.key == key) return p.unit;
    return std::string();
  };
  FrictionSettings settings = friction.settings();
  for (auto* set : {&settings.values, &settings.backward})
    for (auto& [key, value] : *set) value = scaled(value, scale_of(unit_of(key), scale));
  for (VariationSetting& law : settings.variations) {
    if (law.over != Quantity::position)
      throw Error(law.key + " follows " + std::string(name_of(law.over)) +
                  "; the scorecard's rig has none: give the values at one operating point");
    const bool is_list = std::any_of(parameters.begin(), parameters.end(), [&](const ParameterDescription& p) {
      return p.key == law.key && p.kind == ParameterKind::list;
    });
    const double level = is_list ? 1 : scale_of(unit_of(law.key), scale);
    for (std::size_t j = 0; j < law.polynomial.size(); ++j)
      law.polynomial[j] *= std::pow(scale.length, static_cast<double>(j)) / level;
    for (double& knot : law.knots) knot /= scale.length;
    law.reference /= scale.length;
    for (double& value : law.values) value /= level;
  }
  return settings;
}

}  // namespace stickslip::inline checks
