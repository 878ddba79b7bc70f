#include "identification/judging/ranking.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/random.hpp"

namespace stickslip::ranking_test {
namespace {

/// Noise that all models share, and a share of a signal that a model misses.
Contender contender(std::string label, std::size_t parameters, double missed) {
  Contender c{std::move(label), parameters, {}};
  Random random(4);
  for (int i = 0; i < 2400; ++i) c.errors.push_back(random.normal() + missed * std::sin(0.05 * i));
  return c;
}

// Blocks of 2, one of them 3 worse on average in both blocks: no spread, so the standard error is 0.
TEST(Ranking, PairedDifferencesAreThoseOfTheSquares) {
  const PairedDifference d = paired_difference({2, 2, 2, 2}, {1, 1, 1, 1}, 2);
  EXPECT_DOUBLE_EQ(d.mean, 3);
  EXPECT_DOUBLE_EQ(d.standard_error, 0);
  const PairedDifference spread = paired_difference({1, 1, 2, 2}, {0, 0, 0, 0}, 2);
  EXPECT_DOUBLE_EQ(spread.mean, 2.5);
  EXPECT_DOUBLE_EQ(spread.standard_error, 1.5);  // block means 1 and 4
}

TEST(Ranking, TheSimplestWithinTheNoiseIsRecommended) {
  // A thousandth of the noise cannot be distinguished from none; the whole noise can.
  const Ranking r =
      rank({contender("rich", 9, 0), contender("poor", 1, 1), contender("simple", 3, 1e-3)}, 0, "validation");
  EXPECT_EQ(r.recommended, 2u);
  EXPECT_EQ(r.order.back(), 1u);
  EXPECT_NE(r.why.find("simple, 3 parameters"), std::string::npos) << r.why;
  EXPECT_NE(r.why.find("within the noise"), std::string::npos) << r.why;
}

// A bound or a combination is not a number that a recording determines.
TEST(Ranking, OfThoseThatTieTheOneWithDeterminedParametersIsTaken) {
  std::vector<Contender> list{contender("best", 8, 0), contender("vague", 3, 1e-3), contender("known", 5, 1e-3)};
  EXPECT_EQ(list[rank(list, 0, "validation").recommended].label, "vague");
  list[1].undetermined = 1;
  EXPECT_EQ(list[rank(list, 0, "validation").recommended].label, "known");
  list[0].undetermined = 2;
  const Ranking r = rank(list, 0, "validation");
  EXPECT_EQ(list[r.recommended].label, "known");
  EXPECT_NE(r.why.find("2 of its parameters are not determined"), std::string::npos) << r.why;
  list[2].undetermined = 1;  // none is determined: the fewest parameters, as before
  EXPECT_EQ(list[rank(list, 0, "validation").recommended].label, "vague");
}

TEST(Ranking, ABlackBoxMustBeatAPhysicalLawByMoreThanTheNoise) {
  Contender box = contender("DNLRX(1,3,2)", 2, 0);
  box.is_black_box = true;
  // 0.2 of a sine in unit noise: 2 % of the mean square, many standard errors, and still not more than the noise.
  const std::vector<Contender> close{box, contender("lugre", 7, 0.2), contender("coulomb", 2, 0.6)};
  const Ranking r = rank(close, 0, "validation");
  EXPECT_EQ(close[r.recommended].label, "lugre");
  EXPECT_NE(r.why.find("DNLRX(1,3,2), a black-box model, is better by less than the noise"), std::string::npos)
      << r.why;
  // Half of the noise is more.
  const std::vector<Contender> far{box, contender("lugre", 7, 0.8)};
  EXPECT_EQ(far[rank(far, 0, "validation").recommended].label, "DNLRX(1,3,2)");
}

// What went wrong: a law with 13 parameters erred least, and a black box with 9 of them counted as the simpler law within the noise.
TEST(Ranking, ABlackBoxIsNoSimplerLawThanThePhysicalOneThatIsBest) {
  Contender box = contender("box", 9, 1e-3);
  box.is_black_box = true;
  const Ranking r = rank({contender("law", 13, 0), box, contender("poor", 3, 1)}, 0, "validation");
  EXPECT_EQ(r.recommended, 0u) << r.why;
}

// What went wrong: on an axis that is viscous alone, laws with springs fitted what the sensors left of the force, and one of them, or a black
// box, was recommended.
TEST(Ranking, ViscousFrictionAloneIsNotGivenALawThatSlips) {
  Contender viscous = contender("viscous", 3, 0.8), rich = contender("rich", 13, 0);
  viscous.is_viscous = true, viscous.unexplained = 0.006, rich.unexplained = 0.004;
  const Ranking r = rank({rich, viscous}, 0, "validation");
  EXPECT_EQ(r.recommended, 1u) << r.why;
  EXPECT_EQ(r.alike.size(), 2u) << "the other is not separable";
  EXPECT_NE(r.why.find("cannot be told from zero"), std::string::npos) << r.why;
  viscous.unexplained = 0.2;  // plainly more of the force
  EXPECT_EQ(rank({rich, viscous}, 0, "validation").recommended, 0u);
}

// What went wrong: of a log that moves in one direction only an elastoplastic law was recommended, for a start and a lag of the drive that its
// bristles imitated.
TEST(Ranking, MotionInOneDirectionIsNotGivenBristlesForItsStart) {
  Contender plain = contender("plain", 3, 0.8), rich = contender("rich", 8, 0);
  plain.is_one_way = true, plain.unexplained = 0.729, rich.unexplained = 0.721;
  const Ranking r = rank({rich, plain}, 0, "validation");
  EXPECT_EQ(r.recommended, 1u) << r.why;
  EXPECT_NE(r.why.find("deflected once"), std::string::npos) << r.why;
  plain.unexplained = 0.9;  // plainly more of the force
  EXPECT_EQ(rank({rich, plain}, 0, "validation").recommended, 0u);
}

TEST(Ranking, FollowsTheErrorsAndNotTheOrderOfTheList) {
  const std::vector<Contender> one{contender("a", 3, 0), contender("b", 3, 1)},
      other{contender("b", 3, 1), contender("a", 3, 0)};
  EXPECT_EQ(one[rank(one, 0, "validation").recommended].label, "a");
  EXPECT_EQ(other[rank(other, 0, "validation").recommended].label, "a");
}

/// What went wrong: leuven, 11 parameters, was recommended before lugre, 7, for a thousandth less error with the same force.
TEST(Ranking, LawsWithTheSameForceAreOneGroupAndTheSimplestIsTaken) {
  std::vector<Contender> list{contender("rich", 11, 0), contender("simple", 7, 0.05), contender("other", 3, 1),
                              contender("other again", 4, 1.01)};
  const Ranking r = rank(list, 0, "validation");
  EXPECT_EQ(list[r.recommended].label, "simple");
  EXPECT_EQ(r.group, (std::vector<std::size_t>{1, 1, 2, 2}));
}

TEST(Ranking, LawsThatCannotBeToldApartAreListed) {
  const std::vector<Contender> list{contender("best", 4, 0), contender("as good", 5, 1e-3), contender("worse", 3, 1)};
  EXPECT_EQ(rank(list, 0, "validation").alike, (std::vector<std::size_t>{0, 1}));
}

// What went wrong: a public log of a ball screw was answered by 13 parameters, 12 of them unknown, where two known ones leave hardly more.
// One speed each way: no law's parameters are known, and nine of them are not better than three.
TEST(Ranking, WhereNothingIsDeterminedTheSimplestWins) {
  Contender rich = contender("rich", 9, 0), simple = contender("simple", 3, 0.4), middle = contender("middle", 5, 0.3);
  for (Contender* c : {&rich, &simple, &middle}) c->determined = 0, c->undetermined = c->parameters;
  const Ranking r = rank({rich, middle, simple}, 0, "validation");
  EXPECT_EQ(r.recommended, 2u);
  EXPECT_NE(r.why.find("simple, 3 parameters: "), std::string::npos) << r.why;
  EXPECT_NE(r.why.find("does not determine most of its parameters"), std::string::npos) << r.why;
  Contender far = contender("far", 3, 0.6);  // a mean square of 1.2
  far.determined = 0, far.undetermined = 3;
  EXPECT_EQ(rank({rich, far}, 0, "validation").recommended, 0u);
  rich.determined = 0.5;
  EXPECT_EQ(rank({rich, simple}, 0, "validation").recommended, 0u);
}

TEST(Ranking, ALawThatTheRecordingDoesNotDetermineGivesWayToASimplerKnownOne) {
  Contender rich = contender("rich", 13, 0), simple = contender("simple", 3, 0.9);  // a mean square of 1.4
  rich.unexplained = 0.3, rich.determined = 0.1, simple.unexplained = 0.45;
  const Ranking r = rank({rich, simple}, 0, "validation");
  EXPECT_EQ(r.recommended, 1u);
  EXPECT_EQ(r.order.front(), 0u);  // the errors are shown as they are
  EXPECT_EQ(r.alike, std::vector<std::size_t>{1});
  EXPECT_NE(r.why.find("simple, 3 parameters: "), std::string::npos) << r.why;
  EXPECT_NE(r.why.find("rich, 13 parameters, leaves"), std::string::npos) << r.why;
  const auto gives_way = [&](double determined, const Contender& to) {
    Contender from = rich;
    from.determined = determined;
    return rank({from, to}, 0, "validation").recommended == 1;
  };
  EXPECT_TRUE(gives_way(0.49, simple));
  EXPECT_FALSE(gives_way(0.5, simple));
  Contender other = simple;
  other.determined = 0.5;
  EXPECT_TRUE(gives_way(0.1, other));
  other.determined = 0.49;
  EXPECT_FALSE(gives_way(0.1, other));
  other = simple, other.undetermined = 1;
  EXPECT_FALSE(gives_way(0.1, other));
  EXPECT_FALSE(gives_way(0.1, contender("far", 3, 1.1)));  // a mean square of 1.6
  other = simple, other.unexplained = 1.31;
  EXPECT_FALSE(gives_way(0.1, other));
  other = simple, other.is_black_box = true;
  EXPECT_FALSE(gives_way(0.1, other));
  other = simple, other.parameters = 13;
  EXPECT_FALSE(gives_way(0.1, other));
  // Of several the one that errs least, of those alike the simplest.
  const Contender better = contender("better", 5, 0.5), alike = contender("alike", 4, 0.52);
  EXPECT_EQ(rank({rich, simple, better}, 0, "validation").recommended, 2u);
  EXPECT_EQ(rank({rich, simple, better, alike}, 0, "validation").recommended, 3u);
}

// Laws of one force and as many parameters (one law under two names) in every order of the list, with other last digits: the first of the
// list is taken, and whatever else is decided stays decided.
TEST(Ranking, LastDigitsDecideNothing) {
  Random random(11);
  const auto shaken = [&](Contender c) {
    for (double& e : c.errors) e *= 1 + 1e-9 * random.normal();
    for (double& e : c.clear_errors) e *= 1 + 1e-9 * random.normal();
    c.unexplained *= 1 + 1e-9 * random.normal();
    c.own_error *= 1 + 1e-9 * random.normal();
    return c;
  };
  for (const bool is_blurred : {false, true}) {
    Contender rich = contender("rich", 8, 0), law = contender("law", 4, is_blurred ? 1 : 0.001);
    rich.clear_errors = law.clear_errors = std::vector<double>(100, 0.5);
    rich.unexplained = 7, law.unexplained = 4;
    Contender twin = law, other = contender("other", 6, 2);
    twin.label = "twin", other.clear_errors = std::vector<double>(100, 0.9), other.unexplained = 9;
    std::vector<Contender> list{rich, law, twin, other};
    std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.label < b.label; });
    do {
      const auto first = std::find_if(list.begin(), list.end(), [](const auto& c) { return c.parameters == 4; });
      for (int i = 0; i < 20; ++i) {
        std::vector<Contender> changed;
        for (const Contender& c : list) changed.push_back(shaken(c));
        EXPECT_EQ(changed[rank(changed, 0, "validation").recommended].label, first->label) << is_blurred;
      }
    } while (std::next_permutation(list.begin(), list.end(),
                                   [](const auto& a, const auto& b) { return a.label < b.label; }));
  }
}

