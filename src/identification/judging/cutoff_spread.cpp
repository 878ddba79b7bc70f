#include "identification/judging/cutoff_spread.hpp"

#include <cmath>

#include "core/text.hpp"
#include "identification/judging/fit_honesty.hpp"

namespace stickslip::inline identification {

namespace {

constexpr double factors[] = {1 / 1.5, 1.5};

/// All pieces with another low-pass, or nothing.
std::optional<Sets> with_factor(const Sets& sets, double factor) {
  Sets other = sets;
  for (Piece& piece : other.pieces) {
    auto data = with_cutoff(piece.data, factor * piece.data.used.cutoff_hz);
    if (!data) return {};
    piece.data = std::move(*data);
  }
  return other;
}

double variance_of(const std::vector<CutoffShift>& shifts, std::size_t i) {
  double sum = 0;
  for (const CutoffShift& s : shifts) sum += std::pow(s.parameters[static_cast<Eigen::Index>(i)], 2);
  return sum;
}

}  // namespace

std::vector<CutoffShift> cutoff_shifts(const Sets& sets, const ModelSpace& space, const ModelFit& found,
                                       const Confidence& confidence, const FitData& base) {
  std::vector<CutoffShift> shifts;
  const bool sticks = ModelResiduals(space, base).truly_sticks();
  for (const double factor : factors) {
    if (sticks && factor < 1) continue;  // its longer transients would reach beyond what is left out
    const auto other = with_factor(sets, factor);
    if (!other) continue;
    FitData data = fit_data(*other);
    if (sticks)
      for (std::size_t k = 0; k < data.pieces.size(); ++k) data.pieces[k].blurred = base.pieces[k].blurred;
    const ModelResiduals residuals(space, data);
    const ModelFit again = follow(residuals, found.y);
    if (!std::isfinite(again.cost)) continue;
    const Confidence there = fit_confidence(residuals, again);
    CutoffShift shift{factor, Eigen::VectorXd(static_cast<Eigen::Index>(there.estimates.size()))};
    for (std::size_t i = 0; i < there.estimates.size(); ++i)
      shift.parameters[static_cast<Eigen::Index>(i)] = there.estimates[i].value - confidence.estimates[i].value;
    shifts.push_back(std::move(shift));
  }
  return shifts;
}

void widen_covariance(Confidence& c, const std::vector<CutoffShift>& shifts) {
  for (const CutoffShift& s : shifts) {
    Eigen::VectorXd d = s.parameters;
    for (std::size_t i = 0; i < c.estimates.size(); ++i)
      if (c.estimates[i].verdict == Determination::at_bound) d[static_cast<Eigen::Index>(i)] = 0;
    c.covariance = covariance_of(matrix_of(c.covariance) + d * d.transpose());
  }
  if (!shifts.empty()) judge(c);
}

void widen_intervals(Confidence& bootstrap, const std::vector<CutoffShift>& shifts) {
  for (std::size_t i = 0; i < bootstrap.estimates.size(); ++i) {
    Estimate& e = bootstrap.estimates[i];
    const double variance = variance_of(shifts, i), reach = 1.96 * std::sqrt(variance);
    e.low = e.value - std::hypot(e.value - e.low, reach);
    e.high = e.value + std::hypot(e.high - e.value, reach);
    e.standard_error = std::sqrt(e.standard_error * e.standard_error + variance);
  }
}

std::string cutoff_remark(const Confidence& before, const std::vector<CutoffShift>& shifts) {
  std::string most;
  double largest = 0;
  for (std::size_t i = 0; i < before.estimates.size(); ++i) {
    const Estimate& e = before.estimates[i];
    if (!(e.standard_error > 0) || !std::isfinite(e.standard_error)) continue;
    const double ratio = std::sqrt(variance_of(shifts, i)) / e.standard_error;
    if (ratio > largest) largest = ratio, most = e.key;
  }
  if (largest < 0.1) return {};
  if (most.starts_with("chain.")) most.erase(0, 6);
  const bool both = shifts.size() > 1;
  return std::string("the cutoff of the position's low-pass filter is a choice: changing it by +50 % ") +
         (both ? "or -33 % shifts " : "shifts ") + most + " by " + significant(largest, 2) +
         " of its standard errors; the intervals include this";
}

}  // namespace stickslip::inline identification
