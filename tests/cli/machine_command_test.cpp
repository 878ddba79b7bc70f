/// `stickslip simulate` on every machine: one command, the same results, the same manner of refusing.
#include <gtest/gtest.h>

#include <cmath>

#include "program.hpp"
#include "support/npz_table.hpp"
#include "support/places.hpp"

namespace stickslip::machine_command_test {
namespace {

const fs::path machines = fs::path(source_dir()) / "examples" / "machines";

std::vector<std::string> machine_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(machines))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

Answer simulate(const Folder& folder, const std::string& name, const std::string& more = "") {
  return run_program(folder, "simulate '" + (machines / (name + ".toml")).string() + "' " + more);
}

std::string without(std::string text, const std::string& part, const std::string& instead = "") {
  const auto at = text.find(part);
  if (at == std::string::npos) throw std::runtime_error("the example has no " + part);
  return text.replace(at, part.size(), instead);
}

TEST(MachineNumbers, AreListedAndChangedForOneRun) {
  const Folder folder;
  const std::string file = (fs::path(source_dir()) / "examples" / "stick_slip.toml").string();
  const Answer listed = run_program(folder, "simulate '" + file + "' --numbers");
  ASSERT_EQ(listed.exit_code, 0) << listed.err;
  EXPECT_NE(listed.out.find("friction.stiction_force"), std::string::npos) << listed.out;
  const Answer changed = run_program(
      folder, "simulate '" + file + "' --no-files --set friction.stiction_force='2000 mN' --set machine.mass='3 kg'");
  ASSERT_EQ(changed.exit_code, 0) << changed.err;
  EXPECT_NE(changed.out.find("  10 s  "), std::string::npos) << "first release at F_S/(k v) = 10 s\n" << changed.out;
  const Answer wrong = run_program(folder, "simulate '" + file + "' --set friction.stiction_forc='2 N'");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("did you mean 'stiction_force'"), std::string::npos) << wrong.err;
  const Answer unit = run_program(folder, "simulate '" + file + "' --set friction.stiction_force='2 kg'");
  EXPECT_EQ(unit.exit_code, 2);
  EXPECT_NE(unit.err.find("friction.stiction_force"), std::string::npos) << unit.err;
  EXPECT_TRUE(folder.files().empty());
}

// A plain number was refused, body[2].mass took no unit, and body.2.mass, which sweeps know, led nowhere.
TEST(MachineNumbers, PathsAndUnitsAreThoseOfSweepsAndOtherOptions) {
  const Folder folder;
  const std::string pair =
      "simulate '" + (fs::path(source_dir()) / "examples" / "machines" / "pulled_pair.toml").string() + "' --no-files ";
  const std::string wanted = run_program(folder, pair + "--set body[rear].mass='2 kg'").out;
  EXPECT_NE(wanted, run_program(folder, pair).out);
  for (const char* same : {"body[rear].mass=2", "body[2].mass='2 kg'", "body.2.mass='2000 g'", "body.2.mass=2e0"}) {
    const Answer answer = run_program(folder, pair + "--set " + same);
    EXPECT_EQ(answer.exit_code, 0) << same << ": " << answer.err;
    EXPECT_EQ(answer.out, wanted) << same;
  }
  const Answer list = run_program(folder, pair + "--set spring.pull.stiffness='3 N/m'");
  EXPECT_EQ(list.exit_code, 2);
  EXPECT_NE(list.err.find("spring is a list of 2; did you mean 'spring[pull]'"), std::string::npos) << list.err;
}

class MachineExample : public testing::TestWithParam<std::string> {};

