#include "identification/laws/generalized_slip_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.hpp"
#include "identification/search/nelder_mead.hpp"

namespace stickslip::inline identification {

namespace {

constexpr std::size_t coarse_places = 14,
                      places = 24;  // of the grid of (5): for a first look at many shapes, and to descend
constexpr std::size_t beside = 2;   // columns v and 1

/// Stiffnesses and viscosity are not negative; the offset is free.
BoundedLeastSquares factors(std::size_t thresholds) {
  std::vector<double> low(thresholds + 1, 0.0), high(thresholds + beside, unbounded);
  low.push_back(-unbounded);
  return {low, high};
}

/// (2) of every threshold, exact while the speed is held.
class Elements {
 public:
  Elements(const GeneralizedSlipData& data, const SlipShape& shape, std::span<const double> thresholds)
      : thresholds_(thresholds), rate_(shape.rate), side_(number(data.start)) {
    level_.coulomb_force = shape.ratio, level_.stiction_force = 1;
    level_.stribeck_velocity = shape.stribeck_velocity, level_.stribeck_exponent = data.stribeck_exponent;
    level_.stribeck_form = data.stribeck_form;
    for (const double t : thresholds) deflection_.push_back(side_ * t);
    slips_.assign(thresholds.size(), 1);
  }
  /// Deflections Δ_i φ_i after a step of the contact.
  std::span<const double> step(double dx, double duration) {
    const double v = dx / duration;
    if (v != 0 && v * side_ < 0) side_ = -side_, std::fill(slips_.begin(), slips_.end(), char{0});
    const double s = level(level_, v), kept = std::exp(-rate_ * duration / s), travel = std::fabs(dx);
    for (std::size_t k = 0; k < deflection_.size(); ++k) {
      const double steady = side_ * s * thresholds_[k];
      double& d = deflection_[k];
      if (slips_[k]) {
        d = steady + (d - steady) * kept;
        continue;
      }
      const double room = std::max(side_ * (steady - d), 0.0);
      if (travel <= room) {
        d += dx;
        continue;
      }
      d += side_ * room;
      slips_[k] = 1;
      d = steady + (d - steady) * std::exp(-rate_ * duration * (1 - room / travel) / s);
    }
    return deflection_;
  }

 private:
  std::span<const double> thresholds_;
  Stribeck<double> level_;
  double rate_, side_;
  std::vector<double> deflection_;
  std::vector<char> slips_;
};

}  // namespace

Eigen::MatrixXd generalized_slip_products(const GeneralizedSlipData& data, const SlipShape& shape,
                                          std::span<const double> thresholds) {
  constexpr Eigen::Index rows = 256;
  const auto n = static_cast<Eigen::Index>(thresholds.size()), columns = n + static_cast<Eigen::Index>(beside) + 1;
  const auto& [time, position, force] = data.motion;
  Elements elements(data, shape, thresholds);
  Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(columns, columns), block(columns, rows);  // a sample is a column
  Eigen::Index filled = 0;
  for (std::size_t t = 1; t < position.size(); ++t) {
    const double dx = position[t] - position[t - 1], duration = time[t] - time[t - 1];
    const auto deflection = elements.step(dx, duration);
    if (t < data.past) continue;
    std::copy(deflection.begin(), deflection.end(), block.data() + filled * columns);
    block(n, filled) = dx / duration;
    block(n + 1, filled) = 1;
    block(n + 2, filled) = force[t];
    if (++filled < rows && t + 1 < position.size()) continue;
    sums.selfadjointView<Eigen::Lower>().rankUpdate(block.leftCols(filled));
    filled = 0;
  }
  sums.triangularView<Eigen::StrictlyUpper>() = sums.transpose();
  return sums;
}

namespace {

/// (5) at any shape: infinity outside what the samples can show.
class ShapeCost {
 public:
  ShapeCost(const GeneralizedSlipData& data, std::span<const double> thresholds)
      : data_(data), thresholds_(thresholds), inner_(factors(thresholds.size())), theta_(inner_.size()) {
    const auto& time = data.motion.time;
    duration_ = time.back() - time.front();
    quickest_ = 3 * static_cast<double>(time.size() - 1) / duration_;
  }
  /// The relaxation that ends within a sample [1/s].
  double quickest() const { return quickest_; }
  double operator()(const SlipShape& s) {
    const bool is_seen = s.ratio > 0.01 && s.ratio <= 1 && s.rate > 1 / duration_ && s.rate < 10 * quickest_ &&
                         s.stribeck_velocity > 0.1 * data_.slowest && s.stribeck_velocity < 10 * data_.fastest;
    return is_seen ? inner_.solve(generalized_slip_products(data_, s, thresholds_), theta_) : unbounded;
  }
  /// Factors of the last cost: stiffnesses, viscosity, offset.
  const Eigen::VectorXd& factors_found() const { return theta_; }

