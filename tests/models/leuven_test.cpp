#include "models/leuven.hpp"

#include <gtest/gtest.h>

#include <random>

#include "motions.hpp"
#include "support/cases.hpp"

namespace stickslip::leuven_test {
using namespace stickslip::given_motions;

namespace {

ParameterValues values(double exponent, double stiction = 1.5, double factor = 1) {
  return {{"thresholds", std::vector<double>{4e-6, 1e-5, 2e-5, 6e-5}},
          {"stiffnesses", std::vector<double>{5e4 * factor, 3e4 * factor, 2e4 * factor, 1e4 * factor}},  // 1.5 N in all
          {"transition_exponent", exponent},
          {"coulomb_force", 1.0},
          {"stiction_force", stiction},
          {"stribeck_velocity", 1e-3},
          {"viscosity", 0.4}};
}
ParameterValues with(ParameterValues v, std::string key, double value) {
  v.emplace_back(std::move(key), value);
  return v;
}

// The direction of z without the power is that of eq. (1), close to steady sliding and far from it.
TEST(Leuven, DirectionOfTheDriveIsThatOfItsRate) {
  std::size_t seed = 1, steady = 0, back = 0;
  const auto uniform = [&] {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(seed >> 11) / 9007199254740992.0;
  };
  for (int i = 0; i < 200000; ++i) {
    const double exponent = std::pow(10, 5 * uniform() - 3.2), level = std::pow(10, 6 * uniform() - 3);
    const double velocity = (uniform() < 0.5 ? -1 : 1) * std::pow(10, 8 * uniform() - 8);
    const double off = i % 3 == 0 ? 0 : (uniform() < 0.5 ? -1 : 1) * std::pow(10, -15 * uniform());
    const double hysteresis = (uniform() < 0.5 ? -1 : 1) * (i % 11 == 0 ? 0 : level * (1 + off));
    const double driving = leuven::drive_rate_by(exponent, hysteresis, velocity, level);
    const auto found = leuven::drive_direction(exponent, hysteresis, velocity, level);
    const bool is_steady = std::fabs(driving) <= leuven::slowest_retraction * std::fabs(velocity);
    ASSERT_EQ(!found, is_steady) << exponent << " " << hysteresis / level - 1;
    if (found) {
      ASSERT_EQ(*found, direction_of(driving)) << exponent << " " << hysteresis / level - 1;
      back += *found != direction_of(velocity);
    } else {
      ++steady;
    }
  }
  EXPECT_GT(steady, 1000u);
  EXPECT_GT(back, 1000u);
}

// One element that never slips is a plain spring, and with n = 1 eq. (1) is LuGre's.
TEST(Leuven, OneSpringThatNeverSlipsIsLugre) {
  const auto one = make_friction("leuven", ParameterValues{{"thresholds", std::vector<double>{1.0}},
                                                           {"stiffnesses", std::vector<double>{1e5}},
                                                           {"bristle_damping", 300.0},
                                                           {"viscosity", 0.4},
                                                           {"coulomb_force", 1.0},
                                                           {"stiction_force", 1.5},
                                                           {"stribeck_velocity", 1e-3}});
  const auto other = make_friction("lugre", ParameterValues{{"bristle_stiffness", 1e5},
                                                            {"bristle_damping", 300.0},
                                                            {"viscosity", 0.4},
                                                            {"coulomb_force", 1.0},
                                                            {"stiction_force", 1.5},
                                                            {"stribeck_velocity", 1e-3}});
  const auto motion = zigzag({3e-5, -1e-5, 2e-5, 1e-3}, 4e-4, 23);
  const auto f = one->respond(motion), g = other->respond(motion);
  for (std::size_t i = 0; i < f.size(); ++i) EXPECT_NEAR(f[i], g[i], 1e-8);
  SimulationOptions options;
  options.end = 15;
  options.sample_interval = 0.1;
  const auto run = one->simulate(pulled_mass(), options), same = other->simulate(pulled_mass(), options);
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  for (std::size_t i = 0; i < run.samples.time.size(); ++i)
    EXPECT_NEAR(run.samples.position[i], same.samples.position[i], 2e-6);
}

// n -> infinity: z follows the body as long as |F_h| < s; at 90 % of the level the rest is 0.9^200 = 7e-10.
TEST(Leuven, WithALargeExponentPreslidingIsMaxwellSlip) {
  const auto values_of_both = values(200);
  const ParameterValues plain{values_of_both[0], values_of_both[1]};
  const auto motion = zigzag({2.5e-5, -1e-5, 5e-6, 0.0, 2.5e-5}, 1e-6, 31);
  const auto one = make_friction("leuven", values_of_both)->respond(motion),
             other = make_friction("maxwell-slip", plain)->respond(motion);
  double highest = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_NEAR(one[i], other[i], 1e-6) << i;
    highest = std::max(highest, other[i]);
  }
  EXPECT_GT(highest, 0.75 * 1.5);
}

// dz/dt = 0 where |F_h| = s(v), whichever elements slip.
TEST(Leuven, SlidesAtTheStribeckLevel) {
  for (const double exponent : {1.0, 3.0})
    for (const double v : {5e-4, -1e-3, 0.05}) {
      const auto force = make_friction("leuven", values(exponent))->respond({{0, 9, 18}, {0, 9 * v, 18 * v}, {}, {}});
      EXPECT_NEAR(force[2], (v < 0 ? -1 : 1) * (1 + 0.5 * std::exp(-v * v / 1e-6)) + 0.4 * v, 1e-8);
    }
}

// The held step against eq. (1) and (3) taken literally: tiny steps of z, each clipped.
TEST(Leuven, HeldStepEqualsAFineIntegration) {
  leuven::Model<double> m;
  for (const double x : {4e-6, 1e-5, 2e-5, 6e-5}) m.thresholds.push_back(x);
  for (const double x : {5e4, 3e4, 2e4, 1e4}) m.stiffnesses.push_back(x);
  m.coulomb_force = 1, m.stiction_force = 1.5, m.stribeck_velocity = 1e-3, m.stribeck_exponent = 2;
  m.transition_exponent = 2.5;
  leuven::Deflections held{}, fine{};
  leuven::DrivenElements memory;
  for (const double v : {1e-3, -5e-4, 2e-2, 1e-4, -1e-3}) {  // 2e-2 and back: the level falls and z retracts
    Contact<double> c;
    c.velocity = v;
    const double duration = 4e-5 / std::fabs(v);
    hold_in(m, memory, held, c, c, duration);
    const int steps = 400000;
    for (int k = 0; k < steps; ++k) {
      double sum = 0;
      for (std::size_t i = 0; i < 4; ++i) sum += m.stiffnesses[i] * fine[i];
      const double s = 1 + 0.5 * std::exp(-v * v / 1e-6);
      const double dz = duration / steps * (v - std::fabs(v) * (sum < 0 ? -1 : 1) * std::pow(std::fabs(sum) / s, 2.5));
      for (std::size_t i = 0; i < 4; ++i)
        fine[i] = std::fmin(std::fmax(fine[i] + dz, -m.thresholds[i]), m.thresholds[i]);
    }
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(held[i], fine[i], 2e-10) << v << " " << i;
  }
}

// With a large n presliding is rate-free and remembers turning points; with n = 1 it creeps a little.
TEST(Leuven, InnerLoopClosesTheBetterTheLargerTheExponent) {
  EXPECT_NEAR(inner_loop_gap(*make_friction("leuven", values(100)), 3e-6, 1e-6), 0, 1e-6);
  EXPECT_NEAR(inner_loop_gap(*make_friction("leuven", values(10)), 1e-6, 1e-6), 0, 1e-6);
}

/// The pulled mass by brute force: five million steps of eq. (1) to (3), each clipped; x after 10 s.
double brute_position(double exponent, double factor) {
  const std::array<double, 4> threshold{4e-6, 1e-5, 2e-5, 6e-5}, stiffness{5e4, 3e4, 2e4, 1e4};
  std::array<double, 4> delta{};
  double x = 0, v = 0;
  const double h = 2e-6;
  for (int k = 0; k < 5000000; ++k) {
    double sum = 0;
    for (std::size_t i = 0; i < 4; ++i) sum += factor * stiffness[i] * delta[i];
    const double s = 1 + 0.5 * std::exp(-v * v / 1e-6);
    const double rate = v - std::fabs(v) * (sum < 0 ? -1 : 1) * std::pow(std::fabs(sum) / s, exponent);
    v += h * (2 * (0.1 * h * k - x) - sum - 200 * rate - 0.4 * v);
    x += h * v;
    for (std::size_t i = 0; i < 4; ++i) delta[i] = std::clamp(delta[i] + h * rate, -threshold[i], threshold[i]);
  }
  return x;
}

// Ten seconds of a pulled mass: z's turning points must not make events without end, and energy must close.
TEST(Leuven, APulledMassRunsWithFewEvents) {
  for (const double exponent : {1.0, 4.0})
    for (const double factor : {1.0, 3.0}) {
      SimulationOptions options;
      options.end = 10;
      const auto run = make_friction("leuven", with(values(exponent, 1.5, factor), "bristle_damping", 200.0))
                           ->simulate(pulled_mass(), options);
      ASSERT_EQ(run.stop, Stop::finished) << run.message;
      EXPECT_NEAR(run.ledger.residual, 0, 1e-6);
      EXPECT_LT(run.events.size(), 2000u) << exponent << " " << factor;
      EXPECT_NEAR(run.position, brute_position(exponent, factor), 2e-6) << exponent << " " << factor;
    }
}

// Pulled hard enough to slide for ever: the spring settles where it carries s(v) + F_v v.
TEST(Leuven, SteadySlidingOfAPulledMassIsQuiet) {
  Body body = pulled_mass();
  body.drive.damping = 3;
  SimulationOptions options;
  options.end = 60;
  const auto run = make_friction("leuven", with(values(2), "bristle_damping", 200.0))->simulate(body, options);
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  EXPECT_NEAR(run.velocity, 0.1, 1e-6);
  EXPECT_LT(run.events.size(), 2000u);
}

/// Seconds until F_h/s has gone from `from` to `to` at |v| k/s = 1/s, by (1): t = int dx/(1 - sgn(x) |x|^n), in w = -ln|1 - x|, where
/// the integrand stays smooth up to steady sliding.
double time_between(double from, double to, double exponent) {
  if (from < 0 && to > 0) return time_between(from, 0, exponent) + time_between(0, to, exponent);
  const double side = from < 1 ? 1 : -1;
  const auto integrand = [&](double w) {
    const double distance = std::exp(-w), x = 1 - side * distance;
    const double rest = x < 0 ? 1 + std::pow(-x, exponent) : -std::expm1(exponent * std::log1p(-side * distance));
    return distance / std::fabs(rest);
  };
  const double a = -std::log(std::fabs(1 - from)), b = -std::log(std::fabs(1 - to));
  // Gauss-Legendre, five points per part; x^n turns within 1/n, and has no slope at 0 for n < 1.
  const int parts = 1 + static_cast<int>((exponent < 1 ? 1000 : 20 + 2 * exponent) * std::fabs(b - a));
  constexpr double node[] = {0, 0.5384693101056831, 0.9061798459386640},
                   weight[] = {0.5688888888888889, 0.4786286704993665, 0.2369268850561891};
  double sum = 0;
  for (int i = 0; i < parts; ++i) {
    const double middle = a + (b - a) * (i + 0.5) / parts, half = 0.5 * (b - a) / parts;
    for (int j = 0; j < 3; ++j)
      for (const double sign : {-1.0, 1.0})
        sum += (j == 0 ? 0.5 : 1) * weight[j] * half * integrand(middle + sign * node[j] * half);
  }
  return std::fabs(sum);
}
/// F_h/s after `duration`, by bisection of that time.
double reached_after(double from, double duration, double exponent, double limit) {
  double near = from, far = limit;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (near + far);
    (time_between(from, middle, exponent) < duration ? near : far) = middle;
  }
  return 0.5 * (near + far);
}

