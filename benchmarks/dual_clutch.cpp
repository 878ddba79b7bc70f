/// 10 s of the dual clutch (SPEC 4.8): stickslip, from the same Mechanism that a machine file makes, with all its accounts, against
/// SUNDIALS CVODE with rootfinding, hand-written right-hand sides per mode, restarts at events and pressure breakpoints, and the
/// analytic Jacobian for BDF; it restarts with short steps where a Stribeck peak begins, since otherwise it steps over it and is
/// wrong by milliseconds. `error_s` is the worst error of the eight event times: compare rows of equal error. `events` must be 8.
/// P4 reports 0.98 s in Simulink on a 2.26 GHz Core 2.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "plants/dual_clutch.hpp"

#ifdef STICKSLIP_WITH_SUNDIALS
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#endif

namespace {

using namespace stickslip;

constexpr std::array<double, 8> reference{.900573469,  4.111406346, 4.708647209, 5.134981462,
                                          7.101064845, 7.257116376, 7.312309469, 7.613951540};

double worst(const std::vector<double>& events) {
  double error = events.size() == reference.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(events.size(), reference.size()); ++i)
    error = std::max(error, std::fabs(events[i] - reference[i]));
  return error;
}

/// Runs a contestant `race(tolerance) -> event times`; the argument of the benchmark is -log10(tolerance).
template <class Race>
void run(benchmark::State& state, const Race& race) {
  const double tolerance = std::pow(10.0, -static_cast<double>(state.range(0)));
  std::vector<double> events;
  for (auto _ : state) {
    events = race(tolerance);
    benchmark::DoNotOptimize(events);
  }
  state.counters["error_s"] = worst(events);
  state.counters["events"] = static_cast<double>(events.size());
}

void ours(benchmark::State& state) {
  const Mechanism machine = dual_clutch();
  run(state, [&](double tolerance) {
    SimulationOptions options;
    options.end = 10;
    options.relative_tolerance = tolerance;
    std::vector<double> events;
    for (const auto& e : simulate(machine, options).events)
      if (e.kind != EventKind::input_breakpoint) events.push_back(e.time);
    return events;
  });
}
BENCHMARK(ours)->Name("stickslip")->DenseRange(5, 10)->Unit(benchmark::kMicrosecond);

#ifdef STICKSLIP_WITH_SUNDIALS

constexpr double te = 400, j1 = .03, j2 = .25, j3 = .03, k = 150, b = 3, r1 = 8, r3 = 5, jv = 150, bv = 25;
constexpr double sliding = 500, stiction = 600, peak_begins = 5;
constexpr std::size_t states = 6;  // w1, w2, w3, phi1, phi3, wv
using Row = std::array<double, states>;
constexpr std::array<double, 10> breaks{.4, 4, 4.1, 4.3, 4.5, 7, 7.1, 7.3, 7.5, 10};

struct Rig {
  int clutch_1 = -1, clutch_3 = 1;  // 0: locked, otherwise the sign of the slip
  double p1_at = 0, p1_rate = 2.5, p3_at = 0, p3_rate = 0, since = 0;
  double p1(double t) const { return p1_at + p1_rate * (t - since); }
  double p3(double t) const { return p3_at + p3_rate * (t - since); }
};

double level(double z) { return sliding + (stiction - sliding) * std::exp(-z * z); }
double level_slope(double z) { return -2 * z * (stiction - sliding) * std::exp(-z * z); }

struct Torques {
  double t1, t3, clutch_1, clutch_3;
  std::array<double, 3> acceleration;
};
Torques torques(const Rig& rig, double t, const double* y) {
  Torques o{};
  o.t1 = k * y[3] + b * (y[0] - r1 * y[5]);
  o.t3 = k * y[4] + b * (y[2] - r3 * y[5]);
  if (rig.clutch_1 != 0) o.clutch_1 = rig.clutch_1 * rig.p1(t) * level(y[0] - y[1]);
  if (rig.clutch_3 != 0) o.clutch_3 = rig.clutch_3 * rig.p3(t) * level(y[1] - y[2]);
  auto& a = o.acceleration;
  if (rig.clutch_1 == 0 && rig.clutch_3 == 0) {
    a[0] = a[1] = a[2] = (te - o.t1 - o.t3) / (j1 + j2 + j3);
    o.clutch_1 = -o.t1 - j1 * a[0], o.clutch_3 = o.t3 + j3 * a[2];
  } else if (rig.clutch_1 == 0) {
    a[0] = a[1] = (te - o.t1 - o.clutch_3) / (j1 + j2), a[2] = (o.clutch_3 - o.t3) / j3;
    o.clutch_1 = -o.t1 - j1 * a[0];
  } else if (rig.clutch_3 == 0) {
    a[0] = (-o.t1 - o.clutch_1) / j1, a[1] = a[2] = (te + o.clutch_1 - o.t3) / (j2 + j3);
    o.clutch_3 = o.t3 + j3 * a[2];
  } else {
    a[0] = (-o.t1 - o.clutch_1) / j1, a[1] = (te + o.clutch_1 - o.clutch_3) / j2, a[2] = (o.clutch_3 - o.t3) / j3;
  }
  return o;
}

