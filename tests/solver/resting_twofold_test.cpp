#include "solver/resting_twofold.hpp"

#include <gtest/gtest.h>

namespace stickslip::resting_twofold_test {
namespace {

// 1e16 + 1 − 1e16 is 0 in doubles.
TEST(Twofold, AddsWhatADoubleWouldLose) {
  const Twofold sum = Twofold{1e16, 0} + 1.0;
  EXPECT_EQ((sum - Twofold{1e16, 0}).head, 1);
  EXPECT_EQ(rounded_difference(sum, Twofold{1e16, 0}), 1);
}

// (2^27 + 1)² = 2^54 + 2^28 + 1 needs 55 bits.
TEST(Twofold, MultipliesExactly) {
  const Twofold square = exact_product(134217729.0, 134217729.0);
  EXPECT_EQ(square.head, 18014398777917440.0);
  EXPECT_EQ(square.tail, 1);
}

// q b − a is nothing to 30 digits although q is not a double.
TEST(Twofold, DividesToThirtyDigits) {
  const Twofold quotient = Twofold{1, 0} / Twofold{3, 0};
  EXPECT_NE(quotient.tail, 0);
  EXPECT_NEAR((quotient * Twofold{3, 0} - 1.0).head, 0, 1e-31);
}

}  // namespace
}  // namespace stickslip::resting_twofold_test
