#include "identification/stick_slip_record.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
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
  EXPECT_NEAR(r.drop, 2 * std::hypot(0.5, 0.1 * std::sqrt(2.0)), 0.01);  // the spring goes on while the body slips
  EXPECT_NEAR(r.measured_stiffness, 2, 0.01);
}

TEST(StickSlipRecord, RefusesARecordThatOnlySlides) {
  std::vector<double> time, force;
  for (int i = 0; i < 200; ++i) time.push_back(0.01 * i), force.push_back(1 + 1e-3 * i);
  try {
    stick_slip_record(time, force, rig);
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("three are needed"), std::string::npos) << e.what();
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
  EXPECT_NEAR(r.period, 0.068, 0.005);
  EXPECT_LT(r.period, shortest_period(body));
}

}  // namespace