// A law with bristles fits what the low-pass makes of a stick; where that is out of reach both err alike, and at rest it errs more.
TEST(Ranking, ALawThatIsBetterOnlyWhereTheLowPassBlursGivesWayToASimplerOne) {
  Contender bristles = contender("bristles", 8, 0), ideal = contender("ideal", 3, 1);
  bristles.clear_errors = ideal.clear_errors = std::vector<double>(100, 0.5);
  bristles.unexplained = 7, ideal.unexplained = 4;
  const Ranking r = rank({bristles, ideal}, 0, "validation");
  EXPECT_EQ(r.recommended, 1u);
  EXPECT_NE(r.why.find("ideal, 3 parameters: 4 % of the force's variance"), std::string::npos) << r.why;
  EXPECT_NE(r.why.find("bristles, 8 parameters, leaves 7 %"), std::string::npos) << r.why;
  const auto gives_way_to = [&](const auto& change) {
    Contender other = ideal;
    change(other);
    return rank({bristles, other}, 0, "validation").recommended == 1;
  };
  // A tenth more in mean square in clear samples is as good; with more, bristles are what is there.
  EXPECT_TRUE(gives_way_to([](Contender& c) { c.clear_errors.assign(100, 0.5 * std::sqrt(1.09)); }));
  EXPECT_FALSE(gives_way_to([](Contender& c) { c.clear_errors.assign(100, 0.5 * std::sqrt(1.11)); }));
  // Over all samples it must leave less than two thirds: 4.67 of 7.
  EXPECT_TRUE(gives_way_to([](Contender& c) { c.unexplained = 4.6; }));
  EXPECT_FALSE(gives_way_to([](Contender& c) { c.unexplained = 4.7; }));
  EXPECT_FALSE(gives_way_to([](Contender& c) { c.unexplained = 0; }));  // not known
  EXPECT_FALSE(gives_way_to([](Contender& c) { c.clear_errors.resize(29); }));
  EXPECT_FALSE(gives_way_to([](Contender& c) { c.is_black_box = true; }));
  EXPECT_FALSE(gives_way_to([](Contender& c) { c.parameters = 8; }));
  // Of two candidates, the one with the smaller error.
  Contender better = ideal;
  better.label = "better", better.parameters = 4, better.unexplained = 3;
  EXPECT_EQ(rank({bristles, ideal, better}, 0, "validation").recommended, 2u);
  EXPECT_EQ(rank({bristles, better, ideal}, 0, "validation").recommended, 1u);
}

