#include "identification/laws/maxwell_fit.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "identification/judging/confidence.hpp"
#include "identification/recordings.hpp"
#include "identification/search/published_search.hpp"

namespace stickslip::maxwell_fit_test {
namespace {

const std::vector<double> known_thresholds{2e-6, 5e-6, 12e-6}, known_stiffnesses{8e4, 5e4, 2e4};

FromExtreme three_operators(std::size_t count, std::uint64_t seed) {
  FromExtreme known = motion_from_extreme(count, 25e-6, seed);
  add_maxwell_slip(known.recording, known.start.direction, known_thresholds, known_stiffnesses);
  add_noise(known.recording, 0.2e-3, seed + 1000);
  return known;
}

TEST(MaxwellFit, ThreeOperatorsUnderNoiseComeBackInEveryOfTwentySeeds) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const FromExtreme known = three_operators(10000, seed);
    MaxwellProblem problem(known.recording.view(), {.operators = 3},
                           threshold_bounds(known.recording.position, known.start), known.start.direction);
    const Refined found = fit_maxwell(problem);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(found.searched[i] / known_thresholds[i], 1, 2e-4) << "seed " << seed;
      EXPECT_NEAR(found.solved[i] / known_stiffnesses[i], 1, 2e-4) << "seed " << seed;
    }
  }
}

// With an operator to spare the best is no worse than without it, and last digits of the recording change nothing: or the ranking of laws
// would depend on them.
TEST(MaxwellFit, AnOperatorToSpareIsNoWorseWhateverTheLastDigits) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    FromExtreme known = three_operators(3000, seed);
    const auto cost_with = [&](std::size_t operators) {
      MaxwellProblem problem(known.recording.view(), {.operators = operators},
                             threshold_bounds(known.recording.position, known.start), known.start.direction);
      return fit_maxwell(problem).cost;
    };
    const double least = cost_with(3), spare = cost_with(4);
    EXPECT_LE(spare, (1 + 3e-4) * least) << "seed " << seed;
    Random random(seed);
    for (double& f : known.recording.force) f *= 1 + 1e-9 * random.normal();
    EXPECT_LE(cost_with(4), (1 + 3e-4) * least) << "seed " << seed << ", other digits";
  }
}

// Each of the 95 % intervals of 7 parameters over 40 seeds: 280 claims, of which 266 should hold; fewer than 252 or
// more than 277 have a chance below 1 in 1000 if the claims are true.
TEST(MaxwellFit, IntervalsCoverTheTruthAsOftenAsTheySay) {
  int held = 0, claims = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const FromExtreme known = three_operators(3000, seed);
    MaxwellProblem problem(known.recording.view(), {.operators = 3}, {.lowest = 1e-7, .highest = 20e-6},
                           known.start.direction);
    const Refined found = fit_maxwell(problem, {.grid = 24, .kicks = 0});
    SeparableFit fit(problem);
    const Confidence c = confidence(fit, found);
    std::vector<double> truth = known_stiffnesses;
    truth.push_back(0);
    truth.insert(truth.end(), known_thresholds.begin(), known_thresholds.end());
    for (std::size_t i = 0; i < truth.size(); ++i, ++claims)
      held += c.estimates[i].low <= truth[i] && truth[i] <= c.estimates[i].high;
    EXPECT_NEAR(c.noise / 0.2e-3, 1, 0.06);
    EXPECT_LT(std::fabs(c.correlation), 0.08);
  }
  EXPECT_EQ(claims, 280);
  EXPECT_GE(held, 252);
  EXPECT_LE(held, 277);
}

TEST(MaxwellFit, VerdictsNameWhatTheRecordingCannotTell) {
  const FromExtreme known = three_operators(3000, 3);
  const MaxwellBounds bounds = threshold_bounds(known.recording.position, known.start);
  MaxwellProblem problem(known.recording.view(), {.operators = 3}, bounds, known.start.direction);
  SeparableFit fit(problem);
  const Confidence good = confidence(fit, fit_maxwell(problem));
  for (const std::size_t i : {0u, 1u, 2u, 4u, 5u, 6u})
    EXPECT_EQ(good.estimates[i].verdict, Determination::well_determined);
  EXPECT_EQ(good.estimates[3].verdict, Determination::weak) << "the offset is 0: its error is larger than itself";

  // Two operators almost in one place: only their sum is known.
  Refined doubled;
  doubled.searched = {2e-6, 5e-6, 5.00001e-6};
  doubled.solved.resize(4);
  doubled.cost = fit.cost(doubled.searched);
  doubled.solved = {8e4, 2.5e4, 2.5e4, 0};
  const Confidence bad = confidence(fit, doubled);
  EXPECT_EQ(bad.estimates[1].verdict, Determination::not_separable);
  EXPECT_EQ(bad.estimates[1].partner, "stiffness 3");
}

