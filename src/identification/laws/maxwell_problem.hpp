/// Maxwell-slip regression, NLR(M) and DNLRX(M, n, n_x): thresholds are searched, everything else is solved.
///   δ_i(t) = clip(δ_i(t−1) + x(t) − x(t−1), −Δ_i, Δ_i)                                            (1)
///   F(t) = Σ_{r≤n_x} C_r ∇^r x(t) + Σ_i Σ_{r≤n} Θ_ri ∇^r δ_i(t) + b,   ∇ y(t) = y(t) − y(t−1)       (2)
///   ∂δ_i/∂Δ_i = s_i: +1 from slipping forward, −1 from slipping backward, kept while it sticks     (3)
/// Rizos 2005 eq 4, 11-14. (2) spans the same forces as the paper's lags and is far better conditioned: lags of a smooth signal
/// are almost the same column, its differences are not. With n = 0 and no x it is NLR. Every operator starts at its
/// threshold, in the direction of the motion (t_cr). Where operator i touches its threshold exactly, (3) is one of the
/// two one-sided slopes.
#pragma once

#include <optional>

#include "core/contact.hpp"
#include "identification/motion_force.hpp"
#include "identification/search/separable_problem.hpp"
#include "models/extended_maxwell_slip.hpp"
#include "models/maxwell_slip.hpp"

namespace stickslip::inline identification {

/// DNLRX(operators, deflection_lags, position_lags); NLR(operators) has no lag and no position.
struct MaxwellOrder {
  std::size_t operators = 4;
  std::size_t deflection_lags = 0;             // n
  std::optional<std::size_t> position_lags{};  // n_x; none: no position at all

  std::size_t parameters() const {
    return operators * (deflection_lags + 2) + (position_lags ? *position_lags + 1 : 0) + 1;
  }
};

/// Whether the factors of NLR's deflections must be springs. DNLRX's are free: they carry dynamics.
enum class StiffnessSigns { non_negative, free };

struct MaxwellBounds {
  double lowest = 0, highest = 0;  // of thresholds [m]
  StiffnessSigns signs = StiffnessSigns::non_negative;
};

class MaxwellProblem : public SeparableProblem {
 public:
  /// Throws Error if the order does not fit the model file or the bounds are senseless. The data must outlive it.
  MaxwellProblem(const MotionForce& data, MaxwellOrder order, MaxwellBounds bounds, Direction start);

  const std::vector<Searched>& searched() const override { return searched_; }
  const std::vector<Solved>& solved() const override { return solved_; }
  std::size_t rows() const override { return data_.size() - past_; }
  void start(std::span<const double> thresholds) override;
  void start_with_slopes(std::span<const double> thresholds, std::span<const double> factors) override;
  void next(Eigen::Index count, Eigen::MatrixXd& block) override;
  bool products_in_lanes(std::span<const double> thresholds, std::span<double> products) const override;

  const MaxwellOrder& order() const { return order_; }
  const MaxwellBounds& bounds() const { return bounds_; }
  const MotionForce& data() const { return data_; }
  Direction direction() const { return direction_; }
  /// λ − 1: the first row is this sample, because it needs so many before it.
  std::size_t past() const { return past_; }

 private:
  void begin(std::span<const double> thresholds);

  MotionForce data_;
  MaxwellOrder order_;
  MaxwellBounds bounds_;
  Direction direction_;
  std::size_t past_, lags_;
  std::vector<double> steps_, lane_positions_;  // x(t) − x(t−1) and ∇^r x(t), where lanes need them
  std::vector<Searched> searched_;
  std::vector<Solved> solved_;
  bool slopes_ = false;
  std::size_t sample_ = 0;                               // the next one
  std::vector<double> threshold_, deflection_;           // Δ_i, δ_i
  std::vector<double> slope_;                            // s_i, eq. (3)
  std::vector<double> differences_, slope_differences_;  // ∇^r δ_i and ∇^r s_i, newest
  std::vector<double> position_differences_, factors_;
};

/// The model files of a solution, in the paper's lags.
maxwell_slip::Model<double> maxwell_slip_model(const MaxwellProblem& problem, std::span<const double> thresholds,
                                               std::span<const double> factors);
extended_maxwell_slip::Model<double> extended_maxwell_slip_model(const MaxwellProblem& problem,
                                                                 std::span<const double> thresholds,
                                                                 std::span<const double> factors, double sampling_time);

}  // namespace stickslip::inline identification
