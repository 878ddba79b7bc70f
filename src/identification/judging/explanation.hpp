/// Whether a fitted model explains a recording, and if not, what the residuals indicate.
///   U = Σ e² / Σ (F − mean F)² · 100 %, over the samples that move and were not fitted to                          (1)
///   U ≤ 10 %: explained; up to 50 %: weak; above: no model explains the recording                                 (2)
///   test error far above the validation error: more than twice its rms, with more than 1 % of the force unexplained (3)
///   contribution of a term t: the share of Σ (e − mean e)² that the mean of e over t explains; from 20 % on it is named (4)
/// Terms of (4): acceleration (inertia), position (a load that follows it), position in the direction of motion (friction
/// that follows it), time in the direction of motion (friction that drifts: warming up, running in), a constant (where none
/// was fitted). The relation of the force to the motion itself is
///   F ≈ a + b sgn(v) + c v: Σ (F − a) v < −0.3 Σ |(F − a) v| drives; next to nothing explained is no friction      (5)
/// A force that drives the motion is no friction force: unless it is explained, nothing is recommended.
///   fewer than one sample in ten that can be distinguished from rest: the position is too coarse                   (6)
/// At rest, laws that truly stick have no error by definition; samples at rest are not counted here.
#pragma once

#include <string>
#include <vector>

namespace stickslip::inline identification {

enum class Explained { well, weakly, not_at_all };
std::string_view name_of(Explained verdict);  // "explained", "weak", "no model explains this recording"

inline constexpr double weak_above = 10, unexplained_above = 50;  // [%], (2)
inline constexpr double far_above = 2;                            // (3)

/// Samples that move, of one kind: those that judge, or all that are scored.
struct Evidence {
  std::vector<double> force, error;                      // F, F − F̂ [N]
  std::vector<double> position, velocity, acceleration;  // [m], [m/s], [m/s²]
  std::vector<double> time;                              // [s]; empty: not known
  void add(double f, double e, double x, double v, double a) {
    force.push_back(f), error.push_back(e), position.push_back(x), velocity.push_back(v), acceleration.push_back(a);
  }
};

/// (1) [%]; infinity where nothing moves or the force never changes.
double unexplained(const std::vector<double>& force, const std::vector<double>& error);

struct Explanation {
  Explained verdict = Explained::well;
  double unexplained = 0;            // (1) [%]
  double test_over_validation = 0;   // (3): rms over rms; 0 where it is not far above
  std::string headline;              // a sentence for the top of the output, "" if none is needed
  std::vector<std::string> reasons;  // what the residuals indicate, and what to try
};

/// What is known of the recording and of how it was prepared.
struct ExplanationContext {
  std::string label;                                                    // of the model
  std::string force_unit = "N", mass_unit = "kg", position_unit = "m";  // in sentences
  bool held_out = true;                                                 // false: (1) is of fitted samples
  bool one_way = false, goes_forward = true;                            // hardly moves the other way
  bool has_offset = true;                                               // one was fitted
  bool turned = false;                                                  // --invert-force was given
  double mass = 0;                                                      // subtracted [kg]
  double moving = 1;                                              // share of the scored samples that differ from rest
  double resolution = 0;                                          // of the position [m]
  double validation_rms = 0, test_rms = 0, test_unexplained = 0;  // [N], [N], [%]; 0: no such set
};

/// `judges`: the samples of (1); `all`: every scored sample that moves.
Explanation explanation(const Evidence& judges, const Evidence& all, const ExplanationContext& context);

}  // namespace stickslip::inline identification
