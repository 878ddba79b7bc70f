/// A file is replaced whole, a locked file belongs to one, and reasons come back in words.
#include "platform/file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "platform/path.hpp"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

class PlatformFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = (fs::temp_directory_path() / ("stickslip_file" + std::to_string(getpid()))).string();
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return joined_path(folder_, name); }
  static std::string content_of(const std::string& path) {
    std::string content;
    FileIdentity identity;
    EXPECT_EQ(read_file(path, 1000, content, identity), "");
    EXPECT_EQ(identity, facts_of(path).identity);
    return content;
  }
  std::string folder_;
};

TEST_F(PlatformFile, IsReplacedWholeAndKeepsItsLinkAndPermissions) {
  EXPECT_EQ(replace_file(path("a"), "first"), "");
  fs::permissions(path("a"), fs::perms::owner_read | fs::perms::owner_write);
  fs::create_directory(path("other"));
  fs::create_symlink("../a", path("other/link"));
  EXPECT_EQ(replace_file(path("other/link"), "second"), "");
  EXPECT_EQ(content_of(path("a")), "second");
  EXPECT_TRUE(fs::is_symlink(path("other/link")));
  EXPECT_EQ(fs::status(path("a")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 2) << "nothing is left beside";
}

TEST_F(PlatformFile, LinksInACircleAreRefused) {
  fs::create_symlink("b", path("c"));
  fs::create_symlink("c", path("b"));
  EXPECT_EQ(replace_file(path("b"), "x"), "Too many levels of symbolic links");
  EXPECT_TRUE(fs::is_symlink(path("b")));
}

TEST_F(PlatformFile, ReasonsAreWords) {
  std::string content;
  FileIdentity identity;
  EXPECT_EQ(read_file(path("none"), 10, content, identity), "No such file or directory");
  EXPECT_EQ(read_file(folder_, 10, content, identity), "it is a directory");
  EXPECT_EQ(replace_file(path("no/such"), "x"), "No such file or directory");
  EXPECT_EQ(facts_of(path("none")).kind, FileKind::none);
  EXPECT_EQ(facts_of("/dev/null").kind, FileKind::device);
  EXPECT_EQ(write_to("/dev/null", "x"), "");
}

TEST_F(PlatformFile, StopsReadingBehindTheMost) {
  EXPECT_EQ(replace_file(path("a"), std::string(200000, 'x')), "");
  EXPECT_EQ(facts_of(path("a")).size, 200000u);
  std::string content;
  FileIdentity identity;
  EXPECT_EQ(read_file(path("a"), 1000, content, identity), "");
  EXPECT_GT(content.size(), 1000u);
  EXPECT_LT(content.size(), 200000u);
}

TEST_F(PlatformFile, ALockedFileBelongsToOne) {
  LockedFile first, second;
  EXPECT_EQ(first.open(path("journal")), "");
  EXPECT_EQ(second.open(path("journal")), "");
  EXPECT_TRUE(first.lock());
  EXPECT_FALSE(second.lock());
  EXPECT_EQ(first.append("0123456789"), "");
  EXPECT_EQ(first.cut(4), "");
  EXPECT_EQ(first.append("ab"), "");
  first.sync();
  EXPECT_EQ(content_of(path("journal")), "0123ab");
  first.close();
  EXPECT_TRUE(second.lock()) << "given back";
  second.remove();
  EXPECT_FALSE(exists(path("journal")));
}

}  // namespace
}  // namespace stickslip
