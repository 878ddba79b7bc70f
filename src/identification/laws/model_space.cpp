#include "identification/laws/model_space.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"

namespace stickslip::inline identification {

namespace {

/// The lowest and the highest value recorded.
std::pair<double, double> range_of(Quantity q, const DataScales& s) {
  switch (q) {
    case Quantity::load:
      return {s.low_load, s.high_load};
    case Quantity::pressure:
      return {s.low_pressure, s.high_pressure};
    case Quantity::temperature:
      return {s.low_temperature, s.high_temperature};
    case Quantity::position:
      break;
  }
  return {s.low_position, s.high_position};
}

const ParameterValue* given(const ParameterValues& values, std::string_view key) {
  for (const auto& [k, v] : values)
    if (k == key) return &v;
  return nullptr;
}

std::vector<double> polynomial_through(const std::vector<double>& at_nodes,
                                       const std::vector<std::vector<double>>& basis) {
  std::vector<double> c(basis.size(), 0.0);
  for (std::size_t k = 0; k < basis.size(); ++k)
    for (std::size_t j = 0; j < c.size(); ++j) c[j] += at_nodes[k] * basis[k][j];
  return c;
}

/// Coefficients of the polynomials that are 1 at one node and 0 at the others.
std::vector<std::vector<double>> lagrange(const std::vector<double>& nodes) {
  std::vector<std::vector<double>> basis;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    std::vector<double> c{1};
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      if (j == k) continue;
      std::vector<double> next(c.size() + 1, 0.0);
      const double scale = 1 / (nodes[k] - nodes[j]);
      for (std::size_t i = 0; i < c.size(); ++i) {
        next[i + 1] += c[i] * scale;
        next[i] -= c[i] * nodes[j] * scale;
      }
      c = next;
    }
    basis.push_back(c);
  }
  return basis;
}

Unknown logarithmic_box(double guess, double low, double high, double spread) {
  Unknown u;
  u.low = low, u.high = high;
  u.scale = Scale::logarithmic;
  u.guess = std::clamp(guess, low, high);
  u.spread = spread;
  return u;
}
Unknown linear_box(double guess, double low, double high, double typical, double spread) {
  Unknown u;
  u.low = low, u.high = high;
  u.scale = Scale::linear;
  u.guess = std::clamp(guess, low, high);
  u.typical = typical;
  u.spread = spread;
  return u;
}

/// The force is linear in it: it is solved, without bounds.
Unknown offset_box(const DataScales& s) {
  Unknown u = linear_box(s.offset, -unbounded, unbounded, s.force, 0.05);
  u.origin = s.offset;
  u.role = ParameterRole::offset;
  u.solved = true;
  return u;
}

}  // namespace

