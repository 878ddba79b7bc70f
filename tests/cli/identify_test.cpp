/// `stickslip identify`, `validate` and `demo` as a user runs them.
#include <sys/stat.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <map>
#include <sstream>

#include "cli/program.hpp"
#include "core/instruction_set.hpp"
#include "core/text.hpp"
#include "platform/file.hpp"
#include "support/cases.hpp"
#include "support/places.hpp"

namespace stickslip::identify_test {
namespace {

/// Two recordings of the presliding rig, quick to identify.
void make_rig(const Folder& folder) {
  ASSERT_EQ(run_program(folder, "generate presliding --seed 3 --duration '1 s' -o a.csv --truth truth.toml").exit_code,
            0);
  ASSERT_EQ(run_program(folder, "generate presliding --seed 4 --duration '1 s' -o b.csv").exit_code, 0);
}

void expect_refused(const Folder& folder, const std::string& arguments, const std::string& message) {
  const auto before = folder.files();
  const Answer answer = run_program(folder, arguments);
  EXPECT_EQ(answer.exit_code, 2) << arguments;
  EXPECT_EQ(answer.err, message + "\n") << arguments;
  EXPECT_EQ(answer.out, "") << arguments;
  EXPECT_EQ(folder.files(), before) << arguments;
}

/// The text with every stretch of white space as one blank.
std::string flattened(const std::string& text) {
  std::string out;
  std::istringstream words(text);
  for (std::string word; words >> word;) out += (out.empty() ? "" : " ") + word;
  return out;
}

TEST(IdentifyCommand, WrongArgumentsAreAnsweredInOneLine) {
  const Folder folder;
  make_rig(folder);
  folder.write("still.csv", "time_s,force_N\n0,1\n1,2\n2,3\n");
  const auto refused = [&](const std::string& arguments, const std::string& message) {
    expect_refused(folder, "identify a.csv " + arguments, message);
  };
  expect_refused(folder, "identify", "recording is required; see --help");
  expect_refused(folder, "identify none.csv", "none.csv: No such file or directory");
  expect_refused(folder, "identify still.csv",
                 "still.csv: no position and no velocity; choose a column with --position or --velocity");
  refused("--model lugr", "no friction model 'lugr'; did you mean 'lugre'");
  refused("--mass '3 m'", "--mass: '3 m' is a length [m]; a mass [kg] is needed");
  refused("--split 50,25", "--split is '50,25'; three numbers are needed, as in 50,25,25, the first above zero");
  refused("--split 0,50,50", "--split is '0,50,50'; three numbers are needed, as in 50,25,25, the first above zero");
  refused("--split 10,20,30",
          "--split is '10,20,30': the percentages add up to 60; they must add up to 100, as in 50,25,25");
  refused("--split 2,1,1", "--split is '2,1,1': the percentages add up to 4; they must add up to 100, as in 50,25,25");
  refused("--split-by set", "--split-by needs --estimation-values, the values of 'set' whose rows estimate");
  refused("--over mass",
          "--over is 'mass'; not a quantity that levels can depend on; write load, temperature, position:knots=6, "
          "viscosity:pressure:degree=2 or load:proportional");
  refused("--over load:knots=x",
          "--over is 'load:knots=x'; a whole number must follow =; write load, temperature, position:knots=6, "
          "viscosity:pressure:degree=2 or load:proportional");
  refused(
      "--over temperature:proportional",
      "--over is 'temperature:proportional'; a level cannot be proportional to the temperature: the zeros of degC and "
      "K differ; write temperature, temperature:degree=2 or viscosity:temperature");
  refused("--fix viscosity", "--fix is 'viscosity'; write for example coulomb_force='20 N'");
  refused("--fix viscosty=3", "--fix: no parameter 'viscosty'; did you mean 'viscosity'");
  refused("--fix viscosity='3 m'", "--fix: '3 m' is a length [m]; a damping [N s/m] is needed");
  refused("--to '1 s' --from '2 s'", "--until must come after --from");
  refused("-o none/m.toml", "there is no directory 'none' to write to; create it first");
  refused("-o a.csv", "the result would replace 'a.csv', which this run reads");
  refused("--recording b.csv", "--recording is for machine jobs; give the recording as an argument");
  expect_refused(folder, "identify truth.toml --mass '2 kg'",
                 "--mass is for recordings; the job file 'truth.toml' contains this setting");
  expect_refused(folder, "identify truth.toml b.csv",
                 "only one job file can be run at a time; give further logs with --recording");
  refused("--report none/r.html", "there is no directory 'none' to write 'none/r.html' to; create it first");
}

TEST(IdentifyCommand, GivesTheModelBackAndValidatesIt) {
  const Folder folder;
  make_rig(folder);
  const Answer found =
      run_program(folder,
                  "identify a.csv --no-filter --model 'NLR(3)' --model coulomb --csv r.csv --report r.html "
                  "--seed 5 --json");
  ASSERT_EQ(found.exit_code, 0) << found.err;
  const JsonValue report = JsonReader::read(found.out);
  EXPECT_EQ(report["recommended"].text, "NLR(3)");
  EXPECT_EQ(report["models"].items.size(), 2u);
  EXPECT_EQ(report["written"].items.size(), 3u);
  const auto& thresholds = report["models"].items[0]["settings"]["thresholds"].items;
  ASSERT_EQ(thresholds.size(), 3u);
  EXPECT_NEAR(thresholds[0].number, 2e-6, 2e-8);
  EXPECT_NEAR(thresholds[2].number, 12e-6, 12e-8);
  EXPECT_EQ(folder.files(),
            (std::vector<std::string>{"a.csv", "a.model.toml", "b.csv", "r.csv", "r.html", "truth.toml"}));

  const Answer holds = run_program(folder, "validate a.model.toml b.csv --json");
  EXPECT_EQ(holds.exit_code, 0) << holds.err << holds.out;
  const JsonValue verdict = JsonReader::read(holds.out);
  EXPECT_LT(verdict["noe_percent"].number, 0.1);
  EXPECT_EQ(verdict["verdict"].text.find("The model holds: "), 0u) << verdict["verdict"].text;

  // same seed, same bytes
  const std::string model = text_of(folder / "a.model.toml");
  run_program(folder,
              "identify a.csv --no-filter --model 'NLR(3)' --model coulomb --csv r.csv --report r.html "
              "--seed 5 --json");
  EXPECT_EQ(text_of(folder / "a.model.toml"), model);
}

// In these recordings no wide turn comes early: nothing is known of the springs at the first sample of estimation.
TEST(IdentifyCommand, ARecordingWithoutAnEarlyTurnGivesItsModelBack) {
  const Folder folder;
  for (const char* seed : {"12", "13", "19", "100"}) {
    ASSERT_EQ(run_program(folder, std::string("generate presliding -o y.csv --seed ") + seed).exit_code, 0);
    const Answer answer = run_program(folder, "identify y.csv --model 'NLR(3)' --no-files --json");
    ASSERT_EQ(answer.exit_code, 0) << answer.err;
    const JsonValue report = JsonReader::read(answer.out);
    EXPECT_LT(report["models"].items.at(0)["test"]["noe_percent"].number, 1e-3) << "seed " << seed;
  }
}

// The estimation half of this one ends at its widest turn.
TEST(IdentifyCommand, ARecordingWhoseWidestTurnComesLastIsIdentified) {
  const Folder folder;
  ASSERT_EQ(run_program(folder, "generate servo-axis --seed 7 -o axis.csv").exit_code, 0);
  const Answer answer =
      run_program(folder, "identify axis.csv --mass '20 kg' --model LG --model 'NLR(3)' --no-files --json");
  ASSERT_EQ(answer.exit_code, 0) << answer.err;
  const JsonValue report = JsonReader::read(answer.out);
  EXPECT_EQ(report["models"].items.size(), 2u);
  EXPECT_LT(report["models"].items.at(0)["test"]["noe_percent"].number, 3);
}

// Low-pass and quantised position bias a fit; before the intervals contained that, the truth was outside of one in five.
TEST(IdentifyCommand, IntervalsContainTheTruthAboutAsOftenAsTheySay) {
  const Folder folder;
  const std::map<std::string, double> truth{
      {"bristle_stiffness", 1.5e6}, {"bristle_damping", 1200},    {"viscosity", 120}, {"coulomb_force", 20},
      {"stiction_force", 30},       {"stribeck_velocity", 0.008}, {"offset", 0}};
  int outside = 0, all = 0;
  const int seeds = test::repetitions(12);
  for (int seed = 200; seed < 200 + seeds; ++seed) {
    ASSERT_EQ(run_program(folder, "generate servo-axis -o a.csv --seed " + std::to_string(seed)).exit_code, 0);
    const Answer answer = run_program(folder, "identify a.csv --mass '20 kg' --model lugre --no-files --json");
    ASSERT_EQ(answer.exit_code, 0) << answer.err;
    const JsonValue report = JsonReader::read(answer.out);
    for (const auto& e : report["models"].items.at(0)["estimates"].items) {
      const double low = e["low"].number, high = e["high"].number, value = truth.at(e["key"].text);
      if (!(low < high)) continue;  // at its bound
      ++all;
      outside += value < low || value > high;
    }
  }
  EXPECT_GT(all, 70 * seeds / 12);
  EXPECT_LT(outside, 0.12 * all);  // 95 % intervals
}

// Motion so slow that all of it lies on one side of the Stribeck drop. The search ended in 4 of 100 recordings with a Stribeck velocity below
// all speeds, where the level of the samples is F_C: 30 N ± 0.1 N, "well determined", for 20 N.
TEST(IdentifyCommand, SlowMotionDoesNotTellTheCoulombLevel) {
  const Folder folder;
  for (const char* const seed : {"127", "167", "195"}) {
    ASSERT_EQ(run_program(folder, std::string("generate servo-axis -o a.csv --seed ") + seed).exit_code, 0);
    const Answer answer =
        run_program(folder, "identify a.csv --mass '20 kg' --lag '0 s' --model lugre --no-files --json");
    const JsonValue report = JsonReader::read(answer.out);
    for (const JsonValue& e : report["models"].items.at(0)["estimates"].items) {
      if (e["key"].text != "coulomb_force") continue;
      EXPECT_NE(e["verdict"].text, "well determined") << seed << ": " << e["value"].number;
    }
  }
}

TEST(IdentifyCommand, ShowsTheIntervalsThatWereAskedFor) {
  const Folder folder;
  make_rig(folder);
  const Answer found = run_program(
      folder,
      "identify a.csv --model dahl --bootstrap 10 --profile coulomb_force --profile offset --no-files --csv r.csv");
  ASSERT_EQ(found.exit_code, 0) << found.err;
  EXPECT_NE(found.out.find("bootstrap"), std::string::npos) << found.out;
  EXPECT_NE(found.out.find("profile likelihood"), std::string::npos) << found.out;
  EXPECT_NE(text_of(folder / "r.csv").find("predicted"), std::string::npos);  // asked for by name
  const Answer wrong = run_program(folder, "identify a.csv --model coulomb --profile viscosty --no-files");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("did you mean 'viscosity'"), std::string::npos) << wrong.err;
}

TEST(IdentifyCommand, TellsANewcomerWhatWasFound) {
  const Folder folder;
  make_rig(folder);
  const Answer found = run_program(folder, "identify a.csv --model coulomb --model dahl --no-files --plot --orders");
  ASSERT_EQ(found.exit_code, 0) << found.err;
  for (const char* words : {"Recommended: ", "which were not used for the fit", "± (95 %)", "NOE validation"})
    EXPECT_NE(flattened(found.out).find(words), std::string::npos) << words << "\n" << found.out;
  const Answer springs = run_program(folder, "identify a.csv --model 'NLR(2)' --no-files");
  const auto offset = springs.out.find("\noffset ");  // this model has one of its own
  ASSERT_NE(offset, std::string::npos) << springs.out;
  EXPECT_EQ(springs.out.find("\noffset ", offset + 1), std::string::npos) << springs.out;
  const Answer table = run_program(folder, "identify a.csv --model coulomb --no-files --table");
  EXPECT_EQ(table.out.find("method "), 0u) << table.out;
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"a.csv", "b.csv", "truth.toml"}));
}

