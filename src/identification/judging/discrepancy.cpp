#include "identification/judging/discrepancy.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/text.hpp"
#include "core/units.hpp"

namespace stickslip::inline identification {

namespace {

constexpr double is_more = 1.5;         // (1): errors are larger than the twin's from this ratio of squares on
constexpr double least_share = 0.02;    // of the samples, a cell
constexpr double fewest_free = 2;       // cells more than parameters, (2)
constexpr double worth_a_remark = 0.5;  // of a standard error

/// Errors of one cell of the state.
struct Cell {
  double count = 0, sum = 0;
  void add(double error) { count += 1, sum += error; }
};
using Cells = std::map<int, Cell>;

/// Position, speed, error and travel since the last reversal of the moving estimation samples to which a model is fitted.
template <class Take>
void for_each_bound(const Sets& sets, const FitData& data, const Eigen::VectorXd& errors, const Take& take) {
  Eigen::Index row = 0;
  for (std::size_t k = 0; k < data.pieces.size(); ++k) {
    const std::vector<double>&x = sets.pieces[k].data.position, &v = sets.pieces[k].data.velocity;
    for (const Stretch& s : data.pieces[k].estimation.stretches()) {
      double turned_at = s.first < x.size() ? x[s.first] : 0;
      for (std::size_t i = s.first; i < s.first + s.count; ++i, ++row) {
        const double at = i < x.size() ? x[i] : 0;
        if (i > s.first && i < v.size() && (v[i] > 0) != (v[i - 1] > 0)) turned_at = at;
        if (row < errors.size() && errors[row] != 0 && i < v.size() && v[i] != 0)
          take(at, v[i], errors[row], std::fabs(at - turned_at));
      }
    }
  }
}

/// Cells with almost no samples do not count.
void drop_small(Cells& cells) {
  double all = 0;
  for (const auto& [key, cell] : cells) all += cell.count;
  std::erase_if(cells, [&](const auto& cell) { return cell.second.count < least_share * all; });
}

/// (2) of these cells; 0 where they are too few.
double between(Cells cells, std::size_t parameters) {
  drop_small(cells);
  double sum = 0;
  for (const auto& [key, cell] : cells) sum += cell.sum * cell.sum / cell.count;
  const auto free = static_cast<double>(cells.size()) - static_cast<double>(parameters);
  return free >= fewest_free ? sum / free : 0;
}

/// (2); for a law with memory also over the travel since the last reversal.
double between_cells(const Sets& sets, const FitData& data, const Eigen::VectorXd& errors, std::size_t parameters,
                     bool has_memory) {
  constexpr int parts = 12, other_direction = 1 << 20;
  double low = unbounded, high = -unbounded;
  for_each_bound(sets, data, errors,
                 [&](double x, double, double, double) { low = std::min(low, x), high = std::max(high, x); });
  Cells speeds, places, ways;
  for_each_bound(sets, data, errors, [&](double x, double v, double e, double way) {
    const int direction = v > 0 ? 0 : other_direction;
    speeds[direction + std::ilogb(v)].add(e);
    if (high > low) places[direction + std::min(parts - 1, static_cast<int>(parts * (x - low) / (high - low)))].add(e);
    if (has_memory && way > 0) ways[direction + std::ilogb(way)].add(e);
  });
  return std::max({between(std::move(speeds), parameters), between(std::move(places), parameters),
                   between(std::move(ways), parameters)});
}

}  // namespace

std::size_t recorded_octaves(const Sets& sets, const FitData& data, const Eigen::VectorXd& errors) {
  Cells octaves;
  for_each_bound(sets, data, errors, [&](double, double v, double e, double) { octaves[std::ilogb(v)].add(e); });
  drop_small(octaves);
  return std::max<std::size_t>(octaves.size(), 1);
}

Discrepancy discrepancy(const Sets& sets, const ModelResiduals& residuals, const FitData& data, const ModelFit& found,
                        const TwinErrors& twin) {
  if (static_cast<std::size_t>(found.residuals.size()) < residuals.samples()) return {};
  const Eigen::VectorXd errors = found.residuals.head(static_cast<Eigen::Index>(residuals.samples()));
  const double square = mean_square(errors);
  Discrepancy lack{.error = std::sqrt(square), .expected = std::sqrt(twin.error_square)};
  if (!(twin.error_square > 0) || !(square > is_more * twin.error_square)) return lack;
  double bound = 0;
  for (const double e : errors) bound += e != 0;
  lack.repeated = between_cells(sets, data, errors, residuals.space().size(), !residuals.truly_sticks());
  if (lack.repeated > 0) return lack;
  const auto octaves = static_cast<double>(recorded_octaves(sets, data, errors));
  lack.repeated = (square - twin.error_square) * std::max(1.0, bound / octaves);
  return lack;
}

std::string widen_by_discrepancy(Confidence& c, const ModelResiduals& residuals, const ModelFit& found,
                                 const Discrepancy& lack, const std::string& force_unit) {
  if (!(lack.repeated > 0)) return {};
  Eigen::MatrixXd inverse = inverse_products(residuals, found);
  const auto n = static_cast<std::size_t>(inverse.rows());
  if (n == 0 || c.covariance.size() != n) return {};
  std::string most;
  double largest = 0;
  // Of the residuals only those of samples have such errors: (AᵀA + P)⁻¹ AᵀA (AᵀA + P)⁻¹ beside priors.
  if (!residuals.priors().empty()) {
    Eigen::VectorXd weights = Eigen::VectorXd::Zero(inverse.rows());
    for (const std::size_t k : residuals.priors())
      weights[static_cast<Eigen::Index>(k)] = std::pow(residuals.space().unknowns()[k].prior_weight(), 2);
    inverse -= (inverse * weights.asDiagonal() * inverse).eval();
  }
  Eigen::MatrixXd added = lack.repeated * inverse;
  for (std::size_t i = 0; i < n; ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    const Estimate& e = c.estimates[i];
    if (e.verdict == Determination::at_bound) added.row(k).setZero(), added.col(k).setZero();
    if (!(e.standard_error > 0) || !std::isfinite(e.standard_error)) continue;
    if (const double ratio = std::sqrt(std::max(0.0, added(k, k))) / e.standard_error; ratio > largest)
      largest = ratio, most = e.key;
  }
  if (!added.allFinite()) return {};
  c.covariance = covariance_of(matrix_of(c.covariance) + added);
  judge(c);
  if (largest < worth_a_remark) return {};
  if (most.starts_with("chain.")) most.erase(0, 6);
  return "the fit leaves " + with_unit(lack.error, force_unit, 2) + " rms, " +
         significant(lack.error / lack.expected, 2) +
         " times what a simulated machine with this law and these sensors leaves: something acts that the law does not "
         "contain, or the fit is not the best one. It may shift " +
         most + " by " + significant(largest, 2) + " of its standard errors; the intervals include this";
}

}  // namespace stickslip::inline identification
