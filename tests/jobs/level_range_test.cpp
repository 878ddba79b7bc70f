/// A law whose levels follow something is not good everywhere: where they leave their ranges inside a recording, it does not hold.
#include "jobs/validate/level_range.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "jobs/validate/validation.hpp"

namespace stickslip::level_range_test {
namespace {

/// A swing that warms up linearly from 20 degC to 120 degC; the load rises from 0 to 100 N.
Prepared warming(std::size_t count = 1001) {
  Prepared data;
  for (std::size_t i = 0; i < count; ++i) {
    const double share = double(i) / double(count - 1), t = 10 * share;
    data.time.push_back(t), data.position.push_back(0.01 * std::sin(t)), data.velocity.push_back(0.01 * std::cos(t));
    data.acceleration.push_back(0), data.force.push_back(std::cos(t) > 0 ? 10 : -10);
    data.temperature.push_back(293.15 + 100 * share), data.load.push_back(100 * share);
  }
  data.measured_position = data.position;
  data.sampling_time = 10.0 / double(count - 1);
  data.file = "warm.csv";
  return data;
}

std::unique_ptr<Friction> with(const std::vector<VariationSetting>& variations, const ParameterValues& backward = {}) {
  return make_friction("coulomb-viscous", {{"coulomb_force", 10.0}, {"viscosity", 1.0}}, backward, variations);
}

// 10 N − 0.2 N/K (T − 20 degC) is zero at 70 degC, in the middle, and −10 N at 120 degC.
TEST(LevelRange, ALevelBelowZeroIsFoundWhereItIsWorst) {
  const std::string words =
      beyond_range(*with({{"coulomb_force", Quantity::temperature, {0, -0.2}, {}, {}, 293.15}}), warming());
  EXPECT_EQ(words,
            "coulomb_force would be -10 N at a temperature of 120 degC (it must be positive), in 50 % of the "
            "samples");
  EXPECT_EQ(beyond_range(*with({{"coulomb_force", Quantity::temperature, {0, -0.09}, {}, {}, 293.15}}), warming()), "");
}

// Two laws of one parameter add up: −0.2 N/K and +0.2 N/N cancel.
TEST(LevelRange, LawsOfOneParameterAddUp) {
  EXPECT_EQ(beyond_range(*with({{"coulomb_force", Quantity::temperature, {0, -0.2}, {}, {}, 293.15},
                                {"coulomb_force", Quantity::load, {0, 0.2}, {}, {}, 0}}),
                         warming()),
            "");
}

// A backward level of 5 N is below zero from 76 degC on; only samples that go backward count.
TEST(LevelRange, EachDirectionHasItsOwnLevel) {
  const std::string words = beyond_range(
      *with({{"coulomb_force", Quantity::temperature, {0, -0.09}, {}, {}, 293.15}}, {{"coulomb_force", 5.0}}),
      warming());
  EXPECT_NE(words.find("coulomb_force would be -"), std::string::npos) << words;
}

// The force of a negative level was computed, and compared as if it were one.
TEST(LevelRange, AModelBeyondItsRangeDoesNotHold) {
  ModelFile model;
  model.model = "coulomb-viscous";
  model.settings = with({{"coulomb_force", Quantity::temperature, {0, -0.2}, {}, {}, 293.15}})->settings();
  const ValidationResult r = validate_model(model, warming());
  EXPECT_FALSE(r.holds);
  EXPECT_NE(r.validation.verdict.find("goes beyond what its levels are good for: coulomb_force would be -10 N"),
            std::string::npos)
      << r.validation.verdict;
  EXPECT_EQ(validation_json("m.toml", r, warming()).text().find("\"beyond_range\": null"), std::string::npos);
}

}  // namespace
}  // namespace stickslip::level_range_test
