#include "identification/judging/fit_honesty.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "identification/identify_recordings.hpp"
#include "identification/laws/model_fit.hpp"

namespace stickslip::fit_honesty_test {
namespace {

// Tables of the chi-squared distribution: 3.841 and 18.307 are the 95 % points of 1 and 10 degrees; with 2 degrees the
// distribution is exponential.
TEST(FitHonesty, ChiSquaredIsThatOfTheTables) {
  EXPECT_NEAR(chi_squared_beyond(3.841458820694124, 1), 0.05, 1e-9);
  EXPECT_NEAR(chi_squared_beyond(18.307038053275146, 10), 0.05, 1e-9);
  for (const double x : {0.1, 1.0, 5.0, 30.0}) EXPECT_NEAR(chi_squared_beyond(x, 2) / std::exp(-0.5 * x), 1, 1e-9);
}

Eigen::VectorXd noise(Eigen::Index count, double memory, std::uint64_t seed) {
  Random random(seed);
  Eigen::VectorXd e(count);
  double last = random.normal() / std::sqrt(1 - memory * memory);
  for (Eigen::Index i = 0; i < count; ++i) e[i] = last = memory * last + random.normal();
  return e;
}

// Errors that remember a share a of the last one have ρ_k = a^k, so τ = (1 + a)/(1 − a).
TEST(FitHonesty, CorrelationTimeOfErrorsWithMemory) {
  EXPECT_NEAR(correlation_time(noise(100000, 0.0, 1)), 1, 0.1);
  EXPECT_NEAR(correlation_time(noise(100000, 0.8, 2)), 9, 1);
}

TEST(FitHonesty, WhiteErrorsPassAndColouredOnesDoNot) {
  int passed = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) passed += whiteness(noise(2000, 0, seed)) > 0.05;
  EXPECT_GE(passed, 88);  // 95 on average; fewer than 88 has a chance below 1 in 300
  EXPECT_LT(whiteness(noise(2000, 0.3, 1)), 1e-6);
}

const ParameterValues plain{{"coulomb_force", 3.0}, {"viscosity", 80.0}};

IdentifiedModel fitted(std::uint64_t seed, IdentifyOptions options = {}) {
  options.models = {"coulomb-viscous"};
  options.threads = 1;
  return identify(recorded("coulomb-viscous", plain, {.count = 2000, .seed = seed}, 0.1), options).models[0];
}

// 3 intervals of 95 % over 60 recordings: 171 of 180 should hold; below 160 has a chance under 1 in 1000.
/// Noise of an acceleration is blue: over many samples less of it is left than of white noise. What is surely white, the force's noise,
/// bounds a standard error from below; where that is not known, all of it.
TEST(FitHonesty, BlueErrorsCountLessThanWhiteOnesButTheWhitePartStays) {
  Sensitivity s;
  s.keys = {"level"}, s.values = {1}, s.at_bound = {false};
  s.products = Eigen::MatrixXd::Constant(1, 1, 100);
  s.cost = 400, s.rows = 101;                              // standard deviation 2
  s.scores = Eigen::MatrixXd::Constant(1, 1, 100 * 0.25);  // of which 0.5 is left in sums
  EXPECT_NEAR(confidence(s).estimates[0].standard_error, 0.2, 1e-12);
  s.white_noise = 1;
  EXPECT_NEAR(confidence(s).estimates[0].standard_error, 0.1, 1e-12);
  s.white_noise = 0.2;
  EXPECT_NEAR(confidence(s).estimates[0].standard_error, 0.05, 1e-12);
  s.scores *= 100;  // correlated errors raise it, whatever is white
  EXPECT_NEAR(confidence(s).estimates[0].standard_error, 0.5, 1e-12);
}

TEST(FitHonesty, IntervalsCoverTheTruthAsOftenAsTheySay) {
  int held = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const IdentifiedModel m = fitted(seed);
    for (const auto& [key, truth] :
         std::vector<std::pair<std::string, double>>{{"coulomb_force", 3}, {"viscosity", 80}, {"chain.offset", 0}})
      for (const Estimate& e : m.confidence.estimates)
        if (e.key == key) held += e.low <= truth && truth <= e.high;
  }
  EXPECT_GE(held, 160);
  EXPECT_LE(held, 180);
}

TEST(FitHonesty, BootstrapAgreesWithTheCovarianceAndCoversTheTruth) {
  IdentifyOptions options;
  options.bootstrap = 60;
  int held = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const IdentifiedModel m = fitted(seed, options);
    ASSERT_EQ(m.bootstrap.estimates.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
      const Estimate &b = m.bootstrap.estimates[i], &c = m.confidence.estimates[i];
      EXPECT_NEAR(b.standard_error / c.standard_error, 1, 0.5) << b.key;
      const double truth = b.key == "coulomb_force" ? 3 : b.key == "viscosity" ? 80 : 0;
      held += b.low <= truth && truth <= b.high;
    }
  }
  EXPECT_GE(held, 24);  // of 30, 28 on average
}

