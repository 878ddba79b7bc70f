// The event-driven run on small plants made to be awkward: switching for ever, blowing up, several events at once.
#include "solver/simulate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "core/random.hpp"

namespace stickslip::simulate_test {
namespace {

/// What every plant here shares: one state, no inputs, no accounts.
struct OneState {
  static constexpr bool stiff = false;
  static constexpr std::size_t capacity = 1, totals = 0, mode_indices = 4;
  struct Mode {
    int number = 0;
  };
  std::size_t size() const { return 1; }
  double error_floor(std::size_t) const { return 1e-12; }
  double next_break(const Mode&) const { return HUGE_VAL; }
  Happening pass_break(Mode&, double, double*, double*) const { return {EventKind::input_breakpoint}; }
  double longest_step(const Mode&, double, const double*, const double*) const { return HUGE_VAL; }
  double watched(const Mode&, const double*) const { return 0; }
  std::size_t mode_index(const Mode& mode) const { return static_cast<std::size_t>(mode.number); }
  bool at_rest(const Mode&) const { return false; }
  bool is_calm(const Mode&, const double*, const double*, const double*, const double*, double) const { return false; }
};

struct Listener {
  std::vector<double> times;
  std::vector<int> which;
  double next_sample() const { return HUGE_VAL; }
  template <class Vector, class Mode>
  void sample(double, const Vector&, const Mode&) {}
  template <class Vector, class Mode>
  void event(double t, const Happening& h, const Vector&, const Mode&) {
    times.push_back(t);
    which.push_back(h.which);
  }
  template <class Mode>
  void mode_time(const Mode&, double) {}
};

template <class Plant>
struct Finished {
  Stop stop;
  double time, value;
  Listener heard;
};
template <class Plant>
Finished<Plant> run(const Plant& plant, double start, double end, double tolerance = 1e-10) {
  SimulationOptions options;
  options.end = end;
  options.relative_tolerance = tolerance;
  Listener heard;
  EventDrivenRun<Plant, Listener> motion(plant, options, heard);
  motion.y[0] = start;
  const Stop stop = motion.run();
  return {stop, motion.time, motion.y[0], heard};
}

/// Two modes that push the state towards each other's border at zero: sliding along it, switching without end.
struct Chattering : OneState {
  template <class T>
  void derivative(const Mode& mode, const T&, const T*, T* dy, T*) const {
    dy[0] = T(mode.number == 0 ? -1.0 : 1.0);
  }
  void guards(const Mode& mode, double, const double* y, Guards& out) const {
    out.add(mode.number == 0 ? y[0] : -y[0]);
  }
  Happening leave(Mode& mode, std::size_t, double, double*, double*) const {
    mode.number = 1 - mode.number;
    return {EventKind::direction_change};
  }
};

TEST(EventDrivenRun, SwitchingWithoutEndIsAnOutcomeAtItsPlace) {
  const auto end = run(Chattering{}, 0.5, 2);
  EXPECT_EQ(end.stop, Stop::endless_switching);
  EXPECT_NEAR(end.time, 0.5, 1e-9);
  EXPECT_GT(end.heard.times.size(), 1000u);
  EXPECT_LT(end.heard.times.size(), 1100u);
}

/// dy/dt = y² from 1 is 1/(1 − t): infinite at t = 1.
struct Exploding : OneState {
  template <class T>
  void derivative(const Mode&, const T&, const T* y, T* dy, T*) const {
    dy[0] = y[0] * y[0];
  }
  void guards(const Mode&, double, const double*, Guards&) const {}
  Happening leave(Mode&, std::size_t, double, double*, double*) const { return {EventKind::stick}; }
};

TEST(EventDrivenRun, AStepThatShrinksToNothingIsAnOutcome) {
  const auto end = run(Exploding{}, 1, 2);
  EXPECT_TRUE(end.stop == Stop::step_too_small || end.stop == Stop::not_finite) << name_of(end.stop);
  EXPECT_NEAR(end.time, 1, 1e-6);
  EXPECT_TRUE(std::isfinite(end.value));
}

/// Steps of 1e-12 of the run at most: nothing is wrong with any of them, but they lead nowhere.
struct Creeping : Exploding {
  template <class T>
  void derivative(const Mode&, const T&, const T*, T* dy, T*) const {
    dy[0] = T(1.0);
  }
  double longest_step(const Mode&, double, const double*, const double*) const { return 1e-12; }
};

TEST(EventDrivenRun, StepsThatLeadNowhereAreAnOutcome) {
  const auto end = run(Creeping{}, 0, 1);
  EXPECT_EQ(end.stop, Stop::no_progress);
  EXPECT_NEAR(end.time, 1e-12 * Pace::window, 1e-9);
}

/// y = t; three borders: two of them at the same instant. Each may be passed once.
struct Borders : OneState {
  struct Mode {
    int number = 0;
    bool passed[3]{};
  };
  std::size_t mode_index(const Mode&) const { return 0; }
  bool at_rest(const Mode&) const { return false; }
  bool is_calm(const Mode&, const double*, const double*, const double*, const double*, double) const { return false; }
  double next_break(const Mode&) const { return HUGE_VAL; }
  Happening pass_break(Mode&, double, double*, double*) const { return {EventKind::input_breakpoint}; }
  double longest_step(const Mode&, double, const double*, const double*) const { return HUGE_VAL; }
  double watched(const Mode&, const double*) const { return 0; }
  template <class T>
  void derivative(const Mode&, const T&, const T*, T* dy, T*) const {
    dy[0] = T(1.0);
  }
  void guards(const Mode& mode, double, const double* y, Guards& out) const {
    constexpr double at[3]{0.7, 0.3, 0.7};
    for (int i = 0; i < 3; ++i) out.add(mode.passed[i] ? 1.0 : at[i] - y[0]);
  }
  Happening leave(Mode& mode, std::size_t which, double, double*, double*) const {
    mode.passed[which] = true;
    return {EventKind::table_knot, static_cast<int>(which)};
  }
};

TEST(EventDrivenRun, TheEarlierEventWinsAndEqualsComeInTheOrderOfTheirGuards) {
  const auto end = run(Borders{}, 0, 1);
  EXPECT_EQ(end.stop, Stop::finished);
  ASSERT_EQ(end.heard.which, (std::vector<int>{1, 0, 2}));
  EXPECT_NEAR(end.heard.times[0], 0.3, 1e-15);
  EXPECT_NEAR(end.heard.times[1], 0.7, 1e-15);
  EXPECT_NEAR(end.heard.times[2], 0.7, 1e-15);
  EXPECT_NEAR(end.value, 1, 1e-14);
}

/// y = t; forty borders drawn at random, some of them twice. Each may be passed once.
struct ManyBorders : OneState {
  static constexpr std::size_t count = 40;
  struct Mode {
    int number = 0;
    std::array<bool, count> passed{};
  };
  std::array<double, count> at{};
  mutable std::size_t looks = 0;  // at all guards
  std::size_t mode_index(const Mode&) const { return 0; }
  bool at_rest(const Mode&) const { return false; }
  bool is_calm(const Mode&, const double*, const double*, const double*, const double*, double) const { return false; }
  double next_break(const Mode&) const { return HUGE_VAL; }
  Happening pass_break(Mode&, double, double*, double*) const { return {EventKind::input_breakpoint}; }
  double longest_step(const Mode&, double, const double*, const double*) const { return HUGE_VAL; }
  double watched(const Mode&, const double*) const { return 0; }
  template <class T>
  void derivative(const Mode&, const T&, const T*, T* dy, T*) const {
    dy[0] = T(1.0);
  }
  void guards(const Mode& mode, double, const double* y, Guards& out) const {
    ++looks;
    for (std::size_t i = 0; i < count; ++i) {
      const double left = at[i] - y[0];
      out.add(mode.passed[i] ? 1.0 : left * (1 + left * left));
    }
  }
  Happening leave(Mode& mode, std::size_t which, double, double*, double*) const {
    mode.passed[which] = true;
    return {EventKind::table_knot, static_cast<int>(which)};
  }
};

// Forty guards fall in one step: the earliest is found, equal ones in their order, and those that fall later are not searched for.
TEST(EventDrivenRun, GuardsThatFallLaterInAStepAreNotLocated) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    ManyBorders plant;
    for (std::size_t i = 0; i < plant.count; ++i)
      plant.at[i] = i % 5 == 4 ? plant.at[i - 3] : 0.5 + 1e-6 * random.uniform();
    std::vector<int> order(plant.count);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return plant.at[static_cast<std::size_t>(a)] < plant.at[static_cast<std::size_t>(b)];
    });
    const auto end = run(plant, 0, 1);
    ASSERT_EQ(end.stop, Stop::finished);
    ASSERT_EQ(end.heard.which, order) << seed;
    for (std::size_t i = 0; i < plant.count; ++i)
      ASSERT_NEAR(end.heard.times[i], plant.at[static_cast<std::size_t>(order[i])], 1e-14) << seed;
    EXPECT_LT(plant.looks, 32 * plant.count) << seed;
  }
}

