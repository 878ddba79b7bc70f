/// Names of files are taken apart as std::filesystem does.
#include "platform/path.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace stickslip::path_test {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> names{"",          "a",       "a.csv",    "a/b.csv", "/a/b",   "/a",         "/",
                                     "a/",        "a//b",    "./a.b",    "../x",    "..",     ".",          ".prof",
                                     "x/.prof.y", "a.b.c",   "a.",       "a/./b",   "a/../b", "a/..",       "a/b/../..",
                                     "/../a",     "../../b", "a/.",      "a/b/",    "/a//b/", "./../x/./y", "a/../..",
                                     "x/y/..",    "./.",     "a b/ü.csv"};

TEST(Path, PartsAreThoseOfTheStandardLibrary) {
  for (const std::string& name : names) {
    const fs::path path = name;
    EXPECT_EQ(parent_of(name), path.parent_path().string()) << name;
    EXPECT_EQ(file_name_of(name), path.filename().string()) << name;
    EXPECT_EQ(stem_of(name), path.stem().string()) << name;
    EXPECT_EQ(normal_path(name), path.lexically_normal().string()) << name;
    if (!name.empty()) {
      EXPECT_EQ(absolute_path(name), fs::absolute(path).string()) << name;
    }
    for (const std::string& other : names)
      EXPECT_EQ(joined_path(name, other), (path / other).string()) << name << " / " << other;
  }
  EXPECT_EQ(folder_of("a.csv"), ".");
  EXPECT_EQ(beside("jobs/fit.toml", "axis.csv"), "jobs/axis.csv");
  EXPECT_EQ(beside("fit.toml", "/axis.csv"), "/axis.csv");
}

TEST(Path, DirectoriesAreMadeAndFilesRemoved) {
  const std::string folder = (fs::temp_directory_path() / ("stickslip_path" + std::to_string(getpid()))).string();
  EXPECT_EQ(make_directories(folder + "/a/b/"), "");
  EXPECT_EQ(make_directories(folder + "/a/b"), "") << "it is there already";
  EXPECT_TRUE(is_directory(folder + "/a/b"));
  std::ofstream(folder + "/a/file") << "x";
  EXPECT_TRUE(is_file(folder + "/a/file"));
  EXPECT_FALSE(is_file(folder + "/a"));
  EXPECT_EQ(make_directories(folder + "/a/file/c"), "Not a directory");
  EXPECT_EQ(remove_file(folder + "/a/file"), "");
  EXPECT_FALSE(exists(folder + "/a/file"));
  EXPECT_EQ(remove_file(folder + "/a/file"), "") << "none is none";
  EXPECT_NE(remove_file(folder + "/a"), "") << "a directory stays";
  fs::remove_all(folder);
}

}  // namespace
}  // namespace stickslip::path_test
