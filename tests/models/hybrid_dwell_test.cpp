#include <gtest/gtest.h>

#include "pulled_mass_rig.hpp"

namespace stickslip::hybrid_dwell_test {
namespace {
using namespace pulled_mass_rig;

ParameterValues rising(const char* law) {
  return curve({{"stiction_limit", 2.5}, {"dwell_time", 3.0}, {"dwell_law", law}});
}
double static_friction(const std::string& law, double t) {
  return 1.5 + 1.0 * (law == "exponential" ? 1 - std::exp(-t / 3) : t / (t + 3));
}

// While stuck the pull is u₀ + k V t and breakaway F_S(t), t from the entry into stick: each release solves u = F_S.
TEST(HybridDwell, EveryReleaseIsWhereThePullMeetsTheRisenLevel) {
  for (const char* law : {"exponential", "hyperbolic"}) {
    const auto run = make_friction("hybrid-dwell", rising(law))->simulate(pulled(), until(60));
    ASSERT_EQ(run.stop, Stop::finished) << run.message;
    double since = 0, position = 0;
    std::size_t releases = 0;
    for (const auto& e : run.events) {
      if (e.kind == EventKind::stick) since = e.time, position = e.position;
      if (e.kind != EventKind::release) continue;
      ++releases;
      EXPECT_NEAR(2 * (0.1 * e.time - position), static_friction(law, e.time - since), 1e-8) << law;
    }
    EXPECT_GE(releases, 4u);
  }
}

// A longer rest holds more: F_S(0.1 s) < 2 N < F_S(20 s).
TEST(HybridDwell, HoldsALoadAfterALongRestThatMovesItAfterAShortOne) {
  const auto friction = make_friction("hybrid-dwell", rising("exponential"));
  EXPECT_GT(friction->simulate(forced(Signal::step(0, 2, 0.1)), until(25)).velocity, 0);
  EXPECT_EQ(friction->simulate(forced(Signal::step(0, 2, 20)), until(25)).velocity, 0.0);
}

// Without a rise it is the ideal hybrid.
TEST(HybridDwell, IsTheIdealHybridWhenNothingRises) {
  const auto flat = make_friction("hybrid-dwell", curve({{"stiction_limit", 1.5}, {"dwell_time", 1.0}}))
                        ->simulate(pulled(), until(30, 0.01));
  const auto ideal = make_friction("hybrid", curve())->simulate(pulled(), until(30, 0.01));
  EXPECT_LT(largest_difference(flat.samples.position, ideal.samples.position), 1e-9);
}

TEST(HybridDwell, RefusesALimitBelowWhereItStarts) {
  EXPECT_EQ(
      refusal_of([] {
        make_friction("hybrid-dwell", curve({{"stiction_limit", 1.0}, {"dwell_time", 1.0}}));
      }),
      "hybrid-dwell: stiction_limit is 1 N; it must not be below stiction_force, 1.5 N, from which static friction "
      "rises");
}

}  // namespace
}  // namespace stickslip::hybrid_dwell_test