TEST_P(MachineExample, RunsAndWritesEverything) {
  const Folder folder;
  const std::string name = GetParam();
  const Answer answer = simulate(folder, name, "--ledger --plot");
  ASSERT_EQ(answer.exit_code, 0) << answer.err;
  if (name == "servo_axis") {  // its friction is the file of an identified axis, with the doubt that belongs to it
    EXPECT_TRUE(answer.err.starts_with("warning: lugre is passive")) << answer.err;
  } else {
    EXPECT_EQ(answer.err, "") << "examples run without a warning";
  }
  EXPECT_EQ(folder.files(), (std::vector<std::string>{name + ".csv", name + ".events.csv", name + ".ledger.json",
                                                      name + ".npz", name + ".svg"}));
  for (const auto& file : folder.files())
    EXPECT_NE(answer.out.find("wrote " + file), std::string::npos) << "what is written is said";
  for (const char* part : {"ends ", "\nevent ", "\nresidual ", " steps, "})
    EXPECT_NE(answer.out.find(part), std::string::npos) << part;
  const Table samples = from_npz(text_of(folder / (name + ".npz")), name);
  EXPECT_GT(rows(samples), 100u);
  const std::string csv = text_of(folder / (name + ".csv")), svg = text_of(folder / (name + ".svg"));
  EXPECT_TRUE(csv.starts_with("time_s,"));
  EXPECT_EQ(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')), rows(samples) + 1);
  EXPECT_TRUE(text_of(folder / (name + ".events.csv")).starts_with("time_s,event,"));
  EXPECT_NE(svg.find("</svg>"), std::string::npos);
  EXPECT_EQ(answer.out.find('\x1b'), std::string::npos) << "colour is for terminals only";
}

TEST_P(MachineExample, EnergyIsAccountedFor) {
  const Folder folder;
  const Answer answer = simulate(folder, GetParam(), "--no-files --json");
  ASSERT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_TRUE(folder.files().empty());
  const JsonValue report = JsonReader::read(answer.out);
  EXPECT_EQ(report["run"]["outcome"].text, "finished");
  EXPECT_FALSE(report["machine"]["kind"].text.empty());
  EXPECT_TRUE(report["written"].items.empty());
  double largest = 0;
  for (const auto& [name, joule] : report["run"]["energy_J"].members)
    largest = std::max(largest, std::abs(joule.number));
  ASSERT_GT(largest, 0);
  // A servo is rolled out in the fixed steps of its firmware: its energy is known to the order of the step.
  const double allowed = GetParam().starts_with("servo") ? 1e-4 : 1e-9;
  EXPECT_LT(std::abs(report["run"]["energy_J"]["residual"].number), allowed * largest);
}

INSTANTIATE_TEST_SUITE_P(All, MachineExample, testing::ValuesIn(machine_names()),
                         [](const auto& example) { return example.param; });

// Experiment dual-clutch through the program: the first lock and the vehicle's last speed.
TEST(MachineCommand, DualClutchAsSpecified) {
  const Folder folder;
  const Answer answer = simulate(folder, "dual_clutch", "--events --json");
  ASSERT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_NEAR(JsonReader::read(answer.out)["run"]["bodies"]["vehicle"]["speed"].number, 87.249666923, 1e-6);
  const std::string events = text_of(folder / "dual_clutch.events.csv");
  const auto lock = events.find(",stick,clutch_1,locked");
  ASSERT_NE(lock, std::string::npos);
  EXPECT_NEAR(std::stod(events.substr(events.rfind('\n', lock) + 1)), 0.900573469, 1e-5);
}

// The numbers its comment states: the largest jerk between 3.7 and 6.5 s; prescribed pressures have 317 rad/s^3.
TEST(MachineCommand, ShiftControlLowersTheJerk) {
  const Folder folder;
  ASSERT_EQ(simulate(folder, "dual_clutch_controlled", "--npz").exit_code, 0);
  const Table samples = from_npz(text_of(folder / "dual_clutch_controlled.npz"), "npz");
  const Column& jerk = samples.columns.back();
  ASSERT_TRUE(jerk.name.starts_with("vehicle_jerk")) << jerk.name;
  double largest = 0;
  for (std::size_t i = 0; i < jerk.values.size(); ++i)
    if (const double t = samples.columns[0].values[i]; t > 3.7 && t < 6.5)
      largest = std::max(largest, std::fabs(jerk.values[i]));
  EXPECT_NEAR(largest, 93, 1);  // sampled every 1 ms
}

// A torque of "10 N m" was answered with "a table is needed, begun by [input]", which does not help inside [[torque]].
TEST(MachineCommand, AConstantWrittenWithoutItsTableIsAnsweredWithTheTable) {
  const auto refused = [](const std::string& part, const std::string& message) {
    const Folder folder;
    folder.write("m.toml", "[[body]]\nname = \"a\"\ninertia = \"1 kg m^2\"\n" + part +
                               "[run]\nduration = \"1 s\"\nsample_interval = \"1 s\"\n");
    const Answer answer = run_program(folder, "simulate m.toml");
    EXPECT_EQ(answer.exit_code, 2);
    EXPECT_EQ(answer.err, message + "\n");
  };
  refused("[[torque]]\nname = \"t\"\non = \"a\"\ninput = \"10 N m\"\n",
          "m.toml:7: input must be a signal; a constant one is written { kind = \"constant\", value = \"1 N m\" }");
  refused(
      "[[brake]]\nname = \"b\"\non = \"a\"\ncapacity = 0.5\nfriction = { model = \"coulomb\", coulomb_force = \"1 N "
      "m\" }\n",
      "m.toml:7: capacity must be a signal; a constant one is written { kind = \"constant\", value = 1 }");
}

TEST(MachineCommand, WrongFilesAreRefusedInOneLineAndNothingIsWritten) {
  struct Case {
    const char *example, *part, *instead, *message;
  };
  const Case cases[]{
      {"dual_clutch", "b = \"engine\"", "b = \"engin\"", "s.toml:38: no body 'engin'; did you mean 'engine'"},
      {"dual_clutch", "inertia = \"0.25 kg m^2\"\n", "", "s.toml:8: body 'engine' has no inertia; "},
      {"dual_clutch", "\"150 N m/rad\"", "\"150 N/m\"", "s.toml:25: stiffness: "},
      {"hydraulic_cylinder", "\"5 MPa\"", "\"5 MN\"", "s.toml:8: supply_pressure: "},
      {"hydraulic_cylinder", "kind = \"hydraulic-cylinder\"", "kind = \"hydraulic\"",
       "s.toml:7: no machine 'hydraulic'; "},
      {"clutch_by_wire", "ratio_forward", "ratio_foward",
       "s.toml:12: unknown key 'ratio_foward' in [machine]; did you mean "},
      {"dual_clutch_controlled", "\"controlled\"", "\"controled\"",
       "s.toml:9: no way to shift 'controled'; did you mean "},
      {"clutch_by_wire", "duration = \"100 s\"", "duration = \"100\"", "s.toml:25: duration: "}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.message);
    const Folder folder;
    folder.write("s.toml", without(text_of(machines / (std::string(c.example) + ".toml")), c.part, c.instead));
    const Answer answer = run_program(folder, "simulate s.toml");
    EXPECT_EQ(answer.exit_code, 2);
    EXPECT_TRUE(answer.err.starts_with(c.message)) << answer.err;
    EXPECT_EQ(std::count(answer.err.begin(), answer.err.end(), '\n'), 1) << answer.err;
    EXPECT_EQ(answer.out, "");
    EXPECT_EQ(folder.files(), (std::vector<std::string>{"s.toml"}));
  }
}

