/// Information of tests that were not run, against the same tests run: the standard error that is promised is the one that a fit to
/// such a recording has.
#include "identification/judging/next_test.hpp"

#include <gtest/gtest.h>

#include "core/normal_equations.hpp"
#include "identification/identify_recordings.hpp"
#include "identification/judging/fit_honesty.hpp"

namespace stickslip::next_test_test {
namespace {

const ParameterValues lugre{{"bristle_stiffness", 1e6}, {"bristle_damping", 300.0}, {"viscosity", 40.0},
                            {"coulomb_force", 3.0},     {"stiction_force", 4.0},    {"stribeck_velocity", 5e-3}};

/// A space and a fit at the truth itself.
struct Known {
  Sets sets;
  FitData data;
  ModelSpace space;
  ModelFit found;
  Known(Prepared p, const ParameterValues& values)
      : sets(in_halves(std::move(p))), data(fit_data(sets)), space(find_model("lugre"), data.scales, start_of(values)) {
    found = follow(ModelResiduals(space, data), space.guess());
  }
  static SpaceOptions start_of(const ParameterValues& values) {
    SpaceOptions o;
    o.start = values;
    return o;
  }
};

TEST(NextTest, ThePromisedErrorIsThatOfAFitToTheTest) {
  Prepared p = motion_of({.count = 4000});
  give_force(p, *make_friction("lugre", lugre), 0.02);
  const Known known(std::move(p), lugre);
  AxisLimits limits = axis_limits(known.sets);
  limits.acceleration = 50;  // the motion's own was not given
  limits.resolution = 0;
  // Nothing is known before: what is left is the test's own information.
  Confidence nothing = fit_confidence(ModelResiduals(known.space, known.data), known.found);
  for (std::size_t i = 0; i < nothing.covariance.size(); ++i)
    for (std::size_t j = 0; j < nothing.covariance.size(); ++j)
      nothing.covariance(i, j) = i == j ? 1e12 * nothing.covariance(i, i) : 0;
  const std::vector<ProposedTest> tests = tests_within(limits, known.space, known.found, known.data);
  ASSERT_FALSE(tests.empty());
  const ProposedTest& test = tests.front();
  constexpr double noise = 0.02;
  const std::vector<double> promised = errors_after(test, limits, known.space, known.found, nothing, noise);
  // The same test, run: all of its samples estimate.
  Prepared made;
  made.time = test.motion.time, made.position = test.motion.position;
  made.sampling_time = made.time[1] - made.time[0];
  made.velocity.assign(made.size(), 0.0), made.acceleration.assign(made.size(), 0.0);
  const Realised at = known.space.at(known.found.y);
  give_force(made, *known.space.make(at), noise, 7);
  Sets sets;
  const std::size_t n = made.size();
  sets.pieces.push_back({std::move(made), {0, n}, {}, {}});
  FitData data = fit_data(sets);
  data.pieces.front().estimation = SampleSet(1, n - 1);
  const ModelResiduals residuals(known.space, data);
  ModelFit here = follow(residuals, known.found.y, {.most_steps = 0});
  const Eigen::MatrixXd inverse = pseudo_inverse(here.slopes.transpose() * here.slopes);
  for (std::size_t k = 0; k < known.space.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    const double slow = noise * std::sqrt(inverse(i, i)) * known.space.unknowns()[k].value_slope(known.found.y[k]);
    if (slow > std::fabs(known.space.unknowns()[k].value(known.found.y[k]))) continue;  // the test does not tell it
    EXPECT_NEAR(promised[k] / slow, 1, 0.05) << known.space.unknowns()[k].key;
  }
}

/// What went wrong: a threshold whose profile is flat, since two springs slip together and are one, was promised to a few nanometres.
TEST(NextTest, NothingIsPromisedOfTwoSpringsThatAreOne) {
  Prepared p = motion_of({.count = 4000, .reach = 60e-6});
  const ParameterValues one{{"thresholds", std::vector<double>{5e-6}}, {"stiffnesses", std::vector<double>{5e4}}};
  give_force(p, *make_friction("maxwell-slip", one), 2e-4);
  const Sets sets = in_halves(std::move(p));
  const FitData data = fit_data(sets);
  SpaceOptions two;
  two.start = {{"thresholds", std::vector<double>{4.99e-6, 5.01e-6}},
               {"stiffnesses", std::vector<double>{2.5e4, 2.5e4}}};
  const ModelSpace space(find_model("maxwell-slip"), data.scales, two);
  const ModelFit found = follow(ModelResiduals(space, data), space.guess());
  Confidence now = fit_confidence(ModelResiduals(space, data), found);
  for (const char* const key : {"thresholds[1]", "thresholds[2]"})
    now.estimates[*space.find(key)].verdict = Determination::not_separable;
  std::string all;
  for (const std::string& line : test_advice(sets, space, found, now, data)) all += line + "\n";
  EXPECT_NE(all.find("thresholds[1]"), std::string::npos) << all;
  EXPECT_EQ(all.find("thresholds[1] to"), std::string::npos) << all;
  EXPECT_EQ(all.find("thresholds[2] to"), std::string::npos) << all;
  // The same where it is only weak: a promise, with what it is now.
  now.estimates[*space.find("thresholds[1]")].verdict = Determination::weak;
  all.clear();
  for (const std::string& line : test_advice(sets, space, found, now, data)) all += line + "\n";
  EXPECT_EQ(all.find("would tell most of thresholds[1]"), std::string::npos) << all;
}

/// What went wrong: strokes of 2200 um were advised where F_S/sigma_0 is 13 um, since the scale came from a crude slope.
TEST(NextTest, MicroStrokesFollowTheLawsOwnNumbers) {
  Prepared p = motion_of({.count = 4000, .reach = 0.05});
  give_force(p, *make_friction("lugre", lugre), 0.02);
  const Known known(std::move(p), lugre);
  AxisLimits limits = axis_limits(known.sets);
  limits.acceleration = 50;
  bool any = false;
  for (const ProposedTest& t : tests_within(limits, known.space, known.found, known.data)) {
    if (t.words.find("micro-strokes") == std::string::npos) continue;
    any = true;
    const auto [low, high] = std::minmax_element(t.motion.position.begin(), t.motion.position.end());
    EXPECT_LT(*high - *low, 10 * 2 * 4.0 / 1e6) << t.words;  // 2 F_S/sigma_0 turns the force round
  }
  EXPECT_TRUE(any);
}

/// What went wrong: advice for a rotary machine spoke of m/s.
TEST(NextTest, ARotaryMachineIsAdvisedInRadians) {
  Prepared p = motion_of({.count = 4000, .reach = 0.5});
  p.rotary = true;
  give_force(p, *make_friction("lugre", lugre), 0.5);
  const IdentifiedModel m = identify(in_halves(std::move(p)), {.models = {"lugre"}, .twins = 0}).models.front();
  for (const std::string& line : m.advice) {
    EXPECT_EQ(line.find("m/s"), std::string::npos) << line;
    EXPECT_EQ(line.find("N s/m"), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace stickslip::next_test_test