// Killed without warning after its first candidate, a run resumes from there and ends with the same bytes.
TEST(IdentifyCommand, ResumesAfterBeingKilled) {
  const Folder folder;
  make_rig(folder);
  const std::string models = "--model coulomb --model dahl --model lugre --model 'NLR(2)' --threads 1";
  ASSERT_EQ(run_program(folder, "identify a.csv -o m.toml " + models).exit_code, 0);
  const std::string whole = text_of(folder / "m.toml");
  EXPECT_FALSE(fs::exists(folder / "m.toml.state"));
  fs::remove(folder / "m.toml");

  // kill -9 as soon as a first candidate is on disk
  folder.write("kill.sh", "cd '" + folder.path().string() + "'\n'" + program_file() + "' identify a.csv -o m.toml " +
                              models +
                              " >/dev/null 2>&1 &\np=$!\nfor i in $(seq 2000); do [ -s m.toml.state ] && break; "
                              "sleep 0.002; done\nkill -9 $p 2>/dev/null\nwait $p 2>/dev/null\nexit 0\n");
  ASSERT_EQ(std::system(("bash '" + (folder / "kill.sh").string() + "' 2>/dev/null").c_str()), 0);
  const bool was_killed_in_time = fs::exists(folder / "m.toml.state");
  const Answer resumed = run_program(folder, "identify a.csv -o m.toml " + models + " --resume");
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  if (was_killed_in_time) {
    EXPECT_EQ(resumed.err, "");
  }
  // the command line differs by --resume; the rest must not
  std::string again = text_of(folder / "m.toml");
  const auto at = again.find(" --resume");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(again.erase(at, 9), whole);
}

