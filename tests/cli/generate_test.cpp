/// `stickslip generate` as a user runs it, and model files at the commands that take them.
#include "cli/program.hpp"

namespace stickslip::generate_test {
namespace {

void expect_refused(const std::string& arguments, const std::string& message) {
  const Folder folder;
  folder.write("rig.toml",
               "[machine]\nkind = \"applied-force\"\nmass = \"1 kg\"\n[input]\nkind = \"constant\"\n"
               "value = \"2 N\"\n[friction]\nmodel = \"coulomb\"\ncoulomb_force = \"1 N\"\n"
               "[run]\nduration = \"1 s\"\nsample_interval = \"10 ms\"\n");
  folder.write("m.toml", "[friction]\nmodel = \"coulomb\"\ncoulomb_force = \"1 N\"\n");
  folder.write("about.toml", "motion = \"rotary\"\n[friction]\nmodel = \"coulomb\"\ncoulomb_force = \"1 N m\"\n");
  const Answer answer = run_program(folder, arguments);
  EXPECT_EQ(answer.exit_code, 2) << arguments;
  EXPECT_EQ(answer.err, message + "\n") << arguments;
  EXPECT_EQ(answer.out, "") << arguments;
  EXPECT_EQ(folder.files().size(), 3u) << arguments;
}

TEST(GenerateCommand, DrawsItsSignalsAndWritesAReport) {
  const Folder folder;
  const Answer answer = run_program(folder, "generate servo-axis --duration '1 s' -o a.csv --plot --report r.html");
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_NE(answer.out.find("force [N]"), std::string::npos) << answer.out;
  const std::string page = text_of(folder / "r.html");
  EXPECT_NE(page.find("True friction"), std::string::npos);
  EXPECT_NE(page.find("bristle_stiffness"), std::string::npos);
}

TEST(GenerateCommand, WrongArgumentsAreAnsweredInOneLine) {
  expect_refused("generate",
                 "no machine is given; `stickslip generate --list` lists the built-in ones, a scenario file works too");
  expect_refused("generate servo-axes",
                 "no machine to generate a recording of 'servo-axes'; did you mean 'servo-axis'");
  expect_refused("generate none.toml", "cannot read 'none.toml': No such file or directory");
  expect_refused("generate servo-axis --force-noise x",
                 "--force-noise: 'x' does not begin with a number; write for example \"1.5 N\"");
  expect_refused("generate servo-axis --noise '3 m'", "--force-noise: '3 m' is a length [m]; a force [N] is needed");
  expect_refused("generate servo-axis --noise '-3 N'", "--force-noise is -3 N; it must be zero or positive");
  expect_refused("generate servo-axis -o x.json", "--output is 'x.json'; recordings are written as .csv or .npz");
  expect_refused("generate servo-axis --rate '0 Hz'", "--rate is 0 Hz; it must be positive");
  expect_refused("generate servo-axis --duration '-1 s'", "--duration is -1 s; it must be positive");
  expect_refused("generate gms --duration '0 s'", "--duration is 0 s; it must be positive");
  expect_refused(
      "generate servo-axis --duration '1e-320 s'",
      "--duration is 9.99989e-321 s; it must lie between 1e-12 s and 1e9 s: from a millionth of a microsecond to "
      "thirty years");
  expect_refused("generate gms --duration '1 us'",
                 "1 us at 2.5 kHz are fewer than two samples; use a longer duration or a higher rate");
  expect_refused("generate servo-axis --duration '1e8 s'",
                 "1e8 s at 1 kHz are 1e11 samples; at most 1e7 are made without --long, which allows 1e8");
  expect_refused("generate servo-axis --long --duration '1e8 s'",
                 "1e8 s at 1 kHz are 1e11 samples; at most 1e8 are possible; use a lower rate or a shorter duration");
  expect_refused("generate servo-axis --friction about.toml",
                 "'about.toml' is a model of rotary motion; this machine's is linear");
  expect_refused("generate rig.toml --friction about.toml",
                 "'about.toml' is a model of rotary motion; 'rig.toml' is linear");
  expect_refused("simulate m.toml", "m.toml is a model file; a scenario takes it with [friction] file = 'm.toml'");
  expect_refused("check m.toml --markdown", "--markdown is for `all`; a model file is shown as a table or as --json");
  expect_refused("check none.toml", "cannot read 'none.toml': No such file or directory");
}

TEST(GenerateCommand, WritesARecordingAndItsTruth) {
  const Folder folder;
  const Answer made =
      run_program(folder, "generate servo-axis --duration '1 s' --seed 3 -o a.csv --truth t.toml --json");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const JsonValue report = JsonReader::read(made.out);
  EXPECT_EQ(report["samples"].number, 1001);
  EXPECT_EQ(report["mass"].number, 20);
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"a.csv", "t.toml"}));
  const std::string first = text_of(folder / "a.csv");
  EXPECT_NE(first.find("# sensors: force noise 200 mN, position resolution 100 nm; seed 3\n"), std::string::npos);
  run_program(folder, "generate servo-axis --duration '1 s' --seed 3 -o a.csv --truth t.toml --json");
  EXPECT_EQ(text_of(folder / "a.csv"), first);

  const Answer scored = run_program(folder, "check t.toml --json");
  ASSERT_EQ(scored.exit_code, 0) << scored.err;
  EXPECT_EQ(JsonReader::read(scored.out)["models"].items[0]["model"].text, "lugre of t.toml");
}

