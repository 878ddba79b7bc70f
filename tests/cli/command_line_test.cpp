/// The program as a user meets it: help, wrong names, exit codes, one line per problem, nothing half-written.
#include <gtest/gtest.h>

#include "program.hpp"

namespace stickslip::command_line_test {
namespace {

const std::string scenario = R"(
[machine]
kind = "applied-force"
mass = "1 kg"
[input]
kind = "constant"
value = "2 N"
[friction]
model = "coulomb"
coulomb_force = "1 N"
[run]
duration = "1 s"
sample_interval = "0.1 s"
)";

std::string without(std::string text, const std::string& part, const std::string& instead = "") {
  text.replace(text.find(part), part.size(), instead);
  return text;
}

/// Exit code 2, one line on standard error, nothing on standard output, and no file that was not there.
void expect_refused(const std::string& arguments, const std::string& message, const std::string& file = scenario) {
  const Folder folder;
  folder.write("s.toml", file);
  const Answer answer = run_program(folder, arguments);
  EXPECT_EQ(answer.exit_code, 2) << arguments;
  EXPECT_EQ(answer.err, message + "\n") << arguments;
  EXPECT_EQ(answer.out, "") << arguments;
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"s.toml"})) << arguments;
}

TEST(CommandLine, WrongNamesAreAnsweredWithTheNearest) {
  expect_refused("simulat s.toml", "no command 'simulat'; did you mean 'simulate'");
  expect_refused("models lugr", "no friction model 'lugr'; did you mean 'lugre'");
  expect_refused("simulate s.toml --ledgr", "no option '--ledgr' of simulate; did you mean '--ledger'");
  expect_refused("simulate s.toml --outptu=x", "no option '--outptu' of simulate; did you mean '--output'");
  expect_refused("reproduce stik-slip", "no experiment 'stik-slip'; did you mean 'stick-slip'");
  expect_refused("reproduce stick-slip stik-slip", "no experiment 'stik-slip'; did you mean 'stick-slip'");
  expect_refused("--versoin", "no option '--versoin'; did you mean '--version'");
}

TEST(CommandLine, TheWordHelpIsTheOptionHelp) {
  const Folder folder;
  const Answer all = run_program(folder, "help"), one = run_program(folder, "help simulate");
  EXPECT_EQ(all.exit_code, 0) << all.err;
  EXPECT_EQ(all.out, run_program(folder, "--help").out);
  EXPECT_EQ(one.out, run_program(folder, "simulate --help").out);
  expect_refused("help simulat", "no command 'simulat'; did you mean 'simulate'");
}

TEST(CommandLine, AnExperimentNamedTwiceRunsOnce) {
  const Folder folder;
  const Answer answer = run_program(folder, "reproduce three-bodies three-bodies --no-files --json");
  EXPECT_EQ(JsonReader::read(answer.out).items.size(), 1u) << answer.err;
}

TEST(CommandLine, MissingOrSuperfluousArguments) {
  expect_refused("simulate", "scenario is required; see --help");
  expect_refused("simulate s.toml t.toml", "The following argument was not expected: t.toml; see --help");
  expect_refused(
      "reproduce modelica",
      "modelica: give the folder with the published results: --reference FOLDER, in it CoupledClutches.csv and "
      "the others as docs/modelica.md lists them");
  expect_refused("reproduce", "no experiment is given; `stickslip reproduce --list` lists them, `all` runs all");
}

// An option of many values took the recording that followed it.
TEST(CommandLine, ARepeatableOptionTakesOneValue) {
  const Folder folder;
  folder.write("s.toml", scenario);
  ASSERT_EQ(run_program(folder, "generate presliding --seed 3 --duration '1 s' -o a.csv").exit_code, 0);
  ASSERT_EQ(run_program(folder, "generate presliding --seed 4 --duration '1 s' -o b.csv").exit_code, 0);
  const auto works = [&](const std::string& command) {
    const Answer answer = run_program(folder, command);
    EXPECT_EQ(answer.exit_code, 0) << command << answer.err;
    return answer;
  };
  works("simulate --set machine.mass=2 --no-files s.toml");
  works("inspect --need time,force a.csv");
  folder.write("log.csv", "time_s,force_N,set\n0,1,1\n1,2,1\n2,3,1\n3,1,2\n");
  works("inspect --where set=1 log.csv");
  works("inspect --let A=2 -o out.csv a.csv");
  for (const char* option : {"--model dahl", "--fix coulomb_force=1", "--profile viscosity", "--private offset"}) {
    const std::string models = std::string(option) == "--model dahl" ? "" : " --model coulomb-viscous";
    const Answer answer =
        run_program(folder, std::string("identify --no-files --json") + models + " " + option + " a.csv b.csv");
    EXPECT_EQ(answer.err.find("recording is required"), std::string::npos) << option;
    EXPECT_EQ(answer.err.find("cannot read"), std::string::npos) << option << answer.err;
    ASSERT_NE(answer.exit_code, 2) << option << answer.err;
    EXPECT_TRUE(JsonReader::read(answer.out)["split"].text.starts_with("2 files")) << option;
  }
  const Answer models = run_program(folder, "identify a.csv --no-files --model dahl lugre");
  EXPECT_EQ(models.exit_code, 2);
  EXPECT_EQ(models.err, "lugre: No such file or directory\n");
}

