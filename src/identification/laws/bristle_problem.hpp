/// LuGre regression, LG: the searched parameters shape the bristle deflection, the others are its factors.
///   z(t) = z_∞ + (z(t−1) − z_∞) exp(−|v| T_s / s(v)),  z_∞ = sgn(v) s(v)     exact while v is held     (1)
///   s(v) = a₁ + a₂ / (1 + |v/v_s|^μ),   a₁ = F_C/σ₀,  a₂ = (F_S − F_C)/σ₀                               (2)
///   F(t) = σ₀ z + σ₁ (v − |v| z / s(v)) + σ₂ v + b                                                     (3)
/// g = [z(0), a₁, a₂, v_s, μ], θ = [σ₀, σ₁, σ₂, b]. Rizos 2005 eq 1-3, 9-10; the derivatives run through (1) exactly. v is the
/// first difference of the displacement, low-passed without phase first where a cutoff is given.
/// Not modelled: anything LuGre does not (true rest, non-local memory); the exponential form of (2).
#pragma once

#include "core/contact.hpp"
#include "identification/motion_force.hpp"
#include "identification/search/separable_problem.hpp"
#include "models/lugre.hpp"

namespace stickslip::inline identification {

/// First difference over the step that ends at each sample; the first sample takes that of the second. A cutoff of 0
/// leaves the displacement as it is. Throws Error for uneven sampling or a cutoff beyond half the sampling rate.
std::vector<double> difference_velocity(std::span<const double> time, std::span<const double> position,
                                        double cutoff_hz, int order = 4);

enum class FactorSigns { non_negative, free };  // of σ₀, σ₁, σ₂

class BristleProblem : public SeparableProblem {
 public:
  /// `start` is the direction of the motion that led to the first sample (t_cr). Throws Error for unusable data.
  BristleProblem(const MotionForce& data, std::span<const double> velocity, Direction start,
                 FactorSigns signs = FactorSigns::non_negative);

  const std::vector<Searched>& searched() const override { return searched_; }
  const std::vector<Solved>& solved() const override { return solved_; }
  std::size_t rows() const override { return data_.size(); }
  void start(std::span<const double> searched) override;
  void start_with_slopes(std::span<const double> searched, std::span<const double> solved) override;
  void next(Eigen::Index count, Eigen::MatrixXd& block) override;
  bool products_in_lanes(std::span<const double> searched, std::span<double> products) const override;

  Direction direction() const { return direction_; }

 private:
  template <class T>
  struct Shape {
    T z, a1, a2, log_stribeck, mu;
  };
  static constexpr std::size_t shape_count = 5;
  using Slopes = Dual<shape_count>;

  template <class T>
  struct Row {
    T z, z_rate;
  };
  template <class T>
  Row<T> advance(Shape<T>& shape) const;

  MotionForce data_;
  std::vector<double> velocity_, log_speed_;
  double sampling_time_;
  Direction direction_;
  std::vector<Searched> searched_;
  std::vector<Solved> solved_;
  bool slopes_ = false;
  std::size_t sample_ = 0;
  Shape<double> plain_{};
  Shape<Slopes> sloped_{};
  double stiffness_ = 0, damping_ = 0;
  mutable std::vector<double> shapes_;  // candidates with ln v_s; grows to the largest batch and stays
};

/// The model file of a solution; the offset b has no place in it and is left to the caller.
lugre::Model<double> lugre_model(std::span<const double> searched, std::span<const double> solved);

}  // namespace stickslip::inline identification
