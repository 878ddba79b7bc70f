/// How likely a recording is under a model, as a function of the model's parameters: for samplers and optimisers outside.
///   ln L(p) = −1/τ · ( n ln(σ √(2π)) + J(p) / (2σ²) ),   J = Σ r², the sum that identification minimises          (1)
///   ∂ ln L/∂p = −1/(τ σ²) · Σ r ∂r/∂p                                                                            (2)
/// σ is the standard deviation of the force's errors; τ (fit_honesty.hpp, (2)) is the number of samples per independent
/// error, so that n/τ of them count. Both are those of the fit unless they are given. Priors are the user's.
/// Slopes are exact (machines/friction/model_kernel.hpp), but for a free play, which is a central difference.
/// Not here: parameters that follow load, pressure or position.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "identification/identify.hpp"

namespace stickslip::inline identification {

/// One free number of a model, SI.
struct FreeParameter {
  std::string key, unit;
  double value = 0;          // as fitted
  double low = 0, high = 0;  // outside, the likelihood is 0
};

struct LikelihoodOptions {
  double noise = 0;        // σ [N]; 0: that of the fit
  double correlation = 0;  // τ; 0: that of the fit's errors
};

class Likelihood {
 public:
  /// Of a fitted model on the estimation samples of `sets`; numbers that were not estimated stay fixed. Throws Error for a model
  /// without free parameters or with some that follow a quantity.
  Likelihood(const Sets& sets, const IdentifiedModel& model, const LikelihoodOptions& options = {});
  ~Likelihood();
  Likelihood(const Likelihood&) = delete;
  Likelihood& operator=(const Likelihood&) = delete;

  const std::vector<FreeParameter>& parameters() const;
  double noise() const;        // σ [N]
  double correlation() const;  // τ
  std::size_t samples() const;

  /// (1); −infinity outside the bounds and where the model refuses the values. Throws Error for a wrong number of them.
  double value(std::span<const double> parameters) const;
  /// The same, and (2); NaN where (1) is −infinity.
  double value(std::span<const double> parameters, std::span<double> gradient) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace stickslip::inline identification
