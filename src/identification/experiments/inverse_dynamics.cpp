#include "identification/experiments/inverse_dynamics.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/filter.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "identification/search/levenberg_marquardt.hpp"

namespace stickslip::inline identification {

namespace {

constexpr double pi = 3.14159265358979323846;

struct Derived {
  std::vector<double> time, position, velocity, acceleration, force;
  std::vector<double> rest;  // 1 at rest
};

/// Central differences; at the ends one-sided.
std::vector<double> differences(const std::vector<double>& x, double interval) {
  const std::size_t n = x.size();
  std::vector<double> d(n);
  d[0] = (x[1] - x[0]) / interval;
  for (std::size_t i = 1; i + 1 < n; ++i) d[i] = (x[i + 1] - x[i - 1]) / (2 * interval);
  d[n - 1] = (x[n - 1] - x[n - 2]) / interval;
  return d;
}

double even_interval(const std::vector<double>& time) {
  const double interval = (time.back() - time.front()) / static_cast<double>(time.size() - 1);
  if (!(interval > 0)) throw Error("inverse dynamics: the time does not increase");
  for (std::size_t i = 1; i < time.size(); ++i)
    if (std::fabs(time[i] - time[i - 1] - interval) > 0.01 * interval)
      throw Error("inverse dynamics: the step at " + shortest(time[i]) + " s is " + shortest(time[i] - time[i - 1]) +
                  " s, elsewhere " + shortest(interval) + " s; resample the log evenly first");
  return interval;
}

/// The value `delay` earlier, by straight lines; held at the start.
std::vector<double> delayed(const std::vector<double>& values, double samples) {
  std::vector<double> result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double at = std::clamp(static_cast<double>(i) - samples, 0.0, static_cast<double>(values.size() - 1));
    const auto k = std::min(static_cast<std::size_t>(at), values.size() - 2);
    result[i] = values[k] + (at - static_cast<double>(k)) * (values[k + 1] - values[k]);
  }
  return result;
}

constexpr std::size_t still_half_window = 3;    // samples each way
constexpr Eigen::Index least_moving_rows = 20;  // that must remain

/// 1 where the readings around a sample stay within their smallest step.
std::vector<double> rest_of(const std::vector<double>& x) {
  double step = unbounded;
  for (std::size_t i = 1; i < x.size(); ++i)
    if (const double dx = std::fabs(x[i] - x[i - 1]); dx > 0) step = std::min(step, dx);
  std::vector<double> rest(x.size(), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto first = x.begin() + static_cast<std::ptrdiff_t>(i - std::min(i, still_half_window));
    const auto end = x.begin() + static_cast<std::ptrdiff_t>(std::min(i + still_half_window + 1, x.size()));
    const auto [low, high] = std::minmax_element(first, end);
    if (*high - *low <= step * (1 + 1e-6)) rest[i] = 1;
  }
  return rest;
}

Derived derived(const LoggedMotion& log, const InverseDynamicsOptions& options, std::vector<std::string>& steps) {
  const std::size_t n = log.time.size();
  if (log.position.size() != n || log.force.size() != n)
    throw Error("inverse dynamics: " + std::to_string(n) + " times, " + std::to_string(log.position.size()) +
                " positions and " + std::to_string(log.force.size()) + " forces; there must be as many of each");
  if (n < options.border + 30)
    throw Error("inverse dynamics: " + std::to_string(n) + " samples; at least " + std::to_string(options.border + 30) +
                " are needed");
  const double interval = even_interval(log.time);
  Derived d{log.time,
            log.position,
            {},
            {},
            options.lag == 0 ? log.force : delayed(log.force, options.lag / interval),
            rest_of(log.position)};
  if (options.lag != 0) steps.push_back("force delayed by " + shortest(options.lag) + " s");
  if (options.cutoff_hz > 0) {
    const double lasts = static_cast<double>(n) * interval;
    if (options.cutoff_hz * lasts < 1)
      throw Error("inverse dynamics: cutoff is " + shortest(options.cutoff_hz) + " Hz; the log lasts " +
                  with_unit(lasts, "s", 3) + ", and a low-pass filter below " + significant(1 / lasts, 3) +
                  " Hz would remove it entirely");
    const Filter low_pass = butterworth(Pass::low, options.order, options.cutoff_hz, 1 / interval);
    d.position = filtered_both_ways(low_pass, d.position, 3 * static_cast<std::size_t>(options.order));
    steps.push_back("position filtered both ways: Butterworth of order " + std::to_string(options.order) + ", " +
                    shortest(options.cutoff_hz) + " Hz");
  }
  d.velocity = differences(d.position, interval);
  d.acceleration = differences(d.velocity, interval);
  steps.push_back("central differences over " + shortest(interval) + " s");
  if (options.border > 0) {
    for (auto* column : {&d.time, &d.position, &d.velocity, &d.acceleration, &d.force, &d.rest})
      column->erase(column->begin(), column->begin() + static_cast<std::ptrdiff_t>(options.border));
    steps.push_back("first " + std::to_string(options.border) + " samples left out");
  }
  if (options.decimation > 1)
    steps.push_back("every " + std::to_string(options.decimation) + "th row kept after a low-pass");
  return d;
}

double sign(double v) { return v > 0 ? 1 : v < 0 ? -1 : 0; }

double hat(const Regressor& r, double x) {
  if (x < r.at) return r.before == r.at ? 1 : std::max(0.0, (x - r.before) / (r.at - r.before));
  return r.after == r.at ? 1 : std::max(0.0, (r.after - x) / (r.after - r.at));
}

/// φ of one row.
double column_value(const Regressor& r, double stribeck_velocity, double x, double v, double a) {
  if ((r.side == Side::forward && !(v > 0)) || (r.side == Side::backward && !(v < 0))) return 0;
  const double along = r.follows_direction ? sign(v) : 1;
  switch (r.term) {
    case Term::mass:
      return a;
    case Term::viscosity:
      return v;
    case Term::coulomb:
      return sign(v);
    case Term::offset:
      return 1;
    case Term::stribeck:
      return sign(v) * std::exp(-std::fabs(v) / (r.at > 0 ? r.at : stribeck_velocity));
    case Term::position_hat:
      return along * hat(r, x);
    case Term::sine:
      return along * std::sin(r.at * x);
    case Term::cosine:
      return along * std::cos(r.at * x);
  }
  return 0;
}

class LinearProblem {
 public:
  LinearProblem(const Derived& d, const std::vector<Regressor>& regressors, const InverseDynamicsOptions& options)
      : d_(d), regressors_(regressors), decimation_(options.decimation) {
    for (const auto& r : regressors) low_.push_back(r.low), high_.push_back(r.high);
    force_ = decimated_column([&](std::size_t i) { return d.force[i]; });
    estimation_ =
        static_cast<Eigen::Index>(std::llround(options.estimation_share * static_cast<double>(force_.size())));
    columns_.resize(force_.size(), static_cast<Eigen::Index>(regressors.size()));
    for (std::size_t k = 0; k < regressors.size(); ++k) fill(k, 1);
    for (Eigen::Index i = 0; i < estimation_; ++i) moving_.push_back(i);
    if (!options.leaves_rest_out) return;
    const Eigen::VectorXd rest = decimated_column([&](std::size_t i) { return d.rest[i]; });
    std::vector<Eigen::Index> kept;
    for (Eigen::Index i = 0; i < estimation_; ++i)
      if (rest[i] < 0.5) kept.push_back(i);
    if (static_cast<Eigen::Index>(kept.size()) >= least_moving_rows + columns_.cols()) moving_ = std::move(kept);
  }

