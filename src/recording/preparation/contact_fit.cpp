/// Least squares over lag and distance; see contact_fit.hpp.
#include "recording/preparation/contact_fit.hpp"

#include <Eigen/Core>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/normal_equations.hpp"
#include "recording/preparation/even_grid.hpp"

namespace stickslip::inline recordings {
namespace {

constexpr std::size_t columns = 4;  // 1, z, v, a
using Row = Eigen::Matrix<double, columns, 1>;
using Gram = Eigen::Matrix<double, columns, columns>;
constexpr double fine_step = 0.05;  // samples

/// The regressors of (1) for one distance, not shifted.
struct Regressors {
  std::vector<double> state, velocity, acceleration;
};

/// Eq. (2), exact for a motion that is straight between samples.
std::vector<double> built_up(std::span<const double> x, std::span<const double> v, double distance) {
  std::vector<double> z(x.size());
  double state = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double moved = i == 0 ? 0 : x[i] - x[i - 1];
    if (distance > 0) {
      const double way = moved > 0 ? 1 : -1;
      state = way + (state - way) * std::exp(-std::abs(moved) / distance);
    } else {
      state = v[i] > 0 ? 1 : v[i] < 0 ? -1 : state;
    }
    z[i] = state;
  }
  return z;
}

struct Solution {
  Row values = Row::Zero();
  Gram inverse = Gram::Zero();
  double squares = std::numeric_limits<double>::infinity();  // left over
};

/// The search over lag and distance on one window.
class Search {
 public:
  Search(const MotionSamples& s, const ContactFitOptions& options) : options_(options), step_(s.sampling_time) {
    const std::size_t n = s.force.size(), window = std::min(n, options.window), first = (n - window) / 2;
    x_ = s.position.subspan(first, window), v_ = s.velocity.subspan(first, window);
    a_ = s.acceleration.subspan(first, window), f_ = s.force.subspan(first, window);
    reach_ = options.find_lag ? std::min(options.reach, window / 8) : 0;
    const auto [low, high] = std::minmax_element(x_.begin(), x_.end());
    range_ = *high - *low;
    for (const double f : f_) mean_ += f / double(window);
    for (const double f : f_) variance_ += (f - mean_) * (f - mean_);
  }

  ContactFit found() {
    ContactFit fit;
    if (!(variance_ > 0) || !(range_ > 0) || x_.size() < 32) return fit;
    // Distances from a sliding contact to one that never slides; 0 is Coulomb's.
    const std::array<double, 8> distances{0, 3e-5, 3e-4, 3e-3, 0.01, 0.03, 0.1, 0.3};
    Start coulomb, rising;
    for (const double share : distances) {
      const auto [lag, squares] = best_whole_lag(share * range_);
      Start& start = share == 0 ? coulomb : rising;
      if (squares < start.squares) start = {share * range_, lag, squares};
    }
    refine(coulomb);
    refine(rising);
    const auto [best_distance, best_lag, least] = coulomb.squares <= rising.squares ? coulomb : rising;
    if (reach_ > 0) refined_lag(best_distance, best_lag, fit);
    const Solution best = solve(best_distance, best_lag);
    const Solution at_once = solve(refined_distance(best_distance, 0), 0);
    fill(fit, best, best_distance, best_lag);
    fit.left_at_once = at_once.squares / variance_;
    return fit;
  }

 private:
  struct Start {
    double distance = 0, lag = 0, squares = std::numeric_limits<double>::infinity();
  };
  /// Lag and distance in turns: a build-up over a distance and a lag look similar, so each needs the other's best value.
  void refine(Start& start) const {
    ContactFit unused;
    for (int round = 0; round < 3; ++round) {
      start.distance = refined_distance(start.distance, start.lag);
      if (reach_ > 0) start.lag = refined_lag(start.distance, start.lag, unused);
      if (start.distance == 0) break;
    }
    start.squares = solve(start.distance, start.lag).squares;
  }

  std::size_t first() const { return reach_ + 2; }
  std::size_t last() const { return x_.size() - reach_ - 2; }

  template <class State, class Velocity, class Acceleration>
  Solution least_squares(const State& z, const Velocity& v, const Acceleration& a) const {
    Gram gram = Gram::Zero();
    Row right = Row::Zero();
    double ff = 0;
    for (std::size_t i = first(); i < last(); ++i) {
      const double f = f_[i] - mean_;
      const Row row(1, z(i), v(i), options_.fit_mass ? a(i) : 0.0);
      gram.noalias() += row * row.transpose();
      right += f * row;
      ff += f * f;
    }
    // Columns on one scale; one that never changes (no inertia, no motion) is left out by the decomposition.
    Row scale = gram.diagonal().cwiseSqrt();
    for (double& s : scale) s = s > 0 ? 1 / s : 0;
    const Gram scaled = scale.asDiagonal() * gram * scale.asDiagonal();
    Solution solution;
    const Row scaled_right = scale.asDiagonal() * right, values = least_solution(scaled, scaled_right);
    solution.values = scale.asDiagonal() * values;
    const Gram inverse = pseudo_inverse(scaled);
    solution.inverse = scale.asDiagonal() * inverse * scale.asDiagonal();
    solution.squares = std::max(0.0, ff - values.dot(scaled_right));
    return solution;
  }

