/// Scenario files: what they say reaches the machine in SI, and every complaint names file, line and cure.
#include "machines/one_body/one_body_file.hpp"

#include "cli/program.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "check/reference_sets.hpp"
#include "core/error.hpp"
#include "files/input_section.hpp"
#include "files/npz.hpp"
#include "machines/friction/friction_snippet.hpp"
#include "machines/one_body/one_body_results.hpp"

namespace stickslip::one_body_file_test {
namespace {

const std::string machine = "[machine]\nkind = \"applied-force\"\nmass = \"1 kg\"\n";       // lines 1-3
const std::string input = "[input]\nkind = \"constant\"\nvalue = \"2 N\"\n";                // 4-6
const std::string friction = "[friction]\nmodel = \"coulomb\"\ncoulomb_force = \"1 N\"\n";  // 7-9
const std::string run = "[run]\nduration = \"1 s\"\nsample_interval = \"0.1 s\"\n";         // 10-12

std::string complaint(const std::string& text) {
  try {
    parse_scenario(text, "s.toml");
  } catch (const Error& error) {
    return error.what();
  }
  return "no complaint";
}
std::string machine_complaint(const std::string& text) { return complaint(text + input + friction + run); }
std::string input_complaint(const std::string& text) { return complaint(machine + text + friction + run); }
std::string friction_complaint(const std::string& text) { return complaint(machine + input + text + run); }
std::string run_complaint(const std::string& text) { return complaint(machine + input + friction + text); }
Signal input_of(const std::string& text) {
  return parse_scenario(machine + text + friction + run, "s.toml").body.drive.input;
}

TEST(Scenario, ValuesReachTheMachineInSi) {
  const Scenario s = parse_scenario(R"(
title = "A test"
[machine]
kind = "pulled-spring"
mass = "250 g"
stiffness = "2 kN/m"
damping = "3 N s/m"
start = { position = "5 mm", velocity = "-1 cm/s" }
[input]
kind = "ramp"
rate = "10 mm/s"
from = "1 s"
until = "2 s"
[friction]
model = "stribeck"
coulomb_force = "1 N"
stiction_force = "1.5 N"
stribeck_velocity = "1 mm/s"
stribeck_form = "rational"
[friction.backward]
coulomb_force = "0.8 N"
[solver]
relative_tolerance = 1e-8
absolute_tolerance = "1 nm"
longest_step = "1 ms"
most_steps = 1000
[run]
start = "0.5 s"
duration = "3 s"
sample_interval = "100 ms"
[sensor]
sampling_time = "1 ms"
resolution = "10 um"
largest_input = "2 N"
longest_step = "0.1 ms"
)",
                                    "s.toml");
  EXPECT_EQ(s.title, "A test");
  EXPECT_EQ(s.body.drive.kind, DriveKind::pulled_spring);
  EXPECT_DOUBLE_EQ(s.body.mass, 0.25);
  EXPECT_DOUBLE_EQ(s.body.drive.stiffness, 2000);
  EXPECT_DOUBLE_EQ(s.body.drive.damping, 3);
  EXPECT_DOUBLE_EQ(s.body.position, 0.005);
  EXPECT_DOUBLE_EQ(s.body.velocity, -0.01);
  EXPECT_DOUBLE_EQ(s.body.drive.input(1.5), 0.005);
  EXPECT_DOUBLE_EQ(s.body.drive.input(9), 0.01);
  EXPECT_DOUBLE_EQ(s.friction->parameter("stribeck_velocity"), 1e-3);
  EXPECT_EQ(s.friction->settings().backward.size(), 1u);
  EXPECT_DOUBLE_EQ(s.options.start, 0.5);
  EXPECT_DOUBLE_EQ(s.options.end, 3.5);
  EXPECT_DOUBLE_EQ(s.options.relative_tolerance, 1e-8);
  EXPECT_DOUBLE_EQ(s.options.absolute_tolerance, 1e-9);
  EXPECT_EQ(s.options.most_steps, 1000u);
  EXPECT_DOUBLE_EQ(s.use.resolution, 1e-5);
  EXPECT_DOUBLE_EQ(s.use.longest_step, 1e-4);
  EXPECT_DOUBLE_EQ(s.use.mass, 0.25);
}

TEST(Scenario, RotaryMachinesHaveRotaryUnits) {
  const std::string text = R"toml([machine]
kind = "pid"
motion = "rotary"
inertia = "2 kg m^2"
proportional = "3 N m/rad"
integral = "4 N m/(rad s)"
[input]
kind = "constant"
value = "180 deg"
[friction]
model = "coulomb"
coulomb_force = "500 mNm"
[run]
duration = "1 s"
sample_interval = "0.1 s"
)toml";
  const Scenario s = parse_scenario(text, "s.toml");
  EXPECT_DOUBLE_EQ(s.body.mass, 2);
  EXPECT_DOUBLE_EQ(s.body.drive.integral, 4);
  EXPECT_DOUBLE_EQ(s.body.drive.input(0), std::numbers::pi);
  EXPECT_DOUBLE_EQ(s.friction->parameter("coulomb_force"), 0.5);
  std::string linear = text;
  linear.replace(linear.find("500 mNm"), 7, "1 N");
  EXPECT_EQ(complaint(linear), "s.toml:12: coulomb_force: '1 N' is a force [N]; a torque or energy [N m] is needed");
}

