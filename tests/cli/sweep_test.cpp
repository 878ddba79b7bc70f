/// `stickslip sweep` as a user runs it: files, messages, and resuming after a kill.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <thread>

#include "core/instruction_set.hpp"
#include "program.hpp"
#include "support/npz_table.hpp"
#include "support/places.hpp"
#include "sweep/sweep_files.hpp"

namespace stickslip::sweep_test {
namespace {

std::size_t lines_of(const std::string& text) { return std::size_t(std::count(text.begin(), text.end(), '\n')); }

TEST(SweepCommand, WritesTheSameRunsAsCsvAndNpzAndShowsAMap) {
  const Folder folder;
  folder.write("s.toml", pulled_mass(ideal_friction));
  folder.write("map.toml", two_parameters("kind = \"grid\"", "\"sticks\", \"final position\""));
  const Answer answer = run_program(folder, "sweep map.toml -o out/ --report map.html --plot");
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_EQ(answer.err, "");
  EXPECT_NE(answer.out.find("16 runs of s.toml (grid), 0 failed"), std::string::npos) << answer.out;
  EXPECT_NE(answer.out.find("sticks over machine.stiffness (across) and input.rate (up)"), std::string::npos);
  EXPECT_NE(answer.out.find("machine.stiffness [N/m]"), std::string::npos) << "the plot: " << answer.out;
  const std::string csv = text_of(folder / "out/map.csv");
  EXPECT_EQ(lines_of(csv), 17u);
  EXPECT_EQ(csv.substr(0, csv.find('\n')), "machine.stiffness_N_m,input.rate_m_s,sticks,final_position_m,stop");
  const Table table = from_npz(text_of(folder / "out/map.npz"), "map.npz");
  ASSERT_EQ(table.columns.size(), 5u);
  EXPECT_EQ(table.columns[3].values.size(), 16u);
  EXPECT_FALSE(fs::exists(folder / "out/map.journal"));
  EXPECT_TRUE(fs::exists(folder / "out/map.svg"));
  EXPECT_NE(text_of(folder / "map.html").find("Parameters"), std::string::npos);
}

TEST(SweepCommand, SaysInJsonWhatItDid) {
  const Folder folder;
  folder.write("s.toml", pulled_mass(ideal_friction));
  folder.write("map.toml", two_parameters("kind = \"sobol\"\nruns = 8", "\"sticks\""));
  const Answer answer = run_program(folder, "sweep map.toml --json --no-files --no-lanes");
  const JsonValue json = JsonReader::read(answer.out);
  EXPECT_EQ(json["runs"].number, 8);
  EXPECT_EQ(json["failures"].number, 0);
  EXPECT_FALSE(json["lanes"].boolean);
  EXPECT_TRUE(json["written"].items.empty());
}

TEST(SweepCommand, WrongInputIsExitCodeTwoAndOneLine) {
  const Folder folder;
  folder.write("s.toml", pulled_mass(ideal_friction));
  folder.write("map.toml", two_parameters("kind = \"grid\"", "\"stick\""));
  const Answer answer = run_program(folder, "sweep map.toml");
  EXPECT_EQ(answer.exit_code, 2);
  EXPECT_EQ(answer.err, "map.toml:2: no output 'stick'; did you mean 'sticks'\n");
}

/// Starts the program, kills it when its journal has grown, and returns how long the journal was then.
std::uintmax_t kill_midway(const Folder& folder, const std::string& arguments, int signal_number) {
  const fs::path journal = folder / "map.journal";
  const pid_t child = fork();
  if (child == 0) {
    const std::string command = "cd '" + folder.path().string() + "' && exec '" + program_file() + "' " + arguments +
                                " >/dev/null 2>&1 </dev/null";
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  std::error_code none;
  for (int i = 0; i < 20000 && !(fs::exists(journal, none) && fs::file_size(journal, none) > 1500); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  kill(child, signal_number);
  int status = 0;
  waitpid(child, &status, 0);
  return fs::exists(journal) ? fs::file_size(journal) : 0;
}

TEST(SweepCommand, KilledInItsMidstItGoesOnAndWritesTheSameBytes) {
  for (const int signal_number : {SIGKILL, SIGINT}) {
    const Folder folder;
    // In steps it takes long enough to be killed.
    std::string scenario = pulled_mass(ideal_friction + "[solver]\npropagation = \"steps\"\n", "duration = \"60 s\"");
    scenario.replace(scenario.find("1 ms"), 4, "20 ms");
    folder.write("s.toml", scenario);
    folder.write("map.toml", two_parameters("kind = \"latin-hypercube\"\nruns = 2000", "\"sticks\", \"period\""));
    ASSERT_EQ(run_program(folder, "sweep map.toml -o whole --no-lanes").exit_code, 0);
    const std::uintmax_t kept = kill_midway(folder, "sweep map.toml --no-lanes --threads 1", signal_number);
    ASSERT_GT(kept, 1500u);
    EXPECT_FALSE(fs::exists(folder / "map.csv"));

    folder.write("other.toml",
                 two_parameters("kind = \"latin-hypercube\"\nruns = 2000\nseed = 2", "\"sticks\", \"period\""));
    const Answer refused = run_program(folder, "sweep other.toml --no-lanes -o map");
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_EQ(lines_of(refused.err), 1u);
    EXPECT_NE(refused.err.find("map.journal: is the journal of another sweep"), std::string::npos) << refused.err;

    const Answer answer = run_program(folder, "sweep map.toml --no-lanes --threads 3");
    EXPECT_EQ(answer.exit_code, 0) << answer.err;
    EXPECT_NE(answer.out.find("of them taken from the journal"), std::string::npos) << answer.out;
    EXPECT_EQ(text_of(folder / "map.csv"), text_of(folder / "whole.csv"));
    EXPECT_EQ(text_of(folder / "map.npz"), text_of(folder / "whole.npz"));
    EXPECT_EQ(text_of(folder / "map.svg"), text_of(folder / "whole.svg"));
    EXPECT_FALSE(fs::exists(folder / "map.journal"));
  }
}

// Begun with the widest instructions and resumed with others, the numbers of two machines would be mixed.
TEST(SweepCommand, BegunWithOtherInstructionsItIsNotContinued) {
  if (widest_instruction_set() == InstructionSet::baseline) GTEST_SKIP() << "this processor has one set only";
  const Folder folder;
  std::string scenario = pulled_mass(ideal_friction + "[solver]\npropagation = \"steps\"\n", "duration = \"60 s\"");
  scenario.replace(scenario.find("1 ms"), 4, "20 ms");
  folder.write("s.toml", scenario);
  folder.write("map.toml", two_parameters("kind = \"latin-hypercube\"\nruns = 2000", "\"sticks\", \"period\""));
  ASSERT_GT(kill_midway(folder, "sweep map.toml --no-lanes --threads 1", SIGKILL), 1500u);
  setenv("STICKSLIP_INSTRUCTIONS", "baseline", 1);
  const Answer elsewhere = run_program(folder, "sweep map.toml --no-lanes");
  unsetenv("STICKSLIP_INSTRUCTIONS");
  EXPECT_EQ(elsewhere.exit_code, 2);
  EXPECT_EQ(
      elsewhere.err,
      "map.journal: was started with other vector instructions or another C library, whose results differ in their "
      "last digits; continue there, select its set with STICKSLIP_INSTRUCTIONS, or start over with --restart\n");
  const Answer here = run_program(folder, "sweep map.toml --no-lanes");
  EXPECT_EQ(here.exit_code, 0) << here.err;
  EXPECT_NE(here.out.find("of them taken from the journal"), std::string::npos) << here.out;
}

// A journal that cannot be removed (here: a directory that has something in it) is said, in one line.
TEST(SweepCommand, AJournalThatCannotBeRemovedIsOneLine) {
  const Folder folder;
  folder.write("s.toml", pulled_mass(ideal_friction));
  folder.write("map.toml", two_parameters("kind = \"grid\"", "\"sticks\""));
  fs::create_directories(folder / "map.journal");
  folder.write("map.journal/kept", "x");
  const Answer answer = run_program(folder, "sweep map.toml --restart");
  EXPECT_EQ(answer.exit_code, 2);
  EXPECT_EQ(lines_of(answer.err), 1u) << answer.err;
  EXPECT_EQ(answer.err.find("internal error"), std::string::npos) << answer.err;
  EXPECT_NE(answer.err.find("map.journal"), std::string::npos) << answer.err;
}

// What would take hours is refused before it begins.
TEST(SweepCommand, ThatWouldTakeHoursAsksForLong) {
  const Folder folder;
  std::string scenario = pulled_mass(ideal_friction + "[solver]\npropagation = \"steps\"\n", "duration = \"600 s\"");
  folder.write("s.toml", scenario);
  folder.write("map.toml", two_parameters("kind = \"latin-hypercube\"\nruns = 9000000", "\"sticks\""));
  const Answer answer = run_program(folder, "sweep map.toml --no-lanes --threads 1");
  EXPECT_EQ(answer.exit_code, 2);
  EXPECT_EQ(lines_of(answer.err), 1u) << answer.err;
  EXPECT_NE(answer.err.find("are done with --long only"), std::string::npos) << answer.err;
}

// --- shards ----------------------------------------------------------------------------------------------------------

/// With these variables in the environment.
Answer run_with(const Folder& folder, const std::string& variables, const std::string& arguments) {
  return run_program(folder, "--version >/dev/null; env " + variables + " '" + program_file() + "' " + arguments);
}

TEST(MergeCommand, ShardsOfAnArrayAreTheBytesOfOneRun) {
  const Folder folder;
  folder.write("s.toml", pulled_mass(ideal_friction, "duration = \"2 s\""));
  folder.write("map.toml", two_parameters("kind = \"sobol\"\nruns = 64", "\"sticks\", \"final position\""));
  ASSERT_EQ(run_program(folder, "sweep map.toml -o whole").exit_code, 0);
  const std::string slurm = "SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=3 SLURM_ARRAY_TASK_COUNT=3 ";
  const Answer first = run_with(folder, slurm + "SLURM_ARRAY_TASK_ID=1", "sweep map.toml --shard auto");
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(first.err, "shard 1 of 3, from SLURM_ARRAY_TASK_ID=1, SLURM_ARRAY_TASK_MAX=3\n");
  EXPECT_EQ(run_with(folder, "SGE_TASK_ID=3", "sweep map.toml --shard auto/3").exit_code, 0);

  const Answer early = run_program(folder, "merge map.toml");
  EXPECT_EQ(early.exit_code, 1);
  EXPECT_EQ(early.out, "2\n") << "the array to run again, alone on standard output";
  EXPECT_NE(early.err.find("of 64 runs are missing: 3,4,9,10"), std::string::npos) << early.err;
  EXPECT_NE(early.err.find("--shard auto/3"), std::string::npos) << early.err;
  EXPECT_FALSE(fs::exists(folder / "map.csv"));

  EXPECT_EQ(
      run_with(folder, "PBS_ARRAY_INDEX=" + early.out.substr(0, 1), "sweep map.toml --shard auto/3 --csv").exit_code,
      0);
  EXPECT_TRUE(fs::exists(folder / "map.shard-2-of-3.csv"));
  const Answer merged = run_program(folder, "merge map.toml --clean");
  EXPECT_EQ(merged.exit_code, 0) << merged.err;
  for (const char* ending : {".csv", ".npz", ".svg"})
    EXPECT_EQ(text_of(folder / (std::string("map") + ending)), text_of(folder / (std::string("whole") + ending)));
  EXPECT_FALSE(fs::exists(folder / "map.shard-1-of-3.journal"));
}

TEST(MergeCommand, OfSeveralNumbersOfShardsRepeatsTheLeast) {
  const Folder folder;
  folder.write("s.toml", pulled_mass(ideal_friction, "duration = \"1 s\""));
  folder.write("map.toml", two_parameters("kind = \"grid\"", "\"sticks\""));
  ASSERT_EQ(run_program(folder, "sweep map.toml --shard 1/2").exit_code, 0);
  ASSERT_EQ(run_program(folder, "sweep map.toml --shard 2/3").exit_code, 0);
  const Answer half = run_program(folder, "merge map.toml");  // runs 4, 6, 10, 12, 16: in 2/2, or in 1/3 and 3/3
  EXPECT_EQ(half.exit_code, 1);
  EXPECT_EQ(half.out, "2\n");
  EXPECT_NE(half.err.find("run again with --shard auto/2:"), std::string::npos) << half.err;
  ASSERT_EQ(run_program(folder, "sweep map.toml --shard 2/2").exit_code, 0);
  EXPECT_EQ(run_program(folder, "merge map.toml").exit_code, 0);
}

TEST(MergeCommand, OfNothingOrOfAnotherSweepIsOneLine) {
  const Folder folder;
  folder.write("s.toml", pulled_mass(ideal_friction, "duration = \"1 s\""));
  folder.write("map.toml", two_parameters("kind = \"grid\"", "\"sticks\""));
  const Answer none = run_program(folder, "merge map.toml");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_EQ(
      none.err,
      "there is no 'map.shard-1-of-N.journal'; run the shards with stickslip sweep --shard and the same --output, "
      "or name their journals\n");
  ASSERT_EQ(run_program(folder, "sweep map.toml --shard 1/2").exit_code, 0);
  folder.write("map.toml", two_parameters("kind = \"grid\"", "\"sticks\", \"period\""));
  const Answer other = run_program(folder, "merge map.toml");
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.err.find("map.shard-1-of-2.journal: is the journal of another sweep"), std::string::npos)
      << other.err;
  EXPECT_EQ(other.err.find("--restart"), std::string::npos) << "merge has no such option: " << other.err;
}

// --mat and --plot were left out without a word.
// It was opened, and waited for a writer.
TEST(MergeCommand, APipeAmongTheJournalsIsRefused) {
  const Folder folder;
  folder.write("s.toml", pulled_mass(ideal_friction));
  folder.write("map.toml", two_parameters("kind = \"grid\"", "\"sticks\""));
  ASSERT_EQ(::mkfifo((folder / "map.shard-1-of-4.journal").c_str(), 0600), 0);
  const Answer answer = run_program(folder, "merge map.toml");
  EXPECT_EQ(answer.exit_code, 2);
  EXPECT_EQ(
      answer.err,
      "map.shard-1-of-4.journal: is a device or a pipe, not the journal of a shard; remove it, or name the journals\n");
}

// The CSV went with the journal that its name led to.
TEST(MergeCommand, AResultThatLeadsToAJournalIsRefused) {
  const Folder folder;
  folder.write("s.toml", pulled_mass(ideal_friction));
  folder.write("map.toml", two_parameters("kind = \"grid\"", "\"sticks\""));
  ASSERT_EQ(run_program(folder, "sweep map.toml --shard 1/1").exit_code, 0);
  fs::create_symlink("map.shard-1-of-1.journal", folder / "map.csv");
  const Answer answer = run_program(folder, "merge map.toml --clean");
  EXPECT_EQ(answer.exit_code, 2);
  EXPECT_EQ(answer.err,
            "'map.shard-1-of-1.journal' and 'map.csv' are one file, named for two results; give each its own file\n");
  EXPECT_TRUE(fs::exists(folder / "map.shard-1-of-1.journal"));
}

TEST(MergeCommand, WhatAShardDoesNotWriteIsRefused) {
  const Folder folder;
  folder.write("s.toml", pulled_mass(ideal_friction, "duration = \"1 s\""));
  folder.write("map.toml", two_parameters("kind = \"grid\"", "\"sticks\""));
  for (const std::string option : {"--npz", "--mat", "--figure", "--plot", "--json", "--no-files", "--report r.html"}) {
    const Answer answer = run_program(folder, "sweep map.toml --shard 1/2 " + option);
    EXPECT_EQ(answer.exit_code, 2) << option;
    EXPECT_EQ(lines_of(answer.err), 1u) << option << ": " << answer.err;
  }
}

// A script whose variable is not set, --shard "$SHARD", ran the whole sweep in every job of an array.
TEST(MergeCommand, AnEmptyShardIsRefused) {
  const Folder folder;
  folder.write("s.toml", pulled_mass(ideal_friction, "duration = \"1 s\""));
  folder.write("map.toml", two_parameters("kind = \"grid\"", "\"sticks\""));
  const auto before = folder.files();
  const Answer answer = run_program(folder, "sweep map.toml --shard ''");
  EXPECT_EQ(answer.exit_code, 2);
  EXPECT_EQ(answer.err.substr(0, 14), "--shard is '';") << answer.err;
  EXPECT_EQ(folder.files(), before);
}

}  // namespace
}  // namespace stickslip::sweep_test
