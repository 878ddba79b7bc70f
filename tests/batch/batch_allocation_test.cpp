// A batch allocates once per call at most, however many runs it has. The counter replaces operator new of this whole program.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "batch/batch.hpp"
#include "support/allocations.hpp"

namespace stickslip::batch_allocation_test {
namespace {

template <template <class> class Model>
long allocations_of(const Model<double>& friction, std::size_t runs) {
  BatchCase<Model> one;
  one.friction = friction;
  one.body.stiffness = 2;
  one.body.pull_speed = 0.1;
  const std::vector<BatchCase<Model>> cases(runs, one);
  std::vector<BatchResult> results(runs);
  const long before = allocations;
  simulate_batch(cases, {}, results);
  const long during = allocations - before;
  EXPECT_EQ(results.back().stop, Stop::finished);
  return during;
}

TEST(BatchAllocation, ThereIsOnePerCallWithBristlesAndNoneWithout) {
  const Stribeck<double> level{1, 1.5, 1e-3, 2, StribeckForm::exponential};
  for (const std::size_t runs : {1u, 50u, 500u}) {
    EXPECT_EQ(allocations_of<lugre::Model>({level, 1e5, std::sqrt(1e5), 0.4}, runs), 1) << runs;
    EXPECT_EQ(allocations_of<stribeck::Model>({level, 0.4}, runs), 0) << runs;
  }
}

}  // namespace
}  // namespace stickslip::batch_allocation_test