TEST(Scenario, InputsAreTheFunctionsTheyName) {
  EXPECT_DOUBLE_EQ(input_of(input)(3), 2);
  const Signal sine =
      input_of("[input]\nkind = \"sine\"\namplitude = \"2 N\"\nfrequency = \"1 Hz\"\nphase = \"90 deg\"\n");
  EXPECT_NEAR(sine(1), 2, 1e-12);
  EXPECT_NEAR(sine(1.5), -2, 1e-12);
  const Signal slow = input_of("[input]\nkind = \"sine\"\namplitude = \"1 N\"\nangular_frequency = \"1 rad/s\"\n");
  EXPECT_NEAR(slow(std::numbers::pi / 2), 1, 1e-12);
  // A linear sweep from f₀ to f₁ in T has turned (f₀ + f₁) T/2 times, a logarithmic one (f₁ − f₀) T/ln(f₁/f₀).
  const std::string chirp =
      "[input]\nkind = \"chirp\"\namplitude = \"1 N\"\nstart_frequency = \"1 Hz\"\n"
      "end_frequency = \"3 Hz\"\nduration = \"2 s\"\n";
  const double early = 2 - 1e-9;
  EXPECT_NEAR(input_of(chirp)(early), std::sin(2 * std::numbers::pi * 4), 1e-6);
  EXPECT_NEAR(input_of(chirp + "sweep = \"logarithmic\"\n")(early), std::sin(2 * std::numbers::pi * 4 / std::log(3.0)),
              1e-6);
  EXPECT_EQ(input_of(chirp)(2.5), 0);
  const Signal steps = input_of("[input]\nkind = \"steps\"\npoints = [[\"1 s\", \"2 N\"], [\"3 s\", \"-1 N\"]]\n");
  EXPECT_EQ(steps(0.5), 0);
  EXPECT_EQ(steps(1), 2);
  EXPECT_EQ(steps(2.999), 2);
  EXPECT_EQ(steps(99), -1);
  const Signal table = input_of("[input]\nkind = \"table\"\npoints = [[\"1 s\", \"2 N\"], [\"3 s\", \"4 N\"]]\n");
  EXPECT_EQ(table(0), 2);
  EXPECT_EQ(table(2), 3);
  EXPECT_EQ(table(9), 4);
  const Signal sum = input_of(
      "[[input]]\nkind = \"constant\"\nvalue = \"2 N\"\n"
      "[[input]]\nkind = \"ramp\"\nrate = \"1 N/s\"\n");
  EXPECT_DOUBLE_EQ(sum(3), 5);
}

