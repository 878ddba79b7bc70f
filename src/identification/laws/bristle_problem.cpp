#include "identification/laws/bristle_problem.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/error.hpp"
#include "core/filter.hpp"
#include "core/scalar.hpp"
#include "identification/lanes/lane_products.hpp"
#include "identification/search/bounded_least_squares.hpp"

namespace stickslip::inline identification {

std::vector<double> difference_velocity(std::span<const double> time, std::span<const double> position,
                                        double cutoff_hz, int order) {
  const double sampling_time = even_sampling_time(time);
  std::vector<double> smooth(position.begin(), position.end());
  if (cutoff_hz != 0)
    smooth = filtered_both_ways(butterworth(Pass::low, order, cutoff_hz, 1 / sampling_time), position);
  std::vector<double> velocity(smooth.size());
  for (std::size_t i = 1; i < smooth.size(); ++i) velocity[i] = (smooth[i] - smooth[i - 1]) / sampling_time;
  velocity[0] = velocity[1];
  return velocity;
}

BristleProblem::BristleProblem(const MotionForce& data, std::span<const double> velocity, Direction start,
                               FactorSigns signs)
    : data_(data),
      velocity_(velocity.begin(), velocity.end()),
      sampling_time_(even_sampling_time(data.time)),
      direction_(start) {
  require_usable(data, 16);
  if (velocity.size() != data.size())
    throw Error("lugre regression: " + std::to_string(velocity.size()) + " velocities for " +
                std::to_string(data.size()) + " samples; they must be equally many");
  double fastest = 0;
  for (const double v : velocity_) {
    if (!std::isfinite(v)) throw Error("lugre regression: a velocity is not finite; recordings must be finite");
    fastest = std::max(fastest, std::fabs(v));
    log_speed_.push_back(std::log(std::max(std::fabs(v), 1e-290)));  // standstill: every power of it is 0
  }
  const double reach = half_range(data.position);
  if (!(reach > 0) || !(fastest > 0)) throw Error("lugre regression: the position never changes; record a motion");
  // Rizos 2005 section 4: z(0) on the side of the motion and within it, v_s small against the fastest speed, μ up to 5.
  const bool is_forward = start == Direction::forward;
  searched_ = {{"initial deflection", is_forward ? 0 : -reach, is_forward ? reach : 0, Scale::linear},
               {"a1", 1e-4 * reach, reach, Scale::logarithmic},
               {"a2", 0, reach, Scale::linear},
               {"stribeck_velocity", 1e-4 * fastest, fastest, Scale::logarithmic},
               {"stribeck_exponent", 0.1, 5, Scale::linear}};
  const double least = signs == FactorSigns::non_negative ? 0 : -unbounded;
  solved_ = {{"bristle_stiffness", least, unbounded},
             {"bristle_damping", least, unbounded},
             {"viscosity", least, unbounded},
             {"offset", -unbounded, unbounded}};
}

/// Eq. (1) and (2) for the next sample.
template <class T>
BristleProblem::Row<T> BristleProblem::advance(Shape<T>& shape) const {
  const double v = velocity_[sample_], speed = std::fabs(v);
  const T ratio = exp(shape.mu * (log_speed_[sample_] - shape.log_stribeck));
  const T level = shape.a1 + shape.a2 / (1 + ratio);
  const T per_length = 1 / level;
  if (sample_ > 0) {
    const T steady = sign(v) * level;
    shape.z = steady + (shape.z - steady) * exp(-(speed * sampling_time_) * per_length);
  }
  return {shape.z, v - speed * shape.z * per_length};
}

void BristleProblem::start(std::span<const double> g) {
  slopes_ = false;
  sample_ = 0;
  plain_ = {g[0], g[1], g[2], std::log(g[3]), g[4]};
}

void BristleProblem::start_with_slopes(std::span<const double> g, std::span<const double> theta) {
  slopes_ = true;
  sample_ = 0;
  sloped_ = {Slopes::variable(g[0], 0), Slopes::variable(g[1], 1), Slopes::variable(g[2], 2),
             Slopes::variable(std::log(g[3]), 3), Slopes::variable(g[4], 4)};
  sloped_.log_stribeck.slope[3] = 1 / g[3];
  stiffness_ = theta[0];
  damping_ = theta[1];
}

void BristleProblem::next(Eigen::Index count, Eigen::MatrixXd& block) {
  for (Eigen::Index row = 0; row < count; ++row, ++sample_) {
    Eigen::Index column = 0;
    if (slopes_) {
      const auto [z, z_rate] = advance(sloped_);
      block(row, 0) = z.value;
      block(row, 1) = z_rate.value;
      for (std::size_t k = 0; k < shape_count; ++k)
        block(row, 4 + static_cast<Eigen::Index>(k)) = stiffness_ * z.slope[k] + damping_ * z_rate.slope[k];
      column = 4 + static_cast<Eigen::Index>(shape_count);
    } else {
      const auto [z, z_rate] = advance(plain_);
      block(row, 0) = z;
      block(row, 1) = z_rate;
      column = 4;
    }
    block(row, 2) = velocity_[sample_];
    block(row, 3) = 1;
    block(row, column) = data_.force[sample_];
  }
}

bool BristleProblem::products_in_lanes(std::span<const double> g, std::span<double> products) const {
  static_assert(bristle_shape_size == shape_count);
  shapes_.assign(g.begin(), g.end());
  for (std::size_t i = 3; i < shapes_.size(); i += shape_count) shapes_[i] = std::log(shapes_[i]);
  sum_products(BristleProducts{.velocity = velocity_,
                               .log_speed = log_speed_,
                               .force = data_.force,
                               .sampling_time = sampling_time_,
                               .shapes = shapes_,
                               .products = products});
  return true;
}

lugre::Model<double> lugre_model(std::span<const double> g, std::span<const double> theta) {
  lugre::Model<double> model;
  model.bristle_stiffness = theta[0];
  model.bristle_damping = theta[1];
  model.viscosity = theta[2];
  model.coulomb_force = theta[0] * g[1];
  model.stiction_force = theta[0] * (g[1] + g[2]);
  model.stribeck_velocity = g[3];
  model.stribeck_exponent = g[4];
  model.stribeck_form = StribeckForm::rational;
  return model;
}

}  // namespace stickslip::inline identification
