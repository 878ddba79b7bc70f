/// How a number varies from one unit to the next; see spread.hpp.
#include "fitting/spread.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/normal_equations.hpp"
#include "identification/judging/confidence.hpp"
#include "identification/judging/fit_honesty.hpp"

namespace stickslip::inline fitting {
namespace {

/// P(a, x), the regularised lower incomplete gamma function, by its series.
double lower_gamma(double a, double x) {
  double term = 1 / a, sum = term;
  for (double n = 1; term > 1e-17 * sum; ++n) term *= x / (a + n), sum += term;
  return sum * std::exp(a * std::log(x) - x - std::lgamma(a));
}

/// The units' own spread and its interval, (3).
void set_own(Spread& s) {
  const auto beyond = [&](double deviation) {
    return std::sqrt(std::max(0.0, deviation * deviation - s.expected * s.expected));
  };
  s.own = beyond(s.deviation), s.own_low = beyond(s.low), s.own_high = beyond(s.high);
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
  s.count = values.size();
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
  set_own(s);
  return s;
}

Spread spread_of(const std::string& key, const std::string& unit, const std::vector<Estimate>& values,
                 const Covariance& errors) {
  Spread s = spread_of(key, unit, values);
  const auto n = static_cast<Eigen::Index>(values.size());
  const bool is_known = std::all_of(values.begin(), values.end(), [](const Estimate& e) {
    return e.standard_error > 0 && std::isfinite(e.standard_error) && e.verdict != Determination::at_bound &&
           e.verdict != Determination::not_separable;
  });
  if (n < 2 || !is_known) {
    s.expected = std::nan("");
    return s.own = s.own_low = s.own_high = std::nan(""), s;
  }
  const Eigen::MatrixXd about =
      Eigen::MatrixXd::Identity(n, n) - Eigen::MatrixXd::Constant(n, n, 1 / static_cast<double>(n));
  const Eigen::MatrixXd of_deviations = about * matrix_of(errors) * about;
  Eigen::VectorXd d(n);
  for (Eigen::Index i = 0; i < n; ++i) d[i] = values[static_cast<std::size_t>(i)].value - s.mean;
  s.expected = std::sqrt(std::max(0.0, of_deviations.trace() / static_cast<double>(n - 1)));
  // The mean direction has no variance and no deviation: with a variance of its own the inverse exists.
  const Eigen::MatrixXd whole = of_deviations + Eigen::MatrixXd::Constant(n, n, s.expected * s.expected);
  s.chance = chi_squared_beyond(d.dot(pseudo_inverse(whole) * d), static_cast<double>(n - 1));
  set_own(s);
  return s;
}

double Spread::further() const {
  if (count < 2) return HUGE_VAL;
  const auto n = static_cast<double>(count);
  return student_quantile(0.975, n - 1) * deviation * std::sqrt(1 + 1 / n);
}

double student_quantile(double share, double freedom) {
  // t = √ν tan θ: the density is cos^(ν−1) θ over its integral from −π/2 to π/2.
  const auto integral = [&](double to) {  // Simpson
    constexpr int steps = 2000;
    double sum = 0;
    for (int i = 0; i <= steps; ++i) {
      const double cosine = std::max(0.0, std::cos(to * i / steps));
      sum += (i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2) * std::pow(cosine, freedom - 1);
    }
    return sum * to / (3 * steps);
  };
  const double quarter = 0.5 * std::numbers::pi, wanted = (2 * share - 1) * integral(quarter);
  double low = 0, high = quarter;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (integral(middle) < wanted ? low : high) = middle;
  }
  return std::sqrt(freedom) * std::tan(0.5 * (low + high));
}

}  // namespace stickslip::inline fitting
