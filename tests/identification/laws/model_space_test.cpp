/// Parameters that follow load, position or direction, and the chain between contact and recording.
#include "identification/laws/model_space.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "identification/identify_recordings.hpp"
#include "machines/friction/model_file.hpp"

namespace stickslip::model_space_test {
namespace {

Prepared loaded_motion(std::size_t count = 4000) {
  Prepared p = motion_of({.count = count});
  for (std::size_t i = 0; i < p.size(); ++i) p.load.push_back(5 + 3 * std::sin(7 * p.time[i]));
  return p;
}

Sets with_force(Prepared p, std::string_view model, const FrictionSettings& settings) {
  give_force(p, *make_friction(model, settings));
  return in_halves(std::move(p));
}

// Friction that scales with the normal load and a level that depends on position, two springs.
TEST(ModelSpace, SpringsProportionalToLoadWithALevelOverPositionComeBack) {
  FrictionSettings truth;
  truth.values = {{"thresholds", std::vector<double>{2e-5, 1e-4}}, {"stiffnesses", std::vector<double>{4e4, 1e4}}};
  truth.variations = {{"stiffnesses", Quantity::load, {0, 0.125}, {}, {}},
                      {"stiffnesses", Quantity::position, {}, {0, 5e-4, 1e-3}, {0.7, 1.2, 1}}};
  Prepared p = loaded_motion(6000);
  p.position[1] = 1e-3 - 1e-9;  // the range is that of the table
  p.position[1] = p.position[2];
  const Sets sets = with_force(p, "maxwell-slip", truth);
  const Identification found =
      identify(sets, {.models = {"maxwell-slip(2)"},
                      .variations = {{.key = "stiffnesses", .over = Quantity::load, .proportional = true},
                                     {.key = "stiffnesses", .over = Quantity::position, .knots = 3}}});
  EXPECT_EQ(found.models[0].label, "NLR(2) over load over position");
  EXPECT_LT(found.models[0].validation.noe, 1e-3);
  EXPECT_EQ(found.models[0].parameters, 7u);
}

TEST(ModelSpace, EveryLevelAtOnceFollowsTheLoad) {
  FrictionSettings truth;
  truth.values = {{"coulomb_force", 1.0}, {"viscosity", 40.0}};
  truth.variations = {{"coulomb_force", Quantity::load, {0.2, 0.5}, {}, {}}};  // 1.2 + 0.5 N
  const Sets sets = with_force(loaded_motion(), "coulomb-viscous", truth);
  const IdentifiedModel m =
      identify(sets, {.models = {"coulomb-viscous"}, .variations = {{.over = Quantity::load, .degree = 1}}}).models[0];
  EXPECT_LT(m.validation.noe, 1e-10);
  ASSERT_EQ(m.settings.variations.size(), 1u);
  // p₀ + c₀ + c₁ load
  const auto& c = m.settings.variations[0].polynomial;
  EXPECT_NEAR(value_of(m, "coulomb_force") + c[0], 1.2, 1e-5);
  EXPECT_NEAR(c[1], 0.5, 1e-5);
}

TEST(ModelSpace, EachDirectionHasItsOwnLevels) {
  FrictionSettings truth;
  truth.values = {{"coulomb_force", 3.0}, {"viscosity", 40.0}};
  truth.backward = {{"coulomb_force", 2.0}, {"viscosity", 60.0}};
  const Sets sets = with_force(motion_of({}), "coulomb-viscous", truth);
  const IdentifiedModel m =
      identify(sets, {.models = {"coulomb-viscous"}, .per_direction = true, .find_offset = false}).models[0];
  EXPECT_EQ(m.label, "coulomb-viscous per direction");
  EXPECT_NEAR(value_of(m, "coulomb_force"), 3, 1e-6);
  EXPECT_NEAR(value_of(m, "backward.coulomb_force"), 2, 1e-6);
  EXPECT_NEAR(value_of(m, "backward.viscosity"), 60, 1e-4);
}

TEST(ModelSpace, LagOffsetAndBacklashOfTheChainAreFound) {
  const auto friction =
      make_friction("dahl", {{"bristle_stiffness", 1e5}, {"coulomb_force", 3.0}, {"viscosity", 40.0}});
  Prepared p = motion_of({});
  p.force.assign(p.size(), 0.0);
  p.force = predicted_force(*friction, {.offset = 0.3, .lag = 2.5e-3, .backlash = 4e-5}, p);
  const IdentifiedModel m =
      identify(in_halves(p), {.models = {"dahl"}, .find_backlash = true, .find_lag = true}).models[0];
  EXPECT_NEAR(m.chain.offset, 0.3, 1e-6);
  EXPECT_NEAR(m.chain.lag, 2.5e-3, 1e-7);
  EXPECT_NEAR(m.chain.backlash, 4e-5, 1e-8);
}

// An encoder of 5 um at 1 kHz: its steps are rests that are none, and models must not read them as motion.
TEST(ModelSpace, AQuantisedPositionIsAnInterval) {
  const ParameterValues truth{{"coulomb_force", 3.0}, {"viscosity", 80.0}};
  Prepared p = motion_of({.rests = true});
  give_force(p, *make_friction("coulomb-viscous", truth), 0.01);
  p.resolution = 5e-6;
  p.measured_position = p.position;
  for (double& x : p.measured_position) x = p.resolution * std::round(x / p.resolution);
  const IdentifiedModel m = identify(in_halves(std::move(p)), {.models = {"coulomb-viscous"}}).models[0];
  EXPECT_NEAR(value_of(m, "coulomb_force"), 3, 0.02);
  EXPECT_NEAR(value_of(m, "viscosity"), 80, 4);
}

// Level and viscosity that fall from 20 to 60 degC: both come back, with their value at the reference.
TEST(ModelSpace, LevelAndViscosityOverTemperatureComeBack) {
  FrictionSettings truth;
  truth.values = {{"coulomb_force", 20.0}, {"viscosity", 400.0}};
  truth.variations = {{"coulomb_force", Quantity::temperature, {0, -0.1}, {}, {}, 293.15},
                      {"viscosity", Quantity::temperature, {0, -9, 0.08}, {}, {}, 293.15}};
  Prepared p = motion_of({.count = 4000});
  for (std::size_t i = 0; i < p.size(); ++i) p.temperature.push_back(288.15 + 45 * (1 - std::exp(-p.time[i])));
  const Sets sets = with_force(std::move(p), "coulomb-viscous", truth);
  const IdentifiedModel m =
      identify(sets, {.models = {"coulomb-viscous"},
                      .variations = {{.key = "coulomb_force", .over = Quantity::temperature},
                                     {.key = "viscosity", .over = Quantity::temperature, .degree = 2}}})
          .models[0];
  EXPECT_LT(m.validation.noe, 1e-8);
  ASSERT_EQ(m.settings.variations.size(), 2u);
  const auto &level = m.settings.variations[0], &viscosity = m.settings.variations[1];
  EXPECT_EQ(level.reference, 293.15);
  EXPECT_NEAR(value_of(m, "coulomb_force") + level.polynomial[0], 20, 1e-4);
  EXPECT_NEAR(level.polynomial[1], -0.1, 1e-5);
  EXPECT_NEAR(value_of(m, "viscosity") + viscosity.polynomial[0], 400, 1e-1);
  EXPECT_NEAR(viscosity.polynomial[1], -9, 1e-1);
  EXPECT_NEAR(viscosity.polynomial[2], 0.08, 1e-2);
}

TEST(ModelSpace, ALawOverTemperatureHasItsConstantInsideWhatWasRecorded) {
  EXPECT_EQ(usual_reference(Quantity::load, 3, 5), 0);
  EXPECT_EQ(usual_reference(Quantity::temperature, 280, 330), 293.15);
  EXPECT_DOUBLE_EQ(usual_reference(Quantity::temperature, 313.4, 330), 273.15 + 41);
  EXPECT_DOUBLE_EQ(usual_reference(Quantity::temperature, 250, 271), 273.15 - 3);
  EXPECT_EQ(usual_reference(Quantity::temperature, 300.2, 300.3), 300.2);
}

// Friction proportional to the load is none without a load, and a level whose line is negative there is none either: files have the values at the
// highest load then, since they are read with them.
TEST(ModelSpace, ALawIsWrittenWithValuesThatAreOne) {
  for (const double constant : {0.0, -0.3})
    for (const char* const model : {"coulomb-viscous", "dahl", "maxwell-slip"}) {
      FrictionSettings truth;
      const bool has_springs = std::string_view(model) == "maxwell-slip";
      if (has_springs)
        truth.values = {{"thresholds", std::vector<double>{2e-5}}, {"stiffnesses", std::vector<double>{4e4}}};
      else
        truth.values = {{"coulomb_force", 1.0}, {"viscosity", 40.0}};
      if (std::string_view(model) == "dahl") truth.values.push_back({"bristle_stiffness", 1e5});
      const std::string key = has_springs ? "stiffnesses" : "coulomb_force";
      truth.variations = {{key, Quantity::load, {has_springs ? constant : constant - 1, 0.2}, {}, {}}};
      const Sets sets = with_force(loaded_motion(4000), model, truth);
      const IdentifiedModel m =
          identify(sets, {.models = {has_springs ? "maxwell-slip(1)" : model},
                          .variations = {{.key = key, .over = Quantity::load, .proportional = constant == 0}}})
              .models[0];
      EXPECT_LT(m.validation.noe, 1e-3) << model;
      ModelFile file;
      file.model = model, file.settings = m.settings;
      const ModelFile again = parse_model_file(model_file_text(file), "m.toml");
      EXPECT_GT(again.settings.variations.at(0).reference, 0) << model;
      const Prepared& p = sets.pieces.front().data;
      const PrescribedMotion motion{p.time, p.position, p.load, p.pressure};
      const auto force = find_model(model).make(m.settings)->respond(motion);
      const auto read = find_model(model).make(again.settings)->respond(motion);
      for (std::size_t i = 0; i < force.size(); ++i) ASSERT_NEAR(read[i], force[i], 1e-9) << model << ' ' << i;
    }
}

}  // namespace
}  // namespace stickslip::model_space_test
