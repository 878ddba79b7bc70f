/// Parameters of a servo with a pendulum from its logs; see servo_fit.hpp.
#include "identification/servo_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/error.hpp"
#include "core/text.hpp"
#include "identification/levenberg_marquardt.hpp"
#include "identification/nelder_mead.hpp"

namespace stickslip {
namespace {

struct FreeParameter {
  double ServoPendulum<double>::*member;
  ParameterInfo info;
};

std::vector<FreeParameter> all_parameters() {
  std::vector<FreeParameter> all;
  std::apply(
      [&](const auto&... rows) {
        (all.push_back({rows.member, rows.info}), ...);
      },
      ServoPendulum<double>::parameters());
  return all;
}

std::vector<FreeParameter> free_parameters(const std::vector<std::string>& keys) {
  std::vector<FreeParameter> free;
  const auto all = all_parameters();
  if (keys.empty()) {
    for (const auto& p : all)
      if (p.info.fit != Fit::fixed) free.push_back(p);
    return free;
  }
  for (const std::string& key : keys) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& p) { return p.info.key == key; });
    if (found == all.end()) {
      std::vector<std::string> names;
      for (const auto& p : all) names.emplace_back(p.info.key);
      throw Error(no_such("parameter of the servo", key, names));
    }
    free.push_back(*found);
  }
  return free;
}

void check_logs(std::span<const ServoLog> logs) {
  if (logs.empty()) throw Error("a servo is fitted to at least one log; there is none");
  for (const ServoLog& log : logs) {
    check(log);
    if (log.position.empty())
      throw Error("servo log " + in_quotes(log.name) + " has no measured position; a fit compares with it");
  }
}

/// Eq. (2): what is squared, so that the sum is that of rounded absolute errors.
double rounded(double error) {
  constexpr double corner = 0.02;  // δ [rad], about what a good model of such a servo leaves
  const double root = std::sqrt(error * error + corner * corner);
  return std::copysign(std::sqrt(2 * corner * (root - corner)), error);
}

/// The residuals of all logs, one below the other; every log counts the same. False where a roll-out is not finite.
bool residuals_of(const ServoPendulum<double>& servo, std::span<const ServoLog> logs, std::size_t substeps,
                  std::span<double> r) {
  std::size_t first = 0;
  for (const ServoLog& log : logs) {
    const std::span<double> part = r.subspan(first, log.size());
    roll_out(servo, log, part, substeps);
    const double share = 1 / std::sqrt(static_cast<double>(log.size() * logs.size()));
    for (std::size_t i = 0; i < part.size(); ++i) part[i] = share * rounded(part[i] - log.position[i]);
    if (!std::isfinite(part.back())) return false;
    first += log.size();
  }
  return true;
}

/// The two ways down from a start, and the best point met.
class Search {
 public:
  Search(const ServoPendulum<double>& start, std::span<const ServoLog> logs, const ServoFitOptions& options)
      : start_(start), logs_(logs), options_(options), parameters_(free_parameters(options.free)) {
    std::size_t samples = 0;
    for (const ServoLog& log : logs) samples += log.size();
    room_.resize(samples);
    for (const auto& p : parameters_) {
      const double value = start.*p.member;
      free_.push_back({std::string(p.info.key), value, p.info.low, p.info.high, value != 0 ? 0 : 0.01 * p.info.high});
      size_.push_back(value != 0 ? value : 0.1 * p.info.high);
      best_.push_back(value);
    }
    best_cost_ = cost(best_);
    if (!std::isfinite(best_cost_)) throw Error("the servo's roll-outs are not finite at the start of the fit");
  }

  std::vector<double> from() const {
    std::vector<double> at;
    for (const FreeNumber& f : free_) at.push_back(f.start);
    return at;
  }

  /// Where damped least squares ends; it sees across narrow valleys, but sticking makes its slopes rough.
  std::vector<double> by_slopes(const std::vector<double>& at) {
    for (std::size_t i = 0; i < at.size(); ++i) free_[i].start = at[i];
    fit_ = levenberg_marquardt(free_, room_.size(),
                               [this](std::span<const double> x, std::span<double> r) {
                                 return residuals_of(servo_at(x), logs_, options_.substeps, r);
                               },
                               {.difference = 2e-3});  // over many a stick that comes or goes
    evaluations_ += fit_.evaluations;
    keep(fit_.x, fit_.cost);
    return fit_.x;
  }

