/// Reports as HTML: what is in the file. How it behaves in a browser is tested in tests/browser.
#include "report/page.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "report/page_figure.hpp"

namespace stickslip::page_test {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

std::string page_of(Block block) {
  Page page{.title = "A page"};
  page.blocks.push_back(std::move(block));
  return to_html(page);
}

Figure figure_of(const std::vector<double>& x, const std::vector<double>& y) {
  return {.panels = {{.x = {"time", "s"}, .y = {"force", "N"}, .series = {{.name = "measured", .x = x, .y = y}}}}};
}

// The examples of RFC 4648, section 10.
TEST(Base64, EncodesTheExamplesOfItsStandard) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

TEST(JsonText, CannotEndAScriptElement) {
  EXPECT_EQ(json_text("a \"b\" \\ </script>\n"), "\"a \\\"b\\\" \\\\ \\u003c/script>\\n\"");
}

TEST(Page, WordsOfTheUserCannotBecomeMarkup) {
  const std::string html = page_of(Paragraph{"<img src=x onerror=alert(1)> & `code <b>` and a lone `tick"});
  EXPECT_EQ(html.find("<img"), std::string::npos);
  EXPECT_NE(html.find("<code>code &lt;b&gt;</code> and a lone `tick"), std::string::npos);
}

TEST(Page, AsksForNothingFromOutside) {
  const std::string html = page_of(FigureBlock{figure_of({0, 1, 2}, {1, 3, 2}), "f"});
  EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
  for (const char* way : {"src=\"http", "href=\"http", "@import", "url(http", "fetch("})
    EXPECT_EQ(html.find(way), std::string::npos) << way;
  EXPECT_LT(html.size(), 100'000u);
}

TEST(Page, FigureStandsAsDataAndAsDrawingForReadersWithoutScripts) {
  const std::string html = page_of(FigureBlock{figure_of({0, 1, 2}, {1, 3, 2}), "f"});
  EXPECT_NE(html.find("<noscript><svg"), std::string::npos);
  EXPECT_NE(html.find("\"name\":\"measured\""), std::string::npos);
}

TEST(Page, ColumnSharedBySeveralSeriesIsStoredOnce) {
  const std::vector<double> x{0, 0.1, 0.5}, y{1, 3, 2};
  Figure figure = figure_of(x, y);
  figure.panels.push_back(figure.panels.front());
  figure.panels.back().series.front().y = {4, 5, 6.5};
  EXPECT_EQ(count(page_of(FigureBlock{figure, "f"}), "<script type=\"text/plain\""), 3u);
}

TEST(Page, ToneFollowsTheWordUnlessItIsNamed) {
  const std::string html =
      page_of(PageTable{.columns = {"a", "b"}, .rows = {{"ok", "no"}, {PageCell("ok", Tone::bad), ""}}});
  EXPECT_EQ(count(html, "class=\" good\""), 1u);
  EXPECT_EQ(count(html, "class=\" bad\""), 2u);
}

TEST(ColumnPool, EvenGridIsTwoNumbers) {
  std::vector<double> time;
  for (int i = 0; i <= 100'000; ++i) time.push_back(i * 1e-3);
  ColumnPool pool;
  pool.add(time, ColumnPool::Scale::linear);
  EXPECT_NE(pool.html().find("data-kind=\"grid\" data-from=\"0\" data-step=\"0.001\""), std::string::npos);
}

TEST(ColumnPool, OneSampleOffTheGridIsKept) {
  std::vector<double> time;
  for (int i = 0; i <= 1000; ++i) time.push_back(i * 1e-3);
  time[500] += 1e-6;
  ColumnPool pool;
  pool.add(time, ColumnPool::Scale::linear);
  EXPECT_EQ(pool.html().find("grid"), std::string::npos);
}

TEST(ColumnPool, LongColumnsAreStoredInStepsUnlessTheirAxisIsLogarithmic) {
  std::vector<double> values;
  for (int i = 0; i < 30'000; ++i) values.push_back(std::sin(i) * 1e-6);
  values[7] = std::numeric_limits<double>::quiet_NaN();
  ColumnPool linear, logarithmic;
  linear.add(values, ColumnPool::Scale::linear);
  logarithmic.add(values, ColumnPool::Scale::logarithmic);
  EXPECT_NE(linear.html().find("i32"), std::string::npos);
  EXPECT_NE(logarithmic.html().find("f64"), std::string::npos);
  EXPECT_LT(linear.html().size(), values.size() * 4 * 4 / 3 + 300);
}

}  // namespace
}  // namespace stickslip::page_test
