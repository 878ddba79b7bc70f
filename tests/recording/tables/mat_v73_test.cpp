/// MATLAB files of version 7.3: what MATLAB writes is read, everything else is refused or left out by name.
#include "recording/tables/mat_v73.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "core/text.hpp"
#include "recording/tables/binary_writers.hpp"
#include "recording/tables/kept_hdf5_files.hpp"
#include "recording/tables/mat_v73_writer.hpp"
#include "support/shared_data.hpp"

namespace stickslip::mat_v73_test {
namespace {

using made::Layout, made::MatV73Writer, made::note_of, made::read_bytes, made::refusal_of, made::Storage;

std::vector<double> ramp(std::size_t count, double step) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(step * double(i));
  return values;
}
std::vector<double> wave(std::size_t count) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(std::sin(0.01 * double(i)));
  return values;
}
std::string names_of(const Recording& r) {
  std::vector<std::string> names;
  for (const Column& column : r.others) names.push_back(column.name);
  return joined(names);
}
Storage deflated(std::size_t along = 100) { return {.layout = Layout::chunked, .along = along, .filters = {1}}; }

/// A file with time and force, to which a test adds what it is about.
MatV73Writer small_file() {
  MatV73Writer file;
  file.add("time_s", ramp(200, 1e-3));
  file.add("force_N", wave(200));
  return file;
}
std::string replaced(std::string bytes, const std::string& what, const std::string& by) {
  const auto at = bytes.find(what);
  EXPECT_NE(at, std::string::npos);
  return bytes.replace(at, by.size(), by);
}

TEST(MatV73, ReadsVectorsMatricesStructsAndConstants) {
  MatV73Writer file;
  file.add("time_s", ramp(1000, 1e-3));
  file.add("position_m", wave(1000), 1, "double", deflated());
  file.add("row", ramp(1000, 1), 1000);  // 1 x n in MATLAB
  std::vector<double> both = ramp(1000, 2);
  const std::vector<double> second = ramp(1000, 3);
  both.insert(both.end(), second.begin(), second.end());
  file.add("pair", both, 2);
  file.add("counts", ramp(1000, 1), 1, "int32", {.kind = 'i', .size = 4});
  file.add("gain", {35.15065});
  file.add("name", {77, 120}, 1, "char", {.kind = 'u', .size = 2});
  file.add_struct("log");
  file.add("log/force_N", wave(1000), 1, "single", {.size = 4});
  const Recording r = read_bytes(file.bytes(), ".mat", {.columns = {.force = "log.force_N"}});
  ASSERT_EQ(r.size(), 1000u);
  EXPECT_EQ(r.time, ramp(1000, 1e-3));
  EXPECT_EQ(r.position, wave(1000));
  for (std::size_t i = 0; i < 1000; ++i) ASSERT_NEAR(r.force[i], wave(1000)[i], 1e-7);
  ASSERT_EQ(r.constants.size(), 1u);
  EXPECT_EQ(r.constants[0].second, 35.15065);
  EXPECT_EQ(names_of(r), "counts, pair_1, pair_2, row");
  EXPECT_EQ(r.others[2].values, second);
  EXPECT_NE(note_of(r, "left_out").find("name (char)"), std::string::npos);
}

TEST(MatV73, EveryNumberTypeAndLayoutGivesTheSameNumbers) {
  for (const Layout layout : {Layout::contiguous, Layout::compact, Layout::chunked})
    for (const char kind : {'f', 'i', 'u'})
      for (const std::size_t size : {1u, 2u, 4u, 8u})
        for (const bool big : {false, true})
          for (const std::vector<int>& filters : {std::vector<int>{}, {1}, {2, 1}, {2, 1, 3}, {3}, {3, 1}}) {
            if ((kind == 'f' && size < 4) || (layout != Layout::chunked && !filters.empty())) continue;
            std::vector<double> values;
            for (int i = 0; i < 3 * 70; ++i) values.push_back(kind == 'u' ? i % 120 : i % 120 - 60);
            MatV73Writer file;
            file.add("time_s", ramp(70, 0.5));
            file.add("force_N", ramp(70, 1));
            file.add("all", values, 3, "double",
                     {.kind = kind,
                      .size = size,
                      .big_endian = big,
                      .layout = layout,
                      .across = 2,
                      .along = 13,
                      .filters = filters});
            const Recording r = read_bytes(file.bytes(), ".mat");
            ASSERT_EQ(names_of(r), "all_1, all_2, all_3");
            for (std::size_t c = 0; c < 3; ++c)
              for (std::size_t i = 0; i < 70; ++i)
                ASSERT_EQ(r.others[c].values[i], values[70 * c + i])
                    << kind << size << big << int(layout) << filters.size();
          }
}