  /// Where the simplex ends.
  void by_simplex(const std::vector<double>& at) {
    constexpr double origin = 0.5;  // from here the first simplex goes upwards, also from 0
    std::vector<double> x(at.size());
    const auto found = nelder_mead(
        [&](std::span<const double> u) {
          for (std::size_t i = 0; i < u.size(); ++i) x[i] = at[i] + (u[i] - origin) * size_[i];
          return cost(x);
        },
        std::vector<double>(at.size(), origin),
        {.first_step = 0.15, .least_spread = 1e-4, .least_gain = 2e-4, .most_evaluations = options_.most_evaluations});
    evaluations_ += found.evaluations;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = at[i] + (found.at[i] - origin) * size_[i];
    keep(x, found.cost);
  }

  /// The best point, with the uncertainty damped least squares sees around it.
  ServoFit best() {
    by_slopes(std::vector<double>(best_));
    ServoFit fit;
    fit.servo = servo_at(best_);
    fit.error = mean_error(fit.servo, logs_, options_.substeps);
    fit.evaluations = evaluations_;
    fit.confidence = confidence(fit_, free_);
    return fit;
  }

 private:
  ServoPendulum<double> servo_at(std::span<const double> x) const {
    ServoPendulum<double> servo = start_;
    for (std::size_t i = 0; i < x.size(); ++i) servo.*parameters_[i].member = x[i];
    return servo;
  }
  /// Eq. (2); infinite outside the range of a parameter.
  double cost(std::span<const double> x) {
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!(x[i] >= free_[i].low && x[i] <= free_[i].high)) return std::numeric_limits<double>::infinity();
    if (!residuals_of(servo_at(x), logs_, options_.substeps, room_)) return std::numeric_limits<double>::infinity();
    double sum = 0;
    for (const double r : room_) sum += r * r;
    return sum;
  }
  void keep(const std::vector<double>& x, double cost) {
    if (cost < best_cost_) best_ = x, best_cost_ = cost;
  }

  ServoPendulum<double> start_;
  std::span<const ServoLog> logs_;
  ServoFitOptions options_;
  std::vector<FreeParameter> parameters_;
  std::vector<FreeNumber> free_;
  std::vector<double> size_, room_, best_;
  double best_cost_ = std::numeric_limits<double>::infinity();
  std::size_t evaluations_ = 0;
  LeastSquaresFit fit_;
};

}  // namespace

double mean_error(const ServoPendulum<double>& servo, std::span<const ServoLog> logs, std::size_t substeps) {
  std::vector<double> reading;
  double sum = 0;
  for (const ServoLog& log : logs) {
    reading.resize(log.size());
    roll_out(servo, log, reading, substeps);
    sum += mean_error(reading, log.position);
  }
  const double error = sum / static_cast<double>(logs.size());
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

ServoFit fit_servo(const ServoPendulum<double>& start, std::span<const ServoLog> logs, const ServoFitOptions& options) {
  check_logs(logs);
  Search search(start, logs, options);
  const std::vector<double> slid = search.by_slopes(search.from());
  search.by_simplex(search.from());
  search.by_simplex(slid);
  return search.best();
}

std::vector<double> left_out_errors(const ServoPendulum<double>& start, std::span<const ServoLog> logs,
                                    std::span<const int> group, const ServoFitOptions& options) {
  if (group.size() != logs.size()) throw Error("every log needs a group; leave them out one group at a time");
  std::vector<double> errors(logs.size());
  for (const int left_out : std::set<int>(group.begin(), group.end())) {
    std::vector<ServoLog> seen;
    for (std::size_t i = 0; i < logs.size(); ++i)
      if (group[i] != left_out) seen.push_back(logs[i]);
    const ServoFit fit = fit_servo(start, seen, options);
    for (std::size_t i = 0; i < logs.size(); ++i)
      if (group[i] == left_out) errors[i] = mean_error(fit.servo, logs.subspan(i, 1), options.substeps);
  }
  return errors;
}

}  // namespace stickslip
