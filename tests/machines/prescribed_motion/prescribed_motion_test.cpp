#include "machines/prescribed_motion/prescribed_motion.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "machines/machine.hpp"
#include "machines/run_view.hpp"

namespace stickslip::prescribed_motion_test {
namespace {

constexpr double two_pi = 6.283185307179586;

std::string file_with(const std::string& machine, const std::string& input, const std::string& friction,
                      const std::string& more = "") {
  return "[machine]\nkind = \"prescribed-motion\"\nmass = \"2 kg\"\n" + machine + "\n[input]\n" + input +
         "\n[friction]\n" + friction + "\n[run]\nduration = \"2 s\"\nsample_interval = \"5 ms\"\n" + more;
}
Machine prescribed(const std::string& machine, const std::string& input, const std::string& friction,
                   const std::string& more = "") {
  return parse_machine_text(file_with(machine, input, friction, more), "p.toml");
}
const std::vector<double>& values(const MachineRun& run, const char* name) {
  return find_column(run.samples, name)->values;
}
std::string refused(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

// x = A sin ωt: F = F_C sgn(v) + F_v v, u = F − m A ω² sin ωt, and a reversal every half period.
TEST(PrescribedMotion, OfCoulombAndViscosityIsTheFormula) {
  const auto run =
      prescribed("prescribes = \"position\"", "kind = \"sine\"\namplitude = \"10 mm\"\nfrequency = \"0.9 Hz\"",
                 "model = \"coulomb-viscous\"\ncoulomb_force = \"3 N\"\nviscosity = \"40 N s/m\"")
          .run();
  ASSERT_EQ(run.stop, Stop::finished);
  const auto &t = values(run, "time"), &f = values(run, "friction_force"), &u = values(run, "drive_force"),
             &x = values(run, "position"), &v = values(run, "velocity");
  const double w = two_pi * 0.9;
  for (std::size_t i = 0; i < t.size(); ++i) {
    const double speed = 0.01 * w * std::cos(w * t[i]);
    EXPECT_NEAR(x[i], 0.01 * std::sin(w * t[i]), 1e-15);
    EXPECT_NEAR(v[i], speed, 1e-15);
    EXPECT_NEAR(f[i], std::copysign(3, speed) + 40 * speed, 1e-9);
    EXPECT_NEAR(u[i], f[i] - 2 * 0.01 * w * w * std::sin(w * t[i]), 1e-9);
  }
  EXPECT_EQ(run.totals.events, 4);  // 1/4, 3/4, 5/4 and 7/4 of 1/0.9 s
  const std::string events = to_csv(run.view().events);
  EXPECT_NE(events.find("reverses"), std::string::npos);
  double first = std::stod(events.substr(events.find('\n') + 1));
  EXPECT_NEAR(first, 0.25 / 0.9, 1e-14);
}

// Work over whole periods: 4 A F_C + π ω A² F_v each.
TEST(PrescribedMotion, KeepsTheWorkOfAPeriod) {
  const auto run =
      prescribed("prescribes = \"position\"", "kind = \"sine\"\namplitude = \"10 mm\"\nfrequency = \"1 Hz\"",
                 "model = \"coulomb-viscous\"\ncoulomb_force = \"3 N\"\nviscosity = \"40 N s/m\"",
                 "[solver]\nrelative_tolerance = 1e-9\n")
          .run();
  const double period = 4 * 0.01 * 3 + 0.5 * two_pi * two_pi * 1e-4 * 40;
  EXPECT_NEAR(run.totals.friction_work, 2 * period, 1e-6 * period);
  // Reversals that fall on samples are still one each.
  const std::string events = to_csv(run.view().events);
  EXPECT_EQ(run.totals.events, 4) << events;
  EXPECT_EQ(events.find("stops"), std::string::npos) << events;
}

// Far from zero the digits of a short way are few: the direction must not get lost, neither in slow motion nor at reversals on samples.
TEST(PrescribedMotion, KeepsItsDirectionFarFromZero) {
  const std::string coulomb = "model = \"coulomb-viscous\"\ncoulomb_force = \"3 N\"\nviscosity = \"40 N s/m\"";
  const auto swing =
      prescribed("prescribes = \"position\"", "kind = \"sine\"\namplitude = \"1 m\"\nfrequency = \"1 Hz\"", coulomb)
          .run();
  const auto &t = values(swing, "time"), &f = values(swing, "friction_force");
  EXPECT_TRUE(swing.warnings.empty());
  for (std::size_t i = 0; i < t.size(); ++i) {
    const double phase = t[i] - 1e-9, speed = two_pi * std::cos(two_pi * phase);  // the side before
    if (i > 0) {
      EXPECT_NEAR(f[i], std::copysign(3, speed) + 40 * two_pi * std::cos(two_pi * t[i]), 1e-4) << t[i];
    }
  }
  const auto creep = prescribed("prescribes = \"velocity\"\nstart = { position = \"10 m\" }",
                                "kind = \"constant\"\nvalue = \"-1 um/s\"", coulomb)
                         .run();
  for (const double force : values(creep, "friction_force")) EXPECT_NEAR(force, -3 - 4e-5, 1e-9);
}

// Dahl from rest: F = F_C (1 − exp(−σ₀ x/F_C)), whatever the speed does on the way.
TEST(PrescribedMotion, OfDahlHasItsVirginCurve) {
  const auto run =
      prescribed("prescribes = \"velocity\"\nstart = { position = \"1 mm\" }", "kind = \"ramp\"\nrate = \"1 mm/s^2\"",
                 "model = \"dahl\"\nbristle_stiffness = \"10 kN/m\"\ncoulomb_force = \"3 N\"")
          .run();
  const auto &t = values(run, "time"), &f = values(run, "friction_force"), &x = values(run, "position");
  for (std::size_t i = 0; i < t.size(); ++i) {
    const double way = 0.5e-3 * t[i] * t[i];
    EXPECT_NEAR(x[i], 1e-3 + way, 1e-15);
    EXPECT_NEAR(f[i], 3 * (1 - std::exp(-1e4 * way / 3)), 1e-6);
  }
}

// LuGre along a sine of the velocity, beside its own equation integrated by steps of 2 µs.
TEST(PrescribedMotion, OfLugreIsItsEquation) {
  const auto run =
      prescribed(
          "prescribes = \"velocity\"", "kind = \"sine\"\namplitude = \"10 mm/s\"\nfrequency = \"2 Hz\"",
          "model = \"lugre\"\nbristle_stiffness = \"20 kN/m\"\nbristle_damping = \"50 N s/m\"\ncoulomb_force = \"3 "
          "N\"\nstiction_force = \"4 N\"\nstribeck_velocity = \"3 mm/s\"\nviscosity = \"10 N s/m\"")
          .run();
  const auto &t = values(run, "time"), &f = values(run, "friction_force");
  const auto speed = [](double at) { return 0.01 * std::sin(two_pi * 2 * at); };
  const auto rate = [&](double at, double z) {
    const double v = speed(at), level = 3 + std::exp(-v * v / 9e-6);
    return v - 2e4 * std::fabs(v) * z / level;
  };
  double z = 0, now = 0, worst = 0;
  const double h = 2e-6;
  for (std::size_t i = 1; i < t.size(); ++i) {
    for (int k = 0; k < 2500; ++k, now = t[i - 1] + k * h) {
      const double a = rate(now, z), b = rate(now + h / 2, z + h / 2 * a), c = rate(now + h / 2, z + h / 2 * b),
                   d = rate(now + h, z + h * c);
      z += h / 6 * (a + 2 * b + 2 * c + d);
    }
    now = t[i];
    worst = std::fmax(worst, std::fabs(f[i] - (2e4 * z + 50 * rate(now, z) + 10 * speed(now))));
  }
  EXPECT_LT(worst, 1e-5);
}

TEST(PrescribedMotion, SaysThatRestDoesNotTellFriction) {
  const auto run =
      prescribed("prescribes = \"position\"", "kind = \"ramp\"\nrate = \"10 mm/s\"\nfrom = \"0.5 s\"\nuntil = \"1 s\"",
                 "model = \"coulomb\"\ncoulomb_force = \"3 N\"")
          .run();
  ASSERT_EQ(run.warnings.size(), 1u);
  EXPECT_NE(run.warnings[0].find("at rest the friction force cannot be determined from the motion"), std::string::npos);
  const auto &t = values(run, "time"), &f = values(run, "friction_force");
  for (std::size_t i = 0; i < t.size(); ++i) EXPECT_EQ(f[i], t[i] > 0.5 + 1e-9 && t[i] < 1 + 1e-9 ? 3 : 0) << t[i];
}

TEST(PrescribedMotion, IsRefusedWhereItMakesNoSense) {
  const std::string coulomb = "model = \"coulomb\"\ncoulomb_force = \"3 N\"";
  EXPECT_EQ(refused([&] {
              prescribed("prescribes = \"position\"", "kind = \"steps\"\npoints = [[\"1 s\", \"2 mm\"]]", coulomb);
            }),
            "p.toml: [input]: the position jumps from 0 to 0.002 at t = 1 s; a position cannot jump: use a ramp, or "
            "prescribe the velocity");
  EXPECT_NE(refused([&] { prescribed("", "kind = \"constant\"\nvalue = \"1 m\"", coulomb); }).find("prescribes"),
            std::string::npos);
  EXPECT_NE(refused([&] {
              prescribed("prescribes = \"position\"\nstart = { position = \"1 m\" }",
                         "kind = \"constant\"\nvalue = \"1 m\"", coulomb);
            }).find("leave out [machine.start]"),
            std::string::npos);
}

// A velocity that is given live, saved and put back: the same again, bit for bit.
TEST(PrescribedMotion, IsHeld) {
  const Machine machine = prescribed("prescribes = \"velocity\"", "kind = \"constant\"\nvalue = \"1 mm/s\"",
                                     "model = \"dahl\"\nbristle_stiffness = \"10 kN/m\"\ncoulomb_force = \"3 N\"");
  const auto motion = machine.motion();
  motion->advance(0.1);
  const auto saved = motion->save();
  std::vector<double> first(5), again(5);
  motion->set_input(0, -2e-3);
  motion->advance(0.3);
  motion->read(first);
  EXPECT_NEAR(first[0], 1e-4 - 4e-4, 1e-15);
  motion->load(saved);
  motion->set_input(0, -2e-3);
  motion->advance(0.3);
  motion->read(again);
  EXPECT_EQ(first, again);
  const auto events = motion->take_events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].what, "reverses");
  EXPECT_EQ(events[0].time, 0.1);
}

// F_C = 3 − 0.02 (T − 20 degC), T = 20 degC + 30 K/s · t: the formula with another level at each instant.
TEST(PrescribedMotion, FollowsTheTemperature) {
  const auto run = prescribed("prescribes = \"velocity\"", "kind = \"constant\"\nvalue = \"10 mm/s\"",
                              "model = \"coulomb-viscous\"\nviscosity = \"40 N s/m\"\n"
                              "coulomb_force = { value = \"3 N\", over = \"temperature\", reference = \"20 degC\", "
                              "polynomial = [\"-0.02 N/K\"] }",
                              "[[temperature]]\nkind = \"constant\"\nvalue = \"20 degC\"\n"
                              "[[temperature]]\nkind = \"ramp\"\nrate = \"30 K/s\"\n")
                       .run();
  ASSERT_EQ(run.stop, Stop::finished);
  const auto &t = values(run, "time"), &f = values(run, "friction_force");
  for (std::size_t i = 0; i < t.size(); ++i) EXPECT_NEAR(f[i], 3 - 0.02 * 30 * t[i] + 0.4, 1e-9);
}

}  // namespace
}  // namespace stickslip::prescribed_motion_test