TEST(MatV73, ATreeOfChunksWithTwoLevelsIsRead) {
  MatV73Writer file;
  file.add("time_s", ramp(2000, 1e-3), 1, "double", deflated(3));
  file.add("force_N", wave(2000));
  EXPECT_EQ(read_bytes(file.bytes(), ".mat").time, ramp(2000, 1e-3));
}

TEST(MatV73, FilesOfTheHdf5LibraryAreRead) {
  for (const std::string& bytes : {made::oldest_hdf5_file(), made::newest_hdf5_file()}) {
    const Recording r = read_bytes(bytes, ".mat");
    ASSERT_EQ(r.size(), 300u);
    ASSERT_EQ(names_of(r), "counts_1, counts_2, log.half");
    for (int i = 0; i < 300; ++i) {
      const auto at = std::size_t(i);
      ASSERT_EQ(r.time[at], 0.25 * i);
      ASSERT_EQ(r.force[at], i % 7 - 3);
      ASSERT_EQ(r.others[0].values[at], i - 5);
      ASSERT_EQ(r.others[1].values[at], 300 + i - 5);
      ASSERT_EQ(r.others[2].values[at], 0.5 * i);
    }
  }
}

TEST(MatV73, WhatIsNotNumericIsLeftOutByName) {
  MatV73Writer file = small_file();
  const Storage words{.kind = 'u', .size = 4};
  file.add("log_table", {1, 2, 3, 4, 5, 6}, 6, "table", words);
  file.add("name", {1, 2, 3, 4, 5, 6}, 6, "string", words);
  file.add("when", {1, 2, 3, 4, 5, 6}, 6, "datetime", words);
  file.add("axis", {1, 2, 3, 4, 5, 6}, 6, "ServoAxis", words);
  file.add("parts", {1, 2}, 2, "cell", {.kind = 'u'});
  file.add_struct("call", "function_handle");
  file.add("call/inside", {1});
  file.add_struct("thin", "double");
  file.mark("thin", "MATLAB_sparse");
  file.add("nothing", {0, 0}, 2, "double", {.kind = 'u'});
  file.mark("nothing", "MATLAB_empty");
  file.add_struct("#subsystem#");
  file.add("#subsystem#/MCOS", {1, 2, 3}, 1, "FileWrapper__", words);
  const Recording r = read_bytes(file.bytes(), ".mat");
  EXPECT_EQ(r.force, wave(200));
  EXPECT_EQ(r.others.size(), 0u);
  EXPECT_EQ(
      note_of(r, "left_out"),
      "left out because they are not real numeric arrays: axis (ServoAxis), call (function_handle), log_table (table), "
      "name (string), nothing (empty), parts (cell), thin (sparse), when (datetime)");
}

TEST(MatV73, AFileOfTablesOnlySaysWhatItHolds) {
  MatV73Writer file;
  file.add("log", {1, 2, 3, 4, 5, 6}, 6, "timetable", {.kind = 'u', .size = 4});
  EXPECT_EQ(refusal_of(file.bytes(), ".mat"),
            "no column of numbers, only log (timetable); save its numbers as vectors of one length");
}

TEST(MatV73, AMatrixWithARowPerSignalIsOffered) {
  std::vector<double> values;  // column after column: 3 signals of sample 0, of sample 1 ...
  for (int i = 0; i < 50; ++i)
    for (int k = 0; k < 3; ++k) values.push_back(100 * k + i);
  MatV73Writer file;
  file.add("log", values, 50);
  const Recording r = read_bytes(file.bytes(), ".mat", {.columns = {.time = "log_1", .force = "log_2"}});
  ASSERT_EQ(r.size(), 50u);
  EXPECT_EQ(r.force[7], 107);
  EXPECT_EQ(names_of(r), "log_3");
  EXPECT_EQ(note_of(r, "row_by_row"), "'log' is 3 x 50, a row per signal; its rows are read as columns log_1 to log_3");
}

