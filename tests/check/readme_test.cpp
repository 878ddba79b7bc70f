/// The README's scorecard is the one this program measures. `scripts/update-readme` writes it anew.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "check/scorecard.hpp"

namespace stickslip {
namespace {

TEST(Readme, ShowsTheScorecardAsMeasuredNow) {
  std::ifstream file(STICKSLIP_SOURCE_DIR "/README.md");
  if (!file) GTEST_SKIP() << "no README.md";
  std::stringstream all;
  all << file.rdbuf();
  const std::string text = all.str(), begin = "<!-- generated: scorecard -->\n", end = "<!-- end -->";
  const auto from = text.find(begin);
  ASSERT_NE(from, std::string::npos) << "README.md has no line " << begin;
  const auto to = text.find(end, from);
  ASSERT_NE(to, std::string::npos) << "README.md: the scorecard has no " << end;
  Progress silent("check", false, stderr);
  const std::string shown = text.substr(from + begin.size(), to - from - begin.size());
  EXPECT_EQ(shown, "\n" + to_markdown(measure({}, silent)) + "\n") << "run scripts/update-readme";
}

}  // namespace
}  // namespace stickslip
