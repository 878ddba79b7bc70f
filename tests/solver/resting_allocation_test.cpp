// A solve must not allocate: it runs at every event of a simulation. The counter replaces operator new of this whole program.
#include <gtest/gtest.h>

#include <random>

#include "solver/resting_active_set.hpp"
#include "solver/resting_chain.hpp"
#include "solver/resting_network.hpp"
#include "support/allocations.hpp"

namespace stickslip::resting_allocation_test {
namespace {

TEST(RestingAllocation, NoSolveAllocates) {
  std::mt19937 random(31);
  const auto uniform = [&](double from, double to) { return std::uniform_real_distribution(from, to)(random); };
  constexpr std::size_t bodies = 12;
  std::vector<double> inertia(bodies), torque(bodies);
  std::vector<Interface> interfaces(bodies);  // one more than a chain has: the network below is a ring
  std::vector<Coupling> couplings;
  std::vector<std::size_t> starts{0};
  for (std::size_t i = 0; i < bodies; ++i) {
    couplings.push_back({i, 1}), couplings.push_back({(i + 1) % bodies, -1});
    starts.push_back(couplings.size());
  }
  RestingWorkspace string(bodies);
  ActiveSetWorkspace active_set(bodies);
  NetworkWorkspace general(bodies, bodies);
  RestingResult result(bodies), ring(bodies, bodies);

  const long before = allocations;
  int not_unique = 0;
  for (int n = 0; n < 300; ++n) {
    for (double& j : inertia) j = uniform(0.1, 10);
    for (double& f : torque) f = uniform(-1, 1);
    const double level = n % 3 == 0 ? 1.5 : 0.5;
    for (auto& i : interfaces) i = n % 3 == 0 ? resting(level) : resting(uniform(0, level));
    const RestingChain chain{inertia, torque, std::span(interfaces).first(bodies - 1)};
    solve_resting_chain(chain, string, result);
    solve_resting_chain(chain, string, result, RestingRule::paper);
    solve_resting_chain_around(chain, 5, string, result);
    solve_resting_chain_by_active_set(chain, active_set, result);
    not_unique +=
        !solve_resting_network({inertia, torque, interfaces, couplings, starts}, general, ring).has_unique_torques;
  }
  EXPECT_EQ(allocations - before, 0);
  EXPECT_GT(not_unique, 10);
  EXPECT_GT(before, 0);  // the counter counts
}

}  // namespace
}  // namespace stickslip::resting_allocation_test
