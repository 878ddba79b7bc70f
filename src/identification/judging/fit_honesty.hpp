/// Uncertainty of a fit: intervals, bootstrap, profile likelihood, whiteness.
///   C = τ σ² (AᵀA)⁻¹,  σ² = J/(n − p),  A = ∂F̂/∂p over the free parameters                                      (1)
///   τ = 1 + 2 Σ_k ρ_k, the number of samples per independent error: n/τ of them count as independent                (2)
///       (ρ_k: correlation of errors k samples apart; the sum ends where ρ_k + ρ_{k+1} turns negative)
///   profile: J of the others with one parameter held; 95 % where J = J_min + 1.96² s²/[(JᵀJ)⁻¹]_kk, s the standard error (3)
///   bootstrap: residuals drawn in blocks longer than their correlation, added to the prediction, fitted again      (4)
///   Ljung-Box: Q = n (n + 2) Σ_{k≤h} ρ_k²/(n − k) against χ²_h                                                    (5)
///   laws that truly stick:  C = (AᵀA)⁻¹ V (AᵀA)⁻¹,  V = Σ_k (1 − k/M) Σ_i A_i A_{i+k} e_i e_{i+k}, summed over |k| < M     (6)
///       M: four periods of the low-pass, or four times the lags of (2). Their errors are the force's noise and, smaller, that
///       of mass times acceleration, whose correlation turns negative after a period of the low-pass: (2) sees only the
///       positive part. Rests do not count in A; releases count as one, each with the spread of its bracket, √(width²/12).
/// A prior is one more residual with the strength q of one error (prior_rounds.hpp): its row is part of A, it adds q² times its row's square to
/// V, and in the repetitions of (4) its mean is drawn anew, with its own standard deviation about the value that was found.
/// n counts samples that are compared with equality: at rest a law that sticks is right by definition.
/// (3) equals (1) for a parameter the force is linear in. C. J. Geyer, Statistical Science 7, 1992 (the end of the sum in
/// (2)); G. M. Ljung, G. E. P. Box, Biometrika 65, 1978; H. R. Kuensch, Annals of Statistics 17, 1989 (blocks).
#pragma once

#include <functional>

#include "core/random.hpp"
#include "identification/laws/model_fit.hpp"

namespace stickslip::inline identification {

/// ρ_1 ... ρ_most.
std::vector<double> autocorrelation(const Eigen::VectorXd& errors, std::size_t most);
/// (2).
double correlation_time(const Eigen::VectorXd& errors);
/// (5): the probability of errors at least as correlated as these if they were white.
double whiteness(const Eigen::VectorXd& errors, std::size_t lags = 20);
/// P(χ²_k > x).
double chi_squared_beyond(double x, double degrees);

/// At rest a law that truly sticks is bounded by an inequality, which gives no information on one side of the estimate. Such rows become 0.
void drop_rest(const ModelResiduals& residuals, Eigen::MatrixXd& slopes);
/// V of (6), of any columns beside the residuals.
Eigen::MatrixXd score_variance(const ModelResiduals& residuals, const std::vector<double>& y,
                               const Eigen::VectorXd& errors, const Eigen::MatrixXd& slopes);

/// (AᵀA)⁻¹ of (1), in values of the parameters, over those that are not at a bound; empty if the fit is not valid.
Eigen::MatrixXd inverse_products(const ModelResiduals& residuals, const ModelFit& found);

/// The square of a prior's strength for every unknown: the variance of one error, times how much more slowly such errors average out along its
/// column than white ones would. Of residuals without priors; empty if the fit is not valid. `white_noise` as below.
Eigen::VectorXd error_strengths(const ModelResiduals& residuals, const ModelFit& found, double white_noise);

/// What is known beforehand, drawn as in a repetition in which these numbers were true. Without priors nothing is drawn.
void draw_priors(ModelResiduals& residuals, const std::vector<double>& truth, Random& random);

/// `white_noise`: standard deviation of the part of the errors that is certainly white, the force's noise; a lower bound for
/// (6). If unknown, all errors count as white at least.
Confidence fit_confidence(const ModelResiduals& residuals, const ModelFit& found, double white_noise = unbounded);

/// How independent fits are distributed.
struct ManyFits {
  unsigned threads = 0;                       // 0: all cores
  Workers* workers = nullptr;                 // instead of threads here
  const std::atomic<bool>* cancel = nullptr;  // ends soon, with the results so far
};
/// Makes fits and takes their numbers, one after the other in any order. Every program receives every fit, so that all continue with
/// the same numbers; a fit that was left out is received by none.
void for_each_fit(const ManyFits& how, std::size_t fits, const std::function<std::vector<double>(std::size_t)>& fit,
                  const std::function<void(std::size_t, std::vector<double>)>& take);
/// (4); verdicts and the covariance are those of the repetitions.
Confidence fit_bootstrap(const ModelResiduals& residuals, const ModelFit& found, std::size_t repetitions,
                         std::uint64_t seed, const ManyFits& how);
/// (3). Throws Error for a key that is not free.
Profile fit_profile(const ModelResiduals& residuals, const ModelFit& found, const Confidence& confidence,
                    const std::string& key, const std::atomic<bool>* cancel);
/// One of each.
std::vector<Profile> fit_profiles(const ModelResiduals& residuals, const ModelFit& found, const Confidence& confidence,
                                  const std::vector<std::string>& keys, const ManyFits& how);

/// An interval reaches at least as far as its profile.
void widen_to_profiles(Confidence& confidence, const std::vector<Profile>& profiles);

}  // namespace stickslip::inline identification
