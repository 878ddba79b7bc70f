/// Preparation against motions whose derivatives, resolution, lag and offset are known.
#include "recording/preparation/prepare.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "core/error.hpp"
#include "core/text.hpp"
#include "recording/made_recordings.hpp"
#include "recording/preparation/contact_fit.hpp"
#include "recording/preparation/even_grid.hpp"
#include "recording/preparation/position_band.hpp"
#include "support/places.hpp"

namespace stickslip::prepare_test {
namespace {

using made::pi;
constexpr double step = 1e-3, omega = 2 * pi * 0.5, stroke = 0.4;

double sine(double t) { return stroke * std::sin(omega * t); }
double sine_velocity(double t) { return stroke * omega * std::cos(omega * t); }
double sine_acceleration(double t) { return -omega * omega * sine(t); }
double nothing(double) { return 0; }

struct Errors {
  double velocity = 0, acceleration = 0;  // rms over the middle nine tenths
};
Errors errors_of(const Prepared& p, const std::function<double(double)>& v, const std::function<double(double)>& a) {
  Errors e;
  const std::size_t margin = p.size() / 20;
  for (std::size_t i = margin; i < p.size() - margin; ++i) {
    e.velocity += std::pow(p.velocity[i] - v(p.time[i]), 2);
    e.acceleration += std::pow(p.acceleration[i] - a(p.time[i]), 2);
  }
  const double n = double(p.size() - 2 * margin);
  return {std::sqrt(e.velocity / n), std::sqrt(e.acceleration / n)};
}

std::string message_of(const Recording& r, const Preparation& options) {
  try {
    prepare(r, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

// Central differences of a sine are its derivative times sin(w T)/(w T) and (sin(w T/2)/(w T/2))².
TEST(Prepare, AnExactMotionIsNotFilteredAndCentralDifferencesAreWhatTheyAre) {
  const Prepared p = prepare(made::recording(20001, step, sine, nothing));
  const double first = std::sin(omega * step) / (omega * step);
  const double second = std::pow(std::sin(omega * step / 2) / (omega * step / 2), 2);
  for (std::size_t i = 1; i + 1 < p.size(); ++i) {
    ASSERT_NEAR(p.velocity[i], first * sine_velocity(p.time[i]), 1e-11);
    ASSERT_NEAR(p.acceleration[i], second * sine_acceleration(p.time[i]), 1e-8);
  }
  EXPECT_TRUE(std::isinf(p.used.cutoff_hz));
  EXPECT_EQ(p.resolution, 0);
  EXPECT_NEAR(p.sampling_time, step, 1e-15);
}

TEST(Prepare, AnotherCutoffIsWhatAPreparationWithItGives) {
  const auto force = [](double t) { return 3 + 2 * sine_acceleration(t); };
  const Recording r = made::recording(4000, step, sine, force, {.resolution = 1e-4});
  const Prepared once = prepare(r, {.cutoff_hz = 20, .mass = 2}), asked = prepare(r, {.cutoff_hz = 30, .mass = 2});
  const auto other = with_cutoff(once, 30);
  ASSERT_TRUE(other.has_value());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    ASSERT_EQ(other->position[i], asked.position[i]);
    ASSERT_EQ(other->acceleration[i], asked.acceleration[i]);
    ASSERT_NEAR(other->force[i], asked.force[i], 1e-10);
  }
  EXPECT_FALSE(with_cutoff(once, 499).has_value());  // next to half the sampling rate
  EXPECT_FALSE(with_cutoff(prepare(r, {.cutoff_hz = std::numeric_limits<double>::infinity()}), 30).has_value());
}

// Differences of rounded readings are off by up to dx/T = 1 m/s and 2 dx/T² = 2000 m/s²; the motion has 1.26 m/s and
// 3.9 m/s².
TEST(Prepare, ACoarseEncoderIsFoundAndFilteredToUsefulDerivatives) {
  const Recording r = made::recording(20000, step, sine, nothing, {.resolution = 1e-3});
  const Prepared p = prepare(r), bare = prepare(r, {.cutoff_hz = std::numeric_limits<double>::infinity()});
  EXPECT_NEAR(p.resolution, 1e-3, 1e-12);
  EXPECT_GT(p.used.cutoff_hz, 1.0);
  EXPECT_LT(p.used.cutoff_hz, 20.0);
  const Errors good = errors_of(p, sine_velocity, sine_acceleration);
  const Errors bad = errors_of(bare, sine_velocity, sine_acceleration);
  EXPECT_LT(good.velocity, 0.01);
  EXPECT_LT(good.acceleration, 0.2);
  EXPECT_GT(bad.velocity, 0.2);
  EXPECT_GT(bad.acceleration, 300.0);
  EXPECT_EQ(p.measured_position, r.position);
}

// The best a single low-pass can do lies near the chosen cutoff: a third of it or three times it is worse.
TEST(Prepare, TheChosenCutoffIsNearTheBestForAMotionWithNoise) {
  const auto motion = [](double t) { return 1e-2 * std::sin(2 * pi * 3 * t) + 2e-3 * std::sin(2 * pi * 11 * t + 1); };
  const auto v = [](double t) {
    return 2 * pi * (3e-2 * std::cos(2 * pi * 3 * t) + 22e-3 * std::cos(2 * pi * 11 * t + 1));
  };
  const auto a = [](double t) {
    return -4 * pi * pi * (9e-2 * std::sin(2 * pi * 3 * t) + 242e-3 * std::sin(2 * pi * 11 * t + 1));
  };
  const Recording r = made::recording(20000, step, motion, nothing, {.position = 1e-5});
  const Prepared chosen = prepare(r);
  const Errors at = errors_of(chosen, v, a);
  EXPECT_NEAR(chosen.position_noise, 1e-5, 1e-6);
  EXPECT_LT(at.acceleration, errors_of(prepare(r, {.cutoff_hz = chosen.used.cutoff_hz * 3}), v, a).acceleration);
  EXPECT_LT(at.acceleration, errors_of(prepare(r, {.cutoff_hz = chosen.used.cutoff_hz / 3}), v, a).acceleration);
  EXPECT_LT(at.velocity, 0.01 * 0.2);
}

// A motion up to 60 Hz under position noise of 30 nm: twice its band would let 20 kg times acceleration noise through that is as
// large as the force's own 0.2 N. With the inertia taken off, the cutoff keeps it to 0.3 of that: √(0.2² + 0.06²) = 0.209 N.
TEST(Prepare, TheCutoffAllowsForTheInertiaThatIsTakenOff) {
  const auto motion = [](double t) { return 1e-3 * std::sin(2 * pi * 2 * t) + 2e-6 * std::sin(2 * pi * 60 * t); };
  const auto force = [](double t) {
    return -20 * 4 * pi * pi * (4e-3 * std::sin(2 * pi * 2 * t) + 7.2e-3 * std::sin(2 * pi * 60 * t));
  };
  const Recording r = made::recording(20000, step, motion, force, {.position = 3e-8, .force = 0.2});
  const auto rms = [](const Prepared& p) {
    double sum = 0;
    for (std::size_t i = 1000; i < 19000; ++i) sum += p.force[i] * p.force[i];
    return std::sqrt(sum / 18000);
  };
  const Prepared light = prepare(r), heavy = prepare(r, {.mass = 20});
  EXPECT_LT(heavy.used.cutoff_hz, light.used.cutoff_hz);
  EXPECT_NEAR(rms(heavy), 0.209, 0.012);
  EXPECT_GT(rms(prepare(r, {.cutoff_hz = 2 * light.used.cutoff_hz, .mass = 20})), 0.25);
}

// At a step every 50 samples a rounded ramp is a staircase of 20 Hz: more than the motion's own band may not pass.
TEST(Prepare, ASlowStaircaseIsNotTakenForMotion) {
  const auto slow = [](double t) { return 0.02 * t + 4e-3 * std::sin(2 * pi * 0.2 * t); };
  const Prepared p = prepare(made::recording(30000, step, slow, nothing, {.resolution = 1e-3}));
  const Errors e = errors_of(
      p, [](double t) { return 0.02 + 4e-3 * 0.4 * pi * std::cos(0.4 * pi * t); },
      [](double t) { return -4e-3 * 0.16 * pi * pi * std::sin(0.4 * pi * t); });
  EXPECT_LT(p.used.cutoff_hz, 10.0);
  EXPECT_LT(e.velocity, 2e-3);
}

TEST(Prepare, JitteredStampsAreResampledWithoutSpoilingTheAcceleration) {
  Recording r;
  for (std::size_t i = 0; i < 20000; ++i) {
    const double t = step * (double(i) + 0.3 * std::sin(double(i * i % 977)));
    r.time.push_back(t), r.position.push_back(sine(t)), r.force.push_back(t);
  }
  const Prepared p = prepare(r);
  const Errors e = errors_of(p, sine_velocity, sine_acceleration);
  EXPECT_LT(e.velocity, 1e-4);
  EXPECT_LT(e.acceleration, 1e-3);
  for (std::size_t i = 2; i + 2 < p.size(); ++i) {
    ASSERT_NEAR(p.time[i] - p.time[i - 1], p.sampling_time, 1e-9);
    ASSERT_NEAR(p.force[i], p.time[i], 1e-9);
  }
}

TEST(Prepare, AGapIsBridgedWithANote) {
  Recording r = made::recording(2000, step, sine, nothing);
  r.time.erase(r.time.begin() + 700, r.time.begin() + 720);
  r.position.erase(r.position.begin() + 700, r.position.begin() + 720);
  r.force.erase(r.force.begin() + 700, r.force.begin() + 720);
  const Prepared p = prepare(r);
  EXPECT_EQ(p.size(), 2000u);
  const auto is_bridge = [](const Note& note) { return note.code == "bridged"; };
  EXPECT_TRUE(std::any_of(p.notes.begin(), p.notes.end(), is_bridge));
}

TEST(Prepare, VelocityAloneIsIntegrated) {
  Recording r = made::recording(20000, step, sine_velocity, nothing);
  r.velocity.swap(r.position);
  const Prepared p = prepare(r);
  for (std::size_t i = 0; i < p.size(); ++i) ASSERT_NEAR(p.position[i], sine(p.time[i]), 1e-6);
  EXPECT_LT(errors_of(p, sine_velocity, sine_acceleration).acceleration, 1e-4);
  EXPECT_NE(joined(p.steps).find("no position: velocity integrated"), std::string::npos);
}

TEST(Prepare, AStretchALowerAndAHigherRate) {
  const Recording r = made::recording(20001, step, sine, sine_velocity);
  const Prepared stretch = prepare(r, {.from = 5, .to = 9});
  EXPECT_EQ(stretch.size(), 4001u);
  EXPECT_NEAR(stretch.time.front(), 5, 1e-12);
  const Prepared slow = prepare(r, {.rate_hz = 100});
  EXPECT_EQ(slow.size(), 2001u);
  const Prepared fast = prepare(r, {.rate_hz = 2500});
  EXPECT_EQ(fast.size(), 50001u);
  for (const Prepared* p : {&slow, &fast})
    for (std::size_t i = p->size() / 10; i < 9 * p->size() / 10; ++i) {
      ASSERT_NEAR(p->velocity[i], sine_velocity(p->time[i]), 1e-4);
      ASSERT_NEAR(p->force[i], sine_velocity(p->time[i]), 1e-4);
    }
}

// A drive on 3 kg against 2 N of Coulomb friction, 0.8 N s/m and an offset of 0.7 N; the force is read late.
struct Drive {
  double lag = 0, distance = 0;
};
Recording driven(const Drive& drive, const made::Noise& noise) {
  const auto x = [](double t) { return 0.05 * std::sin(2 * pi * 1.3 * t) + 0.02 * std::sin(2 * pi * 3.1 * t + 0.4); };
  const auto v = [](double t) {
    return 2 * pi * (0.065 * std::cos(2 * pi * 1.3 * t) + 0.062 * std::cos(2 * pi * 3.1 * t + 0.4));
  };
  const auto a = [](double t) {
    return -4 * pi * pi * (0.05 * 1.69 * std::sin(2 * pi * 1.3 * t) + 0.02 * 9.61 * std::sin(2 * pi * 3.1 * t + 0.4));
  };
  double state = 1, last = x(-drive.lag), last_t = -drive.lag;
  const auto force = [=](double t) mutable {
    const double at = t - drive.lag;
    if (drive.distance > 0)
      for (int k = 0; k < 10 && at > last_t; ++k) {  // ten steps a sample: Dahl's rise, exact for a straight motion
        const double next = x(last_t + (at - last_t) / (10 - k)), moved = next - last, way = moved > 0 ? 1 : -1;
        state = way + (state - way) * std::exp(-std::abs(moved) / drive.distance);
        last_t += (at - last_t) / (10 - k), last = next;
      }
    else
      state = v(at) > 0 ? 1 : -1;
    return 0.7 + 2 * state + 0.8 * v(at) + 3 * a(at);
  };
  return made::recording(12000, step, x, force, noise);
}

TEST(Prepare, AKnownLagIsFoundToAFractionOfASample) {
  for (const double samples : {-4.3, 0.37, 2.5, 11.8}) {
    const Prepared p =
        prepare(driven({.lag = samples * step}, {.position = 1e-6, .force = 0.02}), {.find_lag = true, .mass = 3});
    EXPECT_NEAR(p.used.lag / step, samples, 0.1) << samples;
  }
}

TEST(Prepare, ALagIsFoundThroughACoarseEncoder) {
  const Prepared p = prepare(driven({.lag = 2.6e-3}, {.force = 0.05, .resolution = 2e-4}), {.find_lag = true});
  EXPECT_NEAR(p.used.lag / step, 2.6, 0.3);
}

// Friction that builds up over 2 mm is late at every reversal without any lag.
TEST(Prepare, FrictionThatBuildsUpOverADistanceIsNotTakenForALag) {
  const Recording r = driven({.lag = 1.7e-3, .distance = 2e-3}, {.position = 1e-6, .force = 0.02});
  const Prepared p = prepare(r, {.find_lag = true});
  EXPECT_NEAR(p.used.lag / step, 1.7, 0.2);
}

TEST(Prepare, NoLagIsSaidToBeNone) {
  const Prepared p = prepare(driven({}, {.position = 1e-6, .force = 0.3}), {.find_lag = true});
  EXPECT_LT(std::abs(p.used.lag), 0.1 * step);
}

TEST(Prepare, OffsetSignAndInertiaLeaveFriction) {
  Recording r = driven({}, {});
  for (double& f : r.force) f = -f;
  const Prepared p = prepare(r, {.mass = 3, .find_offset = true, .force_drives = true});
  EXPECT_NEAR(p.used.offset, 0.7, 0.01);
  for (std::size_t i = 100; i + 100 < p.size(); ++i)
    if (std::abs(p.velocity[i]) > 0.01) {
      ASSERT_NEAR(p.force[i], (p.velocity[i] > 0 ? 2 : -2) + 0.8 * p.velocity[i], 0.03) << i;
    }
}

TEST(Prepare, WhatWasUsedRepeatsIt) {
  const Recording r = driven({.lag = 2.5e-3}, {.position = 1e-6, .force = 0.02});
  const Prepared once = prepare(r, {.find_lag = true, .mass = 3, .find_offset = true});
  const Prepared again = prepare(r, once.used);
  EXPECT_EQ(once.force, again.force);
  EXPECT_EQ(once.velocity, again.velocity);
}

TEST(Prepare, ErrorsSayWhatWouldDo) {
  const Recording whole = made::recording(1000, step, sine, nothing);
  Recording no_motion = whole, no_force = whole, no_time = whole;
  no_motion.position.clear(), no_force.force.clear(), no_time.time.clear();
  EXPECT_EQ(message_of(no_motion, {}), "made.csv: no position or velocity column; name one with --position");
  EXPECT_EQ(message_of(no_force, {}), "made.csv: no force column; name it with --force");
  EXPECT_EQ(message_of(no_time, {}), "made.csv: no time column; give the sampling rate with --rate");
  EXPECT_EQ(message_of(whole, {.from = 0.5, .to = 0.505}),
            "made.csv: 6 samples between 0.5 and 0.505 s; at least 17 are needed");
  EXPECT_EQ(message_of(whole, {.cutoff_hz = 600}),
            "made.csv: cutoff is 600 Hz; it must lie below half the sampling rate, 500 Hz");
  // A low-pass at 1e-9 Hz made numbers that are none, and the recording was blamed.
  EXPECT_EQ(message_of(whole, {.cutoff_hz = 1e-9}),
            "made.csv: cutoff is 1e-09 Hz; the recording lasts 1 s, and a low-pass filter below 1 Hz would remove it "
            "entirely");
  EXPECT_EQ(message_of(whole, {.force_cutoff_hz = 0.5}),
            "made.csv: cutoff of the force is 0.5 Hz; the recording lasts 1 s, and a low-pass filter below 1 Hz would "
            "remove it entirely");
  EXPECT_EQ(message_of(whole, {.use_velocity = true}), "made.csv: the velocity column is needed and there is none");
}

// The ball-screw axis of the EMPS benchmark: its drive lags by some 0.3 ms, so the recorded command is early.
TEST(Prepare, EmpsForceIsEarlyByAFractionOfAMillisecond) {
  const std::string file = shared_dir() + "/data/emps/DATA_EMPS.mat";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no shared recordings";
  const Recording r = read_recording(
      file, {.columns = {.time = "t", .position = "qm", .force = "vir"}, .gains = {.force = "35.15065 N/V"}});
  const Prepared p = prepare(r, {.find_lag = true, .mass = 95.1});
  EXPECT_LT(p.used.lag, -0.1e-3);
  EXPECT_GT(p.used.lag, -0.8e-3);
  EXPECT_GT(p.used.cutoff_hz, 20.0);
}

// A recording that ends amid a change of speed had the sign of its acceleration inverted there: 25 kg at 20 m/s² gave 500 N.
TEST(Prepare, TheLowPassKeepsTheAccelerationAtTheEnds) {
  constexpr double w = 2 * pi * 4;
  const auto x = [](double t) { return 0.02 * std::cos(w * t); };
  const auto a = [x](double t) { return -w * w * x(t); };
  const Prepared p = prepare(made::recording(2001, step, x, nothing, {.position = 1e-7}), {.cutoff_hz = 80});
  const double largest = w * w * 0.02;
  for (std::size_t i = 0; i < p.size(); ++i)
    if (i < 30 || i + 30 >= p.size()) {
      ASSERT_NEAR(p.acceleration[i], a(p.time[i]), 0.1 * largest) << i;
    }
}

// An end that rests is continued as before: nothing but noise is no bend.
TEST(Prepare, NoiseAtTheEndsIsNoBend) {
  const auto held = [](double t) { return t < 0.5 ? 0.0 : t < 1.5 ? 0.01 * (1 - std::cos(pi * (t - 0.5))) : 0.02; };
  const Prepared p = prepare(made::recording(2001, step, held, nothing, {.position = 1e-6}), {.cutoff_hz = 40});
  double middle = 0, end = 0;
  for (std::size_t i = 1700; i < 1900; ++i) middle = std::max(middle, std::abs(p.acceleration[i]));
  for (std::size_t i = 1970; i < p.size(); ++i) end = std::max(end, std::abs(p.acceleration[i]));
  EXPECT_LT(end, 6 * middle);
}

}  // namespace
}  // namespace stickslip::prepare_test