/// The box of one number, by its role.
Unknown ModelSpace::box(const ParameterDescription& p) const {
  const DataScales& s = scales_;
  Unknown u;
  const ParameterRole role = role_of(p);
  switch (role) {
    case ParameterRole::offset:
      u = offset_box(s);  // it may also balance factors of the position
      break;
    case ParameterRole::level:
    case ParameterRole::breakaway:
    case ParameterRole::low_level: {
      const double guess = role == ParameterRole::breakaway   ? std::max(s.slow_level, s.fast_level)
                           : role == ParameterRole::low_level ? 0.5 * s.level
                                                              : s.fast_level;
      u = p.domain == Domain::non_negative ? linear_box(0.3 * guess, 0, 10 * s.force, s.force, 0.3)
                                           : logarithmic_box(guess, 1e-4 * s.force, 10 * s.force, 0.5);
      break;
    }
    case ParameterRole::stiffness: {
      const double high = std::max(100 * s.stiffness, 10 * s.force / s.step);
      if (p.domain == Domain::real)
        u = linear_box(0, -1e6 * high, 1e6 * high, s.stiffness, 1);  // factors that carry dynamics: no natural bound
      else if (p.domain == Domain::non_negative)
        u = linear_box(s.stiffness, 0, high, s.stiffness, 1);
      else
        u = logarithmic_box(s.stiffness, 1e-3 * s.force / s.half_range, high, 2);
      break;
    }
    case ParameterRole::damping: {
      const double typical = s.force / s.fastest;
      u = linear_box(p.key == "viscosity" ? 0.1 * typical : 0.01 * s.force / s.typical_speed, 0,
                     1e3 * s.force / s.typical_speed, typical, 0.3);
      break;
    }
    case ParameterRole::length:
      u = logarithmic_box(s.level / s.stiffness, std::min(1e-2 * s.step, 1e-5 * s.half_range), 4 * s.half_range, 2);
      break;
    case ParameterRole::height:  // small angles: far above the travel
      u = logarithmic_box(10 * s.half_range, std::min(1e-2 * s.step, 1e-5 * s.half_range), 1e3 * s.half_range, 2);
      break;
    case ParameterRole::speed: {
      u = logarithmic_box(0.3 * s.typical_speed, 1e-4 * s.typical_speed, 10 * s.fastest, 2.5);
      // A machine that rests most of the time has the speed of noise as typical speed: starts then extend to the fastest.
      const double slowest = u.guess * std::exp(-u.spread);
      if (u.guess * std::exp(u.spread) < 0.1 * s.fastest)
        u.guess = std::sqrt(slowest * s.fastest), u.spread = 0.5 * std::log(s.fastest / slowest);
      break;
    }
    case ParameterRole::time:
      u = logarithmic_box(std::sqrt(10 * s.sampling_time * 0.3 * s.duration), s.sampling_time, 10 * s.duration, 2);
      break;
    case ParameterRole::lag:
      u = linear_box(0, 0, s.duration, s.sampling_time, 1);
      break;
    case ParameterRole::force_rate:
      u = logarithmic_box(s.level / std::sqrt(s.sampling_time * s.half_range / s.typical_speed), s.force / s.duration,
                          1e2 * s.force / s.sampling_time, 2.5);
      break;
    case ParameterRole::hinge_stiffness:
      u = logarithmic_box(30 * s.force * s.half_range, 1e-6 * s.force * s.half_range, 1e8 * s.force * s.half_range, 3);
      break;
    case ParameterRole::angle:
      u = logarithmic_box(0.1, 1e-5, 1e3, 2);
      break;
    case ParameterRole::turning_rate:
      u = logarithmic_box(0.03 * s.typical_speed / s.half_range, 1e-7 * s.typical_speed / s.half_range,
                          10 * s.fastest / s.half_range, 3);
      break;
    case ParameterRole::rate:
    case ParameterRole::own_range: {
      const double preset = p.preset == p.preset ? p.preset : 0;
      if (p.scale == Scale::logarithmic && p.low > 0) {
        const double middle = preset > 0 ? preset : std::sqrt(p.low * p.high);
        u = logarithmic_box(middle, p.low, p.high, 0.4 * std::log(p.high / p.low));
      } else {
        const double middle = preset > p.low && preset < p.high ? preset : 0.5 * (p.low + p.high);
        u = linear_box(middle, p.low, p.high, 0.5 * (p.high - p.low), 0.5);
      }
      break;
    }
  }
  // The level that held a body that truly sticks was at most the force at breakaway.
  const ModelDescription& d = model_->description();
  if (p.key == "stiction_force" && s.breakaway > u.low && (d.nature == Nature::sticks || rests_at_stiction(d)))
    u.high = std::min(u.high, std::max({s.breakaway, s.level, s.slow_level})), u.guess = std::min(u.guess, u.high);
  if (p.domain == Domain::fraction) u.high = std::min(u.high, 1.0);
  // Along a given motion the limits for a stable simulation or a readable table do not apply.
  if (p.key == "damping_ratio") u = logarithmic_box(1e-2, 1e-9, 1e3, 4);
  if (p.key == "spacing") u.guess = 0.1 * s.half_range, u.low = 4 * s.step, u.spread = 3.5;
  if (p.key == "stribeck_exponent") u = linear_box(2, 0.1, 5, 1, 1);
  // A speed or rate that only defines what counts as rest.
  if (p.fit == Fit::fixed && p.is_required() && role == ParameterRole::speed)
    u.guess = (p.key == "exit_speed" ? 0.5e-3 : 1e-3) * s.typical_speed;
  if (p.fit == Fit::fixed && p.is_required() && role == ParameterRole::rate) u.guess = 6 / s.sampling_time;
  u.key = p.key;
  u.unit = p.unit;
  u.role = role;
  u.solved = u.solved || p.fit == Fit::solved;
  return u;
}

void ModelSpace::add(Unknown u, Place p) {
  unknowns_.push_back(std::move(u));
  places_.push_back(p);
}