TEST(CommandLine, FilesThatCannotBeUsed) {
  expect_refused("simulate none.toml", "cannot read 'none.toml': No such file or directory");
  expect_refused("simulate .", "cannot read '.': it is a directory");
  expect_refused("simulate s.toml --output none/x",
                 "there is no directory 'none' to write results to; create it first");
  expect_refused("simulate s.toml --output x.csv",
                 "--output is 'x.csv', but it is how the names of all files begin: write 'x'");
  expect_refused("simulate s.toml --output s.toml/",
                 "cannot make the directory 's.toml/': there is a file of that name");
  expect_refused("reproduce stick-slip --output s.toml",
                 "cannot make the directory 's.toml': there is a file of that name");
  expect_refused("simulate s.toml", "s.toml:4: mass: '1' has no unit; write for example \"1 kg\"",
                 without(scenario, "\"1 kg\"", "1"));
  expect_refused("simulate s.toml --json", "s.toml:9: no friction model 'coulom'; did you mean 'coulomb'",
                 without(scenario, "\"coulomb\"", "\"coulom\""));
}

TEST(CommandLine, ADirectoryInTheWayOfOneFileKeepsAllFromBeingWritten) {
  const Folder folder;
  folder.write("s.toml", scenario);
  fs::create_directory(folder / "s.svg");
  const Answer answer = run_program(folder, "simulate s.toml");
  EXPECT_EQ(answer.exit_code, 2);
  EXPECT_EQ(answer.err, "cannot write 's.svg': it is a directory; name another --output\n");
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"s.svg", "s.toml"}));
}

// A scenario named like its recording, run beside it: the recording must survive.
TEST(CommandLine, AnInputIsNeverReplacedByResults) {
  const Folder folder;
  const std::string recording = "t_s,force_N\n0,0\n1,2\n";
  folder.write("push.csv", recording);
  folder.write("push.toml", R"([machine]
kind = "applied-force"
mass = "1 kg"
[input]
kind = "file"
path = "push.csv"
time = "t_s"
value = "force_N"
[friction]
model = "coulomb"
coulomb_force = "1 N"
[run]
duration = "1 s"
sample_interval = "10 ms"
)");
  const Answer answer = run_program(folder, "simulate push.toml");
  EXPECT_EQ(answer.exit_code, 2);
  EXPECT_EQ(answer.err, "results would replace 'push.csv', which this run reads; name another --output\n");
  EXPECT_EQ(text_of(folder / "push.csv"), recording);
  EXPECT_EQ(run_program(folder, "simulate push.toml --output result").exit_code, 0);
}

TEST(CommandLine, HelpEverywhereWithAnExample) {
  const Folder folder;
  for (const std::string command : {"", "models", "simulate", "reproduce"}) {
    const Answer answer = run_program(folder, command + " --help");
    EXPECT_EQ(answer.exit_code, 0);
    EXPECT_EQ(answer.err, "");
    EXPECT_NE(answer.out.find("Example"), std::string::npos) << command;
    EXPECT_NE(answer.out.find("  stickslip " + command), std::string::npos) << command;
  }
  EXPECT_EQ(run_program(folder, "").out, run_program(folder, "--help").out);
  const Answer version = run_program(folder, "--version");
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_TRUE(version.out.starts_with("stickslip ")) << version.out;
}

TEST(CommandLine, ModelsListAndDescribe) {
  const Folder folder;
  const Answer list = run_program(folder, "models");
  EXPECT_EQ(list.exit_code, 0);
  for (const char* name : {"coulomb", "lugre", "maxwell-slip", "hybrid-presliding"})
    EXPECT_NE(list.out.find(std::string("\n") + name + " "), std::string::npos) << name;
  const Answer one = run_program(folder, "models lugre");
  for (const char* part : {"Equations", "bristle_stiffness", "σ₀", "N/m", "Captures", "Does not capture", "Sources",
                           "IEEE", "[friction]", "model = \"lugre\""})
    EXPECT_NE(one.out.find(part), std::string::npos) << part;
}

TEST(CommandLine, ModelsAsJson) {
  const Folder folder;
  const JsonValue all = JsonReader::read(run_program(folder, "models --json").out);
  ASSERT_EQ(all.kind, JsonValue::Kind::list);
  bool has_lugre = false;
  for (const auto& model : all.items) {
    EXPECT_FALSE(model["parameters"].items.empty()) << model["name"].text;
    if (model["name"].text == "lugre") has_lugre = true;
  }
  EXPECT_TRUE(has_lugre);
  const JsonValue one = JsonReader::read(run_program(folder, "models coulomb --json").out);
  EXPECT_EQ(one["parameters"].items[0]["key"].text, "coulomb_force");
  EXPECT_EQ(one["parameters"].items[0]["unit"].text, "N");
  EXPECT_TRUE(one["parameters"].items[0]["required"].boolean);
  EXPECT_EQ(one["parameters"].items[0]["default"].kind, JsonValue::Kind::null);
}

