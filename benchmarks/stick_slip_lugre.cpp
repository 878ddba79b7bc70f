/// 30 s of experiment stick-slip with LuGre, σ₀ = 1e5 N/m, σ₁ = √1e5 N s/m: stickslip against SUNDIALS CVODE (BDF, analytic Jacobian)
/// and Boost.odeint's Rosenbrock method (autonomous form: its time-dependent form has a wrong coefficient). Compare rows
/// of equal `error_m`.
#include "models/lugre.hpp"
#include "rivals/lugre_rig.hpp"
#include "stick_slip_rig.hpp"

#ifdef STICKSLIP_WITH_SUNDIALS
#include "rivals/cvode_lugre.hpp"
#endif

namespace {

using namespace stickslip;
using namespace stickslip::bench;

constexpr Positions reference{0.627583129, 1.272596412, 2.545101904};  // experiment stick-slip
using rivals::LugreRig;
constexpr double stiffness = LugreRig{}.stiffness, damping = LugreRig{}.damping;

void ours(benchmark::State& state) {
  Varied<lugre::Model> friction;
  friction.forward = {
      {coulomb, stiction, stribeck_velocity, 2, StribeckForm::exponential}, stiffness, damping, viscosity};
  friction.backward = friction.forward;
  const Body body = pulled_body();
  run(
      state, [&](double tolerance) { return race_stickslip(friction, body, tolerance); }, reference);
}
BENCHMARK(ours)->Name("stickslip")->DenseRange(3, 8)->Unit(benchmark::kMicrosecond);

#ifdef STICKSLIP_WITH_SUNDIALS

Positions race_cvode(double tolerance) {
  rivals::CvodeLugre cvode;
  Positions x{};
  cvode.positions_at(LugreRig{}, tolerance, look_at, [&](std::size_t i, double at) { x[i] = at; });
  return x;
}
void cvode_bdf(benchmark::State& state) {
  run(
      state, [](double tolerance) { return race_cvode(tolerance); }, reference);
}
BENCHMARK(cvode_bdf)->Name("CVODE BDF, analytic Jacobian")->DenseRange(4, 10)->Unit(benchmark::kMicrosecond);
#endif

#ifdef STICKSLIP_WITH_BOOST

void odeint_rosenbrock(benchmark::State& state) {
  run(
      state, [](double tolerance) { return rivals::race_odeint_rosenbrock(tolerance); }, reference);
}
BENCHMARK(odeint_rosenbrock)
    ->Name("Boost.odeint rosenbrock4, autonomous")
    ->DenseRange(3, 8)
    ->Unit(benchmark::kMicrosecond);
#endif

}  // namespace
