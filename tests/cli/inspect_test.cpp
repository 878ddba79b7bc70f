/// `stickslip inspect` as a user runs it.
#include "cli/program.hpp"

namespace stickslip::inspect_test {
namespace {

TEST(Inspect, ShowsColumnsSamplingAndResolution) {
  const Folder folder;
  std::string text = "time [s],position [mm],force [N]\n";
  for (int i = 0; i < 50; ++i)
    text += std::to_string(0.01 * i) + "," + std::to_string(i % 10) + "," + std::to_string(0.1 * (i % 7)) + "\n";
  folder.write("axis.csv", text);
  const Answer shown = run_program(folder, "inspect axis.csv");
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_NE(shown.out.find("50 samples, 490 ms, every 10 ms (100 Hz), regular"), std::string::npos) << shown.out;

  const Answer json = run_program(folder, "inspect axis.csv --json");
  const JsonValue report = JsonReader::read(json.out);
  EXPECT_EQ(report["samples"].number, 50);
  EXPECT_NEAR(report["step_s"].number, 0.01, 1e-12);
  ASSERT_EQ(report["signals"].items.size(), 3u);
  EXPECT_EQ(report["signals"].items[1]["role"].text, "position");
  EXPECT_NEAR(report["signals"].items[1]["highest"].number, 9e-3, 1e-15);
  EXPECT_NEAR(report["signals"].items[1]["smallest_step"].number, 1e-3, 1e-12);
}

// Every command with a result has -o, --report and --plot.
TEST(Inspect, WritesSignalsFigureAndReport) {
  const Folder folder;
  std::string text = "time [s],position [mm],force [N]\n";
  for (int i = 0; i < 50; ++i) text += std::to_string(0.01 * i) + "," + std::to_string(i % 10) + ",3\n";
  folder.write("axis.csv", text);
  const Answer shown = run_program(folder, "inspect axis.csv --plot -o si.csv -o f.svg --report r.html");
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_NE(shown.out.find("position [mm]"), std::string::npos) << "the plot: " << shown.out;
  EXPECT_EQ(text_of(folder / "si.csv").substr(0, 45), "time_s,position_m,force_N\n0,0,3\n0.01,0.001,3\n");
  EXPECT_NE(text_of(folder / "f.svg").find("position"), std::string::npos);
  EXPECT_EQ(text_of(folder / "f.svg").find("force"), std::string::npos) << "a constant signal is not drawn";
  EXPECT_NE(text_of(folder / "r.html").find("Recording axis.csv"), std::string::npos);
  EXPECT_EQ(run_program(folder, "inspect axis.csv -o axis.csv").exit_code, 2) << "an input is not replaced";
  EXPECT_EQ(run_program(folder, "inspect axis.csv -o m.toml").err,
            "there is no model for 'm.toml': inspect does not fit one; stickslip identify does\n");
  EXPECT_EQ(text_of(folder / "axis.csv"), text);
}

TEST(Inspect, WarnsOnStandardErrorAndRefusesWithExitCodeTwo) {
  const Folder folder;
  folder.write("axis.csv", "time,force\n0,1\n1,2\n");
  const Answer warned = run_program(folder, "inspect axis.csv");
  EXPECT_EQ(warned.exit_code, 0);
  EXPECT_EQ(warned.err, "warning: axis.csv:1: no unit at time, force; SI assumed\n");

  const Answer refused = run_program(folder, "inspect axis.csv --need time,position");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.err, "axis.csv:1:1: no column 'position'; there is time, force; choose with --position\n");
  EXPECT_EQ(refused.out, "");

