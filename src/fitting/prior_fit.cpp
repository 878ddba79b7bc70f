/// Least squares with priors and a robust loss; see prior_fit.hpp.
#include "fitting/prior_fit.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"

namespace stickslip::inline fitting {
namespace {

constexpr double rough_gain = 1e-3;       // relative fall at which slopes that are carried along have done their work
constexpr double settled_promise = 1e-5;  // of the cost: a small part of a standard error of any number
constexpr int most_rounds = 3;            // the weight of the priors follows the errors that are left

/// Eq. (1) for given weights.
class Weighed {
 public:
  Weighed(const PriorProblem& problem, double corner, std::vector<double> weights)
      : problem_(problem), bent_{corner}, weights_(std::move(weights)) {}

  LeastSquaresFit fit(const std::vector<FreeNumber>& numbers) const {
    const std::size_t rows = problem_.rows + problem_.priors.size();
    const auto residuals = [this](std::span<const double> x, std::span<double> r) {
      if (!problem_.residuals(x, r.first(problem_.rows))) return false;
      if (bent_.corner > 0)
        for (std::size_t i = 0; i < problem_.rows; ++i) r[i] = bent_.residual(r[i]);
      for (std::size_t k = 0; k < problem_.priors.size(); ++k) {
        const Prior& p = problem_.priors[k];
        r[problem_.rows + k] = weights_[k] * (x[p.number] - p.value);
      }
      return true;
    };
    LevenbergMarquardtOptions search = problem_.search;
    search.slopes = bent_slopes(problem_.search.slopes);
    if (problem_.last_slopes) search.least_gain = std::max(search.least_gain, rough_gain);
    LeastSquaresFit found = levenberg_marquardt(numbers, rows, residuals, search);
    if (!problem_.last_slopes || found.end == FitEnd::no_residuals) return found;
    // The end, and the slopes there, with slopes that were not carried along.
    std::vector<FreeNumber> from = numbers;
    for (std::size_t i = 0; i < from.size(); ++i) from[i].size = size_of(numbers[i]), from[i].start = found.x[i];
    search.slopes = bent_slopes(problem_.last_slopes);
    search.least_gain = problem_.search.least_gain;
    search.least_promise = std::max(search.least_promise, settled_promise);
    search.most_steps = std::max(1, search.most_steps - found.steps);
    search.last_slopes = true;
    const FitEnd end = found.end;
    const int steps = found.steps;
    const std::size_t evaluations = found.evaluations;
    found = levenberg_marquardt(from, rows, residuals, search);
    found.steps += steps, found.evaluations += evaluations;
    if (end == FitEnd::cancelled) found.end = end;
    return found;
  }

  /// The residuals and slopes of the problem itself.
  LeastSquaresFit plain(LeastSquaresFit found) const {
    const auto rows = static_cast<Eigen::Index>(problem_.rows);
    Eigen::VectorXd r = found.residuals.head(rows);
    Eigen::MatrixXd slopes = found.slopes.topRows(rows);
    if (bent_.corner > 0)
      for (Eigen::Index i = 0; i < rows; ++i) {
        const double raw = unbent(r[i]);
        slopes.row(i) /= bent_.slope(raw);
        r[i] = raw;
      }
    found.residuals = std::move(r);
    found.slopes = std::move(slopes);
    found.cost = found.residuals.squaredNorm();
    return found;
  }

 private:
  static double size_of(const FreeNumber& f) { return f.size > 0 ? f.size : f.start != 0 ? std::fabs(f.start) : 1; }

  /// Slopes of eq. (1) from those of the problem.
  ExactSlopes bent_slopes(const ExactSlopes& slopes) const {
    if (!slopes) return {};
    return [this, &slopes](std::span<const double> x, Eigen::MatrixXd& all, std::vector<char>& known) {
      slopes(x, all, known);
      if (std::find(known.begin(), known.end(), 1) == known.end()) return;
      if (bent_.corner > 0) {
        std::vector<double> r(problem_.rows);
        if (!problem_.residuals(x, r)) return;
        for (std::size_t i = 0; i < r.size(); ++i) all.row(static_cast<Eigen::Index>(i)) *= bent_.slope(r[i]);
      }
      for (std::size_t k = 0; k < problem_.priors.size(); ++k) {
        const auto row = static_cast<Eigen::Index>(problem_.rows + k);
        all.row(row).setZero();
        all(row, static_cast<Eigen::Index>(problem_.priors[k].number)) = weights_[k];
      }
    };
  }