// What went wrong: lugre, with nearly every number at a bound, for a machine with a Stribeck curve. What the simple law errs by near
// rest is what the low-pass makes of it.
TEST(Ranking, ALawGivesWayToASimplerOneWhoseErrorsTheLowPassMakes) {
  Contender bristles = contender("bristles", 8, 0), ideal = contender("ideal", 3, 1);
  bristles.clear_errors = ideal.clear_errors = std::vector<double>(400, 0.5);
  bristles.unexplained = 3, ideal.unexplained = 4;
  EXPECT_EQ(rank({bristles, ideal}, 0, "validation").recommended, 0u);
  EXPECT_TRUE(may_replace(ideal, bristles));
  // 2400 errors, of them 400 clear ones.
  double all = 0;
  for (const double e : ideal.errors) all += e * e;
  const double blurred = std::sqrt((all - 400 * 0.25) / 2000);
  ideal.own_error = blurred / 1.24;
  const Ranking r = rank({bristles, ideal}, 0, "validation");
  EXPECT_EQ(r.recommended, 1u);
  EXPECT_NE(r.why.find("where a simulated machine with ideal shows the same errors"), std::string::npos) << r.why;
  ideal.own_error = blurred / 1.26;  // more than the low-pass makes: bristles are what is there
  EXPECT_EQ(rank({bristles, ideal}, 0, "validation").recommended, 0u);
  // But for a law that errs plainly less where nothing is blurred: a fifth in mean square.
  Contender better = ideal;
  better.clear_errors.assign(400, 0.5 * std::sqrt(0.79));
  EXPECT_EQ(rank({bristles, better}, 0, "validation").recommended, 1u);
  better.clear_errors.assign(400, 0.5 * std::sqrt(0.81));
  EXPECT_EQ(rank({bristles, better}, 0, "validation").recommended, 0u);
  // Of two candidates, the one that leaves less of the whole force, unless the difference is small and it has more parameters.
  ideal.own_error = 2 * blurred;
  Contender richer = ideal;
  richer.label = "richer", richer.parameters = 5, richer.unexplained = 3.9;
  EXPECT_EQ(rank({bristles, ideal, richer}, 0, "validation").recommended, 1u);
  EXPECT_EQ(rank({bristles, richer, ideal}, 0, "validation").recommended, 2u);
  richer.unexplained = 3.5;
  EXPECT_EQ(rank({bristles, ideal, richer}, 0, "validation").recommended, 2u);
  EXPECT_EQ(rank({bristles, richer, ideal}, 0, "validation").recommended, 1u);
}