/// y = sin(t) in disguise: the guard 1 − 1e-9 − y dips below zero for 90 µs around the peak and comes back.
struct Grazing : OneState {
  template <class T>
  void derivative(const Mode&, const T& t, const T*, T* dy, T*) const {
    dy[0] = cos(t);
  }
  void guards(const Mode& mode, double, const double* y, Guards& out) const {
    out.add(mode.number == 0 ? 1 - 1e-9 - y[0] : 1.0);
  }
  Happening leave(Mode& mode, std::size_t, double, double*, double*) const {
    mode.number = 1;
    return {EventKind::release};
  }
};

TEST(EventDrivenRun, AGuardThatOnlyGrazesZeroIsFound) {
  const auto end = run(Grazing{}, 0, 3, 1e-12);
  ASSERT_EQ(end.heard.times.size(), 1u);
  EXPECT_NEAR(end.heard.times[0], std::asin(1 - 1e-9), 1e-7);
}

TEST(EventDrivenRun, CancellingEndsItBetweenSteps) {
  SimulationOptions options;
  options.end = 1;
  options.relative_tolerance = 1e-10;
  RunWatch watch;
  watch.cancel = true;
  options.watch = &watch;
  Listener heard;
  const Borders plant;
  EventDrivenRun<Borders, Listener> motion(plant, options, heard);
  EXPECT_EQ(motion.run(), Stop::cancelled);
  EXPECT_EQ(motion.time, 0);
}

}  // namespace
}  // namespace stickslip::simulate_test
