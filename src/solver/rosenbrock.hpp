/// The Rosenbrock method RODAS of order 4(3), L-stable and stiffly accurate, with its interpolant: bristles of any
/// stiffness with the same call and no iteration. The Jacobian comes exactly from the model's own source by running it
/// on dual numbers.
/// E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, IV.7.
///
///   (I/(γh) − J) u_i = f(t + α_i h, y + Σ a_ij u_j) + Σ (c_ij/h) u_j + h d_i ∂f/∂t,   y₁ = y + Σ a_6j u_j + u_6   (1)
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "solver/rodas.hpp"

namespace stickslip::inline solver {

template <std::size_t N>
struct RosenbrockStep {
  using Vector = std::array<double, N>;
  double start = 0, length = 0, error = 0;
  std::size_t size = N;
  Vector from{}, end{}, bend{}, twist{};

  /// The state at time t inside the step.
  Vector at(double t) const {
    const double s = (t - start) / length, r = 1 - s;
    Vector y;
    for (std::size_t i = 0; i < size; ++i) y[i] = from[i] + s * ((end[i] - from[i]) + r * (bend[i] + s * twist[i]));
    for (std::size_t i = size; i < N; ++i) y[i] = 0;
    return y;
  }
  /// The time derivative of component i there.
  double rate(std::size_t i, double t) const {
    const double s = (t - start) / length;
    return (end[i] - from[i] + (1 - 2 * s) * bend[i] + s * (2 - 3 * s) * twist[i]) / length;
  }
};

/// LU factors of a small dense matrix with partial pivoting, in place.
template <std::size_t M>
struct SmallLu {
  std::array<std::array<double, M>, M> a{};
  std::array<std::size_t, M> pivot{};

  /// Element of row i and column j, writable.
  double& at(std::size_t i, std::size_t j) { return a[i][j]; }
  /// False if the matrix is singular or not finite; what has been added to the diagonal does not matter.
  bool factor(std::size_t n, double = 0) {
    for (std::size_t k = 0; k < n; ++k) {
      std::size_t p = k;
      for (std::size_t i = k + 1; i < n; ++i)
        if (std::fabs(a[i][k]) > std::fabs(a[p][k])) p = i;
      pivot[k] = p;
      if (p != k) std::swap(a[p], a[k]);
      if (!(std::fabs(a[k][k]) > 0)) return false;
      const double inverse = 1 / a[k][k];
      for (std::size_t i = k + 1; i < n; ++i) {
        const double factor = a[i][k] *= inverse;
        if (factor != 0)
          for (std::size_t j = k + 1; j < n; ++j) a[i][j] -= factor * a[k][j];
      }
      a[k][k] = inverse;
    }
    return true;
  }
  void solve(double* b, std::size_t n) const {
    for (std::size_t k = 0; k < n; ++k)
      if (pivot[k] != k) std::swap(b[k], b[pivot[k]]);
    for (std::size_t i = 1; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j) b[i] -= a[i][j] * b[j];
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t j = i + 1; j < n; ++j) b[i] -= a[i][j] * b[j];
      b[i] *= a[i][i];
    }
  }
};

/// Size 3, a body with one bristle, in closed form by cofactors: the six solves with the same matrix have no dependency chains. Each
/// cofactor is a difference of products that scale equally with the units of rows and columns, so units do no harm.
template <>
struct SmallLu<3> {
  std::array<std::array<double, 3>, 3> a{};  // the matrix, after factor() its inverse

  double& at(std::size_t i, std::size_t j) { return a[i][j]; }
  bool factor(std::size_t n, double = 0) {
    for (std::size_t i = n; i < 3; ++i) a[i][i] = 1;
    std::array<std::array<double, 3>, 3> inverse;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        const std::size_t p = (i + 1) % 3, q = (i + 2) % 3, r = (j + 1) % 3, s = (j + 2) % 3;
        inverse[j][i] = a[p][r] * a[q][s] - a[p][s] * a[q][r];
      }
    const double determinant = a[0][0] * inverse[0][0] + a[0][1] * inverse[1][0] + a[0][2] * inverse[2][0];
    if (!(std::fabs(determinant) > 0)) return false;
    const double scale = 1 / determinant;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) a[i][j] = scale * inverse[i][j];
    return true;
  }
  void solve(double* b, std::size_t n) const {
    const std::array<double, 3> given{b[0], n > 1 ? b[1] : 0, n > 2 ? b[2] : 0};
    for (std::size_t i = 0; i < n; ++i) b[i] = a[i][0] * given[0] + a[i][1] * given[1] + a[i][2] * given[2];
  }
};

