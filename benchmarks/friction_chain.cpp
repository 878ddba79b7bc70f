/// A chain of 100 bodies and clutches for 10 s, every torque held for 50 ms and then drawn anew: stickslip's closed form and its own
/// integrator, against SUNDIALS CVODE (Adams) with rootfinding on every slipping clutch, restarted at events and breakpoints, which uses the same
/// kernel for the clutches at rest. `error` is the worst final speed against the closed form [rad/s]; `events` are locks, releases and passes.
#include <benchmark/benchmark.h>

#include <cmath>
#include <memory>
#include <vector>

#include "plants/friction_chain.hpp"
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

std::size_t joint_events(const MechanismRun& run) {
  std::size_t count = 0;
  for (const auto& e : run.events) count += e.kind != EventKind::input_breakpoint;
  return count;
}

MechanismRun run_with(const Mechanism& m, double tolerance = 1e-10) {
  SimulationOptions options;
  options.end = end;
  options.relative_tolerance = tolerance;
  return simulate(m, options);
}

void ours(benchmark::State& state) {
  const Mechanism m = chain_of(static_cast<std::size_t>(state.range(0)));
  std::size_t events = 0;
  for (auto _ : state) {
    const auto run = run_with(m);
    benchmark::DoNotOptimize(run.speed.data());
    events = joint_events(run);
  }
  state.counters["events"] = static_cast<double>(events);
  state.counters["error"] = 0;
}
BENCHMARK(ours)->Name("stickslip exact")->Arg(10)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);

void stepping(benchmark::State& state) {
  Mechanism m = chain_of(static_cast<std::size_t>(state.range(0)));
  const auto reference = run_with(m).speed;
  m.propagation = Propagation::steps;
  MechanismRun run;
  for (auto _ : state) run = run_with(m, 1e-8);
  state.counters["events"] = static_cast<double>(joint_events(run));
  state.counters["error"] = worst(run.speed, reference);
}
BENCHMARK(stepping)->Name("stickslip steps")->Arg(10)->Arg(100)->Unit(benchmark::kMillisecond);

#ifdef STICKSLIP_WITH_SUNDIALS

/// The right-hand side is constant between events; the best a general integrator can have.
struct Rig {
  std::vector<double> inertia, torque, level;
  std::vector<int> motion;  // of each clutch: 0 locked, else the sign of its slip
  std::vector<Interface> interfaces;
  RestingWorkspace workspace;
  RestingResult answer;
  explicit Rig(std::size_t n) : workspace(n), answer(n) {}

  void solve(const double* w, int arrived) {
    for (std::size_t i = 0; i < motion.size(); ++i) {
      if (static_cast<int>(i) == arrived) motion[i] = 0;
      interfaces[i] = motion[i] == 0 ? resting(level[i]) : slipping(motion[i] * level[i]);
    }
    solve_resting_chain({inertia, torque, interfaces}, workspace, answer);
    for (std::size_t i = 0; i < motion.size(); ++i)
      if (answer.outcome[i] == RestingOutcome::breaks_forward)
        motion[i] = 1;
      else if (answer.outcome[i] == RestingOutcome::breaks_backward)
        motion[i] = -1;
    (void)w;
  }
  /// Locked neighbours share one speed again.
  void tie(double* w) const {
    for (std::size_t i = 0; i < motion.size();) {
      std::size_t last = i;
      double momentum = inertia[i] * w[i], mass = inertia[i];
      while (last < motion.size() && motion[last] == 0)
        ++last, momentum += inertia[last] * w[last], mass += inertia[last];
      for (std::size_t k = i; k <= last; ++k) w[k] = momentum / mass;
      i = last + 1;
    }
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
  for (std::size_t i = 0; i < rig.motion.size(); ++i) out[i] = rig.motion[i] == 0 ? 1 : w[i] - w[i + 1];
  return 0;
}

void cvode(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const Mechanism m = chain_of(n);
  const auto reference = run_with(m).speed;
  SUNContext context = nullptr;
  SUNContext_Create(nullptr, &context);
  std::size_t events = 0;
  std::vector<double> final_speed(n);
  for (auto _ : state) {
    events = 0;
    Rig rig(n);
    N_Vector y = N_VNew_Serial(static_cast<sunindextype>(n), context);
    double* w = N_VGetArrayPointer(y);
    for (std::size_t i = 0; i < n; ++i) w[i] = m.bodies[i].speed, rig.inertia.push_back(m.bodies[i].inertia);
    rig.torque.assign(n, 0.0), rig.interfaces.resize(n - 1), rig.motion.resize(n - 1);
    for (std::size_t i = 0; i + 1 < n; ++i) {
      rig.level.push_back(m.joints[i].law->breakaway_force({}, Direction::forward));
      rig.motion[i] = w[i] > w[i + 1] ? 1 : -1;
    }
    void* solver = CVodeCreate(CV_ADAMS, context);
    SUNNonlinearSolver iteration = SUNNonlinSol_FixedPoint(y, 0, context);
    CVodeInit(solver, rates, 0, y);
    CVodeSetUserData(solver, &rig);
    CVodeSStolerances(solver, 1e-8, 1e-10);
    CVodeSetNonlinearSolver(solver, iteration);
    CVodeRootInit(solver, static_cast<int>(n - 1), slips);
    CVodeSetMaxNumSteps(solver, 1'000'000);
    std::vector<int> found(n - 1);
    double t = 0;
    for (int k = 0; k < static_cast<int>(end / hold); ++k) {
      const double until = (k + 1) * hold;
      for (std::size_t i = 0; i < n; ++i) rig.torque[i] = m.torques[i].torque(0.5 * (t + until));
      rig.solve(w, -1);
      CVodeReInit(solver, t, y);
      while (t < until) {
        CVodeSetStopTime(solver, until);
        if (CVode(solver, until, y, &t, CV_NORMAL) != CV_ROOT_RETURN) break;
        CVodeGetRootInfo(solver, found.data());
        for (std::size_t i = 0; i + 1 < n; ++i)
          if (found[i] != 0 && rig.motion[i] != 0) {
            ++events;
            rig.motion[i] = 0;
            rig.tie(w);
            rig.solve(w, static_cast<int>(i));
          }
        CVodeReInit(solver, t, y);
      }
      t = until;
    }
    std::copy(w, w + n, final_speed.begin());
    SUNNonlinSolFree(iteration);
    CVodeFree(&solver);
    N_VDestroy(y);
  }
  SUNContext_Free(&context);
  state.counters["events"] = static_cast<double>(events);
  state.counters["error"] = worst(final_speed, reference);
}
BENCHMARK(cvode)->Name("CVODE Adams")->Arg(10)->Arg(100)->Unit(benchmark::kMillisecond);

#endif

}  // namespace