int motion(double t, N_Vector v, N_Vector dv, void* data) {
  const double* y = NV_DATA_S(v);
  double* dy = NV_DATA_S(dv);
  const Torques o = torques(*static_cast<Rig*>(data), t, y);
  std::copy(o.acceleration.begin(), o.acceleration.end(), dy);
  dy[3] = y[0] - r1 * y[5];
  dy[4] = y[2] - r3 * y[5];
  dy[5] = (r1 * o.t1 + r3 * o.t3 - bv * y[5]) / jv;
  return 0;
}

int jacobian(double t, N_Vector v, N_Vector, SUNMatrix j, void* data, N_Vector, N_Vector, N_Vector) {
  const Rig& rig = *static_cast<Rig*>(data);
  const double* y = NV_DATA_S(v);
  const Row by_t1{b, 0, 0, k, 0, -r1 * b}, by_t3{0, 0, b, 0, k, -r3 * b};
  const double s1 = rig.clutch_1 * rig.p1(t) * level_slope(y[0] - y[1]);
  const double s3 = rig.clutch_3 * rig.p3(t) * level_slope(y[1] - y[2]);
  const Row by_c1{s1, -s1, 0, 0, 0, 0}, by_c3{0, s3, -s3, 0, 0, 0};
  for (std::size_t i = 0; i < states; ++i) {
    const auto put = [&](int row, double value) { SM_ELEMENT_D(j, row, static_cast<int>(i)) = value; };
    double f1 = -by_t1[i] - by_c1[i], f2 = by_c1[i] - by_c3[i], f3 = by_c3[i] - by_t3[i];
    double a1 = f1 / j1, a2 = f2 / j2, a3 = f3 / j3;
    if (rig.clutch_1 == 0 && rig.clutch_3 == 0)
      a1 = a2 = a3 = (f1 + f2 + f3) / (j1 + j2 + j3);
    else if (rig.clutch_1 == 0)
      a1 = a2 = (f1 + f2) / (j1 + j2);
    else if (rig.clutch_3 == 0)
      a2 = a3 = (f2 + f3) / (j2 + j3);
    put(0, a1), put(1, a2), put(2, a3);
    put(3, (i == 0 ? 1 : 0) - (i == 5 ? r1 : 0));
    put(4, (i == 2 ? 1 : 0) - (i == 5 ? r3 : 0));
    put(5, (r1 * by_t1[i] + r3 * by_t3[i] - (i == 5 ? bv : 0)) / jv);
  }
  return 0;
}

/// Locked: what is left to the level. Slipping: the slip.
int leaves_mode(double t, N_Vector v, double* g, void* data) {
  const Rig& rig = *static_cast<Rig*>(data);
  const double* y = NV_DATA_S(v);
  const Torques o = torques(rig, t, y);
  g[0] = rig.clutch_1 == 0 ? stiction * rig.p1(t) - std::fabs(o.clutch_1) : y[0] - y[1];
  g[1] = rig.clutch_3 == 0 ? stiction * rig.p3(t) - std::fabs(o.clutch_3) : y[1] - y[2];
  g[2] = rig.clutch_1 == 0 ? 1 : std::fabs(y[0] - y[1]) - peak_begins;
  g[3] = rig.clutch_3 == 0 ? 1 : std::fabs(y[1] - y[2]) - peak_begins;
  return 0;
}
/// Inside a Stribeck peak steps must see it.
double longest_step(const Rig& rig, const double* y) {
  const bool near_1 = rig.clutch_1 != 0 && std::fabs(y[0] - y[1]) < 1.001 * peak_begins;
  const bool near_3 = rig.clutch_3 != 0 && std::fabs(y[1] - y[2]) < 1.001 * peak_begins;
  return near_1 || near_3 ? 2e-3 : 0;
}