TEST(Scenario, LevelsMayFollowPositionLoadAndPressure) {
  const auto settings = [](const std::string& level, const std::string& more) {
    return parse_scenario(
               machine + input + "[friction]\nmodel = \"coulomb\"\ncoulomb_force = " + level + "\n" + more + run,
               "s.toml")
        .friction->settings();
  };
  const auto polynomial = settings("{ value = \"1 N\", over = \"load\", polynomial = [\"0.2 N/N\", \"3 N/kN^2\"] }",
                                   "[load]\nkind = \"constant\"\nvalue = \"10 N\"\n");
  ASSERT_EQ(polynomial.variations.size(), 1u);
  EXPECT_EQ(polynomial.variations[0].over, Quantity::load);
  ASSERT_EQ(polynomial.variations[0].polynomial.size(), 3u);
  EXPECT_EQ(polynomial.variations[0].polynomial[0], 0);
  EXPECT_DOUBLE_EQ(polynomial.variations[0].polynomial[1], 0.2);
  EXPECT_DOUBLE_EQ(polynomial.variations[0].polynomial[2], 3e-6);
  const auto table = settings("{ over = \"position\", table = [[\"0 mm\", \"1 N\"], [\"5 mm\", \"2 N\"]] }", "");
  EXPECT_EQ(table.variations[0].knots, (std::vector<double>{0, 0.005}));
  EXPECT_EQ(table.variations[0].values, (std::vector<double>{1, 2}));
}

// While the load holds the level above the force the mass rests; 2 N break it away when 0.1 N/N · load has fallen to 2 N.
TEST(Scenario, ALevelThatFollowsTheLoadLetsGoWhenTheLoadFalls) {
  const Scenario s =
      parse_scenario(machine + input +
                         "[friction]\nmodel = \"coulomb\"\n"
                         "coulomb_force = { value = \"1e-9 N\", over = \"load\", polynomial = [\"0.1 N/N\"] }\n"
                         "[load]\nkind = \"table\"\npoints = [[\"0 s\", \"30 N\"], [\"1 s\", \"10 N\"]]\n" +
                         run,
                     "s.toml");
  const stickslip::Run r = run_scenario(s);
  ASSERT_EQ(r.ledger.events[static_cast<std::size_t>(EventKind::release)], 1u);
  for (const auto& e : r.events)
    if (e.kind == EventKind::release) {
      EXPECT_NEAR(e.time, 0.5, 1e-8);
    }
}

TEST(Scenario, StatesAtTheStart) {
  const std::string lists =
      "[friction]\nmodel = \"maxwell-slip\"\nthresholds = \"[1, 2] um\"\n"
      "stiffnesses = [\"1 N/um\", \"2 N/um\"]\n[friction.start]\n";
  const Scenario s = parse_scenario(machine + input + lists + "element_2 = \"0.5 um\"\n" + run, "s.toml");
  EXPECT_EQ(s.body.state, (std::vector<double>{0, 0.5e-6}));
  EXPECT_EQ(friction_complaint(lists + "element_3 = \"1 um\"\n"),
            "s.toml:12: unknown key 'element_3' in [friction.start]; did you mean 'element_1'");
  EXPECT_EQ(friction_complaint(friction + "[friction.start]\nx = \"1 m\"\n"),
            "s.toml:10: coulomb has no states to start from");
}

TEST(Scenario, UnknownKeysNameTheLineAndTheNearestKey) {
  EXPECT_EQ(machine_complaint("[machine]\nkind = \"applied-force\"\nmas = \"1 kg\"\n"),
            "s.toml:3: unknown key 'mas' in [machine]; did you mean 'mass'");
  EXPECT_EQ(complaint(machine + input + friction + run + "[sovler]\nstep = 1\n"),
            "s.toml:13: unknown key 'sovler' in the file; did you mean 'solver'");
  EXPECT_EQ(input_complaint("[input]\nkind = \"ramp\"\nspeed = \"1 N/s\"\n"),
            "s.toml:6: unknown key 'speed' in [input]; there is kind, rate, from, until");
  EXPECT_EQ(friction_complaint("[friction]\nmodel = \"coulomb\"\ncoulom_force = \"1 N\"\n"),
            "s.toml:9: unknown key 'coulom_force' in [friction] for coulomb; did you mean 'coulomb_force'");
  EXPECT_EQ(friction_complaint("[friction]\nmodel = \"coulomb\"\nF_C = \"1 N\"\n"),
            "s.toml:9: unknown key 'F_C'; F_C is called coulomb_force");
  EXPECT_EQ(friction_complaint(friction + "[friction.backward]\nviscosity = \"1 N\"\n"),
            "s.toml:11: unknown key 'viscosity' in [friction.backward] for coulomb; there is coulomb_force");
  EXPECT_EQ(run_complaint("[run]\nduration = \"1 s\"\nsample_intervl = \"1 s\"\n"),
            "s.toml:12: unknown key 'sample_intervl' in [run]; did you mean 'sample_interval'");
}

