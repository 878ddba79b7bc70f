/// Where a model says that friction is a straight line over speed, it is one, to rounding.
#include "core/straight_part.hpp"

#include <gtest/gtest.h>

#include "models/bristle.hpp"
#include "models/coulomb.hpp"
#include "models/coulomb_viscous.hpp"
#include "models/hybrid.hpp"
#include "models/stribeck.hpp"

namespace stickslip::straight_part_test {
namespace {

template <class M>
void expect_straight(const M& model) {
  const StraightPart line = straight_part(model);
  for (const double factor : {1.0, 1.001, 3.0, 1e6})
    for (const Direction d : {Direction::forward, Direction::backward}) {
      Contact<double> c;
      c.velocity = number(d) * factor * (line.from > 0 ? line.from : 1e-6);
      const double force = sliding_force(model, c, d);
      EXPECT_NEAR(force, number(d) * line.level + line.viscosity * c.velocity, 4e-16 * std::fabs(force));
    }
}

TEST(StraightPart, IsWhatTheModelsSay) {
  coulomb::Model<double> plain;
  plain.coulomb_force = 1.7;
  expect_straight(plain);
  coulomb_viscous::Model<double> viscous;
  viscous.coulomb_force = 1.7, viscous.viscosity = 0.3;
  expect_straight(viscous);
  for (const double exponent : {0.5, 1.0, 2.0})
    for (const double stiction : {0.4, 1.5, 1e4}) {
      const stribeck::Model<double> m{{1, stiction, 1e-3, exponent, StribeckForm::exponential}, 0.4};
      expect_straight(m);
      // Not much too early either: a tenth below, the peak is still there to be seen at these exponents.
      Contact<double> c;
      c.velocity = 0.8 * straight_part(m).from;
      EXPECT_NE(sliding_force(m, c, Direction::forward), 1 + 0.4 * c.velocity);
    }
  hybrid::Model<double> hybrid;
  static_cast<stribeck::Model<double>&>(hybrid) = {{1, 1.5, 1e-3, 2, StribeckForm::exponential}, 0.4};
  expect_straight(hybrid);
  EXPECT_EQ(straight_part(stribeck::Model<double>{{1, 1.5, 1e-3, 2, StribeckForm::rational}, 0.4}).from, HUGE_VAL);
}

template <class M>
concept HasStraightPart = requires(const M& m) {
  straight_part(m);
};
static_assert(HasStraightPart<stribeck::Model<double>>);
static_assert(!HasStraightPart<bristle::Model<double>>);  // a staircase, not a line

}  // namespace
}  // namespace stickslip::straight_part_test