/// Every machine stops at Ctrl-C and keeps what it has.
TEST(MachineCommand, InterruptEndsEveryMachineAndKeepsItsResults) {
  struct Case {
    const char *example, *duration;
  };
  for (const auto& [example, duration] :
       {Case{"dual_clutch", "10 s"}, Case{"hydraulic_cylinder", "8 s"}, Case{"clutch_by_wire", "100 s"}}) {
    SCOPED_TRACE(example);
    const Folder folder;
    std::string text = without(text_of(machines / (std::string(example) + ".toml")),
                               "duration = \"" + std::string(duration) + "\"", "duration = \"1000 s\"");
    folder.write("s.toml", text + "[solver]\nlongest_step = \"1 us\"\n");
    const Answer answer = run_program(folder, "simulate s.toml >o 2>e & sleep 0.7; kill -INT $!; wait $!");
    EXPECT_EQ(answer.exit_code, 1);
    const std::string said = text_of(folder / "e");
    EXPECT_TRUE(said.starts_with("the run ended early: ")) << said;
    EXPECT_NE(said.find("cancelled at t = "), std::string::npos) << said;
    EXPECT_TRUE(said.ends_with("the results up to there are written\n")) << said;
    EXPECT_TRUE(fs::exists(folder / "s.csv"));
    EXPECT_EQ(JsonReader::read(text_of(folder / "s.ledger.json"))["run"]["outcome"].text, "cancelled");
  }
}

TEST(MachineCommand, AListOfEventsThatIsCutSaysSo) {
  const Folder folder;
  folder.write("s.toml", text_of(machines / "clutch_by_wire.toml") + "[solver]\nmost_events = 5\n");
  const Answer clutch = run_program(folder, "simulate s.toml --no-files");
  EXPECT_EQ(clutch.exit_code, 0);
  EXPECT_EQ(clutch.err,
            "warning: more than 5 events; all are counted, only the first are listed (most_events in [solver])\n");
  folder.write("s.toml", text_of(machines / "dual_clutch.toml") + "[solver]\nmost_events = 5\n");
  EXPECT_EQ(run_program(folder, "simulate s.toml --no-files").err,
            "warning: more than 5 events; only the first are listed and counted (most_events in [solver])\n");
}

}  // namespace
}  // namespace stickslip::machine_command_test