TEST(Scenario, UnitsAndTypes) {
  EXPECT_EQ(machine_complaint("[machine]\nkind = \"applied-force\"\nmass = 1\n"),
            "s.toml:3: mass: '1' has no unit; write for example \"1 kg\"");
  EXPECT_EQ(machine_complaint("[machine]\nkind = \"applied-force\"\nmass = \"1 m\"\n"),
            "s.toml:3: mass: '1 m' is a length [m]; a mass [kg] is needed");
  EXPECT_EQ(machine_complaint("[machine]\nkind = \"applied-force\"\nmass = \"1 kgg\"\n"),
            "s.toml:3: mass: unknown unit 'kgg'; did you mean kg");
  EXPECT_EQ(machine_complaint("[machine]\nkind = \"applied-force\"\nmass = true\n"),
            "s.toml:3: mass is true or false; write for example \"1 kg\"");
  EXPECT_EQ(machine_complaint("[machine]\nkind = \"applied-force\"\nmass = \"-1 kg\"\n"),
            "s.toml:3: mass is -1 kg; it must be positive");
  EXPECT_EQ(machine_complaint("[machine]\nkind = \"applied-force\"\nmass = \"0 kg\"\n"),
            "s.toml:3: mass is 0 kg; it must be positive");
  EXPECT_EQ(machine_complaint("[machine]\nkind = \"wall-spring\"\nmass = \"1 kg\"\nstiffness = \"-2 N/m\"\n"),
            "s.toml:4: stiffness is -2 N/m; it must be zero or positive");
  EXPECT_EQ(machine_complaint("machine = 3\n"), "s.toml:1: machine is a number; a table is needed, begun by [machine]");
  EXPECT_EQ(machine_complaint("[machine]\nkind = 1\n"),
            "s.toml:2: kind is a number; write for example \"applied-force\"");
  EXPECT_EQ(input_complaint("[input]\nkind = \"sine\"\namplitude = \"1 N\"\nfrequency = \"1 rad/s\"\n"),
            "s.toml:7: frequency: '1 rad/s' is an angular velocity [rad/s]; a frequency [Hz] is needed");
  EXPECT_EQ(run_complaint("[run]\nduration = \"0 s\"\nsample_interval = \"1 s\"\n"),
            "s.toml:11: duration is 0 s; it must be positive");
}

TEST(Scenario, WrongWordsAndMissingParts) {
  EXPECT_EQ(machine_complaint("[machine]\nkind = \"puled-spring\"\n"),
            "s.toml:2: no machine 'puled-spring'; did you mean 'pulled-spring'");
  EXPECT_EQ(machine_complaint("[machine]\nmass = \"1 kg\"\n"),
            "s.toml:1: [machine] has no kind; write for example kind = \"applied-force\"");
  EXPECT_EQ(machine_complaint("[machine]\nkind = \"applied-force\"\n"),
            "s.toml:1: [machine] has no mass; write for example mass = \"1 kg\"");
  EXPECT_EQ(machine_complaint("title = \"x\"\n"), "s.toml: there is no [machine]");
  EXPECT_EQ(input_complaint(""), "s.toml: there is no [input]");
  EXPECT_EQ(friction_complaint(""), "s.toml: there is no [friction]");
  EXPECT_EQ(run_complaint(""), "s.toml: there is no [run]");
  EXPECT_EQ(input_complaint("[input]\nkind = \"sinee\"\n"), "s.toml:5: no input 'sinee'; did you mean 'sine'");
  EXPECT_EQ(friction_complaint("[friction]\nmodel = \"lugree\"\n"),
            "s.toml:8: no friction model 'lugree'; did you mean 'lugre'");
  EXPECT_EQ(friction_complaint("[friction]\nmodel = \"coulomb\"\n"),
            "s.toml:7: coulomb: coulomb_force is missing (F_C, Coulomb level, sliding and breakaway, in N)");
  EXPECT_EQ(complaint("a = \n"), "s.toml:1: not TOML: a value is missing behind 'a' =");
}

