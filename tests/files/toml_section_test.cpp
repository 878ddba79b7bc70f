/// Values of a TOML table, read as whole numbers, quantities and words.
#include "files/toml_section.hpp"

#include <gtest/gtest.h>

namespace stickslip::toml_section_test {

// A double holds 2^53; seeds beyond it were rounded, and two of them gave the same noise.
TEST(TomlSection, WholeNumbersKeepAllTheirDigits) {
  const std::string file = "x.toml";
  const TomlValue table = parse_toml("a = 9007199254740993\nb = 9100000000000000001\nc = 1_000\nd = 0x10\n", file);
  const Section s(table, "", file);
  const Counts wide{1, 9.2e18, "a seed has 63 bits"};
  EXPECT_EQ(s.count("a", wide), 9007199254740993u);
  EXPECT_EQ(s.count("b", wide), 9100000000000000001u);
  EXPECT_EQ(s.count("c", wide), 1000u);
  EXPECT_EQ(s.count("d", wide), 16u);
  EXPECT_FALSE(s.count("e", wide));
}

}  // namespace stickslip::toml_section_test