TEST(CommandLine, SimulateAsJson) {
  const Folder folder;
  folder.write("s.toml", scenario);
  const Answer answer = run_program(folder, "simulate s.toml --json --output out/");
  ASSERT_EQ(answer.exit_code, 0) << answer.err;
  const JsonValue report = JsonReader::read(answer.out);
  EXPECT_EQ(report["friction"]["model"].text, "coulomb");
  EXPECT_EQ(report["friction"]["parameters"]["coulomb_force"].number, 1);
  EXPECT_NEAR(report["run"]["position"].number, 0.5, 1e-9);  // (2 N − 1 N)/(1 kg)/2 · (1 s)²
  EXPECT_EQ(report["run"]["events"]["release"].number, 1);
  ASSERT_EQ(report["written"].items.size(), 5u);
  for (const auto& path : report["written"].items) EXPECT_TRUE(fs::exists(folder / path.text)) << path.text;
  const JsonValue ledger = JsonReader::read(text_of(folder / "out/s.ledger.json"));
  EXPECT_EQ(ledger["run"]["energy_J"]["friction_heat"].number, report["run"]["energy_J"]["friction_heat"].number);
}

TEST(CommandLine, OutputMayBeADirectoryOrABeginning) {
  const Folder folder;
  folder.write("s.toml", scenario);
  fs::create_directory(folder / "there");
  ASSERT_EQ(run_program(folder, "simulate s.toml --csv --output there").exit_code, 0);
  EXPECT_TRUE(fs::exists(folder / "there/s.csv"));
  ASSERT_EQ(run_program(folder, "simulate s.toml --csv --output there/first").exit_code, 0);
  EXPECT_TRUE(fs::exists(folder / "there/first.csv"));
}

TEST(CommandLine, ARunThatEndsEarlyKeepsItsResultsAndSaysSo) {
  const Folder folder;
  folder.write("s.toml", scenario + "[solver]\nmost_steps = 3\n");
  const Answer answer = run_program(folder, "simulate s.toml");
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_TRUE(answer.err.starts_with("the run ended early: too many steps at t = ")) << answer.err;
  EXPECT_NE(answer.err.find("mode forward"), std::string::npos) << answer.err;
  EXPECT_EQ(std::count(answer.err.begin(), answer.err.end(), '\n'), 1);
  EXPECT_TRUE(fs::exists(folder / "s.csv"));
  const JsonValue ledger = JsonReader::read(text_of(folder / "s.ledger.json"));
  EXPECT_EQ(ledger["run"]["outcome"].text, "too many steps");
}

TEST(CommandLine, InterruptEndsTheRunAndKeepsItsResults) {
  const Folder folder;
  // Tiny steps over a long time: minutes of work.
  folder.write("s.toml", without(scenario, "\"1 s\"", "\"1000 s\"") + "[solver]\nlongest_step = \"1 us\"\n");
  const Answer answer = run_program(folder, "simulate s.toml >o 2>e & sleep 0.7; kill -INT $!; wait $!");
  EXPECT_EQ(answer.exit_code, 1);
  const std::string said = text_of(folder / "e");
  EXPECT_TRUE(said.starts_with("the run ended early: cancelled at t = ")) << said;
  EXPECT_TRUE(said.ends_with("the results up to there are written\n")) << said;
  EXPECT_TRUE(fs::exists(folder / "s.csv"));
}

TEST(CommandLine, DoubtsAreWarningsAndTheRunGoesOn) {
  const Folder folder;
  const std::string lugre =
      without(scenario, "model = \"coulomb\"",
              "model = \"lugre\"\nbristle_stiffness = \"1e4 N/m\"\nbristle_damping = \"10 N s/m\"\n"
              "stiction_force = \"1.5 N\"\nstribeck_velocity = \"1 mm/s\"");
  folder.write("s.toml", lugre);
  const Answer answer = run_program(folder, "simulate s.toml --no-files");
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_TRUE(answer.err.starts_with("warning: lugre is passive")) << answer.err;
  EXPECT_NE(answer.err.find("= 5 N s/m"), std::string::npos) << "the rule's number: σ₁ (F_S − F_C)/F_C";
}

TEST(CommandLine, ReproduceComparesAndWrites) {
  const Folder folder;
  const Answer list = run_program(folder, "reproduce --list --json");
  EXPECT_FALSE(JsonReader::read(list.out).items.empty());
  const Answer answer = run_program(folder, "reproduce presliding --json --output figures");
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  const JsonValue report = JsonReader::read(answer.out);
  ASSERT_EQ(report.items.size(), 1u);
  EXPECT_TRUE(report.items[0]["ok"].boolean);
  ASSERT_FALSE(report.items[0]["rows"].items.empty());
  for (const auto& row : report.items[0]["rows"].items)
    EXPECT_FALSE(row["origin"].text.empty()) << row["quantity"].text;
  ASSERT_FALSE(report.items[0]["written"].items.empty());
  for (const auto& path : report.items[0]["written"].items) EXPECT_TRUE(fs::exists(folder / path.text)) << path.text;
}

}  // namespace
}  // namespace stickslip::command_line_test
