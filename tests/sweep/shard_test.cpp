/// Shards: every run in exactly one of them, their numbers from the environment of an array, and together the bytes of one run.
#include "sweep/shard.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "cli/program.hpp"
#include "core/error.hpp"
#include "sweep/run_sweep.hpp"
#include "sweep/sweep_files.hpp"

namespace stickslip::shard_test {
namespace {

TEST(Shard, EveryRunBelongsToExactlyOne) {
  for (const std::size_t count : std::initializer_list<std::size_t>{1, 2, 3, 7, 100})
    for (const std::size_t runs : std::initializer_list<std::size_t>{1, 5, 16, 4096, 100'000}) {
      std::vector<std::size_t> sizes;
      std::size_t all = 0;
      for (std::size_t k = 1; k <= count; ++k) {
        std::size_t mine = 0;
        for (std::size_t i = 0; i < runs; ++i) mine += has_run({k, count}, i, runs);
        sizes.push_back(mine), all += mine;
      }
      EXPECT_EQ(all, runs) << count;
      // even to a round of blocks, of which there are eight
      const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
      EXPECT_LE(*most - *least, std::max<std::size_t>(2048, runs / (4 * count) + 1)) << count << " of " << runs;
    }
}

std::string shard_text(const std::string& text, const std::map<std::string, std::string>& variables) {
  try {
    const ShardFound found = parse_shard(text, [&](const char* name) -> const char* {
      const auto it = variables.find(name);
      return it == variables.end() ? nullptr : it->second.c_str();
    });
    return std::to_string(found.shard.number) + "/" + std::to_string(found.shard.count) +
           (found.from.empty() ? "" : " " + found.from);
  } catch (const Error& problem) {
    return problem.what();
  }
}

TEST(Shard, IsReadAsWrittenOrFromAnArray) {
  EXPECT_EQ(shard_text("3/7", {}), "3/7");
  const std::map<std::string, std::string> slurm{{"SLURM_ARRAY_TASK_ID", "3"},
                                                 {"SLURM_ARRAY_TASK_MIN", "1"},
                                                 {"SLURM_ARRAY_TASK_MAX", "7"},
                                                 {"SLURM_ARRAY_TASK_STEP", "1"},
                                                 {"SLURM_ARRAY_TASK_COUNT", "7"}};
  EXPECT_EQ(shard_text("auto", slurm), "3/7 SLURM_ARRAY_TASK_ID=3, SLURM_ARRAY_TASK_MAX=7");
  EXPECT_EQ(shard_text("auto/9", slurm), "3/9 SLURM_ARRAY_TASK_ID=3");
  EXPECT_EQ(
      shard_text("auto",
                 {{"SGE_TASK_ID", "2"}, {"SGE_TASK_FIRST", "1"}, {"SGE_TASK_LAST", "4"}, {"SGE_TASK_STEPSIZE", "1"}}),
      "2/4 SGE_TASK_ID=2, SGE_TASK_LAST=4");
  EXPECT_EQ(shard_text("auto/5", {{"PBS_ARRAY_INDEX", "5"}}), "5/5 PBS_ARRAY_INDEX=5");
  EXPECT_EQ(shard_text("auto/5", {{"PBS_ARRAYID", "4"}}), "4/5 PBS_ARRAYID=4");
  EXPECT_EQ(shard_text("auto", {{"LSB_JOBINDEX", "4"}, {"LSB_JOBINDEX_END", "6"}}),
            "4/6 LSB_JOBINDEX=4, LSB_JOBINDEX_END=6");
}

TEST(Shard, ThatCannotBeIsRefusedInOneLine) {
  EXPECT_EQ(shard_text("auto", {}),
            "--shard auto: this is not an array job (none of SLURM_ARRAY_TASK_ID, SGE_TASK_ID, PBS_ARRAY_INDEX, "
            "PBS_ARRAYID, LSB_JOBINDEX is set); write --shard 3/7");
  EXPECT_EQ(shard_text("auto", {{"SGE_TASK_ID", "undefined"}}), shard_text("auto", {}));
  EXPECT_EQ(shard_text("auto", {{"PBS_ARRAY_INDEX", "2"}}),
            "--shard auto: PBS_ARRAY_INDEX=2, but the size of the array is unknown; write --shard auto/N");
  // an array from 0 is off by one without anybody noticing
  EXPECT_EQ(shard_text("auto/7", {{"SLURM_ARRAY_TASK_ID", "0"}}),
            "--shard auto: SLURM_ARRAY_TASK_ID=0; arrays must be numbered from 1: --array=1-N");
  // some of an array, run again: their total number is unknown
  EXPECT_EQ(shard_text("auto", {{"SLURM_ARRAY_TASK_ID", "5"},
                                {"SLURM_ARRAY_TASK_MIN", "3"},
                                {"SLURM_ARRAY_TASK_MAX", "6"},
                                {"SLURM_ARRAY_TASK_COUNT", "2"}}),
            "--shard auto: SLURM_ARRAY_TASK_ID=5, but the array does not count from 1 to 6; to repeat part of an array "
            "use --shard auto/N with the original N");
  // A job of PBS that was submitted with the variables of a SLURM job: every one of the array took number 3.
  EXPECT_EQ(
      shard_text("auto/7", {{"SLURM_ARRAY_TASK_ID", "3"}, {"PBS_ARRAY_INDEX", "2"}}),
      "--shard auto: SLURM_ARRAY_TASK_ID=3 and PBS_ARRAY_INDEX=2 contradict each other; unset the one that is left "
      "over, or write --shard 3/7");
  EXPECT_EQ(shard_text("auto/7", {{"SGE_TASK_ID", "undefined"}, {"PBS_ARRAY_INDEX", "2"}, {"PBS_ARRAYID", "2"}}),
            "2/7 PBS_ARRAY_INDEX=2");
  for (const char* text :
       {"", "3", "0/7", "8/7", "3/0", "a/7", "3/7x", "-1/7", "3/100001", "auto/", "99999999999/9", "/"})
    EXPECT_NE(shard_text(text, {}).find("; write 3/7 for the third of seven"), std::string::npos) << text;
  EXPECT_NE(shard_text("auto/7", {{"SLURM_ARRAY_TASK_ID", "8"}}).find("between 1 and the number of shards"),
            std::string::npos);
}

TEST(Shard, ArraysAreWrittenAsSchedulersReadThem) {
  EXPECT_EQ(array_expression({3}), "3");
  EXPECT_EQ(array_expression({1, 2}), "1,2");
  EXPECT_EQ(array_expression({3, 5, 6, 7, 9}), "3,5-7,9");
  EXPECT_EQ(array_expression({}), "");
}

TEST(Shard, JournalsAreNamedAfterThem) {
  EXPECT_EQ(shard_prefix("out/map", {3, 7}), "out/map.shard-3-of-7");
  const Shard found = shard_of_name("out/map.shard-3-of-7.journal");
  EXPECT_EQ(found.number, 3u);
  EXPECT_EQ(found.count, 7u);
  for (const char* name : {"map.journal", "map.shard-0-of-7.journal", "map.shard-8-of-7.journal",
                           "map.shard-of-.journal", "map.shard-1-of-99999999999999999999.journal"})
    EXPECT_EQ(shard_of_name(name).number, 0u) << name;
}

/// The bytes of one run of all, for each plan, in lanes and one by one.
TEST(Shard, OneToSevenTogetherAreTheBytesOfOneRun) {
  const Folder folder;
  folder.write("s.toml", pulled_mass(ideal_friction, "duration = \"2 s\""));
  for (const char* plan : {"kind = \"grid\"", "kind = \"random\"\nruns = 90", "kind = \"latin-hypercube\"\nruns = 90",
                           "kind = \"sobol\"\nruns = 64"})
    for (const bool lanes : {true, false}) {
      folder.write("sweep.toml", two_parameters(plan, "\"final position\", \"sticks\""));
      Sweep sweep = read_sweep((folder / "sweep.toml").string());
      sweep.lanes = lanes;
      const std::string whole = sweep_csv(sweep, run_sweep(sweep));
      for (std::size_t count = 1; count <= 7; ++count) {
        std::vector<std::string> journals;
        for (std::size_t k = 1; k <= count; ++k) {
          journals.push_back((folder / ("j" + std::to_string(k))).string());
          const SweepRun part = run_sweep(sweep, {.threads = 1, .shard = {k, count}, .journal = journals.back()});
          EXPECT_TRUE(part.is_complete);
        }
        const SweepRun all = merged_sweep(sweep, journals, 1);
        EXPECT_TRUE(all.is_complete);
        EXPECT_EQ(sweep_csv(sweep, all), whole) << plan << " in " << count << (lanes ? " in lanes" : " one by one");
        journals.pop_back();
        EXPECT_EQ(merged_sweep(sweep, journals, 1).is_complete, false);
        for (std::size_t k = 1; k <= count; ++k) fs::remove(folder / ("j" + std::to_string(k)));
      }
    }
}

TEST(Shard, RowsCarryTheirRunAndThePlan) {
  const Folder folder;
  folder.write("s.toml", pulled_mass(ideal_friction, "duration = \"1 s\""));
  folder.write("sweep.toml", two_parameters("kind = \"grid\"", "\"sticks\""));
  const Sweep sweep = read_sweep((folder / "sweep.toml").string());
  const Shard shard{2, 3};
  const std::string csv = shard_csv(sweep, run_sweep(sweep, {.threads = 1, .shard = shard}), shard);
  const std::string plan = plan_hash(sweep);
  EXPECT_EQ(plan.size(), 16u);
  EXPECT_EQ(csv.substr(0, csv.find('\n')), "run,machine.stiffness_N_m,input.rate_m_s,sticks,stop,plan");
  std::istringstream lines(csv.substr(csv.find('\n') + 1));
  std::vector<std::string> numbers;
  for (std::string line; std::getline(lines, line);) {
    numbers.push_back(line.substr(0, line.find(',')));
    EXPECT_TRUE(line.ends_with("finished," + plan)) << line;
  }
  EXPECT_EQ(numbers, (std::vector<std::string>{"2", "5", "8", "11", "14"}));
}

}  // namespace
}  // namespace stickslip::shard_test
