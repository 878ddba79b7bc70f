#include <gtest/gtest.h>

#include "models/motions.hpp"
#include "pulled_mass_rig.hpp"

namespace stickslip::load_dependent_test {
namespace {
using namespace pulled_mass_rig;

const ParameterValues gear{
    {"presliding_length", 2e-4}, {"friction_coefficient", 0.1}, {"coefficient_difference", 0.03}};

/// What it carries follows the load, as in a scenario.
std::unique_ptr<Friction> transmission(const ParameterValues& values = gear) {
  ParameterValues all = values;
  all.emplace_back("transmitted_load", 0.0);
  return make_friction("load-dependent", all, {}, {{"transmitted_load", Quantity::load, {0, 1}, {}, {}}});
}
PrescribedMotion under(double load, PrescribedMotion motion) {
  motion.load.assign(motion.time.size(), load);
  return motion;
}

// From rest z = 1 − exp(−x/h) at any speed.
TEST(LoadDependent, VirginCurveIsThatOfTheClosedForm) {
  const auto friction = transmission();
  for (const double load : {20.0, -20.0}) {
    const auto motion = under(load, given_motions::zigzag({1e-3}, 0.01));
    const auto force = friction->respond(motion);
    for (std::size_t i = 1; i < force.size(); ++i) {
      const double z = 1 - std::exp(-motion.position[i] / 2e-4);
      EXPECT_NEAR(force[i], 0.1 * 20 * z + 0.03 * load * z * z, 1e-12);
    }
  }
}

// A load that is driven meets μ + Δμ, one that drives μ − Δμ; both grow with the load, and without load there is none.
TEST(LoadDependent, TakesMoreToDriveALoadThanToHoldItBack) {
  const auto friction = transmission();
  const auto level = [&](double load, double to) {
    return friction->respond(under(load, given_motions::zigzag({to}, 0.01))).back();
  };
  EXPECT_NEAR(level(20, 0.1), 2.6, 1e-9);
  EXPECT_NEAR(level(20, -0.1), -1.4, 1e-9);
  EXPECT_NEAR(level(-20, 0.1), 1.4, 1e-9);
  EXPECT_NEAR(level(40, 0.1), 5.2, 1e-9);
  EXPECT_EQ(level(0, 0.1), 0);
}

// On a closed loop at constant load, work = ∮ F dx: once z has swung to ±1 both ways its way through presliding no longer counts, and what is left
// is the difference of the levels 2 μ |T| times the way, less what the two turns of z save: each saves ∫ (F_s − F) dx over a turn from −1 to 1,
// z = 1 − 2 e^(−x/h): μ|T| (1 − z) = 2 μ|T| e^(−x/h) gives 2 h μ|T|, and Δμ T (1 − z²) = Δμ T (4 e − 4 e²) gives 2 h Δμ T, which the two turns take with
// opposite signs.
TEST(LoadDependent, LoopsTakeTheWorkOfTheClosedForm) {
  const auto friction = transmission();
  const double way = 0.01, load = 30, h = 2e-4;
  const auto motion = under(load, given_motions::zigzag({way, -way, way, -way, way}, 0.01, 20000));
  const auto force = friction->respond(motion);
  double work = 0;
  const std::size_t first = 60001;  // the last whole loop
  for (std::size_t i = first; i < force.size(); ++i)
    work +=
        0.5 * (force[i] + (i % 20000 == 1 ? force[i] : force[i - 1])) * (motion.position[i] - motion.position[i - 1]);
  EXPECT_NEAR(work, 2 * 0.1 * load * 2 * way - 2 * 2 * h * 0.1 * load, 1e-5 * work);
}

// A body that carries a weight: pulled up it takes T + (μ + Δμ) T, let down it runs only if T is more than friction: self-locking holds it.
TEST(LoadDependent, FollowsTheLoadOfARunAndDoesNotDependOnItsSign) {
  Body body = forced(Signal(3.0));
  body.load = Signal(20.0);
  const auto friction = transmission({{"presliding_length", 2e-4},
                                      {"friction_coefficient", 0.1},
                                      {"coefficient_difference", 0.03},
                                      {"viscosity", 0.4}});
  EXPECT_NEAR(friction->simulate(body, until(60)).velocity, (3 - 2.6) / 0.4, 1e-7);
  body.load = Signal(-20.0);
  EXPECT_NEAR(friction->simulate(body, until(60)).velocity, (3 - 1.4) / 0.4, 1e-7);
}

TEST(LoadDependent, RefusesFrictionThatWouldDrive) {
  EXPECT_EQ(refusal_of([] {
              make_friction(
                  "load-dependent",
                  {{"presliding_length", 2e-4}, {"friction_coefficient", 0.1}, {"coefficient_difference", -0.2}});
            }),
            "load-dependent: coefficient_difference is -0.2 and friction_coefficient 0.1; it must not exceed "
            "friction_coefficient, or friction would drive");
}

}  // namespace
}  // namespace stickslip::load_dependent_test