TEST(Scenario, WhatTheModelRefuses) {
  EXPECT_EQ(friction_complaint("[friction]\nmodel = \"coulomb\"\ncoulomb_force = \"-1 N\"\n"),
            "s.toml:9: coulomb: coulomb_force is -1 N; it must be positive");
  EXPECT_EQ(friction_complaint("[friction]\nmodel = \"stribeck\"\nstribeck_form = \"expo\"\n"),
            "s.toml:9: stribeck: stribeck_form: no choice 'expo'; did you mean 'exponential'");
  const std::string unequal = friction_complaint(
      "[friction]\nmodel = \"maxwell-slip\"\nthresholds = \"[1, 2] um\"\nstiffnesses = \"1 N/um\"\n");
  EXPECT_TRUE(unequal.starts_with("s.toml:7: maxwell-slip: ")) << unequal;
  EXPECT_EQ(friction_complaint(
                "[friction]\nmodel = \"coulomb\"\n"
                "coulomb_force = { over = \"position\", table = [[\"0 m\", \"1 N\"],\n[\"1 m\", \"-1 N\"]] }\n"),
            "s.toml:10: coulomb: coulomb_force is -1 N; it must be positive");
}

TEST(Scenario, LevelsThatFollowWrongly) {
  const auto level = [](const std::string& law) {
    return friction_complaint("[friction]\nmodel = \"coulomb\"\ncoulomb_force = " + law + "\n");
  };
  EXPECT_EQ(level("{ value = \"1 N\", over = \"load\", polynomial = [\"0.2 N/N\"] }"),
            "s.toml:7: [friction] follows the load, but there is no [load]; it is written like [input]");
  EXPECT_EQ(level("{ value = \"1 N\", over = \"positon\", polynomial = [\"0.2 N/m\"] }"),
            "s.toml:9: no quantity to follow 'positon'; did you mean 'position'");
  EXPECT_EQ(level("{ value = \"1 N\", over = \"position\" }"),
            "s.toml:9: coulomb_force depends on position by a polynomial or by a table; give exactly one");
  EXPECT_EQ(level("{ over = \"position\", polynomial = [\"0.2 N/m\"] }"),
            "s.toml:9: [friction.coulomb_force] has no value; write for example value = \"1 N\"");
  EXPECT_EQ(level("{ over = \"position\", table = [[\"1 m\", \"1 N\"], [\"0 m\", \"1 N\"]] }"),
            "s.toml:9: table: the first column must increase");
  EXPECT_EQ(friction_complaint(friction + "[friction.backward]\ncoulomb_force = { value = \"1 N\" }\n"),
            "s.toml:11: coulomb_force cannot vary in [friction.backward]; write one value for sliding backward");
  const Scenario s =
      parse_scenario(machine + input + friction + run + "[load]\nkind = \"constant\"\nvalue = \"1 N\"\n", "s.toml");
  EXPECT_EQ(s.warnings, (std::vector<std::string>{"nothing in [friction] follows [load]"}));
}