void ModelSpace::add_value(const ParameterDescription& p, const SpaceOptions& options) {
  const ParameterValue* start = given(options.start, p.key);
  if (p.kind == ParameterKind::choice) {
    if (start) base_.values.emplace_back(p.key, *start);
    return;
  }
  const bool freed = std::find(options.free_too.begin(), options.free_too.end(), p.key) != options.free_too.end();
  for (const auto& [key, value] : options.fixed)
    if (key == p.key) {
      if (p.kind == ParameterKind::list)
        throw Error(model_->description().name + ": " + key + " is a list; only single numbers can be fixed");
      base_.values.emplace_back(p.key, value);
      return;
    }
  Unknown u = box(p);
  if (p.kind == ParameterKind::number) {
    if (start) u.guess = std::clamp(std::get<double>(*start), u.low, u.high);
    const bool is_fixed = p.fit == Fit::fixed && !freed;
    if (is_fixed && !start && !p.is_required()) return;
    base_.values.emplace_back(p.key, start ? *start : ParameterValue(u.guess));
    if (!is_fixed) add(u, {Where::value, base_.values.size() - 1, 0, false});
    return;
  }
  if (!start) return;  // a list that is not asked for
  const auto list = std::get<std::vector<double>>(*start);
  base_.values.emplace_back(p.key, list);
  if (p.fit == Fit::fixed && !freed) return;  // the points of a table are chosen, not found
  for (std::size_t i = 0; i < list.size(); ++i) {
    Unknown e = u;
    e.key = p.key + "[" + std::to_string(i + 1) + "]";
    e.guess = std::clamp(list[i], e.low, e.high);
    e.spread = 0.5;
    if (p.key == "shares") {
      if (i + 1 == list.size()) break;  // they add up to 1: the last one follows
      e.low = 1e-4, e.high = 1;
    }
    add(e, {Where::value, base_.values.size() - 1, i, true});
  }
}

ModelSpace::ModelSpace(const RegisteredModel& model, const DataScales& scales, const SpaceOptions& options)
    : model_(&model), scales_(scales) {
  const ModelDescription& d = model.description();
  // The force at breakaway does not bound levels that differ by direction, or that depend on a quantity.
  if (options.per_direction || !options.variations.empty()) scales_.breakaway = 0;
  for (const auto& [key, value] : options.fixed) check_keys(d, {{key, value}});
  bool own_offset = false, own_backlash = false;
  for (const auto& p : d.parameters) {
    add_value(p, options);
    own_offset = own_offset || p.key == "offset";
    own_backlash = own_backlash || p.key == "backlash";
  }
  if (options.per_direction)
    for (const auto& p : d.parameters) {
      if ((p.key == "thresholds" || is_level_list(p)) && given(base_.values, p.key)) {
        base_.backward.emplace_back(p.key, *given(base_.values, p.key));
        for (std::size_t i = 0; find(p.key + "[" + std::to_string(i + 1) + "]"); ++i) {
          Unknown u = unknowns_[*find(p.key + "[" + std::to_string(i + 1) + "]")];
          u.key = "backward." + u.key;
          add(u, {Where::backward, base_.backward.size() - 1, i, true});
        }
      }
      if (!may_differ_backward(p)) continue;
      const auto forward = find(p.key);
      // A table over a quantity replaces the constant of either direction.
      const bool in_table = std::any_of(options.variations.begin(), options.variations.end(), [&](const auto& v) {
        return v.knots > 0 && (v.key == p.key || (v.key.empty() && is_level(p)));
      });
      if (!forward || in_table) continue;
      Unknown u = unknowns_[*forward];
      u.key = "backward." + p.key;
      base_.backward.emplace_back(p.key, u.guess);
      add(u, {Where::backward, base_.backward.size() - 1, 0, false});
    }
  add_laws(options);
  model_numbers_ = unknowns_.size();
  const auto chain = [&](const char* key, const char* unit, Unknown u, Where where) {
    u.key = key;
    u.unit = unit;
    add(u, {where, 0, 0, false});
  };
  if (options.find_offset && !own_offset) chain("chain.offset", "N", offset_box(scales), Where::offset);
  if (options.find_lag)
    chain("chain.lag", "s",
          linear_box(0.5 * scales.sampling_time, 0, std::min(50 * scales.sampling_time, 0.05 * scales.duration),
                     scales.sampling_time, 2),
          Where::lag);
  if (options.find_backlash && !own_backlash)
    chain("chain.backlash", "m",
          linear_box(0.05 * scales.half_range, 0, 0.9 * scales.half_range, 0.1 * scales.half_range, 1),
          Where::backlash);
}

