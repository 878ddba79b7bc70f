/// The twin of a measurement shows what sensors and low-pass do, and nothing of its own.
#include "identification/judging/twin.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "coverage/coverage_machines.hpp"

namespace stickslip {
namespace {

using namespace test;

struct FittedAxis {
  Generated truth;
  Sets sets;
  FitData data;
  ModelSpace space;
  ModelFit found;
  FittedAxis(std::uint64_t seed, double coarseness)
      : truth(known_machine("servo-axis")(seed, coarseness)),
        sets(split_in_rounds(prepare(recording_of(truth), {.mass = truth.mass}))),
        data(fit_data(sets)),
        space(find_model("lugre"), data.scales, start(truth)),
        found(follow(ModelResiduals(space, data), space.guess())) {}
  static SpaceOptions start(const Generated& g) {
    SpaceOptions o;
    o.start = g.truth.settings.values;
    o.find_offset = true;
    return o;
  }
  double value(const char* key) const { return space.unknowns()[*space.find(key)].value(found.y[*space.find(key)]); }
};

// What went wrong: the twin read its position in the middle of a step and the force of its bristles at the end. That is early by h/2, and looks
// like a damping of sigma_0 h/2 = 1.5e6 N/m * 0.25 ms/2 = 187 N s/m, a sixth of the true 1200 N s/m: intervals three times as wide as the errors.
TEST(Twin, BristlesAreReadWhenThePositionIs) {
  const FittedAxis axis(1, 0.1);
  const auto errors = twin_errors(axis.sets, axis.space, axis.found, 6, 1, {.threads = 1});
  ASSERT_TRUE(errors);
  const auto damping = static_cast<Eigen::Index>(*axis.space.find("bristle_damping"));
  EXPECT_LT(std::fabs(errors->bias[damping]), 0.1 * 1200);
  EXPECT_NEAR(axis.value("bristle_damping"), 1200, 0.2 * 1200);
}

}  // namespace
}  // namespace stickslip
