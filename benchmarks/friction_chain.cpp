/// A chain of 100 bodies and clutches for 10 s, every torque held for 50 ms and then drawn anew: stickslip's closed form and its own
/// integrator, against SUNDIALS CVODE (Adams) with rootfinding on the clutches that slip, restarted at events and breakpoints, which
/// uses the same kernel for the clutches at rest, around the change only; once with the first step that CVODE chooses, once with the
/// whole way offered. `error` is the worst final speed against the closed form [rad/s], and of the closed form the
/// mean speed against the impulse; `events` are locks, releases and passes,
/// `arrivals` those at which a slip reaches zero.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "machines/mechanism/friction_chain.hpp"
#include "random_chain.hpp"

#ifdef STICKSLIP_WITH_SUNDIALS
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#endif

namespace {

using namespace stickslip;
using namespace stickslip::bench;

double worst(const std::vector<double>& speed, const std::vector<double>& reference) {
  double error = 0;
  for (std::size_t i = 0; i < speed.size(); ++i) error = std::max(error, std::fabs(speed[i] - reference[i]));
  return error;
}

template <class Counts>
std::size_t count_events(const MechanismRun& run, const Counts& counts) {
  return static_cast<std::size_t>(std::count_if(run.events.begin(), run.events.end(), counts));
}
bool is_joint_event(const MechanismEvent& e) { return e.kind != EventKind::input_breakpoint; }
bool is_arrival(const MechanismEvent& e) { return e.kind == EventKind::stick || e.kind == EventKind::direction_change; }

/// The mean speed against the impulse of all torques over all inertias, which needs no simulation [rad/s].
double mean_speed_error(const Mechanism& m, const MechanismRun& run) {
  double impulse = 0, inertia = 0;
  for (const auto& t : m.torques)
    for (int k = 0; k < static_cast<int>(end / hold); ++k) impulse += hold * t.torque((k + 0.5) * hold);
  for (const auto& b : m.bodies) inertia += b.inertia;
  return std::fabs(run.ledger.momentum_end - run.ledger.momentum_start - impulse) / inertia;
}

using benchmark::Counter;
/// Time per event as well: random chains differ in how many they have.
void report(benchmark::State& state, std::size_t events, std::size_t arrivals, double error) {
  state.counters["events"] = static_cast<double>(events);
  state.counters["arrivals"] = static_cast<double>(arrivals);
  state.counters["s_per_event"] =
      Counter(static_cast<double>(events), Counter::kIsIterationInvariantRate | Counter::kInvert);
  state.counters["error"] = error;
}
void report(benchmark::State& state, const MechanismRun& run, double error) {
  report(state, count_events(run, is_joint_event), count_events(run, is_arrival), error);
}

MechanismRun run_with(const Mechanism& m, double tolerance = 1e-10) {
  SimulationOptions options;
  options.end = end;
  options.relative_tolerance = tolerance;
  return simulate(m, options);
}

void ours(benchmark::State& state) {
  const Mechanism m = chain_of(static_cast<std::size_t>(state.range(0)));
  MechanismRun run;
  for (auto _ : state) run = run_with(m);
  report(state, run, mean_speed_error(m, run));
}
BENCHMARK(ours)->Name("stickslip exact")->Arg(10)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);

void stepping(benchmark::State& state) {
  Mechanism m = chain_of(static_cast<std::size_t>(state.range(0)));
  const auto reference = run_with(m).speed;
  m.propagation = Propagation::steps;
  MechanismRun run;
  for (auto _ : state) run = run_with(m, 1e-8);
  report(state, run, worst(run.speed, reference));
}
BENCHMARK(stepping)->Name("stickslip steps")->Arg(10)->Arg(100)->Unit(benchmark::kMillisecond);

#ifdef STICKSLIP_WITH_SUNDIALS

/// The right-hand side is constant between events; the best a general integrator can have. What has been at rest is solved again
/// only around a change, and only the clutches that slip are watched.
struct Rig {
  std::vector<double> inertia, torque, level;
  std::vector<int> motion;  // of each clutch: 0 locked, else the sign of its slip
  std::vector<std::size_t> watched;
  std::vector<Interface> interfaces;
  RestingWorkspace workspace;
  RestingResult answer;
  explicit Rig(const Mechanism& m) : workspace(m.bodies.size()), answer(m.bodies.size()) {
    for (const auto& b : m.bodies) inertia.push_back(b.inertia);
    for (std::size_t i = 0; i < m.joints.size(); ++i) {
      level.push_back(m.joints[i].law->breakaway_force({}, Direction::forward));
      motion.push_back(m.bodies[i].speed > m.bodies[i + 1].speed ? 1 : -1);
    }
    torque.resize(inertia.size()), interfaces.resize(level.size());
  }

  void solve_all() {
    for (std::size_t i = 0; i < motion.size(); ++i) interfaces[i] = interface_of(i);
    solve_resting_chain({inertia, torque, interfaces}, workspace, answer);
    for (std::size_t i = 0; i < motion.size(); ++i) take_outcome(i);
  }
  /// A clutch has come to rest: it and all that are locked to its bodies share one speed and decide together.
  void arrive(std::size_t i, double* w) {
    motion[i] = 0, interfaces[i] = interface_of(i);
    std::size_t first = i, last = i + 1;
    while (first > 0 && motion[first - 1] == 0) --first;
    while (last < motion.size() && motion[last] == 0) ++last;
    double momentum = 0, mass = 0;
    for (std::size_t k = first; k <= last; ++k) momentum += inertia[k] * w[k], mass += inertia[k];
    for (std::size_t k = first; k <= last; ++k) w[k] = momentum / mass;
    solve_resting_chain_around({inertia, torque, interfaces}, i, workspace, answer);
    for (std::size_t k = first; k < last; ++k) take_outcome(k);
  }
  void watch() {
    watched.clear();
    for (std::size_t i = 0; i < motion.size(); ++i)
      if (motion[i] != 0) watched.push_back(i);
  }