  std::pair<double, double> best_whole_lag(double distance) const {
    const std::vector<double> z = built_up(x_, v_, distance);
    double best = 0, least = std::numeric_limits<double>::infinity();
    const auto reach = std::ptrdiff_t(reach_);
    for (std::ptrdiff_t lag = -reach; lag <= reach; ++lag) {
      const auto at = [&](const auto& values) {
        return [&values, lag](std::size_t i) { return values[std::size_t(std::ptrdiff_t(i) - lag)]; };
      };
      const double squares = least_squares(at(z), at(v_), at(a_)).squares;
      // Of two that are as good the smaller one.
      if (squares < least || (squares == least && std::abs(double(lag)) < std::abs(best)))
        least = squares, best = double(lag);
    }
    return {best, least};
  }

  Regressors at_lag(double distance, double lag) const {
    if (lag == 0) return {built_up(x_, v_, distance), {v_.begin(), v_.end()}, {a_.begin(), a_.end()}};
    const std::vector<double> x = shifted(x_, lag);
    Regressors r{{}, shifted(v_, lag), shifted(a_, lag)};
    r.state = built_up(x, r.velocity, distance);
    return r;
  }

  Solution solve(double distance, double lag) const {
    const Regressors r = at_lag(distance, lag);
    const auto at = [](const std::vector<double>& values) { return [&values](std::size_t i) { return values[i]; }; };
    return least_squares(at(r.state), at(r.velocity), at(r.acceleration));
  }

  /// Golden section in log d around a distance of the coarse row.
  double refined_distance(double distance, double lag) const {
    if (distance == 0) return 0;
    const double golden = 0.6180339887498949;
    double low = std::log(distance / 4), high = std::log(std::min(distance * 4, range_));
    const auto cost = [&](double log_d) { return solve(std::exp(log_d), lag).squares; };
    double a = high - golden * (high - low), b = low + golden * (high - low), at_a = cost(a), at_b = cost(b);
    while (high - low > 0.02) {
      if (at_a < at_b)
        high = b, b = a, at_b = at_a, a = high - golden * (high - low), at_a = cost(a);
      else
        low = a, a = b, at_a = at_b, b = low + golden * (high - low), at_b = cost(b);
    }
    return std::exp(0.5 * (low + high));
  }

  /// The vertex of the parabola through the squares within a sample of the best of a fine grid.
  double refined_lag(double distance, double lag, ContactFit& fit) const {
    const double limit = double(reach_);
    std::vector<double> at, squares;
    for (double s = lag - 2; s <= lag + 2 + 1e-9; s += fine_step)
      if (std::abs(s) <= limit) at.push_back(s), squares.push_back(solve(distance, s).squares);
    const auto least = std::min_element(squares.begin(), squares.end());
    const double best = at[std::size_t(least - squares.begin())];
    Eigen::Matrix3d gram = Eigen::Matrix3d::Zero();
    Eigen::Vector3d right = Eigen::Vector3d::Zero();
    for (std::size_t i = 0; i < at.size(); ++i) {
      const double s = at[i] - best;
      if (std::abs(s) > 1) continue;
      const Eigen::Vector3d row(1, s, s * s);
      gram += row * row.transpose();
      right += squares[i] * row;
    }
    const Eigen::Vector3d p = gram.inverse() * right;
    const bool inside = std::abs(best) < limit - 0.5 && p[2] > 0;
    const double vertex = inside ? best + std::clamp(-p[1] / (2 * p[2]), -1.0, 1.0) : best;
    const double variance = *least / effective_samples(distance, vertex);
    fit.lag_error = p[2] > 0 ? std::sqrt(variance / p[2]) * step_ : std::numeric_limits<double>::infinity();
    fit.lag_found = inside && std::abs(vertex) * step_ > 2 * fit.lag_error;
    return vertex;
  }

  /// Samples over the memory of the residual, (1 + ρ)/(1 − ρ) of its first autocorrelation.
  double effective_samples(double distance, double lag) const {
    const Regressors r = at_lag(distance, lag);
    const Solution s = solve(distance, lag);
    double previous = 0, squares = 0, products = 0;
    for (std::size_t i = first(); i < last(); ++i) {
      const double error = f_[i] - mean_ - s.values[0] - s.values[1] * r.state[i] - s.values[2] * r.velocity[i] -
                           s.values[3] * r.acceleration[i];
      squares += error * error;
      if (i > first()) products += error * previous;
      previous = error;
    }
    const double memory = squares > 0 ? std::clamp(products / squares, 0.0, 0.999) : 0;
    return std::max(8.0, double(last() - first()) * (1 - memory) / (1 + memory));
  }

  void fill(ContactFit& fit, const Solution& best, double distance, double lag) const {
    fit.lag = lag * step_;
    fit.distance = distance;
    fit.offset = best.values[0] + mean_;
    fit.level = best.values[1], fit.viscosity = best.values[2], fit.mass = best.values[3];
    fit.left = best.squares / variance_;
    fit.offset_error = std::sqrt(best.squares / effective_samples(distance, lag) * best.inverse(0, 0));
  }

  ContactFitOptions options_;
  double step_;
  std::span<const double> x_, v_, a_, f_;
  std::size_t reach_ = 0;
  double range_ = 0, mean_ = 0, variance_ = 0;
};

}  // namespace

ContactFit contact_fit(const MotionSamples& samples, const ContactFitOptions& options) {
  return Search(samples, options).found();
}

}  // namespace stickslip::inline recordings
