/// Numbers in a machine file: found by path, replaced in place, refused with the nearest.
#include "fitting/machine_text.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace stickslip::machine_text_test {
namespace {

const char* const axis = R"(# µ comment
title = "axis"
[machine]
mass = "2 kg"   # of the table
kind = "pid"
[friction]
model = "stribeck"
stribeck_exponent = 1.5
thresholds = "[2, 5, 12] um"
levels = ["1 N", "2.5e3 mN"]
coulomb_force = { value = "µ", over = "position", table = [["0 m", "1 N"], ["0.3 m", "-2_0 N"]] }
[[body]]
name = "motor"
inertia = "1 kg m^2"
[[body]]
name = "drum"
inertia = "3 kg m^2"
)";

MachineText text() { return {axis, "axis.toml"}; }

TEST(MachineText, FindsNumbersWithTheirUnits) {
  const auto expect = [](const std::string& path, double value, const std::string& unit, int line) {
    const Place p = text().place(path);
    EXPECT_EQ(p.value, value) << path;
    EXPECT_EQ(p.unit, unit) << path;
    EXPECT_EQ(p.line, line) << path;
  };
  expect("machine.mass", 2, "kg", 4);
  expect("friction.stribeck_exponent", 1.5, "", 8);
  expect("friction.thresholds[3]", 12, "um", 9);
  expect("friction.levels[2]", 2500, "mN", 10);
  expect("friction.coulomb_force.table[2][2]", -20, "N", 11);  // after a letter of two bytes on its line
  expect("body[drum].inertia", 3, "kg m^2", 17);
  expect("body[1].inertia", 1, "kg m^2", 14);
}

TEST(MachineText, ReplacesThemAndNothingElse) {
  const MachineText t = text();
  const std::string changed = t.with({{t.place("machine.mass"), 2.25},
                                      {t.place("friction.thresholds[2]"), 1e-3},
                                      {t.place("friction.coulomb_force.table[2][2]"), 7}});
  std::string expected = axis;
  const auto replace = [&](const std::string& old, const std::string& by) {
    expected.replace(expected.find(old), old.size(), by);
  };
  replace("\"2 kg\"", "\"2.25 kg\"");
  replace("[2, 5, 12]", "[2, 0.001, 12]");
  replace("-2_0 N", "7 N");
  EXPECT_EQ(changed, expected);
}

TEST(MachineText, ReplacesAWholeTable) {
  const MachineText changed = text().with_table("machine", "kind = \"pid\"\nmass = \"9 kg\"");
  EXPECT_EQ(changed.place("machine.mass").value, 9);
  EXPECT_EQ(changed.place("body[2].inertia").value, 3);
}

std::string refusal(const std::string& path) {
  try {
    text().place(path);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(MachineText, RefusesWrongPathsWithTheNearest) {
  EXPECT_EQ(refusal("machine.mas"), "axis.toml: path 'machine.mas': no 'mas' in [machine]; did you mean 'mass'");
  EXPECT_EQ(refusal("frction.model"), "axis.toml: path 'frction.model': no 'frction'; did you mean 'friction'");
  EXPECT_EQ(refusal("body[drun].inertia"),
            "axis.toml:12: path 'body[drun].inertia': no 'drun' in body; did you mean 'drum'");
  EXPECT_NE(refusal("body.drum.inertia").find("did you mean 'body[drum]'"), std::string::npos)
      << refusal("body.drum.inertia");
  EXPECT_EQ(refusal("friction.model"), "axis.toml:7: path 'friction.model' leads to 'stribeck'; expected a number");
  EXPECT_EQ(refusal("machine"), "axis.toml:3: path 'machine' leads to a table with mass, kind; expected a number");
  EXPECT_EQ(refusal("friction.thresholds[4]"),
            "axis.toml:9: path 'friction.thresholds[4]' leads to a list of fewer numbers; expected a number");
  EXPECT_EQ(refusal("body[1"), "axis.toml: path 'body[1': a ']' is missing");
}

}  // namespace
}  // namespace stickslip::machine_text_test