// Two of them would replace each other's state and result.
TEST(IdentifyCommand, TwoAtOnceIntoOneResultAreRefused) {
  const Folder folder;
  make_rig(folder);
  folder.write("m.toml", "kept");
  {
    LockedFile other;  // as a running identification holds it
    ASSERT_EQ(other.open((folder / "m.toml.state.lock").string()), "");
    ASSERT_TRUE(other.lock());
    expect_refused(folder, "identify a.csv -o m.toml --model coulomb",
                   "m.toml.state.lock: another identification is writing there; wait for it, or name another --output");
  }
  EXPECT_EQ(text_of(folder / "m.toml"), "kept");
  // what a killed one leaves keeps nobody out, and goes
  EXPECT_EQ(run_program(folder, "identify a.csv -o m.toml --model lugre").exit_code, 0);
  EXPECT_NE(text_of(folder / "m.toml"), "kept");
  EXPECT_FALSE(fs::exists(folder / "m.toml.state.lock"));
  fs::create_directory(folder / "fleet");
  LockedFile other;
  ASSERT_EQ(other.open((folder / "fleet" / "identified.state.lock").string()), "");
  ASSERT_TRUE(other.lock());
  expect_refused(
      folder, "identify --each a.csv b.csv -o fleet --model coulomb",
      "fleet/identified.state.lock: another identification is writing there; wait for it, or name another --output");
}

// Reading or writing it waited for another program.
TEST(IdentifyCommand, APipeInThePlaceOfTheStateIsRefused) {
  const Folder folder;
  make_rig(folder);
  ASSERT_EQ(::mkfifo((folder / "m.toml.state").c_str(), 0600), 0);
  for (const char* more : {"", " --resume"})
    expect_refused(
        folder, std::string("identify a.csv -o m.toml --model coulomb") + more,
        "m.toml.state: is a device or a pipe, and what is done is kept there; remove it, or name another --output");
}

