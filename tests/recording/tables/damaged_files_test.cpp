/// No file can crash the readers: small valid files of every format, damaged at random, end in a recording or in an Error
/// of one line, soon and without taking much memory.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cctype>
#include <ctime>
#include <iostream>

#include "recording/tables/file_seeds.hpp"
#include "recording/tables/xlsx_writer.hpp"
#include "support/cases.hpp"
#include "support/damage.hpp"

namespace stickslip::damaged_files_test {
namespace {

using namespace made;

constexpr double longest_case = 20;     // seconds of CPU, with sanitizers
constexpr long most_memory = 3l << 20;  // kB at the peak; a file may expand to 256 MB, copied a few times
constexpr std::size_t longest_message = 200;

/// Damages the seeds so many times; what is read and what is refused is counted.
void expect_no_crash(const std::vector<std::string>& seeds, const std::string& ending, std::size_t count) {
  ReadOptions options;
  options.needed = {};  // a column that lost its name is no reason to stop
  const TemporaryFile file("", ending);
  for (const std::string& seed : seeds) {
    file.write(seed);
    EXPECT_NO_THROW(read_recording(file.path(), {.needed = {}, .missing = Missing::drop}));
  }
  std::mt19937_64 random(20);
  std::size_t refused = 0;
  for (std::size_t i = 0; i < count; ++i) {
    file.write(test::damaged(seeds[i % seeds.size()], random));
    const std::clock_t start = std::clock();
    try {
      options.missing = i % 2 ? Missing::drop : Missing::refuse;
      read_recording(file.path(), options);
    } catch (const Error& error) {
      ++refused;
      const std::string text = error.what();
      ASSERT_LE(text.size(), longest_message) << text;
      for (const char c : text) ASSERT_FALSE(std::iscntrl(static_cast<unsigned char>(c))) << text;
    }
    ASSERT_LT(double(std::clock() - start) / CLOCKS_PER_SEC, longest_case) << "case " << i;
  }
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  EXPECT_LT(used.ru_maxrss, most_memory);
  EXPECT_GT(refused, count / 20);
  EXPECT_LT(refused, count);
  std::cout << ending << ": " << count << " damaged files, " << refused << " refused, " << count - refused << " read\n";
}

TEST(DamagedFileProperty, MatV5) { expect_no_crash(mat_v5_seeds(), ".mat", test::cases(20000)); }
TEST(DamagedFileProperty, MatV73) { expect_no_crash(mat_v73_seeds(), ".mat", test::cases(20000)); }
TEST(DamagedFileProperty, Npz) { expect_no_crash(npz_seeds(), ".npz", test::cases(20000)); }
TEST(DamagedFileProperty, Xlsx) { expect_no_crash(xlsx_seeds(), ".xlsx", test::cases(5000)); }
TEST(DamagedFileProperty, Text) { expect_no_crash(text_seeds(), ".csv", test::cases(20000)); }

}  // namespace
}  // namespace stickslip::damaged_files_test
