/// 10 s of the dual clutch (experiment dual-clutch), without outputs and with the speeds and the twists of the shafts every millisecond:
/// stickslip, from the same Mechanism that a machine file makes, with all its accounts, in series (`exact`) and in steps, against
/// SUNDIALS CVODE with rootfinding and Boost.odeint's dense Dormand-Prince with bisection. The rivals have hand-written right-hand
/// sides per mode, restarts at events and pressure breakpoints, and CVODE the analytic Jacobian for BDF; they restart with
/// short steps where a Stribeck peak begins, since otherwise they step over it and are wrong by milliseconds.
/// `error_s` is the worst error of the eight event times, `error` that of the speeds at the outputs [rad/s], both against steps
/// of at most 20 us at tolerance 1e-14: compare rows of equal error. `events` must be 8.
/// Biagiotti reports 0.98 s in Simulink on a 2.26 GHz Core 2.
#include <benchmark/benchmark.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "machines/mechanism/dual_clutch.hpp"

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

constexpr std::size_t states = 6;  // w1, w2, w3, phi1, phi3, wv
using Row = std::array<double, states>;
constexpr double interval = 1e-3, end = 10;
const std::vector<std::string> columns{"shaft_1_speed",      "engine_speed",       "shaft_3_speed",
                                       "drive_1_elongation", "drive_3_elongation", "vehicle_speed"};

struct Answer {
  std::vector<double> events;
  std::array<std::vector<double>, states> outputs;
  void keep(const double* y) {
    for (std::size_t i = 0; i < states; ++i) outputs[i].push_back(y[i]);
  }
};

/// Outputs of one run go where those of the last one were, for everybody: otherwise the system's pages are what is measured.
[[maybe_unused]] const bool keeps_memory = [] {
#if defined(__GLIBC__)
  mallopt(M_TRIM_THRESHOLD, 1 << 28);
  mallopt(M_MMAP_THRESHOLD, 1 << 28);
#endif
  return true;
}();

enum class Outputs { none, states, all };

Answer solved(const Mechanism& machine, const SimulationOptions& options) {
  Answer answer;
  auto run = simulate(machine, options);
  for (const auto& e : run.events)
    if (e.kind != EventKind::input_breakpoint) answer.events.push_back(e.time);
  for (auto& c : run.samples.columns)
    for (std::size_t i = 0; i < states; ++i)
      if (c.name == columns[i]) answer.outputs[i] = std::move(c.values);
  return answer;
}

Mechanism machine_for(Propagation propagation, Outputs outputs) {
  Mechanism machine = dual_clutch();
  machine.propagation = propagation;
  if (outputs == Outputs::states) machine.columns = columns;
  return machine;
}

Answer ours(const Mechanism& machine, Outputs outputs, double tolerance) {
  SimulationOptions options;
  options.end = end;
  options.relative_tolerance = tolerance;
  if (outputs != Outputs::none) options.sample_interval = interval;
  return solved(machine, options);
}

const Answer& reference() {
  static const Answer answer = [] {
    Mechanism machine = dual_clutch();
    machine.propagation = Propagation::steps;
    machine.columns = columns;
    SimulationOptions options;
    options.end = end;
    options.sample_interval = interval;
    options.relative_tolerance = 1e-14;
    options.longest_step = 2e-5;
    return solved(machine, options);
  }();
  return answer;
}

double worst(const std::vector<double>& found, const std::vector<double>& expected) {
  double error = found.size() == expected.size() ? 0 : 1e9;
  for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i)
    error = std::max(error, std::fabs(found[i] - expected[i]));
  return error;
}

/// Runs a contestant `race(tolerance) -> Answer`; the argument of the benchmark is -log10(tolerance).
template <class Race>
void run(benchmark::State& state, const Race& race) {
  const double tolerance = std::pow(10.0, -static_cast<double>(state.range(0)));
  Answer answer;
  for (auto _ : state) {
    answer = race(tolerance);
    benchmark::DoNotOptimize(answer);
  }
  state.counters["error_s"] = worst(answer.events, reference().events);
  state.counters["events"] = static_cast<double>(answer.events.size());
  if (answer.outputs[0].empty()) return;
  double error = 0;
  for (const std::size_t i : {0u, 1u, 2u, 5u})
    error = std::max(error, worst(answer.outputs[i], reference().outputs[i]));
  state.counters["error"] = error;
}