TEST(IdentifyCommand, CtrlCKeepsTheBestSoFarAndTheStateToGoOnFrom) {
  const Folder folder;
  make_rig(folder);
  folder.write("stop.sh",
               "cd '" + folder.path().string() + "'\n'" + program_file() +
                   "' identify a.csv -o m.toml --threads 1 "
                   ">out 2>err &\np=$!\nfor i in $(seq 2000); do [ -s m.toml.state ] && break; sleep 0.002; done\n"
                   "kill -INT $p\nwait $p\necho $? >code\n");
  ASSERT_EQ(std::system(("bash -m '" + (folder / "stop.sh").string() + "' 2>/dev/null").c_str()), 0);
  ASSERT_EQ(text_of(folder / "code"), "1\n") << text_of(folder / "err");
  EXPECT_NE(text_of(folder / "err")
                .find("interrupted: the best so far is shown and written; the same command with --resume continues\n"),
            std::string::npos)
      << text_of(folder / "err");
  EXPECT_TRUE(fs::exists(folder / "m.toml"));
  EXPECT_TRUE(fs::exists(folder / "m.toml.state"));
}

TEST(IdentifyCommand, AStateOfOtherOptionsIsRefused) {
  const Folder folder;
  make_rig(folder);
  folder.write("m.toml.state", "key = \"0\"\n");
  expect_refused(folder, "identify a.csv -o m.toml --model coulomb --resume",
                 "m.toml.state: was written for other data or other options; leave out --resume to start over");
}

/// Strokes of 10 mm, 1 s each way, and a force in terms of time and direction.
template <class Force>
std::string strokes(const Force& force, double seconds = 4) {
  std::ostringstream out;
  out << "time_s,position_m,force_N\n";
  for (int i = 0; i <= int(1000 * seconds); ++i) {
    const double t = 1e-3 * i, phase = std::fmod(t, 2.0);
    out << t << ',' << 0.01 * (phase < 1 ? phase : 2 - phase) << ',' << force(t, phase < 1 ? 1.0 : -1.0) << '\n';
  }
  return out.str();
}
bool contains(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

// 460 %, 293 % and 2050 % unexplained were recommended.
TEST(IdentifyCommand, NoModelExplainsARecordingIsAResult) {
  const Folder folder;
  unsigned state = 1;
  const auto noise = [&](double, double) { return ((state = state * 1664525u + 1013904223u) >> 8) * 1e-6 - 8; };
  folder.write("noise.csv", strokes(noise));
  const Answer said = run_program(folder, "identify noise.csv --model coulomb --model coulomb-viscous --report r.html");
  EXPECT_EQ(said.exit_code, 1) << said.err;
  EXPECT_TRUE(contains(said.out, "No model explains this recording\n")) << said.out;
  EXPECT_TRUE(contains(said.out, "Diagnosis of the residuals\n  not a friction force: direction and speed explain"))
      << said.out;
  EXPECT_FALSE(contains(said.out, "Recommended")) << said.out;
  EXPECT_FALSE(contains(said.out, "± (95 %)")) << said.out;
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"noise.csv", "r.html"}));
  const std::string page = text_of(folder / "r.html");
  EXPECT_TRUE(contains(page, "No model explains this recording: the best, "));
  EXPECT_TRUE(contains(page, "best model, not recommended"));
  EXPECT_TRUE(contains(page, "not a friction force: "));

  const Answer asked = run_program(folder, "identify noise.csv --model coulomb -o asked.toml --json");
  EXPECT_EQ(asked.exit_code, 1);
  const JsonValue report = JsonReader::read(asked.out);
  EXPECT_EQ(report["verdict"].text, "no model explains this recording");
  EXPECT_EQ(report["recommended"].kind, JsonValue::Kind::null);
  EXPECT_EQ(report["best"].text, "coulomb");
  EXPECT_GT(report["unexplained_in_motion_percent"].number, 50);
  ASSERT_EQ(report["reasons"].items.size(), 1u);
  EXPECT_EQ(report["headline"].text.find("No model explains this recording: the best, coulomb, leaves "), 0u);
  ASSERT_EQ(report["written"].items.size(), 1u);
  EXPECT_TRUE(
      contains(text_of(folder / "asked.toml"), "\"No model explains this recording: the best, coulomb, leaves "));
}

TEST(IdentifyCommand, AWeakExplanationIsSaidInTheHeadline) {
  const Folder folder;
  unsigned state = 1;
  const auto noise = [&](double, double way) {
    return 4 * way + ((state = state * 1664525u + 1013904223u) >> 8) * 0.5e-6 - 4;
  };
  folder.write("noisy.csv", strokes(noise));
  const Answer said = run_program(folder, "identify noisy.csv --model coulomb");
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, "Recommended, but weak: coulomb, ")) << said.out;
  EXPECT_TRUE(contains(said.out, "  Weak: coulomb leaves ")) << said.out;
  EXPECT_TRUE(contains(text_of(folder / "noisy.model.toml"), "\"Weak: coulomb leaves "));
}

