/// A servo axis and its controller; see machines/servo_axis/servo_axis.hpp. Beside the tests of compensate, which uses it.
#include "machines/servo_axis/servo_axis.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "core/error.hpp"
#include "machines/machine.hpp"
#include "machines/run_view.hpp"

namespace stickslip::servo_axis_test {
namespace {

std::shared_ptr<const Friction> coulomb(double level) { return make_friction("coulomb", {{"coulomb_force", level}}); }
std::shared_ptr<const Friction> lugre() {
  return make_friction("lugre", {{"bristle_stiffness", 1e5},
                                 {"bristle_damping", 300.0},
                                 {"viscosity", 4.0},
                                 {"coulomb_force", 10.0},
                                 {"stiction_force", 15.0},
                                 {"stribeck_velocity", 0.01}});
}

ServoAxis small_axis() {
  ServoAxis axis;
  axis.body.mass = 2;
  axis.friction = coulomb(3);
  axis.gains.proportional = 8e3;
  axis.gains.derivative = 200;
  axis.gains.sampling_time = 1e-3;
  return axis;
}

SimulationOptions until(double end) {
  SimulationOptions options;
  options.end = end;
  return options;
}

// The reference jumps to Y at once. Nothing moves before the delay; then P Y − F_C accelerates the body until the next command.
TEST(ServoAxis, CommandActsAfterItsDelay) {
  ServoAxis axis = small_axis();
  axis.reference = Signal(0.01);
  axis.delay = 0.4e-3;
  const auto motion = servo_axis_motion(axis, until(1));
  ASSERT_EQ(motion->advance(0.4e-3), Stop::finished);
  EXPECT_EQ(motion->output(0), 0);
  ASSERT_EQ(motion->advance(1.2e-3), Stop::finished);
  const double force = 8e3 * 0.01 - 3, t = 0.8e-3;
  EXPECT_NEAR(motion->output(0), 0.5 * force / 2 * t * t, 1e-15);
  EXPECT_NEAR(motion->output(1), force / 2 * t, 1e-13);
}

// With a lag the velocity after a time t is (u − F_C)/m t less what the motor is behind: from the second command on. The first is
// given at once, so the first change is checked, when the reference jumps from 0 between samples.
TEST(ServoAxis, MotorLagsByItsTime) {
  ServoAxis axis = small_axis();
  axis.friction = coulomb(1e-9);
  axis.gains.derivative = 0;
  axis.gains.proportional = 1;  // soft, so that the command hardly changes afterwards
  axis.gains.sampling_time = 1;
  axis.lag = 0.3;
  axis.reference = Signal::step(0, 5, 0.5);
  const auto motion = servo_axis_motion(axis, until(3));
  ASSERT_EQ(motion->advance(1.9), Stop::finished);
  // u(t) = 5 (1 − exp(−t/τ)) from t = 1 s on; v = ∫u/m
  const double t = 0.9, expected = 5.0 / 2 * (t - 0.3 * (1 - std::exp(-t / 0.3)));
  EXPECT_NEAR(motion->output(1), expected, 1.3e-3 * expected);
}

// At constant speed the error of a PD loop carries friction: F_C/P. A feed-forward of it leaves nothing.
TEST(ServoAxis, FeedforwardTakesFrictionFromTheError) {
  for (const bool helps : {false, true}) {
    ServoAxis axis = small_axis();
    axis.reference = Signal::ramp(0.05);
    axis.gains.follows_velocity = true;
    if (helps) axis.feedforward = FrictionKnowledge{coulomb(3), 1, 0};
    const auto motion = servo_axis_motion(axis, until(5));
    ASSERT_EQ(motion->advance(3), Stop::finished);
    std::vector<double> now(motion->outputs().size());
    motion->read(now);
    EXPECT_NEAR(now[now.size() - 3], helps ? 0 : 3 / 8e3, 1e-8);
  }
}

// An observer along the measured velocity does the same for a bristle law.
TEST(ServoAxis, ObserverTakesFrictionFromTheError) {
  ServoAxis axis = small_axis();
  axis.friction = lugre();
  axis.reference = Signal::ramp(0.05);
  axis.gains.follows_velocity = true;
  axis.observer = FrictionKnowledge{lugre(), 1, 0};
  const auto motion = servo_axis_motion(axis, until(5));
  ASSERT_EQ(motion->advance(3), Stop::finished);
  std::vector<double> now(motion->outputs().size());
  motion->read(now);
  EXPECT_NEAR(now[now.size() - 3], 0, 1e-7);
  EXPECT_NEAR(now[now.size() - 1], 10 + 4 * 0.05 + 5 * std::exp(-25.0), 1e-3);
}

// Inside the dead zone the integral is constant: the axis stays where stiction holds it, off by less than the dead zone.
TEST(ServoAxis, DeadZoneStopsTheIntegral) {
  for (const double dead_zone : {0.0, 1e-3}) {
    ServoAxis axis = small_axis();
    axis.gains.integral = 1e5;
    axis.gains.dead_zone = dead_zone;
    axis.reference = Signal(3e-4);  // P e is 2.4 N, less than friction
    const auto motion = servo_axis_motion(axis, until(5));
    ASSERT_EQ(motion->advance(2), Stop::finished);
    EXPECT_EQ(motion->output(0) == 0, dead_zone > 0) << motion->output(0);
  }
}

// A law that sticks turns over on a spring: after a reversal by a way s < 2 δ the estimate is F_C (1 − s/δ).
TEST(ServoAxis, EstimateOfAStickingLawTurnsOverWithTheWay) {
  FrictionEstimate estimate(coulomb(3), 1, 1e-3, 1);
  for (int i = 0; i < 100; ++i) estimate.step(0.1, 1e-3);
  EXPECT_DOUBLE_EQ(estimate.step(0.1, 1e-3), 3);
  EXPECT_DOUBLE_EQ(estimate.step(0, 1e-3), 3);
  EXPECT_NEAR(estimate.step(-0.5, 1e-3), 1.5, 1e-12);
  EXPECT_NEAR(estimate.step(-0.5, 1e-3), 0, 1e-12);
  EXPECT_NEAR(estimate.step(0, 1e-3), 0, 1e-12);
  EXPECT_NEAR(estimate.step(-5, 1e-3), -3, 1e-12);
}

TEST(ServoAxis, EncoderShowsWholeSteps) {
  ServoAxis axis = small_axis();
  axis.gains.resolution = 1e-3;
  ServoController coarse(axis.gains, {}, {}, 2), exact(small_axis().gains, {}, {}, 2);
  const Signal zero(0.0);
  coarse.start(0, zero, 0, 0), exact.start(0, zero, 0, 0);
  EXPECT_EQ(coarse.sample(0, zero, 0.4e-3), 0);
  EXPECT_EQ(coarse.sample(1e-3, zero, 0.6e-3), exact.sample(1e-3, zero, 1e-3));
}

TEST(ServoAxis, GoesOnFromWhatWasSavedBitForBit) {
  ServoAxis axis = small_axis();
  axis.friction = lugre();
  axis.reference = Signal::sine(0.01, 1);
  axis.delay = 1.7e-3, axis.lag = 0.4e-3;
  axis.gains.integral = 1e4;
  axis.gains.follows_velocity = true;
  axis.feedforward = FrictionKnowledge{lugre(), 0.9, 0};
  axis.observer = FrictionKnowledge{coulomb(0.5), 0.5, 1e-4};
  const auto motion = servo_axis_motion(axis, until(2));
  ASSERT_EQ(motion->advance(0.73123), Stop::finished);
  const auto saved = motion->save();
  const auto copy = motion->clone();
  const auto outputs = [](const Motion& m) {
    std::vector<double> values(m.outputs().size());
    m.read(values);
    return values;
  };
  ASSERT_EQ(motion->advance(1.5), Stop::finished);
  const auto first = outputs(*motion);
  for (double t = 0.74; t < 1.5; t += 0.0137)
    ASSERT_EQ(copy->advance(t), Stop::finished);  // in pieces: the same numbers
  ASSERT_EQ(copy->advance(1.5), Stop::finished);
  motion->load(saved);
  ASSERT_EQ(motion->advance(1.5), Stop::finished);
  for (const auto& again : {outputs(*copy), outputs(*motion)})
    EXPECT_EQ(std::memcmp(again.data(), first.data(), first.size() * sizeof(double)), 0);
  EXPECT_THROW(motion->load(std::span(saved).first(20)), Error);
}

// y − x is −d for t < 1, +d from the reversal at t = 1 on for a tenth of a second, then 0.
TEST(TrackingError, IsMeasuredAfterReversals) {
  std::vector<double> t, y, x;
  for (int i = 0; i <= 2000; ++i) {
    t.push_back(i * 1e-3);
    y.push_back(t.back() <= 1 ? t.back() : 2 - t.back());
    x.push_back(y.back() - (t.back() <= 1 ? -0.25 : t.back() < 1.1 ? 0.5 : 0));
  }
  const TrackingError found = tracking_error(t, y, x, 0.5);
  EXPECT_EQ(found.reversals, 1u);
  EXPECT_DOUBLE_EQ(found.at_reversal, 0.5);
  EXPECT_DOUBLE_EQ(found.largest, 0.5);
  EXPECT_NEAR(found.rms, std::sqrt((0.5 * 0.0625 + 0.1 * 0.25) / 1.5), 1e-3);
}

// --- files -----------------------------------------------------------------------------------------------------------

const std::string head = R"(
[friction]
model = "stribeck"
coulomb_force = "8 N"
stiction_force = "12 N"
stribeck_velocity = "5 mm/s"
viscosity = "40 N s/m"
[input]
kind = "sine"
amplitude = "5 mm"
frequency = "1 Hz"
[run]
duration = "2 s"
sample_interval = "1 ms"
)";
const std::string loop = R"([machine]
kind = "position-loop"
mass = "5 kg"
position_gain = "40 1/s"
velocity_gain = "400 N s/m"
sampling_time = "1 ms"
resolution = "1 um"
)";
const std::string gains = R"([machine]
kind = "servo-axis"
mass = "5 kg"
[controller]
proportional = "16 kN/m"
derivative = "400 N s/m"
sampling_time = "1 ms"
resolution = "1 um"
)";