TEST(Scenario, InputsThatMakeNoSense) {
  EXPECT_EQ(input_complaint("[input]\nkind = \"ramp\"\nrate = \"1 N/s\"\nfrom = \"2 s\"\nuntil = \"1 s\"\n"),
            "s.toml:8: until must come after from");
  EXPECT_EQ(input_complaint("[input]\nkind = \"steps\"\npoints = [[\"1 s\", \"1 N\"],\n[\"1 s\", \"2 N\"]]\n"),
            "s.toml:7: points: time 1 s does not come after 1 s");
  EXPECT_EQ(input_complaint("[input]\nkind = \"table\"\npoints = [\"1 s\"]\n"),
            "s.toml:6: points must be a list of pairs like [[\"1 s\", \"1 N\"]]");
  EXPECT_EQ(input_complaint("[input]\nkind = \"file\"\npath = \"none.csv\"\ntime = \"t_s\"\nvalue = \"f_N\"\n"),
            "s.toml:6: none.csv: No such file or directory");
  EXPECT_EQ(input_complaint("[input]\nkind = \"file\"\npath = \"none.csv\"\ntime = \"t\"\nvalue = \"f_N\"\n"),
            "s.toml:4: the unit of column 't' is not known; write for example time_unit = \"s\"");
  EXPECT_EQ(input_complaint(
                "[input]\nkind = \"file\"\npath = \"none.csv\"\ntime = \"t_s\"\nvalue = \"f\"\nvalue_unit = \"mm\"\n"),
            "s.toml:9: value_unit: '1 mm' is a length [m]; a force [N] is needed");
}

TEST(Scenario, SolverAndRunThatMakeNoSense) {
  const std::string all = machine + input + friction + run;
  EXPECT_EQ(complaint(all + "[solver]\nmethod = \"fixed-step\"\n"),
            "s.toml:13: [solver] has no step; write for example step = \"1 s\"");
  EXPECT_EQ(complaint(all + "[solver]\nmethod = \"fixed-step\"\nstep = \"3 ms\"\n"),
            "s.toml:15: the duration is not a whole number of steps of 3 ms");
  EXPECT_EQ(complaint(all + "[solver]\nmethod = \"fixed-step\"\nstep = \"0.5 s\"\n"),
            "s.toml:12: sample_interval is not a whole number of steps of 500 ms");
  EXPECT_EQ(complaint(all + "[solver]\nrelative_tolerance = 0.5\n"),
            "s.toml:14: relative_tolerance must lie between 1e-14 and 0.01");
  EXPECT_EQ(complaint(all + "[solver]\nmost_steps = 0\n"),
            "s.toml:14: most_steps must be a whole number of at least 1");
  EXPECT_EQ(run_complaint("[run]\nduration = \"1 s\"\nsample_interval = \"2 s\"\n"),
            "s.toml:12: sample_interval is longer than the duration");
  EXPECT_EQ(run_complaint("[run]\nduration = \"1 s\"\nsample_interval = \"1 ns\"\n"),
            "s.toml:12: 1e9 samples; at most 2e7 fit; take a longer sample_interval");
}

TEST(RecordedInput, TwoColumnsByTheirHeadings) {
  const Folder folder;
  folder.write("r.csv", "\xEF\xBB\xBF# by hand\r\n\"t_ms\"; f ;x\r\n0;1;a\r\n\r\n500;-2e3;b\r\n");
  const RecordedInput r = read_recorded_input((folder / "r.csv").string(), {"t_ms", "f", "", "kN"}, "N");
  EXPECT_EQ(r.time, (std::vector<double>{0, 0.5}));
  EXPECT_EQ(r.value, (std::vector<double>{1000, -2e6}));
}

// A current has no role in friction; it is read all the same, and so is a decimal comma and a column of NumPy's.
TEST(RecordedInput, OtherQuantitiesAndFormats) {
  const Folder folder;
  folder.write("r.csv", "t_s;i_mA\n0,0;1,5\n0,5;2,5\n1,0;2\n");
  const RecordedInput r = read_recorded_input((folder / "r.csv").string(), {"t_s", "i_mA", "", ""}, "A");
  EXPECT_EQ(r.time, (std::vector<double>{0, 0.5, 1}));
  EXPECT_EQ(r.value, (std::vector<double>{0.0015, 0.0025, 0.002}));
  folder.write("r.npz", to_npz({{{"t", "s", {0, 1, 2}}, {"share", "", {0, 1, 0.5}}}}));
  const RecordedInput n = read_recorded_input((folder / "r.npz").string(), {"t_s", "share", "", ""}, "1");
  EXPECT_EQ(n.value, (std::vector<double>{0, 1, 0.5}));
}