// The offset was bound to three times the friction: 4110 % were left, and every vertical axis with them.
TEST(IdentifyCommand, AConstantForceChangesOnlyTheOffset) {
  const Folder folder;
  ASSERT_EQ(run_program(folder, "generate servo-axis --seed 5 -o plain.csv").exit_code, 0);
  ASSERT_EQ(run_program(folder, "generate servo-axis --seed 5 --offset '200 N' -o loaded.csv").exit_code, 0);
  const auto found = [&](const std::string& file) {
    const Answer answer = run_program(
        folder, "identify " + file + " --mass '20 kg' --model lugre --model coulomb-viscous --no-files --json");
    EXPECT_EQ(answer.exit_code, 0) << answer.err;
    return JsonReader::read(answer.out);
  };
  const JsonValue plain = found("plain.csv"), loaded = found("loaded.csv");
  EXPECT_EQ(plain["recommended"].text, "lugre");
  EXPECT_EQ(loaded["recommended"].text, "lugre");
  const auto &without = plain["models"].items[0]["estimates"].items,
             &with = loaded["models"].items[0]["estimates"].items;
  ASSERT_EQ(without.size(), with.size());
  for (std::size_t i = 0; i < with.size(); ++i) {
    const bool is_offset = contains(with[i]["key"].text, "offset");
    const double shift = is_offset ? 200 : 0;
    EXPECT_GT(with[i]["value"].number, without[i]["low"].number + shift) << with[i]["key"].text;
    EXPECT_LT(with[i]["value"].number, without[i]["high"].number + shift) << with[i]["key"].text;
    if (!is_offset) continue;
    EXPECT_NEAR(with[i]["value"].number, 200, 0.2);
    EXPECT_LT(with[i]["high"].number - with[i]["low"].number, 1);
  }
}

// The warning is about the force as read; it stayed after --turn-force.
TEST(IdentifyCommand, TheSignWarningIsGoneOnceItIsFollowed) {
  const Folder folder;
  folder.write("turned.csv", strokes([](double t, double way) { return -3 * way + 0.01 * std::sin(500 * t); }));
  const std::string warning = "friction would drive the machine";
  const Answer noticed = run_program(folder, "identify turned.csv --model coulomb --no-files");
  EXPECT_EQ(noticed.exit_code, 1);
  EXPECT_TRUE(contains(noticed.err, warning)) << noticed.err;
  EXPECT_TRUE(contains(flattened(noticed.out), "invert its sign with --invert-force")) << noticed.out;
  const Answer followed =
      run_program(folder, "identify turned.csv --model coulomb --turn-force -o m.toml --report r.html");
  EXPECT_EQ(followed.exit_code, 0) << followed.out;
  EXPECT_EQ(followed.err, "");
  EXPECT_FALSE(contains(text_of(folder / "r.html"), warning));
  EXPECT_EQ(run_program(folder, "validate m.toml turned.csv").err, "");
}

TEST(ValidateCommand, SaysWhichOfRmsAndShareUnexplainedFailed) {
  const Folder folder;
  folder.write("b.csv", strokes([](double, double way) { return 1.6 * way; }));
  // 0.6 N of 1.6 N are left: 14.1 % of the squares; 2.6 N at the four turning samples make it 14.3 %.
  const auto model = [&](const std::string& noe, const std::string& rms) {
    folder.write("m.toml", "[friction]\nmodel = \"coulomb\"\ncoulomb_force = \"1 N\"\n[quality]\ntest = { noe = " +
                               noe + ", max = \"1 N\", rms = \"" + rms + "\" }\n");
    return run_program(folder, "validate m.toml b.csv --no-filter --json --report r.html");
  };
  const Answer share = model("0.72", "0.5 N");
  EXPECT_EQ(share.exit_code, 1);
  JsonValue said = JsonReader::read(share.out);
  EXPECT_EQ(said["verdict"].text.find(
                "The model does not hold: the rms error is as stated, the unexplained share is not: 14.3 % of the "
                "force's variance unexplained, against 0.72 % in the model file; "),
            0u)
      << said["verdict"].text;
  EXPECT_TRUE(said["rms_holds"].boolean);
  EXPECT_FALSE(said["share_holds"].boolean);
  EXPECT_FALSE(said["holds"].boolean);
  EXPECT_TRUE(contains(text_of(folder / "r.html"), "the rms error is as stated, the unexplained share is not"));
  const Answer printed = run_program(folder, "validate m.toml b.csv --no-filter");
  EXPECT_EQ(printed.exit_code, 1);
  EXPECT_TRUE(contains(flattened(printed.out),
                       "The model does not hold: the rms error is as stated, the unexplained share is not"))
      << printed.out;

  const Answer rms = model("20", "0.1 N");
  EXPECT_EQ(rms.exit_code, 1);
  said = JsonReader::read(rms.out);
  EXPECT_EQ(said["verdict"].text.find("The model does not hold: the unexplained share is as stated, the rms error is "
                                      "not: its error on this recording is 6.1 times that on its own recording, "),
            0u)
      << said["verdict"].text;
  const Answer neither = model("0.72", "0.1 N");
  EXPECT_EQ(neither.exit_code, 1);
  EXPECT_TRUE(
      contains(JsonReader::read(neither.out)["verdict"].text, "neither rms error nor unexplained share is as stated"));
  const Answer both = model("10", "0.5 N");
  EXPECT_EQ(both.exit_code, 0);
  EXPECT_EQ(JsonReader::read(both.out)["verdict"].text.find("The model holds: "), 0u);
}

// Begun with the widest instructions and resumed with others: candidates of two machines are not compared.
TEST(IdentifyCommand, AStateOfAMachineWithOtherNumbersIsRefused) {
  if (widest_instruction_set() == InstructionSet::baseline) GTEST_SKIP() << "this processor has one set only";
  const Folder folder;
  make_rig(folder);
  folder.write("stop.sh",
               "cd '" + folder.path().string() + "'\n'" + program_file() +
                   "' identify a.csv -o m.toml --threads 1 "
                   ">out 2>err &\np=$!\nfor i in $(seq 2000); do [ -s m.toml.state ] && break; sleep 0.002; done\n"
                   "kill -9 $p\nwait $p\nexit 0\n");
  ASSERT_EQ(std::system(("bash -m '" + (folder / "stop.sh").string() + "' 2>/dev/null").c_str()), 0);
  ASSERT_TRUE(fs::exists(folder / "m.toml.state"));
  setenv("STICKSLIP_INSTRUCTIONS", "baseline", 1);
  const Answer elsewhere = run_program(folder, "identify a.csv -o m.toml --threads 1 --resume");
  unsetenv("STICKSLIP_INSTRUCTIONS");
  EXPECT_EQ(elsewhere.exit_code, 2);
  EXPECT_EQ(elsewhere.err.find("m.toml.state: was started on a machine with '"), 0u) << elsewhere.err;
  EXPECT_NE(elsewhere.err.find("this one has 'baseline-"), std::string::npos) << elsewhere.err;
}

