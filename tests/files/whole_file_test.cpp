/// A result file is there whole or not at all, and nothing is left beside it.
#include "files/whole_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/error.hpp"

namespace stickslip::whole_file_test {
namespace {

namespace fs = std::filesystem;

class WholeFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "stickslip-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override { fs::remove_all(folder); }

  std::string path(const std::string& name) const { return (folder / name).string(); }
  std::size_t entries() const {
    return std::size_t(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }
  static std::string message_of_writing(const std::string& path) {
    try {
      write_whole(path, "x");
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  fs::path folder;
};

TEST_F(WholeFile, WritesReplacesAndReadsBackEveryByte) {
  const std::string bytes("a\0b\n\xff", 5);
  write_whole(path("run.csv"), "old and longer than the new content");
  write_whole(path("run.csv"), bytes);
  EXPECT_EQ(read_whole(path("run.csv")), bytes);
  EXPECT_EQ(entries(), 1u);
}

TEST_F(WholeFile, KeepsPermissionsAndFollowsLinks) {
  write_whole(path("real"), "1");
  ::chmod(path("real").c_str(), 0600);
  fs::create_symlink("real", path("link"));
  write_whole(path("link"), "2");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(read_whole(path("real")), "2");
  struct stat now;
  ASSERT_EQ(::stat(path("real").c_str(), &now), 0);
  EXPECT_EQ(now.st_mode & 0777u, 0600u);
}

TEST_F(WholeFile, RefusesDirectoriesAndMissingOnes) {
  EXPECT_EQ(message_of_writing(folder.string()),
            "cannot write '" + folder.string() + "': it is a directory; give a file name");
  EXPECT_EQ(message_of_writing(path("no/run.csv")),
            "cannot write '" + path("no/run.csv") + "': there is no directory '" + path("no") + "'; create it first");
  EXPECT_EQ(message_of_writing(""), "cannot write a file without a name");
  EXPECT_EQ(entries(), 0u);
}

TEST_F(WholeFile, AFailedWriteLeavesTheOldFileAndNoOther) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  write_whole(path("kept"), "old");
  ::chmod(folder.c_str(), 0500);
  EXPECT_EQ(message_of_writing(path("kept")), "cannot write '" + path("kept") + "': Permission denied");
  ::chmod(folder.c_str(), 0700);
  EXPECT_EQ(read_whole(path("kept")), "old");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(WholeFile, ANameTooLongLeavesNoDraft) {
  EXPECT_NE(message_of_writing(path(std::string(300, 'n'))).find("File name too long"), std::string::npos);
  EXPECT_EQ(entries(), 0u);
}

// Two results of one command: the first is not there alone, and the old ones stay.
TEST_F(WholeFile, FilesOfOneCommandAreThereTogetherOrNotAtAll) {
  write_whole(path("a"), "old");
  for (const std::string& bad : {path(std::string(300, 'n')), path("no/b"), std::string("/dev/full")}) {
    if (bad == "/dev/full" && !fs::exists(bad)) continue;
    EXPECT_THROW(
        {
          WholeFiles files;
          files.add(path("a"), "new");
          files.add(path("c"), "new");
          files.add(bad, "new");
          files.keep();
        },
        Error)
        << bad;
    EXPECT_EQ(read_whole(path("a")), "old") << bad;
    EXPECT_EQ(entries(), 1u) << bad;
  }
  WholeFiles files;
  files.add(path("a"), "new"), files.add(path("c"), "other");
  EXPECT_EQ(read_whole(path("a")), "old") << "before they are kept";
  files.keep();
  EXPECT_EQ(read_whole(path("a")), "new");
  EXPECT_EQ(read_whole(path("c")), "other");
  EXPECT_EQ(entries(), 2u);
}

// A name that cannot be taken left those before it: two results were new, the third was of the run before.
TEST_F(WholeFile, ANameThatCannotBeTakenPutsTheFilesBeforeItBack) {
  write_whole(path("real"), "old");
  ::chmod(path("real").c_str(), 0640);
  fs::create_symlink("real", path("link"));
  const auto number = [&] {
    struct stat now {};
    ::stat(path("real").c_str(), &now);
    return std::pair(now.st_ino, now.st_mode & 0777u);
  };
  const auto before = number();
  const auto attempt = [&](const std::vector<std::string>& names) -> std::string {
    try {
      WholeFiles files;
      for (const std::string& name : names) files.add(path(name), "new");
      fs::create_directory(path("taken"));
      files.keep();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  for (const std::vector<std::string>& names :
       {std::vector<std::string>{"link", "fresh", "taken"}, {"fresh", "link", "taken", "last"}, {"link", "taken"}}) {
    EXPECT_EQ(attempt(names), "cannot write '" + path("taken") + "': Is a directory");
    fs::remove(path("taken"));
    EXPECT_EQ(read_whole(path("link")), "old");
    EXPECT_EQ(number(), before) << "the same file with its permissions";
    EXPECT_EQ(entries(), 2u) << "no new file, nothing left beside them";
  }
  WholeFiles files;
  files.add(path("link"), "new"), files.add(path("fresh"), "new");
  files.keep();
  EXPECT_EQ(read_whole(path("real")), "new");
  EXPECT_EQ(entries(), 3u);
}

// The second took the name of the first, which was lost.
TEST_F(WholeFile, AFileNamedForTwoResultsIsRefusedByWhateverName) {
  fs::create_directory(path("dir"));
  fs::create_symlink("m.toml", path("link"));  // of a file that is not there yet
  fs::create_symlink(folder, path("dir/up"));
  write_whole(path("old"), "old");
  fs::create_symlink("old", path("to_old"));
  const auto message = [](const std::string& first, const std::string& second, bool early) -> std::string {
    try {
      WholeFiles files;
      if (early) check_distinct({"", first, "", second});
      files.add(first, "1"), files.add(second, "2");
      files.keep();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  const std::string model = path("m.toml");
  for (const bool early : {true, false}) {
    EXPECT_EQ(message(model, model, early), model + " is named for two results; give each its own file");
    for (const std::string& other : {path("./m.toml"), path("dir/../m.toml"), path("link"), path("dir/up/m.toml")})
      EXPECT_EQ(message(model, other, early),
                "'" + model + "' and '" + other + "' are one file, named for two results; give each its own file");
    EXPECT_NE(message(path("old"), path("to_old"), early).find("are one file"), std::string::npos);
    EXPECT_EQ(message("/dev/null", "/dev/null", early), "no error");
  }
  EXPECT_EQ(read_whole(path("old")), "old");
  EXPECT_EQ(entries(), 4u);
  EXPECT_EQ(message(path("dir/same"), path("same"), true), "no error") << "one name in two folders";
}

TEST_F(WholeFile, ADeviceIsWrittenToDirectly) {
  write_whole("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no device that is always full";
  EXPECT_EQ(message_of_writing("/dev/full"), "cannot write '/dev/full': No space left on device");
}

TEST_F(WholeFile, ReadingWhatIsNotThereSaysSo) {
  try {
    read_whole(path("none"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), "cannot read '" + path("none") + "': No such file or directory");
  }
  EXPECT_THROW(read_whole(folder.string()), Error);
}

}  // namespace
}  // namespace stickslip::whole_file_test
