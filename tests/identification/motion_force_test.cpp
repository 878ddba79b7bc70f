#include "identification/motion_force.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/error.hpp"

namespace stickslip::motion_force_test {
namespace {

template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

// Errors 1, −2, 0, 1 against forces whose squared distances from their mean add up to 20.
TEST(FitQuality, IsWhatThePaperDefines) {
  const std::vector<double> measured{1, 3, 5, 7}, modelled{0, 5, 5, 6};
  const auto q = fit_quality(measured, modelled);
  EXPECT_DOUBLE_EQ(q.cost, 6);
  EXPECT_DOUBLE_EQ(q.noe, 30);
  EXPECT_DOUBLE_EQ(q.largest_error, 2);
}

TEST(DominantExtreme, IsTheFirstTurningPointAfterAlmostTheWholeTravel) {
  //                                   0  1  2   3   4  5  6  7  8
  const std::vector<double> position{0, 2, 1, -3, -4, 0, 5, 6, 1, 6, -4};
  const auto found = dominant_extreme(position);
  EXPECT_EQ(found.index, 7u);
  EXPECT_EQ(found.direction, Direction::forward);
  EXPECT_DOUBLE_EQ(found.largest_threshold, 5);
  EXPECT_EQ(dominant_extreme(position, 0.5).index, 4u);
  EXPECT_EQ(dominant_extreme(position, 0.5).direction, Direction::backward);
}

TEST(DominantExtreme, RefusesAMotionThatIsNone) {
  const std::vector<double> position(5, 1.0);
  EXPECT_EQ(message_of([&] { dominant_extreme(position); }),
            "dominant extreme: the position never changes; record a motion");
}

TEST(MotionForce, UnusableRecordingsAreRefusedInOneLine) {
  const std::vector<double> time{0, 1, 1}, three{1, 2, 3}, two{1, 2}, hole{1, 0.0 / 0.0, 3};
  EXPECT_EQ(message_of([&] {
              require_usable({time, three, two}, 2);
            }),
            "motion and force: 3 times, 3 positions, 2 forces; they must be equally many");
  EXPECT_EQ(message_of([&] {
              require_usable({three, three, three}, 9);
            }),
            "motion and force: 3 samples; at least 9 are needed");
  EXPECT_EQ(message_of([&] {
              require_usable({three, three, hole}, 2);
            }),
            "motion and force: sample 1 is not finite; recordings must be finite");
  EXPECT_EQ(message_of([&] {
              require_usable({time, three, three}, 2);
            }),
            "motion and force: time does not rise at sample 2; sort the recording");
  EXPECT_EQ(message_of([&] {
              even_sampling_time(std::vector<double>{0, 1, 3});
            }),
            "sampling time: the step to sample 1 is not the mean step; resample evenly");
}

}  // namespace
}  // namespace stickslip::motion_force_test
