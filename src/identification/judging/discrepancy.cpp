#include "identification/judging/discrepancy.hpp"

#include <cmath>
#include <map>

#include "core/text.hpp"
#include "core/units.hpp"

namespace stickslip {

namespace {

constexpr double is_more = 1.5;         // (1): errors are larger than the twin's from this ratio of squares on
constexpr double least_share = 0.02;    // (2)
constexpr double worth_a_remark = 0.5;  // of a standard error

}  // namespace

std::size_t recorded_octaves(const Sets& sets, const FitData& data, const Eigen::VectorXd& errors) {
  std::map<int, std::size_t> counts;
  std::size_t all = 0;
  Eigen::Index row = 0;
  for (std::size_t k = 0; k < data.pieces.size(); ++k) {
    const std::vector<double>& v = sets.pieces[k].data.velocity;
    for (const Stretch& s : data.pieces[k].estimation.stretches())
      for (std::size_t i = s.first; i < s.first + s.count; ++i, ++row) {
        if (row < errors.size() && errors[row] != 0 && i < v.size() && v[i] != 0) ++counts[std::ilogb(v[i])], ++all;
      }
  }
  std::size_t octaves = 0;
  for (const auto& [octave, count] : counts)
    octaves += static_cast<double>(count) >= least_share * static_cast<double>(all);
  return std::max<std::size_t>(octaves, 1);
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
  const auto octaves = static_cast<double>(recorded_octaves(sets, data, errors));
  lack.repeated = (square - twin.error_square) * std::max(1.0, bound / octaves);
  return lack;
}

std::string widen_by_discrepancy(Confidence& c, const ModelResiduals& residuals, const ModelFit& found,
                                 const Discrepancy& lack, const std::string& force_unit) {
  if (!(lack.repeated > 0)) return {};
  const Eigen::MatrixXd inverse = inverse_products(residuals, found);
  const auto n = static_cast<std::size_t>(inverse.rows());
  if (n == 0 || c.covariance.size() != n) return {};
  std::string most;
  double largest = 0;
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

}  // namespace stickslip
