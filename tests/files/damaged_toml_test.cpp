/// No TOML can crash the readers: the examples, damaged at random or nested without end, are read or end in an Error of one
/// line with file and line.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "core/error.hpp"
#include "files/toml_document.hpp"
#include "machines/clutch_by_wire/clutch_by_wire_file.hpp"
#include "machines/cylinder/cylinder_file.hpp"
#include "machines/friction/model_file.hpp"
#include "machines/machine_kind.hpp"
#include "machines/mechanism/dual_clutch_file.hpp"
#include "machines/mechanism/mechanism_file.hpp"
#include "machines/one_body/one_body_file.hpp"
#include "machines/servo_pendulum/servo_file.hpp"
#include "support/cases.hpp"
#include "support/damage.hpp"
#include "support/places.hpp"

namespace stickslip::damaged_toml_test {
namespace {

std::string refusal_of(const std::string& text) {
  try {
    parse_toml(text, "a.toml");
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}
std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}
constexpr const char* too_deep =
    ": keys, tables and lists are nested more than 32 levels deep; the limit protects against damaged files";

// A dotted key of 50 000 parts ended in a segmentation fault.
TEST(Toml, NestingWithoutEndIsRefusedWithItsLine) {
  for (const int depth : {40, 1000, 100'000}) {
    const auto deep = [&](const std::string& line) { return "# first\n" + line + "\n"; };
    for (const std::string& line :
         {repeated("a.", depth) + "a = 1", repeated("\"a\" . ", depth) + "a = 1", "[" + repeated("a.", depth) + "a]",
          "[[" + repeated("a.", depth) + "a]]", "a = " + repeated("[", depth) + repeated("]", depth),
          "a = " + repeated("{a = ", depth) + "1" + repeated("}", depth), "a = {" + repeated("a.", depth) + "a = 1}",
          "a = " + repeated("[{a.b = ", depth) + "1", "a = [" + repeated("{b.c=[1, 2, \"]\", ", depth)})
      EXPECT_EQ(refusal_of(deep(line)), "a.toml:2" + std::string(too_deep)) << line.substr(0, 40);
  }
  // A table inside a list inside a table, each of them below the limit.
  EXPECT_EQ(refusal_of("[" + repeated("a.", 15) + "a]\nb = 1\n" + repeated("c.", 10) + "c = [{" + repeated("d.", 8) +
                       "d = 1}]\n"),
            "a.toml:3" + std::string(too_deep));
}

TEST(Toml, WhatLooksNestedInTextsAndCommentsIsNot) {
  const std::string dots = repeated("[.{", 100);
  EXPECT_EQ(refusal_of("# " + dots + "\na = \"" + dots + "\\\"" + dots + "\"\nb = '" + dots + "\\'\nc = \"\"\"\n" +
                       dots + "\n\"" + dots + "\"\"\"\nd = '''\n" + dots + "'''\n"),
            "accepted");
  std::string numbers = "a = [";
  for (int i = 0; i < 1000; ++i) numbers += "1.5, [2.5],\n";
  EXPECT_EQ(refusal_of(numbers + "]\n" + repeated("[t]\nx.y = 1\n", 1)), "accepted");
  EXPECT_EQ(refusal_of("[" + repeated("a.", 30) + "a]\n"), "accepted");
}

// Each text looked through the rest of its line: 400 000 of them in 1.2 MB took minutes.
TEST(Toml, ManyTextsInOneLineTakeTimeByTheirSize) {
  std::string text = "a = [";
  for (int i = 0; i < 200'000; ++i) text += "'',\"\",";
  const std::clock_t start = std::clock();
  EXPECT_EQ(refusal_of(text + "'\xc3\xa4']\n"), "accepted");
  EXPECT_LT(double(std::clock() - start) / CLOCKS_PER_SEC, 10);
}

TEST(Toml, MoreThanAnyTomlFileIsRefusedByItsSize) {
  EXPECT_EQ(refusal_of("title = '" + std::string(std::size_t(20) << 20, 'x') + "'\n"),
            "a.toml: 20 MB are no TOML file; at most 16 MB are read, recordings belong into a file of their own");
}

// The library that read TOML before had undefined behaviour for each of them: found by the fuzzer.
TEST(Toml, WhatAnotherParserMisreadIsRefusedOrRead) {
  for (const std::string text :
       {"visc\xc2\xb9osity = 2\n", "[x\xc2\xb9]\n", "a = \xce\xbc\n", "a\xff = 1\n", "a = 1 \x18\n",
        "a = 66['''\xc2\xb3", "a = 66[\"\"\"6\"\"\"6-'''6\xc2\xb3", "a = 1'''\xc2\xb3'''", "a = tru'''\xc2\xb3",
        "a = 1010-10-g= 1 10", "a = 2020-10-10 1 ", "a = 2020-10-10 1\n", "a = 2_020-10-10 1,", "a = 66\"x\"",
        "a = 0--'----o- 0,-'"})
    EXPECT_TRUE(refusal_of("\n" + text).starts_with("a.toml:2: not TOML: ")) << refusal_of(text);
  for (const std::string start : {"!", "=", "#", "\n", ".", "{", ",", "["})
    for (const std::string& header : {"[ " + start + "x]\n", "[[ " + start + "x]]\n"})
      EXPECT_TRUE(refusal_of("\n" + header).starts_with("a.toml:2: not TOML: the name of a table "))
          << refusal_of("\n" + header);
  for (const std::string header : {"[[[x]]]", "[[ [x]]", "[[[[[[x]"})
    EXPECT_TRUE(refusal_of(header).starts_with("a.toml:1: not TOML: the name of a table ")) << header;
  EXPECT_EQ(refusal_of("[a]\n[ b ]\n[[c]]\n[[ d ]]\n[\"e\"]\n[['f'.g]]\nx = [[[1]], [ [ 2]]]\n"), "accepted");
  EXPECT_EQ(refusal_of("a = [\n[1, 2], }[3]]\n"), "a.toml:2: not TOML: a value is expected, not '}'");
  EXPECT_EQ(refusal_of("\xef\xbb\xbf\"a\" = 1\n[\"t\"]\n[[ 'u' ]]\nx=\"y\" # \xce\xbc \"no\" 'text'\n"), "accepted");
}

// In all four kinds of quotes and in keys.
TEST(TomlProperty, CharactersInQuotesAreReadAsWritten) {
  const std::vector<std::string> pieces{"a",
                                        " ",
                                        "#",
                                        "[",
                                        "=",
                                        "\\",
                                        "\"",
                                        "'",
                                        "\xc2\xb5",
                                        "\xcf\x83",
                                        "\xe2\x82\xac",
                                        "\xf0\x9f\x98\x80",
                                        "\xc2\xa0",
                                        "\xef\xbb\xbf",
                                        "\xd2\x99",
                                        "\xc3\xa4"};
  std::mt19937_64 random(5);
  const auto drawn = [&](const std::string& without) {
    std::string text;
    for (std::size_t n = random() % 8; n-- > 0;)
      if (const std::string& piece = pieces[random() % pieces.size()]; piece != without) text += piece;
    return text;
  };
  const auto escaped = [](const std::string& text) {
    std::string all;
    for (const char c : text) all += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return all;
  };
  const auto characters = [](const std::string& text) {
    return int(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
  };
  const std::string comment = " # '\xc2\xb5\n", line_end = "\n";
  for (std::size_t i = 0, count = test::cases(3000); i < count && !HasFailure(); ++i) {
    const std::string basic = drawn(""), literal = drawn("'"), long_basic = "x" + drawn("");
    std::string long_literal = "x" + drawn("'");
    const bool is_longer = random() % 2 == 0;
    if (is_longer) long_literal += line_end + drawn("'");
    const std::string key = "k" + drawn(""), other = "l" + drawn("'"), table = "t" + drawn("'");
    const std::string more(random() % 3, '\'');
    std::string text = "\"" + escaped(key) + "\" = \"" + escaped(basic) + "\"" + comment;
    text += "'" + other + "' = ['" + literal + "', 7]" + comment;
    text += "long = \"\"\"\\\n  " + escaped(long_basic) + "\n\"\"\"\n";
    text += "also = '''" + long_literal + more + "'''" + comment;
    text += "['" + table + "']\nx = 1\n";
    SCOPED_TRACE(text);
    const TomlValue read = parse_toml(text, "a.toml");
    ASSERT_EQ(read.members.size(), 5u);
    EXPECT_EQ(read.members[0].key, key);
    EXPECT_EQ(read.members[0].value.text, basic);
    EXPECT_EQ(read.members[1].key, other);
    ASSERT_EQ(read.members[1].value.items.size(), 2u);
    EXPECT_EQ(read.members[1].value.items[0].text, literal);
    const std::string before = "'" + other + "' = ['" + literal + "', ";
    EXPECT_EQ(read.members[1].value.items[1].column, 1 + characters(before));
    EXPECT_EQ(read.members[2].value.text, long_basic + line_end);
    EXPECT_EQ(read.members[3].value.text, long_literal + more);
    EXPECT_EQ(read.members[4].key, table);
    EXPECT_EQ(read.members[4].value.line, is_longer ? 8 : 7);
  }
}

/// Every reader of text that a file of this kind may go to.
void read_all(const std::string& text) {
  const auto tried = [](const auto& read) {
    try {
      read();
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_FALSE(message.empty());
      for (const char c : message) ASSERT_FALSE(std::iscntrl(static_cast<unsigned char>(c))) << message;
    }
  };
  bool is_toml = false;
  tried([&] { parse_toml(text, "a.toml"), is_toml = true; });
  if (!is_toml) return;
  tried([&] {
    const TomlValue document = parse_toml(text, "a.toml");
    machine_kind_of(document, "a.toml").build(document, "a.toml");
  });
  tried([&] { parse_model_file(text, "a.toml"); });
}

TEST(DamagedTomlProperty, EveryReaderEndsInAMachineOrInAnError) {
  std::vector<std::string> seeds;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source_dir() + "/examples")) {
    if (entry.path().extension() != ".toml") continue;
    std::ifstream in(entry.path());
    std::ostringstream text;
    text << in.rdbuf();
    seeds.push_back(text.str());
  }
  std::sort(seeds.begin(), seeds.end());
  ASSERT_GT(seeds.size(), 10u);
  const std::size_t count = test::cases(10000);
  std::mt19937_64 random(21);
  std::size_t refused = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string text = test::damaged(seeds[i % seeds.size()], random);
    refused += refusal_of(text) != "accepted";
    read_all(text);
    if (HasFatalFailure()) FAIL() << "case " << i;
  }
  EXPECT_GT(refused, count / 20);
  EXPECT_LT(refused, count);
  std::cout << count << " damaged TOML files, " << refused << " of them no TOML\n";
}

}  // namespace
}  // namespace stickslip::damaged_toml_test