// Forward differences of the predicted force over a step small against the thresholds and large against rounding.
TEST(MaxwellProblem, SlopesAreThoseOfTheForce) {
  const FromExtreme known = motion_from_extreme(600, 25e-6, 2);
  for (const bool extended : {false, true}) {
    MaxwellOrder order{.operators = 2};
    if (extended) order = {.operators = 2, .deflection_lags = 2, .position_lags = 1};
    MaxwellProblem problem(known.recording.view(), order, {.lowest = 1e-7, .highest = 2e-5}, known.start.direction);
    const auto q = static_cast<Eigen::Index>(problem.solved().size());
    std::vector<double> theta;
    for (Eigen::Index j = 0; j < q; ++j) theta.push_back(1e4 * static_cast<double>(1 + j));
    theta.back() = 0;  // a large offset would drown the differences in rounding
    SeparableFit fit(problem);
    std::vector<double> here(problem.rows()), there(problem.rows());
    const std::vector<double> at{3e-6, 8e-6};
    fit.predict(at, theta, here);
    for (std::size_t k = 0; k < 2; ++k) {
      std::vector<double> moved = at;
      moved[k] += 1e-14;
      fit.predict(moved, theta, there);
      problem.start_with_slopes(at, theta);
      Eigen::MatrixXd block(block_rows, q + 3);
      int differ = 0;
      for (std::size_t row = 0; row < problem.rows();) {
        const auto count = static_cast<Eigen::Index>(std::min<std::size_t>(problem.rows() - row, block_rows));
        problem.next(count, block);
        for (Eigen::Index i = 0; i < count; ++i, ++row) {
          const double slope = block(i, q + static_cast<Eigen::Index>(k));
          differ += std::fabs((there[row] - here[row]) / 1e-14 - slope) > 0.02 * (std::fabs(slope) + 1e4);
        }
      }
      EXPECT_EQ(differ, 0) << extended << " " << k;
    }
  }
}

// Rizos and Fassois' lags and our differences are the same model: the model file, run sample by sample, gives the fitted force.
TEST(MaxwellFit, TheModelFileOfAnExtendedFitGivesTheFittedForce) {
  KnownRecording r = random_motion(20000, 60e-6, 5);
  add_gms(r, ten_elements());
  const auto start = dominant_extreme(std::span<const double>(r.position).first(10000));
  const MotionForce data = r.view().part(start.index, 4000);
  MaxwellProblem problem(data, {.operators = 3, .deflection_lags = 3, .position_lags = 2},
                         threshold_bounds(r.position, start), start.direction);
  const Refined found = fit_maxwell(problem, {.grid = 16, .kicks = 0});
  SeparableFit fit(problem);
  std::vector<double> fitted(problem.rows());
  fit.predict(found.searched, found.solved, fitted);

  const auto model = extended_maxwell_slip_model(problem, found.searched, found.solved, 1.0 / 2500);
  EXPECT_EQ(extended_maxwell_slip::refusal(model), "");
  extended_maxwell_slip::Deflections deflection{};
  for (std::size_t i = 0; i < 3; ++i) deflection[i] = number(start.direction) * found.searched[i];
  Contact<double> c;
  c.position = data.position[0];
  auto memory = extended_maxwell_slip::start_in(model, deflection, c);
  for (std::size_t t = 1; t < data.size(); ++t) {
    extended_maxwell_slip::take_sample(model, memory, deflection, data.position[t]);
    if (t < problem.past()) continue;
    ASSERT_NEAR(memory.force, fitted[t - problem.past()], 1e-7) << t;
  }
}

TEST(MaxwellFit, NoWorseThanThePublishedSearchInAFractionOfItsCosts) {
  KnownRecording r = random_motion(20000, 60e-6, 7);
  add_gms(r, ten_elements());
  add_noise(r, 2e-3, 5);
  const auto start = dominant_extreme(std::span<const double>(r.position).first(15000));
  const MotionForce data = r.view().part(start.index, 4000);
  MaxwellProblem problem(data, {.operators = 4}, threshold_bounds(r.position, start), start.direction);
  const Refined ours = fit_maxwell(problem);
  SeparableFit fit(problem);
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const Refined published = search_as_published(fit, {.exploring = {.seed = seed}, .fine = {}});
    EXPECT_LE(ours.cost, published.cost * (1 + 1e-6)) << seed;
    EXPECT_LT(5 * ours.evaluations, published.evaluations);
  }
}

TEST(MaxwellFit, SameInputSameBytes) {
  const FromExtreme known = three_operators(2000, 9);
  const MaxwellBounds bounds = threshold_bounds(known.recording.position, known.start);
  MaxwellProblem problem(known.recording.view(), {.operators = 3}, bounds, known.start.direction);
  const Refined once = fit_maxwell(problem), again = fit_maxwell(problem);
  EXPECT_EQ(once.searched, again.searched);
  EXPECT_EQ(once.solved, again.solved);
}

TEST(MaxwellProblem, RefusesOrdersAndBoundsWithoutSense) {
  const FromExtreme known = three_operators(500, 9);
  const MotionForce data = known.recording.view();
  const MaxwellBounds bounds{.lowest = 1e-7, .highest = 1e-5};
  const auto message = [&](MaxwellOrder order, MaxwellBounds b) -> std::string {
    try {
      MaxwellProblem(data, order, b, Direction::forward);
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(message({.operators = 0}, bounds), "maxwell-slip regression: 0 operators; at least 1 is needed");
  EXPECT_EQ(message({.operators = 2, .deflection_lags = 4}, bounds),
            "maxwell-slip regression: n = 4; at most 3 past deflections are supported");
  EXPECT_EQ(message({.operators = 2}, {.lowest = 0, .highest = 1}),
            "maxwell-slip regression: thresholds need bounds with 0 < lowest < highest");
}

}  // namespace
}  // namespace stickslip::maxwell_fit_test
