/// identify() as a whole: the ranking follows the data, and what it promises about threads, cancelling and resuming.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.hpp"
#include "identification/identify.hpp"
#include "identification/identify_recordings.hpp"
#include "identification/recordings.hpp"
#include "support/cases.hpp"

namespace stickslip::identify_ranking_test {
namespace {

const std::vector<std::string> field{"coulomb", "coulomb-viscous", "stribeck",        "dahl",
                                     "lugre",   "maxwell-slip(1)", "maxwell-slip(2)", "maxwell-slip(3)"};
const ParameterValues lugre_values{{"bristle_stiffness", 1e5}, {"bristle_damping", 100.0}, {"coulomb_force", 3.0},
                                   {"stiction_force", 4.5},    {"viscosity", 40.0},        {"stribeck_velocity", 2e-3}};
const ParameterValues springs{{"thresholds", std::vector<double>{2e-5, 6e-5, 1.5e-4}},
                              {"stiffnesses", std::vector<double>{5e4, 2e4, 1e4}}};

std::string recommended(const Sets& sets) {
  const Identification found = identify(sets, {.models = field});
  return found.models[found.recommended].label;
}

TEST(IdentifyRanking, FollowsTheData) {
  EXPECT_EQ(recommended(recorded("coulomb", {{"coulomb_force", 3.0}}, {.rests = true}, 0.05)), "coulomb");
  EXPECT_EQ(recommended(recorded("coulomb-viscous", {{"coulomb_force", 3.0}, {"viscosity", 80.0}}, {}, 0.02)),
            "coulomb-viscous");
  EXPECT_EQ(recommended(recorded("lugre", lugre_values, {}, 0.02)), "lugre");
  EXPECT_EQ(recommended(recorded("maxwell-slip", springs, {}, 0.02)), "NLR(3)");
  EXPECT_EQ(recommended(
                recorded("dahl", {{"bristle_stiffness", 1e5}, {"coulomb_force", 3.0}, {"viscosity", 40.0}}, {}, 0.02)),
            "dahl");
}

Sets sets_from(const KnownRecording& r) {
  Prepared p;
  p.time = r.time;
  p.position = r.position;
  p.force = r.force;
  p.velocity.assign(r.time.size(), 0.0);
  p.acceleration = p.velocity;
  p.sampling_time = 1.0 / 2500;
  return in_halves(std::move(p));
}

// The same as maxwell_fit_test's, through the front door.
TEST(IdentifyRanking, ThreeOperatorsUnderNoiseComeBackInEveryOfTwentySeeds) {
  const std::vector<double> thresholds{2e-6, 5e-6, 12e-6}, stiffnesses{8e4, 5e4, 2e4};
  for (std::uint64_t seed = 1; seed <= std::uint64_t(test::repetitions(20)); ++seed) {
    FromExtreme known = motion_from_extreme(20000, 25e-6, seed);
    add_maxwell_slip(known.recording, known.start.direction, thresholds, stiffnesses);
    add_noise(known.recording, 0.2e-3, seed + 1000);
    const IdentifiedModel m = identify(sets_from(known.recording), {.models = {"NLR(3)"}, .seed = seed}).models[0];
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string place = "[" + std::to_string(i + 1) + "]";
      EXPECT_NEAR(value_of(m, "thresholds" + place) / thresholds[i], 1, 2e-4) << "seed " << seed;
      EXPECT_NEAR(value_of(m, "stiffnesses" + place) / stiffnesses[i], 1, 2e-4) << "seed " << seed;
    }
  }
}

// Rizos and Fassois' Table 1: presliding wants Maxwell-slip memory with dynamics, gross sliding the Stribeck curve of LuGre.
TEST(IdentifyRanking, TenElementsRankAsPublished) {
#ifdef STICKSLIP_SANITIZED
  GTEST_SKIP() << "a quarter of an hour with sanitizers; the same fits run in other tests";
#endif
  for (const double half : {60e-6, 600e-6}) {
    KnownRecording r = random_motion(12000, half, 7);
    add_gms(r, ten_elements());
    add_noise(r, 2e-3, 5);
    const Identification found = identify(sets_from(r), {.models = {"LG", "NLR(4)", "DNLRX(4,3,2)"}});
    const auto noe = [&](const std::string& label) {
      for (const auto& m : found.models)
        if (m.label == label) return m.test.noe;
      return std::nan("");
    };
    if (half < 1e-4) {
      EXPECT_LT(noe("DNLRX(4,3,2)"), noe("NLR(4)"));
      EXPECT_LT(noe("NLR(4)"), noe("LG"));
    } else {
      EXPECT_LT(noe("LG"), noe("NLR(4)"));
    }
    ASSERT_EQ(found.orders.size(), 2u);
    EXPECT_EQ(found.orders[0].label, "NLR(4)");
    EXPECT_EQ(found.orders[0].parameters, 9u);
    EXPECT_EQ(found.orders[1].parameters, 24u);
  }
}

TEST(IdentifyRanking, TheOrderIsChosenOnTheValidationSamples) {
  const Identification found =
      identify(recorded("maxwell-slip", springs, {}, 0.02), {.models = {"maxwell-slip"}, .most_operators = 5});
  EXPECT_EQ(found.orders.size(), 5u);
  EXPECT_EQ(found.models[found.recommended].label, "NLR(3)");
}

/// Everything that is a number in an answer.
std::vector<double> numbers_of(const Identification& found) {
  std::vector<double> all{static_cast<double>(found.recommended)};
  for (const IdentifiedModel& m : found.models) {
    for (const double x : {m.estimation.cost, m.validation.cost, m.test.cost, m.whiteness, m.chain.offset})
      all.push_back(x);
    for (const Estimate& e : m.confidence.estimates) all.insert(all.end(), {e.value, e.standard_error, e.low, e.high});
    for (const Estimate& e : m.bootstrap.estimates) all.insert(all.end(), {e.low, e.high});
  }
  return all;
}

TEST(IdentifyRanking, SameBytesOnAnyNumberOfThreads) {
  const Sets sets = recorded("lugre", lugre_values, {.count = 3000}, 0.05);
  IdentifyOptions options{.models = field, .bootstrap = 5};
  options.threads = 1;
  const Identification once = identify(sets, options);
  for (const unsigned threads : {1u, 2u, 3u}) {
    options.threads = threads;
    const Identification again = identify(sets, options);
    EXPECT_EQ(numbers_of(once), numbers_of(again)) << threads;
    EXPECT_EQ(once.why, again.why);
  }
}

TEST(IdentifyRanking, CancellingKeepsTheBestSoFarAndResumingTakesItUp) {
  const Sets sets = recorded("lugre", lugre_values, {.count = 4000}, 0.05);
  IdentifyWatch watch;
  std::vector<IdentifiedModel> done;
  IdentifyOptions options{.models = field, .threads = 1};
  options.watch = &watch;
  options.done = [&](const IdentifiedModel& m) { done.push_back(m); };
  bool cuts = true;
  watch.progress = [&](const std::string&, double share) {
    EXPECT_LE(share, 1);
    if (cuts && done.size() == 3) watch.cancel = true;
  };
  const Identification cut = identify(sets, options);
  EXPECT_EQ(done.size(), 3u);
  EXPECT_EQ(cut.models.size(), 3u);
  EXPECT_EQ(cut.skipped.size(), field.size() - 3);
  EXPECT_EQ(cut.warnings.back(), "interrupted: results found so far");

  watch.cancel = cuts = false;
  options.known = done;
  const Identification resumed = identify(sets, options);
  options.known.clear();
  EXPECT_EQ(done.size(), field.size()) << "what was known is not fitted again";
  EXPECT_EQ(numbers_of(resumed), numbers_of(identify(sets, options)));
}

TEST(IdentifyRanking, AModelCancelledOnItsWayIsNotComplete) {
  const Sets sets = recorded("lugre", lugre_values, {.count = 2000}, 0.05);
  IdentifyWatch watch;
  IdentifyOptions options{.models = {"coulomb", "modified-lugre"}, .threads = 1};
  options.watch = &watch;
  watch.progress = [&](const std::string& what, double share) {
    if (share == 0 || what != "coulomb") return;  // it starts, or it is the other
    watch.cancel = true;
    EXPECT_LT(share, 0.1) << "progress counts what models cost: the other takes far longer than coulomb";
  };
  const Identification found = identify(sets, options);
  EXPECT_EQ(found.models.size(), 1u);
  EXPECT_EQ(found.skipped, std::vector<std::string>{"modified-lugre: interrupted before it started"});
}

TEST(IdentifyRanking, AForceWithTheOtherSignIsNoticed) {
  Sets sets = recorded("coulomb", {{"coulomb_force", 3.0}}, {.count = 1000});
  EXPECT_TRUE(identify(sets, {.models = {"coulomb"}}).warnings.empty());
  for (double& f : sets.pieces[0].data.force) f = -f;
  const auto warnings = identify(sets, {.models = {"coulomb"}}).warnings;
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("its sign seems inverted"), std::string::npos);
}

