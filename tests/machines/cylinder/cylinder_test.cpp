#include "machines/cylinder/cylinder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "core/error.hpp"
#include "machines/cylinder/cylinder_plant.hpp"
#include "machines/friction/friction.hpp"

namespace stickslip::cylinder_test {
namespace {

using std::numbers::pi;

/// Tran's cylinder.
HydraulicCylinder cylinder() {
  HydraulicCylinder c;
  c.supply_pressure = 5e6, c.mass = 118, c.bore = 0.032, c.rod = 0.018, c.stroke = 0.2;
  c.valve_gain = 0.0227, c.valve_frequency = 440, c.valve_damping = 0.75;
  c.underlap = 4e-5, c.port_width = 0.03, c.discharge_coefficient = 0.32, c.density = 862;
  c.bulk_modulus = 1e8, c.dead_volume_1 = 5e-6, c.dead_volume_2 = 1e-6;
  return c;
}
HydraulicStart middle() {
  HydraulicStart s;
  s.position = 0.1;
  s.pressure_1 = s.pressure_2 = 2.5e6;
  return s;
}

/// Tran 2014 Table 2; `levels` scales the forces, so that 0.001 is all but frictionless.
std::unique_ptr<Friction> friction(const std::string& model, double levels = 1) {
  const auto values = [&](double fs, double fc, double vs, double n, double s2, double lag) {
    ParameterValues v{{"stiction_force", levels * fs},
                      {"coulomb_force", levels * fc},
                      {"stribeck_velocity", vs},
                      {"stribeck_exponent", n},
                      {"viscosity", levels * s2}};
    if (model == "stribeck") return v;
    v.emplace_back("bristle_stiffness", 5e6);
    v.emplace_back("bristle_damping", 0.1);
    if (model == "lugre") return v;
    v.emplace_back("film_velocity", 0.05);
    v.emplace_back("growing_time", 0.25);
    v.emplace_back("thinning_time", 1.5);
    v.emplace_back("rest_time", 40.0);
    if (model == "new-modified-lugre") v.emplace_back("viscous_lag", lag);
    return v;
  };
  return make_friction(model, values(830, 210, 0.0125, 0.7, 330, 0.33), values(500, 80, 0.01, 0.9, 350, 0.07));
}

HydraulicRun simulate(const HydraulicCylinder& c, const HydraulicStart& s, const Signal& u, const Friction& f,
                      double end, double tolerance = 0) {
  SimulationOptions o;
  o.end = end;
  o.sample_interval = 5e-4;
  o.relative_tolerance = tolerance;
  o.most_steps = 1'000'000;
  return simulate_cylinder(c, s, u, f, o);
}

std::size_t count(const HydraulicRun& r, HydraulicEventKind kind) {
  return r.ledger.events[static_cast<std::size_t>(kind)];
}
double first(const HydraulicRun& r, HydraulicEventKind kind) {
  for (const auto& e : r.events)
    if (is(e, kind)) return e.time;
  return NAN;
}

class EveryFriction : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(HydraulicCylinder, EveryFriction, testing::ValuesIn(cylinder_frictions()),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// What the supply brings is stored, throttled, rubbed away or lost in impacts: through reversals, both ends, and back.
TEST_P(EveryFriction, EnergyAccountCloses) {
  const auto f = friction(GetParam());
  const auto r = simulate(cylinder(), middle(), Signal::step(8e-3, -8e-3, 2), *f, 4);
  ASSERT_EQ(r.stop, Stop::finished) << r.message;
  EXPECT_EQ(count(r, HydraulicEventKind::upper_end), 1u);
  EXPECT_EQ(count(r, HydraulicEventKind::lower_end), 1u);
  const auto& l = r.ledger;
  EXPECT_GT(l.work_in, 900);
  EXPECT_GT(l.damper_heat, 0);
  EXPECT_GT(l.friction_heat, 0);
  EXPECT_GT(l.reset_heat, 1);
  EXPECT_LT(std::fabs(l.residual), 1e-8 * l.work_in);
}

// Eq. 13 of Tran 2014: what the pressures do not balance is friction, at every sample and whatever the model.
TEST_P(EveryFriction, FrictionIsWhatThePressuresLeave) {
  const auto c = cylinder();
  const auto r = simulate(c, middle(), Signal::sine(4.5e-3, 1), *friction(GetParam()), 2);
  ASSERT_EQ(r.stop, Stop::finished) << r.message;
  const auto &p1 = values_of(r.samples, "pressure_1"), &p2 = values_of(r.samples, "pressure_2");
  const auto &acceleration = values_of(r.samples, "acceleration"), &force = values_of(r.samples, "friction_force");
  ASSERT_EQ(p1.size(), 4001u);
  for (std::size_t i = 0; i < p1.size(); ++i)
    ASSERT_NEAR(p1[i] * c.area_1() - p2[i] * c.area_2() - c.mass * (acceleration[i] + c.gravity), force[i], 1e-9);
}

// Between edges and reversals the answer does not depend on the tolerance.
TEST_P(EveryFriction, EventsDoNotDependOnTheTolerance) {
  const auto f = friction(GetParam());
  const auto coarse = simulate(cylinder(), middle(), Signal::sine(2e-3, 0.5), *f, 3, 1e-7);
  const auto fine = simulate(cylinder(), middle(), Signal::sine(2e-3, 0.5), *f, 3, 1e-10);
  ASSERT_EQ(coarse.events.size(), fine.events.size());
  for (std::size_t i = 0; i < fine.events.size(); ++i) {
    EXPECT_EQ(coarse.events[i].which, fine.events[i].which);
    EXPECT_NEAR(coarse.events[i].time, fine.events[i].time, 1e-6);
  }
  EXPECT_NEAR(coarse.reached.position, fine.reached.position, 1e-8);
}

// A closed valve traps the oil: what a chamber gains in volume it loses in density, V e^{P/β} = const, and where
// P = 0 is reached the void is what is missing. So W = V − V₀ e^{P₀/β} whenever it is open, and the pressure comes back
// exactly where the volume does. The load bounces on the oil columns through several voids.
TEST_P(EveryFriction, TrappedOilIsConservedThroughVoids) {
  auto c = cylinder();
  c.underlap = -1e-5;  // overlap: all edges closed
  c.mass = 300;
  auto s = middle();
  s.velocity = 1.5;
  s.position = 0.02;
  const auto r = simulate(c, s, Signal::constant(0), *friction(GetParam()), 0.5, 1e-9);
  ASSERT_EQ(r.stop, Stop::finished) << r.message;
  EXPECT_GE(count(r, HydraulicEventKind::void_1_opens), 2u);
  EXPECT_GE(count(r, HydraulicEventKind::void_1_closes), 2u);
  EXPECT_GE(count(r, HydraulicEventKind::void_2_opens), 2u);
  const auto oil_1 = [&](double x, double p, double w) {
    return (c.dead_volume_1 + c.area_1() * x) * std::exp(p / c.bulk_modulus) - w;
  };
  const auto oil_2 = [&](double x, double p, double w) {
    return (c.dead_volume_2 + c.area_2() * (c.stroke - x)) * std::exp(p / c.bulk_modulus) - w;
  };
  const double had_1 = oil_1(s.position, s.pressure_1, 0), had_2 = oil_2(s.position, s.pressure_2, 0);
  double largest = 0, lowest = 0;
  const auto &time = values_of(r.samples, "time"), &x = values_of(r.samples, "position");
  const auto &p1 = values_of(r.samples, "pressure_1"), &p2 = values_of(r.samples, "pressure_2");
  const auto &void_1 = values_of(r.samples, "void_1"), &void_2 = values_of(r.samples, "void_2");
  for (std::size_t i = 0; i < time.size(); ++i) {
    ASSERT_NEAR(oil_1(x[i], p1[i], void_1[i]), had_1, 1e-8 * had_1) << time[i];
    ASSERT_NEAR(oil_2(x[i], p2[i], void_2[i]), had_2, 1e-8 * had_2) << time[i];
    largest = std::max(largest, void_1[i]);
    lowest = std::min({lowest, p1[i], p2[i]});
  }
  EXPECT_GT(largest, 1e-5);
  EXPECT_GE(lowest, -1e-6 * c.supply_pressure);
  EXPECT_LT(std::fabs(r.ledger.residual), 1e-4);
  EXPECT_EQ(r.ledger.work_in, 0);
}

// Pressed into an end for long, the chambers fill to P_s and empty to 0; the stop then carries P_s A₁ − m g − F, where
// only the bristles' last force, |F| ≤ F_S, is left of friction. Nothing moves, exactly.
TEST_P(EveryFriction, EndStopCarriesTheLoad) {
  const auto c = cylinder();
  const auto r = simulate(c, middle(), Signal::constant(5e-3), *friction(GetParam()), 3);
  ASSERT_EQ(r.stop, Stop::finished) << r.message;
  EXPECT_EQ(r.reached.position, c.stroke);
  EXPECT_EQ(r.reached.velocity, 0);
  EXPECT_NEAR(r.reached.pressure_1, c.supply_pressure, 1e-3);
  EXPECT_NEAR(r.reached.pressure_2, 0, 1e-3);
  const double load = c.supply_pressure * c.area_1() - c.mass * c.gravity;
  EXPECT_NEAR(values_of(r.samples, "stop_force").back(), values_of(r.samples, "friction_force").back() - load, 1e-3);
  EXPECT_LE(std::fabs(values_of(r.samples, "friction_force").back()), 830);
  EXPECT_LT(values_of(r.samples, "stop_force").back(), -1800);
}

// Held inside the level of breakaway a loaded piston comes to rest, and a bristle model does not mistake rounding for
// reversals. The true ones are those of the mass on bristles and oil, 2 √((σ₀ + k)/m)/2π per second, k as in
// TrappedOilIsASpring: 74 in a second.
TEST_P(EveryFriction, RestUnderLoadDoesNotSwitchForEver) {
  for (const double current : {1e-4, 1.5e-4, 2e-4, 2.5e-4, 3e-4}) {
    const auto r = simulate(cylinder(), middle(), Signal::constant(current), *friction(GetParam()), 10);
    ASSERT_EQ(r.stop, Stop::finished) << r.message;
    EXPECT_LT(std::fabs(r.reached.velocity), 1e-6);
    EXPECT_LT(r.events.size(), 10 * 80u);
  }
}

// The supply's ring: a piston held by an end, all but frictionless. From P₂ > P_s oil flows back into the supply
// through the retracting edge, against no return flow: dP₂/dt = −(β/V₂) K b √(P₂ − P_s), so that √(P₂ − P_s) falls
// linearly in time.
TEST(HydraulicCylinder, OverpressureFlowsBackIntoTheSupply) {
  auto c = cylinder();
  c.valve_damping = 1;
  c.laminar_pressure = 0;
  HydraulicStart s;
  s.position = 0;  // pressed down by chamber 2
  s.pressure_1 = 0;
  s.pressure_2 = 9e6;
  const double spool = -6e-5;
  s.valve_position = spool;
  const auto r = simulate(c, s, Signal::constant(spool / c.valve_gain), *friction("stribeck"), 2e-3);
  ASSERT_EQ(r.stop, Stop::finished) << r.message;
  const double volume = c.dead_volume_2 + c.area_2() * c.stroke;
  const double k = c.discharge_coefficient * std::sqrt(2 / c.density) * c.port_width * (c.underlap - spool);
  const double rate = 0.5 * c.bulk_modulus / volume * k;
  for (std::size_t i = 0; i < values_of(r.samples, "time").size(); ++i) {
    const double root = std::sqrt(4e6) - rate * values_of(r.samples, "time")[i];
    ASSERT_NEAR(values_of(r.samples, "pressure_2")[i], c.supply_pressure + root * root, 1)
        << values_of(r.samples, "time")[i];
  }
  EXPECT_LT(r.ledger.work_in, 0);
  EXPECT_GT(r.ledger.damper_heat, 0);
}

// The spool is a linear oscillator: the envelope of its answer to a step has the closed form of a second-order lag.
TEST(HydraulicCylinder, SpoolAnswersAStepAsASecondOrderLag) {
  const auto c = cylinder();
  const auto r = simulate(c, middle(), Signal::constant(1e-3), *friction("lugre"), 0.03);
  const double w = c.valve_frequency, d = c.valve_damping, damped = w * std::sqrt(1 - d * d);
  for (std::size_t i = 0; i < values_of(r.samples, "time").size(); ++i) {
    const double t = values_of(r.samples, "time")[i];
    const double left = std::exp(-d * w * t) * (std::cos(damped * t) + d * w / damped * std::sin(damped * t));
    ASSERT_NEAR(values_of(r.samples, "valve_position")[i], c.valve_gain * 1e-3 * (1 - left), 1e-11);
  }
}

// Trapped oil is two springs, β A²/V each: a small motion about rest, all but frictionless, has
// ω² = β (A₁²/V₁ + A₂²/V₂)/m.
TEST(HydraulicCylinder, TrappedOilIsASpring) {
  auto c = cylinder();
  c.underlap = -1e-5;
  c.gravity = 0;
  auto s = middle();
  s.pressure_2 = s.pressure_1 * c.area_1() / c.area_2();
  s.velocity = 1e-4;
  const auto r = simulate(c, s, Signal::constant(0), *friction("stribeck", 1e-9), 1);
  ASSERT_EQ(r.stop, Stop::finished) << r.message;
  const double stiffness = c.bulk_modulus * (c.area_1() * c.area_1() / (c.dead_volume_1 + c.area_1() * 0.1) +
                                             c.area_2() * c.area_2() / (c.dead_volume_2 + c.area_2() * 0.1));
  std::vector<double> reversals;
  for (const auto& e : r.events)
    if (is(e, HydraulicEventKind::direction_change)) reversals.push_back(e.time);
  ASSERT_GT(reversals.size(), 20u);
  const double half = (reversals.back() - reversals.front()) / static_cast<double>(reversals.size() - 1);
  EXPECT_NEAR(half, pi / std::sqrt(stiffness / c.mass), 1e-4 * half);
}

// Free of friction and far from all ends, the steady speed at a constant current balances both flows and the load:
// A₁ v = K a √(P_s − P₁) and A₂ v = K a √P₂ with x_v > U, P₁ A₁ − P₂ A₂ = m g gives v² in closed form.
TEST(HydraulicCylinder, SteadySpeedBalancesFlowsAndLoad) {
  const auto c = cylinder();
  const double current = 4e-3;
  auto s = middle();
  s.position = 0.02;
  const auto r = simulate(c, s, Signal::constant(current), *friction("stribeck", 1e-9), 0.6);
  ASSERT_EQ(r.stop, Stop::finished) << r.message;
  const double a =
      c.discharge_coefficient * std::sqrt(2 / c.density) * c.port_width * (c.underlap + c.valve_gain * current);
  const double cubes = std::pow(c.area_1(), 3) + std::pow(c.area_2(), 3);
  const double v = a * std::sqrt((c.supply_pressure * c.area_1() - c.mass * c.gravity) / cubes);
  EXPECT_NEAR(r.reached.velocity, v, 1e-5 * v);
}

// The term in the acceleration is an added mass: released from P₁ A₁ = P₂ A₂ + m g + f the first acceleration is
// f/(m + σ₂ T) of the direction of f.
TEST(HydraulicCylinder, LaggingViscosityAddsItsMassOfTheRightDirection) {
  const auto c = cylinder();
  for (const double push : {20.0, -20.0}) {
    auto s = middle();
    s.pressure_1 = (s.pressure_2 * c.area_2() + c.mass * c.gravity + push) / c.area_1();
    const auto r = simulate(c, s, Signal::constant(0), *friction("new-modified-lugre"), 1e-3);
    const double added = push > 0 ? 330 * 0.33 : 350 * 0.07;
    EXPECT_NEAR(values_of(r.samples, "acceleration").front(), push / (c.mass + added), 1e-12);
  }
}

// With T = 0 the new modified model is the modified one.
TEST(HydraulicCylinder, WithoutLagTheNewModifiedModelIsTheModifiedOne) {
  auto without = friction("modified-lugre")->settings();
  auto with = without;
  with.values.emplace_back("viscous_lag", 0.0);
  const auto a = simulate(cylinder(), middle(), Signal::sine(4.5e-3, 1), *make_friction("modified-lugre", without), 1);
  const auto b = simulate(cylinder(), middle(), Signal::sine(4.5e-3, 1), *make_friction("new-modified-lugre", with), 1);
  EXPECT_EQ(values_of(a.samples, "velocity"), values_of(b.samples, "velocity"));
}

// Experiment hydraulic-2mA: the first imbalance of −521 N exceeds the retracting stiction of 500 N.
TEST(HydraulicCylinder, IdealFrictionBeginsToSinkAtOnce) {
  const auto r = simulate(cylinder(), middle(), Signal::sine(2e-3, 0.5), *friction("stribeck"), 0.1);
  EXPECT_EQ(first(r, HydraulicEventKind::release), 0);
  EXPECT_LT(values_of(r.samples, "velocity")[2], 0);
  EXPECT_EQ(values_of(r.samples, "friction_force").front(), -500);
}

TEST(HydraulicCylinder, OrificeIsOddAndARootAboveItsLaminarRange) {
  EXPECT_DOUBLE_EQ(orifice_root(4e6, 0), 2000);
  EXPECT_DOUBLE_EQ(orifice_root(-4e6, 0), -2000);
  EXPECT_EQ(orifice_root(0, 0), 0);
  EXPECT_NEAR(orifice_root(1e-3, 100), 1e-4, 1e-12);  // Δ/√δ
  for (const double drop : {-3e5, -50.0, 0.0, 20.0, 1e4}) {
    const double h = 1e-3, slope = (orifice_root(drop + h, 100) - orifice_root(drop - h, 100)) / (2 * h);
    EXPECT_NEAR(orifice_root(Dual<1>::variable(drop, 0), 100).slope[0], slope, 1e-6 * std::fabs(slope) + 1e-9);
  }
}

std::string message_of(auto&& action) {
  try {
    action();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(HydraulicCylinder, RefusesWhatMakesNoSense) {
  const auto run = [](const HydraulicCylinder& c, const HydraulicStart& s, const Friction& f) {
    return message_of([&] { simulate(c, s, Signal::constant(0), f, 0.01); });
  };
  const auto f = friction("lugre");
  auto c = cylinder();
  c.bulk_modulus = 0;
  EXPECT_EQ(run(c, middle(), *f), "hydraulic cylinder: bulk_modulus is 0 Pa; it must be positive");
  c = cylinder();
  c.rod = 0.04;
  EXPECT_EQ(run(c, middle(), *f), "hydraulic cylinder: rod is 0.04 m; it must be thinner than the bore, 0.032 m");
  auto s = middle();
  s.position = 0.3;
  EXPECT_EQ(run(cylinder(), s, *f),
            "hydraulic cylinder: position at the start is 0.3 m; it must lie between 0 and 0.2");
  s = middle();
  s.pressure_2 = -1;
  EXPECT_EQ(run(cylinder(), s, *f),
            "hydraulic cylinder: pressure_2 at the start is -1 Pa; it must lie between 0 and 5e+07");
  s = middle();
  s.velocity = NAN;
  EXPECT_EQ(run(cylinder(), s, *f), "hydraulic cylinder: the start must be finite, found nan");
  s = middle();
  s.friction_state = {0, 0};
  EXPECT_EQ(run(cylinder(), s, *f), "hydraulic cylinder: 2 friction states at the start; lugre has 1");
  const auto dahl = make_friction("dahl", {{"bristle_stiffness", 1e5}, {"coulomb_force", 1.0}});
  EXPECT_EQ(run(cylinder(), middle(), *dahl),
            "hydraulic cylinder: friction 'dahl' cannot be used; there is stribeck, lugre, modified-lugre, "
            "new-modified-lugre");
  auto settings = f->settings();
  settings.variations.push_back({"coulomb_force", Quantity::position, {}, {0, 0.2}, {200, 300}});
  EXPECT_EQ(run(cylinder(), middle(), *make_friction("lugre", settings)),
            "hydraulic cylinder: lugre has a tabulated parameter, whose kinks are not located here; give it as a "
            "polynomial");
}

}  // namespace
}  // namespace stickslip::cylinder_test
