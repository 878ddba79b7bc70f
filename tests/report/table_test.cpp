/// Tables line up, also with Greek letters, and are coloured only when asked.
#include "report/table.hpp"

#include <gtest/gtest.h>

namespace stickslip::table_test {
namespace {

const TextTable sample{.columns = {"quantity", "σ₀ [N/m]", "note"},
                       .rows = {{"period", "6.5", "ok"}, {}, {"µ-slip", "-12", "no"}, {"short", "-"}}};

TEST(TextTable, NumbersStandRightAndWordsLeft) {
  EXPECT_EQ(to_text(sample),
            "quantity  σ₀ [N/m]  note\n"
            "────────────────────────\n"
            "period         6.5  ok\n"
            "────────────────────────\n"
            "µ-slip         -12  no\n"
            "short            -\n");
}

TEST(TextTable, ColourMarksOkAndNoOnlyWhenAsked) {
  EXPECT_EQ(to_text(sample).find('\x1b'), std::string::npos);
  const std::string bright = to_text(sample, {.colour = true});
  EXPECT_NE(bright.find("\x1b[32mok\x1b[0m"), std::string::npos);
  EXPECT_NE(bright.find("\x1b[31mno\x1b[0m"), std::string::npos);
}

TEST(TextTable, IndentsAndBearsBeingEmpty) {
  EXPECT_EQ(to_text({.columns = {}, .rows = {{"a", "1"}}}, {.indent = "  "}), "  a  1\n");
  EXPECT_EQ(to_text({}), "");
}

// Three ways out, each where the one before does not help; no line may be longer than asked, no number broken.
TEST(TextTable, FitsTheWidthItIsGiven) {
  const TextTable table{.columns = {"parameter", "standard error", "what it says"},
                        .rows = {{"viscosity", "12.5 N s/m", "not separable from the Coulomb level"}}};
  EXPECT_EQ(to_text(table, {.width = 62}),
            "parameter       standard  what it says\n"
            "                   error\n"
            "──────────────────────────────────────────────────────────────\n"
            "viscosity     12.5 N s/m  not separable from the Coulomb level\n");
  EXPECT_EQ(to_text(table, {.width = 45}),
            "parameter    standard  what it says\n"
            "                error\n"
            "─────────────────────────────────────────────\n"
            "viscosity  12.5 N s/m  not separable from the\n"
            "                       Coulomb level\n");
  EXPECT_EQ(to_text(table, {.width = 30}),
            "parameter: viscosity\n"
            "standard error: 12.5 N s/m\n"
            "what it says: not separable\n"
            "  from the Coulomb level\n");
}

TEST(TextTable, ListsOfNumbersAndSentencesAreBrokenAfterWholeQuantities) {
  const TextTable list{.columns = {},
                       .rows = {{"speeds", "200 um/s, 757 um/s, 2.87 mm/s, 10.9 mm/s"}, {"known to", "1 %"}}};
  EXPECT_EQ(to_text(list, {.width = 34}),
            "speeds         200 um/s, 757 um/s,\n"
            "              2.87 mm/s, 10.9 mm/s\n"
            "known to                       1 %\n");
}

TEST(TextTable, MarkdownAlignsNumbersAndEscapesBars) {
  EXPECT_EQ(to_markdown({.columns = {"a", "n"}, .rows = {{"x|y", "1"}, {"z"}}}),
            "| a | n |\n|---|---:|\n| x\\|y | 1 |\n| z |  |\n");
}

}  // namespace
}  // namespace stickslip::table_test