TEST(RecordedInput, RepeatedSamplesAreDroppedWithAWarning) {
  const Folder folder;
  folder.write("r.csv", "t_s,f_N\n0,1\n1,2\n1,2\n2,3\n3,1\n");
  const RecordedInput r = read_recorded_input((folder / "r.csv").string(), {"t_s", "f_N", "", ""}, "N");
  EXPECT_EQ(r.time, (std::vector<double>{0, 1, 2, 3}));
  ASSERT_EQ(r.warnings.size(), 1u);
  EXPECT_NE(r.warnings[0].find("r.csv:4: a sample with the time and the values of the one before; dropped"),
            std::string::npos)
      << r.warnings[0];
}

TEST(RecordedInput, EveryComplaintNamesTheLine) {
  const Folder folder;
  const auto complaint_on = [&](const std::string& text) -> std::string {
    folder.write("r.csv", text);
    const std::string path = (folder / "r.csv").string();
    try {
      read_recorded_input(path, {"t_s", "f_N", "", ""}, "N");
    } catch (const Error& error) {
      std::string said = error.what();
      const auto at = said.find("r.csv");
      return at == std::string::npos ? said : said.substr(at);
    }
    return "no complaint";
  };
  EXPECT_EQ(complaint_on("t_s,force_N\n0,1\n1,2\n"), "r.csv:1:1: no column 'f_N'; there is t_s, force_N");
  EXPECT_EQ(complaint_on("t_s,f_N\n0,1\n1\n").substr(0, 8), "r.csv:3:");
  EXPECT_EQ(complaint_on("t_s,f_N\n0,nan\n1,2\n").substr(0, 10), "r.csv:2:2:");
  EXPECT_EQ(complaint_on("t_s,f_N\n0,1x\n1,2\n").substr(0, 10), "r.csv:2:2:");
  EXPECT_EQ(complaint_on("t_s,f_N\n1,1\n2,2\n1.5,2\n").substr(0, 33), "r.csv:4:1: time goes back to 1.5 ");
  EXPECT_EQ(complaint_on("t_s,f_N\n").substr(0, 6), "r.csv:");
  EXPECT_EQ(complaint_on("").substr(0, 6), "r.csv:");
}

// What `stickslip models NAME` offers to copy must work as it is.
TEST(Snippet, OfEveryModelIsAccepted) {
  for (const auto* model : registered_models()) {
    const auto& d = model->description();
    const std::string snippet = friction_snippet(d, reference_values(d));
    EXPECT_EQ(friction_complaint(snippet), "no complaint") << snippet;
  }
}

// F_C = 20 N at 20 degC, 0.1 N less for each kelvin more: 17 N at 50 degC.
TEST(Scenario, LevelsMayFollowTheTemperature) {
  const std::string law =
      "[friction]\nmodel = \"coulomb\"\n"
      "coulomb_force = { value = \"20 N\", over = \"temperature\", reference = \"20 degC\", "
      "polynomial = [\"-0.1 N/K\"] }\n";
  const std::string push = "[input]\nkind = \"constant\"\nvalue = \"18 N\"\n";
  const auto velocity_at = [&](const std::string& temperature) {
    return run_scenario(parse_scenario(machine + push + law + temperature + run, "s.toml")).velocity;
  };
  EXPECT_EQ(velocity_at("[temperature]\nkind = \"constant\"\nvalue = \"20 degC\"\n"), 0);
  EXPECT_NEAR(velocity_at("[temperature]\nkind = \"constant\"\nvalue = \"50 degC\"\n"), 1, 1e-12);
  EXPECT_NEAR(velocity_at("[temperature]\nkind = \"constant\"\nvalue = \"122 degF\"\n"), 1, 1e-9);
  EXPECT_NEAR(velocity_at("[temperature]\nkind = \"steps\"\npoints = [[\"0.5 s\", \"50 degC\"]]\n"), 1, 1e-12);
  EXPECT_NEAR(velocity_at("[[temperature]]\nkind = \"constant\"\nvalue = \"20 degC\"\n"
                          "[[temperature]]\nkind = \"table\"\npoints = [[\"0 s\", \"30 K\"]]\n"),
              1, 1e-12);
  const Scenario table =
      parse_scenario(machine + push +
                         "[friction]\nmodel = \"coulomb\"\ncoulomb_force = { over = \"temperature\", "
                         "table = [[\"20 degC\", \"20 N\"], [\"60 degC\", \"16 N\"]] }\n"
                         "[temperature]\nkind = \"constant\"\nvalue = \"50 degC\"\n" +
                         run,
                     "s.toml");
  EXPECT_NEAR(run_scenario(table).velocity, 1, 1e-9);
}

