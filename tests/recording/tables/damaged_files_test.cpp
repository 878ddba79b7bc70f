/// No file can crash the readers: small valid files of every format, damaged at random, end in a recording or in an Error
/// of one line, soon and without taking much memory.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cctype>
#include <ctime>
#include <iostream>

#include "recording/tables/binary_writers.hpp"
#include "recording/tables/kept_hdf5_files.hpp"
#include "recording/tables/mat_v73_writer.hpp"
#include "support/cases.hpp"
#include "support/damage.hpp"

namespace stickslip {
namespace {

using namespace made;

constexpr double longest_case = 20;     // seconds of CPU, with sanitizers
constexpr long most_memory = 3l << 20;  // kB at the peak; a file may expand to 256 MB, copied a few times
constexpr std::size_t longest_message = 200;

std::vector<double> numbers(std::size_t count, double step) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(step * double(i * i % 37) + double(i) * 1e-3);
  return values;
}
std::vector<double> times(std::size_t count) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(0.5 * double(i));
  return values;
}

std::vector<std::string> mat_v5_seeds() {
  const std::string time = matrix("time_s", 40, 1, 9, bytes_of_values(times(40)));
  const std::string force = matrix("force_N", 40, 1, 9, bytes_of_values(numbers(40, 0.5)));
  std::string names = "when";
  names.resize(8), names += "torque", names.resize(16);
  const std::string log =
      element(14, array_head(2, 1, 1, "log") + element(5, u32(8)) + element(1, names) + opaque("", "datetime") +
                      matrix("", 4, 10, 9, bytes_of_values(numbers(40, 2))));
  return {mat_header() + time + force, mat_header() + compressed(time) + compressed(force),
          mat_header() + time + compressed(force) + log + opaque("t", "table") + matrix("gain", 1, 1, 3, "\x01\x02") +
              matrix("wide", 2, 40, 3, bytes_of_values(std::vector<std::int16_t>(80, 7)))};
}

std::vector<std::string> mat_v73_seeds() {
  MatV73Writer plain, packed, nested;
  plain.add("time_s", times(40)), plain.add("force_N", numbers(40, 0.5));
  packed.add("time_s", times(200), 1, "double", {.layout = Layout::chunked, .along = 64, .filters = {1}});
  packed.add("force_N", numbers(200, 0.5), 1, "single",
             {.size = 4, .layout = Layout::chunked, .along = 70, .filters = {2, 1, 3}});
  packed.add("x", numbers(400, 0.25), 2, "double",
             {.layout = Layout::chunked, .across = 2, .along = 2, .filters = {1}});
  nested.add("time_s", times(40), 1, "double", {.layout = Layout::compact});
  nested.add_struct("log");
  nested.add("log/force_N", numbers(40, 0.5), 1, "double", {.big_endian = true});
  nested.add("log/counts", numbers(80, 3), 40, "int16",
             {.kind = 'i', .size = 2, .layout = Layout::chunked, .across = 7, .along = 2, .holes = {1}});
  nested.add("t", {1, 2, 3, 4, 5, 6}, 6, "table", {.kind = 'u', .size = 4});
  nested.link("same", "log/force_N");
  return {plain.bytes(), packed.bytes(), nested.bytes(), oldest_hdf5_file(), newest_hdf5_file()};
}

std::vector<std::string> npz_seeds() {
  const std::string head = "{'descr': '<i2', 'fortran_order': False, 'shape': (40, 2), }";
  const ZipPart pair = npy_part("pair", head, bytes_of_values(std::vector<std::int16_t>(80, 7)));
  return {zip({npy_vector("time_s", times(40)), npy_vector("force_N", numbers(40, 0.5)), pair}),
          zip({npy_vector("time_s", times(40), false), npy_vector("force_N", numbers(40, 0.5), false)})};
}

std::vector<std::string> text_seeds() {
  std::string comma = "# a log\ntime_s,position_mm,force_N,phase\n", semicolon = "Zeit [s];Kraft [kN]\n",
              blanks = "t x F\ns mm N\n";
  for (int i = 0; i < 30; ++i) {
    const std::string t = std::to_string(0.5 * i), f = std::to_string(i * i % 37);
    comma += t + "," + f + "e-3," + f + ".25,\"forth, slow\"\n";
    semicolon += std::to_string(i / 2) + (i % 2 ? ",5" : ",0") + ";-" + f + ",125\r\n";
    blanks += t + "  -" + f + "\tNaN\n";
  }
  return {comma, semicolon, blanks};
}

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
TEST(DamagedFileProperty, Text) { expect_no_crash(text_seeds(), ".csv", test::cases(20000)); }

}  // namespace
}  // namespace stickslip