void ModelSpace::add_laws(const SpaceOptions& options) {
  const ModelDescription& d = model_->description();
  std::vector<VariationRequest> requests = options.variations;
  // A table replaces the constant, a polynomial is added to it: tables first.
  std::stable_sort(requests.begin(), requests.end(),
                   [](const auto& a, const auto& b) { return (a.knots > 0) > (b.knots > 0); });
  for (const VariationRequest& r : requests) {
    Law law;
    law.over = r.over;
    law.table = r.knots > 0;
    law.proportional = r.proportional;
    if (law.table && law.proportional) throw Error(d.name + ": a variation is a table or proportional, not both");
    const auto [low, high] = range_of(r.over, scales_);
    if (law.proportional && r.over == Quantity::temperature)
      throw Error(d.name +
                  ": a parameter cannot be proportional to the temperature, whose zero is a matter of its unit");
    if (!(high > low))
      throw Error(d.name + ": a variation over " + std::string(name_of(r.over)) +
                  " is asked for; the recording has no " + std::string(name_of(r.over)) + " that changes" +
                  (r.over == Quantity::position
                       ? ""
                       : "; --" + std::string(name_of(r.over)) + " chooses its column, inspect lists what there is"));
    if (constexpr double noticeable = 1e-3; r.over == Quantity::temperature && !(high - low >= noticeable))
      throw Error(d.name + ": a variation over temperature is asked for; the temperature changes by " +
                  with_unit(high - low, "K", 2) + " only");
    if (law.proportional && !(std::max(-low, high) > 0 && high != 0))
      throw Error(d.name + ": proportional to " + std::string(name_of(r.over)) + ", which is never positive");
    const std::size_t nodes = law.table ? r.knots : law.proportional ? 2 : r.degree + 1;
    if (nodes < 2) throw Error(d.name + ": a variation needs a degree of at least 1 or at least 2 knots");
    for (std::size_t k = 0; k < nodes; ++k)
      law.nodes.push_back(low + (high - low) * static_cast<double>(k) / static_cast<double>(nodes - 1));
    law.reference = law.table ? 0 : usual_reference(r.over, low, high);
    std::vector<double> from_reference = law.nodes;
    for (double& node : from_reference) node -= law.reference;
    if (!law.table) law.basis = lagrange(from_reference);
    law.factor = true;
    for (const auto& p : d.parameters) {
      const bool scaled_list = (is_spring_list(p) || is_level_list(p)) && given(base_.values, p.key);
      if (r.key.empty() ? is_level(p) || scaled_list : p.key == r.key) law.keys.push_back(p.key);
      if (!r.key.empty() && p.key == r.key) law.factor = p.kind == ParameterKind::list;
      if (!r.key.empty() && p.key == r.key && p.kind == ParameterKind::number && !given(base_.values, p.key))
        base_.values.emplace_back(p.key, p.preset);
    }
    if (law.keys.empty())
      throw Error(d.name + ": " +
                  (r.key.empty() ? "no level of force that could vary" : "no parameter '" + r.key + "'"));
    if (r.key.empty() && law.keys.size() > most_variations) law.keys.resize(most_variations);
    for (const std::string& key : law.keys)
      law.rows.push_back(static_cast<std::size_t>(
          std::find_if(d.parameters.begin(), d.parameters.end(), [&](const auto& p) { return p.key == key; }) -
          d.parameters.begin()));
    const std::string title = (r.key.empty() ? "level" : r.key) + "(" + std::string(name_of(r.over)) + ")";
    if (law.proportional) law.factor = true;
    laws_.push_back(law);
    for (std::size_t k = 0; k + 1 < nodes && !law.proportional; ++k) {
      Unknown u = linear_box(1, 0, 20, 1, 0.3);
      if (!law.factor) {
        const auto constant = find(r.key);
        if (!constant) throw Error(d.name + ": " + r.key + " is fixed; it cannot vary");
        u = unknowns_[*constant];  // solved as its row is
      } else if (r.over == Quantity::load && law.nodes.back() > 0) {
        // Friction proportional to the load is the first guess.
        u.guess = std::max(law.nodes[k] / law.nodes.back(), 0.0);
      }
      u.key = title + "[" + std::to_string(k + 1) + "]";
      add(u, {Where::node, laws_.size() - 1, k, false});
    }
  }
}

