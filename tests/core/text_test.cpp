/// Did-you-mean, number printing and safe one-line text.
#include "core/text.hpp"

#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <random>

namespace stickslip::text_test {
namespace {

const std::vector<std::string> models{"coulomb", "dahl", "lugre", "maxwell_slip"};

TEST(Text, EditsAreCountedWithSwapsAsOneAndWithoutCase) {
  EXPECT_EQ(edits_between("", "abc"), 3u);
  EXPECT_EQ(edits_between("lugre", "lugre"), 0u);
  EXPECT_EQ(edits_between("LuGre", "lugre"), 0u);
  EXPECT_EQ(edits_between("lurge", "lugre"), 1u);
  EXPECT_EQ(edits_between("kitten", "sitting"), 3u);
}

TEST(Text, NearestFindsSlipsOfTheFingerOnly) {
  EXPECT_EQ(nearest("lugr", models), "lugre");
  EXPECT_EQ(nearest("Dalh", models), "dahl");
  EXPECT_EQ(nearest("maxwel-slip", models), "maxwell_slip");
  EXPECT_EQ(nearest("hydraulic", models), std::nullopt);
  EXPECT_EQ(nearest("x", {"y"}), std::nullopt);
  EXPECT_EQ(nearest("", models), std::nullopt);
  EXPECT_EQ(nearest("--mas", {"--mat", "--mass"}), "--mass") << "of equally near words the longer form";
  EXPECT_EQ(nearest("coulomb", {"coulomb_force", "viscosity", "coulomb_force"}), "coulomb_force");
  EXPECT_EQ(nearest("stri", {"stribeck_velocity", "stribeck_exponent"}), std::nullopt);
}

TEST(Text, MessagesNameTheNearestOrListAll) {
  EXPECT_EQ(no_such("friction model", "lugr", models), "no friction model 'lugr'; did you mean 'lugre'");
  EXPECT_EQ(no_such("friction model", "zzz", models),
            "no friction model 'zzz'; there is coulomb, dahl, lugre, maxwell_slip");
  EXPECT_EQ(did_you_mean("a", {}), "there is none");
  EXPECT_EQ(did_you_mean("zzz", {"lugre", "dahl", "lugre"}), "there is lugre, dahl") << "each once";
  std::vector<std::string> names;
  for (int i = 0; i < 45; ++i) names.push_back("longer_name_" + std::to_string(i));
  const std::string many = did_you_mean("zzz", names);
  EXPECT_TRUE(many.ends_with(" and 5 more")) << many;
}

// A name of 3000 letters among the candidates made a message as long.
TEST(Text, LongCandidatesAreCut) {
  EXPECT_EQ(no_such("body", "load", {"engine", std::string(3000, 'x')}),
            "no body 'load'; there is engine, " + std::string(61, 'x') + "...");
}

TEST(Text, ShortestNumbersReadBackExactly) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-300, 300);
  for (int i = 0; i < 1000; ++i) {
    const double value = std::pow(10.0, exponent(random));
    const std::string text = shortest(value);
    double back = 0;
    std::from_chars(text.data(), text.data() + text.size(), back);
    EXPECT_EQ(back, value) << text;
  }
  EXPECT_EQ(shortest(0.1), "0.1");
  EXPECT_EQ(shortest(-std::nan("")), "nan");
  EXPECT_EQ(shortest(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(Text, SignificantDigitsAreRoundedAndLaidOutPlainly) {
  EXPECT_EQ(significant(0, 3), "0");
  EXPECT_EQ(significant(0.1, 3), "0.1");
  EXPECT_EQ(significant(-1234.56, 3), "-1230");
  EXPECT_EQ(significant(9.996, 3), "10");
  EXPECT_EQ(significant(6.512322314, 6), "6.51232");
  EXPECT_EQ(significant(0.00012345, 2), "0.00012");
  EXPECT_EQ(significant(1.25e-7, 3), "1.25e-7");
  EXPECT_EQ(significant(3e8, 3), "3e8");
  EXPECT_EQ(significant(std::nan(""), 3), "nan");
}

TEST(Text, UserTextCannotBreakALine) {
  EXPECT_EQ(one_line("a\nb\tc\r\x1b[31m\x7f"), "a\\nb\\tc\\r\\x1b[31m\\x7f");
  EXPECT_EQ(in_quotes("µm"), "'µm'");
  EXPECT_EQ(one_line(std::string(200, 'x')), std::string(200, 'x'));
  EXPECT_EQ(one_line(std::string(201, 'x')), std::string(197, 'x') + "...");
  EXPECT_EQ(one_line("µµµµµ", 8), "µµ...");  // two bytes each: never half a character
}

TEST(Text, TrimmedAndJoined) {
  EXPECT_EQ(trimmed(" \t a b\n"), "a b");
  EXPECT_EQ(trimmed("  "), "");
  EXPECT_EQ(joined({"a", "b"}), "a, b");
  EXPECT_EQ(joined({}), "");
}

}  // namespace
}  // namespace stickslip::text_test
