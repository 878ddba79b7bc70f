#include "check/reference_sets.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace stickslip::inline checks {

namespace {

using Entry = std::pair<std::string_view, ParameterValue>;
using List = std::vector<double>;

/// Four springs that slip one after the other, an equal part of the breakaway force each.
const List thresholds{0.25 * reference::presliding, 0.5 * reference::presliding, 0.75 * reference::presliding,
                      reference::presliding};
List stiffnesses() {
  List k;
  for (double threshold : thresholds) k.push_back(0.25 * reference::stiction_force / threshold);
  return k;
}

/// By parameter key, whatever the model.
const std::vector<Entry>& usual_values() {
  static const std::vector<Entry> values{
      {"coulomb_force", reference::coulomb_force},
      {"stiction_force", reference::stiction_force},
      {"stribeck_velocity", reference::stribeck_velocity},
      {"viscosity", reference::viscosity},
      {"bristle_stiffness", reference::stiffness},
      {"bristle_damping", reference::damping},
      {"presliding_limit", reference::presliding},
      {"elastic_limit", 0.65 * reference::presliding},  // must stay below F_C/σ₀
      {"thresholds", thresholds},
      {"stiffnesses", stiffnesses()},
      {"stiction_limit", 1.5 * reference::stiction_force},
      {"dwell_time", reference::dwell_time},
      {"band", 0.1 * reference::stribeck_velocity},
      {"fading_rate", 1e3},
      {"exit_speed", 0.1 * reference::stribeck_velocity},
      {"entry_speed", 0.2 * reference::stribeck_velocity},
      // bliman-sorine: settles at f₁ − f₂ = 1 N after a peak of 1.5 N
      {"fast_force", 2.1},
      {"slow_force", 1.1},
      {"sliding_length", 2 * reference::presliding},
      {"length_ratio", 0.2},
      // lugre-bristle: κ θ₁/h = 1 N, κ (θ₁ + θ₂)/h = 1.5 N, h (θ₁ + θ₂)/σ = 10 µm
      {"bristle_height", 0.01},
      {"hinge_stiffness", 0.05},
      {"gain", 300.0},
      {"coulomb_angle", 0.2},
      {"stribeck_angle", 0.1},
      {"stribeck_rate", 0.1},
      // leuven: presliding ends by the level, not by its exponent
      {"transition_exponent", 10.0},
      // gms: a slipping element follows the level within some 10 ms
      {"shares", List{0.25, 0.25, 0.25, 0.25}},
      {"attraction", 100.0},
      // extended maxwell-slip: the springs of maxwell-slip, sampled
      {"deflection_coefficients_0", stiffnesses()},
      {"sampling_time", 1e-3},
      // modified lugre: a film that is full at 5 mm/s and takes seconds to thin
      {"film_velocity", 5 * reference::stribeck_velocity},
      {"growing_time", 0.05},
      {"thinning_time", 2.0},
      {"rest_time", reference::dwell_time},
      {"viscous_lag", 0.1},
      // bristle: Drincic's geometry pressed ten times harder on bristles ten times stiffer, 0.5 to 1.4 N
      {"bristle_length", 0.1},
      {"torsional_stiffness", 1.0},
      {"body_width", 0.5},
      {"bristle_count", 101.0},
      {"normal_force", 98.1},
      // bristle sawtooth: teeth far longer than presliding
      {"low_force", reference::coulomb_force},
      {"high_force", reference::stiction_force},
      {"spacing", 0.01},
      // levels that jump, tables, compensation: 1 N sliding, 1.5 N at rest
      {"peak", reference::stiction_force / reference::coulomb_force},
      {"speeds", List{0, 5 * reference::stribeck_velocity, 100 * reference::stribeck_velocity}},
      {"levels", List{reference::coulomb_force, 0.8 * reference::coulomb_force,
                      0.8 * reference::coulomb_force + 95 * reference::stribeck_velocity * reference::viscosity}},
      {"compensation", 0.8},
      {"compensation_speed", reference::stribeck_velocity},
      // load-dependent: 1.5 N forward, where the load is driven, 1.1 N backward
      {"presliding_length", 0.5 * reference::presliding},
      {"friction_coefficient", 0.13},
      {"coefficient_difference", 0.02},
      {"transmitted_load", 10.0},
  };
  return values;
}

/// Where the usual value of a key will not do for one model.
ParameterValue adapted(std::string_view model, std::string_view key, const ParameterValue& usual) {
  if (model == "leuven" && key == "stiffnesses") {  // the elements must hold more than the level
    List k = stiffnesses();
    for (double& each : k) each *= 1.2;
    return k;
  }
  // z retracts at up to |v| 1.8ⁿ where the level falls, so that σ₁ ż would bury everything else
  if (model == "leuven" && key == "bristle_damping") return 0.0;
  return usual;
}

/// Without a usual value: the middle of where a search would look.
double middle(const ParameterDescription& p) {
  return p.scale == Scale::logarithmic ? std::sqrt(p.low * p.high) : 0.5 * (p.low + p.high);
}

const List* list_of(const Friction& friction, std::string_view wanted) {
  for (const auto& [key, value] : friction.settings().values)
    if (key == wanted) return std::get_if<List>(&value);
  return nullptr;
}
/// Straight lines from point to point.
double along_points(const List& x, const List& y, double at) {
  for (std::size_t i = 1; i < x.size(); ++i)
    if (at <= x[i]) return y[i - 1] + (y[i] - y[i - 1]) * (at - x[i - 1]) / (x[i] - x[i - 1]);
  return std::nan("");
}

/// Σ k_i Δ_i of a model whose breakaway force is that of its elements [N]; NaN without elements.
double held_by_elements(const Friction& friction) {
  const List *thresholds = list_of(friction, "thresholds"), *stiffnesses = list_of(friction, "stiffnesses");
  if (!thresholds || !stiffnesses) return std::nan("");
  double sum = 0;
  for (std::size_t i = 0; i < thresholds->size(); ++i) sum += (*thresholds)[i] * (*stiffnesses)[i];
  return sum;
}

}  // namespace

