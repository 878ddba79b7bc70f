/// Numbers as text: the quick way must round exactly as the standard library does, whatever is written.
#include "recording/tables/cell.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>

namespace stickslip::cell_test {
namespace {

TEST(QuickNumber, RoundsAsTheStandardLibraryDoes) {
  std::mt19937_64 random(1);
  std::size_t quick = 0;
  for (int i = 0; i < 200000; ++i) {
    std::string text = random() % 2 ? "-" : "";
    for (std::size_t n = random() % 12; n > 0; --n) text += char('0' + random() % 10);
    if (random() % 2) text += '.';
    for (std::size_t n = random() % 9; n > 0; --n) text += char('0' + random() % 10);
    if (random() % 3 == 0) text += "e" + std::to_string(int(random() % 61) - 30);
    text += '\n';
    double value = 0;
    const char* end = quick_number(text.c_str(), '.', value);
    if (!end) continue;
    ++quick;
    char* expected_end = nullptr;
    const double expected = std::strtod(text.c_str(), &expected_end);
    ASSERT_EQ(value, expected) << text;
    ASSERT_EQ(end, expected_end) << text;
  }
  EXPECT_GT(quick, 100000u);
}

TEST(Cell, NamesWhatIsNoNumber) {
  const auto kind = [](const char* text) { return read_cell(text, '.').kind; };
  EXPECT_EQ(kind(" +1.5 "), CellKind::number);
  EXPECT_EQ(kind("+-1"), CellKind::not_a_number);
  EXPECT_EQ(kind("-"), CellKind::missing);
  EXPECT_EQ(kind(" "), CellKind::empty);
  EXPECT_EQ(kind("NaN"), CellKind::not_finite);
  EXPECT_EQ(kind("-inf"), CellKind::not_finite);
  EXPECT_EQ(kind("1e400"), CellKind::overflow);
  EXPECT_EQ(kind("-1e99999999999999999999"), CellKind::overflow);
  EXPECT_EQ(kind("0.0001e-330"), CellKind::underflow);
  EXPECT_EQ(kind("1e-99999999999999999999"), CellKind::underflow);
  EXPECT_EQ(kind("0x10"), CellKind::not_a_number);
  EXPECT_EQ(kind("1.5e"), CellKind::not_a_number);
  EXPECT_EQ(read_cell("1,5", ',').value, 1.5);
  EXPECT_EQ(read_cell("1.5", ',').kind, CellKind::not_a_number);  // mixed marks: which one is it?
}

}  // namespace
}  // namespace stickslip::cell_test
