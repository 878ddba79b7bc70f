#include "models/new_modified_lugre.hpp"

#include <gtest/gtest.h>

#include "motions.hpp"

namespace stickslip::new_modified_lugre_test {
using namespace stickslip::given_motions;

namespace {

const ParameterValues film{{"bristle_stiffness", 5e6}, {"bristle_damping", 0.1},  {"viscosity", 330.0},
                           {"coulomb_force", 210.0},   {"stiction_force", 830.0}, {"stribeck_velocity", 0.0125},
                           {"stribeck_exponent", 0.7}, {"film_velocity", 0.05},   {"growing_time", 0.25},
                           {"thinning_time", 1.5},     {"rest_time", 40.0}};
ParameterValues lagging(double lag) {
  ParameterValues values = film;
  values.emplace_back("viscous_lag", lag);
  return values;
}
Body cylinder() {
  Body body;
  body.mass = 118;
  body.drive.input = Signal::constant(1200);
  return body;
}

TEST(NewModifiedLugre, WithoutLagItIsTheModifiedLugre) {
  SimulationOptions options;
  options.end = 2;
  options.sample_interval = 0.05;
  const auto one = make_friction("new-modified-lugre", lagging(0))->simulate(cylinder(), options),
             other = make_friction("modified-lugre", film)->simulate(cylinder(), options);
  ASSERT_EQ(one.stop, Stop::finished) << one.message;
  for (std::size_t i = 0; i < one.samples.time.size(); ++i)
    EXPECT_NEAR(one.samples.velocity[i], other.samples.velocity[i], 1e-13);
}

// s2 T dv/dt is an added mass: the motion is that of a body of mass m + s2 T under the modified LuGre, and friction as
// it acts is what is missing from u = m dv/dt + F.
TEST(NewModifiedLugre, TheLagIsAnAddedMass) {
  SimulationOptions options;
  options.end = 2;
  options.sample_interval = 0.05;
  Body heavier = cylinder();
  heavier.mass += 330 * 0.33;
  const auto one = make_friction("new-modified-lugre", lagging(0.33))->simulate(cylinder(), options),
             other = make_friction("modified-lugre", film)->simulate(heavier, options);
  ASSERT_EQ(one.stop, Stop::finished) << one.message;
  for (std::size_t i = 0; i < one.samples.time.size(); ++i) {
    EXPECT_NEAR(one.samples.velocity[i], other.samples.velocity[i], 1e-12);
    const double acceleration = (1200 - other.samples.friction[i]) / heavier.mass;
    EXPECT_NEAR(one.samples.friction[i], other.samples.friction[i] + 330 * 0.33 * acceleration, 1e-7);
  }
}

TEST(NewModifiedLugre, RefusesANegativeLag) {
  EXPECT_EQ(refusal_of("new-modified-lugre", lagging(-1)),
            "new-modified-lugre: viscous_lag is -1 s; it must be zero or positive");
}

}  // namespace

}  // namespace stickslip::new_modified_lugre_test
