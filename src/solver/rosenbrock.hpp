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

namespace stickslip {

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
};

/// LU factors of a small dense matrix with partial pivoting, in place.
template <std::size_t M>
struct SmallLu {
  std::array<std::array<double, M>, M> a{};
  std::array<std::size_t, M> pivot{};

  /// False if the matrix is singular or not finite.
  bool factor(std::size_t n) {
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

template <std::size_t N, std::size_t Totals>
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
  /// By how much the next step may be longer: the smaller of the plain and the predictive (Gustafsson) answer.
  double growth(const Step& step) {
    if (!(step.error > 0)) return 8;
    double factor = 0.9 * std::pow(step.error, -0.25);
    if (last_length > 0) {
      const double predicted = 0.9 * step.length / last_length * std::pow(last_error / (step.error * step.error), 0.25);
      factor = std::fmin(factor, predicted);
    }
    last_length = step.length;
    last_error = std::fmax(step.error, 1e-2);
    return std::fmin(6, std::fmax(0.2, factor));
  }
  static double shrink(const Step& step) { return std::fmax(0.1, 0.9 * std::pow(step.error, -0.25)); }

  /// One step of length h; `linearise(t, y, slopes)` fills the derivatives at the start.
  template <class F, class Linearise, class ErrorScale>
  void trial(Step& step, const F& f, const Linearise& linearise, double t, const Vector& y, double h, std::size_t n,
             const ErrorScale& scale) {
    constexpr double gamma = 0.25;
    constexpr std::array<double, 6> alpha{0, 0.386, 0.21, 0.63, 1, 1};
    constexpr std::array<double, 6> d{0.25, -0.1043, 0.1035, -0.03620000000000023, 0, 0};
    constexpr double a[6][5]{{},
                             {1.544},
                             {0.9466785280815826, 0.2557011698983284},
                             {3.314825187068521, 2.896124015972201, 0.9986419139977817},
                             {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950},
                             {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1}};
    constexpr double c[6][5]{
        {},
        {-5.6688},
        {-2.430093356833875, -0.2063599157091915},
        {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
        {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
        {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054}};
    constexpr double dense2[5]{10.12623508344586, -7.487995877610167, -34.80091861555747, -7.992771707568823,
                               1.025137723295662};
    constexpr double dense3[5]{-0.6762803392801253, 6.087714651680015, 16.43084320892478, 24.76722511418386,
                               -6.594389125716872};

    if (!has_slopes) linearise(t, y, slopes);
    has_slopes = true;
    const std::size_t m = n - Totals;
    SmallLu<states> lu;
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < m; ++j) lu.a[i][j] = -slopes.by_state[Totals + i][j];
      lu.a[i][i] += 1 / (gamma * h);
    }
    step.start = t;
    step.length = h;
    step.size = n;
    step.from = y;
    step.end = y;
    if (!lu.factor(m)) {
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
      for (std::size_t j = 0; j < 5; ++j) bend += dense2[j] * u[j][i], twist += dense3[j] * u[j][i];
      step.bend[i] = bend;
      step.twist[i] = twist;
    }
  }
};

}  // namespace stickslip
