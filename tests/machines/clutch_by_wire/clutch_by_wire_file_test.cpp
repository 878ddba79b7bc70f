/// Files of the clutch-by-wire and of the dual clutch: the examples are the published machines, and what is refused with file,
/// line and reason.
#include "machines/clutch_by_wire/clutch_by_wire_file.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "experiments/clutch_by_wire_rig.hpp"
#include "files/csv.hpp"
#include "machines/machine_kind.hpp"
#include "machines/mechanism/dual_clutch_file.hpp"
#include "support/places.hpp"

namespace stickslip::clutch_by_wire_file_test {
namespace {

const std::string examples = source_dir() + "/examples/machines/";

const std::string clutch = R"([machine]
kind = "clutch-by-wire"
inertia = "1.32e-5 kg m^2"
rack_ratio = "0.2 mm/rad"
breakaway_forward = "0.13 N m"
breakaway_backward = "0.15 N m"
ratio_forward = 1.2
ratio_backward = 1.3
[input]
kind = "constant"
value = "50 rad"
[controller]
proportional = "0.016 N m/rad"
[run]
duration = "1 s"
sample_interval = "0.1 s"
)";

std::string with(const std::string& part, const std::string& instead) {
  std::string text = clutch;
  text.replace(text.find(part), part.size(), instead);
  return text;
}

template <class Parse>
std::string refusal_of(const Parse& parse, const std::string& text) {
  try {
    parse(text, "c.toml");
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}
std::string refused(const std::string& text) { return refusal_of(parse_clutch, text); }
std::string refused_dual(const std::string& text) { return refusal_of(parse_dual_clutch, text); }

// Experiment clutch-by-wire from text alone. After 100 s the cycles have converged to 1e-6.
TEST(ClutchFile, ExamplesGiveTheLimitCyclesOfTheSpecification) {
  const auto rigid = nouailletas::last_cycle(run_clutch_scenario(read_clutch_file(examples + "clutch_by_wire.toml")));
  EXPECT_NEAR(rigid.period(), 2.8810476, 1e-6);
  EXPECT_NEAR(rigid.angle_low, 47.957634, 1e-6);
  EXPECT_NEAR(rigid.angle_high, 50.689695, 1e-6);
  const auto loose =
      nouailletas::last_cycle(run_clutch_scenario(read_clutch_file(examples + "clutch_by_wire_play.toml")));
  EXPECT_NEAR(loose.period(), 5.9974302, 1e-6);
  EXPECT_NEAR(0.5 * (loose.angle_high - loose.angle_low), 0.1995845, 1e-6);
}

TEST(ClutchFile, PositionTestHasTheStatedMeansAndIsSampled) {
  const ClutchScenario scenario = read_clutch_file(examples + "clutch_by_wire_position.toml");
  const ClutchByWire rig = nouailletas::shaped_clutch(nouailletas::Play::with);
  for (const double place : {0.0, 37.0, 100.0}) {
    EXPECT_NEAR(scenario.machine.resistance.breakaway(place, Direction::forward),
                rig.resistance.breakaway(place, Direction::forward), 1e-9);
    EXPECT_NEAR(scenario.machine.resistance.breakaway(place, Direction::backward),
                rig.resistance.breakaway(place, Direction::backward), 1e-9);
  }
  EXPECT_EQ(scenario.machine.travel.low, -2);
  EXPECT_EQ(scenario.machine.travel.high, 102);
  EXPECT_EQ(scenario.machine.encoder_points, 56);
  EXPECT_EQ(scenario.control.sampling_time, 1e-3);
  EXPECT_EQ(scenario.control.limit, 2);
  EXPECT_TRUE(scenario.warnings.empty());
}

TEST(ClutchFile, LevelsFromATable) {
  const auto scenario =
      parse_clutch(with("\"0.13 N m\"", "{ table = [[\"0 rad\", \"0.1 N m\"], [\"10 rad\", \"0.2 N m\"]] }"), "c.toml");
  EXPECT_NEAR(scenario.machine.resistance.breakaway(5, Direction::forward), 0.15, 1e-15);
  const ClutchRun run = run_clutch_scenario(scenario);
  EXPECT_GT(run.ledger.events[static_cast<std::size_t>(ClutchEventKind::bend)], 0u);
  EXPECT_TRUE(to_csv(run.samples).starts_with("time_s,target_rad,angle_rad,reading_rad,"));
  EXPECT_TRUE(to_csv(clutch_events(run)).starts_with("time_s,event,part,mode,angle_rad,speed_rad_s,torque_N_m\n"));
}

// Alone, a torque ramp breaks the motor loose where it meets the level: 0.13 N m at 0.1 N m/s.
TEST(ClutchFile, FeedforwardAloneMovesTheMotor) {
  const std::string text = clutch.substr(0, clutch.find("[input]")) +
                           "[feedforward]\nkind = \"ramp\"\nrate = \"0.1 N m/s\"\n"
                           "[run]\nduration = \"2 s\"\nsample_interval = \"0.1 s\"\n";
  const ClutchRun run = run_clutch_scenario(parse_clutch(text, "c.toml"));
  ASSERT_FALSE(run.events.empty());
  EXPECT_TRUE(is(run.events[0], ClutchEventKind::release));
  EXPECT_NEAR(run.events[0].time, 1.3, 1e-9);
}

TEST(ClutchFile, AnEncoderNobodyReadsIsAWarning) {
  const auto scenario = parse_clutch(with("ratio_forward", "encoder_points = 56\nratio_forward"), "c.toml");
  ASSERT_EQ(scenario.warnings.size(), 1u);
  EXPECT_NE(scenario.warnings[0].find("sees the true angle"), std::string::npos);
}

TEST(ClutchFile, WrongWiringIsRefused) {
  EXPECT_EQ(
      refused(with("[controller]\nproportional = \"0.016 N m/rad\"\n", "")),
      "c.toml:9: [input] is the target of a [controller], and there is none; a torque of its own is [feedforward]");
  EXPECT_EQ(refused(with("[input]\nkind = \"constant\"\nvalue = \"50 rad\"\n", "")),
            "c.toml:9: there is no [input], the target angle of the controller");
  EXPECT_EQ(
      refused(clutch.substr(0, clutch.find("[input]")) + "[run]\nduration = \"1 s\"\nsample_interval = \"1 s\"\n"),
      "c.toml: there is neither [controller] nor [feedforward] to move the motor");
  EXPECT_EQ(refused(with("ratio_forward = 1.2", "motor_resistance = \"0.05 N m\"\nratio_forward = 1.2")),
            "c.toml:7: motor_resistance acts inside the backlash; there is none");
  EXPECT_EQ(refused(with("ratio_forward = 1.2", "backlash = \"3 rad\"\nplay = \"3 rad\"\nratio_forward = 1.2")),
            "c.toml:8: play is the former name of backlash; give one of them");
  EXPECT_EQ(refused(with("ratio_forward = 1.2", "play = \"3 rad\"\nratio_forward = 1.2")),
            "c.toml:1: [machine] has no motor_resistance; write for example motor_resistance = \"1 N m\"");
  EXPECT_EQ(refused(with("[run]", "derivative_cutoff = \"50 Hz\"\n[run]")),
            "c.toml:14: derivative_cutoff filters the sampled difference; give a sampling_time");
}

TEST(ClutchFile, SenselessValuesAndUnitsAreRefused) {
  EXPECT_EQ(refused(with("ratio_forward = 1.2", "ratio_forward = 0.9")),
            "c.toml:7: ratio_forward is 0.9; breakaway over sliding level must be at least 1");
  EXPECT_EQ(refused(with("\"0.2 mm/rad\"", "\"0.2 rad\"")).find("c.toml:4: rack_ratio: "), 0u);
  EXPECT_EQ(refused(with("\"50 rad\"", "\"50 mm\"")).find("c.toml:11: value: "), 0u);
  EXPECT_EQ(refused(with("proportional", "proprtional")),
            "c.toml:13: unknown key 'proprtional' in [controller]; did you mean 'proportional'");
  EXPECT_EQ(refused(with("ratio_forward", "travel = \"[5, 1] rad\"\nratio_forward")),
            "c.toml:7: travel needs two ends, the lower one first, like \"[0, 100] rad\"");
  EXPECT_EQ(refused(with("\"0.13 N m\"", "{ value = \"0.13 N m\", polynomial = [\"1e-3 N m/rad\"] }"))
                .find("c.toml:5: clutch-by-wire: the forward breakaway level is a polynomial"),
            0u);
  EXPECT_EQ(
      refused(with("\"0.15 N m\"", "{ value = \"0.13 N m\", polynomial = [\"-1 N m/rad\"] }\ntravel = \"[0, 1] rad\""))
          .find("c.toml:6: clutch-by-wire: the backward breakaway level is "),
      0u);
  EXPECT_EQ(refused(with("\"0.13 N m\"", "{ table = [[\"0 rad\", \"0.1 N m\"], [\"0 rad\", \"0.2 N m\"]] }")),
            "c.toml:5: table: the first column must increase");
  EXPECT_EQ(refused(with("\"0.13 N m\"", "{ value = \"0.13 N m\" }")),
            "c.toml:5: breakaway_forward depends on the rack position by a polynomial or by a table; give exactly one");
}

const std::string dual = "[machine]\nkind = \"dual-clutch\"\n";
const std::string ten_seconds = "[run]\nduration = \"10 s\"\nsample_interval = \"10 ms\"\n";

// Experiment dual-clutch: Biagiotti and Zanasi's values are those of a file that gives none.
TEST(DualClutchFile, WithoutParametersItIsTheSpecification) {
  const auto scenario = parse_dual_clutch(dual + ten_seconds, "d.toml");
  EXPECT_NEAR(run_machine(scenario.machine).speed[3], 87.249666923, 1e-6);
}

TEST(DualClutchFile, ParametersAndPressuresAreTaken) {
  const auto scenario = parse_dual_clutch(
      dual + "engine_torque = \"0.1 kN m\"\nratio_1 = 7\n[pressure_1]\nkind = \"constant\"\nvalue = 0.5\n" +
          ten_seconds,
      "d.toml");
  EXPECT_EQ(scenario.vehicle.engine_torque, 100);
  EXPECT_EQ(scenario.machine.mechanism.springs[0].b.ratio, 7);
  EXPECT_EQ(scenario.machine.mechanism.joints[0].capacity(3.0), 0.5);
}

TEST(DualClutchFile, Refusals) {
  EXPECT_EQ(refused_dual(dual + "ratio_2 = 3\n" + ten_seconds),
            "c.toml:3: unknown key 'ratio_2' in [machine]; did you mean 'ratio_1'");
  EXPECT_EQ(refused_dual(dual + "stiction_torque = \"100 N m\"\n" + ten_seconds),
            "c.toml:3: stiction_torque, 100 N m, must not be below coulomb_torque, 500 N m");
  EXPECT_EQ(refused_dual(dual + "engine_inertia = \"0 kg m^2\"\n" + ten_seconds),
            "c.toml:3: engine_inertia is 0 kg m^2; it must be positive");
  EXPECT_EQ(refused_dual(dual + "engine_torque = \"400 N\"\n" + ten_seconds).find("c.toml:3: engine_torque: "), 0u);
  EXPECT_EQ(
      refused_dual(dual + "shift = \"controlled\"\n[pressure_3]\nkind = \"constant\"\nvalue = 1\n" + ten_seconds),
      "c.toml:4: the shift controller sets both pressures; leave out [pressure_3] or write shift = \"prescribed\"");
}

TEST(MachineKindOfAFile, IsDecidedByTheFile) {
  const auto kind = [](const std::string& text) { return std::string(machine_kind(text, "c.toml").name); };
  EXPECT_EQ(kind(clutch), "clutch_by_wire");
  EXPECT_EQ(kind(dual), "mechanism");
  EXPECT_EQ(kind("[machine]\nkind = \"hydraulic-cylinder\"\n"), "cylinder");
  EXPECT_EQ(kind("[machine]\nkind = \"pid\"\n"), "one_body");
  EXPECT_EQ(kind(""), "one_body");
  EXPECT_EQ(kind("[[body]]\nname = \"a\"\n"), "mechanism");
  EXPECT_EQ(refusal_of(machine_kind, "[machine]\nkind = \"hydraulic-cilinder\"\n"),
            "c.toml:2: no machine 'hydraulic-cilinder'; did you mean 'hydraulic-cylinder'");
  EXPECT_EQ(refusal_of(machine_kind, "[[body]]\nname = \"a\"\n[machine]\nkind = \"pid\"\n"),
            "c.toml:3: a file with [[body]] defines a complete machine without [machine]; leave out one of them");
}

}  // namespace
}  // namespace stickslip::clutch_by_wire_file_test