// What went wrong: a body pushed by steps of force, with a Stribeck curve. Near rest the low-pass smears the inertia by 3 N, more than the
// curve is high, and by chance the Coulomb law erred less there: 19.14 +- 0.83 N, "well determined", for 18.14 N. Clear of rest the Stribeck law
// left a fraction of its errors.
// Coulomb-viscous friction through an encoder of 10 um was given a Stribeck curve with a velocity beyond all speeds in 8 of 50 recordings.
TEST(Ranking, AStribeckVelocityBeyondAllSpeedsIsNoReasonForMoreParameters) {
  Contender line = contender("line", 3, 0.35), curve = contender("curve", 5, 0);
  const auto taken = [&] { return rank({line, curve}, 0, "validation"); };
  ASSERT_GT(rms_error(line.errors), 1.02 * rms_error(curve.errors));
  ASSERT_LT(rms_error(line.errors), 1.04 * rms_error(curve.errors));
  EXPECT_EQ(taken().recommended, 1u);
  curve.has_unseen_drop = true;
  EXPECT_EQ(taken().recommended, 0u);
  EXPECT_EQ(taken().alike, (std::vector<std::size_t>{0, 1})) << "faster motion may show the drop";
  EXPECT_NE(taken().why.find("but its Stribeck velocity is beyond the fastest speed: no drop is seen"),
            std::string::npos)
      << taken().why;
  line.undetermined = 1;
  EXPECT_EQ(taken().recommended, 1u);
  line = contender("line", 3, 0.5);  // more than a tenth
  EXPECT_EQ(taken().recommended, 1u);
}

