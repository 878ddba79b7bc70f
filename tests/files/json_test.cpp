/// The text is valid JSON whatever goes in, and in the order it went in.
#include "files/json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace stickslip::json_test {
namespace {

TEST(Json, ValuesAreWrittenAsRfc8259Says) {
  EXPECT_EQ(Json().text(), "null");
  EXPECT_EQ(Json(true).text(), "true");
  EXPECT_EQ(Json(42).text(), "42");
  EXPECT_EQ(Json(std::size_t{7}).text(), "7");
  EXPECT_EQ(Json(0.1).text(), "0.1");
  EXPECT_EQ(Json(1e-300).text(), "1e-300");
  EXPECT_EQ(Json("x").text(), "\"x\"");
  EXPECT_EQ(Json(std::nan("")).text(), "null");
  EXPECT_EQ(Json(-std::numeric_limits<double>::infinity()).text(), "null");
}

TEST(Json, StringsAreEscapedAndRepaired) {
  EXPECT_EQ(json_string("a\"b\\c\n\t\r\x01"), "\"a\\\"b\\\\c\\n\\t\\r\\u0001\"");
  EXPECT_EQ(json_string("σ₀ µm 😀"), "\"σ₀ µm 😀\"");
  EXPECT_EQ(json_string("\x7f"), "\"\\u007f\"");  // model files, which are TOML, may not hold it as it is
  EXPECT_EQ(json_string("\xff"), "\"\uFFFD\"");
  EXPECT_EQ(json_string("\xc0\xaf"), "\"\uFFFD\uFFFD\"");            // overlong
  EXPECT_EQ(json_string("\xed\xa0\x80"), "\"\uFFFD\uFFFD\uFFFD\"");  // half a surrogate pair
  EXPECT_EQ(json_string("a\xe2\x82"), "\"a\uFFFD\uFFFD\"");          // cut off
}

TEST(Json, ObjectsKeepTheirOrderAndMembersAreReplaced) {
  Json report;
  report["z"] = 1;
  report["a"]["inner"] = "x";
  report["z"] = 2;
  EXPECT_EQ(report.text(-1), R"({"z":2,"a":{"inner":"x"}})");
  EXPECT_EQ(report.text(), "{\n  \"z\": 2,\n  \"a\": {\n    \"inner\": \"x\"\n  }\n}");
}

TEST(Json, ListsOfPlainValuesStayOnOneLine) {
  Json list = Json::array({1, 2.5, "three"});
  EXPECT_EQ(list.text(), "[1, 2.5, \"three\"]");
  EXPECT_EQ(Json(std::vector<double>{1, 2}).text(-1), "[1,2]");
  list.push_back(Json::object({{"k", nullptr}}));
  EXPECT_EQ(list.text(-1), R"([1,2.5,"three",{"k":null}])");
  EXPECT_EQ(Json::array().text(), "[]");
  EXPECT_EQ(Json::object().text(), "{}");
}

}  // namespace
}  // namespace stickslip::json_test