  /// θ and the cost for this v_S.
  double solve(double stribeck_velocity, Eigen::VectorXd& theta) {
    for (std::size_t k = 0; k < regressors_.size(); ++k)
      if (is_searched(regressors_[k])) fill(k, stribeck_velocity);
    const auto n = columns_.cols();
    Eigen::MatrixXd all(static_cast<Eigen::Index>(moving_.size()), n + 1);
    all << columns_(moving_, Eigen::all), force_(moving_);
    BoundedLeastSquares inner(low_, high_);
    theta.resize(n);
    inner.solve(all.transpose() * all, theta);
    return (all.col(n) - all.leftCols(n) * theta).squaredNorm();
  }

  static bool is_searched(const Regressor& r) { return r.term == Term::stribeck && r.at == 0; }
  const Eigen::MatrixXd& columns() const { return columns_; }
  const Eigen::VectorXd& force() const { return force_; }
  Eigen::Index estimation() const { return estimation_; }
  /// The rows that estimate.
  const std::vector<Eigen::Index>& moving() const { return moving_; }

 private:
  template <class Value>
  Eigen::VectorXd decimated_column(const Value& value) const {
    std::vector<double> raw(d_.time.size());
    for (std::size_t i = 0; i < raw.size(); ++i) raw[i] = value(i);
    const auto kept = decimated(raw, decimation_);
    return Eigen::Map<const Eigen::VectorXd>(kept.data(), static_cast<Eigen::Index>(kept.size()));
  }
  void fill(std::size_t k, double stribeck_velocity) {
    columns_.col(static_cast<Eigen::Index>(k)) = decimated_column([&](std::size_t i) {
      return column_value(regressors_[k], stribeck_velocity, d_.position[i], d_.velocity[i], d_.acceleration[i]);
    });
  }

