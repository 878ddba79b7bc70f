/// Generated recordings: what their story says is what their columns hold.
#include "generate/generate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cli/program.hpp"
#include "core/error.hpp"
#include "generate/motion.hpp"
#include "identification/motion_force.hpp"
#include "recording/recording.hpp"

namespace stickslip::generate_test {
namespace {

const std::vector<double>& column(const Generated& g, const std::string& name) {
  for (const Column& c : g.table.columns)
    if (c.name == name) return c.values;
  throw std::runtime_error("no column " + name);
}

double rms_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum / static_cast<double>(a.size()));
}

TEST(Sensor, NoiseResolutionOffsetAndLagAreWhatIsStated) {
  Generated g;
  const std::size_t count = 20001;
  std::vector<double> time, position, force;
  for (std::size_t i = 0; i < count; ++i) {
    time.push_back(static_cast<double>(i) * 1e-3);
    position.push_back(1e-3 * std::sin(time.back()));
    force.push_back(3 * time.back());
  }
  g.table.columns = {{"time", "s", time}, {"position", "m", position}, {"force", "N", force}};
  read_by({.noise = 0.2, .resolution = 1e-6, .lag = 0.25e-3, .offset = -3, .seed = 5}, g);
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_NEAR(column(g, "position")[i], position[i], 0.5e-6 * (1 + 1e-9));
    const double counts = column(g, "position")[i] / 1e-6;
    EXPECT_NEAR(counts, std::round(counts), 1e-6);
  }
  // A ramp of 3 N/s read 0.25 ms late is 0.75 mN low; the mean of 20 001 noise samples is known to 0.2/√20001 = 1.4 mN.
  double mean = 0;
  for (std::size_t i = 1; i < count; ++i) mean += column(g, "force")[i] - force[i];
  mean /= static_cast<double>(count - 1);
  EXPECT_NEAR(mean, -3 - 0.75e-3, 4 * 1.5e-3);
  std::vector<double> shifted = force;
  for (double& f : shifted) f += mean;
  EXPECT_NEAR(rms_difference(column(g, "force"), shifted), 0.2, 0.2 * 4 / std::sqrt(2.0 * count));
}

TEST(Sensor, ALagOfAHalfStepReadsTheMiddle) {
  Generated g;
  g.table.columns = {{"time", "s", {0, 1, 2}}, {"position", "m", {0, 0, 0}}, {"force", "N", {0, 1, 4}}};
  read_by({.lag = 0.5}, g);
  EXPECT_EQ(column(g, "force"), (std::vector<double>{0, 0.5, 2.5}));
}

TEST(Sensor, RefusesWhatMakesNoSense) {
  Generated g;
  g.table.columns = {{"time", "s", {0, 1}}, {"position", "m", {0, 0}}, {"force", "N", {0, 1}}};
  try {
    read_by({.noise = -1}, g);
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "the noise is -1; it must be zero or positive and finite");
  }
}

TEST(Motion, RandomMotionFillsItsRangeAndIsTheSameForTheSameSeed) {
  const SampledMotion a = random_motion({.samples = 5000, .half_range = 25e-6, .seed = 3});
  EXPECT_NEAR(half_range(a.position), 25e-6, 1e-18);
  EXPECT_EQ(a.position, random_motion({.samples = 5000, .half_range = 25e-6, .seed = 3}).position);
  EXPECT_NE(a.position, random_motion({.samples = 5000, .half_range = 25e-6, .seed = 4}).position);
}

TEST(Motion, StrokesStayWithinReachAndBelowTheirAcceleration) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const SampledMotion m = strokes({.duration = 20, .seed = seed});
    double farthest = 0, sharpest = 0;
    for (const double x : m.position) farthest = std::max(farthest, std::fabs(x));
    for (std::size_t i = 1; i + 1 < m.position.size(); ++i)
      sharpest = std::max(sharpest, std::fabs(m.position[i + 1] - 2 * m.position[i] + m.position[i - 1]) / 16e-6);
    EXPECT_LE(farthest, 40e-3);
    EXPECT_GT(farthest, 5e-3);
    EXPECT_LE(sharpest, 3.1);
  }
}