/// `Linear` solves with I/(γh) − J: SmallLu, or a faster solver for the structure of a plant (ordered_inverse.hpp).
template <std::size_t N, std::size_t Totals, class Linear = SmallLu<N - Totals>>
struct Rosenbrock {
  using Vector = std::array<double, N>;
  using Step = RosenbrockStep<N>;
  static constexpr std::size_t states = N - Totals;

  /// ∂f/∂y of all rows by the states, ∂f/∂t, and f itself, at the start of the step.
  struct Slopes {
    std::array<std::array<double, states>, N> by_state{};
    Vector by_time{}, value{};
  };
  bool has_slopes = false;
  Slopes slopes{};
  double last_error = 1e-2, last_length = 0;

  void restart() {
    has_slopes = false;
    last_length = 0;
  }
  void accept(const Step&) { has_slopes = false; }
  /// Factor for the length of the next step: the smaller of the plain and the predictive (Gustafsson) value.
  double growth(const Step& step) {
    if (!(step.error > 0)) return 8;
    double factor = 1;  // to the fourth power: one root serves both
    if (last_length > 0) {
      const double ratio = step.length / last_length;
      factor = std::fmin(factor, ratio * ratio * (ratio * ratio) * last_error / step.error);
    }
    last_length = step.length;
    last_error = std::fmax(step.error, 1e-2);
    return std::fmin(6, std::fmax(0.2, 0.9 * std::sqrt(std::sqrt(factor / step.error))));
  }
  static double shrink(const Step& step) { return std::fmax(0.1, 0.9 / std::sqrt(std::sqrt(step.error))); }

  /// One step of length h; `linearise(t, y, slopes)` fills the derivatives at the start.
  template <class F, class Linearise, class ErrorScale>
  void trial(Step& step, const F& f, const Linearise& linearise, double t, const Vector& y, double h, std::size_t n,
             const ErrorScale& scale) {
    constexpr double gamma = Rodas::gamma;
    constexpr auto &alpha = Rodas::alpha, &d = Rodas::d;
    constexpr auto &a = Rodas::a, &c = Rodas::c;

    if (!has_slopes) linearise(t, y, slopes);
    has_slopes = true;
    const std::size_t m = n - Totals;
    Linear lu;
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < m; ++j) lu.at(i, j) = -slopes.by_state[Totals + i][j];
      lu.at(i, i) += 1 / (gamma * h);
    }
    step.start = t;
    step.length = h;
    step.size = n;
    step.from = y;
    step.end = y;
    if (!lu.factor(m, 1 / (gamma * h))) {
      step.error = HUGE_VAL;
      return;
    }
    std::array<Vector, 6> u;
    Vector w = y;
    for (std::size_t stage = 0; stage < 6; ++stage) {
      Vector& rhs = u[stage];
      if (stage == 0) {
        rhs = slopes.value;
      } else {
        for (std::size_t i = 0; i < n; ++i) {
          double sum = y[i];
          for (std::size_t j = 0; j < stage; ++j) sum += a[stage][j] * u[j][i];
          w[i] = sum;
        }
        f(t + alpha[stage] * h, w, rhs);
        for (std::size_t i = 0; i < n; ++i) {
          double sum = 0;
          for (std::size_t j = 0; j < stage; ++j) sum += c[stage][j] * u[j][i];
          rhs[i] += sum / h;
        }
      }
      if (d[stage] != 0)
        for (std::size_t i = 0; i < n; ++i) rhs[i] += h * d[stage] * slopes.by_time[i];
      lu.solve(rhs.data() + Totals, m);
      for (std::size_t i = 0; i < Totals; ++i) {  // integrals depend on the states alone: no matrix
        double sum = rhs[i];
        for (std::size_t j = 0; j < m; ++j) sum += slopes.by_state[i][j] * rhs[Totals + j];
        rhs[i] = gamma * h * sum;
      }
    }
    for (std::size_t i = 0; i < n; ++i) step.end[i] = w[i] + u[5][i];
    double sum = 0;
    for (std::size_t i = Totals; i < n; ++i) {
      const double e = u[5][i] / scale(i - Totals, y[i], step.end[i]);
      sum += e * e;
    }
    step.error = std::sqrt(sum / static_cast<double>(m));
    for (std::size_t i = 0; i < n; ++i) {
      double bend = 0, twist = 0;
      for (std::size_t j = 0; j < 5; ++j) bend += Rodas::bend[j] * u[j][i], twist += Rodas::twist[j] * u[j][i];
      step.bend[i] = bend;
      step.twist[i] = twist;
    }
  }
};

}  // namespace stickslip::inline solver
