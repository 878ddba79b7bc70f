/// Headers carry units, numbers read back exactly, and a crooked table is refused.
#include "files/csv.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"

namespace stickslip::csv_test {
namespace {

std::string message_of(const Table& table) {
  try {
    to_csv(table);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Csv, HeadersAreNameAndUnitInOneWord) {
  EXPECT_EQ(header({"time", "s", {}}), "time_s");
  EXPECT_EQ(header({"velocity", "m/s", {}}), "velocity_m_s");
  EXPECT_EQ(header({"acceleration", "m/s^2", {}}), "acceleration_m_s2");
  EXPECT_EQ(header({"damping", "N s/m", {}}), "damping_N_s_m");
  EXPECT_EQ(header({"mode", "", {}}), "mode");
  EXPECT_EQ(header({"ratio", "1", {}}), "ratio");
  EXPECT_EQ(header({"error", "%", {}}), "error_percent");
}

TEST(Csv, RowsAreWrittenInTheFewestExactDigits) {
  const Table table{{{"time", "s", {0, 0.1}}, {"force", "N", {1e-5, std::nan("")}}, {"a,\"b", "", {-1, 2}}}};
  EXPECT_EQ(to_csv(table), "time_s,force_N,\"a,\"\"b\"\n0,1e-05,-1\n0.1,nan,2\n");
  EXPECT_EQ(to_csv({}), "");
}

TEST(Csv, CrookedTablesAreRefused) {
  EXPECT_EQ(message_of({{{"time", "s", {0, 1}}, {"force", "N", {1}}}}),
            "result column 'force_N' has 1 rows where 'time_s' has 2");
  EXPECT_EQ(message_of({{{"time", "s", {0}}, {"time", "s", {1}}}}), "two result columns are called 'time_s'");
  EXPECT_EQ(message_of({{{"", "s", {0}}}}), "a result column has no name");
}

}  // namespace
}  // namespace stickslip::csv_test
