/// Time of one solve of the resting-interface problem of a friction chain, all interfaces at rest.
///   mixed   levels around what the torques need: some hold, some break, many groups
///   locked  everything holds
/// 64 chains per length take turns, so that the branches of one chain are not learnt by heart.
#include <benchmark/benchmark.h>

#include <random>

#include "solver/resting_active_set.hpp"
#include "solver/resting_chain.hpp"
#include "solver/resting_network.hpp"

namespace {

using namespace stickslip;

struct Chain {
  std::vector<double> inertia, external_torque;
  std::vector<Interface> interfaces;
  operator RestingChain() const { return {inertia, external_torque, interfaces}; }
};

std::vector<Chain> chains(std::size_t bodies, double level) {
  std::mt19937 random(7);
  const auto uniform = [&](double from, double to) { return std::uniform_real_distribution(from, to)(random); };
  std::vector<Chain> made(64);
  for (Chain& c : made)
    for (std::size_t i = 0; i < bodies; ++i) {
      c.inertia.push_back(uniform(0.1, 10));
      c.external_torque.push_back(uniform(-1, 1));
      if (i + 1 < bodies) c.interfaces.push_back(resting(uniform(0, level)));
    }
  return made;
}

template <class Solve>
void measure(benchmark::State& state, double level, Solve solve) {
  const auto bodies = static_cast<std::size_t>(state.range(0));
  const auto all = chains(bodies, level);
  RestingResult result(bodies);
  std::size_t turn = 0;
  for (auto _ : state) {
    solve(all[turn++ % all.size()], result);
    benchmark::DoNotOptimize(result.torque.data());
    benchmark::ClobberMemory();
  }
}

void taut_string_mixed(benchmark::State& state) {
  RestingWorkspace workspace(static_cast<std::size_t>(state.range(0)));
  measure(state, 1, [&](const Chain& c, RestingResult& r) { solve_resting_chain(c, workspace, r); });
}
void taut_string_locked(benchmark::State& state) {
  RestingWorkspace workspace(static_cast<std::size_t>(state.range(0)));
  measure(state, 1e6, [&](const Chain& c, RestingResult& r) { solve_resting_chain(c, workspace, r); });
}
void active_set_mixed(benchmark::State& state) {
  ActiveSetWorkspace workspace(static_cast<std::size_t>(state.range(0)));
  measure(state, 1, [&](const Chain& c, RestingResult& r) { solve_resting_chain_by_active_set(c, workspace, r); });
}
void paper_rule_mixed(benchmark::State& state) {
  RestingWorkspace workspace(static_cast<std::size_t>(state.range(0)));
  measure(state, 1,
          [&](const Chain& c, RestingResult& r) { solve_resting_chain(c, workspace, r, RestingRule::paper); });
}

BENCHMARK(taut_string_mixed)->Arg(2)->Arg(3)->Arg(10)->Arg(100)->Arg(1000);
BENCHMARK(taut_string_locked)->Arg(2)->Arg(3)->Arg(10)->Arg(100)->Arg(1000);
BENCHMARK(active_set_mixed)->Arg(2)->Arg(3)->Arg(10)->Arg(100)->Arg(1000);
BENCHMARK(paper_rule_mixed)->Arg(2)->Arg(3)->Arg(10)->Arg(100)->Arg(1000);

}  // namespace
