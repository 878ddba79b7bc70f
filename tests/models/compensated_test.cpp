#include <gtest/gtest.h>

#include "pulled_mass_rig.hpp"

namespace stickslip::compensated_test {
namespace {
using namespace pulled_mass_rig;

const ParameterValues joint{
    {"coulomb_force", 2.0}, {"compensation", 0.75}, {"compensation_speed", 0.01}, {"peak", 1.2}, {"viscosity", 0.5}};

// At rest the whole friction, in motion what the drive leaves over: it breaks away at p F_C and settles at (u − (1 − κ) F_C)/F_v.
TEST(Compensated, HoldsWithAllOfItsFrictionAndSlidesWithTheRest) {
  const auto friction = make_friction("compensated", joint);
  EXPECT_EQ(friction->simulate(forced(Signal(2.39)), until(10)).position, 0);
  EXPECT_NEAR(friction->simulate(forced(Signal(2.41)), until(60)).velocity, (2.41 - 0.5) / 0.5, 1e-9);
}

// Coasting below v_c: m dv/dt = −F_C + (κ F_C/v_c − F_v) v, a line with a negative slope.
TEST(Compensated, ComesToRestOnTheLineThatFadesTheCompensationOut) {
  Body body = forced(Signal(0.0));
  body.velocity = 0.01;
  const auto run = make_friction("compensated", joint)->simulate(body, until(1));
  const double b = 0.75 * 2 / 0.01 - 0.5;
  const auto sticks = events(run, EventKind::stick);
  ASSERT_EQ(sticks.size(), 1u);
  EXPECT_NEAR(sticks[0].time, -std::log(1 - b * 0.01 / 2) / b, 1e-9);
}

// It is a table of three points.
TEST(Compensated, IsATableOverSpeed) {
  const auto table = make_friction(
      "speed-table",
      {{"speeds", std::vector<double>{0, 0.01, 1}}, {"levels", std::vector<double>{2, 0.505, 1}}, {"peak", 1.2}});
  const auto a = make_friction("compensated", joint)->simulate(pulled(), until(60, 0.1));
  const auto b = table->simulate(pulled(), until(60, 0.1));
  EXPECT_LT(largest_difference(a.samples.position, b.samples.position), 1e-7);
}

}  // namespace
}  // namespace stickslip::compensated_test
