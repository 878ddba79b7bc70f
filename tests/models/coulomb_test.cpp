#include <gtest/gtest.h>

#include "pulled_mass_rig.hpp"

namespace stickslip::coulomb_test {
namespace {
using namespace pulled_mass_rig;

// Coulomb friction shifts each half cycle's rest point by F_C/k, so turning points lie on a line: |x| falls by 2 F_C/k
// per half cycle until the spring can no longer break the mass loose.
TEST(Coulomb, FreeOscillationDecaysLinearlyAndStops) {
  Body body;
  body.drive = {DriveKind::wall_spring, 100, 0, 0, Signal(0.0)};
  body.position = 0.095;
  const auto run = make_friction("coulomb", ParameterValues{{"coulomb_force", 1.0}})->simulate(body, until(10));
  std::vector<double> turning;
  for (const auto& e : run.events)
    if (e.kind == EventKind::direction_change || e.kind == EventKind::stick) turning.push_back(e.position);
  ASSERT_EQ(turning.size(), 5u);  // 0.075, 0.055, 0.035, 0.015 and -0.005, which 0.5 N cannot leave
  for (std::size_t i = 0; i < turning.size(); ++i)
    EXPECT_NEAR(std::fabs(turning[i]), std::fabs(0.095 - 0.02 * static_cast<double>(i + 1)), 1e-9);
  EXPECT_EQ(run.velocity, 0.0);
  // All the spring lost became heat of friction: F_C times the path.
  EXPECT_NEAR(run.ledger.friction_heat, 50 * (0.095 * 0.095 - 0.005 * 0.005), 1e-9);
}

TEST(Coulomb, RefusesALevelThatIsNotPositive) {
  EXPECT_EQ(refusal_of([] {
              make_friction("coulomb", ParameterValues{{"coulomb_force", -1.0}});
            }),
            "coulomb: coulomb_force is -1 N; it must be positive");
}

}  // namespace
}  // namespace stickslip::coulomb_test
