#include "identification/judging/explanation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.hpp"

namespace stickslip::explanation_test {
namespace {

/// Strokes of 20 mm, 2 s each, sinusoidal: x, v, a in closed form; the error is what the test says, the force 10 N of
/// Coulomb friction and that.
struct At {
  double time, position, velocity, acceleration;
};
template <class Error>
Evidence strokes(const Error& error, double level = 10) {
  Evidence e;
  const double w = 3.141592653589793;
  for (int i = 0; i < 4000; ++i) {
    const double t = 1e-3 * (i + 0.5);
    const At at{t, 0.01 * std::sin(w * t), 0.01 * w * std::cos(w * t), -0.01 * w * w * std::sin(w * t)};
    const double wrong = error(at);
    e.add(level * (at.velocity > 0 ? 1 : -1) + wrong, wrong, at.position, at.velocity, at.acceleration);
  }
  return e;
}

Explanation explained(const Evidence& e, ExplanationContext context = {}) {
  context.label = "coulomb";
  return explanation(e, e, context);
}

// Force ±1 without mean, error ±u: the share is u².
TEST(Explanation, TheShareOfTheForceThatIsLeftDecides) {
  const auto with = [](double share) {
    Evidence e;
    for (int i = 0; i < 400; ++i) e.add(i % 2 ? 1 : -1, (i / 2 % 2 ? 1 : -1) * std::sqrt(share), 0, 1, 0);
    return explained(e);
  };
  EXPECT_NEAR(with(0.07).unexplained, 7, 1e-9);
  EXPECT_EQ(with(0.07).verdict, Explained::well);
  EXPECT_EQ(with(0.07).headline, "");
  EXPECT_TRUE(with(0.07).reasons.empty());
  EXPECT_EQ(with(0.12).verdict, Explained::weakly);
  EXPECT_EQ(with(0.12).headline,
            "Weak: coulomb leaves 12 % of the force's variance unexplained during motion, on held-out samples; below "
            "10 % a recording counts as explained");
  EXPECT_EQ(with(0.49).verdict, Explained::weakly);
  EXPECT_EQ(with(0.52).verdict, Explained::not_at_all);
  EXPECT_EQ(with(4.6).headline,
            "No model explains this recording: the best, coulomb, leaves 460 % of the force's variance unexplained "
            "during motion, on held-out samples; above 50 % nothing is recommended");
  EXPECT_EQ(name_of(Explained::not_at_all), "no model explains this recording");
}

TEST(Explanation, SamplesThatTellNothingExplainNothing) {
  EXPECT_EQ(explained({}).verdict, Explained::not_at_all);
  Evidence constant;
  for (int i = 0; i < 100; ++i) constant.add(3, 0.1, 0, 1, 0);
  EXPECT_EQ(explained(constant).verdict, Explained::not_at_all);
  EXPECT_NE(explained(constant).headline.find("nothing moves, or the force never changes"), std::string::npos);
}

TEST(Explanation, ATestErrorFarAboveTheValidationErrorIsInTheHeadline) {
  const Evidence e = strokes([](const At&) { return 0.1; });
  ExplanationContext c;
  c.validation_rms = 0.1, c.test_rms = 0.19, c.test_unexplained = 5;
  EXPECT_EQ(explained(e, c).headline, "");
  c.test_rms = 0.34;
  EXPECT_EQ(
      explained(e, c).headline,
      "The test error is 3.4 times the validation error: the machine or its motion differs between the two parts");
  EXPECT_NEAR(explained(e, c).test_over_validation, 3.4, 1e-12);
  c.test_unexplained = 0.5;  // half a percent needs no remark
  EXPECT_EQ(explained(e, c).headline, "");
}

TEST(Explanation, InertiaIsNamedWithTheMassThatIsMissing) {
  const Evidence e = strokes([](const At& at) { return 150 * at.acceleration; });
  const Explanation found = explained(e);
  ASSERT_EQ(found.verdict, Explained::not_at_all);
  ASSERT_FALSE(found.reasons.empty());
  EXPECT_EQ(found.reasons[0],
            "inertia: 100 % of the squared errors are correlated with the acceleration; give the mass, about --mass "
            "'150 kg'");
  ExplanationContext given;
  given.mass = 100;
  EXPECT_NE(
      explained(e, given).reasons[0].find("a mass of 100 kg was subtracted, about 250 kg would fit: check --mass"),
      std::string::npos)
      << explained(e, given).reasons[0];
  given.mass_unit = "kg m^2";
  const std::string rotary = explained(e, given).reasons[0];
  EXPECT_NE(rotary.find("an inertia of 100 kg m^2 was subtracted, about 250 kg m^2 would fit: check --inertia"),
            std::string::npos)
      << rotary;
}

// Bristles and lags can follow a mass: nothing is left, and it is no friction all the same.
TEST(Explanation, InertiaThatAModelHasSwallowedIsNamed) {
  Evidence e = strokes([](const At& at) { return 150 * at.acceleration; });
  for (double& error : e.error) error *= 1e-3;
  const Explanation found = explained(e);
  EXPECT_EQ(found.verdict, Explained::weakly);
  ASSERT_EQ(found.reasons.size(), 1u);
  EXPECT_NE(found.reasons[0].find("; give the mass, about --mass '150 kg'"), std::string::npos) << found.reasons[0];
}

// x and a of a sine are the same but for the sign: a spring must not be called a negative mass.
TEST(Explanation, ALoadOverPositionIsNamedAndNoInertia) {
  const Explanation found = explained(strokes([](const At& at) { return 2000 * at.position; }));
  ASSERT_EQ(found.reasons.size(), 1u);
  EXPECT_EQ(found.reasons[0].find("load over position: "), 0u) << found.reasons[0];
  EXPECT_NE(found.reasons[0].find("like a spring of 2 kN/m"), std::string::npos) << found.reasons[0];
  EXPECT_NE(found.reasons[0].find("--model extended-maxwell-slip"), std::string::npos) << found.reasons[0];
  const Explanation cogging = explained(strokes([](const At& at) { return 14 * std::sin(700 * at.position); }));
  ASSERT_EQ(cogging.reasons.size(), 1u);
  EXPECT_EQ(cogging.reasons[0].find("a spring"), std::string::npos) << cogging.reasons[0];
}

TEST(Explanation, FrictionOverPositionIsToldFromALoad) {
  const Explanation found =
      explained(strokes([](const At& at) { return (at.velocity > 0 ? 1 : -1) * 12 * std::sin(700 * at.position); }));
  ASSERT_EQ(found.reasons.size(), 1u);
  EXPECT_EQ(found.reasons[0].find("friction over position: "), 0u) << found.reasons[0];
  EXPECT_NE(found.reasons[0].find("--over position:knots=6"), std::string::npos);
}

TEST(Explanation, AConstantLoadIsNamedWhereNoOffsetWasFitted) {
  const Evidence e = strokes([](const At& at) { return 20 + 0.01 * std::sin(1e4 * at.time); });
  ExplanationContext none;
  none.has_offset = false;
  ASSERT_FALSE(explained(e, none).reasons.empty());
  EXPECT_EQ(explained(e, none).reasons[0], "constant load: the errors are 20 N in the mean; leave out --no-offset");
}

TEST(Explanation, OneDirectionOnlyIsSaidWhateverIsLeft) {
  ExplanationContext one;
  one.one_way = true;
  const Explanation fine = explained(strokes([](const At&) { return 0.1; }), one);
  EXPECT_EQ(fine.verdict, Explained::well);
  EXPECT_EQ(fine.headline, "One direction only: a constant load and the friction level cannot be separated");
  Random random(1);
  const Explanation bad = explained(strokes([&](const At&) { return 20 * random.normal(); }), one);
  ASSERT_FALSE(bad.reasons.empty());
  EXPECT_EQ(bad.reasons[0],
            "one direction only: it hardly ever moves backward, so a constant load cannot be separated from friction; "
            "record strokes in both directions");
}

TEST(Explanation, AForceThatDrivesIsTurnedAroundOnce) {
  Evidence e = strokes([](const At& at) { return at.velocity > 0 ? -20.0 : 20.0; });  // the fit said 10, it is −10
  const Explanation found = explained(e);
  ASSERT_EQ(found.reasons.size(), 1u);
  EXPECT_EQ(found.reasons[0],
            "not a friction force: it drives the motion instead of opposing it; invert its sign with --invert-force");
  ExplanationContext turned;
  turned.turned = true;
  EXPECT_NE(explained(e, turned).reasons[0].find("leave out --invert-force"), std::string::npos);
}

// What went wrong: a rich law left 19 % of a force with its sign inverted, and was recommended as weak.
TEST(Explanation, AForceThatDrivesIsNotExplainedHalfWay) {
  Evidence e = strokes([](const At&) { return 0.0; }, -10);
  for (std::size_t i = 0; i < e.error.size(); ++i) e.error[i] = i % 2 == 0 ? 4 : -4;  // 16 % are left
  const Explanation found = explained(e);
  EXPECT_EQ(found.verdict, Explained::not_at_all);
  EXPECT_NE(found.headline.find("the force drives the motion, so nothing is recommended"), std::string::npos);
  for (double& f : e.force) f = -f;
  EXPECT_EQ(explained(e).verdict, Explained::weakly);
}

// Where speed and direction are nearly the same column, the factor of the direction alone may be negative.
TEST(Explanation, AForceThatFallsWithTheDirectionAndRisesWithTheSpeedStillOpposes) {
  const Explanation found = explained(strokes(
      [](const At& at) { return 900 * at.velocity - 14 * (at.velocity > 0 ? 1 : -1) + 14 * std::sin(37 * at.time); }));
  for (const std::string& reason : found.reasons) EXPECT_EQ(reason.find("drives"), std::string::npos) << reason;
}

TEST(Explanation, NoiseIsNotAFrictionForce) {
  Random random(2);
  const Explanation found = explained(strokes([&](const At&) { return 20 * random.normal(); }, 0));
  EXPECT_EQ(found.verdict, Explained::not_at_all);
  ASSERT_EQ(found.reasons.size(), 1u);
  EXPECT_EQ(found.reasons[0].find("not a friction force: direction and speed explain 0."), 0u) << found.reasons[0];
}

TEST(Explanation, AForceThatNeverFollowsTheMotionIsAConstantLoad) {
  Random random(3);
  Evidence e = strokes([&](const At&) { return 0.5 * random.normal(); }, 0);
  for (double& f : e.force) f += 200;
  const Explanation found = explained(e);
  ASSERT_EQ(found.reasons.size(), 1u);
  EXPECT_EQ(found.reasons[0].find("constant load: the force is 200 N throughout; the 500 mN by which it changes are "
                                  "unrelated to the motion"),
            0u)
      << found.reasons[0];
}

// Inertia that a fit has half swallowed: 5 % are left, and they say what is missing.
TEST(Explanation, WhatTheErrorsShowIsSaidOfAnExplainedRecordingToo) {
  const Evidence e = strokes([](const At& at) { return 30 * at.acceleration; });
  const Explanation found = explained(e);
  ASSERT_EQ(found.verdict, Explained::weakly);  // not friction alone
  ASSERT_EQ(found.reasons.size(), 1u);
  EXPECT_NE(found.reasons[0].find("--mass '30 kg'"), std::string::npos) << found.reasons[0];
  EXPECT_EQ(found.headline, "The force contains inertia: the result is not friction alone");
  const Explanation small = explained(strokes([](const At& at) { return 3 * at.acceleration; }));
  EXPECT_TRUE(small.reasons.empty());  // below 1 % of the force
}

TEST(Explanation, ACoarsePositionIsNamedBeforeAnythingElse) {
  Random random(4);
  ExplanationContext c;
  c.moving = 0.03, c.resolution = 5e-5;
  const Explanation found = explained(strokes([&](const At&) { return 20 * random.normal(); }), c);
  ASSERT_EQ(found.reasons.size(), 1u);
  EXPECT_EQ(found.reasons[0].find(
                "position too coarse: with steps of 50 um only 3 % of the samples can be distinguished from rest"),
            0u)
      << found.reasons[0];
}

TEST(Explanation, NoiseOfTheForceIsNotBlamedOnTheModel) {
  Random draw(4);
  const Explanation found = explained(strokes([&](const At&) { return 7 * draw.normal(); }));
  ASSERT_EQ(found.reasons.size(), 1u);
  EXPECT_EQ(found.reasons[0].find("noise: an error of 7"), 0u) << found.reasons[0];
}

TEST(Explanation, WhatFollowsNothingKnownIsSaidToo) {
  const Explanation found = explained(strokes([](const At& at) { return 14 * std::sin(37 * at.time); }));
  ASSERT_EQ(found.reasons.size(), 1u);
  EXPECT_EQ(found.reasons[0].find("the errors are correlated with neither acceleration nor position; try all models"),
            0u)
      << found.reasons[0];
}

}  // namespace
}  // namespace stickslip::explanation_test
