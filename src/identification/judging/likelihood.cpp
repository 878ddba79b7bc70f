/// How likely a recording is under a model; see likelihood.hpp.
#include "identification/judging/likelihood.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/error.hpp"
#include "identification/judging/fit_honesty.hpp"

namespace stickslip::inline identification {
namespace {

const Estimate* estimated(const IdentifiedModel& model, const std::string& key) {
  for (const Estimate& e : model.confidence.estimates)
    if (e.key == key) return &e;
  return nullptr;
}

/// The space in which exactly the estimated numbers are free.
SpaceOptions space_of(const IdentifiedModel& model) {
  if (!model.settings.variations.empty())
    throw Error(model.label + ": some of its parameters depend on a quantity; a likelihood needs constant parameters");
  SpaceOptions options;
  options.start = model.settings.values;
  options.per_direction = !model.settings.backward.empty();
  options.find_offset = estimated(model, "chain.offset") != nullptr;
  options.find_lag = estimated(model, "chain.lag") != nullptr;
  options.find_backlash = estimated(model, "chain.backlash") != nullptr;
  for (const auto& [key, value] : model.settings.values) {
    const auto* number = std::get_if<double>(&value);
    if (!number) continue;
    if (estimated(model, key))
      options.free_too.push_back(key);
    else
      options.fixed.emplace_back(key, *number);
  }
  return options;
}

}  // namespace

struct Likelihood::Parts {
  FitData data;
  ModelSpace space;
  ModelResiduals residuals;
  std::vector<FreeParameter> parameters;
  std::vector<std::size_t> exact, rough;  // unknowns with slopes, and without
  double noise = 0, correlation = 1;
  std::size_t samples = 0;

  Parts(const Sets& sets, const IdentifiedModel& model)
      : data(fit_data(sets)), space(find_model(model.model), data.scales, space_of(model)), residuals(space, data) {}

  /// Coordinates of values; false outside the bounds.
  bool place(std::span<const double> values, std::vector<double>& y) const {
    if (values.size() != parameters.size())
      throw Error("a likelihood of " + std::to_string(parameters.size()) + " parameters was given " +
                  std::to_string(values.size()));
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (!(values[k] >= parameters[k].low && values[k] <= parameters[k].high)) return false;
      y.push_back(space.unknowns()[k].coordinate(values[k]));
    }
    return true;
  }
  double log_likelihood(double cost) const {
    const double each = std::log(noise * std::sqrt(2 * std::numbers::pi));
    return -(static_cast<double>(samples) * each + cost / (2 * noise * noise)) / correlation;
  }
  /// ∂r/∂y of an unknown without exact slopes.
  bool difference(const std::vector<double>& y, std::size_t unknown, Eigen::VectorXd& column) const {
    constexpr double step = 1e-5;
    std::vector<double> moved = y;
    Eigen::VectorXd before;
    moved[unknown] = y[unknown] - step;
    if (!residuals(moved, before)) return false;
    moved[unknown] = y[unknown] + step;
    if (!residuals(moved, column)) return false;
    column = (column - before) / (2 * step);
    return true;
  }
};

Likelihood::Likelihood(const Sets& sets, const IdentifiedModel& model, const LikelihoodOptions& options)
    : parts_(std::make_unique<Parts>(sets, model)) {
  Parts& p = *parts_;
  std::vector<double> fitted;
  for (std::size_t k = 0; k < p.space.size(); ++k) {
    const Unknown& u = p.space.unknowns()[k];
    const Estimate* estimate = estimated(model, u.key);
    const double value = std::clamp(estimate ? estimate->value : u.guess, u.low, u.high);
    p.parameters.push_back({u.key, u.unit, value, u.low, u.high});
    fitted.push_back(u.coordinate(value));
    (p.residuals.has_slopes(k) ? p.exact : p.rough).push_back(k);
  }
  if (p.parameters.empty()) throw Error(model.label + ": it has no parameter that was estimated");
  Eigen::VectorXd r;
  if (!p.residuals(fitted, r)) throw Error(model.label + ": it yields no force for this recording");
  const Eigen::VectorXd errors = r.head(static_cast<Eigen::Index>(p.residuals.samples()));
  for (const double e : errors) p.samples += e != 0;  // a sample at rest, or left out, gives no equation
  const double free = std::max(1.0, static_cast<double>(p.samples) - static_cast<double>(p.parameters.size()));
  p.noise = options.noise > 0 ? options.noise : std::sqrt(errors.squaredNorm() / free);
  p.correlation = options.correlation > 0 ? options.correlation : correlation_time(errors);
  if (!(p.noise > 0)) throw Error(model.label + ": it reproduces the recording without error; state the noise");
}

Likelihood::~Likelihood() = default;

const std::vector<FreeParameter>& Likelihood::parameters() const { return parts_->parameters; }
double Likelihood::noise() const { return parts_->noise; }
double Likelihood::correlation() const { return parts_->correlation; }
std::size_t Likelihood::samples() const { return parts_->samples; }

double Likelihood::value(std::span<const double> parameters) const {
  std::vector<double> y;
  Eigen::VectorXd r;
  if (!parts_->place(parameters, y) || !parts_->residuals(y, r)) return -std::numeric_limits<double>::infinity();
  return parts_->log_likelihood(r.squaredNorm());
}

double Likelihood::value(std::span<const double> parameters, std::span<double> gradient) const {
  const Parts& p = *parts_;
  std::fill(gradient.begin(), gradient.end(), std::numeric_limits<double>::quiet_NaN());
  std::vector<double> y;
  Eigen::VectorXd r, column;
  Eigen::MatrixXd columns;
  constexpr double impossible = -std::numeric_limits<double>::infinity();
  if (!p.place(parameters, y) || !p.residuals(y, r)) return impossible;
  if (!p.exact.empty() && !p.residuals.slopes(y, p.exact, columns)) return impossible;
  const auto take = [&](std::size_t unknown, double product) {
    const double by_value = product / p.space.unknowns()[unknown].value_slope(y[unknown]);
    gradient[unknown] = -by_value / (p.correlation * p.noise * p.noise);
  };
  for (std::size_t j = 0; j < p.exact.size(); ++j) take(p.exact[j], r.dot(columns.col(static_cast<Eigen::Index>(j))));
  for (const std::size_t k : p.rough) {
    if (!p.difference(y, k, column)) return impossible;
    take(k, r.dot(column));
  }
  return p.log_likelihood(r.squaredNorm());
}

}  // namespace stickslip::inline identification
