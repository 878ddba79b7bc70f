/// Parameters beyond their ranges along a recording; see level_range.hpp.
#include "jobs/validate/level_range.hpp"

#include <cmath>
#include <vector>

#include "core/text.hpp"
#include "core/units.hpp"
#include "machines/friction/friction_section.hpp"

namespace stickslip::inline jobs {
namespace {

const std::vector<double>& quantity_in(const Prepared& data, Quantity over) {
  switch (over) {
    case Quantity::load:
      return data.load;
    case Quantity::pressure:
      return data.pressure;
    case Quantity::temperature:
      return data.temperature;
    case Quantity::position:
      break;
  }
  return data.position;
}

/// Table, or polynomial that is added.
double dependence(const VariationSetting& law, double q) {
  const Variation v{0, law.over, law.polynomial, law.knots, law.values, law.reference};
  return v.is_table() ? variation_detail::table_at(v, q)
                      : variation_detail::polynomial_at(v.polynomial, q - v.reference);
}

const ParameterValue* value_of_key(const ParameterValues& values, const std::string& key) {
  for (const auto& [name, value] : values)
    if (name == key) return &value;
  return nullptr;
}

/// A parameter that follows something, along a recording.
struct Followed {
  const ParameterDescription& parameter;
  double forward = 0, backward = 0;  // constant values; of a list 1, the factor
  std::vector<VariationSetting> laws;

  double at(const Prepared& data, std::size_t i) const {
    const bool is_list = parameter.kind == ParameterKind::list;
    double value = data.velocity[i] < 0 ? backward : forward;
    for (const VariationSetting& law : laws) {
      const double found = dependence(law, quantity_in(data, law.over)[i]);
      value = is_list ? value * found : law.knots.empty() ? value + found : found;
    }
    return value;
  }
  bool allows(double value) const {
    return is_allowed(parameter.kind == ParameterKind::list ? Domain::non_negative : parameter.domain, value);
  }
};

Followed followed(const Friction& friction, const ParameterDescription& parameter) {
  const FrictionSettings& s = friction.settings();
  Followed f{parameter, 1, 1, {}};
  if (parameter.kind == ParameterKind::number) {
    f.forward = f.backward = friction.parameter(parameter.key);
    if (const ParameterValue* own = value_of_key(s.backward, parameter.key)) f.backward = std::get<double>(*own);
  }
  for (const VariationSetting& law : s.variations)
    if (law.key == parameter.key) f.laws.push_back(law);
  return f;
}

std::string words_for(const Followed& f, const Prepared& data, std::size_t worst, std::size_t count) {
  const MotionKind motion = data.rotary ? MotionKind::rotary : MotionKind::linear;
  const bool is_list = f.parameter.kind == ParameterKind::list;
  const std::string unit = f.parameter.unit.empty() ? "1" : unit_for(motion, f.parameter.unit);
  const double value = f.at(data, worst);
  std::string where;
  for (const VariationSetting& law : f.laws) {
    const double q = quantity_in(data, law.over)[worst];
    const std::string words = law.over == Quantity::temperature ? significant(q - 273.15, 4) + " degC"
                                                                : with_unit(q, quantity_unit(law.over, motion), 4);
    where += (where.empty() ? "at a " : " and a ") + std::string(name_of(law.over)) + " of " + words;
  }
  return (is_list ? "the factor of " : "") + f.parameter.key + " would be " +
         (is_list || unit == "1" ? significant(value, 3) : with_unit(value, unit, 3)) + " " + where + " (it must be " +
         std::string(allowed_range(is_list ? Domain::non_negative : f.parameter.domain)) + "), in " +
         significant(100 * static_cast<double>(count) / static_cast<double>(data.size()), 2) + " % of the samples";
}

}  // namespace

std::string beyond_range(const Friction& friction, const Prepared& data) {
  for (const ParameterDescription& parameter : friction.description().parameters) {
    if (parameter.kind == ParameterKind::choice) continue;
    const Followed f = followed(friction, parameter);
    if (f.laws.empty()) continue;
    std::size_t count = 0, worst = 0;
    for (std::size_t i = 0; i < data.size(); ++i) {
      const double value = f.at(data, i);
      if (f.allows(value)) continue;
      const double before = f.at(data, worst);
      const bool is_worse = count == 0 || !std::isfinite(value) || (value < 0 ? value < before : value > before);
      ++count;
      if (is_worse) worst = i;
    }
    if (count > 0) return words_for(f, data, worst, count);
  }
  return "";
}

}  // namespace stickslip::inline jobs
