#include "models/elastoplastic.hpp"

#include <gtest/gtest.h>

#include <random>

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

// The step of fits against hold(), and against the path that the bristles need by quadrature, over everything a fit may try.
TEST(Elastoplastic, TheStepOfFitsIsThatOfSimulations) {
  constexpr double pi = 3.14159265358979323846;
  std::mt19937_64 random(5);
  const auto even = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  const auto between = [&](double low, double high) { return low * std::pow(high / low, even(0, 1)); };
  int elastic = 0, yielding = 0, beyond = 0, rough = 0;
  double largest_slope = 0;
  for (int n = 0; n < 20000; ++n) {
    using D = Dual<8>;
    elastoplastic::Model<D> m;
    const double coulomb = between(0.1, 1e3), stiction = coulomb * between(0.3, 4), stiffness = between(1e3, 1e8);
    const double lowest = std::min(coulomb, stiction) / stiffness;
    // from bristles that are never elastic to those that are nearly as long as they slide
    const double limit = n % 20 == 0 ? 0 : lowest * (n % 3 == 0 ? 1 - between(1e-4, 0.5) : between(1e-4, 0.9));
    m.bristle_stiffness = D::variable(stiffness, 0), m.bristle_damping = D::variable(between(1, 1e4), 1);
    m.viscosity = D::variable(between(1, 1e3), 2), m.elastic_limit = D::variable(limit, 3);
    m.coulomb_force = D::variable(coulomb, 4), m.stiction_force = D::variable(stiction, 5);
    m.stribeck_velocity = D::variable(between(1e-4, 1), 6), m.stribeck_exponent = even(0.5, 3);
    const double narrow = 1 - limit / lowest;
    const auto plain = without_slopes<elastoplastic::Model<double>>(m);
    Contact<double> c;
    c.velocity = (n % 2 == 0 ? 1 : -1) * between(1e-6, 1);
    Contact<D> with_slopes;
    with_slopes.velocity = c.velocity;
    const double scale = stiction / stiffness, sliding = level(plain, c.velocity) / stiffness;
    D z =
        D::variable(sliding * (n % 4 == 0 ? 1 + (even(0, 1) < 0.5 ? -1 : 1) * between(1e-9, 0.1) : even(-1.5, 1.5)), 7);
    if (n % 4 == 0 && c.velocity < 0) z = -z;
    const double path = between(1e-4, 60), duration = path * sliding / std::fabs(c.velocity);
    const double fast = hold_quickly(plain, z.value, c, duration);
    const D with = hold_quickly(m, z, with_slopes, duration), slow = hold(m, z, with_slopes, duration);
    ASSERT_NEAR(fast, hold(plain, z.value, c, duration), 5e-8 * std::max(scale, sliding)) << n;
    ASSERT_NEAR(with.value, fast, 1e-12 * scale) << n;
    const double d = sign(c.velocity), begin = std::max(d * z.value, limit), after = d * fast;
    const double used = path * sliding - std::max(limit - d * z.value, 0.0);
    ++(used <= 0 ? elastic : begin < sliding ? yielding : beyond);
    if (used > 0 && begin < sliding * (1 - 1e-9) && sliding - after > 1e-6 * sliding) {
      // p = ∫ dη/(η + (1 − η) sin²(πη/(2ω))) over ln η, by Simpson's rule
      const double from = std::log(1 - after / sliding), to = std::log(1 - begin / sliding), w = 1 - limit / sliding;
      const auto slowness = [&](double at) {
        const double lag = std::exp(at), s = std::sin(0.5 * pi * lag / w);
        return 1 / (1 + (1 - lag) * s * s / lag);
      };
      constexpr int pieces = 2000;
      double sum = 0;
      for (int i = 0; i <= pieces; ++i)
        sum += (i == 0 || i == pieces ? 1 : i % 2 == 1 ? 4 : 2) * slowness(from + (to - from) * i / pieces);
      // in the place reached, not in the path, which has no digits left in steady sliding
      const double pace = (1 - after / sliding) / slowness(from);
      const double error = (sum * (to - from) / (3 * pieces) - used / sliding) * pace;
      ASSERT_NEAR(error, 0, 5e-8) << n;
      rough += std::fabs(error) > 5e-9;
    }
    const D force = force_at_own_rates(m, z, with_slopes),
            expected = elastoplastic::force(m, z, rate(m, z, with_slopes), with_slopes);
    ASSERT_NEAR(force.value, expected.value, 1e-12 * (std::fabs(expected.value) + stiffness * scale)) << n;
    const double numbers[] = {
        stiffness, m.bristle_damping.value, m.viscosity.value, limit, coulomb, stiction, m.stribeck_velocity.value,
        scale};
    for (std::size_t i = 0; i < 8; ++i) {  // a number that doubles moves the deflection by so many of its scale
      const double moved = with.slope[i] * numbers[i] / scale, slowly = slow.slope[i] * numbers[i] / scale;
      const auto shifted = [&](double share) {
        auto other = plain;
        double* const rows[] = {&other.bristle_stiffness, &other.bristle_damping, &other.viscosity,
                                &other.elastic_limit,     &other.coulomb_force,   &other.stiction_force,
                                &other.stribeck_velocity};
        if (i < 7) *rows[i] += share * numbers[i];
        return hold_quickly(other, z.value + (i == 7 ? share * scale : 0), c, duration) / scale;
      };
      if (narrow > 0.01) {  // else the slope itself changes within any difference, and hold() has hardly a digit of it
        const double h = 1e-3 * narrow;
        ASSERT_NEAR(moved, slowly, (narrow > 0.3 ? 2e-4 : 2e-2) * (1 + std::fabs(moved))) << n << " " << i;
        ASSERT_NEAR((shifted(h) - shifted(-h)) / (2 * h), moved, 2e-2 * (1 + std::fabs(moved))) << n << " " << i;
      }
      ASSERT_NEAR(force.slope[i] * numbers[i], expected.slope[i] * numbers[i],
                  1e-11 * (std::fabs(expected.slope[i] * numbers[i]) + std::fabs(expected.value) + stiffness * scale))
          << n << " " << i;
      largest_slope = std::max(largest_slope, std::fabs(moved));
    }
  }
  EXPECT_GT(elastic, 500);
  EXPECT_GT(yielding, 5000);
  EXPECT_GT(beyond, 500);
  EXPECT_LT(rough, 20);
  EXPECT_GT(largest_slope, 0.5);
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

// A level that follows a quantity may fall to the elastic limit, to zero or below: there is no motion then, and it must be said at once.
// The step of fits took for ever, that of simulations hours.
TEST(Elastoplastic, WithoutRoomBetweenElasticAndSlidingThereIsNoMotion) {
  const double nan = std::nan(""), duration = 1;
  for (const double level : {2.0, 0.1, 0.0, -1e-300, -1.0, nan})
    for (const double from : {0.0, 1e-4, 0.1, -1e-3, nan})
      for (const double velocity : {0.1, -3.0}) {
        elastoplastic::Model<double> m = model(0.1 / 110);
        m.coulomb_force = m.stiction_force = level;
        Contact<double> c;
        c.velocity = velocity;
        const bool moves = level == 2.0 && std::isfinite(from);
        const double held = hold(m, from, c, duration);  // ends, whatever it says without a motion
        EXPECT_TRUE(!moves || std::isfinite(held)) << level << ' ' << from << ' ' << velocity;
        EXPECT_EQ(std::isfinite(hold_quickly(m, from, c, duration)), moves) << level << ' ' << from << ' ' << velocity;
      }
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