void exact(benchmark::State& state, Outputs outputs) {
  const Mechanism machine = machine_for(Propagation::exact, outputs);
  run(state, [&](double tolerance) { return ours(machine, outputs, tolerance); });
}
void in_steps(benchmark::State& state, Outputs outputs) {
  const Mechanism machine = machine_for(Propagation::steps, outputs);
  run(state, [&](double tolerance) { return ours(machine, outputs, tolerance); });
}
void exact_plain(benchmark::State& state) { exact(state, Outputs::none); }
void exact_states(benchmark::State& state) { exact(state, Outputs::states); }
void exact_all(benchmark::State& state) { exact(state, Outputs::all); }
void steps_plain(benchmark::State& state) { in_steps(state, Outputs::none); }
void steps_states(benchmark::State& state) { in_steps(state, Outputs::states); }
BENCHMARK(exact_plain)->Name("stickslip exact")->Arg(10)->Unit(benchmark::kMicrosecond);
BENCHMARK(exact_states)->Name("stickslip exact, 1 ms outputs")->Arg(10)->Unit(benchmark::kMicrosecond);
BENCHMARK(exact_all)->Name("stickslip exact, 1 ms outputs of all 27 columns")->Arg(10)->Unit(benchmark::kMicrosecond);
BENCHMARK(steps_plain)->Name("stickslip steps")->DenseRange(6, 12, 2)->Unit(benchmark::kMicrosecond);
BENCHMARK(steps_states)->Name("stickslip steps, 1 ms outputs")->DenseRange(6, 12, 2)->Unit(benchmark::kMicrosecond);

// ---- the rivals' machine -------------------------------------------------------------------------------------------

[[maybe_unused]] constexpr double te = 400, j1 = .03, j2 = .25, j3 = .03, k = 150, b = 3, r1 = 8, r3 = 5, jv = 150,
                                  bv = 25;
constexpr double sliding = 500, stiction = 600, peak_begins = 5;
[[maybe_unused]] constexpr std::array<double, 10> breaks{.4, 4, 4.1, 4.3, 4.5, 7, 7.1, 7.3, 7.5, 10};

struct Rig {
  int clutch_1 = -1, clutch_3 = 1;  // 0: locked, otherwise the sign of the slip
  double p1_at = 0, p1_rate = 2.5, p3_at = 0, p3_rate = 0, since = 0;
  double p1(double t) const { return p1_at + p1_rate * (t - since); }
  double p3(double t) const { return p3_at + p3_rate * (t - since); }
};

double level(double z) { return sliding + (stiction - sliding) * std::exp(-z * z); }
[[maybe_unused]] double level_slope(double z) { return -2 * z * (stiction - sliding) * std::exp(-z * z); }

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

[[maybe_unused]] void rates(const Rig& rig, double t, const double* y, double* dy) {
  const Torques o = torques(rig, t, y);
  std::copy(o.acceleration.begin(), o.acceleration.end(), dy);
  dy[3] = y[0] - r1 * y[5];
  dy[4] = y[2] - r3 * y[5];
  dy[5] = (r1 * o.t1 + r3 * o.t3 - bv * y[5]) / jv;
}

/// Locked: what is left to the level. Slipping: the slip.
[[maybe_unused]] void leaves_mode(const Rig& rig, double t, const double* y, double* g) {
  const Torques o = torques(rig, t, y);
  g[0] = rig.clutch_1 == 0 ? stiction * rig.p1(t) - std::fabs(o.clutch_1) : y[0] - y[1];
  g[1] = rig.clutch_3 == 0 ? stiction * rig.p3(t) - std::fabs(o.clutch_3) : y[1] - y[2];
  g[2] = rig.clutch_1 == 0 ? 1 : std::fabs(y[0] - y[1]) - peak_begins;
  g[3] = rig.clutch_3 == 0 ? 1 : std::fabs(y[1] - y[2]) - peak_begins;
}
/// Inside a Stribeck peak steps must see it.
[[maybe_unused]] double longest_step(const Rig& rig, const double* y) {
  const bool near_1 = rig.clutch_1 != 0 && std::fabs(y[0] - y[1]) < 1.001 * peak_begins;
  const bool near_3 = rig.clutch_3 != 0 && std::fabs(y[1] - y[2]) < 1.001 * peak_begins;
  return near_1 || near_3 ? 2e-3 : 0;
}