TEST(IdentifyCommand, ABootstrapOfHoursAsksForLong) {
  const Folder folder;
  make_rig(folder);
  expect_refused(folder, "identify a.csv --model coulomb --no-files --bootstrap 20000",
                 "--bootstrap is 20000; more than 10000 repetitions take hours and need --long; a thousand give an "
                 "interval to within a few percent");
  expect_refused(
      folder, "identify a.csv --model coulomb --no-files --bootstrap=-1",
      "--bootstrap is '-1'; a whole number from 0 to 1000000 is needed: each repetition is a fit, and a thousand "
      "give an interval to a few percent");
}

TEST(ValidateCommand, WrongArgumentsAreAnsweredInOneLine) {
  const Folder folder;
  make_rig(folder);
  folder.write("m.toml", "[friction]\nmodel = \"coulomb\"\ncoulomb_force = \"1 N\"\n");
  folder.write("load.toml",
               "[friction]\nmodel = \"coulomb\"\ncoulomb_force = { value = \"1 N\", over = \"load\", "
               "polynomial = [\"0.1 N/N\"] }\n");
  folder.write("about.toml", "motion = \"rotary\"\n[friction]\nmodel = \"coulomb\"\ncoulomb_force = \"1 N m\"\n");
  expect_refused(folder, "validate m.toml", "recording is required; see --help");
  expect_refused(folder, "validate none.toml a.csv", "cannot read 'none.toml': No such file or directory");
  expect_refused(folder, "validate m.toml none.csv", "none.csv: No such file or directory");
  expect_refused(folder, "validate about.toml a.csv", "a.csv is linear; 'about.toml' is a model of rotary motion");
  expect_refused(folder, "validate load.toml a.csv",
                 "a.csv: the model follows the load, which this recording does not have; choose a column with --load");
}

TEST(ValidateCommand, SaysWhenAModelDoesNotHold) {
  const Folder folder;
  make_rig(folder);
  folder.write("m.toml", "[friction]\nmodel = \"coulomb\"\ncoulomb_force = \"5 N\"\n");
  const Answer said = run_program(folder, "validate m.toml a.csv");
  EXPECT_EQ(said.exit_code, 1);
  EXPECT_NE(said.out.find("The model explains nothing of this recording"), std::string::npos) << said.out;
  const Answer truth = run_program(folder, "validate truth.toml a.csv --no-filter --plot --csv r.csv --report r.html");
  EXPECT_EQ(truth.exit_code, 0) << truth.out << truth.err;
  EXPECT_TRUE(fs::exists(folder / "r.csv"));
  EXPECT_TRUE(fs::exists(folder / "r.html"));
}

// The same friction behind sensors with other offsets: the table finds the offsets and says that nothing else differs.
TEST(Identify, SeveralRecordingsAreComparedWithEachOther) {
  const Folder folder;
  for (const char* one : {"1 --offset '2 N' -o a.csv", "2 --offset '6 N' -o b.csv"})
    ASSERT_EQ(run_program(folder, std::string("generate servo-axis --seed ") + one).exit_code, 0);
  const std::string command = "identify a.csv b.csv --mass '20 kg' --model lugre --json --no-files ";
  const Answer answer = run_program(folder, command + "--together --private offset");
  ASSERT_EQ(answer.exit_code, 0) << answer.err;
  const JsonValue all = JsonReader::read(answer.out), together = all["together"],
                  offset = all["private"]["spreads"].items.at(0);
  EXPECT_EQ(offset["key"].text, "offset");
  EXPECT_NEAR(offset["mean"].number, 4, 0.1);
  EXPECT_NEAR(offset["standard_deviation"].number, 4 / std::sqrt(2.0), 0.1);
  EXPECT_TRUE(offset["beyond_errors"].boolean);
  ASSERT_EQ(together["recordings"].items.size(), 2u);
  for (const JsonValue& one : together["recordings"].items) {
    EXPECT_LT(one["rms"].number, 0.3);                // the noise has 0.2 N
    EXPECT_NEAR(one["left_out_rms"].number, 4, 0.2);  // with the offset of the other, 4 N off
    EXPECT_LT(one["left_out_private_fitted_rms"].number, 0.35);
  }
  for (const JsonValue& spread : together["spreads"].items)
    if (spread["key"].text == "stiction_force") {
      EXPECT_NEAR(spread["mean"].number, 30, 0.3);
      EXPECT_LT(spread["standard_deviation"].number, 4 * spread["expected_from_errors"].number);
    }
  const Answer shared = run_program(folder, command + "--together");
  ASSERT_EQ(shared.exit_code, 0) << shared.err;
  const JsonValue apart = JsonReader::read(shared.out)["together"];
  EXPECT_GT(apart["recordings"].items[0]["left_out_rms"].number, 3);  // predicted with an offset 4 N off
  for (const JsonValue& spread : apart["spreads"].items)
    if (spread["key"].text == "offset") {
      EXPECT_NEAR(spread["standard_deviation"].number, 4 / std::sqrt(2.0), 0.1);
    }
  EXPECT_EQ(run_program(folder, "identify a.csv --together").exit_code, 2);
}