 private:
  const GeneralizedSlipData& data_;
  std::span<const double> thresholds_;
  BoundedLeastSquares inner_;
  Eigen::VectorXd theta_;
  double duration_, quickest_;
};

/// Downhill from a shape.
SlipShape followed(ShapeCost& cost, const SlipShape& from, bool is_speed_known, const NelderMeadOptions& options,
                   double& least) {
  const auto shape_at = [&](std::span<const double> at) {
    return SlipShape{std::exp(at[0]), is_speed_known ? from.stribeck_velocity : std::exp(at[2]), std::exp(at[1])};
  };
  std::vector<double> start{std::log(from.ratio), std::log(from.rate)};
  if (!is_speed_known) start.push_back(std::log(from.stribeck_velocity));
  const auto found = nelder_mead([&](std::span<const double> at) { return cost(shape_at(at)); }, start, options);
  least = found.cost;
  return shape_at(found.at);
}

std::vector<double> grid_of(const MaxwellBounds& bounds, std::size_t count) {
  std::vector<double> grid(count);
  for (std::size_t k = 0; k < count; ++k)
    grid[k] = bounds.lowest *
              std::pow(bounds.highest / bounds.lowest, static_cast<double>(k) / static_cast<double>(count - 1));
  return grid;
}

/// (6): the least cost over all shapes.
SlipShape best_shape(const GeneralizedSlipData& data, double& least) {
  const std::vector<double> coarse = grid_of(data.bounds, coarse_places), fine = grid_of(data.bounds, places);
  ShapeCost cost(data, coarse), fine_cost(data, fine);
  std::vector<double> speeds;
  if (data.stribeck_velocity) {
    speeds = {*data.stribeck_velocity};
  } else {
    const double decades = std::log10(data.fastest / data.slowest);
    const auto count = static_cast<std::size_t>(std::clamp(std::ceil(2 * decades), 2.0, 5.0));
    for (std::size_t i = 0; i < count; ++i)
      speeds.push_back(data.slowest * std::pow(data.fastest / data.slowest,
                                               (static_cast<double>(i) + 0.5) / static_cast<double>(count)));
  }
  SlipShape best;
  least = unbounded;
  for (const double rate : {1.0, 0.1, 0.01, 0.001})
    for (const double ratio : {0.9, 0.6, 0.35})
      for (const double speed : speeds) {
        const SlipShape s{ratio, speed, rate * cost.quickest()};
        if (const double found = cost(s); found < least) least = found, best = s;
      }
  if (!std::isfinite(least)) throw Error("generalized Maxwell slip: no level and lag suit these data");
  return followed(fine_cost, best, data.stribeck_velocity.has_value(),
                  {.first_step = 0.3, .least_spread = 1e-4, .least_gain = 1e-2, .most_evaluations = 80}, least);
}

TableOf table_at(const GeneralizedSlipData& data, const SlipShape& shape, std::size_t elements) {
  return [&data, &shape, elements, inner = factors(elements)](std::vector<double> thresholds) {
    Eigen::MatrixXd products = generalized_slip_products(data, shape, thresholds);
    return ThresholdTable(std::move(thresholds), std::move(products), elements, inner);
  };
}

/// The factors of these thresholds and this shape.
void solve(const GeneralizedSlipData& data, GeneralizedSlipFit& fit) {
  std::sort(fit.thresholds.begin(), fit.thresholds.end());
  ShapeCost cost(data, fit.thresholds);
  fit.cost = cost(fit.shape);
  const Eigen::VectorXd& theta = cost.factors_found();
  const auto n = static_cast<Eigen::Index>(fit.thresholds.size());
  fit.stiffnesses.assign(theta.data(), theta.data() + n);
  fit.viscosity = theta[n], fit.offset = theta[n + 1];
}

}  // namespace

GeneralizedSlipFit fit_generalized_slip(const GeneralizedSlipData& data, std::size_t elements, std::uint64_t seed) {
  require_usable(data.motion, data.past + elements + 8);
  GeneralizedSlipFit out;
  out.shape = best_shape(data, out.dictionary_cost);
  const DictionaryOptions options{
      .grid = 48, .random_starts = 4, .followed = 1, .narrow_grid = 6, .kicks = 0, .last_width = 2e-3, .seed = seed};
  out.thresholds = search_thresholds(table_at(data, out.shape, elements), data.bounds, elements, options);
  ShapeCost cost(data, out.thresholds);
  out.shape =
      followed(cost, out.shape, data.stribeck_velocity.has_value(),
               {.first_step = 0.05, .least_spread = 1e-4, .least_gain = 1e-2, .most_evaluations = 80}, out.cost);
  solve(data, out);
  return out;
}

void close_in_on(const GeneralizedSlipData& data, GeneralizedSlipFit& fit, std::uint64_t seed) {
  constexpr std::uint64_t rounds = 6;
  constexpr double worth_it = 1e-4;  // of the cost
  double before = unbounded;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    double least = close_in_on(table_at(data, fit.shape, fit.thresholds.size()), data.bounds, fit.thresholds,
                               {.narrow_grid = 6, .kicks = 4, .last_width = 5e-5, .seed = seed + round});
    std::sort(fit.thresholds.begin(), fit.thresholds.end());
    ShapeCost cost(data, fit.thresholds);
    fit.shape =
        followed(cost, fit.shape, data.stribeck_velocity.has_value(),
                 {.first_step = 0.01, .least_spread = 1e-6, .least_gain = 1e-4, .most_evaluations = 120}, least);
    if (!(least < before * (1 - worth_it))) break;
    before = least;
  }
  solve(data, fit);
}

}  // namespace stickslip::inline identification