// The truth replaced the scenario or the model file that was read, or the recording itself.
TEST(GenerateCommand, TheTruthReplacesNothingThatTheRunReadsOrWrites) {
  const Folder folder;
  const std::string scenario =
      "[machine]\nkind = \"applied-force\"\nmass = \"1 kg\"\n[input]\nkind = \"constant\"\nvalue = \"2 N\"\n"
      "[friction]\nmodel = \"coulomb\"\ncoulomb_force = \"1 N\"\n[run]\nduration = \"1 s\"\nsample_interval = \"10 "
      "ms\"\n";
  const std::string model = "[friction]\nmodel = \"coulomb\"\ncoulomb_force = \"1 N\"\n";
  folder.write("rig.toml", scenario), folder.write("m.toml", model);
  const auto refused = [&](const std::string& arguments, const std::string& message) {
    const Answer answer = run_program(folder, arguments);
    EXPECT_EQ(answer.exit_code, 2) << arguments;
    EXPECT_EQ(answer.err, message + "\n");
    EXPECT_EQ(folder.files(), (std::vector<std::string>{"m.toml", "rig.toml"}));
  };
  refused("generate rig.toml --truth ./rig.toml", "the truth would replace './rig.toml', which this run reads");
  refused("generate presliding --duration '1 s' --friction m.toml --truth m.toml",
          "the truth would replace 'm.toml', which this run reads");
  refused("generate rig.toml -o a.csv --truth a.csv", "--truth is 'a.csv'; name a file that ends in .toml");
  refused("virtual-bench . --truth ./sine.csv", "--truth is './sine.csv'; name a file that ends in .toml");
  EXPECT_EQ(text_of(folder / "rig.toml"), scenario);
  EXPECT_EQ(text_of(folder / "m.toml"), model);
}

TEST(GenerateCommand, SamplesAScenarioWithItsSensors) {
  const Folder folder;
  folder.write("rig.toml",
               "[machine]\nkind = \"applied-force\"\nmass = \"1 kg\"\n[input]\nkind = \"constant\"\n"
               "value = \"2 N\"\n[friction]\nmodel = \"coulomb\"\ncoulomb_force = \"1 N\"\n"
               "[run]\nduration = \"1 s\"\nsample_interval = \"10 ms\"\n");
  const Answer made = run_program(folder, "generate rig.toml --resolution '10 mm' --rate '100 Hz' --force friction");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const Answer shown = run_program(folder, "inspect rig.recording.csv --json");
  const JsonValue report = JsonReader::read(shown.out);
  EXPECT_EQ(report["samples"].number, 101);
  // 1 N accelerates 1 kg: x(1 s) = 0.5 m, friction 1 N all along
  EXPECT_NEAR(report["signals"].items[1]["highest"].number, 0.5, 1e-12);
  EXPECT_NEAR(report["signals"].items[1]["smallest_step"].number, 0.01, 1e-12);
  EXPECT_NEAR(report["signals"].items[2]["highest"].number, 1, 1e-9);
  EXPECT_EQ(run_program(folder, "generate rig.toml -o rig.npz").exit_code, 0);
  EXPECT_EQ(run_program(folder, "inspect rig.npz").exit_code, 0);
}

}  // namespace
}  // namespace stickslip::generate_test
