/// Estimated parameters of a fit: values, standard errors, intervals, and how well each is determined.
/// Not here: how it is found (confidence.hpp).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stickslip::inline identification {

enum class Determination { well_determined, weak, at_bound, not_separable };
/// "well determined", "weak", "at its bound", "not separable".
std::string_view name_of(Determination verdict);

/// What is known of a number before the recording speaks.
struct KnownBefore {
  std::string key;              // "coulomb_force", "thresholds[2]", "backward.viscosity", "offset"
  double value = 0, error = 0;  // mean and standard deviation
};

struct Estimate {
  std::string key;
  double value = 0, standard_error = 0;
  double low = 0, high = 0;  // 95 %
  Determination verdict = Determination::well_determined;
  std::string partner{};  // not separable from this one
  /// Of one that is not well determined: the one it moves with most, and the correlation of the two estimates.
  std::string companion{};
  double companion_correlation = 0;
  double prior = 0, prior_error = 0;  // what was known of it beforehand; an error of 0: nothing
};

/// Of n parameters with each other, n × n numbers.
class Covariance {
 public:
  Covariance() = default;
  explicit Covariance(std::size_t size) : size_(size), values_(size * size, 0.0) {}
  std::size_t size() const { return size_; }
  double operator()(std::size_t i, std::size_t j) const { return values_[i * size_ + j]; }
  double& operator()(std::size_t i, std::size_t j) { return values_[i * size_ + j]; }

 private:
  std::size_t size_ = 0;
  std::vector<double> values_;
};

struct Confidence {
  std::vector<Estimate> estimates;  // solved first, then searched
  Covariance covariance;            // in the same order; rows of parameters at a bound are zero
  double noise = 0;                 // σ [N]
  double correlation = 0;           // of successive errors
};

struct ConfidenceOptions {
  double weak_share = 0.1;        // a standard error above this share of the value is weak
  double separable_below = 0.99;  // |correlation| of two estimates from which only a combination of them is known
  double companion_from = 0.7;    // |correlation| from which a weak one has a companion
};

/// Standard errors, intervals and verdicts from the covariance.
void judge(Confidence& confidence, const ConfidenceOptions& options = {});
/// No parameter counts as well determined any more; true if one did.
bool doubt(Confidence& confidence);

}  // namespace stickslip::inline identification