// The position loop of one body has the same law; only how it is stepped differs.
TEST(ServoAxisFile, WithoutCompensationIsThePositionLoop) {
  const MachineRun one = parse_machine_text(loop + head, "loop.toml").run(),
                   other = parse_machine_text(gains + head, "axis.toml").run();
  const auto &a = find_column(one.samples, "position")->values, &b = find_column(other.samples, "position")->values;
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-9) << i;
  EXPECT_TRUE(find_column(other.samples, "tracking_error"));
}

TEST(ServoAxisFile, ControlledBodiesWriteReferenceAndTrackingError) {
  const std::string pid =
      "[machine]\nkind = \"pid\"\nmass = \"5 kg\"\nproportional = \"20 kN/m\"\nderivative = \"440 N s/m\"\n";
  for (const std::string& machine : {loop, pid}) {
    const MachineRun run = parse_machine_text(machine + head, "file.toml").run();
    const Column *y = find_column(run.samples, "reference"), *e = find_column(run.samples, "tracking_error"),
                 *x = find_column(run.samples, "position");
    ASSERT_TRUE(y && e && x);
    EXPECT_NEAR(y->values[250], 5e-3, 1e-12);
    for (std::size_t i = 0; i < e->values.size(); ++i) ASSERT_EQ(e->values[i], y->values[i] - x->values[i]);
  }
}

