/// Parameters of a servo with a pendulum from its logs; see servo_fit.hpp.
#include "identification/servo_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/error.hpp"
#include "core/text.hpp"
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

/// Coordinates of the simplex: `origin` at the start, and one more at twice the start (or, from 0, at a tenth of the range).
class Coordinates {
 public:
  Coordinates(const ServoPendulum<double>& start, std::vector<FreeParameter> free)
      : start_(start), free_(std::move(free)) {
    for (const auto& p : free_) size_.push_back(start_.*p.member != 0 ? start_.*p.member : 0.1 * p.info.high);
  }
  static constexpr double origin = 0.5;  // from here the first simplex goes upwards, also from 0
  std::size_t count() const { return free_.size(); }
  /// False outside the domain of a parameter.
  bool servo_at(std::span<const double> x, ServoPendulum<double>& servo) const {
    servo = start_;
    for (std::size_t i = 0; i < free_.size(); ++i) {
      servo.*free_[i].member = start_.*free_[i].member + (x[i] - origin) * size_[i];
      if (!is_allowed(free_[i].info.domain, servo.*free_[i].member)) return false;
    }
    return true;
  }

 private:
  ServoPendulum<double> start_;
  std::vector<FreeParameter> free_;
  std::vector<double> size_;
};

void check_logs(std::span<const ServoLog> logs) {
  if (logs.empty()) throw Error("a servo is fitted to at least one log; there is none");
  for (const ServoLog& log : logs) {
    check(log);
    if (log.position.empty())
      throw Error("servo log " + in_quotes(log.name) + " has no measured position; a fit compares with it");
  }
}

/// Mean over logs of `measure(reading, position)`, with room for one roll-out.
template <class Measure>
double mean_over(std::span<const ServoLog> logs, const ServoPendulum<double>& servo, std::size_t substeps,
                 std::vector<double>& room, const Measure& measure) {
  double sum = 0;
  for (const ServoLog& log : logs) {
    room.resize(log.size());
    roll_out(servo, log, room, substeps);
    sum += measure(room, log.position);
  }
  const double error = sum / static_cast<double>(logs.size());
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

/// Eq. (2) of one log.
double rounded_error(std::span<const double> reading, std::span<const double> position) {
  constexpr double corner = 0.02;  // δ [rad], what such a servo's model leaves in the end
  double sum = 0;
  for (std::size_t i = 0; i < reading.size(); ++i) sum += std::sqrt((reading[i] - position[i]) * (reading[i] - position[i]) + corner * corner) - corner;
  return sum / static_cast<double>(reading.size());
}

}  // namespace

double mean_error(const ServoPendulum<double>& servo, std::span<const ServoLog> logs, std::size_t substeps) {
  std::vector<double> room;
  return mean_over(logs, servo, substeps, room, [](std::span<const double> r, std::span<const double> p) { return mean_error(r, p); });
}

ServoFit fit_servo(const ServoPendulum<double>& start, std::span<const ServoLog> logs, const ServoFitOptions& options) {
  check_logs(logs);
  const Coordinates coordinates(start, free_parameters(options.free));
  std::vector<double> room;
  const auto cost = [&](std::span<const double> x) {
    ServoPendulum<double> servo;
    return coordinates.servo_at(x, servo) ? mean_over(logs, servo, options.substeps, room, rounded_error)
                                          : std::numeric_limits<double>::infinity();
  };
  const std::vector<double> from(coordinates.count(), Coordinates::origin);
  const auto found = nelder_mead(
      cost, from,
      {.first_step = 0.15, .least_spread = 1e-4, .least_gain = 2e-4, .most_evaluations = options.most_evaluations});
  ServoFit fit;
  coordinates.servo_at(found.at, fit.servo);
  fit.error = mean_error(fit.servo, logs, options.substeps);
  fit.evaluations = found.evaluations;
  return fit;
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
