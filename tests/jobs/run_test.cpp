/// An identification as a library function: results on disk, and a run that resumes where another ended.
#include "jobs/identify/run.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "core/error.hpp"
#include "files/whole_file.hpp"
#include "jobs/identify/recordings.hpp"
#include "jobs/identify/state.hpp"
#include "jobs/validate/validation.hpp"
#include "platform/path.hpp"
#include "recording/made_recordings.hpp"

namespace stickslip::run_test {
namespace {

class IdentifyRunTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = (std::filesystem::temp_directory_path() / ("stickslip_jobs" + std::to_string(getpid()))).string();
    std::filesystem::create_directories(folder_);
    const auto position = [](double t) { return 0.01 * std::sin(2 * made::pi * t); };
    const auto force = [](double t) {
      const double v = 0.02 * made::pi * std::cos(2 * made::pi * t);
      return std::copysign(5.0, v) + 40 * v;
    };
    job_.sets =
        split_in_rounds(prepare(made::recording(4000, 1e-3, position, force, {.force = 0.05}), {}), {0.5, 0.25, 0.25});
    job_.recording = "made.csv";
    job_.fingerprint = "made";
    job_.options.models = {"coulomb-viscous"};
    job_.options.threads = 1;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return joined_path(folder_, name); }

  std::string folder_;
  IdentifyJob job_;
};

TEST_F(IdentifyRunTest, WritesModelResidualsAndReportAndLeavesNoState) {
  const IdentifyFiles files{.model = path("m.toml"), .residuals = path("r.csv"), .report = path("r.html")};
  check_places(files);
  const IdentifyRun run = run_identify(job_, files);
  EXPECT_TRUE(run.is_complete);
  EXPECT_TRUE(exists(state_path(files.model))) << "kept until the results are written";
  const auto written = write_identified(job_, run, files, {"my program", {}});
  ASSERT_EQ(written.size(), 3u);
  for (const WrittenFile& file : written) EXPECT_TRUE(is_file(file.path)) << file.path;
  EXPECT_FALSE(exists(state_path(files.model)));
  EXPECT_NE(read_whole(files.report).find("my program"), std::string::npos);

  const ModelFile model = read_model_file(files.model);
  const ValidationResult again = validate_model(model, job_.sets.pieces.front().data);
  EXPECT_TRUE(again.holds) << again.validation.verdict;
}

TEST_F(IdentifyRunTest, ResumeTakesWhatIsDone) {
  const IdentifyFiles files{.model = path("m.toml")};
  const IdentifyRun first = run_identify(job_, files);
  ASSERT_FALSE(first.found.models.empty());
  std::vector<IdentifiedModel> marked = first.found.models;
  marked.front().remarks = {"taken from the state"};
  write_whole(state_path(files.model), state_text(state_key(job_), marked, job_.motion));
  const IdentifyRun second = run_identify(job_, files, {.resume = true});
  ASSERT_FALSE(second.found.models.front().remarks.empty());
  EXPECT_EQ(second.found.models.front().remarks.front(), "taken from the state");
  job_.options.seed = 99;  // another question
  EXPECT_THROW(run_identify(job_, files, {.resume = true}), Error);
}

TEST_F(IdentifyRunTest, PlacesThatCannotBeWrittenAreRefusedBefore) {
  EXPECT_THROW(check_places({.model = path("none/m.toml")}), Error);
  EXPECT_THROW(check_places({.residuals = folder_}), Error);
  EXPECT_THROW(check_places({.report = path("none/r.html")}), Error);
}

// The state took the place of a recording, and went with the end of the run.
TEST_F(IdentifyRunTest, AStateDoesNotReplaceWhatIsRead) {
  for (const char* name : {"m.toml.state", "m.toml.state.lock"}) {
    check_places({.model = path("m.toml")});
    write_whole(path(name), "kept");
    mark_read(path(name));
    EXPECT_THROW(check_places({.model = path("m.toml")}), Error) << name;
    std::filesystem::remove(path(name));
    forget_files_read();
  }
}

TEST_F(IdentifyRunTest, CancelledBeforeTheFirstFitThereIsNoModelAndNoError) {
  IdentifyWatch watch;
  watch.cancel = true;
  const IdentifyRun run = run_identify(job_, {}, {.watch = &watch});
  EXPECT_TRUE(run.found.models.empty());
  EXPECT_FALSE(run.is_complete);
}

TEST_F(IdentifyRunTest, AComparisonOfSomeRecordingsIsNone) {
  job_.sets.pieces = {job_.sets.pieces.front(), job_.sets.pieces.front(), job_.sets.pieces.front()};
  for (std::size_t k = 0; k < job_.sets.pieces.size(); ++k) job_.sets.pieces[k].unit = k;
  const IdentifyRun run = run_identify(job_, {});
  IdentifyWatch watch;
  std::size_t told = 0;
  watch.progress = [&](const std::string&, double) { ++told; };
  ASSERT_TRUE(examine_together(job_, run.found, &watch));
  EXPECT_EQ(told, 3u) << "single fits are not told as the whole";
  watch.progress = [&](const std::string&, double) { watch.cancel = true; };
  EXPECT_FALSE(examine_together(job_, run.found, &watch));
}

}  // namespace
}  // namespace stickslip::run_test
