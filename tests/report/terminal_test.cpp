/// Widths of text, colour only where it is needed, and progress only where somebody watches.
#include "report/terminal.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <thread>

#include "report/progress.hpp"

namespace stickslip::terminal_test {
namespace {

TEST(Terminal, WidthCountsColumnsNotBytes) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("σ₀ µm"), 5u);
  EXPECT_EQ(display_width("摩擦"), 4u);
  EXPECT_EQ(display_width("z\u0307"), 1u);  // z with a combining dot
  EXPECT_EQ(display_width("\xff"), 1u);
}

TEST(Terminal, ColourIsLeftOutWhenUnwanted) {
  EXPECT_EQ(coloured("ok", Ink::green, false), "ok");
  EXPECT_EQ(coloured("ok", Ink::green, true), "\x1b[32mok\x1b[0m");
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(wants_colour());
  ::unsetenv("NO_COLOR");
}

TEST(Progress, TheLineSaysPartTimeLeftAndDetail) {
  EXPECT_EQ(progress_line("identify", 0.25, 10, "generation 3"), "identify  25 %  30 s left  generation 3");
  EXPECT_EQ(progress_line("identify", 0, 10, ""), "identify  0 %");
  EXPECT_EQ(duration_text(0.25), "250 ms");
  EXPECT_EQ(duration_text(185), "3 min 5 s");
  EXPECT_EQ(duration_text(7800), "2 h 10 min");
}

std::string printed(bool is_watched, std::chrono::milliseconds work) {
  std::FILE* file = std::tmpfile();
  {
    Progress progress("work", is_watched, file);
    progress.at(0.1);
    std::this_thread::sleep_for(work);
    progress.at(0.5);
  }
  std::rewind(file);
  std::string text(200, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

TEST(Progress, IsSilentInTheFirstSecondAndWhenNobodyWatches) {
  using namespace std::chrono_literals;
  EXPECT_EQ(printed(true, 10ms), "");
  EXPECT_EQ(printed(false, 1050ms), "");
  const std::string shown = printed(true, 1050ms);
  EXPECT_NE(shown.find("\r\x1b[Kwork  50 %  1 s left"), std::string::npos) << shown;
  EXPECT_TRUE(shown.ends_with("\r\x1b[K")) << "the line is wiped at the end";
}

// Between two reports it advances at the speed so far, and never past the parts that are being worked on.
TEST(Progress, AdvancesInsideALongPart) {
  EXPECT_EQ(advanced(0.2, 0.6, 10, 10), 0.2);
  EXPECT_DOUBLE_EQ(advanced(0.2, 0.6, 10, 20), 0.4);
  EXPECT_DOUBLE_EQ(advanced(0.2, 0.6, 10, 1e6), 0.77);
  EXPECT_EQ(advanced(0.2, 0, 10, 20), 0.2) << "nothing is known about what runs";
  EXPECT_EQ(advanced(0, 0.6, 10, 20), 0) << "no speed yet";
}

// It stood at "89 %, 13 s left" for minutes while one long fit ran.
TEST(Progress, TimeLeftGrowsWhileNothingIsReported) {
  const std::string shown = printed(true, std::chrono::milliseconds(2300));
  const auto first = shown.find("work  10 %  9 s left"), second = shown.find("work  10 %  18 s left");
  EXPECT_NE(second, std::string::npos) << shown;
  EXPECT_LT(first, second) << shown;
}

}  // namespace
}  // namespace stickslip::terminal_test