  EXPECT_EQ(run_program(folder, "inspect axis.csv --need tiem").err, "--need: no role 'tiem'; did you mean 'time'\n");
  EXPECT_EQ(run_program(folder, "inspect axis.csv --where force").exit_code, 2);
}

// inspect is the first command for a strange file: it shows what is there, and who would miss what.
TEST(Inspect, ListsAFileThatOtherCommandsRefuse) {
  const Folder folder;
  folder.write("motion.csv", "time_s,position_mm,current_A\n0,0,1\n0.1,1,2\n0.2,3,3\n");
  const Answer motion = run_program(folder, "inspect motion.csv");
  EXPECT_EQ(motion.exit_code, 0) << motion.err;
  EXPECT_NE(motion.out.find("3 samples, 200 ms"), std::string::npos) << motion.out;
  EXPECT_NE(motion.out.find("current"), std::string::npos) << motion.out;
  EXPECT_NE(motion.out.find("force    --force HEADING  identify, validate, curve"), std::string::npos) << motion.out;
  EXPECT_EQ(motion.out.find("--position"), std::string::npos) << motion.out;
  EXPECT_EQ(run_program(folder, "identify motion.csv").exit_code, 2);
  EXPECT_EQ(run_program(folder, "inspect motion.csv --need force").exit_code, 2);

  folder.write("abc.csv", "a,b\n0,1\n1,3\n2,2\n5,2\n");
  const Answer strange = run_program(folder, "inspect abc.csv --json --report r.html");
  EXPECT_EQ(strange.exit_code, 0) << strange.err;
  const JsonValue report = JsonReader::read(strange.out);
  EXPECT_EQ(report["samples"].number, 4);
  EXPECT_EQ(report["others"].items.size(), 2u);
  ASSERT_EQ(report["missing"].items.size(), 4u);
  EXPECT_EQ(report["missing"].items[0]["role"].text, "time");
  EXPECT_EQ(report["missing"].items[2]["role"].text, "position or velocity");
  EXPECT_NE(text_of(folder / "r.html").find("4 rows, no time column"), std::string::npos);

  folder.write("pairs.csv", "position_mm,force_N\n0,1\n1,3\n2,2\n");
  const Answer pairs = run_program(folder, "inspect pairs.csv --plot");
  EXPECT_NE(pairs.out.find("row"), std::string::npos) << "without time the rows are drawn one after another";
  EXPECT_EQ(pairs.out.find("time [s]"), std::string::npos) << pairs.out;
}

TEST(Inspect, TakesColumnsGainsAndRows) {
  const Folder folder;
  folder.write("log.csv", "run,stamp [s],u [V]\n1,0,1\n1,1,2\n2,0,3\n2,1,4\n");
  const Answer json =
      run_program(folder, "inspect log.csv --time stamp --force u --force-gain '2 N/V' --where run=2 --json");
  ASSERT_EQ(json.exit_code, 0) << json.err;
  const JsonValue report = JsonReader::read(json.out);
  EXPECT_EQ(report["samples"].number, 2);
  EXPECT_EQ(report["signals"].items[1]["lowest"].number, 6);
  EXPECT_EQ(report["signals"].items[1]["highest"].number, 8);
}

// What went wrong: "no position and no velocity", where every row had been dropped.
TEST(Inspect, AColumnWithoutAnyNumberIsNamed) {
  const Folder folder;
  folder.write("log.csv", "t [s],x [m],F [N]\n0,1,nan\n1,2,nan\n2,3,nan\n");
  const Answer none = run_program(folder, "inspect log.csv --missing drop");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_EQ(none.err, "log.csv:2:3: the column of the force has no number in any row; choose another with --force\n");
  folder.write("gaps.csv", "t [s],x [m],F [N]\n0,1,nan\n1,nan,2\n2,3,nan\n");
  EXPECT_EQ(run_program(folder, "inspect gaps.csv --missing drop").err,
            "gaps.csv:2:1: no row has a number for every signal; --missing interpolate fills gaps\n");
}

// What went wrong: "no column 'run '".
TEST(Inspect, RowsAreChosenWithSpacesAroundTheSignAndWithASignInTheColumnsName) {
  const Folder folder;
  folder.write("log.csv", "drive(1=screw 2=worm),t [s],F [N]\n1,0,1\n1,1,2\n2,0,3\n2,1,4\n");
  for (const char* const condition : {"'drive(1=screw 2=worm)=2'", "'drive(1=screw 2=worm) = 2'"}) {
    const Answer json = run_program(folder, std::string("inspect log.csv --json --where ") + condition);
    ASSERT_EQ(json.exit_code, 0) << json.err;
    EXPECT_EQ(JsonReader::read(json.out)["samples"].number, 2);
  }
}

}  // namespace
}  // namespace stickslip::inspect_test
