/// `identify --explore`: dependences suggested by the residuals are tried, and kept if the validation samples improve.
#include "identification/judging/exploration.hpp"

#include <gtest/gtest.h>

#include "identification/identify_recordings.hpp"

namespace stickslip::exploration_test {
namespace {

IdentifyOptions exploring() {
  return {.models = {"coulomb-viscous"}, .all_profiles = false, .twins = 0, .explore = true};
}

TEST(Exploration, FrictionThatFollowsThePlaceIsFound) {
  Prepared p = motion_of({.count = 6000, .reach = 0.05});
  give_force(p, *make_friction("coulomb-viscous", {{"coulomb_force", 3.0}, {"viscosity", 5.0}}), 0.05);
  for (std::size_t i = 1; i < p.size(); ++i)
    p.force[i] +=
        (p.position[i] > p.position[i - 1] ? 1 : -1) * 20 * p.position[i];  // a third of the level over the range
  const Identification found = identify(in_halves(std::move(p)), exploring());
  EXPECT_EQ(found.models[found.recommended].label, "coulomb-viscous over position") << found.why;
}

TEST(Exploration, ADirectionOfItsOwnIsFound) {
  Prepared p = motion_of({.count = 6000, .reach = 0.05});
  give_force(p, *make_friction("coulomb-viscous", {{"coulomb_force", 3.0}, {"viscosity", 2.0}}), 0.05);
  for (std::size_t i = 1; i < p.size(); ++i)
    if (p.velocity[i] < 0) p.force[i] += 6 * p.velocity[i];  // four times the viscosity backward
  const Identification found = identify(in_halves(std::move(p)), exploring());
  EXPECT_EQ(found.models[found.recommended].label, "coulomb-viscous per direction") << found.why;
}

TEST(Exploration, AnErrorThatIsNoiseAsksForNothing) {
  Prepared p = motion_of({.count = 6000, .reach = 0.05});
  give_force(p, *make_friction("coulomb-viscous", {{"coulomb_force", 3.0}, {"viscosity", 5.0}}), 0.05);
  const Identification found = identify(in_halves(std::move(p)), exploring());
  EXPECT_EQ(found.models.size(), 1u);
  EXPECT_EQ(found.explored.size(), 2u);
}

}  // namespace
}  // namespace stickslip::exploration_test