  const Derived& d_;
  const std::vector<Regressor>& regressors_;
  std::size_t decimation_;
  std::vector<double> low_, high_;
  Eigen::MatrixXd columns_;
  Eigen::VectorXd force_;
  Eigen::Index estimation_ = 0;
  std::vector<Eigen::Index> moving_;
};

/// The v_S of least cost: the best of a row of trials, then golden sections between its neighbours.
double searched_velocity(LinearProblem& problem, double low, double high) {
  Eigen::VectorXd theta;
  const auto cost = [&](double log_v) { return problem.solve(std::exp(log_v), theta); };
  constexpr int trials = 24;
  const double first = std::log(low), step = (std::log(high) - first) / trials;
  int best = 0;
  double least = unbounded;
  for (int i = 0; i <= trials; ++i)
    if (const double c = cost(first + i * step); c < least) least = c, best = i;
  double a = first + std::max(best - 1, 0) * step, b = first + std::min(best + 1, trials) * step;
  const double golden = 0.5 * (std::sqrt(5.0) - 1);
  double c = b - golden * (b - a), d = a + golden * (b - a), cost_c = cost(c), cost_d = cost(d);
  while (b - a > 1e-7) {
    if (cost_c < cost_d)
      b = d, d = c, cost_d = cost_c, c = b - golden * (b - a), cost_c = cost(c);
    else
      a = c, c = d, cost_c = cost_d, d = a + golden * (b - a), cost_d = cost(d);
  }
  return std::exp(0.5 * (a + b));
}

double relative(const Eigen::VectorXd& error, const Eigen::VectorXd& force) {
  return force.size() > 0 && force.norm() > 0 ? error.norm() / force.norm() : 0;
}

void check(const std::vector<Regressor>& regressors, const InverseDynamicsOptions& options) {
  if (regressors.empty()) throw Error("inverse dynamics: no term is selected; select a mass and a friction");
  for (const auto& r : regressors)
    if (!(r.low < r.high))
      throw Error("inverse dynamics: " + r.key + ": the lower bound " + shortest(r.low) +
                  " is not below the upper one, " + shortest(r.high));
  if (!(options.estimation_share > 0 && options.estimation_share <= 1))
    throw Error("inverse dynamics: the estimation share is " + shortest(options.estimation_share) +
                "; it must lie above 0 and not above 1");
  if (!(options.stribeck_low > 0 && options.stribeck_low < options.stribeck_high))
    throw Error("inverse dynamics: the Stribeck velocity is searched from " + shortest(options.stribeck_low) + " to " +
                shortest(options.stribeck_high) + "; both must be positive and in order");
}

}  // namespace

std::vector<Regressor> symmetric_friction() {
  return {{.key = "mass", .term = Term::mass},
          {.key = "viscosity", .term = Term::viscosity},
          {.key = "coulomb_force", .term = Term::coulomb},
          {.key = "offset", .term = Term::offset}};
}

std::vector<Regressor> directional_friction() {
  return {{.key = "mass", .term = Term::mass},
          {.key = "viscosity", .term = Term::viscosity, .side = Side::forward},
          {.key = "coulomb_force", .term = Term::coulomb, .side = Side::forward},
          {.key = "backward.viscosity", .term = Term::viscosity, .side = Side::backward},
          {.key = "backward.coulomb_force", .term = Term::coulomb, .side = Side::backward}};
}

