/// Ranges by unit, in words, and the page that lists them.
#include "core/range.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <sstream>

#include "core/text.hpp"
#include "support/places.hpp"

namespace stickslip::range_test {
namespace {

TEST(Range, IsThatOfTheQuantityWhateverItsPrefix) {
  for (const char* unit : {"kg", "g", "lb"}) EXPECT_EQ(magnitude_of(unit).quantity, "mass") << unit;
  for (const char* unit : {"m", "um", "in"}) EXPECT_EQ(magnitude_of(unit).quantity, "length") << unit;
  EXPECT_EQ(magnitude_of("kg m^2").quantity, "inertia about an axis");
  EXPECT_EQ(magnitude_of("N m/rad").quantity, "rotary stiffness");
  EXPECT_EQ(magnitude_of("N m").quantity, "torque or energy");
  EXPECT_EQ(magnitude_of("rad").quantity, "angle");
  EXPECT_EQ(magnitude_of("Hz").quantity, "frequency");
  EXPECT_EQ(magnitude_of("rad/s").quantity, "angular velocity");
  EXPECT_EQ(magnitude_of("1/s").quantity, "rate");
  EXPECT_EQ(magnitude_of("1").quantity, "plain number");
  EXPECT_EQ(magnitude_of("").quantity, "plain number");
  EXPECT_EQ(magnitude_of("N m s^2/rad^2").quantity, "inertia about an axis");  // the same dimension, rad being a number
  EXPECT_EQ(magnitude_of("N s^2/m^2").quantity, "any other");
}

TEST(Range, SaysInWordsWhatIsWrong) {
  const Range mass = range_of("kg", Sign::positive);
  EXPECT_EQ(refusal(1, "kg", mass), "");
  EXPECT_EQ(refusal(1e-12, "kg", mass), "");
  EXPECT_EQ(refusal(-1, "kg", mass), "is -1 kg; it must be positive");
  EXPECT_EQ(refusal(0, "kg", mass), "is 0 kg; it must be positive");
  EXPECT_EQ(refusal(1e308, "kg", mass),
            "is 1e308 kg; it must lie between 1e-12 kg and 1e12 kg: from a speck of dust to a mountain");
  EXPECT_EQ(refusal(1e-320, "kg", mass),
            "is 9.99989e-321 kg; it must lie between 1e-12 kg and 1e12 kg: from a speck of dust to a mountain");
  EXPECT_EQ(refusal(std::numeric_limits<double>::quiet_NaN(), "kg", mass), "is nan kg; it must be a number");
  const Range damping = range_of("N s/m", Sign::not_negative);
  EXPECT_EQ(refusal(0, "N s/m", damping), "");
  EXPECT_EQ(refusal(-2, "N s/m", damping), "is -2 N s/m; it must be zero or positive");
  EXPECT_EQ(refusal(1e-20, "N s/m", damping),
            "is 1e-20 N s/m; it must be 0 or lie between 1e-15 N s/m and 1e15 N s/m: beyond it nothing moves");
  EXPECT_EQ(refusal(-1e13, "m", range_of("m", Sign::any)),
            "is -1e13 m; it must lie between -1e12 m and 1e12 m: from far below an atom to beyond the planets");
  EXPECT_EQ(refusal(1e-320, "m", range_of("m", Sign::any)), "");  // of either sign: as good as zero
}

TEST(Range, ACountIsAWholeNumberWrittenWithDigits) {
  const Counts few{1, 100, "more take hours"};
  for (const char* text : {"1", "100", "007"}) EXPECT_EQ(refusal_of_count(text, few), "") << text;
  for (const char* text : {"0", "101", "-1", "1.5", "1e1", "", " 5", "5 ", "0x10", "18446744073709551617", "nan"})
    EXPECT_EQ(refusal_of_count(text, few),
              "is '" + std::string(text) + "'; a whole number from 1 to 100 is needed: more take hours");
  EXPECT_EQ(refusal_of_count("1025", {0, 1024, ""}), "is '1025'; a whole number from 0 to 1024 is needed")
      << "not rounded";
  EXPECT_EQ(refusal_of_count(std::string(400, '9'), few).size(), refusal_of_count(std::string(4000, '9'), few).size());
}

// docs/ranges.md has every row as it is.
TEST(Range, ThePageOfRangesIsCurrent) {
  std::ifstream in(source_dir() + "/docs/ranges.md");
  std::stringstream all;
  all << in.rdbuf();
  for (const Magnitude& m : magnitudes()) {
    const std::string row = "| " + std::string(m.quantity) + " | " + (m.unit.empty() ? "" : std::string(m.unit)) +
                            " | " + significant(m.smallest, 3) + " | " + significant(m.largest, 3) + " | " +
                            std::string(m.why) + " |";
    EXPECT_NE(all.str().find(row), std::string::npos) << row;
  }
}

}  // namespace
}  // namespace stickslip::range_test