ParameterValues reference_values(const ModelDescription& model) {
  ParameterValues values;
  for (const ParameterDescription& p : model.parameters) {
    const ParameterValue* usual = nullptr;
    for (const auto& [key, value] : usual_values())
      if (key == p.key) usual = &value;
    if (usual)
      values.emplace_back(p.key, adapted(model.name, p.key, *usual));
    else if (p.is_required() && p.kind == ParameterKind::number)
      values.emplace_back(p.key, middle(p));
  }
  return values;
}

double declared_level(const Friction& friction, double velocity) {
  const auto value = [&](std::string_view key) { return friction.parameter(key); };
  if (const double height = value("bristle_height");
      height > 0) {  // Drincic 2011 eq 26-29 at dθ/dt = 0; cos θ is 1 here
    const double turning = velocity / height / value("stribeck_rate");
    const double angle = value("coulomb_angle") + value("stribeck_angle") * std::exp(-turning * turning);
    return value("hinge_stiffness") * angle / height;
  }
  if (const double full = value("compensation_speed"); full > 0)
    return value("coulomb_force") * (1 - value("compensation") * std::min(velocity / full, 1.0)) +
           value("viscosity") * velocity;
  if (const auto* speeds = list_of(friction, "speeds"), *levels = list_of(friction, "levels"); speeds && levels)
    return along_points(*speeds, *levels, velocity);
  double stiction = value("stiction_force");
  if (std::isnan(stiction)) stiction = held_by_elements(friction);
  const double coulomb = value("coulomb_force"), film = value("film_velocity");
  if (film > 0)  // Tran 2014 eq 8: a film lowers breakaway
    stiction -= (stiction - coulomb) * std::pow(std::min(velocity / film, 1.0), 2.0 / 3);
  const double fading = std::exp(-std::pow(velocity / value("stribeck_velocity"), value("stribeck_exponent")));
  return coulomb + (stiction - coulomb) * fading + value("viscosity") * velocity;
}

}  // namespace stickslip::inline checks
