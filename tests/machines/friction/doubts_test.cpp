/// Warnings of friction laws in the units of the machine; see doubts.hpp.
#include "machines/friction/doubts.hpp"

#include <gtest/gtest.h>

#include "machines/friction/friction.hpp"

namespace stickslip {
namespace {

TEST(Doubts, UnitsBehindNumbersAreTurned) {
  EXPECT_EQ(with_rotary_units("zero at 0.3 m/s and stays"), "zero at 0.3 rad/s and stays");
  EXPECT_EQ(with_rotary_units("= 590.5 N s/m; viscosity is 330 N s/m, so"),
            "= 590.5 N m s/rad; viscosity is 330 N m s/rad, so");
  EXPECT_EQ(with_rotary_units("wants m entry_speed > x; here 1 against 2 N s"),
            "wants m entry_speed > x; here 1 against 2 N m s");
  EXPECT_EQ(with_rotary_units("1 against 2e-05 m"), "1 against 2e-05 rad");
  EXPECT_EQ(with_rotary_units("every 0.1 s; 5 1/s; 3 models of m/s"), "every 0.1 s; 5 1/s; 3 models of m/s");
  EXPECT_EQ(with_rotary_units(""), "");
}

TEST(Doubts, ARotaryMachineIsWarnedInItsOwnUnits) {
  const auto falling =
      make_friction("speed-table", {{"speeds", std::vector<double>{0, 0.1}}, {"levels", std::vector<double>{2, 1}}});
  const auto linear = doubts_about(*falling, {}, MotionKind::linear);
  const auto rotary = doubts_about(*falling, {}, MotionKind::rotary);
  ASSERT_EQ(linear.size(), 1u);
  ASSERT_EQ(rotary.size(), 1u);
  EXPECT_NE(linear[0].find(" m/s "), std::string::npos) << linear[0];
  EXPECT_NE(rotary[0].find(" rad/s "), std::string::npos) << rotary[0];
  EXPECT_EQ(rotary[0].find(" m/s"), std::string::npos) << rotary[0];
}

}  // namespace
}  // namespace stickslip