// A step of any length ends where the integral of (1) says, for exponents that turn sharply at the level too: steps that looked only at
// their begin and middle went past the corner (n = 48.7: -0.365 of the threshold for -0.308). One spring of level/stiffness = 1 m.
TEST(LeuvenProperty, AHeldStepDoesNotJumpOverTheCorner) {
  std::size_t retracted = 0, near_corner = 0;
  const std::size_t count = test::cases(1000);
  for (std::size_t seed = test::first_case(); seed < test::first_case() + count; ++seed) {
    std::mt19937_64 random(seed);
    const auto uniform = [&](double low, double high) { return std::uniform_real_distribution(low, high)(random); };
    leuven::Model<double> m;
    m.coulomb_force = m.stiction_force = 1;
    m.stribeck_velocity = 1, m.stribeck_exponent = 2;
    m.transition_exponent = std::pow(10, uniform(-0.3, 2));
    m.thresholds.count = m.stiffnesses.count = 1;
    m.thresholds.at[0] = 1e6, m.stiffnesses.at[0] = 1;
    const double from = uniform(-1.5, 1.5), duration = std::pow(10, uniform(-3, 1));
    if (std::fabs(from - 1) < 1e-6) continue;
    const double direction = uniform(0, 1) < 0.5 ? -1 : 1;
    std::array<double, max_elements> deflection{};
    deflection[0] = direction * from;
    leuven::DrivenElements memory;
    const Contact<double> contact{.velocity = direction};
    hold_in(m, memory, deflection, contact, contact, duration);
    // Steady sliding is reached to 1e-9 where the time in w exceeds 21.
    const double limit = from < 1 ? 1 - 1e-12 : 1 + 1e-12;
    const double expected = time_between(from, limit, m.transition_exponent) < duration
                                ? 1
                                : reached_after(from, duration, m.transition_exponent, limit);
    ASSERT_NEAR(direction * deflection[0], expected, 1e-7)
        << "seed " << seed << ", n = " << m.transition_exponent << ", from " << from << " for " << duration;
    retracted += from > 1;
    near_corner += from < 1 && expected > 0.9 && m.transition_exponent > 20;
  }
  if (count < 500) return;  // too few to count on both kinds
  EXPECT_GT(retracted, count / 10);
  EXPECT_GT(near_corner, count / 20);
}

TEST(Leuven, RefusesElementsThatCannotCarryBreakaway) {
  EXPECT_EQ(refusal_of("leuven", values(1, 2.0)),
            "leuven: the elements carry at most sum(stiffnesses * thresholds) = 1.5 N; they must carry the highest "
            "level, max(stiction_force, coulomb_force) = 2 N");
}

TEST(Leuven, DoubtsItsPassivity) {
  const auto doubts = make_friction("leuven", with(values(2), "bristle_damping", 10.0))->doubts({});
  ASSERT_EQ(doubts.size(), 1u);
  EXPECT_NE(doubts[0].find("= 12.5 N s/m; viscosity is 0.4 N s/m"), std::string::npos) << doubts[0];
}

}  // namespace

}  // namespace stickslip::leuven_test