TEST(Ranking, ClearSamplesAreNotOutvotedByThoseThatTheLowPassBlurs) {
  Contender simple = contender("simple", 3, 0), curve = contender("curve", 5, 1);
  simple.clear_errors.assign(400, 0.5), curve.clear_errors.assign(400, 0.5 * std::sqrt(0.79));
  simple.unexplained = curve.unexplained = 3;
  double all = 0;
  for (const double e : curve.errors) all += e * e;
  const double blurred = std::sqrt((all - 400 * 0.25 * 0.79) / 2000);
  const auto is_curve_taken = [&] { return rank({simple, curve}, 0, "validation").recommended == 1; };
  EXPECT_FALSE(is_curve_taken());  // not known whether the low-pass makes its errors
  // Its numbers may be those of the machine all the same.
  EXPECT_EQ(rank({simple, curve}, 0, "validation").clearer, std::vector<std::size_t>{1});
  EXPECT_TRUE(is_clearer(curve, simple));
  EXPECT_FALSE(is_clearer(simple, curve));
  curve.own_error = blurred / 1.24;
  EXPECT_TRUE(is_curve_taken());
  const Ranking r = rank({simple, curve}, 0, "validation");
  EXPECT_NE(r.why.find("samples clear of rest and reversal; simple, 3 parameters, leaves 0.5 N there"),
            std::string::npos)
      << r.why;
  EXPECT_TRUE(r.clearer.empty());
  curve.own_error = blurred / 1.26;  // more than the low-pass makes
  EXPECT_FALSE(is_curve_taken());
  curve.own_error = blurred, curve.undetermined = 1;
  EXPECT_FALSE(is_curve_taken());
  curve.undetermined = 0, curve.is_black_box = true;
  EXPECT_FALSE(is_curve_taken());
  curve.is_black_box = false, curve.clear_errors.assign(400, 0.5 * std::sqrt(0.81));  // not plainly less
  EXPECT_FALSE(is_curve_taken());
  // Hardly worse where it is blurred is good enough, whatever a twin says.
  Contender near = contender("near", 5, 0.5);
  near.clear_errors.assign(400, 0.5 * std::sqrt(0.79)), near.unexplained = 3;
  EXPECT_EQ(rank({simple, near}, 0, "validation").recommended, 1u);
  // One sample in which it is better is chance.
  curve.clear_errors.assign(400, 0.5), simple.clear_errors[7] = 20;
  EXPECT_FALSE(is_clearer(curve, simple));
  EXPECT_FALSE(is_curve_taken());
}

}  // namespace
}  // namespace stickslip::ranking_test
