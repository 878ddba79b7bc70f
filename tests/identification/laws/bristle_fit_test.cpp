#include "identification/laws/bristle_fit.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "identification/judging/confidence.hpp"
#include "identification/laws/maxwell_fit.hpp"
#include "identification/recordings.hpp"
#include "identification/search/published_search.hpp"

namespace stickslip::bristle_fit_test {
namespace {

lugre::Model<double> known_lugre() {
  lugre::Model<double> m;
  m.bristle_stiffness = 6e4;
  m.bristle_damping = 30;
  m.viscosity = 10;
  m.coulomb_force = 0.48;
  m.stiction_force = 0.72;
  m.stribeck_velocity = 6e-4;
  m.stribeck_exponent = 1.6;
  m.stribeck_form = StribeckForm::rational;
  return m;
}

/// The force of the model file itself, step by step.
void add_lugre(KnownRecording& r, std::span<const double> velocity, const lugre::Model<double>& m, double z) {
  for (std::size_t i = 0; i < r.position.size(); ++i) {
    Contact<double> c;
    c.velocity = velocity[i];
    if (i > 0) z = lugre::hold(m, z, c, r.time[i] - r.time[i - 1]);
    r.force[i] += lugre::force(m, z, lugre::rate(m, z, c), c);
  }
}

struct Known {
  FromExtreme motion;
  std::vector<double> velocity;
};
Known lugre_recording(std::size_t count, std::uint64_t seed) {
  Known k{motion_from_extreme(count, 100e-6, seed), {}};
  auto& r = k.motion.recording;
  k.velocity = difference_velocity(r.time, r.position, 400);
  add_lugre(r, k.velocity, known_lugre(), number(k.motion.start.direction) * 8e-6);
  return k;
}

// Without noise everything comes back: nine parameters from one motion.
TEST(BristleFit, AKnownLuGreComesBack) {
  const Known known = lugre_recording(6000, 3);
  BristleProblem problem(known.motion.recording.view(), known.velocity, known.motion.start.direction);
  const Refined found = fit_bristle(problem);
  const auto m = lugre_model(found.searched, found.solved), truth = known_lugre();
  EXPECT_NEAR(m.bristle_stiffness / truth.bristle_stiffness, 1, 1e-5);
  EXPECT_NEAR(m.bristle_damping / truth.bristle_damping, 1, 1e-4);
  EXPECT_NEAR(m.viscosity / truth.viscosity, 1, 1e-4);
  EXPECT_NEAR(m.coulomb_force / truth.coulomb_force, 1, 1e-4);
  EXPECT_NEAR(m.stiction_force / truth.stiction_force, 1, 1e-4);
  EXPECT_NEAR(m.stribeck_velocity / truth.stribeck_velocity, 1, 1e-4);
  EXPECT_NEAR(m.stribeck_exponent / truth.stribeck_exponent, 1, 1e-4);
}

// Intervals of 9 parameters over 20 seeds: 180 claims of 95 %, 171 should hold; below 160 has a chance under 1 in 1000.
TEST(BristleFit, IntervalsCoverTheTruthAsOftenAsTheySay) {
  Known known = lugre_recording(3000, 4);
  auto& r = known.motion.recording;
  const std::vector<double> exact = r.force;
  const double side = number(known.motion.start.direction);
  const std::vector<double> truth{6e4, 30, 10, 0, side * 8e-6, 8e-6, 4e-6, 6e-4, 1.6};
  int held = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    r.force = exact;
    add_noise(r, 1e-3, seed);
    BristleProblem problem(r.view(), known.velocity, known.motion.start.direction);
    SeparableFit fit(problem);
    const Refined found = fit_bristle(problem);
    const Confidence c = confidence(fit, found);
    for (std::size_t i = 0; i < truth.size(); ++i)
      held += c.estimates[i].low <= truth[i] && truth[i] <= c.estimates[i].high;
  }
  EXPECT_GE(held, 160);
  EXPECT_LT(held, 180);
}

TEST(BristleFit, NoWorseThanThePublishedSearch) {
  Known known = lugre_recording(3000, 5);
  add_noise(known.motion.recording, 2e-3, 8);
  BristleProblem problem(known.motion.recording.view(), known.velocity, known.motion.start.direction);
  const Refined ours = fit_bristle(problem);
  SeparableFit fit(problem);
  const Refined published = search_as_published(fit);
  EXPECT_LE(ours.cost, published.cost * (1 + 1e-6));
  EXPECT_LT(20 * ours.evaluations, published.evaluations);
}

struct Ranking {
  double bristle, plain, extended;  // NOE of the test set [%]
};
Ranking ranking(double half) {
  KnownRecording r = random_motion(60000, half, 7);
  add_gms(r, ten_elements());
  add_noise(r, 2e-3, 5);
  const auto start = dominant_extreme(std::span<const double>(r.position).first(30000));
  const MotionForce all = r.view().part(start.index, r.position.size() - start.index), estimation = all.part(0, 5000);
  const auto velocity = difference_velocity(r.time, r.position, 400);
  const auto rest = std::span<const double>(velocity).subspan(start.index);
  const auto noe = [&](SeparableProblem& whole, const Refined& found) {
    SeparableFit fit(whole);
    std::vector<double> modelled(whole.rows());
    fit.predict(found.searched, found.solved, modelled);
    constexpr std::size_t test_set = 20000;
    return fit_quality(all.force.last(test_set), std::span<const double>(modelled).last(test_set)).noe;
  };
  Ranking out{};
  BristleProblem bristle(estimation, rest.first(5000), start.direction), bristle_whole(all, rest, start.direction);
  out.bristle = noe(bristle_whole, fit_bristle(bristle));
  const MaxwellBounds bounds = threshold_bounds(r.position, start);
  const auto maxwell = [&](MaxwellOrder order) {
    MaxwellProblem part(estimation, order, bounds, start.direction), whole(all, order, bounds, start.direction);
    return noe(whole, fit_maxwell(part, {.grid = 24, .kicks = 8}));
  };
  out.plain = maxwell({.operators = 4});
  out.extended = maxwell({.operators = 4, .deflection_lags = 3, .position_lags = 2});
  return out;
}

// The ranking follows the data: presliding favours operators with memory, gross sliding the velocity-dependent bristle.
TEST(BristleFit, RanksBehindMaxwellSlipInPreslidingAndBeforeItInGrossSliding) {
  const Ranking small = ranking(60e-6), large = ranking(600e-6);
  EXPECT_LT(small.extended, small.plain);
  EXPECT_LT(small.plain, small.bristle);
  EXPECT_LT(large.bristle, large.plain);
}

TEST(BristleProblem, RefusesAStandstill) {
  const std::vector<double> time{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, still(16, 1.0), zero(16, 0.0);
  try {
    BristleProblem({time, still, zero}, zero, Direction::forward);
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "lugre regression: the position never changes; record a motion");
  }
}

}  // namespace
}  // namespace stickslip::bristle_fit_test