  /// r from g: g² = 2δ(√(r²+δ²) − δ).
  double unbent(double g) const {
    const double s = g * g / (2 * bent_.corner);
    return std::copysign(std::sqrt(s * (s + 2 * bent_.corner)), g);
  }

  const PriorProblem& problem_;
  Bent bent_;
  std::vector<double> weights_;
};

/// H, S and the cost whose share per row is E ψ²/E ψ′, all without priors.
Sensitivity sensitivity_of(const PriorProblem& problem, const LeastSquaresFit& plain, double corner) {
  const Bent bent{corner};
  Sensitivity s;
  for (std::size_t i = 0; i < problem.numbers.size(); ++i) {
    const FreeNumber& f = problem.numbers[i];
    s.keys.push_back(f.key);
    s.values.push_back(plain.x[i]);
    s.at_bound.push_back(plain.x[i] <= f.low || plain.x[i] >= f.high);
  }
  const Eigen::Index rows = plain.residuals.size(), n = plain.slopes.cols();
  Eigen::VectorXd pull(rows), stiffness(rows);
  for (Eigen::Index i = 0; i < rows; ++i)
    pull[i] = bent.pull(plain.residuals[i]), stiffness[i] = bent.stiffness(plain.residuals[i]);
  s.products = plain.slopes.transpose() * stiffness.asDiagonal() * plain.slopes;
  const double mean_stiffness = rows > 0 ? stiffness.mean() : 1;
  s.cost = pull.squaredNorm() / std::max(mean_stiffness, 1e-300);
  s.rows = static_cast<std::size_t>(rows);
  const auto stretches = static_cast<Eigen::Index>(problem.stretches);
  if (problem.stretches <= problem.numbers.size()) return s;
  Eigen::MatrixXd parts(n, stretches);
  for (Eigen::Index b = 0; b < stretches; ++b) {
    const Eigen::Index first = rows * b / stretches, count = rows * (b + 1) / stretches - first;
    parts.col(b) = plain.slopes.middleRows(first, count).transpose() * pull.segment(first, count);
  }
  // Without priors they add up to nothing; what a prior pulls is no error of the log.
  if (!problem.priors.empty()) {
    const Eigen::VectorXd mean = parts.rowwise().mean();
    parts.colwise() -= mean;
  }
  s.scores = parts * parts.transpose();
  return s;
}

/// κ of eq. (1): how much more the sums over stretches vary than those of white errors would, in the mean over numbers.
double slowness(const Sensitivity& s, double variance) {
  if (s.scores.size() == 0 || !(variance > 0)) return 1;
  double sum = 0, count = 0;
  for (Eigen::Index i = 0; i < s.products.rows(); ++i)
    if (s.products(i, i) > 0) sum += s.scores(i, i) / (variance * s.products(i, i)), ++count;
  return count > 0 ? std::max(1.0, sum / count) : 1;
}

}  // namespace

ValueAndError parse_value_and_error(std::string_view text, std::string_view unit, const std::string& what) {
  const std::string_view ascii = "+-", plus_minus = "\u00b1";
  const auto fail = [&]() -> Error {
    return Error(what + " is " + in_quotes(std::string(text)) + "; write value and standard deviation, '20 +- 1 " +
                 (unit.empty() || unit == "1" ? std::string() : std::string(unit)) + "'");
  };
  std::size_t at = text.find(ascii), length = ascii.size();
  if (at == std::string_view::npos) at = text.find(plus_minus), length = plus_minus.size();
  if (at == std::string_view::npos) throw fail();
  std::string before(trimmed(text.substr(0, at))), after(trimmed(text.substr(at + length)));
  if (before.empty() || after.empty()) throw fail();
  const std::string si(unit.empty() ? "1" : unit);
  const auto unit_in = [](const std::string& quantity) {
    const auto space = quantity.find(' ');
    return space == std::string::npos ? std::string() : quantity.substr(space);
  };
  ValueAndError found;
  const auto percent = after.find('%');
  if (percent != std::string::npos) {
    const std::string rest(trimmed(std::string_view(after).substr(percent + 1)));
    if (!rest.empty()) before += " " + rest;
    after = after.substr(0, percent);
  } else if (unit_in(before).empty() && !unit_in(after).empty()) {
    before += unit_in(after);  // '20 +- 1 kg'
  } else if (unit_in(after).empty() && !unit_in(before).empty()) {
    after += unit_in(before);
  }
  try {
    found.value = parse_quantity(before, si);
    found.error = percent != std::string::npos ? 0.01 * parse_quantity(trimmed(after), "1") * std::fabs(found.value)
                                               : parse_quantity(after, si);
  } catch (const Error& problem) {
    throw Error(what + ": " + problem.what());
  }
  if (found.error == 0)
    throw Error(what + " is " + in_quotes(std::string(text)) +
                "; a standard deviation above zero is needed; what is known exactly is fixed");
  if (!(found.error > 0) || !std::isfinite(found.error) || !std::isfinite(found.value)) throw fail();
  return found;
}

PriorFit fit_with_priors(const PriorProblem& problem) {
  PriorFit result;
  std::vector<FreeNumber> numbers = problem.numbers;
  double corner = problem.loss == Loss::robust ? problem.corner : 0, strength = 0;  // κ σ²
  const bool seeks_corner = problem.loss == Loss::robust && problem.corner == 0;
  const bool has_priors = !problem.priors.empty();
  if (has_priors) {  // first weights: what the start leaves
    std::vector<double> x, r(problem.rows);
    for (const auto& f : numbers) x.push_back(f.start);
    if (problem.residuals(x, r))
      for (const double e : r) strength += e * e / static_cast<double>(problem.rows);
  }
  std::size_t evaluations = has_priors ? 1 : 0;
  const int rounds = has_priors || seeks_corner ? most_rounds : 1;
  int steps = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> weights;
    for (const Prior& p : problem.priors) weights.push_back(std::sqrt(strength) / p.error);
    const Weighed weighed(problem, corner, weights);
    LeastSquaresFit found = weighed.fit(numbers);
    evaluations += found.evaluations, steps += found.steps;
    if (found.end == FitEnd::no_residuals) {
      result.fit = std::move(found);
      return result;
    }
    const FitEnd end = found.end;
    result.fit = weighed.plain(std::move(found));
    result.corner = corner;
    Sensitivity s = sensitivity_of(problem, result.fit, corner);
    const double variance = s.cost / std::max(static_cast<double>(s.rows) - static_cast<double>(numbers.size()), 1.0);
    if (round + 1 == rounds || end == FitEnd::cancelled) {
      if (strength > 0)
        for (const Prior& p : problem.priors) {
          const auto i = static_cast<Eigen::Index>(p.number);
          const double weight = strength / (p.error * p.error);
          s.products(i, i) += weight;
          if (s.scores.size() > 0) s.scores(i, i) += weight * strength;
        }
      result.confidence = confidence(s);
      break;
    }
    strength = has_priors ? variance * slowness(s, variance) : 0;
    if (seeks_corner)
      corner = std::max(corner_of({result.fit.residuals.data(), static_cast<std::size_t>(result.fit.residuals.size())}),
                        1e-300);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i].start = result.fit.x[i];
  }
  const Eigen::VectorXd& r = result.fit.residuals;
  if (r.size() > 1 && result.fit.cost > 0)
    result.confidence.correlation = r.head(r.size() - 1).dot(r.tail(r.size() - 1)) / result.fit.cost;
  result.fit.evaluations = evaluations;
  result.fit.steps = steps;
  return result;
}

}  // namespace stickslip::inline fitting
