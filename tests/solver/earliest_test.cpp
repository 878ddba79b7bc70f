/// The calendar against a plain search through all its times.
#include "solver/earliest.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace stickslip::earliest_test {
namespace {

TEST(Earliest, NamesTheFirstOfTheSmallestTimesHoweverTheyChange) {
  std::mt19937_64 random(3);
  for (const std::size_t entries : {1u, 2u, 15u, 16u, 17u, 99u, 1000u}) {
    SCOPED_TRACE(entries);
    Earliest calendar(entries);
    std::vector<double> plain(entries, Earliest::never);
    EXPECT_EQ(calendar.first().time, Earliest::never);
    for (int change = 0; change < 500; ++change) {
      const std::size_t first = random() % entries, last = std::min(entries - 1, first + random() % 5);
      for (std::size_t i = first; i <= last; ++i) {
        plain[i] = random() % 4 == 0 ? Earliest::never : static_cast<double>(random() % 50);  // ties are common
        calendar.put(i, plain[i]);
      }
      calendar.refresh(first, last);
      const auto expected = std::min_element(plain.begin(), plain.end());
      ASSERT_EQ(calendar.first().time, *expected);
      if (*expected < Earliest::never) {
        ASSERT_EQ(calendar.first().entry, static_cast<std::size_t>(expected - plain.begin()));
      }
      ASSERT_EQ(calendar[first], plain[first]);
    }
  }
}

}  // namespace
}  // namespace stickslip::earliest_test