std::vector<Regressor> position_table(double from, double to, std::size_t knots, bool follows_direction) {
  if (knots < 2 || !(from < to))
    throw Error("inverse dynamics: a table from " + shortest(from) + " to " + shortest(to) + " with " +
                std::to_string(knots) + " knots; at least 2 in rising order are needed");
  std::vector<Regressor> hats;
  const double step = (to - from) / static_cast<double>(knots - 1);
  for (std::size_t i = 1; i < knots; ++i) {
    const double at = from + static_cast<double>(i) * step;
    hats.push_back({.key = "position_table[" + std::to_string(i + 1) + "]",
                    .term = Term::position_hat,
                    .at = at,
                    .before = at - step,
                    .after = i + 1 < knots ? at + step : at,
                    .follows_direction = follows_direction});
  }
  return hats;
}

std::vector<Regressor> position_harmonics(double period, std::size_t count, bool follows_direction) {
  if (!(period > 0)) throw Error("inverse dynamics: a period of " + shortest(period) + "; it must be positive");
  std::vector<Regressor> waves;
  for (std::size_t i = 1; i <= count; ++i)
    for (const Term term : {Term::sine, Term::cosine})
      waves.push_back({.key = (term == Term::sine ? "sine[" : "cosine[") + std::to_string(i) + "]",
                       .term = term,
                       .at = 2 * pi * static_cast<double>(i) / period,
                       .follows_direction = follows_direction});
  return waves;
}

std::vector<Regressor> gravity() {
  return {{.key = "gravity_sine", .term = Term::sine, .at = 1},
          {.key = "gravity_cosine", .term = Term::cosine, .at = 1}};
}

InverseDynamics inverse_dynamics(const LoggedMotion& log, const std::vector<Regressor>& regressors,
                                 const InverseDynamicsOptions& options) {
  check(regressors, options);
  InverseDynamics found;
  const Derived d = derived(log, options, found.steps);
  LinearProblem problem(d, regressors, options);
  const bool searches = std::any_of(regressors.begin(), regressors.end(), LinearProblem::is_searched);
  if (searches) found.stribeck_velocity = searched_velocity(problem, options.stribeck_low, options.stribeck_high);

  LeastSquaresFit fit;
  Eigen::VectorXd theta;
  fit.cost = problem.solve(found.stribeck_velocity, theta);
  const Eigen::Index rows = problem.estimation(), rest = problem.force().size() - rows;
  const Eigen::VectorXd predicted = problem.columns() * theta, error = problem.force() - predicted;
  std::vector<FreeNumber> numbers;
  for (std::size_t k = 0; k < regressors.size(); ++k) {
    const double value = theta[static_cast<Eigen::Index>(k)];
    numbers.push_back({.key = regressors[k].key, .start = value, .low = regressors[k].low, .high = regressors[k].high});
    fit.x.push_back(value);
  }
  const std::vector<Eigen::Index>& moving = problem.moving();
  if (static_cast<Eigen::Index>(moving.size()) < rows)
    found.steps.push_back(std::to_string(rows - static_cast<Eigen::Index>(moving.size())) + " of " +
                          std::to_string(rows) + " rows at rest are excluded from the estimation");
  fit.residuals = error(moving);
  fit.slopes = -problem.columns()(moving, Eigen::all);
  if (searches) {
    const double v = found.stribeck_velocity, h = 1e-4 * v;
    Eigen::VectorXd ignored;
    problem.solve(v + h, ignored);
    const Eigen::VectorXd above = problem.columns()(moving, Eigen::all) * theta;
    problem.solve(v - h, ignored);
    const Eigen::VectorXd below = problem.columns()(moving, Eigen::all) * theta;
    fit.slopes.conservativeResize(Eigen::NoChange, fit.slopes.cols() + 1);
    fit.slopes.rightCols(1) = (below - above) / (2 * h);
    numbers.push_back(
        {.key = "stribeck_velocity", .start = v, .low = options.stribeck_low, .high = options.stribeck_high});
    fit.x.push_back(v);
  }
  found.confidence = confidence(fit, numbers);
  found.relative_error = relative(error(moving), problem.force()(moving));
  found.validation_error = relative(error.tail(rest), problem.force().tail(rest));
  found.relative_error_of_all = relative(error, problem.force());
  for (std::size_t i = (d.time.size() - 1) % options.decimation; i < d.time.size(); i += options.decimation)
    found.time.push_back(d.time[i]);
  found.force.assign(problem.force().data(), problem.force().data() + problem.force().size());
  found.predicted.assign(predicted.data(), predicted.data() + predicted.size());
  return found;
}

}  // namespace stickslip::inline identification
