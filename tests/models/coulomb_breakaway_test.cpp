#include <gtest/gtest.h>

#include "pulled_mass_rig.hpp"

namespace stickslip::coulomb_breakaway_test {
namespace {
using namespace pulled_mass_rig;

const ParameterValues values{{"coulomb_force", 1.0}, {"peak", 1.5}};

// A spring k pulled at V: it sticks until k V t = p F_C and then swings, without damping, about F_C with the amplitude d = (p − 1) F_C.
// With ω² = k/m and tan(a) = d ω/(k V) the slip lasts 2 (π − a)/ω and ends at F_C − d; winding up by 2 d takes 2 d/(k V).
TEST(CoulombBreakaway, StickSlipOfAPulledMassHasThePeriodOfTheClosedForm) {
  const auto run = make_friction("coulomb-breakaway", values)->simulate(pulled(), until(60));
  const double k = 2, speed = 0.1, omega = std::sqrt(2.0), d = 0.5;
  const double slip = 2 * (std::acos(-1.0) - std::atan(d * omega / (k * speed))) / omega, stick = 2 * d / (k * speed);
  const auto releases = events(run, EventKind::release), sticks = events(run, EventKind::stick);
  ASSERT_GE(releases.size(), 6u);
  for (std::size_t i = 0; i < releases.size(); ++i) {
    const double expected = 7.5 + static_cast<double>(i) * (slip + stick);
    EXPECT_NEAR(releases[i].time, expected, 1e-9);
    if (i < sticks.size()) {
      EXPECT_NEAR(sticks[i].time, expected + slip, 1e-9);
    }
  }
}

// A Stribeck velocity of 1e-9 in its place made four changes of direction within a microsecond of each release.
TEST(CoulombBreakaway, ReleasesOnceAndDoesNotTurnRoundAtARelease) {
  for (const bool exact : {true, false}) {
    auto options = until(60);
    options.in_closed_form = exact;
    const auto run = make_friction("coulomb-breakaway", values)->simulate(pulled(), options);
    EXPECT_EQ(events(run, EventKind::direction_change).size(), 0u);
    double last = -1;
    for (const Event& e : run.events) {
      if (e.kind == EventKind::input_breakpoint) continue;
      EXPECT_GT(e.time - last, 0.1) << e.time;
      last = e.time;
    }
  }
}

// At the release the force on the body jumps from 0 to (p − 1) F_C: under a ramp of slope r it has moved d t²/2 + r t³/6.
TEST(CoulombBreakaway, AcceleratesAtOnceWithWhatTheJumpLeaves) {
  const auto run = make_friction("coulomb-breakaway", values)->simulate(forced(Signal::ramp(0.5)), until(4));
  EXPECT_NEAR(run.position, 0.5 * 0.5 * 1 + 0.5 / 6, 1e-10);
}

// A peak of 1 is Coulomb friction with viscosity.
TEST(CoulombBreakaway, WithAPeakOfOneIsCoulombViscous) {
  const auto a = make_friction("coulomb-breakaway", {{"coulomb_force", 1.0}, {"viscosity", 0.4}, {"peak", 1.0}})
                     ->simulate(pulled(), until(30, 0.1));
  const auto b = make_friction("coulomb-viscous", {{"coulomb_force", 1.0}, {"viscosity", 0.4}})
                     ->simulate(pulled(), until(30, 0.1));
  EXPECT_EQ(largest_difference(a.samples.position, b.samples.position), 0);
}

// A Stribeck curve that fades over ever less speed comes ever closer, and its peak takes no time in the limit.
TEST(CoulombBreakaway, IsTheLimitOfANarrowStribeckCurve) {
  const auto jump = make_friction("coulomb-breakaway", {{"coulomb_force", 1.0}, {"peak", 1.5}, {"viscosity", 0.4}})
                        ->simulate(pulled(), until(25, 0.05));
  double before = HUGE_VAL;
  for (const double narrow : {1e-3, 1e-4, 1e-5}) {
    const auto run =
        make_friction(
            "stribeck",
            {{"coulomb_force", 1.0}, {"stiction_force", 1.5}, {"stribeck_velocity", narrow}, {"viscosity", 0.4}})
            ->simulate(pulled(), until(25, 0.05));
    const double off = largest_difference(run.samples.position, jump.samples.position);
    EXPECT_LT(off, 0.25 * before) << narrow;  // with v_S^(2/3): how soon a ramp leaves the peak
    before = off;
  }
  EXPECT_LT(before, 3e-3);
}

TEST(CoulombBreakaway, RefusesAPeakBelowOne) {
  EXPECT_EQ(refusal_of([] {
              make_friction("coulomb-breakaway", {{"coulomb_force", 1.0}, {"peak", 0.9}});
            }),
            "coulomb-breakaway: peak is 0.9; it must be at least 1: breakaway cannot be below the sliding level");
}

}  // namespace
}  // namespace stickslip::coulomb_breakaway_test
