/// Files of the hydraulic cylinder: the example is Tran's machine, and what is refused with file, line and reason.
#include "machines/cylinder/cylinder_file.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "experiments/hydraulic_rig.hpp"
#include "files/csv.hpp"
#include "files/whole_file.hpp"
#include "support/places.hpp"

namespace stickslip::cylinder_file_test {
namespace {

const std::string examples = source_dir() + "/examples/machines/";

std::string refusal_of(const std::string& text) {
  try {
    parse_hydraulic(text, "c.toml");
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

const std::string cylinder = R"([machine]
kind = "hydraulic-cylinder"
supply_pressure = "5 MPa"
mass = "118 kg"
bore = "32 mm"
rod = "18 mm"
stroke = "0.2 m"
valve_gain = "0.0227 m/A"
valve_frequency = "440 rad/s"
valve_damping = 0.75
underlap = "40 um"
port_width = "30 mm"
discharge_coefficient = 0.32
density = "862 kg/m^3"
bulk_modulus = "0.1 GPa"
dead_volume_1 = "5e-6 m^3"
dead_volume_2 = "1e-6 m^3"
[machine.start]
position = "0.1 m"
[input]
kind = "constant"
value = "1 mA"
[friction]
model = "stribeck"
coulomb_force = "210 N"
stiction_force = "830 N"
stribeck_velocity = "12.5 mm/s"
[run]
duration = "10 ms"
sample_interval = "1 ms"
)";

std::string with(const std::string& part, const std::string& instead) {
  std::string text = cylinder;
  text.replace(text.find(part), part.size(), instead);
  return text;
}

// Bristles of 1e20 N/m under 118 kg ring at 1 GHz: 8 s of that never end. The run says so after a million steps.
TEST(HydraulicFile, BristlesFarTooStiffAreAnOutcome) {
  std::string text = read_whole(examples + "hydraulic_cylinder.toml");
  const std::size_t from = text.find("bristle_stiffness"), to = text.find('\n', from);
  ASSERT_NE(from, std::string::npos);
  text.replace(from, to - from, "bristle_stiffness = \"1e20 N/m\"");
  const HydraulicRun run = run_hydraulic(parse_hydraulic(text, "c.toml"));
  EXPECT_EQ(run.stop, Stop::no_progress) << run.message;
  EXPECT_LT(run.work.steps + run.work.rejected, 3'000'000u);
  EXPECT_TRUE(run.message.starts_with("hydraulic cylinder: no progress at t = ")) << run.message;
  EXPECT_NE(run.message.find("faster than the run is long"), std::string::npos) << run.message;
}

// The same numbers through another door: the rig of the published experiments.
TEST(HydraulicFile, ExamplesAreTheMachineOfTheExperiments) {
  const std::pair<const char*, const char*> both[]{{"hydraulic_cylinder.toml", "new-modified-lugre"},
                                                   {"hydraulic_cylinder_steady.toml", "stribeck"}};
  for (const auto& [name, model] : both) {
    SCOPED_TRACE(name);
    HydraulicScenario scenario = read_hydraulic_file(examples + name);
    EXPECT_EQ(scenario.friction->description().name, model);
    scenario.options.end = 2;
    const HydraulicRun run = run_hydraulic(scenario);
    const HydraulicRun rig = tran::simulate_sine(model, 2e-3, 0.5, 2);
    ASSERT_EQ(run.stop, Stop::finished);
    EXPECT_NEAR(run.reached.position, rig.reached.position, 1e-9);
    EXPECT_NEAR(run.reached.pressure_1, rig.reached.pressure_1, 1);
    EXPECT_EQ(run.ledger.events, rig.ledger.events);
  }
}

TEST(HydraulicFile, ResultsAsTablesAndText) {
  const HydraulicScenario scenario = parse_hydraulic(cylinder, "c.toml");
  const HydraulicRun run = run_hydraulic(scenario);
  EXPECT_EQ(rows(run.samples), 11u);
  EXPECT_TRUE(to_csv(run.samples).starts_with("time_s,current_A,valve_position_m,pressure_1_Pa,"));
  EXPECT_TRUE(to_csv(hydraulic_events(run)).starts_with("time_s,event,part,mode,position_m,velocity_m_s\n"));
  EXPECT_NE(hydraulic_run_summary(run).text().find("\"supply_work\""), std::string::npos);
  EXPECT_NE(hydraulic_scenario_summary(scenario).text().find("\"bore\": 0.032"), std::string::npos);
}

// 210 N − 5 kN/m · 0.1 m is negative: the run ends at once and says why.
TEST(HydraulicFile, ALevelThatTurnsNegativeEndsTheRun) {
  const HydraulicRun run = run_hydraulic(
      parse_hydraulic(with("coulomb_force = \"210 N\"",
                           "coulomb_force = { value = \"210 N\", over = \"position\", polynomial = [\"-5 kN/m\"] }"),
                      "c.toml"));
  EXPECT_EQ(run.stop, Stop::level_out_of_range);
  EXPECT_NE(run.message.find("left its allowed range at t = "), std::string::npos) << run.message;
}

TEST(HydraulicFile, WhatIsMissingOrUnknownIsSaid) {
  EXPECT_EQ(refusal_of(with("bore = \"32 mm\"\n", "")),
            "c.toml:1: [machine] has no bore; write for example bore = \"1 m\"");
  EXPECT_EQ(refusal_of(with("bore =", "boer =")), "c.toml:5: unknown key 'boer' in [machine]; did you mean 'bore'");
  EXPECT_EQ(refusal_of(with("position = \"0.1 m\"", "pressure = \"1 bar\"")),
            "c.toml:19: unknown key 'pressure' in [machine.start]; did you mean 'pressure_1'");
  EXPECT_EQ(refusal_of(with("[input]\nkind = \"constant\"\nvalue = \"1 mA\"\n", "")),
            "c.toml: there is no [input], the current of the valve");
  EXPECT_EQ(refusal_of(with("[run]\nduration = \"10 ms\"\nsample_interval = \"1 ms\"\n", "")),
            "c.toml: there is no [run]");
  EXPECT_EQ(
      refusal_of(cylinder + "[load]\nkind = \"constant\"\nvalue = \"1 N\"\n").find("c.toml:31: unknown key 'load'"),
      0u);
}

TEST(HydraulicFile, UnitsOfAnotherKindAreRefused) {
  EXPECT_EQ(refusal_of(with("\"5 MPa\"", "5e6")).find("c.toml:3: supply_pressure: '5e+06' has no unit"), 0u)
      << refusal_of(with("\"5 MPa\"", "5e6"));
  EXPECT_EQ(refusal_of(with("\"440 rad/s\"", "\"70 Hz\"")).find("c.toml:9: valve_frequency: "), 0u) << "2 pi apart";
  EXPECT_EQ(refusal_of(with("\"1 mA\"", "\"1 V\"")).find("c.toml:22: value: "), 0u) << "the input is a current";
}

TEST(HydraulicFile, SenselessValuesAreRefusedOnTheirLine) {
  EXPECT_EQ(refusal_of(with("\"118 kg\"", "\"-1 kg\"")), "c.toml:4: mass is -1 kg; it must be positive");
  EXPECT_EQ(refusal_of(with("\"18 mm\"", "\"40 mm\"")),
            "c.toml:6: rod is 40 mm; it must be thinner than the bore, 32 mm");
  EXPECT_EQ(
      refusal_of(with("\"0.1 m\"", "\"0.3 m\"")).find("c.toml:19: hydraulic cylinder: position at the start is 0.3 m"),
      0u)
      << refusal_of(with("\"0.1 m\"", "\"0.3 m\""));
}

TEST(HydraulicFile, OnlyFrictionTheCylinderCanHave) {
  EXPECT_EQ(refusal_of(with("model = \"stribeck\"\ncoulomb_force = \"210 N\"\nstiction_force = \"830 N\"\n"
                            "stribeck_velocity = \"12.5 mm/s\"\n",
                            "model = \"coulomb\"\ncoulomb_force = \"1 N\"\n")),
            "c.toml:24: the cylinder does not support the friction model 'coulomb'; there is stribeck, lugre, "
            "modified-lugre, "
            "new-modified-lugre");
  EXPECT_EQ(
      refusal_of(with("coulomb_force = \"210 N\"",
                      "coulomb_force = { over = \"position\", table = [[\"0 m\", \"1 N\"], [\"1 m\", \"2 N\"]] }")),
      "c.toml:25: coulomb_force is given by a table, whose kinks are not located in the cylinder; give a polynomial");
  EXPECT_EQ(
      refusal_of(with("coulomb_force = \"210 N\"",
                      "coulomb_force = { value = \"1 N\", over = \"load\", polynomial = [\"0.1 N/N\"] }")),
      "c.toml:25: the cylinder has no load; coulomb_force may depend on position or on the pressure of chamber 1");
}

}  // namespace
}  // namespace stickslip::cylinder_file_test
