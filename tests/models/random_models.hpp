/// Random parameter sets from a model's own table, and random motions: what the property tests run over.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "machines/friction/friction.hpp"

namespace stickslip::random_models {

using Random = std::mt19937_64;

inline double uniform(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}
inline double logarithmic(Random& random, double low, double high) {
  return std::exp(uniform(random, std::log(low), std::log(high)));
}
inline double draw_number(Random& random, const ParameterDescription& p) {
  return p.scale == Scale::logarithmic ? logarithmic(random, p.low, p.high) : uniform(random, p.low, p.high);
}

inline ParameterValue* find(ParameterValues& values, std::string_view key) {
  for (auto& [k, value] : values)
    if (k == key) return &value;
  return nullptr;
}
inline double number_of(const ParameterValues& values, std::string_view key, double otherwise = 0) {
  for (const auto& [k, value] : values)
    if (k == key) return std::get<double>(value);
  return otherwise;
}
inline const std::vector<double>* list_of(const ParameterValues& values, std::string_view key) {
  for (const auto& [k, value] : values)
    if (k == key) return &std::get<std::vector<double>>(value);
  return nullptr;
}
/// The same values with one number replaced; a model without that parameter keeps what it has.
inline ParameterValues with(ParameterValues values, std::string_view key, double number) {
  if (auto* value = find(values, key)) *value = number;
  return values;
}
inline double sum_of_products(const ParameterValues& values, std::string_view a, std::string_view b) {
  const auto *x = list_of(values, a), *y = list_of(values, b);
  double sum = 0;
  for (std::size_t i = 0; x && y && i < x->size(); ++i) sum += (*x)[i] * (*y)[i];
  return sum;
}
inline double highest_level(const ParameterValues& values) {
  return std::max(number_of(values, "coulomb_force"), number_of(values, "stiction_force"));
}

/// Draws that no search range can express: relations between parameters.
inline void relate(Random& random, const std::string& model, ParameterValues& values) {
  if (auto* count = find(values, "bristle_count")) *count = std::round(std::get<double>(*count));
  if (find(values, "shares")) {
    auto& shares = std::get<std::vector<double>>(*find(values, "shares"));
    double sum = 0;
    for (double s : shares) sum += s;
    for (double& s : shares) s /= sum;
  }
  if (find(values, "speeds")) {  // a table from rest on
    auto& speeds = std::get<std::vector<double>>(*find(values, "speeds"));
    std::sort(speeds.begin(), speeds.end());
    speeds.front() = 0;
  }
  if (auto* difference = find(values, "coefficient_difference"))
    *difference = uniform(random, -1, 1) * number_of(values, "friction_coefficient");
  if (auto* load = find(values, "transmitted_load")) *load = uniform(random, -100, 100);
  if (model == "elastoplastic")
    *find(values, "elastic_limit") = uniform(random, 0, 0.99) *
                                     std::min(number_of(values, "coulomb_force"), number_of(values, "stiction_force")) /
                                     number_of(values, "bristle_stiffness");
  if (model == "leuven") {
    const double factor =
        uniform(random, 1.01, 3) * highest_level(values) / sum_of_products(values, "thresholds", "stiffnesses");
    for (double& k : std::get<std::vector<double>>(*find(values, "stiffnesses"))) k *= factor;
  }
}

/// A set inside the search ranges that the model does not refuse.
inline ParameterValues draw(Random& random, const RegisteredModel& model) {
  const auto& d = model.description();
  for (int attempt = 0; attempt < 1000; ++attempt) {
    ParameterValues values;
    const auto entries = std::uniform_int_distribution<std::size_t>(1, 4)(random);
    for (const auto& p : d.parameters) {
      if (p.kind == ParameterKind::choice) {
        values.emplace_back(p.key, p.choices[random() % p.choices.size()]);
      } else if (p.kind == ParameterKind::number) {
        values.emplace_back(p.key, p.domain == Domain::real ? 0.0 : draw_number(random, p));  // no offset
      } else if (p.is_required()) {
        std::vector<double> list(entries);
        for (double& x : list) x = draw_number(random, p);
        values.emplace_back(p.key, list);
      }
    }
    relate(random, d.name, values);
    try {
      model.make({values, {}, {}});
      return values;
    } catch (const Error&) {
    }
  }
  throw Error("no acceptable set of parameters found for " + d.name);
}

/// From rest at zero through random ways, from far below to far above any presliding, with pauses.
inline PrescribedMotion random_motion(Random& random, std::size_t samples = 8) {
  PrescribedMotion motion{{0}, {0}, {}, {}};
  double direction = random() % 2 == 0 ? 1 : -1, size = logarithmic(random, 1e-8, 1e-2);
  for (std::size_t i = 1; i < samples; ++i) {
    const auto choice = random() % 8;
    if (choice < 3) direction = -direction;
    if (choice == 3) size = logarithmic(random, 1e-8, 1e-2);
    motion.time.push_back(motion.time.back() + logarithmic(random, 1e-3, 1e-1));
    motion.position.push_back(motion.position.back() + (choice == 4 ? 0 : direction * size * uniform(random, 0.1, 1)));
  }
  return motion;
}

}  // namespace stickslip::random_models
