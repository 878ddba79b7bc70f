/// The explicit Runge-Kutta pair of order 5(4) of Dormand and Prince with its fourth-order interpolant, for smooth
/// non-stiff motion inside one mode.
/// J. R. Dormand, P. J. Prince, J. Comp. Appl. Math. 6, 1980; interpolant: E. Hairer, S. P. Nørsett, G. Wanner,
/// Solving Ordinary Differential Equations I, II.6.
///
/// A vector holds `totals` integrals first (work, heat: they follow from the motion and do not control the step), then the states.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace stickslip::inline solver {

/// A trial step: where it ends, how far off it may be (1 = just acceptable), and the motion in between.
template <std::size_t N>
struct DormandPrinceStep {
  using Vector = std::array<double, N>;
  double start = 0, length = 0, error = 0;
  std::size_t size = N;
  Vector from{}, end{}, slope_end{};
  std::array<Vector, 4> shape{};

  /// The state at time t inside the step.
  Vector at(double t) const {
    const double s = (t - start) / length, r = 1 - s;
    Vector y;
    for (std::size_t i = 0; i < size; ++i)
      y[i] = from[i] + s * (shape[0][i] + r * (shape[1][i] + s * (shape[2][i] + r * shape[3][i])));
    for (std::size_t i = size; i < N; ++i) y[i] = 0;
    return y;
  }
};

template <std::size_t N, std::size_t Totals>
struct DormandPrince {
  using Vector = std::array<double, N>;
  using Step = DormandPrinceStep<N>;

  bool has_slope = false;
  Vector slope{};  // at the start of the next step, known from the end of the last one
  double last_error = 1e-4, last_length = 0;

  /// Forget the last slope: the mode or the state has jumped.
  void restart() {
    has_slope = false;
    last_error = 1e-4;
    last_length = 0;
  }
  void accept(const Step& step) {
    slope = step.slope_end;
    has_slope = true;
  }
  /// Factor for the length of the next step: the smaller of the proportional-integral and the predictive (Gustafsson) value,
  /// which detects that the permitted length is decreasing; 8 if nothing changed at all.
  double growth(const Step& step) {
    if (!(step.error > 0)) return 8;
    const double error = std::log(step.error), before = std::log(last_error);
    double factor = -0.17 * error + 0.04 * before;
    if (last_length > 0) factor = std::fmin(factor, std::log(step.length / last_length) + 0.2 * before - 0.4 * error);
    last_error = std::fmax(step.error, 1e-4);
    last_length = step.length;
    return std::fmin(8, std::fmax(0.2, 0.9 * std::exp(factor)));
  }
  static double shrink(const Step& step) { return std::fmax(0.1, 0.9 * std::pow(step.error, -0.2)); }

  /// One step of length h of dy/dt = f(t, y); `scale(i, y0, y1)` is the error that may be made in state i.
  template <class F, class ErrorScale>
  void trial(Step& step, const F& f, double t, const Vector& y, double h, std::size_t n, const ErrorScale& scale) {
    if (!has_slope) f(t, y, slope), has_slope = true;
    const Vector& k1 = slope;
    Vector k2, k3, k4, k5, k6, k7, w{};
    for (std::size_t i = 0; i < n; ++i) w[i] = y[i] + h * (0.2 * k1[i]);
    f(t + 0.2 * h, w, k2);
    for (std::size_t i = 0; i < n; ++i) w[i] = y[i] + h * (3. / 40 * k1[i] + 9. / 40 * k2[i]);
    f(t + 0.3 * h, w, k3);
    for (std::size_t i = 0; i < n; ++i) w[i] = y[i] + h * (44. / 45 * k1[i] - 56. / 15 * k2[i] + 32. / 9 * k3[i]);
    f(t + 0.8 * h, w, k4);
    for (std::size_t i = 0; i < n; ++i)
      w[i] = y[i] + h * (19372. / 6561 * k1[i] - 25360. / 2187 * k2[i] + 64448. / 6561 * k3[i] - 212. / 729 * k4[i]);
    f(t + 8. / 9 * h, w, k5);
    for (std::size_t i = 0; i < n; ++i)
      w[i] = y[i] + h * (9017. / 3168 * k1[i] - 355. / 33 * k2[i] + 46732. / 5247 * k3[i] + 49. / 176 * k4[i] -
                         5103. / 18656 * k5[i]);
    f(t + h, w, k6);
    Vector& end = step.end;
    end = y;
    for (std::size_t i = 0; i < n; ++i)
      end[i] = y[i] + h * (35. / 384 * k1[i] + 500. / 1113 * k3[i] + 125. / 192 * k4[i] - 2187. / 6784 * k5[i] +
                           11. / 84 * k6[i]);
    f(t + h, end, k7);

    double sum = 0;
    for (std::size_t i = Totals; i < n; ++i) {
      const double e = h *
                       (71. / 57600 * k1[i] - 71. / 16695 * k3[i] + 71. / 1920 * k4[i] - 17253. / 339200 * k5[i] +
                        22. / 525 * k6[i] - 1. / 40 * k7[i]) /
                       scale(i - Totals, y[i], end[i]);
      sum += e * e;
    }
    step.start = t;
    step.length = h;
    step.size = n;
    step.error = std::sqrt(sum / static_cast<double>(n - Totals));
    step.from = y;
    for (std::size_t i = 0; i < n; ++i) {
      const double rise = end[i] - y[i], bend = h * k1[i] - rise;
      step.shape[0][i] = rise;
      step.shape[1][i] = bend;
      step.shape[2][i] = rise - h * k7[i] - bend;
      step.shape[3][i] = h * (-12715105075. / 11282082432 * k1[i] + 87487479700. / 32700410799 * k3[i] -
                              10690763975. / 1880347072 * k4[i] + 701980252875. / 199316789632 * k5[i] -
                              1453857185. / 822651844 * k6[i] + 69997945. / 29380423 * k7[i]);
    }
    step.slope_end = k7;
  }
};

}  // namespace stickslip::inline solver
