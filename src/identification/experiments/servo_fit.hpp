/// Parameters of a servo with a pendulum from its logs, by simulation: every log is rolled out from its start alone, and
///   E = mean over logs of mean |reading − position|                                                      (1)
/// is the reported error, and is minimised through
///   S = mean over logs of mean 2 δ (√(e² + δ²) − δ),   e = reading − position, δ = 20 mrad               (2)
/// a square near zero that is robust against one swing on the wrong side. Whether the gear sticks now or a step later
/// makes S rough, so the simplex starts from the given start and from the result of damped least squares, from several starts if
/// requested, then again from the best as long as that helps.
/// Prior knowledge, μ ± s of a parameter, adds S_0/n ((x − μ)/s)² to S: S_0 is S of a first fit and n
/// = 10 per log, about as many errors as are independent in some seconds of motion.                      (4)
/// The result is assessed on logs that were not fitted: leave a group of logs out, fit to the rest,
/// and roll out those left out.                                                                           (3)
/// Not here: reading logs (machines/servo_pendulum/servo_file.hpp), threads.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "identification/judging/estimates.hpp"
#include "machines/servo_pendulum/servo_pendulum.hpp"

namespace stickslip::inline identification {

struct ServoPrior {
  std::string key;
  double value = 0, error = 0;  // SI; one standard deviation
};

struct ServoFitOptions {
  std::vector<std::string> free = {};   // keys of parameters; empty: all that the table does not call fixed
  std::size_t most_evaluations = 8000;  // of one simplex
  std::size_t substeps = 1;             // per interval of a log
  double corner = 0.02;                 // δ of (2) [rad]
  std::vector<ServoPrior> priors = {};
  std::size_t starts =
      1;  // from the given one, and from others within a factor of about two of it; always the same ones
};

struct ServoFit {
  ServoPendulum<double> servo{};
  double error = 0;       // (1) [rad]
  Confidence confidence;  // of S around the result; rougher than it looks, (3) says more
  std::size_t evaluations = 0;
  std::vector<double> x = {};  // the free parameters, in the order of `confidence`
};

/// Eq. (1) [rad]; infinite where a roll-out is not finite.
double mean_error(const ServoPendulum<double>& servo, std::span<const ServoLog> logs, std::size_t substeps = 1);

/// Throws Error for a key the servo does not have, no logs, or a log without measured position.
ServoFit fit_servo(const ServoPendulum<double>& start, std::span<const ServoLog> logs,
                   const ServoFitOptions& options = {});

/// Eq. (3): the error of each log [rad] by a fit to the logs of all other groups; group[i] is the group of log i.
std::vector<double> left_out_errors(const ServoPendulum<double>& start, std::span<const ServoLog> logs,
                                    std::span<const int> group, const ServoFitOptions& options = {});

/// The same with the fits made on the way.
struct ServoLeftOut {
  std::vector<double> errors;       // of each log [rad]
  std::vector<ServoFit> fits;       // one per group, in the order of its number
  std::vector<std::size_t> fit_of;  // which of them predicted each log
  /// Standard errors of the free parameters by leaving groups out, √((G − 1)/G Σ (x_g − x̄)²): from log to log, not from sample to sample.
  std::vector<double> jackknife() const;
};
ServoLeftOut left_out(const ServoPendulum<double>& start, std::span<const ServoLog> logs, std::span<const int> group,
                      const ServoFitOptions& options = {});

}  // namespace stickslip::inline identification
