/// A gear that its driven side cannot turn (η₁ ≤ 0): worm gears and screws against closed forms, and random ones.
///   a is the locked side, b the motor, w_a = i w_b, load T_a on a, torque T_b of the motor on b
///   at rest for        −i T_a/η₂ ≤ T_b ≤ −i η₁ T_a   (T_a > 0; the motor's torque against the load counts negative)  (1)
///   a with the load    (J_b + i² η₁ J_a) dw_b/dt = T_b + i η₁ T_a                                                   (2)
///   a against it       (J_b + i² J_a/η₂) dw_b/dt = T_b + i T_a/η₂                                                   (3)
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "core/random.hpp"
#include "machines/mechanism/mechanism.hpp"
#include "machines/mechanism/mechanism_file.hpp"
#include "support/cases.hpp"

namespace stickslip::self_locking_gear_test {
namespace {

struct Hoist {
  double drum = 2, motor = 0.01, i = 1.0 / 50, eta_one = -0.2, eta_two = 0.45, load = 200;
  Mechanism with(Signal drive) const {
    Mechanism m;
    m.bodies = {{"drum", drum}, {"motor", motor}};
    m.lossy_gears = {{"worm", 0, 1, 1 / i, {0}, {eta_one}, {eta_two}, {0}, {0}}};
    m.torques = {{"weight", 0, Signal(load)}, {"drive", 1, std::move(drive)}};
    return m;
  }
  double accelerating_with(double torque) const {
    return (torque + i * eta_one * load) / (motor + i * i * eta_one * drum);
  }
  double accelerating_against(double torque) const {
    return (torque + i * load / eta_two) / (motor + i * i * drum / eta_two);
  }
};

MechanismRun run_for(const Mechanism& m, double end) {
  SimulationOptions options;
  options.end = end;
  options.sample_interval = end / 50;
  options.most_steps = 20000;
  return simulate(m, options);
}
double last_of(const MechanismRun& run, const std::string& column) {
  for (const auto& c : run.samples.columns)
    if (c.name == column) return c.values.back();
  return std::nan("");
}

// (1): nothing but the load, whatever it is: no creep, no event.
TEST(SelfLocking, TheLoadAloneMovesNothing) {
  for (const double load : {1e-3, 1.0, 200.0, -200.0, 1e6}) {
    Hoist hoist;
    hoist.load = load;
    const MechanismRun run = run_for(hoist.with(Signal(0.0)), 100);
    ASSERT_EQ(run.stop, Stop::finished) << run.message;
    EXPECT_NEAR(last_of(run, "drum_position"), 0, 1e-12) << load;
    EXPECT_TRUE(run.events.empty()) << load;
  }
}

// (1), (2), (3): the torques that lower and that lift, and the accelerations beyond them.
TEST(SelfLocking, LowersAndLiftsOnlyWhenItIsDriven) {
  const Hoist hoist;
  const double lowers = -hoist.i * hoist.eta_one * hoist.load, lifts = -hoist.i * hoist.load / hoist.eta_two;
  for (const double torque : {0.999 * lowers, 0.5 * lowers, 0.5 * lifts, 0.999 * lifts})
    EXPECT_NEAR(last_of(run_for(hoist.with(Signal(torque)), 3), "motor_speed"), 0, 1e-11) << torque;
  const auto lowering = run_for(hoist.with(Signal(1.5 * lowers)), 3),
             lifting = run_for(hoist.with(Signal(1.5 * lifts)), 3);
  EXPECT_NEAR(last_of(lowering, "motor_speed") / (3 * hoist.accelerating_with(1.5 * lowers)), 1, 1e-10);
  EXPECT_NEAR(last_of(lifting, "motor_speed") / (3 * hoist.accelerating_against(1.5 * lifts)), 1, 1e-10);
  EXPECT_GT(last_of(lowering, "motor_speed"), 0);
  EXPECT_LT(last_of(lifting, "motor_speed"), 0);
}

// Lowered and left alone it comes to rest by itself, although the load pulls all the time; the loss takes all of the energy.
TEST(SelfLocking, BrakesItselfWhenTheDriveEnds) {
  const Hoist hoist;
  const double torque = -2 * hoist.i * hoist.eta_one * hoist.load, until = 1;
  const auto run = run_for(hoist.with(Signal::step(torque, 0, until)), 10);
  const double speed = until * hoist.accelerating_with(torque);
  const double stops = until - speed / hoist.accelerating_with(0);
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  ASSERT_FALSE(run.events.empty());
  EXPECT_EQ(run.events.back().kind, EventKind::stick);
  EXPECT_NEAR(run.events.back().time / stops, 1, 1e-9);
  EXPECT_NEAR(last_of(run, "motor_speed"), 0, 1e-11);
  EXPECT_LT(std::fabs(run.ledger.residual), 1e-9 * std::fabs(run.ledger.work_in));
}

// A locked side so heavy that J_b + i² η₁ J_a < 0 has no consistent torques while it moves with its load: the run says that it jams.
TEST(SelfLocking, TooHeavyALockedSideJamsAndIsWarnedOf) {
  Hoist hoist;
  hoist.drum = 500;
  const auto run = run_for(hoist.with(Signal(2.0)), 1);
  ASSERT_EQ(run.stop, Stop::finished) << run.message;
  ASSERT_FALSE(run.warnings.empty());
  EXPECT_NE(run.warnings[0].find("jammed"), std::string::npos) << run.warnings[0];
}

TEST(SelfLocking, RandomHoistsFinishAndKeepTheirEnergy) {
  double worst = 0;
  std::size_t worst_seed = 0;
  for (std::size_t seed = test::first_case(); seed < test::first_case() + test::cases(300); ++seed) {
    stickslip::Random draw(77 + seed);
    Hoist hoist;
    hoist.i = std::exp(-4 + 4 * draw.uniform());
    hoist.eta_one = -2 * draw.uniform(), hoist.eta_two = 0.2 + 0.8 * draw.uniform();
    hoist.motor = std::exp(-3 + 3 * draw.uniform());
    hoist.drum = 0.9 * draw.uniform() * hoist.motor / (hoist.i * hoist.i * -hoist.eta_one);  // (2) has an answer
    hoist.load = 20 * (draw.uniform() - 0.5) / hoist.i;
    const double size = hoist.i * std::fabs(hoist.load) / hoist.eta_two;
    const std::vector<double> times{0, 1, 2, 3};
    std::vector<double> torques;
    for (std::size_t k = 0; k < times.size(); ++k) torques.push_back(3 * size * (draw.uniform() - 0.5));
    Mechanism m = hoist.with(seed % 3 == 0 ? Signal::sine(2 * size, 0.7) : Signal::table(times, torques));
    m.lossy_gears[0].f_one = m.lossy_gears[0].f_two = {seed % 2 == 0 ? 0 : 0.1 * size};
    const MechanismRun run = run_for(m, 4);
    ASSERT_EQ(run.stop, Stop::finished) << "seed " << seed << ": " << run.message;
    EXPECT_TRUE(run.warnings.empty()) << "seed " << seed << ": " << run.warnings[0];
    const double heat = run.ledger.joint_heat.at(0);
    EXPECT_GE(heat, 0) << "seed " << seed;
    double kinetic = 0;  // the most of it in between
    for (const auto& c : run.samples.columns)
      for (const double speed : c.values)
        if (c.name == "motor_speed")
          kinetic = std::max(kinetic, 0.5 * (hoist.motor + hoist.i * hoist.i * hoist.drum) * speed * speed);
    const double part = std::fabs(run.ledger.residual) / (heat + std::fabs(run.ledger.work_in) + kinetic +
                                                          1e-3 * size);  // what never moves has rounding only
    if (part > worst) worst = part, worst_seed = seed;
  }
  EXPECT_LT(worst, 1e-7) << "seed " << worst_seed;
  std::printf("largest residual %.2g of the energy turned over (seed %zu)\n", worst, worst_seed);
}

TEST(SelfLocking, TheFileSaysWhichSideIsLocked) {
  const auto text = [](const std::string& losses) {
    return "[[body]]\nname = \"drum\"\ninertia = \"2 kg m^2\"\n[[body]]\nname = \"motor\"\ninertia = \"0.01 kg m^2\"\n"
           "[[lossy_gear]]\nname = \"worm\"\na = \"drum\"\nb = \"motor\"\nratio = 50\n" +
           losses + "\n[run]\nduration = \"1 s\"\nsample_interval = \"0.1 s\"\n";
  };
  EXPECT_NO_THROW(parse_machine(text("efficiency = -0.2\nefficiency_back = 0.45"), "w.toml"));
  const auto refused = [&](const std::string& losses) {
    try {
      parse_machine(text(losses), "w.toml");
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(refused("efficiency = 0.45\nefficiency_back = -0.2").find("exchange a and b"), std::string::npos);
  EXPECT_NE(refused("efficiency = -0.2").find("efficiency_back, with b driving, is needed"), std::string::npos);
  EXPECT_NE(refused("efficiency = -11\nefficiency_back = 0.5").find("efficiency is -11"), std::string::npos);
}

}  // namespace
}  // namespace stickslip::self_locking_gear_test
