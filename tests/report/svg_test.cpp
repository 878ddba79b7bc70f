/// The SVG is sound XML whatever the data, small for a million samples, and its words do not collide.
#include "report/svg.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stack>

#include "report/svg_text.hpp"

namespace stickslip::svg_test {
namespace {

/// Empty if tags are balanced and the text contains no stray < or &.
std::string fault_in(const std::string& xml) {
  std::stack<std::string> open;
  for (std::size_t i = 0; i < xml.size(); ++i) {
    const auto is_escape = [&](const std::string& name) { return xml.compare(i, name.size(), name) == 0; };
    if (xml[i] == '&' && !is_escape("&amp;") && !is_escape("&lt;") && !is_escape("&gt;") && !is_escape("&quot;"))
      return "stray &";
    if (xml[i] != '<') continue;
    const auto end = xml.find('>', i);
    if (end == std::string::npos) return "tag without end";
    const std::string tag = xml.substr(i + 1, end - i - 1);
    if (tag.find('<') != std::string::npos) return "stray < before " + tag;
    if (tag.front() == '/') {
      if (open.empty() || open.top() != tag.substr(1)) return "closes " + tag;
      open.pop();
    } else if (tag.back() != '/') {
      open.push(tag.substr(0, tag.find(' ')));
    }
    i = end;
  }
  return open.empty() ? "" : "left open: " + open.top();
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

/// The text between `before` and the next quote, from `start` on; empty if there is none.
std::string quoted_after(const std::string& text, const std::string& before, std::size_t start = 0) {
  const auto found = text.find(before, start);
  if (found == std::string::npos) return "";
  const auto begin = found + before.size();
  return text.substr(begin, text.find('"', begin) - begin);
}

/// The path of the first series.
std::string first_series(const std::string& svg) { return quoted_after(svg, "class=\"s0\" stroke-width=\"1.6\" d=\""); }

Figure with_series(std::vector<double> x, std::vector<double> y) {
  return {.title = "t",
          .panels = {{.x = {"time", "s"}, .y = {"force", "N"}, .series = {{.name = "a", .x = x, .y = y}}}}};
}

TEST(Svg, WordsAreEscapedAndRepaired) {
  EXPECT_EQ(xml_text("a<b & \"c\" σ₀"), "a&lt;b &amp; &quot;c&quot; σ₀");
  EXPECT_EQ(xml_text("\x1b\xff"), "\uFFFD\uFFFD");
  // XML has no such characters: a title with one made a figure that no program opens.
  EXPECT_EQ(xml_text("\uFFFE\uFFFF\uFFFD\uFDD0\t\n"), "\uFFFD\uFFFD\uFFFD\uFDD0\t\n");
  Figure figure = with_series({0, 1}, {0, 1});
  figure.title = figure.panels[0].series[0].name = figure.panels[0].x.label = "</svg><script>\"&";
  const std::string svg = to_svg(figure);
  EXPECT_EQ(fault_in(svg), "");
  EXPECT_EQ(count(svg, "<script"), 0u);
}

TEST(Svg, AwkwardDataGiveASoundFigureWithoutNonsenseNumbers) {
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::pair<std::vector<double>, std::vector<double>>> awkward{{{}, {}},
                                                                                 {{1}, {2}},
                                                                                 {{0, 1}, {3, 3}},
                                                                                 {{0, 1}, {nan, nan}},
                                                                                 {{nan, 1}, {1, 2}},
                                                                                 {{0, 1}, {inf, -inf}},
                                                                                 {{0, 1}, {1e300, -1e300}},
                                                                                 {{0, 1e-300}, {0, 1e-300}},
                                                                                 {{1, 1, 1}, {1, 2, 3}},
                                                                                 {{0, 1, 2}, {0, 1e-9, 0}},
                                                                                 {{0, 1}, {1, 1 + 1e-15}},
                                                                                 {{0, 1}, {1.7e308, -1.7e308}},
                                                                                 {{1, 2}, {1e-300, 1e300}}};
  for (const auto& [x, y] : awkward)
    for (const Style style : {Style::line, Style::points, Style::steps, Style::area})
      for (const bool logarithmic : {false, true}) {
        Figure figure = with_series(x, y);
        figure.panels[0].series[0].style = style;
        figure.panels[0].x.logarithmic = figure.panels[0].y.logarithmic = logarithmic;
        const std::string svg = to_svg(figure);
        EXPECT_EQ(fault_in(svg), "");
        EXPECT_EQ(count(svg, "nan") + count(svg, "\"inf") + count(svg, " inf"), 0u) << svg;
      }
}

TEST(Svg, WithoutDataItSaysSo) {
  EXPECT_NE(to_svg({}).find("no data"), std::string::npos);
  EXPECT_NE(to_svg(with_series({}, {})).find("no data"), std::string::npos);
  EXPECT_NE(to_svg(with_series({0, 1}, {NAN, NAN})).find("no data"), std::string::npos);
  EXPECT_EQ(to_svg(with_series({0, 1}, {0, 1})).find("no data"), std::string::npos);
}

TEST(Svg, AMillionSamplesGiveASmallFileThatKeepsTheSpike) {
  std::vector<double> x, y;
  for (int i = 0; i < 1000000; ++i) x.push_back(i * 1e-6), y.push_back(std::sin(i * 0.37));
  y[777777] = 10;  // the top of the range, 0.06 below the panel's upper edge
  const std::string svg = to_svg(with_series(x, y), {.panel_height = 112});
  EXPECT_LT(svg.size(), 60000u);
  // Range -1..10 widened by 6 % each way: the spike lies at 112 * 0.06 / 1.12 = 6 px.
  EXPECT_EQ(count(first_series(svg), " 6 "), 1u) << first_series(svg);
}

TEST(Svg, GapsLiftThePen) {
  const std::string whole = to_svg(with_series({0, 1, 2, 3, 4}, {0, 1, 0, 1, 0}));
  const std::string gap = to_svg(with_series({0, 1, 2, 3, 4}, {0, 1, NAN, 1, 0}));
  EXPECT_EQ(count(first_series(whole), "M"), 1u);
  EXPECT_EQ(count(first_series(gap), "M"), 2u);
}

TEST(Svg, ShadesOfAHundredThousandShortSticksStaySmall) {
  Figure figure = with_series({0, 1}, {0, 1});
  Shade shade{"stuck", {}};
  for (int i = 0; i < 100000; ++i) shade.intervals.push_back({i * 1e-5, i * 1e-5 + 5e-6});
  figure.panels[0].shades = {shade};
  const std::string svg = to_svg(figure);
  EXPECT_LT(svg.size(), 20000u);
  EXPECT_NE(svg.find(">stuck<"), std::string::npos);
}

TEST(Svg, HiddenValuesOfALogarithmicAxisAreMentioned) {
  Figure figure = with_series({1, 2, 3}, {1, 0, 10});
  figure.panels[0].y.logarithmic = true;
  EXPECT_NE(to_svg(figure).find("(1 value ≤ 0 not shown)"), std::string::npos);
}

TEST(Svg, ThemesFollowTheReaderUnlessNamed) {
  const Figure figure = with_series({0, 1}, {0, 1});
  EXPECT_NE(to_svg(figure).find("prefers-color-scheme:dark"), std::string::npos);
  EXPECT_EQ(to_svg(figure, {.theme = Theme::light}).find("prefers-color-scheme"), std::string::npos);
  EXPECT_EQ(to_svg(figure).find(" id="), std::string::npos);  // several figures share an HTML page
}

/// Boxes of all texts of an SVG in the page's coordinates, estimated as the drawing does.
struct Words {
  double left, right, top, bottom;
  std::string text;
};
std::vector<Words> words_in(const std::string& svg) {
  std::vector<Words> all;
  double dx = 0, dy = 0;  // of the nested drawing area
  for (auto at = svg.find('<'); at != std::string::npos; at = svg.find('<', at + 1)) {
    const auto end = svg.find('>', at);
    const std::string tag = svg.substr(at, end - at);
    const auto number = [&](const std::string& key) { return std::stod(quoted_after(tag, " " + key + "=\"")); };
    if (tag.starts_with("<svg x=")) dx = number("x"), dy = number("y");
    if (tag == "</svg") dx = dy = 0;
    if (!tag.starts_with("<text")) continue;
    const std::string text = svg.substr(end + 1, svg.find('<', end) - end - 1);
    const std::string anchor = quoted_after(tag, "text-anchor=\"");
    const double size = number("font-size"), width = 0.9 * text_width(text, size);
    const double x = dx + number("x"), y = dy + number("y");
    const double shift = anchor == "middle" ? 0.5 : anchor == "end" ? 1 : 0;
    all.push_back({x - shift * width, x + (1 - shift) * width, y - 0.75 * size, y + 0.2 * size, text});
  }
  return all;
}

TEST(Svg, NoTextCoversAnother) {
  std::vector<double> t, v;
  for (int i = 0; i < 2000; ++i) t.push_back(i * 0.01), v.push_back(0.38 * std::sin(i * 0.01));
  Panel panel{.title = "A panel with a rather long title that has to be broken into several lines to fit",
              .x = {"time", "s"},
              .y = {"velocity of the mass against the ground", "m/s"},
              .shades = {{"stuck", {{1, 2}}}},
              .marks = {{1, 0.3, "first stick"}, {1.1, 0.3, "second stick"}, {1.2, 0.31, "third stick"}},
              .references = {{Across::horizontal, 0.1, "drive speed"},
                             {Across::vertical, 7.5, "breakaway"},
                             {Across::vertical, 7.6, "release"},
                             {Across::horizontal, 0.11, "limit"}}};
  for (int i = 0; i < 9; ++i) panel.series.push_back({.name = "model number " + std::to_string(i), .x = t, .y = v});
  for (const double width : {420.0, 820.0, 1400.0})
    for (const int columns : {1, 2}) {
      const Figure figure{.title = "A figure whose title is much longer than the narrow page it is printed on allows",
                          .subtitle = "and a subtitle that goes on about parameters, seeds and tolerances for a while",
                          .panels = {panel, panel, panel},
                          .columns = columns};
      const std::string svg = to_svg(figure, {.width = width});
      const auto words = words_in(svg);
      ASSERT_GT(words.size(), 40u);
      for (std::size_t i = 0; i < words.size(); ++i) {
        EXPECT_GE(words[i].left, -1) << words[i].text;
        EXPECT_LE(words[i].right, width + 1) << words[i].text << " at width " << width;
        for (std::size_t j = 0; j < i; ++j) {
          const bool apart = words[i].right <= words[j].left || words[j].right <= words[i].left ||
                             words[i].bottom <= words[j].top || words[j].bottom <= words[i].top;
          EXPECT_TRUE(apart) << words[i].text << " on " << words[j].text << " at width " << width << ", " << columns;
        }
      }
    }
}

}  // namespace
}  // namespace stickslip::svg_test