std::optional<std::size_t> ModelSpace::find(std::string_view key) const {
  for (std::size_t i = 0; i < unknowns_.size(); ++i)
    if (unknowns_[i].key == key) return i;
  return std::nullopt;
}

std::unique_ptr<ModelKernel> ModelSpace::kernel() const {
  const ModelDescription& d = model_->description();
  const auto row_of = [&](std::string_view key) {
    std::size_t row = 0;
    while (d.parameters[row].key != key) ++row;
    return row;
  };
  KernelSettings settings{base_, {}, {laws_.begin(), laws_.end()}, {}};
  for (std::size_t k = 0; k < model_numbers_; ++k) {
    const Place& p = places_[k];
    using To = NumberPlace::Where;
    if (p.where == Where::node)
      settings.places.push_back({To::node, p.index, p.element});
    else if (p.where == Where::backward)
      settings.places.push_back({To::backward, row_of(base_.backward[p.index].first), p.element});
    else
      settings.places.push_back({To::value, row_of(base_.values[p.index].first), p.element});
  }
  if (given(base_.values, "shares")) settings.complement = row_of("shares");
  return make_kernel(d.name, settings);
}

Chain ModelSpace::chain_at(std::span<const double> y) const {
  Chain chain = chain_;
  for (std::size_t k = model_numbers_; k < law_size(); ++k)
    (places_[k].where == Where::offset ? chain.offset
     : places_[k].where == Where::lag  ? chain.lag
                                       : chain.backlash) = unknowns_[k].value(y[k]);
  return chain;
}

std::vector<double> ModelSpace::guess() const {
  std::vector<double> y;
  for (const Unknown& u : unknowns_) y.push_back(u.coordinate(u.guess));
  return y;
}

bool is_meant(const std::string& key, const std::string& name) {
  std::string plain = key;
  for (const std::string_view before : {"chain.", "backward."})
    if (plain.starts_with(before)) plain.erase(0, before.size());
  return key == name || plain == name || plain.substr(0, plain.find('[')) == name;
}

std::optional<std::size_t> unit_in(const std::string& key) {
  const auto at = key.find('@');
  if (at == std::string::npos) return std::nullopt;
  std::size_t number = 0;
  for (std::size_t i = at + 1; i < key.size(); ++i) number = 10 * number + static_cast<std::size_t>(key[i] - '0');
  return number - 1;
}

std::size_t ModelSpace::give_own(const std::vector<std::string>& names, std::size_t units) {
  for (std::size_t k = 0; k < unknowns_.size(); ++k)
    if (std::any_of(names.begin(), names.end(), [&](const auto& name) { return is_meant(unknowns_[k].key, name); }))
      own_.push_back(k);
  if (own_.empty() || units < 2) return own_.clear(), 0;
  units_ = units;
  for (std::size_t unit = 1; unit < units; ++unit)
    for (const std::size_t k : own_) {
      Unknown u = unknowns_[k];
      u.key += "@" + std::to_string(unit + 1);
      add(std::move(u), Place(places_[k]));
    }
  for (const std::size_t k : own_) unknowns_[k].key += "@1";
  return own_.size();
}

bool ModelSpace::is_own(std::size_t unknown) const {
  return unknown >= law_size() || std::find(own_.begin(), own_.end(), unknown) != own_.end();
}

void ModelSpace::of_unit(std::span<const double> y, std::size_t unit, std::vector<double>& out) const {
  const std::size_t n = law_size();
  out.assign(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(n));
  if (own_.empty() || unit == 0) return;
  for (std::size_t j = 0; j < own_.size(); ++j) out[own_[j]] = y[n + (unit - 1) * own_.size() + j];
}

Realised ModelSpace::at(const std::vector<double>& y, std::size_t unit) const {
  std::vector<double> own;
  of_unit(y, unit, own);
  return realised(own);
}

