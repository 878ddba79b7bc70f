/// Boost.odeint's Rosenbrock method on the hydraulic cylinder, in the autonomous form (its time-dependent form has a wrong
/// coefficient), with the analytic Jacobian by hand. It knows one tolerance for all states, so they are scaled to about 1.
/// C++17, since uBLAS of Debian 12 does not compile as C++20.
#include "odeint_cylinder.hpp"

#include <algorithm>
#include <boost/numeric/odeint.hpp>
#include <cmath>

namespace stickslip::rivals {

namespace {

using Vector = boost::numeric::ublas::vector<double>;
using Matrix = boost::numeric::ublas::matrix<double>;

constexpr double pi = 3.14159265358979323846;
constexpr double supply = 5e6, mass = 118, gravity = 9.81, stroke = 0.2, valve = 440, damping = 0.75, gain = 0.0227,
                 underlap = 4e-5, laminar = 100, bulk = 1e8, dead_1 = 5e-6, dead_2 = 1e-6,
                 area_1 = pi / 4 * 0.032 * 0.032, area_2 = area_1 - pi / 4 * 0.018 * 0.018, stiffness = 5e6,
                 bristle_damping = 0.1, growing = 0.25, thinning = 1.5, film = 0.05;

/// Spool, its rate, P1, P2, x, v, z, h, t: what one unit of each scaled state is.
constexpr std::array<double, 9> unit{4e-5, 4e-5 * 440, 5e6, 5e6, 1, 1, 830 / stiffness, 1, 1};

struct Side {
  double stiction, coulomb, stribeck_velocity, exponent, viscosity, moving_mass;
};
constexpr Side forward{830, 210, 0.0125, 0.7, 330, mass + 330 * 0.33},
    backward{500, 80, 0.01, 0.9, 350, mass + 350 * 0.07};

double root(double drop) { return drop / std::sqrt(std::sqrt(drop * drop + laminar * laminar)); }
double root_slope(double drop) {
  const double square = drop * drop + laminar * laminar;
  return (1 - 0.5 * drop * drop / square) / std::sqrt(std::sqrt(square));
}

/// What rates and Jacobian share.
struct Look {
  std::array<double, 9> y;
  double k, a, b, in_1, out_1, out_2, in_2, q1, q2, stiffness_1, stiffness_2, speed, sign, power, fading, height, level,
      z_rate, steady, tau;
  const Side* side;

