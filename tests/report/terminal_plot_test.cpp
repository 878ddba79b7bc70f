/// The braille plot puts dots where the data are and keeps to its width.
#include "report/terminal_plot.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "report/terminal.hpp"

namespace stickslip::terminal_plot_test {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) all.push_back(line);
  return all;
}

TEST(TerminalPlot, ARisingLineRunsFromLowerLeftToUpperRight) {
  const Panel panel{.x = {"time", "s"}, .y = {"force", "N"}, .series = {{.name = "a", .x = {0, 10}, .y = {0, 10}}}};
  const auto lines = lines_of(to_terminal(panel, {.columns = 40, .rows = 14}));
  EXPECT_EQ(lines[0], "force [N]  ━━ a");
  // Ten plotted rows follow; the place of the first dot moves left from row to row.
  std::size_t last = std::string::npos;
  for (std::size_t i = 1; i <= 10; ++i) {
    const auto begin = lines[i].find("│") != std::string::npos ? lines[i].find("│") : lines[i].find("┤");
    const auto dot = lines[i].find_first_not_of(' ', begin + 3);
    if (dot == std::string::npos) continue;  // the margin above and below the data
    EXPECT_LT(dot, last);
    last = dot;
  }
  EXPECT_NE(last, std::string::npos);
  EXPECT_NE(lines.back().find("time [s]"), std::string::npos);
}

TEST(TerminalPlot, KeepsItsWidthForAwkwardData) {
  std::vector<double> x, y;
  for (int i = 0; i < 100000; ++i) x.push_back(i), y.push_back(i % 7 == 0 ? NAN : 1e6 * std::sin(i * 0.001));
  for (const Panel& panel :
       {Panel{.x = {"t", "s"}, .y = {"F", "N"}, .series = {{.x = x, .y = y}}, .shades = {{"stuck", {{10, 5e4}}}}},
        Panel{.x = {"t", "s", true}, .y = {"F", "N", true}, .series = {{.x = {0, 1e-3, 1e5}, .y = {1, 0, 5}}}},
        Panel{.x = {.label = "t", .unit = "s", .from = 0.4, .to = 0.6},
        .y = {"F", "N"},
        .series = {{.x = {0, 1}, .y = {-1e9, 1e9}}}},
        Panel{.series = {{.x = {1}, .y = {1}, .style = Style::points}}}})
    for (const auto& line : lines_of(to_terminal(panel, {.columns = 60, .rows = 12})))
      EXPECT_LE(display_width(line), 60u) << line;
}

TEST(TerminalPlot, WithoutDataItSaysSo) {
  EXPECT_EQ(to_terminal({.title = "x"}), "x\nno data\n");
  EXPECT_EQ(to_terminal({.series = {{.x = {1}, .y = {NAN}}}}), "no data\n");
}

TEST(TerminalPlot, ColourOnlyWhenAsked) {
  const Panel panel{.series = {{.name = "a", .x = {0, 1}, .y = {0, 1}}}};
  EXPECT_EQ(to_terminal(panel).find('\x1b'), std::string::npos);
  EXPECT_NE(to_terminal(panel, {.colour = true}).find("\x1b[34m"), std::string::npos);
}

}  // namespace
}  // namespace stickslip::terminal_plot_test
