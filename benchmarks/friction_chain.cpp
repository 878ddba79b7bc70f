/// A chain of 100 bodies and clutches for 10 s, every torque held for 50 ms and then drawn anew: stickslip's closed form and its own
/// integrator, against SUNDIALS CVODE (Adams) with rootfinding on the clutches that slip and Boost.odeint's dense Dormand-Prince, restarted
/// at events and breakpoints (rivals/held_rivals.hpp). They use the same kernel for the clutches at rest, around the change only; CVODE once
/// with the first step that it chooses, once with the whole way offered. `error` is the worst final speed against the closed form [rad/s],
/// and of the closed form the mean speed against the impulse; `events` are locks, releases and passes,
/// `arrivals` those at which a slip reaches zero. friction_tree.cpp is the same for trees.
#include <benchmark/benchmark.h>

#include <vector>

#include "held_race.hpp"
#include "rivals/held_rivals.hpp"
#include "solver/resting_chain.hpp"

namespace {

using namespace stickslip;
using namespace stickslip::bench;

void ours(benchmark::State& state) { race_exact(state, chain_of(static_cast<std::size_t>(state.range(0)))); }
BENCHMARK(ours)->Name("stickslip exact")->Arg(100)->Unit(benchmark::kMillisecond);
void ours_different(benchmark::State& state) {
  race_different(state, chain_of, [](const Mechanism& m) { return run_with(m).time; });
}
BENCHMARK(ours_different)
    ->Name("different: stickslip exact")
    ->Arg(10)
    ->Arg(100)
    ->Arg(1000)
    ->Arg(10000)
    ->Unit(benchmark::kMillisecond);

void stepping(benchmark::State& state) { race_steps(state, chain_of(static_cast<std::size_t>(state.range(0)))); }
BENCHMARK(stepping)->Name("stickslip steps")->Arg(100)->Unit(benchmark::kMillisecond);
void stepping_different(benchmark::State& state) {
  const auto make = [](std::size_t bodies, std::uint64_t seed) {
    Mechanism m = chain_of(bodies, seed);
    m.propagation = Propagation::steps;
    return m;
  };
  race_different(state, make, [](const Mechanism& m) { return run_with(m, 1e-8).time; });
}
BENCHMARK(stepping_different)->Name("different: stickslip steps")->Arg(10)->Arg(100)->Unit(benchmark::kMillisecond);

/// The right-hand side is constant between events; the best a general integrator can have. What has been at rest is solved again
/// only around a change, and only the clutches that slip are watched.
struct Rig {
  std::vector<double> inertia, torque, level;
  std::vector<int> motion;  // of each clutch: 0 locked, else the sign of its slip
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
  const std::vector<double>& acceleration() const { return answer.acceleration; }
  double slip(std::size_t i, const double* w) const { return w[i] - w[i + 1]; }

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

#ifdef STICKSLIP_WITH_SUNDIALS
void cvode(benchmark::State& state, bool offers_all) {
  const Mechanism m = chain_of(static_cast<std::size_t>(state.range(0)));
  race_rival(state, m, [&] { return rivals::cvode_held<Rig>(m, offers_all); });
}
void cvode_different(benchmark::State& state, bool offers_all) {
  race_different(state, chain_of, [&](const Mechanism& m) { return rivals::cvode_held<Rig>(m, offers_all).arrivals; });
}
BENCHMARK_CAPTURE(cvode, own, false)->Name("CVODE Adams")->Arg(100)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(cvode, offered, true)->Name("CVODE Adams, first step given")->Arg(100)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(cvode_different, own, false)
    ->Name("different: CVODE Adams")
    ->Arg(10)
    ->Arg(100)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(cvode_different, offered, true)
    ->Name("different: CVODE Adams, first step given")
    ->Arg(10)
    ->Arg(100)
    ->Unit(benchmark::kMillisecond);
#endif

#ifdef STICKSLIP_WITH_BOOST
void odeint(benchmark::State& state) {
  const Mechanism m = chain_of(static_cast<std::size_t>(state.range(0)));
  race_rival(state, m, [&] { return rivals::odeint_held<Rig>(m); });
}
void odeint_different(benchmark::State& state) {
  race_different(state, chain_of, [](const Mechanism& m) { return rivals::odeint_held<Rig>(m).arrivals; });
}
BENCHMARK(odeint)->Name("Boost.odeint dopri5, first step given")->Arg(100)->Unit(benchmark::kMillisecond);
BENCHMARK(odeint_different)
    ->Name("different: Boost.odeint dopri5, first step given")
    ->Arg(10)
    ->Arg(100)
    ->Unit(benchmark::kMillisecond);
#endif

}  // namespace
