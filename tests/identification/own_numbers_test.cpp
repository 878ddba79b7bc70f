/// Private numbers of several recordings in one fit (IdentifyOptions::own).
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/random.hpp"
#include "identification/identify.hpp"
#include "identification/identify_recordings.hpp"
#include "identification/laws/model_residuals.hpp"
#include "identification/laws/unit_laws.hpp"

namespace stickslip::own_numbers_test {
namespace {

/// One unit: its Coulomb force and offset; all units have the same viscosity and, if bristles, the same stiffness.
struct Unit {
  double coulomb_force = 3, offset = 0, viscosity = 40;
};
constexpr double stiffness = 2e5, noise = 0.02;

Prepared recording_of(const std::string& model, const Unit& unit, std::uint64_t seed) {
  Prepared p = motion_of({.count = 4000, .reach = 2e-3, .rests = false, .seed = seed});
  ParameterValues values{{"coulomb_force", unit.coulomb_force}};
  if (model == "coulomb-viscous") values.emplace_back("viscosity", unit.viscosity);
  if (model == "dahl") values.emplace_back("bristle_stiffness", stiffness);
  give_force(p, *make_friction(model, values), noise, seed);
  for (double& f : p.force) f += unit.offset;
  p.file = "unit" + std::to_string(seed) + ".csv";
  return p;
}

Sets recordings_of(const std::string& model, const std::vector<Unit>& units, std::uint64_t seed = 1) {
  std::vector<Prepared> all;
  for (std::size_t k = 0; k < units.size(); ++k) all.push_back(recording_of(model, units[k], seed + k));
  return split_by_file(std::move(all), {}, {});
}

const Estimate& estimate_of(const IdentifiedModel& m, const std::string& key) {
  for (const Estimate& e : m.confidence.estimates)
    if (e.key == key) return e;
  throw Error("no " + key);
}

std::string message_of(const Sets& sets, const IdentifyOptions& options) {
  try {
    identify(sets, options);
  } catch (const Error& problem) {
    return problem.what();
  }
  return "";
}

const std::vector<Unit> three{{2.5, 0.3}, {3.0, -0.2}, {4.1, 0.0}};

// The own numbers of 120 units lie inside their 95 % intervals about as often as that says.
TEST(OwnNumbers, IntervalsContainTheTruth) {
  int inside = 0, all = 0;
  for (const std::string model : {"coulomb-viscous", "dahl"})
    for (std::uint64_t seed = 100; seed < 200; seed += 10) {
      const Identification found =
          identify(recordings_of(model, three, seed), {.models = {model}, .own = {"coulomb_force", "offset"}});
      const IdentifiedModel& m = found.models.at(0);
      for (std::size_t k = 0; k < three.size(); ++k) {
        const Estimate& level = estimate_of(m, "coulomb_force@" + std::to_string(k + 1));
        const Estimate& offset = estimate_of(m, "chain.offset@" + std::to_string(k + 1));
        inside += level.low <= three[k].coulomb_force && three[k].coulomb_force <= level.high;
        inside += offset.low <= three[k].offset && three[k].offset <= offset.high;
        all += 2;
      }
    }
  EXPECT_EQ(all, 120);
  EXPECT_GE(inside, 106);  // 114 expected; fewer than 106 in one case of a thousand
}

// Each unit's own numbers lie within twice their 95 % intervals; the law has the means.
TEST(OwnNumbers, UnitsWithTheirOwnLevelsAreFoundBesideWhatTheyShare) {
  for (const std::string model : {"coulomb-viscous", "dahl"}) {
    const Sets sets = recordings_of(model, three);
    const Identification found = identify(sets, {.models = {model}, .own = {"coulomb_force", "offset"}});
    ASSERT_EQ(found.models.size(), 1u) << model;
    const IdentifiedModel& m = found.models[0];
    ASSERT_EQ(m.own.size(), 3u);
    double mean = 0;
    for (std::size_t k = 0; k < three.size(); ++k) {
      const Estimate& level = estimate_of(m, "coulomb_force@" + std::to_string(k + 1));
      const Estimate& offset = estimate_of(m, "chain.offset@" + std::to_string(k + 1));
      EXPECT_NEAR(level.value, three[k].coulomb_force, 2 * (level.high - level.value)) << model << k;
      EXPECT_NEAR(offset.value, three[k].offset, 2 * (offset.high - offset.value)) << model << k;
      EXPECT_LT(level.high - level.low, 0.05) << model;
      EXPECT_DOUBLE_EQ(m.own[k].chain.offset, offset.value);
      mean += level.value / 3;
      // The error of each recording's own law is the noise.
      const std::vector<double> force = predicted_force(m, sets.pieces[k]);
      double square = 0;
      for (std::size_t i = 1000; i < force.size(); ++i) square += std::pow(force[i] - sets.pieces[k].data.force[i], 2);
      EXPECT_LT(std::sqrt(square / static_cast<double>(force.size() - 1000)), 1.2 * noise) << model << k;
    }
    const Estimate& shared = estimate_of(m, model == "dahl" ? "bristle_stiffness" : "viscosity");
    EXPECT_NEAR(shared.value, model == "dahl" ? stiffness : 40, 1.5 * (shared.high - shared.value)) << model;
    EXPECT_NEAR(make_friction(m.model, m.settings)->parameter("coulomb_force"), mean, 1e-9 * mean);
    EXPECT_LT(m.validation.noe, 0.1);
  }
}

// Where all numbers are private, the fit of all is that of each alone.
TEST(OwnNumbers, ThatShareNothingAreThoseOfEachRecordingAlone) {
  const std::vector<Unit> units{{2.5, 0.3, 30}, {3.0, -0.2, 40}, {4.1, 0.0, 60}};
  const Sets sets = recordings_of("coulomb-viscous", units);
  const IdentifiedModel m =
      identify(sets, {.models = {"coulomb-viscous"}, .own = {"coulomb_force", "viscosity", "offset"}}).models[0];
  for (std::size_t k = 0; k < units.size(); ++k) {
    Sets only{{sets.pieces[k]}, ""};
    only.pieces[0].unit = 0;
    const IdentifiedModel alone = identify(only, {.models = {"coulomb-viscous"}}).models[0];
    for (const std::string key : {"coulomb_force", "viscosity", "chain.offset"}) {
      const Estimate &one = estimate_of(m, key + "@" + std::to_string(k + 1)), &other = estimate_of(alone, key);
      EXPECT_NEAR(one.value, other.value, 0.02 * other.standard_error) << key << k;
    }
  }
}

// Exact slopes of the residuals with private numbers are their difference quotients; each column is zero along the other recordings.
TEST(OwnNumbers, SlopesAreThoseOfTheRecordingTheyBelongTo) {
  for (const std::string model : {"coulomb-viscous", "dahl", "lugre"}) {
    const Sets sets = recordings_of(model == "lugre" ? "dahl" : model, three);
    const FitData data = fit_data(sets);
    SpaceOptions with_lag;
    with_lag.find_lag = true;
    ModelSpace space(find_model(model), data.scales, with_lag);
    const std::size_t shared = space.size();
    ASSERT_EQ(space.give_own({"coulomb_force", "offset", "lag"}, 3), 3u);
    ASSERT_EQ(space.size(), shared + 6);
    Random random(5);
    std::vector<double> y = space.guess();
    for (std::size_t k = 0; k < y.size(); ++k) y[k] += 0.2 * (random.uniform() - 0.5);
    for (std::size_t k = 0; k < y.size(); ++k)
      if (space.is_lag(k)) y[k] = 0.3 + 0.1 * static_cast<double>(k % 3);  // inside a sample: straight between
    const ModelResiduals residuals(space, data);
    std::vector<std::size_t> all;
    for (std::size_t k = 0; k < space.size(); ++k) all.push_back(k);
    Eigen::MatrixXd slopes;
    ASSERT_TRUE(residuals.slopes(y, all, slopes)) << model;
    Eigen::VectorXd above, below;
    for (const std::size_t k : all) {
      constexpr double h = 1e-6;
      std::vector<double> moved = y;
      moved[k] += h;
      ASSERT_TRUE(residuals(moved, above));
      moved[k] -= 2 * h;
      ASSERT_TRUE(residuals(moved, below));
      const Eigen::VectorXd quotient = (above - below) / (2 * h);
      const auto column = slopes.col(static_cast<Eigen::Index>(k));
      EXPECT_LT((quotient - column).norm(), 1e-4 * (column.norm() + 1e-3)) << model << " " << space.unknowns()[k].key;
      if (!space.is_own(k)) continue;
      Eigen::Index row = 0;
      for (const FitPiece& p : data.pieces) {
        const auto count = static_cast<Eigen::Index>(p.estimation.count());
        EXPECT_EQ(column.segment(row, count).norm() > 0, space.serves(k, p.unit)) << space.unknowns()[k].key;
        row += count;
      }
    }
  }
}

// What the others know is held, the named number is found from the recording itself.
TEST(OwnNumbers, AnotherRecordingFindsItsOwnAndKeepsWhatTheOthersShare) {
  const Sets sets = recordings_of("coulomb-viscous", three);
  const IdentifyOptions options{.models = {"coulomb-viscous"}, .own = {"coulomb_force", "offset"}};
  const IdentifiedModel known = identify(sets, options).models[0];
  Sets further{{recordings_of("coulomb-viscous", {{2, 0}, {6.5, 0.7}}).pieces[1]}, ""};
  further.pieces[0].unit = 0;
  const IdentifiedModel adapted = fit_own(further, known, options.own, options);
  const auto law = make_friction(adapted.model, adapted.settings);
  EXPECT_NEAR(law->parameter("coulomb_force"), 6.5, 0.01);
  EXPECT_NEAR(adapted.chain.offset, 0.7, 0.01);
  EXPECT_DOUBLE_EQ(law->parameter("viscosity"), estimate_of(known, "viscosity").value);
}

TEST(OwnNumbers, LawsWithoutThemAreLeftOut) {
  const Sets sets = recordings_of("dahl", three);
  const Identification found = identify(sets, {.models = {"dahl", "maxwell-slip(1)"}, .own = {"coulomb_force"}});
  ASSERT_EQ(found.models.size(), 1u);
  ASSERT_EQ(found.skipped.size(), 1u);
  EXPECT_EQ(found.skipped[0], "NLR(1): it has no coulomb_force that could be private to each recording");
}

TEST(OwnNumbers, WrongOnesAreRefused) {
  const Sets sets = recordings_of("dahl", three);
  EXPECT_EQ(message_of(sets, {.models = {"dahl"}, .own = {"coulomb_forc"}}),
            "identify: private: no parameter 'coulomb_forc'; did you mean 'coulomb_force'");
  EXPECT_EQ(message_of(sets, {.models = {"dahl"}, .own = {"lag"}}),
            "identify: lag is private to each recording, but it is not estimated at all");
  EXPECT_EQ(message_of(sets, {.models = {"dahl"}, .find_offset = false, .own = {"offset"}}),
            "identify: offset is private to each recording, but it is not estimated at all");
  EXPECT_EQ(message_of(sets, {.models = {"dahl"}, .fixed = {{"coulomb_force", 3}}, .own = {"coulomb_force"}}),
            "identify: coulomb_force is fixed; it cannot be private to each recording");
  EXPECT_EQ(message_of(sets, {.models = {"dahl"}, .own = {"offset", "offset"}}),
            "identify: private: offset is named twice");
  EXPECT_EQ(message_of(sets, {.models = {"dahl"}, .search = SearchMethod::published, .own = {"offset"}}),
            "identify: private numbers are found by the standard search, not by the published one");
  EXPECT_EQ(message_of({{sets.pieces[0]}, ""}, {.models = {"dahl"}, .own = {"offset"}}),
            "identify: private numbers are those of several recordings; there is one");
  Sets with_unseen = split_by_file({recording_of("dahl", three[0], 1), recording_of("dahl", three[1], 2)},
                                   {recording_of("dahl", three[2], 3)}, {});
  EXPECT_EQ(message_of(with_unseen, {.models = {"dahl"}, .own = {"offset"}}),
            "unit3.csv: 0 samples to fit its private offset; at least 16 are needed: give it among the recordings that "
            "are fitted, or leave nothing private");
}

}  // namespace
}  // namespace stickslip::own_numbers_test
