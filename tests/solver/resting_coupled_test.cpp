#include "solver/resting_coupled.hpp"

#include <gtest/gtest.h>

namespace stickslip::resting_coupled_test {
namespace {

using Kind = CoupledJoint::Kind;
constexpr double infinity = std::numeric_limits<double>::infinity();

// Freewheels 0-1 and 1-2, and a stop that body 2 hits while the others are at rest: all are at rest afterwards. The impulses in the freewheels
// are rounding, and so is what they do to their bodies; measured by themselves alone they never settle.
TEST(RestingCoupled, AnImpactBesideFreewheelsAtRestStopsAll) {
  const std::vector<double> inertia{1.37925, 3.88059, 0.249438};
  const std::vector<CoupledBodies::Row> rows{{{0, 1}, {1, -1}}, {{1, 1}, {2, -1}}, {{2, 1}}};
  CoupledBodies bodies;
  ASSERT_EQ(bodies.set(inertia, {}, rows), CoupledBodies::regular);
  for (const double speed : {-0.44, -0.5, -0.3333, -0.7123, -1e-9, -1e9}) {
    CoupledMotion motion;
    motion.resize(bodies);
    for (CoupledJoint& j : motion.joint) j = {.kind = Kind::box, .low = -infinity, .high = 0};
    const std::vector<double> momentum{0, 0, inertia[2] * speed};
    EXPECT_TRUE(motion.find(bodies, momentum, {}, 1e-10)) << speed;
    for (const double after : motion.acceleration) EXPECT_NEAR(after, 0, 1e-14 * std::fabs(speed)) << speed;
  }
}

// Two locks between the same freedoms beside a lossy gear that slides: the torques of least norm, which follow the load without noise. What is
// added to tell locks that are too many was enlarged by small pivots before it, and not noticed.
TEST(RestingCoupled, LocksThatAreTooManyBesideLossyGearsFollowTheLoadSmoothly) {
  const std::vector<double> inertia{2.49944, 0.381021, 0.228894, 0.399308, 1};
  const std::vector<CoupledBodies::Row> ties{{{0, 1}, {4, 3}, {3, -4}}, {{0, 1}, {1, -1}}, {{1, 1}, {2, -2}}};
  const std::vector<CoupledBodies::Row> rows{{{1, 1}, {3, -1}}, {{4, 1}, {0, -1}}, {{0, 1}}, {{1, 1}}};
  CoupledBodies bodies;
  ASSERT_EQ(bodies.set(inertia, ties, rows), CoupledBodies::regular);
  CoupledMotion motion;
  motion.resize(bodies);
  motion.joint[0] = motion.joint[1] = {.kind = Kind::box, .low = -infinity, .high = infinity};
  const auto loss = [](double one, double two, std::size_t tie) {
    CoupledJoint j;
    j.kind = Kind::loss, j.tie = tie, j.p = 1 - one, j.q = 1 - 1 / two, j.direction = 1;
    return j;
  };
  motion.joint[2] = loss(0.976735, 0.671904, 1), motion.joint[3] = loss(0.781165, 0.743375, 2);
  motion.state[2] = motion.state[3] = CoupledState::high;
  const auto acceleration = [&](double load) {
    const std::vector<double> force{0.452, 0.5356, -1.777, load, 0}, rate(3, 0.0);
    motion.move(bodies, force, rate);
    return motion.acceleration[0];
  };
  const double step = 1e-7, first = acceleration(2.43),
               slope = (acceleration(2.43 + 100 * step) - first) / (100 * step);
  EXPECT_TRUE(motion.is_motion_open);
  for (int k = 1; k < 100; ++k) EXPECT_NEAR(acceleration(2.43 + k * step), first + slope * k * step, 1e-13) << k;
}

}  // namespace
}  // namespace stickslip::resting_coupled_test
