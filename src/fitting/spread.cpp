/// How a number varies from one unit to the next; see spread.hpp.
#include "fitting/spread.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip::inline fitting {
namespace {

/// The normal number below which the share lies; bisection, since nothing here is called often.
double normal_quantile(double share) {
  double low = -10, high = 10;
  for (int i = 0; i < 80; ++i) {
    const double middle = 0.5 * (low + high);
    (0.5 * std::erfc(-middle / std::sqrt(2.0)) < share ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

double chi_square_quantile(double share, double freedom) {
  const double f = 2 / (9 * freedom), root = 1 - f + normal_quantile(share) * std::sqrt(f);
  return freedom * std::pow(std::max(root, 0.0), 3);
}

Spread spread_of(const std::string& key, const std::string& unit, const std::vector<Estimate>& values) {
  Spread s{.key = key, .unit = unit};
  const auto n = static_cast<double>(values.size());
  if (values.empty()) return s;
  double errors = 0;
  for (const Estimate& e : values) s.mean += e.value / n, errors += e.standard_error * e.standard_error / n;
  s.expected = std::sqrt(errors);
  if (values.size() < 2) return s;
  double square = 0;
  for (const Estimate& e : values) square += (e.value - s.mean) * (e.value - s.mean);
  s.deviation = std::sqrt(square / (n - 1));
  s.low = std::sqrt(square / chi_square_quantile(0.975, n - 1));
  const double least = chi_square_quantile(0.025, n - 1);
  s.high = least > 0 ? std::sqrt(square / least) : HUGE_VAL;
  s.own = std::sqrt(std::max(0.0, s.deviation * s.deviation - errors));
  return s;
}

}  // namespace stickslip::inline fitting
