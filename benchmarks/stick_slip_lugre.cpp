/// 30 s of SPEC 4.1 with LuGre, σ₀ = 1e5 N/m, σ₁ = √1e5 N s/m: stickslip against SUNDIALS CVODE (BDF, analytic Jacobian)
/// and Boost.odeint's Rosenbrock method (autonomous form: its time-dependent form has a wrong coefficient). Compare rows
/// of equal `error_m`.
#include "models/lugre.hpp"
#include "rivals/lugre_rig.hpp"
#include "stick_slip_rig.hpp"

#ifdef STICKSLIP_WITH_SUNDIALS
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#endif

namespace {

using namespace stickslip;
using namespace stickslip::bench;

constexpr Positions reference{0.627583129, 1.272596412, 2.545101904};  // SPEC 4.1
using rivals::LugreRig;
constexpr double stiffness = LugreRig::stiffness, damping = LugreRig::damping;

void ours(benchmark::State& state) {
  Varied<lugre::Model> friction;
  friction.forward = {
      {coulomb, stiction, stribeck_velocity, 2, StribeckForm::exponential}, stiffness, damping, viscosity};
  friction.backward = friction.forward;
  const Body body = pulled_body();
  run(
      state, [&](double tolerance) { return race_stickslip(friction, body, tolerance); }, reference);
}
BENCHMARK(ours)->Name("stickslip")->DenseRange(4, 8)->Unit(benchmark::kMicrosecond);

#ifdef STICKSLIP_WITH_SUNDIALS

int rates(double t, N_Vector y, N_Vector dy, void*) {
  const double* s = NV_DATA_S(y);
  LugreRig{}.rates(t, s[0], s[1], s[2], NV_DATA_S(dy));
  return 0;
}
int jacobian(double, N_Vector y, N_Vector, SUNMatrix j, void*, N_Vector, N_Vector, N_Vector) {
  LugreRig{}.jacobian(NV_Ith_S(y, 1), NV_Ith_S(y, 2),
                      [&](int row, int column, double value) { SM_ELEMENT_D(j, row, column) = value; });
  return 0;
}
Positions race_cvode(double tolerance) {
  SUNContext context;
  SUNContext_Create(nullptr, &context);
  N_Vector y = N_VNew_Serial(3, context), floor = N_VNew_Serial(3, context);
  for (int i = 0; i < 3; ++i) NV_Ith_S(y, i) = 0;
  NV_Ith_S(floor, 0) = NV_Ith_S(floor, 1) = 1e-3 * tolerance;
  NV_Ith_S(floor, 2) = 1e-3 * tolerance * stiction / stiffness;
  void* cvode = CVodeCreate(CV_BDF, context);
  CVodeInit(cvode, rates, 0, y);
  CVodeSVtolerances(cvode, tolerance, floor);
  SUNMatrix matrix = SUNDenseMatrix(3, 3, context);
  SUNLinearSolver linear = SUNLinSol_Dense(y, matrix, context);
  CVodeSetLinearSolver(cvode, linear, matrix);
  CVodeSetJacFn(cvode, jacobian);
  CVodeSetMaxNumSteps(cvode, 1000000);
  Positions x{};
  double t = 0;
  for (std::size_t i = 0; i < look_at.size(); ++i) {
    if (CVode(cvode, look_at[i], y, &t, CV_NORMAL) < 0) break;
    x[i] = NV_Ith_S(y, 0);
  }
  CVodeFree(&cvode);
  SUNLinSolFree(linear);
  SUNMatDestroy(matrix);
  N_VDestroy(y);
  N_VDestroy(floor);
  SUNContext_Free(&context);
  return x;
}
void cvode_bdf(benchmark::State& state) {
  run(
      state, [](double tolerance) { return race_cvode(tolerance); }, reference);
}
BENCHMARK(cvode_bdf)->Name("CVODE BDF, analytic Jacobian")->DenseRange(5, 10)->Unit(benchmark::kMicrosecond);
#endif

#ifdef STICKSLIP_WITH_BOOST

void odeint_rosenbrock(benchmark::State& state) {
  run(
      state, [](double tolerance) { return rivals::race_odeint_rosenbrock(tolerance); }, reference);
}
BENCHMARK(odeint_rosenbrock)
    ->Name("Boost.odeint rosenbrock4, autonomous")
    ->DenseRange(4, 8)
    ->Unit(benchmark::kMicrosecond);
#endif

}  // namespace
