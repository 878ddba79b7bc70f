/// Parameters of a servo with a pendulum from its logs; see servo_fit.hpp.
#include "identification/experiments/servo_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "core/error.hpp"
#include "core/text.hpp"
#include "identification/lanes/lane_errors.hpp"
#include "identification/search/levenberg_marquardt.hpp"
#include "identification/search/nelder_mead.hpp"
#include "machines/servo_pendulum/servo_batch.hpp"

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

/// Eq. (2) of all logs; every log counts the same.
class RolledOut {
 public:
  explicit RolledOut(std::span<const ServoLog> logs) : batch_(logs) {
    std::size_t first = 0, longest = 0;
    for (const ServoLog& log : logs) {
      logs_.push_back({first, log.size(), 1 / std::sqrt(static_cast<double>(log.size() * logs.size())), 0});
      first += log.size();
    }
    samples_ = first;
    for (const ServoBlock& b : batch_.blocks()) longest = std::max(longest, b.reading.size());
    errors_.resize(longest);
  }
  std::size_t samples() const { return samples_; }

  /// S; infinite where a roll-out is not finite.
  double cost(const ServoPendulum<double>& servo, std::size_t substeps) {
    batch_.roll_out(servo, substeps);
    for (const ServoBlock& b : batch_.blocks()) sum(b, nullptr);
    double total = 0;
    for (const Log& log : logs_) total += log.share * log.share * log.sum;
    return std::isfinite(total) ? total : std::numeric_limits<double>::infinity();
  }
  /// What is squared in S, one log below the other; false where a roll-out is not finite.
  bool residuals(const ServoPendulum<double>& servo, std::size_t substeps, std::span<double> r) {
    batch_.roll_out(servo, substeps);
    for (const ServoBlock& b : batch_.blocks()) {
      sum(b, errors_.data());
      for (std::size_t lane = 0; lane < b.used; ++lane) {
        const Log& log = logs_[b.log[lane]];
        if (!std::isfinite(log.sum)) return false;
        for (std::size_t i = 0; i < log.size; ++i) r[log.first + i] = log.share * errors_[i * servo_block_lanes + lane];
      }
    }
    return true;
  }

 private:
  struct Log {
    std::size_t first, size;  // of its residuals
    double share, sum;        // the weight of a residual; Σ ρ² of the last roll-out
  };
  void sum(const ServoBlock& b, double* errors) {
    constexpr double corner = 0.02;  // δ [rad], about what a good model of such a servo leaves
    std::array<double, servo_block_lanes> sums;
    sum_errors({.reading = b.reading.data(),
                .position = b.position.data(),
                .length = b.length.data(),
                .samples = b.samples,
                .corner = corner,
                .errors = errors,
                .sums = sums.data()});
    for (std::size_t lane = 0; lane < b.used; ++lane) logs_[b.log[lane]].sum = sums[lane];
  }

  ServoBatch batch_;
  std::vector<Log> logs_;
  std::vector<double> errors_;
  std::size_t samples_ = 0;
};

/// The two ways down from a start, and the best point met.
class Search {
 public:
  Search(const ServoPendulum<double>& start, std::span<const ServoLog> logs, const ServoFitOptions& options)
      : start_(start), logs_(logs), rolled_(logs), options_(options), parameters_(free_parameters(options.free)) {
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
    fit_ = levenberg_marquardt(free_, rolled_.samples(),
                               [this](std::span<const double> x, std::span<double> r) {
                                 return rolled_.residuals(servo_at(x), options_.substeps, r);
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
    return rolled_.cost(servo_at(x), options_.substeps);
  }
  void keep(const std::vector<double>& x, double cost) {
    if (cost < best_cost_) best_ = x, best_cost_ = cost;
  }

  ServoPendulum<double> start_;
  std::span<const ServoLog> logs_;
  RolledOut rolled_;
  ServoFitOptions options_;
  std::vector<FreeParameter> parameters_;
  std::vector<FreeNumber> free_;
  std::vector<double> size_, best_;
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