TEST(MatV73, ACutFileIsRefusedWhereverItIsCut) {
  MatV73Writer file;
  file.add("time_s", ramp(2000, 1e-3));
  file.add("force_N", wave(2000), 1, "double", deflated());
  const std::string whole = file.bytes();
  EXPECT_EQ(refusal_of(whole, ".mat"), "accepted");
  for (std::size_t cut = 0; cut < whole.size(); cut += cut < 1000 ? 1 : 97) {
    const std::string said = refusal_of(whole.substr(0, cut), ".mat");
    EXPECT_TRUE(said.find("truncated or damaged") != std::string::npos ||
                said.find("its superblock ends too early") != std::string::npos ||
                said.find("not a MATLAB file") != std::string::npos)
        << cut << " " << said;
  }
}

TEST(MatV73, ValuesThatWereNeverStoredAreRefused) {
  MatV73Writer file = small_file();
  file.add("spring", wave(200), 1, "double", {.layout = Layout::chunked, .along = 200, .holes = {0}});
  EXPECT_EQ(refusal_of(file.bytes(), ".mat"),
            "'spring' has values that are not stored; the file is damaged or was never written");
}

TEST(MatV73, AFewChunksThatWereNeverWrittenHaveTheFillValueAndANote) {
  MatV73Writer file = small_file();
  file.add("spring", ramp(200, 1), 1, "double", {.layout = Layout::chunked, .along = 50, .holes = {1}, .fill = -7});
  const Recording r = read_bytes(file.bytes(), ".mat");
  EXPECT_EQ(r.others.at(0).values[49], 49);
  EXPECT_EQ(r.others.at(0).values[50], -7);
  EXPECT_EQ(r.others.at(0).values[99], -7);
  EXPECT_EQ(r.others.at(0).values[100], 100);
  EXPECT_EQ(note_of(r, "not_stored"), "'spring' has 50 values that were never written; the file says -7 for them");
}

TEST(MatV73, WhatIsNotReadIsRefusedByName) {
  const auto number = MatV73Writer::number;
  MatV73Writer file = small_file();
  file.add("spring", ramp(200, 1), 1, "double", deflated());
  const std::string good = file.bytes();
  ASSERT_EQ(refusal_of(good, ".mat"), "accepted");
  // version, class, rank and address of the chunked layout
  const std::string layout = number(8, 2) + number(24, 2) + number(0, 4) + number(3, 1) + number(2, 1) + number(3, 1);
  EXPECT_EQ(refusal_of(replaced(good, layout, layout.substr(0, 8) + number(4, 1)), ".mat"),
            "'spring' uses layout version 4, which is not supported; save it with -v7 or as CSV");
  EXPECT_EQ(refusal_of(replaced(good, layout, layout.substr(0, 8) + number(1, 1)), ".mat"),
            "'spring' uses layout version 1, which is not supported; save it with -v7 or as CSV");
  EXPECT_EQ(refusal_of(replaced(good, layout, layout.substr(0, 9) + number(3, 1)), ".mat"),
            "'spring' is a virtual dataset of other files or arrays, which is not supported; save it with -v7");
  const std::string filters = number(1, 1) + number(1, 1) + number(0, 6) + number(1, 2) + number(0, 4);
  EXPECT_EQ(refusal_of(replaced(good, filters, filters.substr(0, 8) + number(4, 2)), ".mat"),
            "'spring' is compressed with the filter szip, which is not supported; save it with -v7");
  EXPECT_EQ(refusal_of(replaced(good, filters, filters.substr(0, 8) + number(32001, 2)), ".mat"),
            "'spring' is compressed with the filter number 32001, which is not supported; save it with -v7");
  const std::string type = number(8, 4) + number(0, 2) + number(64, 2) + number(52, 1) + number(11, 1);
  EXPECT_EQ(refusal_of(replaced(good, type, number(8, 4) + number(0, 2) + number(64, 2) + number(51, 1)), ".mat"),
            "'force_N' has numbers of 8 bytes in an unsupported form; save it with -v7 or as CSV");
  // The list of names as a link info message that leads to a fractal heap.
  const std::string names = number(17, 2) + number(16, 2) + number(0, 4);
  EXPECT_EQ(refusal_of(replaced(good, names, number(2, 2) + number(16, 2) + number(0, 4) + number(0, 2)), ".mat"),
            "MATLAB file of version 7.3 keeps its names in a fractal heap, which is not supported; save it with -v7 or "
            "as CSV");
}

