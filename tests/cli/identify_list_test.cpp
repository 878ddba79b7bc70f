/// `stickslip identify --each` and `--axis` as a user runs them: what is refused before anything is written.
#include <cmath>

#include "cli/program.hpp"

namespace stickslip::identify_list_test {
namespace {

/// Three recordings of the presliding rig, quick to identify.
void make_rig(const Folder& folder) {
  for (const char* one : {"3 -o a.csv", "4 -o b.csv", "5 -o c.csv"})
    ASSERT_EQ(run_program(folder, std::string("generate presliding --duration '1 s' --seed ") + one).exit_code, 0);
}

std::map<std::string, std::string> contents(const Folder& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : fs::recursive_directory_iterator(folder.path()))
    all[entry.path().string()] = entry.is_directory() ? "" : text_of(entry.path());
  return all;
}

/// One line, exit code 2, and every file as it was.
void expect_refused(const Folder& folder, const std::string& arguments, const std::string& message) {
  const auto before = contents(folder);
  const Answer answer = run_program(folder, "identify " + arguments);
  EXPECT_EQ(answer.exit_code, 2) << arguments;
  EXPECT_EQ(answer.err, message + "\n") << arguments;
  EXPECT_EQ(answer.out, "") << arguments;
  EXPECT_EQ(contents(folder), before) << arguments;
}

// Every row of identified.csv had the message, earlier results were gone, and nothing was said.
TEST(IdentifyEach, WrongOptionsAreRefusedOnceAndNothingIsWritten) {
  const Folder folder;
  make_rig(folder);
  fs::create_directory(folder / "fleet");
  folder.write("fleet/identified.csv", "kept");
  folder.write("fleet/identified.state", "kept");
  const auto refused = [&](const std::string& options, const std::string& message) {
    expect_refused(folder, "--each a.csv b.csv -o fleet " + options, message);
    expect_refused(folder, "--each a.csv b.csv -o new " + options, message);
  };
  refused("--model lugr", "no friction model 'lugr'; did you mean 'lugre'");
  refused("--over temprature",
          "--over is 'temprature'; not a quantity that levels can depend on; write load, temperature, "
          "position:knots=6, viscosity:pressure:degree=2 or load:proportional");
  refused("--mass '20 m'", "--mass: '20 m' is a length [m]; a mass [kg] is needed");
  refused("--inertia '2 kg m^2'", "--mass: '2 kg m^2' is an inertia [kg m^2]; a mass [kg] is needed");
  refused("--bootstrap 20000 --model coulomb",
          "--bootstrap is 20000; more than 10000 repetitions take hours and need --long; a thousand give an interval "
          "to within a few percent");
  refused("--start-from none.toml", "cannot read 'none.toml': No such file or directory");
  refused("--fix viscosty=3", "--fix: no parameter 'viscosty'; did you mean 'viscosity'");
  refused("--profile viscosty", "identify: profile: no parameter 'viscosty'; did you mean 'viscosity'");
  refused("--validation none.csv", "none.csv: No such file or directory");
  refused("--split 50,25", "--split is '50,25'; three numbers are needed, as in 50,25,25, the first above zero");
  refused("--split-by set", "--split-by needs --estimation-values, the values of 'set' whose rows estimate");
  refused("--gravity",
          "a.csv: --gravity finds the sine and cosine of an angle; for linear motion gravity is an offset of the "
          "force, which is estimated anyway");
  expect_refused(folder, "--each x.csv y.csv -o new",
                 "no recording can be read; the first: x.csv: No such file or directory");
  // one that cannot be read is a row still
  const Answer some = run_program(folder, "identify --each x.csv a.csv -o new --model 'maxwell-slip(3)'");
  EXPECT_EQ(some.exit_code, 1) << some.err;
  EXPECT_NE(text_of(folder / "new/identified.csv").find("\nx.csv,,,,,,,x.csv: No such file or directory\n"),
            std::string::npos);
  EXPECT_TRUE(fs::exists(folder / "new/a.model.toml"));
}

TEST(IdentifyEach, WhatIsReadIsNeverReplaced) {
  const Folder folder;
  make_rig(folder);
  const std::string law = " --model 'maxwell-slip(3)'";
  ASSERT_EQ(run_program(folder, "identify b.csv -o m.toml" + law).exit_code, 0);
  fs::create_directory(folder / "fleet");
  fs::copy(folder / "m.toml", folder / "fleet/a.model.toml");
  expect_refused(folder, "--each a.csv b.csv -o fleet --start-from fleet/a.model.toml" + law,
                 "the result would replace 'fleet/a.model.toml', which this run reads; name another folder with -o");
  fs::copy(folder / "c.csv", folder / "fleet/b.html");
  expect_refused(folder, "--each a.csv b.csv -o fleet --validation fleet/b.html" + law,
                 "the result would replace 'fleet/b.html', which this run reads; name another folder with -o");
  for (const char* name : {"identified.csv", "a.html", "identified.state", "identified.state.lock"})
    fs::copy(folder / "a.csv", folder / name);
  const auto replaced = [](const std::string& name) {
    return "the result would replace '" + name + "', which this run reads; name another folder with -o";
  };
  const auto lost = [](const std::string& name) {
    return "the state of this run would replace '" + name +
           "', which it reads; name another --output, or rename the file";
  };
  expect_refused(folder, "--each identified.csv b.csv" + law, replaced("identified.csv"));
  expect_refused(folder, "--each a.html b.csv" + law, replaced("a.html"));
  expect_refused(folder, "--each identified.state b.csv" + law, lost("identified.state"));
  expect_refused(folder, "--each identified.state.lock b.csv" + law, lost("identified.state.lock"));
  // one recording: the state beside its model
  expect_refused(folder, "identified.state -o identified" + law, lost("identified.state"));
  expect_refused(folder, "identified.state.lock -o identified" + law, lost("identified.state.lock"));
  fs::copy(folder / "m.toml", folder / "q.toml.state");
  expect_refused(folder, "a.csv --start-from q.toml.state -o q.toml" + law, lost("q.toml.state"));
  fs::create_symlink("a.csv", folder / "x.toml.state");
  expect_refused(folder, "a.csv -o x.toml" + law, lost("x.toml.state"));
}

TEST(IdentifyEach, OptionsOfOtherRunsAreNotPassedOver) {
  const Folder folder;
  make_rig(folder);
  expect_refused(folder, "--each a.csv b.csv --together",
                 "--together is for recordings that are fitted together; leave out --each");
  expect_refused(folder, "--each a.csv b.csv --axis '*'",
                 "--axis is for several axes of one recording; leave out --each");
  expect_refused(folder, "--each a.csv b.csv --recording c.csv",
                 "--recording is for machine jobs; give the recording as an argument");
}

TEST(IdentifyAxes, OptionsOfOtherRunsAreNotPassedOver) {
  const Folder folder;
  folder.write("arm.csv", "t_s,q1_rad,tau1_Nm,q2_rad,tau2_Nm\n0,0,1,0,1\n1,1,2,1,2\n2,2,3,2,3\n");
  const std::string arm = "arm.csv --position 'q#' --force 'tau#' --axis ";
  expect_refused(folder, arm + "'*' --together", "--together is for several recordings; --axis takes one");
  for (const char* option : {"--orders", "--all"})
    expect_refused(folder, arm + "'*' " + option,
                   "--resume, --table, --plot, --orders and --all are for one axis; leave out --axis");
  expect_refused(folder, arm + "1,2,1", "--axis is '1,2,1': axis '1' is there twice; name each once");
}

/// Three axes that swing with Coulomb friction; the second stands still.
void make_arm(const Folder& folder) {
  std::string text = "t_s,q1_rad,tau1_Nm,q2_rad,tau2_Nm,q3_rad,tau3_Nm\n";
  for (int i = 0; i < 2000; ++i) {
    const double t = 0.002 * i, w = 5, v = std::cos(w * t);
    const auto torque = [&](double level) { return std::to_string((v > 0 ? level : -level) + 0.5 * v); };
    text += std::to_string(t) + "," + std::to_string(std::sin(w * t) / w) + "," + torque(2) + ",0,0," +
            std::to_string(std::sin(w * t) / w) + "," + torque(3) + "\n";
  }
  folder.write("arm.csv", text);
}

// The first axis' model file was there, the third was not tried, and nothing said which.
TEST(IdentifyAxes, AnAxisWithoutResultIsNamedAndTheOthersGoOn) {
  const Folder folder;
  make_arm(folder);
  const std::string arm =
      "identify arm.csv --position 'q#' --force 'tau#' --inertia '0 kg m^2' --model coulomb-viscous ";
  const Answer answer = run_program(folder, arm + "--axis '*' --json");
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_NE(answer.err.find("warning: axis 2 has no result: identify: the position never changes"), std::string::npos)
      << answer.err;
  EXPECT_TRUE(answer.err.ends_with("results of axes 1, 3 are written, none of axis 2\n")) << answer.err;
  const JsonValue all = JsonReader::read(answer.out);
  ASSERT_EQ(all.items.size(), 3u);
  EXPECT_EQ(all.items[1]["axis"].text, "2");
  EXPECT_NE(all.items[1]["problem"].text, "");
  EXPECT_TRUE(fs::exists(folder / "arm-1.model.toml") && fs::exists(folder / "arm-3.model.toml"));
  EXPECT_FALSE(fs::exists(folder / "arm-2.model.toml"));
  const Answer table = run_program(folder, arm + "--axis 2,3 --no-files");
  EXPECT_EQ(table.exit_code, 1);
  EXPECT_NE(table.out.find("2  no result"), std::string::npos) << table.out;
  EXPECT_TRUE(table.err.ends_with("results of axis 3 are shown, none of axis 2\n")) << table.err;
  const Answer none = run_program(folder, arm + "--axis 2");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_TRUE(none.err.find("\naxis 2 has no result: identify: ") != std::string::npos) << none.err;
}

// A list that starts anew said nothing, where a single recording does.
TEST(IdentifyEach, ResumingWithoutAStateIsSaid) {
  const Folder folder;
  make_rig(folder);
  const Answer answer = run_program(folder, "identify --each a.csv b.csv -o fleet --model coulomb --resume");
  EXPECT_NE(answer.err.find("nothing to resume: there is no 'fleet/identified.state'; starting anew\n"),
            std::string::npos)
      << answer.err;
}

// All parameters of all laws were listed, 670 characters.
TEST(IdentifyPrivate, AWrongNameIsAnsweredInALine) {
  const Folder folder;
  make_rig(folder);
  expect_refused(
      folder, "a.csv b.csv --private qqqqq --no-files",
      "identify: private: no parameter 'qqqqq'; most laws have coulomb_force and viscosity, `stickslip models "
      "NAME` lists those of a law");
  expect_refused(
      folder, "a.csv --fix qqqqq=1 --no-files",
      "--fix: no parameter 'qqqqq'; most laws have coulomb_force and viscosity, `stickslip models NAME` lists "
      "those of a law");
}

}  // namespace
}  // namespace stickslip::identify_list_test