/// Clutch `which` is at z = 0 or at its level: what becomes of it.
void switch_clutch(Rig& rig, int which, double t, double* y) {
  int& mode = which == 0 ? rig.clutch_1 : rig.clutch_3;
  const double p = which == 0 ? rig.p1(t) : rig.p3(t);
  const std::size_t left = which == 0 ? 0 : 1, right = left + 1;
  if (mode == 0) {
    const Torques o = torques(rig, t, y);
    mode = (which == 0 ? o.clutch_1 : o.clutch_3) > 0 ? 1 : -1;
    return;
  }
  const int came = mode;
  mode = 0;
  const Torques o = torques(rig, t, y);
  if (std::fabs(which == 0 ? o.clutch_1 : o.clutch_3) > stiction * p) {
    mode = -came;
    return;
  }
  const double jl = which == 0 ? j1 : j2, jr = which == 0 ? j2 : j3;
  y[left] = y[right] = (jl * y[left] + jr * y[right]) / (jl + jr);
}

void next_segment(Rig& rig, double t) {
  const DualClutch vehicle;
  rig.since = t;
  const auto take = [&](const Signal& s, double& at, double& rate) {
    const std::size_t segment = s.segment_at(t + 1e-12);
    at = s.value(segment, t), rate = s.slope(segment, t);
  };
  take(vehicle.pressure_1, rig.p1_at, rig.p1_rate);
  take(vehicle.pressure_3, rig.p3_at, rig.p3_rate);
}

std::vector<double> race_cvode(int method, double tolerance) {
  SUNContext context;
  SUNContext_Create(nullptr, &context);
  N_Vector y = N_VNew_Serial(states, context);
  N_VConst(0, y);
  NV_Ith_S(y, 1) = 100;
  Rig rig;
  void* cvode = CVodeCreate(method, context);
  CVodeInit(cvode, motion, 0, y);
  CVodeSetUserData(cvode, &rig);
  CVodeSStolerances(cvode, tolerance, 1e-3 * tolerance);
  CVodeRootInit(cvode, 4, leaves_mode);
  CVodeSetNoInactiveRootWarn(cvode);
  SUNMatrix matrix = nullptr;
  SUNLinearSolver linear = nullptr;
  SUNNonlinearSolver iteration = nullptr;
  if (method == CV_BDF) {
    matrix = SUNDenseMatrix(states, states, context);
    linear = SUNLinSol_Dense(y, matrix, context);
    CVodeSetLinearSolver(cvode, linear, matrix);
    CVodeSetJacFn(cvode, jacobian);
  } else {
    iteration = SUNNonlinSol_FixedPoint(y, 0, context);
    CVodeSetNonlinearSolver(cvode, iteration);
  }
  CVodeSetMaxNumSteps(cvode, 1000000);
  std::vector<double> events;
  double t = 0;
  for (std::size_t next = 0; next < breaks.size() && events.size() < 100;) {
    CVodeSetStopTime(cvode, breaks[next]);
    const int flag = CVode(cvode, breaks[next], y, &t, CV_NORMAL);
    if (flag < 0) break;
    if (flag == CV_ROOT_RETURN) {
      int found[4];
      CVodeGetRootInfo(cvode, found);
      for (int i = 0; i < 2; ++i)
        if (found[i] != 0) switch_clutch(rig, i, t, NV_DATA_S(y)), events.push_back(t);
    } else {
      next_segment(rig, t);
      ++next;
    }
    CVodeReInit(cvode, t, y);
    CVodeSetMaxStep(cvode, longest_step(rig, NV_DATA_S(y)));
  }
  CVodeFree(&cvode);
  if (linear) SUNLinSolFree(linear);
  if (matrix) SUNMatDestroy(matrix);
  if (iteration) SUNNonlinSolFree(iteration);
  N_VDestroy(y);
  SUNContext_Free(&context);
  return events;
}
void cvode_adams(benchmark::State& state) {
  run(state, [](double tolerance) { return race_cvode(CV_ADAMS, tolerance); });
}
void cvode_bdf(benchmark::State& state) {
  run(state, [](double tolerance) { return race_cvode(CV_BDF, tolerance); });
}
BENCHMARK(cvode_adams)->Name("CVODE Adams, rootfinding")->DenseRange(5, 11)->Unit(benchmark::kMicrosecond);
BENCHMARK(cvode_bdf)->Name("CVODE BDF, rootfinding")->DenseRange(5, 11)->Unit(benchmark::kMicrosecond);
#endif

}  // namespace