 private:
  Interface interface_of(std::size_t i) const {
    return motion[i] == 0 ? resting(level[i]) : slipping(motion[i] * level[i]);
  }
  void take_outcome(std::size_t i) {
    if (answer.outcome[i] != RestingOutcome::breaks_forward && answer.outcome[i] != RestingOutcome::breaks_backward)
      return;
    motion[i] = answer.outcome[i] == RestingOutcome::breaks_forward ? 1 : -1;
    interfaces[i] = interface_of(i);
  }
};

int rates(double, N_Vector, N_Vector dy, void* data) {
  const auto& rig = *static_cast<Rig*>(data);
  std::copy(rig.answer.acceleration.begin(), rig.answer.acceleration.end(), N_VGetArrayPointer(dy));
  return 0;
}
int slips(double, N_Vector y, double* out, void* data) {
  const auto& rig = *static_cast<Rig*>(data);
  const double* w = N_VGetArrayPointer(y);
  for (const std::size_t i : rig.watched) *out++ = w[i] - w[i + 1];
  return 0;
}

/// One run of CVODE. With `offers_all` its first step after a restart is offered the whole way to the next breakpoint, which it
/// takes since the rates are constant: the best one can do for it, knowing that.
class CvodeRun {
 public:
  CvodeRun(const Mechanism& m, SUNContext context, bool offers_all) : m_(m), offers_all_(offers_all), rig_(m) {
    y_ = N_VNew_Serial(static_cast<sunindextype>(m.bodies.size()), context);
    for (std::size_t i = 0; i < m.bodies.size(); ++i) N_VGetArrayPointer(y_)[i] = m.bodies[i].speed;
    solver_ = CVodeCreate(CV_ADAMS, context);
    iteration_ = SUNNonlinSol_FixedPoint(y_, 0, context);
    CVodeInit(solver_, rates, 0, y_);
    CVodeSetUserData(solver_, &rig_);
    CVodeSStolerances(solver_, 1e-8, 1e-10);
    CVodeSetNonlinearSolver(solver_, iteration_);
  }
  ~CvodeRun() {
    SUNNonlinSolFree(iteration_);
    CVodeFree(&solver_);
    N_VDestroy(y_);
  }
  CvodeRun(const CvodeRun&) = delete;

  /// How many arrivals.
  std::size_t run() {
    std::size_t events = 0;
    std::vector<int> found(rig_.motion.size());
    double* w = N_VGetArrayPointer(y_);
    for (int k = 0; k < static_cast<int>(end / hold); ++k) {
      double t = k * hold;
      const double until = (k + 1) * hold;
      for (std::size_t i = 0; i < m_.bodies.size(); ++i) rig_.torque[i] = m_.torques[i].torque(0.5 * (t + until));
      rig_.solve_all();
      restart(t, until);
      while (CVode(solver_, until, y_, &t, CV_NORMAL) == CV_ROOT_RETURN) {
        CVodeGetRootInfo(solver_, found.data());
        for (std::size_t r = 0; r < rig_.watched.size(); ++r)
          if (found[r] != 0) ++events, rig_.arrive(rig_.watched[r], w);
        if (!(t < until)) break;
        restart(t, until);
      }
    }
    return events;
  }
  std::vector<double> speed() const {
    const double* w = N_VGetArrayPointer(y_);
    return {w, w + m_.bodies.size()};
  }

 private:
  void restart(double t, double until) {
    rig_.watch();
    CVodeReInit(solver_, t, y_);
    CVodeRootInit(solver_, static_cast<int>(rig_.watched.size()), slips);
    CVodeSetStopTime(solver_, until);
    if (offers_all_) CVodeSetInitStep(solver_, until - t);
  }

  const Mechanism& m_;
  bool offers_all_;
  Rig rig_;
  N_Vector y_ = nullptr;
  void* solver_ = nullptr;
  SUNNonlinearSolver iteration_ = nullptr;
};

void cvode(benchmark::State& state, bool offers_all) {
  const Mechanism m = chain_of(static_cast<std::size_t>(state.range(0)));
  SUNContext context = nullptr;
  SUNContext_Create(nullptr, &context);
  std::size_t arrivals = 0;
  std::vector<double> speed;
  for (auto _ : state) {
    CvodeRun run(m, context, offers_all);
    arrivals = run.run();
    speed = run.speed();
  }
  SUNContext_Free(&context);
  const auto reference = run_with(m);
  report(state, count_events(reference, is_joint_event), arrivals, worst(speed, reference.speed));
}
BENCHMARK_CAPTURE(cvode, own, false)->Name("CVODE Adams")->Arg(10)->Arg(100)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(cvode, offered, true)
    ->Name("CVODE Adams, first step given")
    ->Arg(10)
    ->Arg(100)
    ->Unit(benchmark::kMillisecond);

#endif

}  // namespace