// Rizos 2005: t_cr is sample 45 068 (from 1), then 10 000, 34 933 and 35 170 samples.
TEST(Generate, GmsRecordingHasThePublishedSplit) {
  const Generated g = generate("gms", {.seed = 1});
  ASSERT_EQ(rows(g.table), 125170u);
  const auto& set = column(g, "set");
  EXPECT_EQ(std::count(set.begin(), set.end(), 0), 45067);
  EXPECT_EQ(std::count(set.begin(), set.end(), 1), 10000);
  EXPECT_EQ(std::count(set.begin(), set.end(), 2), 34933);
  EXPECT_EQ(std::count(set.begin(), set.end(), 3), 35170);
  EXPECT_EQ(dominant_extreme(column(g, "position")).index, 45067u);
  EXPECT_NEAR(half_range(column(g, "position")), 60e-6, 1e-15);
  EXPECT_NEAR(half_range(column(generate("gms-large", {.seed = 1}), "position")), 600e-6, 1e-15);
}

// The search for t_cr lengthens the motion; where it was joined the position once jumped by a third of its range.
TEST(Generate, MotionWithAnExtremeHasNoJump) {
  const auto m = random_motion_with_extreme({.samples = 125170, .seed = 1}, 45067);
  double largest = 0;
  for (std::size_t i = 1; i < m.position.size(); ++i)
    largest = std::max(largest, std::fabs(m.position[i] - m.position[i - 1]));
  EXPECT_LT(largest, 2e-6);
}

// Every spring saturated: the force is Σ k Δ = 0.65 N beyond noise; written without the model.
TEST(Generate, PreslidingForceStaysWithinItsSprings) {
  const Generated g = generate("presliding");
  double largest = 0;
  for (const double f : column(g, "force")) largest = std::max(largest, std::fabs(f));
  EXPECT_NEAR(largest, 8e4 * 2e-6 + 5e4 * 5e-6 + 2e4 * 12e-6, 5 * 0.2e-3);
}

TEST(Generate, ServoAxisBalancesDriveInertiaAndFriction) {
  GenerateOptions exact{.sensor = Sensor{}, .rate = 5000.0, .duration = 2.0, .seed = 3};
  const Generated drive = generate("servo-axis", exact);
  exact.friction_force = true;
  const Generated friction = generate("servo-axis", exact);
  EXPECT_EQ(drive.mass, 20);
  EXPECT_EQ(friction.mass, 0);
  ASSERT_EQ(rows(drive.table), 10001u);
  const auto &x = column(drive, "position"), &u = column(drive, "force"), &f = column(friction, "force");
  double worst = 0;
  for (std::size_t i = 1; i + 1 < x.size(); ++i)
    worst = std::max(worst, std::fabs(u[i] - 20 * (x[i + 1] - 2 * x[i] + x[i - 1]) * 25e6 - f[i]));
  EXPECT_LT(worst, 2);  // of forces up to 80 N: the difference at reversals, where the acceleration jumps
}

TEST(Generate, SameSeedSameBytesAndBackThroughTheReader) {
  const Folder folder;
  const GenerateOptions options{.duration = 1.0, .seed = 9};
  const std::string text = recording_csv(generate("servo-axis", options));
  EXPECT_EQ(text, recording_csv(generate("servo-axis", options)));
  folder.write("axis.csv", text);
  const Recording r = read_recording((folder / "axis.csv").string());
  const Generated g = generate("servo-axis", options);
  EXPECT_EQ(r.time, column(g, "time"));
  EXPECT_EQ(r.position, column(g, "position"));
  EXPECT_EQ(r.force, column(g, "force"));
}

TEST(Generate, AWrongMachineIsAnsweredWithTheNearest) {
  try {
    generate("servo-axes");
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "no machine to generate a recording of 'servo-axes'; did you mean 'servo-axis'");
  }
}

}  // namespace
}  // namespace stickslip::generate_test
