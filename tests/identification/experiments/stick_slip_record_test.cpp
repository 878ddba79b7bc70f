#include "identification/experiments/stick_slip_record.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.hpp"
#include "recording/recording.hpp"
#include "support/shared_data.hpp"

using namespace stickslip;

namespace {

const PulledBody rig{.mass = 1, .stiffness = 2, .speed = 0.1};

// The closed form is what the event-driven run gives; its Stribeck drop is next to nothing wide.
TEST(StickSlipRecord, ClosedFormIsTheSimulatedPeriod) {
  for (const double speed : {0.01, 0.1, 1.0}) {
    const PulledBody body{1, 2, speed};
    StickSlipRecord r;
    r.static_level = 1.5, r.kinetic_level = 1, r.drop = 1;
    EXPECT_NEAR(simulated_period(levels_of(r, body), body) / stick_slip_period(1.5, 1, body), 1, 0.01) << speed;
    EXPECT_GT(stick_slip_period(1.5, 1, body), shortest_period(body));
  }
}

// A run's own spring force gives its levels, stiffness and period back.
TEST(StickSlipRecord, GivesALevelsAndPeriodOfARunBack) {
  const auto friction = make_friction(
      "stribeck",
      ParameterValues{
          {"coulomb_force", 1.0}, {"stiction_force", 1.5}, {"stribeck_velocity", 1e-6}, {"viscosity", 0.0}});
  Body body;
  body.drive.kind = DriveKind::pulled_spring, body.drive.stiffness = 2, body.drive.input = Signal::ramp(0.1);
  SimulationOptions options;
  options.end = 60, options.sample_interval = 0.01;
  const auto run = friction->simulate(body, options);
  std::vector<double> force;
  for (std::size_t i = 0; i < run.samples.time.size(); ++i)
    force.push_back(2 * (0.1 * run.samples.time[i] - run.samples.position[i]));
  const StickSlipRecord r = stick_slip_record(run.samples.time, force, rig);
  EXPECT_NEAR(r.period, stick_slip_period(1.5, 1, rig), 0.05);
  EXPECT_NEAR(r.drop, 2 * std::hypot(0.5, 0.1 * std::sqrt(2.0)), 0.01);  // the spring keeps moving while the body slips
  EXPECT_NEAR(r.measured_stiffness, 2, 0.01);
}

TEST(StickSlipRecord, SaysThatARecordOnlySlides) {
  std::vector<double> time, force;
  for (int i = 0; i < 200; ++i) time.push_back(0.01 * i), force.push_back(1 + 1e-3 * i);
  const StickSlipRecord r = stick_slip_record(time, force, rig);
  EXPECT_EQ(r.cycles, 0u);
  EXPECT_NE(r.why_none.find("three are needed"), std::string::npos) << r.why_none;
}

/// Noise with a memory of 1/(1 − a) samples; a = 0: white.
std::vector<double> noise_with_memory(double a, std::uint64_t seed, std::size_t count) {
  Random random(seed);
  std::vector<double> noise;
  double last = 0;
  for (std::size_t i = 0; i < count; ++i) noise.push_back(last = a * last + random.normal());
  return noise;
}

// 23 474 "cycles" were counted in the noise of a body that slides. Noise rises as fast as it falls, whatever its spectrum.
TEST(StickSlipRecord, NoiseAloneIsNoStickSlip) {
  std::size_t wrong = 0;
  for (const double memory : {0.0, 0.5, 0.9, 0.99})
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      const std::vector<double> noise = noise_with_memory(memory, seed, 20000);
      std::vector<double> time, force;
      for (std::size_t i = 0; i < noise.size(); ++i)
        time.push_back(1e-3 * double(i)), force.push_back(5 + 0.01 * noise[i]);
      const StickSlipRecord r = stick_slip_record(time, force, rig);
      if (memory < 0.6) {
        EXPECT_NE(r.why_none, "") << memory << " " << seed;
      }
      wrong += r.why_none.empty();
      // With a smaller threshold noise is counted, which its symmetry reveals.
      EXPECT_NE(stick_slip_record(time, force, rig, {.least_drop = 0.01}).why_none, "") << memory << " " << seed;
    }
  EXPECT_LE(wrong, 2u);  // three standard errors: one in 700, more with few falls
}

TEST(StickSlipRecord, AVibrationIsNoStickSlip) {
  std::vector<double> time, force;
  for (int i = 0; i < 20000; ++i) time.push_back(1e-3 * i), force.push_back(5 + std::sin(30e-3 * i));
  EXPECT_NE(stick_slip_record(time, force, rig).why_none, "");
}

// The same run as above with noise of a hundredth and of a twenty-fifth of the drop: found, with the same period and levels.
TEST(StickSlipRecord, IsFoundUnderNoise) {
  const auto friction = make_friction(
      "stribeck",
      ParameterValues{
          {"coulomb_force", 1.0}, {"stiction_force", 1.5}, {"stribeck_velocity", 1e-6}, {"viscosity", 0.0}});
  Body body;
  body.drive.kind = DriveKind::pulled_spring, body.drive.stiffness = 2, body.drive.input = Signal::ramp(0.1);
  SimulationOptions options;
  options.end = 200, options.sample_interval = 0.01;
  const auto run = friction->simulate(body, options);
  for (const double level : {0.01, 0.04}) {
    Random random(3);
    std::vector<double> force;
    for (std::size_t i = 0; i < run.samples.time.size(); ++i)
      force.push_back(2 * (0.1 * run.samples.time[i] - run.samples.position[i]) + level * random.normal());
    const StickSlipRecord r = stick_slip_record(run.samples.time, force, rig);
    ASSERT_EQ(r.why_none, "") << level;
    EXPECT_NEAR(r.noise, level, 0.05 * level);
    EXPECT_NEAR(r.period, stick_slip_period(1.5, 1, rig), 0.1) << level;
    EXPECT_NEAR(r.drop, 2 * std::hypot(0.5, 0.1 * std::sqrt(2.0)), 6 * level) << level;
  }
}

// Measured at 4300 um/s: a period below that of the free spring and mass, which no rigid slider with two levels has.
TEST(StickSlipRecord, PaperSliderIsFasterThanARigidOneCanBe) {
  SKIP_WITHOUT_SHARED("data/stickslip_slider/k168_v4300_2kHz.csv");
  const double weight = 0.0307 * 9.81;
  const Recording data =
      read_recording(shared_path("data/stickslip_slider/k168_v4300_2kHz.csv").string(),
                     {.columns = {.force = "F_over_mg"}, .gains = {.force = std::to_string(weight)}});
  const PulledBody body{0.0307, 168, 4300e-6};
  const StickSlipRecord r = stick_slip_record(data.time, data.force, body, {.cutoff_hz = 150, .least_drop = 0.0024});
  EXPECT_EQ(r.why_none, "");
  EXPECT_NEAR(r.period, 0.068, 0.005);
  EXPECT_LT(r.period, shortest_period(body));
}

}  // namespace
