/// See sampled_loop.hpp.
#include "compensate/sampled_loop.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "exports/scales.hpp"
#include "machines/friction/steady_curve.hpp"

namespace stickslip::inline compensation {
namespace {

/// exp(A) by its series, after halving until the series is short.
Eigen::MatrixXd exponential(const Eigen::MatrixXd& a) {
  int halvings = 0;
  for (double size = a.cwiseAbs().rowwise().sum().maxCoeff(); size > 0.5; size *= 0.5) ++halvings;
  const Eigen::MatrixXd small = a * std::ldexp(1.0, -halvings);
  Eigen::MatrixXd term = Eigen::MatrixXd::Identity(a.rows(), a.cols()), sum = term;
  for (int k = 1; k <= 16; ++k) {
    term = term * small / double(k);
    sum += term;
  }
  for (int k = 0; k < halvings; ++k) sum = sum * sum;
  return sum;
}

/// Friction at a steady speed [N].
double steady(const Friction& friction, const FrictionSlopes& slopes, double speed) {
  const double way = slopes.stiffness > 0 ? 30 * slopes.breakaway / slopes.stiffness : 1e-4;
  return steady_force(friction, speed, {.travel = way, .end = 0, .load = {}, .pressure = {}}).force;
}

}  // namespace

FrictionSlopes slopes_of(const Friction& friction) {
  const FrictionScales scales = scales_of(friction);
  FrictionSlopes s;
  const auto known = [&](const char* key, double otherwise) {
    const double value = friction.parameter(key);
    return std::isfinite(value) ? value : otherwise;
  };
  const bool is_ideal = friction.description().nature == Nature::sticks;
  s.speed = scales.speed;
  s.breakaway = scales.force;
  if (!is_ideal) s.stiffness = known("bristle_stiffness", scales.length > 0 ? 0.632 * scales.force / scales.length : 0);
  s.damping = is_ideal ? 0 : known("bristle_damping", 0);
  s.viscosity = known("viscosity", 0);
  s.coulomb = s.breakaway;
  for (int k = 0; k <= 40; ++k) {
    const double v = s.speed * std::pow(10, -2 + 0.1 * k);
    s.coulomb = std::min(s.coulomb, std::fabs(steady(friction, s, v)) - s.viscosity * v);
  }
  s.coulomb = std::max(s.coulomb, 0.0);
  return s;
}

LinearFriction presliding(const FrictionSlopes& s) {
  return {.stiffness = s.stiffness, .damping = s.damping, .viscosity = s.viscosity, .follows = 1, .relaxes = 0};
}

LinearFriction sliding(const Friction& friction, const FrictionSlopes& s, double speed) {
  const double step = 1e-3 * speed, above = steady(friction, s, speed + step),
               below = steady(friction, s, speed - step);
  const double slope = (above - below) / (2 * step);
  if (s.stiffness == 0) return {.stiffness = 0, .damping = 0, .viscosity = slope, .follows = 0, .relaxes = 0};
  const double level = std::fabs(steady(friction, s, speed)) - s.viscosity * std::fabs(speed);
  return {.stiffness = s.stiffness,
          .damping = s.damping,
          .viscosity = s.viscosity,
          .follows = std::fabs(speed) * (slope - s.viscosity) / level,
          .relaxes = std::fabs(speed) * s.stiffness / level};
}

double spectral_radius(const ServoAxis& axis, const LinearFriction& body,
                       const std::optional<LinearFriction>& observer) {
  const ServoGains& g = axis.gains;
  const double T = g.sampling_time, m = axis.body.mass;
  // Continuous: x, v, z, motor force, command. The command is held; a motor without lag gives it at once.
  constexpr int x = 0, v = 1, z = 2, motor = 3, command = 4, plant = 5;
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(plant, plant);
  a(x, v) = 1;
  a(z, v) = body.follows;
  a(z, z) = -body.relaxes;
  a(v, v) = -(body.viscosity + body.damping * body.follows) / m;
  a(v, z) = -(body.stiffness - body.damping * body.relaxes) / m;
  if (axis.lag > 0) {
    a(v, motor) = 1 / m;
    a(motor, motor) = -1 / axis.lag;
    a(motor, command) = 1 / axis.lag;
  } else {
    a(v, command) = 1 / m;
  }
  if (!body.has_bristle()) a.row(z).setZero(), a(v, z) = 0;
  // In samples: the plant with the command that acts at t_k, commands on their way, positions of n samples, the integral, the observer.
  const double late = axis.delay / T;
  const int whole = int(std::floor(late * (1 + 1e-12))), n = int(g.difference);
  const double rest = std::max(0.0, late - whole) * T;
  const Eigen::MatrixXd before = exponential(a * rest), after = exponential(a * (T - rest));
  const int waiting = plant, past = waiting + whole + 1, integral = past + n, seen = integral + 1, size = seen + 1;
  Eigen::MatrixXd map = Eigen::MatrixXd::Zero(size, size);
  // u_k as a row of the state at t_k, before it moves on.
  Eigen::RowVectorXd asked = Eigen::RowVectorXd::Zero(size), measured = asked, estimate = asked;
  measured(x) = 1 / (n * T);
  measured(past + n - 1) = -1 / (n * T);
  asked(x) -= g.proportional + g.integral * T;
  asked -= g.derivative * measured;
  asked(integral) += g.integral;
  if (observer) {
    const double share = axis.observer ? axis.observer->share : 1;
    Eigen::RowVectorXd velocity = measured;
    velocity(x) -= g.correction;
    // z is held over the sample: exact for a velocity that is.
    const double kept = std::exp(-observer->relaxes * T),
                 gained =
                     observer->relaxes > 0 ? observer->follows * (1 - kept) / observer->relaxes : observer->follows * T;
    estimate = gained * velocity;
    estimate(seen) += kept;
    const Eigen::RowVectorXd rate = observer->follows * velocity - observer->relaxes * estimate;
    asked += share * (observer->stiffness * estimate + observer->damping * rate + observer->viscosity * velocity);
  }
  // The command that starts to act at t_k + rest is the oldest on its way, u_{k−whole}.
  Eigen::MatrixXd on_way = Eigen::MatrixXd::Zero(whole + 1, size);
  on_way.row(0) = asked;
  for (int i = 1; i <= whole; ++i) on_way(i, waiting + i - 1) = 1;
  Eigen::MatrixXd state = Eigen::MatrixXd::Zero(plant, size);
  state.leftCols(plant) = before;
  state.row(command) = on_way.row(whole);
  map.topRows(plant) = after * state;
  for (int i = 0; i <= whole; ++i) map.row(waiting + i) = on_way.row(i);
  map(past, x) = 1;
  for (int i = 1; i < n; ++i) map(past + i, past + i - 1) = 1;
  map(integral, integral) = g.integral > 0 ? 1 : 0;
  map(integral, x) = -T;
  if (observer) map.row(seen) = estimate;
  // What this loop does not have must not count as something that stays for ever.
  if (!body.has_bristle()) map.row(z).setZero();
  if (axis.lag == 0) map.row(motor).setZero();
  // Where a bristle in presliding has its rest is a matter of history: its offset from the position never changes, nor does that of an
  // observer without correction. These two are no motions.
  int histories = int(body.has_bristle() && body.relaxes == 0) +
                  int(observer && observer->has_bristle() && observer->relaxes == 0 && g.correction == 0);
  Eigen::VectorXcd values = map.eigenvalues();
  for (; histories > 0; --histories) {
    int nearest = 0;
    for (int i = 1; i < values.size(); ++i)
      if (std::abs(values(i) - 1.0) < std::abs(values(nearest) - 1.0)) nearest = i;
    if (std::abs(values(nearest) - 1.0) < 1e-6) values(nearest) = 0;
  }
  return values.cwiseAbs().maxCoeff();
}

double positive_real_margin(double mass, double derivative, const FrictionSlopes& s) {
  return s.stiffness > 0 ? s.damping * derivative / (s.stiffness * mass) : 0;
}

}  // namespace stickslip::inline compensation
