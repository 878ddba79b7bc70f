/// What `identify --start-from` takes of model files.
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "jobs/identify/options.hpp"
#include "recording/tables/binary_writers.hpp"

namespace stickslip::start_values_test {
namespace {

using made::TemporaryFile;

TEST(StartValues, ModelFilesGiveNumbersAndLaterOnesCount) {
  const TemporaryFile first(R"([friction]
model = "maxwell-slip"
thresholds = ["10 um", "20 um", "30 um"]
stiffnesses = ["1 N/um", "2 N/um", "3 N/um"]
)",
                            "_1.model.toml");
  const TemporaryFile second(R"([friction]
model = "maxwell-slip"
thresholds = ["5 um", "50 um"]
stiffnesses = ["1 N/um", "2 N/um"]
)",
                             "_2.model.toml");
  const TemporaryFile third(R"([friction]
model = "stribeck"
coulomb_force = "3 N"
stiction_force = "4 N"
stribeck_velocity = "1 mm/s"
viscosity = "0 N s/m"
[friction.backward]
coulomb_force = "5 N"
)",
                            "_3.model.toml");
  const auto start = start_values({first.path(), third.path(), second.path()}, MotionKind::linear);
  const auto value = [&](const std::string& key) {
    for (const auto& [k, v] : start)
      if (k == key) return v;
    return std::nan("");
  };
  EXPECT_DOUBLE_EQ(value("thresholds[2]"), 50e-6);
  EXPECT_TRUE(std::isnan(value("thresholds[3]")));
  EXPECT_EQ(value("coulomb_force"), 3);
  EXPECT_EQ(value("backward.coulomb_force"), 5);
  try {
    start_values({third.path()}, MotionKind::rotary);
    FAIL() << "a model of linear motion for a rotary axis";
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()), third.path() + ": a model of linear motion; the recording is rotary");
  }
}

}  // namespace
}  // namespace stickslip::start_values_test
