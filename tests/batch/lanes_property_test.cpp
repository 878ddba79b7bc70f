/// Random runs in lanes: every one ends, and it is what a run alone gives.
///
/// The reference is the solver of one run at its usual tolerance. Where that run moved by a start shifted by 1e-10 of the scale comes
/// out elsewhere, the motion depends on rounding (a body that comes to rest exactly where it would turn); such cases are counted and
/// must stay rare.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "batch/batch.hpp"
#include "machines/one_body/body_motion.hpp"
#include "support/cases.hpp"
#include "support/random_one_body.hpp"

namespace stickslip::lanes_property_test {
namespace {

using test::Draw;

/// A body and what its run is measured by.
template <template <class> class Model>
struct Drawn {
  BatchCase<Model> one;
  double length = 1;
};

void draw_friction(Draw& draw, double level, double viscosity, double, coulomb_viscous::Model<double>& m) {
  m.coulomb_force = level * draw.uniform(0.5, 2), m.viscosity = viscosity;
}
void draw_friction(Draw& draw, double level, double viscosity, double speed, stribeck::Model<double>& m) {
  m.coulomb_force = level, m.stiction_force = level * draw.uniform(1, 2), m.viscosity = viscosity;
  m.stribeck_velocity = speed * draw.logarithmic(1e-2, 1), m.stribeck_exponent = 2;
}

/// All runs of a batch end at 1 s; the bodies' own times are shares and multiples of it.
template <template <class> class Model>
Drawn<Model> drawn(std::uint64_t seed) {
  Draw draw(seed);
  Drawn<Model> d;
  BatchBody& b = d.one.body;
  const double frequency = draw.logarithmic(0.3, 200), force = draw.logarithmic(1e-2, 1e2);
  b.mass = draw.logarithmic(1e-2, 1e2);
  b.stiffness = b.mass * frequency * frequency;
  d.length = force / b.stiffness;
  const double speed = d.length * frequency, damping = 2 * b.mass * frequency;
  const double ratio = draw.any(std::array{0.0, 1e-9, 0.3, 0.70710678118654752, 1.0, 3.0});
  const bool shared = draw.chance(0.5);
  b.damping = shared ? 0 : ratio * damping;
  if (draw.chance(0.6))
    b.pull_speed = draw.sign() * speed * draw.logarithmic(1e-2, 10);
  else
    b.force = draw.sign() * force * draw.uniform(0, 3), b.force_rate = draw.sign() * force * draw.logarithmic(0.1, 10);
  if (draw.chance(0.5)) b.position = draw.uniform(-2, 2) * d.length, b.velocity = draw.uniform(-2, 2) * speed;
  draw_friction(draw, force * draw.logarithmic(1e-2, 2), shared ? ratio * damping : 0, speed, d.one.friction);
  return d;
}

template <template <class> class Model>
double alone(const BatchCase<Model>& one, double shift) {
  Body body;
  const BatchBody& b = one.body;
  body.mass = b.mass;
  body.drive = {b.pull_speed != 0 ? DriveKind::pulled_spring : DriveKind::wall_spring, b.stiffness, b.damping, 0,
                b.pull_speed != 0 ? Signal::ramp(b.pull_speed) : Signal(b.force) + Signal::ramp(b.force_rate)};
  body.position = b.position + shift, body.velocity = b.velocity;
  Varied<Model> friction;
  friction.forward = friction.backward = one.friction;
  SimulationOptions options;
  options.end = 1, options.relative_tolerance = 1e-11, options.absolute_tolerance = 1e-14 * std::fabs(shift) * 1e10;
  const auto run = run_body<LawOf<Model>>(body, friction, options);
  return run.stop == Stop::finished ? run.position : std::nan("");
}

template <template <class> class Model>
void expect_lanes_as_alone(std::uint64_t seed, std::size_t count) {
  std::vector<BatchCase<Model>> cases;
  std::vector<double> length;
  for (std::size_t i = 0; i < count; ++i) {
    const auto d = drawn<Model>(seed + i);
    cases.push_back(d.one), length.push_back(d.length);
  }
  // A tolerance that every scale of the batch can live with: the shortest length counts.
  std::vector<BatchResult> results(count);
  simulate_batch(cases, {.end = 1, .relative_tolerance = 1e-10, .absolute_tolerance = 1e-15}, results);
  std::size_t undetermined = 0;
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_EQ(results[i].stop, Stop::finished) << "case " << i << ": " << name_of(results[i].stop);
    const double reference = alone(cases[i], 1e-10 * length[i]);
    const double covered =
        std::fabs(reference - cases[i].body.position) + std::fabs(cases[i].body.pull_speed) + length[i];
    if (std::fabs(results[i].position - reference) <= 1e-6 * covered) continue;
    const double other = alone(cases[i], -1e-10 * length[i]);
    if (std::fabs(other - reference) > 1e-8 * covered) {
      ++undetermined;
      continue;
    }
    const BatchBody& b = cases[i].body;
    ADD_FAILURE() << "case " << i << ": " << results[i].position << " in a lane, " << reference << " alone; mass "
                  << b.mass << ", stiffness " << b.stiffness << ", damping " << b.damping << ", pull " << b.pull_speed
                  << ", force " << b.force << " + " << b.force_rate << " t, start " << b.position << ", " << b.velocity
                  << ", level " << cases[i].friction.coulomb_force << ", viscosity " << cases[i].friction.viscosity;
  }
  std::printf("%zu of %zu undetermined\n", undetermined, count);
  EXPECT_LE(undetermined, count / 100 + 2);
}

TEST(LanesProperty, AreWhatARunAloneGives) {
  expect_lanes_as_alone<coulomb_viscous::Model>(1'000'000, test::cases(1000));
  expect_lanes_as_alone<stribeck::Model>(2'000'000, test::cases(1000));
}

/// Numbers of any size: every lane ends within its steps and says how.
TEST(LanesProperty, EveryLaneEnds) {
  const std::size_t count = test::cases(2000);
  std::vector<BatchCase<stribeck::Model>> cases;
  for (std::size_t i = 0; i < count; ++i) {
    Draw draw(5'000'000 + i);
    auto one = drawn<stribeck::Model>(3'000'000 + i).one;
    BatchBody& b = one.body;
    for (double* x : {&b.mass, &b.stiffness, &b.damping, &b.pull_speed, &b.force, &b.velocity, &one.friction.viscosity})
      if (draw.chance(0.2)) *x = draw.logarithmic(1e-30, 1e30);
    cases.push_back(one);
  }
  // So many of a hundred finish with 5000 steps each; steps that do not grow as they may cost a third of them.
  const std::vector<std::pair<double, double>> usual{{1e-9, 96}, {1, 86}, {1e6, 56}};
  const double chance = 150 / std::sqrt(static_cast<double>(count));
  for (const auto& [end, share] : usual) {
    std::vector<BatchResult> results(count);
    simulate_batch(cases, {.end = end, .relative_tolerance = 1e-6, .most_steps = 5000}, results);
    std::size_t finished = 0;
    for (const BatchResult& r : results) {
      finished += r.stop == Stop::finished;
      EXPECT_LE(r.steps + r.rejected, 5000);
      EXPECT_TRUE(r.stop != Stop::finished || r.time == end);
    }
    std::printf("%zu of %zu lanes finished %g s\n", finished, count, end);
    EXPECT_GT(100 * static_cast<double>(finished) / static_cast<double>(count), share - chance) << end << " s";
  }
}

/// A lane whose steps lead nowhere says so long before its steps are used up.
TEST(Lanes, StepsThatLeadNowhereAreAnOutcome) {
  BatchCase<lugre::Model> stiff;
  stiff.friction = {{1, 1.5, 1e-3, 2, StribeckForm::exponential}, 1e20, 0, 0.4};
  stiff.body = {.mass = 1, .stiffness = 2, .pull_speed = 0.1, .state = 1e-15};
  std::vector<BatchResult> results(1);
  simulate_batch(std::vector{stiff}, {.end = 10, .relative_tolerance = 1e-9, .most_steps = 2e7}, results);
  EXPECT_EQ(results[0].stop, Stop::no_progress) << name_of(results[0].stop);
  EXPECT_LT(results[0].steps + results[0].rejected, 4e6);
}

/// A run of a nanosecond once ended at its first step, which was short beside a second.
TEST(Lanes, ShortRunsFinish) {
  BatchCase<coulomb_viscous::Model> one;
  one.friction.coulomb_force = 1;
  one.body = {.mass = 1, .stiffness = 2, .velocity = 3};
  std::vector<BatchResult> results(1);
  simulate_batch(std::vector{one}, {.end = 1e-9}, results);
  EXPECT_EQ(results[0].stop, Stop::finished);
  EXPECT_NEAR(results[0].position, 3e-9, 1e-15);
}

}  // namespace
}  // namespace stickslip::lanes_property_test
