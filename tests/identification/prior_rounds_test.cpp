/// Numbers that are known beforehand, against what they do to a force that is linear in its numbers:
///   p = (d/σ² + μ/s²)/(1/σ² + 1/s²),  1/σ_p² = 1/σ² + 1/s²,  d ± σ what the recording alone says
/// and against their limits: nothing is known, or everything is.
#include "identification/prior_rounds.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "identification/identify_recordings.hpp"
#include "identification/judging/fit_honesty.hpp"
#include "identification/laws/random_space.hpp"

namespace stickslip::prior_rounds_test {
namespace {

const ParameterValues lugre{{"bristle_stiffness", 2e5}, {"bristle_damping", 200.0}, {"viscosity", 40.0},
                            {"coulomb_force", 5.0},     {"stiction_force", 8.0},    {"stribeck_velocity", 2e-3}};

const Sets& lugre_sets() {
  static const Sets sets = recorded("lugre", lugre, {.count = 4000}, 0.05);
  return sets;
}
const Sets& sticking_sets() {
  static const Sets sets =
      recorded("coulomb-viscous", {{"coulomb_force", 5.0}, {"viscosity", 40.0}}, {.count = 4000, .rests = true}, 0.05);
  return sets;
}

/// LuGre of which only numbers are free in which its force is linear: damping, viscosity and offset.
IdentifyOptions linear_part(std::vector<KnownBefore> priors = {}) {
  IdentifyOptions o;
  o.models = {"lugre"};
  o.fixed = {{"bristle_stiffness", 2e5}, {"coulomb_force", 5}, {"stiction_force", 8}, {"stribeck_velocity", 2e-3}};
  o.twins = 0;
  o.priors = std::move(priors);
  return o;
}
IdentifyOptions sticking_law(std::vector<KnownBefore> priors = {}) {
  IdentifyOptions o;
  o.models = {"coulomb-viscous"};
  o.twins = 0;
  o.priors = std::move(priors);
  return o;
}

IdentifiedModel law_of(const Sets& sets, const IdentifyOptions& options) {
  return identify(sets, options).models.at(0);
}
const Estimate& estimate(const IdentifiedModel& m, const std::string& key) {
  for (const Estimate& e : m.confidence.estimates)
    if (e.key == key) return e;
  throw Error("no " + key);
}
bool says(const std::vector<std::string>& sentences, const std::string& words) {
  return std::any_of(sentences.begin(), sentences.end(), [&](const auto& s) { return s.find(words) != s.npos; });
}

TEST(Prior, OfALinearNumberGivesTheMeanWeightedByPrecision) {
  const Estimate alone = estimate(law_of(lugre_sets(), linear_part()), "viscosity");
  for (const double width : {0.2, 1.0, 5.0})
    for (const double off : {-1.5, 0.5}) {
      const double s = width * alone.standard_error, mean = alone.value + off * std::hypot(s, alone.standard_error);
      const Estimate both = estimate(law_of(lugre_sets(), linear_part({{"viscosity", mean, s}})), "viscosity");
      const double a = 1 / std::pow(alone.standard_error, 2), b = 1 / (s * s);
      EXPECT_NEAR(both.value, (alone.value * a + mean * b) / (a + b), 5e-3 * alone.standard_error) << width;
      EXPECT_NEAR(both.standard_error, 1 / std::sqrt(a + b), 5e-3 / std::sqrt(a + b)) << width;
      EXPECT_EQ(both.prior, mean);
      EXPECT_EQ(both.prior_error, s);
    }
}

// The variance of a law that truly sticks is a sandwich: the prior is in both of its slices.
TEST(Prior, OfALawThatSticksGivesTheMeanWeightedByPrecision) {
  const Estimate alone = estimate(law_of(sticking_sets(), sticking_law()), "coulomb_force");
  for (const double width : {0.2, 1.0, 5.0}) {
    const double s = width * alone.standard_error, mean = alone.value + 0.5 * std::hypot(s, alone.standard_error);
    const Estimate both =
        estimate(law_of(sticking_sets(), sticking_law({{"coulomb_force", mean, s}})), "coulomb_force");
    const double a = 1 / std::pow(alone.standard_error, 2), b = 1 / (s * s);
    // the strength is that of the errors along one column; beside others they average out a little otherwise
    EXPECT_NEAR(both.value, (alone.value * a + mean * b) / (a + b), 0.1 * alone.standard_error) << width;
    EXPECT_NEAR(both.standard_error, 1 / std::sqrt(a + b), 0.1 / std::sqrt(a + b)) << width;
  }
}

TEST(Prior, ThatKnowsNothingChangesNoNumber) {
  for (const auto& [sets, options, key] :
       {std::tuple{&lugre_sets(), linear_part(), "viscosity"}, {&sticking_sets(), sticking_law(), "coulomb_force"}}) {
    const IdentifiedModel without = law_of(*sets, options);
    IdentifyOptions wide = options;
    wide.priors = {{key, 1, 1e9}};
    const IdentifiedModel with = law_of(*sets, wide);
    ASSERT_EQ(with.confidence.estimates.size(), without.confidence.estimates.size());
    for (std::size_t i = 0; i < with.confidence.estimates.size(); ++i) {
      const Estimate &a = with.confidence.estimates[i], &b = without.confidence.estimates[i];
      EXPECT_NEAR(a.value, b.value, 1e-9 * std::fabs(b.value)) << a.key;
      EXPECT_NEAR(a.standard_error, b.standard_error, 1e-6 * b.standard_error) << a.key;
      EXPECT_NEAR(a.low, b.low, 1e-6 * b.standard_error) << a.key;
      EXPECT_NEAR(a.high, b.high, 1e-6 * b.standard_error) << a.key;
    }
  }
}

TEST(Prior, ThatKnowsEverythingIsAFixedNumber) {
  constexpr double at = 44;
  for (const auto& [sets, options, key] :
       {std::tuple{&lugre_sets(), linear_part(), "viscosity"}, {&sticking_sets(), sticking_law(), "viscosity"}}) {
    IdentifyOptions fixed = options, known = options;
    fixed.fixed.emplace_back(key, at);
    known.priors = {{key, at, 1e-7}};
    const IdentifiedModel as_fixed = law_of(*sets, fixed), as_known = law_of(*sets, known);
    EXPECT_NEAR(estimate(as_known, key).value, at, 1e-5);
    EXPECT_NEAR(estimate(as_known, key).standard_error, 1e-7, 1e-9);
    for (const Estimate& e : as_fixed.confidence.estimates) {
      EXPECT_NEAR(estimate(as_known, e.key).value, e.value, 0.02 * e.standard_error) << e.key;
      EXPECT_NEAR(estimate(as_known, e.key).standard_error, e.standard_error, 0.02 * e.standard_error) << e.key;
    }
  }
}

// A profile is the cost with the prior in it, a repetition has a prior of its own: both have the width of the posterior.
TEST(Prior, IsInProfilesAndInTheBootstrap) {
  const double alone = estimate(law_of(lugre_sets(), linear_part()), "viscosity").standard_error;
  IdentifyOptions options = linear_part({{"viscosity", 40, alone}});
  options.bootstrap = 300;
  options.profile = {"viscosity"};
  const IdentifiedModel m = law_of(lugre_sets(), options);
  const double error = estimate(m, "viscosity").standard_error;
  EXPECT_NEAR(error, alone / std::sqrt(2), 0.01 * alone);
  ASSERT_EQ(m.profiles.size() >= 1, true);
  EXPECT_NEAR(m.profiles[0].high - m.profiles[0].low, 2 * 1.96 * error, 0.02 * error);
  for (const Estimate& e : m.bootstrap.estimates)
    if (e.key == "viscosity") {
      EXPECT_NEAR(e.standard_error, error, 0.15 * error);  // of 300: 4 %, blocks more
    }
}

// A prior that stays where it is in the repetitions of a twin would count as a bias of the method: at three of its widths off, 1.03 instead of 0.71.
TEST(Prior, IsDrawnAnewByTheTwin) {
  Sets sets = lugre_sets();
  Prepared& read = sets.pieces[0].data;
  read.measured_position = read.position, read.resolution = 1e-9, read.used.cutoff_hz = unbounded;
  IdentifyOptions options = linear_part();
  options.twins = 60;
  const Estimate alone = estimate(law_of(sets, options), "viscosity");
  ASSERT_NE(alone.standard_error, estimate(law_of(sets, linear_part()), "viscosity").standard_error);  // it has a twin
  for (const double off : {0.0, 3.0}) {
    options.priors = {{"viscosity", alone.value + off * alone.standard_error, alone.standard_error}};
    const double expected = alone.standard_error / std::sqrt(2);
    EXPECT_NEAR(estimate(law_of(sets, options), "viscosity").standard_error, expected, 0.2 * expected) << off;
  }
}

TEST(Prior, SeparatesWhatTheRecordingCannot) {
  // forward only: level and offset are the same force
  Prepared p;
  p.sampling_time = 1e-3;
  for (int i = 0; i < 3000; ++i) {
    p.time.push_back(1e-3 * i);
    p.velocity.push_back(0.02 + 0.01 * std::sin(0.01 * i));
    p.position.push_back((i > 0 ? p.position.back() : 0) + 1e-3 * p.velocity.back());
  }
  p.acceleration.assign(p.time.size(), 0.0);
  give_force(p, *make_friction("coulomb-viscous", {{"coulomb_force", 5.0}, {"viscosity", 40.0}}), 0.05);
  for (double& f : p.force) f += 3;
  const Sets sets = in_halves(p);
  EXPECT_EQ(estimate(law_of(sets, sticking_law()), "coulomb_force").verdict, Determination::not_separable);
  const IdentifiedModel m = law_of(sets, sticking_law({{"offset", 3, 0.1}}));
  EXPECT_NEAR(value_of(m, "coulomb_force"), 5, 0.3);
  EXPECT_NEAR(estimate(m, "coulomb_force").standard_error, 0.1, 0.02);
  EXPECT_NEAR(estimate(m, "chain.offset").standard_error, 0.1, 0.005);
}

TEST(Prior, ThatTheRecordingContradictsIsSaid) {
  const IdentifiedModel alone = law_of(lugre_sets(), linear_part());
  const double error = estimate(alone, "viscosity").standard_error;
  const auto remarks = [&](double off) {
    return law_of(lugre_sets(), linear_part({{"viscosity", value_of(alone, "viscosity") + off * error, error}}))
        .remarks;
  };
  EXPECT_FALSE(says(remarks(3), "contradicts"));  // 2.1 of the two together
  EXPECT_TRUE(says(remarks(10), "the prior of viscosity"));
  EXPECT_TRUE(says(remarks(-10), "contradicts the recording"));
  // narrow, and well determined but for the contradiction
  const KnownBefore off{"viscosity", value_of(alone, "viscosity") + 10 * error, 0.1 * error};
  EXPECT_EQ(estimate(law_of(lugre_sets(), linear_part({off})), "viscosity").verdict, Determination::weak);
}

// Its residual would be made of rounding: all intervals were open.
// What moved the contradicted number moved the others as well: they were far off and "well determined".
TEST(Prior, ThatIsContradictedLeavesNoNumberWellDetermined) {
  const IdentifiedModel alone = law_of(lugre_sets(), linear_part());
  const Estimate& viscosity = estimate(alone, "viscosity");
  ASSERT_EQ(viscosity.verdict, Determination::well_determined);
  const Estimate& damping = estimate(alone, "bristle_damping");
  const KnownBefore off{"bristle_damping", damping.value + 20 * damping.standard_error, 0.1 * damping.standard_error};
  const IdentifiedModel moved = law_of(lugre_sets(), linear_part({off}));
  EXPECT_TRUE(says(moved.remarks, "contradicts the recording"));
  for (const Estimate& e : moved.confidence.estimates) EXPECT_NE(e.verdict, Determination::well_determined) << e.key;
}

// A recording that knows the sum of two levels better than either: each prior is likely by itself, both on one side are not.
TEST(Prior, TogetherPriorsMayContradictWhatEachDoesNot) {
  const IdentifiedModel alone = law_of(sticking_sets(), sticking_law());
  const Estimate &level = estimate(alone, "coulomb_force"), &viscosity = estimate(alone, "viscosity");
  const auto with = [&](double one, double two) {
    return law_of(sticking_sets(),
                  sticking_law({{"coulomb_force", level.value + one * level.standard_error, 0.1 * level.standard_error},
                                {"viscosity", viscosity.value + two * viscosity.standard_error,
                                 0.1 * viscosity.standard_error}}));
  };
  const IdentifiedModel against = with(2.5, 2.5), along = with(2.5, -2.5);
  EXPECT_TRUE(says(against.remarks, "the priors together contradict the recording"));
  for (const Estimate& e : against.confidence.estimates) EXPECT_NE(e.verdict, Determination::well_determined) << e.key;
  EXPECT_FALSE(says(along.remarks, "contradict"));
}

TEST(Prior, NarrowerThanNumbersResolveIsRefused) {
  for (const KnownBefore& prior : {KnownBefore{"viscosity", 40, 1e-25}, {"offset", 0, 1e-20}}) {
    try {
      law_of(lugre_sets(), linear_part({prior}));
      ADD_FAILURE() << prior.key;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("cannot be told from zero"), std::string::npos) << e.what();
    }
  }
}

TEST(Prior, IsIgnoredByLawsWithoutTheNumberAndThatIsSaidOnce) {
  IdentifyOptions options;
  options.models = {"coulomb-viscous", "dahl", "coulomb"};
  options.twins = 0, options.all_profiles = false;
  const Identification without = identify(sticking_sets(), options);
  options.priors = {{"bristle_stiffness", 1e5, 1e4}, {"stribeck_velocity", 1e-3, 1e-4}};
  const Identification with = identify(sticking_sets(), options);
  EXPECT_TRUE(says(with.warnings, "stribeck_velocity is of no use"));
  std::size_t said = 0;
  for (const std::string& w : with.warnings) said += w.find("bristle_stiffness is not used") != w.npos;
  EXPECT_EQ(said, 1u);
  for (const IdentifiedModel& m : with.models)
    for (const IdentifiedModel& n : without.models)
      if (m.label == n.label && m.label != "dahl") {
        EXPECT_EQ(m.estimation.cost, n.estimation.cost) << m.label;
      }
}

TEST(Prior, OfAPrivateNumberIsThatOfEveryRecording) {
  Sets sets = recorded("coulomb-viscous", {{"coulomb_force", 5.0}, {"viscosity", 40.0}}, {.count = 3000}, 0.05);
  Sets other =
      recorded("coulomb-viscous", {{"coulomb_force", 7.0}, {"viscosity", 40.0}}, {.count = 3000, .seed = 2}, 0.05);
  sets.pieces.push_back(other.pieces[0]);
  sets.pieces[1].unit = 1;
  IdentifyOptions options = sticking_law({{"coulomb_force", 6, 1e-6}});
  options.own = {"coulomb_force"};
  const IdentifiedModel m = law_of(sets, options);
  EXPECT_NEAR(value_of(m, "coulomb_force@1"), 6, 1e-3);
  EXPECT_NEAR(value_of(m, "coulomb_force@2"), 6, 1e-3);
  EXPECT_TRUE(says(m.remarks, "is private and has a prior"));
  EXPECT_TRUE(says(m.remarks, "the prior of coulomb_force@2"));
}

// A fit in which numbers are held has no columns for them: their confidence wrote beyond the matrix.
TEST(Prior, OfALawWithNumbersThatAreHeldIsWeighedByTheOthers) {
  const FitData data = fit_data(lugre_sets());
  SpaceOptions options;
  options.start = lugre;
  ModelSpace space(find_model("lugre"), data.scales, options);
  for (Unknown& u : space.unknowns())
    if (u.key != "viscosity") u.low = u.high = u.guess;
  Fitted law{space, follow(ModelResiduals(space, data), space.guess())};
  const double alone =
      fit_confidence(ModelResiduals(space, data), law.found).estimates[*space.find("viscosity")].standard_error;
  ASSERT_GT(alone, 0);
  law = with_priors(std::move(law), data, {{"viscosity", 40, alone}, {"coulomb_force", 5, 1}}, {});
  const Confidence both = fit_confidence(ModelResiduals(law.space, data), law.found);
  EXPECT_NEAR(both.estimates[*space.find("viscosity")].standard_error, alone / std::sqrt(2), 0.01 * alone);
  EXPECT_EQ(both.estimates[*space.find("coulomb_force")].verdict, Determination::at_bound);
}

TEST(Prior, OfBothDirectionsUnlessOneHasItsOwn) {
  const std::vector<KnownBefore> priors{
      {"viscosity", 1, 1}, {"backward.viscosity", 2, 1}, {"coulomb_force", 3, 1}, {"offset", 0, 1}};
  EXPECT_EQ(prior_of(priors, "viscosity"), &priors[0]);
  EXPECT_EQ(prior_of(priors, "backward.viscosity"), &priors[1]);
  EXPECT_EQ(prior_of(priors, "backward.coulomb_force@2"), &priors[2]);
  EXPECT_EQ(prior_of(priors, "chain.offset@3"), &priors[3]);
  EXPECT_EQ(prior_of(priors, "stiction_force"), nullptr);
}

TEST(Prior, ThatIsWrongIsRefusedInOneLine) {
  const auto refused = [](const KnownBefore& prior, const std::string& words, auto change) {
    IdentifyOptions o;
    o.priors = {prior};
    change(o);
    try {
      check_priors(o);
      ADD_FAILURE() << prior.key;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
      EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
    }
  };
  const auto nothing = [](IdentifyOptions&) {};
  refused({"coulomb_forc", 1, 1}, "did you mean 'coulomb_force'", nothing);
  refused({"coulomb_force", -1, 1}, "it must be", nothing);
  refused({"coulomb_force", 1, 0}, "a standard deviation above zero is needed", nothing);
  refused({"coulomb_force", 1, std::nan("")}, "a standard deviation above zero is needed", nothing);
  refused({"thresholds", 1, 1}, "'thresholds[1]'", nothing);
  refused({"viscosity[2]", 1, 1}, "is one number", nothing);
  for (const char* const place : {"[0]", "[x]", "[]", "[1", "[-1]", "[1]2", "[100]"})
    refused({"thresholds" + std::string(place), 1, 1}, "is no place in a list", nothing);
  refused({"stribeck_form", 1, 1}, "is a choice", nothing);
  refused({"mass", 20, 1}, "'20 +- 1 kg'", nothing);
  refused({"lag", 1e-3, 1e-4}, "it is not estimated", nothing);
  refused({"backward.viscosity", 1, 1}, "--per-direction", nothing);
  refused({"offset", 1, 1}, "no offset is estimated", [](IdentifyOptions& o) { o.find_offset = false; });
  refused({"viscosity", 1, 1}, "is fixed", [](IdentifyOptions& o) { o.fixed = {{"viscosity", 2}}; });
  refused({"viscosity", 1, 1}, "published search", [](IdentifyOptions& o) { o.search = SearchMethod::published; });
  refused({"viscosity", 1, 1}, "two priors", [](IdentifyOptions& o) { o.priors.push_back(o.priors[0]); });
}

class EveryModelWithPriors : public testing::TestWithParam<const RegisteredModel*> {};

// What is solved inside and what has exact slopes honours the priors, against the residuals themselves.
TEST_P(EveryModelWithPriors, SolvesAndDifferentiatesThem) {
  static const FitData data = fit_data(lugre_sets());
  random_models::Random random(5);
  for (int draw = 0; draw < 8; ++draw) {
    auto drawn = random_space(random, *GetParam(), data.scales, draw);
    if (!drawn) continue;
    std::vector<double>& y = drawn->y;
    ModelSpace* const space = &drawn->space;
    for (std::size_t k = 0; k < y.size(); ++k) {
      if (random_models::uniform(random, 0, 1) < 0.5) continue;
      Unknown& u = space->unknowns()[k];
      const double typical = std::fabs(u.value(y[k])) + 1e-3 * u.typical;
      u.prior = u.value(y[k]) + typical * random_models::uniform(random, -1, 1);
      u.prior_error = typical * std::pow(10, random_models::uniform(random, -3, 1));
      u.prior_strength = 0.05;
    }
    const ModelResiduals residuals(*space, data);
    Eigen::VectorXd r;
    if (!residuals(y, r)) continue;
    const auto priors = static_cast<Eigen::Index>(residuals.priors().size());
    ASSERT_EQ(static_cast<std::size_t>(r.size()), residuals.rows());
    for (Eigen::Index j = 0; j < priors; ++j) {
      const Unknown& u = space->unknowns()[residuals.priors()[static_cast<std::size_t>(j)]];
      const double at = u.value(y[residuals.priors()[static_cast<std::size_t>(j)]]);
      EXPECT_NEAR(r[r.size() - priors + j], 0.05 * (at - u.prior) / u.prior_error,
                  1e-12 * (1 + std::fabs(at) / u.prior_error));
    }
    for (std::size_t k = 0; k < space->size(); ++k) {
      if (!residuals.has_slopes(k)) continue;
      Eigen::MatrixXd column;
      if (!residuals.slopes(y, std::vector<std::size_t>{k}, column)) continue;
      constexpr double h = 1e-6;
      std::vector<double> up = y, down = y;
      up[k] += h, down[k] -= h;
      for (Eigen::Index j = 0; j < priors; ++j) {
        const std::size_t of = residuals.priors()[static_cast<std::size_t>(j)];
        const Unknown& u = space->unknowns()[of];
        const double slope = of == k ? 0.05 * (u.value(up[k]) - u.value(down[k])) / (2 * h * u.prior_error) : 0;
        EXPECT_NEAR(column(r.size() - priors + j, 0), slope, 1e-6 * std::fabs(slope)) << u.key;
      }
    }
    LinearInside inside(residuals, solved_unknowns(*space));
    const double before = r.squaredNorm(), left = inside(y);
    EXPECT_LE(left, before);
    ASSERT_TRUE(residuals(y, r));
    EXPECT_NEAR(left, r.squaredNorm(), 1e-8 * r.squaredNorm() + 1e-13 * before);
  }
}
INSTANTIATE_TEST_SUITE_P(Models, EveryModelWithPriors, testing::ValuesIn(registered_models()), [](const auto& info) {
  std::string name = info.param->description().name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace stickslip::prior_rounds_test