  explicit Look(const Vector& scaled) {
    for (std::size_t i = 0; i < 9; ++i) y[i] = scaled[i] * unit[i];
    k = 0.32 * std::sqrt(2.0 / 862) * 0.03;
    a = k * std::max(underlap + y[0], 0.0), b = k * std::max(underlap - y[0], 0.0);
    in_1 = root(supply - y[2]), out_1 = root(y[2]), out_2 = root(y[3]), in_2 = root(supply - y[3]);
    q1 = a * in_1 - b * out_1, q2 = a * out_2 - b * in_2;
    stiffness_1 = bulk / (dead_1 + area_1 * y[4]), stiffness_2 = bulk / (dead_2 + area_2 * (stroke - y[4]));
    side = y[5] < 0 ? &backward : &forward;
    speed = std::fabs(y[5]), sign = y[5] < 0 ? -1 : 1;
    power = std::pow(speed / side->stribeck_velocity, side->exponent), fading = std::exp(-power);
    height = (1 - y[7]) * side->stiction - side->coulomb, level = side->coulomb + height * fading;
    z_rate = y[5] - stiffness * speed * y[6] / level;
    steady = (1 - side->coulomb / side->stiction) * std::pow(std::min(speed / film, 1.0), 2.0 / 3);
    tau = y[7] <= steady ? growing : thinning;
  }
};

void rates(const Vector& scaled, Vector& dy, double) {
  const Look l(scaled);
  const auto& y = l.y;
  const double current = 2e-3 * std::sin(pi * y[8]);
  const double resisting = stiffness * y[6] + bristle_damping * l.z_rate + l.side->viscosity * y[5];
  dy[0] = y[1];
  dy[1] = valve * valve * (gain * current - y[0]) - 2 * damping * valve * y[1];
  dy[2] = (l.q1 - area_1 * y[5]) * l.stiffness_1;
  dy[3] = (area_2 * y[5] - l.q2) * l.stiffness_2;
  dy[4] = y[5];
  dy[5] = (y[2] * area_1 - y[3] * area_2 - mass * gravity - resisting) / l.side->moving_mass;
  dy[6] = l.z_rate;
  dy[7] = (l.steady - y[7]) / l.tau;
  dy[8] = 1;
  for (std::size_t i = 0; i < 9; ++i) dy[i] /= unit[i];
}

void jacobian(const Vector& scaled, Matrix& j, double, Vector& by_time) {
  const Look l(scaled);
  const auto& y = l.y;
  const double speed = std::max(l.speed, 1e-12);  // slopes of roots of the speed have no limit at rest
  const double level_slope = -l.height * l.fading * l.side->exponent * l.power / speed;
  const double by_v = 1 - stiffness * y[6] * l.sign * (1 / l.level - speed * level_slope / (l.level * l.level));
  const double by_z = -stiffness * speed / l.level;
  const double by_h = -stiffness * speed * y[6] / (l.level * l.level) * l.side->stiction * l.fading;
  const double a_slope = underlap + y[0] > 0 ? l.k : 0, b_slope = underlap - y[0] > 0 ? -l.k : 0;
  const double moving = l.side->moving_mass;
  j.clear();
  by_time.clear();
  j(0, 1) = j(4, 5) = 1;
  j(1, 0) = -valve * valve, j(1, 1) = -2 * damping * valve;
  j(1, 8) = valve * valve * gain * 2e-3 * pi * std::cos(pi * y[8]);
  j(2, 0) = (a_slope * l.in_1 - b_slope * l.out_1) * l.stiffness_1;
  j(2, 2) = -(l.a * root_slope(supply - y[2]) + l.b * root_slope(y[2])) * l.stiffness_1;
  j(2, 4) = -(l.q1 - area_1 * y[5]) * l.stiffness_1 * l.stiffness_1 / bulk * area_1;
  j(2, 5) = -area_1 * l.stiffness_1;
  j(3, 0) = -(a_slope * l.out_2 - b_slope * l.in_2) * l.stiffness_2;
  j(3, 3) = -(l.a * root_slope(y[3]) + l.b * root_slope(supply - y[3])) * l.stiffness_2;
  j(3, 4) = (area_2 * y[5] - l.q2) * l.stiffness_2 * l.stiffness_2 / bulk * area_2;
  j(3, 5) = area_2 * l.stiffness_2;
  j(5, 2) = area_1 / moving, j(5, 3) = -area_2 / moving;
  j(5, 5) = -(bristle_damping * by_v + l.side->viscosity) / moving;
  j(5, 6) = -(stiffness + bristle_damping * by_z) / moving, j(5, 7) = -bristle_damping * by_h / moving;
  j(6, 5) = by_v, j(6, 6) = by_z, j(6, 7) = by_h;
  j(7, 5) = l.speed < film ? l.sign * (2.0 / 3) * l.steady / speed / l.tau : 0, j(7, 7) = -1 / l.tau;
  for (std::size_t r = 0; r < 9; ++r)
    for (std::size_t c = 0; c < 9; ++c) j(r, c) *= unit[c] / unit[r];
}

}  // namespace

std::array<double, 5> odeint_cylinder(double tolerance) {
  namespace odeint = boost::numeric::odeint;
  const std::array<double, 9> start{0, 0, 2.5e6, 2.5e6, 0.1, 0, -1e-4, 0, 0};
  Vector y(9), between(9);
  for (std::size_t i = 0; i < 9; ++i) y[i] = start[i] / unit[i];
  auto stepper = odeint::make_dense_output<odeint::rosenbrock4<double>>(1e-3 * tolerance, tolerance);
  stepper.initialize(y, 0.0, 1e-6);
  std::array<double, 5> x{};
  for (std::size_t next = 0; next < x.size();) {
    stepper.do_step(std::make_pair(rates, jacobian));
    for (; next < x.size() && 2.0 * static_cast<double>(next + 1) <= stepper.current_time(); ++next) {
      stepper.calc_state(2.0 * static_cast<double>(next + 1), between);
      x[next] = between[4];
    }
  }
  return x;
}

}  // namespace stickslip::rivals