TEST(MatV73, DamageIsNamed) {
  const auto number = MatV73Writer::number;
  MatV73Writer file = small_file();
  file.add("spring", ramp(200, 1), 1, "double", {.layout = Layout::chunked, .along = 50, .filters = {1, 3}});
  const std::string good = file.bytes();
  ASSERT_EQ(refusal_of(good, ".mat"), "accepted");
  // The tree of chunks: its node precedes the four entries.
  const std::string node = "TREE" + number(1, 1) + number(0, 1) + number(4, 2);
  const std::size_t tree = good.find(node), first = tree + 24;
  ASSERT_NE(tree, std::string::npos);
  const auto with = [&](std::size_t at, const std::string& bytes) {
    std::string bad = good;
    return bad.replace(at, bytes.size(), bytes);
  };
  EXPECT_EQ(refusal_of(with(tree + 4, number(0, 1)), ".mat"),
            "'spring' is damaged: the list of its chunks has a wrong node");
  EXPECT_EQ(refusal_of(with(tree + 6, number(60000, 2)), ".mat"),
            "'spring' is damaged: the list of its chunks lies outside of the file");
  EXPECT_EQ(refusal_of(with(first + 16, number(50, 8)), ".mat"),
            "'spring' is damaged: two chunks hold the same values");
  EXPECT_EQ(refusal_of(with(first + 16, number(7, 8)), ".mat"),
            "'spring' is damaged: a chunk lies outside of the array");
  EXPECT_EQ(refusal_of(with(first, number(0xfffffff0, 4)), ".mat"),
            "'spring' is damaged: a chunk of it lies outside of the file");
  EXPECT_EQ(refusal_of(with(first + 32, number(~0ull - 5, 8)), ".mat"),
            "'spring' is damaged: a chunk of it lies outside of the file");
  // A node above others that leads to itself.
  EXPECT_EQ(refusal_of(with(tree + 5, number(1, 1)).replace(first + 32, 8, number(tree - 512, 8)), ".mat"),
            "'spring' is damaged: the list of its chunks is circular");
  std::uint64_t place = 0;
  std::memcpy(&place, good.data() + first + 32, 8);
  EXPECT_EQ(refusal_of(with(512 + place + 9, "\x55"), ".mat"), "'spring' is damaged: the checksum of a chunk is wrong");
  // 200 values become 2^40, and the chunk as long.
  const std::string size = number(1, 8) + number(200, 8);
  EXPECT_EQ(refusal_of(replaced(good, size, number(1, 8) + number(1ull << 40, 8)), ".mat"),
            "'force_N' states 1 x 1099511627776 values; it expands to more than 128 times the file's size; save it "
            "uncompressed or as CSV");
}

TEST(MatV73, ManyNamesOfOneArrayDoNotExpandWithoutEnd) {
  MatV73Writer file;
  file.add("a", std::vector<double>(1'000'000, 0.0), 1, "double", deflated(1'000'000));
  for (int i = 0; i < 120; ++i) file.link("b" + std::to_string(i), "a");
  const std::string bytes = file.bytes();
  EXPECT_LT(bytes.size(), 40'000u);
  EXPECT_NE(refusal_of(bytes, ".mat").find("expands to more than 128 times the file's size"), std::string::npos)
      << refusal_of(bytes, ".mat");
}

TEST(MatV73, AGroupThatHoldsItselfEnds) {
  MatV73Writer file = small_file();
  file.add_struct("log");
  file.add("log/inside", ramp(200, 2));
  std::string bytes = file.bytes();
  // The name "inside" leads to the root's header instead.
  std::uint64_t root = 0;
  std::memcpy(&root, bytes.data() + 512 + 64, 8);
  const std::size_t names = bytes.find("SNOD");
  bytes.replace(names + 8 + 8, 8, MatV73Writer::number(root, 8));
  const Recording r = read_bytes(bytes, ".mat");
  EXPECT_EQ(note_of(r, "left_out"), "left out because they are not real numeric arrays: log.inside (a link)");
}

TEST(MatV73, FilesThatCrashedTheHdf5LibraryAreRefused) {
  SKIP_WITHOUT_SHARED("defects");
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(shared_path("defects"))) {
    if (!entry.path().filename().string().starts_with("crash_matlab_v73")) continue;
    ++count;
    EXPECT_THROW(read_recording(entry.path().string()), Error) << entry.path();
  }
  EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace stickslip::mat_v73_test
