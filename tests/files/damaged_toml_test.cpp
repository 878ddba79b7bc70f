/// No TOML can crash the readers: the examples, damaged at random or nested without end, are read or end in an Error of one
/// line with file and line.
#include <gtest/gtest.h>

#include <cctype>
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
          "a = " + repeated("[{a.b = ", depth) + "1", "a = [" + repeated("{b.c=[1, 2, \"]\"", depth)})
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