Realised ModelSpace::at(const std::vector<double>& y) const {
  std::vector<double> mean, own;
  of_unit(y, 0, mean);
  if (own_.empty()) return realised(mean);
  std::vector<double> sums(own_.size(), 0.0);
  for (std::size_t unit = 0; unit < units_; ++unit) {
    of_unit(y, unit, own);
    for (std::size_t j = 0; j < own_.size(); ++j) sums[j] += unknowns_[own_[j]].value(own[own_[j]]);
  }
  for (std::size_t j = 0; j < own_.size(); ++j)
    mean[own_[j]] = unknowns_[own_[j]].coordinate(sums[j] / static_cast<double>(units_));
  return realised(mean);
}

/// Whether the values at the law's reference are possible: "0 N at no load" is no level, and files are read with these values.
bool ModelSpace::holds_at_reference(const VariationSetting& law, const FrictionSettings& settings) const {
  constexpr double nothing = 1e-9;
  const auto& rows = model_->description().parameters;
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& p) { return p.key == law.key; });
  for (const ParameterValues* values : {&settings.values, &settings.backward}) {
    const ParameterValue* value = given(*values, law.key);
    if (!value) continue;
    if (std::holds_alternative<std::vector<double>>(*value)) {
      if (!(law.polynomial.front() > nothing)) return false;
    } else if (const auto* level = std::get_if<double>(value)) {
      const double there = *level + law.polynomial.front();
      if (!is_allowed(row->domain, there)) return false;
      if (row->domain == Domain::positive && !(there > nothing * std::fabs(*level))) return false;
    }
  }
  return true;
}

Realised ModelSpace::realised(const std::vector<double>& y) const {
  Realised r{base_, chain_};
  std::vector<std::vector<double>> nodes;
  for (const Law& law : laws_) {
    nodes.emplace_back(law.nodes.size(), 1.0);
    if (law.proportional) nodes.back().front() = law.nodes.front() / law.nodes.back();
  }
  for (std::size_t i = 0; i < y.size(); ++i) {
    const Place& p = places_[i];
    const double value = unknowns_[i].value(y[i]);
    switch (p.where) {
      case Where::value:
        if (p.is_list)
          std::get<std::vector<double>>(r.settings.values[p.index].second)[p.element] = value;
        else
          r.settings.values[p.index].second = value;
        break;
      case Where::backward:
        if (p.is_list)
          std::get<std::vector<double>>(r.settings.backward[p.index].second)[p.element] = value;
        else
          r.settings.backward[p.index].second = value;
        break;
      case Where::node:
        nodes[p.index][p.element] = value;
        break;
      case Where::offset:
        r.chain.offset = value;
        break;
      case Where::lag:
        r.chain.lag = value;
        break;
      case Where::backlash:
        r.chain.backlash = value;
        break;
    }
  }
  for (auto& [key, value] : r.settings.values)
    if (key == "shares") {
      auto& list = std::get<std::vector<double>>(value);
      double sum = 0;
      for (std::size_t i = 0; i + 1 < list.size(); ++i) sum += list[i];
      list.back() = 1 - sum;
    }
  for (std::size_t l = 0; l < laws_.size(); ++l) {
    const Law& law = laws_[l];
    for (const std::string& key : law.keys) {
      const ParameterValue& constant = *given(r.settings.values, key);
      const bool is_list = std::holds_alternative<std::vector<double>>(constant);
      const double level = is_list ? 1 : std::get<double>(constant);
      std::vector<double> at_nodes = nodes[l];
      // A law of its own has its last node in the constant; a factor is 1 there.
      for (std::size_t k = 0; k < at_nodes.size(); ++k)
        if (law.factor)
          at_nodes[k] *= level;
        else if (k + 1 == at_nodes.size())
          at_nodes[k] = level;
      VariationSetting v;
      v.key = key;
      v.over = law.over;
      if (law.table) {
        v.knots = law.nodes;
        v.values = at_nodes;
      } else {
        v.reference = law.reference;
        v.polynomial = polynomial_through(at_nodes, law.basis);
        if (!is_list) v.polynomial[0] -= level;  // it is added to the constant
        if (!holds_at_reference(v, r.settings)) {
          v.reference = law.nodes.back();  // the values themselves hold there
          std::vector<double> from_last = law.nodes;
          for (double& node : from_last) node -= v.reference;
          v.polynomial = polynomial_through(at_nodes, lagrange(from_last));
          v.polynomial[0] = is_list ? 1 : 0;
        }
      }
      r.settings.variations.push_back(v);
    }
  }
  return r;
}

}  // namespace stickslip::inline identification
