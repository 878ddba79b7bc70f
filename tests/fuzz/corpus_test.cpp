/// The kept inputs of the fuzzer, and the valid ones it began with, through the same functions.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/error.hpp"
#include "fuzz/targets.hpp"
#include "support/places.hpp"

namespace stickslip {
namespace {

namespace fs = std::filesystem;

class Corpus : public testing::TestWithParam<std::string> {};

TEST_P(Corpus, IsReadOrRefusedInOneLine) {
  const auto target = std::find_if(fuzz::recording_targets().begin(), fuzz::recording_targets().end(),
                                   [](const fuzz::Target& t) { return t.name == GetParam(); });
  for (const std::string& seed : target->seeds()) EXPECT_NO_THROW(target->take(seed)) << seed.substr(0, 60);
  const fs::path kept = fs::path(source_dir()) / "tests/fuzz/corpus" / GetParam();
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kept)) files.push_back(entry.path());
  EXPECT_GT(files.size(), 3u);
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream bytes;
    bytes << in.rdbuf();
    EXPECT_NO_THROW(target->take(bytes.str())) << file;
  }
}
std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& target : fuzz::recording_targets()) all.push_back(target.name);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Kept, Corpus, testing::ValuesIn(names()), [](const auto& info) { return info.param; });

// What a finding looks like: anything but an Error of one line.
TEST(FuzzTargets, NoticeWhatIsNoRefusal) {
  using fuzz::BrokenPromise;
  using fuzz::reads_or_refuses;
  using Read = void (*)();
  EXPECT_NO_THROW(reads_or_refuses<Read>([] {}));
  EXPECT_NO_THROW(reads_or_refuses<Read>([] { throw Error("a.toml:3: mass is -1 kg"); }));
  EXPECT_THROW(reads_or_refuses<Read>([] { throw Error("two\nlines"); }), BrokenPromise);
  EXPECT_THROW(reads_or_refuses<Read>([] { throw Error(""); }), BrokenPromise);
  EXPECT_THROW(reads_or_refuses<Read>([] { throw Error(std::string(5000, 'x')); }), BrokenPromise);
  EXPECT_THROW(reads_or_refuses<Read>([] { throw std::out_of_range("at"); }), std::out_of_range);
}

}  // namespace
}  // namespace stickslip
