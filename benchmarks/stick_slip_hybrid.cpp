/// 30 s of experiment stick-slip with the ideal hybrid model: stickslip against SUNDIALS CVODE with rootfinding and Boost.odeint with
/// bisection on its dense output. Compare rows of equal `error_m`.
#include "models/stribeck.hpp"
#include "stick_slip_rig.hpp"

#ifdef STICKSLIP_WITH_SUNDIALS
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#endif
#ifdef STICKSLIP_WITH_BOOST
#include <boost/numeric/odeint.hpp>
#endif

namespace {

using namespace stickslip;
using namespace stickslip::bench;

constexpr Positions reference{0.635669821, 1.302464463, 2.604928926};  // experiment stick-slip [1e-9 printed]

/// Friction while sliding forward, as a rival's user writes it.
[[maybe_unused]] inline double sliding(double v) {
  const double r = v / stribeck_velocity;
  return coulomb + (stiction - coulomb) * std::exp(-r * r) + viscosity * v;
}

void ours(benchmark::State& state) {
  Varied<stribeck::Model> friction;
  friction.forward = {{coulomb, stiction, stribeck_velocity, 2, StribeckForm::exponential}, viscosity};
  friction.backward = friction.forward;
  const Body body = pulled_body();
  run(
      state, [&](double tolerance) { return race_stickslip(friction, body, tolerance); }, reference);
}
BENCHMARK(ours)->Name("stickslip")->DenseRange(4, 10)->Unit(benchmark::kMicrosecond);

#ifdef STICKSLIP_WITH_SUNDIALS

int slide(double t, N_Vector y, N_Vector dy, void*) {
  const double x = NV_Ith_S(y, 0), v = NV_Ith_S(y, 1);
  NV_Ith_S(dy, 0) = v;
  NV_Ith_S(dy, 1) = (spring * (pull * t - x) - sliding(v)) / mass;
  return 0;
}
int comes_to_rest(double, N_Vector y, double* g, void*) {
  g[0] = NV_Ith_S(y, 1);
  return 0;
}
int slide_jacobian(double, N_Vector y, N_Vector, SUNMatrix j, void*, N_Vector, N_Vector, N_Vector) {
  const double v = NV_Ith_S(y, 1), r = v / stribeck_velocity;
  SM_ELEMENT_D(j, 0, 1) = 1;
  SM_ELEMENT_D(j, 1, 0) = -spring / mass;
  SM_ELEMENT_D(j, 1, 1) = -(viscosity - (stiction - coulomb) * 2 * r / stribeck_velocity * std::exp(-r * r)) / mass;
  return 0;
}

/// Sticking needs no integration for this rig: a good user computes the release and restarts there.
Positions race_cvode(int method, double tolerance) {
  SUNContext context;
  SUNContext_Create(nullptr, &context);
  N_Vector y = N_VNew_Serial(2, context);
  NV_Ith_S(y, 0) = NV_Ith_S(y, 1) = 0;
  void* cvode = CVodeCreate(method, context);
  CVodeInit(cvode, slide, 0, y);
  CVodeSStolerances(cvode, tolerance, 1e-3 * tolerance);
  CVodeRootInit(cvode, 1, comes_to_rest);
  int falling = -1;
  CVodeSetRootDirection(cvode, &falling);
  SUNMatrix matrix = nullptr;
  SUNLinearSolver linear = nullptr;
  SUNNonlinearSolver iteration = nullptr;
  if (method == CV_BDF) {
    matrix = SUNDenseMatrix(2, 2, context);
    linear = SUNLinSol_Dense(y, matrix, context);
    CVodeSetLinearSolver(cvode, linear, matrix);
    CVodeSetJacFn(cvode, slide_jacobian);
  } else {
    iteration = SUNNonlinSol_FixedPoint(y, 0, context);
    CVodeSetNonlinearSolver(cvode, iteration);
  }
  CVodeSetMaxNumSteps(cvode, 1000000);

  Positions x{};
  double t = 0;
  std::size_t next = 0;
  while (next < look_at.size()) {
    const double release = (stiction / spring + NV_Ith_S(y, 0)) / pull;  // stuck here: when will the spring win
    while (next < look_at.size() && look_at[next] <= release) x[next++] = NV_Ith_S(y, 0);
    if (next == look_at.size()) break;
    NV_Ith_S(y, 1) = 0;
    CVodeReInit(cvode, release, y);
    int flag = CV_SUCCESS;
    while (next < look_at.size() && flag != CV_ROOT_RETURN) {
      CVodeSetStopTime(cvode, look_at.back());
      flag = CVode(cvode, look_at[next], y, &t, CV_NORMAL);
      if (flag < 0) return x;
      if (flag != CV_ROOT_RETURN) x[next++] = NV_Ith_S(y, 0);
    }
  }
  CVodeFree(&cvode);
  if (linear) SUNLinSolFree(linear);
  if (matrix) SUNMatDestroy(matrix);
  if (iteration) SUNNonlinSolFree(iteration);
  N_VDestroy(y);
  SUNContext_Free(&context);
  return x;
}
void cvode_adams(benchmark::State& state) {
  run(
      state, [](double tolerance) { return race_cvode(CV_ADAMS, tolerance); }, reference);
}
void cvode_bdf(benchmark::State& state) {
  run(
      state, [](double tolerance) { return race_cvode(CV_BDF, tolerance); }, reference);
}
BENCHMARK(cvode_adams)->Name("CVODE Adams, rootfinding")->DenseRange(4, 11)->Unit(benchmark::kMicrosecond);
BENCHMARK(cvode_bdf)->Name("CVODE BDF, rootfinding")->DenseRange(4, 11)->Unit(benchmark::kMicrosecond);
#endif

#ifdef STICKSLIP_WITH_BOOST

Positions race_odeint(double tolerance) {
  namespace odeint = boost::numeric::odeint;
  using State = std::array<double, 2>;
  const auto slide = [](const State& y, State& dy, double t) {
    dy[0] = y[1];
    dy[1] = (spring * (pull * t - y[0]) - sliding(y[1])) / mass;
  };
  Positions x{};
  std::size_t next = 0;
  State y{0, 0}, between{};
  while (next < look_at.size()) {
    const double release = (stiction / spring + y[0]) / pull;
    while (next < look_at.size() && look_at[next] <= release) x[next++] = y[0];
    if (next == look_at.size()) break;
    y[1] = 0;
    auto stepper = odeint::make_dense_output(1e-3 * tolerance, tolerance, odeint::runge_kutta_dopri5<State>());
    stepper.initialize(y, release, 1e-3);
    bool sliding_on = true;
    while (sliding_on && next < look_at.size()) {
      const auto [from, to] = stepper.do_step(slide);
      double stop = to;
      if (stepper.current_state()[1] < 0) {
        double low = from, high = to;
        while (high - low > 1e-13 * high) {
          const double middle = 0.5 * (low + high);
          stepper.calc_state(middle, between);
          (between[1] > 0 ? low : high) = middle;
        }
        stop = high;
        sliding_on = false;
      }
      while (next < look_at.size() && look_at[next] <= stop) {
        stepper.calc_state(look_at[next], between);
        x[next++] = between[0];
      }
      stepper.calc_state(stop, y);
    }
  }
  return x;
}
void odeint_dopri5(benchmark::State& state) {
  run(
      state, [](double tolerance) { return race_odeint(tolerance); }, reference);
}
BENCHMARK(odeint_dopri5)->Name("Boost.odeint dopri5, bisection")->DenseRange(4, 10)->Unit(benchmark::kMicrosecond);
#endif

}  // namespace