TEST(Scenario, ComplaintsOverTemperatureNameTheLineAndTheCure) {
  const auto level = [](const std::string& law, const std::string& more) {
    return complaint(machine + input + "[friction]\nmodel = \"coulomb\"\ncoulomb_force = " + law + "\n" + more + run);
  };
  const std::string fine =
      "{ value = \"20 N\", over = \"temperature\", reference = \"20 degC\", polynomial = [\"-0.1 N/K\"] }";
  EXPECT_EQ(level(fine, ""),
            "s.toml:7: [friction] follows the temperature, but there is no [temperature]; it is written like [input]");
  EXPECT_EQ(level("{ value = \"20 N\", over = \"temperature\", polynomial = [\"-0.1 N/K\"] }", ""),
            "s.toml:9: coulomb_force has no reference, the temperature at which value holds; write for example "
            "reference = \"20 degC\"");
  EXPECT_EQ(
      level("{ value = \"20 N\", over = \"temperature\", reference = \"-300 degC\", polynomial = [\"-0.1 N/K\"] }", ""),
      "s.toml:9: reference is -26.85 K; it must be positive");
  EXPECT_EQ(
      level("{ value = \"20 N\", over = \"temperature\", reference = \"20 N\", polynomial = [\"-0.1 N/K\"] }", ""),
      "s.toml:9: reference: '20 N' is a force [N]; a temperature [K] is needed");
  EXPECT_EQ(
      level("{ value = \"20 N\", over = \"temperature\", reference = \"20 degC\", polynomial = [\"-0.1 N/degC\"] }",
            ""),
      "s.toml:9: polynomial: unit 'N/degC': degC has an offset and cannot be combined; write K");
  EXPECT_EQ(level("{ over = \"temperature\", table = [[\"-300 degC\", \"20 N\"], [\"60 degC\", \"16 N\"]] }", ""),
            "s.toml:9: table: a temperature is -26.85 K; it must be above 0 K");
  EXPECT_EQ(level("{ over = \"temperature\", reference = \"20 degC\", table = [[\"20 degC\", \"20 N\"]] }", ""),
            "s.toml:9: coulomb_force is given by a table; leave out reference");
  EXPECT_EQ(level(fine, "[temperature]\nkind = \"constant\"\nvalue = \"-300 degC\"\n"),
            "s.toml:10: [temperature] is -26.85 K at 0 s; it must be above 0 K. Several [[temperature]] add up: begin "
            "with a constant, \"20 degC\" say");
  EXPECT_EQ(level(fine, "[temperature]\nkind = \"sine\"\namplitude = \"5 degC\"\nfrequency = \"1 Hz\"\n"),
            "s.toml:12: amplitude is a difference of temperatures; write it in K");
  EXPECT_EQ(level(fine,
                  "[[temperature]]\nkind = \"constant\"\nvalue = \"20 degC\"\n"
                  "[[temperature]]\nkind = \"constant\"\nvalue = \"5 degC\"\n"),
            "s.toml:10: temperature adds two temperatures in degC, and 273 K twice; write what is added in K");
  EXPECT_EQ(level(fine, "[temperature]\nkind = \"constant\"\nvalue = \"20 N\"\n"),
            "s.toml:12: value: '20 N' is a force [N]; a temperature [K] is needed");
}

}  // namespace
}  // namespace stickslip::one_body_file_test
