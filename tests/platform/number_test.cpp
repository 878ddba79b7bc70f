/// Numbers come back bit for bit, by the standard library and by strtod, and both refuse the same texts.
#include "platform/number.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

namespace stickslip::number_test {
namespace {

struct Found {
  std::ptrdiff_t length;
  std::errc problem;
  std::uint64_t bits;
  bool operator==(const Found&) const = default;
};

template <class Reader>
Found found_by(Reader read, const std::string& text) {
  double value = 7;  // stays if nothing is read
  const auto [end, problem] = read(text.data(), text.data() + text.size(), value);
  return {end - text.data(), problem, std::isnan(value) ? 0 : std::bit_cast<std::uint64_t>(value)};
}

TEST(Number, RandomDoublesComeBackBitForBit) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 100000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    std::array<char, 64> text;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    for (const auto read : {&read_number, &read_number_by_strtod}) {
      double back = 0;
      const auto result = read(text.data(), end, back);
      ASSERT_EQ(result.ptr, end);
      ASSERT_EQ(result.ec, std::errc());
      ASSERT_EQ(std::bit_cast<std::uint64_t>(back), std::bit_cast<std::uint64_t>(value));
    }
  }
}

TEST(Number, BothReadersTakeAndRefuseTheSame) {
  for (const std::string text : {"1.5 N",
                                 "-2",
                                 ".5",
                                 "5.",
                                 "5.e3x",
                                 "1e",
                                 "1e+",
                                 "1e+5",
                                 "+1",
                                 "",
                                 "-",
                                 ".",
                                 "e5",
                                 " 1",
                                 "0x10",
                                 "1,5",
                                 "inf",
                                 "-Infinity",
                                 "infinit",
                                 "nan",
                                 "nan(ab_1)",
                                 "nan(",
                                 "na",
                                 "1e400",
                                 "-1e400",
                                 "1e-400",
                                 "0e-400",
                                 "4.9e-324",
                                 "2.4703282292062327e-324",
                                 "2.4703282292062328e-324",
                                 "1.7976931348623158e308",
                                 "1.7976931348623159e308",
                                 "9007199254740993",
                                 "9007199254740993.00000000000000000000000001",
                                 "2.2250738585072011e-308"})
    EXPECT_EQ(found_by(read_number, text), found_by(read_number_by_strtod, text)) << "'" << text << "'";
}

TEST(Number, StopsBehindTheNumber) {
  EXPECT_EQ(found_by(read_number, "1.5 N"), (Found{3, std::errc(), std::bit_cast<std::uint64_t>(1.5)}));
  EXPECT_EQ(found_by(read_number, "1e5m"), (Found{3, std::errc(), std::bit_cast<std::uint64_t>(1e5)}));
  EXPECT_EQ(found_by(read_number, "x").problem, std::errc::invalid_argument);
  EXPECT_EQ(found_by(read_number, "1e999").problem, std::errc::result_out_of_range);
}

}  // namespace
}  // namespace stickslip::number_test
