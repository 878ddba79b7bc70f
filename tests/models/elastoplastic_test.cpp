#include "models/elastoplastic.hpp"

#include <gtest/gtest.h>

#include "motions.hpp"

namespace stickslip::elastoplastic_test {
using namespace stickslip::given_motions;

namespace {

// Experiment no-drift (Nouailletas 2010 Table 2).
const ParameterValues table{{"bristle_stiffness", 110.0}, {"bristle_damping", 2 * std::sqrt(110.0)},
                            {"coulomb_force", 1.0},       {"stiction_force", 1.1},
                            {"stribeck_velocity", 0.1},   {"elastic_limit", 0.009}};
elastoplastic::Model<double> model(double limit) {
  elastoplastic::Model<double> m;
  m.bristle_stiffness = 110, m.coulomb_force = 1, m.stiction_force = 1.1, m.stribeck_velocity = 0.1;
  m.stribeck_exponent = 2, m.elastic_limit = limit, m.bristle_damping = 3, m.viscosity = 0.2;
  return m;
}

TEST(Elastoplastic, DoesNotDriftUnderVibration) {
  EXPECT_NEAR(drift_per_cycle(*make_friction("elastoplastic", table)), 0, 1e-12);
}

// Below z_ba it is a spring: the force follows the position on one line, there and back.
TEST(Elastoplastic, IsASpringBelowTheElasticLimit) {
  const auto motion = zigzag({0.008, -0.007, 0.009, 0.0}, 1e-3, 7);
  ParameterValues undamped = table;
  undamped[1].second = 0.0;
  const auto force = make_friction("elastoplastic", undamped)->respond(motion);
  for (std::size_t i = 0; i < force.size(); ++i) EXPECT_NEAR(force[i], 110 * motion.position[i], 1e-13);
}

// Steady sliding: z = s(v)/s0, dz/dt = 0.
TEST(Elastoplastic, SlidesAtTheStribeckLevel) {
  for (const double v : {0.02, -0.1, 1.0}) {
    const auto force = make_friction("elastoplastic", table)->respond({{0, 5, 10}, {0, 5 * v, 10 * v}, {}, {}});
    const double expected = (1 + 0.1 * std::exp(-v * v / 0.01)) * (v < 0 ? -1 : 1);
    EXPECT_NEAR(force[2], expected, 1e-8);
  }
}

// With z_ba = 0 bristles still give way less than LuGre's at small z; at |z| >= z_ss both are the same equation.
TEST(Elastoplastic, BeyondTheSlidingDeflectionItIsLugre) {
  const auto m = model(0.004);
  Contact<double> c;
  c.velocity = 0.5;
  const double z = 0.0105, s = 1 + 0.1 * std::exp(-25.0);
  EXPECT_NEAR(rate(m, z, c), 0.5 - 110 * 0.5 * z / s, 1e-15);
  EXPECT_EQ(rate(m, -z, c), 0.5);
  EXPECT_EQ(rate(m, 0.0039, c), 0.5);
}

TEST(Elastoplastic, HeldStepEqualsAFineIntegration) {
  for (const double limit : {0.0, 0.004, 0.009})
    for (const double v : {1e-3, 0.05, -0.3})
      for (const double z : {0.0, 0.0085, -0.0098}) {
        const auto m = model(limit);
        Contact<double> c;
        c.velocity = v;
        const double duration = 0.012 / std::fabs(v);
        const auto fine = finely_integrated<1>([&](const auto& y) { return std::array{rate(m, y[0], c)}; },
                                               std::array{z}, duration, 100000);
        EXPECT_NEAR(hold(m, z, c, duration), fine[0], 1e-8 * 0.01) << limit << " " << v << " " << z;
      }
}

// Derivatives by dual numbers against central differences.
TEST(Elastoplastic, RunsOnDualNumbers) {
  const auto m = model(0.004);
  Contact<Dual<2>> c;
  c.velocity = Dual<2>::variable(0.05, 0);
  const auto exact = rate(m, Dual<2>::variable(0.007, 1), c);
  const auto at = [&](double v, double z) {
    Contact<double> here;
    here.velocity = v;
    return rate(m, z, here);
  };
  EXPECT_NEAR(exact.slope[0], (at(0.05 + 1e-6, 0.007) - at(0.05 - 1e-6, 0.007)) / 2e-6, 1e-7);
  EXPECT_NEAR(exact.slope[1], (at(0.05, 0.007 + 1e-7) - at(0.05, 0.007 - 1e-7)) / 2e-7, 1e-5);
}

TEST(Elastoplastic, APulledMassClosesItsEnergy) {
  SimulationOptions options;
  options.end = 10;
  const auto run = make_friction("elastoplastic", table)->simulate(pulled_mass(), options);
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  EXPECT_NEAR(run.ledger.residual, 0, 1e-7);
}

TEST(Elastoplastic, RefusesAnElasticLimitBeyondSliding) {
  ParameterValues wrong = table;
  wrong.back().second = 0.01;
  EXPECT_EQ(refusal_of("elastoplastic", wrong),
            "elastoplastic: elastic_limit is 0.01 m; it must be below the smallest deflection of sliding, "
            "min(coulomb_force, stiction_force)/bristle_stiffness = 0.00909091 m");
}

TEST(Elastoplastic, DoubtsItsPassivity) {
  const auto doubts = make_friction("elastoplastic", table)->doubts({});
  ASSERT_EQ(doubts.size(), 1u);
  EXPECT_NE(doubts[0].find("viscosity >= bristle_damping (stiction_force - coulomb_force)/coulomb_force = 2.098 N s/m"),
            std::string::npos)
      << doubts[0];
  ParameterValues safe = table;
  safe.emplace_back("viscosity", 2.2);
  EXPECT_TRUE(make_friction("elastoplastic", safe)->doubts({}).empty());
}

}  // namespace

}  // namespace stickslip::elastoplastic_test