// The cost is a parabola in a parameter the force is linear in: its profile crosses the level exactly at ± 1.96 σ.
// The quick way of a repetition of the bootstrap against the slow one.
TEST(FitHonesty, ChordsEndWhereStepsWithNewSlopesDo) {
  const ParameterValues truth{{"bristle_stiffness", 2e5}, {"bristle_damping", 300.0}, {"viscosity", 80.0},
                              {"coulomb_force", 3.0},     {"stiction_force", 4.0},    {"stribeck_velocity", 2e-3}};
  const FitData data = fit_data(recorded("lugre", truth, {.count = 4000}, 0.05));
  SpaceOptions options;
  options.start = truth;
  const ModelSpace space(find_model("lugre"), data.scales, options);
  const ModelResiduals residuals(space, data);
  const ModelFit found = follow(residuals, space.guess());
  const ChordFit refit(residuals, found.y);
  const std::vector<double> measured = residuals.measured();
  int ended = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Random random(seed);
    std::vector<double> force = measured;
    for (double& f : force) f += 0.05 * random.normal();
    ModelResiduals again = residuals;
    again.measure(force);
    const ModelFit slow = follow(again, found.y, {.most_steps = 60, .least_gain = 1e-12});
    const auto quick = refit.by_chords(again, 1e-7);
    EXPECT_LE(refit(again, {.least_gain = 1e-7}).cost, slow.cost * (1 + 2e-6)) << seed;
    if (!quick) continue;
    ++ended;
    EXPECT_LE(quick->cost, slow.cost * (1 + 2e-6)) << seed;
  }
  EXPECT_GE(ended, 10);
}

// Estimated in one direction only, a level that follows the load, its factor and an offset are three numbers for two: the cost has
// a flat valley, along which the offset ran away, and the other direction was missed.
TEST(FitHonesty, OffsetStaysWhereOneDirectionCannotTellIt) {
  Prepared p = motion_of({.count = 4000});
  Random random(1);
  for (std::size_t i = 0; i < p.size(); ++i) {
    p.load.push_back(60 + 30 * std::sin(3 * p.time[i]));
    const double v = i == 0 ? 0 : p.velocity[i];
    p.force.push_back((v > 0 ? 0.05 : v < 0 ? -0.05 : 0.0) * p.load[i] + 0.01 * random.normal());
  }
  Sets sets = in_halves(p);
  SampleSet forward;
  for (std::size_t i = 1; i < p.size() / 2;) {
    std::size_t end = i;
    while (end < p.size() / 2 && p.position[end] > p.position[end - 1]) ++end;
    if (end > i + 2) forward.add({i, end - i});
    i = end + 1;
  }
  sets.pieces[0].estimation = forward;
  IdentifyOptions options;
  options.models = {"coulomb"};
  options.threads = 1;
  options.variations = {{.over = Quantity::load}};
  const IdentifiedModel m = identify(sets, options).models[0];
  EXPECT_NEAR(m.chain.offset, 0, 0.05);
  EXPECT_LT(m.test_rms, 0.05);
}

TEST(FitHonesty, ProfileOfALinearParameterIsItsCovarianceInterval) {
  IdentifyOptions options;
  options.profile = {"viscosity", "coulomb_force"};
  const IdentifiedModel m = fitted(3, options);
  ASSERT_EQ(m.profiles.size(), m.parameters);  // the two that were asked for, then the others
  for (const Profile& p : m.profiles)
    for (const Estimate& e : m.confidence.estimates)
      if (e.key == p.key) {
        EXPECT_NEAR((p.low - e.low) / e.standard_error, 0, 0.01) << p.key;
        EXPECT_NEAR((p.high - e.high) / e.standard_error, 0, 0.01) << p.key;
        EXPECT_GE(p.points.size(), 5u);
        EXPECT_EQ(shape_of(p, e.value), "a parabola");
      }
}

TEST(FitHonesty, WeakParametersComeWithATestThatWouldHelp) {
  // Only fast sliding: nothing about the Stribeck velocity can be seen.
  Prepared p = motion_of({.count = 2000});
  for (std::size_t i = 0; i < p.size(); ++i) p.position[i] = 0.02 * std::sin(40 * p.time[i]);
  give_force(
      p,
      *make_friction(
          "lugre",
          {{"bristle_stiffness", 1e6}, {"coulomb_force", 3.0}, {"stiction_force", 4.0}, {"stribeck_velocity", 1e-4}}),
      0.05);
  const IdentifiedModel m = identify(in_halves(std::move(p)), {.models = {"lugre"}}).models[0];
  bool said = false;
  for (const std::string& a : m.advice) said = said || a.find("stribeck_velocity") != std::string::npos;
  EXPECT_TRUE(said);
  for (const Estimate& e : m.confidence.estimates) {
    if (e.key == "stribeck_velocity") {
      EXPECT_NE(e.verdict, Determination::well_determined);
    }
  }
}

}  // namespace
}  // namespace stickslip::fit_honesty_test