/// Clutch `which` is at z = 0 or at its level: what becomes of it.
[[maybe_unused]] void switch_clutch(Rig& rig, int which, double t, double* y) {
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

[[maybe_unused]] void next_segment(Rig& rig, double t) {
  const DualClutch vehicle;
  rig.since = t;
  const auto take = [&](const Signal& s, double& at, double& rate) {
    const std::size_t segment = s.segment_at(t + 1e-12);
    at = s.value(segment, t), rate = s.slope(segment, t);
  };
  take(vehicle.pressure_1, rig.p1_at, rig.p1_rate);
  take(vehicle.pressure_3, rig.p3_at, rig.p3_rate);
}

#ifdef STICKSLIP_WITH_SUNDIALS

int motion(double t, N_Vector v, N_Vector dv, void* data) {
  rates(*static_cast<Rig*>(data), t, NV_DATA_S(v), NV_DATA_S(dv));
  return 0;
}
int roots(double t, N_Vector v, double* g, void* data) {
  leaves_mode(*static_cast<Rig*>(data), t, NV_DATA_S(v), g);
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

Answer race_cvode(int method, bool has_outputs, double tolerance) {
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
  CVodeRootInit(cvode, 4, roots);
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
  Answer answer;
  double t = 0;
  std::size_t sample = 0;
  const std::size_t samples = has_outputs ? static_cast<std::size_t>(std::lround(end / interval)) : 0;
  if (has_outputs) answer.keep(NV_DATA_S(y));
  for (std::size_t next = 0; next < breaks.size() && answer.events.size() < 100;) {
    CVodeSetStopTime(cvode, breaks[next]);
    const double output = sample < samples ? static_cast<double>(sample + 1) * interval : breaks[next];
    const int flag = CVode(cvode, std::min(output, breaks[next]), y, &t, CV_NORMAL);
    if (flag < 0) break;
    if (flag == CV_ROOT_RETURN) {
      int found[4];
      CVodeGetRootInfo(cvode, found);
      for (int i = 0; i < 2; ++i)
        if (found[i] != 0) switch_clutch(rig, i, t, NV_DATA_S(y)), answer.events.push_back(t);
    } else {
      if (sample < samples && t >= output - 1e-12) answer.keep(NV_DATA_S(y)), ++sample;
      if (t < breaks[next] - 1e-12) continue;
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
  return answer;
}
void cvode_adams(benchmark::State& state) {
  run(state, [](double tolerance) { return race_cvode(CV_ADAMS, false, tolerance); });
}
void cvode_adams_outputs(benchmark::State& state) {
  run(state, [](double tolerance) { return race_cvode(CV_ADAMS, true, tolerance); });
}
void cvode_bdf_outputs(benchmark::State& state) {
  run(state, [](double tolerance) { return race_cvode(CV_BDF, true, tolerance); });
}
BENCHMARK(cvode_adams)->Name("CVODE Adams, rootfinding")->DenseRange(5, 11)->Unit(benchmark::kMicrosecond);
BENCHMARK(cvode_adams_outputs)
    ->Name("CVODE Adams, rootfinding, 1 ms outputs")
    ->DenseRange(5, 11)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(cvode_bdf_outputs)
    ->Name("CVODE BDF, rootfinding, 1 ms outputs")
    ->DenseRange(5, 11)
    ->Unit(benchmark::kMicrosecond);
#endif

#ifdef STICKSLIP_WITH_BOOST

/// Steps of odeint's controlled Dormand-Prince with its own interpolant; at a sign change of a guard inside a step the crossing is
/// found by bisection on the interpolant to 1e-14 s, and the stepper starts again behind it.
Answer race_odeint(bool has_outputs, double tolerance) {
  namespace odeint = boost::numeric::odeint;
  using Stepper = odeint::runge_kutta_dopri5<Row>;
  Rig rig;
  Row y{};
  y[1] = 100;
  const auto system = [&](const Row& x, Row& dx, double t) { rates(rig, t, x.data(), dx.data()); };
  auto wide = odeint::make_dense_output(1e-3 * tolerance, tolerance, Stepper());
  auto narrow = odeint::make_dense_output(1e-3 * tolerance, tolerance, 2e-3, Stepper());  // inside a peak
  Answer answer;
  double t = 0;
  std::size_t next = 0, sample = 0;
  const std::size_t samples = has_outputs ? static_cast<std::size_t>(std::lround(end / interval)) : 0;
  const auto stretch = [&](auto& stepper) {  // to the next event, peak or breakpoint
    std::array<double, 4> before{}, now{};
    leaves_mode(rig, t, y.data(), before.data());
    if (rig.clutch_1 != 0) before[0] = rig.clutch_1;  // z may still be zero: what counts is where it goes
    if (rig.clutch_3 != 0) before[1] = rig.clutch_3;
    stepper.initialize(y, t, 1e-6);
    for (double checked = t;;) {
      const double reached = std::min(stepper.do_step(system).second, breaks[next]);
      Row x;
      bool is_crossed = false;
      for (const double part : {0.5, 1.0}) {  // a guard that dips inside the step shows at its middle
        const double at = checked + part * (reached - checked);
        stepper.calc_state(at, x);
        leaves_mode(rig, at, x.data(), now.data());
        for (std::size_t i = 0; i < 4; ++i) is_crossed = is_crossed || (before[i] > 0) != (now[i] > 0);
        if (!is_crossed) continue;
        double low = checked, high = at;
        while (high - low > 1e-14 * high) {
          const double middle = 0.5 * (low + high);
          if (middle == low || middle == high) break;
          stepper.calc_state(middle, x);
          leaves_mode(rig, middle, x.data(), now.data());
          bool beyond = false;
          for (std::size_t i = 0; i < 4; ++i) beyond = beyond || (before[i] > 0) != (now[i] > 0);
          (beyond ? high : low) = middle;
        }
        t = high;
        break;
      }
      if (!is_crossed) t = reached;
      for (; sample <= samples && has_outputs && static_cast<double>(sample) * interval < t; ++sample) {
        stepper.calc_state(static_cast<double>(sample) * interval, x);
        answer.keep(x.data());
      }
      if (is_crossed || reached >= breaks[next]) {
        stepper.calc_state(t, y);
        leaves_mode(rig, t, y.data(), now.data());
        for (int i = 0; i < 2 && is_crossed; ++i)
          if ((before[static_cast<std::size_t>(i)] > 0) != (now[static_cast<std::size_t>(i)] > 0))
            switch_clutch(rig, i, t, y.data()), answer.events.push_back(t);
        if (!is_crossed) next_segment(rig, t), ++next;
        return;
      }
      checked = reached;
    }
  };
  while (next < breaks.size() && answer.events.size() < 100)
    if (longest_step(rig, y.data()) > 0)
      stretch(narrow);
    else
      stretch(wide);
  if (has_outputs) answer.keep(y.data());
  return answer;
}
void odeint_plain(benchmark::State& state) {
  run(state, [](double tolerance) { return race_odeint(false, tolerance); });
}
void odeint_outputs(benchmark::State& state) {
  run(state, [](double tolerance) { return race_odeint(true, tolerance); });
}
BENCHMARK(odeint_plain)->Name("odeint dopri5, bisection")->DenseRange(5, 11)->Unit(benchmark::kMicrosecond);
BENCHMARK(odeint_outputs)
    ->Name("odeint dopri5, bisection, 1 ms outputs")
    ->DenseRange(5, 11)
    ->Unit(benchmark::kMicrosecond);
#endif

}  // namespace