// The offset of an extended model balances factors of the position: far from zero it is larger than any force.
TEST(IdentifyRanking, AnExtendedModelFarFromTheOriginKeepsItsOffset) {
  KnownRecording r = random_motion(8000, 60e-6, 7);
  add_gms(r, ten_elements());
  for (double& x : r.position) x += 0.5;
  const IdentifiedModel m = identify(sets_from(r), {.models = {"DNLRX(2,1,1)"}}).models[0];
  EXPECT_LT(m.test.noe, 1);
}

std::string message(const Sets& sets, const IdentifyOptions& options) {
  try {
    identify(sets, options);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(IdentifyRanking, RefusesWhatMakesNoSense) {
  const Sets sets = recorded("coulomb", {{"coulomb_force", 3.0}}, {.count = 1000});
  EXPECT_EQ(message(sets, {.models = {"NLR(0)"}}), "identify: 'NLR(0)' has 0 operators; 1 to 16 can be used");
  EXPECT_EQ(message(sets, {.models = {"DNLRX(4)"}}), "identify: 'DNLRX(4)'; DNLRX has three orders, like DNLRX(4,3,2)");
  EXPECT_EQ(message(sets, {.models = {"NLR(4"}}),
            "identify: 'NLR(4'; an order is whole numbers, like maxwell-slip(4) or DNLRX(4,3,2)");
  EXPECT_EQ(message(sets, {.models = {"lugre(3)"}}), "identify: 'lugre(3)'; lugre has no order");
  EXPECT_NE(message(sets, {.models = {"lugr"}}).find("no friction model 'lugr'"), std::string::npos);
  EXPECT_NE(message(sets, {.models = {"coulomb"}, .fixed = {{"viscositty", 1.0}}}).find("no parameter 'viscositty'"),
            std::string::npos);
  EXPECT_EQ(message(sets, {.models = {"coulomb"}, .variations = {{.over = Quantity::load}}}),
            "identify: no model could be fitted; coulomb over load: coulomb: a variation over load is asked for; the "
            "recording has no load that changes; --load chooses its column, inspect lists what there is");
  Sets still = sets;
  still.pieces[0].data.position.assign(1000, 1.0);
  EXPECT_EQ(message(still, {.models = {"coulomb"}}), "identify: the position never changes; record a motion");
  Sets empty = sets;
  empty.pieces[0].estimation = {0, 3};
  EXPECT_NE(message(empty, {}).find("samples to estimate from; at least 16 are needed"), std::string::npos);
}

}  // namespace
}  // namespace stickslip::identify_ranking_test