// Three units of one kind: the levels are theirs, the viscosity is that of all. Their spread, 4.51 N, is found, and is not that of errors.
TEST(Identify, UnitsThatDifferInOneNumberAreFittedInOneFit) {
  const Folder folder;
  const double levels[] = {16, 20, 25};
  for (int k = 0; k < 3; ++k) {
    const std::string n = std::to_string(k + 1);
    folder.write("u" + n + ".toml", "[friction]\nmodel = \"coulomb-viscous\"\ncoulomb_force = \"" +
                                        std::to_string(levels[k]) + " N\"\nviscosity = \"120 N s/m\"\n");
    const Answer made =
        run_program(folder, "generate servo-axis --seed " + n + " --friction u" + n + ".toml -o unit" + n + ".csv");
    ASSERT_EQ(made.exit_code, 0) << made.err;
  }
  const std::string command = "identify unit1.csv unit2.csv unit3.csv --mass '20 kg' --model coulomb-viscous ";
  const Answer answer =
      run_program(folder, command + "--private coulomb_force --together --json -o all.model.toml --report r.html");
  ASSERT_EQ(answer.exit_code, 0) << answer.err;
  const JsonValue found = JsonReader::read(answer.out), own = found["private"];
  ASSERT_EQ(own["recordings"].items.size(), 3u);
  for (std::size_t k = 0; k < 3; ++k) {
    const JsonValue& level = own["recordings"].items[k]["parameters"].items.at(0);
    EXPECT_NEAR(level["value"].number, levels[k], 1.5 * (level["high"].number - level["value"].number)) << k;
    EXPECT_LT(level["high"].number - level["low"].number, 1) << k;
  }
  const JsonValue& spread = own["spreads"].items.at(0);
  EXPECT_NEAR(spread["mean"].number, 61.0 / 3, 0.2);
  EXPECT_NEAR(spread["of_units"].number, 4.5092, 0.2);  // of 16, 20 and 25 N
  EXPECT_LT(spread["of_units_low"].number, 4.5092);
  EXPECT_GT(spread["of_units_high"].number, 4.5092);
  EXPECT_TRUE(spread["beyond_errors"].boolean);
  for (const JsonValue& estimate : found["models"].items[0]["estimates"].items)
    if (estimate["key"].text == "viscosity") {
      EXPECT_LT(estimate["low"].number, 120);
      EXPECT_GT(estimate["high"].number, 120);
    }
  // Predicted with the mean of the others' levels it is off by their difference; with its own level it is not.
  for (const JsonValue& one : found["together"]["recordings"].items)
    EXPECT_LT(3 * one["left_out_private_fitted_rms"].number, one["left_out_rms"].number);
  const std::string model = text_of(folder / "all.model.toml"), report = text_of(folder / "r.html");
  EXPECT_NE(model.find("coulomb_force is private to each recording; the model has the mean of 3"), std::string::npos)
      << model;
  EXPECT_NE(report.find("Private numbers of each recording"), std::string::npos);
  EXPECT_EQ(run_program(folder, "validate all.model.toml unit2.csv").exit_code, 0);
  const std::string quick = command + "--no-files --private ";
  EXPECT_EQ(run_program(folder, quick + "coulomb_forces").err,
            "identify: private: no parameter 'coulomb_forces'; did you mean 'coulomb_force'\n");
  EXPECT_EQ(run_program(folder, quick + "offset,").err, "--private is 'offset,'; write names: coulomb_force,offset\n");
  EXPECT_EQ(run_program(folder, quick + "offset --resume").err,
            "a run with private numbers cannot be resumed: leave out --resume, or --private\n");
  EXPECT_EQ(run_program(folder, "identify unit1.csv unit2.csv --each --private offset").err,
            "--private is for recordings that are fitted together; leave out --each\n");
  EXPECT_EQ(run_program(folder, "identify unit1.csv --private offset").err,
            "--private is for several recordings, but only one was given\n");
}

/// Level and viscosity that fall while a drive warms up: the temperatures of its corners [degC] at 0, 10, 20 and 30 s.
std::string warming_drive(const std::string& temperature) {
  return "[machine]\nkind = \"pulled-spring\"\nmass = \"5 kg\"\nstiffness = \"20 kN/m\"\ndamping = \"200 N s/m\"\n"
         "[input]\nkind = \"sine\"\namplitude = \"0.1 m\"\nfrequency = \"0.4 Hz\"\n[temperature]\n" +
         temperature +
         "\n[friction]\nmodel = \"coulomb-viscous\"\n"
         "coulomb_force = { value = \"20 N\", over = \"temperature\", reference = \"20 degC\", polynomial = [\"-0.1 "
         "N/K\"] }\n"
         "viscosity = { value = \"300 N s/m\", over = \"temperature\", reference = \"20 degC\", polynomial = [\"-3 N "
         "s/m/K\"] "
         "}\n[run]\nduration = \"30 s\"\nsample_interval = \"2 ms\"\n";
}

