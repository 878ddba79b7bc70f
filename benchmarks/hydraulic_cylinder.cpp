/// 10 s of Tran's cylinder with the new modified LuGre model, 2 mA at 0.5 Hz (experiment hydraulic-2mA): stickslip against SUNDIALS CVODE
/// (BDF) and Boost.odeint's Rosenbrock method. The rival gets what a careful user writes: the same equations with max(), sgn() and |v|, the parameters chosen
/// by the sign of v, scaled tolerances; its Jacobian is exact too (dual numbers over the same source) or by differences,
/// and it may run with or without rootfinding at the reversals. Rows of equal `error_m` compare: the error of x at
/// 2, 4, 6, 8 and 10 s against our run at 1e-12.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/scalar.hpp"
#include "machines/cylinder/cylinder_plant.hpp"
#include "models/law.hpp"
#include "models/new_modified_lugre.hpp"
#include "rivals/odeint_cylinder.hpp"
#include "solver/simulate.hpp"

#ifdef STICKSLIP_WITH_SUNDIALS
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#endif

namespace {

using namespace stickslip;

constexpr double end = 10, bristle_stiffness = 5e6, amplitude = 2e-3, frequency = 0.5;
constexpr std::array<double, 5> look_at{2, 4, 6, 8, 10};
using Positions = std::array<double, 5>;

HydraulicCylinder cylinder() {
  HydraulicCylinder c;
  c.supply_pressure = 5e6, c.mass = 118, c.bore = 0.032, c.rod = 0.018, c.stroke = 0.2;
  c.valve_gain = 0.0227, c.valve_frequency = 440, c.valve_damping = 0.75;
  c.underlap = 4e-5, c.port_width = 0.03, c.discharge_coefficient = 0.32, c.density = 862;
  c.bulk_modulus = 1e8, c.dead_volume_1 = 5e-6, c.dead_volume_2 = 1e-6;
  return c;
}

using Model = new_modified_lugre::Model<double>;
Model direction(double stiction, double coulomb, double stribeck_velocity, double n, double viscosity, double lag) {
  Model m;
  m.stiction_force = stiction, m.coulomb_force = coulomb, m.stribeck_velocity = stribeck_velocity;
  m.stribeck_exponent = n, m.viscosity = viscosity, m.viscous_lag = lag, m.film_velocity = 0.05;
  m.bristle_stiffness = bristle_stiffness, m.bristle_damping = 0.1;
  m.growing_time = 0.25, m.thinning_time = 1.5, m.rest_time = 40;
  return m;
}
Varied<new_modified_lugre::Model> friction() {
  Varied<new_modified_lugre::Model> f;
  f.forward = direction(830, 210, 0.0125, 0.7, 330, 0.33);
  f.backward = direction(500, 80, 0.01, 0.9, 350, 0.07);
  f.directional = true;
  return f;
}

// Valve, its rate, P₁, P₂, x, v, z, h.
constexpr std::array<double, 8> start{0, 0, 2.5e6, 2.5e6, 0.1, 0, -1e-4, 0};

struct PositionSink {
  Positions x{};
  std::size_t next = 0;
  double next_sample() const { return next < look_at.size() ? look_at[next] : HUGE_VAL; }
  template <class Vector, class Mode>
  void sample(double, const Vector& y, const Mode&) {
    x[next++] = y[4];
  }
  template <class Vector, class Mode>
  void event(double, const Happening&, const Vector&, const Mode&) {}
  template <class Mode>
  void mode_time(const Mode&, double) {}
};

Positions race_stickslip(double tolerance) {
  using Law = LawOf<new_modified_lugre::Model>;
  using Plant = CylinderPlant<Law, CylinderOptions{.accounts = false}>;
  const auto c = cylinder();
  const auto f = friction();
  const Signal current = Signal::sine(amplitude, frequency);
  SimulationOptions options;
  options.end = end;
  options.relative_tolerance = tolerance;
  options.absolute_tolerance = 1e-3 * tolerance;
  const Plant plant(c, current, f, options);
  PositionSink sink;
  EventDrivenRun<Plant, PositionSink> motion(plant, options, sink);
  std::copy(start.begin(), start.end(), motion.y.begin());
  motion.mode = plant.start(0, motion.y.data());
  motion.run();
  return sink.x;
}

const Positions& reference() {
  static const Positions x = race_stickslip(1e-12);
  return x;
}

/// Runs a contestant; the argument of the benchmark counts half decades of its tolerance.
template <class Race>
void run(benchmark::State& state, const Race& race) {
  const Positions& exact = reference();
  const double tolerance = std::pow(10.0, -0.5 * static_cast<double>(state.range(0)));
  Positions x{};
  for (auto _ : state) {
    x = race(tolerance);
    benchmark::DoNotOptimize(x);
  }
  double error = 0;
  for (std::size_t i = 0; i < x.size(); ++i) error = std::max(error, std::fabs(x[i] - exact[i]));
  state.counters["error_m"] = error;
}

void ours(benchmark::State& state) { run(state, race_stickslip); }
BENCHMARK(ours)->Name("stickslip")->DenseRange(2, 14)->Unit(benchmark::kMillisecond);

#ifdef STICKSLIP_WITH_SUNDIALS

/// The whole machine in one function, kinks and all.
struct Rig {
  HydraulicCylinder c = cylinder();
  Model forward = friction().forward, backward = friction().backward;

