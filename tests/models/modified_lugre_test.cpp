#include "models/modified_lugre.hpp"

#include <gtest/gtest.h>

#include <random>

#include "motions.hpp"

namespace stickslip::modified_lugre_test {
using namespace stickslip::given_motions;

namespace {

// Tran 2014 Table 2, extending (experiment hydraulic-2mA).
const ParameterValues table{{"bristle_stiffness", 5e6}, {"bristle_damping", 0.1},  {"viscosity", 330.0},
                            {"coulomb_force", 210.0},   {"stiction_force", 830.0}, {"stribeck_velocity", 0.0125},
                            {"stribeck_exponent", 0.7}, {"film_velocity", 0.05},   {"growing_time", 0.25},
                            {"thinning_time", 1.5},     {"rest_time", 40.0}};
modified_lugre::Model<double> model() {
  modified_lugre::Model<double> m;
  m.bristle_stiffness = 5e6, m.bristle_damping = 0.1, m.viscosity = 330, m.coulomb_force = 210;
  m.stiction_force = 830, m.stribeck_velocity = 0.0125, m.stribeck_exponent = 0.7, m.film_velocity = 0.05;
  m.growing_time = 0.25, m.thinning_time = 1.5, m.rest_time = 40;
  return m;
}

// After many time constants h = h_ss and F = Fc + ((1 - h_ss) Fs - Fc) exp(-|v/vs|^n) + s2 v; from v_b on
// (1 - h_ss) Fs = Fc and the Stribeck hump is gone altogether.
TEST(ModifiedLugre, SteadyStateIsTheStribeckCurveOfTheFilm) {
  for (const double v : {1e-4, 0.01, -0.02, 0.05, 0.3}) {
    const double speed = std::fabs(v), d = v < 0 ? -1 : 1;
    const double film = (1 - 210.0 / 830) * std::pow(std::min(speed, 0.05) / 0.05, 2.0 / 3);
    const double level = 210 + ((1 - film) * 830 - 210) * std::exp(-std::pow(speed / 0.0125, 0.7));
    const auto force = make_friction("modified-lugre", table)->respond({{0, 100, 200}, {0, 100 * v, 200 * v}, {}, {}});
    EXPECT_NEAR(force[2], d * level + 330 * v, 1e-6) << v;
    if (speed >= 0.05) {
      EXPECT_NEAR(force[2], d * 210 + 330 * v, 1e-6);
    }
  }
}

// Film after a held speed: grows with tau_hp, thins with tau_hn, thins at exact rest with tau_h0.
TEST(ModifiedLugre, FilmRelaxesWithTheTimeOfItsState) {
  const auto m = model();
  Contact<double> c;
  c.velocity = 0.05;
  const double full = 1 - 210.0 / 830;
  EXPECT_NEAR(hold(m, {0, 0}, c, 0.25)[1], full * (1 - std::exp(-1.0)), 1e-14);
  c.velocity = 0.05 / 8;  // a quarter of the full film
  EXPECT_NEAR(hold(m, {0, full}, c, 1.5)[1], full * (0.25 + 0.75 * std::exp(-1.0)), 1e-14);
  c.velocity = 0;
  EXPECT_NEAR(hold(m, {1e-5, full}, c, 40)[1], full * std::exp(-1.0), 1e-14);
  EXPECT_EQ(hold(m, {1e-5, full}, c, 40)[0], 1e-5);
}

TEST(ModifiedLugre, TheRestBandCountsSlowMotionAsRest) {
  auto m = model();
  m.rest_band = 1e-3;
  Contact<double> c;
  c.velocity = 5e-4;
  const double full = 1 - 210.0 / 830, steady = full * std::pow(0.01, 2.0 / 3);
  EXPECT_NEAR(rate(m, {0, full}, c)[1], (steady - full) / 40, 1e-15);
  c.velocity = 2e-3;
  EXPECT_NEAR(rate(m, {0, full}, c)[1], (full * std::pow(0.04, 2.0 / 3) - full) / 1.5, 1e-15);
}

TEST(ModifiedLugre, HeldStepEqualsAFineIntegration) {
  for (const double v : {2e-5, -1e-3, 0.02})
    for (const double film : {0.0, 0.5})
      for (const double duration : {1e-3, 0.3}) {
        auto m = model();
        m.bristle_stiffness = 5e6 * std::min(1.0, 1e-3 / (std::fabs(v) * duration));
        Contact<double> c;
        c.velocity = v;
        const std::array<double, 2> from{-5e-5, film};
        const auto fine = finely_integrated<2>([&](const auto& y) { return rate(m, y, c); }, from, duration, 200000);
        const auto held = hold(m, from, c, duration);
        EXPECT_NEAR(held[0], fine[0], 1e-8 * 830 / m.bristle_stiffness) << v << " " << film << " " << duration;
        EXPECT_NEAR(held[1], fine[1], 1e-12);
      }
}

// hold() shares what the whole step and its halves have in common, and takes slopes by four numbers only. The slow way is
// advance() with the step as it is written down, every slope through every operation.
TEST(ModifiedLugre, HeldStepEqualsTheStepAsItIsWrittenDown) {
  using D = Dual<8>;
  std::mt19937_64 random(5);
  const auto between = [&](double low, double high) {
    return low * std::pow(high / low, std::uniform_real_distribution<double>(0, 1)(random));
  };
  double largest_slope = 0;
  for (int n = 0; n < 20000; ++n) {
    modified_lugre::Model<D> m;
    m.coulomb_force = D::variable(between(0.1, 1000), 0);
    m.stiction_force = D::variable(m.coulomb_force.value * between(0.5, 5), 1);
    m.bristle_stiffness = D::variable(m.stiction_force.value / between(1e-7, 1e-3), 2);
    m.stribeck_velocity = D::variable(between(1e-4, 1), 3);
    m.stribeck_exponent = D::variable(between(0.5, 3), 4);
    m.film_velocity = D::variable(between(1e-3, 1), 5);
    m.growing_time = D::variable(between(1e-4, 10), 6);
    m.thinning_time = D::variable(between(1e-4, 10), 7);
    m.rest_time = 10.0;
    const std::array numbers{m.coulomb_force,     m.stiction_force, m.bristle_stiffness, m.stribeck_velocity,
                             m.stribeck_exponent, m.film_velocity,  m.growing_time,      m.thinning_time};
    const double scale = m.stiction_force.value / m.bristle_stiffness.value, duration = between(1e-5, 0.1);
    const double way = scale * between(1e-6, 1e3), d = n % 2 == 0 ? 1 : -1;
    Contact<D> c;
    c.velocity = d * std::min(way / duration, 2.0);
    std::array<D, 2> from{D(scale * (between(1, 3) - 2)), D(between(1e-3, 0.8))};
    for (std::size_t i = 0; i < 8; ++i)
      from[0].slope[i] = 0.1 * scale / numbers[i].value, from[1].slope[i] = 0.1 / numbers[i].value;
    const auto plain = without_slopes<modified_lugre::Model<double>>(m);
    const double v = c.velocity.value;
    const FilmStep<D> step = film_step(m, from[1], c);
    Contact<double> held;
    held.velocity = v;
    const FilmStep<double> step_of_values = film_step(plain, from[1].value, held);
    const auto written = Overloaded{[&](double y, double t, double length) { return step_of_values(y, t, length); },
                                    [&](const D& y, const D& t, const D& length) { return step(y, t, length); }};
    const D slow = advance(
                       written, [](double) { return 1.0; }, from[0], D(duration), scale)
                       .state;
    const auto fast = hold(m, from, c, duration);
    const auto fast_value = hold_quickly(plain, {from[0].value, from[1].value}, held, duration);
    EXPECT_NEAR(fast_value[0], slow.value, 1e-8 * scale) << n;
    EXPECT_NEAR(fast[0].value, slow.value, 1e-8 * scale) << n;
    EXPECT_NEAR(fast[1].value, fast_value[1], 1e-13) << n;
    const D film = step.film_at(D(duration));
    for (std::size_t i = 0; i < 8; ++i) {  // a number that doubles moves the deflection by so many of its scale
      EXPECT_NEAR(fast[0].slope[i] * numbers[i].value / scale, slow.slope[i] * numbers[i].value / scale,
                  1e-5 * (1 + std::fabs(slow.slope[i] * numbers[i].value / scale)))
          << n << " " << i;
      EXPECT_NEAR(fast[1].slope[i] * numbers[i].value, film.slope[i] * numbers[i].value, 1e-10) << n << " " << i;
      largest_slope = std::max(largest_slope, std::fabs(slow.slope[i] * numbers[i].value / scale));
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(largest_slope, 0.1);
}

// Long sliding builds the film and the next breakaway is low; a long rest lets it thin and breakaway rises, up to the
// level of this speed without any film. While the film is thicker than steady, the level is below the steady one.
TEST(ModifiedLugre, BreakawayRisesWithTheTimeAtRest) {
  const auto peak_after = [&](double rest) {
    PrescribedMotion motion{{0, 5, 5 + rest}, {0, 0.5, 0.5}, {}, {}};
    for (int i = 1; i <= 1000; ++i) {
      motion.time.push_back(5 + rest + 1e-3 * i);
      motion.position.push_back(0.5 + 2e-6 * i);
    }
    const auto force = make_friction("modified-lugre", table)->respond(motion);
    return *std::max_element(force.begin() + 3, force.end());
  };
  EXPECT_LT(peak_after(1), peak_after(20));
  EXPECT_LT(peak_after(20), peak_after(200));
  const double fading = std::exp(-std::pow(2e-3 / 0.0125, 0.7)),
               steady_film = (1 - 210.0 / 830) * std::pow(0.04, 2.0 / 3);
  const double steady = 210 + ((1 - steady_film) * 830 - 210) * fading + 330 * 2e-3;
  EXPECT_LT(peak_after(1), steady);
  EXPECT_GT(peak_after(200), steady);
  EXPECT_LT(peak_after(200), 210 + 620 * fading + 330 * 2e-3);
}

// With F_S = F_C there is no film to speak of and nothing but LuGre is left.
TEST(ModifiedLugre, WithoutAHumpItIsLugre) {
  ParameterValues flat = table;
  flat[4].second = 210.0;
  const ParameterValues plain{{"bristle_stiffness", 5e6}, {"bristle_damping", 0.1},  {"viscosity", 330.0},
                              {"coulomb_force", 210.0},   {"stiction_force", 210.0}, {"stribeck_velocity", 0.0125}};
  const auto motion = zigzag({1e-4, 2e-5, 3e-3}, 0.01);
  const auto one = make_friction("modified-lugre", flat)->respond(motion),
             other = make_friction("lugre", plain)->respond(motion);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], other[i], 1e-9);
}

// The slope of the film's |v|^(2/3) is infinite at v = 0 and given as 0; elsewhere duals agree with differences.
TEST(ModifiedLugre, RunsOnDualNumbers) {
  const auto m = model();
  const auto slopes_at = [&](double v) {
    Contact<Dual<3>> c;
    c.velocity = Dual<3>::variable(v, 0);
    return rate(m, std::array<Dual<3>, 2>{Dual<3>::variable(5e-5, 1), Dual<3>::variable(0.3, 2)}, c);
  };
  const auto at = [&](double v, double z, double h) {
    Contact<double> c;
    c.velocity = v;
    return rate(m, std::array<double, 2>{z, h}, c);
  };
  const auto exact = slopes_at(0.01);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(exact[i].slope[0], (at(0.01 + 1e-7, 5e-5, 0.3)[i] - at(0.01 - 1e-7, 5e-5, 0.3)[i]) / 2e-7, 1e-5);
    EXPECT_NEAR(exact[i].slope[2], (at(0.01, 5e-5, 0.3 + 1e-6)[i] - at(0.01, 5e-5, 0.3 - 1e-6)[i]) / 2e-6, 1e-6);
  }
  for (const auto& r : slopes_at(0))
    for (const double slope : r.slope) EXPECT_TRUE(std::isfinite(slope));
}

TEST(ModifiedLugre, DirectionsMayDifferAndTheEnergyCloses) {
  Body body;
  body.mass = 118;
  body.drive = {DriveKind::wall_spring, 1e4, 0, 0, Signal::sine(1500, 0.5)};
  SimulationOptions options;
  options.end = 8;
  const auto friction = make_friction(
      "modified-lugre", FrictionSettings{table, {{"stiction_force", 500.0}, {"coulomb_force", 80.0}}, {}});
  const auto run = friction->simulate(body, options);
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  EXPECT_GT(run.ledger.events[static_cast<std::size_t>(EventKind::direction_change)], 6u);
  EXPECT_NEAR(run.ledger.residual / run.ledger.friction_heat, 0, 1e-5);
}

TEST(ModifiedLugre, RefusesATimeOfZeroAndDoubtsItsPassivity) {
  ParameterValues wrong = table;
  wrong[9].second = 0.0;
  EXPECT_EQ(refusal_of("modified-lugre", wrong), "modified-lugre: thinning_time is 0 s; it must be positive");
  ParameterValues damped = table;
  damped[1].second = 200.0;
  const auto doubts = make_friction("modified-lugre", damped)->doubts({});
  ASSERT_EQ(doubts.size(), 1u);
  EXPECT_NE(doubts[0].find("= 590.5 N s/m; viscosity is 330 N s/m"), std::string::npos) << doubts[0];
  EXPECT_TRUE(make_friction("modified-lugre", table)->doubts({}).empty());
}

}  // namespace

}  // namespace stickslip::modified_lugre_test
