/// The static friction curve through steady points, for each direction of sliding on its own.
///   F(v, q) = F_C + Σ_j c_j q^j + (F_S − F_C) φ(|v|/v_S) + F_v |v|                                                (1)
/// q, if asked for: the load, the pressure, or the temperature less a reference
///   φ(u) = exp(−u^a)  or  1/(1 + u^a);  without φ a straight line, without φ and F_v a constant                   (2)
/// For each v_S the rest is linear and solved inside bounds (F_C ≥ 0, F_v ≥ 0, 0 ≤ F_S ≤ ten times the largest force); v_S is
/// searched. F_S < F_C is allowed: friction that rises with speed is real.
///   covariance = s² (Jᵀ J)⁻¹,  s² = Σ e² / (points − parameters)                                                 (3)
/// The forms are ranked on conditions (speed, load, pressure, temperature) left out of the fit one after the other; the simplest
/// within the noise of the best is recommended, noise being one standard error of the paired squared errors.
/// Tran 2014 eq 1-4 and section 3.1: static parameters from constant speeds, per direction.
/// Not here: what happens while the speed changes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/contact.hpp"
#include "core/variation.hpp"
#include "identification/experiments/steady_points.hpp"
#include "identification/judging/estimates.hpp"
#include "machines/friction/friction.hpp"

namespace stickslip::inline identification {

enum class CurveForm { constant, line, exponential, rational };

struct CurveShape {
  CurveForm form = CurveForm::exponential;
  double exponent = 2;  // a of eq. (2)
};
/// "constant", "line", "exponential, a = 2".
std::string name_of(const CurveShape& shape);

/// A force that is the same in both directions is a load, or friction that depends on the direction; constant speeds cannot separate them.
/// If friction would otherwise drive the motion in one direction it is a load (a vertical axis).
enum class ConstantLoad { where_needed, subtracted, kept };

struct CurveOptions {
  ConstantLoad constant_load = ConstantLoad::where_needed;
  std::optional<Quantity> over = {};  // the level follows load, pressure or temperature
  std::size_t degree = 1;             // of the polynomial over it
  std::vector<CurveShape> shapes{
      {CurveForm::constant, 1},      {CurveForm::line, 1},     {CurveForm::exponential, 2}, {CurveForm::exponential, 1},
      {CurveForm::exponential, 0.5}, {CurveForm::rational, 2}, {CurveForm::rational, 1}};
};

/// Eq. (1), fitted.
struct CurveFit {
  CurveShape shape;
  double coulomb = 0, stiction = 0, stribeck_velocity = 0, viscosity = 0;
  std::vector<double> slopes;       // c_1, c_2, ... over q
  std::vector<Estimate> estimates;  // with standard errors and verdicts, keys as in model files
  std::size_t parameters = 0;
  double rms = 0;                       // over all points [N]
  double held_out_rms = 0;              // over conditions left out [N]; infinite where too few to leave one out
  std::vector<double> held_out_errors;  // squared, one per condition [N²]

  double at(double speed, double q) const;  // [N], speed without sign
};

struct DirectionCurve {
  Direction direction = Direction::forward;
  std::vector<SteadyPoint> points;
  std::size_t conditions = 0;
  std::vector<CurveFit> fits;   // best on held-out conditions first
  std::size_t recommended = 0;  // the simplest within the noise of the best
  const CurveFit& best() const { return fits[recommended]; }
};

/// Forward and backward at the same condition.
struct CurvePair {
  double speed = 0, q = 0;                   // means of both
  double half_difference = 0, modelled = 0;  // (F_forward − F_backward)/2, measured and by the recommended fits [N]
  double offset = 0;                         // (F_forward + F_backward)/2 [N]
};

struct StaticCurve {
  std::optional<DirectionCurve> forward, backward;
  std::optional<Quantity> over;
  double reference = 0;  // q counts from here [K]
  std::vector<CurvePair> pairs;
  std::optional<CurveFit> friction;           // through the half differences, where levels follow a quantity
  double asymmetry = 0, asymmetry_error = 0;  // mean of F_forward + F_backward over the pairs [N], standard error
  double constant_load = 0,
         constant_load_error = 0;  // subtracted from all points beforehand [N], standard error; 0: none
};

/// What is recorded of the quantity at a point.
double recorded_at(const SteadyPoint& point, Quantity quantity);

/// Throws Error with fewer points than any form needs.
StaticCurve static_curve(const std::vector<SteadyPoint>& points, const CurveOptions& options = {});

/// The curve as the friction model `stribeck`, each direction with its own set. Over a quantity both directions
/// share one law, that of the half differences: a force that is the same forward and backward is no friction. Throws Error for
/// curves that one model cannot hold.
FrictionSettings settings_of(const StaticCurve& curve);

}  // namespace stickslip::inline identification