  template <class T>
  void rates(double t, const std::array<T, 8>& y, std::array<T, 8>& dy) const {
    const auto& [spool, spool_rate, p1, p2, x, v, z, h] = y;
    const double w = c.valve_frequency, u = amplitude * std::sin(2 * 3.14159265358979323846 * frequency * t);
    const double k = c.discharge_coefficient * std::sqrt(2 / c.density) * c.port_width;
    const T a = k * max(T(c.underlap + spool), T(0.0)), b = k * max(T(c.underlap - spool), T(0.0));
    const auto root = [&](const T& drop) { return orifice_root(drop, c.laminar_pressure); };
    const T q1 = a * root(c.supply_pressure - p1) - b * root(p1), q2 = a * root(p2) - b * root(c.supply_pressure - p2);
    const Model& m = v < 0.0 ? backward : forward;
    Contact<T> contact;
    contact.velocity = v;
    const std::array<T, 2> state{z, h};
    const auto film = rate(m, state, contact);
    const T resisting = force(m, state, film, contact);
    dy[0] = spool_rate;
    dy[1] = w * w * (c.valve_gain * u - spool) - 2 * c.valve_damping * w * spool_rate;
    dy[2] = (q1 - c.area_1() * v) * c.bulk_modulus / (c.dead_volume_1 + c.area_1() * x);
    dy[3] = (c.area_2() * v - q2) * c.bulk_modulus / (c.dead_volume_2 + c.area_2() * (c.stroke - x));
    dy[4] = v;
    dy[5] = (p1 * c.area_1() - p2 * c.area_2() - c.mass * c.gravity - resisting) / (c.mass + added_mass(m));
    dy[6] = film[0];
    dy[7] = film[1];
  }
};

int rates(double t, N_Vector y, N_Vector dy, void* rig) {
  std::array<double, 8> s, r;
  std::copy_n(NV_DATA_S(y), 8, s.begin());
  static_cast<const Rig*>(rig)->rates(t, s, r);
  std::copy_n(r.begin(), 8, NV_DATA_S(dy));
  return 0;
}
int jacobian(double t, N_Vector y, N_Vector, SUNMatrix j, void* rig, N_Vector, N_Vector, N_Vector) {
  using D = Dual<8>;
  std::array<D, 8> s, r;
  for (std::size_t i = 0; i < 8; ++i) s[i] = D::variable(NV_DATA_S(y)[i], i);
  static_cast<const Rig*>(rig)->rates(t, s, r);
  for (int row = 0; row < 8; ++row)
    for (int column = 0; column < 8; ++column)
      SM_ELEMENT_D(j, row, column) = r[static_cast<std::size_t>(row)].slope[static_cast<std::size_t>(column)];
  return 0;
}
int reversal(double, N_Vector y, double* g, void*) {
  g[0] = NV_Ith_S(y, 5);
  return 0;
}

struct Rival {
  bool exact_jacobian, restarts;
};

Positions race_cvode(double tolerance, const Rival& rival) {
  Rig rig;
  SUNContext context;
  SUNContext_Create(nullptr, &context);
  N_Vector y = N_VNew_Serial(8, context), floor = N_VNew_Serial(8, context);
  const double scale[8]{4e-5, 4e-5 * 440, 5e6, 5e6, 1, 1, 830 / bristle_stiffness, 1};
  for (int i = 0; i < 8; ++i) {
    NV_Ith_S(y, i) = start[static_cast<std::size_t>(i)];
    NV_Ith_S(floor, i) = 1e-3 * tolerance * scale[i];
  }
  void* cvode = CVodeCreate(CV_BDF, context);
  CVodeInit(cvode, rates, 0, y);
  CVodeSetUserData(cvode, &rig);
  CVodeSVtolerances(cvode, tolerance, floor);
  SUNMatrix matrix = SUNDenseMatrix(8, 8, context);
  SUNLinearSolver linear = SUNLinSol_Dense(y, matrix, context);
  CVodeSetLinearSolver(cvode, linear, matrix);
  if (rival.exact_jacobian) CVodeSetJacFn(cvode, jacobian);
  CVodeSetMaxNumSteps(cvode, 10000000);
  if (rival.restarts) CVodeRootInit(cvode, 1, reversal);
  Positions x{};
  double t = 0;
  for (std::size_t i = 0; i < look_at.size(); ++i) {
    int flag = CV_ROOT_RETURN;
    while (flag == CV_ROOT_RETURN) {
      flag = CVode(cvode, look_at[i], y, &t, CV_NORMAL);
      if (flag == CV_ROOT_RETURN) CVodeReInit(cvode, t, y);
    }
    if (flag < 0) break;
    x[i] = NV_Ith_S(y, 4);
  }
  CVodeFree(&cvode);
  SUNLinSolFree(linear);
  SUNMatDestroy(matrix);
  N_VDestroy(y);
  N_VDestroy(floor);
  SUNContext_Free(&context);
  return x;
}
void cvode_exact(benchmark::State& state) {
  run(state, [](double tolerance) { return race_cvode(tolerance, {true, false}); });
}
void cvode_differences(benchmark::State& state) {
  run(state, [](double tolerance) { return race_cvode(tolerance, {false, false}); });
}
void cvode_roots(benchmark::State& state) {
  run(state, [](double tolerance) { return race_cvode(tolerance, {true, true}); });
}
BENCHMARK(cvode_exact)->Name("CVODE BDF, exact Jacobian")->DenseRange(3, 16)->Unit(benchmark::kMillisecond);
BENCHMARK(cvode_differences)
    ->Name("CVODE BDF, Jacobian by differences")
    ->DenseRange(3, 16)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(cvode_roots)
    ->Name("CVODE BDF, exact Jacobian, restart at reversals")
    ->DenseRange(3, 16)
    ->Unit(benchmark::kMillisecond);
#endif

#ifdef STICKSLIP_WITH_BOOST
void odeint_rosenbrock(benchmark::State& state) { run(state, rivals::odeint_cylinder); }
BENCHMARK(odeint_rosenbrock)
    ->Name("Boost.odeint rosenbrock4, autonomous")
    ->DenseRange(2, 14)
    ->Unit(benchmark::kMillisecond);
#endif

}  // namespace