TEST(ServoAxisFile, PositionLoopTakesAFeedforward) {
  const std::string knows =
      "[feedforward]\nmass = \"5 kg\"\nreversal = \"10 um\"\n[feedforward.friction]\nmodel = "
      "\"coulomb-viscous\"\ncoulomb_force = \"8 N\"\nviscosity = \"40 N s/m\"\n";
  const auto largest = [](const MachineRun& run) {
    double most = 0;
    for (const double e : find_column(run.samples, "tracking_error")->values) most = std::max(most, std::fabs(e));
    return most;
  };
  const double before = largest(parse_machine_text(loop + head, "loop.toml").run()),
               after = largest(parse_machine_text(loop + knows + head, "loop.toml").run());
  EXPECT_LT(after, 0.2 * before);
  EXPECT_EQ(parse_machine_text(loop + knows + head, "loop.toml").kind().name, "servo_axis");
}

// Sampled ever more finely, a pid with a table that adds nothing is the continuous one: the distance falls with the sampling time, which
// is half a sample of delay. With friction that is known it follows better.
TEST(ServoAxisFile, PidTakesAFeedforward) {
  const std::string pid =
      "[machine]\nkind = \"pid\"\nmass = \"5 kg\"\nproportional = \"16 kN/m\"\nderivative = \"400 N s/m\"\n"
      "integral = \"40 kN/(m s)\"\n";
  const std::string nothing = "[feedforward]\nvelocity = false\n";
  const auto position = [](const std::string& text) {
    const MachineRun run = parse_machine_text(text, "pid.toml").run();
    return find_column(run.samples, "position")->values;
  };
  const auto distance = [](const std::vector<double>& a, const std::vector<double>& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::fabs(a[i] - b[i]));
    return most;
  };
  const auto continuous = position(pid + head);
  const double coarse = distance(continuous, position(pid + "sampling_time = \"1 ms\"\n" + nothing + head)),
               fine = distance(continuous, position(pid + "sampling_time = \"0.25 ms\"\n" + nothing + head));
  EXPECT_LT(coarse, 1e-4);
  EXPECT_NEAR(fine / coarse, 0.25, 0.05);

  const Machine unsaid = parse_machine_text(pid + nothing + head, "pid.toml");
  ASSERT_EQ(unsaid.built().warnings.size(), 1u);  // D/m = 80 1/s is the fastest: 0.125 ms, rounded down to 0.1 ms
  EXPECT_NE(unsaid.built().warnings[0].find("no sampling_time is given: 100 us is taken"), std::string::npos)
      << unsaid.built().warnings[0];

  const std::string knows =
      "[feedforward]\nmass = \"5 kg\"\nreversal = \"10 um\"\n[feedforward.friction]\nmodel = "
      "\"coulomb-viscous\"\ncoulomb_force = \"8 N\"\nviscosity = \"40 N s/m\"\n";
  const auto largest = [](const std::string& text) {
    double most = 0;
    const MachineRun run = parse_machine_text(text, "pid.toml").run();
    for (const double e : find_column(run.samples, "tracking_error")->values) most = std::max(most, std::fabs(e));
    return most;
  };
  EXPECT_LT(largest(pid + knows + head), 0.2 * largest(pid + head));
}