TEST(Identify, LevelsOverTemperatureComeBackAndValidate) {
  const Folder folder;
  folder.write("drive.toml",
               warming_drive("kind = \"table\"\npoints = [[\"0 s\", \"20 degC\"], [\"10 s\", \"60 degC\"], "
                             "[\"20 s\", \"30 degC\"], [\"30 s\", \"55 degC\"]]"));
  for (const std::string& seed : {std::string("1"), std::string("2")}) {
    ASSERT_EQ(run_program(folder, "generate drive.toml --noise '0.5 N' --resolution '1 um' --seed " + seed + " -o d" +
                                      seed + ".csv")
                  .exit_code,
              0);
    const Answer found =
        run_program(folder, "identify d" + seed +
                                ".csv --mass '5 kg' --model coulomb-viscous --over coulomb_force:temperature --over "
                                "viscosity:temperature -o m" +
                                seed + ".toml");
    ASSERT_EQ(found.exit_code, 0) << found.err;
    const std::string model = text_of(folder / ("m" + seed + ".toml"));
    EXPECT_NE(model.find("over = \"temperature\", reference = \"20 degC\""), std::string::npos) << model;
    const auto inside = [&](const std::string& key,
                            double truth) {  // key = { standard_error = ..., low = "x", high = "y"
      const auto line = model.find("\n" + key + " = { standard_error");
      ASSERT_NE(line, std::string::npos) << key << "\n" << model;
      const auto number = [&](const char* name) {
        const std::string rest = model.substr(model.find(name, line) + std::string(name).size());
        return std::stod(rest.substr(rest.find_first_not_of(" =\"")));
      };
      // One value in twenty is outside its interval, and with it those that are correlated: 1.5 half widths are 2.9 standard errors.
      const double middle = (number("low") + number("high")) / 2, half = (number("high") - number("low")) / 2;
      EXPECT_NEAR(middle, truth, 1.5 * half) << key;
      EXPECT_LT(half, 0.01 * truth) << key;
    };
    inside("coulomb_force", 16);
    inside("viscosity", 180);
    inside("\"coulomb_force(temperature)[1]\"", 20);
    inside("\"viscosity(temperature)[1]\"", 300);
    const Answer held = run_program(folder, "validate m" + seed + ".toml d" + seed + ".csv");
    EXPECT_EQ(held.exit_code, 0) << held.err;
    EXPECT_NE(held.out.find("The model holds"), std::string::npos) << held.out;
  }
  const Answer tried =
      run_program(folder, "identify d2.csv --mass '5 kg' --model coulomb-viscous --explore --no-files");
  EXPECT_NE(flattened(tried.out).find("of the squared errors: tried"), std::string::npos);
  EXPECT_NE(flattened(tried.out).find("Recommended: coulomb-viscous over temperature"), std::string::npos) << tried.out;
}

// A temperature that hardly changes makes no claim: the interval of the ratio contains 1, and a remark says why.
TEST(Identify, ATemperatureThatHardlyChangesSaysNothing) {
  const Folder folder;
  folder.write("drive.toml",
               warming_drive("kind = \"table\"\npoints = [[\"0 s\", \"20 degC\"], [\"30 s\", \"20.05 degC\"]]"));
  ASSERT_EQ(run_program(folder, "generate drive.toml --noise '0.5 N' --resolution '1 um' -o d.csv").exit_code, 0);
  const Answer found =
      run_program(folder, "identify d.csv --mass '5 kg' --model coulomb-viscous --over temperature --no-files");
  EXPECT_EQ(found.exit_code, 0) << found.err;
  const std::string text = flattened(found.out);
  EXPECT_NE(text.find("the temperature spans only 0.05 K: the law over it says nothing about other temperatures"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("the temperature changes steadily with time: run-in or wear would look the same"),
            std::string::npos);
}

TEST(Identify, AMissingTemperatureIsAnsweredInOneLine) {
  const Folder folder;
  folder.write("drive.toml", warming_drive("kind = \"constant\"\nvalue = \"40 degC\""));
  ASSERT_EQ(run_program(folder, "generate drive.toml --noise '0.5 N' -o warm.csv").exit_code, 0);
  ASSERT_EQ(run_program(folder, "generate presliding --seed 3 --duration '1 s' -o plain.csv").exit_code, 0);
  std::string text = text_of(folder / "warm.csv");
  EXPECT_NE(text.find("temperature_K"), std::string::npos);  // constant, and needed beside another recording
  text.replace(text.find("temperature_K"), 13, "temp");
  folder.write("temp.csv", text);
  expect_refused(folder, "identify plain.csv --model coulomb-viscous --over temperature --no-files",
                 "identify: no model could be fitted; coulomb-viscous over temperature: coulomb-viscous: a variation "
                 "over temperature is asked for; the recording has no temperature that changes; "
                 "--temperature chooses its column, inspect lists what there is");
  const Answer chosen = run_program(folder, "identify temp.csv --temperature temp --no-files");
  EXPECT_EQ(chosen.exit_code, 2);
  EXPECT_NE(chosen.err.find("temperature: 'temp' has no unit; write --temperature 'temp [degC]', or [K] or [degF]"),
            std::string::npos)
      << chosen.err;
  const Answer noticed = run_program(folder, "inspect temp.csv");
  EXPECT_EQ(noticed.exit_code, 0);
  EXPECT_NE(noticed.err.find("'temp' has no unit and is not taken as the temperature"), std::string::npos)
      << noticed.err;
}

}  // namespace
}  // namespace stickslip::identify_test
