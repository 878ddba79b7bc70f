/// A list of recordings: what an interruption leaves, what its state is trusted with, and what may not be replaced.
#include "jobs/identify/list.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "core/error.hpp"
#include "core/number_signature.hpp"
#include "files/whole_file.hpp"
#include "platform/path.hpp"
#include "recording/made_recordings.hpp"

namespace stickslip::list_test {
namespace {

class ListOfRecordings : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = (std::filesystem::temp_directory_path() / ("stickslip_list" + std::to_string(getpid()))).string();
    std::filesystem::create_directories(folder_);
    forget_files_read();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return joined_path(folder_, name); }

  static ListedJob job() {
    const auto position = [](double t) { return 0.01 * std::sin(2 * made::pi * t); };
    const auto force = [](double t) {
      const double v = 0.02 * made::pi * std::cos(2 * made::pi * t);
      return std::copysign(5.0, v) + 40 * v;
    };
    ListedJob listed;
    listed.job.sets =
        split_in_rounds(prepare(made::recording(4000, 1e-3, position, force, {.force = 0.05}), {}), {0.5, 0.25, 0.25});
    listed.job.recording = "made.csv";
    listed.job.fingerprint = "made";
    listed.job.options.models = {"coulomb-viscous"};
    listed.job.options.threads = 1;
    return listed;
  }
  std::string refusal_of_state(const std::string& text) const {
    write_whole(path("s"), text);
    try {
      identify_list({"a"}, [](const std::string&) { return job(); }, {.state = path("s"), .resume = true});
    } catch (const Error& problem) {
      return problem.what();
    }
    return "";
  }

  std::string folder_;
};

// What Ctrl-C cut short was a result with the verdict "no model could be fitted", and --resume took it as done.
TEST_F(ListOfRecordings, WhatIsInterruptedIsNotDone) {
  IdentifyWatch watch;
  const auto prepare = [&](const std::string& name) {
    if (name == "b") watch.cancel = true;
    return job();
  };
  const auto results = identify_list({"a", "b", "c"}, prepare, {.state = path("s"), .watch = &watch});
  EXPECT_EQ(results[0].model, "coulomb-viscous");
  EXPECT_EQ(results[1].recording, "");
  EXPECT_EQ(results[2].recording, "");
  watch.cancel = false;
  const auto resumed = identify_list({"a", "b", "c"}, [](const std::string&) { return job(); },
                                     {.state = path("s"), .resume = true, .watch = &watch});
  for (const ListedResult& r : resumed) EXPECT_EQ(r.model, "coulomb-viscous") << r.recording << ": " << r.verdict;
}

// Resumed and interrupted once more, the state had only what was looked at until then.
TEST_F(ListOfRecordings, AStateKeepsWhatWasDoneBefore) {
  IdentifyWatch watch;
  std::string last;
  const auto prepare = [&](const std::string& name) {
    if (name == "a") throw Error("not there");
    if (name == last) watch.cancel = true;
    return job();
  };
  const std::vector<std::string> all{"a", "b", "c"};
  last = "c";
  identify_list(all, prepare, {.state = path("s"), .watch = &watch});
  watch.cancel = false, last = "b";
  identify_list(all, prepare, {.state = path("s"), .resume = true, .watch = &watch});
  EXPECT_NE(read_whole(path("s")).find("file = \"b\""), std::string::npos);
}

TEST_F(ListOfRecordings, AnErrorIsTriedAgain) {
  const auto results =
      identify_list({"a"},
                    [](const std::string&) {
                      ListedJob listed = job();
                      listed.job.options.models = {"bristle"};  // needs a number that no recording tells
                      return listed;
                    },
                    {.state = path("s")});
  EXPECT_NE(results[0].verdict, "");
  EXPECT_EQ(results[0].model, "");
  EXPECT_EQ(results[0].key, "");
}

TEST_F(ListOfRecordings, AStateOfOtherNumbersOrOtherLawsIsNotTaken) {
  EXPECT_NE(refusal_of_state("machine = \"other-1\"\n").find("s: was started on a machine with 'other-1'"),
            std::string::npos);
  ListedJob one = job(), other = job();
  other.job.options.models = {"stribeck"};
  EXPECT_NE(list_key(one.job), list_key(other.job));
  other.job.options.models = one.job.options.models, other.job.options.explore = true;
  EXPECT_NE(list_key(one.job), list_key(other.job));
}

TEST_F(ListOfRecordings, ADamagedStateIsRefusedByName) {
  const std::string head = "machine = \"" + number_signature() + "\"\n",
                    whole =
                        "[[recording]]\nfile = \"a\"\nkey = \"k\"\nmodel = \"m\"\nparameters = \"3\"\nunexplained = "
                        "\"1\"\nrms = \"1\"\nrms_unit = \"N\"\njudged_on = \"test\"\nverdict = \"explained\"\n"
                        "is_explained = true\npaths = []\nwhats = []\n";
  EXPECT_EQ(refusal_of_state(head + whole), "");
  const auto with = [&](const std::string& line, const std::string& changed) {
    std::string text = whole;
    return head + text.replace(text.find(line), line.size(), changed);
  };
  for (const auto& [line, changed, key] : {std::array{"key = \"k\"", "key = 3", "key"},
                                           {"is_explained = true", "is_explained = \"yes\"", "is_explained"},
                                           {"paths = []", "paths = [1]", "paths"},
                                           {"rms = \"1\"\n", "", "rms"}}) {
    const std::string refusal = refusal_of_state(with(line, changed));
    EXPECT_NE(refusal.find("the state is damaged at '" + std::string(key) + "'"), std::string::npos) << refusal;
    EXPECT_EQ(refusal.find('\n'), std::string::npos);
  }
  EXPECT_NE(refusal_of_state(with("paths = []", "paths = [\"x\"]")).find("not as many"), std::string::npos);
  EXPECT_NE(refusal_of_state(head + "recording = 5\n").find("damaged at 'recording'"), std::string::npos);
  EXPECT_NE(refusal_of_state(whole).find("machine"), std::string::npos) << "a state without a machine";
}

// The summary, the state, a report or a model took the place of a recording.
TEST_F(ListOfRecordings, NoRecordingIsReplaced) {
  for (const std::string name : {"identified.csv", "identified.state", "identified.state.lock", "log.html"}) {
    write_whole(path(name), "kept");
    const ListedPlaces places({path(name), path("other.csv")}, folder_);
    EXPECT_THROW(places.make(), Error) << name;
    std::filesystem::remove(path(name));
    forget_files_read();
  }
  write_whole(path("log.csv"), "kept");
  const ListedPlaces places({path("log.csv")}, path("new"));
  places.make();
  EXPECT_TRUE(is_directory(path("new")));
}

}  // namespace
}  // namespace stickslip::list_test
