/// How often the truth lies inside the 95 % intervals of identify(), over recordings of known machines. 8 or 10 recordings
/// each; STICKSLIP_CASES=100 or more (scripts/properties) makes 100. scripts/coverage makes the table of docs/coverage.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>

#include "core/text.hpp"
#include "coverage/coverage_machines.hpp"
#include "files/whole_file.hpp"
#include "generate/generate.hpp"
#include "identification/identify.hpp"
#include "identification/identify_recordings.hpp"
#include "identification/judging/twin.hpp"
#include "recording/made_recordings.hpp"
#include "support/cases.hpp"

namespace stickslip::coverage_test {
namespace {

constexpr std::size_t full_number = 100;  // recordings of a machine

using namespace test;

struct Count {
  std::size_t inside = 0, all = 0;
  double sum = 0, truth = 0, squares = 0;  // squares: of the errors over those that the intervals promise
  double share() const { return 100 * static_cast<double>(inside) / static_cast<double>(all); }
};

/// Prints the counts per parameter and expects at least 92 % of all true values inside. With fewer than the full number of
/// recordings chance is allowed for: three standard deviations of a share of 92 %, where the values of one recording hang
/// together and half of them count.
void expect_coverage(const std::string& machine, const std::string& model, const Recorder& record, std::size_t usual) {
  const std::size_t recordings = std::min(test::cases(usual), full_number);
  std::map<std::string, Count> counts;
  Count total;
  for (std::uint64_t seed = 1; seed <= recordings; ++seed) {
    const Generated g = record(seed, 0);
    IdentifyOptions options;
    options.models = {model};
    options.threads = 1;
    const Identification found = identify(split_by_time(prepare(recording_of(g), {.mass = g.mass})), options);
    for (const Estimate& e : found.models[found.recommended].confidence.estimates) {
      Count& c = counts[e.key];
      c.truth = truth_of(g, e.key);
      const bool inside = e.low <= c.truth && c.truth <= e.high;
      c.inside += inside, total.inside += inside;
      ++c.all, ++total.all;
      c.sum += e.value;
      const double square = std::pow(1.96 * (e.value - c.truth) / std::max(0.5 * (e.high - e.low), 1e-300), 2);
      c.squares += square, total.squares += square;
    }
  }
  std::printf("| %s | %s | %zu of %zu | %.1f %% |", machine.c_str(), model.c_str(), total.inside, total.all,
              total.share());
  const auto ratio = [](const Count& c) { return std::sqrt(c.squares / static_cast<double>(c.all)); };
  std::printf(" errors are %.2f of those promised |", ratio(total));
  for (const auto& [key, c] : counts)
    std::printf(" %s %zu (mean %.6g, true %.6g, %.2f of the promised error)", key.c_str(), c.inside,
                c.sum / static_cast<double>(c.all), c.truth, ratio(c));
  std::printf("\n");
  const double independent = 0.5 * static_cast<double>(total.all);
  const bool is_full = recordings == full_number;
  EXPECT_GE(total.share(), is_full ? 92 : 92 - 300 * std::sqrt(0.92 * 0.08 / independent)) << machine << ", " << model;
}

TEST(CoverageProperty, ServoAxisWithLuGre) { expect_coverage("servo axis", "lugre", known_machine("servo-axis"), 8); }

TEST(CoverageProperty, PreslidingRigWithMaxwellSlip) {
  expect_coverage("presliding rig", "maxwell-slip(3)", known_machine("presliding"), 10);
}

TEST(CoverageProperty, PreslidingRigWithAnEncoder) {
  for (const double coarseness : {1.0, 10.0})
    expect_coverage(
        "presliding rig, encoder of " + shortest(coarseness) + " nm", "maxwell-slip(3)",
        [=](std::uint64_t seed, double) { return known_machine("presliding", 1e-9)(seed, coarseness); }, 6);
}

TEST(CoverageProperty, PidStageWithStribeck) {
  expect_coverage("PID stage", "stribeck", scenario("pid_stage.toml"), 10);
}

// Steps of some hundred micrometres with long rests between: the typical speed is that of the encoder's noise, a thousandth of the Stribeck
// velocity. The search once ended there, at 350 nm/s, with a Coulomb level of 10.8 ± 1.4 N for 8 N.
TEST(CoverageProperty, PidStageWithStepsAndLongRests) {
  expect_coverage("PID stage, steps", "stribeck", pid_steps(), 4);
}

TEST(CoverageProperty, PidStageWithCoulombAndViscosity) {
  expect_coverage("PID stage", "coulomb-viscous",
                  scenario("pid_stage.toml", law("coulomb-viscous", {{"coulomb_force", 8.0}, {"viscosity", 40.0}})),
                  10);
}

TEST(CoverageProperty, PulledSlideWithCoulombAndViscosity) {
  expect_coverage("pulled slide", "coulomb-viscous", scenario("pulled_slide.toml"), 10);
}

TEST(CoverageProperty, PulledSlideWithStribeck) {
  expect_coverage(
      "pulled slide", "stribeck",
      scenario(
          "pulled_slide.toml",
          law("stribeck",
              {{"coulomb_force", 15.0}, {"stiction_force", 22.0}, {"stribeck_velocity", 10e-3}, {"viscosity", 60.0}})),
      10);
}

/// What went wrong: near rest the low-pass mixes the inertia of sticking and sliding, and the fit took it for friction
/// (13 N and 76 N s/m on this slide).
TEST(Coverage, TheLowPassDoesNotTurnInertiaNearRestIntoFriction) {
  const Generated g = scenario("pulled_slide.toml")(1, 0);
  IdentifyOptions options;
  options.models = {"coulomb-viscous"};
  const Identification found = identify(split_by_time(prepare(recording_of(g), {.mass = g.mass})), options);
  const IdentifiedModel& m = found.models.front();
  for (const Estimate& e : m.confidence.estimates) {
    const double truth = truth_of(g, e.key);
    EXPECT_NEAR(e.value, truth, truth == 0 ? 0.1 : 0.01 * truth) << e.key;
  }
  EXPECT_GT(m.left_out, 0u);
  const std::string count = ": " + std::to_string(m.left_out) + " of ";
  EXPECT_TRUE(std::any_of(m.remarks.begin(), m.remarks.end(), [&](const std::string& remark) {
    return remark.find(count) != std::string::npos && remark.ends_with("are left out");
  })) << "a remark says how many samples are left out";
}

/// What went wrong: near rest only the forces at breakaway determine the height of the Stribeck peak of this slide, 24 N at
/// most; its stiction was found at 283 N, the bound of the search, in some recordings.
TEST(Coverage, BreakawayIsNotAboveTheForcesTheBodyWasTornOffWith) {
  const Recorder record = scenario(
      "pulled_slide.toml",
      law("stribeck",
          {{"coulomb_force", 15.0}, {"stiction_force", 22.0}, {"stribeck_velocity", 10e-3}, {"viscosity", 60.0}}));
  IdentifyOptions options;
  options.models = {"stribeck"};
  for (const std::uint64_t seed : {1u, 4u}) {
    const Generated g = record(seed, 0);
    const Identification found = identify(split_by_time(prepare(recording_of(g), {.mass = g.mass})), options);
    for (const Estimate& e : found.models.front().confidence.estimates) {
      if (e.key != "stiction_force") continue;
      EXPECT_LT(e.value, 26) << seed;
      EXPECT_LT(e.high, 26) << seed;
      EXPECT_GE(e.high, 22) << seed;
      EXPECT_LE(e.low, 22) << seed;
    }
  }
}

/// The twin misses by about as much as the method does: readings of 0.1 mm on a stage whose friction is known.
TEST(Coverage, TheTwinsErrorsAreOfTheSizeOfTheRealOnes) {
  const Recorder record =
      scenario("pid_stage.toml", law("coulomb-viscous", {{"coulomb_force", 8.0}, {"viscosity", 40.0}}));
  constexpr std::uint64_t recordings = 4;
  double made[2] = {0, 0}, foretold[2] = {0, 0};  // mean squares of Coulomb level and viscosity
  for (std::uint64_t seed = 1; seed <= recordings; ++seed) {
    const Generated g = record(seed, 100);
    const Sets sets = split_in_rounds(prepare(recording_of(g), {.mass = g.mass}));
    const FitData data = fit_data(sets);
    const ModelSpace space(find_model("coulomb-viscous"), data.scales, {});
    const ModelFit found = fit_model(space, data);
    const auto errors = twin_errors(sets, space, found, 6, seed, {.threads = 1});
    ASSERT_TRUE(errors.has_value());
    for (std::size_t k = 0; k < 2; ++k) {
      const Unknown& u = space.unknowns()[k];
      const auto i = static_cast<Eigen::Index>(k);
      made[k] += std::pow(u.value(found.y[k]) - truth_of(g, u.key), 2);
      foretold[k] += std::pow(errors->bias[i], 2) + errors->scatter(i, i);
    }
  }
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_GT(foretold[k] / made[k], 0.1) << k;
    EXPECT_LT(foretold[k] / made[k], 10) << k;
  }
}

/// What went wrong: the twin of a rig without mass and low-pass rounded its readings once more, which moved all of them together: no friction
/// feels that, and what rounding does to the parameters was missing (with readings of 10 nm, 28 of 40 offsets inside). A reading at which a
/// spring turns is wrong until it turns again.
TEST(Coverage, TheTwinOfARigRepeatsWhatRoundedReadingsDo) {
  const Recorder record = known_machine("presliding", 1e-9);
  const auto recordings = static_cast<std::uint64_t>(test::repetitions(8));
  for (const double coarseness : {1.0, 10.0}) {
    double ratios = 0, offsets = 0, all = 0;  // squared errors over those foretold
    for (std::uint64_t seed = 1; seed <= recordings; ++seed) {
      const Generated g = record(seed, coarseness);
      const Sets sets = split_in_rounds(prepare(recording_of(g), {}));
      const FitData data = fit_data(sets);
      SpaceOptions start;
      start.start = {{"thresholds", std::vector{2e-6, 5e-6, 12e-6}}, {"stiffnesses", std::vector{8e4, 5e4, 2e4}}};
      const ModelSpace space(find_model("maxwell-slip"), data.scales, start);
      const ModelFit found = fit_model(space, data, {.starts = 0, .followed = 0}, {space.guess()});
      const auto errors = twin_errors(sets, space, found, 12, seed, {.threads = 1});
      ASSERT_TRUE(errors.has_value());
      EXPECT_EQ(errors->repetitions, 60u);
      EXPECT_LE(errors->share_of_fit, 1);
      for (std::size_t k = 0; k < space.size(); ++k) {
        const Unknown& u = space.unknowns()[k];
        const auto i = static_cast<Eigen::Index>(k);
        const double ratio = std::pow(u.value(found.y[k]) - truth_of(g, u.key), 2) / errors->scatter(i, i);
        ratios += ratio, all += 1;
        if (u.key.ends_with("offset")) offsets += ratio;
      }
    }
    // A mean of 1 is expected; parameters of one recording hang together.
    EXPECT_GT(ratios / all, 0.5) << coarseness;
    EXPECT_LT(ratios / all, 1.8) << coarseness;
    const auto count = static_cast<double>(recordings);  // a mean of so many squares scatters by √(2/count)
    EXPECT_LT(offsets / count, 1 + 4 * std::sqrt(2 / count)) << coarseness;
  }
}

/// What went wrong: the twin's steps were read where their acceleration holds, an eighth of a sample before their friction. On this slide
/// that counted as a viscosity of three standard errors, and its interval was twice as wide as it is now.
TEST(Coverage, TheTwinHasNoViscosityOfItsOwnSteps) {
  const Generated g = scenario("pulled_slide.toml")(1, 0);
  const Sets sets = split_by_time(prepare(recording_of(g), {.mass = g.mass}));
  const FitData data = fit_data(sets);
  const ModelSpace space(find_model("coulomb-viscous"), data.scales, {});
  const ModelFit found = fit_model(space, data);
  const auto errors = twin_errors(sets, space, found, 12, 1, {.threads = 1});
  ASSERT_TRUE(errors.has_value());
  for (std::size_t k = 0; k < space.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    if (space.unknowns()[k].key == "viscosity") {
      EXPECT_LT(std::fabs(errors->bias[i]), 0.055) << "N s/m";  // 0.03; with straight lines between samples 0.07
    }
  }
}

/// What went wrong: a body pushed to and fro by steps of force. Where the low-pass mixes sticking and sliding it smears inertia of 47 N, and there
/// the law without a Stribeck curve erred less: it was recommended, with 20.6 +- 0.7 N, "well determined", for 19.61 N.
TEST(Coverage, StepsOfForceDoNotHideTheStribeckCurve) {
  constexpr std::pair<double, double> steps[] = {
      {0, 62.006},     {0.117, -24.284},  {0.475, 0},       {0.965, 39.463},  {1.427, -52.562},
      {1.861, 0},      {2.117, 31.052},   {2.346, 0},       {2.561, -65.462}, {2.937, 0},
      {3.191, 72.74},  {3.539, 0},        {3.843, -40.447}, {4.315, 34.143},  {4.813, 0},
      {5.28, -48.085}, {5.474, 62.987},   {5.779, -61.674}, {6.203, 0},       {6.379, 79.308},
      {6.493, 0},      {6.724, -59.49},   {6.933, 0},       {7.357, 53.012},  {7.549, -33.35},
      {7.906, 64.799}, {8.2, -56.172},    {8.407, 72.934},  {8.849, -77.225}, {9.183, 0},
      {9.663, 73.783}, {10.127, -33.293}, {10.601, 0},      {11.08, 56.592},  {11.486, -39.163},
      {11.666, 0}};  // [s], [N]
  std::string points;
  for (const auto& [time, force] : steps)
    points += (points.empty() ? "[\"" : ", [\"") + shortest(time) + " s\", \"" + shortest(force) + " N\"]";
  const std::string file = testing::TempDir() + "stickslip_force_steps.toml";
  write_whole(file, R"([machine]
kind = "applied-force"
mass = "20 kg"

[input]
kind = "steps"
points = [)" + points + R"(]

[friction]
model = "stribeck"
coulomb_force = "19.61 N"
stiction_force = "29.41 N"
stribeck_velocity = "9.64 mm/s"
viscosity = "22.4 N s/m"

[run]
duration = "12 s"
sample_interval = "2 ms"
)");
  const Generated g = generate_from_scenario(file, {.sensor = Sensor{.noise = 0.1, .resolution = 1e-6, .seed = 24}});
  IdentifyOptions options;
  options.models = {"coulomb-viscous", "stribeck"};
  options.threads = 1;
  const Identification found = identify(split_in_rounds(prepare(recording_of(g), {.mass = g.mass})), options);
  const IdentifiedModel& best = found.models[found.recommended];
  EXPECT_EQ(best.model, "stribeck");
  for (const Estimate& e : best.confidence.estimates) {
    EXPECT_LE(e.low, truth_of(g, e.key)) << e.key;
    EXPECT_GE(e.high, truth_of(g, e.key)) << e.key;
  }
}

/// A low-pass of 0.5 Hz blurs 4 s around every turn: all of this motion.
TEST(Coverage, WhereTheLowPassBlursNearlyAllSamplesARemarkSaysThatLevelsMayBeOff) {
  const Generated g = scenario("pulled_slide.toml")(1, 0);
  IdentifyOptions options;
  options.models = {"coulomb-viscous"};
  const Identification found =
      identify(split_by_time(prepare(recording_of(g), {.cutoff_hz = 0.5, .mass = g.mass})), options);
  const std::vector<std::string>& remarks = found.models.front().remarks;
  EXPECT_TRUE(std::any_of(remarks.begin(), remarks.end(), [](const std::string& remark) {
    return remark.find("levels may be off by more than their intervals") != std::string::npos;
  }));
}

/// Pulled in one direction only, friction and a constant force are the same thing: only their sum is known.
TEST(Coverage, OneDirectionDoesNotTellFrictionFromAConstantForce) {
  const Generated g =
      scenario("stick_slip.toml", law("coulomb-viscous", {{"coulomb_force", 1.0}, {"viscosity", 0.4}}))(1, 0);
  IdentifyOptions options;
  options.models = {"coulomb-viscous"};
  const Identification found = identify(split_by_time(prepare(recording_of(g), {.mass = g.mass})), options);
  for (const Estimate& e : found.models.front().confidence.estimates) {
    const double truth = truth_of(g, e.key);
    EXPECT_LE(e.low, truth) << e.key;
    EXPECT_GE(e.high, truth) << e.key;
  }
}

// What went wrong: a law with bristles told the level from a load by the first millimetres, where nobody knows how far they were deflected: a
// Coulomb force of 135 +- 20 N, "well determined", for 18 N.
TEST(Coverage, BristlesDoNotTellFrictionFromAConstantForceInOneDirection) {
  constexpr double level = 18, load = 40, viscosity = 90, length = 0.002;
  const auto x = [](double t) { return 0.12 * t + 0.01 * std::sin(3 * t); };
  const Recording r = made::recording(4000, 2e-3, x,
                                      [&](double t) {
                                        return load + level * (1 - 2 * std::exp(-x(t) / length)) +
                                               viscosity * (0.12 + 0.03 * std::cos(3 * t));
                                      },
                                      {.position = 1e-6, .force = 0.1});
  IdentifyOptions options;
  options.models = {"dahl"};
  const Identification found = identify(split_by_time(prepare(r)), options);
  for (const Estimate& e : found.models.front().confidence.estimates) {
    if (e.key != "coulomb_force" && e.key != "chain.offset") continue;
    EXPECT_EQ(e.verdict, Determination::not_separable) << e.key << " " << e.low << " to " << e.high;
    EXPECT_LE(e.low, e.key == "coulomb_force" ? level : load) << e.key;
    EXPECT_GE(e.high, e.key == "coulomb_force" ? level : load) << e.key;
  }
}

}  // namespace
}  // namespace stickslip::coverage_test