TEST(ServoAxisFile, RefusesInOneLine) {
  const auto message = [](const std::string& text) {
    try {
      parse_machine_text(text, "axis.toml");
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("nothing");
  };
  const auto expect = [&](const std::string& text, const std::string& words) {
    EXPECT_NE(message(text).find(words), std::string::npos) << message(text);
    EXPECT_EQ(message(text).find("axis.toml:"), 0u) << message(text);
  };
  expect(gains + "[dither]\namplitude = \"1 N\"\nfrequency = \"600 Hz\"\n" + head,
         "at most half of that frequency is possible");
  expect(gains + "[feedforward]\nreversal = \"1 um\"\n" + head, "reversal without a friction model");
  expect(gains + "[observer]\ncorrection = \"1 1/s\"\n" + head, "[observer] has no friction model");
  expect(gains + "[feedforward]\nvelocity = 1\n" + head, "velocity is true or false");
  expect(gains + "[feedforward]\nfile = \"no.toml\"\n" + head, "no.toml");
  expect(gains +
             "[feedforward]\nreversal = \"1 um\"\n[feedforward.friction]\nmodel = \"dahl\"\nbristle_stiffness = \"1e5 "
             "N/m\"\ncoulomb_force = \"1 N\"\n" +
             head,
         "models presliding itself");
  expect(
      "[machine]\nkind = \"pid\"\nmass = \"1 kg\"\nproportional = \"0 N/m\"\n[feedforward]\nmass = \"1 kg\"\n" + head,
      "all gains are 0");
  expect("[machine]\nkind = \"applied-force\"\nmass = \"1 kg\"\n[feedforward]\nmass = \"1 kg\"\n" + head,
         "sampled controller");
  expect(gains + "lag = \"-1 s\"\n" + head, "lag");
}

}  // namespace
}  // namespace stickslip::servo_axis_test
