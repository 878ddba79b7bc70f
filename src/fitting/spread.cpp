/// How a number varies from one unit to the next; see spread.hpp.
#include "fitting/spread.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip::inline fitting {
namespace {

/// P(a, x), the regularised lower incomplete gamma function, by its series.
double lower_gamma(double a, double x) {
  double term = 1 / a, sum = term;
  for (double n = 1; term > 1e-17 * sum; ++n) term *= x / (a + n), sum += term;
  return sum * std::exp(a * std::log(x) - x - std::lgamma(a));
}

}  // namespace

double chi_square_quantile(double share, double freedom) {
  double low = 0, high = 1;
  while (lower_gamma(0.5 * freedom, 0.5 * high) < share) high *= 2;
  for (int i = 0; i < 1100; ++i) {  // nothing here is called often
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    (lower_gamma(0.5 * freedom, 0.5 * middle) < share ? low : high) = middle;
  }
  return 0.5 * (low + high);
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
  s.high = std::sqrt(square / chi_square_quantile(0.025, n - 1));
  s.own = std::sqrt(std::max(0.0, s.deviation * s.deviation - errors));
  return s;
}

}  // namespace stickslip::inline fitting
