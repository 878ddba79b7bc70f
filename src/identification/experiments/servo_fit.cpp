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

namespace stickslip::inline identification {
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
  RolledOut(std::span<const ServoLog> logs, double corner) : batch_(logs), corner_(corner) {
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
    std::array<double, servo_block_lanes> sums;
    sum_errors({.reading = b.reading.data(),
                .position = b.position.data(),
                .length = b.length.data(),
                .samples = b.samples,
                .corner = corner_,
                .errors = errors,
                .sums = sums.data()});
    for (std::size_t lane = 0; lane < b.used; ++lane) logs_[b.log[lane]].sum = sums[lane];
  }

  ServoBatch batch_;
  double corner_;  // δ [rad]
  std::vector<Log> logs_;
  std::vector<double> errors_;
  std::size_t samples_ = 0;
};

/// The two ways down from a start, and the best point met.
class Search {
 public:
  Search(const ServoPendulum<double>& start, std::span<const ServoLog> logs, const ServoFitOptions& options)
      : start_(start),
        logs_(logs),
        rolled_(logs, options.corner),
        options_(options),
        parameters_(free_parameters(options.free)) {
    for (const auto& p : parameters_) {
      const double value = start.*p.member;
      free_.push_back({std::string(p.info.key), value, p.info.low, p.info.high, value != 0 ? 0 : 0.01 * p.info.high});
      size_.push_back(value != 0 ? value : 0.1 * p.info.high);
      best_.push_back(value);
    }
    for (const ServoPrior& prior : options.priors) {
      const auto found =
          std::find_if(parameters_.begin(), parameters_.end(), [&](const auto& p) { return p.info.key == prior.key; });
      if (found == parameters_.end()) throw Error("the prior of " + in_quotes(prior.key) + " is of no free parameter");
      priors_.push_back({static_cast<std::size_t>(found - parameters_.begin()), prior.value, prior.error});
    }
    best_cost_ = cost(best_);
    if (!std::isfinite(best_cost_)) throw Error("the servo's roll-outs are not finite at the start of the fit");
  }

  /// The given start, and others around it: each parameter times a number between about a half and two.
  std::vector<double> start(std::size_t which) const {
    std::vector<double> at;
    double place = 0.5 * static_cast<double>(which);
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      place = std::fmod(place + static_cast<double>(which) * 0.6180339887498949 * static_cast<double>(i + 1), 1.0);
      const double factor = which == 0 ? 1 : std::exp2(2 * place - 1);
      at.push_back(std::clamp(factor * (start_.*parameters_[i].member), free_[i].low, free_[i].high));
    }
    return at;
  }

  /// The simplex once more from the best point, as long as it finds a better one by a thousandth.
  void again_from_best() {
    for (int round = 0; round < 6; ++round) {
      const double before = best_cost_;
      by_simplex(std::vector<double>(best_));
      if (!(best_cost_ < 0.999 * before)) return;
    }
  }

  /// Where damped least squares ends; it sees across narrow valleys, but sticking makes its slopes rough.
  std::vector<double> by_slopes(const std::vector<double>& at) {
    for (std::size_t i = 0; i < at.size(); ++i) free_[i].start = at[i];
    fit_ = levenberg_marquardt(free_, rolled_.samples() + priors_.size(),
                               [this](std::span<const double> x, std::span<double> r) {
                                 for (std::size_t k = 0; k < priors_.size(); ++k)
                                   r[rolled_.samples() + k] = std::sqrt(strength_) * distance(priors_[k], x);
                                 return rolled_.residuals(servo_at(x), options_.substeps, r.first(rolled_.samples()));
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

  /// Lets the priors count: as much as errors that the best point so far leaves. That point's cost is counted anew.
  void weigh_priors() {
    constexpr double independent = 10;  // errors of a log
    strength_ = 0;
    strength_ = cost(best_) / (independent * static_cast<double>(logs_.size()));
    best_cost_ = cost(best_);
  }

  /// The best point, with the uncertainty damped least squares sees around it.
  ServoFit best() {
    by_slopes(std::vector<double>(best_));
    ServoFit fit;
    fit.servo = servo_at(best_);
    fit.error = mean_error(fit.servo, logs_, options_.substeps);
    fit.evaluations = evaluations_;
    fit.confidence = confidence(fit_, free_);
    fit.x = best_;
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
    double known = 0;
    for (const Known& p : priors_) known += strength_ * distance(p, x) * distance(p, x);
    return known + rolled_.cost(servo_at(x), options_.substeps);
  }
  /// Eq. (4): a parameter that is known beforehand, and how far off it is in its standard deviations.
  struct Known {
    std::size_t number;
    double value, error;
  };
  static double distance(const Known& p, std::span<const double> x) { return (x[p.number] - p.value) / p.error; }
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
  std::vector<Known> priors_;
  double strength_ = 0;  // S_0/n of eq. (4)
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
    sum += machines::mean_error(reading, log.position);
  }
  const double error = sum / static_cast<double>(logs.size());
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

ServoFit fit_servo(const ServoPendulum<double>& start, std::span<const ServoLog> logs, const ServoFitOptions& options) {
  check_logs(logs);
  Search search(start, logs, options);
  const auto go = [&] {
    for (std::size_t k = 0; k < std::max<std::size_t>(1, options.starts); ++k) {
      const std::vector<double> from = search.start(k);
      const std::vector<double> slid = search.by_slopes(from);
      search.by_simplex(from);
      search.by_simplex(slid);
    }
    if (options.starts > 1) search.again_from_best();
  };
  go();
  if (!options.priors.empty()) {
    search.weigh_priors();
    go();
  }
  return search.best();
}

ServoLeftOut left_out(const ServoPendulum<double>& start, std::span<const ServoLog> logs, std::span<const int> group,
                      const ServoFitOptions& options) {
  if (group.size() != logs.size()) throw Error("every log needs a group; leave them out one group at a time");
  ServoLeftOut out;
  out.errors.resize(logs.size()), out.fit_of.resize(logs.size());
  for (const int which : std::set<int>(group.begin(), group.end())) {
    std::vector<ServoLog> seen;
    for (std::size_t i = 0; i < logs.size(); ++i)
      if (group[i] != which) seen.push_back(logs[i]);
    out.fits.push_back(fit_servo(start, seen, options));
    for (std::size_t i = 0; i < logs.size(); ++i)
      if (group[i] == which) {
        out.errors[i] = mean_error(out.fits.back().servo, logs.subspan(i, 1), options.substeps);
        out.fit_of[i] = out.fits.size() - 1;
      }
  }
  return out;
}

std::vector<double> ServoLeftOut::jackknife() const {
  if (fits.size() < 2) return {};
  const auto groups = static_cast<double>(fits.size());
  std::vector<double> errors;
  for (std::size_t i = 0; i < fits.front().x.size(); ++i) {
    double mean = 0, square = 0;
    for (const ServoFit& fit : fits) mean += fit.x[i] / groups;
    for (const ServoFit& fit : fits) square += (fit.x[i] - mean) * (fit.x[i] - mean);
    errors.push_back(std::sqrt((groups - 1) / groups * square));
  }
  return errors;
}

std::vector<double> left_out_errors(const ServoPendulum<double>& start, std::span<const ServoLog> logs,
                                    std::span<const int> group, const ServoFitOptions& options) {
  return left_out(start, logs, group, options).errors;
}

}  // namespace stickslip::inline identification
